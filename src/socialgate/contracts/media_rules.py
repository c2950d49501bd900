"""Whether a file fits a rule of a manifest."""

import math
from collections.abc import Iterator, Mapping
from typing import TypeVar

import msgspec

from socialgate.contracts.media_formats import PLURALS, describe_usable, name_format
from socialgate.contracts.platforms import KindManifest, MediaRule
from socialgate.contracts.publishing import MediaDetails, MediaFile, MediaType
from socialgate.core.errors import Fault

T = TypeVar("T", int, float)
# 23.976 frames per second are called 23, 24 or 23.98.
_FPS_TOLERANCE = 0.05
_MEDIA_TYPES: tuple[MediaType, ...] = ("image", "video", "audio", "document")
_JPEG, _WEBP = "image/jpeg", "image/webp"
_FORM = "form"
_DEFAULT_FORM = "post"


def find_type_rule(
    manifest: KindManifest, applies_to: str, options: Mapping[str, object], mime_type: str | None = None
) -> MediaRule | None:
    """Find what a kind of account accepts for a type of file, before forms restrict it further. Some formats and forms
    have a rule of their own.
    """
    for rule in _list_form_rules(manifest, applies_to, options):
        if rule.replaces and mime_type is not None and rule.accepts_format(mime_type):
            return rule
    return manifest.media.get(applies_to)


def find_rule(
    manifest: KindManifest, applies_to: str, options: Mapping[str, object], mime_type: str | None = None
) -> MediaRule | None:
    """Combine what a kind of account accepts for a type of file, or a `cover`, in this form of post."""
    combined = find_type_rule(manifest, applies_to, options, mime_type)
    if combined is not None and combined.replaces:
        return combined
    for rule in _list_form_rules(manifest, applies_to, options):
        if not rule.replaces:
            combined = rule if combined is None else narrow(combined, rule)
    return combined


def _list_form_rules(manifest: KindManifest, applies_to: str, options: Mapping[str, object]) -> list[MediaRule]:
    form = options.get(_FORM) or _DEFAULT_FORM
    return [rule for rule in manifest.media.values() if rule.applies_to == applies_to and rule.form in {None, form}]


def describe_refused_type(
    manifest: KindManifest, options: Mapping[str, object], media_type: MediaType, mime_type: str
) -> str:
    """Say that a kind of account accepts no files of a type, and what to use instead."""
    refused = f"{name_format(mime_type)} files" if media_type == "document" else PLURALS[media_type]
    rules = {kind: find_rule(manifest, kind, options) for kind in _MEDIA_TYPES}
    usable = [describe_usable(kind, rule.mime_types) for kind, rule in rules.items() if rule is not None]
    if not usable:
        return f"{manifest.name} accepts no files. Publish without the file on this account."
    return f"{manifest.name} does not accept {refused}. Use {' or '.join(usable)}."


def validate_file(name: str, rule: MediaRule, file: MediaFile, pointer: str) -> Iterator[Fault]:
    """List what is wrong with a file. `name` is what has the rule: a platform, or a form of its posts. Unknown values
    are accepted.
    """
    if not rule.accepts_format(file.mime_type):
        takes = ", ".join(name_format(mime_type) for mime_type in rule.mime_types)
        detail = f"The format of the file is {name_format(file.mime_type)}, but {name} accepts {takes}. Convert it."
        yield Fault(pointer, "media_type", detail)
    elif not accepts_frames(rule, file):
        detail = f"The file is an animation, but {name} accepts {name_format(file.mime_type)} only as a still picture."
        yield Fault(pointer, "media_type", f"{detail} Convert it.")
    if rule.max_bytes is not None and file.size > rule.max_bytes:
        yield Fault(
            pointer,
            "too_large",
            f"The file has {_format_mebibytes(file.size)}, but {name} accepts "
            f"{_format_mebibytes(rule.max_bytes)}. Compress it.",
        )
    if rule.min_bytes is not None and file.size < rule.min_bytes:
        detail = f"The file has {file.size:,} bytes, but {name} requires at least {rule.min_bytes:,}. Use a larger one."
        yield Fault(pointer, "too_small", detail)
    yield from _validate_dimensions(name, rule, file, pointer)
    yield from _validate_duration(name, rule, file, pointer)
    if file.details is not None and file.type != "image":
        yield from _validate_streams(name, rule, file.details, pointer)


