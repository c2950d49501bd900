"""Which nodes and edges ad accounts and what is in them have."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from socialgate_sandbox.dialects.graph.api import Edges, Finder
from socialgate_sandbox.kit import Call
from socialgate_sandbox.society.campaigns import Ad, AdSet, Campaign
from socialgate_sandbox.vendors.meta.ads import accounts, ads, insights, media, pixels, reports, search, targeting
from socialgate_sandbox.vendors.meta.ads.ad_sets import AD_SET, AD_SETS
from socialgate_sandbox.vendors.meta.ads.audiences import AUDIENCES, change_people, replace_people
from socialgate_sandbox.vendors.meta.ads.campaigns import CAMPAIGN, CAMPAIGNS
from socialgate_sandbox.vendors.meta.ads.conversions import CONVERSIONS
from socialgate_sandbox.vendors.meta.ads.creatives import CREATIVES
from socialgate_sandbox.vendors.meta.ads.managed import below

_OBJECTS = (CAMPAIGNS, AD_SETS, ads.ADS, CREATIVES, AUDIENCES, pixels.PIXELS, CONVERSIONS)
_COUNTED = ("AdAccount", "AdCampaignGroup", "AdCampaign", "Adgroup")
FINDERS: tuple[Finder, ...] = (
    accounts.ad_account_node,
    *(objects.finder(accounts.ad_account_node) for objects in _OBJECTS),
    media.image_node,
    reports.report_node,
)
_VERSION = re.compile(r"v\d+\.\d+")


def account_in(call: Call) -> str:
    """Return the ad account that a call is about, also through something that is in it. Only reads."""
    parts = [part for part in call.path.split("/")[2:] if part and not _VERSION.fullmatch(part)]
    key = parts[0] if parts else ""
    if key.startswith("act_"):
        return key
    things = (call.world.store.get(objects.kind, key) for objects in _OBJECTS)
    return next((thing.parent for thing in things if thing is not None), "")


ROOTS: Mapping[str, Callable[[Call], Any]] = {"GET search": search.search}
_PIXELS = {path: edge for path, edge in pixels.PIXELS.edges("adspixels").items() if path != "DELETE AdsPixel"}
EDGES: Edges = {
    "GET User/adaccounts": accounts.ad_accounts,
    "GET User/assigned_ad_accounts": accounts.ad_accounts,
    "GET Business/owned_ad_accounts": accounts.owned_ad_accounts,
    "GET Business/client_ad_accounts": accounts.client_ad_accounts,
    "POST AdAccount": accounts.change,
    "GET AdAccount/minimum_budgets": accounts.minimum_budgets,
    "GET AdAccount/promote_pages": accounts.promote_pages,
    "GET AdAccount/instagram_accounts": accounts.instagram_accounts,
    "GET AdAccount/connected_instagram_accounts": accounts.instagram_accounts,
    **CAMPAIGNS.edges("campaigns"),
    **AD_SETS.edges("adsets"),
    **ads.ADS.edges("ads"),
    "GET AdAccount/campaigns": below(Campaign, CAMPAIGN),
    **{f"GET {node}/adsets": below(AdSet, AD_SET) for node in ("AdAccount", "AdCampaignGroup")},
    **{f"GET {node}/ads": below(Ad, ads.AD) for node in ("AdAccount", "AdCampaignGroup", "AdCampaign")},
    **CREATIVES.edges("adcreatives"),
    "GET Adgroup/adcreatives": ads.creatives_of,
    "GET Adgroup/previews": ads.previews,
    "GET AdCreative/previews": ads.previews,
    "GET AdAccount/adimages": media.list_images,
    "POST AdAccount/adimages": media.create_images,
    "DELETE AdAccount/adimages": media.delete_image,
    "GET AdAccount/advideos": media.list_videos,
    "POST AdAccount/advideos": media.create_video,
    **{f"GET {node}/insights": insights.insights for node in _COUNTED},
    **{f"POST {node}/insights": reports.request_report for node in _COUNTED},
    "GET AdReportRun/insights": reports.report_insights,
    "GET AdAccount/targetingsearch": search.targeting_search,
    "GET AdAccount/reachestimate": targeting.reach_estimate,
    "GET AdAccount/delivery_estimate": targeting.delivery_estimate,
    **AUDIENCES.edges("customaudiences"),
    "POST CustomAudience/users": change_people,
    "DELETE CustomAudience/users": change_people,
    "POST CustomAudience/usersreplace": replace_people,
    **_PIXELS,
    "GET Business/adspixels": pixels.business_pixels,
    "POST AdsPixel/events": pixels.send_events,
    "GET AdsPixel/stats": pixels.stats,
    **CONVERSIONS.edges("customconversions"),
}
