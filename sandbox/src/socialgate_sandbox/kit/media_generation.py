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

from socialgate_sandbox.kit import VendorContext

if TYPE_CHECKING:
    from PIL.Image import Image

PictureFormat = Literal["png", "jpeg", "webp"]
SoundFormat = Literal["mp3", "opus", "aac", "flac", "wav", "pcm"]
SAMPLE_RATE = 24_000
"""Samples per second of a sound."""
_WORD_SECONDS = 0.32
_AMPLITUDE = 6_000
_SHAPE_COUNT = 6
_FRAMES_PER_SECOND = 24
_MAX_LINES = 7
_ENCODER_OPTIONS = {
    "mp3": ("-f", "mp3"),
    "opus": ("-c:a", "libopus", "-f", "ogg"),
    "aac": ("-f", "adts"),
    "flac": ("-f", "flac"),
}


class InvalidImageError(Exception):
    """The bytes are not those of a picture."""


async def generate_image(
    words: str,
    width: int,
    height: int,
    kind: PictureFormat = "png",
    *,
    quality: int = 90,
    is_transparent: bool = False,
    background_image: bytes | None = None,
) -> bytes:
    """Draw words over colors that follow from them, or over another picture. `is_transparent` leaves the ground
    transparent.
    """
    return await to_thread(
        _generate_image,
        words,
        (width, height),
        kind,
        quality,
        is_transparent=is_transparent,
        background_image=background_image,
    )


async def generate_audio(words: str, kind: SoundFormat, *, base_frequency: float, speed: float = 1.0) -> bytes:
    """Play one tone for each word, around a pitch in Hertz."""
    return await to_thread(_generate_audio, words, kind, base_frequency, speed)


async def generate_video(context: VendorContext, picture: str, seconds: int) -> str:
    """Make a video of a stored image, with sound, and return the name of its file."""
    path = context.files.create_path()
    source = context.files.path(picture)
    seen = ("-i", str(source))
    heard = ("-f", "lavfi", "-i", f"sine=frequency=220:sample_rate={SAMPLE_RATE}")
    # The picture is decoded once and repeated, which takes a tenth of the time of reading it for every frame.
    shown = (
        "-vf",
        f"format=yuv420p,loop=-1:1,setpts=N/{_FRAMES_PER_SECOND}/TB",
        "-r",
        f"{_FRAMES_PER_SECOND}",
        "-c:v",
        "libx264",
    )
    written = ("-preset", "ultrafast", "-c:a", "aac")
    ending = ("-t", str(seconds), "-movflags", "+faststart", "-f", "mp4", str(path))
    await to_thread(_run_ffmpeg, *seen, *heard, *shown, *written, *ending)
    return path.name


def _generate_image(
    words: str,
    size: tuple[int, int],
    kind: PictureFormat,
    quality: int,
    *,
    is_transparent: bool,
    background_image: bytes | None,
) -> bytes:
    from PIL import Image, ImageOps  # noqa: PLC0415 - idle sandboxes need no memory for it

    colors = sha256(words.encode()).digest()
    ground = (*(96 + byte // 4 for byte in colors[:3]), 0 if is_transparent else 255)
    canvas = Image.new("RGBA", size, ground)
    if background_image is not None:
        try:
            with Image.open(BytesIO(background_image)) as image_file:
                canvas.paste(ImageOps.fit(image_file.convert("RGBA"), size))
        except (OSError, ValueError, Image.DecompressionBombError) as error:
            raise InvalidImageError from error
    else:
        _draw_shapes(canvas, colors)
    if words:
        _write_words(canvas, words)
    written = BytesIO()
    canvas.convert("RGBA" if is_transparent and kind != "jpeg" else "RGB").save(written, kind, quality=quality)
    return written.getvalue()


def _draw_shapes(canvas: "Image", colors: bytes) -> None:
    from PIL import ImageDraw  # noqa: PLC0415 - as above

    pen = ImageDraw.Draw(canvas)
    for number in range(_SHAPE_COUNT):
        across, down, wide, *color = colors[4 * number : 4 * number + 6]
        left, top = canvas.width * across // 320, canvas.height * down // 320
        side = min(canvas.size) * (32 + wide) // 512
        pen.ellipse((left, top, left + side, top + side), fill=(*color, 255))


def _write_words(canvas: "Image", words: str) -> None:
    from PIL import ImageDraw, ImageFont  # noqa: PLC0415 - as above

    pen, size = ImageDraw.Draw(canvas), max(10, min(canvas.size) // 18)
    lines = wrap(words, max(8, int(canvas.width / size * 1.5)), max_lines=_MAX_LINES, placeholder=" …")
    step, font = size * 5 // 4, ImageFont.load_default(size)
    top = (canvas.height - step * len(lines)) // 2
    pen.rectangle((0, top - size, canvas.width, top + step * len(lines) + size), fill=(20, 20, 30, 255))
    for number, line in enumerate(lines):
        pen.text((size, top + number * step), line, fill="white", font=font)


def _generate_audio(words: str, kind: SoundFormat, base_frequency: float, speed: float) -> bytes:
    samples = array("h")
    for word in words.split() or [words]:
        samples += _generate_tone(word, base_frequency, int(SAMPLE_RATE * _WORD_SECONDS / speed))
    sound = samples.tobytes()
    if kind == "pcm":
        return sound
    return _encode_wav(sound) if kind == "wav" else _encode_with_ffmpeg(sound, kind)


def _generate_tone(word: str, base_frequency: float, length: int) -> "array[int]":
    """One word: a tone for four fifths of the time, then silence."""
    period = int(SAMPLE_RATE / base_frequency) + sha256(word.encode()).digest()[0] // 16
    once = array("h", (int(_AMPLITUDE * sin(2 * pi * place / period)) for place in range(period)))
    sounding = length * 4 // 5
    return (once * (sounding // period + 1))[:sounding] + array("h", bytes(2 * (length - sounding)))


def _encode_wav(sound: bytes) -> bytes:
    written = BytesIO()
    with wave.open(written, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(sound)
    return written.getvalue()


def _encode_with_ffmpeg(sound: bytes, kind: str) -> bytes:
    return _run_ffmpeg(
        "-f",
        "s16le",
        "-ar",
        str(SAMPLE_RATE),
        "-ac",
        "1",
        "-i",
        "pipe:0",
        *_ENCODER_OPTIONS[kind],
        "pipe:1",
        input_bytes=sound,
    )


def _run_ffmpeg(*arguments: str, input_bytes: bytes = b"") -> bytes:
    import imageio_ffmpeg  # noqa: PLC0415 - only where something is encoded

    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-loglevel", "error", "-y", *arguments]
    return subprocess.run(command, check=True, capture_output=True, input=input_bytes).stdout  # noqa: S603 - our own words
