"""Print the size of images: one line of JSON for each, until the input ends. The caller limits its memory.

A job is a line {"plugins", "formats", "size", "pixels", "seconds"}. The program opens no file: to read, it prints a
line {"read": [start, length]}, and gets the number of bytes in four bytes, and the bytes. The last line of a job is
{"width", "height", "format", "animated", "alpha"} or {"unreadable": why}, with what the library says as "raw". An
image that takes more than its seconds of CPU ends the process.
"""

import importlib
import json
import math
import resource
import struct
import sys
from contextlib import suppress
from io import SEEK_CUR, SEEK_END, BufferedReader, RawIOBase
from typing import IO, Any

_ORIENTATION_TAG = 0x0112
_ROTATED_ORIENTATIONS = {5, 6, 7, 8}
_BUFFER_BYTES = 64 * 1024
_ALPHA = {"RGBA", "LA", "PA", "La", "RGBa"}
# Other formats have several pictures for other reasons, such as the pages of a document.
_ANIMATED = {"GIF", "WEBP", "PNG", "AVIF"}
_MAX_READ_BYTES = 1024 * 1024
# Where the end of a PNG image is looked for: some programs append their own data to it.
_PNG_TAILS = (64 * 1024, _MAX_READ_BYTES)
_MAX_REASON_LENGTH = 200

JsonObject = dict[str, Any]


class PipeFile(RawIOBase):
    """A file whose bytes are requested on the output, and arrive on the input."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        base = {SEEK_CUR: self._at, SEEK_END: self._size}.get(whence, 0)
        if base + offset < 0:
            raise OSError("a position before the beginning")
        self._at = base + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        data = self._request_bytes(min(len(buffer), _MAX_READ_BYTES))
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        # The default would request 8 KiB at a time.
        return b"".join(iter(lambda: self._request_bytes(_MAX_READ_BYTES), b""))

    def _request_bytes(self, length: int) -> bytes:
        length = max(0, min(length, self._size - self._at))
        if not length:
            return b""
        _write_line({"read": [self._at, length]})
        (coming,) = struct.unpack(">I", sys.stdin.buffer.read(4))
        result = sys.stdin.buffer.read(coming)
        self._at += len(result)
        return result


def read_image_size(job: JsonObject) -> JsonObject:
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415 - the bounds come first

    # The library would only warn about some of those that are too large. The caller rejects them.
    Image.MAX_IMAGE_PIXELS = None
    for plugin in job["plugins"]:
        _load(plugin)
    try:
        with (
            BufferedReader(PipeFile(job["size"]), _BUFFER_BYTES) as file,
            Image.open(file, formats=job["formats"]) as image,
        ):
            width, height = image.size
            if width * height <= job["pixels"] and _lies_on_side(image):
                width, height = height, width
            if image.format == "PNG" and not _has_png_end(file, job["size"]):
                return {"unreadable": "it ends too early"}
            # A text of a PNG image may have the same name.
            has_transparency = isinstance(image.info.get("transparency"), int | bytes | tuple)
            alpha = image.mode in _ALPHA or has_transparency
            animated = bool(getattr(image, "is_animated", False)) and image.format in _ANIMATED
            return {"width": width, "height": height, "format": image.format, "animated": animated, "alpha": alpha}
    except UnidentifiedImageError:
        return {"unreadable": "it is not what its first bytes say"}
    except MemoryError:
        return {"unreadable": "it takes too much memory"}
    except Exception as error:  # noqa: BLE001 - hostile files make the library fail in ways that it does not document
        raw = f"{type(error).__name__}: {error}"[:_MAX_REASON_LENGTH]
        return {"unreadable": "it is damaged, or saved in a way that cannot be read", "raw": raw}


def _lies_on_side(image: Any) -> bool:
    """Return whether a picture is shown turned, by its header. `convert_image` turns it by the same."""
    from PIL import Image  # noqa: PLC0415 - the bounds come first

    # For a TIFF the library already returns the rotated size, and for HEIF it has turned the picture itself.
    if image.format in {"TIFF", "HEIF"}:
        return False
    try:
        # Not the method of the format: that of PNG decompresses the image to look for more.
        return Image.Image.getexif(image).get(_ORIENTATION_TAG) in _ROTATED_ORIENTATIONS
    except Exception:  # noqa: BLE001 - damaged metadata is left out
        return False


def _has_png_end(file: IO[bytes], size: int) -> bool:
    """Return whether all of an image is there. Others than PNG are shown as far as they go, also by platforms."""
    for tail in _PNG_TAILS:
        file.seek(max(0, size - tail))
        if b"IEND" in file.read(tail):
            return True
    return False


def _load(plugin: str) -> None:
    if plugin != "pillow_heif":
        importlib.import_module(f"PIL.{plugin}")
        return
    import pillow_heif  # noqa: PLC0415 - only for the images that need it

    pillow_heif.register_heif_opener(thumbnails=False, depth_images=False, aux_images=False)


def _write_line(answer: JsonObject) -> None:
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.flush()


def _raise_cpu_limit(seconds: int) -> None:
    """Give the next job this many seconds of CPU, in addition to those that earlier ones used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = math.ceil(used.ru_utime + used.ru_stime) + seconds
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        request = json.loads(line)
        _raise_cpu_limit(request["seconds"])
        _write_line(read_image_size(request))
