"""How much a profile may do in a rolling day."""

from typing import Any

from socialgate_sandbox.dialects.graph.nodes import FieldResolver, Node, NodeType, parse_requested_fields, render_node
from socialgate_sandbox.kit import Call, quotas
from socialgate_sandbox.vendors.threads.errors import build_refusal
from socialgate_sandbox.vendors.threads.stored_objects import Profile

QUOTA_LIMITS = {"": 250, "reply_": 1000, "delete_": 100, "location_search_": 500}


def require_and_record_use(call: Call, profile: str, quota_prefix: str) -> None:
    key = f"{profile}:{quota_prefix}"
    if quotas.count_day_uses(call.context, key) >= QUOTA_LIMITS[quota_prefix]:
        raise build_refusal("publish_quota")
    quotas.record_use(call.context, key)


def _build_usage_resolver(quota_prefix: str) -> FieldResolver:
    return lambda call, profile, _field: quotas.count_day_uses(call.context, f"{profile.id}:{quota_prefix}")


def _build_config_resolver(quota_prefix: str) -> FieldResolver:
    return lambda _call, _profile, _field: {
        "quota_total": QUOTA_LIMITS[quota_prefix],
        "quota_duration": quotas.DAY_SECONDS,
    }


_LIMIT_NODE_TYPE = NodeType(
    "ThreadsPublishingLimit",
    {
        **{f"{quota}quota_usage": _build_usage_resolver(quota) for quota in QUOTA_LIMITS},
        **{f"{quota}config": _build_config_resolver(quota) for quota in QUOTA_LIMITS},
    },
    ("quota_usage",),
)


def build_publishing_limit(call: Call, profile: Profile) -> Any:
    return {"data": [render_node(call, Node(_LIMIT_NODE_TYPE, profile), parse_requested_fields(call))]}
