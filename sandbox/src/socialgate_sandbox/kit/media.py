"""Media that callers provide, as a file or by URL: kept byte for byte, so that it can be compared later."""

from hashlib import file_digest
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgspec

from socialgate_sandbox.kernel.media_probe import UNKNOWN_CONTENT_TYPE
from socialgate_sandbox.kit import MediaInfo, MediaView, Upload, VendorContext, probe_media


class Media(MediaInfo, frozen=True, kw_only=True):
    """A media file. Its type, pixels and duration are read from its bytes; `declared` is the type its sender named.

    `file` is empty if it is too large to be kept or out of the sandbox's reach. What cannot be read is 0 and is assumed
    to be as it should be.
    """

    size: int = 0
    sha256: str = ""
    file: str = ""
    source: str = ""
    declared: str = ""

    @property
    def has_content(self) -> bool:
        """Whether the sandbox could look at its bytes."""
        return bool(self.size or self.sha256)

    @property
    def is_video(self) -> bool:
        return self.content_type in {"video/mp4", "video/quicktime"}

    @property
    def aspect_ratio(self) -> float:
        return self.width / self.height if self.width and self.height else 1.0

    def url(self, context: VendorContext, host: str) -> str:
        return f"{context.url}/{host}/media/{self.file}" if self.file else self.source


async def download_media(context: VendorContext, url: str, assumed_type: str, max_bytes: int) -> Media | None:
    """Fetch a URL; None if there is nothing. `assumed_type` is the type assumed if it cannot be fetched.

    If it is larger than `max_bytes`, only its beginning is inspected: callers check its size.
    """
    fetched_response = await context.fetch(url, max_bytes)
    if fetched_response is None:
        return Media(content_type=assumed_type, source=url)
    if fetched_response.status != HTTPStatus.OK:
        return None
    file = context.files.store_bytes(fetched_response.body) if fetched_response.is_complete else ""
    declared = fetched_response.content_type.partition(";")[0].strip()
    about = _probe_fields(fetched_response.body)
    return Media(
        size=fetched_response.size, sha256=fetched_response.sha256, file=file, source=url, declared=declared, **about
    )


def store_media(context: VendorContext, upload: Upload, declared_type: str = "") -> Media:
    """Keep an upload permanently."""
    return describe_file(context, context.files.store_upload(upload), declared_type)


def describe_file(context: VendorContext, name: str, declared_type: str = "") -> Media:
    """Describe a kept file, such as one that was assembled from chunks."""
    path = context.files.path(name)
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return Media(size=path.stat().st_size, sha256=digest, file=name, declared=declared_type, **_probe_fields(path))


def _probe_fields(content: Path | bytes) -> dict[str, Any]:
    return msgspec.structs.asdict(probe_media(content))


def build_media_view(media: Media, alt: str = "", cover: Media | None = None, name: str = "") -> MediaView:
    """Return a media file as a feed shows it."""
    return MediaView(
        content_type=media.declared or UNKNOWN_CONTENT_TYPE
        if media.content_type == UNKNOWN_CONTENT_TYPE
        else media.content_type,
        size=media.size,
        sha256=media.sha256,
        file=media.file,
        name=name,
        alt=alt,
        cover=None if cover is None else build_media_view(cover),
    )
