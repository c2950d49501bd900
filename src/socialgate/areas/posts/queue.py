"""The queue: posts take the next free slot of their profile, one post per slot time, even if several arrive at once."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET

from socialgate.areas.accounts import store as accounts
from socialgate.areas.posts import slots, store
from socialgate.areas.posts.post_timing import QueueTiming, parse_timezone
from socialgate.areas.posts.queue_schemas import (
    NewSlot,
    NextSlot,
    NextSlotQuery,
    QueueEntry,
    QueueQuery,
    QueueView,
    Slot,
    SlotChanges,
    SlotDeleted,
    SlotPostsQuery,
    SlotsQuery,
)
from socialgate.areas.posts.schemas import Post, PostBody, PostChanges
from socialgate.areas.posts.service import PostService
from socialgate.areas.posts.slot_times import WEEKDAYS, iterate_all_slot_times
from socialgate.areas.posts.tables import PostRow, SlotRow
from socialgate.areas.posts.views import build_post_view
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict, Fault, InvalidRequest, NotFound
from socialgate.core.ids import is_id, new_id
from socialgate.web.etags import ExpectedVersion
from socialgate.web.pagination import build_page_from_rows, take_rows_fitting_page
from socialgate.web.schemas import Page

_MICROSECOND = timedelta(microseconds=1)
_MAX_LOOKAHEAD = timedelta(days=366)
MAX_SLOTS_PER_PROFILE = 200


class _SlotTime(msgspec.Struct, frozen=True, order=True):
    """One slot time of the queue. Two slots can share a time."""

    at: datetime
    slot_id: str

    def cursor(self) -> str:
        return urlsafe_b64encode(f"{self.at.isoformat()} {self.slot_id}".encode()).decode().rstrip("=")

    @classmethod
    def parse_cursor(cls, cursor: str) -> "_SlotTime":
        try:
            at, _, slot_id = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii").partition(" ")
            moment = cls(datetime.fromisoformat(at).astimezone(UTC), slot_id)
        except (ValueError, OverflowError):
            moment = None
        if moment is None or not is_id("slot", moment.slot_id):
            raise InvalidRequest.for_field(
                "?cursor", "invalid_cursor", "The cursor does not belong to this queue. Start again without it."
            )
        return moment


class NoFreeSlotError(Conflict):
    """The profile has no slot for this post, or all slots of the coming year are taken.

    Create one with `POST /queue/slots`.
    """

    code = "no_free_slot"
    title = "The queue has no free slot"


class SlotLimitError(Conflict):
    """The profile has 200 slots, which is the maximum. Delete one first."""

    code = "slot_limit"
    title = "The limit of 200 slots is reached"


class SlotExistsError(Conflict):
    """The profile already has a slot at this time of the week, and a slot takes one post.

    Choose another time, or use the existing slot.
    """

    code = "slot_exists"
    title = "This slot already exists"


class QueueService:
    def __init__(self, posts: PostService, profiles: ProfileDirectory) -> None:
        self._posts = posts
        self._profiles = profiles

    async def add_slot(self, tx: Tx, caller: Caller, new: NewSlot) -> Slot:
        await self._profiles.require_access(tx, caller, new.profile_id)
        await self._lock_queue(tx, caller.owner_id, new.profile_id)
        zone = new.timezone or await self._profiles.get_timezone(tx, caller.owner_id, new.profile_id)
        parse_timezone(zone)
        await _require_accounts(tx, caller.owner_id, new.profile_id, new.account_ids)
        existing = await slots.list_slots(tx, caller.owner_id, new.profile_id)
        if len(existing) >= MAX_SLOTS_PER_PROFILE:
            raise SlotLimitError(
                f"This profile has {MAX_SLOTS_PER_PROFILE} slots, which is the maximum. Delete one first."
            )
        slot = SlotRow(
            owner_id=caller.owner_id,
            id=new_id("slot"),
            profile_id=new.profile_id,
            weekday=WEEKDAYS.index(new.weekday),
            time=new.time,
            timezone=zone,
            account_ids=new.account_ids,
            created_at=tx.now,
        )
        _require_no_duplicate_slot(slot, existing)
        await slots.insert_slot(tx, slot)
        return _build_slot_view(slot)

    async def change_slot(
        self, tx: Tx, caller: Caller, slot_id: str, changes: SlotChanges, query: SlotPostsQuery
    ) -> Slot:
        slot = await self._require_slot_locked(tx, caller, slot_id)
        values = {name: v for name, v in msgspec.structs.asdict(changes).items() if v is not UNSET}
        if "weekday" in values:
            values["weekday"] = WEEKDAYS.index(values["weekday"])
        changed = msgspec.structs.replace(slot, **values)
        parse_timezone(changed.timezone)
        await _require_accounts(tx, caller.owner_id, slot.profile_id, values.get("account_ids", ()))
        _require_no_duplicate_slot(changed, await slots.list_slots(tx, caller.owner_id, slot.profile_id))
        await slots.save_slot(tx, changed)
        if changed != slot:
            await self._release_posts(tx, await slots.lock_posts_in_slot(tx, caller.owner_id, slot_id), query)
        return _build_slot_view(changed)

    async def list_slots(self, tx: Tx, caller: Caller, query: SlotsQuery) -> Page[Slot]:
        if query.profile_id is not None:
            caller.require_profile_access(query.profile_id)
        return build_page_from_rows(
            await slots.list_slots_page(tx, caller.owner_id, caller, query), query, _build_slot_view
        )

    async def delete_slot(self, tx: Tx, caller: Caller, slot_id: str, query: SlotPostsQuery) -> SlotDeleted:
        await self._require_slot_locked(tx, caller, slot_id)
        holding = await slots.lock_posts_in_slot(tx, caller.owner_id, slot_id)
        await slots.delete_slot(tx, caller.owner_id, slot_id)
        await self._release_posts(tx, holding, query)
        return SlotDeleted(id=slot_id, post_ids=[post.id for post in holding])

    async def enqueue_post(self, tx: Tx, caller: Caller, new: PostBody) -> Post:
        """Put a post into the next free slot. The lock serializes concurrent calls."""
        await self._profiles.require_access(tx, caller, new.profile_id)
        await self._lock_queue(tx, caller.owner_id, new.profile_id)
        values = [target.account_id for target in new.targets]
        at, slot = await self._find_free_slot(tx, caller.owner_id, new.profile_id, values)
        return await self._posts.enqueue(tx, caller, new, QueueTiming(slot.id, at))

    async def enqueue_stored_post(self, tx: Tx, caller: Caller, post_id: str, changes: PostChanges) -> Post:
        """Change a draft or a scheduled post, and put it into the next free slot."""
        post = await self._posts.show(tx, caller, post_id)
        await self._lock_queue(tx, caller.owner_id, post.profile_id)
        of_post = post.targets if changes.targets is UNSET else changes.targets
        account_ids = [target.account_id for target in of_post]
        at, slot = await self._find_free_slot(tx, caller.owner_id, post.profile_id, account_ids)
        place = QueueTiming(slot.id, at)
        return await self._posts.change(tx, caller, post_id, changes, ExpectedVersion(None), place)

    async def find_next_free_slot(self, tx: Tx, caller: Caller, query: NextSlotQuery) -> NextSlot:
        await self._profiles.require_access(tx, caller, query.profile_id)
        at, slot = await self._find_free_slot(tx, caller.owner_id, query.profile_id, query.account_id or ())
        return NextSlot(slot_id=slot.id, at=at)

    async def show(self, tx: Tx, caller: Caller, query: QueueQuery) -> QueueView:
        await self._profiles.require_access(tx, caller, query.profile_id)
        until = tx.now + timedelta(days=query.days)
        after = None if query.cursor is None else _SlotTime.parse_cursor(query.cursor)
        # Another slot may have the same time as the one that was shown last.
        start = tx.now if after is None else min(max(tx.now, after.at), until) - _MICROSECOND
        of_profile = await slots.list_slots(tx, caller.owner_id, query.profile_id)
        coming = takewhile(lambda item: item[0] < until, iterate_all_slot_times(of_profile, start))
        moments = [
            slot_time
            for slot_time in (_SlotTime(at, slot.id) for at, slot in coming)
            if after is None or slot_time > after
        ]
        taken = await slots.list_taken_slots(tx, caller.owner_id, query.profile_id, start, until)
        taken_slots = {_SlotTime(taken_slot.at, taken_slot.slot_id): taken_slot for taken_slot in taken}
        shown = list(
            take_rows_fitting_page(
                moments, lambda slot_time: taken_slots[slot_time].size if slot_time in taken_slots else 0
            )
        )
        posts = await self._load_posts(
            tx, caller.owner_id, [taken_slots[slot_time].post_id for slot_time in shown if slot_time in taken_slots]
        )
        entries = [
            QueueEntry(
                slot_id=slot_time.slot_id,
                at=slot_time.at,
                post=posts.get(taken_slots[slot_time].post_id) if slot_time in taken_slots else None,
            )
            for slot_time in shown
        ]
        return QueueView(data=entries, next_cursor=shown[-1].cursor() if len(shown) < len(moments) else None)

    async def _load_posts(self, tx: Tx, owner_id: str, post_ids: Sequence[str]) -> dict[str, Post]:
        of_posts = await store.list_targets(tx, owner_id, post_ids)
        return {
            row.id: build_post_view(row, of_posts[row.id]) for row in await store.find_posts(tx, owner_id, post_ids)
        }

    async def _find_free_slot(
        self, tx: Tx, owner_id: str, profile_id: str, account_ids: Collection[str]
    ) -> tuple[datetime, SlotRow]:
        """Find the next time of a suitable slot that no post has."""
        fitting = [
            slot
            for slot in await slots.list_slots(tx, owner_id, profile_id)
            if not slot.account_ids or set(account_ids) <= set(slot.account_ids)
        ]
        taken_slots = await slots.list_taken_times(tx, owner_id, profile_id, tx.now)
        for at, slot in iterate_all_slot_times(fitting, tx.now):
            if at > tx.now + _MAX_LOOKAHEAD:
                break
            if (slot.id, at) not in taken_slots:
                return at, slot
        raise NoFreeSlotError("This profile has no free slot for this post. Create one with POST /queue/slots.")

    async def _move(self, tx: Tx, post: PostRow) -> None:
        of_post = (await store.list_targets(tx, post.owner_id, [post.id]))[post.id]
        # It releases its slot first, so that it can get the same one again.
        await store.release_slot(tx, post)
        values = [row.account_id for row in of_post]
        at, slot = await self._find_free_slot(tx, post.owner_id, post.profile_id, values)
        await self._posts.schedule_publishing(tx, await store.move_to_slot(tx, post, slot.id, at), of_post)

    async def _release_posts(self, tx: Tx, posts_in_slot: Sequence[PostRow], query: SlotPostsQuery) -> None:
        """Release the slot of posts: they keep their time, or take the next free slots."""
        for post in posts_in_slot:
            if query.posts == "reslot":
                await self._move(tx, post)
            else:
                await store.release_slot(tx, post)

    async def _require_slot_locked(self, tx: Tx, caller: Caller, slot_id: str) -> SlotRow:
        """Find a slot, and lock the queue of its profile."""
        slot = await slots.find_slot(tx, caller.owner_id, slot_id)
        if slot is None:
            raise NotFound("There is no slot with this id. GET /queue/slots lists the existing ones.")
        caller.require_profile_access(slot.profile_id)
        await self._lock_queue(tx, caller.owner_id, slot.profile_id)
        return slot

    async def _lock_queue(self, tx: Tx, owner_id: str, profile_id: str) -> None:
        await tx.lock(f"queue {owner_id} {profile_id}")


def _require_no_duplicate_slot(slot: SlotRow, existing: Sequence[SlotRow]) -> None:
    """Reject a slot at a time of the week that another has, for the same accounts."""
    for other in existing:
        same_time = (other.weekday, other.time, other.timezone) == (slot.weekday, slot.time, slot.timezone)
        if other.id != slot.id and same_time and sorted(other.account_ids) == sorted(slot.account_ids):
            raise SlotExistsError(f"The slot {other.id} already has this time of the week.")


async def _require_accounts(tx: Tx, owner_id: str, profile_id: str, account_ids: Sequence[str]) -> None:
    faults = []
    for position, account_id in enumerate(account_ids):
        row = await accounts.find_account(tx, owner_id, account_id)
        if row is None or row.profile_id != profile_id:
            detail = "This profile has no account with this id. GET /accounts lists its accounts."
            faults.append(Fault(f"/accountIds/{position}", "not_found", detail))
    if faults:
        raise InvalidRequest("Some accounts do not belong to this profile.", errors=faults)


def _build_slot_view(row: SlotRow) -> Slot:
    # Read back through the zone, so that a zone that was removed from the system's list is noticed here.
    return Slot(
        id=row.id,
        profile_id=row.profile_id,
        weekday=WEEKDAYS[row.weekday],
        time=row.time,
        timezone=ZoneInfo(row.timezone).key,
        account_ids=row.account_ids,
        created_at=row.created_at,
    )
