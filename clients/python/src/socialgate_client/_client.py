"""The clients: they send calls, wait and repeat what may be repeated, and raise what was refused."""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import time
from collections.abc import Generator, Mapping
from contextlib import closing
from types import TracebackType
from typing import Any, Protocol, TypeAlias, TypeVar

import httpx
import msgspec

from ._call import Call, RawResponse, Sleep, Work, delay_after_failure, delay_after_response, new_key
from ._errors import ConnectionError, SocialgateError, Timeout, read_error  # noqa: A004 - ours, of every client
from ._resources import AsyncResources, Resources
from ._version import __version__
from ._webhooks import Webhooks
from ._wire import pack_query

T = TypeVar("T")

DEFAULT_TIMEOUT = 60.0
DEFAULT_MAX_RETRIES = 5
_URL_VARIABLE, _KEY_VARIABLE = "SOCIALGATE_URL", "SOCIALGATE_API_KEY"
_USER_AGENT = f"socialgate-python/{__version__} (Python {platform.python_version()}; httpx {httpx.__version__})"

# Methods, paths, statuses and times; never headers, bodies or queries, in which there may be secrets.
log = logging.getLogger("socialgate_client")


# A series of calls that is the same with and without `await`: it yields calls, and gets their responses.
Flow: TypeAlias = Generator["Call[Any] | Sleep | Work", Any, T]


class Sender(Protocol):
    """Sends calls."""

    def send(self, call: Call[T]) -> T: ...


