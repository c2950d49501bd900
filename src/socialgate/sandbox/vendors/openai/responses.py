"""Responses: a text for an input, at once."""

from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta
from starlette.responses import Response

from socialgate.sandbox.kit import Call, Route, hexadecimal
from socialgate.sandbox.vendors.openai.access import admit, answer, generated, signed_in
from socialgate.sandbox.vendors.openai.bodies import Body, read_body
from socialgate.sandbox.vendors.openai.chat import SORRY, Choice, cut, prompt_tokens, require_schema, written
from socialgate.sandbox.vendors.openai.errors import require
from socialgate.sandbox.vendors.openai.models import require_model
from socialgate.sandbox.vendors.openai.prompts import Message, Prompt, check_pictures, decoded


class TextFormat(msgspec.Struct, frozen=True):
    type: Literal["text", "json_object", "json_schema"] = "text"
    name: str = ""
    schema: dict[str, Any] = {}
    strict: bool | None = None


class TextOptions(msgspec.Struct, frozen=True):
    format: TextFormat = TextFormat()


class Asked(Body, frozen=True, kw_only=True):
    others: ClassVar[str] = (
        "access_programs background context_management conversation image include max_tool_calls metadata moderation "
        "parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention "
        "reasoning safety_identifier service_tier store stream_options tool_choice tools top_logprobs top_p "
        "truncation user"
    )
    model: str
    input: str | list[dict[str, Any]]
    instructions: str = ""
    max_output_tokens: Annotated[int, Meta(ge=16)] | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] = 1.0
    text: TextOptions = TextOptions()
    stream: bool = False


async def respond(call: Call) -> Response:
    signed_in(call)
    body = read_body(call, Asked)
    require_model(call, body.model, "chat")
    require(not body.stream, "Streaming is not available here. Use 'stream' with chat completions.", "stream")
    require_schema(body.text.format.schema, "response_format", body.text.format.name, "text.format.schema")
    messages = _messages(body.input)
    await check_pictures(call.world, messages)
    prompt = Prompt.of(messages, body.instructions)
    fate = admit(call, prompt.rules)
    style, brief = body.text.format, prompt.brief(call).choice(0)
    choice = cut(written(brief, style.type, style.schema), body.max_output_tokens, fate)
    said = SORRY if fate == "refusal" else choice.content or ""
    generated(call, "text", body.model, prompt.asked, text=said)
    return answer(call, _shown(call, body, choice, said, prompt_tokens(prompt), refused=fate == "refusal"))


def _messages(given: str | list[dict[str, Any]]) -> list[Message]:
    if isinstance(given, str):
        return [Message("user", given)]
    return [
        decoded(item, Message, f"input[{place}]")
        for place, item in enumerate(given)
        if item.get("type", "message") == "message"
    ]


def _shown(call: Call, body: Asked, choice: Choice, said: str, given: int, *, refused: bool) -> dict[str, Any]:
    now = int(call.world.clock.time())
    reason = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(choice.ending)
    status = "completed" if reason is None else "incomplete"
    part = {"type": "output_text", "text": said, "annotations": [], "logprobs": []}
    content = {"type": "refusal", "refusal": said} if refused else part
    message = {"type": "message", "id": f"msg_{hexadecimal(48)}", "role": "assistant", "content": [content]}
    return {
        "id": f"resp_{hexadecimal(48)}",
        "object": "response",
        "created_at": now,
        "completed_at": now if reason is None else None,
        "status": status,
        "error": None,
        "incomplete_details": None if reason is None else {"reason": reason},
        "instructions": body.instructions or None,
        "max_output_tokens": body.max_output_tokens,
        "metadata": {},
        "model": body.model,
        "output": [message | {"status": status}],
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "temperature": body.temperature,
        "text": {"format": {"type": body.text.format.type}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": {
            "input_tokens": given,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": choice.tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": given + choice.tokens,
        },
    }


ROUTES = [Route("POST", "/api.openai.com/v1/responses", respond)]
