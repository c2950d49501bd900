"""Uploading a video to YouTube in parts, to a URL that belongs to this one video."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from socialgate.connectors.client import DEADLINE_SECONDS
from socialgate.connectors.google.errors import Product
from socialgate.connectors.google.shapes import Resource
from socialgate.connectors.google.wire import UPLOAD, GoogleApi
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.publishing import MediaFile

_UPLOAD_SECONDS = 300.0
_RESUME, _GONE = 308, frozenset({404, 410})
_STORED = re.compile(r"bytes=0-([0-9]{1,18})")


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """The state of an upload: complete with a video, else it continues at `offset`, unless Google forgot it."""

    session: str
    video: Resource | None = None
    offset: int = 0
    left: int = 0
    gone: bool = False

    @property
    def is_open(self) -> bool:
        return self.video is None and not self.gone


class Uploads:
    def __init__(self, api: GoogleApi) -> None:
        self._api = api

    async def open(self, held: AccountCredentials, body: Mapping[str, Any], file: MediaFile, *, notify: bool) -> str:
        """Start the upload of a video, and return its URL. Without the video nothing is created."""
        access = self._api.for_account(Product.UPLOADS, held)
        call = access.to(
            "POST",
            f"{UPLOAD}/videos",
            repeatable=True,
            query={"uploadType": "resumable", "part": ",".join(body), "notifySubscribers": str(notify).lower()},
            headers={"X-Upload-Content-Type": file.mime_type, "X-Upload-Content-Length": str(file.size)},
            json=body,
            spends=(("uploads", 1),),
        )
        answer = await access.client.answer(call)
        if address := answer.headers.get("location"):
            return address
        raise access.client.unreadable(call, answer)

    async def ask(self, held: AccountCredentials, session: str, size: int) -> Placed:
        """Ask how much of a video was received. This changes nothing."""
        return await self._put(held, session, b"", f"bytes */{size}", size, repeatable=True)

    async def send(self, held: AccountCredentials, session: str, part: bytes, start: int, size: int) -> Placed:
        """Send the next part of a video. The last one creates the video."""
        end = start + len(part)
        return await self._put(held, session, part, f"bytes {start}-{end - 1}/{size}", size, repeatable=end < size)

    async def set_thumbnail(self, held: AccountCredentials, video_id: str, picture: bytes, mime_type: str) -> None:
        """Set it, which can be repeated: the last one counts."""
        await self._api.for_account(Product.YOUTUBE, held).call(
            "POST",
            f"{UPLOAD}/thumbnails/set",
            object,
            repeatable=True,
            query={"videoId": video_id, "uploadType": "media"},
            headers={"Content-Type": mime_type},
            body=picture,
            deadline=_UPLOAD_SECONDS,
        )

    async def _put(
        self, held: AccountCredentials, session: str, part: bytes, content_range: str, size: int, *, repeatable: bool
    ) -> Placed:
        """Call the URL of an upload. One that has started continues, even when no other may start."""
        access = self._api.for_account(Product.UPLOADS, held)
        call = access.to(
            "PUT",
            session,
            repeatable=repeatable,
            headers={"Content-Range": content_range},
            body=part,
            deadline=_UPLOAD_SECONDS if part else DEADLINE_SECONDS,
            expects=_GONE | {_RESUME},
            ignores_pauses=True,
        )
        answer = await access.client.answer(call)
        if answer.status in _GONE:
            return Placed(session=session, gone=True)
        if answer.status == _RESUME:
            stored = _STORED.fullmatch(answer.headers.get("range", ""))
            # No header at all means that nothing was received.
            offset = int(stored[1]) + 1 if stored else 0
            return Placed(session=answer.headers.get("location") or session, offset=offset, left=size - offset)
        return Placed(session=session, video=access.client.read(call, answer, Resource))
