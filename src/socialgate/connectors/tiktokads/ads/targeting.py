"""Whom ads are shown to at TikTok: the targeting of ad groups, and the search for places and interests."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from socialgate.connectors.advertising import reject_if_given, validate_options
from socialgate.connectors.json_paths import get_list, get_text_or_number
from socialgate.connectors.post_options import drop_none
from socialgate.connectors.tiktokads.ads.mappings import encode_json
from socialgate.connectors.tiktokads.ads.reserved_options import RESERVED_ADGROUP_OPTIONS
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.connectors.tiktokads.commerce import api_for_account
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_values import AdTargeting
from socialgate.contracts.ads import TargetingOption, TargetingQuery
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_AGE_GROUPS = {(13, 17): "AGE_13_17", (18, 24): "AGE_18_24", (25, 34): "AGE_25_34", (35, 44): "AGE_35_44"}
_AGE_GROUPS |= {(45, 54): "AGE_45_54", (55, 100): "AGE_55_100"}
# Other platforms count up to this, and mean everybody from there.
_OPEN_AGE_MAX = 65
_VENDOR_NAMES_BY_GENDER: Mapping[Literal["male", "female"], str] = {"male": "GENDER_MALE", "female": "GENDER_FEMALE"}
_ANY_GENDER = "GENDER_UNLIMITED"
_VENDOR_NAMES_BY_LOCATION_TYPE = {"country": "COUNTRY", "region": "PROVINCE", "city": "CITY", "zip": "ZIP_CODE"}
_LOCATION_TYPES_BY_VENDOR_NAME = {theirs: ours for ours, theirs in _VENDOR_NAMES_BY_LOCATION_TYPE.items()} | {
    "DISTRICT": "district",
    "DMA": "dma",
}
_ZIP_ID_PREFIX = "zip:"
TIKTOK_PLACEMENTS = ("PLACEMENT_TIKTOK",)
_LIST_VALUED_FIELDS = {
    "languages": "languages",
    "interests": "interest_category_ids",
    "audiences": "audience_ids",
    "excluded_audiences": "excluded_audience_ids",
}
_TARGETING_FIELDS = frozenset({*_LIST_VALUED_FIELDS.values(), "location_ids", "zipcode_ids", "age_groups", "gender"})


def targeting_faults(targeting: AdTargeting) -> Iterator[Fault]:
    # TikTok has them next to everything else that an ad group consists of.
    yield from validate_options(targeting.options, RESERVED_ADGROUP_OPTIONS, "/targeting")
    excluded = "TikTok cannot exclude places. List the places to show ads in."
    yield from reject_if_given("/targeting/excludedLocations", targeting.excluded_locations, excluded)
    places = {"regions": targeting.regions, "cities": targeting.cities, "locations": targeting.locations}
    for name, ids in places.items():
        for number, value in enumerate(ids):
            if not value.isdecimal() and not value.startswith(_ZIP_ID_PREFIX):
                text = f"{value} is not a valid location. GET /ads/locations lists valid ids."
                yield Fault(f"/targeting/{name}/{number}", "invalid", text)
    if targeting.age_min is not None and targeting.age_min not in {first for first, _ in _AGE_GROUPS}:
        yield Fault("/targeting/ageMin", "not_supported", "TikTok uses age groups. Use 13, 18, 25, 35, 45 or 55.")
    ends = {last for _, last in _AGE_GROUPS}
    if targeting.age_max is not None and targeting.age_max not in ends and targeting.age_max < _OPEN_AGE_MAX:
        yield Fault("/targeting/ageMax", "not_supported", "TikTok uses age groups. Use 17, 24, 34, 44, 54 or 100.")
    if not (targeting.countries or targeting.regions or targeting.cities or targeting.locations):
        yield Fault("/targeting/countries", "required", "TikTok requires a country or another place.")


async def encode_targeting(
    api: TikTokAdsApi, credentials: AccountCredentials, targeting: AdTargeting, objective: str
) -> dict[str, Any]:
    """Write whom to show ads to, with everything that is not limited: it replaces what was there before."""
    places = (*targeting.regions, *targeting.cities, *targeting.locations)
    countries = (
        await fetch_country_ids(api, credentials, targeting.countries, objective, "/targeting/countries")
        if targeting.countries
        else []
    )
    least, most = (
        targeting.age_min or 0,
        targeting.age_max if targeting.age_max and targeting.age_max < _OPEN_AGE_MAX else 100,
    )
    limited = targeting.age_min is not None or targeting.age_max is not None
    written: dict[str, Any] = {
        "location_ids": [*countries, *(place for place in places if not place.startswith(_ZIP_ID_PREFIX))],
        "zipcode_ids": [place.removeprefix(_ZIP_ID_PREFIX) for place in places if place.startswith(_ZIP_ID_PREFIX)],
        "age_groups": [
            name for (first, last), name in _AGE_GROUPS.items() if limited and least <= first and last <= most
        ],
        "gender": _VENDOR_NAMES_BY_GENDER[targeting.genders[0]] if len(set(targeting.genders)) == 1 else _ANY_GENDER,
        **{theirs: list(getattr(targeting, ours)) for ours, theirs in _LIST_VALUED_FIELDS.items()},
    }
    return {**targeting.options, **written}


def parse_targeting(row: Mapping[str, Any]) -> AdTargeting | None:
    """Read whom ads are shown to. All places are ids here, also countries."""
    if not any(row.get(name) for name in _TARGETING_FIELDS):
        return None
    groups = [ages for ages, name in _AGE_GROUPS.items() if name in get_list(row, "age_groups")]
    lists: dict[str, Any] = {
        ours: tuple(map(str, get_list(row, theirs))) for ours, theirs in _LIST_VALUED_FIELDS.items()
    }
    zips = (f"{_ZIP_ID_PREFIX}{item}" for item in get_list(row, "zipcode_ids"))
    return AdTargeting(
        locations=(*map(str, get_list(row, "location_ids")), *zips),
        age_min=groups[0][0] if groups else None,
        age_max=groups[-1][1] if groups and groups[-1][1] < 100 else None,  # noqa: PLR2004 - the oldest
        genders=tuple(
            ours for ours, theirs in _VENDOR_NAMES_BY_GENDER.items() if theirs == get_text_or_number(row, "gender")
        ),
        **lists,
    )


class TikTokTargeting:
    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    async def search(self, credentials: AccountCredentials, query: TargetingQuery) -> Sequence[TargetingOption]:
        if query.kind == "interest":
            return (await self._search_interests(credentials, query.text))[: query.limit]
        request = {
            "advertiser_id": credentials.platform_account_id,
            "objective_type": "TRAFFIC",
            "placements": TIKTOK_PLACEMENTS,
            "search_type": "FUZZY_SEARCH",
            "keywords": [query.text],
            "geo_types": [
                _VENDOR_NAMES_BY_LOCATION_TYPE[value]
                for value in query.types or _VENDOR_NAMES_BY_LOCATION_TYPE
                if value in _VENDOR_NAMES_BY_LOCATION_TYPE
            ],
            "region_codes": [query.country] if query.country else None,
        }
        tags = await api_for_account(self._api, credentials).post(
            "tool/targeting/search/", _TargetingTagsResponse, drop_none(request), repeatable=True
        )
        places = [_parse_location(row) for row in tags.targeting_tag_list or () if row.get("geo")]
        return places[: query.limit]

    async def _search_interests(self, credentials: AccountCredentials, text: str) -> list[TargetingOption]:
        """Choose among all categories: TikTok cannot search for them."""
        query = {
            "advertiser_id": credentials.platform_account_id,
            "version": 2,
            "placements": encode_json(TIKTOK_PLACEMENTS),
        }
        rows = (
            await api_for_account(self._api, credentials).get("tool/interest_category/", _InterestsResponse, **query)
        ).interest_categories
        above = {child: row for row in rows for child in map(str, get_list(row, "sub_category_ids"))}
        items = [_parse_interest(row, above) for row in rows]
        return [item for item in items if text.casefold() in item.name.casefold()]


class _TargetingTagsResponse(msgspec.Struct, frozen=True):
    targeting_tag_list: Sequence[Mapping[str, Any]] | None = ()


class _InterestsResponse(msgspec.Struct, frozen=True):
    interest_categories: Sequence[Mapping[str, Any]] = ()


class _RegionsResponse(msgspec.Struct, frozen=True):
    region_info: Sequence[Mapping[str, Any]] = ()


def _parse_location(row: Mapping[str, Any]) -> TargetingOption:
    kind = _LOCATION_TYPES_BY_VENDOR_NAME.get(
        get_text_or_number(row, "geo", "geo_type"), get_text_or_number(row, "geo", "geo_type").lower()
    )
    # A text, from small to large, or a list.
    listed = get_list(row, "geo", "description") or get_text_or_number(row, "geo", "description").split(",")[::-1]
    above = [str(item).strip() for item in listed]
    return TargetingOption(
        id=f"{_ZIP_ID_PREFIX if kind == 'zip' else ''}{get_text_or_number(row, 'geo', 'geo_id')}",
        name=get_text_or_number(row, "name"),
        type=kind,
        country=get_text_or_number(row, "geo", "region_code") or None,
        path=tuple(value for value in above if value and value != get_text_or_number(row, "name")),
    )


def _parse_interest(row: Mapping[str, Any], parents_by_id: Mapping[str, Mapping[str, Any]]) -> TargetingOption:
    path: list[str] = []
    parent = parents_by_id.get(get_text_or_number(row, "interest_category_id"))
    while parent is not None and len(path) < len(parents_by_id):
        path.insert(0, get_text_or_number(parent, "interest_category_name"))
        parent = parents_by_id.get(get_text_or_number(parent, "interest_category_id"))
    return TargetingOption(
        id=get_text_or_number(row, "interest_category_id"),
        name=get_text_or_number(row, "interest_category_name"),
        type="interest",
        path=tuple(path),
    )


async def fetch_country_ids(
    api: TikTokAdsApi, credentials: AccountCredentials, codes: Sequence[str], objective: str, field: str
) -> list[str]:
    query = {
        "advertiser_id": credentials.platform_account_id,
        "placements": encode_json(TIKTOK_PLACEMENTS),
        "level_range": "TO_COUNTRY",
    }
    regions = await api_for_account(api, credentials).get(
        "tool/region/", _RegionsResponse, **query, objective_type=objective
    )
    rows = [row for row in regions.region_info if get_text_or_number(row, "level") in {"", "COUNTRY"}]
    known = {get_text_or_number(row, "region_code"): get_text_or_number(row, "location_id") for row in rows}
    missing = [code for code in codes if code not in known]
    if missing:
        text = f"The ad account cannot show ads in {', '.join(missing)}."
        raise PlatformRejectedError(text, platform=Platform.TIKTOKADS, field=field)
    return [known[code] for code in codes]
