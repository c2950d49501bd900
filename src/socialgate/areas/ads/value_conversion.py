"""What is wrong with the values of requests on any platform."""

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from socialgate.contracts.ad_values import AdBid, AdBudget, AdSchedule, AdTargeting, BidStrategy
from socialgate.contracts.ads import MinBudgets
from socialgate.contracts.money import InvalidAmountError, Money, format_feed_price, get_decimal_places
from socialgate.core.errors import Fault, InvalidRequest
from socialgate.core.unit_of_work import UnitOfWork

_CLOCK_SKEW = timedelta(minutes=5)
_REFERENCE_BITS = 63
# Close to the first and the last moment of the calendar, changing the time zone would leave it.
_ALLOWED_YEARS = range(1900, 2200)
_CURRENCY_MISMATCH_MESSAGE = "The currency of the ad account is {currency}. Send amounts in that currency."


def build_creation_fields(work: UnitOfWork, name: str) -> dict[str, Any]:
    """Return what everything that is created has: when, and a number that identifies the request."""
    reference = str(secrets.randbits(_REFERENCE_BITS))
    return {"name": name, "asked_at": work.db.clock.now(), "idempotency_reference": reference}


def convert_schedule_to_utc(ad_schedule: AdSchedule | None) -> AdSchedule | None:
    """Return a schedule in UTC."""
    if ad_schedule is None:
        return None
    faults = [*validate_time(ad_schedule.start, "/schedule/start"), *validate_time(ad_schedule.end, "/schedule/end")]
    if faults:
        raise InvalidRequest(faults[0].detail, errors=faults)
    return AdSchedule(start=_to_utc(ad_schedule.start), end=_to_utc(ad_schedule.end))


def validate_budget(
    budget: AdBudget | None, schedule: AdSchedule | None, currency: str | None, limits: MinBudgets | None
) -> Iterator[Fault]:
    """Report a budget in another currency or below the platform's minimum, and a total without an end."""
    if budget is None:
        return
    yield from validate_account_currency(budget.money, currency, "/budget")
    if budget.type == "lifetime" and schedule is not None and schedule.end is None:
        yield Fault(
            "/schedule/end", "required", "A lifetime budget is spent until the end of the schedule. Send `end`."
        )
    least = None if limits is None else getattr(limits, budget.type)
    if least is not None and least.currency == budget.money.currency and budget.money.amount < least.amount:
        detail = (
            f"The platform requires a {budget.type} budget of at least {format_feed_price(least)} (amount "
            f"{least.amount})."
        )
        yield Fault("/budget/amount", "too_small", detail)


def validate_account_currency(money: Money | None, currency: str | None, at: str) -> Iterator[Fault]:
    """Report an amount in another currency than the account's: platforms would take the number for their own."""
    if money is None:
        return
    if currency is not None and money.currency != currency:
        yield Fault(f"{at}/currency", "invalid", _CURRENCY_MISMATCH_MESSAGE.format(currency=currency))
        return
    try:
        get_decimal_places(money.currency)
    except InvalidAmountError as error:
        yield Fault(f"{at}/currency", "invalid", str(error))


def validate_bid(bid: AdBid | None, currency: str | None) -> Iterator[Fault]:
    if bid is None:
        return
    yield from validate_account_currency(bid.amount, currency, "/bid/amount")
    needs_amount = bid.strategy in {BidStrategy.COST_CAP, BidStrategy.BID_CAP}
    if needs_amount != (bid.amount is not None):
        detail = f"{bid.strategy} {'needs an' if needs_amount else 'has no'} amount."
        yield Fault("/bid/amount", "required" if needs_amount else "contradiction", detail)
    needs_roas = bid.strategy is BidStrategy.MIN_ROAS
    if needs_roas != (bid.roas is not None):
        detail = f"{bid.strategy} {'needs' if needs_roas else 'has no'} `roas`."
        yield Fault("/bid/roas", "required" if needs_roas else "contradiction", detail)


def validate_time(moment: datetime | None, at: str) -> Iterator[Fault]:
    if moment is not None and moment.year not in _ALLOWED_YEARS:
        yield Fault(
            at, "out_of_range", f"The time must be between the years {_ALLOWED_YEARS[0]} and {_ALLOWED_YEARS[-1]}."
        )


def validate_schedule(schedule: AdSchedule | None, now: datetime) -> Iterator[Fault]:
    if schedule is None or schedule.end is None:
        return
    if schedule.end <= now - _CLOCK_SKEW:
        yield Fault("/schedule/end", "in_the_past", "The end is in the past.")
    elif schedule.start is not None and schedule.end <= schedule.start:
        yield Fault("/schedule/end", "contradiction", "The end must be after the start.")


def validate_targeting(targeting: AdTargeting | None, *, required: bool = False) -> Iterator[Fault]:
    if targeting is None:
        return
    if targeting.age_min is not None and targeting.age_max is not None and targeting.age_min > targeting.age_max:
        yield Fault("/targeting/ageMin", "contradiction", "`ageMin` is greater than `ageMax`.")
    places_given = (targeting.countries, targeting.regions, targeting.cities, targeting.locations)
    if required and not any(places_given) and not targeting.audiences:
        detail = "Send at least one place, such as `countries`, or an audience. GET /ads/locations finds places."
        yield Fault("/targeting/countries", "required", detail)


def _to_utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)
