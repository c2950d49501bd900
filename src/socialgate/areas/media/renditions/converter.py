"""Carrying out recipes in separate processes, which are limited in time, memory, threads and what they can write.

They get one open file and an empty folder, and neither our environment nor a way to the network.
"""

import asyncio
import json
import math
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from socialgate.areas.media import limited_process
from socialgate.areas.media.renditions import completeness, ffmpeg_commands
from socialgate.areas.media.renditions.failures import explain_image_failure, explain_program_failure
from socialgate.areas.media.renditions.recipes import (
    AudioRecipe,
    CoverRecipe,
    ImageRecipe,
    Recipe,
    VideoRecipe,
)
from socialgate.areas.media.renditions.video_plan import ANIMATION, HEADROOM

ReportProgress: TypeAlias = Callable[[float], Awaitable[None]]

_MIB = 1024 * 1024
_IMAGE_MEMORY_BYTES = 1536 * _MIB
# 4K with HDR takes 1.6 GiB.
_VIDEO_MEMORY_BYTES = 2560 * _MIB
_IMAGE_CPU_SECONDS = 60
# How much longer than its CPU time a program may take: it works in the background, and of a core that another program
# uses all the time it gets a 29th.
_BUSY_FACTOR = 30
# For a file that lasts no time at all, and for each of its seconds. A slow machine encodes 4K at a tenth of its speed.
_MIN_CPU_SECONDS = 120
_CPU_SECONDS_PER_SECOND = 40
# How long a sound may be that does not say it.
_MAX_UNKNOWN_SECONDS = 3600.0
_MAX_CPU_SECONDS = 4 * 60 * 60
_MAX_PIXELS = 100_000_000
_MAX_FRAMES = 2_000
# An animated image has no sound and no way to skip: one that is longer shows each frame for minutes by mistake.
_MAX_ANIMATION_SECONDS = 600.0
_MAX_RESULT_BYTES = 5 * 1024**3
_MAX_IMAGE_BYTES = 512 * _MIB
# Of each end of an output.
_MAX_OUTPUT_BYTES = 128 * 1024
_TOO_LONG = "It takes too long to convert. Use a shorter or smaller file."
# What ffmpeg writes when it leaves out frames because of the limit on memory. It may end as if all were well.
_OUT_OF_MEMORY = (b"Cannot allocate memory", b"get_buffer() failed")
# How ffmpeg ends at SIGXCPU: politely, and if that takes too long, at once.
_INTERRUPTED = (255, 123)
_PROGRESS_SECONDS = 1.0
# What may be kept of the metadata of a video: whose work it is.
_RIGHTS = ("copyright", "artist")
_MAX_RIGHTS_LENGTH = 500
# What a video is encoded for again whose size missed the limit, and how far below it may be, as shares of the limit.
_AIM = 0.98
_CLOSE_ENOUGH = 0.95
# A limit that was not aimed at is not missed: something else limits the bit rate.
_AIMED_AT = 0.8
_MAX_ATTEMPTS = 3
_ROUNDING = 0.999
_MIN_RATE = 16_000
_SPARE = "spare"
# Which formats of Pillow an image of a type may have. A brand of HEIF files does not say which codec it has.
IMAGE_FORMATS = {
    "image/jpeg": ["JPEG", "MPO"],
    "image/png": ["PNG"],
    "image/gif": ["GIF"],
    "image/bmp": ["BMP"],
    "image/tiff": ["TIFF"],
    "image/webp": ["WEBP"],
    "image/avif": ["AVIF"],
    "image/heic": ["HEIF"],
    "image/heif": ["HEIF", "AVIF"],
}
_STILL_FORMATS = ["PNG"]


class ConversionError(Exception):
    """The file cannot be converted, and could not be the next time. The message is for the user."""


