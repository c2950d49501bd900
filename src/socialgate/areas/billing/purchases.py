"""What an owner has just bought, for the page to which the payment provider sends people after paying."""

import msgspec

from socialgate.areas.billing import store
from socialgate.areas.billing.jobs import SUBSCRIPTION_SYNC_JOB
from socialgate.areas.billing.service import PAID_STATUSES, BillingService
from socialgate.contracts.billing import PlanState
from socialgate.core.db import Tx
from socialgate.core.jobs.service import JobService
from socialgate.core.unit_of_work import UnitOfWork

_RETURNED_EVENT = "returned_from_checkout"


class PurchaseState(msgspec.Struct, frozen=True):
    """The plan of an owner, and whether it comes from a subscription that is paid for."""

    plan: str
    is_confirmed: bool


class PurchaseService:
    def __init__(self, billing: BillingService, jobs: JobService) -> None:
        self._billing = billing
        self._jobs = jobs

    async def confirm(self, work: UnitOfWork) -> PurchaseState | None:
        """Return the plan that was bought; None if the owner has never opened a checkout.

        Until the plan counts, the subscriptions are read without waiting for a report.
        """
        state = await work.read(self._find_purchase_state, work.caller.owner_id)
        if state is not None and not state.is_confirmed and self._billing.can_buy_plans:
            await work.write(
                self._jobs.enqueue,
                SUBSCRIPTION_SYNC_JOB,
                work.caller.owner_id,
                {"event": _RETURNED_EVENT},
                key=_RETURNED_EVENT,
            )
        return state

    async def find_plan_state(self, tx: Tx, owner_id: str) -> PlanState | None:
        """Return the plan of an owner and its state; None if this deployment neither sold nor assigned one."""
        standing = await self._billing.get_plan_state(tx, owner_id)
        return standing if self._billing.can_buy_plans or standing.is_assigned or standing.status else None

    async def _find_purchase_state(self, tx: Tx, owner_id: str) -> PurchaseState | None:
        row = await store.find_billing_row(tx, owner_id)
        if row is None or row.checkout_at is None:
            return None
        standing = await self._billing.get_plan_state(tx, owner_id)
        return PurchaseState(standing.plan, is_confirmed=standing.status in PAID_STATUSES)
