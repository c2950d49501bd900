"""Sending, files, contacts, and what others write."""

import hashlib
from base64 import b64encode
from typing import Any

import httpx
import pytest

from sandbox.wasender.client import WaSender
from socialgate_sandbox.vendors.wasender.people import GROUP_JID, LIDS_BY_PERSON, PHONES_BY_PERSON

PNG = b"\x89PNG\r\n\x1a\n and more"
DARIO = f"+{PHONES_BY_PERSON['dario']}"
DARIO_JID = f"{PHONES_BY_PERSON['dario']}@s.whatsapp.net"


def send(wasender: WaSender, created: dict[str, Any], **fields: Any) -> int:
    data = wasender.call("POST", "send-message", created["api_key"], json={"to": DARIO, **fields})
    assert (data["jid"], data["status"]) == (fields.get("to", DARIO), "in_progress")
    return int(data["msgId"])


def info(wasender: WaSender, created: dict[str, Any], number: int) -> dict[str, Any]:
    result: dict[str, Any] = wasender.call("GET", f"messages/{number}/info", created["api_key"])
    return result


def test_a_text_goes_its_way(wasender: WaSender) -> None:
    created = wasender.linked()
    number = send(wasender, created, text="Rye?")
    sent, update = wasender.news(2)
    assert (sent["event"], update["event"]) == ("message.sent", "messages.update")
    key = sent["data"]["key"]
    assert key == {"id": key["id"], "fromMe": True, "remoteJid": DARIO_JID}
    assert update["data"] == {"update": {"status": 2}, "key": key}
    payload = info(wasender, created, number)
    assert (payload["id"], payload["msgId"], payload["status"]) == (key["id"], number, 2)
    wasender.pass_time(2)
    assert wasender.news(3)[2]["data"] == {"update": {"status": 3}, "key": key}
    assert info(wasender, created, number)["status"] == 3
    wasender.act("read", account=str(created["id"]), messageId=number)
    assert wasender.news(4)[3]["data"]["update"] == {"status": 4}
    assert info(wasender, created, number)["status"] == 4


def test_numbers_ascend_and_nobody_there_gets_nothing(wasender: WaSender) -> None:
    created = wasender.linked()
    first = send(wasender, created, text="x", to="+15559999999")
    assert send(wasender, created, text="y", to=GROUP_JID) == first + 1
    wasender.pass_time(60)
    assert info(wasender, created, first)["status"] == 2
    assert info(wasender, created, first + 1)["status"] == 3


@pytest.mark.parametrize(
    ("fields", "member"),
    [
        ({"contact": {"name": "Ada", "phone": "+15550100"}}, "contactMessage"),
        ({"location": {"latitude": 52.5, "longitude": "13.4", "name": "Bakery"}}, "locationMessage"),
        ({"imageUrl": "https://example.com/a.png", "text": "caption"}, "imageMessage"),
        ({"documentUrl": "https://example.com/a.pdf", "fileName": "menu.pdf"}, "documentMessage"),
        ({"audioUrl": "https://example.com/a.ogg"}, "audioMessage"),
        ({"text": "plain"}, "extendedTextMessage"),
    ],
)
def test_every_kind(wasender: WaSender, fields: dict[str, Any], member: str) -> None:
    created = wasender.linked()
    assert list(info(wasender, created, send(wasender, created, **fields))["message"]) == [member]


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({}, {"to", "text"}),
        ({"to": "nobody", "text": "x"}, {"to"}),
        ({"to": DARIO}, {"text"}),
        ({"to": DARIO, "text": 5}, {"text"}),
        ({"to": DARIO, "imageUrl": "file:///etc/passwd"}, {"imageUrl"}),
        ({"to": DARIO, "contact": {"name": "x"}}, {"contact"}),
        ({"to": DARIO, "text": "x", "replyTo": 7}, {"replyTo"}),
    ],
)
def test_messages_that_are_refused(wasender: WaSender, fields: dict[str, Any], wrong: set[str]) -> None:
    created = wasender.linked()
    answer = wasender.send("POST", "send-message", created["api_key"], json=fields)
    assert answer.status_code == 422
    assert set(answer.json()["errors"]) == wrong


def test_a_reply_quotes(wasender: WaSender) -> None:
    created = wasender.linked()
    first = send(wasender, created, text="one")
    reply = info(wasender, created, send(wasender, created, text="two", replyTo=first))
    quoted = reply["message"]["extendedTextMessage"]["contextInfo"]
    assert quoted["stanzaId"] == info(wasender, created, first)["id"]
    assert quoted["quotedMessage"] == {"extendedTextMessage": {"text": "one"}}


