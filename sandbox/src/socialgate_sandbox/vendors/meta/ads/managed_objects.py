"""What campaigns, ad sets and ads share: their status, their budget, and how they are listed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, TypeVar

from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.filtering import filter_rows, parse_filters
from socialgate_sandbox.dialects.graph.managed_objects import build_blame_error, resolve_amounts, resolve_times
from socialgate_sandbox.dialects.graph.nodes import FieldResolver, Node, NodeType, resolve_attributes
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import parse_time, parse_words
from socialgate_sandbox.kit import AdObjectView, Call, CallRefusedError, StoredObject, VendorContext
from socialgate_sandbox.society.ad_spend import Budget, append_value, get_minor_units, get_value_at
from socialgate_sandbox.society.campaigns import (
    Ad,
    AdSet,
    Campaign,
    SwitchedObject,
    SwitchState,
    build_ad_views,
    get_state,
    get_verdict,
    set_state,
)
from socialgate_sandbox.vendors.meta.ads.ad_accounts import build_spend_account, get_currency_offset, to_minor_units
from socialgate_sandbox.vendors.meta.stored_objects import AdAccount

ManagedT = TypeVar("ManagedT", bound=SwitchedObject)
_SWITCHES_BY_STATUS: Mapping[str, SwitchState] = {
    "ACTIVE": "on",
    "PAUSED": "off",
    "ARCHIVED": "archived",
    "DELETED": "deleted",
}
_STATUSES_BY_SWITCH = {switch: word for word, switch in _SWITCHES_BY_STATUS.items()}
_STATUSES_BY_REVIEW_STAGE = {"in_review": "PENDING_REVIEW", "rejected": "DISAPPROVED"}
_INACTIVE_STATES = ("deleted", "archived")


def get_ad_account(context: VendorContext, ad_object: StoredObject) -> AdAccount:
    account = context.store.get(AdAccount, ad_object.parent)
    if account is None:
        raise CallRefusedError(build_error_response("(#100) The ad account does not exist", 100))
    return account


def iterate_ancestry(context: VendorContext, ad_object: SwitchedObject) -> Iterator[SwitchedObject]:
    """Yield an object, then what it is in, up to the campaign."""
    yield ad_object
    kind: type[SwitchedObject] = AdSet if isinstance(ad_object, Ad) else Campaign
    above = context.store.get(kind, ad_object.above) if ad_object.above else None
    if above is not None:
        yield from iterate_ancestry(context, above)


def compute_effective_status(context: VendorContext, ad_object: SwitchedObject) -> str:
    """Return whether something runs, or the first reason why not."""
    chain = list(iterate_ancestry(context, ad_object))
    states = [get_state(context, each) for each in chain]
    gone = next((state for state in _INACTIVE_STATES if state in states), None)
    if gone is not None:
        return gone.upper()
    if isinstance(ad_object, Ad) and (stage := get_verdict(context, ad_object).stage) in _STATUSES_BY_REVIEW_STAGE:
        return _STATUSES_BY_REVIEW_STAGE[stage]
    paused = next((each for each, state in zip(chain, states, strict=True) if state == "off"), None)
    if paused is None or paused is ad_object:
        return "ACTIVE" if paused is None else "PAUSED"
    return "CAMPAIGN_PAUSED" if isinstance(paused, Campaign) else "ADSET_PAUSED"


def read_campaigns(context: VendorContext, account_id: str) -> list[AdObjectView]:
    """Return the campaigns of an ad account, for people."""
    account = context.store.get(AdAccount, account_id)
    if account is None:
        return []
    return build_ad_views(
        context,
        build_spend_account(context, account),
        lambda switched_object: compute_effective_status(context, switched_object),
    )


def _resolve_status(call: Call, ad_object: SwitchedObject, _field: RequestedField) -> str:
    return _STATUSES_BY_SWITCH[get_state(call.context, ad_object)]


def _resolve_budget_remaining(call: Call, ad_object: Any, _field: RequestedField) -> str | None:
    if not ad_object.budgets:
        return None
    account = get_ad_account(call.context, ad_object)
    numbers, budget = (
        build_spend_account(call.context, account),
        get_value_at(ad_object.budgets, call.context.clock.now()),
    )
    spent = (
        numbers.count_on_day("spend", numbers.today, ad_object.id)
        if budget.daily
        else numbers.count_total("spend", ad_object.id)
    )
    return str(to_minor_units(account, max(0, budget.amount - spent)))


COMMON_RESOLVERS: Mapping[str, FieldResolver] = {
    **resolve_attributes("id", "name"),
    **resolve_times("created_time", "updated_time"),
    "account_id": lambda _call, item, _field: item.parent.removeprefix("act_"),
    "status": _resolve_status,
    "configured_status": _resolve_status,
    "effective_status": lambda call, item, _field: compute_effective_status(call.context, item),
}
BUDGET_RESOLVERS: Mapping[str, FieldResolver] = {
    **resolve_amounts("daily_budget", "lifetime_budget"),
    "budget_remaining": _resolve_budget_remaining,
}


def validate_and_set_status(call: Call, ad_object: SwitchedObject, values: dict[str, Any]) -> None:
    """Switch something on or off. What was archived or deleted can only be renamed, or deleted."""
    word, before = (
        ad_object.fields.pop("status", None),
        get_state(call.context, ad_object) if ad_object.switches else None,
    )
    if before is None and word in {"ARCHIVED", "DELETED"}:
        raise build_blame_error("status", "Only ACTIVE and PAUSED are valid during creation.")
    if before in _INACTIVE_STATES and not values.keys() <= {"name", "status"}:
        message = f"It is {before}, so you can only edit its name."
        raise build_blame_error("name", message, subcode=1885088, title="Cannot Edit Archived Ad")
    if before == "deleted" and word not in {None, "DELETED"}:
        raise build_blame_error(
            "status", "A deleted object cannot be restored.", subcode=1487566, title="It Was Deleted"
        )
    if word is not None or before is None:
        ad_object.switches = append_value(
            ad_object.switches, call.context.clock.now(), _SWITCHES_BY_STATUS[word or "ACTIVE"]
        )


def validate_and_set_budget(call: Call, ad_object: Campaign | AdSet, values: dict[str, Any], days: float = 1.0) -> None:
    """Set the budget, of which there is one for each day or one for all of the `days`."""
    named = [name for name in ("daily_budget", "lifetime_budget") if values.get(name)]
    if len(named) > 1:
        raise build_blame_error("daily_budget", "You can set a daily budget or a lifetime budget, but not both.")
    if not named:
        return
    account, daily, amount = get_ad_account(call.context, ad_object), named[0] == "daily_budget", values[named[0]]
    least = int(account.min_daily_budget * (1 if daily else max(1.0, days)))
    if amount < least:
        shown = f"{least / get_currency_offset(account.currency):.2f} {account.currency}"
        message = f"Your ad set budget must be more than {shown} or your ads may not be delivered."
        raise build_blame_error(named[0], message, subcode=1885272, title="Budget Is Too Low")
    ad_object.fields.pop("lifetime_budget" if daily else "daily_budget", None)
    budget = Budget(amount * get_minor_units(account.currency) // get_currency_offset(account.currency), daily)
    ad_object.budgets = append_value(ad_object.budgets, call.context.clock.now(), budget)


def compute_days(ad_object: AdSet) -> float:
    """Return for how many days an ad set runs."""
    start, end = parse_time(ad_object.fields["start_time"]), parse_time(ad_object.fields.get("end_time"))
    return (end - start) / timedelta(days=1) if start is not None and end is not None else 1.0


def mark_deleted(call: Call, ad_object: SwitchedObject) -> None:
    """Deleting only marks it: its numbers stay."""
    set_state(call.context, ad_object, "deleted")


def build_list_edge(type_: type[ManagedT], node_type: NodeType) -> Callable[[Call, StoredObject], Any]:
    """Create the edge that lists everything of a kind in an account, a campaign or an ad set, newest first."""

    def edge(call: Call, owner: StoredObject) -> Any:
        account = owner.id if isinstance(owner, AdAccount) else owner.parent
        items = call.context.store.find(type_, parent=account, newest_first=True)
        if not isinstance(owner, AdAccount):
            items = [item for item in items if owner.id in {each.id for each in iterate_ancestry(call.context, item)}]
        return build_page(call, [Node(node_type, item) for item in _filter_objects(call, items)])

    return edge


def _filter_objects(call: Call, objects: Sequence[ManagedT]) -> list[ManagedT]:
    """Apply the filters of a list. What was archived or deleted is shown only to callers who ask for it."""
    filters, request = parse_filters(call), parse_words(call.params.get("effective_status"))
    statuses = {item.id: compute_effective_status(call.context, item) for item in objects}
    if request:
        objects = [item for item in objects if statuses[item.id] in request]
    elif not any("status" in str(item["field"]) for item in filters):
        objects = [item for item in objects if statuses[item.id] not in {"ARCHIVED", "DELETED"}]
    since = parse_time(call.params.get("updated_since"))
    readers: dict[str, Callable[[ManagedT], Any]] = {
        "id": lambda item: item.id,
        "name": lambda item: item.name,
        "effective_status": lambda item: statuses[item.id],
        "updated_time": lambda item: item.changed.timestamp(),
        "created_time": lambda item: item.created_at.timestamp(),
        "objective": lambda item: item.fields.get("objective", ""),
    }
    return filter_rows([item for item in objects if since is None or item.changed >= since], filters, readers)
