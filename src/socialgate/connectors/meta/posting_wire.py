"""The calls of the Graph API that publishing, reading and deleting posts needs. What comes back is typed in
`shapes.py`.
"""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec

from socialgate.connectors.graph.signing import proof
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
from socialgate.connectors.meta.wire import GRAPH, Graph, Rows, Success
from socialgate.connectors.wire import read
from socialgate.contracts.failures import OutcomeUnknown, PlatformError, Rejected
from socialgate.contracts.platforms import Platform

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


class _DebugInfo(msgspec.Struct):
    retriable: bool = True
    message: str = ""


class _UploadFailure(msgspec.Struct):
    debug_info: _DebugInfo | None = None


class _Video(msgspec.Struct):
    status: VideoStatus = msgspec.field(default_factory=VideoStatus)


class Posting(Graph):
    """`account` is the Page or the Instagram account that posts, and `token` always the Page's."""

    async def add_photo(self, account: str, token: str, url: str, alt: str | None) -> str:
        """Give Facebook a photo that nobody sees before a post names it."""
        params = {"url": url, "published": "false", "alt_text_custom": alt}
        made = await self._call("POST", f"{account}/photos", Made, token, account, params, deadline=_SLOW_SECONDS)
        return str(made.id)

    async def start_chunks(self, account: str, token: str, size: int) -> Session:
        params = {"upload_phase": "start", "file_size": size}
        return await self._call("POST", f"{account}/videos", Session, token, account, params)

    async def send_chunk(self, account: str, token: str, session: str, offset: int, chunk: bytes) -> Offsets:
        """Upload a part. Where Facebook has it already (its answer was lost), it says from where to go on."""
        await self._wire.require_not_paused("app", account)
        fields = {
            "upload_phase": "transfer",
            "upload_session_id": session,
            "start_offset": str(offset),
            "appsecret_proof": proof(self._app.secret, token),
        }
        content_type, body = multipart(fields, "video_file_chunk", chunk)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": content_type}
        url = f"{GRAPH}/{account}/videos"
        answer = await self._wire.send("POST", url, headers=headers, body=body, mutates=False, deadline=_SLOW_SECONDS)
        failure = read(answer, _OffsetFailure)
        if failure is not None and failure.error is not None and failure.error.error_subcode == _WRONG_OFFSET:
            wanted = _offsets(failure.error.error_data)
            if wanted is not None:
                return wanted
        return await self._read(answer, Offsets, account, hidden=(token, fields["appsecret_proof"]))

    async def start_upload(self, account: str, token: str, edge: str) -> Started:
        return await self._call("POST", f"{account}/{edge}", Started, token, account, {"upload_phase": "start"})

    async def upload_from(self, account: str, token: str, upload_url: str, file_url: str) -> None:
        """Have Facebook fetch the video of a reel or a story."""
        await self._wire.require_not_paused("app", account)
        headers = {"Authorization": f"OAuth {token}", "file_url": file_url}
        answer = await self._wire.send(
            "POST", upload_url, headers=headers, body=b"", mutates=False, deadline=_SLOW_SECONDS
        )
        failure = read(answer, _UploadFailure)
        debug = failure.debug_info if failure is not None else None
        if answer.status >= _BAD and debug is not None and not debug.retriable:
            raise Rejected(
                "Facebook cannot fetch or use the video. Use MP4 with H.264 and AAC, and check that this service can "
                "be reached from outside.",
                platform=Platform.META,
                error=PlatformError(status=answer.status, message=debug.message[:300] or None),
                category="user_content",
                field="media",
            )
        self._require(await self._read(answer, Success, account, hidden=(token,)))

    async def publish(self, path: str, account: str, token: str, params: Params) -> str:
        """Make a post public, and give the id that it then has."""
        made = await self._call("POST", path, Made, token, account, params, once=True, deadline=_SLOW_SECONDS)
        return str(made.id)

    async def finish(self, path: str, account: str, token: str, params: Params) -> str | None:
        """Make public what was uploaded, and give the post's id where Facebook tells it."""
        done = await self._call("POST", path, Finished, token, account, params, once=True, deadline=_SLOW_SECONDS)
        if not done.success and done.post_id is None:
            raise OutcomeUnknown("Facebook does not say whether it published this. Look there.", platform=Platform.META)
        return None if done.post_id is None else str(done.post_id)

    async def video(self, video: str, account: str, token: str) -> VideoStatus:
        return (await self._call("GET", video, _Video, token, account, {"fields": "status"})).status

    async def add_container(self, account: str, token: str, params: Params) -> str:
        made = await self._call("POST", f"{account}/media", Made, token, account, params, deadline=_SLOW_SECONDS)
        return str(made.id)

    async def container(self, container: str, account: str, token: str) -> Container:
        return await self._call("GET", container, Container, token, account, {"fields": "status_code,status"})

    async def seen(self, post: str, account: str, token: str, fields: str) -> Seen:
        return await self._call("GET", post, Seen, token, account, {"fields": fields})

    async def comment(self, post: str, account: str, token: str, text: str) -> str:
        made = await self._call("POST", f"{post}/comments", Made, token, account, {"message": text}, once=True)
        return str(made.id)

    async def comments(self, post: str, account: str, token: str, field: str) -> Sequence[str]:
        params = {"fields": f"id,{field}", "limit": _RECENT}
        rows = await self._call("GET", f"{post}/comments", Rows[Comment], token, account, params)
        return [row.message or row.text or "" for row in rows.data]

    async def recent_page_posts(self, page: str, token: str) -> Sequence[PagePost]:
        params = {"fields": _RECENT_FIELDS, "limit": _RECENT}
        return (await self._call("GET", f"{page}/published_posts", Rows[PagePost], token, page, params)).data

    async def page_stories(self, page: str, token: str) -> Sequence[Story]:
        params = {"fields": "post_id,status,creation_time,media_type,media_id,url", "limit": _RECENT}
        return (await self._call("GET", f"{page}/stories", Rows[Story], token, page, params)).data

    async def recent_instagram_posts(self, account: str, token: str, edge: str) -> Sequence[InstagramPost]:
        params = {"fields": "id,caption,permalink,timestamp", "limit": _RECENT}
        return (await self._call("GET", f"{account}/{edge}", Rows[InstagramPost], token, account, params)).data

    async def page_posts(self, page: str, token: str, limit: int, cursor: str | None) -> Rows[PagePost]:
        params = {"fields": _PAGE_HISTORY, "limit": limit, **_from(cursor)}
        return await self._call("GET", f"{page}/published_posts", Rows[PagePost], token, page, params)

    async def instagram_posts(self, account: str, token: str, limit: int, cursor: str | None) -> Rows[InstagramPost]:
        params = {"fields": _INSTAGRAM_HISTORY, "limit": limit, **_from(cursor)}
        return await self._call("GET", f"{account}/media", Rows[InstagramPost], token, account, params)

    async def delete(self, post: str, account: str, token: str) -> None:
        self._require(await self._call("DELETE", post, Success, token, account, {}))


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


def _offsets(data: Offsets | str | None) -> Offsets | None:
    """Facebook sends the data of an error as an object, or as the text of one."""
    try:
        return msgspec.json.decode(data, type=Offsets, strict=False) if isinstance(data, str) else data
    except msgspec.MsgspecError:
        return None
