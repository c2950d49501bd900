"""`socialgate plan`: show the plan of one owner, or assign one, with or without Stripe."""

from datetime import timedelta

import msgspec
from rich.console import Console

from socialgate.areas.billing import store
from socialgate.areas.billing.jobs import CLOSE_CHECKOUT_JOB, build_close_checkout_job_type
from socialgate.areas.billing.service import BillingService
from socialgate.areas.identity import store as identity
from socialgate.areas.identity.service import normalize_email
from socialgate.contracts.billing import BillingConfig, Plans, PlanState
from socialgate.core.clock import Clock
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.service import JobService, JobTypes
from socialgate.core.service_container import ServiceContainer
from socialgate.core.settings import Settings, SettingsError
from socialgate.entry.existing_database import open_existing_database
from socialgate.entry.plan_config import load_plans, parse_prices

# Stripe does not charge for these any more.
_ENDED_STATUSES = frozenset({"canceled", "incomplete_expired"})


class _OwnerPlan(msgspec.Struct, frozen=True, kw_only=True):
    owner: identity.OwnerRow
    # The name of the assigned plan, whether or not it is still in the file.
    assigned_plan: str | None
    # The plan of the subscription.
    bought_plan: str | None
    standing: PlanState


async def show_or_assign_plan(
    settings: Settings, clock: Clock, owner_or_email: str, name: str | None, *, remove: bool
) -> None:
    """Show what an owner has; before that, assign the plan of this name or remove the assignment."""
    plans = load_plans(settings)
    if remove and name is not None:
        raise SettingsError("Name a plan to assign it, or use --remove, but not both.")
    if name is not None and name not in plans.limits:
        raise SettingsError(f"There is no plan `{name}`. Use one of: {', '.join(plans.plan_names)}.")
    async with open_existing_database(settings, clock) as db:
        billing = BillingService(db, _build_offline_billing_config(settings, plans), plans)
        # The running service does the job.
        jobs = JobService(JobTypes([build_close_checkout_job_type(ServiceContainer())]))
        owner_plan = await _apply_plan_change_and_read(db, billing, jobs, owner_or_email, name, remove=remove)
    console = Console(soft_wrap=True, highlight=False, markup=False)
    for line in _build_report_lines(owner_plan, plans):
        console.print(line)


async def _apply_plan_change_and_read(
    db: Database, billing: BillingService, jobs: JobService, owner_or_email: str, name: str | None, *, remove: bool
) -> _OwnerPlan:
    async def unit(tx: Tx) -> _OwnerPlan:
        owner = await _find_owner(tx, owner_or_email)
        if name is not None:
            await store.assign_plan(tx, owner.id, name)
            await jobs.enqueue(tx, CLOSE_CHECKOUT_JOB, owner.id)
        elif remove:
            await store.unassign_plan(tx, owner.id)
        row, assigned = await store.find_with_assigned_plan(tx, owner.id)
        return _OwnerPlan(
            owner=owner,
            assigned_plan=assigned,
            bought_plan=None if row is None else row.plan,
            standing=await billing.get_plan_state(tx, owner.id),
        )

    return await (db.write(unit) if name is not None or remove else db.read(unit))


async def _find_owner(tx: Tx, owner_or_email: str) -> identity.OwnerRow:
    if "@" not in owner_or_email:
        row = await identity.find_owner(tx, owner_or_email)
        if row is None:
            raise SettingsError(
                f"There is no owner `{owner_or_email}`. Use the email of a user, or an id such as own_…."
            )
        return row
    user = await identity.find_user_by_email(tx, normalize_email(owner_or_email))
    if user is None:
        raise SettingsError(
            f"There is no user with the email `{owner_or_email}`. Use the email of a user, or the owner's id."
        )
    return await identity.get_owner(tx, user.owner_id)


def _build_offline_billing_config(settings: Settings, plans: Plans) -> BillingConfig:
    """Return what decides which plan counts. Nothing is bought here, so Stripe is not called."""
    prices = parse_prices(settings, plans)
    return BillingConfig(payments=None, prices=prices, return_url="", grace=timedelta(days=settings.billing_grace_days))


def _build_report_lines(owner_plan: _OwnerPlan, plans: Plans) -> list[str]:
    standing, lines = owner_plan.standing, []
    owner, source = owner_plan.owner, _describe_plan_source(owner_plan)
    lines.append(f"{owner.name} ({owner.id}) has the plan {standing.plan}, {source}.")
    if standing.status is not None and standing.status not in _ENDED_STATUSES and standing.is_assigned:
        lines.append(
            f"The owner also has a subscription to {owner_plan.bought_plan or 'a plan'} that is "
            f"{standing.status}. Stripe "
            "continues to charge for it: cancel it in the Stripe Dashboard if the assigned plan replaces it."
        )
    if owner_plan.assigned_plan is not None and not standing.is_assigned:
        lines.append(
            f"The plan {owner_plan.assigned_plan} was assigned, but is no longer defined, so it has no effect. "
            "Assign one of "
            "the plans below, or use --remove."
        )
    return [*lines, f"Plans: {', '.join(plans.plan_names)}."]


def _describe_plan_source(owner_plan: _OwnerPlan) -> str:
    if owner_plan.standing.is_assigned:
        return "assigned by the operator"
    if owner_plan.standing.status is None:
        return "the default"
    value = f"with a subscription that is {owner_plan.standing.status}"
    return f"the default, {value}" if owner_plan.bought_plan != owner_plan.standing.plan else f"bought {value}"
