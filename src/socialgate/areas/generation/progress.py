"""One run of a generation, starting from its last step: what was called, what failed, and the results so far.

Calls to a provider cost money, and a process can die at any instruction. So a commit says that a call is about to be
made, and the next one says what came of it:

    open + 1    about to call
    open = 0    the result is stored, in the same transaction
    open - 1    the provider reported that it made nothing; `failures` counts that, and the call is made again later

A call that stays open may have been executed. Texts, images and speech are asked for once more then, so that a crash
costs at most one call; a video never is.
"""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from socialgate.areas.generation import store
from socialgate.areas.generation.tables import GenerationRow
from socialgate.contracts.failures import OutcomeUnknownError, PlatformFailure
from socialgate.contracts.generation import TokenUsage
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.backoff import Backoff
from socialgate.core.jobs.service import JobRun, WorkerStopping

T = TypeVar("T")

# About an hour in total. After that the provider has a problem that somebody should see.
MAX_FAILURES = 10
_RETRY_BACKOFF = Backoff(initial_delay=timedelta(seconds=5), max_delay=timedelta(minutes=15))
_RETRY_SECONDS = 2
_RESPONSE_LOST_MESSAGE = (
    "The provider's response was lost, so it is unknown whether it generated anything, or charged for it. Check your "
    "account at the provider, then create the generation again."
)


class GenerationState(msgspec.Struct, frozen=True, kw_only=True):
    """`needs_shortening` says that the last text is too long, and the model is still to be asked for a shorter one.

    `image_url` is where the provider offers an image that is not stored yet. `video_id` is the provider's, since
    `video_at`.
    """

    open_calls: int = msgspec.field(default=0, name="open")
    failures: int = 0
    needs_shortening: bool = msgspec.field(default=False, name="pending")
    image_url: str | None = None
    video_id: str | None = None
    video_at: datetime | None = None


class PartialResult(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is made so far, as it is stored."""

    variants: tuple[Mapping[str, Any], ...] = ()
    media_ids: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def with_warnings(self, warnings: Sequence[str]) -> "PartialResult":
        return replace(self, warnings=tuple(dict.fromkeys((*self.warnings, *warnings))))


class GenerationRun:
    def __init__(
        self,
        db: Database,
        run: JobRun,
        row: GenerationRow,
        *,
        provider: str,
        unit: str,
        total: int,
        until: datetime | None = None,
    ) -> None:
        """Take how much there is to do. After `until`, a failure is not retried any more."""
        self.state = msgspec.convert(run.state, GenerationState) if run.state is not None else GenerationState()
        self.result = msgspec.convert(row.result, PartialResult) if row.result is not None else PartialResult()
        self.row = row
        self._db = db
        self._run = run
        self.provider = provider
        self._unit = unit
        self._total = total
        self._until = until
        self._done = len(self.result.variants) - self.state.needs_shortening + len(self.result.media_ids)

    async def save_result(
        self,
        partial_result: PartialResult,
        *,
        state: GenerationState | None = None,
        usage: TokenUsage | None = None,
        unit: Callable[[Tx], Awaitable[T]] | None = None,
        done: int,
    ) -> T | None:
        """Store the result of a call, in one transaction with `unit`."""
        after = state or GenerationState()

        async def write(tx: Tx) -> T | None:
            result = None if unit is None else await unit(tx)
            await self._save(tx, {"result": msgspec.to_builtins(partial_result), "failure": None})
            if usage is not None:
                await store.add_token_usage(tx, self.row.owner_id, self.row.id, usage)
            return result

        answer = await self._run_step(write, after, done)
        self.result, self.state = partial_result, after
        return answer

    async def call_paid(self, call: Callable[[], Awaitable[T]], *, max_open_calls: int) -> T:
        """Make a call that costs money. `call` ends with `save_result`, or returns what `save_result` is called with
        next.
        """
        if self.state.open_calls >= max_open_calls:
            lost = OutcomeUnknownError(_RESPONSE_LOST_MESSAGE, platform=self.provider)
            await self._save_failure(lost, self.state)
            raise lost
        await self._record_open_call()
        try:
            return await call()
        except OutcomeUnknownError as failure:
            await self._save_failure(failure, replace(self.state, failures=self.state.failures + 1))
            if self.state.open_calls < max_open_calls:
                failure.retry_after = _RETRY_SECONDS
            raise
        except PlatformFailure as failure:
            await self._save_failure(
                failure, replace(self.state, open_calls=self.state.open_calls - 1, failures=self.state.failures + 1)
            )
            self._set_retry_delay(failure)
            raise

    async def call_free(self, call: Callable[[], Awaitable[T]]) -> T:
        """Make a call that may be repeated as often as necessary."""
        try:
            answer = await call()
        except PlatformFailure as failure:
            await self._save_failure(failure, replace(self.state, failures=self.state.failures + 1))
            self._set_retry_delay(failure)
            raise
        self.state = replace(self.state, failures=0)
        return answer

    async def report_progress(self, done: int) -> None:
        """Report the progress. Raises if the task was cancelled or the process is stopping."""
        await self._run_step(_do_nothing, self.state, done)

    async def finish(self) -> None:
        await self._run.finish(self._build_task_result)

    async def _build_task_result(self, tx: Tx) -> Mapping[str, Any]:
        """Return the result of the task. A reply to a person is stored in one place only, where it can be erased."""
        if self.row.run_key is not None:
            await store.erase_generation_text(tx, self.row)
            return {}
        return dict(msgspec.to_builtins(self.result))

    async def _record_open_call(self) -> None:
        before = self.state
        self.state = replace(before, open_calls=before.open_calls + 1)
        try:
            await self._run_step(_do_nothing, self.state, self._done)
        except WorkerStopping:
            # The process is stopping, so the call is not made.
            self.state = before
            with suppress(WorkerStopping):
                await self._run_step(_do_nothing, before, self._done)
            raise

    def _set_retry_delay(self, failure: PlatformFailure) -> None:
        """Decide when to call again, if at all. The provider may ask us to wait longer than we can."""
        if failure.retry_after is None:
            return
        late = self._until is not None and self._db.clock.now() > self._until
        if late or self.state.failures >= MAX_FAILURES:
            failure.retry_after = None
            return
        wait = _RETRY_BACKOFF.get_delay(self.state.failures - 1, min_delay=timedelta(seconds=failure.retry_after))
        failure.retry_after = math.ceil(wait.total_seconds())

    async def _save_failure(self, failure: PlatformFailure, state: GenerationState) -> None:
        """Store a failure with the provider's own words: the job itself only keeps a code and a sentence."""
        self.state = state
        platform_error = failure.platform_error
        shown = {
            "code": failure.code,
            "detail": failure.detail,
            "category": failure.category,
            "platform": failure.platform,
            "platformError": None if platform_error is None else msgspec.to_builtins(platform_error),
        }
        with suppress(WorkerStopping):
            await self._run_step(lambda tx: self._save(tx, {"failure": shown}), state, self._done)

    async def _save(self, tx: Tx, values: Mapping[str, Any]) -> None:
        await store.save_generation(tx, self.row.owner_id, self.row.id, values)

    async def _run_step(self, work: Callable[[Tx], Awaitable[T]], state: GenerationState, done: int) -> T:
        self._done = done
        return await self._run.write_step(work, state, done=done, total=self._total, unit=self._unit)


async def _do_nothing(tx: Tx) -> None:
    del tx
