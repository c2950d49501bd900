"""Idempotency keys: a request that is repeated with its key gets the response to the first one, and has no effect.

`claim` is a vendor's `claim`: a key is in use from the arrival of a call until it has taken effect.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, ErrorMaker, Refused, Thing


class KeptResponse(Thing, kw_only=True):
    """The response to the first request with a key, which is its id. `origin` is the id of that call."""

    at: float
    path: str
    request: str
    origin: str
    status: int
    body: bytes


@dataclass(frozen=True, kw_only=True)
class IdempotencyKeys:
    header: str = "idempotency-key"
    # How long a response is kept, in seconds.
    life: float = 86_400
    # The conflict with a request that is still running.
    in_use: ErrorMaker
    # Refuses a key that was used for another request: the key, the path of that request, and the path of this one.
    differs: Callable[[str, str, str], Refused]

    def of(self, call: Call) -> str:
        """Return the key of a call; empty if it has none. Only a POST needs one."""
        return call.headers.get(self.header, "") if call.method == "POST" else ""

    @contextmanager
    def claim(self, call: Call) -> Iterator[Response | None]:
        key, busy = self.of(call), call.world.busy
        if key in busy:
            yield self.in_use(call)
        elif key:
            busy.add(key)
            try:
                yield None
            finally:
                busy.discard(key)
        else:
            yield None

    def once(self, call: Call, answer: Callable[[Call], Response]) -> Response | KeptResponse:
        """Answer a call, or return the response that was kept. A refusal is not kept: it had no effect."""
        key, world = self.of(call), call.world
        if not key:
            return answer(call)
        asked = msgspec.json.encode(sorted([*call.query.multi_items(), *call.form.multi_items()])).decode()
        kept = world.store.get(KeptResponse, key)
        if kept is not None and world.clock.time() - kept.at < self.life:
            if (kept.path, kept.request) != (call.path, asked):
                raise self.differs(key, kept.path, call.path)
            return kept
        made = answer(call)
        world.store.put(
            KeptResponse(
                id=key,
                at=world.clock.time(),
                path=call.path,
                request=asked,
                origin=call.id,
                status=made.status_code,
                body=bytes(made.body),
            )
        )
        return made
