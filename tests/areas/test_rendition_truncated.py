"""Files that were cut off: they are refused, because what is left of them would be published as if it were all."""

import pytest

from socialgate.areas.media.probe_result import UnreadableFileError
from socialgate.areas.media.renditions.converter import ConversionError
from socialgate.areas.media.renditions.planner import plan_file
from socialgate.areas.media.renditions.recipes import Recipe
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import MediaFile
from socialgate.contracts.renditions import Fit, Trim
from support.conversions import KINDS, carry_out, film, inspect

SECONDS = 5
PICTURE, SOUND = f"testsrc2=s=160x120:r=25:d={SECONDS}", f"sine=d={SECONDS}"
# Keyframes, so that its packets lie next to each other as those of a real video.
H264 = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "25")
FILMS: dict[str, tuple[str, ...]] = {
    "mkv": (*H264, "-c:a", "aac"),
    "webm": ("-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "16", "-c:a", "libopus"),
    "flv": ("-c:v", "flv1", "-c:a", "libmp3lame", "-ar", "44100"),
    "mp4": (*H264, "-c:a", "aac", "-movflags", "faststart"),
}
SOUNDS = {"flac": ("-c:a", "flac"), "mp3": ("-c:a", "libmp3lame"), "wav": ("-c:a", "pcm_s16le")}


def make_film(suffix: str, *more: str) -> bytes:
    return film(suffix, *FILMS[suffix], *more, source=PICTURE, sound=SOUND)


def make_sound(suffix: str) -> bytes:
    return film(suffix, *SOUNDS[suffix], source=SOUND)


def cut(data: bytes) -> bytes:
    return data[: len(data) * 7 // 10]


def plan_recipe(file: MediaFile, kind: Kind, trim: Trim | None = None) -> Recipe:
    plan = plan_file(KINDS[kind], {"form": "post"}, file, Fit(), trim=trim)
    assert plan.recipe is not None, plan
    return plan.recipe


@pytest.mark.parametrize("suffix", ["mkv", "webm", "flv", "mp4"])
def test_what_is_left_of_a_video_is_not_published_as_all_of_it(suffix: str) -> None:
    whole = make_film(suffix)
    file = inspect(whole)
    recipe = plan_recipe(file, Kind.THREADS, Trim(start=1) if suffix == "mp4" else None)
    assert inspect(carry_out(whole, file, recipe)).duration == pytest.approx(recipe.duration, abs=0.2)  # type: ignore[union-attr] # of a video
    with pytest.raises(ConversionError, match=r"cut off: .* Export it again"):
        carry_out(cut(whole), file, recipe)


@pytest.mark.parametrize("suffix", ["flac", "mp3"])
def test_what_is_left_of_a_sound_is_not_published_as_all_of_it(suffix: str) -> None:
    whole = make_sound(suffix)
    file = inspect(whole)
    recipe = plan_recipe(file, Kind.TELEGRAM_BOT, Trim(start=0.5))
    assert inspect(carry_out(whole, file, recipe)).duration == pytest.approx(4.5, abs=0.2)
    with pytest.raises(ConversionError, match=r"cut off: .* Export it again"):
        carry_out(cut(whole), file, recipe)


def test_a_part_that_is_there_is_published_of_a_video_that_was_cut_off() -> None:
    whole = make_film("mkv")
    file = inspect(whole)
    part = carry_out(cut(whole), file, plan_recipe(file, Kind.THREADS, Trim(start=0.5, end=2)))
    assert inspect(part).duration == pytest.approx(1.5, abs=0.1)


def test_what_is_not_published_may_be_longer_than_the_rest() -> None:
    """The file is as long as its second sound, and the result as the picture and the first one."""
    second = ("-f", "lavfi", "-i", "sine=d=8", "-map", "0", "-map", "1", "-map", "2")
    whole = film("mkv", *second, *FILMS["mkv"], source=PICTURE, sound=SOUND)
    file = inspect(whole)
    assert file.duration == pytest.approx(8, abs=0.1)
    recipe = plan_recipe(file, Kind.THREADS)
    assert inspect(carry_out(whole, file, recipe)).duration == pytest.approx(SECONDS, abs=0.1)
    with pytest.raises(ConversionError, match="cut off"):
        carry_out(cut(whole), file, recipe)


def test_all_of_a_sound_is_published_that_does_not_say_how_long_it_is() -> None:
    whole = bytearray(make_sound("flac"))
    # The number of samples, of which the upper four bits are in a byte with something else.
    whole[21] &= 0xF0
    whole[22:26] = bytes(4)
    file = inspect(bytes(whole))
    assert file.duration is None
    result = inspect(carry_out(bytes(whole), file, plan_recipe(file, Kind.TELEGRAM_BOT)))
    assert result.duration == pytest.approx(SECONDS, abs=0.2)


def test_a_frame_may_be_shown_for_longer_than_its_packet_says() -> None:
    slow = film("mkv", *H264, source=f"testsrc2=s=160x120:r=1/2:d={2 * SECONDS}")
    file = inspect(slow)
    result = inspect(carry_out(slow, file, plan_recipe(file, Kind.THREADS)))
    assert result.duration == pytest.approx(2 * SECONDS, abs=0.2)


@pytest.mark.parametrize("suffix", ["mkv", "webm", "mp4", "avi", "wav", "fragmented"])
def test_an_upload_that_was_cut_off_is_refused_where_the_file_says_its_size(suffix: str) -> None:
    if suffix == "fragmented":
        whole = film("mp4", *H264, "-movflags", "frag_keyframe+empty_moov", source=PICTURE)
    elif suffix == "avi":
        whole = film("avi", "-c:v", "mpeg4", source=PICTURE)
    else:
        whole = make_sound("wav") if suffix == "wav" else make_film(suffix)
    inspect(whole)
    with pytest.raises(UnreadableFileError, match="ends too early"):
        inspect(cut(whole))


@pytest.mark.parametrize("size", [b"\xff\xff\xff\xff", b"\x00\xf0\xff\x7f", b"\0\0\0\0"])
def test_a_stream_whose_size_was_not_known_when_it_began_is_complete(size: bytes) -> None:
    sound = make_sound("wav")
    assert inspect(sound[:4] + size + sound[8:]).type == "audio"
    live = film("mkv", *H264, "-f", "matroska", "-live", "1", source=PICTURE)
    assert b"\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff" in live
    with pytest.raises(UnreadableFileError, match="no readable duration"):
        inspect(live)
