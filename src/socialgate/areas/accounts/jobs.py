"""Background maintenance of accounts: renew tokens early, check accounts, register webhooks again.

Nobody should have to find out from a failed post that a permission was revoked.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, TypeVar

import structlog

from socialgate.areas.accounts import registration_store
from socialgate.areas.accounts.grants import GRANT_RENEWAL_QUEUE
from socialgate.areas.accounts.health import AccountHealthService
from socialgate.areas.accounts.lifecycle import MAINTENANCE_TOPIC
from socialgate.areas.accounts.registration_store import REGISTRATION_QUEUE
from socialgate.areas.accounts.session import AccountSession, PlatformNotConfiguredError
from socialgate.areas.accounts.store import CHECK_QUEUE
from socialgate.areas.accounts.tables import GrantRow, RegistrationRow
from socialgate.areas.accounts.webhook_registration import WebhookRegistrar
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import PlatformFailure
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.queue import ClaimedRow, RowOutcome, RowQueue
from socialgate.core.jobs.runner import QueueRunner

_MAX_CONCURRENT_ROWS = 20
# A registration whose accounts are all lost waits until one of them is reconnected.
_NO_ACCOUNT_RETRY_DELAY = timedelta(minutes=10)

Row = TypeVar("Row")

log = structlog.get_logger(__name__)


class AccountMaintenance:
    def __init__(
        self, db: Database, session: AccountSession, health: AccountHealthService, registrar: WebhookRegistrar
    ) -> None:
        self._db = db
        self._session = session
        self._health = health
        self._registrar = registrar
        self._runners: list[QueueRunner[Any]] = [
            self._build_runner(GRANT_RENEWAL_QUEUE, self._renew_grant),
            self._build_runner(REGISTRATION_QUEUE, self._register_webhooks),
            self._build_runner(CHECK_QUEUE, self._check),
        ]

    async def run(self) -> None:
        await asyncio.gather(*(runner.run() for runner in self._runners))

    def stop(self) -> None:
        for runner in self._runners:
            runner.stop()

    def _build_runner(
        self, queue: RowQueue[Row], work: Callable[[ClaimedRow[Row]], Awaitable[None]]
    ) -> QueueRunner[Row]:
        async def guarded(claimed: ClaimedRow[Row]) -> None:
            """If a platform rejects a call or cannot be reached, that is stored in its row."""
            try:
                await work(claimed)
            except (PlatformFailure, PlatformNotConfiguredError) as failure:
                log.info("maintenance_postponed", code=failure.code, detail=failure.detail)

        return QueueRunner(
            self._db,
            queue,
            guarded,
            hint=MAINTENANCE_TOPIC,
            max_concurrent=_MAX_CONCURRENT_ROWS,
            max_claims_per_round=_MAX_CONCURRENT_ROWS,
        )

    async def _renew_grant(self, claimed: ClaimedRow[GrantRow]) -> None:
        await self._session.renew_claimed(claimed)

    async def _check(self, claimed: ClaimedRow[AccountRow]) -> None:
        await self._health.check_account(self._db, claimed.row)

    async def _register_webhooks(self, claimed: ClaimedRow[RegistrationRow]) -> None:
        account = await self._db.read(registration_store.find_connected_account, *claimed.key)
        if account is None:
            await self._db.write(self._postpone_registration, claimed)
        else:
            await self._registrar.register(account)

    async def _postpone_registration(self, tx: Tx, claimed: ClaimedRow[RegistrationRow]) -> None:
        await REGISTRATION_QUEUE.write_outcomes(
            tx, [RowOutcome(claimed=claimed, due_at=tx.now + _NO_ACCOUNT_RETRY_DELAY)]
        )
