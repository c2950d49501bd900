"""Validation of posts against the manifest of a kind: every error at once, with its position and how to fix it.

Pure: the manifest and the content are all it needs. Pointers are relative to the target.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from socialgate.contracts.media_formats import count_files
from socialgate.contracts.media_rules import describe_refused_type, find_type_rule, validate_file
from socialgate.contracts.platforms import KindManifest, PlatformLimits
from socialgate.contracts.publishing import PostContent
from socialgate.core.errors import Fault

_HASHTAG_PATTERN = re.compile(r"(?<!\w)#\w+")
_MENTION_PATTERN = re.compile(r"(?<!\w)@\w+")
_TEXT_UNIT_NAMES = {"bytes": "bytes", "utf16": "UTF-16 units"}


def count_posts_in_window(moment: datetime, others: Sequence[datetime], span: timedelta) -> int:
    """Count the posts, including this one, in the fullest period that it falls into."""
    ends = [moment, *(other for other in others if moment < other < moment + span)]
    return 1 + max(sum(end - span < other <= end for other in others) for end in ends)


def validate_against_manifest(manifest: KindManifest, content: PostContent) -> Iterator[Fault]:
    yield from _validate_text(manifest, content.text)
    yield from _validate_media(manifest, content)


def _validate_text(manifest: KindManifest, text: str) -> Iterator[Fault]:
    limits: PlatformLimits = manifest.limits
    length = limits.count_text_length(text)
    if limits.text_max is not None and length > limits.text_max:
        unit = _TEXT_UNIT_NAMES.get(limits.text_unit, "characters")
        yield Fault(
            "/content",
            "too_long",
            f"The text has {length:,} {unit}, but {manifest.name} accepts {limits.text_max:,}. Shorten it by "
            f"{length - limits.text_max:,}.",
        )
    for pattern, most, word in (
        (_HASHTAG_PATTERN, limits.hashtags_max, "hashtags"),
        (_MENTION_PATTERN, limits.mentions_max, "mentions"),
    ):
        number = len(pattern.findall(text))
        if most is not None and number > most:
            yield Fault(
                "/content",
                "too_many",
                f"The text has {number} {word}, but {manifest.name} accepts {most}. Remove {number - most}.",
            )


def _validate_media(manifest: KindManifest, content: PostContent) -> Iterator[Fault]:
    media = content.media
    for position, file in enumerate(media):
        rule = find_type_rule(manifest, file.type, content.options, file.mime_type)
        if rule is None:
            detail = describe_refused_type(manifest, content.options, file.type, file.mime_type)
            yield Fault(f"/media/{position}", "media_type", detail)
        else:
            yield from validate_file(manifest.name, rule, file, f"/media/{position}")
    for kind, rule in manifest.media.items():
        number = sum(file.type == kind for file in media)
        if number > rule.max_count:
            there = f"There {'is' if number == 1 else 'are'} {count_files(kind, number)}"
            detail = f"{there}, but {manifest.name} accepts {rule.max_count}. Remove {number - rule.max_count}."
            yield Fault("/media", "media_count", detail)
