"""The profile that signed in: the only thing that can be connected."""

from typing import Any

from socialgate.sandbox.dialects.graph.nodes import Node, NodeType, always, own
from socialgate.sandbox.kit import Call
from socialgate.sandbox.kit.pictures import picture_url
from socialgate.sandbox.vendors.threads.errors import KIND, unknown
from socialgate.sandbox.vendors.threads.posts import CDN, find_post
from socialgate.sandbox.vendors.threads.publish import find_container
from socialgate.sandbox.vendors.threads.quota import publishing_limit
from socialgate.sandbox.vendors.threads.state import Profile
from socialgate.sandbox.vendors.threads.viewer import require

PROFILE = NodeType(
    "ThreadsUser",
    {
        **own("id", "username", "name", "is_verified"),
        "threads_profile_picture_url": lambda call, one, _field: picture_url(call.world, CDN, one.id, 320),
        "threads_biography": lambda _call, one, _field: one.biography,
        **always(recently_searched_keywords=[], is_eligible_for_geo_gating=False),
    },
    error_kind=KIND,
)


def find(call: Call, key: str) -> Node:
    """Find what an id names. Other people's profiles cannot be read by id."""
    token = require(call)
    if key in {"me", token.parent}:
        return Node(PROFILE, call.world.store.get(Profile, token.parent))
    node = find_post(call, key) or find_container(call, key)
    if node is None:
        raise unknown(call, key)
    return node


def limits(call: Call, profile: Profile) -> Any:
    require(call, "threads_content_publish")
    return publishing_limit(call, profile)
