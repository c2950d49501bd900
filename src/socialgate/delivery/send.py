"""One attempt: sign, send, and report what happened."""

import time
from collections.abc import Awaitable, Mapping
from datetime import datetime
from typing import Protocol, TypedDict, Unpack

import msgspec
import structlog

from socialgate.core.clock import Clock
from socialgate.core.egress import Answer, SendFailed
from socialgate.core.outbox import Attempt
from socialgate.delivery.guard import Refusal, read_hook_url
from socialgate.delivery.plan import Failed, Gone, Outcome, Succeeded, judge_answer
from socialgate.delivery.sign import Signer
from socialgate.delivery.store import Job

READ_LIMIT = 64 * 1024
KEPT_BYTES = 4 * 1024

log = structlog.get_logger(__name__)


class Attempted(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A finished attempt, and what is stored about it."""

    outcome: Outcome
    ended_at: datetime
    # Without `next_attempt_at`: the plan decides whether another follows.
    record: Attempt


class Sent(TypedDict):
    """The rest of a request, in the client's format."""

    deadline: float
    read_limit: int
    headers: Mapping[str, str]
    body: bytes | None


class Exit(Protocol):
    """The outgoing client for hooks."""

    def send(self, method: str, url: str, **request: Unpack[Sent]) -> Awaitable[Answer]: ...


class Sender:
    def __init__(self, door: Exit, clock: Clock, deadline: float) -> None:
        self._door = door
        self._clock = clock
        self._deadline = deadline

    async def attempt(self, url: str, signer: Signer, job: Job) -> Attempted:
        began_at = self._clock.now()
        timestamp = int(began_at.timestamp())
        headers = signer.headers(
            event=job.event,
            event_id=job.event_id,
            delivery_id=job.id,
            timestamp=timestamp,
            body=job.body,
        )
        signature, standard_signature = headers["X-Service-Signature"], headers["webhook-signature"]
        headers["Content-Type"] = "application/json"
        answer: Answer | None = None
        started = time.perf_counter()
        try:
            answer = await self._send(url, headers, job.body)
            ended_at = self._clock.now()
            outcome, error = _judged(answer, ended_at)
        except (SendFailed, _UrlRefused) as failure:
            ended_at = self._clock.now()
            outcome, error = Failed(failure.reason), f"{failure.reason}: {failure.detail}"
        except Exception:
            # Any error ends this attempt, and the plan retries it. Without this, the delivery would be read and sent
            # again immediately, forever.
            log.exception("attempt_failed", delivery_id=job.id)
            ended_at = self._clock.now()
            outcome, error = Failed("internal_error"), "internal_error"
        record = Attempt(
            number=job.attempt_count + 1,
            at=began_at,
            duration_ms=int((time.perf_counter() - started) * 1000),
            status_code=None if answer is None else answer.status,
            error=error,
            response_body=None if answer is None else _readable(answer.body),
            next_attempt_at=None,
            timestamp=timestamp,
            signature=signature,
            standard_signature=standard_signature,
        )
        return Attempted(outcome=outcome, ended_at=ended_at, record=record)

    def _send(self, url: str, headers: dict[str, str], body: bytes) -> Awaitable[Answer]:
        """Check the URL again, and send. Not a coroutine of its own, which would slow down every delivery."""
        verdict = read_hook_url(url)
        if isinstance(verdict, Refusal):
            raise _UrlRefused(verdict)
        return self._door.send("POST", url, deadline=self._deadline, read_limit=READ_LIMIT, headers=headers, body=body)


class _UrlRefused(Exception):
    """The URL was valid when it was saved, but no longer is: the rules have changed."""

    def __init__(self, refusal: Refusal) -> None:
        self.reason, self.detail = refusal.code, refusal.detail


def _judged(answer: Answer, now: datetime) -> tuple[Outcome, str | None]:
    outcome = judge_answer(answer.status, answer.headers, now)
    match outcome:
        case Succeeded():
            return outcome, None
        case Gone():
            return outcome, "gone"
        case Failed(reason=reason):
            return outcome, reason


def _readable(body: bytes) -> str:
    return body[:KEPT_BYTES].decode("utf-8", "replace")
