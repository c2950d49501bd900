"""Responses: a text for an input, or a call of a function, at once. One can follow another."""

from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route, StoredObject, generate_alphanumeric, generate_hex
from socialgate_sandbox.kit.text_generation import split_into_tokens
from socialgate_sandbox.vendors.openai.access import admit_prompt, authenticate, build_response, record_generation
from socialgate_sandbox.vendors.openai.chat_completions import (
    REFUSAL_TEXT,
    Choice,
    FunctionDefinition,
    count_prompt_tokens,
    generate_arguments,
    generate_content,
    limit_tokens,
)
from socialgate_sandbox.vendors.openai.errors import require
from socialgate_sandbox.vendors.openai.model_rules import require_valid_schema, supports_sampling
from socialgate_sandbox.vendors.openai.models import require_model
from socialgate_sandbox.vendors.openai.prompts import Message, Prompt, convert_input, validate_images
from socialgate_sandbox.vendors.openai.request_bodies import RequestBody, parse_body


class TextFormat(msgspec.Struct, frozen=True):
    type: Literal["text", "json_object", "json_schema"] = "text"
    name: str = ""
    description: str | None = None
    schema: dict[str, Any] = {}
    strict: bool | None = None


class TextOptions(msgspec.Struct, frozen=True):
    format: TextFormat = TextFormat()


class ReasoningOptions(msgspec.Struct, frozen=True):
    effort: str | None = None
    summary: str | None = None


class Exchange(StoredObject):
    """A response that the next one can follow: everything that was said until then."""

    messages: list[Message]


class ResponseBody(RequestBody, frozen=True, kw_only=True):
    ignored_params: ClassVar[str] = (
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
    reasoning: ReasoningOptions = ReasoningOptions()
    text: TextOptions = TextOptions()
    tools: list[dict[str, Any]] = []
    tool_choice: str | dict[str, Any] = "auto"
    previous_response_id: str | None = None
    store: bool = True
    stream: bool = False

    @property
    def functions(self) -> list[FunctionDefinition]:
        return [
            convert_input(tool, FunctionDefinition, f"tools[{place}]")
            for place, tool in enumerate(self.tools)
            if tool.get("type") == "function"
        ]


async def create_response(call: Call) -> Response:
    authenticate(call)
    body = parse_body(call, ResponseBody)
    require_model(call, body.model, "chat")
    require(not body.stream, "Streaming is not available here. Use 'stream' with chat completions.", "stream")
    _validate_body(body)
    messages = [*_find_earlier_messages(call, body.previous_response_id), *_parse_messages(body.input)]
    await validate_images(call.context, messages)
    prompt = Prompt.from_messages(messages, body.instructions)
    fate = admit_prompt(call, prompt.full_prompt)
    style, brief, key = (
        body.text.format,
        prompt.build_text_request(call).with_choice_seed(0),
        f"resp_{generate_hex(48)}",
    )
    tool = None if fate == "refusal" else _find_required_function(body)
    if tool is None:
        choice = limit_tokens(generate_content(brief, style.type, style.schema), body.max_output_tokens, fate)
        message = REFUSAL_TEXT if fate == "refusal" else choice.content or ""
        output = _build_message_json(message, choice, is_refusal=fate == "refusal")
    else:
        message = generate_arguments(tool, brief)
        choice, output = (
            Choice(None, len(split_into_tokens(message)), "tool_calls"),
            _build_function_call_json(tool, message),
        )
    record_generation(call, "text", body.model, prompt.last_user_message, text=message)
    if body.store:
        with call.context.store.transaction():
            call.context.store.put(Exchange(id=key, messages=[*messages, Message("assistant", message)]))
    return build_response(
        call, {"id": key, **_build_response_json(call, body, choice, output, count_prompt_tokens(prompt))}
    )


def _validate_body(body: ResponseBody) -> None:
    style = body.text.format
    require_valid_schema(
        style.schema, "response_format", style.name, "text.format.schema", is_strict=bool(style.strict)
    )
    for place, function in enumerate(body.functions):
        require_valid_schema(
            function.parameters,
            "function",
            function.name,
            f"tools[{place}].parameters",
            is_strict=bool(function.strict),
        )
    for name, value in (("temperature", body.temperature), ("top_p", body.top_p)):
        require(
            value == 1 or supports_sampling(body.model, body.reasoning.effort),
            f"Unsupported parameter: '{name}' is not supported with this model.",
            name,
        )
    require(
        body.tools or body.tool_choice in ("auto", "none"),
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        "tool_choice",
    )


def _find_earlier_messages(call: Call, key: str | None) -> list[Message]:
    """Return what was said before, up to the response that this one follows."""
    exchange = call.context.store.get(Exchange, key) if key else None
    require(
        exchange is not None or not key,
        f"Previous response with id '{key}' not found.",
        "previous_response_id",
        "previous_response_not_found",
    )
    return [] if exchange is None else exchange.messages


def _find_required_function(body: ResponseBody) -> FunctionDefinition | None:
    """Return the function that the model must call. If it may choose, it never calls one."""
    if isinstance(body.tool_choice, str):
        return body.functions[0] if body.tool_choice == "required" and body.functions else None
    return next((function for function in body.functions if function.name == body.tool_choice.get("name")), None)


def _parse_messages(raw_input: str | list[dict[str, Any]]) -> list[Message]:
    if isinstance(raw_input, str):
        return [Message("user", raw_input)]
    return [
        convert_input(item, Message, f"input[{place}]")
        for place, item in enumerate(raw_input)
        if item.get("type", "message") == "message"
    ]


def _get_incomplete_reason(choice: Choice) -> str | None:
    """Say why a response is incomplete."""
    return {"length": "max_output_tokens", "content_filter": "content_filter"}.get(choice.finish_reason)


def _build_message_json(output_text: str, choice: Choice, *, is_refusal: bool) -> dict[str, Any]:
    part = {"type": "output_text", "text": output_text, "annotations": [], "logprobs": []}
    content = {"type": "refusal", "refusal": output_text} if is_refusal else part
    message = {"type": "message", "id": f"msg_{generate_hex(48)}", "role": "assistant", "content": [content]}
    return message | {"status": "completed" if _get_incomplete_reason(choice) is None else "incomplete"}


def _build_function_call_json(tool: FunctionDefinition, arguments: str) -> dict[str, Any]:
    named = {"name": tool.name, "arguments": arguments, "call_id": f"call_{generate_alphanumeric(24)}"}
    return {"type": "function_call", "id": f"fc_{generate_hex(48)}", **named, "status": "completed"}


def _build_format_json(text_format: TextFormat) -> dict[str, Any]:
    if text_format.type != "json_schema":
        return {"type": text_format.type}
    named = {"description": text_format.description, "name": text_format.name, "schema": text_format.schema}
    return {"type": text_format.type, **named, "strict": bool(text_format.strict)}


def _build_response_json(
    call: Call, body: ResponseBody, choice: Choice, output: dict[str, Any], prompt_token_count: int
) -> dict[str, Any]:
    now, reason = int(call.context.clock.get_unix_time()), _get_incomplete_reason(choice)
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
        "text": {"format": _build_format_json(body.text.format), "verbosity": "medium"},
        "tool_choice": body.tool_choice,
        "tools": body.tools,
        "top_p": body.top_p,
        "truncation": "disabled",
        "usage": {
            "input_tokens": prompt_token_count,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": choice.token_count,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": prompt_token_count + choice.token_count,
        },
    }


ROUTES = [Route("POST", "/api.openai.com/v1/responses", create_response)]
