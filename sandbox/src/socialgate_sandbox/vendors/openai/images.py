"""Pictures: generated from a prompt, or edited."""

import re
from base64 import b64encode
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Refused, Route, World
from socialgate_sandbox.kit.copywriting import tokens_of
from socialgate_sandbox.kit.media import of_file
from socialgate_sandbox.kit.studio import NoPicture, PictureFormat, paint
from socialgate_sandbox.vendors.openai.access import admit, answer, generated, signed_in
from socialgate_sandbox.vendors.openai.bodies import Body, read_body
from socialgate_sandbox.vendors.openai.errors import require, wrong
from socialgate_sandbox.vendors.openai.models import require_model
from socialgate_sandbox.vendors.openai.state import ORGANIZATION, Generation

_USUAL = {"1024x1024": 272, "1536x1024": 400, "1024x1536": 408}
_FLEXIBLE = "gpt-image-2"
_BEST = ("gpt-image-2.5", "gpt-image-2.6")
_LONGEST, _STEP, _WIDEST = 3840, 16, 3
_PIXELS = (655_360, 8_294_400)
_MOST_PICTURES = 16
_LATELY = 100
_RANKS = {"low": 1, "medium": 4, "high": 16, "xhigh": 24, "max": 32}


class Wanted(Body, frozen=True, kw_only=True):
    others: ClassVar[str] = (
        "complexity input_fidelity moderation partial_images safety_identifier user image image[] mask"
    )
    prompt: Annotated[str, Meta(min_length=1, max_length=32_000)]
    model: str
    n: Annotated[int, Meta(ge=1, le=10)] = 1
    stream: bool = False
    size: str = "auto"
    quality: Literal["auto", "low", "medium", "high", "xhigh", "max"] = "auto"
    background: Literal["auto", "opaque", "transparent"] = "auto"
    output_format: PictureFormat = "png"
    output_compression: Annotated[int, Meta(ge=0, le=100)] = 100


async def generate(call: Call) -> Response:
    signed_in(call)
    return await _draw(call, read_body(call, Wanted), None)


async def edit(call: Call) -> Response:
    signed_in(call)
    wanted = read_body(call, Wanted)
    given = [file for name, file in call.files.items() if name.startswith("image")]
    require(given, "Missing required parameter: 'image'.", "image", "missing_required_parameter")
    require(len(given) <= _MOST_PICTURES, f"You can provide at most {_MOST_PICTURES} images.", "image")
    return await _draw(call, wanted, given[0].path.read_bytes())


async def _draw(call: Call, wanted: Wanted, below: bytes | None) -> Response:
    require_model(call, wanted.model, "image")
    width, height = _check(wanted)
    require(not wanted.stream, "Streaming is not available here.", "stream", "unsupported_value")
    admit(call, wanted.prompt, "moderation_blocked", is_text=False)
    clear = wanted.background == "transparent"
    pictures = []
    # A model draws something else each time.
    before = _drawn(call.world, wanted.prompt)
    for number in range(before, before + wanted.n):
        words = wanted.prompt if not number else f"{wanted.prompt} ({number + 1})"
        quality = max(1, wanted.output_compression)
        try:
            drawn = paint(words, width, height, wanted.output_format, quality=quality, clear=clear, below=below)
            pictures.append(await drawn)
        except NoPicture:
            said = "Invalid image file or mode for image 1, please check your image file."
            raise Refused(wrong(said, "image", "invalid_image_file")) from None
    files = [of_file(call.world, call.world.files.save(picture)) for picture in pictures]
    generated(call, "picture", wanted.model, wanted.prompt, media=files, size=f"{width}x{height}")
    shown = _shown(call, wanted, f"{width}x{height}", is_edit=below is not None)
    data = [{"b64_json": b64encode(picture).decode()} for picture in pictures]
    return answer(call, shown | {"data": data}, shown["usage"]["total_tokens"])


def _drawn(world: World, prompt: str) -> int:
    """Count the pictures that were drawn of a prompt lately."""
    lately = world.store.find(Generation, parent=ORGANIZATION, newest_first=True, limit=_LATELY)
    return sum(len(one.media) for one in lately if (one.kind, one.prompt) == ("picture", prompt))


def _check(wanted: Wanted) -> tuple[int, int]:
    require(
        wanted.background != "transparent" or wanted.output_format != "jpeg",
        "Transparent background is not supported for JPEG output format.",
        "background",
        "invalid_value",
    )
    require(
        wanted.quality not in {"xhigh", "max"} or wanted.model.startswith(_BEST),
        f"Invalid value: '{wanted.quality}'. Supported values are: 'low', 'medium', 'high', and 'auto'.",
        "quality",
        "invalid_value",
    )
    size = "1024x1024" if wanted.size == "auto" else wanted.size
    pixels = re.fullmatch(r"([1-9]\d{0,4})x([1-9]\d{0,4})", size)
    if size not in _USUAL:
        said = f"Invalid value: '{size}'. Supported values are: '1024x1024', '1024x1536', '1536x1024', and 'auto'."
        require(pixels and wanted.model.startswith(_FLEXIBLE), said, "size", "invalid_value")
    assert pixels is not None, "the usual sizes have this form too"
    width, height = int(pixels[1]), int(pixels[2])
    fault = _size_fault(width, height)
    require(fault is None, f"Invalid size '{size}'. {fault}", "size", "invalid_value")
    return width, height


def _size_fault(width: int, height: int) -> str | None:
    """Return what is wrong with a size of one's own."""
    short, long = sorted((width, height))
    if width % _STEP or height % _STEP:
        return f"Width and height must both be divisible by {_STEP}."
    if long > _LONGEST:
        return f"The longest edge must be at most {_LONGEST} pixels."
    if long > short * _WIDEST:
        return f"The aspect ratio must be between 1:{_WIDEST} and {_WIDEST}:1."
    least, most = _PIXELS
    return None if least <= width * height <= most else f"The total pixels must be between {least} and {most}."


def _shown(call: Call, wanted: Wanted, size: str, *, is_edit: bool) -> dict[str, Any]:
    quality = "medium" if wanted.quality == "auto" else wanted.quality
    words, seen = len(tokens_of(wanted.prompt)), 194 if is_edit else 0
    made = wanted.n * _RANKS[quality] * _USUAL.get(size, 272)
    return {
        "created": int(call.world.clock.time()),
        "background": "transparent" if wanted.background == "transparent" else "opaque",
        "output_format": wanted.output_format,
        "quality": quality,
        "size": size,
        "usage": {
            "input_tokens": words + seen,
            "input_tokens_details": {"text_tokens": words, "image_tokens": seen},
            "output_tokens": made,
            "output_tokens_details": {"text_tokens": 0, "image_tokens": made},
            "total_tokens": words + seen + made,
        },
    }


ROUTES = [
    Route("POST", "/api.openai.com/v1/images/generations", generate),
    Route("POST", "/api.openai.com/v1/images/edits", edit),
]
