"""How large a post can be: its metadata, and everything together."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UnsetType

from socialgate.areas.posts.schemas import MAX_METADATA_BYTES, PostBody
from socialgate.core.errors import Fault
from socialgate.web.request import MAX_JSON_BYTES


def validate_metadata_size(metadata: dict[str, Any] | UnsetType | None) -> Iterator[Fault]:
    size = len(msgspec.json.encode(metadata)) if isinstance(metadata, dict) else 0
    if size > MAX_METADATA_BYTES:
        detail = (
            f"The metadata has {size:,} bytes as JSON, but can have at most {MAX_METADATA_BYTES:,}. Store large data "
            "elsewhere, and only its id here."
        )
        yield Fault("/metadata", "too_large", detail)


def validate_post_size(new: PostBody) -> Iterator[Fault]:
    """Check a post as a whole: several updates could make it larger than any single request can be."""
    size = len(msgspec.json.encode(new))
    if size > MAX_JSON_BYTES:
        detail = (
            f"The post would have {size:,} bytes as JSON, but can have at most {MAX_JSON_BYTES:,}. Shorten its texts."
        )
        yield Fault("", "too_large", detail)
