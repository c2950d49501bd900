"""How a call is processed: read, possibly failed on purpose, handled in a transaction, recorded, answered."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import timedelta

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from socialgate_sandbox.kernel.call import Call, Unreadable
from socialgate_sandbox.kernel.closing import close_connection, wait_for_first
from socialgate_sandbox.kernel.faults import Fault, Faults
from socialgate_sandbox.kernel.reading import read_call
from socialgate_sandbox.kernel.received import Received
from socialgate_sandbox.kernel.vendor import Handler, Vendor, answered
from socialgate_sandbox.kernel.world import World

_LOST = None
"""Instead of a response: the connection is closed without one."""
_GLANCE = 0.02
"""How often a late call checks the clock, which is moved by hand."""


class VendorApp:
    """The ASGI application that is mounted for a vendor."""

    def __init__(
        self, vendor: Vendor, world: World, *, faults: Faults, received: Received, stopping: asyncio.Event
    ) -> None:
        self._vendor = vendor
        self._world = world
        self._faults = faults
        self._received = received
        self._stopping = stopping
        self._late: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(f"/{self._vendor.name}")
        try:
            call, unreadable = await read_call(self._world, Request(scope, receive), path)
        except ClientDisconnect:
            return
        answer = await self._answer(call, unreadable, receive)
        if answer is _LOST:
            await close_connection(scope, receive)
        else:
            await answer(scope, receive, send)

    async def _answer(self, call: Call, unreadable: str | None, receive: Receive) -> Response | None:
        handler = self._route(call)
        accounts = self._accounts_of(call)
        fault = self._faults.take(call, accounts)
        if fault is not None and fault.when == "late":
            self._put_off(fault, call, accounts, lambda: self._handled(call, handler, unreadable))
            return _LOST
        try:
            return await self._answered(call, handler, unreadable, receive, fault, accounts)
        finally:
            _forget_files(call)

    def _put_off(
        self, fault: Fault, call: Call, accounts: Sequence[str], handle: Callable[[], Awaitable[Response]]
    ) -> None:
        """Run a call after its caller has stopped waiting, unless all faults are cleared first."""

        async def later() -> None:
            due = self._world.clock.now() + timedelta(seconds=fault.delay)
            try:
                with self._faults.hanging(fault, call, accounts) as let_go:
                    while self._world.clock.now() < due and not (let_go.is_set() or self._stopping.is_set()):
                        with suppress(TimeoutError):
                            await asyncio.wait_for(let_go.wait(), _GLANCE)
                    if let_go.is_set() or self._stopping.is_set():
                        return
                    status = (await handle()).status_code
                    self._received.record(call, status, fault.word, accounts)
            finally:
                _forget_files(call)

        task = asyncio.create_task(later())
        self._late.add(task)
        task.add_done_callback(self._late.discard)

    async def _answered(
        self,
        call: Call,
        handler: Handler,
        unreadable: str | None,
        receive: Receive,
        fault: Fault | None,
        accounts: Sequence[str],
    ) -> Response | None:
        status = 500
        try:
            answer = await self._with_fault(call, handler, unreadable, fault)
            if fault is not None and fault.hang:
                with self._faults.hanging(fault, call, accounts) as let_go:
                    await wait_for_first(let_go, self._stopping, receive=receive)
            status = 0 if answer is _LOST else answer.status_code
        finally:
            self._received.record(call, status, fault.word if fault else "", accounts)
        if answer is not _LOST:
            answer.headers.update(self._vendor.headers(call))
        return answer

    def _route(self, call: Call) -> Handler:
        for route in self._vendor.routes:
            args = route.match(call.method, call.path)
            if args is not None:
                call.args = args
                return route.handler
        return self._vendor.not_found

    def _accounts_of(self, call: Call) -> Sequence[str]:
        try:
            return self._vendor.accounts_of(call)
        except Unreadable:
            return ()

    async def _with_fault(
        self, call: Call, handler: Handler, unreadable: str | None, fault: Fault | None
    ) -> Response | None:
        with self._vendor.claim(call) as conflict:
            if conflict is not None:
                return conflict
            return await self._obeying(call, handler, unreadable, fault)

    async def _obeying(
        self, call: Call, handler: Handler, unreadable: str | None, fault: Fault | None
    ) -> Response | None:
        if fault is None:
            return await self._handled(call, handler, unreadable)
        if fault.delay:
            with suppress(TimeoutError):
                async with asyncio.timeout(fault.delay):
                    await self._stopping.wait()
        if fault.when == "drop":
            return _LOST
        if fault.when == "after":
            await self._handled(call, handler, unreadable)
            return _LOST
        if fault.hang:
            return _LOST
        return fault.answer(self._vendor, call) or await self._handled(call, handler, unreadable)

    async def _handled(self, call: Call, handler: Handler, unreadable: str | None) -> Response:
        if self._faults.too_fast(call):
            return self._vendor.errors["rate_limited"](call)
        if unreadable is not None:
            return self._vendor.invalid(call, unreadable)
        return await answered(call, handler, self._vendor.invalid)


def _forget_files(call: Call) -> None:
    for upload in call.temporary:
        upload.path.unlink(missing_ok=True)
