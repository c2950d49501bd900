"""Ads: a creative in an ad set, which is reviewed before it runs."""

from typing import Any

from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.given import text
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType
from socialgate_sandbox.dialects.graph.objects import (
    Objects,
    anything,
    choice,
    invalid,
    mapping,
    stored,
    string,
    whole,
)
from socialgate_sandbox.kit import Call
from socialgate_sandbox.society.campaigns import Ad, AdSet, Campaign, state_of, submitted, verdict_of
from socialgate_sandbox.vendors.meta.ads.accounts import require_advertiser
from socialgate_sandbox.vendors.meta.ads.ad_sets import AD_SET
from socialgate_sandbox.vendors.meta.ads.campaigns import CAMPAIGN
from socialgate_sandbox.vendors.meta.ads.creatives import CREATIVE, CREATIVES, Creative, texts
from socialgate_sandbox.vendors.meta.ads.managed import COMMON, remove, write_status


def _ad_set(call: Call, one: Ad) -> AdSet:
    found = call.world.store.get(AdSet, str(one.fields["adset_id"]))
    if found is None or found.parent != one.parent:
        raise invalid("adset_id", "The ad set does not exist in the ad account.", title="Invalid Ad Set")
    if state_of(call.world, found) == "deleted":
        raise invalid("adset_id", "The ad set was deleted.", subcode=1487056, title="Ad Set Is Deleted")
    return found


def _creative(call: Call, one: Ad) -> Creative:
    """Find the creative, or create it from its spec."""
    given = one.fields["creative"]
    key = str(given.get("creative_id") or given.get("id") or "")
    found = call.world.store.get(Creative, key) if key else CREATIVES.make(call, one.parent, given)
    if found is None or found.parent != one.parent or found.status == "DELETED":
        raise invalid("creative", "The creative does not exist in the ad account.", title="Invalid Creative")
    return found


def _write(call: Call, one: Ad, given: dict[str, Any]) -> None:
    write_status(call, one, given)
    one.above = _ad_set(call, one).id
    if "creative" in given:
        creative = _creative(call, one)
        one.fields["creative"] = {"creative_id": creative.id}
        one.video, one.reviews = creative.video, submitted(call.world, texts(call, creative), one.reviews)


def _of(kind: type[Any], node: NodeType, key: Any) -> Any:
    return lambda call, one, _field: Node(node, call.world.store.get(kind, key(call, one)))


def _campaign_id(call: Call, one: Ad) -> str:
    found = call.world.store.get(AdSet, one.above)
    return found.above if found is not None else ""


def _feedback(call: Call, one: Ad, _field: Field) -> dict[str, Any] | None:
    reason = verdict_of(call.world, one).reason
    return {"global": {"Advertising Policies": reason}} if reason else None


def _issues(call: Call, one: Ad, _field: Field) -> list[dict[str, Any]] | None:
    verdict = verdict_of(call.world, one)
    if verdict.stage != "rejected":
        return None
    summary = "Ad was rejected"
    row = {"level": "AD", "error_code": 2490468, "error_summary": summary, "error_message": verdict.reason}
    return [{**row, "error_type": "HARD_ERROR"}]


AD = NodeType(
    "Adgroup",
    {
        **COMMON,
        **stored("adset_id", "tracking_specs", "conversion_domain", "adlabels"),
        "campaign_id": lambda call, one, _field: _campaign_id(call, one),
        "creative": _of(Creative, CREATIVE, lambda _call, one: one.fields["creative"]["creative_id"]),
        "adset": _of(AdSet, AD_SET, lambda _call, one: one.above),
        "campaign": _of(Campaign, CAMPAIGN, _campaign_id),
        "ad_review_feedback": _feedback,
        "issues_info": _issues,
        "preview_shareable_link": lambda _call, one, _field: f"https://fb.me/{one.id}",
    },
    ("id",),
)
ADS = Objects(
    node=AD,
    kind=Ad,
    params={
        **dict.fromkeys(("name", "adset_id", "conversion_domain"), string),
        "creative": mapping,
        "status": choice("Adgroup", "status"),
        "bid_amount": whole,
        "tracking_specs": anything,
        "adlabels": anything,
    },
    guard=require_advertiser,
    write=_write,
    required=("name", "adset_id", "creative"),
    changes=("name", "creative", "status", "bid_amount", "tracking_specs", "adlabels"),
    remove=remove,
    more={"switches": (), "reviews": ()},
)


def creatives_of(call: Call, one: Ad) -> Any:
    found = call.world.store.get(Creative, one.fields["creative"]["creative_id"])
    return {"data": [] if found is None else [{"id": found.id}]}


def previews(call: Call, one: Ad | Creative) -> Any:
    """Return a frame with a preview. Its format must be chosen."""
    if not text(call, "ad_format"):
        raise invalid("ad_format", "Choose the ad_format of the preview.", title="Format Is Missing")
    address = f"https://business.facebook.com/ads/api/preview_iframe.php?d={one.id}"
    return {"data": [{"body": f'<iframe src="{address}" width="540" height="690" scrolling="yes"></iframe>'}]}
