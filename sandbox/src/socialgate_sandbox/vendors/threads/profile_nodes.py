"""The profile that signed in: the only thing that can be connected."""

from typing import Any

from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, resolve_attributes, resolve_constants
from socialgate_sandbox.kit import Call
from socialgate_sandbox.kit.profile_pictures import build_picture_url
from socialgate_sandbox.vendors.threads.errors import ERROR_TYPE, build_unknown_node_error
from socialgate_sandbox.vendors.threads.post_nodes import CDN_HOST, find_post
from socialgate_sandbox.vendors.threads.publishing import find_container
from socialgate_sandbox.vendors.threads.publishing_quota import build_publishing_limit
from socialgate_sandbox.vendors.threads.stored_objects import Profile
from socialgate_sandbox.vendors.threads.token_access import require_scope

PROFILE_NODE_TYPE = NodeType(
    "ThreadsUser",
    {
        **resolve_attributes("id", "username", "name", "is_verified"),
        "threads_profile_picture_url": lambda call, item, _field: build_picture_url(
            call.context, CDN_HOST, item.id, 320
        ),
        "threads_biography": lambda _call, item, _field: item.biography,
        **resolve_constants(recently_searched_keywords=[], is_eligible_for_geo_gating=False),
    },
    error_kind=ERROR_TYPE,
)


def find_node(call: Call, node_id: str) -> Node:
    """Find what an id names. Other people's profiles cannot be read by id."""
    token = require_scope(call)
    if node_id in {"me", token.parent}:
        return Node(PROFILE_NODE_TYPE, call.context.store.get(Profile, token.parent))
    node = find_post(call, node_id) or find_container(call, node_id)
    if node is None:
        raise build_unknown_node_error(call, node_id)
    return node


def get_publishing_limit(call: Call, profile: Profile) -> Any:
    require_scope(call, "threads_content_publish")
    return build_publishing_limit(call, profile)
