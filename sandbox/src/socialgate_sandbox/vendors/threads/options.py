"""Options of any kind of post on Threads, validated as Threads does."""

import re
from typing import Any, Literal

import msgspec

from socialgate_sandbox.dialects.graph.given import flag, parsed, text, words
from socialgate_sandbox.kit import Call, Refused
from socialgate_sandbox.vendors.threads.content import Options, find_media
from socialgate_sandbox.vendors.threads.errors import bad_parameter, unknown
from socialgate_sandbox.vendors.threads.viewer import require

_LONGEST, _LONGEST_ATTACHMENT = 500, 10_000
_LONGEST_ALT, _LONGEST_CHOICE, _LONGEST_TOPIC = 1000, 25, 50
_MOST_ENTITIES = 10
_MAX_LINKS = 5
_URL = re.compile(r"(?:https?://|www\.)\S+")
_CHOICES = ("option_a", "option_b", "option_c", "option_d")
_BEYOND_PLAIN = 0xFFFF
_CONTROLS = {"everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only"}
_TEXT_ONLY = ("link_attachment", "poll_attachment", "text_attachment", "gif_attachment", "is_ghost_post")


class _Attachment(msgspec.Struct):
    plaintext: str
    link_attachment_url: str = ""


class _Gif(msgspec.Struct):
    gif_id: str
    provider: Literal["GIPHY", "TENOR", "giphy", "tenor"]


class _Entity(msgspec.Struct):
    entity_type: str
    offset: int
    length: int


def read_options(call: Call, kind: str) -> Options:
    """Read them, and reject combinations that are not allowed."""
    _check_text(call, kind)
    control = text(call, "reply_control") or "everyone"
    if control not in _CONTROLS:
        raise _wrong(f"Param reply_control must be one of {{{', '.join(sorted(_CONTROLS))}}}")
    poll, attachment = _object(call, "poll_attachment"), _object(call, "text_attachment")
    _check_poll(poll)
    _check_topic(text(call, "topic_tag"))
    if len(text(call, "alt_text")) > _LONGEST_ALT:
        raise _wrong(f"Param alt_text must be at most {_LONGEST_ALT} characters long.")
    if poll and (attachment or text(call, "link_attachment")):
        raise _wrong("A poll and another attachment cannot be on the same post")
    _check_links(call, str(attachment.get("link_attachment_url", "")))
    if text(call, "location_id"):
        require(call, "threads_location_tagging")
    for name in ("reply_to_id", "quote_post_id"):
        if text(call, name) and find_media(call.world, text(call, name)) is None:
            raise unknown(call, text(call, name))
    return Options(
        alt_text=text(call, "alt_text"),
        link_attachment=text(call, "link_attachment"),
        topic_tag=text(call, "topic_tag"),
        reply_control=control,
        poll_attachment={name: str(value) for name, value in poll.items()},
        quote_post_id=text(call, "quote_post_id"),
        reply_to_id=text(call, "reply_to_id"),
        is_ghost_post=flag(call, "is_ghost_post"),
        text_attachment=_checked(attachment, _Attachment, "text_attachment"),
        gif_attachment=_checked(_object(call, "gif_attachment"), _Gif, "gif_attachment"),
        location_id=text(call, "location_id"),
        text_entities=_entities(call),
        is_spoiler_media=flag(call, "is_spoiler_media"),
        allowlisted_country_codes=words(call.params.get("allowlisted_country_codes")),
    )


def _check_text(call: Call, kind: str) -> None:
    written = text(call, "text")
    if _length(written) > _LONGEST:
        raise _wrong(f"Param text must be at most {_LONGEST} characters long.")
    if kind == "TEXT" and not written:
        raise _wrong("The parameter text is required")
    for name in _TEXT_ONLY:
        if kind != "TEXT" and call.params.get(name):
            raise _wrong(f"Param {name} is for posts with the media type TEXT only")


def _check_links(call: Call, attached: str) -> None:
    """Count the different URLs of the text, and an attached one that is not among them. A reply has the same limit."""
    links = {*_URL.findall(text(call, "text")), text(call, "link_attachment"), attached} - {""}
    if len(links) > _MAX_LINKS:
        raise _wrong("THREADS_API__LINK_LIMIT_EXCEEDED")


def _check_poll(poll: dict[str, Any]) -> None:
    choices = [poll[name] for name in _CHOICES if name in poll]
    if poll and (set(poll) - set(_CHOICES) or not {"option_a", "option_b"} <= set(poll)):
        raise _wrong("Param poll_attachment must have 2 to 4 options")
    if any(not 1 <= len(str(choice)) <= _LONGEST_CHOICE for choice in choices):
        raise _wrong(f"An option of poll_attachment must have 1 to {_LONGEST_CHOICE} characters")


def _check_topic(topic: str) -> None:
    if len(topic) > _LONGEST_TOPIC or set(topic) & set(".&"):
        raise _wrong(f"Param topic_tag must have at most {_LONGEST_TOPIC} characters without periods and ampersands")


def _length(written: str) -> int:
    """Count characters; an emoji counts as its number of bytes."""
    return sum(len(letter.encode()) if ord(letter) > _BEYOND_PLAIN else 1 for letter in written)


def _object(call: Call, name: str) -> dict[str, Any]:
    value = parsed(call.params.get(name)) or {}
    if not isinstance(value, dict):
        raise _wrong(f"Param {name} must be an object")
    return value


def _checked(value: dict[str, Any], kind: type[msgspec.Struct], name: str) -> dict[str, Any]:
    try:
        if value:
            msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _wrong(f"Param {name} is invalid: {error}") from error
    if len(str(value.get("plaintext", ""))) > _LONGEST_ATTACHMENT:
        raise _wrong(f"Param {name} must be at most {_LONGEST_ATTACHMENT} characters long.")
    return value


def _entities(call: Call) -> list[dict[str, Any]]:
    rows = parsed(call.params.get("text_entities")) or []
    try:
        entities = msgspec.convert(rows, list[_Entity])
    except msgspec.ValidationError as error:
        raise _wrong(f"Param text_entities is invalid: {error}") from error
    if any(one.entity_type.upper() != "SPOILER" for one in entities):
        raise _wrong("Param text_entities[entity_type] must be one of {SPOILER}")
    if len(entities) > _MOST_ENTITIES:
        raise _wrong(f"Param text_entities must have at most {_MOST_ENTITIES} items")
    return [row | {"entity_type": "SPOILER"} for row in rows]


def _wrong(message: str) -> Refused:
    return Refused(bad_parameter(message))
