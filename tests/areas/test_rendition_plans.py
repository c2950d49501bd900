"""What is planned for a file: only what the platform would reject is changed, nothing is enlarged, and what is planned
is accepted.
"""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.areas.media.renditions.geometry import FrameLimits, compute_frame, list_smaller_sizes
from socialgate.areas.media.renditions.planner import plan_cover_frame, plan_cover_image, plan_file
from socialgate.areas.media.renditions.plans import Plan
from socialgate.areas.media.renditions.recipes import (
    AudioRecipe,
    CoverRecipe,
    ImageRecipe,
    VideoRecipe,
    build_rendition_key,
)
from socialgate.areas.media.sniff import detect_type
from socialgate.areas.posts.rules import validate_against_manifest
from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.media_rules import find_rule, validate_file
from socialgate.contracts.platforms import Kind, KindManifest, MediaRule
from socialgate.contracts.publishing import (
    PUBLISH_POST_CAPABILITY,
    MediaDetails,
    MediaFile,
    MediaType,
    PostContent,
)
from socialgate.contracts.renditions import Fit, FocusPoint, Trim
from socialgate.core.errors import Fault

MIB = 1024 * 1024
KINDS = {manifest.kind: manifest for platform in MANIFESTS.values() for manifest in platform.kinds}
FORMS: list[tuple[KindManifest, dict[str, str]]] = [
    (manifest, {"form": form})
    for manifest in KINDS.values()
    if PUBLISH_POST_CAPABILITY in manifest.capabilities
    for form in sorted({"post", *(rule.form for rule in manifest.media.values() if rule.form)})
]
H264 = MediaDetails(
    video_codec="h264",
    audio_codec="aac",
    pixel_format="yuv420p",
    fps=30,
    channels=2,
    sample_rate=48_000,
    index_first=True,
)

_THREADS_PIXELS = "Threads accepts yuv420p, yuvj420p, yuv420p10le, nv12."
_THREADS_INDEX = "Threads requires the index (moov) in front of the data."


def _sound(limits: str) -> str:
    return f"Threads accepts sound with {limits}."


def build_file(mime_type: str, width: int = 1080, height: int = 1080, **changes: Any) -> MediaFile:
    kind: MediaType = mime_type.partition("/")[0]  # type: ignore[assignment] # one of the three that tests use
    values: dict[str, Any] = {"size": 200_000, "duration": None if kind == "image" else 10.0, **changes}
    return MediaFile(
        id="med_1",
        type=kind,
        mime_type=mime_type,
        sha256="0" * 64,
        url="",
        file_name="file",
        width=None if kind == "audio" else width,
        height=None if kind == "audio" else height,
        **values,
    )


def plan(kind: Kind, file: MediaFile, fit: Fit | None = None, form: str = "post", **how: Any) -> Plan:
    return plan_file(KINDS[kind], {"form": form}, file, fit or Fit(), **how)


def changed(result: Plan) -> set[str]:
    return {change.aspect for change in result.changes}


def test_what_is_accepted_is_not_changed() -> None:
    for file in (build_file("image/jpeg"), build_file("video/mp4", details=H264)):
        for mode in ("auto", "pad", "crop", "none"):
            result = plan(Kind.INSTAGRAM, file, Fit(mode=mode))
            assert result == Plan(file=file)


@pytest.mark.parametrize("brand", [b"3gp4", b"3gp6", b"3gp7", b"3g2a"])
def test_every_release_of_3gpp_is_told_from_mp4(brand: bytes) -> None:
    """Platforms that accept MP4 reject these."""
    assert detect_type(b"\0\0\0\x18ftyp" + brand + bytes(12), "film.mp4").mime_type == "video/3gpp"


@pytest.mark.parametrize(
    ("head", "mime_type"),
    [
        (b"\0\0\0\x08wide\0\x1d\x81\xb5mdat", "video/quicktime"),
        (b"\x12\x34\x56\x78mdat" + bytes(8), "video/quicktime"),
        (b"\xff\xfa\x90\x64" + bytes(8), "audio/mpeg"),
        (b"The free lunch", "text/plain"),
    ],
)
def test_an_old_file_is_known_without_a_header_that_names_it(head: bytes, mime_type: str) -> None:
    assert detect_type(head, "old").mime_type == mime_type


