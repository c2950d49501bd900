"""Whom ads are shown to at Meta: the targeting of ad sets, and the search for places and interests."""

from collections.abc import Iterator, Sequence
from typing import Any

from socialgate.connectors.graph.dialect import GraphCaller, GraphPage
from socialgate.connectors.json_paths import get_list, get_objects, get_path, get_text_or_number
from socialgate.connectors.meta.ads.mappings import encode_param
from socialgate.connectors.meta.api import MetaApi
from socialgate.connectors.post_options import drop_none
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_values import AdTargeting
from socialgate.contracts.ads import TargetingOption, TargetingQuery
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

# Types of places, and where their ids go.
_LOCATION_FIELDS_BY_TYPE = {
    "country": "countries",
    "country_group": "country_groups",
    "region": "regions",
    "city": "cities",
}
_LOCATION_FIELDS_BY_TYPE |= {"zip": "zips", "geo_market": "geo_markets"}
_PLAIN_ID_LOCATION_FIELDS = frozenset({"countries", "country_groups"})
# The European Union. Its territories outside Europe count as well, but Meta decides which of them.
_EU_COUNTRIES = frozenset(
    "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split()  # noqa: SIM905 - easier to read
)
_EU_COUNTRY_GROUPS = frozenset({"european_union", "worldwide"})
# Groups that contain the countries of Asia.
_ASIAN_COUNTRY_GROUPS = frozenset({"asia", "worldwide"})
_VENDOR_NUMBERS_BY_GENDER = {"male": 1, "female": 2}
_MIN_AGE, _MAX_AGE = 13, 65
# Meta has numbers for languages, which are found by their names.
_LANGUAGE_NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German",
    "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish",
    "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "ms": "Malay",
    "nb": "Norwegian", "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "ta": "Tamil", "th": "Thai",
    "tl": "Filipino", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def targeting_faults(targeting: AdTargeting) -> Iterator[Fault]:
    yield from _place_faults(targeting)
    for number, code in enumerate(targeting.languages):
        if code not in _LANGUAGE_NAMES:
            text = "Meta has no such language. Use another code of ISO 639-1, or `locales` in platformOptions."
            yield Fault(f"/targeting/languages/{number}", "not_supported", text)
    for name, age in (("ageMin", targeting.age_min), ("ageMax", targeting.age_max)):
        if age is not None and not _MIN_AGE <= age <= _MAX_AGE:
            yield Fault(f"/targeting/{name}", "out_of_range", f"Meta accepts ages from {_MIN_AGE} to {_MAX_AGE}.")
    placed = (targeting.countries, targeting.regions, targeting.cities, targeting.locations, targeting.audiences)
    if not any(placed) and "geo_locations" not in targeting.options:
        yield Fault("/targeting/countries", "required", "Meta requires a country, another place or an audience.")


def _place_faults(targeting: AdTargeting) -> Iterator[Fault]:
    """Report ids that Meta cannot have. The keys of regions and cities are digits."""
    for name, ids in {"locations": targeting.locations, "excludedLocations": targeting.excluded_locations}.items():
        for number, value in enumerate(ids):
            if value.partition(":")[0] not in _LOCATION_FIELDS_BY_TYPE:
                text = (
                    "Use ids of GET /ads/locations, such as city:2490299. The types are: "
                    f"{', '.join(_LOCATION_FIELDS_BY_TYPE)}."
                )
                yield Fault(f"/targeting/{name}/{number}", "invalid", text)
    for name, kind, ids in (("regions", "region", targeting.regions), ("cities", "city", targeting.cities)):
        for number, value in enumerate(ids):
            known, _, key = _add_type_prefix(kind, value).partition(":")
            if known not in _LOCATION_FIELDS_BY_TYPE or not key.isdecimal():
                text = f"{value} is not a valid id. GET /ads/locations lists valid ids."
                yield Fault(f"/targeting/{name}/{number}", "invalid", text)


