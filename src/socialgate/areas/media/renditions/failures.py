"""What people read about a file that cannot be converted. What the programs say about it is for the log."""

import errno
import os
from collections.abc import Mapping
from typing import Any

import structlog

from socialgate.areas.media.renditions.work_folder import build_disk_full_error

_MAX_REASON_LENGTH = 500
_NO_SPACE = os.strerror(errno.ENOSPC)
_TOO_DEMANDING = "It takes too much time or memory to convert. Use a shorter or smaller file."
_DAMAGED_IMAGE = (
    "The image is damaged, or saved in a way that cannot be read. Open it in another program, save it again as JPEG or "
    "PNG, and upload that."
)
_DAMAGED_FILE = (
    "The file is damaged, or encoded in a way that cannot be read. Open it in another program, save it again as MP4 "
    "with H.264, or a sound as M4A, and upload that."
)

log = structlog.get_logger(__name__)


def explain_image_failure(answer: Mapping[str, Any]) -> str:
    """Explain why there is no image: by what our program says, but not by what a library in it does."""
    if "failed" in answer:
        return f"The image cannot be converted: {str(answer['failed']).rstrip('.')}. Save it again as JPEG or PNG."
    _record("image", str(answer.get("raw")))
    return _DAMAGED_IMAGE


def explain_program_failure(returncode: int | None, output: bytes, *, is_incomplete: bool) -> str:
    """Explain why ffmpeg failed. If it was ended by a limit, it says nothing itself."""
    reason = output.decode("utf-8", "replace").strip()
    _record("ffmpeg", reason)
    is_stopped = returncode is not None and returncode < 0
    return _TOO_DEMANDING if is_incomplete or is_stopped or not reason else _DAMAGED_FILE


def _record(program: str, reason: str) -> None:
    if _NO_SPACE in reason:
        # Nothing is wrong with the file: it is tried again.
        raise build_disk_full_error()
    log.info("conversion_failed", program=program, reason=reason[-_MAX_REASON_LENGTH:])
