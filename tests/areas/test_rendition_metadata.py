"""Images with damaged or misleading metadata: what can be decoded is converted, and looks as it was planned."""

import importlib.util
import random
import struct
import warnings
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from types import ModuleType

import pytest
from PIL import Image, ImageStat
from PIL.PngImagePlugin import PngInfo

from socialgate.areas.media.limited_process import build_python_command
from socialgate.contracts.platforms import Kind
from support.color_profiles import build_display_p3
from support.conversions import convert, inspect, save
from support.corpus import draw

ARTIST, COPYRIGHT, ORIENTATION = 0x013B, 0x8298, 0x0112
MODEL, RESOLUTION, GPS, PHOTO = 0x0110, 0x011A, 0x8825, 0x8769
# How the metadata of cameras starts, in both byte orders.
EXIF_MARKS, EXIF_BYTES = (b"MM\0*", b"II*\0"), 120
MAX_PIXELS = 250_000
MUTATIONS = 60
PNG_HEAD_BYTES, PNG_END_BYTES = 33, 12


def build_exif(orientation: int = 6, copyright_text: str = "Bakery Lima") -> Image.Exif:
    exif = Image.Exif()
    exif[ORIENTATION], exif[COPYRIGHT], exif[ARTIST] = orientation, copyright_text, "Ada"
    exif[MODEL], exif[RESOLUTION] = "Phone 17", 72.0
    exif.get_ifd(GPS).update({1: "S", 2: (12.0, 2.0, 36.0), 3: "W", 4: (77.0, 1.0, 42.0)})
    exif.get_ifd(PHOTO).update({0x829A: 0.01, 0x9003: "2026:01:01 10:00:00", 0x927C: b"maker" * 4})
    return exif


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def with_chunk(png: bytes, name: bytes, data: bytes, *, is_last: bool = False) -> bytes:
    at = len(png) - PNG_END_BYTES if is_last else PNG_HEAD_BYTES
    return png[:at] + chunk(name, data) + png[at:]


def make_originals() -> Iterator[tuple[str, bytes]]:
    """Small pictures with much metadata."""
    exif, profile = build_exif(), build_display_p3()
    for form, modes in {
        "JPEG": ("RGB", "L", "CMYK"),
        "PNG": ("RGB", "RGBA", "L", "P", "LA", "1"),
        "WEBP": ("RGB", "RGBA"),
        "TIFF": ("RGB", "L", "CMYK"),
    }.items():
        for mode in modes:
            picture = draw(48, 36, "RGBA").convert("LA") if mode == "LA" else draw(48, 36, mode)
            yield form, save(picture, form, exif=exif, icc_profile=profile)
    deep = Image.new("I;16", (48, 36), 40_000)
    yield "PNG", save(deep, "PNG", transparency=40_000)
    for mode, transparency in (("L", 120), ("RGB", (1, 2, 3)), ("P", b"\0\x80\xff")):
        texts = PngInfo()
        texts.add_text("Comment", "bread " * 20)
        yield "PNG", save(draw(48, 36, mode), "PNG", transparency=transparency, pnginfo=texts)
    yield "GIF", save(draw(48, 36, "P"), "GIF", transparency=3, comment=b"bread")
    yield "BMP", save(draw(48, 36), "BMP")


def mutate(data: bytes, choose: random.Random) -> bytes:
    """Change a few bytes, mostly of the metadata. PNG images keep valid checksums."""
    changed = bytearray(data)
    begins = [data.find(mark) for mark in EXIF_MARKS if mark in data[8:]]
    for _ in range(choose.randint(1, 4)):
        start, end = 8, len(data) if choose.random() < 0.3 else min(len(data), 700)
        if begins and choose.random() < 0.7:
            start, end = begins[0] + 8, min(len(data), begins[0] + EXIF_BYTES)
        changed[choose.randrange(start, end)] = choose.choice((0, 1, 0x7F, 0x80, 0xFF, choose.randrange(256)))
    return seal(bytes(changed)) if data.startswith(b"\x89PNG") else bytes(changed)


def seal(png: bytes) -> bytes:
    """Compute the checksums of a PNG image again: else most of what was changed is not looked at."""
    sealed, at = bytearray(png), 8
    while at + 12 <= len(png):
        (length,) = struct.unpack_from(">I", png, at)
        if at + 12 + length > len(png):
            break
        struct.pack_into(">I", sealed, at + 8 + length, zlib.crc32(png[at + 4 : at + 8 + length]))
        at += 12 + length
    return bytes(sealed)


