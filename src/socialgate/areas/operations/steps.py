"""Several calls as one: each step is recorded before and after, and what a failed run created is removed or named."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

import msgspec
import structlog

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.operations import store
from socialgate.areas.operations.tables import LEASE, QUEUE, OperationRow, StepStatus
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import OutcomeUnknown, PlatformFailure, PlatformNotFound
from socialgate.contracts.operations import Looked, NotSeen, Q, SeriesType, Step
from socialgate.contracts.publishing import CannotTell, NotThere
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Unavailable
from socialgate.core.jobs.queue import Claimed, Outcome
from socialgate.core.jobs.runner import ClaimLost

P = TypeVar("P")
_NOT_YET = "The platform does not show the {name} so far, but may still create it."
_ANOTHER = "The platform only shows an identical {name} that another request created."
_NOT_SHOWN = "The platform does not show the {name} of this request."
_BUSY = "The platform shows a {name}, but another request for the same may be creating it."
_BROKE = "An internal error interrupted it."
_BLIND = "The platform could not be asked about the step that broke."

log = structlog.get_logger(__name__)


class StepRecord(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    status: StepStatus
    at: datetime
    id: str | None = None


class Reverted(msgspec.Struct, frozen=True):
    """A series ended early, and everything that it had created was removed, or is named here."""

    why: str


class StepLog:
    """The steps of one operation, written while its claim is valid."""

    def __init__(self, db: Database, claimed: Claimed[OperationRow]) -> None:
        self._db = db
        self._claimed = claimed
        records = msgspec.convert(claimed.row.steps or [], list[StepRecord])
        self._records = {one.name: one for one in records}

    @classmethod
    async def as_it_is(cls, db: Database, claimed: Claimed[OperationRow]) -> "StepLog":
        """Read the steps as they are now: those of this run were written after it was claimed."""
        row = await db.read(store.find, claimed.row.owner_id, claimed.row.id)
        return cls(db, claimed if row is None else msgspec.structs.replace(claimed, row=row))

    @property
    def made(self) -> dict[str, str]:
        done = (one for one in self._records.values() if one.status is StepStatus.SUCCEEDED)
        return {one.name: one.id for one in done if one.id is not None}

    @property
    def there(self) -> dict[str, str]:
        """What the platform may still have of the series."""
        kept = (one for one in self._records.values() if one.status in {StepStatus.SUCCEEDED, StepStatus.LEFT})
        return {one.name: one.id for one in kept if one.id is not None}

    @property
    def ids(self) -> dict[str, str]:
        """The ids of what the steps created, also if it was removed since."""
        return {one.name: one.id for one in self._records.values() if one.id is not None}

    @property
    def running(self) -> StepRecord | None:
        return next((one for one in self._records.values() if one.status is StepStatus.RUNNING), None)

    def is_over(self, record: StepRecord) -> bool:
        """Whether the call of a step is so old that the platform does not execute it any more."""
        return self._db.clock.now() - record.at >= LEASE

    async def is_of_another(self, object_id: str) -> bool:
        return await self._db.read(store.is_of_another, self._claimed.row, object_id)

    async def is_being_made(self, name: str) -> bool:
        return await self._db.read(store.is_being_made, self._claimed.row, name)

    async def write(self, name: str, status: StepStatus, object_id: str | None = None) -> None:
        self._records[name] = StepRecord(name=name, status=status, at=self._db.clock.now(), id=object_id)
        await self._db.write(self._save)

    async def _save(self, tx: Tx) -> None:
        values = {"steps": msgspec.to_builtins(list(self._records.values()))}
        [kept] = await QUEUE.settle(tx, [Outcome(claimed=self._claimed, values=values, release=False)])
        if not kept:
            raise ClaimLost


class Series(Generic[P, Q]):
    """A series of calls, bound to an account and a request."""

    def __init__(self, session: AccountSession, account: AccountRow, kind: SeriesType[P, Q, Any], request: Q) -> None:
        self._session = session
        self._account = account
        self._part = session.part(account, kind.capability, kind.lacks)
        self._steps: Sequence[Step[P, Q]] = kind.steps(self._part, request)
        self._request = request
        self._seen = kind.seen

    async def run(self, done: StepLog) -> Mapping[str, str]:
        """Make the calls one after another. If one fails, remove what the others created."""
        for step in self._steps:
            await done.write(step.name, StepStatus.RUNNING)
            try:
                object_id = await self._call(step, done.made)
            except OutcomeUnknown:
                # The step stays open, until the platform says whether it was done.
                raise
            except PlatformFailure as failure:
                await done.write(step.name, StepStatus.FAILED)
                failure.detail = f"{_ended(failure.detail)} {await self._revert(done)}".strip()
                raise
            await done.write(step.name, StepStatus.SUCCEEDED, object_id)
        return await self._whole(done.made)

    async def look(self, done: StepLog) -> Mapping[str, str] | Reverted | CannotTell:
        """Find out how far a series came. One that did not reach its end is reverted: nobody waits for it any more."""
        running = done.running
        if running is not None:
            unclear = await self._settle(done, running.name)
            if unclear is not None:
                return unclear
        made = done.made
        if all(step.name in made for step in self._steps):
            return await self._whole(made)
        return Reverted(f"It was interrupted. {await self._revert(done)} Send the request again.".replace("  ", " "))

    async def find(self, done: StepLog) -> Mapping[str, str] | CannotTell:
        """Find out whether a series was completed by a process that is not on record. Nothing is removed."""
        for step in self._steps:
            if step.name in done.made:
                continue
            if done.running is None:
                await done.write(step.name, StepStatus.RUNNING)
            unclear = await self._settle(done, step.name)
            if unclear is not None:
                return unclear
            if step.name not in done.made:
                return CannotTell(_NOT_SHOWN.format(name=step.name))
        return await self._whole(done.made)

    async def _whole(self, made: Mapping[str, str]) -> Mapping[str, str]:
        """Add what the platform shows of the result. Without that, it is complete all the same."""
        seen = self._seen
        if seen is None:
            return made
        try:
            more = await self._session.call_as(self._account, lambda held: seen(self._part, held, made))
        except PlatformFailure as failure:
            log.info("not_seen", code=failure.code, detail=failure.detail)
            return made
        except Exception:
            # An error here must not revert what was created.
            log.exception("not_seen")
            return made
        return {**more, **made}

    async def give_up(self, done: StepLog) -> Reverted | CannotTell:
        """Revert a series at once, because a step broke by an error of ours.

        What the earlier steps created does not wait until it is clear what the broken one did. Whatever is still open
        then is left to the later lookup.
        """
        unclear = await self._settle_broken(done)
        removed, left = await self._remove(done)
        said = _sentences(removed, left)
        if unclear is None and not left:
            return Reverted(f"{_BROKE} {said}".strip())
        return CannotTell(" ".join(filter(None, (_BROKE, unclear.why if unclear else "", said))))

    async def _settle_broken(self, done: StepLog) -> CannotTell | None:
        running = done.running
        try:
            return None if running is None else await self._settle(done, running.name)
        except PlatformFailure as failure:
            return CannotTell(failure.detail)
        except (ClaimLost, Unavailable):
            raise
        except Exception:
            # What breaks a call often breaks its lookup as well: both read the same responses.
            log.exception("lookup_failed", step=running and running.name)
            return CannotTell(_BLIND)

    async def _settle(self, done: StepLog, name: str) -> CannotTell | None:
        """Find out the result of the step that was interrupted."""
        step = next(one for one in self._steps if one.name == name)
        looked = await self._look(step, done)
        running = done.running
        assert running is not None, "it is what is being asked about"
        if isinstance(looked, CannotTell):
            return looked
        if isinstance(looked, NotSeen) and not done.is_over(running):
            return CannotTell(_NOT_YET.format(name=name))
        if isinstance(looked, NotSeen | NotThere):
            await done.write(name, StepStatus.FAILED)
            return None
        # In this order: what is not being made any more has been recorded.
        if await done.is_being_made(name):
            return CannotTell(_BUSY.format(name=name))
        if await done.is_of_another(looked):
            # It must never be removed with what is ours.
            return CannotTell(_ANOTHER.format(name=name))
        await done.write(name, StepStatus.SUCCEEDED, looked)
        return None

    async def _revert(self, done: StepLog) -> str:
        """Remove what was created, for good. Returns a sentence about it."""
        return _sentences(*await self._remove(done))

    async def _remove(self, done: StepLog) -> tuple[dict[str, str], dict[str, str]]:
        """Remove what was created, the newest first. Returns what was removed, and what could not be.

        Each is recorded as left before it is removed: a process that has lost its claim by then removes nothing, and an
        object whose removal is interrupted never counts as created.
        """
        there, removed, left = done.there, dict[str, str](), dict[str, str]()
        for step in reversed([one for one in self._steps if one.name in there]):
            object_id = there[step.name]
            await done.write(step.name, StepStatus.LEFT, object_id)
            try:
                await self._undo(step, object_id)
            except PlatformFailure as failure:
                log.warning("left_behind", step=step.name, code=failure.code, detail=failure.detail)
                left[step.name] = object_id
            else:
                await done.write(step.name, StepStatus.REMOVED, object_id)
                removed[step.name] = object_id
        return removed, left

    async def _call(self, step: Step[P, Q], made: Mapping[str, str]) -> str:
        part, request = self._part, self._request
        return await self._session.call_as(self._account, lambda held: step.call(part, held, request, made))

    async def _look(self, step: Step[P, Q], done: StepLog) -> Looked[str]:
        part, request, made = self._part, self._request, done.ids
        try:
            return await self._session.call_as(self._account, lambda held: step.look(part, held, request, made))
        except PlatformNotFound:
            if made == done.made:
                raise
            # What it was to be a part of was removed, and it with that.
            return NotThere()

    async def _undo(self, step: Step[P, Q], object_id: str) -> None:
        try:
            await self._session.call_as(self._account, lambda held: step.undo(self._part, held, object_id))
        except PlatformNotFound:
            # It may have been deleted together with its campaign.
            log.info("already_removed", step=step.name)


def _sentences(removed: Mapping[str, str], left: Mapping[str, str]) -> str:
    gone, stays = (", ".join(f"{name} {object_id}" for name, object_id in some.items()) for some in (removed, left))
    deleted = f"These were created, and have been deleted again: {gone}." if gone else ""
    kept = f"These could not be deleted and still exist: {stays}." if stays else ""
    return " ".join(filter(None, (deleted, kept)))


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
