"""`socialgate plan`: show the plan of one owner, or assign one, with or without Stripe."""

from datetime import timedelta

import msgspec
from rich.console import Console

from socialgate.areas.billing import store
from socialgate.areas.billing.jobs import CLOSE, closing
from socialgate.areas.billing.service import Billing
from socialgate.areas.identity import store as identity
from socialgate.areas.identity.service import normal_email
from socialgate.contracts.billing import Plans, Shop, Standing
from socialgate.core.clock import Clock
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.jobs import Jobs, JobTypes
from socialgate.core.parts import Parts
from socialgate.core.settings import Settings, SettingsError
from socialgate.entry.existing import existing_database
from socialgate.entry.plans import load_plans, read_prices

# Stripe does not charge for these any more.
_ENDED = frozenset({"canceled", "incomplete_expired"})


class _Found(msgspec.Struct, frozen=True, kw_only=True):
    owner: identity.OwnerRow
    # The name of the assigned plan, whether or not it is still in the file.
    assigned: str | None
    # The plan of the subscription.
    bought: str | None
    standing: Standing


async def plan(settings: Settings, clock: Clock, who: str, name: str | None, *, remove: bool) -> None:
    """Show what an owner has; before that, assign the plan of this name or remove the assignment."""
    plans = load_plans(settings)
    if remove and name is not None:
        raise SettingsError("Name a plan to assign it, or use --remove, but not both.")
    if name is not None and name not in plans.limits:
        raise SettingsError(f"There is no plan {name!r}. Use one of: {', '.join(plans.names)}.")
    async with existing_database(settings, clock) as db:
        billing = Billing(db, _shop(settings, plans), plans)
        # The running service does the job.
        jobs = Jobs(JobTypes([closing(Parts())]))
        found = await _change(db, billing, jobs, who, name, remove=remove)
    console = Console(soft_wrap=True, highlight=False, markup=False)
    for line in _said(found, plans):
        console.print(line)


async def _change(db: Database, billing: Billing, jobs: Jobs, who: str, name: str | None, *, remove: bool) -> _Found:
    async def unit(tx: Tx) -> _Found:
        owner = await _owner(tx, who)
        if name is not None:
            await store.assign_plan(tx, owner.id, name)
            await jobs.add(tx, CLOSE, owner.id)
        elif remove:
            await store.unassign_plan(tx, owner.id)
        row = await store.find(tx, owner.id)
        return _Found(
            owner=owner,
            assigned=await store.assigned_plan(tx, owner.id),
            bought=None if row is None else row.plan,
            standing=await billing.standing(tx, owner.id),
        )

    return await (db.write(unit) if name is not None or remove else db.read(unit))


async def _owner(tx: Tx, who: str) -> identity.OwnerRow:
    if "@" not in who:
        found = await identity.search_owner(tx, who)
        if found is None:
            raise SettingsError(f"There is no owner {who!r}. Use the email of a user, or an id such as own_….")
        return found
    user = await identity.find_user_by_email(tx, normal_email(who))
    if user is None:
        raise SettingsError(f"There is no user with the email {who!r}. Use the email of a user, or the owner's id.")
    return await identity.find_owner(tx, user.owner_id)


def _shop(settings: Settings, plans: Plans) -> Shop:
    """Return what decides which plan counts. Nothing is bought here, so Stripe is not called."""
    prices = read_prices(settings, plans)
    return Shop(payments=None, prices=prices, return_url="", grace=timedelta(days=settings.billing_grace_days))


def _said(found: _Found, plans: Plans) -> list[str]:
    standing, lines = found.standing, []
    lines.append(f"{found.owner.name} ({found.owner.id}) has the plan {standing.plan}, {_source(found)}.")
    if standing.status is not None and standing.status not in _ENDED and standing.is_assigned:
        lines.append(
            f"The owner also has a subscription to {found.bought or 'a plan'} that is {standing.status}. Stripe "
            "continues to charge for it: cancel it in the Stripe Dashboard if the assigned plan replaces it."
        )
    if found.assigned is not None and not standing.is_assigned:
        lines.append(
            f"The plan {found.assigned} was assigned, but is no longer defined, so it has no effect. Assign one of "
            "the plans below, or use --remove."
        )
    return [*lines, f"Plans: {', '.join(plans.names)}."]


def _source(found: _Found) -> str:
    if found.standing.is_assigned:
        return "assigned by the operator"
    if found.standing.status is None:
        return "the default"
    how = f"with a subscription that is {found.standing.status}"
    return f"the default, {how}" if found.bought != found.standing.plan else f"bought {how}"
