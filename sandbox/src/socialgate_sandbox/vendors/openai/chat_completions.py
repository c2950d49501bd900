"""Chat Completions, at once or as a stream of events."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta
from starlette.responses import Response, StreamingResponse

from socialgate_sandbox.kit import Call, Route, generate_alphanumeric, generate_hex
from socialgate_sandbox.kit.schema_values import generate_value
from socialgate_sandbox.kit.text_generation import (
    TextRequest,
    build_hashtags,
    build_headline,
    generate_text,
    split_into_tokens,
)
from socialgate_sandbox.vendors.openai.access import (
    admit_prompt,
    authenticate,
    build_rate_limit_headers,
    build_response,
    record_generation,
)
from socialgate_sandbox.vendors.openai.errors import require
from socialgate_sandbox.vendors.openai.model_rules import (
    REASONING_MODEL_PREFIXES,
    require_valid_schema,
    supports_sampling,
)
from socialgate_sandbox.vendors.openai.models import require_model
from socialgate_sandbox.vendors.openai.prompts import IMAGE_TOKENS, Message, Prompt, validate_images
from socialgate_sandbox.vendors.openai.request_bodies import RequestBody, parse_body

REFUSAL_TEXT = "I'm sorry, but I can't help with that request."
_TOKENS_PER_CHUNK = 4
FinishReason = Literal["stop", "length", "content_filter", "tool_calls"]


class JsonSchema(msgspec.Struct, frozen=True):
    name: Annotated[str, Meta(pattern=r"^[a-zA-Z0-9_-]{1,64}$")]
    schema: dict[str, Any] = {}
    strict: bool | None = None


class ResponseFormat(msgspec.Struct, frozen=True):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None


class FunctionDefinition(msgspec.Struct, frozen=True):
    name: str
    parameters: dict[str, Any] = {}
    strict: bool | None = None


class Tool(msgspec.Struct, frozen=True):
    type: str
    function: FunctionDefinition | None = None


class StreamOptions(msgspec.Struct, frozen=True):
    include_usage: bool = False
    include_obfuscation: bool = False


class ChatCompletionBody(RequestBody, frozen=True, kw_only=True):
    ignored_params: ClassVar[str] = (
        "audio frequency_penalty function_call functions logit_bias logprobs metadata modalities moderation "
        "parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention "
        "safety_identifier seed service_tier stop store top_logprobs user verbosity web_search_options"
    )
    model: str
    messages: Annotated[list[Message], Meta(min_length=1)]
    n: Annotated[int, Meta(ge=1, le=128)] = 1
    max_tokens: Annotated[int, Meta(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Meta(ge=1)] | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] = 1.0
    top_p: Annotated[float, Meta(ge=0, le=1)] = 1.0
    reasoning_effort: str | None = None
    response_format: ResponseFormat = ResponseFormat("text")
    stream: bool = False
    stream_options: StreamOptions | None = None
    tools: list[Tool] = []
    tool_choice: str | Tool = "auto"

    @property
    def functions(self) -> list[FunctionDefinition]:
        return [tool.function for tool in self.tools if tool.function is not None]


class Choice(msgspec.Struct, frozen=True):
    content: str | None
    token_count: int
    finish_reason: FinishReason = "stop"
    refusal: str | None = None
    tool_calls: list[dict[str, Any]] | None = None


async def create_chat_completion(call: Call) -> Response:
    authenticate(call)
    body = parse_body(call, ChatCompletionBody)
    require_model(call, body.model, "chat")
    _validate_body(body)
    await validate_images(call.context, body.messages)
    prompt = Prompt.from_messages(body.messages)
    fate = admit_prompt(call, prompt.full_prompt)
    brief = prompt.build_text_request(call)
    choices = [_build_choice(body, brief.with_choice_seed(number), fate) for number in range(body.n)]
    usage = _build_usage(prompt, choices)
    record_generation(
        call, "text", body.model, prompt.last_user_message, text=choices[0].content or choices[0].refusal or ""
    )
    head = {
        "id": f"chatcmpl-{generate_alphanumeric(29)}",
        "created": int(call.context.clock.get_unix_time()),
        "model": body.model,
        "service_tier": "default",
        "system_fingerprint": f"fp_{generate_hex(10)}",
    }
    if body.stream:
        with_usage = body.stream_options is not None and body.stream_options.include_usage
        events = _stream_events(head, choices, usage if with_usage else None)
        return StreamingResponse(
            events, headers=build_rate_limit_headers(call, usage["total_tokens"]), media_type="text/event-stream"
        )
    shown = {
        "object": "chat.completion",
        "choices": [_build_choice_json(*item) for item in enumerate(choices)],
        "usage": usage,
    }
    return build_response(call, head | shown, usage["total_tokens"])


def _validate_body(body: ChatCompletionBody) -> None:
    require(
        not (body.model.startswith(REASONING_MODEL_PREFIXES) and body.max_tokens),
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "max_tokens",
        "unsupported_parameter",
    )
    for name, value in (("temperature", body.temperature), ("top_p", body.top_p)):
        require(
            value == 1 or supports_sampling(body.model, body.reasoning_effort),
            f"Unsupported value: '{name}' does not support {value:g} with this model. Only the default (1) value is "
            "supported.",
            name,
            "unsupported_value",
        )
    require(
        body.tools or body.tool_choice in ("auto", "none"),
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        "tool_choice",
    )
    format_ = body.response_format
    require(
        format_.type != "json_schema" or format_.json_schema,
        "Missing required parameter: 'response_format.json_schema'.",
        "response_format.json_schema",
        "missing_required_parameter",
    )
    if (json_schema := format_.json_schema) is not None:
        strict = bool(json_schema.strict)
        require_valid_schema(
            json_schema.schema, "response_format", json_schema.name, "response_format", is_strict=strict
        )
    for place, function in enumerate(body.functions):
        param = f"tools[{place}].function.parameters"
        require_valid_schema(function.parameters, "function", function.name, param, is_strict=bool(function.strict))
    require(
        format_.type != "json_object" or any("json" in message.text.lower() for message in body.messages),
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
        "messages",
    )
    require(
        body.stream or body.stream_options is None,
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        "stream_options",
    )


def _build_choice(body: ChatCompletionBody, text_request: TextRequest, fate: str) -> Choice:
    if fate == "refusal":
        return Choice(None, len(split_into_tokens(REFUSAL_TEXT)), refusal=REFUSAL_TEXT)
    tool = _find_required_function(body)
    if tool is not None:
        arguments = generate_arguments(tool, text_request)
        called = {"name": tool.name, "arguments": arguments}
        calls = [{"id": f"call_{generate_alphanumeric(24)}", "type": "function", "function": called}]
        return Choice(None, len(split_into_tokens(arguments)), "tool_calls", tool_calls=calls)
    schema = body.response_format.json_schema
    return limit_tokens(
        generate_content(text_request, body.response_format.type, schema.schema if schema else {}),
        _get_max_tokens(body),
        fate,
    )


def generate_arguments(tool: FunctionDefinition, text_request: TextRequest) -> str:
    """Write the arguments with which a function is called, as JSON."""
    return msgspec.json.encode(generate_value({"type": "object"} | tool.parameters, text_request)).decode()


def generate_content(text_request: TextRequest, kind: str, schema: Mapping[str, Any]) -> str:
    """Write a text, or an object as JSON."""
    if kind == "text":
        return generate_text(text_request)
    plain = {
        "title": build_headline(text_request),
        "text": generate_text(text_request),
        "hashtags": build_hashtags(text_request, 3),
    }
    return msgspec.json.encode(generate_value(schema, text_request) if kind == "json_schema" else plain).decode()


def limit_tokens(full_text: str, max_tokens: int | None, fate: str) -> Choice:
    """Stop where the tokens end, or in the middle if the content filter steps in."""
    tokens = split_into_tokens(full_text)
    if fate == "filter":
        kept = tokens[: len(tokens) // 2]
        return Choice("".join(kept), len(kept), "content_filter")
    if max_tokens is not None and len(tokens) > max_tokens:
        return Choice("".join(tokens[:max_tokens]), max_tokens, "length")
    return Choice(full_text, len(tokens))


def _find_required_function(body: ChatCompletionBody) -> FunctionDefinition | None:
    """Return the function that the model must call. If it may choose, it never calls one."""
    if isinstance(body.tool_choice, str):
        return body.functions[0] if body.tool_choice == "required" and body.functions else None
    function_definition = body.tool_choice.function
    return next(
        (
            function
            for function in body.functions
            if function_definition is not None and function.name == function_definition.name
        ),
        None,
    )


def _get_max_tokens(body: ChatCompletionBody) -> int | None:
    return body.max_completion_tokens or body.max_tokens


def count_prompt_tokens(prompt: Prompt) -> int:
    return len(split_into_tokens(prompt.full_prompt)) + IMAGE_TOKENS * prompt.image_count + 3


def _build_usage(prompt: Prompt, choices: list[Choice]) -> dict[str, Any]:
    input_number, number = count_prompt_tokens(prompt), sum(choice.token_count for choice in choices)
    unused = dict.fromkeys(
        ("reasoning_tokens", "audio_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens"), 0
    )
    return {
        "prompt_tokens": input_number,
        "completion_tokens": number,
        "total_tokens": input_number + number,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": unused,
    }


def _build_choice_json(index: int, choice: Choice) -> dict[str, Any]:
    message: dict[str, Any] = {
        "role": "assistant",
        "content": choice.content,
        "refusal": choice.refusal,
        "annotations": [],
    }
    if choice.tool_calls is not None:
        message["tool_calls"] = choice.tool_calls
    return {"index": index, "message": message, "logprobs": None, "finish_reason": choice.finish_reason}


def _stream_events(
    common_fields: dict[str, Any], choices: list[Choice], usage: dict[str, Any] | None
) -> Iterator[bytes]:
    chunk = {**common_fields, "object": "chat.completion.chunk"} | ({"usage": None} if usage else {})
    for index, choice in enumerate(choices):
        for delta in _iterate_deltas(choice):
            yield _encode_event(chunk | {"choices": [_build_chunk_choice(index, delta)]})
        yield _encode_event(chunk | {"choices": [_build_chunk_choice(index, {}, choice.finish_reason)]})
    if usage is not None:
        yield _encode_event(chunk | {"choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _iterate_deltas(choice: Choice) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": "", "refusal": None}
    if choice.tool_calls is not None:
        yield {"tool_calls": [{"index": place, **tool_call} for place, tool_call in enumerate(choice.tool_calls)]}
    name = "content" if choice.refusal is None else "refusal"
    tokens = split_into_tokens(choice.content or choice.refusal or "")
    for place in range(0, len(tokens), _TOKENS_PER_CHUNK):
        yield {name: "".join(tokens[place : place + _TOKENS_PER_CHUNK])}


def _build_chunk_choice(index: int, delta: dict[str, Any], finish_reason: FinishReason | None = None) -> dict[str, Any]:
    return {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish_reason}


def _encode_event(value: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(value) + b"\n\n"


ROUTES = [Route("POST", "/api.openai.com/v1/chat/completions", create_chat_completion)]
