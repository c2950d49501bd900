"""Lost updates: a version is named in `ETag`, and a change may insist on it with `If-Match`."""

from datetime import UTC, datetime, timedelta

from socialgate.core.errors import PreconditionFailed

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def etag_of(updated_at: datetime) -> str:
    return f'"{(updated_at - _EPOCH) // _MICROSECOND:x}"'


class Expected:
    """The versions that the caller is ready to change. Without `If-Match` any will do.

    `if_match` is the header as it was sent, for what is compared by a platform.
    """

    def __init__(self, if_match: str | None) -> None:
        self.if_match = if_match
        self._tags = None if if_match is None else {tag.strip() for tag in if_match.split(",")}

    def check(self, updated_at: datetime) -> None:
        if self._tags is None or "*" in self._tags or etag_of(updated_at) in self._tags:
            return
        raise PreconditionFailed(
            "It was changed since the version in If-Match. Read it again and repeat the change on that."
        )


def next_version(now: datetime, updated_at: datetime) -> datetime:
    """Give the time of a change. It always moves on, so that two changes never share an ETag."""
    return max(now, updated_at + _MICROSECOND)
