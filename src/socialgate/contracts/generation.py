"""Generation: what a provider of AI models can do for the areas. A connector implements it, `entry` chooses it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import date
from enum import StrEnum
from http import HTTPStatus
from typing import Literal, Protocol

import msgspec

from socialgate.contracts.failures import ErrorCategory, PlatformFailure
from socialgate.core.errors import Conflict


class GenerationType(StrEnum):
    COPY = "copy"
    IMAGE = "image"
    VIDEO = "video"
    AUDIO = "audio"


ImageFormat = Literal["png", "jpeg", "webp"]
AudioFormat = Literal["mp3", "opus", "aac", "flac", "wav"]


class AiNotConfigured(Conflict):
    """This deployment has no AI provider.

    The operator must set `SOCIALGATE_AI_API_KEY` (a key from platform.openai.com), or `SOCIALGATE_AI_URL` for another
    server with an OpenAI-compatible API, and restart the service.
    """

    code = "ai_not_configured"
    title = "No AI provider is configured"


class AiAccountRejected(PlatformFailure):
    """The AI provider does not accept the account of this deployment: its key is wrong, lacks a permission, or has no
    credit left.

    The operator must check `SOCIALGATE_AI_API_KEY` and the account at the provider; `socialgate doctor` checks the key.
    """

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "ai_account_rejected"
    title = "The AI provider rejected the operator's account"
    category: ErrorCategory = "system_error"
    source = "system"


class ModelItem(msgspec.Struct, frozen=True, kw_only=True):
    """A model of the provider. `ends_on` is the day on which it is shut down, if that is known."""

    id: str
    types: tuple[GenerationType, ...]
    ends_on: date | None = None


class TokenUsage(msgspec.Struct, frozen=True, kw_only=True):
    """What the provider counted for one call."""

    input_tokens: int
    output_tokens: int


class InputImage(msgspec.Struct, frozen=True, kw_only=True):
    """An image that a model looks at."""

    mime_type: str
    file_name: str
    data: bytes


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is asked. Rules are from `system`; everything else, also what strangers wrote, from `user`."""

    role: Literal["system", "user", "assistant"]
    text: str
    input_images: tuple[InputImage, ...] = msgspec.field(default=(), name="pictures")


class GeneratedText(msgspec.Struct, frozen=True, kw_only=True):
    """A generated text. `complete` is False if the model reached its own limit of tokens."""

    text: str
    complete: bool
    usage: TokenUsage | None


class ImageRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`aspect_ratio` is such as `16:9`, and counts only without a `size`."""

    prompt: str
    size: str | None = None
    aspect_ratio: str | None = None
    quality: str | None = None
    format: ImageFormat | None = None
    input_images: tuple[InputImage, ...] = msgspec.field(default=(), name="pictures")


class GeneratedImage(msgspec.Struct, frozen=True, kw_only=True):
    """A generated image: its bytes, or where the provider offers it."""

    data: bytes | None
    url: str | None
    usage: TokenUsage | None
    warnings: tuple[str, ...] = ()


class SpeechRequest(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    voice: str
    format: AudioFormat
    speed: float | None = None


class VideoRequest(msgspec.Struct, frozen=True, kw_only=True):
    prompt: str
    seconds: int | None = None
    aspect_ratio: str | None = None
    picture: InputImage | None = None


class VideoState(msgspec.Struct, frozen=True, kw_only=True):
    """A video at the provider. `failure` says why there is none, and `percent` how far it is, if known."""

    id: str
    done: bool
    percent: int | None
    failure: PlatformFailure | None


ByteStream = AbstractAsyncContextManager[AsyncIterator[bytes]]


class AiClient(Protocol):
    """Raises the failures of platforms. A call that may have been executed without a response is OutcomeUnknown; after
    every other failure the provider has made nothing.
    """

    provider: str

    async def list_models(self) -> Sequence[ModelItem]:
        """List the models that can generate something."""

    def list_preferred_models(self, kind: GenerationType) -> Sequence[str] | None:
        """Return the models to use by default, the best one first; None if the models of the provider are not known."""

    def infer_generation_types(self, model: str) -> Sequence[GenerationType]:
        """Return what a model generates, as its name suggests; nothing if it suggests something else."""

    async def generate_text(self, model: str, messages: Sequence[ChatMessage]) -> GeneratedText: ...

    async def generate_image(self, model: str, request: ImageRequest) -> GeneratedImage: ...

    def generate_speech(self, model: str, request: SpeechRequest) -> ByteStream:
        """Read a text out; the result is an audio file."""

    async def start_video(self, model: str, request: VideoRequest) -> VideoState: ...

    async def fetch_video_state(self, video_id: str) -> VideoState: ...

    def download_video(self, video_id: str) -> ByteStream: ...

    def download_image(self, url: str) -> ByteStream:
        """Fetch an image that the provider offers at a URL."""


class AiClientLoader(Protocol):
    """The provider of this deployment. Loaded when it is first needed."""

    @property
    def current_client(self) -> AiClient | None:
        """The provider; None if none is configured."""


def require_ai_client(generators: AiClientLoader) -> AiClient:
    items = generators.current_client
    if items is None:
        raise AiNotConfigured(
            "No AI provider is configured. The operator must set SOCIALGATE_AI_API_KEY, or SOCIALGATE_AI_URL for a "
            "server with an OpenAI-compatible API."
        )
    return items
