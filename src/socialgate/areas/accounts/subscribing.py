"""Where platforms send their webhooks: one registration per account on the platform, shared by all who connected it.

The row is committed before the platform is asked, because it calls back at once to see whether somebody answers.
A platform that refuses is asked again later; the account works meanwhile, and its health says what is missing.
"""

import secrets
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
import structlog

from socialgate.areas.accounts import subscriptions
from socialgate.areas.accounts.keeper import Keeper
from socialgate.areas.accounts.vault import Vault, WebhookSecrets, callback_of
from socialgate.contracts.connecting import Callback
from socialgate.contracts.failures import PlatformFailure
from socialgate.core.db import Database, Tx

_LONGEST_ERROR = 500
_AGAIN = timedelta(minutes=2)

log = structlog.get_logger(__name__)


class Subscriber:
    def __init__(self, db: Database, keeper: Keeper, vault: Vault, public_url: str) -> None:
        self._db = db
        self._keeper = keeper
        self._vault = vault
        self._public_url = public_url

    async def set_up(self, account: sa.Row[Any]) -> None:
        """Have the platform send its webhooks for an account, if it takes such a wish."""
        subscribing = self._keeper.connector(account.platform).subscribing
        if subscribing is None:
            return
        try:
            held = await self._keeper.held(account)
            callback = await self._db.write(self._callback, account)
            await subscribing.subscribe(held, callback)
        except PlatformFailure as failure:
            log.warning("subscribe_failed", platform=account.platform, code=failure.code, detail=failure.detail)
            again = self._db.clock.now() + _AGAIN
            await self._db.write(self._note, account, {"error": failure.detail[:_LONGEST_ERROR], "try_at": again})
        else:
            now = self._db.clock.now()
            await self._db.write(self._note, account, {"error": None, "set_up_at": now, "try_at": None})

    def new_callback(self, platform: str) -> tuple[Callback, str, WebhookSecrets]:
        """Make a callback for something that the platform has not named yet."""
        made = _new_secrets()
        routing_id = secrets.token_urlsafe(32)
        return callback_of(self._public_url, platform, routing_id, made), routing_id, made

    async def add(self, tx: Tx, platform: str, inbound_key: str, routing_id: str, made: WebhookSecrets) -> None:
        """Keep a callback that the platform has taken already. It replaces what was there for this account."""
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

    async def _callback(self, tx: Tx, account: sa.Row[Any]) -> Callback:
        """Find or make the registration."""
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
                # Whoever dies between this and the platform's answer leaves it to the background.
                "try_at": tx.now + _AGAIN,
                "created_at": tx.now,
            }
            await subscriptions.insert(tx, values)
        return callback_of(self._public_url, account.platform, routing_id, made)

    async def _note(self, tx: Tx, account: sa.Row[Any], values: dict[str, Any]) -> None:
        await subscriptions.update(tx, account.platform, account.inbound_key, values)


def _new_secrets() -> WebhookSecrets:
    return WebhookSecrets(secret=secrets.token_urlsafe(32), verify_token=secrets.token_urlsafe(32))
