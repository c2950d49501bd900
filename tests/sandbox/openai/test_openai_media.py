"""Pictures, speech and videos: real files, made by the clock of the sandbox where they take time."""

import subprocess
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from typing import Any

import imageio_ffmpeg
import openai
import pytest
from PIL import Image

from sandbox.openai.client import ORGANIZATION, Service
from socialgate_sandbox.kit import draw, probe

PROMPT = "A cinnamon bun on a wooden table"
# OpenAI announced the end of its own video models. Other services speak the same API.
pytestmark = pytest.mark.filterwarnings("ignore:The Sora API:DeprecationWarning")


def drawn(picture: Any) -> Image.Image:
    opened = Image.open(BytesIO(b64decode(picture.b64_json)))
    opened.load()
    return opened


def length_of(sound: bytes, folder: Path, *, raw: bool = False) -> float:
    """Decode a sound and give its length in seconds."""
    path = folder / "sound"
    path.write_bytes(sound)
    known = ("-f", "s16le", "-ar", "24000", "-ac", "1") if raw else ()
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", *known, "-i", str(path), "-f", "s16le", "-ar", "8000"]
    done = subprocess.run([*command, "-ac", "1", "-"], capture_output=True, check=True)
    return len(done.stdout) / 16_000


@pytest.mark.parametrize("kind", ["png", "jpeg", "webp"])
def test_a_picture_is_drawn_in_every_format(service: Service, kind: Any) -> None:
    made = service.sdk.images.generate(
        model="gpt-image-2", prompt=PROMPT, n=2, size="1536x1024", output_format=kind, quality="low"
    )
    first, second = (drawn(one) for one in made.data or [])
    assert (first.format, first.size) == (kind.upper(), (1536, 1024))
    assert len(set(first.getcolors(1 << 20) or [])) > 3
    assert first.tobytes() != second.tobytes()
    assert (made.size, made.output_format, made.quality) == ("1536x1024", kind, "low")
    assert made.usage is not None
    assert made.usage.total_tokens == made.usage.input_tokens + made.usage.output_tokens
    (post,) = service.sandbox.look("feed", platform="openai", account=ORGANIZATION)["data"]
    assert (post["kind"], post["title"], len(post["media"])) == ("picture", PROMPT, 2)


def test_a_transparent_ground_and_a_size_of_ones_own(service: Service) -> None:
    made = service.sdk.images.generate(
        model="gpt-image-2.5-flare", prompt=PROMPT, size="1024x640", background="transparent"
    )
    picture = drawn((made.data or [])[0])
    assert (picture.mode, picture.size) == ("RGBA", (1024, 640))
    assert picture.getchannel("A").getextrema() == (0, 255)


def test_an_edit_shows_what_it_was_made_of(service: Service) -> None:
    given = draw("bun", 64, 64)
    color = Image.open(BytesIO(given)).convert("RGB").getpixel((0, 0))
    made = service.sdk.images.edit(
        model="gpt-image-1.5", image=[("a.png", given, "image/png"), ("b.png", draw("c", 8, 8), "image/png")],
        prompt=PROMPT, size="1024x1024",
    )  # fmt: skip
    assert drawn((made.data or [])[0]).convert("RGB").getpixel((5, 5)) == color
    with pytest.raises(openai.BadRequestError) as refused:
        service.sdk.images.edit(model="gpt-image-1.5", image=("a.png", b"no picture"), prompt=PROMPT)
    assert (refused.value.code, refused.value.param) == ("invalid_image_file", "image")


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"size": "1000x1000"}, "size"),
        ({"size": "320x320"}, "size"),
        ({"size": "3840x1024"}, "size"),
        ({"size": "3840x3840"}, "size"),
        ({"size": "wide"}, "size"),
        ({"model": "gpt-image-1.5", "size": "1024x640"}, "size"),
        ({"n": 11}, "n"),
        ({"stream": True}, "stream"),
        ({"model": "gpt-image-1.5", "quality": "max"}, "quality"),
        ({"output_format": "gif"}, "output_format"),
        ({"response_format": "url"}, "response_format"),
        ({"background": "transparent", "output_format": "jpeg"}, "background"),
    ],
)
def test_what_a_picture_cannot_be(service: Service, more: dict[str, Any], param: str) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        service.sdk.images.generate(**{"model": "gpt-image-2", "prompt": PROMPT} | more)
    assert refused.value.param == param


def test_moderation_blocks_a_picture(service: Service) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        service.sdk.images.generate(model="gpt-image-2", prompt="A Sandbox-Blocked thing")
    assert (refused.value.code, refused.value.type) == ("moderation_blocked", "image_generation_user_error")
    service.control("refuse", how="refusal")
    with pytest.raises(openai.BadRequestError):
        service.sdk.images.generate(model="gpt-image-2", prompt=PROMPT)
    assert service.sdk.images.generate(model="gpt-image-2", prompt=PROMPT).data


