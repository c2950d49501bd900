"""The calls of graph.facebook.com: which node an id names, and which edges it has."""

from collections.abc import Callable
from typing import Any

from socialgate_sandbox.dialects.graph.api import EdgeHandlers, GraphApi, NodeFinder
from socialgate_sandbox.dialects.graph.errors import build_unknown_object_error
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, resolve_attributes
from socialgate_sandbox.dialects.graph.tokens import read_token
from socialgate_sandbox.kit import Call, CallRefusedError
from socialgate_sandbox.vendors.meta import account_nodes, app_uploads, oauth, webhook_subscriptions
from socialgate_sandbox.vendors.meta.ads import edges as ads
from socialgate_sandbox.vendors.meta.commerce import edges as commerce
from socialgate_sandbox.vendors.meta.errors import build_missing_token_response
from socialgate_sandbox.vendors.meta.instagram import edges as instagram
from socialgate_sandbox.vendors.meta.leads import edges as leads
from socialgate_sandbox.vendors.meta.messaging import edges as messaging
from socialgate_sandbox.vendors.meta.pages import edges as pages
from socialgate_sandbox.vendors.meta.stored_objects import Human, Page
from socialgate_sandbox.vendors.meta.token_access import TOKENS, require_token
from socialgate_sandbox.vendors.meta.usage_headers import count_and_build_usage_headers

VERSIONS = ("v21.0", "v22.0", "v23.0", "v24.0", "v25.0", "v26.0")
APPLICATION_NODE_TYPE = NodeType("Application", resolve_attributes("id", "name"), ("name", "id"))
_PRODUCT_MODULES = (pages, instagram, messaging, leads, commerce, ads)
_NODE_FINDERS: tuple[NodeFinder, ...] = (
    account_nodes.find_page_node,
    account_nodes.find_instagram_node,
    account_nodes.find_business_node,
    app_uploads.find_upload_node,
    *(finder for product in _PRODUCT_MODULES for finder in product.NODE_FINDERS),
)


def find_node(call: Call, key: str) -> Node:
    """Find what an id names, as far as the caller's token can access it."""
    world = call.context
    as_app = TOKENS.is_app_token(call, read_token(call))
    if key == world.app.id:
        return Node(APPLICATION_NODE_TYPE, world.app)
    human = world.store.get(Human, key)
    if as_app and human is not None:
        return Node(account_nodes.USER_NODE_TYPE, human)
    if as_app:
        raise (
            CallRefusedError(build_missing_token_response(call))
            if key == "me"
            else build_unknown_object_error(call.method, key)
        )
    token = require_token(call)
    if key in {"me", token.parent} and not token.page:
        return Node(account_nodes.USER_NODE_TYPE, world.store.get(Human, token.parent))
    if key == "me":
        return Node(account_nodes.PAGE_NODE_TYPE, world.store.get(Page, token.page))
    node = next((node for finder in _NODE_FINDERS if (node := finder(call, key)) is not None), None)
    if node is None:
        raise build_unknown_object_error(call.method, key)
    return node


_ROOT_HANDLERS: dict[str, Callable[[Call], Any]] = {
    "GET oauth/access_token": oauth.issue_access_token,
    "POST oauth/access_token": oauth.issue_access_token,
    "GET debug_token": oauth.show_token_info,
    **ads.ROOT_HANDLERS,
}
_EDGE_HANDLERS: EdgeHandlers = {
    "GET User/permissions": oauth.list_permissions,
    "DELETE User/permissions": oauth.revoke_permissions,
    "GET User/picture": account_nodes.redirect_to_picture,
    "GET User/accounts": account_nodes.list_pages,
    "GET User/businesses": account_nodes.list_businesses,
    "GET Business/owned_pages": account_nodes.list_owned_pages,
    "GET Business/client_pages": account_nodes.list_client_pages,
    "GET Application/subscriptions": webhook_subscriptions.list_subscriptions,
    "POST Application/subscriptions": webhook_subscriptions.subscribe_app,
    "DELETE Application/subscriptions": webhook_subscriptions.unsubscribe_app,
    **{
        f"{method} {node}/subscribed_apps": handler
        for node in ("Page", "ShadowIGUser")
        for method, handler in (
            ("GET", webhook_subscriptions.list_subscribed_apps),
            ("POST", webhook_subscriptions.subscribe_page),
            ("DELETE", webhook_subscriptions.unsubscribe_page),
        )
    },
    "GET Page/picture": account_nodes.redirect_to_picture,
    "POST Page": account_nodes.update_page,
    "POST Application/uploads": app_uploads.start_upload,
    "POST UploadSession": app_uploads.receive_chunk,
}

API = GraphApi(
    host="graph.facebook.com",
    versions=VERSIONS,
    find_node=find_node,
    root_handlers=_ROOT_HANDLERS,
    edge_handlers={
        **_EDGE_HANDLERS,
        **{path: edge for product in _PRODUCT_MODULES for path, edge in product.EDGE_HANDLERS.items()},
    },
    headers=count_and_build_usage_headers,
)
