from typing import Any

from litestar import Request, Response

from socialgate.areas.inbound.body_reader import WebhookBodyReader
from socialgate.areas.inbound.service import VerificationFailedError, WebhookNotVerifiedError, WebhookService
from socialgate.contracts.platforms import DeploymentVendor, Platform
from socialgate.contracts.webhooks import WebhookRequest
from socialgate.core.errors import RateLimited
from socialgate.web.route import RouteAccess, RouteTag, route

TAG = RouteTag("Inbound webhooks", "Where platforms send their webhooks. You do not call these routes.")
# Platforms send up to a thousand events in one body.
MAX_BODY_BYTES = 8 * 1024 * 1024

# What Google's senders expect: accepted, without a body.
ACKNOWLEDGED_STATUSES = (202, 204)

# Who sends webhooks: the platforms of accounts, and the services of the deployment itself.
_PLATFORM_CHOICES = {"platform": (*Platform, *DeploymentVendor)}

AnyRequest = Request[Any, Any, Any]


@route(
    "GET",
    "/webhooks/{platform:str}",
    sdk="inbound_webhooks.verify",
    in_clients=False,
    tag=TAG,
    choices=_PLATFORM_CHOICES,
    access=RouteAccess.PUBLIC,
    answers="text/plain",
    raises=(WebhookNotVerifiedError, VerificationFailedError),
    open_query=True,
)
async def verify_webhook_url(platform: str, request: AnyRequest, webhooks: WebhookService) -> Response[bytes]:
    """Answer a platform's verification request for this webhook URL. Called by platforms, not by customers."""
    return await _receive_webhook(platform, request, webhooks, b"")


@route(
    "POST",
    "/webhooks/{platform:str}",
    sdk="inbound_webhooks.receive",
    in_clients=False,
    tag=TAG,
    choices=_PLATFORM_CHOICES,
    access=RouteAccess.PUBLIC,
    status=200,
    answers="text/plain",
    raises=(WebhookNotVerifiedError, RateLimited),
    open_query=True,
    takes_json=False,
    also=ACKNOWLEDGED_STATUSES,
    most_bytes=MAX_BODY_BYTES,
)
async def receive_webhook(
    platform: str, request: AnyRequest, bodies: WebhookBodyReader, webhooks: WebhookService
) -> Response[bytes]:
    """Receive a webhook from a platform. Its signature is verified, it is stored, and then processed."""
    return await _receive_webhook(platform, request, webhooks, await bodies.read(request))


async def _receive_webhook(
    platform: str, request: AnyRequest, webhooks: WebhookService, body: bytes
) -> Response[bytes]:
    came = WebhookRequest(
        method=request.method, query=_parse_query(request), headers=dict(request.headers.items()), body=body
    )
    reply = await webhooks.receive(platform, came)
    return Response(reply.body, status_code=reply.status, media_type=reply.content_type)


def _parse_query(request: AnyRequest) -> dict[str, str]:
    """The last of several parameters with the same name counts, as with most platforms."""
    return {name: str(value) for name, value in request.query_params.multi_items()}


routes = [verify_webhook_url, receive_webhook]
