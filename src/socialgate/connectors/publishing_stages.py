"""What publishing shares across connectors: how a stage leads to the next, and how files are read."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, Self, TypeVar

import msgspec

from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.publishing import (
    LookupResult,
    MediaFile,
    MediaReader,
    NextStage,
    PostContent,
    PublishingProgress,
    StageResult,
)

T = TypeVar("T", bound=msgspec.Struct)
J = TypeVar("J", bound="StageContext[Any]")

# Files are read and sent in parts of this size: a video of gigabytes is never in memory as a whole.
UPLOAD_PART_BYTES = 8 * 1024 * 1024


class StageContext(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """What a stage works on. While it is `lost`, an earlier call may still be executed."""

    credentials: AccountCredentials
    content: PostContent
    state: T
    media: MediaReader | None = None
    lost: bool = False

    async def read(self, file: MediaFile, start: int = 0, length: int | None = None) -> bytes:
        """Read part of a file, or all of it; there are no files during a lookup."""
        assert self.media is not None
        return await read_part(self.media, file.id, start, file.size if length is None else length)

    def with_state(self, **changes: Any) -> Self:
        """Continue with a changed state."""
        return msgspec.structs.replace(self, state=msgspec.structs.replace(self.state, **changes))


class Stage(msgspec.Struct, Generic[J], frozen=True):
    """What a stage does, and how its result is looked up if it must not run twice automatically.

    A stage without a lookup has no visible effect, so it simply runs again.
    """

    run: Callable[[J], Awaitable[StageResult]]
    look: Callable[[J], Awaitable[LookupResult]] | None = None


class StageRunner(Generic[J]):
    """Runs the stages of a post. Each has the name by which it is stored, so a name keeps its meaning forever."""

    def __init__(
        self,
        build_job: Callable[[AccountCredentials, PostContent, PublishingProgress, MediaReader | None], J],
        stages: Mapping[str, Stage[J]],
    ) -> None:
        self._build_job = build_job
        self.stages = stages
        self.non_repeatable_stages = frozenset(name for name, stage in stages.items() if stage.look is not None)

    async def run_stage(
        self,
        credentials: AccountCredentials,
        content: PostContent,
        progress: PublishingProgress,
        media_reader: MediaReader,
    ) -> StageResult:
        return await self.stages[progress.stage].run(self._build_job(credentials, content, progress, media_reader))

    async def look_up_result(
        self, credentials: AccountCredentials, content: PostContent, progress: PublishingProgress
    ) -> LookupResult:
        look = self.stages[progress.stage].look
        if look is None:
            return NextStage(progress=progress)
        return await look(self._build_job(credentials, content, progress, None))


def build_stage_context(
    state_type: type[T],
    credentials: AccountCredentials,
    content: PostContent,
    progress: PublishingProgress,
    media: MediaReader | None,
) -> StageContext[T]:
    state = decode_state(progress, state_type)
    return StageContext(credentials=credentials, content=content, state=state, media=media, lost=progress.has_lost_call)


def continue_with(
    stage: str,
    state: msgspec.Struct,
    wait: float = 0.0,
    *,
    handed_over: bool = False,
    lost: bool = False,
    **changes: Any,
) -> NextStage:
    """Continue with a stage, and pass it the state with these changes."""
    data = msgspec.to_builtins(msgspec.structs.replace(state, **changes))
    return NextStage(
        progress=PublishingProgress(stage=stage, data=data, handed_over=handed_over, has_lost_call=lost), wait=wait
    )


def decode_state(progress: PublishingProgress, shape: type[T]) -> T:
    return msgspec.convert(progress.data, shape)


async def read_part(media: MediaReader, media_id: str, start: int, length: int) -> bytes:
    """Read exactly this many bytes."""
    return b"".join(await read_chunks(media, media_id, start, length))


async def read_chunks(media: MediaReader, media_id: str, start: int, length: int) -> list[bytes]:
    """Read exactly this many bytes, as they arrive. A file that ends early is not the one that was inspected."""
    pieces = []
    for offset in range(start, start + length, UPLOAD_PART_BYTES):
        number = min(UPLOAD_PART_BYTES, start + length - offset)
        piece = await media.read(media_id, offset, number)
        if len(piece) != number:
            raise ValueError(f"{media_id} returned {len(piece)} bytes at {offset} instead of {number}")
        pieces.append(piece)
    return pieces
