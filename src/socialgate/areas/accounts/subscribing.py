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

from socialgate.areas.accounts import store, subscriptions
from socialgate.areas.accounts.lifecycle import CARE
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.accounts.subscriptions import REGISTRATIONS
from socialgate.areas.accounts.vault import Vault, WebhookSecrets, callback_of
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connecting import Callback, Registration
from socialgate.contracts.failures import PlatformFailure
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.backoff import Backoff

_LONGEST_ERROR = 500
_AGAIN = timedelta(minutes=2)
_RETRY = Backoff(first=_AGAIN, longest=timedelta(hours=1), jitter=0.1)
_LEFT_TO_RENEW = 0.25
# If the connecting process died, the background worker calls the platform first, and then checks.
_FIRST_CHECK_DELAY = 2 * _AGAIN

log = structlog.get_logger(__name__)


class Subscriber:
    def __init__(self, db: Database, session: AccountSession, vault: Vault, public_url: str) -> None:
        self._db = db
        self._session = session
        self._vault = vault
        self._public_url = public_url

    async def plan(self, tx: Tx, account: AccountRow) -> None:
        """Record with an account that its webhooks must be registered, and let its first check wait for that.

        If the process dies before the platform responds, a background worker does it.
        """
        if self._session.connector(account.platform).subscribing is None:
            return
        await self._registration(tx, account)
        wanted = {"set_up_at": None, "error": None, "try_at": tx.now + _AGAIN, **REGISTRATIONS.released}
        await subscriptions.update(tx, account.platform, account.inbound_key, wanted)
        await store.update_account(tx, account.owner_id, account.id, {"check_at": tx.now + _FIRST_CHECK_DELAY})

    async def ensure(self, tx: Tx, account: AccountRow) -> None:
        """Plan it for an account that was connected before there was anything to register."""
        if not await subscriptions.is_planned(tx, account.platform, account.inbound_key):
            await self.plan(tx, account)

    async def set_up(self, account: AccountRow) -> None:
        """Register an account's webhooks with the platform, if it supports that."""
        subscribing = self._session.connector(account.platform).subscribing
        if subscribing is None:
            return
        try:
            held = await self._session.held(account)
            callback, known = await self._db.write(self._registration, account)
            registered = await subscribing.subscribe(msgspec.structs.replace(held, registration=known), callback)
        except PlatformFailure as failure:
            log.warning("subscribe_failed", platform=account.platform, code=failure.code, detail=failure.detail)
            await self._db.write(self._note_refusal, account, failure)
        else:
            await self._db.write(self._note_success, account, registered)

    def new_route(self) -> tuple[str, WebhookSecrets]:
        """Create a routing id and secrets for something that the platform has not named yet."""
        return secrets.token_urlsafe(32), _new_secrets()

    def callback(self, platform: str, routing_id: str, made: WebhookSecrets) -> Callback:
        return callback_of(self._public_url, platform, routing_id, made)

    async def add(self, tx: Tx, platform: str, inbound_key: str, routing_id: str, made: WebhookSecrets) -> None:
        """Store a callback that the platform has already accepted. It replaces the previous one of this account."""
        await subscriptions.delete(tx, platform, inbound_key)
        values = {
            "platform": platform,
            "inbound_key": inbound_key,
            "routing_id": routing_id,
            "sealed": self._vault.seal_webhook(platform, inbound_key, made),
            "set_up_at": tx.now,
            "created_at": tx.now,
        }
        await subscriptions.insert(tx, values)
        # Webhooks that arrived earlier wait for this.
        tx.wake(routing_id)

    async def _registration(self, tx: Tx, account: AccountRow) -> tuple[Callback, Mapping[str, str]]:
        """Find or create the registration. Also returns the details of the one that the platform has, if any."""
        await tx.lock(f"subscription {account.platform} {account.inbound_key}")
        found = await subscriptions.find(tx, account.platform, account.inbound_key)
        made = _new_secrets() if found is None else self._vault.open_webhook(found)
        routing_id = secrets.token_urlsafe(32) if found is None else str(found.routing_id)
        if found is None:
            values = {
                "platform": account.platform,
                "inbound_key": account.inbound_key,
                "routing_id": routing_id,
                "sealed": self._vault.seal_webhook(account.platform, account.inbound_key, made),
                "try_at": tx.now + _AGAIN,
                "created_at": tx.now,
            }
            await subscriptions.insert(tx, values)
        known = None if found is None else found.details
        return callback_of(self._public_url, account.platform, routing_id, made), known or {}

    async def _note_success(self, tx: Tx, account: AccountRow, registered: Registration | None) -> None:
        # A check from before this may have missed the webhooks. Lock the account first, in the same order as
        # connecting.
        await store.check_now(tx, account)
        ends = None if registered is None else registered.expires_at
        taken = {
            "error": None,
            "set_up_at": tx.now,
            "expires_at": ends,
            "details": None if registered is None else dict(registered.details),
            "try_at": None if ends is None else ends - (ends - tx.now) * _LEFT_TO_RENEW,
            **REGISTRATIONS.released,
        }
        await subscriptions.update(tx, account.platform, account.inbound_key, taken)
        tx.wake(CARE)

    async def _note_refusal(self, tx: Tx, account: AccountRow, failure: PlatformFailure) -> None:
        # Its health says what is missing. A repeated rejection does not change what a check has already reported.
        is_known = await subscriptions.refusal(tx, account.platform, account.inbound_key) is not None
        await store.check_now(tx, account, unless_checked=is_known)
        refused = {
            "error": failure.detail[:_LONGEST_ERROR],
            "try_at": retry_at(tx.now, account.connected_at or account.created_at, failure.retry_after),
            **REGISTRATIONS.released,
        }
        await subscriptions.update(tx, account.platform, account.inbound_key, refused)
        tx.wake(CARE)


def retry_at(now: datetime, since: datetime, wait: int | None, spread: float | None = None) -> datetime:
    """Return when to retry a registration that was requested at `since`; never before the platform allows it.

    Each delay is twice as long as the previous one, so the elapsed time says how many there were.
    """
    tries = round(math.log2(1 + max((now - since) / _RETRY.first, 0)))
    until: datetime = now + _RETRY.after(tries, at_least=timedelta(seconds=wait or 0), spread=spread)
    return until


def _new_secrets() -> WebhookSecrets:
    return WebhookSecrets(secret=secrets.token_urlsafe(32), verify_token=secrets.token_urlsafe(32))