def test_without_a_link_nothing_is_sent(wasender: WaSender) -> None:
    created = wasender.make()
    refused = wasender.refused("POST", "send-message", created["api_key"], json={"to": DARIO, "text": "x"})
    assert refused == (400, "Your WhatsApp session is not connected. Please connect your session.")
    assert wasender.refused("POST", "send-message", json={"to": DARIO, "text": "x"})[0] == 401


def test_account_protection_slows_down(wasender: WaSender) -> None:
    created = wasender.linked(account_protection=True)
    answer = wasender.send("POST", "send-message", created["api_key"], json={"to": DARIO, "text": "x"})
    assert answer.headers["x-ratelimit-limit"] == "1"
    assert answer.headers["x-ratelimit-remaining"] == "0"
    answer = wasender.send("POST", "send-message", created["api_key"], json={"to": DARIO, "text": "x"})
    assert answer.status_code == 429
    assert 0 < answer.json()["retry_after"] <= 5
    assert "success" not in answer.json()
    wasender.pass_time(5)
    assert send(wasender, created, text="x")


def test_messages_of_a_clock_that_was_moved_back_do_not_count(wasender: WaSender) -> None:
    created = wasender.linked(account_protection=True)
    wasender.pass_time(86_400)
    assert send(wasender, created, text="x")
    wasender.running.control("clock", reset=True)
    assert send(wasender, created, text="x")


def test_the_limit_of_a_paid_plan(wasender: WaSender) -> None:
    created = wasender.linked()
    answer = wasender.send("GET", "status", created["api_key"])
    assert (answer.headers["x-ratelimit-limit"], answer.headers["x-ratelimit-remaining"]) == ("256", "256")
    send(wasender, created, text="x")
    answer = wasender.send("GET", "status", created["api_key"])
    assert answer.headers["x-ratelimit-remaining"] == "255"
    assert 0 < int(answer.headers["x-ratelimit-reset"]) <= 60


def test_editing_and_deleting(wasender: WaSender) -> None:
    created = wasender.linked()
    number = send(wasender, created, text="old")
    assert wasender.call("PUT", f"messages/{number}", created["api_key"], json={"text": "new"})["msgId"] == number
    assert info(wasender, created, number)["message"] == {"extendedTextMessage": {"text": "new"}}
    assert wasender.refused("PUT", f"messages/{number}", created["api_key"], json={})[0] == 422
    wasender.pass_time(901)
    assert wasender.refused("PUT", f"messages/{number}", created["api_key"], json={"text": "late"})[0] == 400
    assert wasender.send("DELETE", f"messages/{number}", created["api_key"]).json()["success"] is True
    assert wasender.refused("GET", f"messages/{number}/info", created["api_key"]) == (404, "Message not found")


@pytest.mark.parametrize("form", ["raw", "data url", "mimetype"])
def test_a_file_is_uploaded_and_sent(wasender: WaSender, form: str) -> None:
    created = wasender.linked()
    text = b64encode(PNG).decode()
    bodies: dict[str, dict[str, Any]] = {
        "raw": {"content": PNG},
        "data url": {"json": {"base64": f"data:image/png;base64,{text}"}},
        "mimetype": {"json": {"base64": text, "mimetype": "image/png"}},
    }
    headers = {"authorization": f"Bearer {created['api_key']}"}
    headers |= {"content-type": "image/png"} if form == "raw" else {}
    answer = httpx.post(f"{wasender.url}/upload", headers=headers, timeout=30, **bodies[form]).json()
    assert answer["success"] is True
    served = httpx.get(answer["publicUrl"], timeout=30)
    assert (served.content, served.headers["content-type"]) == (PNG, "image/png")
    send(wasender, created, imageUrl=answer["publicUrl"], text="look")
    [seen] = wasender.act("feed", account=str(created["id"]))["data"]
    assert seen["file"] == {"mime": "image/png", "size": len(PNG), "sha256": hashlib.sha256(PNG).hexdigest()}
    assert seen["content"]["imageMessage"]["caption"] == "look"
    wasender.pass_time(86_401)
    assert httpx.get(answer["publicUrl"], timeout=30).status_code == 404


