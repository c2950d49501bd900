"""When a post is due: times with an offset as they are, times without one in the zone that they are meant in."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from socialgate.core.errors import Invalid

# How far in the past a time may lie and still mean "now": clocks differ, and requests take a while.
GRACE = timedelta(minutes=5)


def zone_of(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Invalid.at(
            "/timezone", "unknown_timezone", f"{name!r} is no IANA time zone. Use one such as Europe/London."
        ) from None


def moment_of(text: str, zone: ZoneInfo) -> datetime:
    """Read a time. One that the clocks of its zone skip is refused; of one that comes twice, the first is meant."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise Invalid.at(
            "/scheduledFor", "invalid_time", "It must be a time such as 2026-11-20T14:00:00Z or 2026-11-20T09:00."
        ) from None
    if read.tzinfo is not None:
        return read.astimezone(UTC)
    local = read.replace(tzinfo=zone)
    moment = local.astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None) != read:
        raise Invalid.at(
            "/scheduledFor",
            "time_does_not_exist",
            f"On that day the clocks in {zone.key} are put forward: {read:%H:%M} never comes. Choose another time.",
        )
    return moment


def require_future(moment: datetime, now: datetime) -> datetime:
    if moment < now - GRACE:
        raise Invalid.at(
            "/scheduledFor",
            "time_in_the_past",
            "That time is over. Choose a later one, or leave it out to publish now.",
        )
    return max(moment, now)
