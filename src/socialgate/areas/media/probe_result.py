import msgspec

from socialgate.contracts.publishing import MediaDetails


class ProbeResult(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in a file. None if it does not apply."""

    width: int | None = None
    height: int | None = None
    duration: float | None = None
    codec: str | None = None
    details: MediaDetails | None = None


class UnreadableFileError(Exception):
    """The file claims to be an image or a video, but cannot be read. The message is for the user."""
