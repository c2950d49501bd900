"""What the forms of posts have in common: omitted values, misplaced options, and cover images."""

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from socialgate.contracts.media_rules import validate_file
from socialgate.contracts.platforms import MediaRule
from socialgate.contracts.publishing import MediaFile, PostContent
from socialgate.core.errors import Fault

_EMPTY_MAPPING: Mapping[str, object] = MappingProxyType({})


def drop_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out values that are None."""
    return {name: value for name, value in fields.items() if value is not None}


def with_defaults(schema: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Add the schema's defaults for options that were not given."""
    known = {name: rule["default"] for name, rule in schema["properties"].items() if "default" in rule}
    return {**known, **options}


def list_omission_warnings(
    vendor: str, content: PostContent, extra_warnings: Mapping[str, object] = _EMPTY_MAPPING, *, comments: bool = False
) -> tuple[str, ...]:
    """Warn about what a vendor does not support: alternative texts, a first comment, and whatever else is listed with
    its condition.
    """
    warnings = {
        f"{vendor} does not support a comment with a post: the first comment was left out.": content.first_comment
        and not comments,
        **extra_warnings,
        f"{vendor} does not support alternative texts: they were left out.": any(file.alt for file in content.media),
    }
    return tuple(sentence for sentence, holds in warnings.items() if holds)


def validate_misplaced_options(options: Mapping[str, Any], names: Collection[str], place: str) -> Iterator[Fault]:
    """List options that were given but belong elsewhere."""
    for name in names:
        if name in options:
            yield Fault(f"/options/{name}", "option_not_applicable", f"This can only be used with {place}. Remove it.")


def validate_cover(vendor: str, index: int, picture: MediaFile, rule: MediaRule) -> Iterator[Fault]:
    """Check a cover image of a video."""
    return validate_file(f"a cover on {vendor}", rule, picture, f"/media/{index}/thumbnailMediaId")
