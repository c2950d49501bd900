"""Custom audiences: customer lists, visitors of websites, people who engaged, and people like them."""

import re
from datetime import timedelta
from hashlib import blake2b
from typing import Any

from socialgate_sandbox.dialects.graph.errors import build_parameter_error
from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.managed_objects import (
    ManagedObjects,
    build_blame_error,
    build_choice_parser,
    parse_any,
    parse_boolean,
    parse_object,
    parse_string,
    parse_whole_number,
    resolve_stored,
)
from socialgate_sandbox.dialects.graph.nodes import NodeType, resolve_attributes
from socialgate_sandbox.dialects.graph.parameters import parse_json_text
from socialgate_sandbox.kit import Call, StoredObject, VendorContext, generate_digits
from socialgate_sandbox.society.campaigns import AdAccountObject
from socialgate_sandbox.vendors.meta.ads.ad_accounts import require_advertise_role
from socialgate_sandbox.vendors.meta.ads.targeting_options import COUNTRIES

_NODE_NAME = "CustomAudience"
_HASH_PATTERN = re.compile(r"[0-9a-f]{64}")
_HASHED_KEYS = {"EMAIL", "PHONE", "GEN", "DOBY", "DOBM", "DOBD", "LN", "FN", "FI", "CT", "ST", "ZIP", "COUNTRY"}
_PLAIN_KEYS = {"EXTERN_ID", "MADID", "APPUID", "UID", "LOOKALIKE_VALUE", "MOBILE_ADVERTISER_ID", "PAGEUID"}
_MAX_ROWS, _MIN_SEED_PEOPLE, _MIN_SHOWN_SIZE = 10_000, 100, 1000
_MATCHING_TIME = timedelta(hours=1)


class Audience(AdAccountObject, kw_only=True):
    """An audience of an ad account (the parent)."""


class Batch(StoredObject, kw_only=True):
    """People who were added to an audience (the parent), or removed from it, in one call of a session."""

    session: str
    people: list[str]
    added: bool
    last: bool = False


def list_person_keys(context: VendorContext, audience: str) -> set[str]:
    result: set[str] = set()
    for batch in context.store.find(Batch, parent=audience):
        result = result | set(batch.people) if batch.added else result - set(batch.people)
    return result


def _estimate_size(context: VendorContext, audience: Audience) -> int:
    """Return how many people there are: -1 if that is not known yet. Few are always shown as a thousand."""
    if audience.fields["subtype"] == "CUSTOM":
        matched = len(list_person_keys(context, audience.id)) * 7 // 10
        return -1 if not matched or _is_matching(context, audience) else max(_MIN_SHOWN_SIZE, matched)
    draw = int.from_bytes(blake2b(audience.id.encode(), digest_size=4).digest()) % 90
    return -1 if _is_matching(context, audience) else (10 + draw) * _MIN_SHOWN_SIZE


def _is_matching(context: VendorContext, audience: Audience) -> bool:
    return context.clock.now() - audience.changed < _MATCHING_TIME


def _build_bound_resolver(factor: int) -> Any:
    return lambda call, item, _field: size if (size := _estimate_size(call.context, item)) < 0 else size * factor // 10


def _resolve_operation_status(call: Call, audience: Audience, _field: RequestedField) -> dict[str, Any]:
    if _is_matching(call.context, audience):
        return {"code": 441, "description": "We're finding people who fit your audience criteria."}
    return {"code": 200, "description": "Normal"}


def _resolve_delivery_status(call: Call, audience: Audience, _field: RequestedField) -> dict[str, Any]:
    if _estimate_size(call.context, audience) < 0:
        return {"code": 300, "description": "This audience is too small or not ready to be used in ads."}
    return {"code": 200, "description": "This audience is ready for use."}


def _resolve_lookalike_spec(_call: Call, audience: Audience, _field: RequestedField) -> Any:
    spec = audience.fields.get("lookalike_spec")
    origin = {"id": audience.fields.get("origin_audience_id"), "type": "custom_audience"}
    return {**spec, "origin": [origin]} if isinstance(spec, dict) else None


AUDIENCE_NODE_TYPE = NodeType(
    _NODE_NAME,
    {
        **resolve_attributes("id", "name"),
        **resolve_stored("subtype", "description", "rule", "retention_days", "customer_file_source", "pixel_id"),
        "account_id": lambda _call, item, _field: item.parent.removeprefix("act_"),
        "time_created": lambda _call, item, _field: int(item.created_at.timestamp()),
        "time_updated": lambda _call, item, _field: int(item.changed.timestamp()),
        "approximate_count_lower_bound": _build_bound_resolver(10),
        "approximate_count_upper_bound": _build_bound_resolver(12),
        "operation_status": _resolve_operation_status,
        "delivery_status": _resolve_delivery_status,
        "lookalike_spec": _resolve_lookalike_spec,
        "is_value_based": lambda _call, item, _field: bool(item.fields.get("is_value_based")),
    },
    ("id",),
)


def _validate_and_complete(call: Call, audience: Audience, _given: dict[str, Any]) -> None:
    kind = audience.fields.setdefault("subtype", "WEBSITE" if "rule" in audience.fields else "CUSTOM")
    if kind == "CUSTOM" and "customer_file_source" not in audience.fields:
        raise build_blame_error(
            "customer_file_source", "Say where the customers' data comes from.", title="Source Is Missing"
        )
    if kind in {"WEBSITE", "ENGAGEMENT"} and not isinstance(parse_json_text(audience.fields.get("rule")), dict):
        raise build_blame_error("rule", "The audience needs a rule, as JSON.", title="Invalid Rule")
    if kind == "LOOKALIKE":
        _validate_lookalike(call, audience)


