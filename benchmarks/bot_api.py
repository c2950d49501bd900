"""The platform's side: as much of Telegram's Bot API as a post needs, in a process of its own, so lean that it is never
what is measured. The sandbox writes each call to its disk, and would be.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any, Self

import httptools
import msgspec
from benchmarks.processes import Handlers, Helper

_CHAT = b'{"ok":true,"result":{"id":%d,"type":"channel","title":"News"}}'
_MEMBER = b'{"ok":true,"result":{"status":"administrator","can_post_messages":true}}'
_UNKNOWN = b'{"ok":false,"error_code":404,"description":"Not Found"}'
_BACKLOG = 4096
# Over the internet an answer takes its time: who waits for one after the other is not fast enough.
LATENCY_SECONDS = 0.05


class BotRequest(msgspec.Struct):
    chat_id: str


class Sent(msgspec.Struct):
    text: str


_DECODER = msgspec.json.Decoder(BotRequest)


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """The messages that were sent since the last reset, and when by the clock on the wall."""

    count: int
    distinct: int
    first: float
    last: float


class BotApi:
    """The server, for as long as the block lasts."""

    def __init__(self) -> None:
        self.helper = Helper(bot_api_role)
        self.url = f"http://127.0.0.1:{self.helper.ask('port')}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.helper.__exit__()

    def reset(self) -> None:
        self.helper.ask("reset")

    def seen(self) -> Seen:
        seen: Seen = self.helper.ask("seen")
        return seen


async def bot_api_role() -> Handlers:
    messages = _Messages()
    server = await asyncio.get_running_loop().create_server(
        lambda: LeanConnection(messages.answer, LATENCY_SECONDS), "127.0.0.1", 0, backlog=_BACKLOG
    )
    port = server.sockets[0].getsockname()[1]
    return {"port": lambda: port, "reset": messages.reset, "seen": messages.seen}


class _Messages:
    def __init__(self) -> None:
        self._decoder = msgspec.json.Decoder(Sent)
        self.reset()

    def reset(self) -> None:
        self._count = 0
        self._texts: set[str] = set()
        self._first = self._last = 0.0

    def answer(self, method: bytes, body: bytes) -> bytes:
        if method == b"sendMessage":
            return self.add(body)
        if method == b"getChat":
            return _CHAT % int(_DECODER.decode(body).chat_id)
        return _MEMBER if method == b"getChatMember" else _UNKNOWN

    def add(self, body: bytes) -> bytes:
        now = time.time()
        self._count += 1
        self._texts.add(self._decoder.decode(body).text)
        self._first, self._last = self._first or now, now
        return b'{"ok":true,"result":{"message_id":%d,"date":%d}}' % (self._count, now)

    def seen(self) -> Seen:
        return Seen(count=self._count, distinct=len(self._texts), first=self._first, last=self._last)


class LeanConnection(asyncio.Protocol):
    """As much of HTTP as the client of the service speaks.

    `answer` gives what the platform says, for the last part of an address with its query, and the body.
    """

    def __init__(self, answer: Callable[[bytes, bytes], bytes], latency_seconds: float = 0.0) -> None:
        self._answer = answer
        self._latency_seconds = latency_seconds
        self._parser: Any = httptools.HttpRequestParser(self)
        self._transport: Any = None
        self._path = b""
        self._body = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_url(self, url: bytes) -> None:
        self._path, self._body = url.rpartition(b"/")[2], b""

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        answer = self._answer(self._path, self._body)
        whole = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(answer), answer)
        if self._latency_seconds:
            asyncio.get_running_loop().call_later(self._latency_seconds, self._transport.write, whole)
        else:
            self._transport.write(whole)
