"""Convert the image `source` in the working directory into `result`, or its frames into images for a video.

The argument is JSON: {"formats", "pixels", "recipe"}, or {"formats", "pixels", "frames", "seconds", "max_seconds"} with
the most frames to write, and how long they are shown at least and at most. `formats` are the formats that the image may
have. The output is one line of JSON: {"format", "size"} or {"seconds"}, {"failed": why}, or {"raw": what a library
says}. The caller limits memory and time, and nothing else is read or written.
"""

import json
import math
import struct
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from PIL import Image, ImageCms, ImageFilter, ImageOps, JpegImagePlugin

_ARTIST, _COPYRIGHT = 0x013B, 0x8298
_MAX_RIGHTS_LENGTH = 500
_ORIENTATION = 0x0112
# For a TIFF the library already returns the rotated picture, and for HEIF it has turned it itself.
_TURNED_BY_LIBRARY = {"TIFF", "HEIF"}
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_MAX_REASON_LENGTH = 200
_BEST_QUALITY = 95.0
# For a picture that only a limit on bytes keeps from being saved without any loss.
_UTMOST_QUALITY = 100.0
_WORST_QUALITY = 40.0
# How close below the limit the search ends, and after how many encodings at the latest.
_CLOSE_ENOUGH = 0.97
_MAX_ENCODINGS = 12
_DEFAULT_FRAME_SECONDS = 0.1
_MIN_FRAME_SECONDS = 0.02
_SIXTEEN_BIT = ("I;16", "I;16B", "I;16L", "I")
_ALPHA = ("RGBA", "LA", "PA", "La", "RGBa")
# What an image is decoded to may be this much larger than needed, so that a large JPEG is decoded smaller.
_DRAFT_GAP = 2
_STRIP_PIXELS = 4_000_000
# The codes of larger JPEG files are not chosen for them: that saves a few percent, and needs all of them in memory.
_MAX_OPTIMIZED_PIXELS = 40_000_000
_WHITE = (255, 255, 255)
_MAX_COMMENT_BYTES = 65_000
_PNG_END_BYTES = 12

JsonObject = dict[str, Any]


class FailedError(Exception):
    """Why there is no result, for people."""


def open_image(job: JsonObject) -> Image.Image:
    Image.MAX_IMAGE_PIXELS = None
    if "HEIF" in job["formats"]:
        import pillow_heif  # noqa: PLC0415 - takes longer to load than most images to convert

        # Only the picture itself: not its thumbnails, and not on as many threads as there are cores.
        pillow_heif.register_heif_opener(thumbnails=False, depth_images=False, aux_images=False, decode_threads=2)
    image = Image.open("source", formats=job["formats"])
    if image.width * image.height > job["pixels"]:
        raise FailedError(f"it has {image.width} x {image.height} pixels")
    return image


def convert(job: JsonObject) -> JsonObject:
    recipe = job["recipe"]
    frame = recipe["frame"]
    image = open_image(job)
    # First: later more metadata may be known, which those who planned the frame did not see.
    turn = _TURNS.get(read_orientation(image))
    rights = _read_rights(image)
    if image.format == "JPEG" and "crop" not in frame:
        image.draft(None, _compute_draft(image, frame))
    _load(image)
    if turn is not None:
        image = image.transpose(turn)
    colors = _convert_in_strips(image, keeps_alpha=recipe["formats"][0] != "JPEG", background=_color(recipe))
    if colors is not image:
        image.close()
    picture = _place(colors, frame, _color(recipe), blur=recipe.get("background") == "blur")
    # Encoders write the comments and the XMP that they find here, and those may say where the picture was taken.
    picture.info = {name: value for name, value in picture.info.items() if name == "icc_profile"}
    return _save(picture, recipe, rights)


def read_orientation(image: Image.Image) -> int:
    """Return how a picture lies, by its header: 1 if it is upright or does not say. `image_size` reads it in the same
    way, because frames are planned by what it says.
    """
    if image.format in _TURNED_BY_LIBRARY:
        return 1
    try:
        # Not the method of the format: that of PNG decompresses the image to look for more.
        orientation = Image.Image.getexif(image).get(_ORIENTATION, 1)
    except Exception:  # noqa: BLE001 - damaged metadata is left out
        return 1
    return orientation if isinstance(orientation, int) else 1


