"""The client: it sends calls, waits, and repeats what may be repeated.

The client without `await` is made of this folder by `make reference` (`clients/generate/sync.py`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import closing
from types import TracebackType
from typing import Any, Protocol, TypeVar

import httpx

from .._call import Call, RawResponse, Sleep, Work
from .._errors import SocialgateError
from .._requests import (
    DEFAULT_MAX_RETRIES,
    DEFAULT_TIMEOUT,
    Flow,
    build_call,
    note_failure,
    note_response,
    read_options,
)
from .._resources import AsyncResources
from .._webhooks import Webhooks

T = TypeVar("T")


class AsyncSender(Protocol):
    """Sends calls."""

    async def send(self, call: Call[T]) -> T: ...


class AsyncSocialgate(AsyncResources):
    """The client, with `await`. It keeps connections open: create one, use it everywhere, and close it in the end.

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
                delay = note_failure(call, failure, attempt, self._options.max_retries)
            else:
                delay = note_response(call, response, started, attempt, self._options.max_retries)
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


class AsyncRawSender:
    """Returns responses with their status and headers."""

    def __init__(self, client: AsyncSocialgate) -> None:
        self._client = client

    async def send(self, call: Call[Any]) -> Any:
        return RawResponse(await self._client.fetch(call), call.read)
