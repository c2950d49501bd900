"""How large a picture is, and how long a film: read from the file itself, so that a post is refused before it is due
and not by the platform afterwards.
"""

import asyncio
import json
import re
import shutil
from functools import cache
from typing import Any

import msgspec
import structlog

from socialgate.areas.media.sniff import Sniffed
from socialgate.core.storage import Storage

_DEADLINE_SECONDS = 30
_ROTATED = {5, 6, 7, 8}
_ORIENTATION = 0x0112
# Whoever shows a picture unpacks it, and a small file can be made to unpack to gigabytes.
_MOST_PIXELS = 100_000_000
# Which demuxer reads what. Named, because one that guesses would follow the addresses in a playlist.
_DEMUXERS = {
    "video/mp4": "mov",
    "video/quicktime": "mov",
    "video/3gpp": "mov",
    "audio/mp4": "mov",
    "video/webm": "matroska",
    "video/x-msvideo": "avi",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/wav": "wav",
    "audio/flac": "flac",
    "audio/aac": "aac",
    "audio/amr": "amr",
}

log = structlog.get_logger(__name__)


class Probed(msgspec.Struct, frozen=True, kw_only=True):
    width: int | None = None
    height: int | None = None
    duration: float | None = None
    codec: str | None = None


class Unreadable(Exception):
    """The file says that it is a picture or a film, and is none that can be read. The text says so to the user."""


async def probe(storage: Storage, key: str, sniffed: Sniffed) -> Probed:
    if sniffed.type == "image":
        return await asyncio.to_thread(_picture, storage, key)
    if sniffed.mime_type in _DEMUXERS:
        return await _film(await storage.location(key), _DEMUXERS[sniffed.mime_type])
    return Probed()


def _picture(storage: Storage, key: str) -> Probed:
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415 - takes a while, and most processes see no picture

    # The library would only warn of some of those that are too large. They are refused below.
    Image.MAX_IMAGE_PIXELS = None
    try:
        with storage.open(key) as file, Image.open(file) as image:
            width, height = image.size
            if width * height > _MOST_PIXELS:
                raise Unreadable(
                    f"The picture has {width} x {height} pixels, and at most 100 million are taken. Make it smaller."
                )
            # Not the method of the format: that of PNG unpacks the picture to look for more behind it. Of a TIFF the
            # library tells the turned size by itself.
            if image.format != "TIFF" and Image.Image.getexif(image).get(_ORIENTATION) in _ROTATED:
                width, height = height, width
            return Probed(width=width, height=height, codec=image.format)
    except UnidentifiedImageError as error:
        raise Unreadable("The picture cannot be read. Save it anew as JPEG or PNG.") from error
    except (OSError, ValueError, SyntaxError) as error:
        raise Unreadable(f"The picture is damaged: {error}.") from error


async def _film(location: str, demuxer: str) -> Probed:
    protocols = "file" if "://" not in location else "https,http,tls,tcp"
    program, *options = _prober()
    source = ["-protocol_whitelist", protocols, "-f", demuxer, "-i", location]
    process = await asyncio.create_subprocess_exec(
        program,
        *options,
        *source,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(_DEADLINE_SECONDS):
            out, err = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise Unreadable("The file could not be looked through in time. It may be damaged.") from None
    found = _from_json(out) if options[-1] == "-show_streams" else _from_words(err.decode("utf-8", "replace"))
    if found.duration is None:
        raise Unreadable("The file has no length that could be read. It is damaged or not what its name says.")
    return found


@cache
def _prober() -> tuple[str, ...]:
    """Find the program that looks into films: ffprobe if there is one, else the ffmpeg that is installed with us."""
    if found := shutil.which("ffprobe"):
        return found, "-v", "error", "-print_format", "json", "-show_format", "-show_streams"
    import imageio_ffmpeg  # noqa: PLC0415 - only where it is needed

    return imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-nostdin"


def _from_json(out: bytes) -> Probed:
    try:
        said = json.loads(out or b"{}")
    except ValueError:
        return Probed()
    streams = said.get("streams", [])
    video: dict[str, Any] = next((one for one in streams if one.get("codec_type") == "video"), {})
    first = video or next(iter(streams), {})
    width, height = video.get("width"), video.get("height")
    if abs(_rotation(video)) in {90, 270}:
        width, height = height, width
    duration = said.get("format", {}).get("duration")
    return Probed(
        width=width, height=height, duration=float(duration) if duration else None, codec=first.get("codec_name")
    )


def _rotation(stream: dict[str, object]) -> int:
    sides = stream.get("side_data_list")
    for side in sides if isinstance(sides, list) else ():
        if isinstance(side, dict) and isinstance(side.get("rotation"), int):
            return int(side["rotation"])
    return 0


_DURATION = re.compile(r"Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)")
_VIDEO = re.compile(r"Stream #.*?: Video: (\w+).*?[ ,](\d{2,5})x(\d{2,5})")
_AUDIO = re.compile(r"Stream #.*?: Audio: (\w+)")
_TURNED = re.compile(r"rotation of (-?\d+)")


def _from_words(said: str) -> Probed:
    """Read what ffmpeg says of a file to people: it has no other voice."""
    length = _DURATION.search(said)
    duration = int(length[1]) * 3600 + int(length[2]) * 60 + float(length[3]) if length else None
    video, audio = _VIDEO.search(said), _AUDIO.search(said)
    if video is None:
        return Probed(duration=duration, codec=audio[1] if audio else None)
    width, height = int(video[2]), int(video[3])
    turned = _TURNED.search(said)
    if turned is not None and abs(int(turned[1])) in {90, 270}:
        width, height = height, width
    return Probed(width=width, height=height, duration=duration, codec=video[1])
