"""Generating with a server that has OpenAI's API: each method is one call, and says what may have been made."""

from base64 import b64encode
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlsplit

from socialgate.connectors.client import AuthorizedClient, VendorClient
from socialgate.connectors.errors import VendorError
from socialgate.connectors.multipart import FilePart, encode_multipart
from socialgate.connectors.openai import responses as shapes
from socialgate.connectors.openai.dialect import OpenAiDialect
from socialgate.connectors.openai.errors import build_error_table
from socialgate.connectors.openai.models import (
    OPENAI_VIDEO_HINTS,
    PREFERRED_MODELS,
    VIDEO_SIZES,
    choose_image_size,
    get_shutdown_date,
    infer_generation_types,
    supports_output_format,
)
from socialgate.connectors.transport import VendorTransport
from socialgate.contracts.account_connection import RedactedStruct
from socialgate.contracts.failures import PlatformFailure, PlatformRejectedError, PlatformUnavailableError
from socialgate.contracts.generation import (
    ChatMessage,
    GeneratedImage,
    GeneratedText,
    GenerationType,
    ImageRequest,
    InputImage,
    ModelItem,
    SpeechRequest,
    VideoRequest,
    VideoState,
)
from socialgate.core.egress import EgressClient, SendError, SendFailureReason

OPENAI_API_URL = "https://api.openai.com/v1"
# Listing models is quick, and somebody waits for it.
_MODEL_LIST_TIMEOUT_SECONDS = 10.0
# An image of the largest size as PNG, in base64.
_MAX_IMAGE_RESPONSE_BYTES = 48 * 1024 * 1024
_MIN_SERVER_ERROR_STATUS = HTTPStatus.INTERNAL_SERVER_ERROR
_RETRY_SECONDS = 5
_PERMANENT_REASONS = frozenset(
    {SendFailureReason.URL_INVALID, SendFailureReason.REQUEST_INVALID, SendFailureReason.ADDRESS_REFUSED}
)
_FAILED_VIDEO_STATUSES = frozenset({"failed", "cancelled"})


class ProviderConfig(RedactedStruct, frozen=True, kw_only=True):
    """Where the server is and how it is called. `name` is shown to people, `api_key` is empty if it needs none."""

    name: str
    url: str
    api_key: str
    deadline: float