def test_uploads_that_are_refused(wasender: WaSender) -> None:
    created = wasender.linked()
    headers = {"authorization": f"Bearer {created['api_key']}"}

    def status(body: bytes, mime: str) -> int:
        sent = headers | ({"content-type": mime} if mime else {})
        return httpx.post(f"{wasender.url}/upload", headers=sent, content=body, timeout=30).status_code

    assert status(b"no picture", "image/png") == 422
    assert status(PNG + bytes(16 << 20), "image/png") == 413
    assert status(b"RIFF" + bytes(5 << 20), "image/webp") == 413
    assert status(b"", "image/png") == 422
    assert status(b"x", "") == 422
    assert status(b'{"base64": "?"}', "application/json") == 422
    assert wasender.refused("POST", "upload", "wrong")[0] == 401


def test_a_bad_address_fails_later(wasender: WaSender) -> None:
    created = wasender.linked()
    number = send(wasender, created, imageUrl="http://127.0.0.1:9/nothing.png")
    assert info(wasender, created, number)["status"] == 0
    assert wasender.news()[0]["data"]["update"] == {"status": 0}


def test_somebody_writes(wasender: WaSender) -> None:
    created = wasender.linked()
    wasender.act("message", account=str(created["id"]), text="Open?")
    (news,) = wasender.news()
    assert (news["event"], news["sessionId"]) == ("messages.received", created["api_key"])
    message = news["data"]["messages"]
    assert message["key"] == {
        "id": message["key"]["id"],
        "fromMe": False,
        "remoteJid": DARIO_JID,
        "addressingMode": "pn",
        "senderPn": DARIO_JID,
        "cleanedSenderPn": PHONES_BY_PERSON["dario"],
        "senderLid": f"{LIDS_BY_PERSON['dario']}@lid",
    }
    assert (message["messageBody"], message["message"]) == ("Open?", {"conversation": "Open?"})
    assert message["pushName"] == "Dario Weiss"
    marked = {"key": {"id": message["key"]["id"], "remoteJid": DARIO_JID, "fromMe": False}}
    assert wasender.call("POST", "messages/read", created["api_key"], json=marked) == {"status": "read"}
    lost = {"key": {"id": "3EB0", "remoteJid": DARIO_JID, "fromMe": False}}
    assert wasender.refused("POST", "messages/read", created["api_key"], json=lost)[0] == 404


def test_lids_and_groups(wasender: WaSender) -> None:
    created = wasender.linked()
    wasender.act("message", account=str(created["id"]), text="x", lid=True)
    wasender.act("message", account=str(created["id"]), text="y", group=True, lid=True)
    private, group = [news["data"]["messages"]["key"] for news in wasender.news(2)]
    assert (private["remoteJid"], private["cleanedSenderPn"]) == (
        f"{LIDS_BY_PERSON['dario']}@lid",
        PHONES_BY_PERSON["dario"],
    )
    assert (group["remoteJid"], group["participant"]) == (GROUP_JID, f"{LIDS_BY_PERSON['dario']}@lid")
    assert group["cleanedParticipantPn"] == PHONES_BY_PERSON["dario"]
    assert "senderPn" not in group


def test_all_events_of_one_message(wasender: WaSender) -> None:
    events = ["messages.received", "messages-personal.received", "messages-group.received", "messages.upsert"]
    created = wasender.make(webhook_events=[*events, "message.sent"])
    wasender.call("POST", f"whatsapp-sessions/{created['id']}/connect")
    wasender.act("scan", account=str(created["id"]))
    wasender.act("message", account=str(created["id"]), text="x")
    wasender.act("message", account=str(created["id"]), text="y", fromMe=True)
    news = wasender.news(5)
    assert [item["event"] for item in news] == [
        "messages.received",
        "messages-personal.received",
        "messages.upsert",
        "message.sent",
        "messages.upsert",
    ]
    assert news[4]["data"]["messages"]["key"]["fromMe"] is True


@pytest.mark.parametrize("word", ["image", "video", "audio", "voice", "file", "sticker"])
def test_a_file_of_somebody_is_decrypted(wasender: WaSender, word: str) -> None:
    kind = {"voice": "audio", "file": "document"}.get(word, word)
    created = wasender.linked()
    wasender.act("message", account=str(created["id"]), attachment=word)
    message = wasender.news()[0]["data"]["messages"]
    media = message["message"][f"{kind}Message"]
    assert media["url"].startswith("https://mmg.whatsapp.net/")
    order = {"data": {"messages": {"key": {"id": message["key"]["id"]}, "message": message["message"]}}}
    answer = wasender.send("POST", "decrypt-media", created["api_key"], json=order).json()
    assert answer["publicUrl"].endswith(f"/api/decrypted-media/{message['key']['id']}")
    clear = httpx.get(answer["publicUrl"], timeout=30)
    assert b64encode(hashlib.sha256(clear.content).digest()).decode() == media["fileSha256"]
    assert len(clear.content) == int(media["fileLength"])
    wasender.pass_time(3601)
    assert httpx.get(answer["publicUrl"], timeout=30).status_code == 404
    media["mediaKey"] = "wrong"
    assert wasender.refused("POST", "decrypt-media", created["api_key"], json=order) == (
        400,
        "Failed to decrypt media.",
    )
    assert wasender.refused("POST", "decrypt-media", created["api_key"], json={"data": {}})[0] == 422


