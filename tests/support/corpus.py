"""Difficult files, made by a script: every format, shape and defect that people upload. Small, and quick to make.

`CORPUS` has them by name. A file that is `fixable` can be made to fit a platform that takes its type and length; the
others are damaged or hostile, and have to be refused with a reason.
"""

import struct
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from typing import Any

import msgspec
from PIL import Image, ImageDraw

from support.color_profiles import build_display_p3
from support.conversions import film, open_picture, save


class Specimen(msgspec.Struct, frozen=True, kw_only=True):
    """`type` is what an upload takes it for; None if it is refused there already."""

    name: str
    make: Callable[[], bytes]
    type: str | None
    seconds: float | None = None
    is_fixable: bool = True


def draw(width: int, height: int, mode: str = "RGB") -> Image.Image:
    """Draw something with a different color in each corner, so that turned and mirrored pictures are told apart."""
    image = Image.new("RGB", (width, height), (120, 160, 200))
    if min(width, height) >= 8:
        pen = ImageDraw.Draw(image)
        half = width // 2, height // 2
        pen.rectangle((0, 0, *half), fill=(230, 30, 30))
        pen.rectangle((half[0], 0, width, half[1]), fill=(30, 200, 30))
        pen.rectangle((0, half[1], half[0], height), fill=(30, 30, 220))
    if mode == "RGBA":
        image = image.convert("RGBA")
        image.putalpha(Image.linear_gradient("L").resize((width, height)))
        return image
    return image.convert(mode)


_SHAPES = {
    "square": (400, 400),
    "portrait": (360, 640),
    "panorama": (1600, 120),
    "tower": (90, 1400),
    "tiny": (3, 2),
    "odd": (401, 297),
}
_FORMATS: dict[str, tuple[str, dict[str, Any]]] = {
    "jpeg": ("JPEG", {}),
    "png": ("PNG", {}),
    "webp": ("WEBP", {}),
    "gif": ("GIF", {}),
    "heic": ("HEIF", {}),
    "avif": ("AVIF", {"speed": 10}),
    "tiff": ("TIFF", {}),
    "bmp": ("BMP", {}),
}
_MODES = {
    "jpeg": ("L", "CMYK"),
    "png": ("L", "LA", "RGBA", "P", "1", "I;16"),
    "webp": ("RGBA", "L"),
    "gif": ("L", "P"),
    "heic": ("RGBA", "L"),
    "avif": ("RGBA", "L"),
    "tiff": ("L", "LA", "RGBA", "P", "1", "I;16", "CMYK", "LAB", "F"),
    "bmp": ("L", "P", "1"),
}
_ORIENTATION = 0x0112
_PLACE = 0x8825
_XMP = (
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    b'<rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="52,31.0N" '
    b'exif:GPSLongitude="13,24.0E"/></rdf:RDF></x:xmpmeta>'
)
_COORDINATES = (b"+52.51", b"52,31.0N")
# What Pillow does not write.
_FFMPEG_PNGS = {
    "interlaced": ("-flags", "+ildct"),
    "48 bit": ("-pix_fmt", "rgb48be"),
    "64 bit": ("-pix_fmt", "rgba64be"),
    "gray 16 bit with alpha": ("-pix_fmt", "ya16be"),
}


def _picture(form: str, size: tuple[int, int], mode: str = "RGB", **options: Any) -> bytes:
    name, more = _FORMATS[form]
    return save(_in_mode(size, mode), name, **more, **options)


def _in_mode(size: tuple[int, int], mode: str) -> Image.Image:
    if mode == "I;16":
        return Image.frombytes(
            "I;16", size, b"".join(struct.pack("<H", value % 65536) for value in range(size[0] * size[1]))
        )
    if mode == "LA":
        return draw(*size, mode="RGBA").convert("LA")
    return draw(*size, mode=mode)


def _turned(form: str, orientation: int) -> bytes:
    exif = Image.Exif()
    exif[_ORIENTATION] = orientation
    return _picture(form, (320, 240), exif=exif)


