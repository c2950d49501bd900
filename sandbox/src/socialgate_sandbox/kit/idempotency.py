"""Idempotency keys: a request that is repeated with its key gets the response to the first one, and has no effect.

`claim` is a vendor's `claim`: a key is in use from the arrival of a call until it has taken effect.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, CallRefusedError, ErrorBuilder, StoredObject


class KeptResponse(StoredObject, kw_only=True):
    """The response to the first request with a key, which is its id. `origin` is the id of that call."""

    at: float
    path: str
    request: str
    origin: str
    status: int
    body: bytes


@dataclass(frozen=True, kw_only=True)
class IdempotencyKeys:
    header_name: str = "idempotency-key"
    # How long a response is kept, in seconds.
    retention_seconds: float = 86_400
    # The conflict with a request that is still running.
    build_in_use_error: ErrorBuilder
    # Refuses a key that was used for another request: the key, the path of that request, and the path of this one.
    build_key_reused_error: Callable[[str, str, str], CallRefusedError]

    def get_key(self, call: Call) -> str:
        """Return the key of a call; empty if it has none. Only a POST needs one."""
        return call.headers.get(self.header_name, "") if call.method == "POST" else ""

    @contextmanager
    def claim(self, call: Call) -> Iterator[Response | None]:
        key, busy = self.get_key(call), call.context.keys_in_use
        if key in busy:
            yield self.build_in_use_error(call)
        elif key:
            busy.add(key)
            try:
                yield None
            finally:
                busy.discard(key)
        else:
            yield None

    def run_once(self, call: Call, handler: Callable[[Call], Response]) -> Response | KeptResponse:
        """Answer a call, or return the response that was kept. A refusal is not kept: it had no effect."""
        key, world = self.get_key(call), call.context
        if not key:
            return handler(call)
        request = msgspec.json.encode(sorted([*call.query.multi_items(), *call.form.multi_items()])).decode()
        kept = world.store.get(KeptResponse, key)
        if kept is not None and world.clock.get_unix_time() - kept.at < self.retention_seconds:
            if (kept.path, kept.request) != (call.path, request):
                raise self.build_key_reused_error(key, kept.path, call.path)
            return kept
        response = handler(call)
        world.store.put(
            KeptResponse(
                id=key,
                at=world.clock.get_unix_time(),
                path=call.path,
                request=request,
                origin=call.id,
                status=response.status_code,
                body=bytes(response.body),
            )
        )
        return response
