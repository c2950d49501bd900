"""Replies: how people write them, what the profile does with them, and what the app is notified of."""

from typing import Any

from socialgate_sandbox.dialects.graph.comments import hide_comment
from socialgate_sandbox.dialects.graph.times import written
from socialgate_sandbox.kit import Call, World, digits
from socialgate_sandbox.society.comments import Board, Verb, author_of
from socialgate_sandbox.vendors.threads.content import Post, Reply, owner_of, replied_to
from socialgate_sandbox.vendors.threads.errors import bad_parameter
from socialgate_sandbox.vendors.threads.posts import is_over, permalink, username_of
from socialgate_sandbox.vendors.threads.state import Profile
from socialgate_sandbox.vendors.threads.viewer import require, scopes
from socialgate_sandbox.vendors.threads.webhooks import notify


def _post_of(world: World, key: str) -> str | None:
    post = world.store.get(Post, key)
    return None if post is None or post.is_slide or post.repost_of or is_over(world, post) else post.id


def _tell(world: World, reply: Reply, verb: Verb) -> None:
    """Notify the owner of the conversation, if that profile lets the app read replies. Hiding is not reported."""
    root = world.store.get(Post, reply.parent)
    if verb == "remove":
        tell_of_deletion(world, reply)
    elif verb == "add" and root is not None and "threads_read_replies" in scopes(world, root.parent):
        value = {
            "id": reply.id,
            "username": reply.author.username,
            "text": reply.text,
            "media_type": reply.media_type,
            "permalink": permalink(world, reply),
            "replied_to": {"id": replied_to(reply)},
            "root_post": {"id": root.id, "owner_id": root.parent, "username": username_of(world, root)},
            "shortcode": reply.shortcode,
            "timestamp": written(reply.made),
        }
        notify(world, "replies", root.id, value)


def tell_of_deletion(world: World, media: Post | Reply) -> None:
    """Notify the profile that owned it; for somebody else's reply, the owner of the conversation."""
    root = world.store.get(Post, media.parent)
    owner = root.parent if isinstance(media, Reply) and media.author.person and root is not None else owner_of(media)
    value = {"id": media.id, "deleted_at": written(world.clock.now()), "timestamp": written(media.made)}
    notify(world, "delete", owner, value)


BOARD: Board[Reply] = Board(
    kind=Reply,
    posts=(Post,),
    account=Profile,
    post_of=_post_of,
    new_id=lambda _post, _above: f"180{digits(14)}",
    author=lambda person, _profile: author_of(person, "threads"),
    tell=_tell,
)


def manage_reply(call: Call, reply: Post | Reply) -> Any:
    """Hide a reply or show it again. Only direct replies to the caller's own post can be hidden."""
    token = require(call, "threads_manage_replies")
    root = call.world.store.get(Post, reply.parent)
    if not isinstance(reply, Reply) or reply.above or root is None or root.parent != token.parent:
        return bad_parameter("Only top-level replies to your own posts can be hidden")
    return hide_comment(call, BOARD, reply, bad_parameter)
