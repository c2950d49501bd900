import msgspec


class Probed(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in a file. None where it has no such thing."""

    width: int | None = None
    height: int | None = None
    duration: float | None = None
    codec: str | None = None


class Unreadable(Exception):
    """The file says that it is a picture or a video, and is none that can be read. The text says so to the user."""
