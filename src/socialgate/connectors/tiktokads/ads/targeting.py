"""Whom ads are shown to at TikTok: the targeting of ad groups, and the search for places and interests."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.advertising import option_faults, unsupported
from socialgate.connectors.forms import given
from socialgate.connectors.json_paths import list_at, text_at
from socialgate.connectors.tiktokads.ads.options import ADGROUPS
from socialgate.connectors.tiktokads.ads.words import text_of
from socialgate.connectors.tiktokads.commerce import access
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.contracts.ad_values import AdTargeting
from socialgate.contracts.ads import AdPlace, PlaceQuery
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import Rejected
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_AGES = {(13, 17): "AGE_13_17", (18, 24): "AGE_18_24", (25, 34): "AGE_25_34", (35, 44): "AGE_35_44"}
_AGES |= {(45, 54): "AGE_45_54", (55, 100): "AGE_55_100"}
# Other platforms count up to this, and mean everybody from there.
_OLDEST = 65
_GENDERS = {"male": "GENDER_MALE", "female": "GENDER_FEMALE"}
_ANY = "GENDER_UNLIMITED"
_TYPES = {"country": "COUNTRY", "region": "PROVINCE", "city": "CITY", "zip": "ZIP_CODE"}
_TYPES_READ = {theirs: ours for ours, theirs in _TYPES.items()} | {"DISTRICT": "district", "DMA": "dma"}
_ZIP = "zip:"
PLACEMENTS = ("PLACEMENT_TIKTOK",)
_LISTS = {
    "languages": "languages",
    "interests": "interest_category_ids",
    "audiences": "audience_ids",
    "excluded_audiences": "excluded_audience_ids",
}
_OURS = frozenset({*_LISTS.values(), "location_ids", "zipcode_ids", "age_groups", "gender"})


def targeting_faults(wanted: AdTargeting) -> Iterator[Fault]:
    # TikTok has them next to everything else that an ad group consists of.
    yield from option_faults(wanted.options, ADGROUPS, "/targeting")
    excluded = "TikTok cannot exclude places. List the places to show ads in."
    yield from unsupported("/targeting/excludedLocations", wanted.excluded_locations, excluded)
    places = {"regions": wanted.regions, "cities": wanted.cities, "locations": wanted.locations}
    for name, ids in places.items():
        for number, one in enumerate(ids):
            if not one.isdecimal() and not one.startswith(_ZIP):
                text = f"{one} is not a valid location. GET /ads/locations lists valid ids."
                yield Fault(f"/targeting/{name}/{number}", "invalid", text)
    if wanted.age_min is not None and wanted.age_min not in {first for first, _ in _AGES}:
        yield Fault("/targeting/ageMin", "not_supported", "TikTok uses age groups. Use 13, 18, 25, 35, 45 or 55.")
    ends = {last for _, last in _AGES}
    if wanted.age_max is not None and wanted.age_max not in ends and wanted.age_max < _OLDEST:
        yield Fault("/targeting/ageMax", "not_supported", "TikTok uses age groups. Use 17, 24, 34, 44, 54 or 100.")
    if not (wanted.countries or wanted.regions or wanted.cities or wanted.locations):
        yield Fault("/targeting/countries", "required", "TikTok requires a country or another place.")


async def sent_targeting(
    api: TikTokAdsApi, held: AccountCredentials, wanted: AdTargeting, objective: str
) -> dict[str, Any]:
    """Write whom to show ads to, with everything that is not limited: it replaces what was there before."""
    places = (*wanted.regions, *wanted.cities, *wanted.locations)
    countries = (
        await country_ids(api, held, wanted.countries, objective, "/targeting/countries") if wanted.countries else []
    )
    least, most = wanted.age_min or 0, wanted.age_max if wanted.age_max and wanted.age_max < _OLDEST else 100
    limited = wanted.age_min is not None or wanted.age_max is not None
    written: dict[str, Any] = {
        "location_ids": [*countries, *(one for one in places if not one.startswith(_ZIP))],
        "zipcode_ids": [one.removeprefix(_ZIP) for one in places if one.startswith(_ZIP)],
        "age_groups": [name for (first, last), name in _AGES.items() if limited and least <= first and last <= most],
        "gender": _GENDERS[wanted.genders[0]] if len(set(wanted.genders)) == 1 else _ANY,
        **{theirs: list(getattr(wanted, ours)) for ours, theirs in _LISTS.items()},
    }
    return {**wanted.options, **written}


def read_targeting(row: Mapping[str, Any]) -> AdTargeting | None:
    """Read whom ads are shown to. All places are ids here, also countries."""
    if not any(row.get(name) for name in _OURS):
        return None
    groups = [ages for ages, name in _AGES.items() if name in list_at(row, "age_groups")]
    lists: dict[str, Any] = {ours: tuple(map(str, list_at(row, theirs))) for ours, theirs in _LISTS.items()}
    zips = (f"{_ZIP}{one}" for one in list_at(row, "zipcode_ids"))
    return AdTargeting(
        locations=(*map(str, list_at(row, "location_ids")), *zips),
        age_min=groups[0][0] if groups else None,
        age_max=groups[-1][1] if groups and groups[-1][1] < 100 else None,  # noqa: PLR2004 - the oldest
        genders=tuple(ours for ours, theirs in _GENDERS.items() if theirs == text_at(row, "gender")),  # type: ignore[misc]  # the keys of the table
        **lists,
    )


class TikTokTargeting:
    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    async def search(self, held: AccountCredentials, query: PlaceQuery) -> Sequence[AdPlace]:
        if query.kind == "interest":
            return (await self._interests(held, query.text))[: query.limit]
        asked = {
            "advertiser_id": held.platform_account_id,
            "objective_type": "TRAFFIC",
            "placements": PLACEMENTS,
            "search_type": "FUZZY_SEARCH",
            "keywords": [query.text],
            "geo_types": [_TYPES[one] for one in query.types or _TYPES if one in _TYPES],
            "region_codes": [query.country] if query.country else None,
        }
        found = await access(self._api, held).post("tool/targeting/search/", _Tags, given(asked), repeatable=True)
        places = [_place(row) for row in found.targeting_tag_list or () if row.get("geo")]
        return places[: query.limit]

    async def _interests(self, held: AccountCredentials, text: str) -> list[AdPlace]:
        """Choose among all categories: TikTok cannot search for them."""
        query = {"advertiser_id": held.platform_account_id, "version": 2, "placements": text_of(PLACEMENTS)}
        rows = (await access(self._api, held).get("tool/interest_category/", _Interests, **query)).interest_categories
        above = {child: row for row in rows for child in map(str, list_at(row, "sub_category_ids"))}
        items = [_interest(row, above) for row in rows]
        return [one for one in items if text.casefold() in one.name.casefold()]


class _Tags(msgspec.Struct, frozen=True):
    targeting_tag_list: Sequence[Mapping[str, Any]] | None = ()


class _Interests(msgspec.Struct, frozen=True):
    interest_categories: Sequence[Mapping[str, Any]] = ()


class _Regions(msgspec.Struct, frozen=True):
    region_info: Sequence[Mapping[str, Any]] = ()


def _place(row: Mapping[str, Any]) -> AdPlace:
    kind = _TYPES_READ.get(text_at(row, "geo", "geo_type"), text_at(row, "geo", "geo_type").lower())
    # A text, from small to large, or a list.
    listed = list_at(row, "geo", "description") or text_at(row, "geo", "description").split(",")[::-1]
    above = [str(one).strip() for one in listed]
    return AdPlace(
        id=f"{_ZIP if kind == 'zip' else ''}{text_at(row, 'geo', 'geo_id')}",
        name=text_at(row, "name"),
        type=kind,
        country=text_at(row, "geo", "region_code") or None,
        path=tuple(one for one in above if one and one != text_at(row, "name")),
    )


def _interest(row: Mapping[str, Any], above: Mapping[str, Mapping[str, Any]]) -> AdPlace:
    path: list[str] = []
    parent = above.get(text_at(row, "interest_category_id"))
    while parent is not None and len(path) < len(above):
        path.insert(0, text_at(parent, "interest_category_name"))
        parent = above.get(text_at(parent, "interest_category_id"))
    return AdPlace(
        id=text_at(row, "interest_category_id"),
        name=text_at(row, "interest_category_name"),
        type="interest",
        path=tuple(path),
    )


async def country_ids(
    api: TikTokAdsApi, held: AccountCredentials, codes: Sequence[str], objective: str, field: str
) -> list[str]:
    query = {"advertiser_id": held.platform_account_id, "placements": text_of(PLACEMENTS), "level_range": "TO_COUNTRY"}
    found = await access(api, held).get("tool/region/", _Regions, **query, objective_type=objective)
    rows = [row for row in found.region_info if text_at(row, "level") in {"", "COUNTRY"}]
    known = {text_at(row, "region_code"): text_at(row, "location_id") for row in rows}
    missing = [code for code in codes if code not in known]
    if missing:
        text = f"The ad account cannot show ads in {', '.join(missing)}."
        raise Rejected(text, platform=Platform.TIKTOKADS, field=field)
    return [known[code] for code in codes]
