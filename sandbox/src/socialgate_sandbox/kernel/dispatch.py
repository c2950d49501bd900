"""How a call is processed: read, possibly failed on purpose, handled in a transaction, recorded, answered."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import timedelta

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from socialgate_sandbox.kernel.call import Call, UnreadableInputError
from socialgate_sandbox.kernel.call_log import CallLog
from socialgate_sandbox.kernel.connections import close_connection, wait_for_event_or_disconnect
from socialgate_sandbox.kernel.faults import Fault, FaultRegistry
from socialgate_sandbox.kernel.request_reader import read_call
from socialgate_sandbox.kernel.vendor import Handler, Vendor, handle_call
from socialgate_sandbox.kernel.vendor_context import VendorContext

_NO_RESPONSE = None
"""Instead of a response: the connection is closed without one."""
_CLOCK_POLL_SECONDS = 0.02
"""How often a late call checks the clock, which is moved by hand."""


class VendorApp:
    """The ASGI application that is mounted for a vendor."""

    def __init__(
        self,
        vendor: Vendor,
        context: VendorContext,
        *,
        faults: FaultRegistry,
        call_log: CallLog,
        shutdown_event: asyncio.Event,
    ) -> None:
        self._vendor = vendor
        self._context = context
        self._faults = faults
        self._call_log = call_log
        self._shutdown_event = shutdown_event
        self._late_tasks: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(f"/{self._vendor.name}")
        try:
            call, unreadable = await read_call(self._context, Request(scope, receive), path)
        except ClientDisconnect:
            return
        answer = await self._process_call(call, unreadable, receive)
        if answer is _NO_RESPONSE:
            await close_connection(scope, receive)
        else:
            await answer(scope, receive, send)

    async def _process_call(self, call: Call, read_error: str | None, receive: Receive) -> Response | None:
        handler = self._match_route(call)
        accounts = self._get_account_ids(call)
        fault = self._faults.take_matching_fault(call, accounts)
        if fault is not None and fault.when == "late":
            self._schedule_late_call(fault, call, accounts, lambda: self._run_handler(call, handler, read_error))
            return _NO_RESPONSE
        try:
            return await self._run_and_record(call, handler, read_error, receive, fault, accounts)
        finally:
            _delete_temporary_files(call)

    def _schedule_late_call(
        self, fault: Fault, call: Call, account_ids: Sequence[str], handle: Callable[[], Awaitable[Response]]
    ) -> None:
        """Run a call after its caller has stopped waiting, unless all faults are cleared first."""

        async def later() -> None:
            due = self._context.clock.now() + timedelta(seconds=fault.delay)
            try:
                with self._faults.hanging(fault, call, account_ids) as let_go:
                    while self._context.clock.now() < due and not (let_go.is_set() or self._shutdown_event.is_set()):
                        with suppress(TimeoutError):
                            await asyncio.wait_for(let_go.wait(), _CLOCK_POLL_SECONDS)
                    if let_go.is_set() or self._shutdown_event.is_set():
                        return
                    status = (await handle()).status_code
                    self._call_log.record(call, status, fault.description, account_ids)
            finally:
                _delete_temporary_files(call)

        task = asyncio.create_task(later())
        self._late_tasks.add(task)
        task.add_done_callback(self._late_tasks.discard)

    async def _run_and_record(
        self,
        call: Call,
        handler: Handler,
        read_error: str | None,
        receive: Receive,
        fault: Fault | None,
        account_ids: Sequence[str],
    ) -> Response | None:
        status = 500
        try:
            answer = await self._run_with_claim(call, handler, read_error, fault)
            if fault is not None and fault.hang:
                with self._faults.hanging(fault, call, account_ids) as let_go:
                    await wait_for_event_or_disconnect(let_go, self._shutdown_event, receive=receive)
            status = 0 if answer is _NO_RESPONSE else answer.status_code
        finally:
            self._call_log.record(call, status, fault.description if fault else "", account_ids)
        if answer is not _NO_RESPONSE:
            answer.headers.update(self._vendor.headers(call))
        return answer

    def _match_route(self, call: Call) -> Handler:
        for route in self._vendor.routes:
            args = route.match(call.method, call.path)
            if args is not None:
                call.path_params = args
                return route.handler
        return self._vendor.build_not_found_response

    def _get_account_ids(self, call: Call) -> Sequence[str]:
        try:
            return self._vendor.get_account_ids(call)
        except UnreadableInputError:
            return ()

    async def _run_with_claim(
        self, call: Call, handler: Handler, read_error: str | None, fault: Fault | None
    ) -> Response | None:
        with self._vendor.claim(call) as conflict:
            if conflict is not None:
                return conflict
            return await self._apply_fault(call, handler, read_error, fault)

    async def _apply_fault(
        self, call: Call, handler: Handler, read_error: str | None, fault: Fault | None
    ) -> Response | None:
        if fault is None:
            return await self._run_handler(call, handler, read_error)
        if fault.delay:
            with suppress(TimeoutError):
                async with asyncio.timeout(fault.delay):
                    await self._shutdown_event.wait()
        if fault.when == "drop":
            return _NO_RESPONSE
        if fault.when == "after":
            await self._run_handler(call, handler, read_error)
            return _NO_RESPONSE
        if fault.hang:
            return _NO_RESPONSE
        return fault.answer(self._vendor, call) or await self._run_handler(call, handler, read_error)

    async def _run_handler(self, call: Call, handler: Handler, read_error: str | None) -> Response:
        if self._faults.is_throttled(call):
            return self._vendor.errors["rate_limited"](call)
        if read_error is not None:
            return self._vendor.build_invalid_response(call, read_error)
        return await handle_call(call, handler, self._vendor.build_invalid_response)


def _delete_temporary_files(call: Call) -> None:
    for upload in call.temporary_uploads:
        upload.path.unlink(missing_ok=True)
