"""Custom conversions at Meta: events of a pixel that match rules."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from socialgate.connectors.advertising import currency_of, inverse, owned, reported, word_faults
from socialgate.connectors.graph.dialect import when
from socialgate.connectors.json_paths import text_at
from socialgate.connectors.meta.ads import options
from socialgate.connectors.meta.ads.objects import MetaObjects
from socialgate.connectors.meta.ads.words import EVENTS, EVENTS_READ
from socialgate.contracts import money
from socialgate.contracts.ad_audiences import ConversionRule, CustomConversion, NewConversion
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import AdPage, AdQuery, Change
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

RULE_OPERATORS = {
    "is": "eq", "isNot": "neq", "contains": "i_contains", "notContains": "i_not_contains",
    "startsWith": "i_starts_with", "greaterThan": "gt", "atLeast": "gte", "lessThan": "lt", "atMost": "lte",
}  # fmt: skip
RULE_FIELDS = {
    "url": "url", "value": "value", "currency": "currency", "contentId": "content_ids", "contentName": "content_name",
    "contentCategory": "content_category", "brand": "brand",
}  # fmt: skip
_OPERATORS_READ, _FIELDS_READ = inverse(RULE_OPERATORS), inverse(RULE_FIELDS)


class MetaConversions(MetaObjects[CustomConversion, NewConversion]):
    needs_pixel = False
    edge = "customconversions"
    fields = (
        "id,name,description,rule,custom_event_type,default_conversion_value,pixel,creation_time,last_fired_time,"
        "is_archived,is_unavailable"
    )
    able = frozenset({"name", "description", "value"})
    reserved = options.CONVERSIONS

    async def list(self, held: AccountCredentials, query: AdQuery) -> AdPage[CustomConversion]:
        page = await super().list(held, query)
        items = [one for one in page.items if query.pixel_id in {None, one.pixel_id}]
        return AdPage(items=items, cursor=page.cursor)

    def _faults(self, new: NewConversion) -> Iterator[Fault]:
        yield from word_faults("Meta", "/event", new.event, EVENTS)

    async def _body(self, held: AccountCredentials, new: NewConversion) -> Mapping[str, Any]:
        return {
            "name": new.name,
            "description": new.description,
            "event_source_id": new.pixel_id,
            "custom_event_type": EVENTS[new.event],
            "rule": {"and": [_written(rule) for rule in new.rules]},
            "default_conversion_value": _value(held, new.value),
        }

    async def _changes(self, held: AccountCredentials, change: Change, before: Mapping[str, Any]) -> Mapping[str, Any]:
        del before
        value = _value(held, change.value)
        return {"name": change.name, "description": change.description, "default_conversion_value": value}

    def _item(self, held: AccountCredentials, row: Mapping[str, Any]) -> CustomConversion:
        rule = _decoded(row.get("rule"))
        status = AdStatus.BLOCKED if row.get("is_unavailable") else AdStatus.ACTIVE
        value = reported(row.get("default_conversion_value"), currency_of(held))
        return CustomConversion(
            id=text_at(row, "id"),
            name=text_at(row, "name") or None,
            status=AdStatus.ARCHIVED if row.get("is_archived") else status,
            created_at=when(text_at(row, "creation_time")),
            pixel_id=text_at(row, "pixel", "id") or text_at(row, "event_source_id") or None,
            event=EVENTS_READ.get(text_at(row, "custom_event_type")),
            description=text_at(row, "description") or None,
            rules=_rules(rule),
            platform_rule=rule,
            value=value if value is not None and value.amount else None,
            last_fired_at=when(text_at(row, "last_fired_time")),
        )


def _value(held: AccountCredentials, value: Money | None) -> float | None:
    """Write an amount in whole units, which this is in, other than budgets."""
    return None if value is None else money.number(owned(held, value, Platform.META, "/value"))


def _written(rule: ConversionRule) -> dict[str, Any]:
    operator, field = RULE_OPERATORS[rule.operator], RULE_FIELDS[rule.field]
    leaves = [{field: {operator: value}} for value in rule.values]
    # Something is not one of several values if it is none of them.
    join = "and" if rule.operator in {"isNot", "notContains"} else "or"
    return leaves[0] if len(leaves) == 1 else {join: leaves}


def _decoded(rule: Any) -> Any:
    try:
        return msgspec.json.decode(rule) if isinstance(rule, str) else rule
    except msgspec.DecodeError:
        return rule


def _rules(rule: Any) -> tuple[ConversionRule, ...] | None:
    """Read rules as ours; None if Meta's say more."""
    parts = rule.get("and") if isinstance(rule, dict) and "and" in rule else [rule]
    read = [_rule(part) for part in parts] if isinstance(parts, list) else [None]
    found = tuple(one for one in read if one is not None)
    return found if len(found) == len(read) else None


def _rule(part: Any) -> ConversionRule | None:
    leaves = next((part[join] for join in ("or", "and") if isinstance(part, dict) and join in part), [part])
    read = [_leaf(one) for one in leaves] if isinstance(leaves, list) else []
    if not read or any(one is None or one[:2] != read[0][:2] for one in read if read[0]) or read[0] is None:
        return None
    field, operator = read[0][:2]
    values = tuple(one[2] for one in read if one is not None)
    return ConversionRule(field=field, operator=operator, values=values)  # type: ignore[arg-type]  # from the tables


def _leaf(part: Any) -> tuple[str, str, str] | None:
    """Read a condition such as {"url": {"i_contains": "thanks"}}."""
    if not isinstance(part, dict) or len(part) != 1:
        return None
    ((field, test),) = part.items()
    if field not in _FIELDS_READ or not isinstance(test, dict) or len(test) != 1:
        return None
    ((operator, value),) = test.items()
    if operator not in _OPERATORS_READ:
        return None
    return _FIELDS_READ[field], _OPERATORS_READ[operator], str(value)
