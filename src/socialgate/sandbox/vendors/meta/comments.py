"""Comments on posts of Pages and of Instagram accounts: written, read, answered, hidden and deleted."""

from typing import Any

from socialgate.sandbox.kit import Call, Person, Refused, World, digits
from socialgate.sandbox.society import comments as society
from socialgate.sandbox.society.comments import Author, Board, Comment, Verb
from socialgate.sandbox.vendors.graph.errors import bad_parameter, unknown_object
from socialgate.sandbox.vendors.graph.given import flag, text
from socialgate.sandbox.vendors.graph.nodes import Node
from socialgate.sandbox.vendors.graph.paging import listing
from socialgate.sandbox.vendors.graph.times import written
from socialgate.sandbox.vendors.meta.accounts import require_instagram
from socialgate.sandbox.vendors.meta.comment_nodes import (
    COMMENT,
    INSTAGRAM_COMMENT,
    MODERATING,
    chosen,
    ordered,
    summary,
)
from socialgate.sandbox.vendors.meta.content import InstagramMedia, Photo, Post, Video
from socialgate.sandbox.vendors.meta.errors import missing_scope, task_missing
from socialgate.sandbox.vendors.meta.posts import permalink, require_reader
from socialgate.sandbox.vendors.meta.publish import fetch_photo
from socialgate.sandbox.vendors.meta.state import Instagram, Page
from socialgate.sandbox.vendors.meta.viewer import reachable, role, scopes, viewer
from socialgate.sandbox.vendors.meta.webhooks import notify_instagram, notify_page

_LONGEST, _LONGEST_ON_INSTAGRAM = 8000, 2200
_MODERATING_TASKS = {"CREATE_CONTENT", "MANAGE", "MODERATE"}


def _on_page(world: World, key: str) -> Post | Photo | Video | None:
    return world.store.get(Post, key) or world.store.get(Photo, key) or world.store.get(Video, key)


def _page_of(world: World, comment: Comment) -> str:
    thing = _on_page(world, comment.parent)
    return thing.parent if thing is not None else ""


def _shown_in(thing: Post | Photo | Video) -> str:
    """Return what is commented on. A photo or video shares the comments of the post that shows it."""
    return thing.id if isinstance(thing, Post) else thing.post or thing.id


def _post_of(world: World, key: str) -> str | None:
    """Find where people can comment: a public post, or Instagram media that is open to comments."""
    media = world.store.get(InstagramMedia, key)
    if media is not None:
        return media.id if _takes_comments(media) and media.comments_on else None
    thing = _on_page(world, key)
    post = world.store.get(Post, _shown_in(thing)) if thing is not None else None
    return post.id if post is not None and post.is_published(world) else None


def _takes_comments(media: InstagramMedia) -> bool:
    return not media.is_slide and media.product_type != "STORY"


def _by_person(world: World, post: str, person: Person, message: str, above: Comment | None) -> Comment:
    media = world.store.get(InstagramMedia, post) or _on_page(world, post)
    # The account can message that person with the same id.
    return _new(world, post, society.author_of(person, "" if media is None else media.parent), message, above)


def _new(world: World, post: str, author: Author, message: str, above: Comment | None) -> Comment:
    """Build a comment. There are two levels: a reply to a reply is placed next to it."""
    on_page = world.store.get(InstagramMedia, post) is None
    key = f"{post.rpartition('_')[2]}_{digits(15)}" if on_page else f"179{digits(14)}"
    top = "" if above is None else above.above or above.id
    return Comment(id=key, parent=post, author=author, text=message, made=world.clock.now(), above=top)


def _tell(world: World, comment: Comment, verb: Verb) -> None:
    media = world.store.get(InstagramMedia, comment.parent)
    if media is None:
        _tell_page(world, comment, verb)
    elif verb == "add":
        # Instagram reports nothing else that happens to a comment.
        value: dict[str, Any] = {
            "id": comment.id,
            "from": {"id": comment.author.id, "username": comment.author.username},
            "text": comment.text,
            "media": {"id": media.id, "media_product_type": media.product_type},
        }
        value |= {"parent_id": comment.above} if comment.above else {}
        notify_instagram(world, media.parent, "comments", {"changes": [{"field": "comments", "value": value}]})


def _tell_page(world: World, comment: Comment, verb: Verb) -> None:
    page, post = _page_of(world, comment), world.store.get(Post, comment.parent)
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
    if post is not None:
        value["post"] = {
            "id": post.id,
            "status_type": post.status_type,
            "is_published": post.is_published(world),
            "updated_time": written(post.edited or post.made),
            "permalink_url": permalink(post),
            "promotion_status": "inactive",
        }
    notify_page(world, page, "feed", {"changes": [{"field": "feed", "value": value}]})


BOARD: Board[Comment] = Board(
    kind=Comment,
    post_of=_post_of,
    write=_by_person,
    tell=_tell,
    editable=lambda world, comment: world.store.get(InstagramMedia, comment.parent) is None,
    answers_go=True,
)


def list_comments(call: Call, thing: Post | Photo | Video) -> Any:
    return _listed(call, chosen(call, _shown_in(thing), text(call, "filter")))


def replies_on(call: Call, above: Comment) -> Any:
    return _listed(call, society.answers_to(call.world, above))


def _listed(call: Call, found: list[Comment]) -> Any:
    require_reader(call)
    rows = listing(call, [Node(COMMENT, comment) for comment in ordered(found, text(call, "order"))])
    return rows | ({"summary": summary(call, len(found))} if "summary" in rows else {})


