"""What WhatsApp reports about messages: every type, whoever wrote it, however little of it can be read."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from socialgate.connectors.whatsapp_cloud.webhooks import WhatsAppWebhookReceiver
from socialgate.contracts.messages import (
    ContactChanged,
    MessageChanged,
    MessageItem,
    MessageProgressed,
    MessageReported,
    MessageStatus,
    MessageType,
)
from socialgate.contracts.webhooks import PlatformFact, UnhandledFact, WebhookRequest

NUMBER = "106540352242922"
SHEENA = {"profile": {"name": "Sheena", "username": "sheena"}, "wa_id": "16505551234", "user_id": "US.134"}
READ_AT = datetime(2026, 11, 15, tzinfo=UTC)


class Still:
    def now(self) -> datetime:
        return READ_AT


def facts(field: str = "messages", contacts: Any = (SHEENA,), **value: Any) -> list[PlatformFact]:
    metadata = {"display_phone_number": "15550783881", "phone_number_id": NUMBER}
    whole = {"messaging_product": "whatsapp", "metadata": metadata, "contacts": contacts, **value}
    entry = {"id": "102290129340398", "changes": [{"field": field, "value": whole}]}
    body = json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode()
    return list(WhatsAppWebhookReceiver(Still()).parse(WebhookRequest(method="POST", query={}, headers={}, body=body)))


def said(kind: str, content: Any = None, **more: Any) -> dict[str, Any]:
    common = {"from": "16505551234", "id": "wamid.1", "timestamp": "1749416383", "type": kind}
    return {**common, kind: content, **more}


def message(kind: str, content: Any = None, **more: Any) -> MessageItem:
    (fact,) = facts(messages=[said(kind, content, **more)])
    assert isinstance(fact, MessageReported)
    return fact.message


def test_a_person_is_known_by_the_id_that_stays_and_by_the_number() -> None:
    contact = message("text", {"body": "Hi"}).contact
    assert (contact.id, contact.phone, contact.aliases) == ("US.134", "+16505551234", ("16505551234",))
    assert (contact.name, contact.username) == ("Sheena", "sheena")
    (fact,) = facts(contacts=None, messages=[said("text", {"body": "Hi"})])
    assert isinstance(fact, MessageReported)
    assert (fact.message.contact.id, fact.message.contact.name) == ("16505551234", None)


def test_each_of_several_people_has_their_own_name() -> None:
    other = {"profile": {"name": "Grace"}, "user_id": "US.9", "parent_user_id": "US.ENT.9"}
    hidden = {
        "from_user_id": "US.9",
        "id": "wamid.2",
        "timestamp": "1749416384",
        "type": "text",
        "text": {"body": "Yo"},
    }
    first, second = facts(contacts=[SHEENA, other], messages=[said("text", {"body": "Hi"}), hidden])
    assert isinstance(first, MessageReported)
    assert isinstance(second, MessageReported)
    assert (first.message.contact.name, second.message.contact.name) == ("Sheena", "Grace")
    assert (second.message.contact.id, second.message.contact.phone) == ("US.9", None)
    assert second.message.contact.aliases == ("US.ENT.9",)


CARD = {"name": {"formatted_name": "Ana"}, "phones": [{"phone": "+51"}], "org": {"company": "Shop"}}
TYPES: list[tuple[str, Any, MessageType, str, dict[str, Any]]] = [
    ("text", {"body": "Hi"}, MessageType.TEXT, "Hi", {}),
    ("image", {"id": "1", "caption": "Cake"}, MessageType.IMAGE, "Cake", {}),
    ("video", {"id": "1"}, MessageType.VIDEO, "", {}),
    ("audio", {"id": "1", "voice": True}, MessageType.AUDIO, "", {"voice": True}),
    ("document", {"id": "1", "filename": "a.pdf"}, MessageType.DOCUMENT, "", {}),
    ("sticker", {"id": "1", "animated": True}, MessageType.STICKER, "", {}),
    ("location", {"latitude": 1.5, "longitude": 2}, MessageType.LOCATION, "", {"latitude": 1.5, "longitude": 2}),
    (
        "contacts",
        [CARD, 7],
        MessageType.CONTACTS,
        "",
        {"contacts": [{"name": "Ana", "phones": ["+51"], "emails": [], "organization": "Shop"}]},
    ),
    (
        "button",
        {"payload": "yes", "text": "Yes!"},
        MessageType.INTERACTIVE,
        "Yes!",
        {"id": "yes", "title": "Yes!", "reply": {"id": "yes", "title": "Yes!"}},
    ),
    (
        "interactive",
        {"type": "list_reply", "list_reply": {"id": "a", "title": "Rye", "description": "Dark"}},
        MessageType.INTERACTIVE,
        "Rye",
        {"id": "a", "title": "Rye", "reply": {"id": "a", "title": "Rye", "description": "Dark"}},
    ),
    (
        "interactive",
        {"type": "nfm_reply", "nfm_reply": {"name": "flow", "body": "Sent", "response_json": "{}"}},
        MessageType.INTERACTIVE,
        "Sent",
        {"reply": {"name": "flow", "body": "Sent", "response_json": "{}"}},
    ),
    (
        "order",
        {"catalog_id": "7", "text": "Two please", "product_items": []},
        MessageType.UNSUPPORTED,
        "Two please",
        {"type": "order", "order": {"catalog_id": "7", "text": "Two please", "product_items": []}},
    ),
    ("dance", None, MessageType.UNSUPPORTED, "", {"type": "dance"}),
]


@pytest.mark.parametrize(("kind", "content", "expected", "text", "data"), TYPES, ids=range(len(TYPES)))
def test_every_type_is_understood(
    kind: str, content: Any, expected: MessageType, text: str, data: dict[str, Any]
) -> None:
    item = message(kind, content, context={"from": "15550783881", "id": "wamid.0"}, referral={"ctwa_clid": "x"})
    assert (item.type, item.text, item.data) == (expected, text, {**data, "referral": {"ctwa_clid": "x"}})
    assert (item.reply_to, item.outbound) == ("wamid.0", False)
    assert item.sent_at == datetime(2025, 6, 8, 20, 59, 43, tzinfo=UTC)
    files = [(file.type, file.source, file.file_name) for file in item.attachments]
    has_file = isinstance(content, dict) and "id" in content
    assert files == ([(kind, {"id": "1"}, content.get("filename"))] if has_file else [])


def test_what_whatsapp_does_not_show_is_a_message_all_the_same() -> None:
    errors = [{"code": 131051, "title": "Message type unknown"}]
    item = message("unsupported", errors=errors)
    assert (item.type, item.data) == (MessageType.UNSUPPORTED, {"type": "unsupported", "errors": errors})


@pytest.mark.parametrize(
    "strange",
    [
        {"timestamp": "soon"},
        {"timestamp": "9" * 5000},
        {"timestamp": None, "context": 5, "referral": 0},
        {"timestamp": [], "text": {"body": 7}},
        {"timestamp": {}, "text": "Hi"},
    ],
)
def test_a_part_that_cannot_be_read_loses_no_message(strange: dict[str, Any]) -> None:
    item = message("text", {"body": "Hi"}, **strange)
    assert (item.id, item.sent_at, item.type) == ("wamid.1", READ_AT, MessageType.TEXT)
    assert item.text == ("" if "text" in strange else "Hi")


@pytest.mark.parametrize("number", ["../me", "1?x=1", "", 5, None])
def test_a_file_without_a_true_id_is_not_fetched(number: Any) -> None:
    assert message("image", {"id": number, "caption": "Cake"}).attachments == ()


@pytest.mark.parametrize(
    "more",
    [
        {"group_id": "120363@g.us"},
        {"id": "wamid." + "A" * 400},
        {"type": "request_welcome"},
        {"type": "reaction", "reaction": {"emoji": "x"}},
        {"type": "system", "system": {"type": "user_changed_number"}},
    ],
)
def test_what_is_no_message_between_two_is_left_alone(more: dict[str, Any]) -> None:
    (fact,) = facts(messages=[{**said("text", {"body": "Hi"}), **more}])
    assert isinstance(fact, UnhandledFact)


def test_edits_deletions_and_reactions_change_a_message() -> None:
    new = {"type": "image", "image": {"caption": "Our cake"}}
    sent = [
        said("edit", {"original_message_id": "wamid.0", "message": new}),
        said("revoke", {"original_message_id": "wamid.0"}, id="wamid.2"),
        said("reaction", {"message_id": "wamid.0", "emoji": "👍"}, id="wamid.3"),
        said("reaction", {"message_id": "wamid.0"}, id="wamid.4"),
    ]
    message_changeds = [fact for fact in facts(messages=sent) if isinstance(fact, MessageChanged)]
    assert [(fact.change, fact.text, fact.emoji) for fact in message_changeds] == [
        ("edited", "Our cake", None),
        ("deleted", None, None),
        ("reaction", None, "👍"),
        ("reaction", None, None),
    ]
    assert {(fact.message_id, fact.reacted_by, fact.account) for fact in message_changeds} == {
        ("wamid.0", "US.134", NUMBER)
    }
    assert len({fact.dedup_key for fact in message_changeds}) == 4


def test_a_new_number_is_a_new_name_of_the_same_person() -> None:
    system = {"body": "Sheena changed", "wa_id": "16505559999", "type": "user_changed_number"}
    (fact,) = facts(contacts=None, messages=[said("system", system)])
    assert isinstance(fact, ContactChanged)
    assert (fact.contact.id, fact.contact.phone) == ("16505559999", "+16505559999")
    assert fact.contact.aliases == ("16505551234",)


def test_what_was_written_on_the_phone_is_an_echo() -> None:
    echo = {"from": "15550783881", "to": "16505551234", "id": "wamid.E", "timestamp": "1749416387"}
    content = {"type": "text", "text": {"body": "from the phone"}}
    (fact,) = facts("smb_message_echoes", contacts=None, message_echoes=[echo | content])
    assert isinstance(fact, MessageReported)
    assert (fact.message.outbound, fact.message.text) == (True, "from the phone")
    assert (fact.message.contact.id, fact.message.contact.phone) == ("16505551234", "+16505551234")
    taken_back = {"type": "revoke", "revoke": {"original_message_id": "wamid.0"}}
    (gone,) = facts("smb_message_echoes", contacts=None, message_echoes=[echo | taken_back])
    assert isinstance(gone, MessageChanged)
    assert (gone.change, gone.reacted_by) == ("deleted", NUMBER)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("sent", MessageStatus.SENT),
        ("delivered", MessageStatus.DELIVERED),
        ("read", MessageStatus.READ),
        ("played", MessageStatus.READ),
    ],
)
def test_statuses_say_how_far_a_message_has_come(state: str, expected: MessageStatus) -> None:
    row = {"id": "wamid.O", "status": state, "timestamp": "1749416384", "biz_opaque_callback_data": "msg_1"}
    (fact,) = facts(contacts=None, statuses=[row | {"recipient_id": "16505551234"}])
    assert isinstance(fact, MessageProgressed)
    assert (fact.message_id, fact.status, fact.reference, fact.error) == ("wamid.O", expected, "msg_1", None)


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        (
            [{"code": 131047, "title": "T", "message": "Re-engagement message", "error_data": {"details": "24 hours"}}],
            "hours old. Send a template instead. (131047: Re-engagement message: 24 hours)",
        ),
        (
            [{"code": 131047, "message": "Re-engagement message", "error_data": {"details": "Re-engagement message."}}],
            "instead. (131047: Re-engagement message)",
        ),
        ([{"code": 131042, "message": "Billing", "error_data": "text"}], "(131042: Billing)"),
        ([{"code": 999_999}], "and gave no reason. (999999)"),
        ([{"code": "no number"}], "and gave no reason."),
        ("strange", "and gave no reason."),
    ],
)
def test_a_failure_that_comes_later_has_its_code_and_its_remedy(errors: Any, message: str) -> None:
    row = {"id": "wamid.O", "status": "failed", "timestamp": "1749416384", "errors": errors}
    (fact,) = facts(statuses=[row])
    assert isinstance(fact, MessageProgressed)
    assert fact.status is MessageStatus.FAILED
    assert fact.error is not None
    assert fact.error.endswith(message)


@pytest.mark.parametrize(
    "row", [{"id": "wamid.O", "status": "warming"}, {"status": "sent"}, {"id": 5, "status": "read"}]
)
def test_a_status_that_nobody_knows_is_left_alone(row: dict[str, Any]) -> None:
    (fact,) = facts(statuses=[row])
    assert isinstance(fact, UnhandledFact)
