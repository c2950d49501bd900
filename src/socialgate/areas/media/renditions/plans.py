"""The result of planning, and the words for it."""

import msgspec

from socialgate.areas.media.renditions.recipes import Frame, Recipe
from socialgate.contracts.media_rules import describe_least, describe_ratio, has_wrong_ratio
from socialgate.contracts.platforms import MediaRule
from socialgate.contracts.publishing import MediaFile
from socialgate.contracts.renditions import Change, Fit
from socialgate.core.errors import Fault

_MIB = 1024 * 1024


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is done with a file: nothing if there is no recipe. `file` is what it becomes, as far as that is known
    before. If it cannot be made to fit, `faults` say why and what to do.
    """

    file: MediaFile
    recipe: Recipe | None = None
    changes: tuple[Change, ...] = ()
    faults: tuple[Fault, ...] = ()


def describe_frame(name: str, rule: MediaRule, size: tuple[int, int], frame: Frame, background: str) -> list[Change]:
    """List what a frame changes: the shape of the picture, and its dimensions."""
    before, after = _format_size(size), _format_size(frame.size)
    accepted_ratio = describe_ratio(rule) if has_wrong_ratio(rule, *size) else describe_least(rule)
    changes: list[Change] = []
    if frame.crop is not None:
        kept = _format_size(frame.crop[2:])
        why = f"{name} accepts {accepted_ratio}. The part around the focus is kept."
        changes.append(Change(aspect="aspectRatio", before=before, after=f"cropped to {kept}", why=why))
    elif frame.canvas is not None:
        filled = "the blurred picture" if background == "blur" else background
        changes.append(
            Change(
                aspect="aspectRatio",
                before=before,
                after=f"{after} with margins of {filled}",
                why=f"{name} accepts {accepted_ratio}. Nothing is cut off.",
            )
        )
    kept_size = frame.crop[2:] if frame.crop is not None else size
    if (frame.width, frame.height) != tuple(kept_size):
        is_rounded = max(kept_size[0] - frame.width, kept_size[1] - frame.height) <= 1
        why = "Videos have an even width and height." if is_rounded else _explain_scale(name, rule, kept_size, frame)
        after = _format_size((frame.width, frame.height))
        changes.append(Change(aspect="dimensions", before=before, after=after, why=why))
    return changes


def _explain_scale(name: str, rule: MediaRule, size: tuple[int, ...], frame: Frame) -> str:
    """Say which limit a picture exceeds, or its margins would."""
    together = rule.max_width_plus_height
    for width, height in (size, _extend(size, frame)):
        if width > (rule.max_width or width) or height > (rule.max_height or height):
            return f"{name} accepts at most {rule.max_width or 'any'} x {rule.max_height or 'any'} pixels."
        if together is not None and width + height > together:
            return f"{name} accepts a width and height of together {together:,} pixels."
    if rule.max_bytes is not None or rule.max_bit_rate is not None:
        return "With so few bytes a smaller picture looks better."
    return f"So it is within the limits of {name}."


def _extend(size: tuple[int, ...], frame: Frame) -> tuple[int, int]:
    """Return the size of a picture with its margins, before it is scaled."""
    wide, high = frame.size
    return round(size[0] * wide / frame.width), round(size[1] * high / frame.height)


def describe_size(name: str, size: int, max_bytes: int) -> Change:
    why = f"{name} accepts files of this size. The best quality below it is used."
    return Change(aspect="size", before=format_mebibytes(size), after=f"at most {format_mebibytes(max_bytes)}", why=why)


def describe_minimum(name: str, size: int, min_bytes: int) -> Change:
    why = f"{name} rejects smaller files. A comment is added, which nobody sees."
    return Change(aspect="size", before=f"{size:,} bytes", after=f"at least {min_bytes:,} bytes", why=why)


def describe_misfit(name: str, file: MediaFile, fit: Fit) -> Fault:
    """Say that no part and no scale of a picture is accepted."""
    remedy = "Use the fit mode pad, or a larger file." if fit.mode == "crop" else "Use a file of another shape."
    seen = f"It is {file.width} x {file.height} pixels"
    return Fault("", "media_dimensions", f"{seen}, and no part of it has dimensions that {name} accepts. {remedy}")


def format_mebibytes(size: int) -> str:
    return f"{size / _MIB:,.1f} MiB"


def _format_size(size: tuple[int, ...]) -> str:
    return f"{size[0]} x {size[1]}"
