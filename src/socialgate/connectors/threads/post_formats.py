"""What is wrong with a post for Threads, beyond the manifest's rules for text and media."""

import re
from collections.abc import Iterator

from socialgate.connectors.message_validation import collect_faults, validate_lengths
from socialgate.contracts.publishing import PostContent
from socialgate.core.errors import Fault

_MAX_TEXT_LENGTH = 500
MAX_LINKS = 5
_LINK_PATTERN = re.compile(r"(?:https?://|www\.)[^\s<>\"]+", re.IGNORECASE)
_MAX_CAROUSEL_ITEMS = 20
_ATTACHMENT_OPTIONS = ("linkAttachment", "textAttachment")
_TEXT_POST_OPTIONS = (*_ATTACHMENT_OPTIONS, "poll", "gif", "isGhostPost")
_MAX_ALT_LENGTH = 1000
_EMOJI_RANGES = (range(0x1F000, 0x1FB00), range(0x2600, 0x27C0), range(0xFE00, 0xFE10), range(0x200D, 0x200E))


def validate_content(content: PostContent) -> list[Fault]:
    options, media = content.options, content.media
    # Threads requires a text even with a poll, a link or a quote.
    empty = not media and not content.text.strip()
    # The manifest already covers too many of one type.
    many = len({file.type for file in media}) > 1 and len(media) > _MAX_CAROUSEL_ITEMS
    past = [
        f"/options/spoilers/{place}"
        for place, item in enumerate(options.get("spoilers", ()))
        if item["offset"] + item["length"] > len(content.text)
    ]
    misplaced = [
        *(
            (name, f"`{name}` can only be used with a text without media. Remove it.")
            for name in _TEXT_POST_OPTIONS
            if media
        ),
        *(
            (name, f"A poll cannot have `{name}`. Remove one of them.")
            for name in _ATTACHMENT_OPTIONS
            if "poll" in options
        ),
        *(() if media else [("isSpoilerMedia", "There is no media to hide. Remove this.")]),
    ]
    return [
        *_length_faults(content),
        *_link_faults(content),
        *validate_lengths({"media": [{"alt": file.alt} for file in media]}, {"/media/*/alt": _MAX_ALT_LENGTH}),
        *collect_faults(
            [
                (empty, "/content", "required", "Write a text, or add an image or a video."),
                (many, "/media", "media_count", f"A carousel has 2 to {_MAX_CAROUSEL_ITEMS} items. Remove some."),
                *((name in options, f"/options/{name}", "option_not_applicable", why) for name, why in misplaced),
                *((True, at, "out_of_range", "It extends past the end of the text. Shorten it.") for at in past),
            ]
        ),
    ]


def count_characters(text: str) -> int:
    """Count as Threads does: an emoji is as long as its bytes in UTF-8."""
    return sum(len(value.encode()) if any(ord(value) in emoji for emoji in _EMOJI_RANGES) else 1 for value in text)


def text_length_faults(pointer: str, text: str) -> Iterator[Fault]:
    count = count_characters(text)
    if count > _MAX_TEXT_LENGTH:
        yield Fault(
            pointer,
            "too_long",
            f"Threads counts {count} characters, with emoji as their bytes, but accepts {_MAX_TEXT_LENGTH}. "
            "Shorten it by "
            f"{count - _MAX_TEXT_LENGTH}.",
        )


def validate_link_count(pointer: str, text: str, attached: str = "") -> Iterator[Fault]:
    """Count as Threads does: each different link once, and the attached one if it is not in the text."""
    count = len({_normalize_link(link) for link in (*_LINK_PATTERN.findall(text), attached) if link})
    if count > MAX_LINKS:
        detail = f"Threads accepts up to {MAX_LINKS} different links in a post, and this one has {count}. Remove some."
        yield Fault(pointer, "too_many", detail)


def _normalize_link(link: str) -> str:
    """Write a link without what does not make it a different one, such as the end of the sentence that it is in."""
    return re.sub(r"^https?://", "", link, flags=re.IGNORECASE).rstrip(".,;:!?)]}'/").casefold()


def _link_faults(content: PostContent) -> Iterator[Fault]:
    options = content.options
    attached = options.get("linkAttachment") or options.get("textAttachment", {}).get("linkAttachmentUrl", "")
    yield from validate_link_count("/content", content.text, attached)
    for index, text in enumerate(options.get("thread", ())):
        yield from validate_link_count(f"/options/thread/{index}", text)
    yield from validate_link_count("/firstComment", content.first_comment or "")


def _length_faults(content: PostContent) -> Iterator[Fault]:
    """The manifest only counts the characters of a text: for the first text it already reports too many."""
    for index, text in enumerate(content.options.get("thread", ())):
        yield from text_length_faults(f"/options/thread/{index}", text)
    if len(content.text) <= _MAX_TEXT_LENGTH:
        yield from text_length_faults("/content", content.text)
