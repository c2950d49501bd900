"""The clients that others published: the one on npm for everything, the one on PyPI where its paths are right."""

import subprocess
from pathlib import Path

import httpx
import msgspec
import pytest
from wasenderapi.errors import WasenderAPIError  # type: ignore[import-untyped, unused-ignore]  # ships no types
from wasenderapi.models import (  # type: ignore[import-untyped, unused-ignore]  # ships no types
    LocationPinMessage,
    LocationPinPayload,
)
from wasenderapi.sessions import (  # type: ignore[import-untyped, unused-ignore]  # ships no types
    CreateWhatsAppSessionPayload,
)

from sandbox.wasender.client import EVENTS, PAT, WaSender
from socialgate_sandbox.vendors.wasender.people import PHONES_BY_PERSON
from support.node import NODE, npm_packages

TO = f"+{PHONES_BY_PERSON['dario']}"


def test_the_client_on_npm(wasender: WaSender) -> None:
    # A module finds its packages beside itself.
    script = npm_packages() / "wasender-sdk.mjs"
    script.write_bytes((Path(__file__).parent / "sdk.mjs").read_bytes())
    control = f"{wasender.running.url}/_control"
    done = subprocess.run(
        [NODE, str(script), wasender.url, PAT, wasender.hook, control],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = msgspec.json.decode(done.stdout)
    assert [item["id"] for item in seen["list"]] == [seen["made"]["id"]]
    assert seen["updated"]["name"] == "Other"
    assert (seen["connect"]["status"], seen["qr"]["qrCode"]) == ("NEED_SCAN", seen["connect"]["qrCode"])
    assert seen["status"] == {"status": "connected"}
    assert seen["limit"]["limit"] == 256
    assert seen["image"]["status"] == seen["reply"]["status"] == seen["location"]["status"] == "in_progress"
    assert (seen["info"]["msgId"], seen["info"]["status"]) == (seen["text"]["msgId"], 2)
    assert (seen["edited"], seen["deleted"], seen["blocked"]) == (True, True, True)
    assert seen["presence"]["type"] == "composing"
    assert seen["exists"] == {"exists": True}
    assert (seen["contacts"], seen["participants"], seen["subject"]) == (3, 3, "Bakery regulars")
    assert (seen["event"], seen["decrypted"]) == ("messages.received", 200)
    assert seen["wrongToken"]["status"] == seen["oldKey"]["status"] == 401
    assert (seen["invalid"]["status"], seen["forged"]["status"]) == (422, 401)
    assert len(seen["newKey"]) == 64
    assert (seen["disconnected"], seen["gone"]) == ("disconnected", None)


def test_the_client_on_pypi(wasender: WaSender) -> None:
    created = wasender.linked()
    client = wasender.client(created["api_key"], secret=created["webhook_secret"])
    sent = client.send_text(TO, "hello")
    assert (sent.response.data.jid, sent.response.data.status) == (TO, "in_progress")
    assert sent.rate_limit.limit == 256
    number = sent.response.data.message_id
    assert client.get_message_info(number).response.data["msgId"] == number
    assert client.edit_message(number, "changed").response.success
    assert client.delete_message(number).response.success
    uploaded = client.upload_media_file(file_bytes=b"%PDF-1.4", filename="menu.pdf", mimetype_hint="application/pdf")
    assert uploaded.response.success
    assert client.send_contact(TO, "Ada", "+15550100").response.success
    assert client.get_session_user_info().response.data["id"] == "15550100101@s.whatsapp.net"
    assert client.get_groups().response.data[0].name == "Bakery regulars"
    assert client.disconnect_whatsapp_session(created["id"]).response.data.status == "disconnected"
    with pytest.raises(WasenderAPIError) as refused:
        client.send_text(TO, "hello")
    assert refused.value.status_code == 400


def test_the_client_on_pypi_sends_null_for_what_is_not_set(wasender: WaSender) -> None:
    bare = CreateWhatsAppSessionPayload(
        name="Bakery", phone_number="+15550100101", account_protection=False, log_messages=True
    )
    sent = bare.model_dump(by_alias=True)
    assert None in sent.values()
    created = wasender.call("POST", "whatsapp-sessions", json=sent)
    assert (created["name"], created["webhook_enabled"], created["webhook_url"]) == ("Bakery", False, None)
    hooked = {"webhook_url": wasender.hook, "webhook_events": None, "name": None}
    changed = wasender.call("PUT", f"whatsapp-sessions/{created['id']}", json=hooked)
    assert (changed["name"], changed["webhook_url"]) == ("Bakery", wasender.hook)
    assert wasender.call("PUT", f"whatsapp-sessions/{created['id']}", json={"webhook_url": None})["webhook_url"] is None
    assert wasender.refused("POST", "whatsapp-sessions", json=wasender.fields(name=None))[0] == 422


def test_the_client_on_pypi_reads_sessions(wasender: WaSender) -> None:
    # It misspells the name of one event, so it cannot read a session that subscribed to that.
    created = wasender.linked(webhook_events=[event for event in EVENTS if event != "messages.received"])
    client = wasender.client(created["api_key"])
    read = client.get_whatsapp_session_details(created["id"]).response.data
    assert (read.id, read.status.value, read.api_key) == (created["id"], "connected", created["api_key"])
    assert (read.session_data, read.user_id > 0, read.last_active_at >= read.created_at) == ({}, True, True)
    # Also one that was never linked to a phone.
    fields = wasender.fields(phone_number="+15550100102", webhook_events=["messages.upsert"])
    new = client.create_whatsapp_session(CreateWhatsAppSessionPayload(**fields)).response.data
    assert (new.user_id, new.last_active_at) == (read.user_id, new.created_at)


def test_the_client_on_pypi_sends_messages_with_gaps_polls_and_mentions(wasender: WaSender) -> None:
    created = wasender.linked()
    client = wasender.client(created["api_key"])
    place = LocationPinPayload(latitude=59.3, longitude=18.0)
    assert client.send(LocationPinMessage(to=TO, location=place)).response.success
    polled = client.send_poll(TO, "Which?", ["Rye", "Oat"]).response.data.message_id
    [group] = client.get_groups().response.data
    named = client.send_message_with_mentions(group.id, "Hi @you", ["15550200001@s.whatsapp.net"]).response.data
    seen = [
        wasender.call("GET", f"messages/{number}/info", created["api_key"])["message"]
        for number in (polled, named.message_id)
    ]
    assert seen[0]["pollCreationMessage"]["options"] == [{"optionName": "Rye"}, {"optionName": "Oat"}]
    assert seen[1]["extendedTextMessage"]["contextInfo"]["mentionedJid"] == ["15550200001@s.whatsapp.net"]


def test_the_client_on_pypi_sends_every_kind_of_message(wasender: WaSender) -> None:
    created = wasender.linked()
    client = wasender.client(created["api_key"], secret=created["webhook_secret"])
    files = {
        "image": (b"\x89PNG\r\n\x1a\n", "image/png"),
        "video": (b"\0\0\0\x18ftypmp42", "video/mp4"),
        "audio": (b"ID3", "audio/mpeg"),
        "document": (b"%PDF-1.4", "application/pdf"),
        "sticker": (b"RIFF\0\0\0\0WEBP", "image/webp"),
    }
    urls = {}
    for kind, (data, mime) in files.items():
        # The client uploads too, and keeps the address of the file to itself.
        headers = {"authorization": f"Bearer {created['api_key']}", "content-type": mime}
        stored = httpx.post(f"{wasender.url}/upload", content=data + bytes(50), headers=headers, timeout=30)
        urls[kind] = stored.json()["publicUrl"]
    results = [
        client.send_image(TO, urls["image"], caption="Bun"),
        client.send_video(TO, urls["video"]),
        client.send_audio(TO, urls["audio"]),
        client.send_document(TO, urls["document"], filename="menu.pdf"),
        client.send_sticker(TO, urls["sticker"]),
        client.send_location(TO, 52.5, 13.4, name="Shop"),
    ]
    assert [result.response.data.status for result in results] == ["in_progress"] * len(results)
    shown = wasender.act("feed", account=str(created["id"]))["data"]
    kinds = ["location", "sticker", "document", "audio", "video", "image"]
    assert [[name.removesuffix("Message") for name in item["content"]] for item in shown] == [[kind] for kind in kinds]


def test_the_client_on_pypi_understands_the_webhooks(wasender: WaSender) -> None:
    created = wasender.linked()
    client = wasender.client(created["api_key"], secret=created["webhook_secret"])
    client.send_text(TO, "hello")
    wasender.act("message", account=str(created["id"]), text="hi")
    events = [
        client.handle_webhook_event(received_webhook.body, received_webhook.headers["x-webhook-signature"]).event
        for received_webhook in wasender.gateway.wait_for(3)
    ]
    assert [str(getattr(event, "value", event)) for event in events] == [
        "message.sent",
        "messages.update",
        "messages.received",
    ]
    with pytest.raises(WasenderAPIError):
        client.handle_webhook_event(b"{}", "forged")
