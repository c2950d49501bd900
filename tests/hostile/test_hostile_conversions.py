"""Files that are made to be expensive to convert: a limited process ends them, and they say what is wrong."""

import asyncio
import random
import socket
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import psutil
import pytest
from PIL import Image

from socialgate.areas.media.probe_result import UnreadableFileError
from socialgate.areas.media.renditions.converter import ConversionError, Converter
from socialgate.areas.media.renditions.recipes import Frame, PictureRecipe, VideoRecipe
from socialgate.contracts.platforms import Kind
from support.conversions import KINDS, carry_out, film, inspect, plan_for, save
from support.soak import SOAK

_MIB = 1024 * 1024
_MAX_GROWTH = 64 * _MIB
_MUTATIONS = 60 if SOAK else 2
_H264 = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")


def endless() -> bytes:
    """An image that moves for longer than anybody looks."""
    frames = [Image.new("P", (2, 2), number % 200) for number in range(3_000)]
    out = BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=20, optimize=False)
    return out.getvalue()


def mutate(data: bytes, seed: int) -> bytes:
    """Change a few bytes anywhere behind the first, by which the type is known."""
    chance = random.Random(seed)  # noqa: S311 - the same ones in every run
    changed = bytearray(data)
    for _ in range(40):
        changed[chance.randrange(32, len(changed))] = chance.randrange(256)
    return bytes(changed)


def attempt(data: bytes, kind: Kind = Kind.INSTAGRAM) -> str:
    """Inspect, plan and convert a file. Gives what it says about it, or nothing if that succeeded."""
    try:
        file = inspect(data)
        plan = plan_for(KINDS[kind], file)
        if plan.faults:
            return plan.faults[0].detail
        if plan.recipe is not None:
            carry_out(data, file, plan.recipe)
    except (UnreadableFileError, ConversionError) as error:
        return str(error)
    return ""


@pytest.mark.soak
@pytest.mark.parametrize(
    "make",
    [
        lambda: save(Image.new("RGB", (64, 64), "teal"), "HEIF"),
        lambda: save(Image.new("RGB", (64, 64), "teal"), "WEBP"),
        lambda: save(Image.new("RGB", (64, 64), "teal"), "TIFF"),
        lambda: film("mkv", *_H264, source="testsrc2=s=64x64:r=25:d=3.2"),
        lambda: film("mov", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", source="testsrc2=s=64x64:r=25:d=3.2"),
    ],
    ids=["heic", "webp", "tiff", "mkv", "mov"],
)
def test_crafted_files_convert_or_explain_themselves(make: Callable[[], bytes]) -> None:
    before, process = psutil.Process().memory_info().rss, psutil.Process()
    children = {child.pid for child in process.children(recursive=True)}
    data = make()
    for seed in range(_MUTATIONS):
        # What it says ends like a sentence; anything else that is raised fails the test.
        message = attempt(mutate(data, seed))
        assert not message or message.endswith("."), message
    assert process.memory_info().rss - before < _MAX_GROWTH
    assert {child.pid for child in process.children(recursive=True)} <= children, "programs are left"


def test_endless_frames_are_refused() -> None:
    assert "frames" in attempt(endless())


def test_a_program_that_takes_too_long_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a file says that it lasts, its program ends with the limit on time, and says so."""
    monkeypatch.setattr("socialgate.areas.media.renditions.converter._MIN_CPU_SECONDS", 1)
    monkeypatch.setattr("socialgate.areas.media.renditions.converter._CPU_SECONDS_PER_SECOND", 0)
    data = film("mp4", *_H264, source="color=c=teal:s=64x64:r=5:d=600")
    (tmp_path / "source").write_bytes(data)
    slow = PictureRecipe(frame=Frame(width=1920, height=1080), fps=60, background="blur")
    recipe = VideoRecipe(demuxer="mov", duration=600, picture=slow)
    with pytest.raises(ConversionError):
        asyncio.run(Converter().convert(tmp_path, "video/mp4", recipe))


@pytest.mark.parametrize("demuxer", ["hls", "concat", "dash", "sdp"])
def test_ffmpeg_reaches_neither_the_network_nor_other_files(demuxer: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.mp4"
    secret.write_bytes(film("mp4", *_H264))
    folder = tmp_path / "work"
    folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/film.ts"
        texts = {
            "hls": f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{url}\n#EXTINF:9,\nfile://{secret}\n#EXT-X-ENDLIST\n",
            "concat": f"ffconcat version 1.0\nfile {url}\nfile {secret}\n",
            "dash": f'<MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>{url}</BaseURL></MPD>',
            "sdp": f"v=0\nc=IN IP4 127.0.0.1\nm=video {listener.getsockname()[1]} RTP/AVP 96\n",
        }
        (folder / "source").write_text(texts[demuxer])
        with pytest.raises(ConversionError):
            asyncio.run(Converter().convert(folder, "video/mp4", VideoRecipe(demuxer=demuxer, duration=1)))
        with pytest.raises(BlockingIOError):
            listener.accept()
    result = folder / "result"
    assert not result.exists() or not result.stat().st_size
