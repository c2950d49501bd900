"""What is wrong with the values of requests on any platform."""

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from socialgate.contracts.ad_values import AdBid, AdBudget, AdSchedule, AdTargeting, BidStrategy
from socialgate.contracts.ads import BudgetLimits
from socialgate.contracts.money import BadMoney, Money, feed, places
from socialgate.core.errors import Fault, Invalid
from socialgate.core.work import Work

_SKEW = timedelta(minutes=5)
_REFERENCE_BITS = 63
# Close to the first and the last moment of the calendar, changing the time zone would leave it.
_YEARS = range(1900, 2200)
_OTHER = "The currency of the ad account is {currency}. Send amounts in that currency."


def build_common_fields(work: Work, name: str) -> dict[str, Any]:
    """Return what everything that is created has: when, and a number that identifies the request."""
    return {"name": name, "asked_at": work.db.clock.now(), "reference": str(secrets.randbits(_REFERENCE_BITS))}


def schedule_of(given: AdSchedule | None) -> AdSchedule | None:
    """Return a schedule in UTC."""
    if given is None:
        return None
    faults = [*moment_faults(given.start, "/schedule/start"), *moment_faults(given.end, "/schedule/end")]
    if faults:
        raise Invalid(faults[0].detail, errors=faults)
    return AdSchedule(start=_utc(given.start), end=_utc(given.end))


def budget_faults(
    budget: AdBudget | None, schedule: AdSchedule | None, currency: str | None, limits: BudgetLimits | None
) -> Iterator[Fault]:
    """Report a budget in another currency or below the platform's minimum, and a total without an end."""
    if budget is None:
        return
    yield from currency_faults(budget.money, currency, "/budget")
    if budget.type == "lifetime" and schedule is not None and schedule.end is None:
        yield Fault(
            "/schedule/end", "required", "A lifetime budget is spent until the end of the schedule. Send `end`."
        )
    least = None if limits is None else getattr(limits, budget.type)
    if least is not None and least.currency == budget.money.currency and budget.money.amount < least.amount:
        detail = f"The platform requires a {budget.type} budget of at least {feed(least)} (amount {least.amount})."
        yield Fault("/budget/amount", "too_small", detail)


def currency_faults(money: Money | None, currency: str | None, at: str) -> Iterator[Fault]:
    """Report an amount in another currency than the account's: platforms would take the number for their own."""
    if money is None:
        return
    if currency is not None and money.currency != currency:
        yield Fault(f"{at}/currency", "invalid", _OTHER.format(currency=currency))
        return
    try:
        places(money.currency)
    except BadMoney as error:
        yield Fault(f"{at}/currency", "invalid", str(error))


def bid_faults(bid: AdBid | None, currency: str | None) -> Iterator[Fault]:
    if bid is None:
        return
    yield from currency_faults(bid.amount, currency, "/bid/amount")
    needs_amount = bid.strategy in {BidStrategy.COST_CAP, BidStrategy.BID_CAP}
    if needs_amount != (bid.amount is not None):
        detail = f"{bid.strategy} {'needs an' if needs_amount else 'has no'} amount."
        yield Fault("/bid/amount", "required" if needs_amount else "contradiction", detail)
    needs_roas = bid.strategy is BidStrategy.MIN_ROAS
    if needs_roas != (bid.roas is not None):
        detail = f"{bid.strategy} {'needs' if needs_roas else 'has no'} `roas`."
        yield Fault("/bid/roas", "required" if needs_roas else "contradiction", detail)


def moment_faults(moment: datetime | None, at: str) -> Iterator[Fault]:
    if moment is not None and moment.year not in _YEARS:
        yield Fault(at, "out_of_range", f"The time must be between the years {_YEARS[0]} and {_YEARS[-1]}.")


def schedule_faults(schedule: AdSchedule | None, now: datetime) -> Iterator[Fault]:
    if schedule is None or schedule.end is None:
        return
    if schedule.end <= now - _SKEW:
        yield Fault("/schedule/end", "in_the_past", "The end is in the past.")
    elif schedule.start is not None and schedule.end <= schedule.start:
        yield Fault("/schedule/end", "contradiction", "The end must be after the start.")


def targeting_faults(targeting: AdTargeting | None, *, required: bool = False) -> Iterator[Fault]:
    if targeting is None:
        return
    if targeting.age_min is not None and targeting.age_max is not None and targeting.age_min > targeting.age_max:
        yield Fault("/targeting/ageMin", "contradiction", "`ageMin` is greater than `ageMax`.")
    places_given = (targeting.countries, targeting.regions, targeting.cities, targeting.locations)
    if required and not any(places_given) and not targeting.audiences:
        detail = "Send at least one place, such as `countries`, or an audience. GET /ads/locations finds places."
        yield Fault("/targeting/countries", "required", detail)


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)
