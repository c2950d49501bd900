"""Comments on Instagram media: written, read, answered, hidden and deleted by its account."""

from typing import Any

from socialgate_sandbox.dialects.graph.comments import CommentEdges
from socialgate_sandbox.dialects.graph.errors import build_unknown_object_error, require
from socialgate_sandbox.dialects.graph.nodes import NodeType, resolve_attributes
from socialgate_sandbox.dialects.graph.times import format_time
from socialgate_sandbox.kit import Call, VendorContext, generate_digits
from socialgate_sandbox.society.comments import CommentChange, CommentService, list_comments
from socialgate_sandbox.vendors.meta.account_nodes import require_instagram_scope
from socialgate_sandbox.vendors.meta.content import InstagramComment, InstagramMedia
from socialgate_sandbox.vendors.meta.instagram.instagram_media import MODERATION_SCOPE
from socialgate_sandbox.vendors.meta.stored_objects import Instagram
from socialgate_sandbox.vendors.meta.token_access import get_role_for_token, require_token
from socialgate_sandbox.vendors.meta.webhook_subscriptions import notify_instagram

_COMMENT_NODE_TYPE: NodeType = NodeType(
    "ShadowIGComment",
    {
        **resolve_attributes("id", "text", "hidden"),
        "timestamp": lambda _call, comment, _field: format_time(comment.created_at),
        "username": lambda _call, comment, _field: comment.author.username,
        "from": lambda _call, comment, _field: {"id": comment.author.id, "username": comment.author.username},
        # Only the account's own comments contain the id of their user.
        "user": lambda _call, comment, _field: None if comment.author.person else {"id": comment.author.id},
        "like_count": lambda _call, comment, _field: len(comment.likes),
        "parent_id": lambda _call, comment, _field: comment.above or None,
        "media": lambda _call, comment, _field: {"id": comment.parent},
    },
    ("timestamp", "text", "id"),
)


def _find_open_post_id(context: VendorContext, key: str) -> str | None:
    media = context.store.get(InstagramMedia, key)
    return media.id if media is not None and media.comments_on and _allows_comments(media) else None


def _allows_comments(media: InstagramMedia) -> bool:
    return not media.is_slide and media.product_type != "STORY"


def _notify_comment(context: VendorContext, comment: InstagramComment, verb: CommentChange) -> None:
    """Notify the account of a new comment. Instagram reports nothing else that happens to it."""
    media = context.store.get(InstagramMedia, comment.parent)
    if verb != "add" or media is None:
        return
    value: dict[str, Any] = {
        "id": comment.id,
        "from": {"id": comment.author.id, "username": comment.author.username},
        "text": comment.text,
        "media": {"id": media.id, "media_product_type": media.product_type},
    }
    value |= {"parent_id": comment.above} if comment.above else {}
    notify_instagram(context, media.parent, "comments", {"changes": [{"field": "comments", "value": value}]})


def _require_read(call: Call) -> None:
    require_instagram_scope(call)
    require_instagram_scope(call, MODERATION_SCOPE)


BOARD: CommentService[InstagramComment] = CommentService(
    kind=InstagramComment,
    posts=(InstagramMedia,),
    account_type=Instagram,
    find_post_id=_find_open_post_id,
    new_id=lambda _media, _above: f"179{generate_digits(14)}",
    notify_product=_notify_comment,
    has_flat_replies=True,
    deletes_replies=True,
)
COMMENT_EDGES = CommentEdges(
    board=BOARD,
    node=_COMMENT_NODE_TYPE,
    max_length=2200,
    can_access=lambda call, account: get_role_for_token(call.context, require_token(call), account.parent) is not None,
    require_read=_require_read,
)


def list_media_comments(call: Call, media: InstagramMedia) -> Any:
    """List comments, newest first. Replies are inside the comment that they reply to."""
    instagram_comments = [
        instagram_comment
        for instagram_comment in list_comments(call.context, InstagramComment, media.id)
        if not instagram_comment.above
    ]
    return COMMENT_EDGES.list_comments(call, reversed(instagram_comments))


def create_comment(call: Call, media: InstagramMedia, parent_comment: InstagramComment | None = None) -> Any:
    if not _allows_comments(media):
        raise build_unknown_object_error(call.method, media.id)
    require_instagram_scope(call, MODERATION_SCOPE)
    require(media.comments_on, "Comments are turned off for this media")
    return COMMENT_EDGES.write(call, media.id, parent_comment)


def create_reply(call: Call, parent_comment: InstagramComment) -> Any:
    media = call.context.store.get(InstagramMedia, parent_comment.parent)
    assert media is not None, "comments are deleted with their media"
    return create_comment(call, media, parent_comment)
