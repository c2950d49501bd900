"""Keeping a caller waiting, and closing a connection without a response, which ASGI cannot express."""

import asyncio
from collections.abc import Callable

from starlette.types import Receive, Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_CLOSE_EXTENSION = "socialgate_sandbox.close"


class _CloseableProtocol(HttpToolsProtocol):
    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {_CLOSE_EXTENSION: {"close": self.transport.close}}


def build_closeable_protocol(protocol: type[HttpToolsProtocol]) -> type[HttpToolsProtocol]:
    """Create a protocol that also exposes the end of its connection."""
    return type("ClosingProtocol", (_CloseableProtocol, protocol), {})


async def close_connection(scope: Scope, receive: Receive) -> None:
    close: Callable[[], None] = scope["extensions"][_CLOSE_EXTENSION]["close"]
    close()
    # Returning before the server has noticed would make it respond with a 500 of its own.
    while (await receive())["type"] != "http.disconnect":
        pass


async def wait_for_event_or_disconnect(*events: asyncio.Event, receive: Receive) -> None:
    """Wait until one of these is set or the caller disconnects. The request must have been read completely."""
    waits = [asyncio.ensure_future(receive()), *(asyncio.create_task(end.wait()) for end in events)]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
