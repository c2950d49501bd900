"""WaSender, compared with the client that it names on PyPI."""

from contextlib import nullcontext
from typing import Any

from wasenderapi import create_sync_wasender  # type: ignore[import-untyped, unused-ignore]  # ships no types
from wasenderapi.sessions import (  # type: ignore[import-untyped, unused-ignore]  # ships no types
    CreateWhatsAppSessionPayload,
)

from parity.operations import (
    CALLBACK,
    IMAGE,
    NOW,
    TOKEN,
    VIDEO,
    Operation,
    Vendor,
    Walk,
    account,
    ignore_refusal,
    media,
)
from parity.recording import SDK, Recorder
from socialgate.connectors.transport import PlatformApp
from socialgate.connectors.wasender import build_connector
from socialgate.connectors.wasender.api import WEBHOOK_EVENTS
from socialgate.contracts.account_connection import ACCOUNT_HEALTH_CAPABILITY, ACCOUNT_PROFILE_CAPABILITY
from socialgate.contracts.messages import MESSAGES_CAPABILITY, AttachmentItem, MessageType, NewMessage
from socialgate.contracts.platforms import Kind

HOST, SESSION, PAT, TO, KIND = "www.wasenderapi.com", "10001", "personal-token", "+4915550100101", Kind.WHATSAPP_QR
NUMBER = account(KIND, "+15550100101", extra={"session": SESSION, "pat": PAT}, subject=SESSION)
PDF, MP3, STICKER = (
    media("document", "application/pdf"),
    media("audio", "audio/mpeg"),
    media("image", "image/webp"),
)
FORM = {"name": "Bakery", "phoneNumber": "+15550100101", "accessToken": PAT}
FILE = {"url": "https://mmg.whatsapp.net/1", "mimetype": "image/jpeg", "mediaKey": "a2V5"}
GAP = {r"GET .*/whatsapp-sessions/10001$": {"success": True, "data": {"id": 10001, "status": "disconnected"}}}
_SESSION = {
    "id": 10001,
    "name": "Bakery",
    "phone_number": "+15550100101",
    "status": "need_scan",
    "account_protection": True,
    "log_messages": True,
    "webhook_url": CALLBACK.url,
    "webhook_enabled": True,
    "webhook_events": list(WEBHOOK_EVENTS),
    "api_key": TOKEN,
    "webhook_secret": "s",
    "user_id": 1,
    "session_data": None,
    "last_active_at": "2026-11-02T09:00:00.000000Z",
    "created_at": "2026-11-02T09:00:00.000000Z",
    "updated_at": "2026-11-02T09:00:00.000000Z",
}


def sdk(recorder: Recorder) -> Any:
    base = f"{recorder.base(SDK, HOST)}/api"
    return nullcontext(create_sync_wasender(TOKEN, base_url=base, personal_access_token=PAT, retry_options=None))


def send(kind: MessageType, **subject: Any) -> Any:
    new = NewMessage(to=TO, phone=TO, type=kind, reference="msg_1", asked_at=NOW, **subject)
    return lambda ours: ours.find_adapter(KIND, MESSAGES_CAPABILITY).send(NUMBER, new)


def new_session() -> Any:
    return CreateWhatsAppSessionPayload(
        name="Bakery",
        phone_number="+15550100101",
        account_protection=True,
        log_messages=True,
        webhook_url=CALLBACK.url,
        webhook_enabled=True,
        # The client knows the first one only with an error in its spelling.
        webhook_events=["messages.recieved", *WEBHOOK_EVENTS[1:]],
    )


def ignore_answer(call: Any) -> Any:
    """Make a call whose answer the client cannot read: it asks for fields that WaSender does not send."""

    def call_sdk(sdk: Any) -> None:
        try:
            call(sdk)
        except (ValueError, TypeError, KeyError):
            return

    return call_sdk


def begin_pairing(ours: Any) -> Any:
    return ours.qr_pairing.begin_pairing(FORM, CALLBACK)


