"""Failures on request: which calls they affect, how often, and when."""

import asyncio
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any, Literal

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kernel.call import Call, build_json_response
from socialgate_sandbox.kernel.store import Store, StoredObject
from socialgate_sandbox.kernel.vendor import Vendor

BODILESS_STATUSES = frozenset({204, 304})
FaultTiming = Literal["before", "after", "drop", "late"]


class Fault(StoredObject, rename="camel"):
    """`before` responds instead of the call. `after` lets it take effect and loses the response; `drop` loses the call.
    `late` also loses the response, and the call takes effect `delay` seconds later on the sandbox's clock.

    With `hang` there is no response, and the connection stays open.
    """

    platform: str
    error: str | None = None
    status: int | None = None
    body: Any = None
    headers: dict[str, str] = {}
    path: str = "*"
    method: str = "*"
    account: str | None = None
    skip: int = 0
    times: int = 1
    when: FaultTiming = "before"
    delay: float = 0.0
    hang: bool = False

    def matches(self, call: Call, account_ids: Collection[str]) -> bool:
        return (
            self.platform == call.context.vendor
            and fnmatchcase(call.path, self.path)
            and self.method in {"*", call.method}
            and (self.account is None or self.account in account_ids)
        )

    def answer(self, vendor: Vendor, call: Call) -> Response | None:
        """Return the response that replaces the call's own, or None if the call is only delayed."""
        if self.error is not None:
            return vendor.errors[self.error](call)
        if self.status is None:
            return None
        if self.status in BODILESS_STATUSES:
            return Response(status_code=self.status, headers=self.headers)
        if isinstance(self.body, str):
            return Response(self.body, self.status, self.headers)
        return build_json_response({} if self.body is None else self.body, self.status, self.headers)

    @property
    def description(self) -> str:
        """A short description."""
        if self.hang:
            return f"hung {self.when}"
        if self.when != "before":
            return {"after": "answer lost", "drop": "call lost", "late": f"{self.delay:g} s late, unanswered"}[
                self.when
            ]
        return self.error or (str(self.status) if self.status else f"{self.delay:g} s late")


class HangingCall(msgspec.Struct, frozen=True):
    """A call that waits for a response that never comes, or to take effect late. `fault` is the id of its cause."""

    fault: str
    platform: str
    method: str
    path: str
    accounts: list[str]


class Throttle(StoredObject):
    """Its id is the platform."""

    per_minute: int = msgspec.field(name="perMinute")


class FaultRegistry:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._hanging_calls: dict[asyncio.Event, HangingCall] = {}

    def add(self, fault: Fault) -> None:
        self._store.put(fault)

    def list_faults(self) -> list[Fault]:
        return self._store.find(Fault)

    def waiting(self) -> list[HangingCall]:
        return list(self._hanging_calls.values())

    def clear_all(self) -> int:
        for let_go in self._hanging_calls:
            let_go.set()
        return self._store.delete_all(Fault) + self._store.delete_all(Throttle)

    def cancel(self, key: str) -> bool:
        """Clear one fault and release the calls that it holds. Returns False if there was nothing to clear."""
        kept = [let_go for let_go, hanging_call in self._hanging_calls.items() if hanging_call.fault == key]
        for let_go in kept:
            let_go.set()
        return self._store.delete(Fault, key) or bool(kept)

    def throttles(self) -> list[Throttle]:
        return self._store.find(Throttle)

    def new_id(self) -> str:
        return str(self._store.get_next_number("fault"))

    def take_matching_fault(self, call: Call, account_ids: Collection[str]) -> Fault | None:
        """Use up one application of the first fault that matches this call and has no calls left to skip."""
        for fault in self.list_faults():
            if not fault.matches(call, account_ids):
                continue
            if not fault.skip:
                self._count_application(fault)
                return fault
            fault.skip -= 1
            self._store.put(fault)
        return None

    def _count_application(self, fault: Fault) -> None:
        if fault.times > 1:
            fault.times -= 1
            self._store.put(fault)
        else:
            self._store.delete(Fault, fault.id)

    @contextmanager
    def hanging(self, fault: Fault, call: Call, account_ids: Collection[str]) -> Iterator[asyncio.Event]:
        """List a call as hanging while the block runs. Yields the event that is set when all faults are cleared."""
        let_go = asyncio.Event()
        self._hanging_calls[let_go] = HangingCall(fault.id, fault.platform, call.method, call.path, list(account_ids))
        try:
            yield let_go
        finally:
            del self._hanging_calls[let_go]

    def set_throttle(self, platform: str, per_minute: int | None) -> None:
        if per_minute is None:
            self._store.delete(Throttle, platform)
        else:
            self._store.put(Throttle(id=platform, per_minute=per_minute))

    def is_throttled(self, call: Call) -> bool:
        throttle = self._store.get(Throttle, call.context.vendor)
        return throttle is not None and not call.context.try_use("throttle", throttle.per_minute)
