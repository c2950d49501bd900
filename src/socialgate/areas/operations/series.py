"""Several calls as one: each step is recorded before and after, and what a failed run created is removed or named."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

import msgspec
import structlog

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.operations import store
from socialgate.areas.operations.tables import OPERATION_LEASE, OPERATION_QUEUE, OperationRow, StepStatus
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import OutcomeUnknownError, PlatformFailure, PlatformNotFoundError
from socialgate.contracts.operations import LookupResult, NotFoundYet, OperationSeriesType, Q, SeriesStep
from socialgate.contracts.publishing import Inconclusive, SafeToRetry
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Unavailable
from socialgate.core.jobs.queue import ClaimedRow, RowOutcome
from socialgate.core.jobs.runner import ClaimLost

P = TypeVar("P")
_NOT_SHOWN_YET_DETAIL = "The platform does not show the {name} so far, but may still create it."
_CREATED_BY_OTHER_DETAIL = "The platform only shows an identical {name} that another request created."
_NOT_SHOWN_DETAIL = "The platform does not show the {name} of this request."
_OTHER_IN_PROGRESS_DETAIL = "The platform shows a {name}, but another request for the same may be creating it."
_INTERNAL_ERROR_DETAIL = "An internal error interrupted it."
_LOOKUP_FAILED_DETAIL = "The platform could not be asked about the step that broke."

log = structlog.get_logger(__name__)


class StepRecord(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    status: StepStatus
    at: datetime
    id: str | None = None


class SeriesReverted(msgspec.Struct, frozen=True):
    """A series ended early, and everything that it had created was removed, or is named here."""

    why: str


class StepLog:
    """The steps of one operation, written while its claim is valid."""

    def __init__(self, db: Database, claimed: ClaimedRow[OperationRow]) -> None:
        self._db = db
        self._claimed = claimed
        records = msgspec.convert(claimed.row.steps or [], list[StepRecord])
        self._records = {record.name: record for record in records}

    @classmethod
    async def reload(cls, db: Database, claimed: ClaimedRow[OperationRow]) -> "StepLog":
        """Read the steps as they are now: those of this run were written after it was claimed."""
        row = await db.read(store.find_operation, claimed.row.owner_id, claimed.row.id)
        return cls(db, claimed if row is None else msgspec.structs.replace(claimed, row=row))

    @property
    def created_ids(self) -> dict[str, str]:
        done = (record for record in self._records.values() if record.status is StepStatus.SUCCEEDED)
        return {step_record.name: step_record.id for step_record in done if step_record.id is not None}

    @property
    def remaining_ids(self) -> dict[str, str]:
        """What the platform may still have of the series."""
        kept = (record for record in self._records.values() if record.status in {StepStatus.SUCCEEDED, StepStatus.LEFT})
        return {step_record.name: step_record.id for step_record in kept if step_record.id is not None}

    @property
    def all_ids(self) -> dict[str, str]:
        """The ids of what the steps created, also if it was removed since."""
        return {record.name: record.id for record in self._records.values() if record.id is not None}

    @property
    def running_step(self) -> StepRecord | None:
        return next((record for record in self._records.values() if record.status is StepStatus.RUNNING), None)

    def has_expired(self, record: StepRecord) -> bool:
        """Whether the call of a step is so old that the platform does not execute it any more."""
        return self._db.clock.now() - record.at >= OPERATION_LEASE

    async def belongs_to_other_operation(self, object_id: str) -> bool:
        return await self._db.read(store.belongs_to_other_operation, self._claimed.row, object_id)

    async def is_step_running_elsewhere(self, name: str) -> bool:
        return await self._db.read(store.is_step_running_elsewhere, self._claimed.row, name)

    async def record_step(self, name: str, status: StepStatus, object_id: str | None = None) -> None:
        self._records[name] = StepRecord(name=name, status=status, at=self._db.clock.now(), id=object_id)
        await self._db.write(self._save)

    async def _save(self, tx: Tx) -> None:
        values = {"steps": msgspec.to_builtins(list(self._records.values()))}
        [kept] = await OPERATION_QUEUE.write_outcomes(
            tx, [RowOutcome(claimed=self._claimed, values=values, release=False)]
        )
        if not kept:
            raise ClaimLost


class BoundSeries(Generic[P, Q]):
    """A series of calls, bound to an account and a request."""

    def __init__(
        self, session: AccountSession, account: AccountRow, kind: OperationSeriesType[P, Q, Any], request: Q
    ) -> None:
        self._session = session
        self._account = account
        self._part = session.get_adapter(account, kind.capability, kind.unsupported_phrase)
        self._steps: Sequence[SeriesStep[P, Q]] = kind.build_steps(self._part, request)
        self._request = request
        self._read_result = kind.read_result_details

    async def run(self, step_log: StepLog) -> Mapping[str, str]:
        """Make the calls one after another. If one fails, remove what the others created."""
        for step in self._steps:
            await step_log.record_step(step.name, StepStatus.RUNNING)
            try:
                object_id = await self._call(step, step_log.created_ids)
            except OutcomeUnknownError:
                # The step stays open, until the platform says whether it was done.
                raise
            except PlatformFailure as failure:
                await step_log.record_step(step.name, StepStatus.FAILED)
                failure.detail = f"{_end_with_period(failure.detail)} {await self._revert_steps(step_log)}".strip()
                raise
            await step_log.record_step(step.name, StepStatus.SUCCEEDED, object_id)
        return await self._add_result_details(step_log.created_ids)

    async def resolve_or_revert(self, step_log: StepLog) -> Mapping[str, str] | SeriesReverted | Inconclusive:
        """Find out how far a series came. One that did not reach its end is reverted: nobody waits for it any more."""
        running = step_log.running_step
        if running is not None:
            unclear = await self._resolve_step(step_log, running.name)
            if unclear is not None:
                return unclear
        created = step_log.created_ids
        if all(step.name in created for step in self._steps):
            return await self._add_result_details(created)
        return SeriesReverted(
            f"It was interrupted. {await self._revert_steps(step_log)} Send the request again.".replace("  ", " ")
        )

    async def find_completed_series(self, step_log: StepLog) -> Mapping[str, str] | Inconclusive:
        """Find out whether a series was completed by a process that is not on record. Nothing is removed."""
        for step in self._steps:
            if step.name in step_log.created_ids:
                continue
            if step_log.running_step is None:
                await step_log.record_step(step.name, StepStatus.RUNNING)
            unclear = await self._resolve_step(step_log, step.name)
            if unclear is not None:
                return unclear
            if step.name not in step_log.created_ids:
                return Inconclusive(_NOT_SHOWN_DETAIL.format(name=step.name))
        return await self._add_result_details(step_log.created_ids)

    async def _add_result_details(self, created_ids: Mapping[str, str]) -> Mapping[str, str]:
        """Add what the platform shows of the result. Without that, it is complete all the same."""
        seen = self._read_result
        if seen is None:
            return created_ids
        try:
            more = await self._session.call_for_account(
                self._account, lambda credentials: seen(self._part, credentials, created_ids)
            )
        except PlatformFailure as failure:
            log.info("not_seen", code=failure.code, detail=failure.detail)
            return created_ids
        except Exception:
            # An error here must not revert what was created.
            log.exception("not_seen")
            return created_ids
        return {**more, **created_ids}

    async def revert_after_error(self, step_log: StepLog) -> SeriesReverted | Inconclusive:
        """Revert a series at once, because a step broke by an error of ours.

        What the earlier steps created does not wait until it is clear what the broken one did. Whatever is still open
        then is left to the later lookup.
        """
        unclear = await self._try_resolve_step(step_log)
        removed, left = await self._remove_created(step_log)
        message = _describe_cleanup(removed, left)
        if unclear is None and not left:
            return SeriesReverted(f"{_INTERNAL_ERROR_DETAIL} {message}".strip())
        return Inconclusive(
            " ".join(filter(None, (_INTERNAL_ERROR_DETAIL, unclear.reason if unclear else "", message)))
        )

    async def _try_resolve_step(self, step_log: StepLog) -> Inconclusive | None:
        running = step_log.running_step
        try:
            return None if running is None else await self._resolve_step(step_log, running.name)
        except PlatformFailure as failure:
            return Inconclusive(failure.detail)
        except (ClaimLost, Unavailable):
            raise
        except Exception:
            # What breaks a call often breaks its lookup as well: both read the same responses.
            log.exception("lookup_failed", step=running and running.name)
            return Inconclusive(_LOOKUP_FAILED_DETAIL)

    async def _resolve_step(self, step_log: StepLog, name: str) -> Inconclusive | None:
        """Find out the result of the step that was interrupted."""
        step = next(step for step in self._steps if step.name == name)
        looked = await self._look_up_step(step, step_log)
        running = step_log.running_step
        assert running is not None, "it is what is being asked about"
        if isinstance(looked, Inconclusive):
            return looked
        if isinstance(looked, NotFoundYet) and not step_log.has_expired(running):
            return Inconclusive(_NOT_SHOWN_YET_DETAIL.format(name=name))
        if isinstance(looked, NotFoundYet | SafeToRetry):
            await step_log.record_step(name, StepStatus.FAILED)
            return None
        # In this order: what is not being made any more has been recorded.
        if await step_log.is_step_running_elsewhere(name):
            return Inconclusive(_OTHER_IN_PROGRESS_DETAIL.format(name=name))
        if await step_log.belongs_to_other_operation(looked):
            # It must never be removed with what is ours.
            return Inconclusive(_CREATED_BY_OTHER_DETAIL.format(name=name))
        await step_log.record_step(name, StepStatus.SUCCEEDED, looked)
        return None

    async def _revert_steps(self, step_log: StepLog) -> str:
        """Remove what was created, for good. Returns a sentence about it."""
        return _describe_cleanup(*await self._remove_created(step_log))

    async def _remove_created(self, step_log: StepLog) -> tuple[dict[str, str], dict[str, str]]:
        """Remove what was created, the newest first. Returns what was removed, and what could not be.

        Each is recorded as left before it is removed: a process that has lost its claim by then removes nothing, and an
        object whose removal is interrupted never counts as created.
        """
        there, removed, left = step_log.remaining_ids, dict[str, str](), dict[str, str]()
        for step in reversed([step for step in self._steps if step.name in there]):
            object_id = there[step.name]
            await step_log.record_step(step.name, StepStatus.LEFT, object_id)
            try:
                await self._undo(step, object_id)
            except PlatformFailure as failure:
                log.warning("left_behind", step=step.name, code=failure.code, detail=failure.detail)
                left[step.name] = object_id
            else:
                await step_log.record_step(step.name, StepStatus.REMOVED, object_id)
                removed[step.name] = object_id
        return removed, left

    async def _call(self, step: SeriesStep[P, Q], created_ids: Mapping[str, str]) -> str:
        part, request = self._part, self._request
        return await self._session.call_for_account(
            self._account, lambda credentials: step.call(part, credentials, request, created_ids)
        )

    async def _look_up_step(self, step: SeriesStep[P, Q], step_log: StepLog) -> LookupResult[str]:
        part, request, created = self._part, self._request, step_log.all_ids
        try:
            return await self._session.call_for_account(
                self._account, lambda credentials: step.look(part, credentials, request, created)
            )
        except PlatformNotFoundError:
            if created == step_log.created_ids:
                raise
            # What it was to be a part of was removed, and it with that.
            return SafeToRetry()

    async def _undo(self, step: SeriesStep[P, Q], object_id: str) -> None:
        try:
            await self._session.call_for_account(
                self._account, lambda credentials: step.undo(self._part, credentials, object_id)
            )
        except PlatformNotFoundError:
            # It may have been deleted together with its campaign.
            log.info("already_removed", step=step.name)


def _describe_cleanup(removed: Mapping[str, str], left: Mapping[str, str]) -> str:
    gone, stays = (", ".join(f"{name} {object_id}" for name, object_id in some.items()) for some in (removed, left))
    deleted = f"These were created, and have been deleted again: {gone}." if gone else ""
    kept = f"These could not be deleted and still exist: {stays}." if stays else ""
    return " ".join(filter(None, (deleted, kept)))


def _end_with_period(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
