"""Messages, their statuses, media and templates."""

from hashlib import sha256
from typing import Any

import httpx
import pytest

from sandbox.graph_support import codes_of, error_of, signed_by
from sandbox.whatsapp_cloud.calling import GRAPH, Whatsapp
from socialgate_sandbox.vendors.whatsapp_cloud.seed import (
    ADA_TOKEN,
    ADA_WABA,
    AGENCY,
    BAKERY,
    BRAM_TOKEN,
    BRAM_WABA,
    CATERING,
)

DARIO = "4915550100101"
SEND = f"{BAKERY}/messages"


def body(kind: str = "text", content: Any = None, **more: Any) -> dict[str, Any]:
    value = {"body": "Hello"} if content is None else content
    whole = {"messaging_product": "whatsapp", "recipient_type": "individual", "to": f"+{DARIO}", "type": kind}
    return {**whole, kind: value, **more}


def values(whatsapp: Whatsapp, count: int) -> list[dict[str, Any]]:
    arrived = whatsapp.platform.arrived(count)
    assert all(signed_by(whatsapp.platform.secret, request) for request in arrived)
    return [request.json["entry"][0]["changes"][0]["value"] for request in arrived]


@pytest.fixture
def chat(whatsapp: Whatsapp) -> Whatsapp:
    """Give a number that a customer has just written to."""
    whatsapp.subscribe()
    whatsapp.platform.act("message", account=BAKERY, text="Are you open?")
    whatsapp.platform.arrived()
    whatsapp.platform.gateway.arrived.clear()
    return whatsapp


def test_a_customer_writes(whatsapp: Whatsapp) -> None:
    whatsapp.subscribe()
    response = whatsapp.platform.act("message", account=BAKERY, person="Dario Weiss", text="Är ni öppna? 🥐")
    request = whatsapp.platform.arrived()[0]
    assert signed_by(whatsapp.platform.secret, request)
    entry = request.json["entry"][0]
    assert (entry["id"], entry["changes"][0]["field"]) == (ADA_WABA, "messages")
    value = entry["changes"][0]["value"]
    assert value["messaging_product"] == "whatsapp"
    assert value["metadata"] == {"display_phone_number": "46701740601", "phone_number_id": BAKERY}
    assert value["contacts"][0]["wa_id"] == DARIO
    assert value["contacts"][0]["profile"] == {"name": "Dario Weiss"}
    message = value["messages"][0]
    assert (message["from"], message["type"], message["id"]) == (DARIO, "text", response["messageId"])
    assert message["text"] == {"body": "Är ni öppna? 🥐"}
    assert message["timestamp"].isdecimal()


def test_a_customer_can_hide_the_number_and_answer_in_other_ways(chat: Whatsapp) -> None:
    act = chat.platform.act
    act("sending", account=BAKERY, silent=True, times=2)
    act("message", account=BAKERY, text="Hi", hidden=True)
    buttons = [{"type": "reply", "reply": {"id": "y-1", "title": "Yes"}}]
    request = {"type": "button", "body": {"text": "Sure?"}, "action": {"buttons": buttons}}
    key = chat.post(SEND, body("interactive", request)).json()["messages"][0]["id"]
    act("press", account=BAKERY, messageId=key, button="Yes")
    sections = [{"title": "All", "rows": [{"id": "b-1", "title": "Bun", "description": "Fresh"}]}]
    offered = {"type": "list", "body": {"text": "What?"}, "action": {"button": "Menu", "sections": sections}}
    menu = chat.post(SEND, body("interactive", offered)).json()["messages"][0]["id"]
    act("press", account=BAKERY, messageId=menu, button="Bun")
    act("react", account=BAKERY, messageId=key, emoji="❤️")
    act("react", account=BAKERY, messageId=key)
    act("message", account=BAKERY, attachment="location", text="Home", replyTo=key)
    hidden, button, choice, reaction, none, place = (value["messages"][0] for value in values(chat, 6))
    contact = chat.platform.gateway.arrived[0].json["entry"][0]["changes"][0]["value"]["contacts"][0]
    assert ("from" in hidden, "wa_id" in contact) == (False, False)
    assert hidden["from_user_id"] == contact["user_id"]
    assert button["interactive"] == {"type": "button_reply", "button_reply": {"id": "y-1", "title": "Yes"}}
    assert button["context"]["id"] == key
    reply = {"id": "b-1", "title": "Bun", "description": "Fresh"}
    assert choice["interactive"] == {"type": "list_reply", "list_reply": reply}
    assert reaction["reaction"] == {"message_id": key, "emoji": "❤️"}
    assert none["reaction"] == {"message_id": key}
    assert (place["location"]["name"], place["context"]["id"]) == ("Home", key)


