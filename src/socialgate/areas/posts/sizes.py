"""How large a post can be: what its owner keeps with it, and all of it together."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UnsetType

from socialgate.areas.posts.schemas import MOST_METADATA_BYTES, Written
from socialgate.core.errors import Fault
from socialgate.web.request import MAX_JSON_BYTES


def metadata_faults(metadata: dict[str, Any] | UnsetType | None) -> Iterator[Fault]:
    size = len(msgspec.json.encode(metadata)) if isinstance(metadata, dict) else 0
    if size > MOST_METADATA_BYTES:
        detail = (
            f"The metadata has {size:,} bytes as JSON, and can have {MOST_METADATA_BYTES:,}. "
            "Keep large data in a place of your own, and its id here."
        )
        yield Fault("/metadata", "too_large", detail)


def post_faults(new: Written) -> Iterator[Fault]:
    """Look at a post as a whole: several changes could make it larger than any one request can be."""
    size = len(msgspec.json.encode(new))
    if size > MAX_JSON_BYTES:
        detail = f"The post would have {size:,} bytes as JSON, and can have {MAX_JSON_BYTES:,}. Shorten its texts."
        yield Fault("", "too_large", detail)
