"""Which nodes and edges Instagram accounts, their media and comments have."""

from socialgate_sandbox.dialects.graph.api import Edges, Finder
from socialgate_sandbox.vendors.meta.instagram import comments, insights, media, publish

FINDERS: tuple[Finder, ...] = (publish.container_node, media.media_node, comments.EDGES.find)
EDGES: Edges = {
    "GET ShadowIGUser/media": media.media,
    "GET ShadowIGUser/stories": media.stories,
    "GET ShadowIGUser/content_publishing_limit": media.publishing_limit,
    "GET ShadowIGUser/insights": insights.account_insights,
    "GET ShadowIGMedia/insights": insights.media_insights,
    "POST ShadowIGUser/media": publish.create_container,
    "POST ShadowIGUser/media_publish": publish.publish,
    "GET ShadowIGMedia/children": media.children,
    "POST ShadowIGMedia": media.update_media,
    "DELETE ShadowIGMedia": media.delete_media,
    "GET ShadowIGMedia/comments": comments.list_comments,
    "POST ShadowIGMedia/comments": comments.comment_on,
    "GET ShadowIGComment/replies": comments.EDGES.replies,
    "POST ShadowIGComment/replies": comments.reply_to,
    "POST ShadowIGComment": comments.EDGES.hide,
    "DELETE ShadowIGComment": comments.EDGES.delete,
}
