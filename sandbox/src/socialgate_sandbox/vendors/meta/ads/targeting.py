"""Whom an ad set is for, and how many people that may be."""

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from socialgate_sandbox.dialects.graph.objects import invalid, mapping
from socialgate_sandbox.kit import Call
from socialgate_sandbox.vendors.meta.ads.audiences import Audience
from socialgate_sandbox.vendors.meta.ads.geography import COUNTRIES, EU, INTERESTS, LOCALES, PLACES
from socialgate_sandbox.vendors.meta.state import AdAccount

_LISTED = {"regions": "region", "cities": "city", "zips": "zip"}
_PLATFORMS = {"facebook", "instagram", "audience_network", "messenger", "threads", "whatsapp"}
_YOUNGEST, _OLDEST = 13, 65
_MALE, _FEMALE = 1, 2


def countries(targeting: dict[str, Any]) -> list[str]:
    """List the countries that a targeting reaches."""
    return list(dict.fromkeys(_countries(targeting.get("geo_locations") or {})))


def reached(targeting: dict[str, Any]) -> frozenset[str]:
    """Return the countries in which ads can be shown: those that are targeted, without those that are excluded."""
    excluded = targeting.get("excluded_geo_locations") or {}
    whole = {name: excluded[name] for name in ("countries", "country_groups") if name in excluded}
    return frozenset(countries(targeting)) - {*_countries(whole)}


def _countries(places: dict[str, Any]) -> Iterator[str]:
    yield from (str(code) for code in places.get("countries", ()))
    for name, kind in _LISTED.items():
        for one in places.get(name, ()):
            yield PLACES[kind, str(one.get("key"))].country
    for one in places.get("country_groups", ()):
        yield from sorted(EU) if one == "european_union" else sorted(COUNTRIES)
    for one in places.get("custom_locations", ()):
        yield str(one.get("country", "US"))


def check(call: Call, account: str, targeting: dict[str, Any]) -> None:
    """Refuse what nobody can be aimed at with."""
    places = targeting.get("geo_locations") or {}
    if not isinstance(places, dict) or not (any(places.values()) or targeting.get("custom_audiences")):
        said = "Your audience needs at least one location, or a custom audience."
        raise invalid("targeting", said, title="Location Is Missing")
    for name in ("geo_locations", "excluded_geo_locations"):
        _check_places(targeting.get(name) or {})
    _check_people(targeting)
    _check_interests(targeting)
    for name in ("custom_audiences", "excluded_custom_audiences"):
        for one in targeting.get(name, ()):
            found = call.world.store.get(Audience, str(one.get("id") if isinstance(one, dict) else one))
            if found is None or found.parent != account:
                raise invalid("targeting", "The custom audience does not belong to the ad account.", subcode=1487301)


def _check_places(places: dict[str, Any]) -> None:
    for code in places.get("countries", ()):
        if code not in COUNTRIES:
            raise invalid("targeting", f"{code} is not the code of a country.", title="Invalid Country")
    for name, kind in _LISTED.items():
        for one in places.get(name, ()):
            if not isinstance(one, dict) or (kind, str(one.get("key"))) not in PLACES:
                said = f"The key {one.get('key') if isinstance(one, dict) else one} is not a {kind}."
                raise invalid("targeting", said, subcode=1487694, title="Invalid Location")
    for one in places.get("custom_locations", ()):
        if not isinstance(one, dict) or not one.keys() >= {"latitude", "longitude", "radius"}:
            raise invalid("targeting", "A custom location needs latitude, longitude and radius.")


def _check_people(targeting: dict[str, Any]) -> None:
    least, most = targeting.get("age_min", 18), targeting.get("age_max", _OLDEST)
    if not all(isinstance(age, int) for age in (least, most)) or not _YOUNGEST <= least <= most <= _OLDEST:
        raise invalid("targeting", "The minimum age is at least 13, and the maximum age is at most 65.")
    if not {str(one) for one in targeting.get("genders", ())} <= {str(_MALE), str(_FEMALE)}:
        raise invalid("targeting", "genders is a list of 1 (men) and 2 (women).")
    if not set(targeting.get("locales", ())) <= set(LOCALES):
        raise invalid("targeting", "A locale does not exist.", subcode=1487694, title="Invalid Locale")
    if not set(targeting.get("publisher_platforms", ())) <= _PLATFORMS:
        raise invalid("targeting", f"publisher_platforms is a list of: {', '.join(sorted(_PLATFORMS))}.")
    wide = (targeting.get("targeting_automation") or {}).get("advantage_audience")
    if wide not in {0, 1}:
        said = "To create your ad set, you need to enable or disable the Advantage audience feature."
        raise invalid("targeting", said, subcode=1870227, title="Advantage Audience Flag Required")
    if wide == 1 and most < _OLDEST:
        said = "With Advantage audience, the maximum age cannot be below 65."
        raise invalid("targeting", said, subcode=1870189, title="Invalid Age Range")


def _check_interests(targeting: dict[str, Any]) -> None:
    specs = [*targeting.get("flexible_spec", ()), targeting.get("exclusions") or {}, targeting]
    for spec in specs:
        for one in spec.get("interests", ()) if isinstance(spec, dict) else ():
            if str(one.get("id") if isinstance(one, dict) else one) not in INTERESTS:
                said = "The category you selected is no longer available."
                raise invalid("targeting", said, subcode=1487694, title="Invalid Targeting Option")


def size(call: Call, account: AdAccount) -> tuple[int, int]:
    """Return between how many and how many people the given targeting reaches: always the same."""
    given = mapping("targeting_spec", call.params.get("targeting_spec"))
    check(call, account.id, {**given, "targeting_automation": {"advantage_audience": 0}})
    draw = int.from_bytes(blake2b(repr(sorted(given.items())).encode(), digest_size=4).digest()) / 2**32
    reach = int(200_000 * len(countries(given) or "1") * (0.5 + draw))
    if given.get("flexible_spec"):
        reach //= 5
    return reach // 1000 * 1000, reach * 12 // 10 // 1000 * 1000


def reach_estimate(call: Call, account: AdAccount) -> Any:
    least, most = size(call, account)
    return {"data": {"users_lower_bound": least, "users_upper_bound": most, "estimate_ready": True}}


def delivery_estimate(call: Call, account: AdAccount) -> Any:
    least, most = size(call, account)
    curve = [
        {"spend": spent, "reach": spent * 2, "impressions": spent * 3, "actions": spent // 50} for spent in (0, 10_000)
    ]
    row = {"daily_outcomes_curve": curve, "estimate_dau": least // 4, "estimate_ready": True}
    return {"data": [{**row, "estimate_mau_lower_bound": least, "estimate_mau_upper_bound": most}]}
