"""What the comments of Meta's products share: their text, lists of them, and what a caller can do with one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic

from starlette.responses import Response

from socialgate.sandbox.dialects.graph.errors import bad_parameter
from socialgate.sandbox.dialects.graph.given import flag, text
from socialgate.sandbox.dialects.graph.nodes import Node, NodeType
from socialgate.sandbox.dialects.graph.paging import listing
from socialgate.sandbox.kit import Call, Refused
from socialgate.sandbox.society.comments import Board, C, answers_to

SUCCESS = {"success": True}


def comment_text(call: Call, longest: int, *, optional: bool = False) -> str:
    message = text(call, "message")
    if not (message or optional) or len(message) > longest:
        raise Refused(bad_parameter(f"The parameter message must have 1 to {longest} characters"))
    return message


def hide_comment(
    call: Call, board: Board[C], comment: C, refuse: Callable[[str], Response] = bad_parameter
) -> dict[str, bool]:
    """Hide a comment, or show it again."""
    if "hide" not in call.params:
        raise Refused(refuse("The parameter hide is required"))
    board.hide(call.world, comment, hidden=flag(call, "hide"))
    return SUCCESS


@dataclass(frozen=True)
class CommentEdges(Generic[C]):
    """The calls on the comments of one product. `manage` refuses callers who may not change a comment."""

    board: Board[C]
    node: NodeType
    manage: Callable[[Call, C], None] = lambda _call, _comment: None

    def listed(self, call: Call, found: Iterable[C]) -> dict[str, Any]:
        return listing(call, [Node(self.node, comment) for comment in found])

    def replies(self, call: Call, above: C) -> dict[str, Any]:
        return self.listed(call, answers_to(call.world, above))

    def hide(self, call: Call, comment: C) -> dict[str, bool]:
        self.manage(call, comment)
        return hide_comment(call, self.board, comment)

    def delete(self, call: Call, comment: C) -> dict[str, bool]:
        self.manage(call, comment)
        self.board.delete(call.world, comment)
        return SUCCESS
