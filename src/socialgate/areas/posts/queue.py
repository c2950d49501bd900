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
from socialgate.areas.posts.calendar import WEEKDAYS, upcoming
from socialgate.areas.posts.queue_schemas import (
    NewSlot,
    NextSlot,
    NextSlotQuery,
    PostsOfSlot,
    QueueEntry,
    QueueQuery,
    QueueView,
    Slot,
    SlotChanges,
    SlotDeleted,
    SlotsQuery,
)
from socialgate.areas.posts.schemas import Post, Written
from socialgate.areas.posts.service import Posts
from socialgate.areas.posts.tables import PostRow, SlotRow
from socialgate.areas.posts.times import InQueue, zone_of
from socialgate.areas.posts.views import show_post
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict, Fault, Invalid, NotFound
from socialgate.core.ids import is_id, new_id
from socialgate.web.paging import fitting, page_of
from socialgate.web.schema import Page

_INSTANT = timedelta(microseconds=1)
_LONGEST_AHEAD = timedelta(days=366)
MOST_SLOTS = 200


class _Moment(msgspec.Struct, frozen=True, order=True):
    """One slot time of the queue. Two slots can share a time."""

    at: datetime
    slot_id: str

    def cursor(self) -> str:
        return urlsafe_b64encode(f"{self.at.isoformat()} {self.slot_id}".encode()).decode().rstrip("=")

    @classmethod
    def read(cls, cursor: str) -> "_Moment":
        try:
            at, _, slot_id = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii").partition(" ")
            moment = cls(datetime.fromisoformat(at).astimezone(UTC), slot_id)
        except (ValueError, OverflowError):
            moment = None
        if moment is None or not is_id("slot", moment.slot_id):
            raise Invalid.at(
                "?cursor", "invalid_cursor", "The cursor does not belong to this queue. Start again without it."
            )
        return moment


class NoFreeSlot(Conflict):
    """The profile has no slot for this post, or all slots of the coming year are taken.

    Create one with `POST /queue/slots`.
    """

    code = "no_free_slot"
    title = "The queue has no free slot"


class SlotLimit(Conflict):
    """The profile has 200 slots, which is the maximum. Delete one first."""

    code = "slot_limit"
    title = "The limit of 200 slots is reached"


class SlotExists(Conflict):
    """The profile already has a slot at this time of the week, and a slot takes one post.

    Choose another time, or use the existing slot.
    """

    code = "slot_exists"
    title = "This slot already exists"


