"""Files that were made to fit: the right way up, in the right colors, as good as the limit allows, and without the
place where they were taken.
"""

import asyncio
import struct
import subprocess
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

import imageio_ffmpeg
import msgspec
import pytest
from PIL import Image, ImageChops, ImageOps, ImageStat, PngImagePlugin

from socialgate.areas.media.probe_result import UnreadableFileError
from socialgate.areas.media.renditions.converter import ConversionError, Converter
from socialgate.areas.media.renditions.recipes import Frame, ImageRecipe, PictureRecipe, VideoRecipe
from socialgate.contracts.media_rules import validate_file
from socialgate.contracts.platforms import Kind, KindManifest
from socialgate.contracts.renditions import Fit, FocusPoint, Trim
from support.color_profiles import P3_COLOR, P3_COLOR_IN_SRGB, build_display_p3
from support.conversions import KINDS, convert, film, inspect, plan_for, save
from support.corpus import turn_film

GPS, COPYRIGHT, MODEL, ORIENTATION = 0x8825, 0x8298, 0x0110, 0x0112
SOUND = "sine=d=3"
MP4 = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart")


def sample(width: int = 240, height: int = 200) -> Image.Image:
    """Return a picture whose corners differ: what is turned or mirrored is seen."""
    image = Image.new("RGB", (width, height), "gray")
    for color, corner in (("red", (0, 0)), ("green", (1, 0)), ("blue", (0, 1)), ("white", (1, 1))):
        image.paste(color, (corner[0] * width // 2, corner[1] * height // 2, width, height))
    return image


def differ(one_image: Image.Image, other: Image.Image) -> float:
    """Return by how much the pixels of two pictures differ on average, of 255."""
    assert one_image.size == other.size
    return max(ImageStat.Stat(ImageChops.difference(one_image.convert("RGB"), other.convert("RGB"))).mean)


def with_limit(kind: Kind, media: str, max_bytes: int) -> KindManifest:
    manifest = KINDS[kind]
    rule = msgspec.structs.replace(manifest.media[media], max_bytes=max_bytes)
    return msgspec.structs.replace(manifest, media={**manifest.media, media: rule})


@pytest.mark.parametrize("form", ["PNG", "WEBP", "GIF", "BMP", "TIFF", "AVIF", "HEIF"])
def test_every_format_becomes_one_that_is_accepted(form: str) -> None:
    result = convert(save(sample(), form), Kind.INSTAGRAM)
    assert result.image.format == "JPEG"
    assert differ(result.image, sample()) < 6


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_are_turned_upright(orientation: int) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    lying = Image.open(BytesIO(save(sample(), "PNG", exif=exif)))
    result = convert(save(sample(), "PNG", exif=exif), Kind.INSTAGRAM)
    assert differ(result.image, ImageOps.exif_transpose(lying)) < 6
    assert ORIENTATION not in result.image.getexif()


def test_colors_are_those_of_srgb() -> None:
    cmyk = sample().convert("CMYK")
    assert differ(convert(save(cmyk, "TIFF"), Kind.INSTAGRAM).image, cmyk.convert("RGB")) < 6
    gray = Image.new("I;16", (64, 64), 0x8000)
    assert convert(save(gray, "TIFF"), Kind.INSTAGRAM).image.convert("L").getpixel((9, 9)) == 128


@pytest.mark.parametrize("form", ["PNG", "WEBP", "TIFF", "AVIF", "HEIF"])
def test_the_colors_of_phones_are_converted_with_their_profile(form: str) -> None:
    photo = save(Image.new("RGB", (64, 64), P3_COLOR), form, icc_profile=build_display_p3())
    expected = Image.new("RGB", (64, 64), P3_COLOR_IN_SRGB)
    assert differ(convert(photo, Kind.INSTAGRAM).image, expected) < 3


def test_transparent_parts_show_the_background() -> None:
    clear = Image.new("RGBA", (64, 64), (0, 0, 0, 0))
    for background, expected in ((None, (255, 255, 255)), ("#102030", (16, 32, 48))):
        result = convert(save(clear, "PNG"), Kind.INSTAGRAM, Fit(background=background)).image.getpixel((30, 30))
        assert isinstance(result, tuple)
        assert all(abs(value - right) < 4 for value, right in zip(result, expected, strict=True))


def test_the_place_and_the_device_are_left_out_and_the_copyright_stays() -> None:
    exif = Image.Exif()
    exif[COPYRIGHT], exif[MODEL] = "Bakery Lima", "Phone 17"
    exif.get_ifd(GPS).update({1: "S", 2: (12.0, 2.0, 36.0), 3: "W", 4: (77.0, 1.0, 42.0)})
    data = save(sample(), "PNG", exif=exif)
    result = convert(data, Kind.INSTAGRAM)
    kept = result.image.getexif()
    assert kept.get(COPYRIGHT) == "Bakery Lima"
    assert MODEL not in kept
    assert not kept.get_ifd(GPS)


@pytest.mark.parametrize("form", ["GIF", "PNG", "WEBP"])
def test_comments_are_left_out(form: str) -> None:
    place = b"12 S 77 W"
    note = PngImagePlugin.PngInfo()
    note.add_text("comment", place.decode())
    options: dict[str, dict[str, Any]] = {
        "GIF": {"comment": place},
        "PNG": {"pnginfo": note},
        "WEBP": {"xmp": b"<x>" + place + b"</x>"},
    }
    data = save(sample(300, 60), form, **options[form])
    assert place in data
    assert place not in convert(data, Kind.INSTAGRAM).data


def test_margins_and_cuts_are_where_they_belong() -> None:
    panorama = sample(800, 100)
    padded = convert(save(panorama, "PNG"), Kind.INSTAGRAM, Fit(mode="pad", background="#00ff00")).image
    assert padded.size == (800, 419)
    assert padded.getpixel((5, 5))[1] > 240  # type: ignore[index] # three colors
    middle = padded.crop((0, 159, 800, 259))
    assert differ(middle, panorama) < 6
    cropped = convert(save(panorama, "PNG"), Kind.INSTAGRAM, Fit(mode="crop", focus=FocusPoint(x=0, y=0))).image
    assert differ(cropped, panorama.crop((0, 0, 191, 100))) < 6
    blurred = convert(save(panorama, "PNG"), Kind.INSTAGRAM, Fit(background="blur")).image
    assert blurred.size == (800, 419)
    assert differ(blurred.crop((0, 159, 800, 259)), panorama) < 6


def test_a_limit_on_bytes_is_used_up_to_the_last_few_percent() -> None:
    noise = save(Image.effect_noise((700, 700), 80).convert("RGB"), "PNG")
    for limit in (60_000, 130_000):
        result = convert(noise, Kind.INSTAGRAM, manifest=with_limit(Kind.INSTAGRAM, "image", limit))
        assert 0.95 * limit < len(result.data) <= limit


def test_what_has_too_few_bytes_gets_a_comment() -> None:
    picture = sample(300, 260)
    for form in ("JPEG", "PNG"):
        data = save(picture, form)
        assert len(data) < 10_240
        result = convert(data, Kind.GOOGLE_BUSINESS)
        assert 10_240 <= len(result.data) < 10_300
        assert (result.image.format, [change.aspect for change in result.plan.changes]) == (form, ["size"])
        assert differ(result.image, picture) < 6


def test_what_is_accepted_is_the_same_bytes() -> None:
    for data in (save(sample(), "JPEG"), film("mp4", *MP4)):
        assert convert(data, Kind.INSTAGRAM, Fit(mode="crop")).data is data


def test_an_animated_image_becomes_a_video() -> None:
    frames = [Image.new("RGB", (101, 77), (25 * number, 90, 200)) for number in range(10)]
    for form in ("GIF", "WEBP"):
        data = save(frames[0], form, save_all=True, append_images=frames[1:], duration=100)
        file = inspect(convert(data, Kind.INSTAGRAM).data)
        assert (file.mime_type, file.width, file.height) == ("video/mp4", 100, 76)
        assert file.duration == pytest.approx(4, abs=0.1), "a second, as often as Instagram requires"


def test_an_animated_image_whose_frames_are_shown_for_minutes_is_no_video() -> None:
    frames = [Image.new("RGB", (64, 64), color) for color in ("red", "green", "blue")]
    data = save(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=655_000)
    with pytest.raises(ConversionError, match=r"lasts more than 600 s.* Cut it"):
        convert(data, Kind.YOUTUBE)


def check_film(data: bytes, kind: Kind = Kind.INSTAGRAM, media: str = "video") -> None:
    file = inspect(data)
    assert not list(validate_file("", KINDS[kind].media[media], file, ""))


def test_streams_are_copied_where_only_the_container_is_wrong() -> None:
    data = film("mkv", *MP4[:-2], "-c:a", "aac", sound=SOUND)
    result = convert(data, Kind.INSTAGRAM)
    assert isinstance(result.plan.recipe, VideoRecipe)
    assert result.plan.recipe.picture is None
    check_film(result.data)
    moved = convert(film("mp4", *MP4[:-2]), Kind.INSTAGRAM)
    assert [change.aspect for change in moved.plan.changes] == ["index"]
    check_film(moved.data)


@pytest.mark.parametrize(
    ("suffix", "options"),
    [
        ("webm", ("-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "16", "-c:a", "libopus")),
        ("mov", ("-c:v", "prores_ks", "-c:a", "pcm_s16le")),
        ("avi", ("-c:v", "mpeg4", "-vf", "crop=301:201", "-c:a", "libmp3lame")),
        ("mp4", (*MP4, "-c:a", "aac", "-ac", "6", "-r", "120")),
        ("mp4", (*MP4, "-vf", "tinterlace=interleave_top", "-flags", "+ildct+ilme", "-x264opts", "tff=1", "-r", "25")),
        ("flv", ("-c:v", "flv1", "-c:a", "libmp3lame", "-ar", "44100")),
        ("mpg", ("-c:v", "mpeg2video", "-c:a", "mp2")),
    ],
    ids=["vp8", "prores", "odd", "5.1 and 120 fps", "interlaced", "flv", "mpeg"],
)
def test_every_video_becomes_what_is_accepted(suffix: str, options: tuple[str, ...]) -> None:
    data = film(suffix, *options, source="testsrc2=s=320x240:r=30:d=0.5", sound="sine=d=0.5")
    check_film(convert(data, Kind.THREADS).data, Kind.THREADS)


def test_a_video_is_turned_upright_and_padded() -> None:
    turned = turn_film(film("mp4", *MP4, source="testsrc2=s=160x90:r=24:d=3.1"), 90)
    blurred = convert(turned, Kind.FACEBOOK_PAGE, Fit(background="blur"), form="reel")
    check_film(blurred.data, Kind.FACEBOOK_PAGE, "reel")
    result = inspect(blurred.data)
    assert result.width is not None
    assert result.height is not None
    assert 0.55 <= result.width / result.height <= 0.575


@pytest.mark.parametrize(
    ("degrees", "turn"),
    [(90, Image.Transpose.ROTATE_270), (180, Image.Transpose.ROTATE_180), (270, Image.Transpose.ROTATE_90)],
)
def test_the_picture_of_a_video_is_turned_upright(degrees: int, turn: Image.Transpose) -> None:
    corner = "color=c=red:s=160x120:r=25:d=0.2,drawbox=w=80:h=60:color=blue:t=fill"
    lying = film("mp4", "-c:v", "mpeg4", "-q:v", "2", source=corner)
    expected = Image.new("RGB", (160, 120), "red")
    expected.paste((0, 0, 255), (0, 0, 80, 60))
    assert differ(show_frame(convert(turn_film(lying, degrees), Kind.THREADS).data), expected.transpose(turn)) < 6


def test_high_dynamic_range_becomes_standard() -> None:
    colors = ("-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc")
    hdr = film(
        *("webm", "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-pix_fmt", "yuv420p10le", *colors),
        source="testsrc2=s=320x240:r=25:d=0.3",
    )
    before = inspect(hdr)
    assert before.details is not None
    assert before.details.transfer == "smpte2084"
    after = inspect(convert(hdr, Kind.THREADS).data)
    assert after.details is not None
    assert (after.details.transfer, after.details.pixel_format) == (None, "yuv420p")


@pytest.mark.parametrize(
    ("filters", "codec"),
    [
        ("format=gbrp", "ffv1"),
        ("scale=out_color_matrix=smpte170m,format=yuv420p", "ffv1"),
        ("scale=out_color_matrix=smpte170m,format=yuv420p,setparams=colorspace=unknown", "ffv1"),
        ("scale=out_color_matrix=smpte170m:out_range=pc,format=yuvj420p", "mjpeg"),
    ],
    ids=["rgb", "sd", "untagged", "full range"],
)
def test_the_colors_of_a_video_stay(filters: str, codec: str) -> None:
    """Small videos, RGB and full range are encoded differently from what the result says it has."""
    colors = {"red": (230, 30, 30), "green": (30, 200, 30), "blue": (30, 30, 220)}
    for color in colors.values():
        source = f"color=c=0x{bytes(color).hex()}:s=320x240:r=25:d=0.2,format=gbrp,{filters}"
        data = film("mkv", "-c:v", codec, "-q:v", "2", source=source)
        frame = show_frame(convert(data, Kind.THREADS).data)
        assert differ(frame, Image.new("RGB", (320, 240), color)) < 6, color


def show_frame(data: bytes) -> Image.Image:
    """Decode the first frame as a player does that heeds what the file says about its colors."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", "pipe:0", "-frames:v", "1"]
    shown = [*command, "-vf", "zscale=matrixin=709:rangein=limited:matrix=gbr,format=gbrp", "-f", "image2pipe"]
    done = subprocess.run([*shown, "-c:v", "png", "pipe:1"], input=data, capture_output=True, check=True)
    return Image.open(BytesIO(done.stdout)).convert("RGB")


def test_pixels_that_are_not_square_are_not_distorted() -> None:
    data = film("mov", "-c:v", "prores_ks", source="testsrc2=s=352x288:r=25:d=0.2,setsar=16/11")
    result = inspect(convert(data, Kind.THREADS).data)
    assert (result.width, result.height) == (512, 288)
    assert result.details is not None
    assert result.details.pixel_ratio is None


def test_a_video_that_is_too_large_uses_the_limit() -> None:
    data = film("mp4", *MP4, "-qp", "10", source="testsrc2=s=320x240:r=25:d=2,noise=alls=60:allf=t")
    limit = len(data) // 4
    result = convert(data, Kind.TELEGRAM_BOT, manifest=with_limit(Kind.TELEGRAM_BOT, "video", limit))
    assert 0.95 * limit <= len(result.data) <= limit


@pytest.mark.parametrize(
    "options",
    [("mp4", *MP4, "-qp", "10"), ("avi", "-c:v", "mpeg4", "-b:v", "700k")],
    ids=["too many", "another codec"],
)
def test_a_video_stays_below_the_limit_on_bits_per_second_however_short_it_is(options: tuple[str, ...]) -> None:
    data = film(*options, source="testsrc2=s=320x240:r=25:d=1,noise=alls=80:allf=t")
    most = 1_000_000
    rule = msgspec.structs.replace(KINDS[Kind.THREADS].media["video"], max_bit_rate=most)
    manifest = msgspec.structs.replace(KINDS[Kind.THREADS], media={"video": rule})
    assert 0.5 * most < len(convert(data, Kind.THREADS, manifest=manifest).data) * 8 <= most


def test_only_the_requested_part_is_kept_and_a_frame_becomes_the_cover() -> None:
    data = film("mp4", *MP4, "-c:a", "aac", sound=SOUND)
    part = inspect(convert(data, Kind.YOUTUBE, trim=Trim(start=0.5, end=2)).data)
    assert part.duration == pytest.approx(1.5, abs=0.1)
    cover = convert(data, Kind.INSTAGRAM, cover_at=1.5)
    assert (cover.image.format, cover.image.size) == ("JPEG", (320, 240))


def test_progress_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socialgate.areas.media.renditions.converter._PROGRESS_SECONDS", 0)
    data = film("mkv", "-c:v", "ffv1", source="testsrc2=s=160x120:r=30:d=3")
    plan = plan_for(KINDS[Kind.THREADS], inspect(data))
    assert plan.recipe is not None
    (tmp_path / "source").write_bytes(data)
    shares: list[float] = []

    async def report(share: float) -> None:
        shares.append(share)

    asyncio.run(Converter().convert(tmp_path, "video/x-matroska", plan.recipe, report))
    assert shares == sorted(shares)
    assert 0.9 < shares[-1] <= 1


def test_the_place_of_a_video_is_left_out_and_the_copyright_stays() -> None:
    place = ("-metadata", "location=-12.0464-077.0428/", "-metadata", "copyright=Bakery Lima")
    data = film("mov", *MP4, *place)
    assert b"-12.0464" in data
    result = convert(data, Kind.TELEGRAM_BOT).data
    assert b"-12.0464" not in result
    assert b"Bakery Lima" in result


def bomb() -> bytes:
    """Return an image that is small as a file and enormous as a picture."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = zlib.compress(b"\0" * (20_000 // 8 + 1) * 6_000, 9)
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 20_000, 6_000, 1, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_hostile_files_explain_themselves(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError):
        inspect(bomb())
    recipe = ImageRecipe(formats=("JPEG",), frame=Frame(width=100, height=100))
    (tmp_path / "source").write_bytes(bomb())
    with pytest.raises(ConversionError, match="pixels"):
        asyncio.run(Converter().convert(tmp_path, "image/png", recipe))
    with pytest.raises(ConversionError) as damaged:
        convert(save(sample(), "BMP")[:-4000], Kind.INSTAGRAM)
    assert str(damaged.value) == (
        "The image is damaged, or saved in a way that cannot be read. Open it in another program, save it again as "
        "JPEG or PNG, and upload that."
    )
    (tmp_path / "source").write_bytes(b"\0\0\0\x18ftypmp42" + b"\xff" * 4000)
    film_recipe = VideoRecipe(
        demuxer="mov", duration=1, picture=PictureRecipe(frame=Frame(width=64, height=64), fps=30)
    )
    with pytest.raises(ConversionError) as unreadable:
        asyncio.run(Converter().convert(tmp_path, "video/mp4", film_recipe))
    assert str(unreadable.value).startswith("The file is damaged, or encoded in a way that cannot be read. Open it in")


@pytest.mark.parametrize("form", ["TIFF", "WEBP", "AVIF", "HEIF", "JPEG"])
def test_what_a_library_says_about_an_upload_is_not_repeated(form: str) -> None:
    data = save(sample(), form)
    faults = {find_fault(data[:length] + b"\xff" * 400) for length in (40, 60, 90, 140)}
    assert faults <= {
        "",
        "The image cannot be read: it is damaged, or saved in a way that cannot be read. Save it again as JPEG or PNG.",
        "The image cannot be read: it is not what its first bytes say. Save it again as JPEG or PNG.",
        "The image cannot be read: it ends too early. Save it again as JPEG or PNG.",
    }


def find_fault(data: bytes) -> str:
    try:
        inspect(data)
    except UnreadableFileError as error:
        return str(error)
    return ""


def test_a_playlist_reads_no_other_file(tmp_path: Path) -> None:
    """Whatever a file says, only the open file itself is read."""
    secret = tmp_path / "secret.mp4"
    secret.write_bytes(film("mp4", *MP4))
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "source").write_text(f"ffconcat version 1.0\nfile {secret}\n")
    recipe = VideoRecipe(demuxer="concat", duration=1, picture=None)
    with pytest.raises(ConversionError):
        asyncio.run(Converter().convert(folder, "video/mp4", recipe))
    assert not (folder / "result").exists() or not (folder / "result").stat().st_size
