"""One attempt: sign, send, and say what happened."""

import time
from collections.abc import Awaitable, Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypedDict, Unpack

import msgspec
import structlog

from socialgate.core.clock import Clock
from socialgate.core.egress import Answer, SendFailed
from socialgate.delivery.guard import Refusal, read_hook_url
from socialgate.delivery.plan import Failed, Gone, Outcome, Succeeded, judge_answer
from socialgate.delivery.sign import delivery_headers
from socialgate.delivery.store import Job

READ_LIMIT = 64 * 1024
KEPT_BYTES = 4 * 1024

log = structlog.get_logger(__name__)


class Attempted(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that has ended, and the words for its record."""

    outcome: Outcome
    began_at: datetime
    ended_at: datetime
    duration_ms: int
    status_code: int | None
    error: str | None
    response_body: str | None
    timestamp: int
    signature: str
    standard_signature: str


class Sent(TypedDict):
    """The rest of a request, as the door takes it."""

    deadline: float
    read_limit: int
    headers: Mapping[str, str]
    body: bytes | None


class Exit(Protocol):
    """The way out for hooks."""

    def send(self, method: str, url: str, **request: Unpack[Sent]) -> Awaitable[Answer]: ...


class Sender:
    def __init__(self, door: Exit, clock: Clock, deadline: float) -> None:
        self._door = door
        self._clock = clock
        self._deadline = deadline

    async def attempt(self, url: str, secrets: Sequence[str], job: Job) -> Attempted:
        began_at = self._clock.now()
        timestamp = int(began_at.timestamp())
        headers = delivery_headers(
            secrets=secrets,
            event=job.event,
            event_id=job.event_id,
            delivery_id=job.id,
            timestamp=timestamp,
            body=job.body,
        )
        signature, standard_signature = headers["X-Service-Signature"], headers["webhook-signature"]
        headers["Content-Type"] = "application/json"
        started = time.perf_counter()
        try:
            outcome, status, error, kept = await self._exchange(url, headers, job.body)
        except Exception:
            # Whatever it is, it ends this attempt and is tried again by the plan. Left alone, the delivery would be
            # read and sent again at once, for ever.
            log.exception("attempt_failed", delivery_id=job.id)
            outcome, status, error, kept = Failed("internal_error"), None, "internal_error", None
        return Attempted(
            outcome=outcome,
            began_at=began_at,
            ended_at=self._clock.now(),
            duration_ms=int((time.perf_counter() - started) * 1000),
            status_code=status,
            error=error,
            response_body=kept,
            timestamp=timestamp,
            signature=signature,
            standard_signature=standard_signature,
        )

    async def _exchange(
        self, url: str, headers: dict[str, str], body: bytes
    ) -> tuple[Outcome, int | None, str | None, str | None]:
        verdict = read_hook_url(url)
        if isinstance(verdict, Refusal):
            return Failed(verdict.code), None, f"{verdict.code}: {verdict.detail}", None
        try:
            answer = await self._door.send(
                "POST", url, deadline=self._deadline, read_limit=READ_LIMIT, headers=headers, body=body
            )
        except SendFailed as failure:
            return Failed(failure.reason), None, f"{failure.reason}: {failure.detail}", None
        outcome = judge_answer(answer.status, answer.headers, self._clock.now())
        return outcome, answer.status, _word_of(outcome), _readable(answer.body)


def _word_of(outcome: Outcome) -> str | None:
    match outcome:
        case Succeeded():
            return None
        case Gone():
            return "gone"
        case Failed(reason=reason):
            return reason


def _readable(body: bytes) -> str:
    return body[:KEPT_BYTES].decode("utf-8", "replace")