def test_a_customer_orders_sends_what_nobody_knows_and_changes_the_number(chat: Whatsapp) -> None:
    act = chat.platform.act
    act("message", account=BAKERY, attachment="order", text="For two")
    act("message", account=BAKERY, attachment="unsupported")
    act("changeNumber", account=BAKERY, number="+49 1555 0109999")
    ordered, unknown, moved = values(chat, 3)
    order = ordered["messages"][0]["order"]
    assert (order["text"], [row["quantity"] for row in order["product_items"]]) == ("For two", [2, 1])
    row = unknown["messages"][0]
    assert (row["type"], row["errors"][0]["code"]) == ("unsupported", 131051)
    system = moved["messages"][0]
    assert (system["from"], system["type"], system["system"]["wa_id"]) == (DARIO, "system", "4915550109999")
    assert (system["system"]["type"], "contacts" in moved) == ("user_changed_number", False)


def test_a_customer_edits_and_deletes(chat: Whatsapp) -> None:
    act = chat.platform.act
    key = act("message", account=BAKERY, text="Tow buns")["messageId"]
    act("edit", account=BAKERY, messageId=key, text="Two buns")
    act("delete", account=BAKERY, messageId=key)
    _, edited, deleted = (value["messages"][0] for value in values(chat, 3))
    assert edited["type"] == "edit"
    assert edited["edit"] == {"original_message_id": key, "message": {"type": "text", "text": {"body": "Two buns"}}}
    assert (deleted["type"], deleted["revoke"]) == ("revoke", {"original_message_id": key})
    client = chat.platform.running.client
    again = {"platform": "whatsapp-cloud", "account": BAKERY, "messageId": key, "text": "x"}
    assert client.post("/_control/edit", json=again).status_code == 404


def test_a_person_gets_and_reads_a_message_of_a_silent_number(chat: Whatsapp) -> None:
    chat.platform.act("sending", account=BAKERY, silent=True)
    key = chat.post(SEND, body(biz_opaque_callback_data="our-8")).json()["messages"][0]["id"]
    for verb in ("deliver", "read"):
        chat.platform.act(verb, account=BAKERY)
    rows = [value["statuses"][0] for value in values(chat, 2)]
    assert [(row["id"], row["status"], row["biz_opaque_callback_data"]) for row in rows] == [
        (key, "delivered", "our-8"),
        (key, "read", "our-8"),
    ]


@pytest.mark.parametrize(
    ("status", "code", "answered"),
    [("PENDING", 132001, 404), ("REJECTED", 132001, 404), ("PAUSED", 132015, 400), ("DISABLED", 132016, 400)],
)
def test_only_an_approved_template_is_sent(chat: Whatsapp, status: str, code: int, answered: int) -> None:
    chat.platform.act("template", account=BAKERY, name="hello_world", status=status, reason="SCAM")
    payload = values(chat, 1)[0]
    assert (payload["event"], payload["message_template_name"], payload["reason"]) == (status, "hello_world", "SCAM")
    params = body("template", {"name": "hello_world", "language": {"code": "en_US"}})
    assert codes_of(chat.post(SEND, params), answered) == (code, None)
    chat.platform.act("template", account=BAKERY, name="hello_world", status="APPROVED")
    assert chat.post(SEND, params).status_code == 200


