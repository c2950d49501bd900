"""People chat with accounts of four platforms on a page of plain forms, and the product hears of it."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import pytest

from sandbox.graph_support import Platform, codes_of, signed_by
from sandbox.meta.signing_in import Meta
from sandbox.whatsapp_cloud.calling import Whatsapp
from socialgate_sandbox.vendors.meta import VENDOR as META
from socialgate_sandbox.vendors.meta.seed import ADA, BAKERY, BAKERY_IG
from socialgate_sandbox.vendors.telegram import VENDOR as TELEGRAM
from socialgate_sandbox.vendors.telegram.seed import BAKERY_BOT, BAKERY_TOKEN, USER_IDS
from socialgate_sandbox.vendors.wasender import VENDOR as WASENDER
from socialgate_sandbox.vendors.wasender.people import PHONES_BY_PERSON
from socialgate_sandbox.vendors.wasender.seed import LINKED_KEY, LINKED_SESSION
from socialgate_sandbox.vendors.whatsapp_cloud import VENDOR as WHATSAPP
from socialgate_sandbox.vendors.whatsapp_cloud.seed import BAKERY as NUMBER
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox

WORDS = "<b>Any left?</b> שלום"
ESCAPED = "&lt;b&gt;Any left?&lt;/b&gt; שלום"
HOUR, DAY = 3600, 86400


class Form(dict[str, str]):
    """The fields of one form as they stand on a page; `buttons` are pressed by their label."""

    action: str
    buttons: dict[str, dict[str, str]]


class Forms(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._inside = False
        self._button: dict[str, str] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        params = {name: value or "" for name, value in attrs}
        if tag == "form":
            form = Form()
            form.action, form.buttons, self._inside = params["action"], {}, True
            self.found.append(form)
        elif self._inside and tag in {"input", "select"}:
            self.found[-1][params["name"]] = params.get("value", "")
        elif self._inside and tag == "button":
            self._button = {params["name"]: params["value"]} if "name" in params else {}

    def handle_data(self, data: str) -> None:
        if self._button is not None:
            self.found[-1].buttons[data] = self._button
            self._button = None

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "form"


class Chat:
    """One account's page in a browser without scripts, as one of the people."""

    def __init__(self, running: RunningSandbox, platform: str, account: str, person: str = "dario") -> None:
        self._running = running
        self.query = {"platform": platform, "account": account, "person": person}

    def look(self) -> str:
        answer = self._running.client.get("/_control/chat", params=self.query, headers={"accept": "text/html"})
        assert answer.status_code == 200, answer.text
        return answer.text

    def rows(self) -> list[dict[str, Any]]:
        """Give the messages as data, the oldest first."""
        return list(reversed(self._running.look("chat", **self.query)["data"]))

    def press(self, button: str, verb: str, status: int = 303, *, on: str = "", **filled: str) -> httpx.Response:
        """Fill in the form of a verb (for one message) and press its button."""
        forms = [
            form for form in Forms(self.look()).found if form.action == f"/_control/{verb}" and button in form.buttons
        ]
        form = next(form for form in forms if on == form.get("messageId", form.get("replyTo", "")))
        assert set(filled) <= set(form)
        data = {**form, **filled, **form.buttons[button]}
        answer = self._running.client.post(form.action, data=data)
        assert answer.status_code == status, answer.text
        return answer

    def say(self, text: str, attachment: str = "") -> str:
        self.press("Send", "message", text=text, attachment=attachment)
        return str(self.rows()[-1]["id"])


@pytest.fixture(scope="module")
def gateway() -> Iterator[WebhookReceiver]:
    opened = WebhookReceiver()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory, gateway: WebhookReceiver) -> Iterator[RunningSandbox]:
    folder: Path = tmp_path_factory.mktemp("chats")
    with running_sandbox(folder, [META, TELEGRAM, WASENDER, WHATSAPP], gateway.url) as running:
        yield running


@pytest.fixture
def running(opened: RunningSandbox, gateway: WebhookReceiver) -> RunningSandbox:
    opened.reset(gateway)
    return opened


@pytest.fixture
def meta(running: RunningSandbox, gateway: WebhookReceiver) -> Meta:
    return Meta(Platform(running, gateway, "meta"))