def targets_eu(targeting: AdTargeting) -> bool:
    """Whether ads are shown in the European Union, as far as the ids say it: those of regions and cities do not."""
    listed = _list_included_places(targeting)
    if {key for kind, key in listed if kind == "country"} & _EU_COUNTRIES:
        return True
    groups = {key for kind, key in listed if kind == "country_group"} & _EU_COUNTRY_GROUPS
    # What is excluded may be all of it.
    return bool(groups) and not targeting.excluded_locations and not targeting.options.get("excluded_geo_locations")


def reaches_asian_country(targeting: AdTargeting, country: str) -> bool:
    """Whether ads are shown in a country of Asia, as far as the ids say it."""
    listed = _list_included_places(targeting)
    if ("country", country) in listed:
        return True
    excluded = {
        *map(_split_place_id, targeting.excluded_locations),
        *_parse_locations(targeting.options.get("excluded_geo_locations")),
    }
    is_excluded = bool(
        excluded & {("country", country), *(("country_group", asian_group) for asian_group in _ASIAN_COUNTRY_GROUPS)}
    )
    return not is_excluded and any(("country_group", asian_group) in listed for asian_group in _ASIAN_COUNTRY_GROUPS)


def _list_included_places(targeting: AdTargeting) -> set[tuple[str, str]]:
    """List the places of a targeting by type and id. Those of regions and cities do not say where they are."""
    countries = {("country", country) for country in targeting.countries}
    return {
        *map(_split_place_id, targeting.locations),
        *countries,
        *_parse_locations(targeting.options.get("geo_locations")),
    }


def _split_place_id(place: str) -> tuple[str, str]:
    kind, _, key = place.partition(":")
    return kind, key


async def encode_targeting(api: GraphCaller, targeting: AdTargeting) -> dict[str, Any]:
    """Write whom to show ads to. Meta requires to say whether it may look beyond that; by default it may not."""
    places = (
        *(f"country:{country}" for country in targeting.countries),
        *(_add_type_prefix("region", region) for region in targeting.regions),
        *(_add_type_prefix("city", city) for city in targeting.cities),
        *targeting.locations,
    )
    locales = [key for code in targeting.languages for key in await _fetch_locale_keys(api, code)]
    written = {
        "geo_locations": _encode_locations(places),
        "excluded_geo_locations": _encode_locations(targeting.excluded_locations),
        "age_min": targeting.age_min,
        "age_max": targeting.age_max,
        "genders": [_VENDOR_NUMBERS_BY_GENDER[gender] for gender in targeting.genders] or None,
        "locales": locales or None,
        "flexible_spec": [{"interests": _encode_ids(targeting.interests)}] if targeting.interests else None,
        "custom_audiences": _encode_ids(targeting.audiences) or None,
        "excluded_custom_audiences": _encode_ids(targeting.excluded_audiences) or None,
    }
    return {"targeting_automation": {"advantage_audience": 0}, **targeting.options, **drop_none(written)}


def parse_targeting(row: Any) -> AdTargeting | None:
    """Read whom ads are shown to. What our words do not cover stays in the options."""
    if not isinstance(row, dict) or not row:
        return None
    geo, spec = row.get("geo_locations"), get_objects(row, "flexible_spec")
    places = [*_parse_locations(geo)]
    plain = len(spec) == 1 and set(spec[0]) == {"interests"}
    genders = tuple(word for word, number in _VENDOR_NUMBERS_BY_GENDER.items() if number in get_list(row, "genders"))
    ours = {"geo_locations", "excluded_geo_locations", "age_min", "age_max", "genders", "custom_audiences"}
    ours |= {"excluded_custom_audiences", *(("flexible_spec",) if plain else ())}
    return AdTargeting(
        countries=tuple(id_ for type_, id_ in places if type_ == "country"),
        regions=tuple(id_ for type_, id_ in places if type_ == "region"),
        cities=tuple(id_ for type_, id_ in places if type_ == "city"),
        locations=tuple(f"{type_}:{id_}" for type_, id_ in places if type_ not in {"country", "region", "city"}),
        excluded_locations=tuple(
            f"{type_}:{id_}" for type_, id_ in _parse_locations(row.get("excluded_geo_locations"))
        ),
        age_min=row.get("age_min"),
        age_max=row.get("age_max"),
        genders=genders,  # type: ignore[arg-type]  # the keys of the table are these words
        interests=tuple(get_text_or_number(item, "id") for item in get_objects(spec[0], "interests")) if plain else (),
        audiences=tuple(get_text_or_number(item, "id") for item in get_objects(row, "custom_audiences")),
        excluded_audiences=tuple(
            get_text_or_number(item, "id") for item in get_objects(row, "excluded_custom_audiences")
        ),
        options={name: value for name, value in row.items() if name not in ours},
    )


