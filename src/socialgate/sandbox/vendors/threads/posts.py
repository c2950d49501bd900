"""Posts as they are read: one, all of a profile, replies."""

from typing import Any

from socialgate.sandbox.kit import Call
from socialgate.sandbox.vendors.graph.fields import Field
from socialgate.sandbox.vendors.graph.nodes import Node, NodeType, own
from socialgate.sandbox.vendors.graph.paging import listing
from socialgate.sandbox.vendors.graph.times import within, written
from socialgate.sandbox.vendors.threads.content import Post
from socialgate.sandbox.vendors.threads.errors import KIND
from socialgate.sandbox.vendors.threads.state import Profile
from socialgate.sandbox.vendors.threads.viewer import require

CDN = "scontent.cdninstagram.com"


def _username(call: Call, post: Post) -> str:
    profile = call.world.store.get(Profile, post.parent)
    return profile.username if profile is not None else ""


def permalink(call: Call, post: Post) -> str:
    return f"https://www.threads.net/@{_username(call, post)}/post/{post.shortcode}"


def _media_url(call: Call, post: Post, _field: Field) -> str | None:
    return post.media.url(call.world, CDN) if post.media is not None else None


def _slides(call: Call, post: Post, _field: Field) -> list[Node] | None:
    found = [call.world.store.get(Post, key) for key in post.children]
    return [Node(POST, slide) for slide in found if slide is not None] or None


def replies_to(call: Call, key: str) -> list[Post]:
    return [post for post in call.world.store.find(Post) if post.options.reply_to == key]


def _reference(key: str) -> dict[str, str] | None:
    return {"id": key} if key else None


def _mine(call: Call, post: Post, _field: Field) -> bool:
    return post.parent == require(call).parent


POST = NodeType(
    "ThreadsMedia",
    {
        **own("id", "media_type", "shortcode"),
        "media_product_type": lambda _call, _post, _field: "THREADS",
        "media_url": _media_url,
        "gif_url": lambda _call, _post, _field: None,
        "thumbnail_url": lambda call, post, field: (
            _media_url(call, post, field) if post.media_type == "VIDEO" else None
        ),
        "permalink": lambda call, post, _field: permalink(call, post),
        "owner": lambda _call, post, _field: {"id": post.parent},
        "username": lambda call, post, _field: _username(call, post),
        "text": lambda _call, post, _field: post.text or None,
        "timestamp": lambda _call, post, _field: written(post.made),
        "children": _slides,
        "is_quote_post": lambda _call, post, _field: bool(post.options.quote),
        "quoted_post": lambda _call, post, _field: _reference(post.options.quote),
        "reposted_post": lambda _call, post, _field: _reference(post.repost_of),
        "has_replies": lambda call, post, _field: bool(replies_to(call, post.id)),
        "is_reply": lambda _call, post, _field: bool(post.options.reply_to),
        "is_reply_owned_by_me": _mine,
        "root_post": lambda _call, post, _field: _reference(post.root),
        "replied_to": lambda _call, post, _field: _reference(post.options.reply_to),
        "hide_status": lambda _call, post, _field: "HIDDEN" if post.hidden else "NOT_HUSHED",
        "reply_audience": lambda _call, post, _field: post.options.reply_control.upper(),
        "alt_text": lambda _call, post, _field: post.options.alt_text or None,
        "link_attachment_url": lambda _call, post, _field: post.options.link or None,
        "topic_tag": lambda _call, post, _field: post.options.topic_tag or None,
        "poll_attachment": lambda _call, post, _field: post.options.poll or None,
    },
    error_kind=KIND,
)


def find_post(call: Call, key: str) -> Node | None:
    """Find a post of the caller, or a reply to one: other people's are not to be had by id."""
    post = call.world.store.get(Post, key)
    if post is None:
        return None
    root = call.world.store.get(Post, post.root)
    mine = require(call).parent
    return Node(POST, post) if mine in {post.parent, root.parent if root is not None else ""} else None


def threads(call: Call, profile: Profile) -> Any:
    return _listed(call, profile, replies=False)


def own_replies(call: Call, profile: Profile) -> Any:
    require(call, "threads_read_replies")
    return _listed(call, profile, replies=True)


def _listed(call: Call, profile: Profile, *, replies: bool) -> Any:
    found = call.world.store.find(Post, parent=profile.id, newest_first=True)
    shown = [post for post in found if not post.is_slide and bool(post.options.reply_to) == replies]
    return listing(call, [Node(POST, post) for post in within(call, shown, lambda post: post.made)], links=False)


def replies(call: Call, post: Post) -> Any:
    """List those who answered the post itself."""
    require(call, "threads_read_replies")
    return _ordered(call, replies_to(call, post.id))


def conversation(call: Call, post: Post) -> Any:
    """List all replies below a post, at any depth."""
    require(call, "threads_read_replies")
    return _ordered(call, [found for found in call.world.store.find(Post) if found.root == post.id])


def _ordered(call: Call, found: list[Post]) -> Any:
    """Put the newest first, unless the caller says otherwise."""
    if str(call.params.get("reverse", "true")).lower() != "false":
        found.reverse()
    return listing(call, [Node(POST, post) for post in found], links=False)