def can_decode(data: bytes, form: str) -> bool:
    try:
        with Image.open(BytesIO(data), formats=[form]) as image:
            if image.width * image.height > MAX_PIXELS:
                return False
            image.load()
    except Exception:  # noqa: BLE001 - whatever the library raises
        return False
    return True


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """Return the program that converts images, which works in an empty folder."""
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", Image.MAX_IMAGE_PIXELS)
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location("convert_image", build_python_command("convert_image")[-1])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def convert_in_process(program: ModuleType, data: bytes, form: str) -> str | None:
    """Convert an image, and return why it failed, if it did."""
    Path("source").write_bytes(data)
    for target in ("JPEG", "PNG"):
        recipe = {"formats": [target], "frame": {"width": 24, "height": 24}}
        try:
            program.convert({"formats": [form], "pixels": MAX_PIXELS, "recipe": recipe})
        except Exception as error:  # noqa: BLE001 - it is shown with the others
            return f"{type(error).__name__}: {error}"
    return None


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF", "GIF", "BMP"])
def test_what_can_be_decoded_is_converted(form: str, program: ModuleType) -> None:
    with warnings.catch_warnings():
        # The library warns about metadata that is damaged.
        warnings.simplefilter("ignore")
        failures, decoded, count = convert_mutations(program, form)
    assert decoded > count / 10, "most of the changes are of metadata"
    assert not failures


def convert_mutations(program: ModuleType, form: str) -> tuple[list[str], int, int]:
    """Return why changed images failed that can be decoded, how many can be, and of how many."""
    failures: list[str] = []
    decoded = count = 0
    for data in [data for name, data in make_originals() if name == form]:
        choose = random.Random(f"{form} {len(data)}")  # noqa: S311 - the same in every run
        for changed in [data, *(mutate(data, choose) for _ in range(MUTATIONS))]:
            count += 1
            if can_decode(changed, form):
                decoded += 1
                failures += filter(None, [convert_in_process(program, changed, form)])
    return failures, decoded, count


PICTURE = save(draw(60, 40), "PNG")


@pytest.mark.parametrize(
    "damage",
    [
        lambda: with_chunk(PICTURE, b"tEXt", b"icc_profile\0sRGB"),
        lambda: with_chunk(PICTURE, b"tEXt", b"icc_profile\0sRGB", is_last=True),
        lambda: with_chunk(PICTURE, b"tEXt", b"transparency\0none"),
        lambda: with_chunk(PICTURE, b"tEXt", b"exif\0none"),
        lambda: with_chunk(PICTURE, b"eXIf", b"MM\0*\0\0\0\x08\xff\xff" + bytes(9)),
        lambda: with_chunk(PICTURE, b"eXIf", b"not Exif at all"),
        lambda: with_chunk(PICTURE, b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(b"\nexif\n3\nzz\n")),
        lambda: save(draw(60, 40), "PNG", exif=build_exif(1, "c" * 70_000)),
        lambda: save(draw(60, 40), "TIFF", exif=build_exif(1, "c" * 70_000)),
    ],
    ids=["profile", "late profile", "transparency", "text", "cut", "no Exif", "raw", "long", "long TIFF"],
)
def test_metadata_that_makes_no_sense_is_left_out(damage: Callable[[], bytes]) -> None:
    data = damage()
    assert (inspect(data).width, inspect(data).height) == (60, 40)
    result = convert(data, Kind.TIKTOK).image
    assert result.size == (60, 40) or result.width / result.height == pytest.approx(1.5, abs=0.05)
    assert len(str(result.getexif().get(COPYRIGHT, ""))) <= 500


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_a_picture_is_turned_by_what_was_seen_when_it_was_planned(orientation: int) -> None:
    """What follows the picture is not read for its size, so it does not turn it either: else it would be distorted."""
    late = with_chunk(PICTURE, b"eXIf", build_exif(orientation).tobytes()[6:], is_last=True)
    file = inspect(late)
    result = convert(late, Kind.INSTAGRAM).image
    assert result.size == (file.width, file.height)
    top_left = ImageStat.Stat(result.convert("RGB").crop((2, 2, 20, 15))).mean
    assert top_left[0] > 180 > top_left[1], "the red corner is where it was"