def accepts_frames(rule: MediaRule, file: MediaFile) -> bool:
    """Return whether as many frames are accepted as an image has. Beside JPEG, WebP is a format for photos, and those
    do not move; alone it is that of stickers.
    """
    is_animated = file.mime_type == _WEBP and file.details is not None and file.details.is_animated
    return not (is_animated and {_WEBP, _JPEG} <= set(rule.mime_types))


def narrow(rule: MediaRule, other: MediaRule) -> MediaRule:
    """Combine two rules: what both accept."""
    return msgspec.structs.replace(
        rule,
        mime_types=_common(rule.mime_types, other.mime_types),
        max_bytes=_least(rule.max_bytes, other.max_bytes),
        min_bytes=_most(rule.min_bytes, other.min_bytes),
        min_width=_most(rule.min_width, other.min_width),
        min_height=_most(rule.min_height, other.min_height),
        max_width=_least(rule.max_width, other.max_width),
        max_height=_least(rule.max_height, other.max_height),
        max_width_plus_height=_least(rule.max_width_plus_height, other.max_width_plus_height),
        min_ratio=_most(rule.min_ratio, other.min_ratio),
        max_ratio=_least(rule.max_ratio, other.max_ratio),
        min_seconds=_most(rule.min_seconds, other.min_seconds),
        max_seconds=_least(rule.max_seconds, other.max_seconds),
        video_codecs=_common(rule.video_codecs, other.video_codecs),
        audio_codecs=_common(rule.audio_codecs, other.audio_codecs),
        pixel_formats=_common(rule.pixel_formats, other.pixel_formats),
        min_fps=_most(rule.min_fps, other.min_fps),
        max_fps=_least(rule.max_fps, other.max_fps),
        max_bit_rate=_least(rule.max_bit_rate, other.max_bit_rate),
        max_channels=_least(rule.max_channels, other.max_channels),
        max_sample_rate=_least(rule.max_sample_rate, other.max_sample_rate),
        progressive=rule.progressive or other.progressive,
        index_first=rule.index_first or other.index_first,
    )


def has_wrong_ratio(rule: MediaRule, width: int, height: int) -> bool:
    ratio = width / height
    return ratio < (rule.min_ratio or 0) or ratio > (rule.max_ratio or math.inf)


def describe_ratio(rule: MediaRule) -> str:
    """Say which aspect ratios a rule accepts."""
    if rule.max_ratio is None:
        return f"aspect ratios of at least {rule.min_ratio or 0:.3g}"
    if not rule.min_ratio:
        return f"aspect ratios of at most {rule.max_ratio:.3g}"
    return f"aspect ratios between {rule.min_ratio:.3g} and {rule.max_ratio:.3g}"


def describe_least(rule: MediaRule) -> str:
    """Say from which size on a rule accepts pictures."""
    return f"at least {rule.min_width or 1} x {rule.min_height or 1} pixels"


def accepts_fps(rule: MediaRule, fps: float) -> bool:
    return (rule.min_fps or 0) - _FPS_TOLERANCE <= fps <= (rule.max_fps or fps) + _FPS_TOLERANCE


def describe_fps(rule: MediaRule) -> str:
    """Say which frame rates a rule accepts."""
    if rule.max_fps is None:
        return f"at least {rule.min_fps or 0:g}"
    return f"at most {rule.max_fps:g}" if not rule.min_fps else f"{rule.min_fps:g} to {rule.max_fps:g}"


def _common(these: tuple[str, ...], those: tuple[str, ...]) -> tuple[str, ...]:
    """What both lists accept. An empty list, or `*/*`, accepts everything."""
    if not these or "*/*" in these:
        return those
    return these if not those or "*/*" in those else tuple(name for name in these if name in those)


