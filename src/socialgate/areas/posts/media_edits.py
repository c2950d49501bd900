"""Whether a file can be edited as a post wants it: the part of it to publish, and its cover.

Pure, and the same for all accounts: each mistake is reported once, at its field.
"""

from collections.abc import Iterator

from socialgate.areas.media.renditions.video_plan import MIN_TRIM_SECONDS
from socialgate.areas.posts.schemas import MediaRef
from socialgate.contracts.publishing import MediaType
from socialgate.contracts.renditions import Trim
from socialgate.core.errors import Fault

_TYPE_NAMES = {"image": "an image", "video": "a video", "audio": "audio", "document": "a document"}
# People copy the duration as they see it, which is rounded.
_END_TOLERANCE = 0.1


def validate_edits(ref: MediaRef, media_type: MediaType, duration: float | None, pointer: str) -> Iterator[Fault]:
    if ref.trim is not None:
        yield from _validate_trim(ref.trim, media_type, duration, f"{pointer}/trim")
    if ref.thumbnail_media_id is not None and media_type != "video":
        yield _build_cover_fault(media_type, "thumbnailMediaId", pointer)
    if ref.cover_at is not None:
        yield from _validate_cover(ref, ref.cover_at, media_type, duration, pointer)


def _validate_trim(trim: Trim, media_type: MediaType, duration: float | None, pointer: str) -> Iterator[Fault]:
    if media_type not in {"video", "audio"}:
        detail = f"Only a video or audio can be cut, and this file is {_TYPE_NAMES[media_type]}. Leave out `trim`."
        yield Fault(pointer, "media_type", detail)
    elif duration is None:
        detail = "It is not known how long this file is, so it cannot be cut. Save it as MP4, or leave out `trim`."
        yield Fault(pointer, "out_of_range", detail)
    elif trim.start >= duration:
        detail = f"The file lasts {duration:g} s, and the part would start at {trim.start:g} s. Start earlier."
        yield Fault(f"{pointer}/start", "out_of_range", detail)
    elif trim.end is not None and trim.end > duration + _END_TOLERANCE:
        detail = f"The file lasts {duration:g} s, and the part would end at {trim.end:g} s. End it earlier."
        yield Fault(f"{pointer}/end", "out_of_range", detail)
    elif trim.end is not None and trim.end <= trim.start:
        detail = f"The part would start at {trim.start:g} s and end at {trim.end:g} s. Let it end after its start."
        yield Fault(f"{pointer}/end", "out_of_range", detail)
    elif (length := round(min(trim.end or duration, duration) - trim.start, 6)) < MIN_TRIM_SECONDS:
        detail = f"The part lasts {length:.2g} s. Choose one of at least {MIN_TRIM_SECONDS:g} s."
        yield Fault(pointer, "too_short", detail)


def _validate_cover(
    ref: MediaRef, at: float, media_type: MediaType, duration: float | None, pointer: str
) -> Iterator[Fault]:
    if media_type != "video":
        yield _build_cover_fault(media_type, "coverAt", pointer)
    elif ref.thumbnail_media_id is not None:
        detail = "`thumbnailMediaId` already chooses a cover. Leave out one of the two."
        yield Fault(f"{pointer}/coverAt", "contradiction", detail)
    elif duration is not None and at >= duration:
        detail = f"The video lasts {duration:g} s, so it has no frame at {at:g} s. Choose an earlier one."
        yield Fault(f"{pointer}/coverAt", "out_of_range", detail)


def _build_cover_fault(media_type: MediaType, field: str, pointer: str) -> Fault:
    detail = f"Only a video has a cover, and this file is {_TYPE_NAMES[media_type]}. Leave out `{field}`."
    return Fault(f"{pointer}/{field}", "media_type", detail)
