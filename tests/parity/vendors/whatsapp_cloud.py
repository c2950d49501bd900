"""WhatsApp Cloud API, compared with pywa and facebook-business."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import httpx
from pywa.client import WhatsApp
from pywa.types.callback import Button as Reply
from pywa.types.callback import Section, SectionList, SectionRow, URLButton
from pywa.types.others import Contact

from parity.comparing import names
from parity.operations import APP, CALLBACK, IMAGE, NOW, TOKEN, VIDEO, Operation, Vendor, account, media
from parity.recording import SDK, Recorder
from parity.vendors.meta_sdk import Waba, api
from socialgate.connectors.whatsapp_cloud import api as cloud_api
from socialgate.connectors.whatsapp_cloud import build_connector, templates
from socialgate.contracts.account_connection import ACCOUNT_HEALTH_CAPABILITY, ACCOUNT_PROFILE_CAPABILITY
from socialgate.contracts.messages import MESSAGES_CAPABILITY, AttachmentItem, MessageType, NewMessage, ReplyButton
from socialgate.contracts.platforms import Kind
from socialgate.contracts.templates import TEMPLATES_CAPABILITY

PHONE, WABA, DARIO, MEDIA_ID = "1100000001", "1200000001", "+4915550100101", "1300000001"
NUMBER = account(Kind.WHATSAPP_CLOUD, PHONE, secret={"app_secret": APP.secret}, extra={"waba_id": WABA}, subject=WABA)
PDF, OGG, STICKER = (
    media("document", "application/pdf"),
    media("audio", "audio/mpeg"),
    media("image", "image/webp"),
)
FORM = {"phoneNumberId": PHONE, "wabaId": WABA, "accessToken": TOKEN, "appSecret": APP.secret, "pin": "123456"}
OFF = {rf"GET .*/{PHONE}$": {"id": PHONE, "platform_type": "NOT_APPLICABLE"}}


class Sdks(NamedTuple):
    """Meta's own SDK has what pywa lacks."""

    wa: WhatsApp
    graph: Any


@contextmanager
def sdks(recorder: Recorder) -> Iterator[Sdks]:
    session = httpx.Client(timeout=30)
    client = WhatsApp(phone_id=PHONE, token=TOKEN, waba_id=WABA, session=session, api_version=26.0)
    # The constructor points the session at the real host.
    session.base_url = f"{recorder.base(SDK, 'graph.facebook.com')}/v26.0"
    with session, api(recorder) as graph:
        yield Sdks(client, graph)


def send(kind: MessageType, **subject: Any) -> Any:
    new = NewMessage(to=DARIO[1:], phone=DARIO, type=kind, reference="msg_1", asked_at=NOW, **subject)
    return lambda ours: ours.find_adapter(Kind.WHATSAPP_CLOUD, MESSAGES_CAPABILITY).send(NUMBER, new)


def field_names(fields: str) -> tuple[str, ...]:
    return tuple(names(fields))


HOW: dict[str, Any] = {"to": DARIO, "tracker": "msg_1"}
GRANDMA = Contact(
    name=Contact.Name(formatted_name="Grandma Duck", first_name="Grandma", last_name="Duck"),
    phones=[Contact.Phone(phone="+15550100")],
)
MENU = SectionList("Menu", [Section("Bread", [SectionRow("Bun", "bun", "Warm")])])
LISTED = {
    "body": "What?",
    "button": "Menu",
    "sections": [{"title": "Bread", "rows": [{"id": "bun", "title": "Bun", "description": "Warm"}]}],
}

