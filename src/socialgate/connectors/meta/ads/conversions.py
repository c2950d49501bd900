"""Custom conversions at Meta: events of a pixel that match rules."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from socialgate.connectors.advertising import (
    get_account_currency,
    invert_table,
    parse_reported_amount,
    require_account_currency,
    validate_choice,
)
from socialgate.connectors.graph.dialect import parse_time
from socialgate.connectors.json_paths import get_text_or_number
from socialgate.connectors.meta.ads import reserved_options
from socialgate.connectors.meta.ads.mappings import EVENTS_BY_VENDOR_NAME, VENDOR_NAMES_BY_EVENT
from socialgate.connectors.meta.ads.objects import MetaAdObjects
from socialgate.contracts import money
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_audiences import ConversionRule, CustomConversion, NewConversion
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import AdObjectChanges, AdPage, AdQuery
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
_OPERATORS_BY_VENDOR_NAME, _FIELDS_BY_VENDOR_NAME = invert_table(RULE_OPERATORS), invert_table(RULE_FIELDS)


class MetaConversions(MetaAdObjects[CustomConversion, NewConversion]):
    needs_pixel = False
    edge = "customconversions"
    fields = (
        "id,name,description,rule,custom_event_type,default_conversion_value,pixel,creation_time,last_fired_time,"
        "is_archived,is_unavailable"
    )
    changeable_fields = frozenset({"name", "description", "value"})
    reserved_options = reserved_options.RESERVED_CONVERSION_OPTIONS

    async def list(self, credentials: AccountCredentials, query: AdQuery) -> AdPage[CustomConversion]:
        page = await super().list(credentials, query)
        items = [item for item in page.items if query.pixel_id in {None, item.pixel_id}]
        return AdPage(items=items, cursor=page.cursor)

    def _validate_new(self, new: NewConversion) -> Iterator[Fault]:
        yield from validate_choice("Meta", "/event", new.event, VENDOR_NAMES_BY_EVENT)

    async def _build_create_params(self, credentials: AccountCredentials, new: NewConversion) -> Mapping[str, Any]:
        return {
            "name": new.name,
            "description": new.description,
            "event_source_id": new.pixel_id,
            "custom_event_type": VENDOR_NAMES_BY_EVENT[new.event],
            "rule": {"and": [_encode_rule(rule) for rule in new.rules]},
            "default_conversion_value": _encode_value(credentials, new.value),
        }

    async def _build_update_params(
        self, credentials: AccountCredentials, change: AdObjectChanges, before: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        del before
        value = _encode_value(credentials, change.value)
        return {"name": change.name, "description": change.description, "default_conversion_value": value}

    def _parse_item(self, credentials: AccountCredentials, row: Mapping[str, Any]) -> CustomConversion:
        rule = _decode_rule(row.get("rule"))
        status = AdStatus.BLOCKED if row.get("is_unavailable") else AdStatus.ACTIVE
        value = parse_reported_amount(row.get("default_conversion_value"), get_account_currency(credentials))
        return CustomConversion(
            id=get_text_or_number(row, "id"),
            name=get_text_or_number(row, "name") or None,
            status=AdStatus.ARCHIVED if row.get("is_archived") else status,
            created_at=parse_time(get_text_or_number(row, "creation_time")),
            pixel_id=get_text_or_number(row, "pixel", "id") or get_text_or_number(row, "event_source_id") or None,
            event=EVENTS_BY_VENDOR_NAME.get(get_text_or_number(row, "custom_event_type")),
            description=get_text_or_number(row, "description") or None,
            rules=_parse_rules(rule),
            platform_rule=rule,
            value=value if value is not None and value.amount else None,
            last_fired_at=parse_time(get_text_or_number(row, "last_fired_time")),
        )


def _encode_value(credentials: AccountCredentials, value: Money | None) -> float | None:
    """Write an amount in whole units, which this is in, other than budgets."""
    return (
        None if value is None else money.to_float(require_account_currency(credentials, value, Platform.META, "/value"))
    )


def _encode_rule(rule: ConversionRule) -> dict[str, Any]:
    operator, field = RULE_OPERATORS[rule.operator], RULE_FIELDS[rule.field]
    leaves = [{field: {operator: value}} for value in rule.values]
    # Something is not one of several values if it is none of them.
    join = "and" if rule.operator in {"isNot", "notContains"} else "or"
    return leaves[0] if len(leaves) == 1 else {join: leaves}


def _decode_rule(rule: Any) -> Any:
    try:
        return msgspec.json.decode(rule) if isinstance(rule, str) else rule
    except msgspec.DecodeError:
        return rule


def _parse_rules(rule: Any) -> tuple[ConversionRule, ...] | None:
    """Read rules as ours; None if Meta's say more."""
    parts = rule.get("and") if isinstance(rule, dict) and "and" in rule else [rule]
    read = [_parse_rule(part) for part in parts] if isinstance(parts, list) else [None]
    conversion_rules = tuple(conversion_rule for conversion_rule in read if conversion_rule is not None)
    return conversion_rules if len(conversion_rules) == len(read) else None


def _parse_rule(part: Any) -> ConversionRule | None:
    leaves = next((part[join] for join in ("or", "and") if isinstance(part, dict) and join in part), [part])
    read = [_parse_condition(leave) for leave in leaves] if isinstance(leaves, list) else []
    if not read or any(item is None or item[:2] != read[0][:2] for item in read if read[0]) or read[0] is None:
        return None
    field, operator = read[0][:2]
    values = tuple(item[2] for item in read if item is not None)
    return ConversionRule(field=field, operator=operator, values=values)  # type: ignore[arg-type]  # from the tables


def _parse_condition(part: Any) -> tuple[str, str, str] | None:
    """Read a condition such as {"url": {"i_contains": "thanks"}}."""
    if not isinstance(part, dict) or len(part) != 1:
        return None
    ((field, test),) = part.items()
    if field not in _FIELDS_BY_VENDOR_NAME or not isinstance(test, dict) or len(test) != 1:
        return None
    ((operator, value),) = test.items()
    if operator not in _OPERATORS_BY_VENDOR_NAME:
        return None
    return _FIELDS_BY_VENDOR_NAME[field], _OPERATORS_BY_VENDOR_NAME[operator], str(value)
