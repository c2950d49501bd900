"""The calls of graph.facebook.com: which node an id names, and which edges it has."""

from collections.abc import Callable
from typing import Any

from socialgate.sandbox.dialects.graph.api import Api
from socialgate.sandbox.dialects.graph.errors import unknown_object
from socialgate.sandbox.dialects.graph.nodes import Node, NodeType, own
from socialgate.sandbox.dialects.graph.tokens import token_text
from socialgate.sandbox.kit import Call, Refused
from socialgate.sandbox.vendors.meta import (
    accounts,
    ad_accounts,
    catalogs,
    conversations,
    instagram,
    instagram_comments,
    instagram_insights,
    instagram_media,
    lead_forms,
    leads,
    messages,
    oauth,
    page_comments,
    page_insights,
    posts,
    products,
    publish,
    uploads,
    video_nodes,
    videos,
    webhooks,
)
from socialgate.sandbox.vendors.meta.errors import missing_token
from socialgate.sandbox.vendors.meta.state import Human, Page
from socialgate.sandbox.vendors.meta.usage import usage_headers
from socialgate.sandbox.vendors.meta.viewer import TOKENS, viewer

VERSIONS = ("v21.0", "v22.0", "v23.0", "v24.0", "v25.0", "v26.0")
APPLICATION = NodeType("Application", own("id", "name"), ("name", "id"))
_FINDERS: tuple[Callable[[Call, str], Node | None], ...] = (
    accounts.page_node,
    accounts.instagram_node,
    accounts.business_node,
    ad_accounts.ad_account_node,
    posts.post_node,
    videos.video_node,
    instagram.container_node,
    instagram_media.media_node,
    page_comments.EDGES.find,
    instagram_comments.EDGES.find,
    conversations.thread_node,
    conversations.message_node,
    conversations.person_node,
    uploads.upload_node,
    lead_forms.form_node,
    leads.lead_node,
    catalogs.catalog_node,
    catalogs.set_node,
    catalogs.shop_node,
    products.product_node,
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
}
_PEOPLE: dict[str, Callable[[Call, Any], Any]] = {
    "GET User/permissions": oauth.permissions,
    "DELETE User/permissions": oauth.give_up,
    "GET User/picture": accounts.picture,
    "GET User/accounts": accounts.accounts,
    "GET User/businesses": accounts.businesses,
    "GET User/adaccounts": ad_accounts.ad_accounts,
    "GET User/assigned_ad_accounts": ad_accounts.ad_accounts,
    "GET Business/owned_pages": accounts.owned_pages,
    "GET Business/client_pages": accounts.client_pages,
    "GET Business/owned_ad_accounts": ad_accounts.owned_ad_accounts,
    "GET Business/client_ad_accounts": ad_accounts.client_ad_accounts,
    "GET AdAccount/minimum_budgets": ad_accounts.minimum_budgets,
    "GET AdAccount/promote_pages": ad_accounts.promote_pages,
    "GET AdAccount/instagram_accounts": ad_accounts.instagram_accounts,
    "GET AdAccount/connected_instagram_accounts": ad_accounts.instagram_accounts,
}
_WEBHOOKS: dict[str, Callable[[Call, Any], Any]] = {
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
}
_PAGES: dict[str, Callable[[Call, Any], Any]] = {
    "GET Page/feed": posts.published_posts,
    "GET Page/posts": posts.published_posts,
    "GET Page/published_posts": posts.published_posts,
    "GET Page/scheduled_posts": posts.scheduled_posts,
    "GET Page/photos": posts.photos,
    "GET Page/videos": videos.videos,
    "GET Page/video_reels": videos.list_reels,
    "GET Page/stories": posts.stories,
    "GET Page/insights": page_insights.page_insights,
    "GET PagePost/attachments": posts.attachments,
    **{f"GET {node}/reactions": posts.reactions for node in ("PagePost", "Photo", "Video")},
    **{f"GET {node}/likes": posts.likes for node in ("PagePost", "Photo", "Video")},
    "GET PagePost/insights": page_insights.post_insights,
    "GET Video/thumbnails": video_nodes.thumbnails,
    "GET Video/video_insights": page_insights.video_insights,
    "POST Page/feed": publish.create_post,
    "POST Page/photos": publish.create_photo,
    "POST Page/videos": videos.create_video,
    "POST Page/video_reels": videos.reels,
    "POST Page/video_stories": videos.video_stories,
    "POST Page/photo_stories": videos.photo_story,
    "POST Page": accounts.change_page,
    "POST Video": videos.change_video,
    "POST Video/thumbnails": videos.set_thumbnail,
    "POST PagePost": publish.update_post,
    "DELETE PagePost": publish.delete_post,
    "DELETE Photo": publish.delete_medium,
    "DELETE Video": publish.delete_medium,
    **{f"GET {node}/comments": page_comments.list_comments for node in ("PagePost", "Photo", "Video")},
    **{f"POST {node}/comments": page_comments.comment_on for node in ("PagePost", "Photo", "Video")},
    "GET Comment/comments": page_comments.list_replies,
    "POST Comment/comments": page_comments.reply_to,
    "POST Comment/likes": page_comments.EDGES.like,
    "DELETE Comment/likes": page_comments.EDGES.like,
    "POST Comment": page_comments.change,
    "DELETE Comment": page_comments.EDGES.delete,
    "POST Application/uploads": uploads.begin,
    "POST UploadSession": uploads.receive,
}
_MESSAGES: dict[str, Callable[[Call, Any], Any]] = {
    "POST Page/messages": messages.send,
    "GET Page/conversations": conversations.conversations,
    "GET UnifiedThread/messages": conversations.messages,
}
_LEADS: dict[str, Callable[[Call, Any], Any]] = {
    "GET Page/leadgen_forms": lead_forms.list_forms,
    "POST Page/leadgen_forms": lead_forms.create_form,
    "POST LeadGenForm": lead_forms.change_form,
    "GET LeadGenForm/leads": leads.list_leads,
    "GET LeadGenForm/test_leads": leads.test_leads,
    "POST LeadGenForm/test_leads": leads.create_test_lead,
    "DELETE UserLeadGenInfo": leads.delete_lead,
}
_COMMERCE: dict[str, Callable[[Call, Any], Any]] = {
    "GET Business/owned_product_catalogs": catalogs.owned_catalogs,
    "POST Business/owned_product_catalogs": catalogs.create_catalog,
    "GET Business/client_product_catalogs": catalogs.client_catalogs,
    "GET Page/product_catalogs": catalogs.owned_catalogs,
    "POST ProductCatalog": catalogs.change_catalog,
    "DELETE ProductCatalog": catalogs.delete_catalog,
    "GET ProductCatalog/products": products.list_products,
    "POST ProductCatalog/products": products.create_product,
    "POST ProductItem": products.change_product,
    "DELETE ProductItem": products.delete_product,
    "POST ProductCatalog/items_batch": products.items_batch,
    "GET ProductCatalog/check_batch_request_status": products.batch_status,
    "GET ProductCatalog/product_sets": catalogs.list_sets,
    "POST ProductCatalog/product_sets": catalogs.create_set,
    "POST ProductSet": catalogs.change_set,
    "DELETE ProductSet": catalogs.delete_set,
    "GET ProductSet/products": catalogs.set_products,
    "GET Business/commerce_merchant_settings": catalogs.commerce_accounts,
    "GET Page/commerce_merchant_settings": catalogs.commerce_accounts,
    "GET CommerceMerchantSettings/shops": catalogs.shops,
    "GET CommerceMerchantSettings/product_catalogs": catalogs.shop_catalogs,
    "GET CommerceMerchantSettings/setup_status": catalogs.setup_status,
}
_INSTAGRAM: dict[str, Callable[[Call, Any], Any]] = {
    "GET ShadowIGUser/media": instagram_media.media,
    "GET ShadowIGUser/stories": instagram_media.stories,
    "GET ShadowIGUser/content_publishing_limit": instagram_media.publishing_limit,
    "GET ShadowIGUser/insights": instagram_insights.account_insights,
    "GET ShadowIGMedia/insights": instagram_insights.media_insights,
    "POST ShadowIGUser/media": instagram.create_container,
    "POST ShadowIGUser/media_publish": instagram.publish,
    "GET ShadowIGMedia/children": instagram_media.children,
    "POST ShadowIGMedia": instagram_media.update_media,
    "DELETE ShadowIGMedia": instagram_media.delete_media,
    "GET ShadowIGMedia/comments": instagram_comments.list_comments,
    "POST ShadowIGMedia/comments": instagram_comments.comment_on,
    "GET ShadowIGComment/replies": instagram_comments.EDGES.replies,
    "POST ShadowIGComment/replies": instagram_comments.reply_to,
    "POST ShadowIGComment": instagram_comments.EDGES.hide,
    "DELETE ShadowIGComment": instagram_comments.EDGES.delete,
}

API = Api(
    host="graph.facebook.com",
    versions=VERSIONS,
    find=find,
    roots=_ROOTS,
    edges={**_PEOPLE, **_WEBHOOKS, **_PAGES, **_MESSAGES, **_LEADS, **_COMMERCE, **_INSTAGRAM},
    headers=usage_headers,
)
