"""OpenAI, compared with its own SDK."""

from typing import Any

from openai import OpenAI

from parity.operations import NOW, TOKEN, Operation, Vendor, Walk
from parity.recording import SDK, Recorder
from socialgate.connectors.openai.ai_client import OPENAI_API_URL, OpenAiClient, ProviderConfig
from socialgate.connectors.transport import VendorTransport
from socialgate.contracts.generation import ChatMessage, ImageRequest, InputImage, SpeechRequest, VideoRequest

PICTURE = InputImage(mime_type="image/png", file_name="bun.png", data=b"xxxx")
FILE = ("bun.png", b"xxxx", "image/png")
SYSTEM, USER = ChatMessage(role="system", text="Be brief"), ChatMessage(role="user", text="Write")
SHOWN = ChatMessage(role="user", text="What is it?", input_images=(PICTURE,))
DATA = "data:image/png;base64,eHh4eA=="
VIDEO_ID = "video_1000001"
_JOB = {"id": VIDEO_ID, "object": "video", "created_at": 1, "model": "m", "seconds": "8", "size": "1280x720"}


def sdk(recorder: Recorder) -> OpenAI:
    return OpenAI(api_key=TOKEN, base_url=f"{recorder.base(SDK, 'api.openai.com')}/v1", max_retries=0)


def ours(wire: VendorTransport) -> OpenAiClient:
    provider = ProviderConfig(name="OpenAI", url=OPENAI_API_URL, api_key=TOKEN, deadline=30)
    return OpenAiClient(provider, wire, wire.egress_client)


async def read(pieces: Any) -> None:
    async with pieces as result:
        async for _ in result:
            pass


_BRIEF: Any = [{"role": "system", "content": "Be brief"}, {"role": "user", "content": "Write"}]
_LOOK: Any = [
    {
        "role": "user",
        "content": [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": DATA}}],
    }
]
# The types of the SDK change with the models that it knows.
_ANY: Any = {"size": "1536x1024", "quality": "high", "output_format": "jpeg"}

OPERATIONS = [
    Operation("list models", lambda sdk: sdk.models.list(), lambda ours: ours.list_models()),
    Operation(
        "write a text",
        lambda sdk: sdk.chat.completions.create(model="gpt-5", messages=_BRIEF),
        lambda ours: ours.generate_text("gpt-5", [SYSTEM, USER]),
    ),
    Operation(
        "write about an image",
        lambda sdk: sdk.chat.completions.create(model="gpt-5", messages=_LOOK),
        lambda ours: ours.generate_text("gpt-5", [SHOWN]),
    ),
    Operation(
        "draw an image",
        lambda sdk: sdk.images.generate(model="gpt-image-1", prompt="A bun", n=1, **_ANY),
        lambda ours: ours.generate_image(
            "gpt-image-1", ImageRequest(prompt="A bun", size="1536x1024", quality="high", format="jpeg")
        ),
    ),
    Operation(
        "draw with a model that offers a URL",
        lambda sdk: sdk.images.generate(model="dall-e-3", prompt="A bun", n=1, response_format="b64_json"),
        lambda ours: ours.generate_image("dall-e-3", ImageRequest(prompt="A bun")),
    ),
    Operation(
        "change an image",
        lambda sdk: sdk.images.edit(model="gpt-image-1", prompt="Bigger", n=1, image=FILE, output_format="png"),
        lambda ours: ours.generate_image(
            "gpt-image-1", ImageRequest(prompt="Bigger", format="png", input_images=(PICTURE,))
        ),
    ),
    Operation(
        "join two images",
        lambda sdk: sdk.images.edit(model="gpt-image-1", prompt="Both", n=1, image=[FILE, FILE], output_format="png"),
        lambda ours: ours.generate_image(
            "gpt-image-1", ImageRequest(prompt="Both", format="png", input_images=(PICTURE, PICTURE))
        ),
    ),
    Operation(
        "read a text out",
        lambda sdk: sdk.audio.speech.create(
            model="gpt-4o-mini-tts", input="Warm", voice="coral", response_format="mp3", speed=1.5
        ),
        lambda ours: read(
            ours.generate_speech("gpt-4o-mini-tts", SpeechRequest(text="Warm", voice="coral", format="mp3", speed=1.5))
        ),
    ),
    Operation(
        "order a video",
        lambda sdk: sdk.videos.create(model="sora-2", prompt="An oven", seconds="8", size="1280x720"),
        lambda ours: ours.start_video("sora-2", VideoRequest(prompt="An oven", seconds=8, aspect_ratio="16:9")),
    ),
    Operation(
        "order a video of an image",
        lambda sdk: sdk.videos.create(model="sora-2", prompt="An oven", input_reference=FILE),
        lambda ours: ours.start_video("sora-2", VideoRequest(prompt="An oven", picture=PICTURE)),
    ),
    Operation(
        "read the state of a video",
        lambda sdk: sdk.videos.retrieve(VIDEO_ID),
        lambda ours: ours.fetch_video_state(VIDEO_ID),
    ),
    Operation(
        "download a video",
        lambda sdk: sdk.videos.download_content(VIDEO_ID),
        lambda ours: read(ours.download_video(VIDEO_ID)),
    ),
]

WALKS = [
    Walk(
        "fetch an image of the provider",
        lambda ours: read(ours.download_image(ours._wire.resolve_url("https://api.openai.com/v1/files/file-1000001"))),
    ),
    Walk("fetch an image from elsewhere", lambda ours: read(ours.download_image(_elsewhere(ours)))),
]


def _elsewhere(ours: OpenAiClient) -> str:
    """Return an address on another host, which is the same server by another name."""
    url = ours._wire.resolve_url("https://images.example.com/image-1000001")
    return url.replace("127.0.0.1", "localhost")


VENDOR = Vendor(
    name="openai",
    sdk=sdk,
    ours=ours,
    operations=OPERATIONS,
    walks=WALKS,
    answers={
        r"GET .*/models": {"object": "list", "data": [{"id": "gpt-5", "object": "model", "created": 1}]},
        r"POST .*/chat/completions": {
            "id": "1",
            "object": "chat.completion",
            "created": int(NOW.timestamp()),
            "model": "gpt-5",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi"}}],
        },
        r"POST .*/images/": {"created": 1, "data": [{"b64_json": "eHh4eA=="}]},
        r"POST .*/audio/speech": b"sound",
        r"GET .*/content": b"film",
        r"GET .*/(?:file|image)-": b"image",
        r"/videos": {**_JOB, "status": "queued", "progress": 0},
    },
)
