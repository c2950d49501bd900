from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field

from socialgate.areas.posts.schemas import Post
from socialgate.core.fields import CreatedAt, IsDeleted, NextCursor, ProfileIdField
from socialgate.web.pagination import ListQuery
from socialgate.web.schemas import QueryParameters, RequestBody, ResponseModel

_EXAMPLE_SLOT_ID = "slot_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_PROFILE_ID = "prf_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_TIME = "2026-11-16T12:00:00Z"

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
ClockTime = Annotated[
    str,
    Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$(?!\n)", description="Local time of day in the time zone."),
]
ProfileId = Annotated[str, Meta(max_length=40, description="The profile of the queue.")]
AccountIds = Annotated[
    list[Annotated[str, Meta(max_length=40)]],
    Meta(max_length=50, description="Only for posts to these accounts. Empty: all accounts."),
]


class NewSlot(RequestBody, frozen=True, kw_only=True):
    """A time of the week at which the queue publishes."""

    profile_id: ProfileId
    weekday: Weekday
    """The day of the week, in the time zone of the slot."""
    time: ClockTime
    timezone: Annotated[str, Meta(max_length=64, description="IANA name. Unset: the profile's.")] | None = None
    account_ids: AccountIds = field(default_factory=list)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"profileId": _EXAMPLE_PROFILE_ID, "weekday": "monday", "time": "09:00", "timezone": "America/Lima"}


class Slot(ResponseModel, frozen=True, kw_only=True):
    """A time of the week at which the queue publishes."""

    id: str
    """The id, `slot_…`."""
    profile_id: ProfileIdField
    weekday: Weekday
    """The day of the week, in the time zone of the slot."""
    time: str
    """The local time of day, such as `09:30`."""
    timezone: str
    """The IANA time zone of the slot."""
    account_ids: list[str]
    """Only posts to these accounts take the slot. Empty: posts to any account."""
    created_at: CreatedAt

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_SLOT_ID,
            "profileId": _EXAMPLE_PROFILE_ID,
            "weekday": "monday",
            "time": "09:00",
            "timezone": "America/Lima",
            "accountIds": [],
            "createdAt": _EXAMPLE_TIME,
        }


class SlotChanges(RequestBody, frozen=True, kw_only=True):
    """What to change. Omitted fields stay as they are."""

    weekday: Weekday | UnsetType = UNSET
    """The new day of the week."""
    time: ClockTime | UnsetType = UNSET
    timezone: Annotated[str, Meta(max_length=64, description="The new time zone, as an IANA name.")] | UnsetType = UNSET
    account_ids: AccountIds | UnsetType = UNSET

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"time": "10:30"}


class SlotsQuery(ListQuery, frozen=True, kw_only=True):
    profile_id: ProfileId | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 50}


class SlotPostsQuery(QueryParameters, frozen=True, kw_only=True):
    """What to do with the posts in the slot."""

    posts: Annotated[
        Literal["free", "reslot"],
        Meta(description="`free`: they keep their time; `reslot`: they move to the next free slots."),
    ] = "free"

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"posts": "free"}


class SlotDeleted(ResponseModel, frozen=True, kw_only=True):
    """The deleted slot, and what happened to its posts."""

    id: str
    """The id of the slot, `slot_…`."""
    deleted: IsDeleted = True
    post_ids: list[str]
    """The scheduled posts that were in the slot, `post_…`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": _EXAMPLE_SLOT_ID, "deleted": True, "postIds": []}


class QueueQuery(QueryParameters, frozen=True, kw_only=True):
    profile_id: ProfileId
    days: Annotated[int, Meta(ge=1, le=90, description="How far to look ahead.")] = 14
    cursor: Annotated[str, Meta(max_length=200, description="`nextCursor` of the previous page. Opaque.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"profileId": _EXAMPLE_PROFILE_ID, "days": 14}


class QueueEntry(ResponseModel, frozen=True, kw_only=True):
    """One slot time of the queue. `post` is null if it is free."""

    slot_id: str
    """The slot, `slot_…`."""
    at: datetime
    """When it publishes, in UTC."""
    post: Post | None
    """The post that takes it. Null if it is free."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"slotId": _EXAMPLE_SLOT_ID, "at": _EXAMPLE_TIME, "post": None}


class QueueView(ResponseModel, frozen=True, kw_only=True):
    """The slot times of the queue in order, taken and free.

    All of them, unless their posts exceed 4 MiB: then `nextCursor` leads to the rest.
    """

    data: list[QueueEntry]
    """The slot times, in chronological order."""
    next_cursor: NextCursor

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"data": [QueueEntry.example()], "nextCursor": None}


class NextSlotQuery(QueryParameters, frozen=True, kw_only=True):
    profile_id: ProfileId
    account_id: Annotated[list[str], Meta(description="For a post to these accounts. Can be repeated.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"profileId": _EXAMPLE_PROFILE_ID}


class NextSlot(ResponseModel, frozen=True, kw_only=True):
    """The next free slot time. It is not reserved."""

    slot_id: str
    """The slot, `slot_…`."""
    at: datetime
    """When it publishes, in UTC."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"slotId": _EXAMPLE_SLOT_ID, "at": _EXAMPLE_TIME}
