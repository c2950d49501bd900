"""What is wrong with a post for Threads, beyond what the manifest says of text and media."""

from collections.abc import Iterator

from socialgate.contracts.publishing import Content
from socialgate.core.errors import Fault

_LONGEST = 500
_MOST_ITEMS = 20
_TEXT_ONLY = frozenset({"linkAttachment", "poll", "textAttachment", "gif", "isGhostPost"})
_LONGEST_ALT = 1000
_EMOJI = (range(0x1F000, 0x1FB00), range(0x2600, 0x27C0), range(0xFE00, 0xFE10), range(0x200D, 0x200E))


def faults(content: Content) -> Iterator[Fault]:
    yield from _length_faults(content)
    if not content.media and not content.text.strip():
        # Threads wants one even beside a poll, a link or a quote.
        yield Fault("/content", "required", "Write a text, or add a picture or a video.")
    for index, file in enumerate(content.media):
        if len(file.alt or "") > _LONGEST_ALT:
            detail = f"Threads takes {_LONGEST_ALT:,} characters here. Shorten it."
            yield Fault(f"/media/{index}/alt", "too_long", detail)
    # Too many of one type, the manifest tells already.
    mixed = len({file.type for file in content.media}) > 1
    if mixed and len(content.media) > _MOST_ITEMS:
        yield Fault("/media", "media_count", f"A carousel has 2 to {_MOST_ITEMS} items. Leave some out.")
    for name in content.options:
        yield from _option_faults(name, content)
    for index, spoiler in enumerate(content.options.get("spoilers", ())):
        if spoiler["offset"] + spoiler["length"] > len(content.text):
            yield Fault(
                f"/options/spoilers/{index}", "out_of_range", "It reaches past the end of the text. Shorten it."
            )


def _option_faults(name: str, content: Content) -> Iterator[Fault]:
    pointer = f"/options/{name}"
    if name in _TEXT_ONLY and content.media:
        yield Fault(pointer, "option_misplaced", f"`{name}` is for a text without media. Leave it out.")
    if name == "isSpoilerMedia" and not content.media:
        yield Fault(pointer, "option_misplaced", "There is no media to hide. Leave it out.")
    if name in {"linkAttachment", "textAttachment"} and "poll" in content.options:
        yield Fault(pointer, "option_misplaced", f"A poll takes no `{name}`. Leave one of them out.")


def length(text: str) -> int:
    """Count as Threads does: an emoji is as long as its bytes in UTF-8."""
    return sum(len(one.encode()) if any(ord(one) in emoji for emoji in _EMOJI) else 1 for one in text)


def too_long(pointer: str, text: str) -> Iterator[Fault]:
    count = length(text)
    if count > _LONGEST:
        yield Fault(
            pointer,
            "too_long",
            f"Threads counts {count} characters, an emoji as its bytes, and takes {_LONGEST}. Shorten it by "
            f"{count - _LONGEST}.",
        )


def _length_faults(content: Content) -> Iterator[Fault]:
    """The manifest knows only how many characters a text has: of the first text it names those that are too many."""
    for index, text in enumerate(content.options.get("thread", ())):
        yield from too_long(f"/options/thread/{index}", text)
    if len(content.text) <= _LONGEST:
        yield from too_long("/content", content.text)
