"""How much a profile may do in a rolling day."""

from typing import Any

from socialgate.sandbox.dialects.graph.nodes import Node, NodeType, Resolver, render, wanted
from socialgate.sandbox.kit import Call, Thing, digits
from socialgate.sandbox.vendors.threads.state import Profile

DAY = 86400
TOTALS = {"": 250, "reply_": 1000, "delete_": 100, "location_search_": 500}


class Use(Thing):
    """One use of a quota; its parent is `<profile>:<quota>`."""

    at: float


def used(call: Call, profile: str, quota: str) -> int:
    since = call.world.clock.time() - DAY
    return sum(use.at > since for use in call.world.store.find(Use, parent=f"{profile}:{quota}"))


def spend(call: Call, profile: str, quota: str) -> None:
    call.world.store.put(Use(id=digits(20), parent=f"{profile}:{quota}", at=call.world.clock.time()))


def _usage(quota: str) -> Resolver:
    return lambda call, profile, _field: used(call, profile.id, quota)


def _config(quota: str) -> Resolver:
    return lambda _call, _profile, _field: {"quota_total": TOTALS[quota], "quota_duration": DAY}


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
