"""What messages of Meta's products share: at most one file, which callers provide by URL."""

from typing import Any

import msgspec

from socialgate_sandbox.kit import VendorContext
from socialgate_sandbox.kit.media import Media, build_media_view, store_media
from socialgate_sandbox.society.chats import Message as SharedMessage
from socialgate_sandbox.society.conversation_requests import SampleFile, create_sample_file


class Message(SharedMessage, kw_only=True):
    file: Media | None = None


def build_file_fields(kind: str, file: Media | None, text: str = "") -> dict[str, Any]:
    """Return the fields of a message with a file. Without one, it could not be fetched."""
    return {"kind": kind, "text": text, "file": file, "media": [build_media_view(file)] if file is not None else []}


def create_sample_media(context: VendorContext, kind: str) -> tuple[SampleFile, Media]:
    """Let a person choose a file."""
    created = create_sample_file(context, kind)
    return created, msgspec.structs.replace(store_media(context, created.upload), content_type=created.content_type)
