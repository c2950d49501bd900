from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from socialgate.contracts.publishing import MediaType
from socialgate.contracts.renditions import Change
from socialgate.core.fields import CreatedAt
from socialgate.core.shapes import UNREPORTED_FIELD
from socialgate.web.pagination import ListQuery
from socialgate.web.schemas import ApiModel, QueryParameters, RequestBody, ResponseModel

_EXAMPLE_MEDIA_ID = "med_01h455vb4pex5vsknk084sn02q"
ProfileId = Annotated[
    str,
    Meta(
        max_length=40,
        description="The profile that the file belongs to. Required for a key limited to several profiles.",
    ),
]


class UploadQuery(QueryParameters, frozen=True, kw_only=True):
    """Its profile and name."""

    profile_id: ProfileId | None = None
    file_name: (
        Annotated[
            str,
            Meta(min_length=1, max_length=255, description="The name of the file, if the body is the file itself."),
        ]
        | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"fileName": "bread.jpg"}


# Without `profileId`, which a form can have before the file: generated clients choose their own order, and have the
# query parameter instead.
class UploadForm(ApiModel, frozen=True, kw_only=True):
    """A form with a file."""

    file: Annotated[str, Meta(description="The file.", extra_json_schema={"format": "binary"})]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"file": "(the bytes of bread.jpg)"}


class NewUploadLink(RequestBody, frozen=True, kw_only=True):
    """What the file will be."""

    profile_id: ProfileId | None = None
    file_name: Annotated[str, Meta(min_length=1, max_length=100, description="The name that the file gets.")] | None = (
        None
    )

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"fileName": "bread.jpg"}


class UploadLink(ResponseModel, frozen=True, kw_only=True):
    """A signed address for one file."""

    url: str
    """Where to send the file with PUT, without a credential. Keep it as secret as a key."""
    media_id: str
    """The id that the file will have, for posts and messages."""
    expires_at: datetime
    """Until when the file must have begun to arrive."""
    max_bytes: int
    """The largest file that is accepted."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "url": "https://gate.example.com/media/links/WyJvd25fMSJd.c2lnbmF0dXJl",
            "mediaId": "med_01h455vb4pex5vsknk084sn02q",
            "expiresAt": "2026-11-15T09:45:00Z",
            "maxBytes": 5368709120,
        }


class MediaQuery(ListQuery, frozen=True, kw_only=True):
    """Which files to list."""

    profile_id: Annotated[str, Meta(max_length=40, description="Only files of this profile.")] | None = None
    type: Annotated[MediaType, Meta(description="Only files of this type.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 50}


class SignedUrlQuery(QueryParameters, frozen=True, kw_only=True):
    """What makes the URL of a file valid."""

    until: Annotated[int, Meta(ge=0, le=99_999_999_999, description="When the URL expires, in Unix seconds.")]
    signature: Annotated[str, Meta(max_length=64, description="Proves that this service issued the URL.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"until": 1794735000, "signature": "Zm9v"}


class Rendition(ResponseModel, frozen=True, kw_only=True):
    """A file that was made of another one, so that a platform accepts it."""

    id: str
    """The id, `med_…`. Posts refer to the original."""
    target_kind: str = msgspec.field(name="for")
    """The kind of account that it was made for first. Others with the same needs use it too."""
    type: MediaType
    """What it is: an image, a video or audio."""
    mime_type: str
    """The MIME type."""
    width: int | None
    """The width in pixels. Null for audio."""
    height: int | None
    """The height in pixels. Null for audio."""
    size: int
    """The size in bytes."""
    duration: float | None = UNREPORTED_FIELD
    """The duration in seconds. Null for images."""
    url: str | None = UNREPORTED_FIELD
    """A public URL of the result, to look at it. Null in the result of a task."""
    why: list[Change]
    """What was changed, and why."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "med_01h455vb4pex5vsknk084sn02r",
            "for": "instagram",
            "type": "image",
            "mimeType": "image/jpeg",
            "width": 1080,
            "height": 1350,
            "size": 198400,
            "duration": None,
            "url": "https://gate.example.com/media/med_01h455vb4pex5vsknk084sn02r?until=1794735000&signature=Zm9v",
            "why": [Change.example()],
        }


class MediaItem(ResponseModel, frozen=True, kw_only=True):
    """A file that posts and messages can use. `url` is public for as long as the file exists.

    An unused file is deleted at `expiresAt`; null means that it is in use.
    """

    id: str
    """The id, `med_…`."""
    profile_id: str | None
    """The profile that it belongs to, `prf_…`. Null if it belongs to none."""
    type: MediaType
    """What the bytes of the file are: an image, a video, audio, or a document."""
    mime_type: str
    """The MIME type, detected from the bytes of the file."""
    file_name: str
    """The name of the file when it was uploaded."""
    size: int
    """The size in bytes."""
    width: int | None
    """The width in pixels. Null for audio and documents."""
    height: int | None
    """The height in pixels. Null for audio and documents."""
    duration: float | None
    """The duration in seconds. Null for images and documents."""
    codec: str | None
    """The codec of the video or audio, such as `h264`. Null for images and documents."""
    sha256: str
    """The SHA-256 checksum of the file, in hexadecimal."""
    url: str
    """A public URL of the file, valid as long as the file exists."""
    expires_at: datetime | None
    """When the file is deleted if it is not used. Null while it is in use."""
    renditions: list[Rendition]
    """Files that were made of it, so that platforms accept them. They are deleted with it."""
    created_at: CreatedAt

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_MEDIA_ID,
            "profileId": None,
            "type": "image",
            "mimeType": "image/jpeg",
            "fileName": "bread.jpg",
            "size": 204800,
            "width": 1080,
            "height": 1350,
            "duration": None,
            "codec": "JPEG",
            "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "url": f"https://gate.example.com/media/{_EXAMPLE_MEDIA_ID}?until=1794735000&signature=Zm9v",
            "expiresAt": "2026-11-22T09:30:00Z",
            "renditions": [],
            "createdAt": "2026-11-15T09:30:00Z",
        }


class UploadInProgress(msgspec.Struct, frozen=True, kw_only=True):
    """A file being uploaded, for display. `size` is 0 if it was not announced."""

    id: str
    file_name: str
    size: int
    received: int
    # Whether it is uploaded in chunks of which some are missing: it can be resumed.
    resumable: bool
    # Whether anything was received lately.
    moving: bool
    news_at: datetime
    expires_at: datetime


class UploadState(ResponseModel, frozen=True, kw_only=True):
    """The progress of an upload in chunks. `media` is set when it is complete."""

    id: str
    """The id, `upl_…`."""
    size: int
    """The size of the whole file in bytes, as announced."""
    received: int
    """How many bytes were received so far: where to continue."""
    expires_at: datetime
    """When the unfinished upload is deleted. Each chunk postpones it."""
    media: MediaItem | None
    """The file, once it is complete; null until then."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "upl_01h455vb4pex5vsknk084sn02q",
            "size": 2147483648,
            "received": 8388608,
            "expiresAt": "2026-11-16T09:30:00Z",
            "media": None,
        }
