"""What connectors with ads share: tables of words, amounts of money, options, and what a lost call has created."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

from socialgate.contracts import money
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_values import AdBid, AdSchedule, AdStatus, BidStrategy, Publisher, Switch
from socialgate.contracts.ads import AdQuery, Change, Item, New
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import Rejected
from socialgate.contracts.money import BadMoney, Money
from socialgate.contracts.operations import Looked, NotSeen
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import CannotTell
from socialgate.core.errors import Fault

W = TypeVar("W")

# How far the platform's clock may be off.
_CLOCKS = timedelta(minutes=2)
# Platforms read `a[b]` as the field b of a, and some read `a.b` and `a b` as a_b: none of their fields are called so.
_OPTION = re.compile(r"[A-Za-z0-9_]+")
# The names of changes where the request calls them something else.
_NAMES = {"switch": "status", "spend_cap": "spendCap", "creative_id": "creativeId"}


_SPOKEN = {
    "callToAction": "call to action",
    "specialCategories": "special category",
    "strategy": "bid strategy",
}


def publisher_of(account: AccountRow) -> Publisher:
    """Describe a connected account as one that ads come from."""
    return Publisher(id=account.platform_account_id, kind=account.kind, name=account.name, username=account.username)


def inverse(table: Mapping[W, str]) -> dict[str, W]:
    """Return the table that reads what another one writes. If two words are written the same way, the first counts."""
    read: dict[str, W] = {}
    for ours, theirs in table.items():
        read.setdefault(theirs, ours)
    return read


def supported(**words: Iterable[object]) -> dict[str, tuple[str, ...]]:
    """Return the words of a platform as a manifest declares them."""
    names = {name: name.split("_")[0] + "".join(map(str.title, name.split("_")[1:])) for name in words}
    return {names[name]: tuple(map(str, some)) for name, some in words.items()}


def word_faults(vendor: str, at: str, word: str | None, known: Collection[str], instead: str = "") -> Iterator[Fault]:
    """Report a word that a platform does not have."""
    if word is not None and word not in known:
        words = [*map(str, known)]
        fix = instead or f"Use {' or '.join(filter(None, (', '.join(words[:-1]), words[-1])))}."
        # Items of a list are named after the list.
        name = next(part for part in reversed(at.split("/")) if not part.isdecimal())
        yield Fault(at, "not_supported", f"{vendor} does not support the {_SPOKEN.get(name, name)} {word}. {fix}")


def unsupported(at: str, value: object, text: str) -> Iterator[Fault]:
    """Report something that was given and does not exist on the platform."""
    if value not in (None, (), {}):
        yield Fault(at, "not_supported", text)


def option_faults(options: Mapping[str, Any], reserved: Mapping[str, str], at: str = "") -> Iterator[Fault]:
    """Report options that would replace the account, a parent, an id or a credential, or that have a field of their
    own. `reserved` has what to use instead, or nothing if only the service sets it.
    """
    for name in options:
        if not _OPTION.fullmatch(name):
            pointer = name.replace("~", "~0").replace("/", "~1")
            detail = (
                "Names of fields consist of letters, digits and underscores. Send what is inside a field as an object."
            )
            yield Fault(f"{at}/platformOptions/{pointer}", "invalid", detail)
        elif name.lower() in reserved:
            use = reserved[name.lower()]
            detail = f"Use {use} instead of {name}." if use else f"This is set by the service. Remove {name}."
            yield Fault(f"{at}/platformOptions/{name}", "not_supported", detail)


def changed(change: Change) -> list[str]:
    """Name what a change contains."""
    fields = (name for name in change.__struct_fields__ if name != "options")
    return [name for name in fields if getattr(change, name) is not None]


def change_faults(vendor: str, change: Change, able: Collection[str]) -> Iterator[Fault]:
    """Report what the platform cannot change."""
    for name in changed(change):
        if name not in able:
            words = ", ".join(sorted(_NAMES.get(one, one) for one in able))
            yield Fault(
                f"/{_NAMES.get(name, name)}",
                "not_supported",
                f"On {vendor}, only these fields can be changed: {words}.",
            )


def switch_faults(vendor: str, switch: Switch | None, known: Collection[str]) -> Iterator[Fault]:
    yield from word_faults(vendor, "/status", switch, known)


def money_faults(at: str, amount: Money | None, write: Callable[[Money], object]) -> Iterator[Fault]:
    """Report an amount that the platform cannot express."""
    try:
        _ = None if amount is None else write(amount)
    except BadMoney as error:
        yield Fault(at, "invalid", str(error))


def bid_faults(vendor: str, bid: AdBid | None, known: Collection[BidStrategy]) -> Iterator[Fault]:
    if bid is None:
        return
    yield from word_faults(vendor, "/bid/strategy", bid.strategy, known)
    if bid.strategy in {BidStrategy.COST_CAP, BidStrategy.BID_CAP} and bid.amount is None:
        yield Fault("/bid/amount", "required", f"The bid strategy {bid.strategy} requires an amount.")
    if bid.strategy is BidStrategy.MIN_ROAS and bid.roas is None:
        yield Fault("/bid/roas", "required", f"The bid strategy {bid.strategy} requires a roas, such as 1.5.")


def currency_of(held: AccountCredentials) -> str:
    return str(held.details.get("currency") or "")


def owned(held: AccountCredentials, amount: Money, platform: Platform, field: str) -> Money:
    """Require that an amount is in the currency of the account: platforms receive a number only."""
    if amount.currency != currency_of(held):
        raise Rejected(
            f"The ad account uses {currency_of(held)}. Send the amount in that currency.",
            platform=platform,
            field=field,
        )
    return amount


def reported(value: object, currency: str) -> Money | None:
    """Read an amount in whole units from a report; None if there is none, or if the currency cannot express it."""
    try:
        return money.read(format(Decimal(str(value)), "f"), currency)
    except (BadMoney, InvalidOperation, ValueError):
        return None


def count_of(value: object) -> int | None:
    """Read a number of times from a report, where numbers are texts."""
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return int(number) if number.is_finite() else None


def timed(status: AdStatus | None, schedule: AdSchedule | None, now: datetime) -> AdStatus | None:
    """Say of something active whether it has not started yet, or has ended: most platforms call both active."""
    if status is not AdStatus.ACTIVE or schedule is None:
        return status
    if schedule.end is not None and schedule.end <= now:
        return AdStatus.COMPLETED
    return AdStatus.SCHEDULED if schedule.start is not None and schedule.start > now else status


def chosen(items: Sequence[Item], query: AdQuery) -> list[Item]:
    """Choose what a query asks for, of a page that the platform did not filter itself."""
    hidden = () if query.statuses else (AdStatus.DELETED,)
    return [
        one
        for one in items
        if (one.status in query.statuses if query.statuses else one.status not in hidden)
        and (query.name is None or query.name.casefold() in (one.name or "").casefold())
    ]


def found(items: Sequence[Item], new: New) -> Looked[Item]:
    """Find what a lost call created: the only one of its name since the call was requested.

    If the platform does not show when something was created, its name proves nothing.
    """
    named = [one for one in items if one.name == new.name]
    recent = [one for one in named if one.created_at is None or one.created_at >= new.asked_at - _CLOCKS]
    if not recent:
        return NotSeen()
    if len(recent) > 1:
        return CannotTell(f"The ad account has {len(recent)} recent objects with the name {new.name}.")
    if recent[0].created_at is None:
        return CannotTell(
            f"The ad account has an object with this name ({recent[0].id}), but the platform does not report when it "
            "was created."
        )
    return recent[0]


def periods(first: date, last: date, days: int) -> Iterator[tuple[date, date]]:
    """Divide days into pieces of at most this many."""
    while first <= last:
        end = min(first + timedelta(days=days - 1), last)
        yield first, end
        first = end + timedelta(days=1)
