"""The dimensions of an image and the duration of a video, read from the file itself, so that a post is rejected before
it is due and not by the platform afterwards. Files are untrusted: separate processes inspect them.
"""

import asyncio
import json
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import msgspec

from socialgate.areas.media import limited_process
from socialgate.areas.media.announced_size import require_announced_size
from socialgate.areas.media.image_inspector import ImageInspector
from socialgate.areas.media.index_position import is_index_first
from socialgate.areas.media.inspection_turns import InspectionTurns
from socialgate.areas.media.probe_result import ProbeResult, UnreadableFileError
from socialgate.areas.media.receiving import ReceivedFile
from socialgate.areas.media.renditions.video_plan import DEMUXERS
from socialgate.contracts.publishing import MediaDetails
from socialgate.core.storage import Storage

_MIB = 1024 * 1024
_DEADLINE_SECONDS = 30
_CPU_SECONDS = 20
_MAX_MEMORY_BYTES = 1024 * _MIB
_MAX_PROCESSES = 2
# A file usually takes less than a second. One that takes longer than this is inspected again from the start, among
# others of its kind: each owner can have one, and together they would keep all others waiting.
_FAST_PROBE_TIMEOUT_SECONDS = 3
# The curves of high dynamic range.
_TRANSFERS = frozenset({"smpte2084", "arib-std-b67"})
# How colors are encoded, as ffmpeg names it.
_MATRICES = frozenset({"bt709", "smpte170m", "bt470bg", "fcc", "smpte240m", "bt2020nc", "bt2020c", "gbr"})
# A file can contain any text, and the program repeats it. What we need is in the first lines.
_MAX_OUTPUT_BYTES = 256 * 1024
_MAX_LINE_LENGTH = 500
# What is written as a stream, such as generated speech, need not say how long it is.
_DURATION_OPTIONAL_DEMUXERS = frozenset({"flac", "wav"})
# The containers that say at their start how many bytes they have.
_SIZED_DEMUXERS = frozenset({"matroska", "avi", "wav"})


class MediaProber:
    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._pictures = ImageInspector(storage)
        self._turns = InspectionTurns(max_concurrent=_MAX_PROCESSES, fast_seconds=_FAST_PROBE_TIMEOUT_SECONDS)

    async def probe(self, owner_id: str, key: str, taken: ReceivedFile) -> ProbeResult:
        mime_type = taken.sniffed.mime_type
        if taken.sniffed.type == "image":
            return await self._pictures.inspect(owner_id, key, taken.size, mime_type)
        if mime_type not in DEMUXERS:
            return ProbeResult()
        probed = await self._probe_in_turn(owner_id, key, DEMUXERS[mime_type])
        if DEMUXERS[mime_type] in _SIZED_DEMUXERS:
            await require_announced_size(self._storage, key, taken.size)
        if DEMUXERS[mime_type] != "mov" or probed.details is None:
            return probed
        index_first = await is_index_first(self._storage, key, taken.size)
        return msgspec.structs.replace(probed, details=msgspec.structs.replace(probed.details, index_first=index_first))

    async def _probe_in_turn(self, owner_id: str, key: str, demuxer: str) -> ProbeResult:
        # The location is only valid for some minutes, and a turn may be later than that.
        if not self._turns.is_slow(owner_id):
            async with self._turns.acquire(owner_id, is_slow=False):
                with suppress(TimeoutError):
                    location = await self._storage.get_location(key)
                    return await _probe_video(location, demuxer, _FAST_PROBE_TIMEOUT_SECONDS)
        async with self._turns.acquire(owner_id, is_slow=True):
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
            await process.wait()
            limited_process.require_not_killed(process)
    except limited_process.ProgramKilledError:
        raise limited_process.build_killed_error() from None
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
        expected = (
            "format=duration,bit_rate:stream=codec_type,codec_name,width,height,pix_fmt,color_transfer,color_space,"
            "sample_aspect_ratio,avg_frame_rate,field_order,bit_rate,channels,sample_rate:stream_side_data=rotation"
        )
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
    is_turned = abs(_parse_rotation(video)) in {90, 270}
    if is_turned:
        width, height = height, width
    duration = message.get("format", {}).get("duration")
    audio: dict[str, Any] = next((stream for stream in streams if stream.get("codec_type") == "audio"), {})
    details = MediaDetails(
        video_codec=video.get("codec_name"),
        audio_codec=audio.get("codec_name"),
        pixel_format=video.get("pix_fmt"),
        transfer=video.get("color_transfer"),
        matrix=video.get("color_space") if video.get("color_space") in _MATRICES else None,
        pixel_ratio=_compute_pixel_ratio(video.get("sample_aspect_ratio", "").split(":"), is_turned=is_turned),
        fps=_parse_ratio(video.get("avg_frame_rate")),
        is_interlaced=video.get("field_order", "progressive") not in {"progressive", "unknown"},
        bit_rate=int(video.get("bit_rate") or message.get("format", {}).get("bit_rate") or 0) or None,
        channels=audio.get("channels"),
        sample_rate=int(audio.get("sample_rate") or 0) or None,
    )
    return ProbeResult(
        width=width,
        height=height,
        duration=float(duration) if duration else None,
        codec=first.get("codec_name"),
        details=details if first else None,
    )


