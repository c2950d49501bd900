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

from sandbox.openai.client import ORGANIZATION_ID, Service
from socialgate_sandbox.kit import draw_plain_png, probe_media

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
    images_response = service.sdk.images.generate(
        model="gpt-image-2", prompt=PROMPT, n=2, size="1536x1024", output_format=kind, quality="low"
    )
    first, second = (drawn(image) for image in images_response.data or [])
    assert (first.format, first.size) == (kind.upper(), (1536, 1024))
    assert len(set(first.getcolors(1 << 20) or [])) > 3
    assert first.tobytes() != second.tobytes()
    assert (images_response.size, images_response.output_format, images_response.quality) == ("1536x1024", kind, "low")
    assert images_response.usage is not None
    assert (
        images_response.usage.total_tokens == images_response.usage.input_tokens + images_response.usage.output_tokens
    )
    (post,) = service.sandbox.look("feed", platform="openai", account=ORGANIZATION_ID)["data"]
    assert (post["kind"], post["title"], len(post["media"])) == ("picture", PROMPT, 2)


def test_a_transparent_ground_and_a_size_of_ones_own(service: Service) -> None:
    images_response = service.sdk.images.generate(
        model="gpt-image-2.5-flare", prompt=PROMPT, size="1024x640", background="transparent"
    )
    picture = drawn((images_response.data or [])[0])
    assert (picture.mode, picture.size) == ("RGBA", (1024, 640))
    assert picture.getchannel("A").getextrema() == (0, 255)


def test_an_edit_shows_what_it_was_made_of(service: Service) -> None:
    data = draw_plain_png("bun", 64, 64)
    color = Image.open(BytesIO(data)).convert("RGB").getpixel((0, 0))
    images_response = service.sdk.images.edit(
        model="gpt-image-1.5", image=[("a.png", data, "image/png"), ("b.png", draw_plain_png("c", 8, 8), "image/png")],
        prompt=PROMPT, size="1024x1024",
    )  # fmt: skip
    assert drawn((images_response.data or [])[0]).convert("RGB").getpixel((5, 5)) == color
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
        request = {"model": "sandbox-tts", "voice": "alloy", "input": "Buns", "response_format": "wav"} | more
        return service.sdk.audio.speech.create(**request).content

    assert speak() == speak() != speak(voice="onyx")
    assert len(speak(speed=2)) < len(speak()) < len(speak(speed=0.5))
    for more, param in (({"voice": "me"}, "voice"), ({"speed": 5}, "speed"), ({"input": "x" * 4097}, "input")):
        with pytest.raises(openai.BadRequestError) as refused:
            speak(**more)
        assert refused.value.param == param


def test_a_video_is_ready_after_a_while(service: Service) -> None:
    videos, control = service.sdk.videos, service.sandbox.control
    service.control("outcome", seconds=1000)
    video = videos.create(model="sandbox-video", prompt=PROMPT, seconds="8", size="1280x720")
    assert (video.status, video.progress, video.seconds, video.size) == ("queued", 0, "8", "1280x720")
    with pytest.raises(openai.NotFoundError, match="not ready"):
        videos.download_content(video.id)
    control("clock", advance=500)
    running = videos.retrieve(video.id)
    assert (running.status, running.expires_at) == ("in_progress", None)
    assert 49 < running.progress < 60
    with pytest.raises(openai.BadRequestError):
        videos.delete(video.id)
    control("clock", advance=500)
    done = videos.retrieve(video.id)
    assert (done.status, done.progress, done.error) == ("completed", 100, None)
    assert done.expires_at is not None
    assert done.completed_at is not None
    assert done.expires_at - done.completed_at == 86_400
    film = probe_media(videos.download_content(video.id).content)
    assert (film.content_type, film.width, film.height, film.seconds) == ("video/mp4", 1280, 720, 8)
    small = Image.open(BytesIO(videos.download_content(video.id, variant="thumbnail").content))
    assert (small.format, small.size) == ("WEBP", (640, 360))
    (post,) = service.sandbox.look("feed", platform="openai", account=ORGANIZATION_ID)["data"]
    assert (post["state"], post["media"][0]["contentType"]) == ("published", "video/mp4")
    control("clock", advance=86_400)
    with pytest.raises(openai.NotFoundError, match="expired"):
        videos.download_content(video.id)
    assert videos.delete(video.id).deleted
    with pytest.raises(openai.NotFoundError):
        videos.retrieve(video.id)


def test_videos_fail_as_a_person_chooses_or_moderation_decides(service: Service) -> None:
    videos = service.sdk.videos
    service.control("outcome", result="internal_error")
    failing = [
        videos.create(prompt=PROMPT),
        videos.create(prompt="Something sandbox-blocked"),
        videos.create(prompt="x"),
    ]
    service.sandbox.control("clock", advance=60)
    ended = [videos.retrieve(video.id) for video in failing]
    assert [video.status for video in ended] == ["failed", "failed", "completed"]
    codes = [video.error.code if video.error else None for video in ended]
    assert codes == ["internal_error", "moderation_blocked", None]
    with pytest.raises(openai.NotFoundError):
        videos.download_content(failing[0].id)


def test_videos_are_listed_in_pages(service: Service) -> None:
    created = [service.sdk.videos.create(prompt=f"Bun {number}").id for number in range(3)]
    first = service.sdk.videos.list(limit=2)
    assert ([video.id for video in first.data], first.has_more) == (created[:0:-1], True)
    assert [video.id for video in service.sdk.videos.list(limit=2)] == created[::-1]
    assert [video.id for video in service.sdk.videos.list(order="asc")] == created


def test_a_reference_is_the_first_frame(service: Service) -> None:
    videos = service.sdk.videos
    video = videos.create(prompt=PROMPT, size="720x1280", input_reference=("a.png", draw_plain_png("a", 720, 1280)))
    service.sandbox.control("clock", advance=60)
    frame = Image.open(BytesIO(videos.download_content(video.id, variant="thumbnail").content)).convert("RGB")
    color = Image.open(BytesIO(draw_plain_png("a", 1, 1))).getpixel((0, 0))
    assert isinstance(color, tuple)
    assert frame.getpixel((5, 5)) == pytest.approx(color, abs=6)
    for more, param in (
        ({"input_reference": ("a.png", draw_plain_png("a", 64, 64))}, "input_reference"),
        ({"size": "1024x1792"}, "size"),
        ({"seconds": "5"}, "seconds"),
    ):
        with pytest.raises(openai.BadRequestError) as refused:
            videos.create(prompt=PROMPT, **more)
        assert refused.value.param == param
