"""Failures on request: which calls they affect, how often, and when."""

import asyncio
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any, Literal

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kernel.call import Call, reply
from socialgate_sandbox.kernel.store import Store, Thing
from socialgate_sandbox.kernel.vendor import Vendor

WITHOUT_BODY = frozenset({204, 304})
When = Literal["before", "after", "drop", "late"]


class Fault(Thing, rename="camel"):
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
    when: When = "before"
    delay: float = 0.0
    hang: bool = False

    def hits(self, call: Call, accounts: Collection[str]) -> bool:
        return (
            self.platform == call.world.vendor
            and fnmatchcase(call.path, self.path)
            and self.method in {"*", call.method}
            and (self.account is None or self.account in accounts)
        )

    def answer(self, vendor: Vendor, call: Call) -> Response | None:
        """Return the response that replaces the call's own, or None if the call is only delayed."""
        if self.error is not None:
            return vendor.errors[self.error](call)
        if self.status is None:
            return None
        if self.status in WITHOUT_BODY:
            return Response(status_code=self.status, headers=self.headers)
        if isinstance(self.body, str):
            return Response(self.body, self.status, self.headers)
        return reply({} if self.body is None else self.body, self.status, self.headers)

    @property
    def word(self) -> str:
        """A short description."""
        if self.hang:
            return f"hung {self.when}"
        if self.when != "before":
            return {"after": "answer lost", "drop": "call lost", "late": f"{self.delay:g} s late, unanswered"}[
                self.when
            ]
        return self.error or (str(self.status) if self.status else f"{self.delay:g} s late")


class Hanging(msgspec.Struct, frozen=True):
    """A call that waits for a response that never comes, or to take effect late. `fault` is the id of its cause."""

    fault: str
    platform: str
    method: str
    path: str
    accounts: list[str]


class Throttle(Thing):
    """Its id is the platform."""

    per_minute: int = msgspec.field(name="perMinute")


class Faults:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._hanging: dict[asyncio.Event, Hanging] = {}

    def order(self, fault: Fault) -> None:
        self._store.put(fault)

    def all(self) -> list[Fault]:
        return self._store.find(Fault)

    def waiting(self) -> list[Hanging]:
        return list(self._hanging.values())

    def clear(self) -> int:
        for let_go in self._hanging:
            let_go.set()
        return self._store.clear(Fault) + self._store.clear(Throttle)

    def cancel(self, key: str) -> bool:
        """Clear one fault and release the calls that it holds. Returns False if there was nothing to clear."""
        kept = [let_go for let_go, one in self._hanging.items() if one.fault == key]
        for let_go in kept:
            let_go.set()
        return self._store.delete(Fault, key) or bool(kept)

    def throttles(self) -> list[Throttle]:
        return self._store.find(Throttle)

    def new_id(self) -> str:
        return str(self._store.count_up("fault"))

    def take(self, call: Call, accounts: Collection[str]) -> Fault | None:
        """Use up one application of the first fault that matches this call and has no calls left to skip."""
        for fault in self.all():
            if not fault.hits(call, accounts):
                continue
            if not fault.skip:
                self._use(fault)
                return fault
            fault.skip -= 1
            self._store.put(fault)
        return None

    def _use(self, fault: Fault) -> None:
        if fault.times > 1:
            fault.times -= 1
            self._store.put(fault)
        else:
            self._store.delete(Fault, fault.id)

    @contextmanager
    def hanging(self, fault: Fault, call: Call, accounts: Collection[str]) -> Iterator[asyncio.Event]:
        """List a call as hanging while the block runs. Yields the event that is set when all faults are cleared."""
        let_go = asyncio.Event()
        self._hanging[let_go] = Hanging(fault.id, fault.platform, call.method, call.path, list(accounts))
        try:
            yield let_go
        finally:
            del self._hanging[let_go]

    def throttle(self, platform: str, per_minute: int | None) -> None:
        if per_minute is None:
            self._store.delete(Throttle, platform)
        else:
            self._store.put(Throttle(id=platform, per_minute=per_minute))

    def too_fast(self, call: Call) -> bool:
        throttle = self._store.get(Throttle, call.world.vendor)
        return throttle is not None and not call.world.allow("throttle", throttle.per_minute)
