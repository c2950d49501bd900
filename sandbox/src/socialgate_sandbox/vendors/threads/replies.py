"""Replies: how people write them, what the profile does with them, and what the app is notified of."""

from typing import Any

from socialgate_sandbox.dialects.graph.comments import hide_comment
from socialgate_sandbox.dialects.graph.times import format_time
from socialgate_sandbox.kit import Call, VendorContext, generate_digits
from socialgate_sandbox.society.comments import CommentChange, CommentService, build_person_author
from socialgate_sandbox.vendors.threads.content import Post, Reply, get_owner_id, get_parent_id
from socialgate_sandbox.vendors.threads.errors import build_parameter_response
from socialgate_sandbox.vendors.threads.post_nodes import build_permalink, get_username, is_expired
from socialgate_sandbox.vendors.threads.stored_objects import Profile
from socialgate_sandbox.vendors.threads.token_access import get_scopes, require_scope
from socialgate_sandbox.vendors.threads.webhooks import notify_webhook


def _find_open_post_id(context: VendorContext, key: str) -> str | None:
    post = context.store.get(Post, key)
    return None if post is None or post.is_slide or post.repost_of or is_expired(context, post) else post.id


def _notify_reply(context: VendorContext, reply: Reply, verb: CommentChange) -> None:
    """Notify the owner of the conversation, if that profile lets the app read replies. Hiding is not reported."""
    root = context.store.get(Post, reply.parent)
    if verb == "remove":
        notify_deletion(context, reply)
    elif verb == "add" and root is not None and "threads_read_replies" in get_scopes(context, root.parent):
        value = {
            "id": reply.id,
            "username": reply.author.username,
            "text": reply.text,
            "media_type": reply.media_type,
            "permalink": build_permalink(context, reply),
            "replied_to": {"id": get_parent_id(reply)},
            "root_post": {"id": root.id, "owner_id": root.parent, "username": get_username(context, root)},
            "shortcode": reply.shortcode,
            "timestamp": format_time(reply.created_at),
        }
        notify_webhook(context, "replies", root.id, value)


def notify_deletion(context: VendorContext, media: Post | Reply) -> None:
    """Notify the profile that owned it; for somebody else's reply, the owner of the conversation."""
    root = context.store.get(Post, media.parent)
    owner = (
        root.parent if isinstance(media, Reply) and media.author.person and root is not None else get_owner_id(media)
    )
    value = {"id": media.id, "deleted_at": format_time(context.clock.now()), "timestamp": format_time(media.created_at)}
    notify_webhook(context, "delete", owner, value)


COMMENT_SERVICE: CommentService[Reply] = CommentService(
    kind=Reply,
    posts=(Post,),
    account_type=Profile,
    find_post_id=_find_open_post_id,
    new_id=lambda _post, _above: f"180{generate_digits(14)}",
    author=lambda person, _profile: build_person_author(person, "threads"),
    notify_product=_notify_reply,
)


def manage_reply(call: Call, reply: Post | Reply) -> Any:
    """Hide a reply or show it again. Only direct replies to the caller's own post can be hidden."""
    token = require_scope(call, "threads_manage_replies")
    root = call.context.store.get(Post, reply.parent)
    if not isinstance(reply, Reply) or reply.above or root is None or root.parent != token.parent:
        return build_parameter_response("Only top-level replies to your own posts can be hidden")
    return hide_comment(call, COMMENT_SERVICE, reply, build_parameter_response)