OPERATIONS = [
    Operation(
        "send a text",
        lambda sdk: sdk.wa.send_message(text="See https://bakery.example.com", preview_url=True, **HOW),
        send(MessageType.TEXT, text="See https://bakery.example.com"),
    ),
    Operation(
        "reply to a message",
        lambda sdk: sdk.wa.send_message(text="Yes", reply_to_message_id="wamid.1", **HOW),
        send(MessageType.TEXT, text="Yes", reply_to="wamid.1"),
    ),
    Operation(
        "send an image",
        lambda sdk: sdk.wa.send_image(image=IMAGE.url, caption="Bun", **HOW),
        send(MessageType.IMAGE, media=IMAGE, text="Bun"),
    ),
    Operation(
        "send a video",
        lambda sdk: sdk.wa.send_video(video=VIDEO.url, **HOW),
        send(MessageType.VIDEO, media=VIDEO),
    ),
    Operation(
        "send a sound",
        lambda sdk: sdk.wa.send_audio(audio=OGG.url, **HOW),
        send(MessageType.AUDIO, media=OGG),
    ),
    Operation(
        "send a document",
        lambda sdk: sdk.wa.send_document(document=PDF.url, filename=PDF.file_name, caption="Menu", **HOW),
        send(MessageType.DOCUMENT, media=PDF, text="Menu"),
    ),
    Operation(
        "send a sticker",
        lambda sdk: sdk.wa.send_sticker(sticker=STICKER.url, **HOW),
        send(MessageType.STICKER, media=STICKER),
    ),
    Operation(
        "send a place",
        lambda sdk: sdk.wa.send_location(latitude=59.3, longitude=18.0, name="Bakery", address="Street 1", **HOW),
        send(MessageType.LOCATION, data={"latitude": 59.3, "longitude": 18.0, "name": "Bakery", "address": "Street 1"}),
    ),
    Operation(
        "send a contact",
        lambda sdk: sdk.wa.send_contact(contact=GRANDMA, **HOW),
        send(MessageType.CONTACTS, data={"contacts": [{"name": "Grandma Duck", "phones": ["+15550100"]}]}),
    ),
    Operation(
        "send buttons",
        lambda sdk: sdk.wa.send_message(text="Open?", buttons=[Reply("Yes", "yes"), Reply("No", "no")], **HOW),
        send(
            MessageType.TEXT,
            text="Open?",
            quick_replies=(ReplyButton(title="Yes", id="yes"), ReplyButton(title="No", id="no")),
        ),
    ),
    Operation(
        "send buttons below an image",
        lambda sdk: sdk.wa.send_image(image=IMAGE.url, caption="Open?", buttons=[Reply("Yes", "yes")], **HOW),
        send(MessageType.IMAGE, media=IMAGE, text="Open?", quick_replies=(ReplyButton(title="Yes", id="yes"),)),
    ),
    Operation(
        "send a link as a button",
        lambda sdk: sdk.wa.send_message(text="Come", buttons=URLButton("Visit", "https://bakery.example.com"), **HOW),
        send(MessageType.TEXT, text="Come", buttons=(ReplyButton(title="Visit", url="https://bakery.example.com"),)),
    ),
    Operation(
        "send a list",
        lambda sdk: sdk.wa.send_message(text="What?", buttons=MENU, header="Today", footer="Until five", **HOW),
        send(MessageType.INTERACTIVE, data={**LISTED, "header": "Today", "footer": "Until five"}),
    ),
    Operation(
        "react to a message",
        lambda sdk: sdk.wa.send_reaction(emoji="👍", message_id="wamid.1", **HOW),
        send(MessageType.REACTION, data={"msgId": "wamid.1", "emoji": "👍"}),
    ),
    Operation(
        "send a template",
        lambda sdk: sdk.wa.api.send_message(
            sender=PHONE,
            to=DARIO,
            recipient=None,
            recipient_type="individual",
            typ="template",
            msg={"name": "hello_world", "language": {"code": "en_US"}, "components": []},
            biz_opaque_callback_data="msg_1",
        ),
        send(MessageType.TEMPLATE, data={"name": "hello_world", "language": "en_US", "components": []}),
    ),
    Operation(
        "mark a message as read",
        lambda sdk: sdk.wa.mark_message_as_read(message_id="wamid.1"),
        lambda ours: ours.find_adapter(Kind.WHATSAPP_CLOUD, MESSAGES_CAPABILITY).mark_read(NUMBER, DARIO, "wamid.1"),
    ),
    Operation(
        "find a file",
        lambda sdk: sdk.wa.api.get_media_url(MEDIA_ID),
        lambda ours: ours.find_adapter(Kind.WHATSAPP_CLOUD, MESSAGES_CAPABILITY).get_download_location(
            NUMBER, AttachmentItem(type="image", source={"id": MEDIA_ID})
        ),
    ),
    Operation(
        "list templates",
        lambda sdk: sdk.wa.api.get_templates(
            WABA, fields=field_names(templates._TEMPLATE_FIELDS), pagination={"limit": 25}
        ),
        lambda ours: ours.find_adapter(Kind.WHATSAPP_CLOUD, TEMPLATES_CAPABILITY).list(NUMBER, None, 25, None),
    ),
    Operation(
        "find templates by name",
        lambda sdk: sdk.wa.api.get_templates(
            WABA, fields=field_names(templates._TEMPLATE_FIELDS), filters={"name": "hello"}, pagination={"limit": 25}
        ),
        lambda ours: ours.find_adapter(Kind.WHATSAPP_CLOUD, TEMPLATES_CAPABILITY).list(NUMBER, "hello", 25, None),
    ),
    Operation(
        "read a number",
        lambda sdk: sdk.wa.api.get_business_phone_number(PHONE, fields=field_names(cloud_api._NUMBER_FIELDS)),
        lambda ours: ours.find_adapter(Kind.WHATSAPP_CLOUD, ACCOUNT_HEALTH_CAPABILITY).check(NUMBER),
    ),
    Operation(
        "list the numbers of an account",
        lambda sdk: sdk.wa.api.get_business_phone_numbers(WABA, fields=("id",), pagination={"limit": "100"}),
        lambda ours: ours.credential_login.verify(FORM),
    ),
    Operation(
        "read the profile of a number",
        lambda sdk: sdk.wa.api.get_business_profile(PHONE, fields=field_names(cloud_api._PROFILE_FIELDS)),
        lambda ours: ours.find_adapter(Kind.WHATSAPP_CLOUD, ACCOUNT_PROFILE_CAPABILITY).fetch_profile(NUMBER),
    ),
    Operation(
        "register a number",
        lambda sdk: sdk.wa.api.register_phone_number(PHONE, pin="123456"),
        lambda ours: ours.credential_login.verify(FORM),
        answers=OFF,
    ),
    Operation(
        "subscribe to an account",
        # The same call takes an address back.
        lambda sdk: sdk.wa.api.delete_waba_alternate_callback_url(WABA),
        lambda ours: ours.webhook_subscriber.subscribe(NUMBER, CALLBACK),
        first=True,
    ),
    Operation(
        "set the address of webhooks",
        lambda sdk: sdk.wa.api.set_waba_alternate_callback_url(WABA, CALLBACK.url, CALLBACK.verify_token),
        lambda ours: ours.webhook_subscriber.subscribe(NUMBER, CALLBACK),
    ),
    Operation(
        "unsubscribe from an account",
        lambda sdk: Waba(WABA, api=sdk.graph).delete_subscribed_apps(),
        lambda ours: ours.webhook_subscriber.unsubscribe(NUMBER),
    ),
]


VENDOR = Vendor(
    name="whatsapp-cloud",
    sdk=sdks,
    ours=lambda wire: build_connector(APP, wire),
    operations=OPERATIONS,
    answers={
        r"POST .*/messages": {
            "messaging_product": "whatsapp",
            "success": True,
            "contacts": [{"input": DARIO, "wa_id": DARIO[1:]}],
            "messages": [{"id": "wamid.9"}],
        },
        rf"GET .*/{MEDIA_ID}": {"url": "https://lookaside.fbsbx.com/file", "id": MEDIA_ID},
        r"GET .*/phone_numbers": {"data": [{"id": PHONE}]},
        r"GET .*/whatsapp_business_profile": {"data": [{"about": "Bread"}]},
        rf"GET .*/{PHONE}$": {"id": PHONE, "display_phone_number": "+46 70 174 06 01"},
        r"GET .*/debug_token": {"data": {"is_valid": True, "scopes": []}},
        r"GET ": {"data": []},
        r"(?:POST|DELETE) ": {"success": True},
    },
)
