"""The engine's database interface. There are two implementations, one per engine, with the same tests.

A lane is the right to work on the deliveries of one hook. It is claimed with a lease and a claim id; every result is
written only if the claim is still valid. So at most one worker sends to a hook at any time, and the limit, the rate,
the order and the probing of that hook need no coordination between nodes.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Literal, Protocol

import msgspec

from socialgate.core.db import DRIVER_ERRORS
from socialgate.core.errors import ServiceError

# What the store raises while the database is unavailable.
DATABASE_ERRORS = (ServiceError, *DRIVER_ERRORS)
# Read again with every fetch: attempts use the current hook. All except the last are columns of hooks.
HOOK_FIELDS = (
    "url",
    "active",
    "ordered",
    "max_per_second",
    "tested_at",
    "activated_at",
    "secret",
    "previous_secret",
    "previous_until",
    "generation",
)
# How long after a test event an inactive hook is served: its last retry comes within three minutes.
TEST_DELIVERY_WINDOW = timedelta(minutes=10)

StoredDeliveryStatus = Literal["pending", "succeeded", "failed", "cancelled"]


class Lane(msgspec.Struct, kw_only=True):
    """A claimed lane: the current hook, and its failure record."""

    hook_id: str
    owner_id: str
    claim_id: str
    url: str
    active: bool
    ordered: bool
    max_per_second: int | None
    tested_at: datetime | None
    activated_at: datetime
    secret: bytes
    previous_secret: bytes | None
    previous_until: datetime | None
    # The result of an attempt in an earlier generation says nothing about the current hook.
    generation: int
    at_once: int
    paused_until: datetime | None
    consecutive_failures: int
    exhausted: int
    last_success_at: datetime | None
    # Up to which key the events of the owner are complete, as far as the store has asked.
    settled_key: int | None = None


class DueDelivery(msgspec.Struct, frozen=True, gc=False):
    """A pending delivery that is due."""

    id: str
    event_id: str
    event: str
    body: bytes
    due_at: datetime
    attempt_count: int
    attempts: bytes | None
    profile_id: str


class DeliveryResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The result of one attempt of a delivery."""

    owner_id: str
    hook_id: str
    id: str
    status: StoredDeliveryStatus
    due_at: datetime | None
    attempt_count: int
    attempts: bytes
    completed_at: datetime | None


class LaneUpdate(msgspec.Struct, kw_only=True):
    """What changed in a lane since it was last written, and whether it is released.

    `delivered` is what the owner used: how much the hook accepted, by owner, UTC day and profile.
    """

    hook_id: str
    claim_id: str
    # Failures and pauses are only written if the hook still has this generation.
    generation: int
    at_once: int
    release: bool = False
    succeeded: int = 0
    failed: int = 0
    consecutive_failures: int = 0
    exhausted: int = 0
    last_success_at: datetime | None = None
    last_failure_at: datetime | None = None
    paused_until: datetime | None = None
    # One text for the three, with the day as its ordinal: it is built for every delivery, and written as JSON.
    delivered: dict[str, int] = msgspec.field(default_factory=dict)

    def count_success(self, owner_id: str, profile_id: str, at: datetime) -> None:
        """Count a delivery that the hook accepted."""
        self.succeeded += 1
        key = f"{owner_id} {at.toordinal()} {profile_id}"
        self.delivered[key] = self.delivered.get(key, 0) + 1


class DeliveryUsage(msgspec.Struct, frozen=True):
    """What hooks accepted for a profile on a day."""

    hook_id: str
    owner_id: str
    day: str
    part_id: str
    used: int


def list_delivery_usage(news: Sequence[LaneUpdate]) -> list[DeliveryUsage]:
    counted = [
        (lane_update.hook_id, key.split(" "), used)
        for lane_update in news
        for key, used in lane_update.delivered.items()
    ]
    return [
        DeliveryUsage(hook_id, owner_id, date.fromordinal(int(day)).isoformat(), part_id, used)
        for hook_id, (owner_id, day, part_id), used in counted
    ]


class ClaimCheck(msgspec.Struct, frozen=True):
    """Of which hooks the lanes were written. The claim of a hook that is in neither set is lost."""

    valid_hook_ids: set[str]
    # Still claimed, but not written yet: somebody else has the lane locked.
    locked_hook_ids: set[str] = msgspec.field(default_factory=set)


class WaitingHook(msgspec.Struct, frozen=True, kw_only=True):
    """A hook with pending deliveries that nobody holds, and when the first of them may be sent."""

    hook_id: str
    due_at: datetime


class LaneStore(Protocol):
    # Whether lanes are shared with workers of other processes, which must get their turn.
    is_shared: bool

    async def list_waiting_hooks(self, now: datetime) -> list[WaitingHook]:
        """List all hooks with pending deliveries whose lane is free."""

    async def claim(self, hook_ids: Sequence[str], claim_id: str, now: datetime, until: datetime) -> list[Lane]:
        """Claim the lanes among these that are free and may send now."""

    async def fetch_due_deliveries(
        self, lane: Lane, after: DueDelivery | None, limit: int, now: datetime
    ) -> list[DueDelivery] | None:
        """Read the hook again into the lane, and due deliveries in order, after the last one read.

        None if the hook was deleted or the claim is lost.
        """

    async def refresh(self, lane: Lane) -> None:
        """Read the hook again into the lane, if the claim holds and the hook exists."""

    async def record_results(self, results: Sequence[DeliveryResult], news: Sequence[LaneUpdate]) -> ClaimCheck:
        """Write results and lanes whose claim is valid, in one transaction, without waiting for a lane that is locked.

        There is at most one news for each hook.
        """

    async def renew_leases(self, claim_ids: Sequence[str], until: datetime) -> ClaimCheck:
        """Extend leases, without waiting for a lane that is locked."""

    async def disable_hook(self, lane: Lane, reason: str, now: datetime, failed: Sequence[DeliveryResult] = ()) -> bool:
        """Disable a hook for a reason, if it is active and has the lane's generation; return whether it was.

        In the same transaction, and only for the same generation, the deliveries fail whose attempts are the reason:
        a hook that is changed at this moment gets them again.
        """

    async def cancel_abandoned(self, now: datetime, waited_since: datetime) -> int:
        """Cancel a batch of deliveries whose hook was deleted, or disabled for too long."""

    async def close(self) -> None:
        """Release what the store holds."""
