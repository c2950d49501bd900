"""What publishing shares across connectors: how a stage leads to the next, and how files are read."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, Self, TypeVar

import msgspec

from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.publishing import Content, Continue, LookupResult, MediaFile, MediaReader, Progress, Step

T = TypeVar("T", bound=msgspec.Struct)
J = TypeVar("J", bound="Job[Any]")

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

    def now(self, **changes: Any) -> Self:
        """Continue with a changed state."""
        return msgspec.structs.replace(self, state=msgspec.structs.replace(self.state, **changes))


class Stage(msgspec.Struct, Generic[J], frozen=True):
    """What a stage does, and how its result is looked up if it must not run twice automatically.

    A stage without a lookup has no visible effect, so it simply runs again.
    """

    run: Callable[[J], Awaitable[Step]]
    look: Callable[[J], Awaitable[LookupResult]] | None = None


class Stages(Generic[J]):
    """Runs the stages of a post. Each has the name by which it is stored, so a name keeps its meaning forever."""

    def __init__(
        self,
        build_job: Callable[[AccountCredentials, Content, Progress, MediaReader | None], J],
        stages: Mapping[str, Stage[J]],
    ) -> None:
        self._build_job = build_job
        self.stages = stages
        self.once = frozenset(name for name, stage in stages.items() if stage.look is not None)

    async def run(self, held: AccountCredentials, content: Content, progress: Progress, media: MediaReader) -> Step:
        return await self.stages[progress.stage].run(self._build_job(held, content, progress, media))

    async def look(self, held: AccountCredentials, content: Content, progress: Progress) -> LookupResult:
        look = self.stages[progress.stage].look
        if look is None:
            return Continue(progress=progress)
        return await look(self._build_job(held, content, progress, None))


def build_job(
    state_type: type[T], held: AccountCredentials, content: Content, progress: Progress, media: MediaReader | None
) -> Job[T]:
    state = state_of(progress, state_type)
    return Job(held=held, content=content, state=state, media=media, lost=progress.lost)


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
