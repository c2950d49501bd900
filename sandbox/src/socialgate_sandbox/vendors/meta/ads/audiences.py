"""Custom audiences: customer lists, visitors of websites, people who engaged, and people like them."""

import re
from datetime import timedelta
from hashlib import blake2b
from typing import Any

from socialgate_sandbox.dialects.graph.errors import wrong
from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.given import parsed
from socialgate_sandbox.dialects.graph.nodes import NodeType, own
from socialgate_sandbox.dialects.graph.objects import (
    Objects,
    anything,
    choice,
    invalid,
    mapping,
    stored,
    string,
    truth,
    whole,
)
from socialgate_sandbox.kit import Call, Thing, World, digits
from socialgate_sandbox.society.campaigns import Kept
from socialgate_sandbox.vendors.meta.ads.accounts import require_advertiser
from socialgate_sandbox.vendors.meta.ads.geography import COUNTRIES

_NODE = "CustomAudience"
_HASH = re.compile(r"[0-9a-f]{64}")
_HASHED = {"EMAIL", "PHONE", "GEN", "DOBY", "DOBM", "DOBD", "LN", "FN", "FI", "CT", "ST", "ZIP", "COUNTRY"}
_PLAIN = {"EXTERN_ID", "MADID", "APPUID", "UID", "LOOKALIKE_VALUE", "MOBILE_ADVERTISER_ID", "PAGEUID"}
_MOST_ROWS, _FEWEST_SEEDS, _SHOWN_FROM = 10_000, 100, 1000
_MATCHING = timedelta(hours=1)


class Audience(Kept, kw_only=True):
    """An audience of an ad account (the parent)."""


class Batch(Thing, kw_only=True):
    """People who were added to an audience (the parent), or removed from it, in one call of a session."""

    session: str
    people: list[str]
    added: bool
    last: bool = False


def people_in(world: World, audience: str) -> set[str]:
    found: set[str] = set()
    for batch in world.store.find(Batch, parent=audience):
        found = found | set(batch.people) if batch.added else found - set(batch.people)
    return found


def _size(world: World, one: Audience) -> int:
    """Return how many people there are: -1 if that is not known yet. Few are always shown as a thousand."""
    if one.fields["subtype"] == "CUSTOM":
        matched = len(people_in(world, one.id)) * 7 // 10
        return -1 if not matched or _is_busy(world, one) else max(_SHOWN_FROM, matched)
    draw = int.from_bytes(blake2b(one.id.encode(), digest_size=4).digest()) % 90
    return -1 if _is_busy(world, one) else (10 + draw) * _SHOWN_FROM


def _is_busy(world: World, one: Audience) -> bool:
    return world.clock.now() - one.changed < _MATCHING


def _bound(factor: int) -> Any:
    return lambda call, one, _field: size if (size := _size(call.world, one)) < 0 else size * factor // 10


def _operation(call: Call, one: Audience, _field: Field) -> dict[str, Any]:
    if _is_busy(call.world, one):
        return {"code": 441, "description": "We're finding people who fit your audience criteria."}
    return {"code": 200, "description": "Normal"}


def _delivery(call: Call, one: Audience, _field: Field) -> dict[str, Any]:
    if _size(call.world, one) < 0:
        return {"code": 300, "description": "This audience is too small or not ready to be used in ads."}
    return {"code": 200, "description": "This audience is ready for use."}


def _lookalike(_call: Call, one: Audience, _field: Field) -> Any:
    spec = one.fields.get("lookalike_spec")
    origin = {"id": one.fields.get("origin_audience_id"), "type": "custom_audience"}
    return {**spec, "origin": [origin]} if isinstance(spec, dict) else None


AUDIENCE = NodeType(
    _NODE,
    {
        **own("id", "name"),
        **stored("subtype", "description", "rule", "retention_days", "customer_file_source", "pixel_id"),
        "account_id": lambda _call, one, _field: one.parent.removeprefix("act_"),
        "time_created": lambda _call, one, _field: int(one.made.timestamp()),
        "time_updated": lambda _call, one, _field: int(one.changed.timestamp()),
        "approximate_count_lower_bound": _bound(10),
        "approximate_count_upper_bound": _bound(12),
        "operation_status": _operation,
        "delivery_status": _delivery,
        "lookalike_spec": _lookalike,
        "is_value_based": lambda _call, one, _field: bool(one.fields.get("is_value_based")),
    },
    ("id",),
)


def _write(call: Call, one: Audience, _given: dict[str, Any]) -> None:
    kind = one.fields.setdefault("subtype", "WEBSITE" if "rule" in one.fields else "CUSTOM")
    if kind == "CUSTOM" and "customer_file_source" not in one.fields:
        raise invalid("customer_file_source", "Say where the customers' data comes from.", title="Source Is Missing")
    if kind in {"WEBSITE", "ENGAGEMENT"} and not isinstance(parsed(one.fields.get("rule")), dict):
        raise invalid("rule", "The audience needs a rule, as JSON.", title="Invalid Rule")
    if kind == "LOOKALIKE":
        _check_lookalike(call, one)