def test_only_the_format_changes_if_only_the_format_is_wrong() -> None:
    result = plan(Kind.INSTAGRAM, build_file("image/heic"))
    assert changed(result) == {"format"}
    assert result.file.mime_type == "image/jpeg"
    assert isinstance(result.recipe, ImageRecipe)
    assert result.recipe.frame.size == (1080, 1080)


def test_transparent_images_stay_png_where_it_is_accepted() -> None:
    alpha = build_file("image/webp", details=MediaDetails(has_alpha=True))
    assert plan(Kind.FACEBOOK_PAGE, alpha).file.mime_type == "image/png"
    instagram = plan(Kind.INSTAGRAM, alpha)
    assert instagram.file.mime_type == "image/jpeg"
    assert "transparency" in changed(instagram)


def test_a_panorama_gets_margins_or_is_cropped_around_the_focus() -> None:
    panorama = build_file("image/jpeg", 6000, 1000)
    padded = plan(Kind.INSTAGRAM, panorama)
    assert isinstance(padded.recipe, ImageRecipe)
    assert padded.recipe.frame.crop is None
    assert padded.recipe.frame.canvas == (6000, 3142)
    cropped = plan(Kind.INSTAGRAM, panorama, Fit(mode="crop", focus=FocusPoint(x=1, y=0.5)))
    assert isinstance(cropped.recipe, ImageRecipe)
    assert cropped.recipe.frame.crop == (4090, 0, 1910, 1000)


def test_a_large_panorama_with_its_margins_is_no_larger_than_what_is_read() -> None:
    phone = plan(Kind.INSTAGRAM, build_file("image/heic", 16_382, 3_628))
    assert isinstance(phone.recipe, ImageRecipe)
    width, height = phone.recipe.frame.size
    assert 99_000_000 < width * height <= 100_000_000
    assert phone.recipe.frame.width / phone.recipe.frame.height == pytest.approx(16_382 / 3_628, rel=0.001)
    reel = plan(Kind.FACEBOOK_PAGE, build_file("video/mp4", 3840, 2160, details=H264), form="reel")
    assert isinstance(reel.recipe, VideoRecipe)
    assert reel.recipe.picture is not None
    width, height = reel.recipe.picture.frame.size
    assert width * height <= 4096 * 2304


@pytest.mark.parametrize("mode", ["pad", "crop"])
def test_a_reel_gets_the_aspect_ratio_in_the_middle_of_what_is_tolerated(mode: Any) -> None:
    for width, height in ((96, 1280), (1920, 1080), (2000, 3000)):
        result = plan(Kind.FACEBOOK_PAGE, build_file("video/mp4", width, height, details=H264), Fit(mode=mode), "reel")
        if not result.faults:
            assert result.file.width is not None
            assert result.file.height is not None
            assert result.file.width / result.file.height == pytest.approx(9 / 16, abs=0.005)


def test_mode_none_changes_nothing_and_says_what_is_wrong() -> None:
    result = plan(Kind.INSTAGRAM, build_file("image/heic", 6000, 1000), Fit(mode="none"))
    assert result.recipe is None
    assert {fault.code for fault in result.faults} == {"media_type", "media_ratio"}


def test_an_animated_image_becomes_a_video_where_images_of_its_type_are_not_accepted() -> None:
    gif = build_file("image/gif", details=MediaDetails(is_animated=True))
    film = plan(Kind.INSTAGRAM, gif)
    assert isinstance(film.recipe, VideoRecipe)
    assert film.file.type == "video"
    assert film.recipe.duration > 3, "Instagram accepts no shorter video: it is repeated"
    assert isinstance(plan(Kind.YOUTUBE, gif).recipe, VideoRecipe)
    assert plan(Kind.TELEGRAM_BOT, gif).recipe is None
    among_others = plan(Kind.INSTAGRAM, gif, is_alone=False)
    assert isinstance(among_others.recipe, ImageRecipe)
    assert "animation" in changed(among_others)


@pytest.mark.parametrize("kind", [Kind.TIKTOK, Kind.TELEGRAM_BOT])
def test_a_photo_in_webp_does_not_move(kind: Kind) -> None:
    webp = build_file("image/webp", details=MediaDetails(is_animated=True))
    film = plan(kind, webp)
    assert (film.file.type, "format" in changed(film)) == ("video", True)
    among_others = plan(kind, webp, is_alone=False)
    assert (among_others.file.mime_type, changed(among_others)) == ("image/webp", {"animation"})
    assert plan(kind, webp, Fit(mode="none")).faults
    assert plan(kind, build_file("image/webp")).recipe is None
    cover = plan_cover_image(KINDS[Kind.TELEGRAM_BOT], {"form": "post"}, webp, Fit())
    assert changed(cover) == {"animation"}
    assert not check(webp, "document")


