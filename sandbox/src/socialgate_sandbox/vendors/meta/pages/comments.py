"""Comments on what a Page has posted: written, read, answered, edited, liked, hidden and deleted by the Page."""

from typing import Any

from socialgate_sandbox.dialects.graph.comments import SUCCESS, CommentEdges
from socialgate_sandbox.dialects.graph.errors import require
from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.given import flag, one_of, text
from socialgate_sandbox.dialects.graph.nodes import NodeType, always, own
from socialgate_sandbox.dialects.graph.times import written
from socialgate_sandbox.kit import Call, World, digits
from socialgate_sandbox.society.comments import Board, Verb, answers_to, comments_on
from socialgate_sandbox.vendors.meta.accounts import require_reader
from socialgate_sandbox.vendors.meta.content import PageComment, Photo, Post, Video, on_page
from socialgate_sandbox.vendors.meta.errors import missing_scope
from socialgate_sandbox.vendors.meta.pages.posts import permalink, photo_attachment
from socialgate_sandbox.vendors.meta.pages.publish import fetch_photo
from socialgate_sandbox.vendors.meta.state import Page
from socialgate_sandbox.vendors.meta.viewer import may, reachable, require_task, viewer
from socialgate_sandbox.vendors.meta.webhooks import notify_page

_READING_PEOPLE = "pages_read_user_content"
_MODERATING_TASKS = {"CREATE_CONTENT", "MANAGE", "MODERATE"}


def _not_mine(call: Call, comment: PageComment, _field: Field) -> bool:
    return comment.author.id != viewer(call).page


def _from(call: Call, comment: PageComment, _field: Field) -> dict[str, str] | None:
    """Return who wrote it. Names are shown only to the Page itself, and with the permission to read them."""
    known = bool(viewer(call).page) and may(call, _READING_PEOPLE)
    author = comment.author
    return {"name": author.name, "id": author.id} if known or not author.person else None


def _attachment(call: Call, comment: PageComment, _field: Field) -> dict[str, Any] | None:
    photo = call.world.store.get(Photo, comment.attachment)
    return photo_attachment(call, photo) if photo is not None else None


_COMMENT: NodeType = NodeType(
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
        **always(can_remove=True, can_comment=True, can_like=True, is_private=False),
        "can_reply_privately": _not_mine,
        "attachment": _attachment,
        "permalink_url": lambda _call, comment, _field: f"https://www.facebook.com/{comment.id}",
    },
    ("created_time", "from", "message", "id"),
)


def _shown_in(thing: Post | Photo | Video) -> str:
    """Return what is commented on. A photo or video shares the comments of the post that shows it."""
    return thing.id if isinstance(thing, Post) else thing.post or thing.id


def _post_of(world: World, key: str) -> str | None:
    thing = on_page(world, key)
    post = None if thing is None else world.store.get(Post, _shown_in(thing))
    return post.id if post is not None and post.is_published(world) else None


def _tell(world: World, comment: PageComment, verb: Verb) -> None:
    value: dict[str, Any] = {
        "from": {"id": comment.author.id, "name": comment.author.name},
        "item": "comment",
        "verb": verb,
        "post_id": comment.parent,
        "comment_id": comment.id,
        "parent_id": comment.above or comment.parent,
        "created_time": int(comment.made.timestamp()),
    }
    value |= {} if verb == "remove" else {"message": comment.text}
    post = world.store.get(Post, comment.parent)
    if post is not None:
        value["post"] = {
            "id": post.id,
            "status_type": post.status_type,
            "is_published": post.is_published(world),
            "updated_time": written(post.edited or post.made),
            "permalink_url": permalink(post),
            "promotion_status": "inactive",
        }
    page = BOARD.owner(world, comment.parent)
    if page is not None:
        notify_page(world, page.id, "feed", {"changes": [{"field": "feed", "value": value}]})


BOARD: Board[PageComment] = Board(
    kind=PageComment,
    posts=(Post, Photo, Video),
    account=Page,
    post_of=_post_of,
    new_id=lambda post, _above: f"{post.rpartition('_')[2]}_{digits(15)}",
    tell=_tell,
    flat=True,
    answers_go=True,
    editable=True,
)
EDGES = CommentEdges(
    board=BOARD,
    node=_COMMENT,
    longest=8000,
    reaches=lambda call, page: reachable(call.world, viewer(call), page.id) is not None,
    read=require_reader,
    manage=lambda call, page: require_task(call, page, "pages_manage_engagement", _MODERATING_TASKS),
)


def list_comments(call: Call, thing: Post | Photo | Video) -> Any:
    """List the top-level comments, or (`stream`) replies as well."""
    found = comments_on(call.world, PageComment, _shown_in(thing))
    stream = one_of("filter", text(call, "filter"), ("toplevel", "stream")) == "stream"
    return _listed(call, [one for one in found if stream or not one.above])


def list_replies(call: Call, above: PageComment) -> Any:
    return _listed(call, answers_to(call.world, above))


def _listed(call: Call, found: list[PageComment]) -> Any:
    EDGES.read(call)
    order = one_of("order", text(call, "order"), ("chronological", "reverse_chronological"))
    rows = EDGES.listed(call, found if order == "chronological" else reversed(found))
    if "summary" in rows and not may(call, _READING_PEOPLE):
        raise missing_scope("Requires pages_read_user_content permission to read the summary", 10)
    summary = {"order": "chronological", "total_count": len(found), "can_comment": True}
    return rows | ({"summary": summary} if "summary" in rows else {})


async def comment_on(call: Call, thing: Post | Photo | Video, above: PageComment | None = None) -> Any:
    EDGES.manage(call, thing.parent)
    photo = await _attached(call, thing.parent)
    with call.world.store.transaction():
        attachment = "" if photo is None else call.world.store.put(photo).id
        return EDGES.write(call, _shown_in(thing), above, optional=photo is not None, attachment=attachment)


async def reply_to(call: Call, above: PageComment) -> Any:
    post = on_page(call.world, above.parent)
    assert post is not None, "comments are deleted with their post"
    return await comment_on(call, post, above)


async def _attached(call: Call, page: str) -> Photo | None:
    """Find the photo of a comment: by its URL, or one that was uploaded without being published."""
    url, key = text(call, "attachment_url"), text(call, "attachment_id")
    if key:
        photo = call.world.store.get(Photo, key)
        loose = photo is not None and photo.parent == page and not photo.post
        require(loose, "Param attachment_id must be the id of an unpublished photo")
        return photo
    if not url:
        return None
    return Photo(id=digits(15), parent=page, media=await fetch_photo(call, url), made=call.world.clock.now())


def change(call: Call, comment: PageComment) -> Any:
    """Edit it, or hide it from everybody except its author and their friends."""
    EDGES.managed(call, comment)
    if "message" in call.params:
        EDGES.edit(call, comment, optional=bool(comment.attachment))
    if "is_hidden" in call.params:
        BOARD.hide(call.world, comment, hidden=flag(call, "is_hidden"))
    return SUCCESS
