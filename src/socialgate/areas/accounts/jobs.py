"""Background maintenance of accounts: renew tokens early, check accounts, register webhooks again.

Nobody should have to find out from a failed post that a permission was revoked.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, TypeVar

import structlog

from socialgate.areas.accounts import subscriptions
from socialgate.areas.accounts.grants import RENEWALS
from socialgate.areas.accounts.health import Health
from socialgate.areas.accounts.lifecycle import CARE
from socialgate.areas.accounts.session import AccountSession, PlatformNotConfigured
from socialgate.areas.accounts.store import CHECKS
from socialgate.areas.accounts.subscribing import Subscriber
from socialgate.areas.accounts.subscriptions import REGISTRATIONS
from socialgate.areas.accounts.tables import GrantRow, RegistrationRow
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import PlatformFailure
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.queue import Claimed, Outcome, RowQueue
from socialgate.core.jobs.runner import Runner

_AT_ONCE = 20
# A registration whose accounts are all lost waits until one of them is reconnected.
_NOBODY_ASKS = timedelta(minutes=10)

Row = TypeVar("Row")

log = structlog.get_logger(__name__)


class AccountMaintenance:
    def __init__(self, db: Database, session: AccountSession, health: Health, registrar: Subscriber) -> None:
        self._db = db
        self._session = session
        self._health = health
        self._registrar = registrar
        self._runners: list[Runner[Any]] = [
            self._runner(RENEWALS, self._renew),
            self._runner(REGISTRATIONS, self._subscribe),
            self._runner(CHECKS, self._check),
        ]

    async def run(self) -> None:
        await asyncio.gather(*(runner.run() for runner in self._runners))

    def stop(self) -> None:
        for runner in self._runners:
            runner.stop()

    def _runner(self, queue: RowQueue[Row], work: Callable[[Claimed[Row]], Awaitable[None]]) -> Runner[Row]:
        async def guarded(claimed: Claimed[Row]) -> None:
            """If a platform rejects a call or cannot be reached, that is stored in its row."""
            try:
                await work(claimed)
            except (PlatformFailure, PlatformNotConfigured) as failure:
                log.info("maintenance_postponed", code=failure.code, detail=failure.detail)

        return Runner(self._db, queue, guarded, hint=CARE, at_once=_AT_ONCE, batch=_AT_ONCE)

    async def _renew(self, claimed: Claimed[GrantRow]) -> None:
        await self._session.renew(claimed)

    async def _check(self, claimed: Claimed[AccountRow]) -> None:
        await self._health.check_account(self._db, claimed.row)

    async def _subscribe(self, claimed: Claimed[RegistrationRow]) -> None:
        account = await self._db.read(subscriptions.account_of, *claimed.key)
        if account is None:
            await self._db.write(self._wait, claimed)
        else:
            await self._registrar.set_up(account)

    async def _wait(self, tx: Tx, claimed: Claimed[RegistrationRow]) -> None:
        await REGISTRATIONS.settle(tx, [Outcome(claimed=claimed, due_at=tx.now + _NOBODY_ASKS)])