def _least(this: T | None, that: T | None) -> T | None:
    return that if this is None else this if that is None else min(this, that)


def _most(this: T | None, that: T | None) -> T | None:
    return that if this is None else this if that is None else max(this, that)


def _validate_streams(name: str, rule: MediaRule, details: MediaDetails, pointer: str) -> Iterator[Fault]:
    """Check the picture and the sound of a video, as far as they are known."""
    for label, codec, accepted in (
        ("picture", details.video_codec, rule.video_codecs),
        ("sound", details.audio_codec, rule.audio_codecs),
        ("pixel format", details.pixel_format, rule.pixel_formats),
    ):
        if codec is not None and accepted and codec not in accepted:
            takes = ", ".join(accepted)
            yield Fault(pointer, "media_encoding", f"The {label} is {codec}, but {name} accepts {takes}. Convert it.")
    fps = details.fps
    if fps is not None and not accepts_fps(rule, fps):
        detail = f"It has {fps:g} frames per second, but {name} accepts {describe_fps(rule)}. Convert it."
        yield Fault(pointer, "media_encoding", detail)
    for label, value, most, unit in (
        ("a bit rate", details.bit_rate, rule.max_bit_rate, "bits per second"),
        ("a sample rate", details.sample_rate, rule.max_sample_rate, "Hz"),
        ("sound", details.channels, rule.max_channels, "channels"),
    ):
        if value is not None and most is not None and value > most:
            detail = f"It has {label} of {value:,} {unit}, but {name} accepts {most:,}. Convert it."
            yield Fault(pointer, "media_encoding", detail)
    if rule.progressive and details.is_interlaced:
        yield Fault(pointer, "media_encoding", f"It is interlaced, which {name} does not accept. Convert it.")
    if rule.index_first and details.index_first is False:
        detail = f"Its index (moov) is at the end, but {name} requires it at the start. Save it for streaming."
        yield Fault(pointer, "media_encoding", detail)


def _validate_dimensions(name: str, rule: MediaRule, file: MediaFile, pointer: str) -> Iterator[Fault]:
    if file.width is None or file.height is None:
        return
    seen = f"It is {file.width} x {file.height} pixels"
    if file.width < (rule.min_width or 0) or file.height < (rule.min_height or 0):
        least = f"{rule.min_width or 0} x {rule.min_height or 0}"
        yield Fault(pointer, "too_small", f"{seen}, but {name} requires at least {least}. Use a larger one.")
    too_wide = rule.max_width is not None and file.width > rule.max_width
    if too_wide or (rule.max_height is not None and file.height > rule.max_height):
        most = f"{rule.max_width or 'any'} x {rule.max_height or 'any'}"
        yield Fault(pointer, "media_dimensions", f"{seen}, but {name} accepts at most {most}. Scale it down.")
    together = rule.max_width_plus_height
    if together is not None and file.width + file.height > together:
        detail = f"{seen}, but {name} accepts a width and height of together {together:,}. Scale it down."
        yield Fault(pointer, "too_large", detail)
    if has_wrong_ratio(rule, file.width, file.height):
        ratio = f"an aspect ratio of {file.width / file.height:.3g}"
        detail = f"{seen}, {ratio}, but {name} accepts {describe_ratio(rule)}. Crop it."
        yield Fault(pointer, "media_ratio", detail)


def _validate_duration(name: str, rule: MediaRule, file: MediaFile, pointer: str) -> Iterator[Fault]:
    if file.duration is None:
        return
    if rule.max_seconds is not None and file.duration > rule.max_seconds:
        yield Fault(
            pointer,
            "too_long",
            f"It lasts {file.duration:.1f} s, but {name} accepts at most {rule.max_seconds:g} s. Cut it.",
        )
    if rule.min_seconds is not None and file.duration < rule.min_seconds:
        yield Fault(
            pointer,
            "too_short",
            f"It lasts {file.duration:.1f} s, but {name} requires at least {rule.min_seconds:g} s. Use a longer one.",
        )


def _format_mebibytes(size: int) -> str:
    return f"{size / 1024 / 1024:,.1f} MiB"
