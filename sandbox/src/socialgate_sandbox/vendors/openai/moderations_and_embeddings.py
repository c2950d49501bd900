"""Moderations and embeddings: numbers that follow from the words of a text."""

import re
from array import array
from base64 import b64encode
from hashlib import sha256
from math import sqrt
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route, generate_hex
from socialgate_sandbox.kit.text_generation import split_into_tokens
from socialgate_sandbox.vendors.openai.access import BLOCKED_WORD, authenticate, build_response
from socialgate_sandbox.vendors.openai.errors import require
from socialgate_sandbox.vendors.openai.models import require_model
from socialgate_sandbox.vendors.openai.request_bodies import RequestBody, parse_body

_CATEGORIES = (
    *("harassment", "harassment/threatening", "hate", "hate/threatening", "illicit", "illicit/violent"),
    *("self-harm", "self-harm/intent", "self-harm/instructions", "sexual", "sexual/minors"),
    *("violence", "violence/graphic"),
)
_VIOLENT_WORDS = {BLOCKED_WORD, "kill", "murder", "massacre"}
_MAX_DIMENSIONS_BY_MODEL = {"text-embedding-3-large": 3072}
_DEFAULT_MAX_DIMENSIONS = 1536


class ModerationBody(RequestBody, frozen=True, kw_only=True):
    input: str | list[str | dict[str, Any]]
    model: str = "omni-moderation-latest"


class EmbeddingBody(RequestBody, frozen=True, kw_only=True):
    ignored_params: ClassVar[str] = "user"
    input: str | list[str | int | list[int]]
    model: str
    dimensions: Annotated[int, Meta(ge=1)] | None = None
    encoding_format: Literal["float", "base64"] = "float"


def create_moderation(call: Call) -> Response:
    authenticate(call)
    body = parse_body(call, ModerationBody)
    require_model(call, body.model, "moderation")
    inputs = [body.input] if isinstance(body.input, str) else body.input
    texts = [item if isinstance(item, str) else str(item.get("text", "")) for item in inputs]
    # The parts of one input are judged together.
    joined = ["\n".join(texts)] if any(isinstance(item, dict) for item in inputs) else texts
    return build_response(
        call, {"id": f"modr-{generate_hex(32)}", "model": body.model, "results": [*map(_moderate_text, joined)]}
    )


def _moderate_text(text: str) -> dict[str, Any]:
    is_violent = bool(_VIOLENT_WORDS & set(re.findall(r"[\w-]+", text.lower())))
    scores = {name: sha256(f"{name} {text}".encode()).digest()[0] / 25_600 for name in _CATEGORIES}
    if is_violent:
        scores["violence"] = 0.97
    return {
        "flagged": is_violent,
        "categories": {name: is_violent and name == "violence" for name in _CATEGORIES},
        "category_scores": scores,
        "category_applied_input_types": {name: ["text"] for name in _CATEGORIES},
    }


def create_embeddings(call: Call) -> Response:
    authenticate(call)
    body = parse_body(call, EmbeddingBody)
    require_model(call, body.model, "embedding")
    most = _MAX_DIMENSIONS_BY_MODEL.get(body.model, _DEFAULT_MAX_DIMENSIONS)
    size = body.dimensions or most
    require(size <= most, f"Invalid value for 'dimensions' = {size}. Must be at most {most}.", "dimensions")
    inputs = body.input if isinstance(body.input, list) else [body.input]
    texts = [str(item) for item in ([inputs] if all(isinstance(item, int) for item in inputs) else inputs)]
    require(inputs and all(texts), "'$.input' is invalid. It cannot be empty.", "input")
    vectors = (_compute_vector(text, size) for text in texts)
    as_text = body.encoding_format == "base64"
    data = [
        {
            "object": "embedding",
            "index": place,
            "embedding": b64encode(vector.tobytes()).decode() if as_text else list(vector),
        }
        for place, vector in enumerate(vectors)
    ]
    tokens = sum(len(split_into_tokens(text)) for text in texts)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return build_response(call, {"object": "list", "data": data, "model": body.model, "usage": usage}, tokens)


def _compute_vector(text: str, size: int) -> "array[float]":
    """Count the words, each in a place of its own: texts with the same words are near each other."""
    counts = [0.0] * size
    for word in re.findall(r"\w+", text.lower()) or [text]:
        counts[int.from_bytes(sha256(word.encode()).digest()[:4]) % size] += 1
    length = sqrt(sum(count * count for count in counts))
    return array("f", (count / length for count in counts))


ROUTES = [
    Route("POST", "/api.openai.com/v1/moderations", create_moderation),
    Route("POST", "/api.openai.com/v1/embeddings", create_embeddings),
]