@pytest.mark.parametrize("kind", ["mp3", "wav", "flac", "aac", "opus", "pcm"])
def test_speech_can_be_played_in_every_format(service: Service, kind: Any, tmp_path: Path) -> None:
    words = "The buns are ready, come by today and try one"
    spoken = service.sdk.audio.speech.create(model="sandbox-tts", voice="nova", input=words, response_format=kind)
    assert length_of(spoken.content, tmp_path, raw=kind == "pcm") == pytest.approx(3.2, abs=0.3)


def test_voices_and_speeds_differ(service: Service) -> None:
    def speak(**more: Any) -> bytes:
        asked = {"model": "sandbox-tts", "voice": "alloy", "input": "Buns", "response_format": "wav"} | more
        return service.sdk.audio.speech.create(**asked).content

    assert speak() == speak() != speak(voice="onyx")
    assert len(speak(speed=2)) < len(speak()) < len(speak(speed=0.5))
    for more, param in (({"voice": "me"}, "voice"), ({"speed": 5}, "speed"), ({"input": "x" * 4097}, "input")):
        with pytest.raises(openai.BadRequestError) as refused:
            speak(**more)
        assert refused.value.param == param


def test_a_video_is_ready_after_a_while(service: Service) -> None:
    videos, control = service.sdk.videos, service.sandbox.control
    service.control("outcome", seconds=1000)
    made = videos.create(model="sandbox-video", prompt=PROMPT, seconds="8", size="1280x720")
    assert (made.status, made.progress, made.seconds, made.size) == ("queued", 0, "8", "1280x720")
    with pytest.raises(openai.NotFoundError, match="not ready"):
        videos.download_content(made.id)
    control("clock", advance=500)
    running = videos.retrieve(made.id)
    assert (running.status, running.expires_at) == ("in_progress", None)
    assert 49 < running.progress < 60
    with pytest.raises(openai.BadRequestError):
        videos.delete(made.id)
    control("clock", advance=500)
    done = videos.retrieve(made.id)
    assert (done.status, done.progress, done.error) == ("completed", 100, None)
    assert done.expires_at is not None
    assert done.completed_at is not None
    assert done.expires_at - done.completed_at == 86_400
    film = probe(videos.download_content(made.id).content)
    assert (film.content_type, film.width, film.height, film.seconds) == ("video/mp4", 1280, 720, 8)
    small = Image.open(BytesIO(videos.download_content(made.id, variant="thumbnail").content))
    assert (small.format, small.size) == ("WEBP", (640, 360))
    (post,) = service.sandbox.look("feed", platform="openai", account=ORGANIZATION)["data"]
    assert (post["state"], post["media"][0]["contentType"]) == ("published", "video/mp4")
    control("clock", advance=86_400)
    with pytest.raises(openai.NotFoundError, match="expired"):
        videos.download_content(made.id)
    assert videos.delete(made.id).deleted
    with pytest.raises(openai.NotFoundError):
        videos.retrieve(made.id)


def test_videos_fail_as_a_person_chooses_or_moderation_decides(service: Service) -> None:
    videos = service.sdk.videos
    service.control("outcome", result="internal_error")
    failing = [
        videos.create(prompt=PROMPT),
        videos.create(prompt="Something sandbox-blocked"),
        videos.create(prompt="x"),
    ]
    service.sandbox.control("clock", advance=60)
    ended = [videos.retrieve(one.id) for one in failing]
    assert [one.status for one in ended] == ["failed", "failed", "completed"]
    codes = [one.error.code if one.error else None for one in ended]
    assert codes == ["internal_error", "moderation_blocked", None]
    with pytest.raises(openai.NotFoundError):
        videos.download_content(failing[0].id)


def test_videos_are_listed_in_pages(service: Service) -> None:
    made = [service.sdk.videos.create(prompt=f"Bun {number}").id for number in range(3)]
    first = service.sdk.videos.list(limit=2)
    assert ([one.id for one in first.data], first.has_more) == (made[:0:-1], True)
    assert [one.id for one in service.sdk.videos.list(limit=2)] == made[::-1]
    assert [one.id for one in service.sdk.videos.list(order="asc")] == made


def test_a_reference_is_the_first_frame(service: Service) -> None:
    videos = service.sdk.videos
    made = videos.create(prompt=PROMPT, size="720x1280", input_reference=("a.png", draw("a", 720, 1280)))
    service.sandbox.control("clock", advance=60)
    frame = Image.open(BytesIO(videos.download_content(made.id, variant="thumbnail").content)).convert("RGB")
    color = Image.open(BytesIO(draw("a", 1, 1))).getpixel((0, 0))
    assert isinstance(color, tuple)
    assert frame.getpixel((5, 5)) == pytest.approx(color, abs=6)
    for more, param in (
        ({"input_reference": ("a.png", draw("a", 64, 64))}, "input_reference"),
        ({"size": "1024x1792"}, "size"),
        ({"seconds": "5"}, "seconds"),
    ):
        with pytest.raises(openai.BadRequestError) as refused:
            videos.create(prompt=PROMPT, **more)
        assert refused.value.param == param