class Converter:
    """Converts files in a folder: `source` becomes `result`."""

    async def convert(self, folder: Path, mime_type: str, recipe: Recipe, report: ReportProgress | None = None) -> Path:
        """Carry out a recipe. The result is in the folder, with other files that were needed for it."""
        result = folder / ffmpeg_commands.RESULT
        match recipe:
            case ImageRecipe():
                await self._convert_image(folder, _get_formats(mime_type), recipe)
            case CoverRecipe():
                await self._convert_cover(folder, recipe)
            case AudioRecipe():
                with _opened(folder) as fd:
                    rights = await self._read_rights(folder, recipe.demuxer, fd)
                    command = ffmpeg_commands.build_audio_command(recipe, fd, rights)
                    length = _MAX_UNKNOWN_SECONDS if recipe.duration is None else recipe.duration
                    reached = await self._run_ffmpeg(folder, command, fd, length, report)
                    await self._require_complete(folder, recipe, fd, reached)
            case VideoRecipe():
                await self._convert_video(folder, mime_type, recipe, report)
        limit = getattr(recipe, "max_bytes", None)
        if not result.is_file() or not result.stat().st_size:
            raise ConversionError("It cannot be read to its end, and may be damaged. Save it again in a common format.")
        if limit is not None and result.stat().st_size > limit:
            raise ConversionError("It cannot be compressed enough for this platform. Use a shorter or smaller file.")
        return result

    async def _convert_image(self, folder: Path, formats: list[str], recipe: ImageRecipe) -> None:
        job = {"formats": formats, "pixels": _MAX_PIXELS, "recipe": msgspec.to_builtins(recipe)}
        await _run_image_program(folder, job)

    async def _convert_cover(self, folder: Path, recipe: CoverRecipe) -> None:
        video = folder / "video"
        (folder / ffmpeg_commands.STILL).rename(video)
        with _opened(folder, "video") as fd:
            await self._run_ffmpeg(folder, ffmpeg_commands.build_still_command(recipe, fd), fd, 1.0, None)
        if not (folder / ffmpeg_commands.STILL).exists():
            raise ConversionError("The video has no frame at this position. Choose an earlier one for the cover.")
        await self._convert_image(folder, _STILL_FORMATS, recipe.image)

    async def _convert_video(
        self, folder: Path, mime_type: str, recipe: VideoRecipe, report: ReportProgress | None
    ) -> None:
        rights: dict[str, str] = {}
        with _opened(folder) as fd:
            if recipe.demuxer == ANIMATION:
                recipe = await self._write_frames(folder, mime_type, recipe)
            else:
                rights = await self._read_rights(folder, recipe.demuxer, fd)
            await self._encode_to_size(folder, recipe, fd, rights, report)

    async def _encode_to_size(
        self, folder: Path, recipe: VideoRecipe, fd: int, rights: dict[str, str], report: ReportProgress | None
    ) -> None:
        """Encode a video, again if its size misses the limit: above it, or far below it for no other reason."""
        result, spare = folder / ffmpeg_commands.RESULT, folder / _SPARE
        limit = _compute_limit(recipe)
        for _ in range(_MAX_ATTEMPTS):
            await self._encode(folder, recipe, fd, rights, report)
            size = result.stat().st_size
            corrected = _correct_bit_rate(recipe, size)
            if corrected is None:
                return
            if size <= limit:
                # In case that the next one is too large.
                result.replace(spare)
            recipe = corrected
        if spare.exists() and (not result.exists() or result.stat().st_size > limit):
            spare.replace(result)

    async def _write_frames(self, folder: Path, mime_type: str, recipe: VideoRecipe) -> VideoRecipe:
        """Write the frames of an animated image, as often as the video needs them, and return how long it is."""
        formats = _get_formats(mime_type)
        most = min(recipe.max_seconds or _MAX_ANIMATION_SECONDS, _MAX_ANIMATION_SECONDS)
        job = {
            "formats": formats,
            "pixels": _MAX_PIXELS,
            "frames": _MAX_FRAMES,
            "seconds": recipe.duration,
            "max_seconds": most,
        }
        seconds = float((await _run_image_program(folder, job))["seconds"])
        if seconds > most:
            raise ConversionError(f"The animation lasts more than {most:g} s, which is too long for a video. Cut it.")
        return msgspec.structs.replace(recipe, duration=seconds)

    async def _encode(
        self, folder: Path, recipe: VideoRecipe, fd: int, rights: dict[str, str], report: ReportProgress | None
    ) -> None:
        reached = 0.0
        for command in ffmpeg_commands.build_video_commands(recipe, fd, rights):
            reached = await self._run_ffmpeg(folder, command, fd, recipe.duration, report)
        await self._require_complete(folder, recipe, fd, reached)

    async def _require_complete(self, folder: Path, recipe: VideoRecipe | AudioRecipe, fd: int, reached: float) -> None:
        """Refuse a file whose packets end before it says, if a result is too short. The result alone may be shorter
        for other reasons: subtitles or another sound may be longer than what is published.
        """
        if recipe.duration is None or not completeness.is_short(reached, recipe.duration):
            return
        if recipe.demuxer == ANIMATION:
            return
        packets = completeness.PacketList()
        os.lseek(fd, 0, os.SEEK_SET)

        async def follow(line: bytes) -> None:
            packets.add(line)

        command = [find_ffmpeg(), *ffmpeg_commands.build_packets_command(recipe.demuxer, fd)]
        _, messages = await _run(folder, command, fds=(fd,), follow=follow)
        expected = (recipe.start or 0.0) + recipe.duration
        if completeness.is_short(packets.end, expected) and not completeness.is_estimate(messages):
            raise ConversionError(
                f"It is damaged or cut off: it ends after {packets.end:.1f} s of {expected:.1f} s. Export it again, "
                "and upload all of it."
            )

    async def _read_rights(self, folder: Path, demuxer: str, fd: int) -> dict[str, str]:
        """Read whose work a file is."""
        try:
            output, _ = await _run(
                folder, [find_ffmpeg(), *ffmpeg_commands.build_metadata_command(demuxer, fd)], fds=(fd,)
            )
        except ConversionError:
            return {}
        os.lseek(fd, 0, os.SEEK_SET)
        lines = [line.partition("=") for line in output.decode("utf-8", "replace").splitlines()]
        return {
            name.lower(): value[:_MAX_RIGHTS_LENGTH] for name, _, value in lines if name.lower() in _RIGHTS and value
        }

    async def _run_ffmpeg(
        self, folder: Path, command: list[str], fd: int, duration: float, report: ReportProgress | None
    ) -> float:
        """Run ffmpeg, and return how many seconds it has written."""
        os.lseek(fd, 0, os.SEEK_SET)
        seconds = min(_MIN_CPU_SECONDS + int(duration * _CPU_SECONDS_PER_SECOND), _MAX_CPU_SECONDS)
        reached = reported_at = 0.0

        async def follow(line: bytes) -> None:
            nonlocal reached, reported_at
            name, _, value = line.partition(b"=")
            if name != b"out_time_us" or not value.strip().isdigit():
                return
            reached = int(value) / 1_000_000
            now = asyncio.get_running_loop().time()
            if report is not None and now - reported_at >= _PROGRESS_SECONDS:
                reported_at = now
                await report(min(1.0, reached / max(duration, 0.1)))

        await _run(folder, [find_ffmpeg(), *command], fds=(fd,), cpu_seconds=seconds, follow=follow)
        return reached