class Queue:
    def __init__(self, posts: Posts, profiles: ProfileBook) -> None:
        self._posts = posts
        self._profiles = profiles

    async def add_slot(self, tx: Tx, caller: Caller, new: NewSlot) -> Slot:
        await self._profiles.require(tx, caller, new.profile_id)
        await self._lock(tx, caller.owner_id, new.profile_id)
        zone = new.timezone or await self._profiles.timezone(tx, caller.owner_id, new.profile_id)
        zone_of(zone)
        await _require_accounts(tx, caller.owner_id, new.profile_id, new.account_ids)
        existing = await slots.of_profile(tx, caller.owner_id, new.profile_id)
        if len(existing) >= MOST_SLOTS:
            raise SlotLimit(f"This profile has {MOST_SLOTS} slots, which is the maximum. Delete one first.")
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
        _require_single(slot, existing)
        await slots.insert(tx, slot)
        return _show(slot)

    async def change_slot(self, tx: Tx, caller: Caller, slot_id: str, changes: SlotChanges, asked: PostsOfSlot) -> Slot:
        slot = await self._found(tx, caller, slot_id)
        values = {name: v for name, v in msgspec.structs.asdict(changes).items() if v is not UNSET}
        if "weekday" in values:
            values["weekday"] = WEEKDAYS.index(values["weekday"])
        changed = msgspec.structs.replace(slot, **values)
        zone_of(changed.timezone)
        await _require_accounts(tx, caller.owner_id, slot.profile_id, values.get("account_ids", ()))
        _require_single(changed, await slots.of_profile(tx, caller.owner_id, slot.profile_id))
        await slots.replace(tx, changed)
        if changed != slot:
            await self._release(tx, await slots.posts_of(tx, caller.owner_id, slot_id), asked)
        return _show(changed)

    async def list_slots(self, tx: Tx, caller: Caller, query: SlotsQuery) -> Page[Slot]:
        if query.profile_id is not None:
            caller.require_profile(query.profile_id)
        return page_of(await slots.page(tx, caller.owner_id, caller, query), query, _show)

    async def delete_slot(self, tx: Tx, caller: Caller, slot_id: str, asked: PostsOfSlot) -> SlotDeleted:
        await self._found(tx, caller, slot_id)
        holding = await slots.posts_of(tx, caller.owner_id, slot_id)
        await slots.delete(tx, caller.owner_id, slot_id)
        await self._release(tx, holding, asked)
        return SlotDeleted(id=slot_id, post_ids=[post.id for post in holding])

    async def put(self, tx: Tx, caller: Caller, new: Written) -> Post:
        """Put a post into the next free slot. The lock serializes concurrent calls."""
        await self._profiles.require(tx, caller, new.profile_id)
        await self._lock(tx, caller.owner_id, new.profile_id)
        wanted = [target.account_id for target in new.targets]
        at, slot = await self._free(tx, caller.owner_id, new.profile_id, wanted)
        return await self._posts.enqueue(tx, caller, new, InQueue(slot.id, at))

    async def next_slot(self, tx: Tx, caller: Caller, query: NextSlotQuery) -> NextSlot:
        await self._profiles.require(tx, caller, query.profile_id)
        at, slot = await self._free(tx, caller.owner_id, query.profile_id, query.account_id or ())
        return NextSlot(slot_id=slot.id, at=at)

    async def show(self, tx: Tx, caller: Caller, query: QueueQuery) -> QueueView:
        await self._profiles.require(tx, caller, query.profile_id)
        until = tx.now + timedelta(days=query.days)
        after = None if query.cursor is None else _Moment.read(query.cursor)
        # Another slot may have the same time as the one that was shown last.
        start = tx.now if after is None else min(max(tx.now, after.at), until) - _INSTANT
        of_profile = await slots.of_profile(tx, caller.owner_id, query.profile_id)
        coming = takewhile(lambda one: one[0] < until, upcoming(of_profile, start))
        moments = [one for one in (_Moment(at, slot.id) for at, slot in coming) if after is None or one > after]
        taken = await slots.taken_until(tx, caller.owner_id, query.profile_id, start, until)
        held = {_Moment(one.at, one.slot_id): one for one in taken}
        shown = list(fitting(moments, lambda one: held[one].size if one in held else 0))
        posts = await self._posts_of(tx, caller.owner_id, [held[one].post_id for one in shown if one in held])
        entries = [
            QueueEntry(slot_id=one.slot_id, at=one.at, post=posts.get(held[one].post_id) if one in held else None)
            for one in shown
        ]
        return QueueView(data=entries, next_cursor=shown[-1].cursor() if len(shown) < len(moments) else None)

    async def _posts_of(self, tx: Tx, owner_id: str, post_ids: Sequence[str]) -> dict[str, Post]:
        of_posts = await store.targets_of(tx, owner_id, post_ids)
        return {row.id: show_post(row, of_posts[row.id]) for row in await store.find_all(tx, owner_id, post_ids)}

    async def _free(
        self, tx: Tx, owner_id: str, profile_id: str, account_ids: Collection[str]
    ) -> tuple[datetime, SlotRow]:
        """Find the next time of a suitable slot that no post has."""
        fitting = [
            slot
            for slot in await slots.of_profile(tx, owner_id, profile_id)
            if not slot.account_ids or set(account_ids) <= set(slot.account_ids)
        ]
        held = await slots.taken(tx, owner_id, profile_id, tx.now)
        for at, slot in upcoming(fitting, tx.now):
            if at > tx.now + _LONGEST_AHEAD:
                break
            if (slot.id, at) not in held:
                return at, slot
        raise NoFreeSlot("This profile has no free slot for this post. Create one with POST /queue/slots.")

    async def _move(self, tx: Tx, post: PostRow) -> None:
        of_post = (await store.targets_of(tx, post.owner_id, [post.id]))[post.id]
        # It releases its slot first, so that it can get the same one again.
        await store.leave_slot(tx, post)
        wanted = [row.account_id for row in of_post]
        at, slot = await self._free(tx, post.owner_id, post.profile_id, wanted)
        await self._posts.announce(tx, await store.move(tx, post, slot.id, at), of_post)

    async def _release(self, tx: Tx, holding: Sequence[PostRow], asked: PostsOfSlot) -> None:
        """Release the slot of posts: they keep their time, or take the next free slots."""
        for post in holding:
            if asked.posts == "reslot":
                await self._move(tx, post)
            else:
                await store.leave_slot(tx, post)

    async def _found(self, tx: Tx, caller: Caller, slot_id: str) -> SlotRow:
        """Find a slot, and lock the queue of its profile."""
        slot = await slots.find(tx, caller.owner_id, slot_id)
        if slot is None:
            raise NotFound("There is no slot with this id. GET /queue/slots lists the existing ones.")
        caller.require_profile(slot.profile_id)
        await self._lock(tx, caller.owner_id, slot.profile_id)
        return slot

    async def _lock(self, tx: Tx, owner_id: str, profile_id: str) -> None:
        await tx.lock(f"queue {owner_id} {profile_id}")


def _require_single(slot: SlotRow, existing: Sequence[SlotRow]) -> None:
    """Reject a slot at a time of the week that another has, for the same accounts."""
    for other in existing:
        same_time = (other.weekday, other.time, other.timezone) == (slot.weekday, slot.time, slot.timezone)
        if other.id != slot.id and same_time and sorted(other.account_ids) == sorted(slot.account_ids):
            raise SlotExists(f"The slot {other.id} already has this time of the week.")


async def _require_accounts(tx: Tx, owner_id: str, profile_id: str, account_ids: Sequence[str]) -> None:
    faults = []
    for position, account_id in enumerate(account_ids):
        row = await accounts.find_account(tx, owner_id, account_id)
        if row is None or row.profile_id != profile_id:
            detail = "This profile has no account with this id. GET /accounts lists its accounts."
            faults.append(Fault(f"/accountIds/{position}", "not_found", detail))
    if faults:
        raise Invalid("Some accounts do not belong to this profile.", errors=faults)


def _show(row: SlotRow) -> Slot:
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
