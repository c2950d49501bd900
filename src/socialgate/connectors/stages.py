"""What publishing shares across connectors: how a stage leads to the next, and how files are read."""

from typing import Any, Generic, TypeVar

import msgspec

from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.publishing import Content, Continue, LookupResult, MediaFile, MediaReader, Progress, Step

T = TypeVar("T", bound=msgspec.Struct)

# Files are read and sent in parts of this size: a video of gigabytes is never in memory as a whole.
PART = 8 * 1024 * 1024


class Job(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """What a stage works on. While it is `lost`, an earlier call may still be executed."""

    held: AccountCredentials
    content: Content
    state: T
    media: MediaReader | None = None
    lost: bool = False

    async def read(self, file: MediaFile, start: int = 0, length: int | None = None) -> bytes:
        """Read part of a file, or all of it; there are no files during a lookup."""
        assert self.media is not None
        return await read_part(self.media, file.id, start, file.size if length is None else length)

    def now(self, **changes: Any) -> "Job[T]":
        """Continue with a changed state."""
        return msgspec.structs.replace(self, state=msgspec.structs.replace(self.state, **changes))


class Stages(Generic[T]):
    """Runs the stages of a post: each is a method by its name, `_upload`.

    Those of `once` have a second method that looks up their result, `_look_upload`. The others have no visible effect,
    so they simply run again.
    """

    once: frozenset[str]
    shape: type[T]

    async def run(self, held: AccountCredentials, content: Content, progress: Progress, media: MediaReader) -> Step:
        state = state_of(progress, self.shape)
        job = Job(held=held, content=content, state=state, media=media, lost=progress.lost)
        step: Step = await getattr(self, f"_{progress.stage}")(job)
        return step

    async def look(self, held: AccountCredentials, content: Content, progress: Progress) -> LookupResult:
        if progress.stage not in self.once:
            return Continue(progress=progress)
        job = Job(held=held, content=content, state=state_of(progress, self.shape))
        found: LookupResult = await getattr(self, f"_look_{progress.stage}")(job)
        return found


def leads_to(
    stage: str,
    state: msgspec.Struct,
    wait: float = 0.0,
    *,
    handed_over: bool = False,
    lost: bool = False,
    **changes: Any,
) -> Continue:
    """Continue with a stage, and pass it the state with these changes."""
    data = msgspec.to_builtins(msgspec.structs.replace(state, **changes))
    return Continue(progress=Progress(stage=stage, data=data, handed_over=handed_over, lost=lost), wait=wait)


def state_of(progress: Progress, shape: type[T]) -> T:
    return msgspec.convert(progress.data, shape)


async def read_part(media: MediaReader, media_id: str, start: int, length: int) -> bytes:
    """Read exactly this many bytes."""
    return b"".join(await read_pieces(media, media_id, start, length))


async def read_pieces(media: MediaReader, media_id: str, start: int, length: int) -> list[bytes]:
    """Read exactly this many bytes, as they arrive. A file that ends early is not the one that was inspected."""
    pieces = []
    for offset in range(start, start + length, PART):
        wanted = min(PART, start + length - offset)
        piece = await media.read(media_id, offset, wanted)
        if len(piece) != wanted:
            raise ValueError(f"{media_id} returned {len(piece)} bytes at {offset} instead of {wanted}")
        pieces.append(piece)
    return pieces