def test_reactions_and_deletions(wasender: WaSender) -> None:
    created = wasender.linked(
        webhook_events=["messages.reaction", "messages.delete", "session.status", "qrcode.updated"]
    )
    account = str(created["id"])
    theirs = wasender.act("message", account=account, text="x")["messageId"]
    wasender.act("react", account=account, messageId=theirs, emoji="👍")
    wasender.act("react", account=account, messageId=theirs)
    wasender.act("delete", account=account, messageId=theirs)
    liked, unliked, gone = wasender.news(3)
    assert liked["data"][0]["reaction"]["text"] == "👍"
    assert liked["data"][0]["reaction"]["key"]["id"] == theirs
    assert unliked["data"][0]["reaction"]["text"] == ""
    assert gone["data"]["keys"][0]["id"] == theirs


def test_contacts(wasender: WaSender) -> None:
    key = wasender.linked()["api_key"]
    everybody = wasender.call("GET", "contacts", key)
    assert [item["jid"] for item in everybody] == list(PHONES_BY_PERSON.values())
    page = wasender.call("GET", "contacts", key, params={"paginated": "true", "page": 2, "limit": 2})
    assert [item["jid"] for item in page["items"]] == [PHONES_BY_PERSON["finn"]]
    assert page["pagination"]["total"] == 3
    assert wasender.call("GET", f"contacts/{PHONES_BY_PERSON['elif']}", key)["name"] == "Elif Yilmaz"
    assert wasender.call("GET", f"contacts/{PHONES_BY_PERSON['elif']}/picture", key) == {"imgUrl": None}
    assert wasender.refused("GET", "contacts/15559999999", key) == (404, "Contact not found")
    assert wasender.call("GET", f"on-whatsapp/+{PHONES_BY_PERSON['elif']}", key) == {"exists": True}
    assert wasender.call("GET", "on-whatsapp/15559999999", key) == {"exists": False}


def test_a_blocked_person_cannot_write(wasender: WaSender) -> None:
    created = wasender.linked()
    order = {"platform": "wasender", "account": str(created["id"]), "text": "x"}
    wasender.call("POST", f"contacts/{PHONES_BY_PERSON['dario']}/block", created["api_key"])
    assert wasender.running.client.post("/_control/message", json=order).status_code == 409
    wasender.call("POST", f"contacts/{PHONES_BY_PERSON['dario']}/unblock", created["api_key"])
    assert wasender.running.client.post("/_control/message", json=order).status_code == 200


def test_groups_and_presence(wasender: WaSender) -> None:
    key = wasender.linked()["api_key"]
    assert [group["id"] for group in wasender.call("GET", "groups", key)] == [GROUP_JID]
    assert len(wasender.call("GET", f"groups/{GROUP_JID}/metadata", key)["participants"]) == 3
    assert wasender.call("GET", f"groups/{GROUP_JID}/participants", key)[0]["isAdmin"] is True
    assert wasender.refused("GET", "groups/1@g.us/metadata", key) == (404, "Group not found")
    typing = {"jid": DARIO_JID, "type": "composing"}
    assert wasender.call("POST", "send-presence-update", key, json=typing) == typing
    assert wasender.refused("POST", "send-presence-update", key, json=typing | {"type": "dancing"})[0] == 422


def test_what_cannot_be_done(wasender: WaSender) -> None:
    unlinked = str(wasender.make()["id"])
    linked = str(wasender.linked()["id"])
    refused: list[tuple[str, dict[str, Any], int]] = [
        ("message", {"account": unlinked, "text": "x"}, 409),
        ("message", {"account": linked}, 422),
        ("message", {"account": linked, "text": "x", "person": "nobody"}, 404),
        ("read", {"account": linked, "messageId": 5}, 404),
        ("react", {"account": linked, "messageId": "x"}, 404),
        ("feed", {"account": "999"}, 404),
    ]
    for verb, fields, status in refused:
        order = {"platform": "wasender", **fields}
        assert wasender.running.client.post(f"/_control/{verb}", json=order).status_code == status