OPERATIONS = [
    Operation("list sessions", ignore_answer(lambda sdk: sdk.get_all_whatsapp_sessions()), begin_pairing),
    Operation("create a session", ignore_answer(lambda sdk: sdk.create_whatsapp_session(new_session())), begin_pairing),
    Operation(
        "read a session",
        ignore_answer(lambda sdk: sdk.get_whatsapp_session_details(10001)),
        lambda ours: ours.find_adapter(KIND, ACCOUNT_PROFILE_CAPABILITY).fetch_profile(NUMBER),
    ),
    Operation(
        "connect a session",
        ignore_answer(lambda sdk: sdk.connect_whatsapp_session(10001)),
        lambda ours: ours.qr_pairing.get_state(NUMBER),
        answers=GAP,
    ),
    Operation(
        "read the code of a session",
        ignore_answer(lambda sdk: sdk.get_whatsapp_session_qr_code(10001)),
        lambda ours: ours.qr_pairing.get_state(NUMBER),
    ),
    Operation(
        "disconnect a session",
        ignore_answer(lambda sdk: sdk.disconnect_whatsapp_session(10001)),
        lambda ours: ours.grant_revoker.revoke(NUMBER, is_last_account=True),
    ),
    Operation(
        "delete a session",
        ignore_answer(lambda sdk: sdk.delete_whatsapp_session(10001)),
        lambda ours: ours.grant_revoker.revoke(NUMBER, is_last_account=True),
    ),
    Operation(
        "read the status of a session",
        ignore_answer(lambda sdk: sdk.get_session_status("10001")),
        lambda ours: ours.find_adapter(KIND, ACCOUNT_HEALTH_CAPABILITY).check(NUMBER),
    ),
    Operation("send a text", lambda sdk: sdk.send_text(TO, "Hello"), send(MessageType.TEXT, text="Hello")),
    Operation(
        "reply to a message",
        lambda sdk: sdk.send_quoted_message(TO, 5, text="Yes"),
        send(MessageType.TEXT, text="Yes", reply_to="5"),
    ),
    Operation(
        "send an image",
        lambda sdk: sdk.send_image(TO, IMAGE.url, caption="Bun"),
        send(MessageType.IMAGE, media=IMAGE, text="Bun"),
    ),
    Operation("send a video", lambda sdk: sdk.send_video(TO, VIDEO.url), send(MessageType.VIDEO, media=VIDEO)),
    Operation("send a sound", lambda sdk: sdk.send_audio(TO, MP3.url), send(MessageType.AUDIO, media=MP3)),
    Operation(
        "send a document",
        lambda sdk: sdk.send_document(TO, PDF.url, filename=PDF.file_name),
        send(MessageType.DOCUMENT, media=PDF),
    ),
    Operation(
        "send a sticker", lambda sdk: sdk.send_sticker(TO, STICKER.url), send(MessageType.STICKER, media=STICKER)
    ),
    Operation(
        "send a place",
        lambda sdk: sdk.send_location(TO, 59.3, 18.0, name="Bakery", address="Street 1"),
        send(MessageType.LOCATION, data={"latitude": 59.3, "longitude": 18.0, "name": "Bakery", "address": "Street 1"}),
    ),
    Operation(
        "send a contact",
        lambda sdk: sdk.send_contact(TO, "Grandma", "+15550100"),
        send(MessageType.CONTACTS, data={"contacts": [{"name": "Grandma", "phones": ["+15550100"]}]}),
    ),
    Operation(
        "read what became of a message",
        ignore_answer(lambda sdk: sdk.get_message_info(10009)),
        send(MessageType.TEXT, text="Hello"),
    ),
    Operation(
        "decrypt a file",
        ignore_answer(
            lambda sdk: sdk.decrypt_media_file(
                {"data": {"messages": {"key": {"id": "A1"}, "message": {"imageMessage": FILE}}}}
            )
        ),
        lambda ours: ours.find_adapter(KIND, MESSAGES_CAPABILITY).get_download_location(
            NUMBER, AttachmentItem(type="image", source={"id": "A1", "member": "imageMessage", "file": FILE})
        ),
    ),
]


WALKS = [
    Walk(
        "mark a message as read",
        lambda ours: ours.find_adapter(KIND, MESSAGES_CAPABILITY).mark_read(NUMBER, TO, "A1"),
    ),
    Walk(
        "remove a session without a key",
        lambda ours: ignore_refusal(ours.qr_pairing.begin_pairing(FORM, CALLBACK)),
        answers={
            r"GET .*/whatsapp-sessions$": {"success": True, "data": []},
            r"/whatsapp-sessions": {"success": True, "data": {"id": 10001}},
        },
    ),
    Walk("find a session", lambda ours: ours.qr_pairing.find_connection(FORM, CALLBACK)),
]

VENDOR = Vendor(
    name="wasender",
    sdk=sdk,
    ours=lambda wire: build_connector(PlatformApp(), wire),
    operations=OPERATIONS,
    walks=WALKS,
    host=HOST,
    answers={
        r"GET .*/whatsapp-sessions$": {"success": True, "data": [_SESSION]},
        r"/whatsapp-sessions/10001/(?:connect|qrcode|disconnect)$": {
            "success": True,
            "data": {"status": "NEED_SCAN", "qrCode": "2@abc"},
        },
        r"/whatsapp-sessions": {"success": True, "data": _SESSION},
        r"GET .*/status": {"status": "connected"},
        r"POST .*/send-message": {"success": True, "data": {"msgId": 10009, "jid": TO, "status": "in_progress"}},
        r"GET .*/info": {"success": True, "data": {"key": {"id": "A9"}}},
        r"POST .*/decrypt-media": {
            "success": True,
            "publicUrl": "https://x.test/1",
            "data": {"publicUrl": "https://x.test/1"},
        },
        r"": {"success": True, "data": {}},
    },
)
