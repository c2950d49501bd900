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

from socialgate_sandbox.kit import Call, Route, StoredObject, VendorContext
from socialgate_sandbox.kit.fields import Field, parse_fields
from socialgate_sandbox.society import ad_spend
from socialgate_sandbox.society.ad_spend import get_value_at
from socialgate_sandbox.society.campaigns import (
    Ad,
    AdSet,
    Campaign,
    SwitchedObject,
    SwitchState,
    build_spend_account,
    get_state,
    get_verdict,
    set_state,
)
from socialgate_sandbox.vendors.tiktokads.access import ADS_SCOPE, authenticate, require_advertiser
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, select_page
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.errors import (
    INVALID_PARAMETER_CODE,
    NO_PERMISSION_CODE,
    NOT_FOUND_CODE,
    build_error,
    build_refusal,
    build_success_response,
    require,
)
from socialgate_sandbox.vendors.tiktokads.state import Advertiser

M = TypeVar("M", bound=SwitchedObject)
_MAX_IDS, _MAX_ROWS, _MAX_REQUEST_LENGTH = 20, 1000, 2**64
_SWITCHES_BY_STATUS: Mapping[str, SwitchState] = {"ENABLE": "on", "DISABLE": "off", "DELETE": "deleted"}
# Filters that select by a list of values, and the field that they are about.
_FIELDS_BY_LIST_FILTER = {
    "campaign_ids": "campaign_id",
    "adgroup_ids": "adgroup_id",
    "ad_ids": "ad_id",
    "buying_types": "buying_type",
    "billing_events": "billing_event",
}
_NAME_FILTERS = {"campaign_name", "adgroup_name", "ad_name"}
_EQUALITY_FILTERS = {
    "objective_type",
    "optimization_goal",
    "promotion_type",
    "campaign_type",
    "is_smart_performance_campaign",
    "creative_material_mode",
    "split_test_enabled",
    "sales_destination",
}
_TIME_FILTERS = {"creation_filter_start_time", "creation_filter_end_time", "modified_after"}
_ENDINGS_BY_PRIMARY_STATUS = {
    "STATUS_DELIVERY_OK": ("ENABLE", "DELIVERY_OK"),
    "STATUS_DISABLE": ("DISABLE",),
    "STATUS_TIME_DONE": ("DONE",),
    "STATUS_DELETE": ("DELETE",),
}
_ALL_STATUS, _NOT_DELETED_STATUS, _NOT_DELIVERING_STATUS = "STATUS_ALL", "STATUS_NOT_DELETE", "STATUS_NOT_DELIVERY"


class CreateRequest(StoredObject):
    """A request_id that was already used in an ad account."""


class AdObjectParams(msgspec.Struct):
    advertiser_id: str = ""
    fields: list[str] | None = None
    filtering: dict[str, Any] = {}
    operation_status: str = ""
    allow_partial_success: bool = False


