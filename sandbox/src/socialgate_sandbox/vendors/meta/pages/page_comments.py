"""Comments on what a Page has posted: written, read, answered, edited, liked, hidden and deleted by the Page."""

from typing import Any

from socialgate_sandbox.dialects.graph.comments import SUCCESS, CommentEdges
from socialgate_sandbox.dialects.graph.errors import require
from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.nodes import NodeType, resolve_attributes, resolve_constants
from socialgate_sandbox.dialects.graph.parameters import get_flag, get_text, validate_choice
from socialgate_sandbox.dialects.graph.times import format_time
from socialgate_sandbox.kit import Call, VendorContext, generate_digits
from socialgate_sandbox.society.comments import CommentChange, CommentService, list_comments, list_replies
from socialgate_sandbox.vendors.meta.account_nodes import require_page_read
from socialgate_sandbox.vendors.meta.content import PageComment, Photo, Post, Video, find_page_content
from socialgate_sandbox.vendors.meta.errors import build_missing_scope_error
from socialgate_sandbox.vendors.meta.pages.page_publishing import fetch_photo
from socialgate_sandbox.vendors.meta.pages.post_nodes import build_permalink, build_photo_attachment
from socialgate_sandbox.vendors.meta.stored_objects import Page
from socialgate_sandbox.vendors.meta.token_access import get_role_for_token, has_any_scope, require_task, require_token
from socialgate_sandbox.vendors.meta.webhook_subscriptions import notify_page

_USER_CONTENT_SCOPE = "pages_read_user_content"
_MODERATION_TASKS = {"CREATE_CONTENT", "MANAGE", "MODERATE"}


def _is_foreign(call: Call, comment: PageComment, _field: RequestedField) -> bool:
    return comment.author.id != require_token(call).page


def _resolve_author(call: Call, comment: PageComment, _field: RequestedField) -> dict[str, str] | None:
    """Return who wrote it. Names are shown only to the Page itself, and with the permission to read them."""
    known = bool(require_token(call).page) and has_any_scope(call, _USER_CONTENT_SCOPE)
    author = comment.author
    return {"name": author.name, "id": author.id} if known or not author.person else None


def _resolve_attachment(call: Call, comment: PageComment, _field: RequestedField) -> dict[str, Any] | None:
    photo = call.context.store.get(Photo, comment.attachment)
    return build_photo_attachment(call, photo) if photo is not None else None


_COMMENT_NODE_TYPE: NodeType = NodeType(
    "Comment",
    {
        **resolve_attributes("id"),
        "message": lambda _call, comment, _field: comment.text,
        "from": _resolve_author,
        "created_time": lambda _call, comment, _field: format_time(comment.created_at),
        "like_count": lambda _call, comment, _field: len(comment.likes),
        "user_likes": lambda call, comment, _field: require_token(call).page in comment.likes,
        "comment_count": lambda call, comment, _field: len(list_replies(call.context, comment)),
        "parent": lambda _call, comment, _field: {"id": comment.above} if comment.above else None,
        "is_hidden": lambda _call, comment, _field: comment.hidden,
        # A Page cannot hide its own comments, and does not need a message to reply to them.
        "can_hide": _is_foreign,
        **resolve_constants(can_remove=True, can_comment=True, can_like=True, is_private=False),
        "can_reply_privately": _is_foreign,
        "attachment": _resolve_attachment,
        "permalink_url": lambda _call, comment, _field: f"https://www.facebook.com/{comment.id}",
    },
    ("created_time", "from", "message", "id"),
)


def _get_post_id(content: Post | Photo | Video) -> str:
    """Return what is commented on. A photo or video shares the comments of the post that shows it."""
    return content.id if isinstance(content, Post) else content.post or content.id


def _find_published_post_id(context: VendorContext, key: str) -> str | None:
    thing = find_page_content(context, key)
    post = None if thing is None else context.store.get(Post, _get_post_id(thing))
    return post.id if post is not None and post.is_published(context) else None


