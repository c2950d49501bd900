"""Whom ads can be shown to: places, languages and interests, and the words of the API for them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call
from socialgate_sandbox.vendors.tiktokads.errors import answered, require
from socialgate_sandbox.vendors.tiktokads.hosts import api
from socialgate_sandbox.vendors.tiktokads.objects import asking

AGES = ("AGE_13_17", "AGE_18_24", "AGE_25_34", "AGE_35_44", "AGE_45_54", "AGE_55_100")
PLACEMENTS = ("PLACEMENT_TIKTOK", "PLACEMENT_PANGLE", "PLACEMENT_GLOBAL_APP_BUNDLE")
PROMOTIONS = (
    "WEBSITE", "APP_ANDROID", "APP_IOS", "LEAD_GENERATION", "LEAD_GEN_CLICK_TO_TT_DIRECT_MESSAGE",
    "LEAD_GEN_CLICK_TO_SOCIAL_MEDIA_APP_MESSAGE", "LEAD_GEN_CLICK_TO_CALL", "WEBSITE_OR_DISPLAY", "TIKTOK_SHOP",
    "VIDEO_SHOPPING", "LIVE_SHOPPING", "PSA_PRODUCT",
)  # fmt: skip
LANGUAGES = {
    "en": "English", "sv": "Swedish", "no": "Norwegian", "da": "Danish", "fi": "Finnish", "de": "German",
    "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese", "nl": "Dutch", "pl": "Polish",
    "ja": "Japanese", "ko": "Korean", "ar": "Arabic", "tr": "Turkish", "id": "Indonesian", "hi": "Hindi",
}  # fmt: skip
# By id: the name, and the id of the category that contains it.
INTERESTS = {
    "22": ("Food & Beverage", ""), "22101": ("Baking", "22"), "22102": ("Restaurants", "22"), "22103": ("Coffee", "22"),
    "15": ("Education", ""), "15101": ("Vocational Training", "15"), "15102": ("Languages", "15"),
    "11": ("Apparel & Accessories", ""), "11101": ("Clothing", "11"), "11102": ("Shoes", "11"),
    "14": ("Beauty & Personal Care", ""), "14101": ("Skincare", "14"), "25": ("Travel", ""), "25101": ("Hotels", "25"),
    "26": ("Household Products", ""), "26101": ("Kitchen", "26"), "28": ("Sports & Outdoor", ""),
    "28101": ("Fitness", "28"), "29": ("Games", ""), "30": ("News & Entertainment", ""),
}  # fmt: skip


class Place(NamedTuple):
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


def _places() -> dict[str, Place]:
    found = [
        Place(key, name, code, "COUNTRY") for key, code, name in (one.split(" ", 2) for one in _COUNTRIES.split("|"))
    ]
    for level, rows in (("PROVINCE", _PROVINCES), ("CITY", _CITIES)):
        found += [Place(key, name, code, level, above) for key, code, above, name in
                  (one.split(" ", 3) for one in rows.split("|"))]  # fmt: skip
    return {one.id: one for one in found}


PLACES = _places()
_LEVELS = ("COUNTRY", "PROVINCE", "CITY", "DISTRICT")
_RANGES = {"ALL": 4, "TO_COUNTRY": 1, "TO_PROVINCE": 2, "TO_CITY": 3, "TO_DISTRICT": 4}
_SEARCHES = ("FUZZY_SEARCH", "BATCH_REGION_SEARCH", "BATCH_ZIPCODE_SEARCH")
_MOST = 100


class Asked(msgspec.Struct):
    placements: list[str] = []
    objective_type: str = ""
    level_range: str = "ALL"
    search_type: str = ""
    keywords: list[str] = []
    geo_types: list[str] = []
    region_codes: list[str] = []


def regions(call: Call) -> Response:
    given = _asked(call)
    require(given.level_range in _RANGES, f"level_range: Must be one of: {', '.join(_RANGES)}.")
    levels = _LEVELS[: _RANGES[given.level_range]]
    shown = [_place(one) for one in PLACES.values() if one.level in levels]
    return answered(call, {"region_list": sorted({one["region_code"] for one in shown}), "region_info": shown})


def search(call: Call) -> Response:
    """Find places by their beginning, or (in a batch) by their exact name or id."""
    given = _asked(call)
    require(given.search_type in _SEARCHES, f"search_type: Must be one of: {', '.join(_SEARCHES)}.")
    fuzzy = given.search_type == "FUZZY_SEARCH"
    require(len(given.keywords) == 1 if fuzzy else given.keywords, "keywords: FUZZY_SEARCH takes exactly one keyword.")
    found = [
        _tag(one, keyword)
        for keyword in given.keywords
        for one in PLACES.values()
        if _matches(one, keyword.lower(), fuzzy=fuzzy)
        and (not given.geo_types or one.level in given.geo_types)
        and (not given.region_codes or one.country in given.region_codes)
    ]
    shown = [] if given.search_type == _SEARCHES[2] else found[:_MOST]
    return answered(call, {"targeting_tag_list": shown, "parent_tags": []})


def languages(call: Call) -> Response:
    asking(call)
    return answered(call, {"languages": [{"code": code, "name": name} for code, name in LANGUAGES.items()]})


def interests(call: Call) -> Response:
    asking(call)
    shown = [
        {
            "interest_category_id": key,
            "interest_category_name": name,
            "level": 2 if above else 1,
            "sub_category_ids": [other for other, (_name, parent) in INTERESTS.items() if parent == key],
            "placements": [],
            "special_industries": [],
        }
        for key, (name, above) in INTERESTS.items()
    ]
    return answered(call, {"interest_categories": shown})


def check_places(locations: list[str], zip_codes: list[str]) -> None:
    require(locations or zip_codes, "location_ids: Missing data for required field.")
    unknown = sorted(set(locations) - set(PLACES))
    require(not unknown, f"location_ids: {', '.join(unknown[:3])} is not a valid location.")
    for key in locations:
        above = PLACES[key].parent
        while above != "0":
            require(above not in locations, f"location_ids: {key} is part of {above}.")
            above = PLACES[above].parent


def _asked(call: Call) -> Asked:
    asking(call)
    given = call.read(Asked)
    require(given.placements, "placements: Missing data for required field.")
    require(given.objective_type, "objective_type: Missing data for required field.")
    return given


def _matches(one: Place, keyword: str, *, fuzzy: bool) -> bool:
    words = [one.name.lower(), *one.name.lower().split()]
    return any(word.startswith(keyword) for word in words) if fuzzy else keyword in {one.name.lower(), one.id}


def _place(one: Place) -> dict[str, Any]:
    return {
        "location_id": one.id,
        "name": one.name,
        "parent_id": one.parent,
        "region_code": one.country,
        "country_code": one.country,
        "level": one.level,
        "area_type": "ADMIN",
        "next_level_ids": [other.id for other in PLACES.values() if other.parent == one.id],
        "support_below_18": True,
    }


def _around(one: Place) -> Iterator[str]:
    """Return the name of a place and of everything around it, from small to large."""
    yield one.name
    if one.parent in PLACES:
        yield from _around(PLACES[one.parent])


def _tag(one: Place, keyword: str) -> dict[str, Any]:
    geo = {"geo_id": one.id, "geo_type": one.level, "region_code": one.country, "parent_id": one.parent,
           "description": ", ".join(_around(one))}  # fmt: skip
    status = {"status": "ENABLED", "reason": None}
    return {"keyword": keyword, "targeting_type": "GEO", "name": one.name, "status_info": status, "geo": geo}


ROUTES = [
    *api("GET", "tool/region", regions),
    *api("POST", "tool/targeting/search", search),
    *api("GET", "tool/language", languages),
    *api("GET", "tool/interest_category", interests),
]
