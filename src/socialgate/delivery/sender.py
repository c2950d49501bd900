"""One attempt: sign, send, and report what happened."""

import time
from collections.abc import Awaitable, Mapping
from datetime import datetime
from typing import Protocol, TypedDict, Unpack

import msgspec
import structlog

from socialgate.core.clock import Clock
from socialgate.core.egress import HttpResponse, SendError
from socialgate.core.outbox import StoredAttempt
from socialgate.delivery.retry_policy import (
    AttemptFailed,
    AttemptOutcome,
    AttemptSucceeded,
    ReceiverGone,
    classify_response,
)
from socialgate.delivery.signing import HookSigner
from socialgate.delivery.store import DueDelivery
from socialgate.delivery.url_rules import UrlRefusal, check_url_text

MAX_RESPONSE_BYTES = 64 * 1024
MAX_STORED_RESPONSE_BYTES = 4 * 1024

log = structlog.get_logger(__name__)


class AttemptResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A finished attempt, and what is stored about it."""

    outcome: AttemptOutcome
    ended_at: datetime
    # Without `next_attempt_at`: the plan decides whether another follows.
    record: StoredAttempt


class SendOptions(TypedDict):
    """The rest of a request, in the client's format."""

    deadline: float
    read_limit: int
    headers: Mapping[str, str]
    body: bytes | None


class HookClient(Protocol):
    """The outgoing client for hooks."""

    def send(self, method: str, url: str, **request: Unpack[SendOptions]) -> Awaitable[HttpResponse]: ...


class DeliverySender:
    def __init__(self, client: HookClient, clock: Clock, deadline: float) -> None:
        self._door = client
        self._clock = clock
        self._deadline = deadline

    async def attempt_delivery(self, url: str, signer: HookSigner, job: DueDelivery) -> AttemptResult:
        began_at = self._clock.now()
        timestamp = int(began_at.timestamp())
        headers = signer.build_headers(
            event=job.event,
            event_id=job.event_id,
            delivery_id=job.id,
            timestamp=timestamp,
            body=job.body,
        )
        signature, standard_signature = headers["X-Service-Signature"], headers["webhook-signature"]
        headers["Content-Type"] = "application/json"
        answer: HttpResponse | None = None
        started = time.perf_counter()
        try:
            answer = await self._send(url, headers, job.body)
            ended_at = self._clock.now()
            outcome, error = _classify_attempt(answer, ended_at)
        except (SendError, _UrlRefusedError) as failure:
            ended_at = self._clock.now()
            outcome, error = AttemptFailed(failure.reason), f"{failure.reason}: {failure.detail}"
        except Exception:
            # Any error ends this attempt, and the plan retries it. Without this, the delivery would be read and sent
            # again immediately, forever.
            log.exception("attempt_failed", delivery_id=job.id)
            ended_at = self._clock.now()
            outcome, error = AttemptFailed("internal_error"), "internal_error"
        record = StoredAttempt(
            number=job.attempt_count + 1,
            at=began_at,
            duration_ms=int((time.perf_counter() - started) * 1000),
            status_code=None if answer is None else answer.status,
            error=error,
            response_body=None if answer is None else _decode_excerpt(answer.body),
            next_attempt_at=None,
            timestamp=timestamp,
            signature=signature,
            standard_signature=standard_signature,
        )
        return AttemptResult(outcome=outcome, ended_at=ended_at, record=record)

    def _send(self, url: str, headers: dict[str, str], body: bytes) -> Awaitable[HttpResponse]:
        """Check the URL again, and send. Not a coroutine of its own, which would slow down every delivery."""
        verdict = check_url_text(url)
        if isinstance(verdict, UrlRefusal):
            raise _UrlRefusedError(verdict)
        return self._door.send(
            "POST", url, deadline=self._deadline, read_limit=MAX_RESPONSE_BYTES, headers=headers, body=body
        )


class _UrlRefusedError(Exception):
    """The URL was valid when it was saved, but no longer is: the rules have changed."""

    def __init__(self, refusal: UrlRefusal) -> None:
        self.reason, self.detail = refusal.code, refusal.detail


def _classify_attempt(answer: HttpResponse, now: datetime) -> tuple[AttemptOutcome, str | None]:
    outcome = classify_response(answer.status, answer.headers, now)
    match outcome:
        case AttemptSucceeded():
            return outcome, None
        case ReceiverGone():
            return outcome, "gone"
        case AttemptFailed(reason=reason):
            return outcome, reason


def _decode_excerpt(body: bytes) -> str:
    return body[:MAX_STORED_RESPONSE_BYTES].decode("utf-8", "replace")
