"""What messages of Meta's products share: at most one file, which callers provide by URL."""

from typing import Any

import msgspec

from socialgate_sandbox.kit import World
from socialgate_sandbox.kit.media import Media, keep, shown
from socialgate_sandbox.society.chats import Message as SharedMessage
from socialgate_sandbox.society.conversations import Sample, sample


class Message(SharedMessage, kw_only=True):
    file: Media | None = None


def with_file(kind: str, file: Media | None, text: str = "") -> dict[str, Any]:
    """Return the fields of a message with a file. Without one, it could not be fetched."""
    return {"kind": kind, "text": text, "file": file, "media": [shown(file)] if file is not None else []}


def sampled(world: World, kind: str) -> tuple[Sample, Media]:
    """Let a person choose a file."""
    made = sample(world, kind)
    return made, msgspec.structs.replace(keep(world, made.upload), content_type=made.content_type)
