"""Where platforms send their webhooks: one registration per account on the platform, shared by all its owners.

The row is committed before the platform is called, because it calls back immediately to verify the endpoint. If a
platform rejects the registration, it is retried with backoff; the account works in the meantime, and its health says
what is missing. A registration that expires is renewed when a quarter of its
lifetime is left. The first check waits until the platform was called: an earlier one would report a new account as
broken.
"""

import math
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec
import structlog

from socialgate.areas.accounts import registration_store, store
from socialgate.areas.accounts.credential_cipher import CredentialCipher, WebhookSecrets, build_webhook_endpoint
from socialgate.areas.accounts.lifecycle import MAINTENANCE_TOPIC
from socialgate.areas.accounts.registration_store import REGISTRATION_QUEUE
from socialgate.areas.accounts.session import AccountSession
from socialgate.contracts.account_connection import WebhookEndpoint, WebhookRegistration
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import PlatformFailure
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.backoff import Backoff

_MAX_ERROR_LENGTH = 500
_FIRST_RETRY_DELAY = timedelta(minutes=2)
_RETRY_BACKOFF = Backoff(initial_delay=_FIRST_RETRY_DELAY, max_delay=timedelta(hours=1), jitter=0.1)
_RENEWAL_LIFETIME_FRACTION_LEFT = 0.25
# If the connecting process died, the background worker calls the platform first, and then checks.
_FIRST_CHECK_DELAY = 2 * _FIRST_RETRY_DELAY

log = structlog.get_logger(__name__)


