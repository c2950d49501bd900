"""The calls of the Graph API that publishing, reading and deleting posts needs. What comes back is typed in
`shapes.py`.
"""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec

from socialgate.connectors.client import APP, Call
from socialgate.connectors.dialects.graph import GraphClient, GraphDialect, Rows, request
from socialgate.connectors.errors import Said
from socialgate.connectors.meta.errors import TABLE, UNUSABLE
from socialgate.connectors.meta.shapes import (
    Comment,
    Container,
    Finished,
    InstagramPost,
    Made,
    Offsets,
    PagePost,
    Seen,
    Session,
    Started,
    Story,
    VideoStatus,
)
from socialgate.connectors.meta.wire import GRAPH, Graph
from socialgate.connectors.wire import App, Wire, read
from socialgate.contracts.failures import OutcomeUnknown
from socialgate.contracts.platforms import Platform
from socialgate.core.egress import Answer

# Meta fetches media, and publishes, while it is being waited for.
_SLOW_SECONDS = 120.0
_BAD = 400
_WRONG_OFFSET = 1363037
_RECENT = 25
_PAGING = frozenset({"after", "until", "since", "__paging_token"})
_RECENT_FIELDS = "id,message,created_time,attachments{target,subattachments}"
_PAGE_HISTORY = (
    "id,message,story,created_time,permalink_url,full_picture,status_type,"
    "attachments{media_type,type,url,title,media,subattachments},"
    "shares,comments.summary(true).limit(0),reactions.summary(total_count).limit(0)"
)
_INSTAGRAM_HISTORY = (
    "id,caption,media_type,media_product_type,media_url,thumbnail_url,permalink,timestamp,"
    "like_count,comments_count,children{id,media_type,media_url}"
)

Params = Mapping[str, Any]


class _OffsetError(msgspec.Struct):
    error_subcode: int = 0
    error_data: Offsets | str | None = None


class _OffsetFailure(msgspec.Struct):
    error: _OffsetError | None = None


class _ChunkDialect(GraphDialect):
    """Where Facebook has a part already (its answer was lost), its refusal says from where to go on: as good a word."""

    def said(self, answer: Answer) -> Said | None:
        return None if _wanted(answer) is not None else super().said(answer)

    def result(self, answer: Answer) -> bytes:
        wanted = _wanted(answer)
        return answer.body if wanted is None else msgspec.json.encode(wanted)


class _DebugInfo(msgspec.Struct):
    retriable: bool = True
    message: str = ""


class _UploadFailure(msgspec.Struct):
    debug_info: _DebugInfo | None = None


class _UploadDialect(GraphDialect):
    """The host for uploads has a form of its own for failures, which tells those that will not pass."""

    def authenticate(self, call: Call) -> Call:
        return msgspec.structs.replace(call, headers={**call.headers, "Authorization": f"OAuth {call.token}"})

    def said(self, answer: Answer) -> Said | None:
        failure = read(answer, _UploadFailure)
        debug = failure.debug_info if failure is not None else None
        if answer.status >= _BAD and debug is not None and not debug.retriable:
            return Said(status=answer.status, codes=(UNUSABLE,), code=None, message=debug.message)
        return super().said(answer)


class _Video(msgspec.Struct):
    status: VideoStatus = msgspec.field(default_factory=VideoStatus)


