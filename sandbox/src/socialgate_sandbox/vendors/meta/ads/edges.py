"""Which nodes and edges ad accounts and what is in them have."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from socialgate_sandbox.dialects.graph.api import EdgeHandlers, NodeFinder
from socialgate_sandbox.kit import Call
from socialgate_sandbox.society.campaigns import Ad, AdSet, Campaign
from socialgate_sandbox.vendors.meta.ads import (
    ad_accounts,
    ad_media,
    ads,
    insights,
    pixels,
    reports,
    targeting,
    targeting_search,
)
from socialgate_sandbox.vendors.meta.ads.ad_sets import AD_SET_NODE_TYPE, AD_SETS
from socialgate_sandbox.vendors.meta.ads.audiences import AUDIENCES, add_or_remove_people, replace_people
from socialgate_sandbox.vendors.meta.ads.campaigns import CAMPAIGN_NODE_TYPE, CAMPAIGNS
from socialgate_sandbox.vendors.meta.ads.creatives import CREATIVES
from socialgate_sandbox.vendors.meta.ads.custom_conversions import CONVERSIONS
from socialgate_sandbox.vendors.meta.ads.managed_objects import build_list_edge

_MANAGED_OBJECTS = (CAMPAIGNS, AD_SETS, ads.ADS, CREATIVES, AUDIENCES, pixels.PIXELS, CONVERSIONS)
_INSIGHTS_NODES = ("AdAccount", "AdCampaignGroup", "AdCampaign", "Adgroup")
NODE_FINDERS: tuple[NodeFinder, ...] = (
    ad_accounts.find_ad_account_node,
    *(objects.build_finder(ad_accounts.find_ad_account_node) for objects in _MANAGED_OBJECTS),
    ad_media.find_image_node,
    reports.find_report_node,
)
_VERSION_PATTERN = re.compile(r"v\d+\.\d+")


def find_ad_account_id(call: Call) -> str:
    """Return the ad account that a call is about, also through something that is in it. Only reads."""
    parts = [part for part in call.path.split("/")[2:] if part and not _VERSION_PATTERN.fullmatch(part)]
    key = parts[0] if parts else ""
    if key.startswith("act_"):
        return key
    things = (call.context.store.get(objects.kind, key) for objects in _MANAGED_OBJECTS)
    return next((thing.parent for thing in things if thing is not None), "")


ROOT_HANDLERS: Mapping[str, Callable[[Call], Any]] = {"GET search": targeting_search.search_targeting_options}
_PIXEL_EDGES = {
    path: edge for path, edge in pixels.PIXELS.build_edges("adspixels").items() if path != "DELETE AdsPixel"
}
EDGE_HANDLERS: EdgeHandlers = {
    "GET User/adaccounts": ad_accounts.list_ad_accounts,
    "GET User/assigned_ad_accounts": ad_accounts.list_ad_accounts,
    "GET Business/owned_ad_accounts": ad_accounts.list_owned_ad_accounts,
    "GET Business/client_ad_accounts": ad_accounts.list_client_ad_accounts,
    "POST AdAccount": ad_accounts.update_ad_account,
    "GET AdAccount/minimum_budgets": ad_accounts.list_minimum_budgets,
    "GET AdAccount/promote_pages": ad_accounts.list_promotable_pages,
    "GET AdAccount/instagram_accounts": ad_accounts.list_instagram_accounts,
    "GET AdAccount/connected_instagram_accounts": ad_accounts.list_instagram_accounts,
    **CAMPAIGNS.build_edges("campaigns"),
    **AD_SETS.build_edges("adsets"),
    **ads.ADS.build_edges("ads"),
    "GET AdAccount/campaigns": build_list_edge(Campaign, CAMPAIGN_NODE_TYPE),
    **{f"GET {node}/adsets": build_list_edge(AdSet, AD_SET_NODE_TYPE) for node in ("AdAccount", "AdCampaignGroup")},
    **{
        f"GET {node}/ads": build_list_edge(Ad, ads.AD_NODE_TYPE)
        for node in ("AdAccount", "AdCampaignGroup", "AdCampaign")
    },
    **CREATIVES.build_edges("adcreatives"),
    "GET Adgroup/adcreatives": ads.list_ad_creatives,
    "GET Adgroup/previews": ads.build_preview,
    "GET AdCreative/previews": ads.build_preview,
    "GET AdAccount/adimages": ad_media.list_images,
    "POST AdAccount/adimages": ad_media.create_images,
    "DELETE AdAccount/adimages": ad_media.delete_image,
    "GET AdAccount/advideos": ad_media.list_videos,
    "POST AdAccount/advideos": ad_media.create_video,
    **{f"GET {node}/insights": insights.get_insights for node in _INSIGHTS_NODES},
    **{f"POST {node}/insights": reports.create_report for node in _INSIGHTS_NODES},
    "GET AdReportRun/insights": reports.get_report_insights,
    "GET AdAccount/targetingsearch": targeting_search.search_interests,
    "GET AdAccount/reachestimate": targeting.estimate_reach,
    "GET AdAccount/delivery_estimate": targeting.estimate_delivery,
    **AUDIENCES.build_edges("customaudiences"),
    "POST CustomAudience/users": add_or_remove_people,
    "DELETE CustomAudience/users": add_or_remove_people,
    "POST CustomAudience/usersreplace": replace_people,
    **_PIXEL_EDGES,
    "GET Business/adspixels": pixels.list_business_pixels,
    "POST AdsPixel/events": pixels.receive_events,
    "GET AdsPixel/stats": pixels.count_events,
    **CONVERSIONS.build_edges("customconversions"),
}