def _notify_comment(context: VendorContext, comment: PageComment, verb: CommentChange) -> None:
    value: dict[str, Any] = {
        "from": {"id": comment.author.id, "name": comment.author.name},
        "item": "comment",
        "verb": verb,
        "post_id": comment.parent,
        "comment_id": comment.id,
        "parent_id": comment.above or comment.parent,
        "created_time": int(comment.created_at.timestamp()),
    }
    value |= {} if verb == "remove" else {"message": comment.text}
    post = context.store.get(Post, comment.parent)
    if post is not None:
        value["post"] = {
            "id": post.id,
            "status_type": post.status_type,
            "is_published": post.is_published(context),
            "updated_time": format_time(post.edited or post.created_at),
            "permalink_url": build_permalink(post),
            "promotion_status": "inactive",
        }
    page = BOARD.find_owner(context, comment.parent)
    if page is not None:
        notify_page(context, page.id, "feed", {"changes": [{"field": "feed", "value": value}]})


BOARD: CommentService[PageComment] = CommentService(
    kind=PageComment,
    posts=(Post, Photo, Video),
    account_type=Page,
    find_post_id=_find_published_post_id,
    new_id=lambda post, _above: f"{post.rpartition('_')[2]}_{generate_digits(15)}",
    notify_product=_notify_comment,
    has_flat_replies=True,
    deletes_replies=True,
    editable=True,
)
COMMENT_EDGES = CommentEdges(
    board=BOARD,
    node=_COMMENT_NODE_TYPE,
    max_length=8000,
    can_access=lambda call, page: get_role_for_token(call.context, require_token(call), page.id) is not None,
    require_read=require_page_read,
    require_manage=lambda call, page: require_task(call, page, "pages_manage_engagement", _MODERATION_TASKS),
)


def list_post_comments(call: Call, content: Post | Photo | Video) -> Any:
    """List the top-level comments, or (`stream`) replies as well."""
    page_comments = list_comments(call.context, PageComment, _get_post_id(content))
    stream = validate_choice("filter", get_text(call, "filter"), ("toplevel", "stream")) == "stream"
    return _build_comment_page(
        call, [page_comment for page_comment in page_comments if stream or not page_comment.above]
    )


def list_comment_replies(call: Call, parent_comment: PageComment) -> Any:
    return _build_comment_page(call, list_replies(call.context, parent_comment))


def _build_comment_page(call: Call, comments: list[PageComment]) -> Any:
    COMMENT_EDGES.require_read(call)
    order = validate_choice("order", get_text(call, "order"), ("chronological", "reverse_chronological"))
    rows = COMMENT_EDGES.list_comments(call, comments if order == "chronological" else reversed(comments))
    if "summary" in rows and not has_any_scope(call, _USER_CONTENT_SCOPE):
        raise build_missing_scope_error("Requires pages_read_user_content permission to read the summary", 10)
    summary = {"order": "chronological", "total_count": len(comments), "can_comment": True}
    return rows | ({"summary": summary} if "summary" in rows else {})


async def create_comment(call: Call, content: Post | Photo | Video, parent_comment: PageComment | None = None) -> Any:
    COMMENT_EDGES.require_manage(call, content.parent)
    photo = await _find_attached_photo(call, content.parent)
    with call.context.store.transaction():
        attachment = "" if photo is None else call.context.store.put(photo).id
        return COMMENT_EDGES.write(
            call, _get_post_id(content), parent_comment, optional=photo is not None, attachment=attachment
        )


async def create_reply(call: Call, parent_comment: PageComment) -> Any:
    post = find_page_content(call.context, parent_comment.parent)
    assert post is not None, "comments are deleted with their post"
    return await create_comment(call, post, parent_comment)


async def _find_attached_photo(call: Call, page_id: str) -> Photo | None:
    """Find the photo of a comment: by its URL, or one that was uploaded without being published."""
    url, key = get_text(call, "attachment_url"), get_text(call, "attachment_id")
    if key:
        photo = call.context.store.get(Photo, key)
        loose = photo is not None and photo.parent == page_id and not photo.post
        require(loose, "Param attachment_id must be the id of an unpublished photo")
        return photo
    if not url:
        return None
    return Photo(
        id=generate_digits(15), parent=page_id, media=await fetch_photo(call, url), created_at=call.context.clock.now()
    )


def update_comment(call: Call, comment: PageComment) -> Any:
    """Edit it, or hide it from everybody except its author and their friends."""
    COMMENT_EDGES.require_managing_account(call, comment)
    if "message" in call.params:
        COMMENT_EDGES.edit(call, comment, optional=bool(comment.attachment))
    if "is_hidden" in call.params:
        BOARD.set_hidden(call.context, comment, hidden=get_flag(call, "is_hidden"))
    return SUCCESS
