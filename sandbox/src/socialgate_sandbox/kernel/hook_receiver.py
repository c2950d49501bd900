"""The sandbox's own https endpoint for hooks: it accepts a POST on any path and responds as configured."""

import asyncio

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from socialgate_sandbox.kernel.connections import close_connection, wait_for_event_or_disconnect
from socialgate_sandbox.kernel.hook_receiver_log import HookReceiverLog
from socialgate_sandbox.kernel.request_reader import read_limited

# Far more than a delivery ever has.
MAX_BODY_BYTES = 8 << 20


class HookReceiverApp:
    def __init__(self, receiver_log: HookReceiverLog, shutdown_event: asyncio.Event) -> None:
        self._receiver_log = receiver_log
        self._shutdown_event = shutdown_event

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method != "POST":
            answer = PlainTextResponse("Hooks are sent as POST requests.\n", 405, {"Allow": "POST"})
            await answer(scope, receive, send)
            return
        try:
            body = await read_limited(MAX_BODY_BYTES, request.stream())
        except ClientDisconnect:
            return
        if body is None:
            await PlainTextResponse("The body is too large for a delivery.\n", 413)(scope, receive, send)
            return
        rule = self._receiver_log.record_delivery(scope["path"], request.headers, body)
        if rule.answer == "hang":
            await wait_for_event_or_disconnect(self._shutdown_event, receive=receive)
            await close_connection(scope, receive)
            return
        wait = {} if rule.retry_after is None else {"Retry-After": str(rule.retry_after)}
        await PlainTextResponse("ok\n" if rule.answer < 400 else "no\n", rule.answer, wait)(scope, receive, send)  # noqa: PLR2004 - errors begin here