def _pictures() -> Iterator[Specimen]:
    for form in _FORMATS:
        for shape, size in _SHAPES.items():
            # The encoders of HEIC and AVIF refuse pictures of a few pixels.
            if not (form in {"heic", "avif"} and shape == "tiny"):
                yield Specimen(name=f"{form} {shape}", make=partial(_picture, form, size), type="image")
        for mode in _MODES[form]:
            yield Specimen(name=f"{form} {mode}", make=partial(_picture, form, (320, 240), mode), type="image")


def _turned_pictures() -> Iterator[Specimen]:
    for form in ("jpeg", "tiff", "webp", "png", "heic"):
        for orientation in range(1, 9):
            create = partial(_turned, form, orientation)
            yield Specimen(name=f"{form} orientation {orientation}", make=create, type="image")


def _special_pictures() -> Iterator[Specimen]:
    yield Specimen(name="jpeg progressive", make=partial(_picture, "jpeg", (320, 240), progressive=True), type="image")
    for name, profile in (("wide gamut", build_display_p3()), ("broken profile", b"not a profile")):
        create = partial(_picture, "jpeg", (320, 240), icc_profile=profile)
        yield Specimen(name=f"jpeg {name}", make=create, type="image")
    for form in ("jpeg", "png", "webp", "heic", "tiff", "avif"):
        yield Specimen(name=f"{form} with a place", make=partial(_with_place, form), type="image")
    for compression in ("tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg", "group4"):
        mode = "1" if compression == "group4" else "RGB"
        create = partial(_picture, "tiff", (320, 240), mode, compression=compression)
        yield Specimen(name=f"tiff {compression}", make=create, type="image")
    yield Specimen(name="large noise", make=_noise, type="image")
    yield Specimen(name="12 megapixels of noise", make=_large_jpeg, type="image")
    yield Specimen(name="100 megapixels", make=partial(_flat_png, 10_000, 10_000), type="image")
    yield Specimen(name="100 megapixels with alpha", make=_large_png, type="image")
    yield Specimen(name="100 megapixels turned", make=_large_turned_jpeg, type="image")
    yield Specimen(name="webp lossless", make=partial(_picture, "webp", (320, 240), lossless=True), type="image")
    for name, options in _FFMPEG_PNGS.items():
        create = partial(film, "png", "-frames:v", "1", *options, source="testsrc2=s=320x240:r=1:d=1")
        yield Specimen(name=f"png {name}", make=create, type="image")
    for form in ("gif", "webp", "png"):
        for count in (2, 12):
            create = partial(_animated, form, count)
            yield Specimen(name=f"{form} animated {count}", make=create, type="image", seconds=count / 10)


def _with_place(form: str) -> bytes:
    """A picture that says where it was taken, in each way that its format knows."""
    exif = Image.Exif()
    exif[0x8298] = "Ada's bakery"
    exif[0x0110] = "Phone 15"
    exif.get_ifd(_PLACE).update({1: "N", 2: (52.0, 31.0, 0.0), 3: "E", 4: (13.0, 24.0, 0.0)})
    xmp: dict[str, Any] = {"xmp": _XMP} if form in {"jpeg", "webp", "heic", "avif"} else {}
    return _picture(form, (320, 240), exif=exif, **xmp)


def has_location(data: bytes) -> bool:
    """Return whether a file says where it was made."""
    if any(mark in data for mark in (b"GPSLatitude", b"GPSLongitude", b"\xa9xyz", b"location", *_COORDINATES)):
        return True
    picture = open_picture(data)
    return picture is not None and bool(picture.getexif().get_ifd(_PLACE))


def _noise() -> bytes:
    """A picture that no platform takes as it is: it is larger than their limits, and cannot be compressed well."""
    return save(Image.effect_noise((2400, 1400), 90).convert("RGB"), "PNG", compress_level=1)


def _large_jpeg() -> bytes:
    """A photo that exceeds the limits on bytes of most platforms also as JPEG."""
    return save(Image.effect_noise((4000, 3000), 90).convert("RGB"), "JPEG", quality=100)


