"""The profile that signed in: the only thing that can be connected."""

from typing import Any

from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, always, own
from socialgate_sandbox.kit import Call
from socialgate_sandbox.kit.pictures import picture_url
from socialgate_sandbox.vendors.threads.errors import KIND, unknown
from socialgate_sandbox.vendors.threads.posts import CDN, find_post
from socialgate_sandbox.vendors.threads.publish import find_container
from socialgate_sandbox.vendors.threads.quota import publishing_limit
from socialgate_sandbox.vendors.threads.state import Profile
from socialgate_sandbox.vendors.threads.viewer import require

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
