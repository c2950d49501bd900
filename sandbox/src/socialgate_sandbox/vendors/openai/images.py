"""Pictures: generated from a prompt, or edited."""

import re
from base64 import b64encode
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta
from starlette.responses import Response

from socialgate_sandbox.kit import Call, CallRefusedError, Route, VendorContext
from socialgate_sandbox.kit.media import describe_file
from socialgate_sandbox.kit.media_generation import InvalidImageError, PictureFormat, generate_image
from socialgate_sandbox.kit.text_generation import split_into_tokens
from socialgate_sandbox.vendors.openai.access import admit_prompt, authenticate, build_response, record_generation
from socialgate_sandbox.vendors.openai.errors import build_invalid_param_response, require
from socialgate_sandbox.vendors.openai.models import require_model
from socialgate_sandbox.vendors.openai.request_bodies import RequestBody, parse_body
from socialgate_sandbox.vendors.openai.state import ORGANIZATION_ID, Generation

_TOKENS_BY_SIZE = {"1024x1024": 272, "1536x1024": 400, "1024x1536": 408}
_FREE_SIZE_MODEL_PREFIX = "gpt-image-2"
_HIGH_QUALITY_MODEL_PREFIXES = ("gpt-image-2.5", "gpt-image-2.6")
_MAX_EDGE_PIXELS, _SIZE_STEP, _MAX_ASPECT_RATIO = 3840, 16, 3
_PIXEL_RANGE = (655_360, 8_294_400)
_MAX_PICTURES = 16
_MAX_GENERATIONS_READ = 100
_TOKEN_FACTORS_BY_QUALITY = {"low": 1, "medium": 4, "high": 16, "xhigh": 24, "max": 32}


class ImageBody(RequestBody, frozen=True, kw_only=True):
    ignored_params: ClassVar[str] = (
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


async def generate_images(call: Call) -> Response:
    authenticate(call)
    return await _create_images(call, parse_body(call, ImageBody), None)


async def edit_images(call: Call) -> Response:
    authenticate(call)
    body = parse_body(call, ImageBody)
    uploads = [file for name, file in call.files.items() if name.startswith("image")]
    require(uploads, "Missing required parameter: 'image'.", "image", "missing_required_parameter")
    require(len(uploads) <= _MAX_PICTURES, f"You can provide at most {_MAX_PICTURES} images.", "image")
    return await _create_images(call, body, uploads[0].path.read_bytes())


async def _create_images(call: Call, params: ImageBody, background_image: bytes | None) -> Response:
    require_model(call, params.model, "image")
    width, height = _validate_size(params)
    require(not params.stream, "Streaming is not available here.", "stream", "unsupported_value")
    admit_prompt(call, params.prompt, "moderation_blocked", is_text=False)
    clear = params.background == "transparent"
    pictures = []
    # A model draws something else each time.
    before = _count_drawn_images(call.context, params.prompt)
    for number in range(before, before + params.n):
        words = params.prompt if not number else f"{params.prompt} ({number + 1})"
        quality = max(1, params.output_compression)
        try:
            drawn = generate_image(
                words,
                width,
                height,
                params.output_format,
                quality=quality,
                is_transparent=clear,
                background_image=background_image,
            )
            pictures.append(await drawn)
        except InvalidImageError:
            message = "Invalid image file or mode for image 1, please check your image file."
            raise CallRefusedError(build_invalid_param_response(message, "image", "invalid_image_file")) from None
    files = [describe_file(call.context, call.context.files.store_bytes(picture)) for picture in pictures]
    record_generation(call, "picture", params.model, params.prompt, media=files, size=f"{width}x{height}")
    shown = _build_images_json(call, params, f"{width}x{height}", is_edit=background_image is not None)
    data = [{"b64_json": b64encode(picture).decode()} for picture in pictures]
    return build_response(call, shown | {"data": data}, shown["usage"]["total_tokens"])


def _count_drawn_images(context: VendorContext, prompt: str) -> int:
    """Count the pictures that were drawn of a prompt lately."""
    lately = context.store.find(Generation, parent=ORGANIZATION_ID, newest_first=True, limit=_MAX_GENERATIONS_READ)
    return sum(
        len(generation.media) for generation in lately if (generation.kind, generation.prompt) == ("picture", prompt)
    )


def _validate_size(params: ImageBody) -> tuple[int, int]:
    require(
        params.background != "transparent" or params.output_format != "jpeg",
        "Transparent background is not supported for JPEG output format.",
        "background",
        "invalid_value",
    )
    require(
        params.quality not in {"xhigh", "max"} or params.model.startswith(_HIGH_QUALITY_MODEL_PREFIXES),
        f"Invalid value: '{params.quality}'. Supported values are: 'low', 'medium', 'high', and 'auto'.",
        "quality",
        "invalid_value",
    )
    size = "1024x1024" if params.size == "auto" else params.size
    pixels = re.fullmatch(r"([1-9]\d{0,4})x([1-9]\d{0,4})", size)
    if size not in _TOKENS_BY_SIZE:
        message = f"Invalid value: '{size}'. Supported values are: '1024x1024', '1024x1536', '1536x1024', and 'auto'."
        require(pixels and params.model.startswith(_FREE_SIZE_MODEL_PREFIX), message, "size", "invalid_value")
    assert pixels is not None, "the usual sizes have this form too"
    width, height = int(pixels[1]), int(pixels[2])
    fault = _find_size_error(width, height)
    require(fault is None, f"Invalid size '{size}'. {fault}", "size", "invalid_value")
    return width, height


def _find_size_error(width: int, height: int) -> str | None:
    """Return what is wrong with a size of one's own."""
    short, long = sorted((width, height))
    if width % _SIZE_STEP or height % _SIZE_STEP:
        return f"Width and height must both be divisible by {_SIZE_STEP}."
    if long > _MAX_EDGE_PIXELS:
        return f"The longest edge must be at most {_MAX_EDGE_PIXELS} pixels."
    if long > short * _MAX_ASPECT_RATIO:
        return f"The aspect ratio must be between 1:{_MAX_ASPECT_RATIO} and {_MAX_ASPECT_RATIO}:1."
    least, most = _PIXEL_RANGE
    return None if least <= width * height <= most else f"The total pixels must be between {least} and {most}."


def _build_images_json(call: Call, params: ImageBody, size: str, *, is_edit: bool) -> dict[str, Any]:
    quality = "medium" if params.quality == "auto" else params.quality
    words, seen = len(split_into_tokens(params.prompt)), 194 if is_edit else 0
    number = params.n * _TOKEN_FACTORS_BY_QUALITY[quality] * _TOKENS_BY_SIZE.get(size, 272)
    return {
        "created": int(call.context.clock.get_unix_time()),
        "background": "transparent" if params.background == "transparent" else "opaque",
        "output_format": params.output_format,
        "quality": quality,
        "size": size,
        "usage": {
            "input_tokens": words + seen,
            "input_tokens_details": {"text_tokens": words, "image_tokens": seen},
            "output_tokens": number,
            "output_tokens_details": {"text_tokens": 0, "image_tokens": number},
            "total_tokens": words + seen + number,
        },
    }


ROUTES = [
    Route("POST", "/api.openai.com/v1/images/generations", generate_images),
    Route("POST", "/api.openai.com/v1/images/edits", edit_images),
]
