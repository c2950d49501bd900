"""Custom conversions at TikTok: events of a pixel that match rules."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors import advertising
from socialgate.connectors.advertising import (
    filter_items,
    invert_table,
    reject_if_given,
    validate_choice,
    validate_options,
)
from socialgate.connectors.json_paths import get_list, get_objects, get_text_or_number
from socialgate.connectors.post_options import drop_none
from socialgate.connectors.tiktokads.ads import reserved_options
from socialgate.connectors.tiktokads.ads.mappings import EVENTS_BY_VENDOR_NAME, VENDOR_NAMES_BY_EVENT, parse_time
from socialgate.connectors.tiktokads.ads.objects import RowPage
from socialgate.connectors.tiktokads.ads.pixels import TikTokPixels
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.connectors.tiktokads.commerce import api_for_account
from socialgate.connectors.tiktokads.paging import parse_page_cursor
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_audiences import ConversionRule, CustomConversion, NewConversion
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import AdObjectChanges, AdPage, AdQuery
from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.contracts.operations import LookupResult
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

RULE_OPERATORS = {
    "is": "EQUAL", "isNot": "NOT_EQUAL", "contains": "CONTAIN", "notContains": "NOT_CONTAIN",
    "startsWith": "START_WITH", "greaterThan": "GT", "atLeast": "GTE", "lessThan": "LT", "atMost": "LTE",
}  # fmt: skip
RULE_FIELDS = {
    "url": "URL", "value": "VALUE", "currency": "CURRENCY", "contentId": "CONTENT_ID", "contentName": "CONTENT_NAME",
    "contentCategory": "CONTENT_CATEGORY", "brand": "BRAND",
}  # fmt: skip
_OPERATORS_BY_VENDOR_NAME, _FIELDS_BY_VENDOR_NAME = invert_table(RULE_OPERATORS), invert_table(RULE_FIELDS)
_EQUALITY_OPERATORS = frozenset({"is", "isNot"})
_TEXT_OPERATORS, _NUMBER_OPERATORS = (
    _EQUALITY_OPERATORS | {"contains", "notContains", "startsWith"},
    frozenset(RULE_OPERATORS),
)
_NUMBER_OPERATORS -= {"contains", "notContains", "startsWith"}
_NAME_PATTERN = re.compile(r"[^\W\d_][\w \-]{0,49}")
_MAX_PAGE_SIZE, _MAX_PAGES, _MAX_RULES = 100, 100, 10


class _CreateResponse(msgspec.Struct, frozen=True):
    custom_conversion_id: int | str


class TikTokConversions:
    needs_pixel = True

    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api
        self._pixels = TikTokPixels(api)

    def validate_new_object(self, new: NewConversion) -> Sequence[Fault]:
        faults = [
            *validate_choice("TikTok", "/event", new.event, VENDOR_NAMES_BY_EVENT),
            *validate_options(new.options, reserved_options.RESERVED_CONVERSION_OPTIONS),
        ]
        faults += reject_if_given("/value", new.value, "On TikTok, the value comes from each event. Remove it.")
        if not 1 <= len(new.rules) <= _MAX_RULES:
            faults.append(Fault("/rules", "out_of_range", f"TikTok requires 1 to {_MAX_RULES} rules."))
        if not _NAME_PATTERN.fullmatch(new.name):
            text = "TikTok requires a name of at most 50 letters, digits, spaces, - or _ that starts with a letter."
            faults.append(Fault("/name", "invalid", text))
        for number, rule in enumerate(new.rules):
            able = (
                _NUMBER_OPERATORS
                if rule.field == "value"
                else _EQUALITY_OPERATORS
                if rule.field == "currency"
                else _TEXT_OPERATORS
            )
            faults += validate_choice("TikTok", f"/rules/{number}/operator", rule.operator, sorted(able))
        return faults

    def validate_changes(self, change: AdObjectChanges) -> Sequence[Fault]:
        own = advertising.validate_changes("TikTok", change, {"name", "description"})
        only = "On TikTok, only the name and the description of a custom conversion can be changed."
        return [*own, *reject_if_given("/platformOptions", change.options, only)]

    async def list(self, credentials: AccountCredentials, query: AdQuery) -> AdPage[CustomConversion]:
        page, size = parse_page_cursor(query.cursor, min(query.limit, _MAX_PAGE_SIZE))
        row_page = await self._fetch_page(credentials, query.pixel_id or "", page, size)
        return AdPage(
            items=filter_items([_parse_conversion(row) for row in row_page.list or ()], query),
            cursor=row_page.page_info.get_next_cursor(size),
        )

    async def find(self, credentials: AccountCredentials, item_id: str) -> CustomConversion:
        """Look for a conversion among those of each pixel: TikTok only finds it together with its pixel."""
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            pixels = await self._pixels.list(credentials, AdQuery(limit=_MAX_PAGE_SIZE, cursor=cursor))
            for pixel in pixels.items:
                row_page = await self._fetch_page(credentials, pixel.id, 1, _MAX_PAGE_SIZE, search_keyword=item_id)
                own = [row for row in row_page.list or () if get_text_or_number(row, "custom_conversion_id") == item_id]
                if own:
                    return _parse_conversion(own[0])
            cursor = pixels.cursor
            if cursor is None:
                break
        raise PlatformNotFoundError("The ad account has no such conversion.", platform=Platform.TIKTOKADS)

    async def create(self, credentials: AccountCredentials, new: NewConversion) -> CustomConversion:
        rules = [
            {
                "parameter": RULE_FIELDS[rule.field],
                "operator": RULE_OPERATORS[rule.operator],
                "values": list(rule.values),
            }
            for rule in new.rules
        ]
        written = {
            "name": new.name,
            "description": new.description,
            "event_source_type": "PIXEL",
            "event_source_id": new.pixel_id,
            "optimization_event": VENDOR_NAMES_BY_EVENT[new.event],
            "rules": rules,
        }
        body = {**new.options, **drop_none(written), "advertiser_id": credentials.platform_account_id}
        create_response = await api_for_account(self._api, credentials).post(
            "custom_conversion/create/", _CreateResponse, body, repeatable=False
        )
        return _parse_conversion({**body, "custom_conversion_id": str(create_response.custom_conversion_id)})

    async def look_up_result(
        self, credentials: AccountCredentials, new: NewConversion
    ) -> LookupResult[CustomConversion]:
        items: list[CustomConversion] = []
        for page in range(1, _MAX_PAGES + 1):
            row_page = await self._fetch_page(credentials, new.pixel_id, page, _MAX_PAGE_SIZE)
            items += [_parse_conversion(row) for row in row_page.list or ()]
            if row_page.page_info.get_next_cursor(_MAX_PAGE_SIZE) is None:
                break
        return advertising.find_created_item(items, new)

    async def update(self, credentials: AccountCredentials, item_id: str, change: AdObjectChanges) -> None:
        before = await self.find(credentials, item_id)
        # TikTok requires the name, also if only the description changes.
        about = drop_none({"name": change.name or before.name, "description": change.description})
        await self._post(credentials, "update", custom_conversion_id=item_id, **about)

    async def delete(self, credentials: AccountCredentials, item_id: str) -> None:
        await self.find(credentials, item_id)
        await self._post(credentials, "delete", custom_conversion_id=item_id)

    async def _fetch_page(
        self, credentials: AccountCredentials, pixel_id: str, page: int, size: int, **more: str
    ) -> RowPage:
        source = {"event_source_type": "PIXEL", "event_source_id": pixel_id, "page": page, "page_size": size, **more}
        path, whose = "custom_conversion/list/", credentials.platform_account_id
        return await api_for_account(self._api, credentials).get(path, RowPage, advertiser_id=whose, **source)

    async def _post(self, credentials: AccountCredentials, verb: str, **body: Any) -> None:
        whose = {**body, "advertiser_id": credentials.platform_account_id}
        await api_for_account(self._api, credentials).post(
            f"custom_conversion/{verb}/", object, whose, repeatable=False
        )


def _parse_conversion(row: Mapping[str, Any]) -> CustomConversion:
    rules = [_parse_rule(item) for item in get_objects(row, "rules")]
    read = tuple(rule for rule in rules if rule is not None)
    activity = get_text_or_number(row, "activity_info", "activity_status")
    return CustomConversion(
        id=get_text_or_number(row, "custom_conversion_id"),
        name=get_text_or_number(row, "name") or None,
        status=AdStatus.ACTIVE,
        reason=activity if activity not in {"", "ACTIVE"} else None,
        created_at=parse_time(row.get("create_time")),
        pixel_id=get_text_or_number(row, "event_source_id") or None,
        event=EVENTS_BY_VENDOR_NAME.get(get_text_or_number(row, "optimization_event")),
        description=get_text_or_number(row, "description") or None,
        rules=read if len(read) == len(rules) else None,
        platform_rule=row.get("rules"),
    )


def _parse_rule(row: Mapping[str, Any]) -> ConversionRule | None:
    field, operator = (
        _FIELDS_BY_VENDOR_NAME.get(get_text_or_number(row, "parameter")),
        _OPERATORS_BY_VENDOR_NAME.get(get_text_or_number(row, "operator")),
    )
    if field is None or operator is None:
        return None
    values = tuple(map(str, get_list(row, "values")))
    return ConversionRule(field=field, operator=operator, values=values)  # type: ignore[arg-type]  # from the tables
