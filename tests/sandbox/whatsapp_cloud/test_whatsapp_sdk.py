"""pywa, the best-kept client for Python, against the sandbox."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pywa.client import WhatsApp
from pywa.errors import ExpiredAccessToken, WhatsAppError
from pywa.types.account_update import AccountUpdate, AccountUpdateEvent
from pywa.types.callback import Button, CallbackButton, CallbackSelection, Section, SectionList, SectionRow
from pywa.types.message import DeletedMessage, EditedMessage, Message
from pywa.types.message_status import MessageStatus, MessageStatusType
from pywa.types.others import Contact, Industry
from pywa.types.templates import TemplateLanguage
from pywa.utils import webhook_updates_validator

from sandbox.whatsapp_cloud.calling import GRAPH, Whatsapp
from socialgate_sandbox.vendors.whatsapp_cloud.seed import (
    ADA_BUSINESS,
    ADA_TOKEN,
    ADA_WABA,
    AGENCY,
    BAKERY,
    BRAM_TOKEN,
    CATERING,
)
from support.waiting import eventually

DARIO = "4915550100101"


@pytest.fixture
def wa(whatsapp: Whatsapp) -> Iterator[WhatsApp]:
    yield from pywa_for(whatsapp, BAKERY, ADA_TOKEN)


def pywa_for(whatsapp: Whatsapp, number: str, token: str) -> Iterator[WhatsApp]:
    with httpx.Client(timeout=30) as session:
        client = WhatsApp(phone_id=number, token=token, waba_id=ADA_WABA, session=session)
        # The constructor points the session at the real host.
        session.base_url = f"{whatsapp.platform.url}/{GRAPH}"
        yield client


def test_numbers_and_accounts(wa: WhatsApp) -> None:
    number = wa.get_business_phone_number()
    assert (number.id, number.display_phone_number, number.platform_type) == (BAKERY, "+46 70 174 06 01", "CLOUD_API")
    assert [business_phone_number.id for business_phone_number in wa.get_business_phone_numbers()] == [BAKERY, CATERING]
    account = wa.get_business_account()
    assert (account.id, account.name) == (ADA_WABA, "Lindqvist Bakery AB")
    assert wa.api.get_owned_wabas(ADA_BUSINESS, ("id",))["data"][0]["id"] == ADA_WABA


def test_the_profile_is_read_and_written(wa: WhatsApp) -> None:
    assert wa.get_business_profile().industry == Industry.RESTAURANT
    wa.update_business_profile(about="Fresh bread", industry=Industry.GROCERY)
    profile = wa.get_business_profile()
    assert (profile.about, profile.industry) == ("Fresh bread", Industry.GROCERY)


def test_registering(whatsapp: Whatsapp) -> None:
    for client in pywa_for(whatsapp, AGENCY, BRAM_TOKEN):
        assert client.register_phone_number(pin="123456")
        with pytest.raises(WhatsAppError) as failed:
            client.register_phone_number(pin="111111")
        assert failed.value.code == 133005
        assert client.deregister_phone_number()


def test_webhook_addresses(whatsapp: Whatsapp, wa: WhatsApp) -> None:
    url = f"{whatsapp.platform.gateway.url}/hook"
    app: Any = whatsapp.platform.client_id
    token = wa.api.get_app_access_token(app, whatsapp.platform.secret)["access_token"]
    assert wa.api.set_app_callback_url(app, token, url, "v", ("messages", "account_update"))["success"]
    wa.api.delete_waba_alternate_callback_url(ADA_WABA)
    assert wa.api.set_waba_alternate_callback_url(ADA_WABA, f"{url}/waba", "v")["success"]
    assert wa.api.set_phone_alternate_callback_url(f"{url}/phone", "v", BAKERY)["success"]
    assert wa.api.get_waba_subscribed_apps(ADA_WABA)["data"][0]["override_callback_uri"] == f"{url}/waba"
    assert wa.get_business_phone_number().webhook_configuration == {
        "phone_number": f"{url}/phone",
        "whatsapp_business_account": f"{url}/waba",
        "application": url,
    }
    assert wa.api.delete_phone_alternate_callback_url(BAKERY)["success"]


def test_errors_become_the_clients_exceptions(whatsapp: Whatsapp, wa: WhatsApp) -> None:
    whatsapp.platform.act("revoke", account=ADA_WABA)
    with pytest.raises(ExpiredAccessToken) as failed:
        wa.get_business_phone_number()
    assert (failed.value.code, failed.value.subcode) == (190, 458)


def test_the_client_reads_what_is_sent_and_finds_it_signed(whatsapp: Whatsapp, wa: WhatsApp) -> None:
    whatsapp.subscribe()
    whatsapp.platform.act("revoke", account=BAKERY, how="app_uninstalled")
    request = whatsapp.platform.arrived()[0]
    signature = request.headers["x-hub-signature-256"]
    assert webhook_updates_validator(whatsapp.platform.secret, request.body, signature)
    assert not webhook_updates_validator("another", request.body, signature)
    update = AccountUpdate.from_update(wa, request.json)
    assert isinstance(update, AccountUpdate)
    assert update.event == AccountUpdateEvent.PARTNER_APP_UNINSTALLED
    assert update.waba_info is not None
    assert update.waba_info.id == ADA_WABA


def test_messages_media_and_templates(whatsapp: Whatsapp, wa: WhatsApp) -> None:
    whatsapp.subscribe()
    whatsapp.platform.act("message", account=BAKERY, text="Hello")
    sent = wa.send_message(to=DARIO, text="Hello", tracker="our-1")
    assert sent.id.startswith("wamid.")
    stored = wa.upload_media(media=b"\xff\xd8\xff" + bytes(100), mime_type="image/jpeg", filename="a.jpg")
    wa.send_image(to=DARIO, image=stored, caption="Bun")
    wa.send_reaction(to=DARIO, emoji="👍", message_id=sent.id)
    wa.send_location(to=DARIO, latitude=59.3, longitude=18.0)
    assert wa.get_media_url(stored.id).file_size == 103
    kinds = [line["kind"] for line in whatsapp.platform.act("chats", account=BAKERY)["data"]]
    assert kinds == ["location", "reaction", "image", "text", "text"]
    assert {template.name for template in wa.get_templates()} == {"hello_world", "order_ready"}


def test_the_client_sends_every_kind_of_message(whatsapp: Whatsapp, wa: WhatsApp) -> None:
    whatsapp.subscribe()
    request = whatsapp.platform.act("message", account=BAKERY, text="Hello")["messageId"]
    files = {
        "video": (b"\0\0\0\x18ftypmp42" + bytes(50), "video/mp4"),
        "audio": (b"ID3" + bytes(50), "audio/mpeg"),
        "document": (b"%PDF-1.4\n" + bytes(50), "application/pdf"),
        "sticker": (b"RIFF\0\0\0\0WEBP" + bytes(50), "image/webp"),
    }
    stored = {kind: wa.upload_media(media=data, mime_type=mime, filename=kind) for kind, (data, mime) in files.items()}
    wa.send_video(to=DARIO, video=stored["video"], caption="Oven")
    wa.send_audio(to=DARIO, audio=stored["audio"])
    wa.send_document(to=DARIO, document=stored["document"], filename="menu.pdf")
    wa.send_sticker(to=DARIO, sticker=stored["sticker"])
    grandma = Contact(name=Contact.Name(formatted_name="Grandma", first_name="Grandma"))
    wa.send_contact(to=DARIO, contact=grandma)
    wa.send_message(to=DARIO, text="Open?", buttons=[Button("Yes", "yes")], reply_to_message_id=request)
    rows = [SectionRow("Bun", "bun"), SectionRow("Roll", "roll")]
    wa.send_message(to=DARIO, text="What?", buttons=SectionList("Menu", [Section("Bread", rows)]))
    template = wa.send_template(to=DARIO, name="hello_world", language=TemplateLanguage.ENGLISH_US, params=[])
    assert template.id.startswith("wamid.")
    assert wa.mark_message_as_read(message_id=request)
    lines = whatsapp.platform.act("chats", account=BAKERY)["data"]
    kinds = [line["kind"] for line in lines if line["direction"] == "outbound"]
    assert kinds == [
        "template", "interactive", "interactive", "contacts", "sticker", "document", "audio", "video"
    ]  # fmt: skip
    assert "read" in next(line["statuses"] for line in lines if line["id"] == request)


def test_the_client_reads_what_people_press(whatsapp: Whatsapp, wa: WhatsApp) -> None:
    whatsapp.subscribe()
    act = whatsapp.platform.act
    act("message", account=BAKERY, text="Hello")
    request = wa.send_message(to=DARIO, text="Open?", buttons=[Button("Yes", "yes")]).id
    menu = SectionList("Menu", [Section("Bread", [SectionRow("Bun", "bun")])])
    listed = wa.send_message(to=DARIO, text="What?", buttons=menu).id
    act("press", account=BAKERY, messageId=request, button="Yes")
    act("press", account=BAKERY, messageId=listed, button="Bun")

    def answers() -> list[Any]:
        bodies = [received_webhook.json for received_webhook in whatsapp.platform.arrived(4)]
        return [body for body in bodies if "interactive" in str(body)]

    pressed, chosen = eventually(lambda: received if len(received := answers()) == 2 else None)
    button, selection = CallbackButton.from_update(wa, pressed), CallbackSelection.from_update(wa, chosen)
    assert (button.data, button.title, button.from_user.wa_id) == ("yes", "Yes", DARIO)
    assert (selection.data, selection.title) == ("bun", "Bun")


def test_the_client_reads_messages_and_statuses(whatsapp: Whatsapp, wa: WhatsApp) -> None:
    whatsapp.subscribe()
    whatsapp.platform.act("message", account=BAKERY, text="Hej")
    wa.send_message(to=DARIO, text="Hello", tracker="our-1")
    whatsapp.platform.pass_time(5)
    first, *others = whatsapp.platform.arrived(4)
    message = Message.from_update(wa, first.json)
    assert isinstance(message, Message)
    assert (message.text, message.from_user.wa_id, message.from_user.name) == ("Hej", DARIO, "Dario Weiss")
    statuses = [MessageStatus.from_update(wa, other.json) for other in others]
    assert [status.status for status in statuses] == [
        MessageStatusType.SENT,
        MessageStatusType.DELIVERED,
        MessageStatusType.READ,
    ]
    assert all(status.tracker == "our-1" for status in statuses)


def test_the_client_reads_what_becomes_of_a_message(whatsapp: Whatsapp, wa: WhatsApp) -> None:
    whatsapp.subscribe()
    act = whatsapp.platform.act
    key = act("message", account=BAKERY, text="Tow")["messageId"]
    act("edit", account=BAKERY, messageId=key, text="Two")
    act("delete", account=BAKERY, messageId=key)
    _, edited, deleted = (request.json for request in whatsapp.platform.arrived(3))
    change = EditedMessage.from_update(wa, edited)
    assert (change.original_message_id, change.message.text) == (key, "Two")
    assert DeletedMessage.from_update(wa, deleted).original_message_id == key


def test_people_are_blocked_and_let_in_again(whatsapp: Whatsapp, wa: WhatsApp) -> None:
    refused = wa.block_users([DARIO])
    assert (refused.added_users, len(refused.failed_users)) == ((), 1)
    whatsapp.platform.act("message", account=BAKERY, text="Hello")
    assert [user.wa_id for user in wa.block_users([f"+{DARIO}"]).added_users] == [DARIO]
    assert [user.wa_id for user in wa.get_blocked_users()] == [DARIO]
    order = {"platform": "whatsapp-cloud", "account": BAKERY, "text": "Hello?"}
    assert whatsapp.platform.running.client.post("/_control/message", json=order).status_code == 409
    assert [user.wa_id for user in wa.unblock_users([DARIO]).removed_users] == [DARIO]
    assert list(wa.get_blocked_users()) == []
    assert whatsapp.platform.act("message", account=BAKERY, text="Hello again")["messageId"]