class AdAccountContents:
    """Everything in one ad account, read once per call."""

    def __init__(self, context: VendorContext, advertiser: Advertiser) -> None:
        self.world = context
        self.advertiser = advertiser

    @cached_property
    def campaigns(self) -> dict[str, Campaign]:
        return {campaign.id: campaign for campaign in self.world.store.find(Campaign, parent=self.advertiser.id)}

    @cached_property
    def adgroups(self) -> dict[str, AdSet]:
        return {ad_set.id: ad_set for ad_set in self.world.store.find(AdSet, parent=self.advertiser.id)}

    @cached_property
    def ads(self) -> dict[str, Ad]:
        return {ad.id: ad for ad in self.world.store.find(Ad, parent=self.advertiser.id)}

    @cached_property
    def spend_account(self) -> ad_spend.Account:
        return build_advertiser_spend(self.world, self.advertiser)

    def list_parents(self, ad_object: SwitchedObject) -> list[tuple[str, SwitchedObject]]:
        """Return the campaign of an ad group or ad, then the ad group of an ad, with their names in statuses."""
        if isinstance(ad_object, Ad):
            group = self.adgroups[ad_object.above]
            return [*self.list_parents(group), ("ADGROUP", group)]
        return [("CAMPAIGN", self.campaigns[ad_object.above])] if isinstance(ad_object, AdSet) else []

    def get_secondary_status(self, ad_object: SwitchedObject) -> str:
        """Return the secondary status, without the prefix of its level: the most important reason not to run."""
        chain = [*self.list_parents(ad_object), ("", ad_object)]
        for state, word in (("deleted", "DELETE"), ("off", "DISABLE")):
            for name, each in chain:
                if get_state(self.world, each) == state:
                    return f"{name}_{word}".lstrip("_")
            if self.advertiser.status != "STATUS_ENABLE":
                return "ADVERTISER_AUDIT_DENY"
        return (
            self._get_review_status(ad_object)
            or self._get_schedule_status(ad_object)
            or self._get_budget_status(chain)
            or self._get_running_status(ad_object)
        )

    def _get_review_status(self, ad_object: SwitchedObject) -> str:
        ads = [ad_object] if isinstance(ad_object, Ad) else [ad for ad in self.ads.values() if ad.above == ad_object.id]
        stages = {get_verdict(self.world, ad).stage for ad in ads if get_state(self.world, ad) != "deleted"}
        return {"in_review": "AUDIT", "rejected": "AUDIT_DENY"}.get(min(stages), "") if len(stages) == 1 else ""

    def _get_schedule_status(self, ad_object: SwitchedObject) -> str:
        group = self.adgroups[ad_object.above] if isinstance(ad_object, Ad) else ad_object
        if not isinstance(group, AdSet):
            return ""
        now = self.world.clock.now()
        start, end = get_value_at(group.schedule, now)
        done = "DONE" if isinstance(ad_object, Ad) else "TIME_DONE"
        return "NOT_START" if now < start else done if now >= end else ""

    def _get_budget_status(self, chain: Sequence[tuple[str, SwitchedObject]]) -> str:
        for name, each in chain:
            if self.spend_account.is_budget_used_up(each.id):
                return "CAMPAIGN_EXCEED" if name == "CAMPAIGN" else "BUDGET_EXCEED"
        return ""

    def _get_running_status(self, ad_object: SwitchedObject) -> str:
        if isinstance(ad_object, Campaign):
            return "ENABLE"
        is_empty = isinstance(ad_object, AdSet) and not any(ad.above == ad_object.id for ad in self.ads.values())
        return "CREATE" if is_empty else "DELIVERY_OK"