class Posting(Graph):
    """`account` is the Page or the Instagram account that posts, and `token` always the Page's."""

    def __init__(self, app: App, wire: Wire) -> None:
        super().__init__(app, wire)
        self._chunks = GraphClient(wire, _ChunkDialect(app.secret), TABLE)
        self._uploads = GraphClient(wire, _UploadDialect(), TABLE)

    async def add_photo(self, account: str, token: str, url: str, alt: str | None) -> str:
        """Give Facebook a photo that nobody sees before a post names it."""
        params = {"url": url, "published": "false", "alt_text_custom": alt}
        return await self._make(f"{account}/photos", account, token, params, repeatable=True)

    async def start_chunks(self, account: str, token: str, size: int) -> Session:
        params = {"upload_phase": "start", "file_size": size}
        return await self._call("POST", f"{account}/videos", Session, token, account, params, repeatable=True)

    async def send_chunk(self, account: str, token: str, session: str, offset: int, chunk: bytes) -> Offsets:
        """Upload a part, and give the next one that Facebook wants."""
        fields = {"upload_phase": "transfer", "upload_session_id": session, "start_offset": str(offset)}
        content_type, body = multipart(fields, "video_file_chunk", chunk)
        call = _upload(f"{GRAPH}/{account}/videos", account, token, {"Content-Type": content_type}, body)
        return await self._chunks.call(call, Offsets)

    async def start_upload(self, account: str, token: str, edge: str) -> Started:
        params = {"upload_phase": "start"}
        return await self._call("POST", f"{account}/{edge}", Started, token, account, params, repeatable=True)

    async def upload_from(self, account: str, token: str, upload_url: str, file_url: str) -> None:
        """Have Facebook fetch the video of a reel or a story."""
        await self._uploads.do(_upload(upload_url, account, token, {"file_url": file_url}, b""))

    async def publish(self, path: str, account: str, token: str, params: Params) -> str:
        """Make a post public, and give the id that it then has."""
        return await self._make(path, account, token, params, repeatable=False)

    async def finish(self, path: str, account: str, token: str, params: Params) -> str | None:
        """Make public what was uploaded, and give the post's id where Facebook tells it."""
        done = await self._call(
            "POST", path, Finished, token, account, params, repeatable=False, deadline=_SLOW_SECONDS
        )
        if not done.success and done.post_id is None:
            raise OutcomeUnknown("Facebook does not say whether it published this. Look there.", platform=Platform.META)
        return None if done.post_id is None else str(done.post_id)

    async def video(self, video: str, account: str, token: str) -> VideoStatus:
        return (await self._get(video, _Video, token, account, fields="status")).status

    async def add_container(self, account: str, token: str, params: Params) -> str:
        """Make a container, which nobody sees before it is published: one too many does no harm."""
        return await self._make(f"{account}/media", account, token, params, repeatable=True)

    async def container(self, container: str, account: str, token: str) -> Container:
        return await self._get(container, Container, token, account, fields="status_code,status")

    async def seen(self, post: str, account: str, token: str, fields: str) -> Seen:
        return await self._get(post, Seen, token, account, fields=fields)

    async def comment(self, post: str, account: str, token: str, text: str) -> str:
        params = {"message": text}
        made = await self._call("POST", f"{post}/comments", Made, token, account, params, repeatable=False)
        return str(made.id)

    async def comments(self, post: str, account: str, token: str, field: str) -> Sequence[str]:
        rows = await self._get(f"{post}/comments", Rows[Comment], token, account, fields=f"id,{field}", limit=_RECENT)
        return [row.message or row.text or "" for row in rows.data]

    async def recent_page_posts(self, page: str, token: str) -> Sequence[PagePost]:
        path = f"{page}/published_posts"
        return (await self._get(path, Rows[PagePost], token, page, fields=_RECENT_FIELDS, limit=_RECENT)).data

    async def page_stories(self, page: str, token: str) -> Sequence[Story]:
        fields = "post_id,status,creation_time,media_type,media_id,url"
        return (await self._get(f"{page}/stories", Rows[Story], token, page, fields=fields, limit=_RECENT)).data

    async def recent_instagram_posts(self, account: str, token: str, edge: str) -> Sequence[InstagramPost]:
        path, fields = f"{account}/{edge}", "id,caption,permalink,timestamp"
        return (await self._get(path, Rows[InstagramPost], token, account, fields=fields, limit=_RECENT)).data

    async def page_posts(self, page: str, token: str, limit: int, cursor: str | None) -> Rows[PagePost]:
        path, params = f"{page}/published_posts", _from(cursor)
        return await self._get(path, Rows[PagePost], token, page, fields=_PAGE_HISTORY, limit=limit, **params)

    async def instagram_posts(self, account: str, token: str, limit: int, cursor: str | None) -> Rows[InstagramPost]:
        path, params = f"{account}/media", {"fields": _INSTAGRAM_HISTORY, "limit": limit, **_from(cursor)}
        return await self._get(path, Rows[InstagramPost], token, account, **params)

    async def delete(self, post: str, account: str, token: str) -> None:
        await self._client.do(request("DELETE", f"{GRAPH}/{post}", {}, repeatable=True, token=token, budget=account))

    async def _make(self, path: str, account: str, token: str, params: Params, *, repeatable: bool) -> str:
        made = await self._call(
            "POST", path, Made, token, account, params, repeatable=repeatable, deadline=_SLOW_SECONDS
        )
        return str(made.id)


def _upload(url: str, account: str, token: str, headers: Mapping[str, str], body: bytes) -> Call:
    return Call(
        method="POST",
        url=url,
        # A part that came twice is told apart by its place, and nobody sees any of it before it is published.
        repeatable=True,
        token=token,
        budgets=(account, APP),
        headers=headers,
        body=body,
        deadline=_SLOW_SECONDS,
    )


def cursor_of(rows: Rows[Any]) -> str | None:
    """Take the place to go on from out of the next page's address, which also holds the token.

    Feeds are paged by time at times, everything else by cursor.
    """
    if rows.paging is None or not rows.paging.next:
        return None
    query = [(name, value) for name, value in parse_qsl(urlsplit(rows.paging.next).query) if name in _PAGING]
    if not query and rows.paging.after:
        query = [("after", rows.paging.after)]
    return urlencode(query) or None


def _from(cursor: str | None) -> dict[str, str]:
    return {name: value for name, value in parse_qsl(cursor or "") if name in _PAGING}


def multipart(fields: Mapping[str, str], name: str, content: bytes) -> tuple[str, bytes]:
    """Write a form with one file, and give its content type and bytes."""
    mark = secrets.token_hex(16)
    texts = "".join(
        f'--{mark}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
        for field, value in fields.items()
    )
    head = (
        f'{texts}--{mark}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    return f"multipart/form-data; boundary={mark}", head.encode() + content + f"\r\n--{mark}--\r\n".encode()


def _wanted(answer: Answer) -> Offsets | None:
    """Read from where to go on, out of the data of an error: Facebook sends an object, or the text of one."""
    failure = read(answer, _OffsetFailure)
    if failure is None or failure.error is None or failure.error.error_subcode != _WRONG_OFFSET:
        return None
    data = failure.error.error_data
    try:
        return msgspec.json.decode(data, type=Offsets, strict=False) if isinstance(data, str) else data
    except msgspec.MsgspecError:
        return None
