"""Whom ads are shown to at Meta: the targeting of ad sets, and the search for places and interests."""

from collections.abc import Iterator, Sequence
from typing import Any

from socialgate.connectors.forms import given
from socialgate.connectors.graph.dialect import Caller, Rows
from socialgate.connectors.json_paths import list_at, member, rows_at, text_at
from socialgate.connectors.meta.ads.words import text_of
from socialgate.connectors.meta.wire import Graph
from socialgate.contracts.ad_values import AdTargeting
from socialgate.contracts.ads import AdPlace, PlaceQuery
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import Rejected
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

# Types of places, and where their ids go.
_PLACES = {"country": "countries", "country_group": "country_groups", "region": "regions", "city": "cities"}
_PLACES |= {"zip": "zips", "geo_market": "geo_markets"}
_BARE = frozenset({"countries", "country_groups"})
# The European Union. Its territories outside Europe count as well, but Meta decides which of them.
_UNION = frozenset(
    "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split()  # noqa: SIM905 - easier to read
)
_UNION_GROUPS = frozenset({"european_union", "worldwide"})
# Groups that contain the countries of Asia.
_ASIAN_GROUPS = frozenset({"asia", "worldwide"})
_GENDERS = {"male": 1, "female": 2}
_YOUNGEST, _OLDEST = 13, 65
# Meta has numbers for languages, which are found by their names.
_LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German",
    "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish",
    "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "ms": "Malay",
    "nb": "Norwegian", "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "ta": "Tamil", "th": "Thai",
    "tl": "Filipino", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def targeting_faults(wanted: AdTargeting) -> Iterator[Fault]:
    yield from _place_faults(wanted)
    for number, code in enumerate(wanted.languages):
        if code not in _LANGUAGES:
            text = "Meta has no such language. Use another code of ISO 639-1, or `locales` in platformOptions."
            yield Fault(f"/targeting/languages/{number}", "not_supported", text)
    for name, age in (("ageMin", wanted.age_min), ("ageMax", wanted.age_max)):
        if age is not None and not _YOUNGEST <= age <= _OLDEST:
            yield Fault(f"/targeting/{name}", "out_of_range", f"Meta accepts ages from {_YOUNGEST} to {_OLDEST}.")
    placed = (wanted.countries, wanted.regions, wanted.cities, wanted.locations, wanted.audiences)
    if not any(placed) and "geo_locations" not in wanted.options:
        yield Fault("/targeting/countries", "required", "Meta requires a country, another place or an audience.")


def _place_faults(wanted: AdTargeting) -> Iterator[Fault]:
    """Report ids that Meta cannot have. The keys of regions and cities are digits."""
    for name, ids in {"locations": wanted.locations, "excludedLocations": wanted.excluded_locations}.items():
        for number, one in enumerate(ids):
            if one.partition(":")[0] not in _PLACES:
                text = f"Use ids of GET /ads/locations, such as city:2490299. The types are: {', '.join(_PLACES)}."
                yield Fault(f"/targeting/{name}/{number}", "invalid", text)
    for name, kind, ids in (("regions", "region", wanted.regions), ("cities", "city", wanted.cities)):
        for number, one in enumerate(ids):
            known, _, key = _typed(kind, one).partition(":")
            if known not in _PLACES or not key.isdecimal():
                text = f"{one} is not a valid id. GET /ads/locations lists valid ids."
                yield Fault(f"/targeting/{name}/{number}", "invalid", text)


def reaches_union(wanted: AdTargeting) -> bool:
    """Whether ads are shown in the European Union, as far as the ids say it: those of regions and cities do not."""
    listed = _included(wanted)
    if {key for kind, key in listed if kind == "country"} & _UNION:
        return True
    groups = {key for kind, key in listed if kind == "country_group"} & _UNION_GROUPS
    # What is excluded may be all of it.
    return bool(groups) and not wanted.excluded_locations and not wanted.options.get("excluded_geo_locations")


def reaches_country(wanted: AdTargeting, country: str) -> bool:
    """Whether ads are shown in a country of Asia, as far as the ids say it."""
    listed = _included(wanted)
    if ("country", country) in listed:
        return True
    excluded = {*map(_kind_and_key, wanted.excluded_locations), *_places(wanted.options.get("excluded_geo_locations"))}
    is_excluded = bool(excluded & {("country", country), *(("country_group", one) for one in _ASIAN_GROUPS)})
    return not is_excluded and any(("country_group", one) in listed for one in _ASIAN_GROUPS)


def _included(wanted: AdTargeting) -> set[tuple[str, str]]:
    """List the places of a targeting by type and id. Those of regions and cities do not say where they are."""
    countries = {("country", one) for one in wanted.countries}
    return {*map(_kind_and_key, wanted.locations), *countries, *_places(wanted.options.get("geo_locations"))}


def _kind_and_key(place: str) -> tuple[str, str]:
    kind, _, key = place.partition(":")
    return kind, key