@dataclass(frozen=True)
class AdObjectLevel(Generic[M]):
    """Campaigns, ad groups or ads. `build_own_fields` returns what only this level has."""

    name: Literal["campaign", "adgroup", "ad"]
    object_type: type[M]
    fields: Mapping[str, Field]
    build_own_fields: Callable[[AdAccountContents, M], dict[str, Any]]

    @property
    def routes(self) -> list[Route]:
        listing, status = (
            build_api_routes("GET", f"{self.name}/get", self.list_objects),
            build_api_routes("POST", f"{self.name}/status/update", self.update_statuses),
        )
        return [*listing, *status]

    def list_objects(self, call: Call) -> Response:
        books, object_params = authorize_ad_call(call)
        rows = [
            self.build_json(books, item)
            for item in reversed(call.context.store.find(self.object_type, parent=books.advertiser.id))
        ]
        result = [row for row in rows if self._matches_filters(books, row, object_params.filtering)]
        shown, info = select_page(call, call.parse_params(PageQuery), result, max_page_size=_MAX_ROWS)
        return build_success_response(
            call, {"list": [_select_fields(row, object_params.fields) for row in shown], "page_info": info}
        )

    def update_statuses(self, call: Call) -> Response:
        books, object_params = authorize_ad_call(call, requires_write=True)
        params, faults = parse_fields(call.params, {f"{self.name}_ids": Field(list[str], required=True)})
        keys = params.get(f"{self.name}_ids", []) if not faults else []
        require(1 <= len(keys) <= _MAX_IDS, f"{self.name}_ids: between 1 and {_MAX_IDS} ids are allowed.")
        require(
            object_params.operation_status in _SWITCHES_BY_STATUS,
            f"operation_status: Must be one of: {', '.join(_SWITCHES_BY_STATUS)}.",
        )
        wrong = {key: fault for key in keys if (fault := self._find_error(books, key))}
        if wrong and not object_params.allow_partial_success:
            raise build_error(call, NOT_FOUND_CODE, next(iter(wrong.values())))
        good = [key for key in keys if key not in wrong]
        for item in call.context.store.get_all(self.object_type, good):
            set_state(call.context, item, _SWITCHES_BY_STATUS[object_params.operation_status])
        rows = [{f"{self.name}_id": key, "status": object_params.operation_status} for key in good]
        data = {f"{self.name}_ids": good, "status": object_params.operation_status, f"{self.name}_list": rows}
        if object_params.allow_partial_success:
            data["error_list"] = [{f"{self.name}_id": key, "error_message": fault} for key, fault in wrong.items()]
        return build_success_response(call, data)

    def build_json(self, contents: AdAccountContents, ad_object: M) -> dict[str, Any]:
        names = {f"{self.name}_id": ad_object.id, f"{self.name}_name": ad_object.name}
        for word, each in contents.list_parents(ad_object):
            names |= {f"{word.lower()}_id": each.id, f"{word.lower()}_name": each.name}
        return {
            "advertiser_id": contents.advertiser.id,
            **dict.fromkeys(self.fields),
            **ad_object.fields,
            **self.build_own_fields(contents, ad_object),
            **names,
            "operation_status": "ENABLE" if get_state(contents.world, ad_object) == "on" else "DISABLE",
            "secondary_status": f"{self.name.upper()}_STATUS_{contents.get_secondary_status(ad_object)}",
            "create_time": format_time(ad_object.created_at),
            "modify_time": format_time(ad_object.changed),
            "is_new_structure": True,
        }

    def require_object(self, call: Call, contents: AdAccountContents, key: str) -> M:
        """Find an object that can still be changed."""
        item = call.context.store.get(self.object_type, key)
        fault = self._find_error(contents, key)
        if item is None or fault:
            raise build_error(call, NOT_FOUND_CODE, fault)
        return item

    def parse_values(
        self, raw_values: Mapping[str, Any], *, is_update: bool = False, field_prefix: str = ""
    ) -> dict[str, Any]:
        values, faults = parse_fields(raw_values, self.fields, is_update=is_update)
        require(not faults, "".join(f"{field_prefix}{fault.field}: {fault.message}" for fault in faults[:1]))
        return values

    def _find_error(self, contents: AdAccountContents, key: str) -> str:
        item = contents.world.store.get(self.object_type, key)
        if item is None or item.parent != contents.advertiser.id:
            return f"The {self.name} {key} does not exist."
        gone = contents.get_secondary_status(item).endswith("DELETE")
        return f"The {self.name} {key} has been deleted." if gone else ""

    def _matches_filters(
        self, contents: AdAccountContents, row: Mapping[str, Any], filtering: Mapping[str, Any]
    ) -> bool:
        primary = str(filtering.get("primary_status") or "") or (
            _ALL_STATUS if filtering.get("secondary_status") else _NOT_DELETED_STATUS
        )
        campaign = contents.campaigns[row["campaign_id"]]
        row = {"objective_type": campaign.fields["objective_type"], "buying_type": "AUCTION", **row}
        return _matches_primary_status(row, primary) and all(
            self._matches_filter(row, name, value) for name, value in filtering.items()
        )

    def _matches_filter(self, row: Mapping[str, Any], name: str, value: Any) -> bool:
        if name in _FIELDS_BY_LIST_FILTER:
            require(isinstance(value, list), f"filtering.{name}: Not a valid list.")
            return row.get(_FIELDS_BY_LIST_FILTER[name]) in [str(item) for item in value]
        if name in _NAME_FILTERS:
            return str(value).lower() in str(row[name]).lower()
        if name in _EQUALITY_FILTERS:
            return row.get(name) in (value, None)
        if name in _TIME_FILTERS:
            time = row["modify_time" if name == "modified_after" else "create_time"]
            return bool(time <= str(value) if name == "creation_filter_end_time" else time >= str(value))
        require(name in {"primary_status", "secondary_status"}, f"filtering.{name}: Unknown field.")
        status = str(value).removeprefix(f"{self.name.upper()}_")
        whole = {_ALL_STATUS: True, _NOT_DELETED_STATUS: not row["secondary_status"].endswith("DELETE")}
        return name == "primary_status" or whole.get(status, row["secondary_status"] == value)