@cache
def find_ffmpeg() -> str:
    import imageio_ffmpeg  # noqa: PLC0415 - only where it is needed

    return str(imageio_ffmpeg.get_ffmpeg_exe())


def _correct_bit_rate(recipe: VideoRecipe, size: int) -> VideoRecipe | None:
    """Return the recipe for a result of the right size, encoded twice to meet the bit rate. None: it is right."""
    limit, picture = _compute_limit(recipe), recipe.picture
    if picture is None or limit == math.inf:
        return None
    is_aimed_at = (
        limit == recipe.max_bytes
        and picture.bit_rate is not None
        and picture.bit_rate * recipe.duration / 8 > limit * _AIMED_AT
    )
    if size <= limit and (size >= limit * _CLOSE_ENOUGH or not is_aimed_at):
        return None
    sound = _get_sound_bit_rate(recipe)
    reached = picture.bit_rate or int(size * 8 / recipe.duration) - sound
    bit_rate = reached + int((limit * _AIM - size) * 8 / recipe.duration)
    return msgspec.structs.replace(recipe, picture=msgspec.structs.replace(picture, bit_rate=max(bit_rate, _MIN_RATE)))


def _compute_limit(recipe: VideoRecipe) -> float:
    """Return how many bytes a result may have at most: by a limit on them, or on bits per second."""
    limit = math.inf if recipe.max_bytes is None else recipe.max_bytes
    most = None if recipe.picture is None else recipe.picture.max_bit_rate
    if most is None:
        return limit
    of_rate = (most + _get_sound_bit_rate(recipe)) * recipe.duration / 8 / HEADROOM
    # What was derived from the limit on bytes is that limit, but for rounding.
    return limit if of_rate > limit * _ROUNDING else of_rate


