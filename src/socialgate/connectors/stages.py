"""What the publishing of all connectors shares: how a stage leads to the next, and how files are read."""

from typing import Any, TypeVar

import msgspec

from socialgate.contracts.publishing import Continue, MediaReader, Progress

T = TypeVar("T", bound=msgspec.Struct)

# Files are read and sent in parts of this size: a video of gigabytes is never in memory as a whole.
PART = 8 * 1024 * 1024


def leads_to(
    stage: str,
    state: msgspec.Struct,
    wait: float = 0.0,
    *,
    handed_over: bool = False,
    lost: bool = False,
    **changes: Any,
) -> Continue:
    """Go on with a stage, and leave it the state with these changes."""
    data = msgspec.to_builtins(msgspec.structs.replace(state, **changes))
    return Continue(progress=Progress(stage=stage, data=data, handed_over=handed_over, lost=lost), wait=wait)


def state_of(progress: Progress, shape: type[T]) -> T:
    return msgspec.convert(progress.data, shape)


async def read_part(media: MediaReader, media_id: str, start: int, length: int) -> bytes:
    """Read exactly so many bytes."""
    return b"".join(await read_pieces(media, media_id, start, length))


async def read_pieces(media: MediaReader, media_id: str, start: int, length: int) -> list[bytes]:
    """Read exactly so many bytes, as they come. A file that ends early is not the one that was probed."""
    pieces = []
    for offset in range(start, start + length, PART):
        wanted = min(PART, start + length - offset)
        piece = await media.read(media_id, offset, wanted)
        if len(piece) != wanted:
            raise ValueError(f"{media_id} gave {len(piece)} bytes at {offset} in place of {wanted}")
        pieces.append(piece)
    return pieces
