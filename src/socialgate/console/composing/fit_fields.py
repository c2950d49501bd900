"""How the files of one account are made to fit: `fit` of a target, as fields of a form.

The focus is in percent, as people read it. Fields of another mode than the chosen one say nothing.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from socialgate.console.forms import convert_body
from socialgate.contracts.renditions import Fit, FocusPoint

# `pad` is what `auto` does, so people choose between three.
FIT_MODES = {
    "auto": "Add margins, cut nothing off",
    "crop": "Cut off what is too much",
    "none": "Change nothing",
}
BACKGROUNDS = {"": "White, or black for videos", "blur": "The blurred picture", "color": "A color"}

_Percent = Annotated[int, Meta(ge=0, le=100)]


class _Percentages(msgspec.Struct, frozen=True):
    """The focus as the sliders have it."""

    x: _Percent = 50
    y: _Percent = 50


def name_fit_mode(fit: Fit | None) -> str:
    return FIT_MODES[_get_shown_mode(fit or Fit())]


def read_fit(values: Mapping[str, str]) -> Fit | None:
    """Read the fields. None: as the profile says."""
    mode = values.get("mode")
    if not mode:
        return None
    chosen = values.get("background") or None
    body = {
        "mode": mode,
        "background": values.get("color") if chosen == "color" else chosen,
        "focus": _read_focus(values) if mode == "crop" else None,
    }
    return convert_body(body, Fit)


def write_fit(fit: Fit | None) -> dict[str, str]:
    if fit is None:
        return {}
    values = {"mode": _get_shown_mode(fit)}
    if fit.background is not None:
        is_color = fit.background.startswith("#")
        values |= {"background": "color", "color": fit.background} if is_color else {"background": fit.background}
    if fit.focus is not None:
        values |= {"x": f"{fit.focus.x * 100:.0f}", "y": f"{fit.focus.y * 100:.0f}"}
    return values


def _get_shown_mode(fit: Fit) -> str:
    return "auto" if fit.mode == "pad" else fit.mode


def _read_focus(values: Mapping[str, str]) -> FocusPoint | None:
    point = convert_body({name: values[name] for name in ("x", "y") if values.get(name)}, _Percentages)
    return None if point == _Percentages() else FocusPoint(x=point.x / 100, y=point.y / 100)
