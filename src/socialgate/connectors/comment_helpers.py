"""What connectors with comments share: checking a new comment, and finding it after a lost response."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import msgspec

from socialgate.connectors.message_validation import MAX_CLOCK_SKEW, collect_faults, is_same_text
from socialgate.contracts.comments import Comment, NewComment
from socialgate.contracts.publishing import Inconclusive
from socialgate.core.errors import Fault


class CommentRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a vendor accepts in a comment. `required_field` is the field that it requires: `/postId`, which a reply has
    by what it answers, or `/parentId`. `image_type_prefixes` are the types of files that it accepts, by how they begin.
    `max_length` is the maximum length of the text, which the vendor counts with `count_length`.
    """

    vendor: str
    required_field: Literal["/postId", "/parentId"] | None = None
    image_type_prefixes: tuple[str, ...] = ()
    max_length: int | None = None
    count_length: Callable[[str], int] = len

    def validate_new_comment(self, new: NewComment) -> list[Fault]:
        count, media, images = self.count_length(new.text), new.media, self.image_type_prefixes
        targets = {"/postId": new.parent_id or new.object_id, "/parentId": new.parent_id}
        aimless = self.required_field is not None and not targets[self.required_field]
        field = self.required_field or ""
        write = "Write a text, or add an image." if images else "Write a text."
        accepts = f"{' or '.join(images)} files here. Use one." if images else "text here. Remove the file."
        refused = media and not media.mime_type.startswith(images)
        long = f"The text has {count} characters, but {self.vendor} accepts {self.max_length}. Shorten it."
        return collect_faults(
            [
                (aimless, field, "required", f"{field[1:]} is required: what the comment is about."),
                (not (new.text.strip() or (media and images)), "/text", "required", write),
                (refused, "/mediaId", "not_supported", f"{self.vendor} only accepts {accepts}"),
                (self.max_length is not None and count > self.max_length, "/text", "too_long", long),
            ]
        )


class CommentAdapterBase:
    """Checks comments by the rules of the vendor. `lists_whole_account` says that it lists them without a post, too."""

    lists_whole_account = False
    rules: CommentRules

    def validate_new_comment(self, new: NewComment) -> Sequence[Fault]:
        return self.rules.validate_new_comment(new)


def find_created_comment(vendor: str, listed_comments: Iterable[Comment], new: NewComment) -> Comment | Inconclusive:
    """Find a comment whose response was lost among those that a vendor shows.

    If it is missing, that proves nothing: it may be held back, or be processed long after the call timed out.
    """
    since = new.asked_at - MAX_CLOCK_SKEW
    recent = [item for item in listed_comments if item.own and item.created_at is not None and item.created_at >= since]
    ours = [item for item in recent if is_same_text(item.text, new.text)]
    if len(ours) == 1:
        return ours[0]
    seen = "several comments" if ours else "no comment"
    return Inconclusive(f"{vendor} shows {seen} with this text. Check there before you write it again.")
