"""The dimensions of an image and the duration of a video, read from the file itself, so that a post is rejected before
it is due and not by the platform afterwards. Files are untrusted: separate processes inspect them.
"""

import asyncio
import json
import re
import shutil
from contextlib import suppress
from functools import cache
from typing import Any

from socialgate.areas.media import bounds
from socialgate.areas.media.pictures import Pictures
from socialgate.areas.media.probed import Probed, Unreadable
from socialgate.areas.media.receiving import Taken
from socialgate.core.storage import Storage
from socialgate.core.turns import Turns

_MIB = 1024 * 1024
_DEADLINE_SECONDS = 30
_CPU_SECONDS = 20
_MEMORY = 1024 * _MIB
_AT_ONCE = 2
# A file usually takes less than a second. One that takes longer than this is inspected again from the start, among
# others of its kind: each owner can have one, and together they would keep all others waiting.
_FIRST_SECONDS = 3
_SLOW_AT_ONCE = 1
# A file can contain any text, and the program repeats it. What we need is in the first lines.
_MOST_OUTPUT = 256 * 1024
_LONGEST_LINE = 500
# Which demuxer reads what. Explicit, because auto-detection would follow the URLs in a playlist.
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
# What is written as a stream, such as generated speech, need not say how long it is.
_STREAMED = frozenset({"flac", "wav"})


class Prober:
    """Owners take turns, so that neither many files nor slow ones keep other owners waiting for long."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._pictures = Pictures(storage)
        self._turns = Turns(each=1, total=_AT_ONCE)
        self._slow_turns = Turns(each=1, total=_SLOW_AT_ONCE)

    async def probe(self, owner_id: str, key: str, taken: Taken) -> Probed:
        mime_type = taken.sniffed.mime_type
        if taken.sniffed.type == "image":
            return await self._pictures.look(owner_id, key, taken.size, mime_type)
        if mime_type not in _DEMUXERS:
            return Probed()
        return await self._video(owner_id, key, _DEMUXERS[mime_type])

    async def _video(self, owner_id: str, key: str, demuxer: str) -> Probed:
        # The location is only valid for some minutes, and a turn may be later than that.
        async with self._turns.turn(owner_id):
            with suppress(TimeoutError):
                return await _video(await self._storage.location(key), demuxer, _FIRST_SECONDS)
        async with self._slow_turns.turn(owner_id):
            try:
                return await _video(await self._storage.location(key), demuxer, _DEADLINE_SECONDS)
            except TimeoutError:
                raise Unreadable(
                    f"It could not be read as video or audio within {_DEADLINE_SECONDS} s. It may be damaged."
                ) from None

    async def close(self) -> None:
        await self._pictures.close()


async def _video(location: str, demuxer: str, seconds: float) -> Probed:
    protocols = "file" if "://" not in location else "https,http,tls,tcp"
    program, *options = _prober()
    # Each thread uses memory, and one is enough for the first frames.
    source = ["-threads", "1", "-protocol_whitelist", protocols, "-f", demuxer, "-i", location]
    process = await bounds.start(program, *options, *source, memory=_MEMORY, cpu_seconds=_CPU_SECONDS)
    try:
        async with asyncio.timeout(seconds):
            out, err = await _output(process)
    finally:
        await asyncio.shield(bounds.end(process))
    found = _from_json(out) if _speaks_json(options) else _from_words(err.decode("utf-8", "replace"))
    if found.duration is None and (demuxer not in _STREAMED or found.codec is None):
        raise Unreadable("The file has no readable duration. It is damaged or not what its name says.")
    return found


async def _output(process: bounds.Process) -> tuple[bytes, bytes]:
    """Read the program's output, up to a limit."""
    assert process.stdout is not None
    assert process.stderr is not None
    out, err = await asyncio.gather(_bounded(process.stdout), _bounded(process.stderr))
    return out, err


async def _bounded(output: asyncio.StreamReader) -> bytes:
    said = bytearray()
    while len(said) <= _MOST_OUTPUT and (piece := await output.read(_MOST_OUTPUT)):
        said += piece
    if len(said) > _MOST_OUTPUT:
        raise Unreadable("The file has too much metadata to be read. Save it again without its metadata.")
    return bytes(said)


@cache
def _prober() -> tuple[str, ...]:
    """Find the program that inspects videos: ffprobe if installed, otherwise the bundled ffmpeg."""
    if found := shutil.which("ffprobe"):
        wanted = "format=duration:stream=codec_type,codec_name,width,height:stream_side_data=rotation"
        return found, "-v", "error", "-print_format", "json", "-show_entries", wanted
    import imageio_ffmpeg  # noqa: PLC0415 - only where it is needed

    return imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-nostdin"


def _speaks_json(options: list[str]) -> bool:
    return "json" in options


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


_DURATION = re.compile(r"\s*Duration: (\d{1,6}):(\d\d):(\d\d(?:\.\d{1,9})?)")
_VIDEO = re.compile(r"\s*Stream #.*?: Video: (\w+).*?[ ,](\d{2,5})x(\d{2,5})")
_AUDIO = re.compile(r"\s*Stream #.*?: Audio: (\w+)")
_TURNED = re.compile(r"\s*displaymatrix: rotation of (-?\d{1,4})")


def _from_words(said: str) -> Probed:
    """Parse ffmpeg's output for people: it has no other format.

    Most of it may be quoted from the file, in lines that start differently. So patterns are only matched at the start
    of lines that are not too long.
    """
    lines = [line for line in said.splitlines() if len(line) <= _LONGEST_LINE]
    length = _first(_DURATION, lines)
    duration = int(length[1]) * 3600 + int(length[2]) * 60 + float(length[3]) if length else None
    video, audio = _first(_VIDEO, lines), _first(_AUDIO, lines)
    if video is None:
        return Probed(duration=duration, codec=audio[1] if audio else None)
    width, height = int(video[2]), int(video[3])
    turned = _first(_TURNED, lines)
    if turned is not None and abs(int(turned[1])) in {90, 270}:
        width, height = height, width
    return Probed(width=width, height=height, duration=duration, codec=video[1])


def _first(pattern: re.Pattern[str], lines: list[str]) -> re.Match[str] | None:
    return next(filter(None, map(pattern.match, lines)), None)
