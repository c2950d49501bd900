"""How a file is made to fit what a platform accepts: what a request can choose, and what would be changed."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, field

from socialgate.core.facts import FactAbout
from socialgate.core.shapes import ResponseModel, StoredValue

FitMode = Literal["auto", "pad", "crop", "none"]


class RenditionReady(msgspec.Struct, FactAbout[str], frozen=True, kw_only=True):
    """A file of an owner was made to fit. Published with the id of the owner."""

    key: str


class RenditionFailed(msgspec.Struct, FactAbout[str], frozen=True, kw_only=True):
    """A file of an owner cannot be made to fit. Published with the id of the owner."""

    key: str
    code: str
    detail: str


class FocusPoint(StoredValue, frozen=True, kw_only=True):
    """What must stay in the picture: from 0 to 1 from its upper left corner."""

    x: Annotated[float, Meta(ge=0, le=1, description="The horizontal position, from 0 (left) to 1 (right).")] = 0.5
    y: Annotated[float, Meta(ge=0, le=1, description="The vertical position, from 0 (top) to 1 (bottom).")] = 0.5

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"x": 0.5, "y": 0.3}


class Fit(StoredValue, frozen=True, kw_only=True):
    """How files are made to fit what the platform accepts. What it accepts is never changed."""

    mode: FitMode = "auto"
    """`auto` and `pad` add margins where the aspect ratio is wrong; `crop` cuts off what is too much; `none` changes
    nothing, so that a file that does not fit is rejected.
    """
    background: (
        Annotated[
            str,
            Meta(
                pattern=r"^(blur|#[0-9a-fA-F]{6})$(?!\n)",
                description="What margins and transparent parts show: a color such as `#ffffff`, or `blur` for the "
                "blurred picture itself. By default white for images and black for videos.",
            ),
        ]
        | None
    ) = None
    focus: FocusPoint | None = None
    """For `crop`: what must stay in the picture. By default its center."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"mode": "crop", "background": None, "focus": FocusPoint.example()}


class Trim(StoredValue, frozen=True, kw_only=True):
    """The part of a video or sound to publish."""

    start: Annotated[float, Meta(ge=0, description="Where it starts, in seconds.")] = 0.0
    end: Annotated[float, Meta(gt=0, description="Where it ends, in seconds. Null: at its end.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"start": 2.5, "end": 32.5}


class Change(ResponseModel, frozen=True, kw_only=True):
    """One thing about a file that is changed for a platform."""

    aspect: str = field(name="what")
    """What is changed, such as `format`, `codec`, `pixelFormat`, `dimensions`, `aspectRatio` or `size`."""
    before: str = field(name="from")
    """What it is in the file, for people to read."""
    after: str = field(name="to")
    """What it becomes, for people to read."""
    why: str
    """Which limit it does not meet, or what else is the reason, for people to read."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "what": "format",
            "from": "image/heic",
            "to": "image/jpeg",
            "why": "Instagram accepts image/jpeg.",
        }
