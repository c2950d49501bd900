"""Requests and responses of generations. The descriptions of fields take many lines."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from socialgate.areas.media.schemas import MediaItem
from socialgate.contracts.failures import ErrorCategory
from socialgate.contracts.generation import AudioFormat, GenerationType, ImageFormat
from socialgate.contracts.platforms import Kind, TextKind
from socialgate.core.fields import CreatedAt
from socialgate.core.jobs.job_store import JobStatus
from socialgate.web.pagination import ListQuery
from socialgate.web.schemas import QueryParameters, RequestBody, ResponseModel

_EXAMPLE_GENERATION_ID = "gen_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_MEDIA_ID = "med_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_PROFILE_ID = "prf_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_TIME = "2026-11-15T09:30:00Z"
MAX_WAIT_SECONDS = 30
MAX_VARIANTS = 5
MAX_IMAGES = 4
MAX_INPUT_IMAGES = 4

Prompt = Annotated[
    str,
    Meta(min_length=1, max_length=32_000, pattern=r"\S", description="What to generate, in your own words."),
]
ModelName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=100,
        description="A model from `GET /ai/models`. Unset: the operator's default for this type.",
    ),
]
ProfileId = Annotated[
    str,
    Meta(
        max_length=40,
        description="The profile that the generation and its files belong to. Required for a key limited to several "
        "profiles.",
    ),
]
MediaId = Annotated[str, Meta(max_length=40)]
Language = Annotated[str, Meta(min_length=2, max_length=60, description="Such as `pt-BR` or `Portuguese`.")]
Tone = Annotated[str, Meta(min_length=1, max_length=200, description="Such as `friendly` or `formal, without irony`.")]
AspectRatio = Literal["1:1", "2:3", "3:2", "4:5", "5:4", "9:16", "16:9"]
_KINDS_DESCRIPTION = (
    "Kinds of accounts that the text is for: their length limits apply. See `kind` in `GET /platforms`. Ad accounts "
    "and calendars accept no texts."
)
_INPUT_IMAGES_DESCRIPTION = (
    "Images for the model to look at: JPEG, PNG, WebP or GIF of up to 10 MiB. Not every model accepts images."
)
_REFERENCES_DESCRIPTION = (
    "Images to base the new one on: JPEG, PNG or WebP of up to 10 MiB. Not every model accepts images."
)


class NewGeneration(RequestBody, frozen=True, kw_only=True):
    """The fields of every new generation."""

    model: ModelName | None = None
    profile_id: ProfileId | None = None


class CopyGenerationBody(NewGeneration, frozen=True, kw_only=True):
    """Texts to generate."""

    prompt: Prompt
    kinds: Annotated[list[TextKind], Meta(max_length=20, description=_KINDS_DESCRIPTION)] = field(default_factory=list)
    account_ids: Annotated[
        list[Annotated[str, Meta(max_length=40)]],
        Meta(max_length=20, description="Accounts that the text is for: the limits of their kinds apply."),
    ] = field(default_factory=list)
    tone: Tone | None = None
    language: Language | None = None
    variants: Annotated[int, Meta(ge=1, le=MAX_VARIANTS, description="How many texts to generate.")] = 1
    max_length: Annotated[int, Meta(ge=10, le=100_000, description="Maximum number of characters.")] | None = None
    hashtags: Annotated[bool, Meta(description="Whether to add hashtags. Unset: the model decides.")] | None = None
    emoji: Annotated[bool, Meta(description="Whether to use emoji. Unset: the model decides.")] | None = None
    media_ids: Annotated[list[MediaId], Meta(max_length=MAX_INPUT_IMAGES, description=_INPUT_IMAGES_DESCRIPTION)] = (
        field(default_factory=list)
    )

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "prompt": "Announce our new rye bread, available from Monday for 3.50.",
            "kinds": ["threads", "instagram"],
            "tone": "friendly",
            "language": "en",
            "variants": 2,
        }


class ImageGenerationBody(NewGeneration, frozen=True, kw_only=True):
    """Images to generate. Set `size` or `aspectRatio`, not both."""

    prompt: Prompt
    size: (
        Annotated[
            str,
            Meta(
                pattern=r"^(auto|[1-9]\d{1,3}x[1-9]\d{1,3})$",
                description="Width and height in pixels, such as `1024x1024`, or `auto`. The model must support it.",
            ),
        ]
        | None
    ) = None
    aspect_ratio: AspectRatio | None = None
    """The shape of the image; the model chooses the size."""
    count: Annotated[int, Meta(ge=1, le=MAX_IMAGES, description="How many images to generate.")] = 1
    quality: Annotated[str, Meta(max_length=20, description="Such as `low`, `medium` or `high`.")] | None = None
    format: Annotated[ImageFormat, Meta(description="Unset: JPEG, which every platform accepts.")] | None = None
    media_ids: Annotated[list[MediaId], Meta(max_length=MAX_INPUT_IMAGES, description=_REFERENCES_DESCRIPTION)] = field(
        default_factory=list
    )

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"prompt": "A loaf of rye bread on a wooden table, morning light.", "aspectRatio": "1:1", "count": 2}


class VideoGenerationBody(NewGeneration, frozen=True, kw_only=True):
    """A video to generate. This takes several minutes."""

    prompt: Prompt
    seconds: (
        Annotated[int, Meta(ge=1, le=120, description="Length of the video. OpenAI's models accept 4, 8 or 12.")] | None
    ) = None
    aspect_ratio: Literal["16:9", "9:16"] | None = None
    """Landscape or portrait. By default the model decides."""
    image_media_id: (
        Annotated[str, Meta(max_length=40, description="An image for the first frame, with the size of the video.")]
        | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"prompt": "Steam rises from fresh bread.", "seconds": 4, "aspectRatio": "9:16"}


class AudioGenerationBody(NewGeneration, frozen=True, kw_only=True):
    """A text to read aloud."""

    text: Annotated[str, Meta(min_length=1, max_length=4096, pattern=r"\S", description="The text to read aloud.")]
    voice: Annotated[
        str, Meta(min_length=1, max_length=60, description="One of the provider's voices, such as `alloy`.")
    ] = "alloy"
    format: AudioFormat = "mp3"
    """The format of the file."""
    speed: (
        Annotated[float, Meta(ge=0.25, le=4.0, description="How fast to speak: 1 is normal, 2 twice as fast.")] | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"text": "Fresh rye bread, available from Monday.", "voice": "alloy", "format": "mp3"}


class GenerationsQuery(ListQuery, frozen=True, kw_only=True):
    """Which generations to list."""

    type: Annotated[GenerationType, Meta(description="Only generations of this type.")] | None = None
    status: Annotated[JobStatus, Meta(description="Only generations with this status.")] | None = None
    profile_id: Annotated[str, Meta(max_length=40, description="Only generations of this profile.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 50, "type": "image", "status": "succeeded"}


class GenerationQuery(QueryParameters, frozen=True, kw_only=True):
    """How long to wait for the generation."""

    wait: Annotated[
        int,
        Meta(ge=0, le=MAX_WAIT_SECONDS, description="Respond when it has finished, or after this many seconds."),
    ] = 0

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"wait": 30}


class LengthCheck(ResponseModel, frozen=True, kw_only=True):
    """Whether a text fits, with its length as the platform of `kind` counts it. `kind` is null for your `maxLength`."""

    kind: Kind | None
    """The kind of account whose limit it is. Null for your `maxLength`."""
    length: int
    """The length of the text, in `unit`."""
    limit: int
    """The maximum length, in `unit`."""
    unit: str
    """What is counted: `characters`, `utf16` units, or `bytes`."""
    fits: bool
    """Whether the text is short enough."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"kind": "threads", "length": 212, "limit": 500, "unit": "characters", "fits": True}