class MetaTargeting:
    def __init__(self, graph: MetaApi) -> None:
        self._graph = graph

    async def search(self, credentials: AccountCredentials, query: TargetingQuery) -> Sequence[TargetingOption]:
        api = self._graph.for_account(credentials)
        request: dict[str, Any] = {"q": query.text, "limit": query.limit}
        if query.kind == "interest":
            rows = await api.get("search", GraphPage[Any], type="adinterest", **request)
            return [_parse_interest(row) for row in rows.data]
        request["location_types"] = encode_param([*(query.types or ("country", "region", "city", "zip"))])
        rows = await api.get("search", GraphPage[Any], type="adgeolocation", country_code=query.country, **request)
        return [_parse_location(row) for row in rows.data]


def _parse_location(row: Any) -> TargetingOption:
    kind, country = get_text_or_number(row, "type"), get_text_or_number(row, "country_code")
    above = (
        get_text_or_number(row, "country_name"),
        get_text_or_number(row, "region") if kind in {"city", "zip"} else "",
    )
    return TargetingOption(
        id=f"{kind}:{get_text_or_number(row, 'key')}",
        name=get_text_or_number(row, "name"),
        type=kind,
        country=country or None,
        path=tuple(filter(None, above)),
    )


def _parse_interest(row: Any) -> TargetingOption:
    least, most = get_path(row, "audience_size_lower_bound"), get_path(row, "audience_size_upper_bound")
    return TargetingOption(
        id=get_text_or_number(row, "id"),
        name=get_text_or_number(row, "name"),
        type="interest",
        path=tuple(map(str, get_list(row, "path"))),
        audience_min=least if isinstance(least, int) else None,
        audience_max=most if isinstance(most, int) else None,
    )


async def _fetch_locale_keys(api: GraphCaller, code: str) -> list[int]:
    """Find the numbers of a language. Those with several countries also have one number for all of them."""
    name = _LANGUAGE_NAMES[code]
    rows = (await api.get("search", GraphPage[Any], type="adlocale", q=name)).data
    named = {get_text_or_number(row, "name"): int(get_text_or_number(row, "key") or 0) for row in rows}
    keys = [key for text, key in named.items() if text == name or text.startswith(f"{name} (")]
    if not keys:
        text = f"Meta has no language called {name}. Use `locales` in platformOptions of the targeting."
        raise PlatformRejectedError(text, platform=Platform.META, field="/targeting/languages")
    return [named[f"{name} (All)"]] if f"{name} (All)" in named else keys


def _add_type_prefix(kind: str, given_id: str) -> str:
    return given_id if ":" in given_id else f"{kind}:{given_id}"


def _encode_locations(places: Sequence[str]) -> dict[str, list[Any]] | None:
    result: dict[str, list[Any]] = {}
    for place in places:
        kind, _, key = place.partition(":")
        name = _LOCATION_FIELDS_BY_TYPE[kind]
        result.setdefault(name, []).append(key if name in _PLAIN_ID_LOCATION_FIELDS else {"key": key})
    return result or None


def _parse_locations(geo: Any) -> Iterator[tuple[str, str]]:
    for kind, name in _LOCATION_FIELDS_BY_TYPE.items():
        for value in get_list(geo, name):
            yield kind, value if isinstance(value, str) else get_text_or_number(value, "key")


def _encode_ids(ids: Sequence[str]) -> list[dict[str, str]]:
    return [{"id": value} for value in ids]