def _load(image: Image.Image) -> None:
    """Decode a picture, and leave out what only has the name of what says how its colors are meant: the texts of a PNG
    image are in the same place.
    """
    image.load()
    if not isinstance(image.info.get("icc_profile", b""), bytes):
        del image.info["icc_profile"]
    if not is_transparency(image.info.get("transparency", 0)):
        del image.info["transparency"]


def is_transparency(value: object) -> bool:
    """Return whether this says which color is transparent, or how much each is."""
    if isinstance(value, tuple):
        return all(isinstance(part, int) for part in value)
    return isinstance(value, int | bytes)


def _compute_draft(image: Image.Image, frame: JsonObject) -> tuple[int, int]:
    """Return what a JPEG is decoded to at least. If the picture lies on its side, so does the frame."""
    wide, high = frame["width"] * _DRAFT_GAP, frame["height"] * _DRAFT_GAP
    return (wide, high) if (wide >= high) == (image.width >= image.height) else (high, wide)


def _convert_in_strips(image: Image.Image, *, keeps_alpha: bool, background: tuple[int, int, int]) -> Image.Image:
    """Convert the colors of a large picture in parts: each step makes a copy, and few of them fit into memory. If the
    mode stays the same, not even two do: the parts replace those of the picture itself.
    """
    if image.mode == "RGB" and not {"icc_profile", "transparency"} & image.info.keys():
        return image
    # What is scaled to its own extremes is converted as a whole.
    if image.width * image.height <= _STRIP_PIXELS or image.mode == "F":
        return _to_srgb(image, keeps_alpha=keeps_alpha, background=background)
    height = max(1, _STRIP_PIXELS // image.width)
    result: Image.Image | None = None
    for top in range(0, image.height, height):
        box = (0, top, image.width, min(top + height, image.height))
        strip = _to_srgb(image.crop(box), keeps_alpha=keeps_alpha, background=background)
        if result is None:
            result = image if strip.mode == image.mode else Image.new(strip.mode, image.size)
            info = strip.info
        result.paste(strip, box)
    assert result is not None, "a picture has rows"
    result.info = info
    return result


def write_frames(job: JsonObject) -> JsonObject:
    """Write every frame as an image, and a list for ffmpeg that says how long each is shown."""
    image = open_image(job)
    number = int(getattr(image, "n_frames", 1))
    if number > job["frames"] or number * image.width * image.height > job["frames"] * job["pixels"] / 100:
        raise FailedError(f"it has {number} frames of {image.width} x {image.height} pixels")
    frames: list[tuple[str, float]] = []
    for index in range(number):
        image.seek(index)
        _load(image)
        name = f"frame{index}.png"
        _to_srgb(image.copy(), keeps_alpha=False, background=_WHITE).save(name, compress_level=1)
        length = max(float(image.info.get("duration") or 0) / 1000, 0.0) or _DEFAULT_FRAME_SECONDS
        frames.append((name, max(length, _MIN_FRAME_SECONDS)))
        if sum(length for _, length in frames) > job["max_seconds"]:
            break
    seconds = sum(length for _, length in frames)
    repeats = min(max(1, math.ceil(job["seconds"] / seconds - 1e-6)), job["frames"])
    lines = [line for name, length in frames * repeats for line in (f"file {name}", f"duration {length:.3f}")]
    # ffmpeg needs the last image twice to show it for its whole time.
    Path("frames.ffconcat").write_text("\n".join(["ffconcat version 1.0", *lines, f"file {frames[-1][0]}", ""]))
    return {"seconds": seconds * repeats}


def _to_srgb(image: Image.Image, *, keeps_alpha: bool, background: tuple[int, int, int]) -> Image.Image:
    """Return the picture with 8 bits for each of the colors of sRGB, which is what platforms show."""
    profile = image.info.get("icc_profile")
    if image.mode in _SIXTEEN_BIT:
        image = image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    elif image.mode == "F":
        low, high = (float(bound) for bound in cast("tuple[float, float]", image.getextrema()))
        span = (high - low) or 1.0
        image = image.point(lambda value: value * (255 / span) - low * 255 / span).convert("L")
    if image.mode == "P" or "transparency" in image.info:
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    alpha = image.convert("RGBA").getchannel("A") if image.mode in _ALPHA else None
    color = _apply_profile(image, profile)
    if alpha is None:
        return color
    if keeps_alpha:
        color.putalpha(alpha)
        return color
    flat = Image.new("RGB", color.size, background)
    flat.paste(color, mask=alpha)
    return flat


def _apply_profile(image: Image.Image, profile: bytes | None) -> Image.Image:
    base = image if image.mode in {"RGB", "CMYK", "L", "LAB"} else image.convert("L" if image.mode == "LA" else "RGB")
    if profile:
        try:
            source = ImageCms.ImageCmsProfile(BytesIO(profile))
            if "sRGB" not in ImageCms.getProfileDescription(source) or base.mode != "RGB":
                target = ImageCms.createProfile("sRGB")
                converted = ImageCms.profileToProfile(base, source, target, outputMode="RGB")
                assert converted is not None, "it is only changed in place if that is requested"
                return converted
        except (ImageCms.PyCMSError, OSError, ValueError):
            # A profile that is damaged or for other colors: the numbers are taken as they are.
            return base.convert("RGB")
    if base.mode == "LAB":
        target = ImageCms.createProfile("sRGB")
        converted = ImageCms.profileToProfile(base, ImageCms.createProfile("LAB"), target, outputMode="RGB")
        assert converted is not None, "it is only changed in place if that is requested"
        return converted
    return base.convert("RGB")


def _place(image: Image.Image, frame: JsonObject, background: tuple[int, int, int], *, blur: bool) -> Image.Image:
    size = frame["width"], frame["height"]
    box = None
    if "crop" in frame:
        left, top, width, height = frame["crop"]
        box = (left, top, left + width, top + height)
    if box is not None or image.size != size:
        image = image.resize(size, Image.Resampling.LANCZOS, box=box, reducing_gap=3.0)
    if "canvas" not in frame:
        return image
    wide, high = frame["canvas"]
    canvas = _blurred(image, (wide, high)) if blur else Image.new("RGB", (wide, high), background)
    corner = (wide - size[0]) // 2, (high - size[1]) // 2
    canvas.paste(image, corner, mask=image.getchannel("A") if image.mode == "RGBA" else None)
    return canvas


def _blurred(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    """Return the picture itself as a background: blurred while it is small, which is the same and much faster."""
    small = (max(1, size[0] // 16), max(1, size[1] // 16))
    cover = ImageOps.fit(image.convert("RGB"), small, Image.Resampling.BOX)
    return cover.filter(ImageFilter.GaussianBlur(2)).resize(size, Image.Resampling.BICUBIC)


def _save(picture: Image.Image, recipe: JsonObject, rights: Image.Exif) -> JsonObject:
    limit = recipe.get("max_bytes")
    for form in recipe["formats"]:
        best = _BEST_QUALITY if form == recipe["formats"][0] else _UTMOST_QUALITY
        data = _encode(picture, form, limit, rights, _color(recipe), best, recipe.get("smaller_sizes"))
        if data is not None:
            data = _lengthen(data, form, recipe.get("min_bytes") or 0)
            Path("result").write_bytes(data)
            return {"format": form, "size": len(data)}
    raise FailedError("it cannot be compressed below the limit")


def _lengthen(data: bytes, form: str, least: int) -> bytes:
    """Add a comment of spaces to a file that has fewer bytes than required: at the start of a JPEG file, at the end of
    a PNG file.
    """
    comment = b" " * min(least - len(data), _MAX_COMMENT_BYTES)
    if not comment or form not in {"JPEG", "PNG"}:
        return data
    if form == "JPEG":
        return data[:2] + b"\xff\xfe" + struct.pack(">H", len(comment) + 2) + comment + data[2:]
    chunk = b"tEXtComment\0" + comment
    sealed = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return data[:-_PNG_END_BYTES] + sealed + data[-_PNG_END_BYTES:]


def _encode(
    picture: Image.Image,
    form: str,
    limit: int | None,
    rights: Image.Exif,
    background: tuple[int, int, int],
    best: float,
    smaller_sizes: list[tuple[int, int]] | None = None,
) -> bytes | None:
    """Encode in the best quality below the limit. None: a format without quality is too large."""
    if form == "PNG":
        data = _write(picture, "PNG", exif=rights)
        return data if limit is None or len(data) <= limit else None
    if picture.mode == "RGBA" and form == "JPEG":
        flat = Image.new("RGB", picture.size, background)
        flat.paste(picture, mask=picture.getchannel("A"))
        picture = flat
    write = _write_jpeg if form == "JPEG" else _write_webp
    for size in [picture.size, *(smaller_sizes or ())]:
        if size != picture.size:
            picture = picture.resize(size, Image.Resampling.LANCZOS)
        result = _search(partial(write, picture, rights), limit, best)
        if result is not None:
            return result
    raise FailedError("it cannot be compressed below the limit")


def _search(write: Callable[[float], bytes], limit: int | None, best: float) -> bytes | None:
    """Find the best quality whose result is below the limit. None: not even the worst is."""
    largest = write(best)
    if limit is None or len(largest) <= limit:
        return largest
    low, high = _WORST_QUALITY, best
    result = write(low)
    if len(result) > limit:
        return None
    for _ in range(_MAX_ENCODINGS):
        if len(result) >= limit * _CLOSE_ENOUGH:
            break
        middle = (low + high) / 2
        data = write(middle)
        if len(data) <= limit:
            low, result = middle, data
        else:
            high = middle
    return result


def _base_tables() -> list[list[int]]:
    """Return the tables of quality 50, from which those of all others are scaled."""
    out = BytesIO()
    Image.new("RGB", (8, 8)).save(out, "JPEG", quality=50)
    tables = JpegImagePlugin.JpegImageFile(BytesIO(out.getvalue())).quantization
    return [list(tables[0]), list(tables[1])]


def _write_jpeg(picture: Image.Image, rights: Image.Exif, quality: float) -> bytes:
    """Encode with a quality that need not be a whole number: from 90 on each of those is a tenth of the file."""
    scale = 5000 / quality if quality < 50 else 200 - 2 * quality  # noqa: PLR2004 - the formula of libjpeg
    tables = [[max(1, min(255, int((value * scale + 50) / 100))) for value in table] for table in _base_tables()]
    is_optimized = picture.width * picture.height <= _MAX_OPTIMIZED_PIXELS
    return _write(picture, "JPEG", exif=rights, qtables=tables, subsampling="4:2:0", optimize=is_optimized)


def _write_webp(picture: Image.Image, rights: Image.Exif, quality: float) -> bytes:
    return _write(picture, "WEBP", exif=rights, quality=quality)


def _write(picture: Image.Image, form: str, *, exif: Image.Exif, **options: Any) -> bytes:
    out = BytesIO()
    picture.save(out, form, **({"exif": exif} if len(exif) else {}), **options)
    return out.getvalue()


def _read_rights(image: Image.Image) -> Image.Exif:
    """Return who made the picture, and nothing else: neither where nor with which camera."""
    rights = Image.Exif()
    for tag in (_ARTIST, _COPYRIGHT):
        # Damaged metadata is left out.
        with suppress(Exception):
            name = image.getexif().get(tag)
            if isinstance(name, str):
                rights[tag] = name[:_MAX_RIGHTS_LENGTH]
    return rights


def _color(recipe: JsonObject) -> tuple[int, int, int]:
    text = recipe.get("background", "#ffffff")
    if text == "blur":
        return _WHITE
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


if __name__ == "__main__":
    request = json.loads(sys.argv[1])
    try:
        answer = convert(request) if "recipe" in request else write_frames(request)
    except MemoryError:
        answer = {"failed": "it takes too much memory"}
    except FailedError as error:
        answer = {"failed": str(error)}
    except Exception as error:  # noqa: BLE001 - hostile files make the library fail in ways that it does not document
        answer = {"raw": f"{type(error).__name__}: {error}"[:_MAX_REASON_LENGTH]}
    sys.stdout.write(json.dumps(answer) + "\n")
