"""Uploading a video to YouTube in parts, to a URL that belongs to this one video."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from socialgate.connectors.client import DEFAULT_DEADLINE_SECONDS
from socialgate.connectors.google.api import YOUTUBE_UPLOAD_URL, GoogleApi
from socialgate.connectors.google.errors import GoogleProduct
from socialgate.connectors.google.responses import YouTubeResource
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.publishing import MediaFile

_UPLOAD_TIMEOUT_SECONDS = 300.0
_RESUME, _GONE = 308, frozenset({404, 410})
_RANGE_PATTERN = re.compile(r"bytes=0-([0-9]{1,18})")


class VideoUploadState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of an upload: complete with a video, else it continues at `offset`, unless Google forgot it."""

    upload_url: str
    video: YouTubeResource | None = None
    offset: int = 0
    remaining_bytes: int = 0
    is_forgotten: bool = False

    @property
    def is_open(self) -> bool:
        return self.video is None and not self.is_forgotten


class VideoUploads:
    def __init__(self, api: GoogleApi) -> None:
        self._api = api

    async def start_upload(
        self, credentials: AccountCredentials, body: Mapping[str, Any], file: MediaFile, *, notify: bool
    ) -> str:
        """Start the upload of a video, and return its URL. Without the video nothing is created."""
        access = self._api.build_client_for_account(GoogleProduct.UPLOADS, credentials)
        call = access.build_request(
            "POST",
            f"{YOUTUBE_UPLOAD_URL}/videos",
            repeatable=True,
            query={"uploadType": "resumable", "part": ",".join(body), "notifySubscribers": str(notify).lower()},
            headers={"X-Upload-Content-Type": file.mime_type, "X-Upload-Content-Length": str(file.size)},
            json=body,
            spends=(("uploads", 1),),
        )
        answer = await access.client.fetch_response(call)
        if address := answer.headers.get("location"):
            return address
        raise access.client.build_unreadable_error(call, answer)

    async def get_state(self, credentials: AccountCredentials, session: str, size: int) -> VideoUploadState:
        """Ask how much of a video was received. This changes nothing."""
        return await self._put_part(credentials, session, b"", f"bytes */{size}", size, repeatable=True)

    async def send_part(
        self, credentials: AccountCredentials, session: str, part: bytes, start: int, size: int
    ) -> VideoUploadState:
        """Send the next part of a video. The last one creates the video."""
        end = start + len(part)
        return await self._put_part(
            credentials, session, part, f"bytes {start}-{end - 1}/{size}", size, repeatable=end < size
        )

    async def set_thumbnail(
        self, credentials: AccountCredentials, video_id: str, picture: bytes, mime_type: str
    ) -> None:
        """Set it, which can be repeated: the last one counts."""
        await self._api.build_client_for_account(GoogleProduct.YOUTUBE, credentials).call(
            "POST",
            f"{YOUTUBE_UPLOAD_URL}/thumbnails/set",
            object,
            repeatable=True,
            query={"videoId": video_id, "uploadType": "media"},
            headers={"Content-Type": mime_type},
            body=picture,
            deadline=_UPLOAD_TIMEOUT_SECONDS,
        )

    async def _put_part(
        self,
        credentials: AccountCredentials,
        session: str,
        part: bytes,
        content_range: str,
        size: int,
        *,
        repeatable: bool,
    ) -> VideoUploadState:
        """Call the URL of an upload. One that has started continues, even when no other may start."""
        access = self._api.build_client_for_account(GoogleProduct.UPLOADS, credentials)
        call = access.build_request(
            "PUT",
            session,
            repeatable=repeatable,
            headers={"Content-Range": content_range},
            body=part,
            deadline=_UPLOAD_TIMEOUT_SECONDS if part else DEFAULT_DEADLINE_SECONDS,
            accepted_statuses=_GONE | {_RESUME},
            ignores_pauses=True,
        )
        answer = await access.client.fetch_response(call)
        if answer.status in _GONE:
            return VideoUploadState(upload_url=session, is_forgotten=True)
        if answer.status == _RESUME:
            stored = _RANGE_PATTERN.fullmatch(answer.headers.get("range", ""))
            # No header at all means that nothing was received.
            offset = int(stored[1]) + 1 if stored else 0
            return VideoUploadState(
                upload_url=answer.headers.get("location") or session, offset=offset, remaining_bytes=size - offset
            )
        return VideoUploadState(upload_url=session, video=access.client.decode_response(call, answer, YouTubeResource))
