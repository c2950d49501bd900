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
from socialgate.contracts.failures import OutcomeUnknown, PlatformFailure
from socialgate.contracts.generation import Usage
from socialgate.core.db import Database, Tx
from socialgate.core.jobs.backoff import Backoff
from socialgate.core.jobs.jobs import Run, Stopped

T = TypeVar("T")

# About an hour in total. After that the provider has a problem that somebody should see.
MOST_FAILURES = 10
_BACKOFF = Backoff(first=timedelta(seconds=5), longest=timedelta(minutes=15))
_AGAIN_SECONDS = 2
_LOST = (
    "The provider's response was lost, so it is unknown whether it generated anything, or charged for it. Check your "
    "account at the provider, then create the generation again."
)


class State(msgspec.Struct, frozen=True, kw_only=True):
    """`pending` says that the last text is too long, and the model is still to be asked for a shorter one.

    `image_url` is where the provider offers an image that is not stored yet. `video_id` is the provider's, since
    `video_at`.
    """

    open: int = 0
    failures: int = 0
    pending: bool = False
    image_url: str | None = None
    video_id: str | None = None
    video_at: datetime | None = None


class Made(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is made so far, as it is stored."""

    variants: tuple[Mapping[str, Any], ...] = ()
    media_ids: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def warned(self, warnings: Sequence[str]) -> "Made":
        return replace(self, warnings=tuple(dict.fromkeys((*self.warnings, *warnings))))


class Progress:
    def __init__(
        self,
        db: Database,
        run: Run,
        row: GenerationRow,
        *,
        provider: str,
        unit: str,
        total: int,
        until: datetime | None = None,
    ) -> None:
        """Take how much there is to do. After `until`, a failure is not retried any more."""
        self.state = msgspec.convert(run.state, State) if run.state is not None else State()
        self.made = msgspec.convert(row.result, Made) if row.result is not None else Made()
        self.row = row
        self._db = db
        self._run = run
        self.provider = provider
        self._unit = unit
        self._total = total
        self._until = until
        self._done = len(self.made.variants) - self.state.pending + len(self.made.media_ids)

    async def keep(
        self,
        made: Made,
        *,
        state: State | None = None,
        usage: Usage | None = None,
        work: Callable[[Tx], Awaitable[T]] | None = None,
        done: int,
    ) -> T | None:
        """Store the result of a call, in one transaction with `work`."""
        after = state or State()

        async def write(tx: Tx) -> T | None:
            result = None if work is None else await work(tx)
            await self._save(tx, {"result": msgspec.to_builtins(made), "failure": None})
            if usage is not None:
                await store.count_tokens(tx, self.row.owner_id, self.row.id, usage)
            return result

        answer = await self._step(write, after, done)
        self.made, self.state = made, after
        return answer

    async def paid(self, call: Callable[[], Awaitable[T]], *, most_open: int) -> T:
        """Make a call that costs money. `call` ends with `keep`, or returns what `keep` is called with next."""
        if self.state.open >= most_open:
            lost = OutcomeUnknown(_LOST, platform=self.provider)
            await self._note(lost, self.state)
            raise lost
        await self._begin()
        try:
            return await call()
        except OutcomeUnknown as failure:
            await self._note(failure, replace(self.state, failures=self.state.failures + 1))
            if self.state.open < most_open:
                failure.retry_after = _AGAIN_SECONDS
            raise
        except PlatformFailure as failure:
            await self._note(failure, replace(self.state, open=self.state.open - 1, failures=self.state.failures + 1))
            self._delay(failure)
            raise

    async def free(self, call: Callable[[], Awaitable[T]]) -> T:
        """Make a call that may be repeated as often as necessary."""
        try:
            answer = await call()
        except PlatformFailure as failure:
            await self._note(failure, replace(self.state, failures=self.state.failures + 1))
            self._delay(failure)
            raise
        self.state = replace(self.state, failures=0)
        return answer

    async def reached(self, done: int) -> None:
        """Report the progress. Raises if the task was cancelled or the process is stopping."""
        await self._step(_nothing, self.state, done)

    async def finish(self) -> None:
        await self._run.finish(self._finished)

    async def _finished(self, tx: Tx) -> Mapping[str, Any]:
        """Return the result of the task. A reply to a person is stored in one place only, where it can be erased."""
        if self.row.run_key is not None:
            await store.forget_text(tx, self.row)
            return {}
        return dict(msgspec.to_builtins(self.made))

    async def _begin(self) -> None:
        before = self.state
        self.state = replace(before, open=before.open + 1)
        try:
            await self._step(_nothing, self.state, self._done)
        except Stopped:
            # The process is stopping, so the call is not made.
            self.state = before
            with suppress(Stopped):
                await self._step(_nothing, before, self._done)
            raise

    def _delay(self, failure: PlatformFailure) -> None:
        """Decide when to call again, if at all. The provider may ask us to wait longer than we can."""
        if failure.retry_after is None:
            return
        late = self._until is not None and self._db.clock.now() > self._until
        if late or self.state.failures >= MOST_FAILURES:
            failure.retry_after = None
            return
        wait = _BACKOFF.after(self.state.failures - 1, at_least=timedelta(seconds=failure.retry_after))
        failure.retry_after = math.ceil(wait.total_seconds())

    async def _note(self, failure: PlatformFailure, state: State) -> None:
        """Store a failure with the provider's own words: the job itself only keeps a code and a sentence."""
        self.state = state
        said = failure.platform_error
        shown = {
            "code": failure.code,
            "detail": failure.detail,
            "category": failure.category,
            "platform": failure.platform,
            "platformError": None if said is None else msgspec.to_builtins(said),
        }
        with suppress(Stopped):
            await self._step(lambda tx: self._save(tx, {"failure": shown}), state, self._done)

    async def _save(self, tx: Tx, values: Mapping[str, Any]) -> None:
        await store.save(tx, self.row.owner_id, self.row.id, values)

    async def _step(self, work: Callable[[Tx], Awaitable[T]], state: State, done: int) -> T:
        self._done = done
        return await self._run.step_with(work, state, done=done, total=self._total, unit=self._unit)


async def _nothing(tx: Tx) -> None:
    del tx
