from typing import Any

from litestar import Request, Response

from socialgate.areas.inbound.bodies import Bodies
from socialgate.areas.inbound.service import Reception, VerificationFailed, WebhookNotVerified
from socialgate.contracts.inbound import InboundRequest
from socialgate.contracts.platforms import Platform, Service
from socialgate.core.errors import RateLimited
from socialgate.web.route import Access, Tag, route

TAG = Tag("Inbound webhooks", "Where platforms send their webhooks. You do not call these routes.")
# Platforms send up to a thousand events in one body.
MOST_BYTES = 8 * 1024 * 1024

# What Google's senders expect: accepted, without a body.
ACKNOWLEDGED = (202, 204)

# Who sends webhooks: the platforms of accounts, and the services of the deployment itself.
_SENDERS = {"platform": (*Platform, *Service)}

AnyRequest = Request[Any, Any, Any]


@route(
    "GET",
    "/webhooks/{platform:str}",
    tag=TAG,
    choices=_SENDERS,
    access=Access.PUBLIC,
    answers="text/plain",
    raises=(WebhookNotVerified, VerificationFailed),
    open_query=True,
)
async def shake_hands(platform: str, request: AnyRequest, reception: Reception) -> Response[bytes]:
    """Answer a platform's verification request for this webhook URL. Called by platforms, not by customers."""
    return await _answer(platform, request, reception, b"")


@route(
    "POST",
    "/webhooks/{platform:str}",
    tag=TAG,
    choices=_SENDERS,
    access=Access.PUBLIC,
    status=200,
    answers="text/plain",
    raises=(WebhookNotVerified, RateLimited),
    open_query=True,
    takes_json=False,
    also=ACKNOWLEDGED,
    most_bytes=MOST_BYTES,
)
async def receive_webhook(platform: str, request: AnyRequest, bodies: Bodies, reception: Reception) -> Response[bytes]:
    """Receive a webhook from a platform. Its signature is verified, it is stored, and then processed."""
    return await _answer(platform, request, reception, await bodies.read(request))


async def _answer(platform: str, request: AnyRequest, reception: Reception, body: bytes) -> Response[bytes]:
    came = InboundRequest(
        method=request.method, query=_query(request), headers=dict(request.headers.items()), body=body
    )
    reply = await reception.receive(platform, came)
    return Response(reply.body, status_code=reply.status, media_type=reply.content_type)


def _query(request: AnyRequest) -> dict[str, str]:
    """The last of several parameters with the same name counts, as with most platforms."""
    return {name: str(value) for name, value in request.query_params.multi_items()}


routes = [shake_hands, receive_webhook]
