"""What the forms of posts have in common: what is left away, what does not belong, and pictures that go along."""

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from socialgate.contracts.platforms import MediaRule
from socialgate.contracts.publishing import Content, MediaFile
from socialgate.core.errors import Fault

_NOTHING: Mapping[str, object] = MappingProxyType({})


def given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is None."""
    return {name: value for name, value in fields.items() if value is not None}


def with_defaults(schema: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Add what the schema of the options says about those that were not given."""
    known = {name: rule["default"] for name, rule in schema["properties"].items() if "default" in rule}
    return {**known, **options}


def left_out(
    vendor: str, content: Content, more: Mapping[str, object] = _NOTHING, *, comments: bool = False
) -> tuple[str, ...]:
    """Tell what a vendor has no place for: alternative texts, a first comment where it takes none, and whatever else
    is named with its condition.
    """
    told = {
        f"{vendor} takes no comment with a post: the first comment was left out.": content.first_comment
        and not comments,
        **more,
        f"{vendor} has no alt texts: the alternative texts were left out.": any(file.alt for file in content.media),
    }
    return tuple(sentence for sentence, holds in told.items() if holds)


def misplaced(options: Mapping[str, Any], names: Collection[str], place: str) -> Iterator[Fault]:
    """Name the options that were given and belong elsewhere."""
    for name in names:
        if name in options:
            yield Fault(f"/options/{name}", "option_misplaced", f"This goes with {place} only. Leave it out.")


def cover_faults(vendor: str, index: int, picture: MediaFile, rule: MediaRule) -> Iterator[Fault]:
    """Check a picture that goes with a video."""
    pointer = f"/media/{index}/thumbnailMediaId"
    if picture.mime_type not in rule.mime_types:
        detail = f"{vendor} takes {', '.join(rule.mime_types)} as covers. Convert the picture."
        yield Fault(pointer, "media_type", detail)
    if rule.max_bytes is not None and picture.size > rule.max_bytes:
        detail = f"{vendor} takes covers of at most {rule.max_bytes // 1024**2} MB. Make the picture smaller."
        yield Fault(pointer, "too_large", detail)
