"""Generating with a server that has OpenAI's API: each method is one call, and says what may have been made."""

from base64 import b64encode
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlsplit

from socialgate.connectors.client import Access, Client
from socialgate.connectors.errors import Said
from socialgate.connectors.multipart import Attached, form_of
from socialgate.connectors.openai import wire as shapes
from socialgate.connectors.openai.dialect import OpenAiDialect
from socialgate.connectors.openai.errors import table_of
from socialgate.connectors.openai.models import (
    OPENAI_VIDEOS,
    PREFERRED,
    VIDEO_SIZES,
    answers_with_files,
    ends_on,
    image_size,
    types_of,
)
from socialgate.connectors.wire import Wire
from socialgate.contracts.connecting import Secretive
from socialgate.contracts.failures import PlatformFailure, Rejected, TemporarilyUnavailable
from socialgate.contracts.generation import (
    ChatMessage,
    GenerationType,
    ImageRequest,
    MadeImage,
    MadeText,
    ModelItem,
    Picture,
    SpeechRequest,
    VideoRequest,
    VideoState,
)
from socialgate.core.egress import Door, Reason, SendFailed

OPENAI = "https://api.openai.com/v1"
# Listing models is quick, and somebody waits for it.
_LIST_SECONDS = 10.0
# An image of the largest size as PNG, in base64.
_MOST_IMAGE_BYTES = 48 * 1024 * 1024
_SERVER = HTTPStatus.INTERNAL_SERVER_ERROR
_AGAIN_SECONDS = 5
_FOR_GOOD = frozenset({Reason.URL_INVALID, Reason.REQUEST_INVALID, Reason.ADDRESS_REFUSED})
_FAILED = frozenset({"failed", "cancelled"})


class Provider(Secretive, frozen=True, kw_only=True):
    """Where the server is and how it is called. `name` is shown to people, `api_key` is empty if it needs none."""

    name: str
    url: str
    api_key: str
    deadline: float


