"""How an image is made to fit a rule."""

import msgspec

from socialgate.areas.media.renditions.geometry import FrameLimits, compute_frame, list_smaller_sizes
from socialgate.areas.media.renditions.plans import (
    Plan,
    describe_frame,
    describe_minimum,
    describe_misfit,
    describe_size,
)
from socialgate.areas.media.renditions.recipes import ImageFormat, ImageRecipe
from socialgate.contracts.media_rules import validate_file
from socialgate.contracts.platforms import MediaRule
from socialgate.contracts.publishing import MediaDetails, MediaFile
from socialgate.contracts.renditions import Change, Fit, FocusPoint

_FORMATS: dict[str, ImageFormat] = {"image/jpeg": "JPEG", "image/png": "PNG", "image/webp": "WEBP"}
_MIME_TYPES = {form: mime_type for mime_type, form in _FORMATS.items()}
_WHITE = "#ffffff"


def plan_image(name: str, rule: MediaRule, file: MediaFile, fit: Fit) -> Plan:
    faults = list(validate_file(name, rule, file, ""))
    if not faults or fit.mode == "none":
        return Plan(file=file, faults=tuple(faults))
    formats = _choose_formats(rule, file)
    if not formats or file.width is None or file.height is None:
        return Plan(file=file, faults=tuple(faults))
    crop = (fit.focus or FocusPoint()) if fit.mode == "crop" else None
    limits = FrameLimits.of(rule, even=False)
    frame = compute_frame(file.width, file.height, limits, crop=crop)
    if frame is None:
        return Plan(file=file, faults=(describe_misfit(name, file, fit),))
    background = fit.background or _WHITE
    recipe = ImageRecipe(
        formats=formats,
        frame=frame,
        background=background,
        max_bytes=rule.max_bytes,
        min_bytes=rule.min_bytes,
        smaller_sizes=() if rule.max_bytes is None else list_smaller_sizes(frame.size, limits),
    )
    changes = [
        *_describe_format(name, rule, file, formats[0]),
        *describe_frame(name, rule, (file.width, file.height), frame, background),
        *([describe_size(name, file.size, rule.max_bytes)] if rule.max_bytes and file.size > rule.max_bytes else []),
        *([describe_minimum(name, file.size, rule.min_bytes)] if rule.min_bytes and file.size < rule.min_bytes else []),
    ]
    width, height = frame.size
    result = msgspec.structs.replace(
        file,
        mime_type=_MIME_TYPES[formats[0]],
        width=width,
        height=height,
        size=max(min(file.size, rule.max_bytes or file.size), rule.min_bytes or 0),
        details=MediaDetails(has_alpha=formats[0] == "PNG" and _has_alpha(file)),
    )
    return Plan(file=result, recipe=recipe, changes=tuple(changes))


def _choose_formats(rule: MediaRule, file: MediaFile) -> tuple[ImageFormat, ...]:
    """Choose what to save as. What is transparent, or was PNG, stays PNG where that is accepted and small enough."""
    accepted = [form for mime_type, form in _FORMATS.items() if rule.accepts_format(mime_type)]
    lossless: tuple[ImageFormat, ...] = ("PNG",)
    keeps_png = "PNG" in accepted and (_has_alpha(file) or file.mime_type == "image/png")
    # JPEG before WebP: it is what every platform and every app shows.
    lossy = tuple(form for form in accepted if form != "PNG")[:1]
    if file.mime_type == "image/webp" and "WEBP" in accepted:
        lossy = ("WEBP",)
    if keeps_png or not lossy:
        return (*(lossless if "PNG" in accepted else ()), *lossy)
    return lossy


def _describe_format(name: str, rule: MediaRule, file: MediaFile, form: ImageFormat) -> list[Change]:
    changes: list[Change] = []
    details = file.details or MediaDetails()
    mime_type = _MIME_TYPES[form]
    if mime_type != file.mime_type:
        why = f"{name} accepts {', '.join(rule.mime_types)}."
        if rule.accepts_format(file.mime_type):
            why = f"It has to be saved again, and {name} accepts this format too."
        changes.append(Change(aspect="format", before=file.mime_type, after=mime_type, why=why))
    if details.is_animated:
        why = f"{name} does not accept it as an animation here."
        changes.append(Change(aspect="animation", before="several frames", after="the first frame", why=why))
    if details.has_alpha and form == "JPEG":
        changes.append(
            Change(aspect="transparency", before="transparent", after="a background", why="JPEG has no transparency.")
        )
    return changes


def _has_alpha(file: MediaFile) -> bool:
    return file.details is not None and file.details.has_alpha
