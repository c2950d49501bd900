"""What OpenAI-compatible servers answer. Only what is used; the rest is skipped."""

from typing import Any

import msgspec

from socialgate.connectors.tolerant import Tolerant
from socialgate.contracts.generation import Usage

# What a column of a database holds.
_MOST_TOKENS = 2**31 - 1


def _usage(read: int, written: int) -> Usage:
    """Count what the server says it used. A number that cannot be right must not lose what was made."""
    bounded = [max(0, min(_MOST_TOKENS, number)) for number in (read, written)]
    return Usage(input_tokens=bounded[0], output_tokens=bounded[1])


class Listed(msgspec.Struct, frozen=True):
    id: str
    # Not every server has it.
    shutdown_date: Any = None


class ModelList(msgspec.Struct, frozen=True):
    data: list[Listed]


class TextUsage(msgspec.Struct, frozen=True, kw_only=True):
    prompt_tokens: int
    completion_tokens: int


class Said(Tolerant, frozen=True, kw_only=True):
    content: str | None = None
    refusal: str | None = None


class Choice(Tolerant, frozen=True, kw_only=True):
    message: Said
    finish_reason: str | None = None


class Completion(Tolerant, frozen=True, kw_only=True):
    choices: list[Choice]
    usage: TextUsage | None = None

    def used(self) -> Usage | None:
        found = self.usage
        if found is None:
            return None
        return _usage(found.prompt_tokens, found.completion_tokens)


class ImageUsage(msgspec.Struct, frozen=True, kw_only=True):
    input_tokens: int
    output_tokens: int


class Image(Tolerant, frozen=True, kw_only=True):
    # Base64 in JSON.
    b64_json: bytes | None = None
    url: str | None = None


class Images(Tolerant, frozen=True, kw_only=True):
    data: list[Image]
    usage: ImageUsage | None = None

    def used(self) -> Usage | None:
        found = self.usage
        if found is None:
            return None
        return _usage(found.input_tokens, found.output_tokens)


class VideoError(msgspec.Struct, frozen=True, kw_only=True):
    code: str | None = None
    message: str | None = None


class Video(Tolerant, frozen=True, kw_only=True):
    id: str
    status: str
    progress: float | None = None
    error: VideoError | None = None
