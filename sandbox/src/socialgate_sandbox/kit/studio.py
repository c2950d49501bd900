"""Images, audio and videos that are made on request: small, but real files that every player opens."""

import subprocess
import wave
from array import array
from asyncio import to_thread
from hashlib import sha256
from io import BytesIO
from math import pi, sin
from textwrap import wrap
from typing import TYPE_CHECKING, Literal

from socialgate_sandbox.kit import World

if TYPE_CHECKING:
    from PIL.Image import Image

PictureFormat = Literal["png", "jpeg", "webp"]
SoundFormat = Literal["mp3", "opus", "aac", "flac", "wav", "pcm"]
RATE = 24_000
"""Samples per second of a sound."""
_WORD_SECONDS = 0.32
_LOUDNESS = 6_000
_SHAPES = 6
_FRAMES = 24
_LINES = 7
_ENCODERS = {
    "mp3": ("-f", "mp3"),
    "opus": ("-c:a", "libopus", "-f", "ogg"),
    "aac": ("-f", "adts"),
    "flac": ("-f", "flac"),
}


class NoPicture(Exception):
    """The bytes are not those of a picture."""


async def paint(
    words: str,
    width: int,
    height: int,
    kind: PictureFormat = "png",
    *,
    quality: int = 90,
    clear: bool = False,
    below: bytes | None = None,
) -> bytes:
    """Draw words over colors that follow from them, or over another picture. `clear` leaves the ground transparent."""
    return await to_thread(_paint, words, (width, height), kind, quality, clear=clear, below=below)


async def speak(words: str, kind: SoundFormat, *, pitch: float, speed: float = 1.0) -> bytes:
    """Play one tone for each word, around a pitch in Hertz."""
    return await to_thread(_speak, words, kind, pitch, speed)


async def make_video(world: World, picture: str, seconds: int) -> str:
    """Make a video of a stored image, with sound, and return the name of its file."""
    path = world.files.new()
    source = world.files.path(picture)
    seen = ("-i", str(source))
    heard = ("-f", "lavfi", "-i", f"sine=frequency=220:sample_rate={RATE}")
    # The picture is decoded once and repeated, which takes a tenth of the time of reading it for every frame.
    shown = ("-vf", f"format=yuv420p,loop=-1:1,setpts=N/{_FRAMES}/TB", "-r", f"{_FRAMES}", "-c:v", "libx264")
    written = ("-preset", "ultrafast", "-c:a", "aac")
    ending = ("-t", str(seconds), "-movflags", "+faststart", "-f", "mp4", str(path))
    await to_thread(_ffmpeg, *seen, *heard, *shown, *written, *ending)
    return path.name


def _paint(
    words: str, size: tuple[int, int], kind: PictureFormat, quality: int, *, clear: bool, below: bytes | None
) -> bytes:
    from PIL import Image, ImageOps  # noqa: PLC0415 - idle sandboxes need no memory for it

    colors = sha256(words.encode()).digest()
    ground = (*(96 + byte // 4 for byte in colors[:3]), 0 if clear else 255)
    canvas = Image.new("RGBA", size, ground)
    if below is not None:
        try:
            with Image.open(BytesIO(below)) as given:
                canvas.paste(ImageOps.fit(given.convert("RGBA"), size))
        except (OSError, ValueError, Image.DecompressionBombError) as error:
            raise NoPicture from error
    else:
        _draw_shapes(canvas, colors)
    if words:
        _write_words(canvas, words)
    written = BytesIO()
    canvas.convert("RGBA" if clear and kind != "jpeg" else "RGB").save(written, kind, quality=quality)
    return written.getvalue()


def _draw_shapes(canvas: "Image", colors: bytes) -> None:
    from PIL import ImageDraw  # noqa: PLC0415 - as above

    pen = ImageDraw.Draw(canvas)
    for number in range(_SHAPES):
        across, down, wide, *color = colors[4 * number : 4 * number + 6]
        left, top = canvas.width * across // 320, canvas.height * down // 320
        side = min(canvas.size) * (32 + wide) // 512
        pen.ellipse((left, top, left + side, top + side), fill=(*color, 255))


def _write_words(canvas: "Image", words: str) -> None:
    from PIL import ImageDraw, ImageFont  # noqa: PLC0415 - as above

    pen, size = ImageDraw.Draw(canvas), max(10, min(canvas.size) // 18)
    lines = wrap(words, max(8, int(canvas.width / size * 1.5)), max_lines=_LINES, placeholder=" …")
    step, font = size * 5 // 4, ImageFont.load_default(size)
    top = (canvas.height - step * len(lines)) // 2
    pen.rectangle((0, top - size, canvas.width, top + step * len(lines) + size), fill=(20, 20, 30, 255))
    for number, line in enumerate(lines):
        pen.text((size, top + number * step), line, fill="white", font=font)


def _speak(words: str, kind: SoundFormat, pitch: float, speed: float) -> bytes:
    samples = array("h")
    for word in words.split() or [words]:
        samples += _tone(word, pitch, int(RATE * _WORD_SECONDS / speed))
    sound = samples.tobytes()
    if kind == "pcm":
        return sound
    return _waved(sound) if kind == "wav" else _encoded(sound, kind)


def _tone(word: str, pitch: float, length: int) -> "array[int]":
    """One word: a tone for four fifths of the time, then silence."""
    period = int(RATE / pitch) + sha256(word.encode()).digest()[0] // 16
    once = array("h", (int(_LOUDNESS * sin(2 * pi * place / period)) for place in range(period)))
    sounding = length * 4 // 5
    return (once * (sounding // period + 1))[:sounding] + array("h", bytes(2 * (length - sounding)))


def _waved(sound: bytes) -> bytes:
    written = BytesIO()
    with wave.open(written, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(sound)
    return written.getvalue()


def _encoded(sound: bytes, kind: str) -> bytes:
    return _ffmpeg("-f", "s16le", "-ar", str(RATE), "-ac", "1", "-i", "pipe:0", *_ENCODERS[kind], "pipe:1", fed=sound)


def _ffmpeg(*arguments: str, fed: bytes = b"") -> bytes:
    import imageio_ffmpeg  # noqa: PLC0415 - only where something is encoded

    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-loglevel", "error", "-y", *arguments]
    return subprocess.run(command, check=True, capture_output=True, input=fed).stdout  # noqa: S603 - our own words
