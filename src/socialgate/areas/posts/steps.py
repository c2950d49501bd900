"""The result of a step, and what is recorded about it. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeAlias

import msgspec

from socialgate.areas.posts.tables import TargetRow, TargetStatus
from socialgate.contracts.publishing import PublishedPost
from socialgate.core.events import TargetError
from socialgate.core.jobs.queue import ClaimedRow, RowOutcome, Values


class RetryState(msgspec.Struct, frozen=True, kw_only=True):
    """What the next run of a target must know of those before it.

    A stage may run again if it was not found on the platform before, and is still not there at `settles_at`.
    `unclear_lookups` says how often in a row the platform could not tell, and `rate_limits` how often in a row a quota
    did not allow the call.
    """

    settles_at: datetime | None = None
    unclear_lookups: int = 0
    rate_limits: int = 0

    @classmethod
    def from_row(cls, row: TargetRow) -> "RetryState":
        return cls(settles_at=row.settles_at, unclear_lookups=row.unclear_lookups, rate_limits=row.rate_limits)


class StageStarted(msgspec.Struct, frozen=True):
    """A stage is about to run, on the worker that holds the target."""

    stage: str
    progress: str


class StageAdvanced(msgspec.Struct, frozen=True):
    """The stage made progress and continues, such as with the next part of an upload."""

    progress: str


class TargetPostponed(msgspec.Struct, frozen=True):
    """Nobody works on it until it is due again. `begun` is a stage that may already have been executed."""

    progress: str
    begun: str | None
    tries: int
    due_at: datetime


class WaitingForFiles(msgspec.Struct, frozen=True):
    """Files of it are still being made to fit. It is looked at again when they are ready, and at this time."""

    status: TargetStatus
    due_at: datetime


class TargetPublished(msgspec.Struct, frozen=True):
    done: PublishedPost
    at: datetime


class TargetFailed(msgspec.Struct, frozen=True):
    error: TargetError


class TargetUnconfirmed(msgspec.Struct, frozen=True):
    """The outcome is unknown. The platform is asked again when it is due; without a time, a person decides."""

    error: TargetError
    tries: int
    due_at: datetime | None


TargetChange: TypeAlias = (
    StageStarted
    | StageAdvanced
    | TargetPostponed
    | WaitingForFiles
    | TargetPublished
    | TargetFailed
    | TargetUnconfirmed
)


class TargetUpdate(msgspec.Struct, frozen=True):
    claimed: ClaimedRow[TargetRow]
    attempts: Sequence[dict[str, Any]]
    retry: RetryState
    change: TargetChange

    @property
    def due_at(self) -> datetime | None:
        """When a worker should take the target next."""
        return (
            self.change.due_at
            if isinstance(self.change, TargetPostponed | WaitingForFiles | TargetUnconfirmed)
            else None
        )

    @property
    def is_final(self) -> bool:
        """Whether the target is finished."""
        return isinstance(self.change, TargetPublished | TargetFailed)

    def build_outcome(self, now: datetime) -> RowOutcome[TargetRow]:
        """Return what to write, and whether the target is still held afterwards."""
        noted = {"attempts": list(self.attempts), **msgspec.structs.asdict(self.retry)}
        values = {**noted, **_build_values(self.change), "updated_at": now}
        release = not isinstance(self.change, StageStarted | StageAdvanced)
        return RowOutcome(claimed=self.claimed, values=values, release=release, due_at=self.due_at)


def _build_values(change: TargetChange) -> Values:
    if isinstance(change, WaitingForFiles):
        return {"status": change.status}
    return _build_stage_values(change)


def _build_stage_values(
    change: StageStarted | StageAdvanced | TargetPostponed | TargetPublished | TargetFailed | TargetUnconfirmed,
) -> Values:
    match change:
        case StageStarted():
            return {
                "status": TargetStatus.PUBLISHING,
                "progress": change.progress,
                "in_flight": change.stage,
            }
        case StageAdvanced():
            return {"progress": change.progress}
        case TargetPostponed():
            return {"progress": change.progress, "in_flight": change.begun, "tries": change.tries}
        case TargetPublished():
            return {
                "status": TargetStatus.PUBLISHED,
                "platform_post_id": change.done.platform_post_id,
                "url": change.done.url,
                "published_at": change.at,
                "warnings": list(change.done.warnings),
                "error": None,
                "in_flight": None,
                "tries": 0,
            }
        case TargetFailed():
            error = msgspec.to_builtins(change.error)
            return {"status": TargetStatus.FAILED, "error": error, "in_flight": None, "tries": 0}
        case TargetUnconfirmed():
            error = msgspec.to_builtins(change.error)
            return {"status": TargetStatus.UNCONFIRMED, "error": error, "tries": change.tries}