def _large_png() -> bytes:
    return save(
        Image.new("RGBA", (10_000, 10_000), "#00808080"), "PNG", icc_profile=build_display_p3(), compress_level=1
    )


def _large_turned_jpeg() -> bytes:
    """A panorama that was taken with the phone on its side."""
    exif = Image.Exif()
    exif[_ORIENTATION] = 6
    return save(Image.new("RGB", (5_000, 20_000), "teal"), "JPEG", exif=exif, icc_profile=build_display_p3())


def _flat_png(width: int, height: int) -> bytes:
    """A picture of one color, which is a small file however large it is."""
    rows = zlib.compressobj(1)
    data = b"".join(rows.compress(b"\0" + bytes((width + 7) // 8)) for _ in range(height)) + rows.flush()
    return _png(width, height, 1, data)


def _png(width: int, height: int, depth: int, data: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", data), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    )


def _animated(form: str, count: int) -> bytes:
    frames = [Image.new("RGB", (160, 120), (10 * number % 255, 90, 200 - 10 * number)) for number in range(count)]
    out = BytesIO()
    frames[0].save(out, _FORMATS[form][0], save_all=True, append_images=frames[1:], duration=100, loop=0)
    return out.getvalue()


_FAST = ("-preset", "ultrafast")
_H264 = ("-c:v", "libx264", *_FAST, "-pix_fmt", "yuv420p")
_HEVC = ("-c:v", "libx265", *_FAST, "-pix_fmt", "yuv420p", "-x265-params", "log-level=none:pools=1")
# High dynamic range, as televisions and phones record it.
_HDR = (*_HEVC[:4], "-pix_fmt", "yuv420p10le", "-color_primaries", "bt2020", "-colorspace", "bt2020nc", *_HEVC[6:])
_VP9 = ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8")
_AV1 = ("-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime")
_FRONT = ("-movflags", "+faststart")
# Longer than the shortest video that Instagram takes.
_SOURCE = "testsrc2=s=176x144:r={fps}:d={seconds}"
_TONE = "sine=frequency=440:sample_rate={rate}:duration={seconds}"
_SECONDS = 3.2

# The containers and codecs of videos: suffix, options.
_CODECS: dict[str, tuple[str, tuple[str, ...]]] = {
    "h264 mp4": ("mp4", (*_H264, *_FRONT)),
    "h264 mp4 index last": ("mp4", _H264),
    "h264 mov": ("mov", _H264),
    "h264 mkv": ("mkv", _H264),
    "h264 flv": ("flv", _H264),
    "h264 avi": ("avi", _H264),
    "h264 3gp": ("3gp", _H264),
    "h264 fragmented": ("mp4", (*_H264, "-movflags", "frag_keyframe+empty_moov")),
    "h264 baseline": ("mp4", (*_H264, "-profile:v", "baseline")),
    "h264 4:2:2": ("mp4", ("-c:v", "libx264", *_FAST, "-pix_fmt", "yuv422p")),
    "h264 4:4:4": ("mp4", ("-c:v", "libx264", *_FAST, "-pix_fmt", "yuv444p")),
    "h264 10 bit": ("mp4", ("-c:v", "libx264", *_FAST, "-pix_fmt", "yuv420p10le")),
    "h264 interlaced": ("mp4", (*_H264, "-flags", "+ildct+ilme", "-vf", "setfield=tff")),
    "hevc mp4": ("mp4", (*_HEVC, *_FRONT)),
    "hevc mov": ("mov", (*_HEVC, "-tag:v", "hvc1")),
    "hevc mkv": ("mkv", _HEVC),
    "hevc 10 bit": ("mp4", (*_HEVC[:4], "-pix_fmt", "yuv420p10le", *_HEVC[6:])),
    "hdr pq": ("mp4", (*_HDR, "-color_trc", "smpte2084")),
    "hdr hlg": ("mp4", (*_HDR, "-color_trc", "arib-std-b67")),
    "vp8 webm": ("webm", ("-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "16")),
    "vp9 webm": ("webm", _VP9),
    "vp9 mp4": ("mp4", _VP9),
    "vp9 mkv": ("mkv", _VP9),
    "av1 mp4": ("mp4", _AV1),
    "av1 webm": ("webm", _AV1),
    "prores mov": ("mov", ("-c:v", "prores_aw", "-profile:v", "0")),
    "prores 4444": ("mov", ("-c:v", "prores_ks", "-profile:v", "4", "-pix_fmt", "yuva444p10le")),
    "mjpeg mov": ("mov", ("-c:v", "mjpeg", "-pix_fmt", "yuvj420p")),
    "mjpeg avi": ("avi", ("-c:v", "mjpeg", "-pix_fmt", "yuvj420p")),
    "mpeg4 avi": ("avi", ("-c:v", "mpeg4")),
    "mpeg4 mp4": ("mp4", ("-c:v", "mpeg4")),
    "mpeg4 3gp": ("3gp", ("-c:v", "mpeg4")),
    "mpeg2 mpg": ("mpg", ("-c:v", "mpeg2video")),
    "mpeg1 mpg": ("mpg", ("-c:v", "mpeg1video")),
    "wmv wmv": ("wmv", ("-c:v", "wmv2")),
    "flv1 flv": ("flv", ("-c:v", "flv1")),
    "dnxhr mov": ("mov", ("-c:v", "dnxhd", "-profile:v", "dnxhr_lb", "-s", "256x144", "-pix_fmt", "yuv422p")),
    "qtrle mov": ("mov", ("-c:v", "qtrle", "-pix_fmt", "rgb24")),
    "ffv1 mkv": ("mkv", ("-c:v", "ffv1")),
    "raw avi": ("avi", ("-c:v", "rawvideo", "-pix_fmt", "bgr24")),
}
_SOUNDS: dict[str, tuple[str, int, tuple[str, ...]]] = {
    "aac mono": ("mp4", 44_100, ("-c:a", "aac", "-ac", "1")),
    "aac 5.1": ("mp4", 48_000, ("-c:a", "aac", "-ac", "6")),
    "aac 96 kHz": ("mp4", 96_000, ("-c:a", "aac", "-ac", "2")),
    "aac 8 kHz": ("mp4", 8_000, ("-c:a", "aac", "-ac", "1")),
    "mp3": ("mp4", 44_100, ("-c:a", "libmp3lame", "-ac", "2")),
    "opus": ("mp4", 48_000, ("-c:a", "libopus", "-ac", "2")),
    "opus mkv": ("mkv", 48_000, ("-c:a", "libopus", "-ac", "2")),
    "vorbis": ("mkv", 44_100, ("-c:a", "libvorbis", "-ac", "2")),
    "pcm": ("mov", 48_000, ("-c:a", "pcm_s16le", "-ac", "2")),
    "pcm 24 bit": ("mov", 48_000, ("-c:a", "pcm_s24le", "-ac", "2")),
    "ac3 5.1": ("mp4", 48_000, ("-c:a", "ac3", "-ac", "6")),
    "eac3": ("mp4", 48_000, ("-c:a", "eac3", "-ac", "6")),
    "flac": ("mkv", 44_100, ("-c:a", "flac", "-ac", "2")),
    "alac": ("mov", 44_100, ("-c:a", "alac", "-ac", "2")),
    "mp2": ("mpg", 48_000, ("-c:a", "mp2", "-ac", "2", "-c:v", "mpeg2video")),
}
_PICTURES: dict[str, dict[str, Any]] = {
    "odd dimensions": {
        "source": "testsrc2=s=175x143:r=25:d=3.2",
        "options": ("-c:v", "libx264", *_FAST, "-pix_fmt", "yuv444p"),
    },
    "panorama": {"source": "testsrc2=s=1280x96:r=25:d=3.2"},
    "tower": {"source": "testsrc2=s=96x1280:r=25:d=3.2"},
    "wide": {"source": "testsrc2=s=2560x320:r=24:d=3.2"},
    "square": {"source": "testsrc2=s=480x480:r=25:d=3.2"},
    "portrait": {"source": "testsrc2=s=540x960:r=25:d=3.2"},
    "tiny": {"source": "testsrc2=s=16x16:r=25:d=3.2"},
    "anamorphic": {"source": "testsrc2=s=352x288:r=25:d=3.2,setsar=16/11"},
    "4K": {"source": "testsrc2=s=3840x2160:r=24:d=3.2"},
    "5 fps": {"source": "testsrc2=s=176x144:r=5:d=3.2"},
    "12 fps": {"source": "testsrc2=s=176x144:r=12:d=3.2"},
    "23.976 fps": {"source": "testsrc2=s=176x144:r=24000/1001:d=3.2"},
    "59.94 fps": {"source": "testsrc2=s=176x144:r=60000/1001:d=3.2"},
    "120 fps": {"source": "testsrc2=s=176x144:r=120:d=3.2"},
    "variable frame rate": {
        "source": "testsrc2=s=176x144:r=30:d=3.2,select='mod(floor(n/10),2)+not(mod(n,3))'",
        "options": (*_H264, "-fps_mode", "vfr"),
    },
    "60 MB": {
        "source": "testsrc2=s=1280x720:r=25:d=10,noise=alls=80:allf=t",
        "options": (*_H264, "-b:v", "50M", "-maxrate", "55M", "-bufsize", "20M"),
        "seconds": 10.0,
    },
    "ten minutes": {"source": "color=c=teal:s=64x64:r=24:d=599", "seconds": 599.0},
    "eleven minutes": {"source": "color=c=teal:s=64x64:r=24:d=660", "seconds": 660.0},
    "one second": {"source": "testsrc2=s=176x144:r=25:d=1", "seconds": 1.0},
    "two minutes": {"source": "color=c=navy:s=64x64:r=24:d=120", "seconds": 120.0},
}


def _films() -> Iterator[Specimen]:
    source = _SOURCE.format(fps=25, seconds=_SECONDS)
    for name, (suffix, options) in _CODECS.items():
        create = partial(film, suffix, *options, source=source)
        yield Specimen(name=f"video {name}", make=create, type="video", seconds=_SECONDS)
    for name, (suffix, rate, options) in _SOUNDS.items():
        tone = _TONE.format(rate=rate, seconds=_SECONDS)
        create = partial(film, suffix, *_H264, *options, source=source, sound=tone)
        yield Specimen(name=f"video with {name}", make=create, type="video", seconds=_SECONDS)
    for name, about in _PICTURES.items():
        create = partial(film, "mp4", *about.get("options", _H264), source=about["source"])
        yield Specimen(name=f"video {name}", make=create, type="video", seconds=about.get("seconds", _SECONDS))
    place = ("-metadata", f"location={_COORDINATES[0].decode()}+013.40/")
    for suffix in ("mov", "mkv", "3gp"):
        create = partial(film, suffix, *_H264, *place, source=source)
        yield Specimen(name=f"video {suffix} with a place", make=create, type="video", seconds=_SECONDS)
    for degrees in (90, 180, 270):
        yield Specimen(
            name=f"video turned {degrees}", make=partial(_turned_film, degrees), type="video", seconds=_SECONDS
        )


def _turned_film(degrees: int) -> bytes:
    return turn_film(film("mp4", *_H264, *_FRONT, source=_SOURCE.format(fps=25, seconds=_SECONDS)), degrees)


def turn_film(data: bytes, degrees: int) -> bytes:
    """Say in an MP4 file that players turn it clockwise, as phones do."""
    place = data.index(b"tkhd") + 4 + 40
    unit, zero = 1 << 16, 0
    turns = {90: (zero, unit, -unit, zero), 180: (-unit, zero, zero, -unit), 270: (zero, -unit, unit, zero)}
    a, b, c, d = turns[degrees]
    matrix = struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 1 << 30)
    return data[:place] + matrix + data[place + len(matrix) :]


_AUDIO: dict[str, tuple[str, tuple[str, ...]]] = {
    "mp3": ("mp3", ("-c:a", "libmp3lame")),
    "m4a": ("m4a", ("-c:a", "aac")),
    "ogg vorbis": ("ogg", ("-c:a", "libvorbis", "-ac", "2")),
    "ogg opus": ("ogg", ("-c:a", "libopus", "-ar", "48000")),
    "wav": ("wav", ("-c:a", "pcm_s16le")),
    "flac": ("flac", ("-c:a", "flac")),
    "aac": ("aac", ("-c:a", "aac")),
    "wav 5.1": ("wav", ("-c:a", "pcm_s16le", "-ac", "6")),
}


def _sounds() -> Iterator[Specimen]:
    tone = "sine=frequency=440:duration=2"
    for name, (suffix, options) in _AUDIO.items():
        create = partial(film, suffix, *options, source=tone)
        yield Specimen(name=f"audio {name}", make=create, type="audio", seconds=2.0)


def _damaged() -> Iterator[Specimen]:
    whole = partial(_picture, "jpeg", (320, 240))
    clip = partial(film, "mp4", *_H264, *_FRONT, source=_SOURCE.format(fps=25, seconds=_SECONDS))
    for form in ("png", "bmp", "webp", "heic", "gif", "tiff"):
        create = partial(_cut, partial(_picture, form, (320, 240)), 0.5)
        media_type = None if form == "png" else "image"
        yield Specimen(name=f"{form} truncated", make=create, type=media_type, is_fixable=False)
    yield Specimen(name="jpeg truncated", make=partial(_cut, whole, 0.6), type="image", is_fixable=False)
    yield Specimen(name="video truncated", make=partial(_cut, clip, 0.5), type=None, is_fixable=False)
    yield Specimen(name="video head only", make=partial(_cut, clip, 0.02), type=None, is_fixable=False)
    yield Specimen(name="empty", make=lambda: b"", type="document", is_fixable=False)
    yield Specimen(name="text", make=lambda: b"not a picture at all" * 9, type="document", is_fixable=False)
    # The names of files say nothing about them.
    yield Specimen(name="jpeg named photo.png", make=whole, type="image")
    yield Specimen(name="png named film.mp4", make=partial(_picture, "png", (320, 240)), type="image")
    yield Specimen(name="webp named photo.jpg", make=partial(_picture, "webp", (320, 240)), type="image")
    yield Specimen(name="video named photo.jpg", make=clip, type="video", seconds=_SECONDS)
    # What is one thing to us and another to somebody else stays what we took it for.
    yield Specimen(name="jpeg and zip", make=lambda: whole() + b"PK\x03\x04" + bytes(60), type="image")
    yield Specimen(name="jpeg and html", make=lambda: whole() + b"<script>alert(1)</script>", type="image")
    yield Specimen(
        name="png bomb",
        make=lambda: _png(60_000, 60_000, 8, zlib.compress(bytes(100_000))),
        type=None,
        is_fixable=False,
    )
    yield Specimen(name="gif bomb", make=_gif_bomb, type=None, is_fixable=False)


def _cut(make: Callable[[], bytes], share: float) -> bytes:
    data = make()
    return data[: int(len(data) * share)]


def _gif_bomb() -> bytes:
    """A few bytes that say that they are 65535 pixels wide and high."""
    return (
        b"GIF89a"
        + struct.pack("<HHBBB", 65_535, 65_535, 0, 0, 0)
        + b",\0\0\0\0"
        + struct.pack("<HHB", 65_535, 65_535, 0)
        + b"\x02\x02\x44\x01\0;"
    )


CORPUS: dict[str, Specimen] = {
    specimen.name: specimen
    for specimen in [*_pictures(), *_turned_pictures(), *_special_pictures(), *_films(), *_sounds(), *_damaged()]
}
