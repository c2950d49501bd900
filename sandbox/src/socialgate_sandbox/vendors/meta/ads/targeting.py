"""Whom an ad set is for, and how many people that may be."""

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from socialgate_sandbox.dialects.graph.managed_objects import build_blame_error, parse_object
from socialgate_sandbox.kit import Call
from socialgate_sandbox.vendors.meta.ads.audiences import Audience
from socialgate_sandbox.vendors.meta.ads.targeting_options import COUNTRIES, EU_COUNTRIES, INTERESTS, LOCALES, LOCATIONS
from socialgate_sandbox.vendors.meta.stored_objects import AdAccount

_LOCATION_TYPES_BY_FIELD = {"regions": "region", "cities": "city", "zips": "zip"}
_PUBLISHER_PLATFORMS = {"facebook", "instagram", "audience_network", "messenger", "threads", "whatsapp"}
_MIN_AGE, _MAX_AGE = 13, 65
_MALE_CODE, _FEMALE_CODE = 1, 2


def list_targeted_countries(targeting: dict[str, Any]) -> list[str]:
    """List the countries that a targeting reaches."""
    return list(dict.fromkeys(_iterate_countries(targeting.get("geo_locations") or {})))


def compute_reached_countries(targeting: dict[str, Any]) -> frozenset[str]:
    """Return the countries in which ads can be shown: those that are targeted, without those that are excluded."""
    excluded = targeting.get("excluded_geo_locations") or {}
    whole = {name: excluded[name] for name in ("countries", "country_groups") if name in excluded}
    return frozenset(list_targeted_countries(targeting)) - {*_iterate_countries(whole)}


def _iterate_countries(locations: dict[str, Any]) -> Iterator[str]:
    yield from (str(code) for code in locations.get("countries", ()))
    for name, kind in _LOCATION_TYPES_BY_FIELD.items():
        for item in locations.get(name, ()):
            yield LOCATIONS[kind, str(item.get("key"))].country
    for item in locations.get("country_groups", ()):
        yield from sorted(EU_COUNTRIES) if item == "european_union" else sorted(COUNTRIES)
    for item in locations.get("custom_locations", ()):
        yield str(item.get("country", "US"))


def validate_targeting(call: Call, account: str, targeting: dict[str, Any]) -> None:
    """Refuse what nobody can be aimed at with."""
    places = targeting.get("geo_locations") or {}
    if not isinstance(places, dict) or not (any(places.values()) or targeting.get("custom_audiences")):
        message = "Your audience needs at least one location, or a custom audience."
        raise build_blame_error("targeting", message, title="Location Is Missing")
    for name in ("geo_locations", "excluded_geo_locations"):
        _validate_locations(targeting.get(name) or {})
    _validate_people(targeting)
    _validate_interests(targeting)
    for name in ("custom_audiences", "excluded_custom_audiences"):
        for item in targeting.get(name, ()):
            audience = call.context.store.get(Audience, str(item.get("id") if isinstance(item, dict) else item))
            if audience is None or audience.parent != account:
                raise build_blame_error(
                    "targeting", "The custom audience does not belong to the ad account.", subcode=1487301
                )


def _validate_locations(locations: dict[str, Any]) -> None:
    for code in locations.get("countries", ()):
        if code not in COUNTRIES:
            raise build_blame_error("targeting", f"{code} is not the code of a country.", title="Invalid Country")
    for name, kind in _LOCATION_TYPES_BY_FIELD.items():
        for item in locations.get(name, ()):
            if not isinstance(item, dict) or (kind, str(item.get("key"))) not in LOCATIONS:
                message = f"The key {item.get('key') if isinstance(item, dict) else item} is not a {kind}."
                raise build_blame_error("targeting", message, subcode=1487694, title="Invalid Location")
    for item in locations.get("custom_locations", ()):
        if not isinstance(item, dict) or not item.keys() >= {"latitude", "longitude", "radius"}:
            raise build_blame_error("targeting", "A custom location needs latitude, longitude and radius.")


def _validate_people(targeting: dict[str, Any]) -> None:
    least, most = targeting.get("age_min", 18), targeting.get("age_max", _MAX_AGE)
    if not all(isinstance(age, int) for age in (least, most)) or not _MIN_AGE <= least <= most <= _MAX_AGE:
        raise build_blame_error("targeting", "The minimum age is at least 13, and the maximum age is at most 65.")
    if not {str(item) for item in targeting.get("genders", ())} <= {str(_MALE_CODE), str(_FEMALE_CODE)}:
        raise build_blame_error("targeting", "genders is a list of 1 (men) and 2 (women).")
    if not set(targeting.get("locales", ())) <= set(LOCALES):
        raise build_blame_error("targeting", "A locale does not exist.", subcode=1487694, title="Invalid Locale")
    if not set(targeting.get("publisher_platforms", ())) <= _PUBLISHER_PLATFORMS:
        raise build_blame_error(
            "targeting", f"publisher_platforms is a list of: {', '.join(sorted(_PUBLISHER_PLATFORMS))}."
        )
    wide = (targeting.get("targeting_automation") or {}).get("advantage_audience")
    if wide not in {0, 1}:
        message = "To create your ad set, you need to enable or disable the Advantage audience feature."
        raise build_blame_error("targeting", message, subcode=1870227, title="Advantage Audience Flag Required")
    if wide == 1 and most < _MAX_AGE:
        message = "With Advantage audience, the maximum age cannot be below 65."
        raise build_blame_error("targeting", message, subcode=1870189, title="Invalid Age Range")


def _validate_interests(targeting: dict[str, Any]) -> None:
    specs = [*targeting.get("flexible_spec", ()), targeting.get("exclusions") or {}, targeting]
    for spec in specs:
        for item in spec.get("interests", ()) if isinstance(spec, dict) else ():
            if str(item.get("id") if isinstance(item, dict) else item) not in INTERESTS:
                message = "The category you selected is no longer available."
                raise build_blame_error("targeting", message, subcode=1487694, title="Invalid Targeting Option")


def estimate_audience_size(call: Call, account: AdAccount) -> tuple[int, int]:
    """Return between how many and how many people the given targeting reaches: always the same."""
    params = parse_object("targeting_spec", call.params.get("targeting_spec"))
    validate_targeting(call, account.id, {**params, "targeting_automation": {"advantage_audience": 0}})
    draw = int.from_bytes(blake2b(repr(sorted(params.items())).encode(), digest_size=4).digest()) / 2**32
    reach = int(200_000 * len(list_targeted_countries(params) or "1") * (0.5 + draw))
    if params.get("flexible_spec"):
        reach //= 5
    return reach // 1000 * 1000, reach * 12 // 10 // 1000 * 1000


def estimate_reach(call: Call, account: AdAccount) -> Any:
    least, most = estimate_audience_size(call, account)
    return {"data": {"users_lower_bound": least, "users_upper_bound": most, "estimate_ready": True}}


def estimate_delivery(call: Call, account: AdAccount) -> Any:
    least, most = estimate_audience_size(call, account)
    curve = [
        {"spend": spent, "reach": spent * 2, "impressions": spent * 3, "actions": spent // 50} for spent in (0, 10_000)
    ]
    row = {"daily_outcomes_curve": curve, "estimate_dau": least // 4, "estimate_ready": True}
    return {"data": [{**row, "estimate_mau_lower_bound": least, "estimate_mau_upper_bound": most}]}
