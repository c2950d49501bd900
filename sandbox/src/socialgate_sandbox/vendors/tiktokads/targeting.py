"""Whom ads can be shown to: places, languages and interests, and the words of the API for them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call
from socialgate_sandbox.vendors.tiktokads.ad_objects import authorize_ad_call
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.errors import build_success_response, require

AGE_GROUPS = ("AGE_13_17", "AGE_18_24", "AGE_25_34", "AGE_35_44", "AGE_45_54", "AGE_55_100")
PLACEMENTS = ("PLACEMENT_TIKTOK", "PLACEMENT_PANGLE", "PLACEMENT_GLOBAL_APP_BUNDLE")
PROMOTION_TYPES = (
    "WEBSITE", "APP_ANDROID", "APP_IOS", "LEAD_GENERATION", "LEAD_GEN_CLICK_TO_TT_DIRECT_MESSAGE",
    "LEAD_GEN_CLICK_TO_SOCIAL_MEDIA_APP_MESSAGE", "LEAD_GEN_CLICK_TO_CALL", "WEBSITE_OR_DISPLAY", "TIKTOK_SHOP",
    "VIDEO_SHOPPING", "LIVE_SHOPPING", "PSA_PRODUCT",
)  # fmt: skip
LANGUAGE_NAMES = {
    "en": "English", "sv": "Swedish", "no": "Norwegian", "da": "Danish", "fi": "Finnish", "de": "German",
    "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese", "nl": "Dutch", "pl": "Polish",
    "ja": "Japanese", "ko": "Korean", "ar": "Arabic", "tr": "Turkish", "id": "Indonesian", "hi": "Hindi",
}  # fmt: skip
# By id: the name, and the id of the category that contains it.
INTEREST_CATEGORIES = {
    "22": ("Food & Beverage", ""), "22101": ("Baking", "22"), "22102": ("Restaurants", "22"), "22103": ("Coffee", "22"),
    "15": ("Education", ""), "15101": ("Vocational Training", "15"), "15102": ("Languages", "15"),
    "11": ("Apparel & Accessories", ""), "11101": ("Clothing", "11"), "11102": ("Shoes", "11"),
    "14": ("Beauty & Personal Care", ""), "14101": ("Skincare", "14"), "25": ("Travel", ""), "25101": ("Hotels", "25"),
    "26": ("Household Products", ""), "26101": ("Kitchen", "26"), "28": ("Sports & Outdoor", ""),
    "28101": ("Fitness", "28"), "29": ("Games", ""), "30": ("News & Entertainment", ""),
}  # fmt: skip


class TargetingLocation(NamedTuple):
    id: str
    name: str
    country: str
    level: str
    parent: str = "0"


# The ids are those of GeoNames, as on the platform.
_COUNTRIES = (
    "6252001 US United States|2635167 GB United Kingdom|2921044 DE Germany|3017382 FR France|2661886 SE Sweden|"
    "3144096 NO Norway|2623032 DK Denmark|660013 FI Finland|3469034 BR Brazil|3996063 MX Mexico|6251999 CA Canada|"
    "2077456 AU Australia|1861060 JP Japan|2328926 NG Nigeria|3175395 IT Italy|2510769 ES Spain|3932488 PE Peru|"
    "2750405 NL Netherlands|798544 PL Poland|1643084 ID Indonesia"
)
_PROVINCES = (
    "2673722 SE 2661886 Stockholm County|2666218 SE 2661886 Uppsala County|2687699 SE 2661886 Skåne County|"
    "5332921 US 6252001 California|5128638 US 6252001 New York|4736286 US 6252001 Texas|4155751 US 6252001 Florida|"
    "6269131 GB 2635167 England|2638360 GB 2635167 Scotland|2951839 DE 2921044 Bavaria|2950157 DE 2921044 Berlin|"
    "2332453 NG 2328926 Lagos State|3143242 NO 3144096 Oslo County|3936451 PE 3932488 Lima Region"
)
_CITIES = (
    "2673730 SE 2673722 Stockholm|2666199 SE 2666218 Uppsala|2692969 SE 2687699 Malmö|5368361 US 5332921 Los Angeles|"
    "5391959 US 5332921 San Francisco|5128581 US 5128638 New York City|4684888 US 4736286 Dallas|"
    "2643743 GB 6269131 London|2867714 DE 2951839 Munich|2332459 NG 2332453 Lagos"
)


def _build_locations() -> dict[str, TargetingLocation]:
    result = [
        TargetingLocation(key, name, code, "COUNTRY")
        for key, code, name in (value.split(" ", 2) for value in _COUNTRIES.split("|"))
    ]
    for level, rows in (("PROVINCE", _PROVINCES), ("CITY", _CITIES)):
        result += [TargetingLocation(key, name, code, level, above) for key, code, above, name in
                  (value.split(" ", 3) for value in rows.split("|"))]  # fmt: skip
    return {item.id: item for item in result}


LOCATIONS = _build_locations()
_LOCATION_LEVELS = ("COUNTRY", "PROVINCE", "CITY", "DISTRICT")
_LEVEL_COUNTS_BY_RANGE = {"ALL": 4, "TO_COUNTRY": 1, "TO_PROVINCE": 2, "TO_CITY": 3, "TO_DISTRICT": 4}
_SEARCH_TYPES = ("FUZZY_SEARCH", "BATCH_REGION_SEARCH", "BATCH_ZIPCODE_SEARCH")
_MAX_RESULTS = 100


class TargetingParams(msgspec.Struct):
    placements: list[str] = []
    objective_type: str = ""
    level_range: str = "ALL"
    search_type: str = ""
    keywords: list[str] = []
    geo_types: list[str] = []
    region_codes: list[str] = []


def list_regions(call: Call) -> Response:
    targeting_params = _authorize_targeting_call(call)
    require(
        targeting_params.level_range in _LEVEL_COUNTS_BY_RANGE,
        f"level_range: Must be one of: {', '.join(_LEVEL_COUNTS_BY_RANGE)}.",
    )
    levels = _LOCATION_LEVELS[: _LEVEL_COUNTS_BY_RANGE[targeting_params.level_range]]
    shown = [_build_location_json(place) for place in LOCATIONS.values() if place.level in levels]
    return build_success_response(
        call, {"region_list": sorted({item["region_code"] for item in shown}), "region_info": shown}
    )


def search_locations(call: Call) -> Response:
    """Find places by their beginning, or (in a batch) by their exact name or id."""
    targeting_params = _authorize_targeting_call(call)
    require(targeting_params.search_type in _SEARCH_TYPES, f"search_type: Must be one of: {', '.join(_SEARCH_TYPES)}.")
    fuzzy = targeting_params.search_type == "FUZZY_SEARCH"
    require(
        len(targeting_params.keywords) == 1 if fuzzy else targeting_params.keywords,
        "keywords: FUZZY_SEARCH takes exactly one keyword.",
    )
    result = [
        _build_tag_json(place, keyword)
        for keyword in targeting_params.keywords
        for place in LOCATIONS.values()
        if _matches_keyword(place, keyword.lower(), is_fuzzy=fuzzy)
        and (not targeting_params.geo_types or place.level in targeting_params.geo_types)
        and (not targeting_params.region_codes or place.country in targeting_params.region_codes)
    ]
    shown = [] if targeting_params.search_type == _SEARCH_TYPES[2] else result[:_MAX_RESULTS]
    return build_success_response(call, {"targeting_tag_list": shown, "parent_tags": []})


def list_languages(call: Call) -> Response:
    authorize_ad_call(call)
    return build_success_response(
        call, {"languages": [{"code": code, "name": name} for code, name in LANGUAGE_NAMES.items()]}
    )


def list_interest_categories(call: Call) -> Response:
    authorize_ad_call(call)
    shown = [
        {
            "interest_category_id": key,
            "interest_category_name": name,
            "level": 2 if above else 1,
            "sub_category_ids": [other for other, (_name, parent) in INTEREST_CATEGORIES.items() if parent == key],
            "placements": [],
            "special_industries": [],
        }
        for key, (name, above) in INTEREST_CATEGORIES.items()
    ]
    return build_success_response(call, {"interest_categories": shown})


def validate_locations(locations: list[str], zip_codes: list[str]) -> None:
    require(locations or zip_codes, "location_ids: Missing data for required field.")
    unknown = sorted(set(locations) - set(LOCATIONS))
    require(not unknown, f"location_ids: {', '.join(unknown[:3])} is not a valid location.")
    for key in locations:
        above = LOCATIONS[key].parent
        while above != "0":
            require(above not in locations, f"location_ids: {key} is part of {above}.")
            above = LOCATIONS[above].parent


def _authorize_targeting_call(call: Call) -> TargetingParams:
    authorize_ad_call(call)
    targeting_params = call.parse_params(TargetingParams)
    require(targeting_params.placements, "placements: Missing data for required field.")
    require(targeting_params.objective_type, "objective_type: Missing data for required field.")
    return targeting_params


def _matches_keyword(location: TargetingLocation, keyword: str, *, is_fuzzy: bool) -> bool:
    words = [location.name.lower(), *location.name.lower().split()]
    return (
        any(word.startswith(keyword) for word in words) if is_fuzzy else keyword in {location.name.lower(), location.id}
    )


def _build_location_json(location: TargetingLocation) -> dict[str, Any]:
    return {
        "location_id": location.id,
        "name": location.name,
        "parent_id": location.parent,
        "region_code": location.country,
        "country_code": location.country,
        "level": location.level,
        "area_type": "ADMIN",
        "next_level_ids": [other.id for other in LOCATIONS.values() if other.parent == location.id],
        "support_below_18": True,
    }


def _iterate_enclosing_names(location: TargetingLocation) -> Iterator[str]:
    """Return the name of a place and of everything around it, from small to large."""
    yield location.name
    if location.parent in LOCATIONS:
        yield from _iterate_enclosing_names(LOCATIONS[location.parent])


def _build_tag_json(location: TargetingLocation, keyword: str) -> dict[str, Any]:
    geo = {
        "geo_id": location.id,
        "geo_type": location.level,
        "region_code": location.country,
        "parent_id": location.parent,
        "description": ", ".join(_iterate_enclosing_names(location)),
    }
    status = {"status": "ENABLED", "reason": None}
    return {"keyword": keyword, "targeting_type": "GEO", "name": location.name, "status_info": status, "geo": geo}


ROUTES = [
    *build_api_routes("GET", "tool/region", list_regions),
    *build_api_routes("POST", "tool/targeting/search", search_locations),
    *build_api_routes("GET", "tool/language", list_languages),
    *build_api_routes("GET", "tool/interest_category", list_interest_categories),
]