@pytest.mark.parametrize(("account", "product"), [(BAKERY, "page"), (BAKERY_IG, "instagram")])
def test_a_person_chats_with_an_account_of_meta(meta: Meta, account: str, product: str) -> None:
    token = meta.page(ADA, BAKERY)
    meta.post(f"{BAKERY}/subscribed_apps", token, subscribed_fields="messages,message_reactions,message_reads")
    page = Chat(meta.platform.running, "meta", account)
    assert "No messages yet." in page.look()
    page.say(WORDS)
    request = meta.platform.arrived()[0]
    assert signed_by(meta.platform.secret, request)
    assert (request.json["object"], request.json["entry"][0]["id"]) == (product, account)
    event = request.json["entry"][0]["messaging"][0]
    assert event["message"]["text"] == WORDS
    assert ESCAPED in page.look()
    person = event["sender"]["id"]
    params = {"recipient": f'{{"id": "{person}"}}', "message": '{"text": "Two & more"}'}
    mid = meta.post(f"{BAKERY}/messages", token, **params).json()["message_id"]
    # However slow the machine is, no time has passed for the message yet.
    meta.platform.pass_time(-HOUR)
    assert page.rows()[-1]["state"] == "sent"
    assert "Two &amp; more" in page.look()
    meta.platform.pass_time(HOUR + 2)
    assert page.rows()[-1]["state"] == ("delivered" if product == "page" else "sent")
    page.press("Mark as read", "read")
    assert page.rows()[-1]["state"] == "read"
    assert '<span class="ticks read" aria-hidden="true">✓✓</span>read' in page.look()
    page.press("❤️", "react", on=mid)
    assert page.rows()[-1]["reactions"] == ["❤️"]
    page.press("Remove", "react", on=mid)
    assert page.rows()[-1]["reactions"] == []
    page.press("Send", "message", on=mid, text="Thx")
    mine = page.rows()[-1]
    assert (mine["text"], mine["replyTo"]) == ("Thx", mid)
    page.press("Save", "edit", on=mine["id"], text="Thanks")
    assert (page.rows()[-1]["text"], page.rows()[-1]["edited"]) == ("Thanks", True)
    page.press("Delete", "delete", on=mine["id"])
    assert page.rows()[-1]["deleted"] is True
    assert "Thanks" not in page.look()
    assert Chat(meta.platform.running, "meta", account, "elif").rows() == []


def test_a_person_chats_with_a_number_of_the_cloud_api(running: RunningSandbox, gateway: WebhookReceiver) -> None:
    whatsapp = Whatsapp(Platform(running, gateway, "whatsapp-cloud"))
    whatsapp.subscribe()
    page = Chat(running, "whatsapp-cloud", NUMBER, "elif")
    generation_request = page.say(WORDS)
    request = gateway.wait_for(1)[0]
    assert signed_by(whatsapp.platform.secret, request)
    message = request.json["entry"][0]["changes"][0]["value"]["messages"][0]
    assert (message["id"], message["text"]) == (generation_request, {"body": WORDS})
    common = {"messaging_product": "whatsapp", "to": message["from"]}
    buttons = [{"type": "reply", "reply": {"id": "y", "title": "Yes"}}]
    question = {"type": "button", "body": {"text": "Now?"}, "action": {"buttons": buttons}}
    for body in (
        {"type": "text", "text": {"body": "Two"}, "context": {"message_id": generation_request}},
        {"type": "reaction", "reaction": {"message_id": generation_request, "emoji": "👍"}},
        {"type": "interactive", "interactive": question},
    ):
        assert whatsapp.post(f"{NUMBER}/messages", common | body).status_code == 200
    running.control("clock", advance=-HOUR)
    first, answer, question_row = page.rows()
    assert (first["reactions"], answer["replyTo"], answer["state"]) == (["👍"], generation_request, "")
    running.control("clock", advance=HOUR + 5)
    assert page.rows()[1]["state"] == "read"
    running.control("sending", platform="whatsapp-cloud", account=NUMBER, silent=True)
    silent = whatsapp.post(f"{NUMBER}/messages", common | {"type": "text", "text": {"body": "Psst"}}).json()
    for status in ("sent", "delivered", "read"):
        order = {"message": silent["messages"][0]["id"], "status": status}
        running.control("status", platform="whatsapp-cloud", **order)
        assert page.rows()[-1]["state"] == status
    page.press("Yes", "press", on=question_row["id"])
    assert page.rows()[-1]["text"] == "Yes"
    page.say("Look", attachment="image")
    (picture,) = page.rows()[-1]["media"]
    assert f'<img src="/_control/files/{picture["file"]}"' in page.look()
    # A day later only a template goes, and the page shows which message failed.
    running.control("clock", advance=DAY)
    whatsapp.post(f"{NUMBER}/messages", common | {"type": "text", "text": {"body": "Late"}})
    template = {"name": "order_ready", "language": {"code": "en_US"}}
    parts = [{"type": "text", "text": "Elif"}, {"type": "text", "text": "7"}]
    filled = template | {"components": [{"type": "body", "parameters": parts}]}
    whatsapp.post(f"{NUMBER}/messages", common | {"type": "template", "template": filled})
    running.control("clock", advance=5)
    late, ready = page.rows()[-2:]
    assert (late["state"], ready["state"]) == ("failed", "read")
    assert ready["text"] == "Hi Elif, your order 7 is ready."
    running.control("sending", platform="whatsapp-cloud", account=NUMBER, atOnce=True)
    again = whatsapp.post(f"{NUMBER}/messages", common | {"type": "text", "text": {"body": "Late"}})
    assert codes_of(again) == (131047, None)
    page.say("Still here")
    assert whatsapp.post(f"{NUMBER}/messages", common | {"type": "text", "text": {"body": "Good"}}).status_code == 200


