"""Finding what ads can be aimed at: `GET /search?type=adgeolocation&q=...`."""

from collections.abc import Callable, Mapping
from typing import Any

from socialgate_sandbox.dialects.graph.errors import build_parameter_error
from socialgate_sandbox.dialects.graph.parameters import get_text, parse_words
from socialgate_sandbox.kit import Call
from socialgate_sandbox.vendors.meta.ads.ad_accounts import require_ads_scope
from socialgate_sandbox.vendors.meta.ads.targeting_options import COUNTRIES, INTERESTS, LOCALES, LOCATIONS
from socialgate_sandbox.vendors.meta.stored_objects import AdAccount

_MILLION = 1_000_000
_DEFAULT_LIMIT, _MAX_LIMIT = 25, 1000


def _search_locations(call: Call) -> list[dict[str, Any]]:
    kinds, country = parse_words(call.params.get("location_types")), get_text(call, "country_code")
    begins = get_text(call, "q").lower()
    return [
        place.to_search_row()
        for place in LOCATIONS.values()
        if place.name.lower().startswith(begins)
        and (not kinds or place.type in kinds)
        and (not country or place.country == country)
    ]


def _build_interest(interest_id: str) -> dict[str, Any]:
    name, topic, size = INTERESTS[interest_id]
    bounds = {"audience_size_lower_bound": size * _MILLION, "audience_size_upper_bound": size * _MILLION * 12 // 10}
    return {
        "id": interest_id,
        "name": name,
        **bounds,
        "path": ["Interests", topic, name],
        "description": None,
        "topic": topic,
    }


def _search_interests(call: Call) -> list[dict[str, Any]]:
    expected = get_text(call, "q").lower()
    return [_build_interest(key) for key, (name, _topic, _size) in INTERESTS.items() if expected in name.lower()]


def _suggest_interests(call: Call) -> list[dict[str, Any]]:
    """List what is in the same topics."""
    names = set(parse_words(call.params.get("interest_list")))
    topics = {topic for name, topic, _size in INTERESTS.values() if name in names}
    return [
        _build_interest(key) for key, (name, topic, _) in INTERESTS.items() if topic in topics and name not in names
    ]


def _validate_interests(call: Call) -> list[dict[str, Any]]:
    known = {name: key for key, (name, _topic, _size) in INTERESTS.items()}
    result = parse_words(call.params.get("interest_list"))
    return [{"name": name, "valid": name in known, **({"id": known[name]} if name in known else {})} for name in result]


def _search_locales(call: Call) -> list[dict[str, Any]]:
    return [{"key": key, "name": name} for key, name in LOCALES.items() if get_text(call, "q").lower() in name.lower()]


def _search_countries(call: Call) -> list[dict[str, Any]]:
    begins = get_text(call, "q").lower()
    rows = ((code, name) for code, name in COUNTRIES.items() if name.lower().startswith(begins))
    return [{"country_code": code, "name": name, "supports_city": True, "supports_region": True} for code, name in rows]


_SEARCHES_BY_TYPE: Mapping[str, Callable[[Call], list[dict[str, Any]]]] = {
    "adgeolocation": _search_locations,
    "adinterest": _search_interests,
    "adinterestsuggestion": _suggest_interests,
    "adinterestvalid": _validate_interests,
    "adlocale": _search_locales,
    "adcountry": _search_countries,
}


def search_targeting_options(call: Call) -> Any:
    require_ads_scope(call)
    find = _SEARCHES_BY_TYPE.get(get_text(call, "type"))
    if find is None:
        raise build_parameter_error(f"Param type must be one of {{{', '.join(_SEARCHES_BY_TYPE)}}}")
    limit = get_text(call, "limit") or str(_DEFAULT_LIMIT)
    if not limit.isdecimal():
        raise build_parameter_error("Param limit must be a nonnegative integer")
    return {"data": find(call)[: min(int(limit), _MAX_LIMIT)]}


def search_interests(call: Call, _account: AdAccount) -> Any:
    return {"data": [{**row, "type": "interests"} for row in _search_interests(call)]}
