"""Comments under posts of Pages and of Instagram accounts: written, read, answered, hidden and deleted."""

from collections.abc import Mapping
from typing import Any

from socialgate.sandbox.kit import Call, Refused, World, digits
from socialgate.sandbox.vendors.graph.errors import bad_parameter, unknown_object
from socialgate.sandbox.vendors.graph.fields import Field
from socialgate.sandbox.vendors.graph.given import flag, text
from socialgate.sandbox.vendors.graph.nodes import Node, NodeType, own
from socialgate.sandbox.vendors.graph.paging import listing
from socialgate.sandbox.vendors.graph.times import written
from socialgate.sandbox.vendors.meta.content import Comment, InstagramMedia, Photo, Post, Video
from socialgate.sandbox.vendors.meta.errors import missing_scope
from socialgate.sandbox.vendors.meta.posts import permalink, require_reader
from socialgate.sandbox.vendors.meta.state import Instagram, Page
from socialgate.sandbox.vendors.meta.viewer import may, reachable, scopes, viewer
from socialgate.sandbox.vendors.meta.webhooks import notify_instagram, notify_page

_LONGEST, _LONGEST_ON_INSTAGRAM = 8000, 2200
_PAGE_REFUSAL = "Requires pages_manage_engagement permission to manage the object"
_INSTAGRAM_REFUSAL = "Application does not have permission for this action"


def author_name(world: World, comment: Comment) -> str:
    page, account = world.store.get(Page, comment.author), world.store.get(Instagram, comment.author)
    return page.name if page is not None else account.username if account is not None else comment.author


def _under(call: Call, comment: Comment) -> list[Comment]:
    return [one for one in call.world.store.find(Comment, parent=comment.parent) if one.above == comment.id]


def _above(_call: Call, comment: Comment, _field: Field) -> dict[str, str] | None:
    return {"id": comment.above} if comment.above else None


def _mine(call: Call, comment: Comment, _field: Field) -> bool:
    return comment.author == viewer(call).page


COMMENT = NodeType(
    "Comment",
    {
        **own("id"),
        "message": lambda _call, comment, _field: comment.text,
        "from": lambda call, comment, _field: {"name": author_name(call.world, comment), "id": comment.author},
        "created_time": lambda _call, comment, _field: written(comment.made),
        "like_count": lambda _call, _comment, _field: 0,
        "comment_count": lambda call, comment, _field: len(_under(call, comment)),
        "parent": _above,
        "is_hidden": lambda _call, comment, _field: comment.hidden,
        # A Page cannot hide what it wrote itself, and needs no message to answer it.
        "can_hide": lambda call, comment, field: not _mine(call, comment, field),
        "can_remove": lambda _call, _comment, _field: True,
        "can_reply_privately": lambda call, comment, field: not _mine(call, comment, field),
        "attachment": lambda _call, _comment, _field: None,
        "permalink_url": lambda _call, comment, _field: f"https://www.facebook.com/{comment.id}",
    },
    ("created_time", "from", "message", "id"),
)
INSTAGRAM_COMMENT: NodeType = NodeType(
    "ShadowIGComment",
    {
        **own("id", "text", "hidden"),
        "timestamp": lambda _call, comment, _field: written(comment.made),
        "username": lambda call, comment, _field: author_name(call.world, comment),
        "from": lambda call, comment, _field: {"id": comment.author, "username": author_name(call.world, comment)},
        "like_count": lambda _call, _comment, _field: 0,
        "parent_id": lambda _call, comment, _field: comment.above or None,
        "media": lambda _call, comment, _field: {"id": comment.parent},
        "replies": lambda call, comment, _field: (
            [Node(INSTAGRAM_COMMENT, one) for one in _under(call, comment)] or None
        ),
    },
    ("timestamp", "text", "id"),
)


def _nodes_under(call: Call, comment: Comment) -> list[Node]:
    return [Node(INSTAGRAM_COMMENT, one) for one in _under(call, comment)]


def comments_on(call: Call, thing: Post | Photo | Video) -> Any:
    """List comments, the oldest first unless the caller says otherwise."""
    require_reader(call)
    found = call.world.store.find(Comment, parent=_shown_in(thing))
    if text(call, "filter") != "stream":
        found = [comment for comment in found if not comment.above]
    if text(call, "order") == "reverse_chronological":
        found.reverse()
    return listing(call, [Node(COMMENT, comment) for comment in found])


def replies_on(call: Call, above: Comment) -> Any:
    require_reader(call)
    return listing(call, [Node(COMMENT, comment) for comment in _under(call, above)])


def comment_on(call: Call, thing: Post | Photo | Video) -> Any:
    page = _require_manager(call, thing.parent)
    return {"id": _written(call, page, _shown_in(thing), "").id}


def reply_on(call: Call, above: Comment) -> Any:
    page = _require_manager(call, viewer(call).page)
    # Facebook keeps two levels: an answer to an answer stands beside it.
    return {"id": _written(call, page, above.parent, above.above or above.id).id}


def _shown_in(thing: Post | Photo | Video) -> str:
    """Give what is commented on. A photo or video shares the comments of the post that shows it."""
    return thing.id if isinstance(thing, Post) else thing.post or thing.id


def _require_manager(call: Call, page: str) -> str:
    token = viewer(call)
    if token.page != page or "pages_manage_engagement" not in scopes(call.world, token):
        raise missing_scope(_PAGE_REFUSAL)
    return page


