"""Comments, shared by all platforms. What differs per platform is in the `Board` of its package.

People comment with `POST /_control/comment` and in the forms of a feed page, accounts through the API of their
platform. Both go through the same board, so each sees what the other wrote, and the product is notified of both.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import msgspec

from socialgate_sandbox.kit import FOLLOWERS, Action, ActionRequest, ControlError, Person, ShownComment, Thing, World

Verb: TypeAlias = Literal["add", "edited", "remove", "hide", "unhide"]
_PEOPLE = {person.key: person for person in FOLLOWERS}
_FIRST_NUMBER = 10**16
_LISTED = "GET /_control/feed lists posts and comments."


class Author(msgspec.Struct, frozen=True, kw_only=True):
    """Who wrote a comment. `person` is the key of a person, "" for an account that the product can connect."""

    id: str
    name: str
    username: str
    person: str = ""


class Comment(Thing, kw_only=True):
    """A comment on a post, which is the parent. `above` is the comment that this one replies to.

    A deleted comment is kept, because its replies may remain. `likes` are the ids of those who like it.
    """

    author: Author
    text: str
    made: datetime
    above: str = ""
    hidden: bool = False
    edited: datetime | None = None
    deleted: bool = False
    likes: list[str] = []


C = TypeVar("C", bound=Comment)


def author_of(person: Person, scope: str) -> Author:
    """Return a person as one scope knows them: ids differ between scopes and are stable within one."""
    number = int.from_bytes(sha256(f"{scope}:{person.key}".encode()).digest()[:6])
    username = "".join(mark for mark in person.name.lower().replace(" ", ".") if mark.isalpha() or mark == ".")
    return Author(id=str(_FIRST_NUMBER + number), name=person.name, username=username, person=person.key)


def author_from(account: Thing) -> Author:
    """Return an account of the platform, which has an id, a name and a username, as an author."""
    return msgspec.convert(account, Author, from_attributes=True)


def comments_on(world: World, kind: type[C], post: str) -> list[C]:
    """List all comments on a post, including replies, oldest first."""
    return [comment for comment in world.store.find(kind, parent=post) if not comment.deleted]


def visible_on(world: World, kind: type[C], post: str) -> list[C]:
    """List the comments on a post that are not hidden, and not below one that is."""
    every = {comment.id: comment for comment in comments_on(world, kind, post)}

    def is_visible(comment: C) -> bool:
        return not comment.hidden and (comment.above not in every or is_visible(every[comment.above]))

    return [comment for comment in every.values() if is_visible(comment)]


def answers_to(world: World, comment: C) -> list[C]:
    return [one for one in comments_on(world, type(comment), comment.parent) if one.above == comment.id]


def find_comment(world: World, kind: type[C], key: str) -> C | None:
    found = world.store.get(kind, key)
    return None if found is None or found.deleted else found


def is_hidden(world: World, comment: Comment) -> bool:
    """Whether the comment, or any comment above it, is hidden."""
    above = world.store.get(type(comment), comment.above)
    return comment.hidden or (above is not None and is_hidden(world, above))


class CommentOrder(ActionRequest, frozen=True, kw_only=True):
    """Comment on `objectId`, or reply to `parentId`, as a person; or change `commentId` as its author."""

    object_id: str = ""
    text: str = ""
    person: str = ""
    parent_id: str = ""
    comment_id: str = ""
    action: Literal["comment", "edit", "delete", "like", "unlike"] = "comment"


def _nobody(_world: World, _comment: Any, _verb: Verb) -> None:
    """Tell nobody: the platform has no webhook for comments."""


@dataclass(frozen=True, kw_only=True)
class Board(Generic[C]):
    """How a platform, or one of its products, handles comments.

    `posts` are the kinds of things that have comments, and `account` is the kind that they belong to. `post_of` returns
    the post that people comment on when they choose the object with this id, or None if nobody can. `author` returns a
    person as the author of a comment on a post of an account. `new_id` is the id of a comment on a post, or of a reply
    to another comment, and `more` returns its other fields. `tell` notifies the product. With `flat`, a reply to a
    reply is placed next to it; with `answers_go`, the replies to a comment are deleted with it. `editable` says whether
    comments can be edited.
    """

    kind: type[C]
    posts: tuple[type[Thing], ...]
    account: type[Thing]
    post_of: Callable[[World, str], str | None]
    new_id: Callable[[str, C | None], str]
    author: Callable[[Person, Thing], Author] = lambda person, owner: author_of(person, owner.id)
    more: Callable[[World, str, Author], Mapping[str, Any]] = lambda _world, _post, _author: {}
    tell: Callable[[World, C, Verb], None] = _nobody
    flat: bool = False
    answers_go: bool = False
    editable: bool = False

    def owner(self, world: World, post: str) -> Thing | None:
        """Return the account that a post belongs to."""
        found = next((thing for kind in self.posts if (thing := world.store.get(kind, post)) is not None), None)
        return None if found is None else world.store.get(self.account, found.parent)

    def has(self, world: World, key: str) -> bool:
        """Whether this is the id of a comment here, or of something that people can comment on."""
        return find_comment(world, self.kind, key) is not None or self.post_of(world, key) is not None

    def write(self, world: World, post: str, author: Author, text: str, above: C | None = None, **more: Any) -> C:
        """Add a comment, or a reply to the comment `above`."""
        if above is not None and above.above and self.flat:
            above = world.store.get(self.kind, above.above) or above
        key, reply_to = self.new_id(post, above), "" if above is None else above.id
        made: dict[str, Any] = {"id": key, "parent": post, "above": reply_to, "author": author, "text": text}
        made |= {"made": world.clock.now(), **self.more(world, post, author), **more}
        return self.add(world, self.kind(**made))

    def add(self, world: World, comment: C) -> C:
        world.store.put(comment)
        self.tell(world, comment, "add")
        return comment

    def edit(self, world: World, comment: C, text: str) -> None:
        comment.text, comment.edited = text, world.clock.now()
        world.store.put(comment)
        self.tell(world, comment, "edited")

    def hide(self, world: World, comment: C, *, hidden: bool) -> None:
        comment.hidden = hidden
        world.store.put(comment)
        self.tell(world, comment, "hide" if hidden else "unhide")

    def delete(self, world: World, comment: C) -> None:
        for one in [comment, *(answers_to(world, comment) if self.answers_go else [])]:
            one.deleted = True
            world.store.put(one)
        self.tell(world, comment, "remove")

    def like(self, world: World, comment: C, by: str, *, liked: bool) -> None:
        comment.likes = [*(one for one in comment.likes if one != by), *([by] if liked else [])]
        world.store.put(comment)

    def shown(self, world: World, post: str, above: str = "") -> list[ShownComment]:
        """Return the comments on a post, or only the replies to one comment, as a feed shows them."""
        return self._shown(world.store.find(self.kind, parent=post), above, hidden=False)

    def _shown(self, every: Sequence[C], above: str, *, hidden: bool) -> list[ShownComment]:
        rows = []
        for one in every:
            if one.above == above:
                out_of_sight = hidden or one.hidden
                answers = self._shown(every, one.id, hidden=out_of_sight)
                if answers or not one.deleted:
                    rows.append(self._row(one, answers, hidden=out_of_sight))
        return rows

    def _row(self, one: C, answers: list[ShownComment], *, hidden: bool) -> ShownComment:
        return ShownComment(
            id=one.id,
            author=one.author.name,
            text="" if one.deleted else one.text,
            at=one.made,
            person="" if one.deleted else one.author.person,
            hidden=hidden,
            deleted=one.deleted,
            editable=self.editable and bool(one.author.person) and not one.deleted,
            likes=len(one.likes),
            replies=answers,
        )

    def obey(self, world: World, order: CommentOrder) -> C:
        """Let a person write a comment, or change one."""
        if order.action == "comment":
            return self._written(world, order)
        comment = find_comment(world, self.kind, order.comment_id)
        if comment is None:
            raise ControlError(f"There is no comment {order.comment_id!r}. {_LISTED}")
        if order.action in {"like", "unlike"}:
            self.like(world, comment, order.person or FOLLOWERS[0].key, liked=order.action == "like")
            return comment
        if not comment.author.person or order.person not in {"", comment.author.person}:
            raise ControlError(f"Only the author, {comment.author.name}, can edit or delete this comment.", 409)
        if order.action == "delete":
            self.delete(world, comment)
        elif not self.editable:
            raise ControlError("Comments cannot be edited on this platform. Delete it and write another.", 409)
        else:
            self.edit(world, comment, _text_of(order))
        return comment

    def _written(self, world: World, order: CommentOrder) -> C:
        # A comment can also be given as the object: that makes a reply.
        above = find_comment(world, self.kind, order.parent_id or order.object_id)
        if order.parent_id and above is None:
            raise ControlError(f"There is no comment {order.parent_id!r}. {_LISTED}")
        post = self.post_of(world, above.parent if above is not None else order.object_id)
        owner = None if post is None else self.owner(world, post)
        if post is None or owner is None:
            raise ControlError(f"People cannot comment on {order.object_id or order.parent_id!r}. {_LISTED}")
        person = _PEOPLE[order.person] if order.person else FOLLOWERS[0]
        return self.write(world, post, self.author(person, owner), _text_of(order), above)


def _text_of(order: CommentOrder) -> str:
    if not order.text.strip():
        raise ControlError("text is required.", 422)
    return order.text


def comment_action(*boards: Board[Any]) -> Action[CommentOrder]:
    """Return the control verb `comment` of a platform, which may have several boards."""

    def run(world: World, order: CommentOrder) -> Any:
        if order.person and order.person not in _PEOPLE:
            raise ControlError(f"There is no person {order.person!r}. Choose one of: {', '.join(_PEOPLE)}.")
        key = order.comment_id or order.parent_id or order.object_id
        board = next((one for one in boards if one.has(world, key)), boards[0])
        return {"id": board.obey(world, order).id}

    return Action("Comment as a person", CommentOrder, run, listed=False)
