"""Containers, with which Instagram and Threads publish: a container, some processing time, and the publish call."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from socialgate_sandbox.dialects.graph.media import MAX_VIDEO_BYTES
from socialgate_sandbox.dialects.graph.parameters import parse_words
from socialgate_sandbox.kit import Call, CallRefusedError, StoredObject, VendorContext, generate_digits
from socialgate_sandbox.kit.media import Media, download_media
from socialgate_sandbox.kit.post_processing import compute_stage, start_processing

_DAY = 86400
_MIN_SLIDES = 2
# The names of H.264, HEVC and AAC in MP4 files. Empty is what cannot be read, or no sound.
_VIDEO_CODECS = {"", "avc1", "avc3", "hvc1", "hev1"}
_AUDIO_CODECS = {"", "mp4a"}
_MAX_CHANNELS, _MAX_SAMPLE_RATE = 2, 48_000
_MIN_FPS, _MAX_FPS = 23, 60
_MAX_VIDEO_WIDTH = 1920
_MIN_VIDEO_RATIO, _MAX_VIDEO_RATIO = 0.01, 10
_MAX_BIT_RATE = 25_000_000
_STATUSES = {"waiting": "IN_PROGRESS", "processing": "IN_PROGRESS", "failed": "ERROR", "ready": "FINISHED"}


class Container(StoredObject, kw_only=True):
    """A post of an account (the parent) before it is published. `failure` is the code that processing ends with.

    It has no time at which it is `ready` as long as its bytes are missing.
    """

    media_type: str
    created_at: datetime = msgspec.field(name="made")
    ready: datetime | None
    text: str = ""
    media: Media | None = None
    children: list[str] = []
    is_item: bool = False
    failure: str = ""
    published: str = ""


C = TypeVar("C", bound=Container)


def get_status(context: VendorContext, container: Container) -> str:
    if container.published:
        return "PUBLISHED"
    if context.clock.get_seconds_since(container.created_at) >= _DAY:
        return "EXPIRED"
    return _STATUSES[compute_stage(context, container.ready, container.failure)]


def add_container(
    context: VendorContext, kind: type[C], account: str, seconds: float, *, slides: Sequence[C] = (), **content: Any
) -> C:
    """Create a container. A carousel is ready when all of its slides are, and fails with the first that fails."""
    ready, fated = start_processing(context, account, seconds)
    times = [slide.ready for slide in slides]
    failures = (fated, content.pop("failure", ""), *(slide.failure for slide in slides))
    container = kind(
        id=generate_digits(17),
        parent=account,
        created_at=context.clock.now(),
        ready=None if None in times else max([ready, *filter(None, times)]),
        failure=next(filter(None, failures), ""),
        children=[slide.id for slide in slides],
        **content,
    )
    return context.store.put(container)


def find_slides(
    call: Call,
    kind: type[C],
    account: str,
    max_slides: int,
    count_error: CallRefusedError,
    unknown_error: CallRefusedError,
) -> list[C]:
    """Find the items that a carousel is made of."""
    keys = parse_words(call.params.get("children"))
    if not _MIN_SLIDES <= len(keys) <= max_slides:
        raise count_error
    items = call.context.store.get_all(kind, keys)
    slides = [slide for slide in items if slide.parent == account and slide.is_item]
    if len(slides) < len(keys):
        raise unknown_error
    return slides


async def fetch_video(
    context: VendorContext, url: str, seconds: tuple[float, float], missing: str, unreadable: str
) -> tuple[Media, str]:
    """Fetch a video that may last these seconds, and return the code with which its processing will fail."""
    media = await download_media(context, url, "video/mp4", MAX_VIDEO_BYTES)
    if media is None:
        return Media(content_type="", source=url), missing
    is_accepted = media.size <= MAX_VIDEO_BYTES and is_accepted_video(media, seconds)
    return media, "" if is_accepted else unreadable


def is_accepted_video(media: Media, seconds: tuple[float, float]) -> bool:
    shortest, longest = seconds
    has_accepted_length = not media.seconds or shortest <= round(media.seconds, 1) <= longest
    return media.is_video and has_accepted_length and has_accepted_streams(media)


def has_accepted_streams(media: Media) -> bool:
    """Check a video as the documents of Instagram and Threads say: "MOV or MP4 (MPEG-4 Part 14), no edit lists, moov
    atom at the front of the file", "AAC, 48khz sample rate maximum, 1 or 2 channels", "HEVC or H264", "23-60 FPS",
    "Maximum columns (horizontal pixels): 1920", "aspect ratio is between 0.01:1 and 10:1", "VBR, 25Mbps maximum".
    Unknown values are accepted.

    Edit lists are accepted: phones and every encoder write them, and Meta publishes such files.
    """
    return (
        not media.index_last
        and media.video_codec in _VIDEO_CODECS
        and media.audio_codec in _AUDIO_CODECS
        and media.channels <= _MAX_CHANNELS
        and media.sample_rate <= _MAX_SAMPLE_RATE
        and (not media.fps or _MIN_FPS <= round(media.fps, 1) <= _MAX_FPS)
        and media.width <= _MAX_VIDEO_WIDTH
        and _MIN_VIDEO_RATIO <= media.aspect_ratio <= _MAX_VIDEO_RATIO
        and media.bit_rate <= _MAX_BIT_RATE
    )


def list_unpublished(context: VendorContext, kind: type[C], account: str) -> list[C]:
    """List what is being published, newest first."""
    return [item for item in context.store.find(kind, parent=account, newest_first=True) if not item.published]
