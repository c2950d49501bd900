"""The calls of graph.facebook.com: which node an id names, and which edges it has."""

from collections.abc import Callable
from typing import Any

from socialgate_sandbox.dialects.graph.api import Api, Edges, Finder
from socialgate_sandbox.dialects.graph.errors import unknown_object
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, own
from socialgate_sandbox.dialects.graph.tokens import token_text
from socialgate_sandbox.kit import Call, Refused
from socialgate_sandbox.vendors.meta import accounts, oauth, uploads, webhooks
from socialgate_sandbox.vendors.meta.ads import edges as ads
from socialgate_sandbox.vendors.meta.commerce import edges as commerce
from socialgate_sandbox.vendors.meta.errors import missing_token
from socialgate_sandbox.vendors.meta.instagram import edges as instagram
from socialgate_sandbox.vendors.meta.leads import edges as leads
from socialgate_sandbox.vendors.meta.messaging import edges as messaging
from socialgate_sandbox.vendors.meta.pages import edges as pages
from socialgate_sandbox.vendors.meta.state import Human, Page
from socialgate_sandbox.vendors.meta.usage import usage_headers
from socialgate_sandbox.vendors.meta.viewer import TOKENS, viewer

VERSIONS = ("v21.0", "v22.0", "v23.0", "v24.0", "v25.0", "v26.0")
APPLICATION = NodeType("Application", own("id", "name"), ("name", "id"))
_PRODUCTS = (pages, instagram, messaging, leads, commerce, ads)
_FINDERS: tuple[Finder, ...] = (
    accounts.page_node,
    accounts.instagram_node,
    accounts.business_node,
    uploads.upload_node,
    *(finder for product in _PRODUCTS for finder in product.FINDERS),
)


def find(call: Call, key: str) -> Node:
    """Find what an id names, as far as the caller's token can access it."""
    world = call.world
    as_app = TOKENS.is_app(call, token_text(call))
    if key == world.app.id:
        return Node(APPLICATION, world.app)
    human = world.store.get(Human, key)
    if as_app and human is not None:
        return Node(accounts.USER, human)
    if as_app:
        raise Refused(missing_token(call)) if key == "me" else unknown_object(call.method, key)
    token = viewer(call)
    if key in {"me", token.parent} and not token.page:
        return Node(accounts.USER, world.store.get(Human, token.parent))
    if key == "me":
        return Node(accounts.PAGE, world.store.get(Page, token.page))
    node = next((node for finder in _FINDERS if (node := finder(call, key)) is not None), None)
    if node is None:
        raise unknown_object(call.method, key)
    return node


_ROOTS: dict[str, Callable[[Call], Any]] = {
    "GET oauth/access_token": oauth.access_token,
    "POST oauth/access_token": oauth.access_token,
    "GET debug_token": oauth.debug_token,
    **ads.ROOTS,
}
_EDGES: Edges = {
    "GET User/permissions": oauth.permissions,
    "DELETE User/permissions": oauth.give_up,
    "GET User/picture": accounts.picture,
    "GET User/accounts": accounts.accounts,
    "GET User/businesses": accounts.businesses,
    "GET Business/owned_pages": accounts.owned_pages,
    "GET Business/client_pages": accounts.client_pages,
    "GET Application/subscriptions": webhooks.subscriptions,
    "POST Application/subscriptions": webhooks.subscribe,
    "DELETE Application/subscriptions": webhooks.unsubscribe,
    **{
        f"{method} {node}/subscribed_apps": handler
        for node in ("Page", "ShadowIGUser")
        for method, handler in (
            ("GET", webhooks.subscribed_apps),
            ("POST", webhooks.subscribe_page),
            ("DELETE", webhooks.unsubscribe_page),
        )
    },
    "GET Page/picture": accounts.picture,
    "POST Page": accounts.change_page,
    "POST Application/uploads": uploads.begin,
    "POST UploadSession": uploads.receive,
}

API = Api(
    host="graph.facebook.com",
    versions=VERSIONS,
    find=find,
    roots=_ROOTS,
    edges={**_EDGES, **{path: edge for product in _PRODUCTS for path, edge in product.EDGES.items()}},
    headers=usage_headers,
)
