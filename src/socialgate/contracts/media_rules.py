"""Whether a file fits a rule of a manifest."""

from collections.abc import Iterator

from socialgate.contracts.platforms import MediaRule
from socialgate.contracts.publishing import MediaFile
from socialgate.core.errors import Fault


def validate_file(name: str, rule: MediaRule, file: MediaFile, pointer: str) -> Iterator[Fault]:
    """List what is wrong with a file. `name` is what has the rule: a platform, or a form of its posts. Unknown values
    are accepted.
    """
    if "*/*" not in rule.mime_types and file.mime_type not in rule.mime_types:
        takes = ", ".join(rule.mime_types)
        yield Fault(pointer, "media_type", f"The file is {file.mime_type}, but {name} accepts {takes}. Convert it.")
    if rule.max_bytes is not None and file.size > rule.max_bytes:
        yield Fault(
            pointer,
            "too_large",
            f"The file has {_format_mebibytes(file.size)}, but {name} accepts "
            f"{_format_mebibytes(rule.max_bytes)}. Compress it.",
        )
    yield from _validate_dimensions(name, rule, file, pointer)
    yield from _validate_duration(name, rule, file, pointer)


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
