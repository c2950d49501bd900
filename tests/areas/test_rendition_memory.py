"""How much memory it takes to convert a large image: little more than one copy of the picture that is decoded."""

import asyncio
import json
import signal
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import msgspec
import pytest
from PIL import Image
from structlog.testing import capture_logs

from socialgate.areas.media.limited_process import ProgramKilledError, build_python_command, start_limited
from socialgate.areas.media.renditions.converter import ConversionError, Converter
from socialgate.areas.media.renditions.recipes import Frame, ImageRecipe, VideoRecipe
from socialgate.core.errors import StorageFull
from support.color_profiles import build_display_p3
from support.conversions import save

_MIB = 1024 * 1024
_SIZE = (8200, 5000)
# Pillow keeps four bytes of each pixel.
_PICTURE_MIB = _SIZE[0] * _SIZE[1] * 4 / _MIB
# Python, its libraries, and the parts in which colors are converted.
_PROGRAM_MIB = 100
_ORIENTATION = 0x0112
# Says afterwards what a program has needed at most. What the system counts for processes includes their parents.
_MEASURED = """
import pathlib, runpy, sys
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
print(pathlib.Path("/proc/self/status").read_text())
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the system says how much memory a process has used")


def measure_peak(folder: Path, data: bytes, formats: list[str], recipe: ImageRecipe) -> float:
    """Convert an image, and return how much memory the program has used at most, in MiB."""
    (folder / "source").write_bytes(data)
    program = build_python_command("convert_image")[-1]
    job = {"formats": formats, "pixels": 100_000_000, "recipe": msgspec.to_builtins(recipe)}
    command = [sys.executable, "-I", "-c", _MEASURED, program, json.dumps(job)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    answer, *status = done.stdout.splitlines()
    assert json.loads(answer)["format"] == recipe.formats[0], answer
    (peak,) = [line.split()[1] for line in status if line.startswith("VmHWM:")]
    return int(peak) / 1024


def resize_to(width: int, height: int) -> ImageRecipe:
    return ImageRecipe(formats=("JPEG",), frame=Frame(width=width, height=height))


def test_a_picture_is_not_copied_to_convert_its_colors(tmp_path: Path) -> None:
    photo = save(Image.new("RGB", _SIZE, "teal"), "PNG", icc_profile=build_display_p3(), compress_level=1)
    peak = measure_peak(tmp_path, photo, ["PNG"], resize_to(*_SIZE))
    assert peak < _PICTURE_MIB + _PROGRAM_MIB
    with Image.open(tmp_path / "result") as result:
        left, *others = [result.getpixel((x, y)) for x, y in ((9, 9), (9, 2500), (8190, 4990))]
    assert others == [left, left], "each part is converted, and once"
    with Image.open(BytesIO(photo)) as original:
        assert left != original.getpixel((9, 9))


@pytest.mark.parametrize(("orientation", "size"), [(1, (1600, 976)), (6, (976, 1600))])
def test_a_large_jpeg_is_decoded_smaller_whichever_way_it_lies(
    orientation: int, size: tuple[int, int], tmp_path: Path
) -> None:
    exif = Image.Exif()
    exif[_ORIENTATION] = orientation
    photo = save(Image.new("RGB", _SIZE, "teal"), "JPEG", exif=exif)
    assert measure_peak(tmp_path, photo, ["JPEG"], resize_to(*size)) < _PICTURE_MIB / 4 * 2 + _PROGRAM_MIB
    with Image.open(tmp_path / "result") as result:
        assert result.size == size


def test_threads_of_programs_reserve_no_memory_each() -> None:
    """What threads reserve counts against the limit of a program, and ffmpeg has a dozen."""

    async def show_environment() -> bytes:
        process = await start_limited("/usr/bin/env", memory=512 * _MIB, cpu_seconds=10)
        output, _ = await process.communicate()
        return output

    assert b"MALLOC_ARENA_MAX=1\n" in asyncio.run(show_environment())


def run_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Convert a video with a program that does this instead of ffmpeg."""
    program = tmp_path / "ffmpeg"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    monkeypatch.setattr("socialgate.areas.media.renditions.converter.find_ffmpeg", lambda: str(program))
    (tmp_path / "source").write_bytes(b"a video")
    asyncio.run(Converter().convert(tmp_path, "video/mp4", VideoRecipe(demuxer="mov", duration=1)))


_OTHER_LINES = "yes 'a warning that says nothing about memory' | head -c 1000000 >&2"


@pytest.mark.parametrize("before", ["true", _OTHER_LINES], ids=["at once", "late"])
@pytest.mark.parametrize("after", ["true", _OTHER_LINES], ids=["last", "early"])
def test_a_video_without_the_frames_for_which_there_was_no_memory_is_no_result(
    before: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f"{before}\necho '[hevc @ 0x1] get_buffer() failed' >&2\n{after}\necho half > result"
    with pytest.raises(ConversionError, match="too much time or memory"):
        run_program(tmp_path, monkeypatch, script)


def test_the_last_lines_of_a_program_that_failed_are_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with capture_logs() as logs, pytest.raises(ConversionError, match="damaged"):
        run_program(tmp_path, monkeypatch, f"{_OTHER_LINES}\necho '[mov @ 0x1] the reason' >&2\nexit 1")
    assert logs[-1]["event"] == "conversion_failed"
    assert logs[-1]["reason"].endswith("the reason")


def test_a_program_that_the_machine_ends_says_nothing_about_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ProgramKilledError, match="too little memory"):
        run_program(tmp_path, monkeypatch, "kill -9 $$")
    with pytest.raises(ConversionError, match="too long"):
        run_program(tmp_path, monkeypatch, "kill -XCPU $$")
    with pytest.raises(StorageFull):
        run_program(tmp_path, monkeypatch, "echo 'Error writing trailer: No space left on device' >&2\nexit 228")


def test_a_program_that_takes_too_long_is_not_killed_at_once() -> None:
    async def work_forever() -> int | None:
        process = await start_limited("/bin/sh", "-c", "while :; do :; done", memory=512 * _MIB, cpu_seconds=1)
        await process.communicate()
        return process.returncode

    assert asyncio.run(work_forever()) == -signal.SIGXCPU