class WebhookRegistrar:
    def __init__(self, db: Database, session: AccountSession, vault: CredentialCipher, public_url: str) -> None:
        self._db = db
        self._session = session
        self._vault = vault
        self._public_url = public_url

    async def schedule_registration(self, tx: Tx, account: AccountRow) -> None:
        """Record with an account that its webhooks must be registered, and let its first check wait for that.

        If the process dies before the platform responds, a background worker does it.
        """
        if self._session.get_connector(account.platform).webhook_subscriber is None:
            return
        await self._find_or_create(tx, account)
        requested = {
            "set_up_at": None,
            "error": None,
            "try_at": tx.now + _FIRST_RETRY_DELAY,
            **REGISTRATION_QUEUE.unclaimed_values,
        }
        await registration_store.update_registration(tx, account.platform, account.inbound_key, requested)
        await store.update_account(tx, account.owner_id, account.id, {"check_at": tx.now + _FIRST_CHECK_DELAY})

    async def ensure_scheduled(self, tx: Tx, account: AccountRow) -> None:
        """Plan it for an account that was connected before there was anything to register."""
        if not await registration_store.has_registration(tx, account.platform, account.inbound_key):
            await self.schedule_registration(tx, account)

    async def register(self, account: AccountRow) -> None:
        """Register an account's webhooks with the platform, if it supports that."""
        subscribing = self._session.get_connector(account.platform).webhook_subscriber
        if subscribing is None:
            return
        try:
            credentials = await self._session.get_credentials(account)
            callback, known = await self._db.write(self._find_or_create, account)
            registered = await subscribing.subscribe(
                msgspec.structs.replace(credentials, webhook_registration=known), callback
            )
        except PlatformFailure as failure:
            log.warning("subscribe_failed", platform=account.platform, code=failure.code, detail=failure.detail)
            await self._db.write(self._save_failure, account, failure)
        else:
            await self._db.write(self._save_success, account, registered)

    def generate_routing_id_and_secrets(self) -> tuple[str, WebhookSecrets]:
        """Create a routing id and secrets for something that the platform has not named yet."""
        return secrets.token_urlsafe(32), _generate_secrets()

    def build_webhook_endpoint(
        self, platform: str, routing_id: str, webhook_secrets: WebhookSecrets
    ) -> WebhookEndpoint:
        return build_webhook_endpoint(self._public_url, platform, routing_id, webhook_secrets)

    async def save_accepted(
        self, tx: Tx, platform: str, inbound_key: str, routing_id: str, webhook_secrets: WebhookSecrets
    ) -> None:
        """Store a callback that the platform has already accepted. It replaces the previous one of this account."""
        await registration_store.delete_registration(tx, platform, inbound_key)
        values = {
            "platform": platform,
            "inbound_key": inbound_key,
            "routing_id": routing_id,
            "sealed": self._vault.encrypt_webhook_secrets(platform, inbound_key, webhook_secrets),
            "set_up_at": tx.now,
            "created_at": tx.now,
        }
        await registration_store.insert_registration(tx, values)
        # Webhooks that arrived earlier wait for this.
        tx.wake_on_commit(routing_id)

    async def _find_or_create(self, tx: Tx, account: AccountRow) -> tuple[WebhookEndpoint, Mapping[str, str]]:
        """Find or create the registration. Also returns the details of the one that the platform has, if any."""
        await tx.lock(f"subscription {account.platform} {account.inbound_key}")
        row = await registration_store.find_registration_for_change(tx, account.platform, account.inbound_key)
        webhook_secrets = _generate_secrets() if row is None else self._vault.decrypt_webhook_secrets(row)
        routing_id = secrets.token_urlsafe(32) if row is None else str(row.routing_id)
        if row is None:
            values = {
                "platform": account.platform,
                "inbound_key": account.inbound_key,
                "routing_id": routing_id,
                "sealed": self._vault.encrypt_webhook_secrets(account.platform, account.inbound_key, webhook_secrets),
                "try_at": tx.now + _FIRST_RETRY_DELAY,
                "created_at": tx.now,
            }
            await registration_store.insert_registration(tx, values)
        known = None if row is None else row.details
        return build_webhook_endpoint(self._public_url, account.platform, routing_id, webhook_secrets), known or {}

    async def _save_success(self, tx: Tx, account: AccountRow, registered: WebhookRegistration | None) -> None:
        # A check from before this may have missed the webhooks. Lock the account first, in the same order as
        # connecting.
        await store.request_check(tx, account)
        ends = None if registered is None else registered.expires_at
        taken = {
            "error": None,
            "set_up_at": tx.now,
            "expires_at": ends,
            "details": None if registered is None else dict(registered.details),
            "try_at": None if ends is None else ends - (ends - tx.now) * _RENEWAL_LIFETIME_FRACTION_LEFT,
            **REGISTRATION_QUEUE.unclaimed_values,
        }
        await registration_store.update_registration(tx, account.platform, account.inbound_key, taken)
        tx.wake_on_commit(MAINTENANCE_TOPIC)

    async def _save_failure(self, tx: Tx, account: AccountRow, failure: PlatformFailure) -> None:
        # Its health says what is missing. A repeated rejection does not change what a check has already reported.
        is_known = (
            await registration_store.find_registration_error(tx, account.platform, account.inbound_key) is not None
        )
        await store.request_check(tx, account, unless_checked=is_known)
        refused = {
            "error": failure.detail[:_MAX_ERROR_LENGTH],
            "try_at": compute_retry_time(tx.now, account.connected_at or account.created_at, failure.retry_after),
            **REGISTRATION_QUEUE.unclaimed_values,
        }
        await registration_store.update_registration(tx, account.platform, account.inbound_key, refused)
        tx.wake_on_commit(MAINTENANCE_TOPIC)


def compute_retry_time(now: datetime, since: datetime, wait: int | None, spread: float | None = None) -> datetime:
    """Return when to retry a registration that was requested at `since`; never before the platform allows it.

    Each delay is twice as long as the previous one, so the elapsed time says how many there were.
    """
    tries = round(math.log2(1 + max((now - since) / _RETRY_BACKOFF.initial_delay, 0)))
    until: datetime = now + _RETRY_BACKOFF.get_delay(
        tries, min_delay=timedelta(seconds=wait or 0), jitter_factor=spread
    )
    return until


def _generate_secrets() -> WebhookSecrets:
    return WebhookSecrets(secret=secrets.token_urlsafe(32), verify_token=secrets.token_urlsafe(32))