class OpenAiClient:
    def __init__(self, provider: ProviderConfig, wire: VendorTransport, public: EgressClient) -> None:
        """Take the wire to the server, and the client for everything that is not on the server itself."""
        self.provider = provider.name.lower()
        self._name = provider.name
        self._config = provider
        self._wire = wire
        self._public_http_client = public
        self._table = build_error_table(provider.name)
        # The result of these calls is in their response, so after an error there is none.
        self._client = VendorClient(wire, OpenAiDialect(errors_had_no_effect=True), self._table)
        notes = OPENAI_VIDEO_HINTS if provider.url == OPENAI_API_URL else {}
        self._video_client = VendorClient(
            wire, OpenAiDialect(errors_had_no_effect=False, parameter_hints=notes), self._table
        )

    async def list_models(self) -> Sequence[ModelItem]:
        access = self._build_client(self._client, "models", deadline=_MODEL_LIST_TIMEOUT_SECONDS)
        listed = await access.get("/models", shapes.ModelList)
        model_items = (
            ModelItem(
                id=listed_model.id,
                types=infer_generation_types(listed_model.id),
                ends_on=get_shutdown_date(listed_model.id, listed_model.shutdown_date),
            )
            for listed_model in listed.data
        )
        return [model_item for model_item in model_items if model_item.types]

    def list_preferred_models(self, kind: GenerationType) -> Sequence[str] | None:
        return PREFERRED_MODELS[kind] if self._config.url == OPENAI_API_URL else None

    def infer_generation_types(self, model: str) -> Sequence[GenerationType]:
        return infer_generation_types(model)

    async def generate_text(self, model: str, messages: Sequence[ChatMessage]) -> GeneratedText:
        body = {"model": model, "messages": [_build_message(message) for message in messages]}
        access = self._build_client(self._client, model)
        completion = await access.post("/chat/completions", shapes.Completion, body, repeatable=False)
        choice = (
            completion.choices[0] if completion.choices else shapes.CompletionChoice(message=shapes.CompletionMessage())
        )
        if choice.message.refusal or choice.finish_reason == "content_filter":
            raise self._build_refusal_error(choice.message.refusal)
        # PostgreSQL stores no null characters.
        text = (choice.message.content or "").replace("\0", "").strip()
        if not text:
            raise PlatformRejectedError(
                f"{self._name} returned an empty text. Change the prompt, or use another model.",
                platform=self.provider,
            )
        complete = choice.finish_reason != "length"
        return GeneratedText(text=text, complete=complete, usage=completion.get_usage())

    async def generate_image(self, model: str, request: ImageRequest) -> GeneratedImage:
        fields, warnings = _image_fields(model, request)
        access = self._build_client(self._client, model, read_limit=_MAX_IMAGE_RESPONSE_BYTES)
        if request.input_images:
            # As OpenAI's own libraries do: older servers only know the name for a single image.
            name = "image" if len(request.input_images) == 1 else "image[]"
            files = [_build_file_part(name, picture) for picture in request.input_images]
            images = await access.call(
                "POST",
                "/images/edits",
                shapes.ImagesResponse,
                repeatable=False,
                **encode_multipart(_stringify_values(fields), files),
            )
        else:
            images = await access.post("/images/generations", shapes.ImagesResponse, fields, repeatable=False)
        image = images.data[0] if images.data else shapes.GeneratedImageData()
        if image.b64_json is None and image.url is None:
            raise PlatformRejectedError(
                f"{self._name} returned no image. Change the prompt and try again.", platform=self.provider
            )
        return GeneratedImage(data=image.b64_json, url=image.url, usage=images.get_usage(), warnings=tuple(warnings))

    @asynccontextmanager
    async def generate_speech(self, model: str, request: SpeechRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        fields = {"model": model, "input": request.text, "voice": request.voice, "response_format": request.format}
        body = fields if request.speed is None else {**fields, "speed": request.speed}
        call = self._build_client(self._client, model).build_request(
            "POST", "/audio/speech", repeatable=False, json=body
        )
        async with self._client.stream(call) as pieces:
            yield pieces

    async def start_video(self, model: str, request: VideoRequest) -> VideoState:
        fields = {"model": model, "prompt": request.prompt}
        if request.seconds is not None:
            fields["seconds"] = str(request.seconds)
        if request.aspect_ratio is not None:
            fields["size"] = VIDEO_SIZES[request.aspect_ratio]
        files = [] if request.picture is None else [_build_file_part("input_reference", request.picture)]
        access = self._build_client(self._video_client, model)
        video = await access.call(
            "POST", "/videos", shapes.VideoJob, repeatable=False, **encode_multipart(fields, files)
        )
        return self._to_video_state(video)

    async def fetch_video_state(self, video_id: str) -> VideoState:
        access = self._build_client(self._client, "videos")
        return self._to_video_state(await access.get(f"/videos/{quote(video_id, safe='')}", shapes.VideoJob))

    @asynccontextmanager
    async def download_video(self, video_id: str) -> AsyncIterator[AsyncIterator[bytes]]:
        path = f"/videos/{quote(video_id, safe='')}/content"
        call = self._build_client(self._client, "videos").build_request("GET", path, repeatable=True)
        async with self._client.stream(call) as pieces:
            yield pieces

    @asynccontextmanager
    async def download_image(self, url: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """Fetch a file that the server points to. Only the server itself may be in a private network, and only it gets
        to see the key.
        """
        if urlsplit(url)[:2] == urlsplit(self._wire.resolve_url(self._config.url))[:2]:
            call = self._build_client(self._client, "files", base="").build_request("GET", url, repeatable=True)
            async with self._client.stream(call) as pieces:
                yield pieces
            return
        try:
            async with self._public_http_client.stream(
                "GET", url, deadline=self._config.deadline, idle=_MODEL_LIST_TIMEOUT_SECONDS
            ) as streamed_response:
                if streamed_response.status != HTTPStatus.OK:
                    passing = (
                        streamed_response.status >= _MIN_SERVER_ERROR_STATUS
                        or streamed_response.status == HTTPStatus.TOO_MANY_REQUESTS
                    )
                    raise self._build_fetch_error(f"status {streamed_response.status}", passing=passing)
                yield streamed_response
        except SendError as failure:
            raise self._build_fetch_error(failure.reason, passing=failure.reason not in _PERMANENT_REASONS) from None

    def _build_fetch_error(self, reason: str, *, passing: bool) -> PlatformFailure:
        """An image that was paid for is worth another try, unless its URL can never work."""
        detail = f"{self._name} offers the image at a URL that cannot be fetched ({reason})."
        if passing:
            return PlatformUnavailableError(detail, platform=self.provider, retry_after=_RETRY_SECONDS)
        return PlatformRejectedError(detail, platform=self.provider, category="platform_error")

    def _build_client(
        self, client: VendorClient, budget: str, *, base: str | None = None, **common: Any
    ) -> AuthorizedClient:
        """Calls for one model wait after too many of them; those for other models need not."""
        params = {
            "token": self._config.api_key,
            "budgets": (f"model {budget}",),
            "deadline": self._config.deadline,
            **common,
        }
        return AuthorizedClient(client, self._config.url if base is None else base, **params)

    def _to_video_state(self, video: shapes.VideoJob) -> VideoState:
        failure = None
        if video.status in _FAILED_VIDEO_STATUSES:
            error = video.error or shapes.VideoError()
            vendor_error = VendorError(status=400, codes=(error.code,) if error.code else (), message=error.message)
            failure = self._table.translate(vendor_error, repeatable=True).failure
            # It has failed for good, whatever else the same code means in a response.
            failure.retry_after = None
        percent = None if video.progress is None else max(0, min(100, int(video.progress)))
        return VideoState(id=video.id, done=video.status == "completed", percent=percent, failure=failure)

    def _build_refusal_error(self, reason: str | None) -> PlatformFailure:
        vendor_error = VendorError(status=400, codes=("content_filter",), message=reason)
        return self._table.translate(vendor_error, repeatable=True).failure


def _build_message(message: ChatMessage) -> Mapping[str, Any]:
    if not message.input_images:
        return {"role": message.role, "content": message.text}
    images = [
        {
            "type": "image_url",
            "image_url": {"url": f"data:{picture.mime_type};base64,{b64encode(picture.data).decode()}"},
        }
        for picture in message.input_images
    ]
    return {"role": message.role, "content": [{"type": "text", "text": message.text}, *images]}


def _image_fields(model: str, request: ImageRequest) -> tuple[dict[str, Any], list[str]]:
    fields: dict[str, Any] = {"model": model, "prompt": request.prompt, "n": 1}
    warnings = []
    if request.size is not None:
        fields["size"] = request.size
    elif request.aspect_ratio is not None:
        fields["size"], warning = choose_image_size(model, request.aspect_ratio)
        warnings = [warning] if warning else []
    if request.quality is not None:
        fields["quality"] = request.quality
    if supports_output_format(model):
        # Every platform accepts JPEG; some accept nothing else.
        fields["output_format"] = request.format or "jpeg"
    else:
        fields["response_format"] = "b64_json"
        if request.format is not None:
            warnings.append(f"The model {model} chooses the format of its images itself.")
    return fields, warnings


def _build_file_part(name: str, picture: InputImage) -> FilePart:
    return FilePart(name=name, file_name=picture.file_name, mime_type=picture.mime_type, byte_chunks=(picture.data,))


def _stringify_values(fields: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in fields.items()}
