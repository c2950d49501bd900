"""Moderations and embeddings: numbers that follow from the words of a text."""

import re
from array import array
from base64 import b64encode
from hashlib import sha256
from math import sqrt
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route, hexadecimal
from socialgate_sandbox.kit.copywriting import tokens_of
from socialgate_sandbox.vendors.openai.access import BLOCKED, answer, signed_in
from socialgate_sandbox.vendors.openai.bodies import Body, read_body
from socialgate_sandbox.vendors.openai.errors import require
from socialgate_sandbox.vendors.openai.models import require_model

_CATEGORIES = (
    *("harassment", "harassment/threatening", "hate", "hate/threatening", "illicit", "illicit/violent"),
    *("self-harm", "self-harm/intent", "self-harm/instructions", "sexual", "sexual/minors"),
    *("violence", "violence/graphic"),
)
_VIOLENT = {BLOCKED, "kill", "murder", "massacre"}
_DIMENSIONS = {"text-embedding-3-large": 3072}
_USUAL_DIMENSIONS = 1536


class Judged(Body, frozen=True, kw_only=True):
    input: str | list[str | dict[str, Any]]
    model: str = "omni-moderation-latest"


class Embedded(Body, frozen=True, kw_only=True):
    others: ClassVar[str] = "user"
    input: str | list[str | int | list[int]]
    model: str
    dimensions: Annotated[int, Meta(ge=1)] | None = None
    encoding_format: Literal["float", "base64"] = "float"


def moderate(call: Call) -> Response:
    signed_in(call)
    body = read_body(call, Judged)
    require_model(call, body.model, "moderation")
    inputs = [body.input] if isinstance(body.input, str) else body.input
    texts = [one if isinstance(one, str) else str(one.get("text", "")) for one in inputs]
    # The parts of one input are judged together.
    joined = ["\n".join(texts)] if any(isinstance(one, dict) for one in inputs) else texts
    return answer(call, {"id": f"modr-{hexadecimal(32)}", "model": body.model, "results": [*map(_judge, joined)]})


def _judge(words: str) -> dict[str, Any]:
    is_violent = bool(_VIOLENT & set(re.findall(r"[\w-]+", words.lower())))
    scores = {name: sha256(f"{name} {words}".encode()).digest()[0] / 25_600 for name in _CATEGORIES}
    if is_violent:
        scores["violence"] = 0.97
    return {
        "flagged": is_violent,
        "categories": {name: is_violent and name == "violence" for name in _CATEGORIES},
        "category_scores": scores,
        "category_applied_input_types": {name: ["text"] for name in _CATEGORIES},
    }


def embed(call: Call) -> Response:
    signed_in(call)
    body = read_body(call, Embedded)
    require_model(call, body.model, "embedding")
    most = _DIMENSIONS.get(body.model, _USUAL_DIMENSIONS)
    size = body.dimensions or most
    require(size <= most, f"Invalid value for 'dimensions' = {size}. Must be at most {most}.", "dimensions")
    inputs = body.input if isinstance(body.input, list) else [body.input]
    texts = [str(one) for one in ([inputs] if all(isinstance(one, int) for one in inputs) else inputs)]
    require(inputs and all(texts), "'$.input' is invalid. It cannot be empty.", "input")
    vectors = (_vector(one, size) for one in texts)
    as_text = body.encoding_format == "base64"
    data = [
        {
            "object": "embedding",
            "index": place,
            "embedding": b64encode(one.tobytes()).decode() if as_text else list(one),
        }
        for place, one in enumerate(vectors)
    ]
    tokens = sum(len(tokens_of(one)) for one in texts)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return answer(call, {"object": "list", "data": data, "model": body.model, "usage": usage}, tokens)


def _vector(words: str, size: int) -> "array[float]":
    """Count the words, each in a place of its own: texts with the same words are near each other."""
    counts = [0.0] * size
    for word in re.findall(r"\w+", words.lower()) or [words]:
        counts[int.from_bytes(sha256(word.encode()).digest()[:4]) % size] += 1
    length = sqrt(sum(count * count for count in counts))
    return array("f", (count / length for count in counts))


ROUTES = [
    Route("POST", "/api.openai.com/v1/moderations", moderate),
    Route("POST", "/api.openai.com/v1/embeddings", embed),
]