def test_what_telegram_sends_as_a_file_is_not_changed() -> None:
    """Files that are sent as documents have any format, and animations more bytes than photos."""
    for mime_type in ("image/heic", "video/x-matroska", "audio/flac"):
        file = build_file(mime_type, 12_000, 300, size=30 * MIB)
        assert plan(Kind.TELEGRAM_BOT, file, form="document") == Plan(file=file)
        assert plan(Kind.TELEGRAM_BOT, file).recipe is not None
        assert [fault.code for fault in check(file, "document")] == []
        assert check(file, "post")
    gif = build_file("image/gif", 400, 300, size=30 * MIB, details=MediaDetails(is_animated=True))
    assert plan(Kind.TELEGRAM_BOT, gif) == Plan(file=gif)
    assert not check(gif, "post")
    film = plan(Kind.TELEGRAM_BOT, msgspec.structs.replace(gif, size=60 * MIB))
    assert isinstance(film.recipe, VideoRecipe), "it still moves"


def check(file: MediaFile, form: str) -> list[Fault]:
    content = PostContent(text="", media=(file,), options={"form": form})
    return list(validate_against_manifest(KINDS[Kind.TELEGRAM_BOT], content))


def test_streams_are_copied_if_only_the_container_is_wrong() -> None:
    result = plan(Kind.INSTAGRAM, build_file("video/x-matroska", details=H264))
    assert isinstance(result.recipe, VideoRecipe)
    assert result.recipe.picture is None
    assert result.recipe.sound is not None
    assert result.recipe.sound.codec is None
    at_the_end = msgspec.structs.replace(H264, index_first=False)
    moved = plan(Kind.THREADS, build_file("video/mp4", details=at_the_end))
    assert changed(moved) == {"index"}
    assert isinstance(moved.recipe, VideoRecipe)
    assert moved.recipe.picture is None


@pytest.mark.parametrize(
    ("details", "aspect"),
    [
        ({"video_codec": "av1"}, "codec"),
        ({"video_codec": "prores", "pixel_format": "yuv422p10le"}, "codec"),
        ({"fps": 120.0}, "frameRate"),
        ({"fps": 15.0}, "frameRate"),
        ({"channels": 6}, "sound"),
        ({"sample_rate": 96_000}, "sound"),
        ({"audio_codec": "opus"}, "sound"),
        ({"transfer": "smpte2084", "video_codec": "vp9"}, "color"),
    ],
)
def test_what_is_encoded_wrongly_is_encoded_again(details: dict[str, Any], aspect: str) -> None:
    file = build_file("video/mp4", details=msgspec.structs.replace(H264, **details))
    result = plan(Kind.INSTAGRAM, file)
    assert aspect in changed(result)
    assert not list(validate_file("", KINDS[Kind.INSTAGRAM].media["video"], result.file, ""))


def test_a_video_that_is_too_large_gets_the_bit_rate_for_the_limit() -> None:
    result = plan(Kind.TELEGRAM_BOT, build_file("video/mp4", 1920, 1080, size=200 * MIB, duration=120.0, details=H264))
    assert isinstance(result.recipe, VideoRecipe)
    assert result.recipe.picture is not None
    rate = result.recipe.picture.bit_rate
    assert rate is not None
    assert 0.9 * 50 * MIB < (rate + 128_000) * 120 / 8 < 50 * MIB


def test_a_video_that_is_too_long_is_only_cut_on_request() -> None:
    long = build_file("video/mp4", duration=700.0, details=H264)
    refused = plan(Kind.TIKTOK, long)
    assert [fault.code for fault in refused.faults] == ["too_long"]
    cut = plan(Kind.TIKTOK, long, trim=Trim(start=10, end=70))
    assert isinstance(cut.recipe, VideoRecipe)
    assert (cut.recipe.start, cut.recipe.duration) == (10, 60)
    assert not cut.faults
    empty = plan(Kind.TIKTOK, long, trim=Trim(start=800))
    assert [fault.code for fault in empty.faults] == ["out_of_range"]