def _validate_lookalike(call: Call, audience: Audience) -> None:
    spec, origin = audience.fields.get("lookalike_spec") or {}, str(audience.fields.get("origin_audience_id", ""))
    seed = call.context.store.get(Audience, origin)
    if seed is None or seed.parent != audience.parent:
        raise build_blame_error("origin_audience_id", "The source audience does not exist.", subcode=1713092, code=2654)
    if not isinstance(spec, dict) or spec.get("country", "US") not in COUNTRIES:
        raise build_blame_error(
            "lookalike_spec", "The country of a lookalike is a two-letter code.", title="Invalid Country"
        )
    if not 0.01 <= float(spec.get("ratio", 0.01)) <= 0.20:  # noqa: PLR2004 - as in Meta's reference
        raise build_blame_error("lookalike_spec", "The ratio is from 0.01 to 0.20.", title="Invalid Ratio")
    if seed.fields["subtype"] == "CUSTOM" and len(list_person_keys(call.context, seed.id)) < _MIN_SEED_PEOPLE:
        message = "The source audience needs at least 100 people."
        raise build_blame_error("origin_audience_id", message, code=2654, title="Source Audience Too Small")


def add_or_remove_people(call: Call, audience: Audience, *, replace: bool = False) -> Any:
    """Add people to a customer list with POST, and remove them with DELETE."""
    require_advertise_role(call, audience.parent)
    if audience.fields["subtype"] != "CUSTOM":
        raise build_parameter_error("People can be added only to audiences of the subtype CUSTOM")
    payload = parse_object("payload", call.params.get("payload"))
    rows, schema = payload.get("data"), payload.get("schema")
    names = [str(name).removesuffix("_SHA256") for name in (schema if isinstance(schema, list) else [schema])]
    if not set(names) <= _HASHED_KEYS | _PLAIN_KEYS:
        raise build_parameter_error("Param payload[schema] must be a list of the documented keys")
    if not isinstance(rows, list) or not 0 < len(rows) <= _MAX_ROWS:
        raise build_parameter_error(f"Param payload[data] must be an array of 1 to {_MAX_ROWS} rows")
    people = {str(row): _build_person_key(names, row) for row in rows}
    session, last = _validate_session(call, audience, replace=replace)
    result = list(filter(None, people.values()))
    batch = Batch(
        id=generate_digits(16),
        parent=audience.id,
        session=session,
        people=result,
        added=call.method != "DELETE",
        last=last,
    )
    call.context.store.put(batch)
    audience.changed = call.context.clock.now()
    call.context.store.put(audience)
    wrong_rows = [row for row in rows if people[str(row)] is None]
    return {
        "audience_id": audience.id,
        "session_id": session,
        "num_received": len(rows),
        "num_invalid_entries": len(wrong_rows),
        "invalid_entry_samples": {str(row): "Not hashed as expected" for row in wrong_rows[:5]},
    }


def replace_people(call: Call, audience: Audience) -> Any:
    return add_or_remove_people(call, audience, replace=True)


def _build_person_key(schema_keys: list[str], row: Any) -> str | None:
    """Return a key for the person of a row, or None if the row does not fit the schema or is not hashed."""
    values = [str(value) for value in row] if isinstance(row, list) else [str(row)]
    fits = len(values) == len(schema_keys) and any(values)
    hashed = all(
        name in _PLAIN_KEYS or not value or _HASH_PATTERN.fullmatch(value)
        for name, value in zip(schema_keys, values, strict=False)
    )
    return blake2b("|".join(values).encode(), digest_size=8).hexdigest() if fits and hashed else None


def _validate_session(call: Call, audience: Audience, *, replace: bool) -> tuple[str, bool]:
    """Check the session that a batch belongs to. The first batch that replaces people removes all others."""
    params = parse_json_text(call.params.get("session")) or {
        "session_id": generate_digits(10),
        "batch_seq": 1,
        "last_batch_flag": True,
    }
    if not isinstance(params, dict) or not {"session_id", "batch_seq"} <= params.keys():
        raise build_parameter_error("Param session must have session_id and batch_seq")
    session = str(params["session_id"])
    earlier = [batch for batch in call.context.store.find(Batch, parent=audience.id) if batch.session == session]
    if any(batch.last for batch in earlier):
        raise build_parameter_error("The session was closed by its last batch")
    if replace and not earlier:
        call.context.store.delete_all(Batch, parent=audience.id)
    return session, bool(params.get("last_batch_flag"))


AUDIENCES = ManagedObjects(
    node=AUDIENCE_NODE_TYPE,
    kind=Audience,
    parameter_parsers={
        **dict.fromkeys(("name", "description", "rule", "origin_audience_id", "pixel_id"), parse_string),
        "subtype": build_choice_parser(_NODE_NAME, "subtype"),
        "customer_file_source": build_choice_parser(_NODE_NAME, "customer_file_source"),
        "lookalike_spec": parse_any,
        "retention_days": parse_whole_number,
        "prefill": parse_boolean,
        "is_value_based": parse_boolean,
    },
    require_access=require_advertise_role,
    validate_and_complete=_validate_and_complete,
    changeable_params=("name", "description", "rule", "retention_days"),
)
