"""Lost updates: `ETag` names a version, and a change can require it with `If-Match`."""

from datetime import UTC, datetime, timedelta

from socialgate.core.errors import PreconditionFailed

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def build_etag(updated_at: datetime) -> str:
    return f'"{(updated_at - _EPOCH) // _MICROSECOND:x}"'


class ExpectedVersion:
    """The versions that the caller accepts. Without `If-Match` any version will do.

    `if_match` is the header as it was sent, for comparison by a platform.
    """

    def __init__(self, if_match: str | None) -> None:
        self.if_match = if_match
        # Many programs strip the quotation marks of a header that they read.
        self._tags = None if if_match is None else {tag.strip().strip('"') for tag in if_match.split(",")}

    def require_updated_at(self, updated_at: datetime, *, read_path: str | None = None) -> None:
        """Reject a change of another version. `read_path` is where the current one can be read, if that is another
        path.
        """
        where = "" if read_path is None else f" with GET {read_path}, whose `etag` is the version to send"
        self.require_etag(build_etag(updated_at), f"Read it again{where}, and apply your change to the new version.")

    def require_etag(self, etag: str, advice: str) -> None:
        """Reject a change of another version than this one. `advice` is a sentence that says what to do then."""
        if self._tags is None or "*" in self._tags or etag.strip('"') in self._tags:
            return
        raise PreconditionFailed(f"The resource has changed since the version in If-Match. {advice}")


def get_next_updated_at(now: datetime, updated_at: datetime) -> datetime:
    """Return the time of a change. It always increases, so that two changes never share an ETag."""
    return max(now, updated_at + _MICROSECOND)