async def sent_targeting(api: Caller, wanted: AdTargeting) -> dict[str, Any]:
    """Write whom to show ads to. Meta requires to say whether it may look beyond that; by default it may not."""
    places = (
        *(f"country:{one}" for one in wanted.countries),
        *(_typed("region", one) for one in wanted.regions),
        *(_typed("city", one) for one in wanted.cities),
        *wanted.locations,
    )
    locales = [key for code in wanted.languages for key in await _locales(api, code)]
    written = {
        "geo_locations": _geo(places),
        "excluded_geo_locations": _geo(wanted.excluded_locations),
        "age_min": wanted.age_min,
        "age_max": wanted.age_max,
        "genders": [_GENDERS[one] for one in wanted.genders] or None,
        "locales": locales or None,
        "flexible_spec": [{"interests": _ids(wanted.interests)}] if wanted.interests else None,
        "custom_audiences": _ids(wanted.audiences) or None,
        "excluded_custom_audiences": _ids(wanted.excluded_audiences) or None,
    }
    return {"targeting_automation": {"advantage_audience": 0}, **wanted.options, **given(written)}


def read_targeting(row: Any) -> AdTargeting | None:
    """Read whom ads are shown to. What our words do not cover stays in the options."""
    if not isinstance(row, dict) or not row:
        return None
    geo, spec = row.get("geo_locations"), rows_at(row, "flexible_spec")
    places = [*_places(geo)]
    plain = len(spec) == 1 and set(spec[0]) == {"interests"}
    genders = tuple(word for word, number in _GENDERS.items() if number in list_at(row, "genders"))
    ours = {"geo_locations", "excluded_geo_locations", "age_min", "age_max", "genders", "custom_audiences"}
    ours |= {"excluded_custom_audiences", *(("flexible_spec",) if plain else ())}
    return AdTargeting(
        countries=tuple(id_ for type_, id_ in places if type_ == "country"),
        regions=tuple(id_ for type_, id_ in places if type_ == "region"),
        cities=tuple(id_ for type_, id_ in places if type_ == "city"),
        locations=tuple(f"{type_}:{id_}" for type_, id_ in places if type_ not in {"country", "region", "city"}),
        excluded_locations=tuple(f"{type_}:{id_}" for type_, id_ in _places(row.get("excluded_geo_locations"))),
        age_min=row.get("age_min"),
        age_max=row.get("age_max"),
        genders=genders,  # type: ignore[arg-type]  # the keys of the table are these words
        interests=tuple(text_at(one, "id") for one in rows_at(spec[0], "interests")) if plain else (),
        audiences=tuple(text_at(one, "id") for one in rows_at(row, "custom_audiences")),
        excluded_audiences=tuple(text_at(one, "id") for one in rows_at(row, "excluded_custom_audiences")),
        options={name: value for name, value in row.items() if name not in ours},
    )


class MetaTargeting:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def search(self, held: AccountCredentials, query: PlaceQuery) -> Sequence[AdPlace]:
        api = self._graph.of(held)
        asked: dict[str, Any] = {"q": query.text, "limit": query.limit}
        if query.kind == "interest":
            rows = await api.get("search", Rows[Any], type="adinterest", **asked)
            return [_interest(row) for row in rows.data]
        asked["location_types"] = text_of([*(query.types or ("country", "region", "city", "zip"))])
        rows = await api.get("search", Rows[Any], type="adgeolocation", country_code=query.country, **asked)
        return [_place(row) for row in rows.data]


def _place(row: Any) -> AdPlace:
    kind, country = text_at(row, "type"), text_at(row, "country_code")
    above = (text_at(row, "country_name"), text_at(row, "region") if kind in {"city", "zip"} else "")
    return AdPlace(
        id=f"{kind}:{text_at(row, 'key')}",
        name=text_at(row, "name"),
        type=kind,
        country=country or None,
        path=tuple(filter(None, above)),
    )


def _interest(row: Any) -> AdPlace:
    least, most = member(row, "audience_size_lower_bound"), member(row, "audience_size_upper_bound")
    return AdPlace(
        id=text_at(row, "id"),
        name=text_at(row, "name"),
        type="interest",
        path=tuple(map(str, list_at(row, "path"))),
        audience_min=least if isinstance(least, int) else None,
        audience_max=most if isinstance(most, int) else None,
    )


async def _locales(api: Caller, code: str) -> list[int]:
    """Find the numbers of a language. Those with several countries also have one number for all of them."""
    name = _LANGUAGES[code]
    rows = (await api.get("search", Rows[Any], type="adlocale", q=name)).data
    named = {text_at(row, "name"): int(text_at(row, "key") or 0) for row in rows}
    keys = [key for text, key in named.items() if text == name or text.startswith(f"{name} (")]
    if not keys:
        text = f"Meta has no language called {name}. Use `locales` in platformOptions of the targeting."
        raise Rejected(text, platform=Platform.META, field="/targeting/languages")
    return [named[f"{name} (All)"]] if f"{name} (All)" in named else keys


def _typed(kind: str, given_id: str) -> str:
    return given_id if ":" in given_id else f"{kind}:{given_id}"


def _geo(places: Sequence[str]) -> dict[str, list[Any]] | None:
    found: dict[str, list[Any]] = {}
    for place in places:
        kind, _, key = place.partition(":")
        name = _PLACES[kind]
        found.setdefault(name, []).append(key if name in _BARE else {"key": key})
    return found or None


def _places(geo: Any) -> Iterator[tuple[str, str]]:
    for kind, name in _PLACES.items():
        for one in list_at(geo, name):
            yield kind, one if isinstance(one, str) else text_at(one, "key")


def _ids(ids: Sequence[str]) -> list[dict[str, str]]:
    return [{"id": one} for one in ids]