class CopyVariant(ResponseModel, frozen=True, kw_only=True):
    """A generated text. `shortened` is true if it was too long and the model was asked to shorten it."""

    text: str
    """The generated text."""
    shortened: bool
    """Whether it was too long and the model was asked to shorten it."""
    checks: list[LengthCheck]
    """How its length compares with each limit."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"text": "Rye bread is back!", "shortened": False, "checks": [LengthCheck.example()]}


class GenerationResult(ResponseModel, frozen=True, kw_only=True):
    """The results so far: texts, or files that posts can use by their id. `mediaIds` also lists files that have expired
    since.
    """

    variants: list[CopyVariant]
    """The texts. Empty for other types."""
    media_ids: list[str]
    """The ids of the files, including those that have expired since. Empty for texts."""
    media: list[MediaItem]
    """The files that still exist."""
    warnings: list[str]
    """What differs from the request, such as the size or format of an image."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"variants": [], "mediaIds": [_EXAMPLE_MEDIA_ID], "media": [MediaItem.example()], "warnings": []}


class GeneratedContent(ResponseModel, frozen=True, kw_only=True):
    """The result of the task of a generation. `GET /ai/generate/{taskId}` also shows the files."""

    variants: Annotated[list[CopyVariant], Meta(description="The generated texts.")]
    media_ids: Annotated[list[str], Meta(description="The ids of the generated files.")]
    warnings: Annotated[list[str], Meta(description="What is different from the request, and why.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"variants": [], "mediaIds": [_EXAMPLE_MEDIA_ID], "warnings": []}


class GenerationUsage(ResponseModel, frozen=True, kw_only=True):
    """The tokens that the provider reported."""

    input_tokens: int
    """Tokens of the prompt and its images."""
    output_tokens: int
    """Tokens of the result."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"inputTokens": 64, "outputTokens": 1056}


class GenerationError(ResponseModel, frozen=True, kw_only=True):
    """Why a generation failed, and how to fix it. `type` is the URL of a page that explains the error."""

    type: str
    """The URL of a page that explains the `code`."""
    title: str
    """What the `code` means, in a few words."""
    code: str
    """The code of the error, as in a problem."""
    detail: str
    """What went wrong and how to fix it, for people to read."""
    category: ErrorCategory | None
    """If the provider failed: what kind of failure it is. Null otherwise."""
    platform: str | None
    """If the provider failed: its name. Null otherwise."""
    platform_error: Mapping[str, Any] | None
    """If the provider reported an error: its own error, without secrets. Null otherwise."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "type": "https://gate.example.com/docs/errors/platform_rejected",
            "title": "The platform rejected the request",
            "code": "platform_rejected",
            "detail": "OpenAI refused this because of its content policy. Change the prompt or the files.",
            "category": "user_content",
            "platform": "openai",
            "platformError": {"status": 400, "code": "moderation_blocked"},
        }


class GenerationProgress(ResponseModel, frozen=True, kw_only=True):
    """The progress of a generation. `unit` is `variants`, `images`, `percent` of a video, or `files`."""

    done: int
    """How much is done, in `unit`."""
    total: int | None
    """How much there is to do, in `unit`. Null while it is unknown."""
    unit: str | None
    """What is counted: `variants`, `images`, `percent` of a video, or `files`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"done": 1, "total": 2, "unit": "images"}


class Generation(ResponseModel, frozen=True, kw_only=True):
    """A generation: a task with its request and its result. While it is retried, `lastError` says why.

    It is kept until `expiresAt`. Cancel it with `DELETE /tasks/{taskId}`.
    """

    id: str
    """The id, `gen_…`. It is also the id of its task."""
    type: GenerationType
    """What is generated."""
    status: JobStatus
    """`queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`."""
    progress: GenerationProgress | None
    """How far it is. Null before it starts."""
    profile_id: str | None
    """The profile that it belongs to, `prf_…`. Null if it belongs to none."""
    model: str
    """The model that is used."""
    source: Literal["api", "automation"]
    """Whether a request or an automation created it."""
    request: dict[str, Any]
    """The body of the request, without `model` and `profileId`."""
    result: GenerationResult | None
    """What was generated so far, also after a failure. Null if nothing was."""
    usage: GenerationUsage | None
    """The tokens that were used. Null if the provider does not report them."""
    error: GenerationError | None
    """Why it failed. Null otherwise."""
    last_error: GenerationError | None
    """Why it is being retried. Null if it is not."""
    created_at: CreatedAt
    started_at: datetime | None
    """When it was first started. Null while it is queued."""
    finished_at: datetime | None
    """When it ended. Null until then."""
    expires_at: datetime | None
    """Until when it is kept. Null until it has finished."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_GENERATION_ID,
            "type": "image",
            "status": "succeeded",
            "progress": {"done": 2, "total": 2, "unit": "images"},
            "profileId": _EXAMPLE_PROFILE_ID,
            "model": "gpt-image-2",
            "source": "api",
            "request": ImageGenerationBody.example(),
            "result": GenerationResult.example(),
            "usage": GenerationUsage.example(),
            "error": None,
            "lastError": None,
            "createdAt": _EXAMPLE_TIME,
            "startedAt": "2026-11-15T09:30:01Z",
            "finishedAt": "2026-11-15T09:30:20Z",
            "expiresAt": "2026-12-15T09:30:20Z",
        }

    @classmethod
    def example_of(cls, kind: GenerationType, model: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the example of one that was just created."""
        empty = ("progress", "result", "usage", "startedAt", "finishedAt", "expiresAt")
        generation_request = {"type": str(kind), "status": "queued", "model": model, "request": dict(request)}
        return {**cls.example(), **dict.fromkeys(empty), **generation_request}


class AiModel(ResponseModel, frozen=True, kw_only=True):
    """A model, and what it generates. A `default` model is used if a request of its type has no `model`."""

    id: str
    """The name of the model. Send it as `model`."""
    type: list[GenerationType]
    """What it can generate."""
    default: bool
    """Whether it is used for requests of its type that name no `model`."""
    provider: str
    """The name of the server that offers it, such as `openai`."""
    ends_on: Annotated[date | None, Meta(description="The day on which the provider shuts it down, if known.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "gpt-5.4-mini", "type": ["copy"], "default": True, "provider": "openai", "endsOn": None}


class UnavailableGenerationType(ResponseModel, frozen=True, kw_only=True):
    """A type that nothing can be generated of, because there is no model for it."""

    type: Annotated[GenerationType, Meta(description="What cannot be generated.")]
    detail: Annotated[str, Meta(description="Why not, and what the operator can do.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "video", "detail": "No model of openai that this deployment may use generates videos. ..."}


class AiModels(ResponseModel, frozen=True, kw_only=True):
    """The models of this deployment. The list is complete: `nextCursor` is always null."""

    data: Annotated[list[AiModel], Meta(description="The models, sorted by name.")]
    next_cursor: Annotated[str | None, Meta(description="Always null.")]
    unavailable: Annotated[list[UnavailableGenerationType], Meta(description="The types for which there is no model.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"data": [AiModel.example()], "nextCursor": None, "unavailable": [UnavailableGenerationType.example()]}
