"""Which nodes and edges Instagram accounts, their media and comments have."""

from socialgate_sandbox.dialects.graph.api import EdgeHandlers, NodeFinder
from socialgate_sandbox.vendors.meta.instagram import (
    instagram_comments,
    instagram_insights,
    instagram_media,
    instagram_publishing,
)

NODE_FINDERS: tuple[NodeFinder, ...] = (
    instagram_publishing.find_container_node,
    instagram_media.find_media_node,
    instagram_comments.COMMENT_EDGES.find,
)
EDGE_HANDLERS: EdgeHandlers = {
    "GET ShadowIGUser/media": instagram_media.list_media,
    "GET ShadowIGUser/stories": instagram_media.list_stories,
    "GET ShadowIGUser/content_publishing_limit": instagram_media.get_publishing_limit,
    "GET ShadowIGUser/insights": instagram_insights.get_account_insights,
    "GET ShadowIGMedia/insights": instagram_insights.get_media_insights,
    "POST ShadowIGUser/media": instagram_publishing.create_container,
    "POST ShadowIGUser/media_publish": instagram_publishing.publish_container,
    "GET ShadowIGMedia/children": instagram_media.list_children,
    "POST ShadowIGMedia": instagram_media.update_media,
    "DELETE ShadowIGMedia": instagram_media.delete_media,
    "GET ShadowIGMedia/comments": instagram_comments.list_media_comments,
    "POST ShadowIGMedia/comments": instagram_comments.create_comment,
    "GET ShadowIGComment/replies": instagram_comments.COMMENT_EDGES.replies,
    "POST ShadowIGComment/replies": instagram_comments.create_reply,
    "POST ShadowIGComment": instagram_comments.COMMENT_EDGES.hide,
    "DELETE ShadowIGComment": instagram_comments.COMMENT_EDGES.delete,
}
