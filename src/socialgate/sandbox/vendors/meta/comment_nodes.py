"""Comments as they are read: their fields, and which of them a list contains."""

from typing import Any

from socialgate.sandbox.kit import Call
from socialgate.sandbox.society.comments import Comment, answers_to, comments_on
from socialgate.sandbox.vendors.graph.fields import Field
from socialgate.sandbox.vendors.graph.given import one_of
from socialgate.sandbox.vendors.graph.nodes import NodeType, own
from socialgate.sandbox.vendors.graph.times import written
from socialgate.sandbox.vendors.meta.accounts import CDN
from socialgate.sandbox.vendors.meta.content import Photo
from socialgate.sandbox.vendors.meta.errors import missing_scope
from socialgate.sandbox.vendors.meta.viewer import may, viewer

MODERATING = "instagram_manage_comments"
_FILTERS, _ORDERS = ("toplevel", "stream"), ("chronological", "reverse_chronological")


def _not_mine(call: Call, comment: Comment, _field: Field) -> bool:
    return comment.author.id != viewer(call).page


def _from(call: Call, comment: Comment, _field: Field) -> dict[str, str] | None:
    """Return who wrote it. Names are shown only to the Page itself, and with the permission to read them."""
    known = bool(viewer(call).page) and may(call, "pages_read_user_content")
    author = comment.author
    return {"name": author.name, "id": author.id} if known or not author.person else None


def photo_attachment(call: Call, photo: Photo) -> dict[str, Any]:
    """Return a photo as shown in posts and comments."""
    url, media = f"https://www.facebook.com/photo.php?fbid={photo.id}", photo.media
    image = {"image": {"height": media.height, "src": media.url(call.world, CDN), "width": media.width}}
    return {"media_type": "photo", "type": "photo", "url": url, "media": image, "target": {"id": photo.id, "url": url}}


def _attachment(call: Call, comment: Comment, _field: Field) -> dict[str, Any] | None:
    photo = call.world.store.get(Photo, comment.attachment)
    return photo_attachment(call, photo) if photo is not None else None


COMMENT: NodeType = NodeType(
    "Comment",
    {
        **own("id"),
        "message": lambda _call, comment, _field: comment.text,
        "from": _from,
        "created_time": lambda _call, comment, _field: written(comment.made),
        "like_count": lambda _call, comment, _field: len(comment.likes),
        "user_likes": lambda call, comment, _field: viewer(call).page in comment.likes,
        "comment_count": lambda call, comment, _field: len(answers_to(call.world, comment)),
        "parent": lambda _call, comment, _field: {"id": comment.above} if comment.above else None,
        "is_hidden": lambda _call, comment, _field: comment.hidden,
        # A Page cannot hide its own comments, and does not need a message to reply to them.
        "can_hide": _not_mine,
        **dict.fromkeys(("can_remove", "can_comment", "can_like"), lambda _call, _comment, _field: True),
        "is_private": lambda _call, _comment, _field: False,
        "can_reply_privately": _not_mine,
        "attachment": _attachment,
        "permalink_url": lambda _call, comment, _field: f"https://www.facebook.com/{comment.id}",
    },
    ("created_time", "from", "message", "id"),
)
INSTAGRAM_COMMENT: NodeType = NodeType(
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


def chosen(call: Call, post: str, words: str) -> list[Comment]:
    """Return the comments on a post: the top-level ones, or (`stream`) replies as well."""
    found = comments_on(call.world, Comment, post)
    return found if one_of("filter", words, _FILTERS) == "stream" else [one for one in found if not one.above]


def ordered(found: list[Comment], word: str) -> list[Comment]:
    """Sort oldest first unless the caller requests otherwise."""
    return found if one_of("order", word, _ORDERS) == "chronological" else found[::-1]


def summary(call: Call, count: int) -> dict[str, Any]:
    """Count what people did, for a caller who may read that."""
    if not may(call, "pages_read_user_content"):
        raise missing_scope("Requires pages_read_user_content permission to read the summary", 10)
    return {"order": "chronological", "total_count": count, "can_comment": True}
