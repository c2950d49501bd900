"""Custom conversions at TikTok: events of a pixel that match rules."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors import advertising
from socialgate.connectors.advertising import chosen, inverse, option_faults, unsupported, word_faults
from socialgate.connectors.forms import given
from socialgate.connectors.json_paths import list_at, rows_at, text_at
from socialgate.connectors.tiktokads.ads import options
from socialgate.connectors.tiktokads.ads.objects import Listed
from socialgate.connectors.tiktokads.ads.pixels import TikTokPixels
from socialgate.connectors.tiktokads.ads.words import EVENTS, EVENTS_READ, when
from socialgate.connectors.tiktokads.commerce import access
from socialgate.connectors.tiktokads.paging import page_of
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.contracts.ad_audiences import ConversionRule, CustomConversion, NewConversion
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import AdPage, AdQuery, Change
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.operations import Looked
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
_OPERATORS_READ, _FIELDS_READ = inverse(RULE_OPERATORS), inverse(RULE_FIELDS)
_EQUAL = frozenset({"is", "isNot"})
_TEXTS, _NUMBERS = _EQUAL | {"contains", "notContains", "startsWith"}, frozenset(RULE_OPERATORS)
_NUMBERS -= {"contains", "notContains", "startsWith"}
_NAME = re.compile(r"[^\W\d_][\w \-]{0,49}")
_MOST, _MOST_PAGES, _MOST_RULES = 100, 100, 10


class _Made(msgspec.Struct, frozen=True):
    custom_conversion_id: int | str


class TikTokConversions:
    needs_pixel = True

    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api
        self._pixels = TikTokPixels(api)

    def faults(self, new: NewConversion) -> Sequence[Fault]:
        faults = [*word_faults("TikTok", "/event", new.event, EVENTS), *option_faults(new.options, options.CONVERSIONS)]
        faults += unsupported("/value", new.value, "On TikTok, the value comes from each event. Remove it.")
        if not 1 <= len(new.rules) <= _MOST_RULES:
            faults.append(Fault("/rules", "out_of_range", f"TikTok requires 1 to {_MOST_RULES} rules."))
        if not _NAME.fullmatch(new.name):
            text = "TikTok requires a name of at most 50 letters, digits, spaces, - or _ that starts with a letter."
            faults.append(Fault("/name", "invalid", text))
        for number, rule in enumerate(new.rules):
            able = _NUMBERS if rule.field == "value" else _EQUAL if rule.field == "currency" else _TEXTS
            faults += word_faults("TikTok", f"/rules/{number}/operator", rule.operator, sorted(able))
        return faults

    def change_faults(self, change: Change) -> Sequence[Fault]:
        own = advertising.change_faults("TikTok", change, {"name", "description"})
        only = "On TikTok, only the name and the description of a custom conversion can be changed."
        return [*own, *unsupported("/platformOptions", change.options, only)]

    async def list(self, held: AccountCredentials, query: AdQuery) -> AdPage[CustomConversion]:
        page, size = page_of(query.cursor, min(query.limit, _MOST))
        found = await self._page(held, query.pixel_id or "", page, size)
        return AdPage(items=chosen([_item(row) for row in found.list or ()], query), cursor=found.page_info.after(size))

    async def find(self, held: AccountCredentials, item_id: str) -> CustomConversion:
        """Look for a conversion among those of each pixel: TikTok only finds it together with its pixel."""
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            pixels = await self._pixels.list(held, AdQuery(limit=_MOST, cursor=cursor))
            for pixel in pixels.items:
                found = await self._page(held, pixel.id, 1, _MOST, search_keyword=item_id)
                own = [row for row in found.list or () if text_at(row, "custom_conversion_id") == item_id]
                if own:
                    return _item(own[0])
            cursor = pixels.cursor
            if cursor is None:
                break
        raise PlatformNotFound("The ad account has no such conversion.", platform=Platform.TIKTOKADS)

    async def create(self, held: AccountCredentials, new: NewConversion) -> CustomConversion:
        rules = [
            {"parameter": RULE_FIELDS[one.field], "operator": RULE_OPERATORS[one.operator], "values": list(one.values)}
            for one in new.rules
        ]
        written = {
            "name": new.name,
            "description": new.description,
            "event_source_type": "PIXEL",
            "event_source_id": new.pixel_id,
            "optimization_event": EVENTS[new.event],
            "rules": rules,
        }
        body = {**new.options, **given(written), "advertiser_id": held.platform_account_id}
        made = await access(self._api, held).post("custom_conversion/create/", _Made, body, repeatable=False)
        return _item({**body, "custom_conversion_id": str(made.custom_conversion_id)})

    async def look(self, held: AccountCredentials, new: NewConversion) -> Looked[CustomConversion]:
        items: list[CustomConversion] = []
        for page in range(1, _MOST_PAGES + 1):
            found = await self._page(held, new.pixel_id, page, _MOST)
            items += [_item(row) for row in found.list or ()]
            if found.page_info.after(_MOST) is None:
                break
        return advertising.found(items, new)

    async def update(self, held: AccountCredentials, item_id: str, change: Change) -> None:
        before = await self.find(held, item_id)
        # TikTok requires the name, also if only the description changes.
        about = given({"name": change.name or before.name, "description": change.description})
        await self._post(held, "update", custom_conversion_id=item_id, **about)

    async def delete(self, held: AccountCredentials, item_id: str) -> None:
        await self.find(held, item_id)
        await self._post(held, "delete", custom_conversion_id=item_id)

    async def _page(self, held: AccountCredentials, pixel_id: str, page: int, size: int, **more: str) -> Listed:
        source = {"event_source_type": "PIXEL", "event_source_id": pixel_id, "page": page, "page_size": size, **more}
        path, whose = "custom_conversion/list/", held.platform_account_id
        return await access(self._api, held).get(path, Listed, advertiser_id=whose, **source)

    async def _post(self, held: AccountCredentials, verb: str, **body: Any) -> None:
        whose = {**body, "advertiser_id": held.platform_account_id}
        await access(self._api, held).post(f"custom_conversion/{verb}/", object, whose, repeatable=False)


def _item(row: Mapping[str, Any]) -> CustomConversion:
    rules = [_rule(one) for one in rows_at(row, "rules")]
    read = tuple(one for one in rules if one is not None)
    activity = text_at(row, "activity_info", "activity_status")
    return CustomConversion(
        id=text_at(row, "custom_conversion_id"),
        name=text_at(row, "name") or None,
        status=AdStatus.ACTIVE,
        reason=activity if activity not in {"", "ACTIVE"} else None,
        created_at=when(row.get("create_time")),
        pixel_id=text_at(row, "event_source_id") or None,
        event=EVENTS_READ.get(text_at(row, "optimization_event")),
        description=text_at(row, "description") or None,
        rules=read if len(read) == len(rules) else None,
        platform_rule=row.get("rules"),
    )


def _rule(row: Mapping[str, Any]) -> ConversionRule | None:
    field, operator = _FIELDS_READ.get(text_at(row, "parameter")), _OPERATORS_READ.get(text_at(row, "operator"))
    if field is None or operator is None:
        return None
    values = tuple(map(str, list_at(row, "values")))
    return ConversionRule(field=field, operator=operator, values=values)  # type: ignore[arg-type]  # from the tables
