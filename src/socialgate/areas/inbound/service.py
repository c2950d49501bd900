"""The entry point for webhooks: the sender is verified before anything else happens."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus

import msgspec

from socialgate.areas.accounts import registration_store
from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.credential_cipher import CredentialCipher
from socialgate.areas.accounts.tables import RegistrationRow
from socialgate.areas.inbound.senders import PLATFORMS, WebhookSenderRegistry
from socialgate.areas.inbound.store import NewInboundRequest
from socialgate.areas.inbound.webhook_writer import WebhookWriter
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.platforms import Platform
from socialgate.contracts.webhooks import WebhookRequest, WebhookResponse
from socialgate.core.db import Database
from socialgate.core.errors import Forbidden, NotFound, RateLimited, ServiceError, Unauthenticated, Unavailable
from socialgate.core.ids import new_id
from socialgate.core.metrics import Metrics

ROUTING_PARAMETER = "r"
# The format we create. Anything else is in no row, and PostgreSQL cannot even compare every text.
_ROUTING_ID_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,64}")
_RETRY_SECONDS = 30
_PAIRING_WAIT_SECONDS = 3.0


class WebhookNotVerifiedError(Unauthenticated):
    """The signature is missing or wrong, or the routing id is unknown. Nothing was stored.

    Platforms sign their requests; check the secret that the platform and this deployment share.
    """

    code = "webhook_not_verified"
    title = "The webhook could not be verified"


class VerificationFailedError(Forbidden):
    """A platform's verification request is incomplete or has the wrong verify token.

    Enter the verify token of this deployment in the platform's settings.
    """

    code = "verification_failed"
    title = "The verification request is wrong"


class WebhookService:
    def __init__(
        self,
        db: Database,
        catalogue: ConnectorRegistry,
        senders: WebhookSenderRegistry,
        vault: CredentialCipher,
        intake: WebhookWriter,
        metrics: Metrics,
    ) -> None:
        self._db = db
        self._catalogue = catalogue
        self._senders = senders
        self._vault = vault
        self._intake = intake
        self._metrics = metrics

    async def receive(self, platform: str, request: WebhookRequest) -> WebhookResponse:
        sender = self._senders.find(platform)
        if sender is None:
            raise NotFound("No platform with this name sends webhooks here.")
        routing_id = request.query.get(ROUTING_PARAMETER)
        secrets = () if routing_id is None else await self._find_secrets(platform, routing_id, request.method)
        reply = await sender.receive(request, secrets)
        if reply.status >= HTTPStatus.BAD_REQUEST:
            self._metrics.webhooks.labels(platform, "refused").inc()
            raise _build_error(reply.status)
        if reply.should_store:
            body = request.body if reply.redacted_body is None else reply.redacted_body
            await self._store(platform, routing_id, msgspec.structs.replace(request, body=body))
        else:
            self._metrics.webhooks.labels(platform, "answered").inc()
        return reply

    async def _store(self, platform: str, routing_id: str | None, request: WebhookRequest) -> None:
        kept = msgspec.structs.replace(
            request, headers=_remove_secrets(request.headers), query=_remove_secrets(request.query)
        )
        arrived = NewInboundRequest(
            id=new_id("inb"),
            platform=platform,
            routing_id=routing_id,
            request=msgspec.json.encode(kept),
            received_at=self._db.clock.now(),
        )
        if not await self._intake.store(arrived):
            self._metrics.webhooks.labels(platform, "refused").inc()
            raise RateLimited(
                "Too many webhooks of this address wait to be processed. Send it again later.",
                retry_after=_RETRY_SECONDS,
            )
        self._metrics.webhooks.labels(platform, "stored").inc()

    async def _find_secrets(self, platform: str, routing_id: str, method: str) -> Sequence[str]:
        row = None
        if _ROUTING_ID_PATTERN.fullmatch(routing_id):
            row = await self._db.read(registration_store.find_registration_by_routing_id, platform, routing_id)
            if row is None and self._supports_pairing(platform) and method == "POST":
                row = await self._wait_for_registration(platform, routing_id)
        if row is None:
            self._metrics.webhooks.labels(platform, "refused").inc()
            raise WebhookNotVerifiedError("Nothing is registered under this routing id. Nothing was stored.")
        own = self._vault.decrypt_webhook_secrets(row).get_candidates(method)
        if method == "GET":
            return own
        # Those of the customers connected now: secrets that were replaced, or whose customer disconnected, are not
        # valid.
        live = await self._db.read(accounts.list_by_inbound_key, platform, row.inbound_key)
        brought = {self._vault.decrypt_app_secret(account) for account in live}
        return (*own, *(secret for secret in brought if secret))

    async def _wait_for_registration(self, platform: str, routing_id: str) -> RegistrationRow | None:
        """Wait for a pairing in progress: the platform sends its first webhooks before the connection is saved."""
        saved = asyncio.Event()
        leave = self._db.wakeups.subscribe(lambda keys: saved.set() if routing_id in keys else None)
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(saved.wait(), _PAIRING_WAIT_SECONDS)
            return await self._db.read(registration_store.find_registration_by_routing_id, platform, routing_id)
        finally:
            leave()

    def _supports_pairing(self, platform: str) -> bool:
        connector = self._catalogue.find_connector(Platform(platform)) if platform in PLATFORMS else None
        return connector is not None and connector.qr_pairing is not None


def _build_error(status: int) -> ServiceError:
    match status:
        case HTTPStatus.UNAUTHORIZED:
            return WebhookNotVerifiedError("The signature could not be verified. Nothing was stored.")
        case HTTPStatus.FORBIDDEN:
            return VerificationFailedError("The verify token is not the one of this deployment.")
        case HTTPStatus.NOT_FOUND:
            return NotFound("Nothing here handles this request.")
        case _:
            return Unavailable("The signature cannot be verified right now.", retry_after=_RETRY_SECONDS)


# Signatures were verified and are no longer needed, and some of them contain the secret itself.
_SECRET_NAME_PATTERN = re.compile("authorization|secret|signature|token|cookie", re.IGNORECASE)


def _remove_secrets(params: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in params.items() if not _SECRET_NAME_PATTERN.search(name)}
