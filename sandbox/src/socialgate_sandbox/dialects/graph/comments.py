"""The comments of Meta's products as their APIs serve them: found, listed, written, edited, hidden, liked, deleted."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic

from starlette.responses import Response

from socialgate_sandbox.dialects.graph.errors import build_parameter_response, require
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import get_flag, get_text
from socialgate_sandbox.kit import Call, CallRefusedError, StoredObject
from socialgate_sandbox.society.comments import C, CommentService, build_account_author, find_comment, list_replies

SUCCESS = {"success": True}


def hide_comment(
    call: Call, board: CommentService[C], comment: C, build_error: Callable[[str], Response] = build_parameter_response
) -> dict[str, bool]:
    """Hide a comment, or show it again."""
    if "hide" not in call.params:
        raise CallRefusedError(build_error("The parameter hide is required"))
    board.set_hidden(call.context, comment, hidden=get_flag(call, "hide"))
    return SUCCESS


@dataclass(frozen=True, kw_only=True)
class CommentEdges(Generic[C]):
    """The calls on the comments of one product, each with the checks that come first.

    `can_access` says whether the caller's token can access the account that a post belongs to. `require_read` refuses
    callers who may not read comments, `require_manage` those who may not write and change them as that account.
    """

    board: CommentService[C]
    node: NodeType
    max_length: int
    can_access: Callable[[Call, StoredObject], bool]
    require_read: Callable[[Call], None]
    require_manage: Callable[[Call, str], None] = lambda _call, _account: None

    def find(self, call: Call, key: str) -> Node | None:
        """Find a comment on a post of an account that the caller's token can access."""
        comment = find_comment(call.context, self.board.kind, key)
        owner = None if comment is None else self.board.find_owner(call.context, comment.parent)
        if owner is None or not self.can_access(call, owner):
            return None
        self.require_read(call)
        return Node(self.node, comment)

    def list_comments(self, call: Call, comments: Iterable[C]) -> dict[str, Any]:
        self.require_read(call)
        return build_page(call, [Node(self.node, comment) for comment in comments])

    def replies(self, call: Call, parent_comment: C) -> dict[str, Any]:
        return self.list_comments(call, list_replies(call.context, parent_comment))

    def write(
        self, call: Call, post: str, parent_comment: C | None = None, *, optional: bool = False, **more: Any
    ) -> Any:
        """Comment, or reply to a comment, as the account that the post belongs to."""
        message, owner = self._read_text(call, optional=optional), self.board.find_owner(call.context, post)
        assert owner is not None, "a post that is found has an owner"
        return {
            "id": self.board.write(call.context, post, build_account_author(owner), message, parent_comment, **more).id
        }

    def edit(self, call: Call, comment: C, *, optional: bool = False) -> None:
        mine = comment.author.id == self.require_managing_account(call, comment)
        require(mine, "Only the author of a comment can edit it")
        self.board.edit(call.context, comment, self._read_text(call, optional=optional))

    def hide(self, call: Call, comment: C) -> dict[str, bool]:
        self.require_managing_account(call, comment)
        return hide_comment(call, self.board, comment)

    def like(self, call: Call, comment: C) -> dict[str, bool]:
        """Like a comment, or (DELETE) unlike it."""
        self.board.set_liked(
            call.context, comment, self.require_managing_account(call, comment), liked=call.method != "DELETE"
        )
        return SUCCESS

    def delete(self, call: Call, comment: C) -> dict[str, bool]:
        self.require_managing_account(call, comment)
        self.board.delete(call.context, comment)
        return SUCCESS

    def require_managing_account(self, call: Call, comment: C) -> str:
        """Return the id of the account that manages a comment, if the caller may act as it."""
        owner = self.board.find_owner(call.context, comment.parent)
        assert owner is not None, "a post that is found has an owner"
        self.require_manage(call, owner.id)
        return owner.id

    def _read_text(self, call: Call, *, optional: bool) -> str:
        message = get_text(call, "message")
        fits = (message or optional) and len(message) <= self.max_length
        require(fits, f"The parameter message must have 1 to {self.max_length} characters")
        return message
