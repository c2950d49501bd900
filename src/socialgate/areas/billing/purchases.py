"""What an owner has just bought, for the page to which the payment provider sends people after paying."""

import msgspec

from socialgate.areas.billing import store
from socialgate.areas.billing.jobs import SYNC
from socialgate.areas.billing.service import PAID_STATUSES, Billing
from socialgate.contracts.billing import Standing
from socialgate.core.db import Tx
from socialgate.core.jobs.jobs import Jobs
from socialgate.core.work import Work

_RETURNED = "returned_from_checkout"


class PurchaseState(msgspec.Struct, frozen=True):
    """The plan of an owner, and whether it comes from a subscription that is paid for."""

    plan: str
    is_confirmed: bool


class Purchases:
    def __init__(self, billing: Billing, jobs: Jobs) -> None:
        self._billing = billing
        self._jobs = jobs

    async def confirm(self, work: Work) -> PurchaseState | None:
        """Return the plan that was bought; None if the owner has never opened a checkout.

        Until the plan counts, the subscriptions are read without waiting for a report.
        """
        state = await work.read(self._state, work.caller.owner_id)
        if state is not None and not state.is_confirmed and self._billing.sells:
            await work.write(self._jobs.add, SYNC, work.caller.owner_id, {"event": _RETURNED}, key=_RETURNED)
        return state

    async def standing(self, tx: Tx, owner_id: str) -> Standing | None:
        """Return the plan of an owner and its state; None if this deployment neither sold nor assigned one."""
        standing = await self._billing.standing(tx, owner_id)
        return standing if self._billing.sells or standing.is_assigned or standing.status else None

    async def _state(self, tx: Tx, owner_id: str) -> PurchaseState | None:
        row = await store.find(tx, owner_id)
        if row is None or row.checkout_at is None:
            return None
        standing = await self._billing.standing(tx, owner_id)
        return PurchaseState(standing.plan, is_confirmed=standing.status in PAID_STATUSES)
