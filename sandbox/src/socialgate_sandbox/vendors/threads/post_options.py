"""Options of any kind of post on Threads, validated as Threads does."""

import re
from typing import Any, Literal

import msgspec

from socialgate_sandbox.dialects.graph.parameters import get_flag, get_text, parse_json_text, parse_words
from socialgate_sandbox.kit import Call, CallRefusedError
from socialgate_sandbox.vendors.threads.content import PostOptions, find_media
from socialgate_sandbox.vendors.threads.errors import build_parameter_response, build_unknown_node_error
from socialgate_sandbox.vendors.threads.token_access import require_scope

_MAX_TEXT_LENGTH, _MAX_ATTACHMENT_LENGTH = 500, 10_000
_MAX_ALT_LENGTH, _MAX_CHOICE_LENGTH, _MAX_TOPIC_LENGTH = 1000, 25, 50
_MAX_ENTITIES = 10
_MAX_LINKS = 5
_URL_PATTERN = re.compile(r"(?:https?://|www\.)\S+")
_POLL_OPTIONS = ("option_a", "option_b", "option_c", "option_d")
_MAX_PLAIN_CODE_POINT = 0xFFFF
_REPLY_CONTROLS = {"everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only"}
_TEXT_ONLY_PARAMS = ("link_attachment", "poll_attachment", "text_attachment", "gif_attachment", "is_ghost_post")


class _TextAttachment(msgspec.Struct):
    plaintext: str
    link_attachment_url: str = ""


class _GifAttachment(msgspec.Struct):
    gif_id: str
    provider: Literal["GIPHY", "TENOR", "giphy", "tenor"]


class _TextEntity(msgspec.Struct):
    entity_type: str
    offset: int
    length: int


def parse_post_options(call: Call, kind: str) -> PostOptions:
    """Read them, and reject combinations that are not allowed."""
    _validate_text(call, kind)
    control = get_text(call, "reply_control") or "everyone"
    if control not in _REPLY_CONTROLS:
        raise _build_error(f"Param reply_control must be one of {{{', '.join(sorted(_REPLY_CONTROLS))}}}")
    poll, attachment = _parse_object(call, "poll_attachment"), _parse_object(call, "text_attachment")
    _validate_poll(poll)
    _validate_topic(get_text(call, "topic_tag"))
    if len(get_text(call, "alt_text")) > _MAX_ALT_LENGTH:
        raise _build_error(f"Param alt_text must be at most {_MAX_ALT_LENGTH} characters long.")
    if poll and (attachment or get_text(call, "link_attachment")):
        raise _build_error("A poll and another attachment cannot be on the same post")
    _validate_links(call, str(attachment.get("link_attachment_url", "")))
    if get_text(call, "location_id"):
        require_scope(call, "threads_location_tagging")
    for name in ("reply_to_id", "quote_post_id"):
        if get_text(call, name) and find_media(call.context, get_text(call, name)) is None:
            raise build_unknown_node_error(call, get_text(call, name))
    return PostOptions(
        alt_text=get_text(call, "alt_text"),
        link_attachment=get_text(call, "link_attachment"),
        topic_tag=get_text(call, "topic_tag"),
        reply_control=control,
        poll_attachment={name: str(value) for name, value in poll.items()},
        quote_post_id=get_text(call, "quote_post_id"),
        reply_to_id=get_text(call, "reply_to_id"),
        is_ghost_post=get_flag(call, "is_ghost_post"),
        text_attachment=_validate_attachment(attachment, _TextAttachment, "text_attachment"),
        gif_attachment=_validate_attachment(_parse_object(call, "gif_attachment"), _GifAttachment, "gif_attachment"),
        location_id=get_text(call, "location_id"),
        text_entities=_parse_text_entities(call),
        is_spoiler_media=get_flag(call, "is_spoiler_media"),
        allowlisted_country_codes=parse_words(call.params.get("allowlisted_country_codes")),
    )


def _validate_text(call: Call, kind: str) -> None:
    written = get_text(call, "text")
    if _count_characters(written) > _MAX_TEXT_LENGTH:
        raise _build_error(f"Param text must be at most {_MAX_TEXT_LENGTH} characters long.")
    if kind == "TEXT" and not written:
        raise _build_error("The parameter text is required")
    for name in _TEXT_ONLY_PARAMS:
        if kind != "TEXT" and call.params.get(name):
            raise _build_error(f"Param {name} is for posts with the media type TEXT only")


def _validate_links(call: Call, attached_url: str) -> None:
    """Count the different URLs of the text, and an attached one that is not among them. A reply has the same limit."""
    links = {*_URL_PATTERN.findall(get_text(call, "text")), get_text(call, "link_attachment"), attached_url} - {""}
    if len(links) > _MAX_LINKS:
        raise _build_error("THREADS_API__LINK_LIMIT_EXCEEDED")


def _validate_poll(poll: dict[str, Any]) -> None:
    choices = [poll[name] for name in _POLL_OPTIONS if name in poll]
    if poll and (set(poll) - set(_POLL_OPTIONS) or not {"option_a", "option_b"} <= set(poll)):
        raise _build_error("Param poll_attachment must have 2 to 4 options")
    if any(not 1 <= len(str(choice)) <= _MAX_CHOICE_LENGTH for choice in choices):
        raise _build_error(f"An option of poll_attachment must have 1 to {_MAX_CHOICE_LENGTH} characters")


def _validate_topic(topic: str) -> None:
    if len(topic) > _MAX_TOPIC_LENGTH or set(topic) & set(".&"):
        raise _build_error(
            f"Param topic_tag must have at most {_MAX_TOPIC_LENGTH} characters without periods and ampersands"
        )


def _count_characters(text_value: str) -> int:
    """Count characters; an emoji counts as its number of bytes."""
    return sum(len(letter.encode()) if ord(letter) > _MAX_PLAIN_CODE_POINT else 1 for letter in text_value)


def _parse_object(call: Call, name: str) -> dict[str, Any]:
    value = parse_json_text(call.params.get(name)) or {}
    if not isinstance(value, dict):
        raise _build_error(f"Param {name} must be an object")
    return value


def _validate_attachment(value: dict[str, Any], kind: type[msgspec.Struct], name: str) -> dict[str, Any]:
    try:
        if value:
            msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _build_error(f"Param {name} is invalid: {error}") from error
    if len(str(value.get("plaintext", ""))) > _MAX_ATTACHMENT_LENGTH:
        raise _build_error(f"Param {name} must be at most {_MAX_ATTACHMENT_LENGTH} characters long.")
    return value


def _parse_text_entities(call: Call) -> list[dict[str, Any]]:
    rows = parse_json_text(call.params.get("text_entities")) or []
    try:
        entities = msgspec.convert(rows, list[_TextEntity])
    except msgspec.ValidationError as error:
        raise _build_error(f"Param text_entities is invalid: {error}") from error
    if any(entity.entity_type.upper() != "SPOILER" for entity in entities):
        raise _build_error("Param text_entities[entity_type] must be one of {SPOILER}")
    if len(entities) > _MAX_ENTITIES:
        raise _build_error(f"Param text_entities must have at most {_MAX_ENTITIES} items")
    return [row | {"entity_type": "SPOILER"} for row in rows]


def _build_error(message: str) -> CallRefusedError:
    return CallRefusedError(build_parameter_response(message))