def _parse_ratio(text: str | None) -> float | None:
    """Parse a frame rate such as `30000/1001`."""
    above, _, below = (text or "").partition("/")
    if not above.isdigit() or not below.isdigit() or not int(above) or not int(below):
        return None
    return round(int(above) / int(below), 3)


def _compute_pixel_ratio(parts: Sequence[str], *, is_turned: bool) -> float | None:
    """Divide the width of pixels by their height. None if they are square, or if it is unknown."""
    if len(parts) != len(("width", "height")) or not all(part.isdigit() and int(part) for part in parts):
        return None
    wide, high = reversed(parts) if is_turned else parts
    return None if wide == high else round(int(wide) / int(high), 4)


def _parse_rotation(stream: dict[str, object]) -> int:
    sides = stream.get("side_data_list")
    for side in sides if isinstance(sides, list) else ():
        if isinstance(side, dict) and isinstance(side.get("rotation"), int):
            return int(side["rotation"])
    return 0


_DURATION_PATTERN = re.compile(r"\s*Duration: (\d{1,6}):(\d\d):(\d\d(?:\.\d{1,9})?)(?:.*bitrate: (\d{1,9}) kb/s)?")
_VIDEO_PATTERN = re.compile(r"\s*Stream #.*?: Video: (\w+)(.*?)[ ,](\d{2,5})x(\d{2,5})(.*)")
_AUDIO_PATTERN = re.compile(r"\s*Stream #.*?: Audio: (\w+)(?:.*?, (\d{4,6}) Hz, ([\w.]+(?: channels)?))?")
_ROTATION_PATTERN = re.compile(r"\s*displaymatrix: rotation of (-?\d{1,4})")
# The pixel format, with what is known of its colors: `yuv420p10le(tv, bt2020nc/bt2020/smpte2084, progressive)`.
_PIXELS = re.compile(r", (\w+)(?:\(([^)]*)\))?$")
_RATE = re.compile(r", (\d{1,9}) kb/s")
_PIXEL_RATIO = re.compile(r"[\[ ]SAR (\d{1,6}):(\d{1,6})")
_FPS = re.compile(r", (\d{1,6}(?:\.\d{1,3})?)(k?) fps")
_LAYOUTS = {"mono": 1, "stereo": 2, "2.1": 3, "quad": 4, "4.0": 4, "5.0": 5, "5.1": 6, "6.1": 7, "7.1": 8}
_KILO = 1000


def _parse_ffmpeg_output(message: str) -> ProbeResult:
    """Parse ffmpeg's output for people: it has no other format.

    Most of it may be quoted from the file, in lines that start differently. So patterns are only matched at the start
    of lines that are not too long.
    """
    lines = [line for line in message.splitlines() if len(line) <= _MAX_LINE_LENGTH]
    length = _match_first_line(_DURATION_PATTERN, lines)
    duration = int(length[1]) * 3600 + int(length[2]) * 60 + float(length[3]) if length else None
    video, audio = _match_first_line(_VIDEO_PATTERN, lines), _match_first_line(_AUDIO_PATTERN, lines)
    turned = _match_first_line(_ROTATION_PATTERN, lines)
    is_turned = turned is not None and abs(int(turned[1])) in {90, 270}
    bit_rate = int(length[4]) * _KILO if length and length[4] else None
    details = _parse_details(video, audio, bit_rate, is_turned=is_turned)
    if video is None:
        return ProbeResult(duration=duration, codec=audio[1] if audio else None, details=details)
    width, height = int(video[3]), int(video[4])
    if is_turned:
        width, height = height, width
    return ProbeResult(width=width, height=height, duration=duration, codec=video[1], details=details)


def _parse_details(
    video: re.Match[str] | None, audio: re.Match[str] | None, bit_rate: int | None, *, is_turned: bool
) -> MediaDetails | None:
    if video is None and audio is None:
        return None
    pixels = None if video is None else _PIXELS.search(video[2].rstrip(", "))
    colors = [] if pixels is None else re.split(r"[,/ ]+", pixels[2] or "")
    rate = None if video is None else _RATE.search(video[5])
    fps = None if video is None else _FPS.search(video[5])
    pixel_ratio = None if video is None else _PIXEL_RATIO.search(video[5])
    layout = "" if audio is None or audio[3] is None else audio[3]
    return MediaDetails(
        video_codec=None if video is None else video[1],
        audio_codec=None if audio is None else audio[1],
        pixel_format=None if pixels is None else pixels[1],
        transfer=next((name for name in colors if name in _TRANSFERS), None),
        # The first of the names of colors is that of the matrix.
        matrix=next((name for name in colors if name in _MATRICES), None),
        pixel_ratio=_compute_pixel_ratio(pixel_ratio.groups() if pixel_ratio else (), is_turned=is_turned),
        fps=None if fps is None else float(fps[1]) * (_KILO if fps[2] else 1),
        is_interlaced=bool({"top", "bottom"} & set(colors)),
        bit_rate=bit_rate if rate is None else int(rate[1]) * _KILO,
        channels=_LAYOUTS.get(layout.partition("(")[0]) or (int(layout.split()[0]) if layout[:1].isdigit() else None),
        sample_rate=None if audio is None or audio[2] is None else int(audio[2]),
    )


def _match_first_line(pattern: re.Pattern[str], lines: list[str]) -> re.Match[str] | None:
    return next(filter(None, map(pattern.match, lines)), None)