class AsyncSender(Protocol):
    """Sends calls, and is awaited."""

    async def send(self, call: Call[T]) -> T: ...


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How requests are sent."""

    base_url: str
    api_key: str
    timeout: float
    max_retries: int
    headers: Mapping[str, str]

    def build_headers(self, call: Call[Any]) -> dict[str, str]:
        key = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        common = {"Accept": "application/json", "User-Agent": _USER_AGENT}
        return {**common, **key, **self.headers, **call.build_headers()}

    def build_request(self, call: Call[Any], client: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        return client.build_request(
            call.method,
            self.base_url + call.path,
            params=list(call.query),
            headers=self.build_headers(call),
            content=call.build_content(),
            timeout=self.timeout if call.timeout is None else call.timeout,
        )


def read_options(
    base_url: str | None, api_key: str | None, timeout: float, max_retries: int, headers: Mapping[str, str] | None
) -> Options:
    """Read what is not given from the environment."""
    url = base_url or os.environ.get(_URL_VARIABLE, "")
    key = os.environ.get(_KEY_VARIABLE, "") if api_key is None else api_key
    if not url:
        raise SocialgateError(f"The URL of the service is missing. Pass base_url, or set {_URL_VARIABLE}.")
    if not url.startswith(("http://", "https://")):
        raise SocialgateError(f"{url!r} is not the URL of a service. It starts with https:// or http://.")
    try:
        host = httpx.URL(url).host
    except httpx.InvalidURL as error:
        raise SocialgateError(f"{url!r} is not a URL: {error}.") from None
    if not host:
        raise SocialgateError(f"{url!r} is not the URL of a service. It contains no host.")
    if not (key.isascii() and key.isprintable()):
        # The key is not quoted: it may be a secret that is almost right.
        raise SocialgateError("The API key contains characters that no key has, such as a line break. Copy it again.")
    return Options(
        base_url=url.rstrip("/"), api_key=key, timeout=timeout, max_retries=max_retries, headers=headers or {}
    )


def build_call(
    method: str,
    path: str,
    *,
    query: Mapping[str, Any] | None,
    body: Any,
    headers: Mapping[str, str] | None,
    idempotency_key: str | None,
) -> Call[Any]:
    """Make the call of a route by its method and path."""
    if not path.startswith("/"):
        raise SocialgateError(f"{path!r} is not a path of the API. It starts with a slash.")
    method = method.upper()
    return Call(
        method=method,
        path=path,
        returns=Any,
        query=pack_query(query or {}),
        body=body,
        headers=headers or {},
        idempotency_key=idempotency_key or (new_key() if method == "POST" else None),
    )


class Socialgate(Resources):
    """The client. It keeps connections open: create one, use it everywhere, and close it in the end.

    Without arguments, `SOCIALGATE_URL` and `SOCIALGATE_API_KEY` say which service it calls, and with which key.
    """

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        max_retries: int = DEFAULT_MAX_RETRIES,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._options = read_options(base_url, api_key, timeout, max_retries, headers)
        self._http = http_client or httpx.Client()
        self.webhooks = Webhooks()

    def with_options(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Socialgate:
        """Return a client with other options, which shares the connections of this one."""
        options = self._options
        return Socialgate(
            base_url=options.base_url,
            api_key=options.api_key,
            timeout=options.timeout if timeout is None else timeout,
            max_retries=options.max_retries if max_retries is None else max_retries,
            headers={**options.headers, **(headers or {})},
            http_client=self._http,
        )

    def send(self, call: Call[T]) -> T:
        """Send a call, and return what its method returns."""
        return call.read(self.fetch(call))

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> RawResponse[Any]:
        """Call a route by its method and path, such as one that this version of the client does not know yet.

        `query` and `body` have the names of the API, and `parse()` returns what was decoded from JSON.
        """
        call = build_call(method, path, query=query, body=body, headers=headers, idempotency_key=idempotency_key)
        return RawResponse(self.fetch(call), call.read)

    def fetch(self, call: Call[Any]) -> httpx.Response:
        """Send a call until there is a response that counts, and raise an error of the service."""
        attempt = 0
        while True:
            started = time.monotonic()
            delay: float | None
            try:
                response = self._http.send(self._options.build_request(call, self._http))
            except httpx.TransportError as failure:
                delay = _note_failure(call, failure, attempt, self._options.max_retries)
            else:
                delay = _note_response(call, response, started, attempt, self._options.max_retries)
                if delay is None:
                    return response
            time.sleep(delay)
            attempt += 1

    def run(self, flow: Flow[T]) -> T:
        """Make a series of calls. An error is raised inside of the flow, which may know what to do about it."""
        answer: Any = None
        failure: SocialgateError | None = None
        # Whatever ends it, such as a key that somebody presses: the flow closes the files that it has opened.
        with closing(flow):
            while True:
                try:
                    step = flow.throw(failure) if failure is not None else flow.send(answer)
                except StopIteration as end:
                    result: T = end.value
                    return result
                answer, failure = None, None
                if isinstance(step, Sleep):
                    time.sleep(step.seconds)
                elif isinstance(step, Work):
                    answer = step.run()
                else:
                    try:
                        answer = self.fetch(step)
                    except SocialgateError as error:
                        failure = error

    def open_stream(self, call: Call[Any]) -> httpx.Response:
        """Open a response that is read as it arrives. Nothing is sent again."""
        return self._http.send(self._options.build_request(call, self._http), stream=True)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Socialgate:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Socialgate(base_url={self._options.base_url!r})"


class AsyncSocialgate(AsyncResources):
    """The client for programs that use `asyncio`: the same as `Socialgate`, with `await`."""

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        max_retries: int = DEFAULT_MAX_RETRIES,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._options = read_options(base_url, api_key, timeout, max_retries, headers)
        self._http = http_client or httpx.AsyncClient()
        self.webhooks = Webhooks()

    def with_options(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncSocialgate:
        """Return a client with other options, which shares the connections of this one."""
        options = self._options
        return AsyncSocialgate(
            base_url=options.base_url,
            api_key=options.api_key,
            timeout=options.timeout if timeout is None else timeout,
            max_retries=options.max_retries if max_retries is None else max_retries,
            headers={**options.headers, **(headers or {})},
            http_client=self._http,
        )

    async def send(self, call: Call[T]) -> T:
        """Send a call, and return what its method returns."""
        return call.read(await self.fetch(call))

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> RawResponse[Any]:
        """Call a route by its method and path, such as one that this version of the client does not know yet.

        `query` and `body` have the names of the API, and `parse()` returns what was decoded from JSON.
        """
        call = build_call(method, path, query=query, body=body, headers=headers, idempotency_key=idempotency_key)
        return RawResponse(await self.fetch(call), call.read)

    async def fetch(self, call: Call[Any]) -> httpx.Response:
        """Send a call until there is a response that counts, and raise an error of the service."""
        attempt = 0
        while True:
            started = time.monotonic()
            delay: float | None
            try:
                response = await self._http.send(self._options.build_request(call, self._http))
            except httpx.TransportError as failure:
                delay = _note_failure(call, failure, attempt, self._options.max_retries)
            else:
                delay = _note_response(call, response, started, attempt, self._options.max_retries)
                if delay is None:
                    return response
            await asyncio.sleep(delay)
            attempt += 1

    async def run(self, flow: Flow[T]) -> T:
        """Make a series of calls. An error is raised inside of the flow, which may know what to do about it."""
        answer: Any = None
        failure: SocialgateError | None = None
        # Whatever ends it, such as a key that somebody presses: the flow closes the files that it has opened.
        with closing(flow):
            while True:
                try:
                    step = flow.throw(failure) if failure is not None else flow.send(answer)
                except StopIteration as end:
                    result: T = end.value
                    return result
                answer, failure = None, None
                if isinstance(step, Sleep):
                    await asyncio.sleep(step.seconds)
                elif isinstance(step, Work):
                    answer = await asyncio.to_thread(step.run)
                else:
                    try:
                        answer = await self.fetch(step)
                    except SocialgateError as error:
                        failure = error

    async def open_stream(self, call: Call[Any]) -> httpx.Response:
        """Open a response that is read as it arrives. Nothing is sent again."""
        return await self._http.send(self._options.build_request(call, self._http), stream=True)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncSocialgate:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncSocialgate(base_url={self._options.base_url!r})"


class RawSender:
    """Returns responses with their status and headers."""

    def __init__(self, client: Socialgate) -> None:
        self._client = client

    def send(self, call: Call[Any]) -> Any:
        return RawResponse(self._client.fetch(call), call.read)


class AsyncRawSender:
    """Returns responses with their status and headers."""

    def __init__(self, client: AsyncSocialgate) -> None:
        self._client = client

    async def send(self, call: Call[Any]) -> Any:
        return RawResponse(await self._client.fetch(call), call.read)


def _note_failure(call: Call[Any], failure: httpx.TransportError, attempt: int, most: int) -> float:
    """Log a broken connection, and return how long to wait. Raises if it is the end."""
    delay = delay_after_failure(call, failure, attempt, most)
    name = type(failure).__name__
    log.debug("%s %s: %s, attempt %d", call.method, call.path, name, attempt + 1)
    if delay is not None:
        return delay
    kind = Timeout if isinstance(failure, httpx.TimeoutException) else ConnectionError
    why = str(failure) or name
    raise kind(f"{call.method} {call.path}: {why}", idempotency_key=call.idempotency_key) from failure


def _note_response(call: Call[Any], response: httpx.Response, started: float, attempt: int, most: int) -> float | None:
    """Log a response, and return how long to wait; None if it is the result. Raises an error of the service."""
    request_id = response.headers.get("x-request-id", "")
    took = round(1000 * (time.monotonic() - started))
    log.debug("%s %s: %d in %d ms (%s)", call.method, call.path, response.status_code, took, request_id)
    delay = delay_after_response(call, response, attempt, most)
    if delay is None and not response.is_success:
        raise read_error(response, call.idempotency_key)
    return delay
