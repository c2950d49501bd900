"""Keeping plans up to date: after every report of the payment provider, and now and then without one.

Reports arrive in any order and late, so their content is not used: each makes a job read the current
subscriptions. Jobs of one owner run one at a time, so an older state never overwrites a newer one.
"""

from datetime import timedelta

from socialgate.areas.billing import store
from socialgate.areas.billing.service import BillingService
from socialgate.contracts.billing import SubscriptionMoved
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.service import JobRun, JobService, JobType
from socialgate.core.service_container import ServiceContainer

SUBSCRIPTION_SYNC_JOB = "billing.sync"
SUBSCRIPTION_REFRESH_JOB = "billing.refresh"
CLOSE_CHECKOUT_JOB = "billing.close_checkout"
# The provider repeats a report for three days; what was missed even so is found within a day.
_REFRESH_INTERVAL = timedelta(days=1)
_BATCH_SIZE = 200


class SubscriptionFactHandlers:
    def __init__(self, jobs: JobService) -> None:
        self._jobs = jobs

    async def handle_subscription_changed(self, tx: Tx, fact: SubscriptionMoved, about: object) -> None:
        """Read the subscriptions of a customer again. Customers of another deployment are none of ours."""
        del about
        owner_id = await store.find_owner_by_customer(tx, fact.customer_id)
        if owner_id is not None:
            await self._jobs.enqueue(tx, SUBSCRIPTION_SYNC_JOB, owner_id, {"event": fact.event}, key=fact.dedup_key)


def build_subscription_sync_job_type(parts: ServiceContainer) -> JobType:
    async def run(run: JobRun) -> None:
        billing = parts.get(BillingService)
        subscriptions = await billing.read_subscriptions(run.owner_id)
        if subscriptions is not None:
            await run.finish(billing.save_subscription, run.owner_id, subscriptions)

    return JobType(name=SUBSCRIPTION_SYNC_JOB, run=run, max_per_owner=1, max_tries=20, public=False)


def build_close_checkout_job_type(parts: ServiceContainer) -> JobType:
    """Close the checkout page of an owner to whom the operator assigned a plan."""

    async def run(run: JobRun) -> None:
        await parts.get(BillingService).close_checkout(run.owner_id)

    return JobType(name=CLOSE_CHECKOUT_JOB, run=run, max_tries=20, public=False)


def build_subscription_refresh_job_type(parts: ServiceContainer, db: Database) -> JobType:
    async def some(tx: Tx, after: str) -> str | None:
        owners = await store.list_customers_after(tx, after, _BATCH_SIZE)
        for owner_id in owners:
            await parts.get(JobService).enqueue(
                tx, SUBSCRIPTION_SYNC_JOB, owner_id, {"event": SUBSCRIPTION_REFRESH_JOB}, key=SUBSCRIPTION_REFRESH_JOB
            )
        return owners[-1] if len(owners) == _BATCH_SIZE else None

    async def run(run: JobRun) -> None:
        after: str | None = run.state or ""
        while after is not None:
            after = await db.write(some, after)
            await run.record_step(after or "")

    return JobType(name=SUBSCRIPTION_REFRESH_JOB, run=run, interval=_REFRESH_INTERVAL, system=True, public=False)
