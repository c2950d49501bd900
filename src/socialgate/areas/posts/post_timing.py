"""When a post is due: times with an offset as they are, times without one in their time zone."""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from socialgate.areas.posts.schemas import NewPost
from socialgate.core.errors import Fault, InvalidRequest
from socialgate.core.field_error_codes import FieldErrorCode
from socialgate.web.similar import describe_unknown_timezone

_CONTRADICTION_CODE: FieldErrorCode = "contradiction"

# How far in the past a time may be and still mean "now": clocks differ, and requests take a while.
SCHEDULING_GRACE = timedelta(minutes=5)
# Beyond these, shifting a time by its offset leaves the calendar.
_FIRST_YEAR, _LAST_YEAR = 1970, 9000
# RFC 3339, with optional seconds and offset. Python's own parser also accepts weeks and dates without dashes.
_TIME_PATTERN = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)?", re.ASCII)


class DraftTiming(msgspec.Struct, frozen=True):
    """Kept as a draft. It can have the time that it is intended for."""

    at: datetime | None


class ImmediateTiming(msgspec.Struct, frozen=True):
    """Published immediately."""


class ScheduledTiming(msgspec.Struct, frozen=True):
    """Published at a chosen time."""

    at: datetime


class QueueTiming(msgspec.Struct, frozen=True):
    """Published in a slot of the queue."""

    slot_id: str
    at: datetime


PostTiming: TypeAlias = DraftTiming | ImmediateTiming | ScheduledTiming | QueueTiming


def parse_timing(new: NewPost, zone: ZoneInfo, now: datetime) -> DraftTiming | ImmediateTiming | ScheduledTiming:
    """Read when a post should be published, outside the queue."""
    at = None if new.publish_now or new.scheduled_for is None else parse_time(new.scheduled_for, zone)
    if new.draft:
        return DraftTiming(at)
    return ImmediateTiming() if at is None else ScheduledTiming(require_future(at, now))


def compute_due_time(timing: PostTiming, now: datetime) -> datetime:
    """Return when a post is due. A draft is validated as if it were published at the time that it is intended for."""
    return now if isinstance(timing, ImmediateTiming) or timing.at is None else timing.at


def get_scheduled_time(timing: PostTiming, now: datetime) -> datetime | None:
    """Return the time that a post shows as its own."""
    return timing.at if isinstance(timing, DraftTiming) else compute_due_time(timing, now)


def validate_timing(
    *, draft: bool, publish_now: bool, queue: bool, scheduled: bool, queue_route: bool = False
) -> list[Fault]:
    """Find contradicting statements about when to publish. A draft can have the time that it is intended for."""
    payload = [name for name, is_said in (("draft", draft), ("publishNow", publish_now), ("queue", queue)) if is_said]
    if scheduled and (not draft or publish_now or queue):
        payload.append("scheduledFor")
    if queue_route and payload not in ([], ["queue"]):
        payload = [name for name in payload if name != "queue"]
        detail = f"POST /queue chooses the time itself. Remove {_join_names(payload)}, or send the post to POST /posts."
        return [Fault(f"/{name}", _CONTRADICTION_CODE, detail) for name in payload]
    if len(payload) <= 1:
        return []
    detail = f"{_join_names(payload)} contradict each other. Keep only one of them."
    return [Fault(f"/{name}", _CONTRADICTION_CODE, detail) for name in payload]


def _join_names(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def parse_timezone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidRequest.for_field("/timezone", "unknown_timezone", describe_unknown_timezone(name)) from None


def parse_time(text: str, zone: ZoneInfo) -> datetime:
    """Read a time. One that is skipped by a clock change is rejected; of one that occurs twice, the first is used."""
    read = _parse_iso_time(text)
    if read.tzinfo is not None:
        return read.astimezone(UTC)
    local = read.replace(tzinfo=zone)
    moment = local.astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None) != read:
        raise InvalidRequest.for_field(
            "/scheduledFor",
            "invalid_time",
            f"On that day the clocks in {zone.key} go forward, so {read:%H:%M} does not exist. Choose another time.",
        )
    return moment


def _parse_iso_time(text: str) -> datetime:
    read: datetime | None = None
    if _TIME_PATTERN.fullmatch(text):
        with suppress(ValueError):
            read = datetime.fromisoformat(text)
    if read is None or not _FIRST_YEAR <= read.year <= _LAST_YEAR:
        raise InvalidRequest.for_field(
            "/scheduledFor",
            "invalid_time",
            "scheduledFor must be a time such as 2026-11-20T14:00:00Z or 2026-11-20T09:00.",
        )
    return read


def require_future(moment: datetime, now: datetime) -> datetime:
    if moment < now - SCHEDULING_GRACE:
        raise InvalidRequest.for_field(
            "/scheduledFor",
            "in_the_past",
            "scheduledFor is in the past. Choose a later time, or omit it to publish now.",
        )
    return max(moment, now)


def require_offsets(since: datetime | None, until: datetime | None) -> None:
    """Reject search bounds that are not points in time: without an offset, or outside the calendar."""
    for name, moment in (("from", since), ("to", until)):
        if moment is None:
            continue
        if moment.tzinfo is None or not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
            detail = f"{name} must be a time with an offset, such as 2026-11-20T14:00:00Z."
            raise InvalidRequest.for_field(f"?{name}", "invalid_time", detail)
