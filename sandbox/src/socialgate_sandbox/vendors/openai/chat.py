"""Chat Completions, at once or as a stream of events."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta
from starlette.responses import Response, StreamingResponse

from socialgate_sandbox.kit import Call, Route, hexadecimal, text
from socialgate_sandbox.kit.copywriting import Brief, compose, hashtags_of, headline, tokens_of
from socialgate_sandbox.kit.schemas import fill
from socialgate_sandbox.vendors.openai.access import admit, answer, generated, limits, signed_in
from socialgate_sandbox.vendors.openai.bodies import Body, read_body
from socialgate_sandbox.vendors.openai.errors import require
from socialgate_sandbox.vendors.openai.models import require_model
from socialgate_sandbox.vendors.openai.prompts import PICTURE_TOKENS, Message, Prompt, check_pictures
from socialgate_sandbox.vendors.openai.strictness import REASONING, require_schema, takes_sampling

SORRY = "I'm sorry, but I can't help with that request."
_CHUNK = 4
Ending = Literal["stop", "length", "content_filter", "tool_calls"]


class JsonSchema(msgspec.Struct, frozen=True):
    name: Annotated[str, Meta(pattern=r"^[a-zA-Z0-9_-]{1,64}$")]
    schema: dict[str, Any] = {}
    strict: bool | None = None


class Format(msgspec.Struct, frozen=True):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None


class Function(msgspec.Struct, frozen=True):
    name: str
    parameters: dict[str, Any] = {}
    strict: bool | None = None


class Tool(msgspec.Struct, frozen=True):
    type: str
    function: Function | None = None


class StreamOptions(msgspec.Struct, frozen=True):
    include_usage: bool = False
    include_obfuscation: bool = False


class Chat(Body, frozen=True, kw_only=True):
    others: ClassVar[str] = (
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
    response_format: Format = Format("text")
    stream: bool = False
    stream_options: StreamOptions | None = None
    tools: list[Tool] = []
    tool_choice: str | Tool = "auto"

    @property
    def functions(self) -> list[Function]:
        return [tool.function for tool in self.tools if tool.function is not None]


class Choice(msgspec.Struct, frozen=True):
    content: str | None
    tokens: int
    ending: Ending = "stop"
    refusal: str | None = None
    tool_calls: list[dict[str, Any]] | None = None


async def complete(call: Call) -> Response:
    signed_in(call)
    body = read_body(call, Chat)
    require_model(call, body.model, "chat")
    _check(body)
    await check_pictures(call.world, body.messages)
    prompt = Prompt.of(body.messages)
    fate = admit(call, prompt.rules)
    brief = prompt.brief(call)
    choices = [_choice(body, brief.choice(number), fate) for number in range(body.n)]
    usage = _usage(prompt, choices)
    generated(call, "text", body.model, prompt.asked, text=choices[0].content or choices[0].refusal or "")
    head = {
        "id": f"chatcmpl-{text(29)}",
        "created": int(call.world.clock.time()),
        "model": body.model,
        "service_tier": "default",
        "system_fingerprint": f"fp_{hexadecimal(10)}",
    }
    if body.stream:
        with_usage = body.stream_options is not None and body.stream_options.include_usage
        events = _events(head, choices, usage if with_usage else None)
        return StreamingResponse(events, headers=limits(call, usage["total_tokens"]), media_type="text/event-stream")
    shown = {"object": "chat.completion", "choices": [_shown(*one) for one in enumerate(choices)], "usage": usage}
    return answer(call, head | shown, usage["total_tokens"])


def _check(body: Chat) -> None:
    require(
        not (body.model.startswith(REASONING) and body.max_tokens),
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "max_tokens",
        "unsupported_parameter",
    )
    for name, value in (("temperature", body.temperature), ("top_p", body.top_p)):
        require(
            value == 1 or takes_sampling(body.model, body.reasoning_effort),
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
    if (wanted := format_.json_schema) is not None:
        strict = bool(wanted.strict)
        require_schema(wanted.schema, "response_format", wanted.name, "response_format", strict=strict)
    for place, one in enumerate(body.functions):
        param = f"tools[{place}].function.parameters"
        require_schema(one.parameters, "function", one.name, param, strict=bool(one.strict))
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


def _choice(body: Chat, brief: Brief, fate: str) -> Choice:
    if fate == "refusal":
        return Choice(None, len(tokens_of(SORRY)), refusal=SORRY)
    tool = _required_tool(body)
    if tool is not None:
        arguments = arguments_of(tool, brief)
        called = {"name": tool.name, "arguments": arguments}
        calls = [{"id": f"call_{text(24)}", "type": "function", "function": called}]
        return Choice(None, len(tokens_of(arguments)), "tool_calls", tool_calls=calls)
    schema = body.response_format.json_schema
    return cut(written(brief, body.response_format.type, schema.schema if schema else {}), _most(body), fate)


def arguments_of(tool: Function, brief: Brief) -> str:
    """Write the arguments with which a function is called, as JSON."""
    return msgspec.json.encode(fill({"type": "object"} | tool.parameters, brief)).decode()


def written(brief: Brief, kind: str, schema: Mapping[str, Any]) -> str:
    """Write a text, or an object as JSON."""
    if kind == "text":
        return compose(brief)
    plain = {"title": headline(brief), "text": compose(brief), "hashtags": hashtags_of(brief, 3)}
    return msgspec.json.encode(fill(schema, brief) if kind == "json_schema" else plain).decode()


def cut(whole: str, most: int | None, fate: str) -> Choice:
    """Stop where the tokens end, or in the middle if the content filter steps in."""
    tokens = tokens_of(whole)
    if fate == "filter":
        kept = tokens[: len(tokens) // 2]
        return Choice("".join(kept), len(kept), "content_filter")
    if most is not None and len(tokens) > most:
        return Choice("".join(tokens[:most]), most, "length")
    return Choice(whole, len(tokens))


def _required_tool(body: Chat) -> Function | None:
    """Return the function that the model must call. If it may choose, it never calls one."""
    if isinstance(body.tool_choice, str):
        return body.functions[0] if body.tool_choice == "required" and body.functions else None
    wanted = body.tool_choice.function
    return next((one for one in body.functions if wanted is not None and one.name == wanted.name), None)


def _most(body: Chat) -> int | None:
    return body.max_completion_tokens or body.max_tokens


def prompt_tokens(prompt: Prompt) -> int:
    return len(tokens_of(prompt.rules)) + PICTURE_TOKENS * prompt.pictures + 3


def _usage(prompt: Prompt, choices: list[Choice]) -> dict[str, Any]:
    given, made = prompt_tokens(prompt), sum(choice.tokens for choice in choices)
    unused = dict.fromkeys(
        ("reasoning_tokens", "audio_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens"), 0
    )
    return {
        "prompt_tokens": given,
        "completion_tokens": made,
        "total_tokens": given + made,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": unused,
    }


def _shown(index: int, choice: Choice) -> dict[str, Any]:
    message: dict[str, Any] = {
        "role": "assistant",
        "content": choice.content,
        "refusal": choice.refusal,
        "annotations": [],
    }
    if choice.tool_calls is not None:
        message["tool_calls"] = choice.tool_calls
    return {"index": index, "message": message, "logprobs": None, "finish_reason": choice.ending}


def _events(head: dict[str, Any], choices: list[Choice], usage: dict[str, Any] | None) -> Iterator[bytes]:
    chunk = {**head, "object": "chat.completion.chunk"} | ({"usage": None} if usage else {})
    for index, choice in enumerate(choices):
        for delta in _deltas(choice):
            yield _event(chunk | {"choices": [_step(index, delta)]})
        yield _event(chunk | {"choices": [_step(index, {}, choice.ending)]})
    if usage is not None:
        yield _event(chunk | {"choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _deltas(choice: Choice) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": "", "refusal": None}
    if choice.tool_calls is not None:
        yield {"tool_calls": [{"index": place, **made} for place, made in enumerate(choice.tool_calls)]}
    name = "content" if choice.refusal is None else "refusal"
    tokens = tokens_of(choice.content or choice.refusal or "")
    for place in range(0, len(tokens), _CHUNK):
        yield {name: "".join(tokens[place : place + _CHUNK])}


def _step(index: int, delta: dict[str, Any], ending: Ending | None = None) -> dict[str, Any]:
    return {"index": index, "delta": delta, "logprobs": None, "finish_reason": ending}


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(value) + b"\n\n"


ROUTES = [Route("POST", "/api.openai.com/v1/chat/completions", complete)]