def test_a_message_is_accepted_then_sent_delivered_and_read(chat: Whatsapp) -> None:
    answer = chat.post(SEND, body(biz_opaque_callback_data="our-7")).json()
    assert answer["messaging_product"] == "whatsapp"
    assert answer["contacts"] == [{"input": f"+{DARIO}", "wa_id": DARIO}]
    key = answer["messages"][0]["id"]
    assert key.startswith("wamid.")
    chat.platform.pass_time(10)
    rows = [value["statuses"][0] for value in values(chat, 3)]
    assert [row["status"] for row in rows] == ["sent", "delivered", "read"]
    assert {(row["id"], row["recipient_id"], row["biz_opaque_callback_data"]) for row in rows} == {
        (key, DARIO, "our-7")
    }
    assert "expiration_timestamp" in rows[0]["conversation"]
    assert "expiration_timestamp" not in rows[1]["conversation"]
    assert rows[0]["pricing"] == {
        "billable": False,
        "pricing_model": "PMP",
        "type": "free_customer_service",
        "category": "service",
    }
    line = chat.platform.act("chats", account=BAKERY)["data"][0]
    assert (line["id"], line["direction"], line["content"]["text"]) == (key, "outbound", {"body": "Hello"})


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("image", {"link": "https://cdn.example.com/a.jpg", "caption": "x"}),
        ("document", {"link": "https://cdn.example.com/a.pdf", "filename": "a.pdf"}),
        ("location", {"latitude": 59.3, "longitude": 18.1, "name": "Bakery"}),
        ("contacts", [{"name": {"formatted_name": "Ada", "first_name": "Ada"}}]),
        ("reaction", {"message_id": "wamid.x", "emoji": "👍"}),
        (
            "interactive",
            {
                "type": "button",
                "body": {"text": "?"},
                "action": {"buttons": [{"type": "reply", "reply": {"id": "1", "title": "Yes"}}]},
            },
        ),
        ("template", {"name": "hello_world", "language": {"code": "en_US"}}),
    ],
)
def test_every_kind_of_message_goes(chat: Whatsapp, kind: str, content: Any) -> None:
    answer = chat.post(SEND, body(kind, content))
    assert answer.status_code == 200, answer.text
    accepted = answer.json()["messages"][0].get("message_status")
    assert accepted == ("accepted" if kind == "template" else None)


def asked(title: str) -> dict[str, Any]:
    buttons = [{"type": "reply", "reply": {"id": "y-1", "title": title}}]
    return {"type": "button", "body": {"text": "Sure?"}, "action": {"buttons": buttons}}


def offered(button: str, row: dict[str, str]) -> dict[str, Any]:
    sections = [{"title": "All", "rows": [{"id": "b-1", **row}]}]
    return {"type": "list", "body": {"text": "What?"}, "action": {"button": button, "sections": sections}}


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({"to": DARIO, "type": "text", "text": {"body": "x"}}, 100),
        (body(to=""), 100),
        (body(to="12"), 131009),
        (body(to="+46 70 174 06 01"), 131021),
        (body("text", {"body": "x" * 4097}), 100),
        (body("text", {}), 131008),
        (body("dance", {}), 100),
        (body("image", {}), 100),
        (body("image", {"id": "1", "link": "https://a.example/"}), 100),
        (body("image", {"id": "1"}), 100),
        (body("location", {"latitude": 1}), 131008),
        (body("interactive", {"type": "button", "action": {"buttons": []}, "body": {}}), 131009),
        (body("interactive", asked("x" * 21)), 131009),
        (body("interactive", asked("")), 131009),
        (body("interactive", offered("Menu", {"title": "x" * 25})), 131009),
        (body("interactive", offered("Menu", {"title": "Bun", "description": "x" * 73})), 131009),
        (body("interactive", offered("x" * 21, {"title": "Bun"})), 131009),
        (body("template", {"name": "order_ready", "language": {"code": "en_US"}}), 132000),
    ],
)
def test_bad_messages_are_refused(chat: Whatsapp, payload: dict[str, Any], code: int) -> None:
    error = error_of(chat.post(SEND, payload))
    assert (error["code"], error["type"]) == (code, "OAuthException")
    assert error["error_data"]["details"]
    assert chat.platform.act("chats", account=BAKERY)["data"][0]["direction"] == "inbound"


