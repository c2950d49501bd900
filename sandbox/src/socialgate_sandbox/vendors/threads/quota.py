"""How much a profile may do in a rolling day."""

from typing import Any

from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, Resolver, render, wanted
from socialgate_sandbox.kit import Call, quotas
from socialgate_sandbox.vendors.threads.errors import refusal
from socialgate_sandbox.vendors.threads.state import Profile

TOTALS = {"": 250, "reply_": 1000, "delete_": 100, "location_search_": 500}


def spend(call: Call, profile: str, quota: str) -> None:
    key = f"{profile}:{quota}"
    if quotas.used(call.world, key) >= TOTALS[quota]:
        raise refusal("publish_quota")
    quotas.spend(call.world, key)


def _usage(quota: str) -> Resolver:
    return lambda call, profile, _field: quotas.used(call.world, f"{profile.id}:{quota}")


def _config(quota: str) -> Resolver:
    return lambda _call, _profile, _field: {"quota_total": TOTALS[quota], "quota_duration": quotas.DAY}


_LIMIT = NodeType(
    "ThreadsPublishingLimit",
    {
        **{f"{quota}quota_usage": _usage(quota) for quota in TOTALS},
        **{f"{quota}config": _config(quota) for quota in TOTALS},
    },
    ("quota_usage",),
)


def publishing_limit(call: Call, profile: Profile) -> Any:
    return {"data": [render(call, Node(_LIMIT, profile), wanted(call))]}
