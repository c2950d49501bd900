"""Comments on posts of Pages and Instagram accounts, and the account's own comments."""

from collections.abc import Mapping
from typing import Any

from socialgate.connectors.commenting import Commenting, CommentRules, the_new_one
from socialgate.connectors.graph.dialect import Node, Rows, cursor_of, from_cursor, when
from socialgate.connectors.json_paths import list_at, member, text_at
from socialgate.connectors.meta.wire import Graph, checked, delete, known
from socialgate.contracts.comments import Comment, CommentAuthor, CommentPage, Looked, NewComment
from socialgate.contracts.connecting import AccountCredentials

_PAGE = "id,message,from,created_time,like_count,comment_count,parent,is_hidden,can_hide,can_remove,permalink_url"
_INSTAGRAM = "id,text,timestamp,username,from,like_count,hidden,parent_id"
_RECENT = 50


class _Comments(Commenting):
    """`edge` is where the replies to a comment are, `hiding` the field that hides it."""

    edge: str
    hiding: str
    fields: str
    query: Mapping[str, Any] = {}

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def list(
        self, held: AccountCredentials, object_id: str | None, limit: int, cursor: str | None
    ) -> CommentPage:
        api, path = self._graph.of(held), f"{checked(object_id)}/comments"
        params = {**self.query, "fields": f"{self.fields},{self.edge}.limit({_RECENT}){{{self.fields}}}"}
        async with known(api):
            rows = await api.get(path, Rows[Any], **params, limit=min(limit, _RECENT), **from_cursor(cursor))
        return CommentPage(items=[_item(row, held, object_id) for row in rows.data], cursor=cursor_of(rows))

    async def create(self, held: AccountCredentials, new: NewComment) -> Comment:
        api, path = self._graph.of(held), self._place(new)
        params = {"message": new.text or None, "attachment_url": new.media.url if new.media is not None else None}
        async with known(api):
            made = await api.post(path, Node, params, repeatable=False)
        row = {"id": str(made.id), "message": new.text, "from": {"id": held.platform_account_id}}
        return _item(row, held, new.object_id, new.parent_id)

    async def look(self, held: AccountCredentials, new: NewComment) -> Looked:
        api, path = self._graph.of(held), self._place(new)
        rows = await api.get(path, Rows[Any], **self.query, fields=self.fields, limit=_RECENT)
        return the_new_one("Meta", [_item(row, held, new.object_id) for row in rows.data], new)

    async def hide(self, held: AccountCredentials, comment_id: str, *, hidden: bool) -> None:
        api = self._graph.of(held)
        async with known(api):
            await api.do("POST", checked(comment_id), {self.hiding: str(hidden).lower()})

    async def delete(self, held: AccountCredentials, comment_id: str) -> None:
        await delete(self._graph.of(held), comment_id)

    def _place(self, new: NewComment) -> str:
        return f"{checked(new.parent_id)}/{self.edge}" if new.parent_id else f"{checked(new.object_id)}/comments"


class PageComments(_Comments):
    edge = "comments"
    hiding = "is_hidden"
    fields = _PAGE
    query: Mapping[str, Any] = {"filter": "toplevel", "order": "reverse_chronological"}
    rules = CommentRules(vendor="Facebook", images=("image/",))


class InstagramComments(_Comments):
    edge = "replies"
    hiding = "hide"
    fields = _INSTAGRAM
    rules = CommentRules(vendor="Instagram")


def _item(row: Any, held: AccountCredentials, object_id: str | None, top: str | None = None) -> Comment:
    """Read a comment. Pages and Instagram name the same things differently. If Meta does not say what may be done with
    it, the account may do everything on its own posts except hide its own comments; replies to replies are siblings.
    """
    written = {name: text_at(row, "from", name) or None for name in ("id", "name", "username")}
    author = CommentAuthor(**{**written, "username": written["username"] or text_at(row, "username") or None})
    # On Instagram the id of an author may differ for each app: there the name identifies the author as well.
    name = held.details.get("username")
    own = author.id == held.platform_account_id or (name is not None and author.username == name)
    parent = text_at(row, "parent", "id") or text_at(row, "parent_id") or top
    nested = [*list_at(row, "comments", "data"), *list_at(row, "replies", "data")]
    count, can_hide = member(row, "comment_count"), member(row, "can_hide")
    return Comment(
        id=text_at(row, "id"),
        object_id=object_id,
        text=text_at(row, "message") or text_at(row, "text"),
        author=None if author == CommentAuthor() else author,
        parent_id=parent,
        hidden=member(row, "is_hidden") is True or member(row, "hidden") is True,
        created_at=when(text_at(row, "created_time") or text_at(row, "timestamp")),
        url=text_at(row, "permalink_url") or None,
        likes=member(row, "like_count"),
        reply_count=len(nested) if count is None and member(row, "replies") else count,
        can_reply=parent is None,
        can_hide=not own if can_hide is None else can_hide,
        can_delete=member(row, "can_remove") is not False,
        own=own,
        replies=tuple(_item(reply, held, object_id, text_at(row, "id")) for reply in nested),
    )
