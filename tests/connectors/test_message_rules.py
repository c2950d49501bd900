"""The rules of messages, which are checked once for all platforms."""

from datetime import UTC, datetime
from typing import Any

import pytest

from socialgate.connectors.message_validation import MessageRules, find_at_path
from socialgate.contracts.messages import MessageType, NewMessage, ReplyButton
from socialgate.contracts.platforms import MediaRule, Platform
from socialgate.contracts.publishing import MediaFile

RULES = MessageRules(
    vendor="Post office",
    platform=Platform.TELEGRAM,
    max_text_lengths={MessageType.TEXT: 10, MessageType.IMAGE: 5},
    max_text_lengths_with={"/buttons": 3},
    measure=lambda new: len(new.text.encode()),
    unit="bytes",
    file_rules={"image": MediaRule(mime_types=("image/png",), max_bytes=100)},
    get_media_rule_key=lambda _, file: file.type,
    max_lengths={"/buttons/*/title": 4},
    max_counts={("/buttons/*", "/quickReplies/*"): 2, ("/contacts/*",): 1},
    required={"/contacts/*/phones": "A number is needed."},
    forbidden_paths={"/contacts/*/phones/1": "One number is enough."},
    exclusive_paths={("/replyTo", "/media"): "One or the other."},
)


def new(kind: MessageType = MessageType.TEXT, **more: Any) -> NewMessage:
    return NewMessage(to="1", type=kind, reference="msg", asked_at=datetime(2026, 11, 16, tzinfo=UTC), **more)


def file(mime_type: str = "image/png", size: int = 100) -> MediaFile:
    return MediaFile(
        id="m", type="image", mime_type=mime_type, size=size, sha256="0", url="https://a.example", file_name="f"
    )


def cards(*numbers: list[str]) -> dict[str, Any]:
    return {"contacts": [{"name": "Bo", "phones": phones} for phones in numbers]}


BUTTON = ReplyButton(title="Yes")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (new(text="x" * 10), []),
        (new(text="ü" * 6), [("/text", "too_long")]),
        (new(text=" "), [("/text", "required")]),
        (new(text="abc", buttons=(BUTTON,)), []),
        (new(text="abcd", buttons=(BUTTON,)), [("/text", "too_long")]),
        (new(MessageType.IMAGE, media=file()), []),
        (new(MessageType.IMAGE, media=file(), text="x" * 6), [("/text", "too_long")]),
        (new(MessageType.IMAGE, media=file("image/gif", 101)), [("/media", "media_type"), ("/media", "too_large")]),
        (new(MessageType.IMAGE, media=file(), reply_to="7"), [("/replyTo", "contradiction")]),
        (new(MessageType.LOCATION, text="Here", data={"latitude": 1}), [("/text", "contradiction")]),
        (new(text="a", buttons=(BUTTON,), quick_replies=(BUTTON,)), []),
        (new(text="a", buttons=(BUTTON,), quick_replies=(BUTTON, BUTTON)), [("/buttons", "too_many")]),
        (new(text="a", quick_replies=(BUTTON,) * 3), [("/quickReplies", "too_many")]),
        (new(text="a", buttons=(BUTTON, ReplyButton(title="Maybe"))), [("/buttons/1/title", "too_long")]),
        (new(MessageType.CONTACTS, data=cards(["1"])), []),
        (
            new(MessageType.CONTACTS, data=cards(["1"], [])),
            [("/contacts", "too_many"), ("/contacts/1/phones", "required")],
        ),
        (new(MessageType.CONTACTS, data=cards(["1", "2", "3"])), [("/contacts/0/phones/1", "not_supported")]),
    ],
)
def test_a_message_is_checked_by_every_rule(message: NewMessage, expected: list[tuple[str, str]]) -> None:
    assert [(fault.pointer, fault.code) for fault in RULES.validate_new_message(message)] == expected


def test_a_text_that_is_too_long_is_described_in_what_the_platform_counts() -> None:
    (fault,) = RULES.validate_new_message(new(text="ü" * 6))
    assert "10 bytes" in fault.detail
    assert "12" in fault.detail


def test_a_path_leads_to_every_item_or_to_one() -> None:
    params = {"rows": [{"cells": [1, 2]}, {"cells": None}, {}]}
    assert find_at_path(params, "/rows/*/cells/*") == [("/rows/0/cells/0", 1), ("/rows/0/cells/1", 2)]
    assert find_at_path(params, "/rows/0/cells/1") == [("/rows/0/cells/1", 2)]
    assert find_at_path(params, "/rows/7") == []
    assert find_at_path(params, "/columns/*") == []