def test_outside_the_window_only_templates_go(chat: Whatsapp) -> None:
    chat.platform.pass_time(86401)
    assert chat.post(SEND, body()).status_code == 200
    chat.platform.pass_time(5)
    row = values(chat, 1)[0]["statuses"][0]
    assert (row["status"], row["errors"][0]["code"]) == ("failed", 131047)
    assert row["errors"][0]["error_data"]["details"]
    parts = [{"type": "body", "parameters": [{"type": "text", "text": "Dario"}, {"type": "text", "text": "7"}]}]
    template = {"name": "order_ready", "language": {"code": "en_US"}, "components": parts}
    chat.post(SEND, body("template", template))
    chat.platform.pass_time(5)
    assert [value["statuses"][0]["status"] for value in values(chat, 4)[1:]] == ["sent", "delivered", "read"]
    # The template does not open the window.
    chat.platform.act("sending", account=BAKERY, atOnce=True)
    assert codes_of(chat.post(SEND, body())) == (131047, None)


def test_messages_can_be_made_to_fail_or_stay_silent(chat: Whatsapp) -> None:
    chat.platform.act("sending", account=BAKERY, failure=131026, title="Message undeliverable")
    key = chat.post(SEND, body()).json()["messages"][0]["id"]
    chat.platform.pass_time(5)
    assert values(chat, 1)[0]["statuses"][0]["errors"][0]["code"] == 131026
    chat.platform.act("sending", account=BAKERY, silent=True)
    chat.post(SEND, body())
    chat.platform.act("status", message=key, status="delivered")
    assert values(chat, 2)[1]["statuses"][0]["status"] == "delivered"


def test_a_link_to_nothing_fails_later(chat: Whatsapp) -> None:
    chat.post(SEND, body("image", {"link": f"{chat.platform.running.url}/nowhere.jpg"}))
    chat.platform.pass_time(5)
    assert values(chat, 1)[0]["statuses"][0]["errors"][0]["code"] == 131053


def test_a_number_must_be_able_to_send(whatsapp: Whatsapp) -> None:
    params = body("template", {"name": "hello_world", "language": {"code": "en_US"}})
    assert codes_of(whatsapp.post(f"{AGENCY}/messages", params, BRAM_TOKEN)) == (133010, None)
    whatsapp.subscribe()
    whatsapp.platform.act("revoke", account=ADA_WABA, how="disabled")
    assert codes_of(whatsapp.post(SEND, params), 403) == (131031, None)
    whatsapp.platform.act("restore", account=ADA_WABA)
    whatsapp.platform.act("standing", account=BAKERY, status="BANNED")
    assert codes_of(whatsapp.post(SEND, params), 403) == (131031, None)
    whatsapp.platform.act("restore", account=ADA_WABA)
    assert whatsapp.post(SEND, params).is_success
    whatsapp.platform.act("revoke", account=ADA_WABA, how="permission:whatsapp_business_messaging")
    assert codes_of(whatsapp.post(SEND, params), 403) == (200, None)


def test_a_customers_message_is_marked_as_read(chat: Whatsapp) -> None:
    key = chat.platform.act("chats", account=BAKERY)["data"][0]["id"]
    read = {"messaging_product": "whatsapp", "status": "read", "message_id": key}
    assert chat.post(SEND, read | {"typing_indicator": {"type": "text"}}).json() == {"success": True}
    assert chat.platform.act("chats", account=BAKERY)["data"][0]["statuses"] == ["read"]
    assert codes_of(chat.post(SEND, read | {"message_id": "wamid.none"})) == (131009, None)


def upload(whatsapp: Whatsapp, content: bytes, kind: str) -> httpx.Response:
    return whatsapp.platform.running.client.post(
        f"/whatsapp-cloud/{GRAPH}/{BAKERY}/media",
        headers={"authorization": f"Bearer {ADA_TOKEN}"},
        data={"messaging_product": "whatsapp", "type": kind},
        files={"file": ("a", content, kind)},
    )


