"""Ads: a creative in an ad set, which is reviewed before it runs."""

from typing import Any

from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.managed_objects import (
    ManagedObjects,
    build_blame_error,
    build_choice_parser,
    parse_any,
    parse_object,
    parse_string,
    parse_whole_number,
    resolve_stored,
)
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType
from socialgate_sandbox.dialects.graph.parameters import get_text
from socialgate_sandbox.kit import Call
from socialgate_sandbox.society.campaigns import Ad, AdSet, Campaign, build_review_history, get_state, get_verdict
from socialgate_sandbox.vendors.meta.ads.ad_accounts import require_advertise_role
from socialgate_sandbox.vendors.meta.ads.ad_sets import AD_SET_NODE_TYPE
from socialgate_sandbox.vendors.meta.ads.campaigns import CAMPAIGN_NODE_TYPE
from socialgate_sandbox.vendors.meta.ads.creatives import CREATIVE_NODE_TYPE, CREATIVES, Creative, list_texts
from socialgate_sandbox.vendors.meta.ads.managed_objects import COMMON_RESOLVERS, mark_deleted, validate_and_set_status


def _find_ad_set(call: Call, ad: Ad) -> AdSet:
    ad_set = call.context.store.get(AdSet, str(ad.fields["adset_id"]))
    if ad_set is None or ad_set.parent != ad.parent:
        raise build_blame_error("adset_id", "The ad set does not exist in the ad account.", title="Invalid Ad Set")
    if get_state(call.context, ad_set) == "deleted":
        raise build_blame_error("adset_id", "The ad set was deleted.", subcode=1487056, title="Ad Set Is Deleted")
    return ad_set


def _find_or_create_creative(call: Call, ad: Ad) -> Creative:
    """Find the creative, or create it from its spec."""
    value = ad.fields["creative"]
    key = str(value.get("creative_id") or value.get("id") or "")
    creative = call.context.store.get(Creative, key) if key else CREATIVES.create_object(call, ad.parent, value)
    if creative is None or creative.parent != ad.parent or creative.status == "DELETED":
        raise build_blame_error("creative", "The creative does not exist in the ad account.", title="Invalid Creative")
    return creative


def _validate_and_complete(call: Call, ad: Ad, values: dict[str, Any]) -> None:
    validate_and_set_status(call, ad, values)
    ad.above = _find_ad_set(call, ad).id
    if "creative" in values:
        creative = _find_or_create_creative(call, ad)
        ad.fields["creative"] = {"creative_id": creative.id}
        ad.video, ad.reviews = (
            creative.video,
            build_review_history(call.context, list_texts(call, creative), ad.reviews),
        )


def _build_node_resolver(type_: type[Any], node_type: NodeType, get_id: Any) -> Any:
    return lambda call, item, _field: Node(node_type, call.context.store.get(type_, get_id(call, item)))


def _get_campaign_id(call: Call, ad: Ad) -> str:
    ad_set = call.context.store.get(AdSet, ad.above)
    return ad_set.above if ad_set is not None else ""


def _resolve_review_feedback(call: Call, ad: Ad, _field: RequestedField) -> dict[str, Any] | None:
    reason = get_verdict(call.context, ad).reason
    return {"global": {"Advertising Policies": reason}} if reason else None


def _resolve_issues(call: Call, ad: Ad, _field: RequestedField) -> list[dict[str, Any]] | None:
    verdict = get_verdict(call.context, ad)
    if verdict.stage != "rejected":
        return None
    summary = "Ad was rejected"
    row = {"level": "AD", "error_code": 2490468, "error_summary": summary, "error_message": verdict.reason}
    return [{**row, "error_type": "HARD_ERROR"}]


AD_NODE_TYPE = NodeType(
    "Adgroup",
    {
        **COMMON_RESOLVERS,
        **resolve_stored("adset_id", "tracking_specs", "conversion_domain", "adlabels"),
        "campaign_id": lambda call, item, _field: _get_campaign_id(call, item),
        "creative": _build_node_resolver(
            Creative, CREATIVE_NODE_TYPE, lambda _call, item: item.fields["creative"]["creative_id"]
        ),
        "adset": _build_node_resolver(AdSet, AD_SET_NODE_TYPE, lambda _call, item: item.above),
        "campaign": _build_node_resolver(Campaign, CAMPAIGN_NODE_TYPE, _get_campaign_id),
        "ad_review_feedback": _resolve_review_feedback,
        "issues_info": _resolve_issues,
        "preview_shareable_link": lambda _call, item, _field: f"https://fb.me/{item.id}",
    },
    ("id",),
)
ADS = ManagedObjects(
    node=AD_NODE_TYPE,
    kind=Ad,
    parameter_parsers={
        **dict.fromkeys(("name", "adset_id", "conversion_domain"), parse_string),
        "creative": parse_object,
        "status": build_choice_parser("Adgroup", "status"),
        "bid_amount": parse_whole_number,
        "tracking_specs": parse_any,
        "adlabels": parse_any,
    },
    require_access=require_advertise_role,
    validate_and_complete=_validate_and_complete,
    required=("name", "adset_id", "creative"),
    changeable_params=("name", "creative", "status", "bid_amount", "tracking_specs", "adlabels"),
    remove=mark_deleted,
    extra_fields={"switches": (), "reviews": ()},
)


def list_ad_creatives(call: Call, ad: Ad) -> Any:
    creative = call.context.store.get(Creative, ad.fields["creative"]["creative_id"])
    return {"data": [] if creative is None else [{"id": creative.id}]}


def build_preview(call: Call, ad: Ad | Creative) -> Any:
    """Return a frame with a preview. Its format must be chosen."""
    if not get_text(call, "ad_format"):
        raise build_blame_error("ad_format", "Choose the ad_format of the preview.", title="Format Is Missing")
    address = f"https://business.facebook.com/ads/api/preview_iframe.php?d={ad.id}"
    return {"data": [{"body": f'<iframe src="{address}" width="540" height="690" scrolling="yes"></iframe>'}]}
