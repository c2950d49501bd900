"""Keeping plans up to date: after every report of the payment provider, and now and then without one.

Reports arrive in any order and late, so their content is not used: each makes a job read the current
subscriptions. Jobs of one owner run one at a time, so an older state never overwrites a newer one.
"""

from datetime import timedelta

from socialgate.areas.billing import store
from socialgate.areas.billing.service import Billing
from socialgate.contracts.billing import SubscriptionMoved
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.jobs import Jobs, JobType, Run
from socialgate.core.parts import Parts

SYNC = "billing.sync"
REFRESH = "billing.refresh"
CLOSE = "billing.close_checkout"
# The provider repeats a report for three days; what was missed even so is found within a day.
_REFRESHED_EVERY = timedelta(days=1)
_AT_ONCE = 200


class SubscriptionReports:
    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    async def moved(self, tx: Tx, fact: SubscriptionMoved, about: object) -> None:
        """Read the subscriptions of a customer again. Customers of another deployment are none of ours."""
        del about
        owner_id = await store.owner_of_customer(tx, fact.customer_id)
        if owner_id is not None:
            await self._jobs.add(tx, SYNC, owner_id, {"event": fact.event}, key=fact.key)


def syncing(parts: Parts) -> JobType:
    async def run(run: Run) -> None:
        billing = parts.get(Billing)
        found = await billing.read_current(run.owner_id)
        if found is not None:
            await run.finish(billing.record, run.owner_id, found)

    return JobType(name=SYNC, run=run, per_owner=1, most_tries=20, public=False)


def closing(parts: Parts) -> JobType:
    """Close the checkout page of an owner to whom the operator assigned a plan."""

    async def run(run: Run) -> None:
        await parts.get(Billing).close_checkout(run.owner_id)

    return JobType(name=CLOSE, run=run, most_tries=20, public=False)


def refreshing(parts: Parts, db: Database) -> JobType:
    async def some(tx: Tx, after: str) -> str | None:
        owners = await store.customers_after(tx, after, _AT_ONCE)
        for owner_id in owners:
            await parts.get(Jobs).add(tx, SYNC, owner_id, {"event": REFRESH}, key=REFRESH)
        return owners[-1] if len(owners) == _AT_ONCE else None

    async def run(run: Run) -> None:
        after: str | None = run.state or ""
        while after is not None:
            after = await db.write(some, after)
            await run.step(after or "")

    return JobType(name=REFRESH, run=run, every=_REFRESHED_EVERY, system=True, public=False)
