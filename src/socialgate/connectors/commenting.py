"""What connectors with comments share: checking a new comment, and finding it after a lost response."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import msgspec

from socialgate.connectors.message_checks import SKEW, found, same_text
from socialgate.contracts.comments import Comment, NewComment
from socialgate.contracts.publishing import CannotTell
from socialgate.core.errors import Fault


class CommentRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a vendor accepts in a comment. `target` is the field that it requires: `/postId`, which a reply has by what
    it answers, or `/parentId`. `images` are the types of files that it accepts, by how they begin. `most` is the
    maximum length of the text, which the vendor counts with `measure`.
    """

    vendor: str
    target: Literal["/postId", "/parentId"] | None = None
    images: tuple[str, ...] = ()
    most: int | None = None
    measure: Callable[[str], int] = len

    def faults(self, new: NewComment) -> list[Fault]:
        count, media, images = self.measure(new.text), new.media, self.images
        targets = {"/postId": new.parent_id or new.object_id, "/parentId": new.parent_id}
        aimless = self.target is not None and not targets[self.target]
        field = self.target or ""
        write = "Write a text, or add an image." if images else "Write a text."
        accepts = f"{' or '.join(images)} files here. Use one." if images else "text here. Remove the file."
        refused = media and not media.mime_type.startswith(images)
        long = f"The text has {count} characters, but {self.vendor} accepts {self.most}. Shorten it."
        return found(
            [
                (aimless, field, "required", f"{field[1:]} is required: what the comment is about."),
                (not (new.text.strip() or (media and images)), "/text", "required", write),
                (refused, "/mediaId", "not_supported", f"{self.vendor} only accepts {accepts}"),
                (self.most is not None and count > self.most, "/text", "too_long", long),
            ]
        )


class Commenting:
    """Checks comments by the rules of the vendor. `of_account` says that it lists them without a post, too."""

    of_account = False
    rules: CommentRules

    def faults(self, new: NewComment) -> Sequence[Fault]:
        return self.rules.faults(new)


def the_new_one(vendor: str, shown: Iterable[Comment], new: NewComment) -> Comment | CannotTell:
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