def test_a_person_chats_with_a_bot(running: RunningSandbox, gateway: WebhookReceiver) -> None:
    client = running.client
    hook = {"url": f"{gateway.url}/t", "secret_token": "s", "allowed_updates": '["message", "message_reaction"]'}
    assert client.post(f"/telegram/bot{BAKERY_TOKEN}/setWebhook", data=hook).json()["ok"] is True
    page = Chat(running, "telegram", BAKERY_BOT, "finn")
    page.say(WORDS)
    update = gateway.wait_for(1)[0]
    assert update.headers["x-telegram-bot-api-secret-token"] == "s"
    assert (update.json["message"]["text"], update.json["message"]["chat"]["id"]) == (WORDS, int(USER_IDS["finn"]))
    keys = '{"inline_keyboard": [[{"text": "Order", "callback_data": "o"}]]}'
    params = {"chat_id": USER_IDS["finn"], "text": "What now?", "reply_markup": keys}
    sent = client.post(f"/telegram/bot{BAKERY_TOKEN}/sendMessage", data=params).json()["result"]["message_id"]
    shown = page.rows()[-1]
    assert (shown["id"], shown["byAccount"], shown["state"], shown["buttons"]) == (str(sent), True, "sent", ["Order"])
    page.press("👍", "react", on=str(sent))
    assert gateway.wait_for(2)[1].json["message_reaction"]["new_reaction"][0]["emoji"] == "👍"
    page.press("Order", "press", on=str(sent))
    assert not any("Mark as read" in form.buttons for form in Forms(page.look()).found)
    mine = page.say("Tow")
    page.press("Save", "edit", on=mine, text="Two")
    assert page.rows()[-1]["text"] == "Two"


def test_a_person_chats_with_a_linked_number(running: RunningSandbox) -> None:
    page = Chat(running, "wasender", LINKED_SESSION)
    request = page.say(WORDS)
    params = {"to": f"+{PHONES_BY_PERSON['dario']}", "text": "Two & more"}
    headers = {"authorization": f"Bearer {LINKED_KEY}"}
    assert running.client.post("/wasender/api/send-message", json=params, headers=headers).status_code == 200
    running.control("clock", advance=-HOUR)
    assert [row["state"] for row in page.rows()] == ["", "sent"]
    running.control("clock", advance=HOUR + 3)
    assert page.rows()[-1]["state"] == "delivered"
    page.press("Mark as read", "read")
    assert page.rows()[-1]["state"] == "read"
    page.press("Send", "message", on=page.rows()[-1]["id"], text="Thx")
    assert page.rows()[-1]["replyTo"] == page.rows()[-2]["id"]
    page.press("Delete", "delete", on=request)
    assert ESCAPED not in page.look()


