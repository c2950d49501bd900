"""What connectors with ads share: tables of words, amounts of money, options, and what a lost call has created."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

from socialgate.contracts import money
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_values import AdBid, AdIdentity, AdSchedule, AdStatus, BidStrategy, ConfiguredStatus
from socialgate.contracts.ads import AdItem_T, AdObjectChanges, AdQuery, NewAdObject
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.money import InvalidAmountError, Money
from socialgate.contracts.operations import LookupResult, NotFoundYet
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import Inconclusive
from socialgate.core.errors import Fault

W = TypeVar("W")

# How far the platform's clock may be off.
_CLOCK_SKEW = timedelta(minutes=2)
# Platforms read `a[b]` as the field b of a, and some read `a.b` and `a b` as a_b: none of their fields are called so.
_OPTION_NAME_PATTERN = re.compile(r"[A-Za-z0-9_]+")
# The names of changes where the request calls them something else.
_JSON_FIELD_NAMES = {"configured_status": "status", "spend_cap": "spendCap", "creative_id": "creativeId"}


_DISPLAY_NAMES = {
    "callToAction": "call to action",
    "specialCategories": "special category",
    "strategy": "bid strategy",
}


def build_publisher_identity(account: AccountRow) -> AdIdentity:
    """Describe a connected account as one that ads come from."""
    return AdIdentity(id=account.platform_account_id, kind=account.kind, name=account.name, username=account.username)


def invert_table(table: Mapping[W, str]) -> dict[str, W]:
    """Return the table that reads what another one writes. If two words are written the same way, the first counts."""
    read: dict[str, W] = {}
    for ours, theirs in table.items():
        read.setdefault(theirs, ours)
    return read


def build_supported_values(**words: Iterable[object]) -> dict[str, tuple[str, ...]]:
    """Return the words of a platform as a manifest declares them."""
    names = {name: name.split("_")[0] + "".join(map(str.title, name.split("_")[1:])) for name in words}
    return {names[name]: tuple(map(str, some)) for name, some in words.items()}


def validate_choice(
    vendor: str, at: str, choice: str | None, known: Collection[str], suggestion: str = ""
) -> Iterator[Fault]:
    """Report a word that a platform does not have."""
    if choice is not None and choice not in known:
        words = [*map(str, known)]
        fix = suggestion or f"Use {' or '.join(filter(None, (', '.join(words[:-1]), words[-1])))}."
        # Items of a list are named after the list.
        name = next(part for part in reversed(at.split("/")) if not part.isdecimal())
        yield Fault(
            at, "not_supported", f"{vendor} does not support the {_DISPLAY_NAMES.get(name, name)} {choice}. {fix}"
        )


def reject_if_given(at: str, value: object, text: str) -> Iterator[Fault]:
    """Report something that was given and does not exist on the platform."""
    if value not in (None, (), {}):
        yield Fault(at, "not_supported", text)


def validate_options(options: Mapping[str, Any], reserved: Mapping[str, str], at: str = "") -> Iterator[Fault]:
    """Report options that would replace the account, a parent, an id or a credential, or that have a field of their
    own. `reserved` has what to use instead, or nothing if only the service sets it.
    """
    for name in options:
        if not _OPTION_NAME_PATTERN.fullmatch(name):
            pointer = name.replace("~", "~0").replace("/", "~1")
            detail = (
                "Names of fields consist of letters, digits and underscores. Send what is inside a field as an object."
            )
            yield Fault(f"{at}/platformOptions/{pointer}", "invalid", detail)
        elif name.lower() in reserved:
            use = reserved[name.lower()]
            detail = f"Use {use} instead of {name}." if use else f"This is set by the service. Remove {name}."
            yield Fault(f"{at}/platformOptions/{name}", "not_supported", detail)


def list_changed_fields(change: AdObjectChanges) -> list[str]:
    """Name what a change contains."""
    fields = (name for name in change.__struct_fields__ if name != "options")
    return [name for name in fields if getattr(change, name) is not None]


def validate_changes(vendor: str, change: AdObjectChanges, changeable_fields: Collection[str]) -> Iterator[Fault]:
    """Report what the platform cannot change."""
    for name in list_changed_fields(change):
        if name not in changeable_fields:
            words = ", ".join(sorted(_JSON_FIELD_NAMES.get(value, value) for value in changeable_fields))
            yield Fault(
                f"/{_JSON_FIELD_NAMES.get(name, name)}",
                "not_supported",
                f"On {vendor}, only these fields can be changed: {words}.",
            )


def validate_configured_status(vendor: str, switch: ConfiguredStatus | None, known: Collection[str]) -> Iterator[Fault]:
    yield from validate_choice(vendor, "/status", switch, known)


def validate_money(at: str, amount: Money | None, write: Callable[[Money], object]) -> Iterator[Fault]:
    """Report an amount that the platform cannot express."""
    try:
        _ = None if amount is None else write(amount)
    except InvalidAmountError as error:
        yield Fault(at, "invalid", str(error))


def validate_bid(vendor: str, bid: AdBid | None, known: Collection[BidStrategy]) -> Iterator[Fault]:
    if bid is None:
        return
    yield from validate_choice(vendor, "/bid/strategy", bid.strategy, known)
    if bid.strategy in {BidStrategy.COST_CAP, BidStrategy.BID_CAP} and bid.amount is None:
        yield Fault("/bid/amount", "required", f"The bid strategy {bid.strategy} requires an amount.")
    if bid.strategy is BidStrategy.MIN_ROAS and bid.roas is None:
        yield Fault("/bid/roas", "required", f"The bid strategy {bid.strategy} requires a roas, such as 1.5.")


def get_account_currency(credentials: AccountCredentials) -> str:
    return str(credentials.details.get("currency") or "")


def require_account_currency(credentials: AccountCredentials, amount: Money, platform: Platform, field: str) -> Money:
    """Require that an amount is in the currency of the account: platforms receive a number only."""
    if amount.currency != get_account_currency(credentials):
        raise PlatformRejectedError(
            f"The ad account uses {get_account_currency(credentials)}. Send the amount in that currency.",
            platform=platform,
            field=field,
        )
    return amount


def parse_reported_amount(value: object, currency: str) -> Money | None:
    """Read an amount in whole units from a report; None if there is none, or if the currency cannot express it."""
    try:
        return money.parse_amount(format(Decimal(str(value)), "f"), currency)
    except (InvalidAmountError, InvalidOperation, ValueError):
        return None


def parse_count(value: object) -> int | None:
    """Read a number of times from a report, where numbers are texts."""
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return int(number) if number.is_finite() else None


def apply_schedule_to_status(status: AdStatus | None, schedule: AdSchedule | None, now: datetime) -> AdStatus | None:
    """Say of something active whether it has not started yet, or has ended: most platforms call both active."""
    if status is not AdStatus.ACTIVE or schedule is None:
        return status
    if schedule.end is not None and schedule.end <= now:
        return AdStatus.COMPLETED
    return AdStatus.SCHEDULED if schedule.start is not None and schedule.start > now else status


def filter_items(items: Sequence[AdItem_T], query: AdQuery) -> list[AdItem_T]:
    """Choose what a query asks for, of a page that the platform did not filter itself."""
    hidden = () if query.statuses else (AdStatus.DELETED,)
    return [
        item
        for item in items
        if (item.status in query.statuses if query.statuses else item.status not in hidden)
        and (query.name is None or query.name.casefold() in (item.name or "").casefold())
    ]


def find_created_item(items: Sequence[AdItem_T], new: NewAdObject) -> LookupResult[AdItem_T]:
    """Find what a lost call created: the only one of its name since the call was requested.

    If the platform does not show when something was created, its name proves nothing.
    """
    named = [item for item in items if item.name == new.name]
    recent = [item for item in named if item.created_at is None or item.created_at >= new.asked_at - _CLOCK_SKEW]
    if not recent:
        return NotFoundYet()
    if len(recent) > 1:
        return Inconclusive(f"The ad account has {len(recent)} recent objects with the name {new.name}.")
    if recent[0].created_at is None:
        return Inconclusive(
            f"The ad account has an object with this name ({recent[0].id}), but the platform does not report when it "
            "was created."
        )
    return recent[0]


def split_date_range(first: date, last: date, days: int) -> Iterator[tuple[date, date]]:
    """Divide days into pieces of at most this many."""
    while first <= last:
        end = min(first + timedelta(days=days - 1), last)
        yield first, end
        first = end + timedelta(days=1)