def authorize_ad_call(
    call: Call, scope: str = "", *, requires_write: bool = False
) -> tuple[AdAccountContents, AdObjectParams]:
    """Read the request of somebody who may see the ad account or (`requires_write`) change what is in it."""
    token, object_params = authenticate(call, scope or ADS_SCOPE), call.parse_params(AdObjectParams)
    require(object_params.advertiser_id, "advertiser_id: Missing data for required field.")
    advertiser, role = require_advertiser(call, token, object_params.advertiser_id)
    if requires_write and role == "ANALYST":
        raise build_error(call, NO_PERMISSION_CODE, f"No permission to operate advertiser {advertiser.id}.")
    return AdAccountContents(call.context, advertiser), object_params


def build_advertiser_spend(context: VendorContext, advertiser: Advertiser) -> ad_spend.Account:
    return build_spend_account(context, advertiser.id, currency=advertiser.currency, zone=ZoneInfo(advertiser.timezone))


def require_unused_request_id(call: Call, contents: AdAccountContents, request_id: object) -> None:
    """Refuse to create something twice for the same request_id of the caller."""
    if request_id is None:
        return
    text = str(request_id)
    require(text.isdecimal() and int(text) < _MAX_REQUEST_LENGTH, "request_id: must be a string of a 64-bit integer.")
    key = f"{contents.advertiser.id} {call.path.rsplit('/v1.3/')[-1]} {text}"
    if call.context.store.get(CreateRequest, key) is not None:
        raise build_refusal("duplicate")
    call.context.store.put(CreateRequest(id=key))


def require_plain_text(name: str, text: str, max_length: int) -> str:
    """Check a text that people see: no emoji, and wide characters count twice."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    require(1 <= len(text) + wide <= max_length, f"{name}: Length must be between 1 and {max_length}.")
    require(not any(unicodedata.category(char) == "So" for char in text), f"{name}: Emojis are not supported.")
    return text


def convert_min_budget(contents: AdAccountContents, dollars: int) -> float:
    """Return a minimum in the currency of the ad account."""
    return float(dollars * ad_spend.get_currency_rate(contents.advertiser.currency))


def to_minor_units(contents: AdAccountContents, value: float) -> int:
    return round(value * ad_spend.get_minor_units(contents.advertiser.currency))


def format_time(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def parse_time(call: Call, name: str, text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        raise build_error(
            call, INVALID_PARAMETER_CODE, f"{name}: Not a valid datetime. Use YYYY-MM-DD HH:MM:SS."
        ) from None


def _matches_primary_status(row: Mapping[str, Any], primary_status: str) -> bool:
    status = str(row["secondary_status"])
    result = next(
        (name for name, ends in _ENDINGS_BY_PRIMARY_STATUS.items() if status.endswith(ends)), _NOT_DELIVERING_STATUS
    )
    require(
        primary_status
        in {
            *_ENDINGS_BY_PRIMARY_STATUS,
            _ALL_STATUS,
            _NOT_DELETED_STATUS,
            _NOT_DELIVERING_STATUS,
            "STATUS_FROZEN",
            "STATUS_RF_CLOSED",
        },
        "primary_status: not valid.",
    )
    return primary_status in {_ALL_STATUS, result} or (
        primary_status == _NOT_DELETED_STATUS and result != "STATUS_DELETE"
    )


def _select_fields(row: dict[str, Any], fields: Sequence[str] | None) -> dict[str, Any]:
    require(
        set(fields or ()) <= set(row), f"fields: {min(set(fields or ()) - set(row), default='')} is not a valid field."
    )
    return {name: row[name] for name in fields} if fields else row
