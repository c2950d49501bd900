"""Responses: a text for an input, or a call of a function, at once. One can follow another."""

from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route, Thing, hexadecimal, text
from socialgate_sandbox.kit.copywriting import tokens_of
from socialgate_sandbox.vendors.openai.access import admit, answer, generated, signed_in
from socialgate_sandbox.vendors.openai.bodies import Body, read_body
from socialgate_sandbox.vendors.openai.chat import SORRY, Choice, Function, arguments_of, cut, prompt_tokens, written
from socialgate_sandbox.vendors.openai.errors import require
from socialgate_sandbox.vendors.openai.models import require_model
from socialgate_sandbox.vendors.openai.prompts import Message, Prompt, check_pictures, decoded
from socialgate_sandbox.vendors.openai.strictness import require_schema, takes_sampling


class TextFormat(msgspec.Struct, frozen=True):
    type: Literal["text", "json_object", "json_schema"] = "text"
    name: str = ""
    description: str | None = None
    schema: dict[str, Any] = {}
    strict: bool | None = None


class TextOptions(msgspec.Struct, frozen=True):
    format: TextFormat = TextFormat()


class Reasoning(msgspec.Struct, frozen=True):
    effort: str | None = None
    summary: str | None = None


class Exchange(Thing):
    """A response that the next one can follow: everything that was said until then."""

    messages: list[Message]


class Asked(Body, frozen=True, kw_only=True):
    others: ClassVar[str] = (
        "access_programs background context_management conversation image include max_tool_calls metadata moderation "
        "parallel_tool_calls prompt prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier "
        "service_tier stream_options top_logprobs truncation user"
    )
    model: str
    input: str | list[dict[str, Any]]
    instructions: str = ""
    max_output_tokens: Annotated[int, Meta(ge=16)] | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] = 1.0
    top_p: Annotated[float, Meta(ge=0, le=1)] = 1.0
    reasoning: Reasoning = Reasoning()
    text: TextOptions = TextOptions()
    tools: list[dict[str, Any]] = []
    tool_choice: str | dict[str, Any] = "auto"
    previous_response_id: str | None = None
    store: bool = True
    stream: bool = False

    @property
    def functions(self) -> list[Function]:
        return [
            decoded(tool, Function, f"tools[{place}]")
            for place, tool in enumerate(self.tools)
            if tool.get("type") == "function"
        ]


async def respond(call: Call) -> Response:
    signed_in(call)
    body = read_body(call, Asked)
    require_model(call, body.model, "chat")
    require(not body.stream, "Streaming is not available here. Use 'stream' with chat completions.", "stream")
    _check(body)
    messages = [*_earlier(call, body.previous_response_id), *_messages(body.input)]
    await check_pictures(call.world, messages)
    prompt = Prompt.of(messages, body.instructions)
    fate = admit(call, prompt.rules)
    style, brief, key = body.text.format, prompt.brief(call).choice(0), f"resp_{hexadecimal(48)}"
    tool = None if fate == "refusal" else _required_function(body)
    if tool is None:
        choice = cut(written(brief, style.type, style.schema), body.max_output_tokens, fate)
        said = SORRY if fate == "refusal" else choice.content or ""
        output = _message(said, choice, refused=fate == "refusal")
    else:
        said = arguments_of(tool, brief)
        choice, output = Choice(None, len(tokens_of(said)), "tool_calls"), _function_call(tool, said)
    generated(call, "text", body.model, prompt.asked, text=said)
    if body.store:
        with call.world.store.transaction():
            call.world.store.put(Exchange(id=key, messages=[*messages, Message("assistant", said)]))
    return answer(call, {"id": key, **_shown(call, body, choice, output, prompt_tokens(prompt))})


def _check(body: Asked) -> None:
    style = body.text.format
    require_schema(style.schema, "response_format", style.name, "text.format.schema", strict=bool(style.strict))
    for place, one in enumerate(body.functions):
        require_schema(one.parameters, "function", one.name, f"tools[{place}].parameters", strict=bool(one.strict))
    for name, value in (("temperature", body.temperature), ("top_p", body.top_p)):
        require(
            value == 1 or takes_sampling(body.model, body.reasoning.effort),
            f"Unsupported parameter: '{name}' is not supported with this model.",
            name,
        )
    require(
        body.tools or body.tool_choice in ("auto", "none"),
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        "tool_choice",
    )


def _earlier(call: Call, key: str | None) -> list[Message]:
    """Return what was said before, up to the response that this one follows."""
    found = call.world.store.get(Exchange, key) if key else None
    require(
        found is not None or not key,
        f"Previous response with id '{key}' not found.",
        "previous_response_id",
        "previous_response_not_found",
    )
    return [] if found is None else found.messages


def _required_function(body: Asked) -> Function | None:
    """Return the function that the model must call. If it may choose, it never calls one."""
    if isinstance(body.tool_choice, str):
        return body.functions[0] if body.tool_choice == "required" and body.functions else None
    return next((one for one in body.functions if one.name == body.tool_choice.get("name")), None)


def _messages(given: str | list[dict[str, Any]]) -> list[Message]:
    if isinstance(given, str):
        return [Message("user", given)]
    return [
        decoded(item, Message, f"input[{place}]")
        for place, item in enumerate(given)
        if item.get("type", "message") == "message"
    ]


def _reason(choice: Choice) -> str | None:
    """Say why a response is incomplete."""
    return {"length": "max_output_tokens", "content_filter": "content_filter"}.get(choice.ending)


def _message(said: str, choice: Choice, *, refused: bool) -> dict[str, Any]:
    part = {"type": "output_text", "text": said, "annotations": [], "logprobs": []}
    content = {"type": "refusal", "refusal": said} if refused else part
    message = {"type": "message", "id": f"msg_{hexadecimal(48)}", "role": "assistant", "content": [content]}
    return message | {"status": "completed" if _reason(choice) is None else "incomplete"}


def _function_call(tool: Function, arguments: str) -> dict[str, Any]:
    named = {"name": tool.name, "arguments": arguments, "call_id": f"call_{text(24)}"}
    return {"type": "function_call", "id": f"fc_{hexadecimal(48)}", **named, "status": "completed"}


def _format(style: TextFormat) -> dict[str, Any]:
    if style.type != "json_schema":
        return {"type": style.type}
    named = {"description": style.description, "name": style.name, "schema": style.schema}
    return {"type": style.type, **named, "strict": bool(style.strict)}


def _shown(call: Call, body: Asked, choice: Choice, output: dict[str, Any], given: int) -> dict[str, Any]:
    now, reason = int(call.world.clock.time()), _reason(choice)
    return {
        "object": "response",
        "created_at": now,
        "completed_at": now if reason is None else None,
        "status": "completed" if reason is None else "incomplete",
        "error": None,
        "incomplete_details": None if reason is None else {"reason": reason},
        "instructions": body.instructions or None,
        "max_output_tokens": body.max_output_tokens,
        "metadata": {},
        "model": body.model,
        "output": [output],
        "parallel_tool_calls": True,
        "previous_response_id": body.previous_response_id,
        "reasoning": body.reasoning,
        "store": body.store,
        "temperature": body.temperature,
        "text": {"format": _format(body.text.format), "verbosity": "medium"},
        "tool_choice": body.tool_choice,
        "tools": body.tools,
        "top_p": body.top_p,
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