def _check_lookalike(call: Call, one: Audience) -> None:
    spec, origin = one.fields.get("lookalike_spec") or {}, str(one.fields.get("origin_audience_id", ""))
    seed = call.world.store.get(Audience, origin)
    if seed is None or seed.parent != one.parent:
        raise invalid("origin_audience_id", "The source audience does not exist.", subcode=1713092, code=2654)
    if not isinstance(spec, dict) or spec.get("country", "US") not in COUNTRIES:
        raise invalid("lookalike_spec", "The country of a lookalike is a two-letter code.", title="Invalid Country")
    if not 0.01 <= float(spec.get("ratio", 0.01)) <= 0.20:  # noqa: PLR2004 - as in Meta's reference
        raise invalid("lookalike_spec", "The ratio is from 0.01 to 0.20.", title="Invalid Ratio")
    if seed.fields["subtype"] == "CUSTOM" and len(people_in(call.world, seed.id)) < _FEWEST_SEEDS:
        said = "The source audience needs at least 100 people."
        raise invalid("origin_audience_id", said, code=2654, title="Source Audience Too Small")


def change_people(call: Call, one: Audience, *, replace: bool = False) -> Any:
    """Add people to a customer list with POST, and remove them with DELETE."""
    require_advertiser(call, one.parent)
    if one.fields["subtype"] != "CUSTOM":
        raise wrong("People can be added only to audiences of the subtype CUSTOM")
    payload = mapping("payload", call.params.get("payload"))
    rows, schema = payload.get("data"), payload.get("schema")
    names = [str(name).removesuffix("_SHA256") for name in (schema if isinstance(schema, list) else [schema])]
    if not set(names) <= _HASHED | _PLAIN:
        raise wrong("Param payload[schema] must be a list of the documented keys")
    if not isinstance(rows, list) or not 0 < len(rows) <= _MOST_ROWS:
        raise wrong(f"Param payload[data] must be an array of 1 to {_MOST_ROWS} rows")
    people = {str(row): _person(names, row) for row in rows}
    session, last = _session(call, one, replace=replace)
    found = list(filter(None, people.values()))
    batch = Batch(id=digits(16), parent=one.id, session=session, people=found, added=call.method != "DELETE", last=last)
    call.world.store.put(batch)
    one.changed = call.world.clock.now()
    call.world.store.put(one)
    wrong_rows = [row for row in rows if people[str(row)] is None]
    return {
        "audience_id": one.id,
        "session_id": session,
        "num_received": len(rows),
        "num_invalid_entries": len(wrong_rows),
        "invalid_entry_samples": {str(row): "Not hashed as expected" for row in wrong_rows[:5]},
    }


def replace_people(call: Call, one: Audience) -> Any:
    return change_people(call, one, replace=True)


def _person(names: list[str], row: Any) -> str | None:
    """Return a key for the person of a row, or None if the row does not fit the schema or is not hashed."""
    values = [str(value) for value in row] if isinstance(row, list) else [str(row)]
    fits = len(values) == len(names) and any(values)
    hashed = all(
        name in _PLAIN or not value or _HASH.fullmatch(value) for name, value in zip(names, values, strict=False)
    )
    return blake2b("|".join(values).encode(), digest_size=8).hexdigest() if fits and hashed else None


def _session(call: Call, one: Audience, *, replace: bool) -> tuple[str, bool]:
    """Check the session that a batch belongs to. The first batch that replaces people removes all others."""
    given = parsed(call.params.get("session")) or {"session_id": digits(10), "batch_seq": 1, "last_batch_flag": True}
    if not isinstance(given, dict) or not {"session_id", "batch_seq"} <= given.keys():
        raise wrong("Param session must have session_id and batch_seq")
    session = str(given["session_id"])
    earlier = [batch for batch in call.world.store.find(Batch, parent=one.id) if batch.session == session]
    if any(batch.last for batch in earlier):
        raise wrong("The session was closed by its last batch")
    if replace and not earlier:
        call.world.store.clear(Batch, parent=one.id)
    return session, bool(given.get("last_batch_flag"))


AUDIENCES = Objects(
    node=AUDIENCE,
    kind=Audience,
    params={
        **dict.fromkeys(("name", "description", "rule", "origin_audience_id", "pixel_id"), string),
        "subtype": choice(_NODE, "subtype"),
        "customer_file_source": choice(_NODE, "customer_file_source"),
        "lookalike_spec": anything,
        "retention_days": whole,
        "prefill": truth,
        "is_value_based": truth,
    },
    guard=require_advertiser,
    write=_write,
    changes=("name", "description", "rule", "retention_days"),
)