def _written(call: Call, page: str, on: str, above: str) -> Comment:
    message = text(call, "message")
    if not message:
        raise Refused(bad_parameter("Comment must have a message or an attachment"))
    if len(message) > _LONGEST:
        raise Refused(bad_parameter("The comment is too long"))
    key = f"{on.rpartition('_')[2]}_{digits(15)}"
    comment = Comment(id=key, parent=on, author=page, text=message, made=call.world.clock.now(), above=above)
    call.world.store.put(comment)
    _tell(call.world, page, comment, "add")
    return comment


def change_comment(call: Call, comment: Comment) -> Any:
    """Write it anew, or hide it from all but its author and their friends."""
    page = _require_manager(call, viewer(call).page)
    if "is_hidden" in call.params:
        comment.hidden = flag(call, "is_hidden")
        _tell(call.world, page, comment, "hide" if comment.hidden else "unhide")
    if "message" in call.params:
        if comment.author != page:
            return bad_parameter("Only the author of a comment can edit it")
        comment.text, comment.edited = text(call, "message"), True
        _tell(call.world, page, comment, "edited")
    call.world.store.put(comment)
    return {"success": True}


def delete_comment(call: Call, comment: Comment) -> Any:
    page = _require_manager(call, viewer(call).page)
    _forget(call, comment)
    _tell(call.world, page, comment, "remove")
    return {"success": True}


def _forget(call: Call, comment: Comment) -> None:
    for one in [comment, *_under(call, comment)]:
        call.world.store.delete(Comment, one.id)


def _tell(world: World, page: str, comment: Comment, verb: str) -> None:
    value: dict[str, Any] = {
        "from": {"id": comment.author, "name": author_name(world, comment)},
        "item": "comment",
        "verb": verb,
        "post_id": comment.parent,
        "comment_id": comment.id,
        "parent_id": comment.above or comment.parent,
        "message": comment.text,
        "created_time": int(comment.made.timestamp()),
    }
    post = world.store.get(Post, comment.parent)
    if post is not None:
        value["post"] = {"id": post.id, "status_type": post.status_type, "permalink_url": permalink(post)}
    notify_page(world, page, "feed", {"changes": [{"field": "feed", "value": value}]})


def instagram_comments(call: Call, media: InstagramMedia) -> Any:
    """List comments, the newest first. Replies stand in the comment that they answer."""
    _require_instagram_manager(call)
    found = call.world.store.find(Comment, parent=media.id, newest_first=True)
    return listing(call, [Node(INSTAGRAM_COMMENT, comment) for comment in found if not comment.above])


def instagram_replies(call: Call, above: Comment) -> Any:
    _require_instagram_manager(call)
    return listing(call, _nodes_under(call, above))


def comment_on_instagram(call: Call, media: InstagramMedia) -> Any:
    _require_instagram_manager(call)
    if media.is_slide or media.product_type == "STORY":
        raise unknown_object(call.method, media.id)
    if not media.comments_on:
        return bad_parameter("Comments are turned off for this media")
    return {"id": _written_on_instagram(call, media.parent, media.id, "").id}


def reply_on_instagram(call: Call, above: Comment) -> Any:
    _require_instagram_manager(call)
    media = call.world.store.get(InstagramMedia, above.parent)
    assert media is not None
    return {"id": _written_on_instagram(call, media.parent, media.id, above.above or above.id).id}


def _require_instagram_manager(call: Call) -> None:
    if not may(call, "instagram_manage_comments"):
        raise missing_scope(_INSTAGRAM_REFUSAL, 10)


def _written_on_instagram(call: Call, account: str, on: str, above: str) -> Comment:
    message = text(call, "message")
    if not message or len(message) > _LONGEST_ON_INSTAGRAM:
        raise Refused(bad_parameter(f"The parameter message must have 1 to {_LONGEST_ON_INSTAGRAM} characters"))
    comment = Comment(
        id=f"179{digits(14)}", parent=on, author=account, text=message, made=call.world.clock.now(), above=above
    )
    call.world.store.put(comment)
    _tell_of_instagram(call.world, account, comment)
    return comment


def _tell_of_instagram(world: World, account: str, comment: Comment) -> None:
    media = world.store.get(InstagramMedia, comment.parent)
    product: Mapping[str, str] = {"media_product_type": media.product_type} if media is not None else {}
    value: dict[str, Any] = {
        "id": comment.id,
        "from": {"id": comment.author, "username": author_name(world, comment)},
        "text": comment.text,
        "media": {"id": comment.parent, **product},
    }
    value |= {"parent_id": comment.above} if comment.above else {}
    notify_instagram(world, account, "comments", {"changes": [{"field": "comments", "value": value}]})


def hide_on_instagram(call: Call, comment: Comment) -> Any:
    _require_instagram_manager(call)
    if "hide" not in call.params:
        return bad_parameter("The parameter hide is required")
    comment.hidden = flag(call, "hide")
    call.world.store.put(comment)
    return {"success": True}


def delete_on_instagram(call: Call, comment: Comment) -> Any:
    _require_instagram_manager(call)
    _forget(call, comment)
    return {"success": True}


def comment_node(call: Call, key: str) -> Node | None:
    """Find a comment on something that the caller's token reaches."""
    comment = call.world.store.get(Comment, key)
    if comment is None:
        return None
    media = call.world.store.get(InstagramMedia, comment.parent)
    account = call.world.store.get(Instagram, media.parent) if media is not None else None
    if account is not None:
        return Node(INSTAGRAM_COMMENT, comment) if reachable(call.world, viewer(call), account.parent) else None
    thing = call.world.store.get(Post, comment.parent) or call.world.store.get(Video, comment.parent)
    if thing is None or reachable(call.world, viewer(call), thing.parent) is None:
        return None
    return Node(COMMENT, comment)
