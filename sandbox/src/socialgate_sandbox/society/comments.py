"""Comments, shared by all platforms. What differs per platform is in the `CommentService` of its package.

People comment with `POST /_control/comment` and in the forms of a feed page, accounts through the API of their
platform. Both go through the same board, so each sees what the other wrote, and the product is notified of both.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import msgspec

from socialgate_sandbox.kit import (
    FOLLOWERS,
    Action,
    ActionRequest,
    CommentView,
    ControlError,
    Person,
    StoredObject,
    VendorContext,
)

CommentChange: TypeAlias = Literal["add", "edited", "remove", "hide", "unhide"]
_PEOPLE = {person.key: person for person in FOLLOWERS}
_FIRST_AUTHOR_ID = 10**16
_LIST_HINT = "GET /_control/feed lists posts and comments."


class Author(msgspec.Struct, frozen=True, kw_only=True):
    """Who wrote a comment. `person` is the key of a person, "" for an account that the product can connect."""

    id: str
    name: str
    username: str
    person: str = ""


class Comment(StoredObject, kw_only=True):
    """A comment on a post, which is the parent. `above` is the comment that this one replies to.

    A deleted comment is kept, because its replies may remain. `likes` are the ids of those who like it.
    """

    author: Author
    text: str
    created_at: datetime = msgspec.field(name="made")
    above: str = ""
    hidden: bool = False
    edited: datetime | None = None
    deleted: bool = False
    likes: list[str] = []


C = TypeVar("C", bound=Comment)


def build_person_author(person: Person, scope: str) -> Author:
    """Return a person as one scope knows them: ids differ between scopes and are stable within one."""
    number = int.from_bytes(sha256(f"{scope}:{person.key}".encode()).digest()[:6])
    username = "".join(mark for mark in person.name.lower().replace(" ", ".") if mark.isalpha() or mark == ".")
    return Author(id=str(_FIRST_AUTHOR_ID + number), name=person.name, username=username, person=person.key)


def build_account_author(account: StoredObject) -> Author:
    """Return an account of the platform, which has an id, a name and a username, as an author."""
    return msgspec.convert(account, Author, from_attributes=True)


def list_comments(context: VendorContext, kind: type[C], post: str) -> list[C]:
    """List all comments on a post, including replies, oldest first."""
    return [comment for comment in context.store.find(kind, parent=post) if not comment.deleted]


def list_visible_comments(context: VendorContext, kind: type[C], post: str) -> list[C]:
    """List the comments on a post that are not hidden, and not below one that is."""
    every = {comment.id: comment for comment in list_comments(context, kind, post)}

    def is_visible(comment: C) -> bool:
        return not comment.hidden and (comment.above not in every or is_visible(every[comment.above]))

    return [comment for comment in every.values() if is_visible(comment)]


def list_replies(context: VendorContext, comment: C) -> list[C]:
    return [item for item in list_comments(context, type(comment), comment.parent) if item.above == comment.id]


def find_comment(context: VendorContext, kind: type[C], key: str) -> C | None:
    item = context.store.get(kind, key)
    return None if item is None or item.deleted else item


def is_hidden(context: VendorContext, comment: Comment) -> bool:
    """Whether the comment, or any comment above it, is hidden."""
    above = context.store.get(type(comment), comment.above)
    return comment.hidden or (above is not None and is_hidden(context, above))


class CommentRequest(ActionRequest, frozen=True, kw_only=True):
    """Comment on `objectId`, or reply to `parentId`, as a person; or change `commentId` as its author."""

    object_id: str = ""
    text: str = ""
    person: str = ""
    parent_id: str = ""
    comment_id: str = ""
    action: Literal["comment", "edit", "delete", "like", "unlike"] = "comment"


def _notify_nobody(_world: VendorContext, _comment: Any, _verb: CommentChange) -> None:
    """Tell nobody: the platform has no webhook for comments."""


@dataclass(frozen=True, kw_only=True)
class CommentService(Generic[C]):
    """How a platform, or one of its products, handles comments.

    `posts` are the kinds of things that have comments, and `account_type` is the kind that they belong to.
    `find_post_id` returns the post that people comment on when they choose the object with this id, or None if nobody
    can. `author` returns a person as the author of a comment on a post of an account. `new_id` is the id of a comment
    on a post, or of a reply to another comment, and `build_extra_fields` returns its other fields. `notify_product`
    notifies the product. With `has_flat_replies`, a reply to a reply is placed next to it; with `deletes_replies`, the
    replies to a comment are deleted with it. `editable` says whether comments can be edited.
    """

    kind: type[C]
    posts: tuple[type[StoredObject], ...]
    account_type: type[StoredObject]
    find_post_id: Callable[[VendorContext, str], str | None]
    new_id: Callable[[str, C | None], str]
    author: Callable[[Person, StoredObject], Author] = lambda person, owner: build_person_author(person, owner.id)
    build_extra_fields: Callable[[VendorContext, str, Author], Mapping[str, Any]] = lambda _world, _post, _author: {}
    notify_product: Callable[[VendorContext, C, CommentChange], None] = _notify_nobody
    has_flat_replies: bool = False
    deletes_replies: bool = False
    editable: bool = False

    def find_owner(self, context: VendorContext, post: str) -> StoredObject | None:
        """Return the account that a post belongs to."""
        stored_object = next(
            (thing for kind in self.posts if (thing := context.store.get(kind, post)) is not None), None
        )
        return None if stored_object is None else context.store.get(self.account_type, stored_object.parent)

    def has_target(self, context: VendorContext, key: str) -> bool:
        """Whether this is the id of a comment here, or of something that people can comment on."""
        return find_comment(context, self.kind, key) is not None or self.find_post_id(context, key) is not None

    def write(
        self, context: VendorContext, post: str, author: Author, text: str, parent_comment: C | None = None, **more: Any
    ) -> C:
        """Add a comment, or a reply to the comment `parent_comment`."""
        if parent_comment is not None and parent_comment.above and self.has_flat_replies:
            parent_comment = context.store.get(self.kind, parent_comment.above) or parent_comment
        key, reply_to = self.new_id(post, parent_comment), "" if parent_comment is None else parent_comment.id
        created: dict[str, Any] = {"id": key, "parent": post, "above": reply_to, "author": author, "text": text}
        created |= {"created_at": context.clock.now(), **self.build_extra_fields(context, post, author), **more}
        return self.add(context, self.kind(**created))

    def add(self, context: VendorContext, comment: C) -> C:
        context.store.put(comment)
        self.notify_product(context, comment, "add")
        return comment

    def edit(self, context: VendorContext, comment: C, text: str) -> None:
        comment.text, comment.edited = text, context.clock.now()
        context.store.put(comment)
        self.notify_product(context, comment, "edited")

    def set_hidden(self, context: VendorContext, comment: C, *, hidden: bool) -> None:
        comment.hidden = hidden
        context.store.put(comment)
        self.notify_product(context, comment, "hide" if hidden else "unhide")

    def delete(self, context: VendorContext, comment: C) -> None:
        for item in [comment, *(list_replies(context, comment) if self.deletes_replies else [])]:
            item.deleted = True
            context.store.put(item)
        self.notify_product(context, comment, "remove")

    def set_liked(self, context: VendorContext, comment: C, liker_id: str, *, liked: bool) -> None:
        comment.likes = [*(like for like in comment.likes if like != liker_id), *([liker_id] if liked else [])]
        context.store.put(comment)

    def build_comment_views(self, context: VendorContext, post: str, parent_comment: str = "") -> list[CommentView]:
        """Return the comments on a post, or only the replies to one comment, as a feed shows them."""
        return self._build_comment_views(context.store.find(self.kind, parent=post), parent_comment, hidden=False)

    def _build_comment_views(self, comments: Sequence[C], parent_comment: str, *, hidden: bool) -> list[CommentView]:
        rows = []
        for item in comments:
            if item.above == parent_comment:
                out_of_sight = hidden or item.hidden
                answers = self._build_comment_views(comments, item.id, hidden=out_of_sight)
                if answers or not item.deleted:
                    rows.append(self._build_comment_view(item, answers, hidden=out_of_sight))
        return rows

    def _build_comment_view(self, item: C, replies: list[CommentView], *, hidden: bool) -> CommentView:
        return CommentView(
            id=item.id,
            author=item.author.name,
            text="" if item.deleted else item.text,
            at=item.created_at,
            person="" if item.deleted else item.author.person,
            hidden=hidden,
            deleted=item.deleted,
            editable=self.editable and bool(item.author.person) and not item.deleted,
            likes=len(item.likes),
            replies=replies,
        )

    def handle_request(self, context: VendorContext, request: CommentRequest) -> C:
        """Let a person write a comment, or change one."""
        if request.action == "comment":
            return self._handle_write(context, request)
        comment = find_comment(context, self.kind, request.comment_id)
        if comment is None:
            raise ControlError(f"There is no comment {request.comment_id!r}. {_LIST_HINT}")
        if request.action in {"like", "unlike"}:
            self.set_liked(context, comment, request.person or FOLLOWERS[0].key, liked=request.action == "like")
            return comment
        if not comment.author.person or request.person not in {"", comment.author.person}:
            raise ControlError(f"Only the author, {comment.author.name}, can edit or delete this comment.", 409)
        if request.action == "delete":
            self.delete(context, comment)
        elif not self.editable:
            raise ControlError("Comments cannot be edited on this platform. Delete it and write another.", 409)
        else:
            self.edit(context, comment, _require_text(request))
        return comment

    def _handle_write(self, context: VendorContext, request: CommentRequest) -> C:
        # A comment can also be given as the object: that makes a reply.
        above = find_comment(context, self.kind, request.parent_id or request.object_id)
        if request.parent_id and above is None:
            raise ControlError(f"There is no comment {request.parent_id!r}. {_LIST_HINT}")
        post = self.find_post_id(context, above.parent if above is not None else request.object_id)
        owner = None if post is None else self.find_owner(context, post)
        if post is None or owner is None:
            raise ControlError(f"People cannot comment on {request.object_id or request.parent_id!r}. {_LIST_HINT}")
        person = _PEOPLE[request.person] if request.person else FOLLOWERS[0]
        return self.write(context, post, self.author(person, owner), _require_text(request), above)


def _require_text(request: CommentRequest) -> str:
    if not request.text.strip():
        raise ControlError("text is required.", 422)
    return request.text


def build_comment_action(*services: CommentService[Any]) -> Action[CommentRequest]:
    """Return the control verb `comment` of a platform, which may have several boards."""

    def run(context: VendorContext, request: CommentRequest) -> Any:
        if request.person and request.person not in _PEOPLE:
            raise ControlError(f"There is no person {request.person!r}. Choose one of: {', '.join(_PEOPLE)}.")
        key = request.comment_id or request.parent_id or request.object_id
        board = next((board for board in services if board.has_target(context, key)), services[0])
        return {"id": board.handle_request(context, request).id}

    return Action("Comment as a person", CommentRequest, run, has_own_form=False)
