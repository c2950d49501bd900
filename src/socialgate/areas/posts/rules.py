"""Validation of posts against the manifest of a kind: every error at once, with its position and how to fix it.

Pure: the manifest and the content are all it needs. Pointers are relative to the target.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from socialgate.contracts.platforms import KindManifest, Limits, MediaRule
from socialgate.contracts.publishing import Content, MediaFile
from socialgate.core.errors import Fault

_HASHTAG = re.compile(r"(?<!\w)#\w+")
_MENTION = re.compile(r"(?<!\w)@\w+")
_TYPES = ("image", "video", "audio", "document")
_UNITS = {"bytes": "bytes", "utf16": "UTF-16 units"}


def crowd_at(moment: datetime, others: Sequence[datetime], span: timedelta) -> int:
    """Count the posts, including this one, in the fullest period that it falls into."""
    ends = [moment, *(other for other in others if moment < other < moment + span)]
    return 1 + max(sum(end - span < other <= end for other in others) for end in ends)


def faults_of(manifest: KindManifest, content: Content) -> Iterator[Fault]:
    yield from _text(manifest, content.text)
    yield from _media(manifest, content.media)


def length_of(text: str, unit: str) -> int:
    """Count the length of a text as its platform does."""
    if unit == "bytes":
        return len(text.encode())
    if unit == "utf16":
        return len(text.encode("utf-16-le")) // 2
    return len(text)


def _text(manifest: KindManifest, text: str) -> Iterator[Fault]:
    limits: Limits = manifest.limits
    length = length_of(text, limits.text_unit)
    if limits.text_max is not None and length > limits.text_max:
        unit = _UNITS.get(limits.text_unit, "characters")
        yield Fault(
            "/content",
            "too_long",
            f"The text has {length:,} {unit}, but {manifest.name} accepts {limits.text_max:,}. Shorten it by "
            f"{length - limits.text_max:,}.",
        )
    for pattern, most, word in (
        (_HASHTAG, limits.hashtags_max, "hashtags"),
        (_MENTION, limits.mentions_max, "mentions"),
    ):
        found = len(pattern.findall(text))
        if most is not None and found > most:
            yield Fault(
                "/content",
                "too_many",
                f"The text has {found} {word}, but {manifest.name} accepts {most}. Remove {found - most}.",
            )


def _media(manifest: KindManifest, media: Sequence[MediaFile]) -> Iterator[Fault]:
    for position, file in enumerate(media):
        rule = manifest.media.get(file.type)
        if rule is None:
            takes = " and ".join(kind for kind in _TYPES if kind in manifest.media) or "no files"
            yield Fault(
                f"/media/{position}",
                "media_type",
                f"{manifest.name} does not accept {file.type}. It accepts {takes}. Remove the file for this account.",
            )
        else:
            yield from _file(manifest.name, rule, file, f"/media/{position}")
    for kind, rule in manifest.media.items():
        number = sum(file.type == kind for file in media)
        if number > rule.max_count:
            yield Fault(
                "/media",
                "media_count",
                f"There are {number} files of the type {kind}, but {manifest.name} accepts {rule.max_count}. Remove "
                f"{number - rule.max_count}.",
            )


def _file(name: str, rule: MediaRule, file: MediaFile, pointer: str) -> Iterator[Fault]:
    if "*/*" not in rule.mime_types and file.mime_type not in rule.mime_types:
        takes = ", ".join(rule.mime_types)
        yield Fault(pointer, "media_type", f"The file is {file.mime_type}, but {name} accepts {takes}. Convert it.")
    if rule.max_bytes is not None and file.size > rule.max_bytes:
        yield Fault(
            pointer,
            "too_large",
            f"The file has {_mebibytes(file.size)}, but {name} accepts {_mebibytes(rule.max_bytes)}. Compress it.",
        )
    yield from _dimensions(name, rule, file, pointer)
    yield from _duration(name, rule, file, pointer)


def _dimensions(name: str, rule: MediaRule, file: MediaFile, pointer: str) -> Iterator[Fault]:
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
    ratio = file.width / file.height
    if (rule.min_ratio is not None and ratio < rule.min_ratio) or (
        rule.max_ratio is not None and ratio > rule.max_ratio
    ):
        between = f"{rule.min_ratio or 0:.3g} and {rule.max_ratio or float('inf'):.3g}"
        yield Fault(
            pointer,
            "media_ratio",
            f"{seen}, an aspect ratio of {ratio:.3g}, but {name} accepts ratios between {between}. Crop it.",
        )


def _duration(name: str, rule: MediaRule, file: MediaFile, pointer: str) -> Iterator[Fault]:
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


def _mebibytes(size: int) -> str:
    return f"{size / 1024 / 1024:,.1f} MiB"