def test_hours_do_not_fit_into_few_bytes() -> None:
    result = plan(Kind.TELEGRAM_BOT, build_file("video/mp4", size=5000 * MIB, duration=4 * 3600.0, details=H264))
    assert [fault.code for fault in result.faults] == ["too_large"]
    assert "trim" in result.faults[0].detail


def test_sound_becomes_what_is_accepted() -> None:
    result = plan(Kind.TELEGRAM_BOT, build_file("audio/wav", details=MediaDetails(audio_codec="pcm_s16le", channels=1)))
    assert isinstance(result.recipe, AudioRecipe)
    assert result.file.mime_type == "audio/mp4"
    assert result.recipe.channels == 1


def test_a_frame_becomes_the_cover() -> None:
    video = build_file("video/mp4", 1920, 1080, details=H264)
    cover = plan_cover_frame(KINDS[Kind.INSTAGRAM], {"form": "reel"}, video, 2.5, Fit())
    assert cover is not None
    assert isinstance(cover.recipe, CoverRecipe)
    assert cover.recipe.image.formats == ("JPEG",)
    late = plan_cover_frame(KINDS[Kind.INSTAGRAM], {}, video, 60, Fit())
    assert late is not None
    assert [fault.code for fault in late.faults] == ["out_of_range"]
    assert plan_cover_frame(KINDS[Kind.TIKTOK], {}, video, 2.5, Fit()) is None


def test_the_key_of_a_result_depends_on_the_content_and_on_what_is_done() -> None:
    first, again = (plan(Kind.INSTAGRAM, build_file("image/heic", 800, 800)).recipe for _ in range(2))
    other = plan(Kind.INSTAGRAM, build_file("image/heic", 800, 801)).recipe
    assert first is not None
    assert again is not None
    assert other is not None
    assert build_rendition_key("a", first) == build_rendition_key("a", again)
    assert len({build_rendition_key("a", first), build_rendition_key("b", first), build_rendition_key("a", other)}) == 3


@pytest.mark.parametrize(
    ("manifest", "options"), FORMS, ids=lambda value: getattr(value, "kind", None) or value["form"]
)
@given(width=st.integers(1, 12_000), height=st.integers(1, 12_000), mode=st.sampled_from(["auto", "crop"]))
def test_what_is_planned_is_accepted(
    manifest: KindManifest, options: dict[str, str], width: int, height: int, mode: Any
) -> None:
    details = {"image": None, "video": H264}
    for mime_type in ("image/heic", "video/x-matroska"):
        kind = mime_type.partition("/")[0]
        if find_rule(manifest, kind, options) is None:
            continue
        file = build_file(mime_type, width, height, size=1000 * MIB, duration=None if kind == "image" else 30.0)
        file = msgspec.structs.replace(file, details=details[kind])
        result = plan_file(manifest, options, file, Fit(mode=mode))
        rule = find_rule(manifest, kind, options, result.file.mime_type)
        assert rule is not None
        if result.recipe is None:
            assert result.faults or not list(validate_file("", rule, file, ""))
        else:
            assert not list(validate_file("", rule, result.file, ""))
            assert result.changes, "what is changed is said"
            assert all(change.before != change.after for change in result.changes)


@given(
    width=st.integers(1, 5000),
    height=st.integers(1, 5000),
    low=st.floats(0.1, 1),
    high=st.floats(1, 3),
    even=st.booleans(),
    crop=st.booleans(),
)
def test_a_picture_is_never_enlarged_and_only_cut_on_request(
    width: int, height: int, low: float, high: float, *, even: bool, crop: bool
) -> None:
    rule = MediaRule(mime_types=(), max_width=2000, max_height=3000, min_ratio=low, max_ratio=high)
    frame = compute_frame(width, height, FrameLimits.of(rule, even=even), crop=FocusPoint() if crop else None)
    if frame is None:
        assert even or crop, "margins fit every picture into these limits"
        return
    kept = frame.crop[2:] if frame.crop is not None else (width, height)
    assert frame.width <= max(kept[0], 2)
    assert frame.height <= max(kept[1], 2)
    assert crop or frame.crop is None
    assert not crop or frame.canvas is None


def explain(result: Plan) -> dict[str, tuple[str, str, str]]:
    return {change.aspect: (change.before, change.after, change.why) for change in result.changes}