def test_a_message_that_mentions_somebody_quotes_nothing(running: RunningSandbox) -> None:
    jid = f"{PHONES_BY_PERSON['dario']}@s.whatsapp.net"
    params = {"to": jid, "text": "@Dario, two left", "mentions": [jid]}
    headers = {"authorization": f"Bearer {LINKED_KEY}"}
    assert running.client.post("/wasender/api/send-message", json=params, headers=headers).status_code == 200
    (row,) = Chat(running, "wasender", LINKED_SESSION).rows()
    assert (row["text"], row["replyTo"]) == ("@Dario, two left", "")


def test_a_person_reads_what_an_account_sent_and_not_their_own_words(running: RunningSandbox) -> None:
    for platform, account in (("meta", BAKERY), ("wasender", LINKED_SESSION), ("whatsapp-cloud", NUMBER)):
        order = {"platform": platform, "account": account, "person": "finn"}
        nothing = running.client.post("/_control/read", json=order)
        assert (nothing.status_code, nothing.json()["error"]) == (409, "The account has not sent them a message yet.")
        own = running.control("message", **order, text="Hello")["messageId"]
        refused = running.client.post("/_control/read", json=order | {"messageId": own})
        assert (refused.status_code, "Choose a message of the account" in refused.json()["error"]) == (409, True)


def test_a_refusal_is_said_on_the_page(meta: Meta) -> None:
    page = Chat(meta.platform.running, "meta", BAKERY, "finn")
    refused = page.press("Send", "message", 422, text=" ")
    assert (
        '<p class="note bad" role="alert">Enter a text of 1 to 2000 characters, or choose an attachment.</p>'
        in refused.text
    )
    assert "Message from Finn O&#39;Sullivan" in refused.text
    client = meta.platform.running.client
    for query, status in (({"account": "1"}, 404), ({"person": "ada"}, 404), ({"limit": "0"}, 422)):
        answer = client.get("/_control/chat", params={**page.query, **query})
        assert (answer.status_code, list(answer.json())) == (status, ["error"])
    assert client.get("/_control/chat", headers={"host": "evil.example"}).status_code == 403
    form = {"platform": "meta", "account": "<0>", "text": "x", "_page": "/_control/chat?platform=meta&account=<0>"}
    lost = client.post("/_control/message", data=form)
    assert (lost.status_code, "&lt;0&gt;" in lost.text) == (404, True)


def test_the_accounts_and_the_feeds_lead_to_the_chats(running: RunningSandbox) -> None:
    for platform, account in (
        ("meta", BAKERY),
        ("meta", BAKERY_IG),
        ("telegram", BAKERY_BOT),
        ("wasender", LINKED_SESSION),
        ("whatsapp-cloud", NUMBER),
    ):
        shown = running.client.get("/_control/account", params={"platform": platform, "account": account}).text
        assert f'href="/_control/chat?platform={platform}&amp;account={account}">Chat</a>' in shown
    query = {"platform": "meta", "account": BAKERY}
    feed = running.client.get("/_control/feed", params=query, headers={"accept": "text/html"}).text
    assert f'href="/_control/chat?platform=meta&amp;account={BAKERY}">Chat</a>' in feed


def test_the_verbs_are_named_alike(running: RunningSandbox) -> None:
    rows = {row["platform"]: row["verbs"] for row in running.look("")["data"]}
    for verbs in rows.values():
        assert {"account", "person", "text", "attachment", "replyTo"} <= set(verbs["message"]["fields"])
        assert set(verbs["react"]["fields"]) == {"account", "person", "messageId", "emoji"}
    assert {name: {"deliver", "read", "edit", "delete", "press"} & set(verbs) for name, verbs in rows.items()} == {
        "meta": {"deliver", "read", "edit", "delete", "press"},
        "telegram": {"edit", "press"},
        "wasender": {"deliver", "read", "delete"},
        "whatsapp-cloud": {"deliver", "read", "edit", "delete", "press"},
    }
