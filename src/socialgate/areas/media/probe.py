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

from socialgate.areas.media import limited_process
from socialgate.areas.media.image_inspector import ImageInspector
from socialgate.areas.media.probe_result import ProbeResult, UnreadableFileError
from socialgate.areas.media.receiving import ReceivedFile
from socialgate.core.concurrency import OwnerConcurrencyLimiter
from socialgate.core.storage import Storage

_MIB = 1024 * 1024
_DEADLINE_SECONDS = 30
_CPU_SECONDS = 20
_MAX_MEMORY_BYTES = 1024 * _MIB
_MAX_PROCESSES = 2
# A file usually takes less than a second. One that takes longer than this is inspected again from the start, among
# others of its kind: each owner can have one, and together they would keep all others waiting.
_FAST_PROBE_TIMEOUT_SECONDS = 3
_MAX_CONCURRENT_SLOW_PROBES = 1
# A file can contain any text, and the program repeats it. What we need is in the first lines.
_MAX_OUTPUT_BYTES = 256 * 1024
_MAX_LINE_LENGTH = 500
# Which demuxer reads what. Explicit, because auto-detection would follow the URLs in a playlist.
_DEMUXERS_BY_MIME_TYPE = {
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
_DURATION_OPTIONAL_DEMUXERS = frozenset({"flac", "wav"})


class MediaProber:
    """Owners take turns, so that neither many files nor slow ones keep other owners waiting for long."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._pictures = ImageInspector(storage)
        self._turns = OwnerConcurrencyLimiter(max_per_owner=1, max_total=_MAX_PROCESSES)
        self._slow_turns = OwnerConcurrencyLimiter(max_per_owner=1, max_total=_MAX_CONCURRENT_SLOW_PROBES)

    async def probe(self, owner_id: str, key: str, taken: ReceivedFile) -> ProbeResult:
        mime_type = taken.sniffed.mime_type
        if taken.sniffed.type == "image":
            return await self._pictures.inspect(owner_id, key, taken.size, mime_type)
        if mime_type not in _DEMUXERS_BY_MIME_TYPE:
            return ProbeResult()
        return await self._probe_in_turn(owner_id, key, _DEMUXERS_BY_MIME_TYPE[mime_type])

    async def _probe_in_turn(self, owner_id: str, key: str, demuxer: str) -> ProbeResult:
        # The location is only valid for some minutes, and a turn may be later than that.
        async with self._turns.acquire(owner_id):
            with suppress(TimeoutError):
                return await _probe_video(await self._storage.get_location(key), demuxer, _FAST_PROBE_TIMEOUT_SECONDS)
        async with self._slow_turns.acquire(owner_id):
            try:
                return await _probe_video(await self._storage.get_location(key), demuxer, _DEADLINE_SECONDS)
            except TimeoutError:
                raise UnreadableFileError(
                    f"It could not be read as video or audio within {_DEADLINE_SECONDS} s. It may be damaged."
                ) from None

    async def close(self) -> None:
        await self._pictures.close()


async def _probe_video(location: str, demuxer: str, seconds: float) -> ProbeResult:
    protocols = "file" if "://" not in location else "https,http,tls,tcp"
    program, *options = _find_probe_command()
    # Each thread uses memory, and one is enough for the first frames.
    source = ["-threads", "1", "-protocol_whitelist", protocols, "-f", demuxer, "-i", location]
    process = await limited_process.start_limited(
        program, *options, *source, memory=_MAX_MEMORY_BYTES, cpu_seconds=_CPU_SECONDS
    )
    try:
        async with asyncio.timeout(seconds):
            out, err = await _read_output(process)
    finally:
        await asyncio.shield(limited_process.kill_process(process))
    existing_probe_result = (
        _parse_ffprobe_output(out) if _prints_json(options) else _parse_ffmpeg_output(err.decode("utf-8", "replace"))
    )
    if existing_probe_result.duration is None and (
        demuxer not in _DURATION_OPTIONAL_DEMUXERS or existing_probe_result.codec is None
    ):
        raise UnreadableFileError("The file has no readable duration. It is damaged or not what its name says.")
    return existing_probe_result


async def _read_output(process: limited_process.Process) -> tuple[bytes, bytes]:
    """Read the program's output, up to a limit."""
    assert process.stdout is not None
    assert process.stderr is not None
    out, err = await asyncio.gather(_read_limited(process.stdout), _read_limited(process.stderr))
    return out, err


async def _read_limited(output: asyncio.StreamReader) -> bytes:
    probe_output = bytearray()
    while len(probe_output) <= _MAX_OUTPUT_BYTES and (piece := await output.read(_MAX_OUTPUT_BYTES)):
        probe_output += piece
    if len(probe_output) > _MAX_OUTPUT_BYTES:
        raise UnreadableFileError("The file has too much metadata to be read. Save it again without its metadata.")
    return bytes(probe_output)


@cache
def _find_probe_command() -> tuple[str, ...]:
    """Find the program that inspects videos: ffprobe if installed, otherwise the bundled ffmpeg."""
    if result := shutil.which("ffprobe"):
        expected = "format=duration:stream=codec_type,codec_name,width,height:stream_side_data=rotation"
        return result, "-v", "error", "-print_format", "json", "-show_entries", expected
    import imageio_ffmpeg  # noqa: PLC0415 - only where it is needed

    return imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-nostdin"


def _prints_json(options: list[str]) -> bool:
    return "json" in options


def _parse_ffprobe_output(out: bytes) -> ProbeResult:
    try:
        message = json.loads(out or b"{}")
    except ValueError:
        return ProbeResult()
    streams = message.get("streams", [])
    video: dict[str, Any] = next((stream for stream in streams if stream.get("codec_type") == "video"), {})
    first = video or next(iter(streams), {})
    width, height = video.get("width"), video.get("height")
    if abs(_parse_rotation(video)) in {90, 270}:
        width, height = height, width
    duration = message.get("format", {}).get("duration")
    return ProbeResult(
        width=width, height=height, duration=float(duration) if duration else None, codec=first.get("codec_name")
    )


def _parse_rotation(stream: dict[str, object]) -> int:
    sides = stream.get("side_data_list")
    for side in sides if isinstance(sides, list) else ():
        if isinstance(side, dict) and isinstance(side.get("rotation"), int):
            return int(side["rotation"])
    return 0


_DURATION_PATTERN = re.compile(r"\s*Duration: (\d{1,6}):(\d\d):(\d\d(?:\.\d{1,9})?)")
_VIDEO_PATTERN = re.compile(r"\s*Stream #.*?: Video: (\w+).*?[ ,](\d{2,5})x(\d{2,5})")
_AUDIO_PATTERN = re.compile(r"\s*Stream #.*?: Audio: (\w+)")
_ROTATION_PATTERN = re.compile(r"\s*displaymatrix: rotation of (-?\d{1,4})")


def _parse_ffmpeg_output(message: str) -> ProbeResult:
    """Parse ffmpeg's output for people: it has no other format.

    Most of it may be quoted from the file, in lines that start differently. So patterns are only matched at the start
    of lines that are not too long.
    """
    lines = [line for line in message.splitlines() if len(line) <= _MAX_LINE_LENGTH]
    length = _match_first_line(_DURATION_PATTERN, lines)
    duration = int(length[1]) * 3600 + int(length[2]) * 60 + float(length[3]) if length else None
    video, audio = _match_first_line(_VIDEO_PATTERN, lines), _match_first_line(_AUDIO_PATTERN, lines)
    if video is None:
        return ProbeResult(duration=duration, codec=audio[1] if audio else None)
    width, height = int(video[2]), int(video[3])
    turned = _match_first_line(_ROTATION_PATTERN, lines)
    if turned is not None and abs(int(turned[1])) in {90, 270}:
        width, height = height, width
    return ProbeResult(width=width, height=height, duration=duration, codec=video[1])


def _match_first_line(pattern: re.Pattern[str], lines: list[str]) -> re.Match[str] | None:
    return next(filter(None, map(pattern.match, lines)), None)
