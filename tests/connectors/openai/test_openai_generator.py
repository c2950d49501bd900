"""Servers with OpenAI's API, as different people run them: what is sent to them, and what their answers mean."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

import msgspec
import pytest

from socialgate.connectors.openai.ai_client import OpenAiClient, ProviderConfig
from socialgate.connectors.openai.models import choose_image_size, infer_generation_types
from socialgate.connectors.transport import VendorTransport
from socialgate.contracts.failures import (
    NotSupportedError,
    OutcomeUnknownError,
    PlatformFailure,
    PlatformRateLimitError,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.contracts.generation import (
    AiAccountRejected,
    ChatMessage,
    GenerationType,
    ImageRequest,
    TokenUsage,
    VideoRequest,
)
from socialgate.core.addresses import NetworkSet
from socialgate.core.clock import SystemClock
from socialgate.core.egress import EgressClient, SystemResolver, allow_any_address, build_public_address_policy
from socialgate.core.pauses import PlatformPauses

T = TypeVar("T")
KEY = "sk-a-key-that-nobody-may-see"
HELLO = [ChatMessage(role="user", text="Hello")]


class Server:
    """Answers every call with what it is told, and remembers the calls."""

    def __init__(self) -> None:
        self.status, self.body = 200, b""
        self.headers: dict[str, str] = {}
        self.calls: list[tuple[str, dict[str, str], bytes]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def says(self, body: Any, status: int = 200, **headers: str) -> None:
        self.status, self.headers = status, headers
        self.body = body if isinstance(body, bytes) else msgspec.json.encode(body)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            server.calls.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(server.status)
            for name, value in {**server.headers, "content-length": str(len(server.body))}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(server.body)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


class NoPauses(PlatformPauses):
    """Keeps nothing, because nothing is called twice here."""

    def __init__(self) -> None:
        """Need no database."""

    async def get_remaining_seconds(self, *budgets: str) -> int:
        del budgets
        return 0

    async def pause_for(self, budget: str, seconds: int) -> None:
        """Forget it."""


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


def asked(
    server: Server, call: Callable[[OpenAiClient], Awaitable[T]], key: str = KEY, private: Sequence[str] = ()
) -> T:
    async def run() -> T:
        resolver = SystemResolver(1)
        near = EgressClient(policy=allow_any_address, resolver=resolver, user_agent="test")
        public = EgressClient(
            policy=build_public_address_policy(NetworkSet.parse(private)), resolver=resolver, user_agent="test"
        )
        wire = VendorTransport(near, SystemClock(), NoPauses(), "llama", None, 5)
        provider = ProviderConfig(name="Llama", url=f"{server.url}/v1", api_key=key, deadline=5)
        try:
            return await call(OpenAiClient(provider, wire, public))
        finally:
            near.close()
            public.close()
            resolver.close()

    return asyncio.run(run())


def write(generator: OpenAiClient) -> Awaitable[Any]:
    return generator.generate_text("llama3", HELLO)


def order(generator: OpenAiClient) -> Awaitable[Any]:
    return generator.start_video("sora-2", VideoRequest(prompt="x"))


def failure_of(server: Server, call: Callable[[OpenAiClient], Awaitable[Any]]) -> PlatformFailure:
    with pytest.raises(PlatformFailure) as caught:
        asked(server, call)
    assert KEY not in caught.value.detail + str(caught.value.platform_error)
    return caught.value


def said(message: str, code: str | None = None, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def test_a_server_needs_no_key() -> None:
    server = Server()
    server.says({"choices": [{"message": {"content": " Hi "}}], "usage": {"prompt_tokens": 1, "completion_tokens": 2}})
    created = asked(server, write, key="")
    server.close()
    assert (created.text, created.complete, created.usage.output_tokens) == ("Hi", True, 2)
    path, headers, body = server.calls[0]
    assert path == "/v1/chat/completions"
    assert "authorization" not in headers
    assert msgspec.json.decode(body) == {"model": "llama3", "messages": [{"role": "user", "content": "Hello"}]}


def test_a_text_without_numbers_is_a_text(server: Server) -> None:
    server.says(
        {"choices": [{"message": {"content": "Hi"}, "finish_reason": "length"}], "usage": {"prompt_tokens": "?"}}
    )
    created = asked(server, write)
    assert (created.text, created.complete, created.usage) == ("Hi", False, None)


def test_numbers_that_cannot_be_right_are_bounded(server: Server) -> None:
    usage = b'{"prompt_tokens": -5, "completion_tokens": 9000000000000000000}'
    server.says(b'{"choices": [{"message": {"content": "Hi"}}], "usage": ' + usage + b"}")
    created = asked(server, write)
    assert (created.text, created.usage) == ("Hi", TokenUsage(input_tokens=0, output_tokens=2**31 - 1))
    server.says(b'{"choices": [{"message": {"content": "Hi"}}], "usage": ' + usage.replace(b"9", b"9" * 30) + b"}")
    created = asked(server, write)
    assert created.text == "Hi"
    assert created.usage in {None, TokenUsage(input_tokens=0, output_tokens=2**31 - 1)}
    assert server.calls[0][1]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("status", "body", "word", "category"),
    [
        (401, said(f"Incorrect API key provided: {KEY}", "invalid_api_key"), AiAccountRejected, "system_error"),
        (401, b"Unauthorized", AiAccountRejected, "system_error"),
        (403, said("No", "insufficient_permissions"), AiAccountRejected, "system_error"),
        (429, said("Pay", "insufficient_quota", "insufficient_quota"), AiAccountRejected, "system_error"),
        (429, said("Slow", "rate_limit_exceeded", "tokens"), PlatformRateLimitError, "platform_rate_limit"),
        (429, b"", PlatformRateLimitError, "platform_rate_limit"),
        (400, said("Unsafe", "content_policy_violation"), PlatformRejectedError, "user_content"),
        (400, said("Long", "context_length_exceeded"), PlatformRejectedError, "user_content"),
        (400, said("Bad value"), PlatformRejectedError, "user_content"),
        (404, said("None", "model_not_found"), NotSupportedError, "not_supported"),
        # Ollama, vLLM, and a path that a server does not have.
        (404, {"error": "model 'llama3' not found"}, NotSupportedError, "not_supported"),
        (
            404,
            {"object": "error", "message": "No model", "type": "NotFound", "code": 404},
            NotSupportedError,
            "not_supported",
        ),
        (404, b"404 page not found", NotSupportedError, "not_supported"),
        (500, said("Oops", None, "server_error"), PlatformUnavailableError, "platform_error"),
        (503, b"<html>", PlatformUnavailableError, "platform_error"),
        # Something in between does not know what the server did.
        (502, b"<html>", OutcomeUnknownError, "outcome_unknown"),
        (200, b"<html>", OutcomeUnknownError, "outcome_unknown"),
        (302, b"", OutcomeUnknownError, "outcome_unknown"),
    ],
)
def test_errors_say_whose_they_are(
    server: Server, status: int, body: Any, word: type[PlatformFailure], category: str
) -> None:
    server.says(body, status)
    failure = failure_of(server, write)
    assert (type(failure), failure.category, failure.platform) == (word, category, "llama")
    assert "Llama" in failure.detail or word is OutcomeUnknownError


def test_the_server_says_how_long_to_wait(server: Server) -> None:
    server.says(said("Slow", "rate_limit_exceeded"), 429, retry_after="7")
    assert failure_of(server, write).retry_after == 7
    server.says(said("Slow", "rate_limit_exceeded"), 429, retry_after_ms="1200", retry_after="9")
    assert failure_of(server, write).retry_after == 2


@pytest.mark.parametrize("status", [500, 503])
def test_an_error_does_not_prove_that_no_video_is_made(server: Server, status: int) -> None:
    server.says(said("Oops", None, "server_error"), status)
    assert type(failure_of(server, order)) is OutcomeUnknownError
    server.says(said("Slow", "rate_limit_exceeded"), 429)
    assert type(failure_of(server, order)) is PlatformRateLimitError


def test_a_refusal_is_in_the_words_of_the_model(server: Server) -> None:
    server.says({"choices": [{"message": {"content": None, "refusal": "I cannot help with that."}}]})
    failure = failure_of(server, write)
    assert (failure.category, "I cannot help" in failure.detail) == ("user_content", True)
    server.says({"choices": []})
    assert "empty" in failure_of(server, write).detail


def test_an_image_is_fetched_from_the_server_itself_with_its_key(server: Server) -> None:
    async def fetched(generator: OpenAiClient) -> bytes:
        generated_image = await generator.generate_image("sdxl", ImageRequest(prompt="x", format="png"))
        assert generated_image.warnings
        server.says(b"an image")
        async with generator.download_image(generated_image.url or "") as pieces:
            return b"".join([piece async for piece in pieces])

    server.says({"data": [{"url": f"{server.url}/files/1.png"}]})
    assert asked(server, fetched) == b"an image"
    assert msgspec.json.decode(server.calls[0][2])["response_format"] == "b64_json"
    assert server.calls[1][0] == "/files/1.png"


def test_an_image_elsewhere_is_fetched_from_public_addresses_only(server: Server) -> None:
    other = Server()

    async def fetched(generator: OpenAiClient) -> None:
        async with generator.download_image(f"{other.url}/1.png"):
            raise AssertionError("it is in a private network")

    failure = failure_of(server, fetched)
    other.close()
    assert "address_refused" in failure.detail
    assert other.calls == []


@pytest.mark.parametrize(
    ("status", "expected"),
    [(503, PlatformUnavailableError), (429, PlatformUnavailableError), (403, PlatformRejectedError)],
)
def test_an_image_elsewhere_is_fetched_again_later_if_that_may_help(
    server: Server, status: int, expected: type[PlatformFailure]
) -> None:
    other = Server()
    other.says(b"an error page", status)

    async def fetched(generator: OpenAiClient) -> None:
        async with generator.download_image(f"{other.url}/1.png"):
            raise AssertionError("it is no image")

    with pytest.raises(expected) as caught:
        asked(server, fetched, private=["127.0.0.0/8"])
    other.close()
    assert str(status) in caught.value.detail
    assert (caught.value.retry_after is not None) == (expected is PlatformUnavailableError)
    with pytest.raises(PlatformUnavailableError):
        asked(server, fetched, private=["127.0.0.0/8"])


def test_the_key_is_only_sent_with_the_scheme_of_the_server(server: Server) -> None:
    async def fetched(generator: OpenAiClient) -> None:
        async with generator.download_image(f"{server.url.replace('http:', 'https:')}/1.png"):
            raise AssertionError("it is another origin, in a private network")

    assert "address_refused" in failure_of(server, fetched).detail


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("gpt-5.4-mini", GenerationType.COPY),
        ("llama3.2:latest", GenerationType.COPY),
        ("gpt-image-2.5-flare", GenerationType.IMAGE),
        ("black-forest-labs/flux-1", GenerationType.IMAGE),
        ("sora-2-pro", GenerationType.VIDEO),
        ("gpt-4o-mini-tts", GenerationType.AUDIO),
        ("tts-1-hd", GenerationType.AUDIO),
    ],
)
def test_names_say_what_models_are_for(model: str, kind: GenerationType) -> None:
    assert infer_generation_types(model) == (kind,)


@pytest.mark.parametrize("model", ["text-embedding-3-large", "whisper-1", "omni-moderation-latest", "gpt-realtime"])
def test_some_models_generate_nothing_to_publish(model: str) -> None:
    assert infer_generation_types(model) == ()


def test_a_model_with_three_sizes_takes_the_nearest() -> None:
    assert choose_image_size("gpt-image-2", "16:9") == ("1536x864", None)
    size, warning = choose_image_size("gpt-image-1.5", "9:16")
    assert (size, warning is not None) == ("1024x1536", True)
    assert choose_image_size("gpt-image-1.5", "3:2") == ("1536x1024", None)
