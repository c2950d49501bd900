"""What campaigns, ad sets and ads share: their status, their budget, and how they are listed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, TypeVar

from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.filtering import filtered, filters_of
from socialgate_sandbox.dialects.graph.given import moment, words
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, Resolver, own
from socialgate_sandbox.dialects.graph.objects import amounts, invalid, times
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.kit import Call, Refused, ShownAdvert, Thing, World
from socialgate_sandbox.society.campaigns import (
    Ad,
    AdSet,
    Campaign,
    Managed,
    Switch,
    shown_adverts,
    state_of,
    switch,
    verdict_of,
)
from socialgate_sandbox.society.spend import Budget, marked, units, value_at
from socialgate_sandbox.vendors.meta.ads.accounts import counted, minor, offset
from socialgate_sandbox.vendors.meta.state import AdAccount

M = TypeVar("M", bound=Managed)
_SWITCHES: Mapping[str, Switch] = {"ACTIVE": "on", "PAUSED": "off", "ARCHIVED": "archived", "DELETED": "deleted"}
_WORDS = {switch: word for word, switch in _SWITCHES.items()}
_REVIEW = {"in_review": "PENDING_REVIEW", "rejected": "DISAPPROVED"}
_GONE = ("deleted", "archived")


def account_of(world: World, one: Thing) -> AdAccount:
    account = world.store.get(AdAccount, one.parent)
    if account is None:
        raise Refused(failure("(#100) The ad account does not exist", 100))
    return account


def lineage(world: World, one: Managed) -> Iterator[Managed]:
    """Yield an object, then what it is in, up to the campaign."""
    yield one
    kind: type[Managed] = AdSet if isinstance(one, Ad) else Campaign
    above = world.store.get(kind, one.above) if one.above else None
    if above is not None:
        yield from lineage(world, above)


def effective(world: World, one: Managed) -> str:
    """Return whether something runs, or the first reason why not."""
    chain = list(lineage(world, one))
    states = [state_of(world, each) for each in chain]
    gone = next((state for state in _GONE if state in states), None)
    if gone is not None:
        return gone.upper()
    if isinstance(one, Ad) and (stage := verdict_of(world, one).stage) in _REVIEW:
        return _REVIEW[stage]
    paused = next((each for each, state in zip(chain, states, strict=True) if state == "off"), None)
    if paused is None or paused is one:
        return "ACTIVE" if paused is None else "PAUSED"
    return "CAMPAIGN_PAUSED" if isinstance(paused, Campaign) else "ADSET_PAUSED"


def shown_campaigns(world: World, key: str) -> list[ShownAdvert]:
    """Return the campaigns of an ad account, for people."""
    account = world.store.get(AdAccount, key)
    if account is None:
        return []
    return shown_adverts(world, counted(world, account), lambda one: effective(world, one))


def _status(call: Call, one: Managed, _field: Field) -> str:
    return _WORDS[state_of(call.world, one)]


def _left(call: Call, one: Any, _field: Field) -> str | None:
    if not one.budgets:
        return None
    account = account_of(call.world, one)
    numbers, budget = counted(call.world, account), value_at(one.budgets, call.world.clock.now())
    spent = numbers.on_day("spend", numbers.today, one.id) if budget.daily else numbers.total("spend", one.id)
    return str(minor(account, max(0, budget.amount - spent)))


COMMON: Mapping[str, Resolver] = {
    **own("id", "name"),
    **times("created_time", "updated_time"),
    "account_id": lambda _call, one, _field: one.parent.removeprefix("act_"),
    "status": _status,
    "configured_status": _status,
    "effective_status": lambda call, one, _field: effective(call.world, one),
}
BUDGETED: Mapping[str, Resolver] = {**amounts("daily_budget", "lifetime_budget"), "budget_remaining": _left}


def write_status(call: Call, one: Managed, given: dict[str, Any]) -> None:
    """Switch something on or off. What was archived or deleted can only be renamed, or deleted."""
    word, before = one.fields.pop("status", None), state_of(call.world, one) if one.switches else None
    if before is None and word in {"ARCHIVED", "DELETED"}:
        raise invalid("status", "Only ACTIVE and PAUSED are valid during creation.")
    if before in _GONE and not given.keys() <= {"name", "status"}:
        said = f"It is {before}, so you can only edit its name."
        raise invalid("name", said, subcode=1885088, title="Cannot Edit Archived Ad")
    if before == "deleted" and word not in {None, "DELETED"}:
        raise invalid("status", "A deleted object cannot be restored.", subcode=1487566, title="It Was Deleted")
    if word is not None or before is None:
        one.switches = marked(one.switches, call.world.clock.now(), _SWITCHES[word or "ACTIVE"])


def write_budget(call: Call, one: Campaign | AdSet, given: dict[str, Any], days: float = 1.0) -> None:
    """Set the budget, of which there is one for each day or one for all of the `days`."""
    named = [name for name in ("daily_budget", "lifetime_budget") if given.get(name)]
    if len(named) > 1:
        raise invalid("daily_budget", "You can set a daily budget or a lifetime budget, but not both.")
    if not named:
        return
    account, daily, amount = account_of(call.world, one), named[0] == "daily_budget", given[named[0]]
    least = int(account.min_daily_budget * (1 if daily else max(1.0, days)))
    if amount < least:
        shown = f"{least / offset(account.currency):.2f} {account.currency}"
        said = f"Your ad set budget must be more than {shown} or your ads may not be delivered."
        raise invalid(named[0], said, subcode=1885272, title="Budget Is Too Low")
    one.fields.pop("lifetime_budget" if daily else "daily_budget", None)
    budget = Budget(amount * units(account.currency) // offset(account.currency), daily)
    one.budgets = marked(one.budgets, call.world.clock.now(), budget)


def length(one: AdSet) -> float:
    """Return for how many days an ad set runs."""
    start, end = moment(one.fields["start_time"]), moment(one.fields.get("end_time"))
    return (end - start) / timedelta(days=1) if start is not None and end is not None else 1.0


def remove(call: Call, one: Managed) -> None:
    """Deleting only marks it: its numbers stay."""
    switch(call.world, one, "deleted")


def below(kind: type[M], node: NodeType) -> Callable[[Call, Thing], Any]:
    """Create the edge that lists everything of a kind in an account, a campaign or an ad set, newest first."""

    def edge(call: Call, owner: Thing) -> Any:
        account = owner.id if isinstance(owner, AdAccount) else owner.parent
        found = call.world.store.find(kind, parent=account, newest_first=True)
        if not isinstance(owner, AdAccount):
            found = [one for one in found if owner.id in {each.id for each in lineage(call.world, one)}]
        return listing(call, [Node(node, one) for one in _wanted(call, found)])

    return edge


def _wanted(call: Call, found: Sequence[M]) -> list[M]:
    """Apply the filters of a list. What was archived or deleted is shown only to callers who ask for it."""
    filters, asked = filters_of(call), words(call.params.get("effective_status"))
    statuses = {one.id: effective(call.world, one) for one in found}
    if asked:
        found = [one for one in found if statuses[one.id] in asked]
    elif not any("status" in str(one["field"]) for one in filters):
        found = [one for one in found if statuses[one.id] not in {"ARCHIVED", "DELETED"}]
    since = moment(call.params.get("updated_since"))
    readers: dict[str, Callable[[M], Any]] = {
        "id": lambda one: one.id,
        "name": lambda one: one.name,
        "effective_status": lambda one: statuses[one.id],
        "updated_time": lambda one: one.changed.timestamp(),
        "created_time": lambda one: one.made.timestamp(),
        "objective": lambda one: one.fields.get("objective", ""),
    }
    return filtered([one for one in found if since is None or one.changed >= since], filters, readers)