async def comment_on(call: Call, thing: Post | Photo | Video) -> Any:
    return await _comment(call, thing.parent, _shown_in(thing), None)


async def reply_on(call: Call, above: Comment) -> Any:
    return await _comment(call, _page_of(call.world, above), above.parent, above)


async def _comment(call: Call, page_id: str, post: str, above: Comment | None) -> Any:
    _require_manager(call, page_id)
    photo = await _attached(call, page_id)
    message = _message(call, empty=photo is not None)
    with call.world.store.transaction():
        page = call.world.store.get(Page, page_id)
        assert page is not None
        author = Author(id=page.id, name=page.name, username=page.username)
        comment = _new(call.world, post, author, message, above)
        comment.attachment = "" if photo is None else call.world.store.put(photo).id
        BOARD.add(call.world, comment)
    return {"id": comment.id}


def _require_manager(call: Call, page: str) -> None:
    """Accept callers that act as the Page, were granted the scope to reply for it, and may moderate there."""
    token = viewer(call)
    if token.page != page or "pages_manage_engagement" not in scopes(call.world, token):
        raise missing_scope("Requires pages_manage_engagement permission to manage the object")
    held = role(call.world, token.parent, page)
    if held is None or _MODERATING_TASKS.isdisjoint(held.tasks):
        raise task_missing()


def _message(call: Call, longest: int = _LONGEST, *, empty: bool = False) -> str:
    message = text(call, "message")
    if not (message or empty) or len(message) > longest:
        raise Refused(bad_parameter(f"The parameter message must have 1 to {longest} characters"))
    return message


async def _attached(call: Call, page: str) -> Photo | None:
    """Find the photo of a comment: by its URL, or one that was uploaded without being published."""
    url, key = text(call, "attachment_url"), text(call, "attachment_id")
    if key:
        photo = call.world.store.get(Photo, key)
        if photo is None or photo.parent != page or photo.post:
            raise Refused(bad_parameter("Param attachment_id must be the id of an unpublished photo"))
        return photo
    if not url:
        return None
    return Photo(id=digits(15), parent=page, media=await fetch_photo(call, url), made=call.world.clock.now())


def change_comment(call: Call, comment: Comment) -> Any:
    """Edit it, or hide it from everybody except its author and their friends."""
    _require_manager(call, _page_of(call.world, comment))
    if "message" in call.params:
        if comment.author.id != viewer(call).page:
            return bad_parameter("Only the author of a comment can edit it")
        BOARD.edit(call.world, comment, _message(call, empty=bool(comment.attachment)))
    if "is_hidden" in call.params:
        BOARD.hide(call.world, comment, hidden=flag(call, "is_hidden"))
    return {"success": True}


def delete_comment(call: Call, comment: Comment) -> Any:
    _require_manager(call, _page_of(call.world, comment))
    BOARD.delete(call.world, comment)
    return {"success": True}


def like_comment(call: Call, comment: Comment) -> Any:
    """Like it, or (DELETE) unlike it."""
    page = _page_of(call.world, comment)
    _require_manager(call, page)
    BOARD.like(call.world, comment, page, liked=call.method != "DELETE")
    return {"success": True}


def instagram_comments(call: Call, media: InstagramMedia) -> Any:
    """List comments, newest first. Replies are inside the comment that they reply to."""
    require_instagram(call, MODERATING)
    found = [one for one in society.comments_on(call.world, Comment, media.id) if not one.above]
    return listing(call, [Node(INSTAGRAM_COMMENT, comment) for comment in reversed(found)])


def instagram_replies(call: Call, above: Comment) -> Any:
    return listing(call, [Node(INSTAGRAM_COMMENT, comment) for comment in society.answers_to(call.world, above)])


def comment_on_instagram(call: Call, media: InstagramMedia) -> Any:
    if not _takes_comments(media):
        raise unknown_object(call.method, media.id)
    return _comment_on_instagram(call, media, None)


def reply_on_instagram(call: Call, above: Comment) -> Any:
    media = call.world.store.get(InstagramMedia, above.parent)
    assert media is not None
    return _comment_on_instagram(call, media, above)


def _comment_on_instagram(call: Call, media: InstagramMedia, above: Comment | None) -> Any:
    require_instagram(call, MODERATING)
    if not media.comments_on:
        return bad_parameter("Comments are turned off for this media")
    message = _message(call, _LONGEST_ON_INSTAGRAM)
    account = call.world.store.get(Instagram, media.parent)
    assert account is not None
    author = Author(id=account.id, name=account.name, username=account.username)
    return {"id": BOARD.add(call.world, _new(call.world, media.id, author, message, above)).id}


def hide_on_instagram(call: Call, comment: Comment) -> Any:
    if "hide" not in call.params:
        return bad_parameter("The parameter hide is required")
    BOARD.hide(call.world, comment, hidden=flag(call, "hide"))
    return {"success": True}


def delete_on_instagram(call: Call, comment: Comment) -> Any:
    BOARD.delete(call.world, comment)
    return {"success": True}


def comment_node(call: Call, key: str) -> Node | None:
    """Find a comment on something that the caller's token can access."""
    comment = society.find_comment(call.world, Comment, key)
    if comment is None:
        return None
    media = call.world.store.get(InstagramMedia, comment.parent)
    account = call.world.store.get(Instagram, media.parent) if media is not None else None
    page = account.parent if account is not None else _page_of(call.world, comment)
    if reachable(call.world, viewer(call), page) is None:
        return None
    if media is None:
        require_reader(call)
        return Node(COMMENT, comment)
    require_instagram(call)
    require_instagram(call, MODERATING)
    return Node(INSTAGRAM_COMMENT, comment)