def _get_sound_bit_rate(recipe: VideoRecipe) -> int:
    return 0 if recipe.sound is None else recipe.sound.bit_rate


def _get_formats(mime_type: str) -> list[str]:
    if mime_type not in IMAGE_FORMATS:
        raise ConversionError(f"Images of the type {mime_type} cannot be read. Save it again as JPEG or PNG.")
    return IMAGE_FORMATS[mime_type]


async def _run_image_program(folder: Path, job: dict[str, Any]) -> dict[str, Any]:
    command = [*limited_process.build_python_command("convert_image"), json.dumps(job)]
    output, _ = await _run(
        folder,
        command,
        memory=_IMAGE_MEMORY_BYTES,
        cpu_seconds=_IMAGE_CPU_SECONDS,
        file_bytes=_MAX_IMAGE_BYTES,
    )
    try:
        answer = dict(json.loads(output))
    except ValueError:
        raise ConversionError("It takes too much time or memory to read. Save it again, smaller.") from None
    if answer.keys() & {"failed", "raw"}:
        raise ConversionError(explain_image_failure(answer))
    return answer


async def _run(
    folder: Path,
    command: list[str],
    *,
    fds: tuple[int, ...] = (),
    memory: int = _VIDEO_MEMORY_BYTES,
    cpu_seconds: int = _MIN_CPU_SECONDS,
    file_bytes: int = _MAX_RESULT_BYTES,
    follow: Callable[[bytes], Awaitable[None]] | None = None,
) -> tuple[bytes, bytes]:
    """Run a program to its end, and return its output and messages. One that is cancelled or too slow is stopped."""
    process = await limited_process.start_limited(
        *command, memory=memory, cpu_seconds=cpu_seconds, file_bytes=file_bytes, folder=folder, pass_fds=fds
    )
    assert process.stdout is not None
    assert process.stderr is not None
    is_incomplete = False

    async def look_for_signs(line: bytes) -> None:
        nonlocal is_incomplete
        is_incomplete = is_incomplete or any(sign in line for sign in _OUT_OF_MEMORY)

    try:
        async with asyncio.timeout(cpu_seconds * _BUSY_FACTOR):
            output, error = await asyncio.gather(_read(process.stdout, follow), _read(process.stderr, look_for_signs))
            await process.wait()
            limited_process.require_not_killed(process)
    except TimeoutError:
        raise ConversionError(_TOO_LONG) from None
    finally:
        await asyncio.shield(limited_process.kill_process(process))
    if process.returncode == -signal.SIGXCPU or (process.returncode in _INTERRUPTED and not is_incomplete):
        raise ConversionError(_TOO_LONG)
    if process.returncode or is_incomplete:
        raise ConversionError(explain_program_failure(process.returncode, error, is_incomplete=is_incomplete))
    return output, error


async def _read(stream: asyncio.StreamReader, follow: Callable[[bytes], Awaitable[None]] | None) -> bytes:
    """Read an output, and return its first and its last part. What is between them is read too."""
    first, last = bytearray(), bytearray()
    async for chunk in _lines(stream):
        if len(first) < _MAX_OUTPUT_BYTES:
            first += chunk
        else:
            last += chunk
            del last[:-_MAX_OUTPUT_BYTES]
        if follow is not None:
            await follow(chunk)
    return bytes(first + last)


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while True:
        try:
            line = await stream.readline()
        except ValueError:
            # A line longer than the buffer: what is left of it is read as another.
            continue
        if not line:
            return
        yield line


@contextmanager
def _opened(folder: Path, name: str = ffmpeg_commands.STILL) -> Iterator[int]:
    """Open the source for a process, which sees this file and no other."""
    fd = os.open(folder / name, os.O_RDONLY)
    try:
        yield fd
    finally:
        os.close(fd)