def test_media_is_uploaded_sent_resolved_downloaded_and_deleted(chat: Whatsapp) -> None:
    content = b"%PDF-1.7 bread" * 100
    key = upload(chat, content, "application/pdf").json()["id"]
    seen = chat.get(key).json()
    assert set(seen) == {"messaging_product", "url", "mime_type", "sha256", "file_size", "id"}
    assert (seen["mime_type"], seen["sha256"], seen["file_size"]) == (
        *("application/pdf", sha256(content).hexdigest()),
        len(content),
    )
    client = chat.platform.running.client
    assert codes_of(client.get(seen["url"]), 401) == (104, None)
    bearer = {"authorization": f"Bearer {ADA_TOKEN}"}
    assert client.get(seen["url"], headers=bearer).content == content
    chat.post(SEND, body("document", {"id": key, "filename": "menu.pdf"}))
    assert chat.platform.act("chats", account=BAKERY)["data"][0]["media"] == sha256(content).hexdigest()
    chat.platform.pass_time(301)
    assert client.get(seen["url"], headers=bearer).status_code == 404
    assert chat.post(f"{CATERING}/messages", body("document", {"id": key})).status_code == 400
    assert chat.delete(key).json() == {"success": True}
    assert codes_of(chat.get(key)) == (100, 33)


def test_bad_uploads_are_refused_and_old_ones_are_gone(chat: Whatsapp) -> None:
    assert codes_of(upload(chat, b"x", "application/x-tar")) == (100, None)
    assert codes_of(upload(chat, bytes((5 << 20) + 1), "image/jpeg")) == (131053, None)
    key = upload(chat, b"\xff\xd8\xff", "image/jpeg").json()["id"]
    assert codes_of(chat.get(key, BRAM_TOKEN)) == (100, 33)
    chat.platform.pass_time(31 * 86400)
    assert codes_of(chat.get(key)) == (100, 33)


def test_a_customers_picture_can_be_fetched_for_a_week(chat: Whatsapp) -> None:
    chat.platform.act("message", account=BAKERY, attachment="image", text="My cake")
    image = values(chat, 1)[0]["messages"][0]["image"]
    assert (image["caption"], image["mime_type"]) == ("My cake", "image/png")
    url = chat.get(image["id"]).json()["url"]
    got = chat.platform.running.client.get(url, headers={"authorization": f"Bearer {ADA_TOKEN}"})
    assert got.content.startswith(b"\x89PNG")
    chat.platform.pass_time(8 * 86400)
    assert codes_of(chat.get(image["id"])) == (100, 33)


def test_templates_are_made_reviewed_sent_and_deleted(chat: Whatsapp) -> None:
    path = f"{ADA_WABA}/message_templates"
    assert {row["name"] for row in chat.get(path).json()["data"]} == {"hello_world", "order_ready"}
    parts = [{"type": "BODY", "text": "Bread at {{1}}.", "example": {"body_text": [["7"]]}}]
    params = {"name": "bread_time", "language": "sv", "category": "UTILITY", "components": parts}
    created = chat.post(path, params).json()
    assert (created["status"], created["category"]) == ("PENDING", "UTILITY")
    filled = [{"type": "body", "parameters": [{"type": "text", "text": "7"}]}]
    template = {"name": "bread_time", "language": {"code": "sv"}, "components": filled}
    early = chat.post(SEND, body("template", template))
    assert codes_of(early, 404) == (132001, None)
    chat.platform.pass_time(6)
    value = values(chat, 1)[0]
    assert (value["event"], value["message_template_name"]) == ("APPROVED", "bread_time")
    assert str(value["message_template_id"]) == created["id"]
    assert chat.get(created["id"]).json()["status"] == "APPROVED"
    assert chat.post(SEND, body("template", template)).status_code == 200
    assert codes_of(chat.post(path, params)) == (100, 2388024)
    assert codes_of(chat.post(path, params | {"name": "Bread Time"})) == (100, None)
    assert chat.post(created["id"], {"components": parts}).json()["success"] is True
    assert chat.get(created["id"], fields="status").json()["status"] == "PENDING"
    assert chat.get(path, name="bread_time").json()["data"][0]["id"] == created["id"]
    assert codes_of(chat.get(created["id"], BRAM_TOKEN)) == (100, 33)
    assert chat.delete(f"{path}?name=bread_time").json() == {"success": True}
    assert codes_of(chat.delete(f"{path}?name=bread_time"), 404) == (132001, None)
    assert len(chat.get(f"{BRAM_WABA}/message_templates", BRAM_TOKEN).json()["data"]) == 2
