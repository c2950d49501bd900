"""The comments of Meta's products as their APIs serve them: found, listed, written, edited, hidden, liked, deleted."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic

from starlette.responses import Response

from socialgate_sandbox.dialects.graph.errors import bad_parameter, require
from socialgate_sandbox.dialects.graph.given import flag, text
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.kit import Call, Refused, Thing
from socialgate_sandbox.society.comments import Board, C, answers_to, author_from, find_comment

SUCCESS = {"success": True}


def hide_comment(
    call: Call, board: Board[C], comment: C, refuse: Callable[[str], Response] = bad_parameter
) -> dict[str, bool]:
    """Hide a comment, or show it again."""
    if "hide" not in call.params:
        raise Refused(refuse("The parameter hide is required"))
    board.hide(call.world, comment, hidden=flag(call, "hide"))
    return SUCCESS


@dataclass(frozen=True, kw_only=True)
class CommentEdges(Generic[C]):
    """The calls on the comments of one product, each with the checks that come first.

    `reaches` says whether the caller's token can access the account that a post belongs to. `read` refuses callers who
    may not read comments, `manage` those who may not write and change them as that account.
    """

    board: Board[C]
    node: NodeType
    longest: int
    reaches: Callable[[Call, Thing], bool]
    read: Callable[[Call], None]
    manage: Callable[[Call, str], None] = lambda _call, _account: None

    def find(self, call: Call, key: str) -> Node | None:
        """Find a comment on a post of an account that the caller's token can access."""
        comment = find_comment(call.world, self.board.kind, key)
        owner = None if comment is None else self.board.owner(call.world, comment.parent)
        if owner is None or not self.reaches(call, owner):
            return None
        self.read(call)
        return Node(self.node, comment)

    def listed(self, call: Call, found: Iterable[C]) -> dict[str, Any]:
        self.read(call)
        return listing(call, [Node(self.node, comment) for comment in found])

    def replies(self, call: Call, above: C) -> dict[str, Any]:
        return self.listed(call, answers_to(call.world, above))

    def write(self, call: Call, post: str, above: C | None = None, *, optional: bool = False, **more: Any) -> Any:
        """Comment, or reply to a comment, as the account that the post belongs to."""
        message, owner = self._text(call, optional=optional), self.board.owner(call.world, post)
        assert owner is not None, "a post that is found has an owner"
        return {"id": self.board.write(call.world, post, author_from(owner), message, above, **more).id}

    def edit(self, call: Call, comment: C, *, optional: bool = False) -> None:
        mine = comment.author.id == self.managed(call, comment)
        require(mine, "Only the author of a comment can edit it")
        self.board.edit(call.world, comment, self._text(call, optional=optional))

    def hide(self, call: Call, comment: C) -> dict[str, bool]:
        self.managed(call, comment)
        return hide_comment(call, self.board, comment)

    def like(self, call: Call, comment: C) -> dict[str, bool]:
        """Like a comment, or (DELETE) unlike it."""
        self.board.like(call.world, comment, self.managed(call, comment), liked=call.method != "DELETE")
        return SUCCESS

    def delete(self, call: Call, comment: C) -> dict[str, bool]:
        self.managed(call, comment)
        self.board.delete(call.world, comment)
        return SUCCESS

    def managed(self, call: Call, comment: C) -> str:
        """Return the id of the account that manages a comment, if the caller may act as it."""
        owner = self.board.owner(call.world, comment.parent)
        assert owner is not None, "a post that is found has an owner"
        self.manage(call, owner.id)
        return owner.id

    def _text(self, call: Call, *, optional: bool) -> str:
        message = text(call, "message")
        fits = (message or optional) and len(message) <= self.longest
        require(fits, f"The parameter message must have 1 to {self.longest} characters")
        return message
