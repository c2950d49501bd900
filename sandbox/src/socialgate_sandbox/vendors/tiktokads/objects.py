"""What campaigns, ad groups and ads have in common: lists with filters, statuses, and requests made only once."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar
from zoneinfo import ZoneInfo

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route, Thing, World
from socialgate_sandbox.kit.fields import Field, read_fields
from socialgate_sandbox.society import spend
from socialgate_sandbox.society.campaigns import (
    Ad,
    AdSet,
    Campaign,
    Managed,
    Switch,
    spending,
    state_of,
    switch,
    verdict_of,
)
from socialgate_sandbox.society.spend import value_at
from socialgate_sandbox.vendors.tiktokads.access import ADS, advertiser_of, signed_in
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, paged
from socialgate_sandbox.vendors.tiktokads.errors import (
    NO_PERMISSION,
    NOT_FOUND,
    WRONG_PARAMETER,
    answered,
    refusal,
    refused,
    require,
)
from socialgate_sandbox.vendors.tiktokads.hosts import api
from socialgate_sandbox.vendors.tiktokads.state import Advertiser

M = TypeVar("M", bound=Managed)
_MOST_IDS, _MOST_ROWS, _LONGEST_REQUEST = 20, 1000, 2**64
_STATES: Mapping[str, Switch] = {"ENABLE": "on", "DISABLE": "off", "DELETE": "deleted"}
# Filters that select by a list of values, and the field that they are about.
_LISTS = {"campaign_ids": "campaign_id", "adgroup_ids": "adgroup_id", "ad_ids": "ad_id", "buying_types": "buying_type",
          "billing_events": "billing_event"}  # fmt: skip
_NAMES = {"campaign_name", "adgroup_name", "ad_name"}
_SAME = {"objective_type", "optimization_goal", "promotion_type", "campaign_type", "is_smart_performance_campaign",
         "creative_material_mode", "split_test_enabled", "sales_destination"}  # fmt: skip
_TIMES = {"creation_filter_start_time", "creation_filter_end_time", "modified_after"}
_PRIMARY = {
    "STATUS_DELIVERY_OK": ("ENABLE", "DELIVERY_OK"),
    "STATUS_DISABLE": ("DISABLE",),
    "STATUS_TIME_DONE": ("DONE",),
    "STATUS_DELETE": ("DELETE",),
}
_ALL, _KEPT, _OTHER = "STATUS_ALL", "STATUS_NOT_DELETE", "STATUS_NOT_DELIVERY"


class CreateRequest(Thing):
    """A request_id that was already used in an ad account."""


class Asked(msgspec.Struct):
    advertiser_id: str = ""
    fields: list[str] | None = None
    filtering: dict[str, Any] = {}
    operation_status: str = ""
    allow_partial_success: bool = False


class Books:
    """Everything in one ad account, read once per call."""

    def __init__(self, world: World, advertiser: Advertiser) -> None:
        self.world = world
        self.advertiser = advertiser

    @cached_property
    def campaigns(self) -> dict[str, Campaign]:
        return {one.id: one for one in self.world.store.find(Campaign, parent=self.advertiser.id)}

    @cached_property
    def groups(self) -> dict[str, AdSet]:
        return {one.id: one for one in self.world.store.find(AdSet, parent=self.advertiser.id)}

    @cached_property
    def ads(self) -> dict[str, Ad]:
        return {one.id: one for one in self.world.store.find(Ad, parent=self.advertiser.id)}

    @cached_property
    def account(self) -> spend.Account:
        return account_of(self.world, self.advertiser)

    def above(self, one: Managed) -> list[tuple[str, Managed]]:
        """Return the campaign of an ad group or ad, then the ad group of an ad, with their names in statuses."""
        if isinstance(one, Ad):
            group = self.groups[one.above]
            return [*self.above(group), ("ADGROUP", group)]
        return [("CAMPAIGN", self.campaigns[one.above])] if isinstance(one, AdSet) else []

    def standing(self, one: Managed) -> str:
        """Return the secondary status, without the prefix of its level: the most important reason not to run."""
        chain = [*self.above(one), ("", one)]
        for state, word in (("deleted", "DELETE"), ("off", "DISABLE")):
            for name, each in chain:
                if state_of(self.world, each) == state:
                    return f"{name}_{word}".lstrip("_")
            if self.advertiser.status != "STATUS_ENABLE":
                return "ADVERTISER_AUDIT_DENY"
        return self._audit(one) or self._when(one) or self._budget(chain) or self._running(one)

    def _audit(self, one: Managed) -> str:
        ads = [one] if isinstance(one, Ad) else [ad for ad in self.ads.values() if ad.above == one.id]
        stages = {verdict_of(self.world, ad).stage for ad in ads if state_of(self.world, ad) != "deleted"}
        return {"in_review": "AUDIT", "rejected": "AUDIT_DENY"}.get(min(stages), "") if len(stages) == 1 else ""

    def _when(self, one: Managed) -> str:
        group = self.groups[one.above] if isinstance(one, Ad) else one
        if not isinstance(group, AdSet):
            return ""
        now = self.world.clock.now()
        start, end = value_at(group.schedule, now)
        done = "DONE" if isinstance(one, Ad) else "TIME_DONE"
        return "NOT_START" if now < start else done if now >= end else ""

    def _budget(self, chain: Sequence[tuple[str, Managed]]) -> str:
        for name, each in chain:
            if self.account.is_spent(each.id):
                return "CAMPAIGN_EXCEED" if name == "CAMPAIGN" else "BUDGET_EXCEED"
        return ""

    def _running(self, one: Managed) -> str:
        if isinstance(one, Campaign):
            return "ENABLE"
        is_empty = isinstance(one, AdSet) and not any(ad.above == one.id for ad in self.ads.values())
        return "CREATE" if is_empty else "DELIVERY_OK"


@dataclass(frozen=True)
class Level(Generic[M]):
    """Campaigns, ad groups or ads. `show` returns what only this level has."""

    name: Literal["campaign", "adgroup", "ad"]
    kind: type[M]
    fields: Mapping[str, Field]
    show: Callable[[Books, M], dict[str, Any]]

    @property
    def routes(self) -> list[Route]:
        listing, status = api("GET", f"{self.name}/get", self.list), api("POST", f"{self.name}/status/update", self.set)
        return [*listing, *status]

    def list(self, call: Call) -> Response:
        books, asked = asking(call)
        rows = [
            self.shown(books, one) for one in reversed(call.world.store.find(self.kind, parent=books.advertiser.id))
        ]
        found = [row for row in rows if self._fits(books, row, asked.filtering)]
        shown, info = paged(call, call.read(PageQuery), found, most=_MOST_ROWS)
        return answered(call, {"list": [_chosen(row, asked.fields) for row in shown], "page_info": info})

    def set(self, call: Call) -> Response:
        books, asked = asking(call, write=True)
        given, faults = read_fields(call.params, {f"{self.name}_ids": Field(list[str], required=True)})
        keys = given.get(f"{self.name}_ids", []) if not faults else []
        require(1 <= len(keys) <= _MOST_IDS, f"{self.name}_ids: between 1 and {_MOST_IDS} ids are allowed.")
        require(asked.operation_status in _STATES, f"operation_status: Must be one of: {', '.join(_STATES)}.")
        wrong = {key: fault for key in keys if (fault := self._fault(books, key))}
        if wrong and not asked.allow_partial_success:
            raise refused(call, NOT_FOUND, next(iter(wrong.values())))
        good = [key for key in keys if key not in wrong]
        for one in call.world.store.get_all(self.kind, good):
            switch(call.world, one, _STATES[asked.operation_status])
        rows = [{f"{self.name}_id": key, "status": asked.operation_status} for key in good]
        data = {f"{self.name}_ids": good, "status": asked.operation_status, f"{self.name}_list": rows}
        if asked.allow_partial_success:
            data["error_list"] = [{f"{self.name}_id": key, "error_message": fault} for key, fault in wrong.items()]
        return answered(call, data)

    def shown(self, books: Books, one: M) -> dict[str, Any]:
        names = {f"{self.name}_id": one.id, f"{self.name}_name": one.name}
        for word, each in books.above(one):
            names |= {f"{word.lower()}_id": each.id, f"{word.lower()}_name": each.name}
        return {
            "advertiser_id": books.advertiser.id,
            **dict.fromkeys(self.fields),
            **one.fields,
            **self.show(books, one),
            **names,
            "operation_status": "ENABLE" if state_of(books.world, one) == "on" else "DISABLE",
            "secondary_status": f"{self.name.upper()}_STATUS_{books.standing(one)}",
            "create_time": moment(one.made),
            "modify_time": moment(one.changed),
            "is_new_structure": True,
        }

    def one_of(self, call: Call, books: Books, key: str) -> M:
        """Find an object that can still be changed."""
        found = call.world.store.get(self.kind, key)
        fault = self._fault(books, key)
        if found is None or fault:
            raise refused(call, NOT_FOUND, fault)
        return found

    def read(self, given: Mapping[str, Any], *, update: bool = False, place: str = "") -> dict[str, Any]:
        values, faults = read_fields(given, self.fields, update=update)
        require(not faults, "".join(f"{place}{fault.field}: {fault.message}" for fault in faults[:1]))
        return values

    def _fault(self, books: Books, key: str) -> str:
        one = books.world.store.get(self.kind, key)
        if one is None or one.parent != books.advertiser.id:
            return f"The {self.name} {key} does not exist."
        gone = books.standing(one).endswith("DELETE")
        return f"The {self.name} {key} has been deleted." if gone else ""

    def _fits(self, books: Books, row: Mapping[str, Any], filtering: Mapping[str, Any]) -> bool:
        primary = str(filtering.get("primary_status") or "") or (_ALL if filtering.get("secondary_status") else _KEPT)
        campaign = books.campaigns[row["campaign_id"]]
        row = {"objective_type": campaign.fields["objective_type"], "buying_type": "AUCTION", **row}
        return _is_primary(row, primary) and all(self._passes(row, name, value) for name, value in filtering.items())

    def _passes(self, row: Mapping[str, Any], name: str, value: Any) -> bool:
        if name in _LISTS:
            require(isinstance(value, list), f"filtering.{name}: Not a valid list.")
            return row.get(_LISTS[name]) in [str(one) for one in value]
        if name in _NAMES:
            return str(value).lower() in str(row[name]).lower()
        if name in _SAME:
            return row.get(name) in (value, None)
        if name in _TIMES:
            time = row["modify_time" if name == "modified_after" else "create_time"]
            return bool(time <= str(value) if name == "creation_filter_end_time" else time >= str(value))
        require(name in {"primary_status", "secondary_status"}, f"filtering.{name}: Unknown field.")
        status = str(value).removeprefix(f"{self.name.upper()}_")
        whole = {_ALL: True, _KEPT: not row["secondary_status"].endswith("DELETE")}
        return name == "primary_status" or whole.get(status, row["secondary_status"] == value)


def asking(call: Call, scope: str = "", *, write: bool = False) -> tuple[Books, Asked]:
    """Read the request of somebody who may see the ad account or (`write`) change what is in it."""
    token, asked = signed_in(call, scope or ADS), call.read(Asked)
    require(asked.advertiser_id, "advertiser_id: Missing data for required field.")
    advertiser, role = advertiser_of(call, token, asked.advertiser_id)
    if write and role == "ANALYST":
        raise refused(call, NO_PERMISSION, f"No permission to operate advertiser {advertiser.id}.")
    return Books(call.world, advertiser), asked


def account_of(world: World, advertiser: Advertiser) -> spend.Account:
    return spending(world, advertiser.id, currency=advertiser.currency, zone=ZoneInfo(advertiser.timezone))


def used_once(call: Call, books: Books, request: object) -> None:
    """Refuse to create something twice for the same request_id of the caller."""
    if request is None:
        return
    text = str(request)
    require(text.isdecimal() and int(text) < _LONGEST_REQUEST, "request_id: must be a string of a 64-bit integer.")
    key = f"{books.advertiser.id} {call.path.rsplit('/v1.3/')[-1]} {text}"
    if call.world.store.get(CreateRequest, key) is not None:
        raise refusal("duplicate")
    call.world.store.put(CreateRequest(id=key))


def plain(name: str, text: str, most: int) -> str:
    """Check a text that people see: no emoji, and wide characters count twice."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    require(1 <= len(text) + wide <= most, f"{name}: Length must be between 1 and {most}.")
    require(not any(unicodedata.category(char) == "So" for char in text), f"{name}: Emojis are not supported.")
    return text


def least(books: Books, dollars: int) -> float:
    """Return a minimum in the currency of the ad account."""
    return float(dollars * spend.rate(books.advertiser.currency))


def amount(books: Books, given: float) -> int:
    return round(given * spend.units(books.advertiser.currency))


def moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def read_moment(call: Call, name: str, text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        raise refused(call, WRONG_PARAMETER, f"{name}: Not a valid datetime. Use YYYY-MM-DD HH:MM:SS.") from None


def _is_primary(row: Mapping[str, Any], wanted: str) -> bool:
    status = str(row["secondary_status"])
    found = next((name for name, ends in _PRIMARY.items() if status.endswith(ends)), _OTHER)
    require(
        wanted in {*_PRIMARY, _ALL, _KEPT, _OTHER, "STATUS_FROZEN", "STATUS_RF_CLOSED"}, "primary_status: not valid."
    )
    return wanted in {_ALL, found} or (wanted == _KEPT and found != "STATUS_DELETE")


def _chosen(row: dict[str, Any], fields: Sequence[str] | None) -> dict[str, Any]:
    require(
        set(fields or ()) <= set(row), f"fields: {min(set(fields or ()) - set(row), default='')} is not a valid field."
    )
    return {name: row[name] for name in fields} if fields else row
