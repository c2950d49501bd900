"""What OpenAI-compatible servers answer. Only what is used; the rest is skipped."""

from typing import Any

import msgspec

from socialgate.connectors.lenient_decoding import LenientStruct
from socialgate.contracts.generation import TokenUsage

# What a column of a database holds.
_MAX_PLAUSIBLE_TOKEN_COUNT = 2**31 - 1


def _build_usage(read: int, written: int) -> TokenUsage:
    """Count what the server says it used. A number that cannot be right must not lose what was made."""
    bounded = [max(0, min(_MAX_PLAUSIBLE_TOKEN_COUNT, number)) for number in (read, written)]
    return TokenUsage(input_tokens=bounded[0], output_tokens=bounded[1])


class ListedModel(msgspec.Struct, frozen=True):
    id: str
    # Not every server has it.
    shutdown_date: Any = None


class ModelList(msgspec.Struct, frozen=True):
    data: list[ListedModel]


class TextUsage(msgspec.Struct, frozen=True, kw_only=True):
    prompt_tokens: int
    completion_tokens: int


class CompletionMessage(LenientStruct, frozen=True, kw_only=True):
    content: str | None = None
    refusal: str | None = None


class CompletionChoice(LenientStruct, frozen=True, kw_only=True):
    message: CompletionMessage
    finish_reason: str | None = None


class Completion(LenientStruct, frozen=True, kw_only=True):
    choices: list[CompletionChoice]
    usage: TextUsage | None = None

    def get_usage(self) -> TokenUsage | None:
        text_usage = self.usage
        if text_usage is None:
            return None
        return _build_usage(text_usage.prompt_tokens, text_usage.completion_tokens)


class ImageUsage(msgspec.Struct, frozen=True, kw_only=True):
    input_tokens: int
    output_tokens: int


class GeneratedImageData(LenientStruct, frozen=True, kw_only=True):
    # Base64 in JSON.
    b64_json: bytes | None = None
    url: str | None = None


class ImagesResponse(LenientStruct, frozen=True, kw_only=True):
    data: list[GeneratedImageData]
    usage: ImageUsage | None = None

    def get_usage(self) -> TokenUsage | None:
        image_usage = self.usage
        if image_usage is None:
            return None
        return _build_usage(image_usage.input_tokens, image_usage.output_tokens)


class VideoError(msgspec.Struct, frozen=True, kw_only=True):
    code: str | None = None
    message: str | None = None


class VideoJob(LenientStruct, frozen=True, kw_only=True):
    id: str
    status: str
    progress: float | None = None
    error: VideoError | None = None
