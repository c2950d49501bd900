"""Real files of every type that a platform takes, small and each different from the others."""

import subprocess
from functools import cache
from io import BytesIO
from pathlib import Path
from struct import pack
from tempfile import TemporaryDirectory

import imageio_ffmpeg
from PIL import Image
from PIL.PngImagePlugin import PngInfo

_COLOURS = ("teal", "orange", "purple")
# What follows says how ffmpeg writes a film of each type; the frame suits the strictest platform, upright and 9:16.
_FILMS = {
    "video/mp4": ("mp4", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart"),
    "video/quicktime": ("mov", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart"),
    "video/webm": ("webm", "libvpx", "-deadline", "realtime", "-cpu-used", "16"),
    "video/x-matroska": ("mkv", "libx264", "-preset", "ultrafast"),
    "video/x-msvideo": ("avi", "mpeg4"),
    "video/x-ms-wmv": ("wmv", "wmv2"),
    "video/x-flv": ("flv", "flv1"),
    "video/mpeg": ("mpg", "mpeg2video"),
    "video/3gpp": ("3gp", "mpeg4"),
}
_SOUNDS = {
    "audio/mpeg": ("mp3", "libmp3lame"),
    "audio/mp4": ("m4a", "aac"),
    "audio/ogg": ("ogg", "libvorbis"),
}
_PICTURES = {"image/jpeg": "JPEG", "image/png": "PNG", "image/webp": "WEBP", "image/gif": "GIF"}


@cache
def file_of(mime_type: str, which: int = 0) -> bytes:
    """Make a file of this type. `which` tells apart those of one type; a type that is not known is a KeyError."""
    if mime_type in _PICTURES:
        return _picture(_PICTURES[mime_type], _COLOURS[which])
    if mime_type == "*/*":
        return b"%PDF-1.4\n" + f"% Price list {which}\n".encode() + b"%%EOF\n"
    if mime_type in _SOUNDS:
        return _encoded(*_SOUNDS[mime_type], source=f"sine=frequency={440 + which}:duration=1", sound=True)
    film = _encoded(*_FILMS[mime_type], source="color=c=teal:s=720x1280:r=25:d=4", sound=False)
    # Players skip a box of this name, which makes another file of the same film.
    return film + pack(">I4s", 8 + which, b"free") + b"x" * which if which else film


def _picture(form: str, colour: str) -> bytes:
    bytes_io = BytesIO()
    # One color is few bytes, and Google rejects photos that have less than 10 KB.
    comment = PngInfo()
    comment.add_text("Comment", " " * 10_240)
    more = {"PNG": {"pnginfo": comment}}.get(form, {})
    Image.new("RGB", (1080, 1080), colour).save(bytes_io, form, **more)
    return bytes_io.getvalue()


@cache
def _encoded(suffix: str, codec: str, *options: str, source: str, sound: bool) -> bytes:
    with TemporaryDirectory() as folder:
        target = Path(folder) / f"made.{suffix}"
        command = [imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", "-f", "lavfi", "-i", source]
        written = ["-c:a" if sound else "-c:v", codec, *options, "-threads", "1", str(target)]
        subprocess.run([*command, *written], check=True)
        return target.read_bytes()
