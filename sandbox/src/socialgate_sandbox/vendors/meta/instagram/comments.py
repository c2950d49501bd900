"""Comments on Instagram media: written, read, answered, hidden and deleted by its account."""

from typing import Any

from socialgate_sandbox.dialects.graph.comments import CommentEdges
from socialgate_sandbox.dialects.graph.errors import require, unknown_object
from socialgate_sandbox.dialects.graph.nodes import NodeType, own
from socialgate_sandbox.dialects.graph.times import written
from socialgate_sandbox.kit import Call, World, digits
from socialgate_sandbox.society.comments import Board, Verb, comments_on
from socialgate_sandbox.vendors.meta.accounts import require_instagram
from socialgate_sandbox.vendors.meta.content import InstagramComment, InstagramMedia
from socialgate_sandbox.vendors.meta.instagram.media import MODERATING
from socialgate_sandbox.vendors.meta.state import Instagram
from socialgate_sandbox.vendors.meta.viewer import reachable, viewer
from socialgate_sandbox.vendors.meta.webhooks import notify_instagram

_COMMENT: NodeType = NodeType(
    "ShadowIGComment",
    {
        **own("id", "text", "hidden"),
        "timestamp": lambda _call, comment, _field: written(comment.made),
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


def _post_of(world: World, key: str) -> str | None:
    media = world.store.get(InstagramMedia, key)
    return media.id if media is not None and media.comments_on and _takes_comments(media) else None


def _takes_comments(media: InstagramMedia) -> bool:
    return not media.is_slide and media.product_type != "STORY"


def _tell(world: World, comment: InstagramComment, verb: Verb) -> None:
    """Notify the account of a new comment. Instagram reports nothing else that happens to it."""
    media = world.store.get(InstagramMedia, comment.parent)
    if verb != "add" or media is None:
        return
    value: dict[str, Any] = {
        "id": comment.id,
        "from": {"id": comment.author.id, "username": comment.author.username},
        "text": comment.text,
        "media": {"id": media.id, "media_product_type": media.product_type},
    }
    value |= {"parent_id": comment.above} if comment.above else {}
    notify_instagram(world, media.parent, "comments", {"changes": [{"field": "comments", "value": value}]})


def _read(call: Call) -> None:
    require_instagram(call)
    require_instagram(call, MODERATING)


BOARD: Board[InstagramComment] = Board(
    kind=InstagramComment,
    posts=(InstagramMedia,),
    account=Instagram,
    post_of=_post_of,
    new_id=lambda _media, _above: f"179{digits(14)}",
    tell=_tell,
    flat=True,
    answers_go=True,
)
EDGES = CommentEdges(
    board=BOARD,
    node=_COMMENT,
    longest=2200,
    reaches=lambda call, account: reachable(call.world, viewer(call), account.parent) is not None,
    read=_read,
)


def list_comments(call: Call, media: InstagramMedia) -> Any:
    """List comments, newest first. Replies are inside the comment that they reply to."""
    found = [one for one in comments_on(call.world, InstagramComment, media.id) if not one.above]
    return EDGES.listed(call, reversed(found))


def comment_on(call: Call, media: InstagramMedia, above: InstagramComment | None = None) -> Any:
    if not _takes_comments(media):
        raise unknown_object(call.method, media.id)
    require_instagram(call, MODERATING)
    require(media.comments_on, "Comments are turned off for this media")
    return EDGES.write(call, media.id, above)


def reply_to(call: Call, above: InstagramComment) -> Any:
    media = call.world.store.get(InstagramMedia, above.parent)
    assert media is not None, "comments are deleted with their media"
    return comment_on(call, media, above)
