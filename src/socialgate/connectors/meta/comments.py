"""Comments on posts of Pages and Instagram accounts, and the account's own comments."""

from collections.abc import Mapping
from typing import Any

from socialgate.connectors.comment_helpers import CommentAdapterBase, CommentRules, find_created_comment
from socialgate.connectors.graph.dialect import GraphNode, GraphPage, build_cursor_params, extract_cursor, parse_time
from socialgate.connectors.json_paths import get_list, get_path, get_text_or_number
from socialgate.connectors.meta.api import MetaApi, delete_object, raise_not_found_if_missing, require_object_id
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.comments import Comment, CommentAuthor, CommentPage, LookupResult, NewComment

_PAGE_COMMENT_FIELDS = (
    "id,message,from,created_time,like_count,comment_count,parent,is_hidden,can_hide,can_remove,permalink_url"
)
_INSTAGRAM_COMMENT_FIELDS = "id,text,timestamp,username,from,like_count,hidden,parent_id"
_MAX_PAGE_SIZE = 50


class _MetaComments(CommentAdapterBase):
    """`reply_edge` is where the replies to a comment are, `hide_field` the field that hides it."""

    reply_edge: str
    hide_field: str
    fields: str
    list_params: Mapping[str, Any] = {}

    def __init__(self, graph: MetaApi) -> None:
        self._graph = graph

    async def list(
        self, credentials: AccountCredentials, object_id: str | None, limit: int, cursor: str | None
    ) -> CommentPage:
        api, path = self._graph.for_account(credentials), f"{require_object_id(object_id)}/comments"
        params = {
            **self.list_params,
            "fields": f"{self.fields},{self.reply_edge}.limit({_MAX_PAGE_SIZE}){{{self.fields}}}",
        }
        async with raise_not_found_if_missing(api):
            rows = await api.get(
                path, GraphPage[Any], **params, limit=min(limit, _MAX_PAGE_SIZE), **build_cursor_params(cursor)
            )
        return CommentPage(
            items=[_parse_comment(row, credentials, object_id) for row in rows.data], cursor=extract_cursor(rows)
        )

    async def create(self, credentials: AccountCredentials, new: NewComment) -> Comment:
        api, path = self._graph.for_account(credentials), self._get_create_path(new)
        params = {"message": new.text or None, "attachment_url": new.media.url if new.media is not None else None}
        async with raise_not_found_if_missing(api):
            node = await api.post(path, GraphNode, params, repeatable=False)
        row = {"id": str(node.id), "message": new.text, "from": {"id": credentials.platform_account_id}}
        return _parse_comment(row, credentials, new.object_id, new.parent_id)

    async def look_up_result(self, credentials: AccountCredentials, new: NewComment) -> LookupResult:
        api, path = self._graph.for_account(credentials), self._get_create_path(new)
        rows = await api.get(path, GraphPage[Any], **self.list_params, fields=self.fields, limit=_MAX_PAGE_SIZE)
        return find_created_comment("Meta", [_parse_comment(row, credentials, new.object_id) for row in rows.data], new)

    async def set_hidden(self, credentials: AccountCredentials, comment_id: str, *, hidden: bool) -> None:
        api = self._graph.for_account(credentials)
        async with raise_not_found_if_missing(api):
            await api.call_for_success("POST", require_object_id(comment_id), {self.hide_field: str(hidden).lower()})

    async def delete(self, credentials: AccountCredentials, comment_id: str) -> None:
        await delete_object(self._graph.for_account(credentials), comment_id)

    def _get_create_path(self, new: NewComment) -> str:
        return (
            f"{require_object_id(new.parent_id)}/{self.reply_edge}"
            if new.parent_id
            else f"{require_object_id(new.object_id)}/comments"
        )


class PageComments(_MetaComments):
    reply_edge = "comments"
    hide_field = "is_hidden"
    fields = _PAGE_COMMENT_FIELDS
    list_params: Mapping[str, Any] = {"filter": "toplevel", "order": "reverse_chronological"}
    rules = CommentRules(vendor="Facebook", image_type_prefixes=("image/",))


class InstagramComments(_MetaComments):
    reply_edge = "replies"
    hide_field = "hide"
    fields = _INSTAGRAM_COMMENT_FIELDS
    rules = CommentRules(vendor="Instagram")


def _parse_comment(
    row: Any, credentials: AccountCredentials, object_id: str | None, parent_id: str | None = None
) -> Comment:
    """Read a comment. Pages and Instagram name the same things differently. If Meta does not say what may be done with
    it, the account may do everything on its own posts except hide its own comments; replies to replies are siblings.
    """
    written = {name: get_text_or_number(row, "from", name) or None for name in ("id", "name", "username")}
    author = CommentAuthor(
        **{**written, "username": written["username"] or get_text_or_number(row, "username") or None}
    )
    # On Instagram the id of an author may differ for each app: there the name identifies the author as well.
    name = credentials.details.get("username")
    own = author.id == credentials.platform_account_id or (name is not None and author.username == name)
    parent = get_text_or_number(row, "parent", "id") or get_text_or_number(row, "parent_id") or parent_id
    nested = [*get_list(row, "comments", "data"), *get_list(row, "replies", "data")]
    count, can_hide = get_path(row, "comment_count"), get_path(row, "can_hide")
    return Comment(
        id=get_text_or_number(row, "id"),
        object_id=object_id,
        text=get_text_or_number(row, "message") or get_text_or_number(row, "text"),
        author=None if author == CommentAuthor() else author,
        parent_id=parent,
        hidden=get_path(row, "is_hidden") is True or get_path(row, "hidden") is True,
        created_at=parse_time(get_text_or_number(row, "created_time") or get_text_or_number(row, "timestamp")),
        url=get_text_or_number(row, "permalink_url") or None,
        likes=get_path(row, "like_count"),
        reply_count=len(nested) if count is None and get_path(row, "replies") else count,
        can_reply=parent is None,
        can_hide=not own if can_hide is None else can_hide,
        can_delete=get_path(row, "can_remove") is not False,
        own=own,
        replies=tuple(_parse_comment(reply, credentials, object_id, get_text_or_number(row, "id")) for reply in nested),
    )