@pytest.mark.parametrize(
    ("details", "changes"),
    [
        ({"pixel_format": "yuv444p"}, {"pixelFormat": ("yuv444p", "yuv420p", _THREADS_PIXELS)}),
        (
            {"video_codec": "hevc", "pixel_format": "yuv422p10le"},
            {
                "codec": ("hevc", "h264", "The picture is encoded again."),
                "pixelFormat": ("yuv422p10le", "yuv420p", _THREADS_PIXELS),
            },
        ),
        ({"index_first": False}, {"index": ("at the end", "at the start", _THREADS_INDEX)}),
        (
            {"sample_rate": 96_000},
            {"sound": ("aac, 2 channels, 96000 Hz", "aac, 2 channels, 48000 Hz", _sound("at most 48,000 Hz"))},
        ),
        (
            {"channels": 6, "audio_codec": "opus"},
            {
                "sound": (
                    "opus, 6 channels, 48000 Hz",
                    "aac, 2 channels, 48000 Hz",
                    _sound("the codec aac and at most 2 channels"),
                )
            },
        ),
        (
            {"bit_rate": 40_000_000},
            {
                "bitRate": (
                    "40,000,000 bit/s",
                    "at most 25,000,000 bit/s",
                    "Threads accepts 25,000,000 bits per second.",
                )
            },
        ),
        (
            {"is_interlaced": True},
            {"scan": ("interlaced", "progressive", "Threads does not accept interlaced videos.")},
        ),
        ({"fps": 15.0}, {"frameRate": ("15", "23", "Threads accepts 23 to 60 frames per second.")}),
    ],
)
def test_each_change_names_the_property_that_does_not_fit(
    details: dict[str, Any], changes: dict[str, tuple[str, str, str]]
) -> None:
    file = build_file("video/mp4", details=msgspec.structs.replace(H264, **details))
    assert explain(plan(Kind.THREADS, file)) == changes


@pytest.mark.parametrize(
    ("kind", "mime_type", "expected"),
    [
        (Kind.INSTAGRAM, "application/pdf", "Instagram does not accept PDF files. Use a JPEG image or an MP4 or Quick"),
        (Kind.YOUTUBE, "image/png", "YouTube channel does not accept images. Use an MP4, QuickTime, WebM or Matroska "),
        (Kind.THREADS, "audio/mpeg", "Threads does not accept audio files. Use a JPEG or PNG image or an MP4 or Quick"),
        (Kind.GOOGLE_CALENDAR, "video/mp4", "Google Calendar accepts no files. Publish without the file on this acco"),
        (Kind.THREADS, "image/heic", "The format of the file is HEIC, but Threads accepts JPEG, PNG. Convert it."),
    ],
)
def test_a_refused_type_is_called_by_its_name(kind: Kind, mime_type: str, expected: str) -> None:
    file = build_file(mime_type)
    document = msgspec.structs.replace(file, type="document" if mime_type == "application/pdf" else file.type)
    (fault,) = validate_against_manifest(KINDS[kind], PostContent(text="", media=(document,)))
    assert fault.code == "media_type"
    assert fault.detail.startswith(expected)
    assert fault.detail.endswith(".")


def test_too_many_files_are_counted_in_words() -> None:
    media = tuple(build_file("video/mp4", details=H264) for _ in range(3))
    (fault,) = validate_against_manifest(KINDS[Kind.YOUTUBE], PostContent(text="", media=media))
    assert fault.detail == "There are 3 videos, but YouTube channel accepts 1. Remove 2."


@pytest.mark.parametrize("kind", [Kind.INSTAGRAM, Kind.GOOGLE_BUSINESS, Kind.TIKTOK])
@pytest.mark.parametrize("size", [(4000, 2000), (1600, 120), (90, 1400), (321, 401), (800, 419)])
def test_what_is_made_smaller_to_compress_it_stays_within_the_limits(kind: Kind, size: tuple[int, int]) -> None:
    rule = KINDS[kind].media["image"]
    limits = FrameLimits.of(rule, even=False)
    frame = compute_frame(*size, limits, crop=None)
    if frame is None:
        return
    sizes = list_smaller_sizes(frame.size, limits)
    assert all(limits.accept(*smaller) for smaller in sizes)
    assert list(sizes) == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes)
