"""Finding what ads can be aimed at: `GET /search?type=adgeolocation&q=...`."""

from collections.abc import Callable, Mapping
from typing import Any

from socialgate_sandbox.dialects.graph.errors import wrong
from socialgate_sandbox.dialects.graph.given import text, words
from socialgate_sandbox.kit import Call
from socialgate_sandbox.vendors.meta.ads.accounts import require_ads
from socialgate_sandbox.vendors.meta.ads.geography import COUNTRIES, INTERESTS, LOCALES, PLACES
from socialgate_sandbox.vendors.meta.state import AdAccount

_MILLION = 1_000_000
_USUAL, _MOST = 25, 1000


def _places(call: Call) -> list[dict[str, Any]]:
    kinds, country = words(call.params.get("location_types")), text(call, "country_code")
    begins = text(call, "q").lower()
    return [
        place.row()
        for place in PLACES.values()
        if place.name.lower().startswith(begins)
        and (not kinds or place.type in kinds)
        and (not country or place.country == country)
    ]


def _interest(key: str) -> dict[str, Any]:
    name, topic, size = INTERESTS[key]
    bounds = {"audience_size_lower_bound": size * _MILLION, "audience_size_upper_bound": size * _MILLION * 12 // 10}
    return {"id": key, "name": name, **bounds, "path": ["Interests", topic, name], "description": None, "topic": topic}


def _interests(call: Call) -> list[dict[str, Any]]:
    wanted = text(call, "q").lower()
    return [_interest(key) for key, (name, _topic, _size) in INTERESTS.items() if wanted in name.lower()]


def _suggestions(call: Call) -> list[dict[str, Any]]:
    """List what is in the same topics."""
    names = set(words(call.params.get("interest_list")))
    topics = {topic for name, topic, _size in INTERESTS.values() if name in names}
    return [_interest(key) for key, (name, topic, _) in INTERESTS.items() if topic in topics and name not in names]


def _valid(call: Call) -> list[dict[str, Any]]:
    known = {name: key for key, (name, _topic, _size) in INTERESTS.items()}
    found = words(call.params.get("interest_list"))
    return [{"name": name, "valid": name in known, **({"id": known[name]} if name in known else {})} for name in found]


def _locales(call: Call) -> list[dict[str, Any]]:
    return [{"key": key, "name": name} for key, name in LOCALES.items() if text(call, "q").lower() in name.lower()]


def _country_list(call: Call) -> list[dict[str, Any]]:
    begins = text(call, "q").lower()
    rows = ((code, name) for code, name in COUNTRIES.items() if name.lower().startswith(begins))
    return [{"country_code": code, "name": name, "supports_city": True, "supports_region": True} for code, name in rows]


_TYPES: Mapping[str, Callable[[Call], list[dict[str, Any]]]] = {
    "adgeolocation": _places,
    "adinterest": _interests,
    "adinterestsuggestion": _suggestions,
    "adinterestvalid": _valid,
    "adlocale": _locales,
    "adcountry": _country_list,
}


def search(call: Call) -> Any:
    require_ads(call)
    find = _TYPES.get(text(call, "type"))
    if find is None:
        raise wrong(f"Param type must be one of {{{', '.join(_TYPES)}}}")
    limit = text(call, "limit") or str(_USUAL)
    if not limit.isdecimal():
        raise wrong("Param limit must be a nonnegative integer")
    return {"data": find(call)[: min(int(limit), _MOST)]}


def targeting_search(call: Call, _account: AdAccount) -> Any:
    return {"data": [{**row, "type": "interests"} for row in _interests(call)]}