class OpenAiGenerator:
    def __init__(self, provider: Provider, wire: Wire, public: Door) -> None:
        """Take the wire to the server, and the client for everything that is not on the server itself."""
        self.provider = provider.name.lower()
        self._name = provider.name
        self._of = provider
        self._wire = wire
        self._public = public
        self._table = table_of(provider.name)
        # The result of these calls is in their response, so after an error there is none.
        self._client = Client(wire, OpenAiDialect(failed_calls_made_nothing=True), self._table)
        notes = OPENAI_VIDEOS if provider.url == OPENAI else {}
        self._starts = Client(wire, OpenAiDialect(failed_calls_made_nothing=False, notes=notes), self._table)

    async def models(self) -> Sequence[ModelItem]:
        access = self._access(self._client, "models", deadline=_LIST_SECONDS)
        listed = await access.get("/models", shapes.ModelList)
        found = (
            ModelItem(id=one.id, types=types_of(one.id), ends_on=ends_on(one.id, one.shutdown_date))
            for one in listed.data
        )
        return [one for one in found if one.types]

    def preferred(self, kind: GenerationType) -> Sequence[str] | None:
        return PREFERRED[kind] if self._of.url == OPENAI else None

    def types_of(self, model: str) -> Sequence[GenerationType]:
        return types_of(model)

    async def write(self, model: str, messages: Sequence[ChatMessage]) -> MadeText:
        body = {"model": model, "messages": [_message(one) for one in messages]}
        access = self._access(self._client, model)
        made = await access.post("/chat/completions", shapes.Completion, body, repeatable=False)
        choice = made.choices[0] if made.choices else shapes.Choice(message=shapes.Said())
        if choice.message.refusal or choice.finish_reason == "content_filter":
            raise self._refused(choice.message.refusal)
        # PostgreSQL stores no null characters.
        text = (choice.message.content or "").replace("\0", "").strip()
        if not text:
            raise Rejected(
                f"{self._name} returned an empty text. Change the prompt, or use another model.",
                platform=self.provider,
            )
        complete = choice.finish_reason != "length"
        return MadeText(text=text, complete=complete, usage=made.used())

    async def draw(self, model: str, request: ImageRequest) -> MadeImage:
        fields, warnings = _image_fields(model, request)
        access = self._access(self._client, model, read_limit=_MOST_IMAGE_BYTES)
        if request.pictures:
            # As OpenAI's own libraries do: older servers only know the name for a single image.
            name = "image" if len(request.pictures) == 1 else "image[]"
            files = [_attached(name, one) for one in request.pictures]
            made = await access.call(
                "POST", "/images/edits", shapes.Images, repeatable=False, **form_of(_words(fields), files)
            )
        else:
            made = await access.post("/images/generations", shapes.Images, fields, repeatable=False)
        image = made.data[0] if made.data else shapes.Image()
        if image.b64_json is None and image.url is None:
            raise Rejected(f"{self._name} returned no image. Change the prompt and try again.", platform=self.provider)
        return MadeImage(data=image.b64_json, url=image.url, usage=made.used(), warnings=tuple(warnings))

    @asynccontextmanager
    async def speak(self, model: str, request: SpeechRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        fields = {"model": model, "input": request.text, "voice": request.voice, "response_format": request.format}
        body = fields if request.speed is None else {**fields, "speed": request.speed}
        call = self._access(self._client, model).to("POST", "/audio/speech", repeatable=False, json=body)
        async with self._client.stream(call) as pieces:
            yield pieces

    async def start_video(self, model: str, request: VideoRequest) -> VideoState:
        fields = {"model": model, "prompt": request.prompt}
        if request.seconds is not None:
            fields["seconds"] = str(request.seconds)
        if request.aspect_ratio is not None:
            fields["size"] = VIDEO_SIZES[request.aspect_ratio]
        files = [] if request.picture is None else [_attached("input_reference", request.picture)]
        access = self._access(self._starts, model)
        made = await access.call("POST", "/videos", shapes.Video, repeatable=False, **form_of(fields, files))
        return self._state(made)

    async def check_video(self, video_id: str) -> VideoState:
        access = self._access(self._client, "videos")
        return self._state(await access.get(f"/videos/{quote(video_id, safe='')}", shapes.Video))

    @asynccontextmanager
    async def download_video(self, video_id: str) -> AsyncIterator[AsyncIterator[bytes]]:
        path = f"/videos/{quote(video_id, safe='')}/content"
        call = self._access(self._client, "videos").to("GET", path, repeatable=True)
        async with self._client.stream(call) as pieces:
            yield pieces

    @asynccontextmanager
    async def download_image(self, url: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """Fetch a file that the server points to. Only the server itself may be in a private network, and only it gets
        to see the key.
        """
        if urlsplit(url)[:2] == urlsplit(self._wire.address(self._of.url))[:2]:
            call = self._access(self._client, "files", base="").to("GET", url, repeatable=True)
            async with self._client.stream(call) as pieces:
                yield pieces
            return
        try:
            async with self._public.stream("GET", url, deadline=self._of.deadline, idle=_LIST_SECONDS) as found:
                if found.status != HTTPStatus.OK:
                    passing = found.status >= _SERVER or found.status == HTTPStatus.TOO_MANY_REQUESTS
                    raise self._not_fetched(f"status {found.status}", passing=passing)
                yield found
        except SendFailed as failure:
            raise self._not_fetched(failure.reason, passing=failure.reason not in _FOR_GOOD) from None

    def _not_fetched(self, reason: str, *, passing: bool) -> PlatformFailure:
        """An image that was paid for is worth another try, unless its URL can never work."""
        detail = f"{self._name} offers the image at a URL that cannot be fetched ({reason})."
        if passing:
            return TemporarilyUnavailable(detail, platform=self.provider, retry_after=_AGAIN_SECONDS)
        return Rejected(detail, platform=self.provider, category="platform_error")

    def _access(self, client: Client, budget: str, *, base: str | None = None, **common: Any) -> Access:
        """Calls for one model wait after too many of them; those for other models need not."""
        given = {"token": self._of.api_key, "budgets": (f"model {budget}",), "deadline": self._of.deadline, **common}
        return Access(client, self._of.url if base is None else base, **given)

    def _state(self, video: shapes.Video) -> VideoState:
        failure = None
        if video.status in _FAILED:
            error = video.error or shapes.VideoError()
            said = Said(status=400, codes=(error.code,) if error.code else (), message=error.message)
            failure = self._table.verdict(said, repeatable=True).failure
            # It has failed for good, whatever else the same code means in a response.
            failure.retry_after = None
        percent = None if video.progress is None else max(0, min(100, int(video.progress)))
        return VideoState(id=video.id, done=video.status == "completed", percent=percent, failure=failure)

    def _refused(self, reason: str | None) -> PlatformFailure:
        said = Said(status=400, codes=("content_filter",), message=reason)
        return self._table.verdict(said, repeatable=True).failure


def _message(message: ChatMessage) -> Mapping[str, Any]:
    if not message.pictures:
        return {"role": message.role, "content": message.text}
    images = [
        {"type": "image_url", "image_url": {"url": f"data:{one.mime_type};base64,{b64encode(one.data).decode()}"}}
        for one in message.pictures
    ]
    return {"role": message.role, "content": [{"type": "text", "text": message.text}, *images]}


def _image_fields(model: str, request: ImageRequest) -> tuple[dict[str, Any], list[str]]:
    fields: dict[str, Any] = {"model": model, "prompt": request.prompt, "n": 1}
    warnings = []
    if request.size is not None:
        fields["size"] = request.size
    elif request.aspect_ratio is not None:
        fields["size"], warning = image_size(model, request.aspect_ratio)
        warnings = [warning] if warning else []
    if request.quality is not None:
        fields["quality"] = request.quality
    if answers_with_files(model):
        # Every platform accepts JPEG; some accept nothing else.
        fields["output_format"] = request.format or "jpeg"
    else:
        fields["response_format"] = "b64_json"
        if request.format is not None:
            warnings.append(f"The model {model} chooses the format of its images itself.")
    return fields, warnings


def _attached(name: str, picture: Picture) -> Attached:
    return Attached(name=name, file_name=picture.file_name, mime_type=picture.mime_type, pieces=(picture.data,))


def _words(fields: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in fields.items()}
