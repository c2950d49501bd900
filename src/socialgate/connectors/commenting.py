"""What connectors with comments share: checking a new comment, and finding it after a lost response."""

from collections.abc import Iterable

from socialgate.connectors.message_checks import SKEW, found, same_text
from socialgate.contracts.comments import CommentItem, NewComment
from socialgate.contracts.publishing import CannotTell
from socialgate.core.errors import Fault


def comment_faults(
    vendor: str,
    new: NewComment,
    *,
    target: tuple[str, str | None] | None = None,
    images: tuple[str, ...] = (),
    most: int | None = None,
    length: int | None = None,
) -> list[Fault]:
    """List what a vendor would reject. `target` is a field that it requires, with its value. `images` are the types of
    files that it accepts, by how they begin. It counts a `length` of its own, or characters.
    """
    pointer, given = target or ("", "none is required")
    count, media = len(new.text) if length is None else length, new.media
    write = "Write a text, or add an image." if images else "Write a text."
    accepts = f"{' or '.join(images)} files here. Use one." if images else "text here. Remove the file."
    long = f"The text has {count} characters, but {vendor} accepts {most}. Shorten it."
    return found(
        [
            (not given, pointer, "required", f"{pointer[1:]} is required: what the comment is about."),
            (not (new.text.strip() or (media and images)), "/text", "required", write),
            (
                media and not media.mime_type.startswith(images),
                "/mediaId",
                "not_supported",
                f"{vendor} only accepts {accepts}",
            ),
            (most is not None and count > most, "/text", "too_long", long),
        ]
    )


def the_new_one(vendor: str, shown: Iterable[CommentItem], new: NewComment) -> CommentItem | CannotTell:
    """Find a comment whose response was lost among those that a vendor shows.

    If it is missing, that proves nothing: it may be held back, or be processed long after the call timed out.
    """
    since = new.asked_at - SKEW
    recent = [item for item in shown if item.own and item.created_at is not None and item.created_at >= since]
    ours = [item for item in recent if same_text(item.text, new.text)]
    if len(ours) == 1:
        return ours[0]
    seen = "several comments" if ours else "no comment"
    return CannotTell(f"{vendor} shows {seen} with this text. Check there before you write it again.")
