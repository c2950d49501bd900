"""The sandbox's own https endpoint for hooks: it accepts a POST on any path and responds as configured."""

import asyncio

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from socialgate_sandbox.kernel.closing import close_connection, wait_for_first
from socialgate_sandbox.kernel.inbox import Inbox
from socialgate_sandbox.kernel.reading import read_up_to

# Far more than a delivery ever has.
LARGEST_BODY = 8 << 20


class Receiver:
    def __init__(self, inbox: Inbox, stopping: asyncio.Event) -> None:
        self._inbox = inbox
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method != "POST":
            answer = PlainTextResponse("Hooks are sent as POST requests.\n", 405, {"Allow": "POST"})
            await answer(scope, receive, send)
            return
        try:
            body = await read_up_to(LARGEST_BODY, request.stream())
        except ClientDisconnect:
            return
        if body is None:
            await PlainTextResponse("The body is too large for a delivery.\n", 413)(scope, receive, send)
            return
        rule = self._inbox.take(scope["path"], request.headers, body)
        if rule.answer == "hang":
            await wait_for_first(self._stopping, receive=receive)
            await close_connection(scope, receive)
            return
        wait = {} if rule.retry_after is None else {"Retry-After": str(rule.retry_after)}
        await PlainTextResponse("ok\n" if rule.answer < 400 else "no\n", rule.answer, wait)(scope, receive, send)  # noqa: PLR2004 - errors begin here
