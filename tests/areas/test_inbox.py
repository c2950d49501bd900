"""Conversations through the API: a person writes in the sandbox, the account answers, nothing is lost or doubled."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import pytest

from socialgate.web.pagination import wrap_platform_cursor
from support.connections import connect_accounts
from support.engines import ONE_ENGINE, first_on_both
from support.holding_proxy import HoldingProxy
from support.problems import fault_of, problem_of
from support.sandbox import Connection, Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

PLATFORMS = {
    "facebook_page": "meta",
    "instagram": "meta",
    "telegram_bot": "telegram",
    "whatsapp_cloud": "whatsapp-cloud",
    "whatsapp_qr": "wasender",
}
KINDS = pytest.mark.parametrize("kind", first_on_both(PLATFORMS))


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own, because its clock is moved."""
    with start_service() as own:
        yield own


class Desk:
    """An account to which people write."""

    def __init__(self, running: RunningService, sandbox: Sandbox, kind: str) -> None:
        self.running, self.sandbox, self.platform = running, sandbox, PLATFORMS[kind]
        self.owner = OwnerFixture(running)
        connect_accounts(sandbox, self.owner, self.platform)
        rows = self.owner.session.get("/accounts").json()["data"]
        self.account = next(row for row in rows if row["kind"] == kind)
        self.path = f"/accounts/{self.account['id']}"

    def said(self, text: str, **fields: Any) -> Any:
        """Have a person write to the account."""
        account = self.account["platformAccountId"]
        return self.sandbox.control("message", platform=self.platform, account=account, text=text, **fields)

    def conversations(self, **query: Any) -> list[dict[str, Any]]:
        answer = self.owner.session.get(f"{self.path}/conversations", params=query)
        assert answer.status_code == 200, answer.text
        return list(answer.json()["data"])

    def first(self) -> dict[str, Any]:
        return eventually(lambda: next(iter(self.conversations()), None))

    def messages(self, conversation: dict[str, Any]) -> list[dict[str, Any]]:
        answer = self.owner.session.get(f"{self.path}/conversations/{conversation['id']}")
        assert answer.status_code == 200, answer.text
        return list(answer.json()["messages"]["data"])

    def send(self, key: str | None = None, **body: Any) -> httpx.Response:
        """Send a message. An account that another test connected a moment ago may be told to wait."""
        headers = {"Idempotency-Key": key or uuid4().hex}

        def answered() -> httpx.Response | None:
            answer = self.owner.session.post(f"{self.path}/messages", json=body, headers=headers)
            return None if answer.status_code == httpx.codes.TOO_MANY_REQUESTS else answer

        return eventually(answered)

    def rejected(self) -> httpx.Response:
        """Send a template to somebody unknown that WhatsApp has paused."""
        order = {"platform": self.platform, "account": self.account["platformAccountId"], "name": "order_ready"}
        self.sandbox.control("template", **order, status="PAUSED")
        parameters = [{"type": "text", "text": "Ana"}, {"type": "text", "text": "77"}]
        body = {"type": "body", "parameters": parameters}
        template = {"name": "order_ready", "language": "en_US", "components": [body]}
        message = {"to": "+15550200009", "type": "template", "template": template}
        return self.owner.session.post(f"{self.path}/whatsapp/send", json=message)

    def press(self, message_id: str, button: str) -> None:
        account = self.account["platformAccountId"]
        self.sandbox.control("press", platform=self.platform, account=account, messageId=message_id, button=button)

    def has_reported(self, number: int) -> bool:
        return len(self.events()) == number

    def events(self) -> list[dict[str, Any]]:
        listed = self.owner.session.get("/events", params={"event": "message.received", "limit": 200}).json()["data"]
        return [event["data"] for event in listed]


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox
        sandbox.http.delete("/_control/fail")


@KINDS
def test_a_message_is_kept_reported_and_answered(running: RunningService, sandbox: Sandbox, kind: str) -> None:
    desk = Desk(running, sandbox, kind)
    text = f"Are you open today? {uuid4().hex}"
    desk.said(text)
    conversation = desk.first()
    assert (conversation["unread"], conversation["lastMessage"]["text"]) == (1, text)
    assert conversation["kind"] == kind
    (event,) = eventually(desk.events)
    assert set(event) >= {"accountId", "from", "text", "msgId", "platform", "conversationId", "type", "receivedAt"}
    assert (event["accountId"], event["text"], event["platform"]) == (desk.account["id"], text, desk.platform)
    assert event["conversationId"] == conversation["id"]
    (message,) = desk.messages(conversation)
    assert (message["direction"], message["status"], message["msgId"]) == ("inbound", "received", event["msgId"])

    answer = desk.send(conversationId=conversation["id"], text="Until eight.")
    assert answer.status_code == 201, answer.text
    sent = answer.json()
    assert (sent["direction"], sent["text"], sent["source"]) == ("outbound", "Until eight.", "api")
    assert sent["status"] in {"sent", "delivered", "read"}
    newest, oldest = desk.messages(desk.first())
    assert (newest["id"], oldest["id"]) == (sent["id"], message["id"])
    read = desk.owner.session.post(f"{desk.path}/conversations/{conversation['id']}/read")
    assert read.json() == {"id": conversation["id"], "unread": 0}
    assert desk.conversations(unread=True) == []
    assert [item["id"] for item in desk.conversations(q="OPEN TODAY")] == [conversation["id"]]
    assert len(desk.events()) == 1


@pytest.mark.one_engine
@KINDS
def test_an_answer_that_is_lost_sends_no_second_message(running: RunningService, sandbox: Sandbox, kind: str) -> None:
    desk = Desk(running, sandbox, kind)
    desk.said("Hello")
    conversation = desk.first()
    path = {"telegram": "*/sendMessage", "wasender": "*/send-message"}.get(desk.platform, "*/messages")
    sandbox.control("fail", platform=desk.platform, path=path, method="POST", when="after")
    body = {"conversationId": conversation["id"], "text": f"Once {uuid4().hex}"}
    first = desk.send("lost", **body)
    assert first.status_code in {201, 502}, first.text
    # A report of the platform may be settling the operation at this very moment.
    again = eventually(lambda: None if (response := desk.send("lost", **body)).status_code == 409 else response)
    assert again.status_code == first.status_code or again.is_success, again.text
    received = sandbox.listed("received", platform=desk.platform, path=path)
    assert len([call for call in received if body["text"] in str(call)]) == 1
    sent = [item for item in desk.messages(desk.first()) if item["text"] == body["text"]]
    assert [item["status"] in {"sent", "delivered", "read", "unconfirmed"} for item in sent] == [True]


@pytest.mark.one_engine
@pytest.mark.parametrize("kind", first_on_both(["facebook_page", "instagram", "whatsapp_cloud"]))
def test_free_text_is_refused_when_the_person_has_not_written_for_a_day(
    running: RunningService, sandbox: Sandbox, kind: str
) -> None:
    desk = Desk(running, sandbox, kind)
    desk.said("Hello")
    conversation = desk.first()
    assert conversation["window"]["open"]
    running.advance_time(timedelta(hours=25))
    sandbox.control("clock", advance=25 * 3600)
    (conversation,) = desk.conversations()
    assert (conversation["window"]["open"], bool(conversation["window"]["remedy"])) == (False, True)
    problem = problem_of(desk.send(conversationId=conversation["id"], text="Still there?"), 409, "window_closed")
    assert ("template" in problem["detail"]) is (kind == "whatsapp_cloud")


@ONE_ENGINE
def test_wrong_requests_say_what_to_do(running: RunningService, sandbox: Sandbox) -> None:
    desk = Desk(running, sandbox, "telegram_bot")
    desk.said("Hello")
    conversation = desk.first()
    assert fault_of(desk.send(text="Hi")) == ("/conversationId", "required")
    both = {"conversationId": conversation["id"], "to": conversation["contact"]["id"]}
    assert fault_of(desk.send(text="Hi", **both)) == ("/to", "contradiction")
    named = desk.send(to="@elif", text="Hi")
    assert fault_of(named) == ("/to", "invalid")
    assert "E.164" not in named.text
    assert fault_of(desk.send(conversationId=conversation["id"])) == ("/text", "required")
    problem_of(desk.send(conversationId="conv_01h455vb4pex5vsknk084sn02q", text="Hi"), 404, "not_found")
    body = {"to": "+51987654321", "type": "text", "text": "Hi"}
    refused = problem_of(desk.owner.session.post(f"{desk.path}/whatsapp/send", json=body), 422, "not_supported")
    assert "Kinds that support this route: WhatsApp by QR code, WhatsApp Business (Cloud API)." in refused["detail"]
    other = OwnerFixture(running).session
    problem_of(other.get(f"{desk.path}/conversations"), 404, "not_found")
    cursor = desk.owner.session.get(f"{desk.path}/conversations", params={"cursor": "bm9uc2Vuc2U"})
    assert fault_of(cursor) == ("?cursor", "invalid_cursor")


@pytest.mark.one_engine
def test_a_cursor_that_somebody_changed_is_refused(running: RunningService, sandbox: Sandbox) -> None:
    desk = Desk(running, sandbox, "telegram_bot")
    row = "conv_01h455vb4pex5vsknk084sn02q"
    for place in (f"{'9' * 40} {row}", f"-{'9' * 40} {row}", f"--1 {row}", f" {row}", "1", "1 conv_\0", "1 conv_"):
        cursor = wrap_platform_cursor(place, "conversations", desk.account["id"])
        listed = desk.owner.session.get(f"{desk.path}/conversations", params={"cursor": cursor})
        assert fault_of(listed) == ("?cursor", "invalid_cursor"), place


@ONE_ENGINE
@pytest.mark.parametrize("wrong", [{}, [], ["body"], {"a": 1}, 1.5])
def test_a_template_with_components_of_the_wrong_type_is_refused(
    running: RunningService, sandbox: Sandbox, wrong: Any
) -> None:
    desk = Desk(running, sandbox, "whatsapp_cloud")
    template = {"name": "hello_world", "language": "en_US", "components": [{"type": wrong}]}
    body = {"to": "+15550200001", "type": "template", "template": template}
    pointer, _ = fault_of(desk.owner.session.post(f"{desk.path}/whatsapp/send", json=body))
    assert pointer == "/template/components/0/type"


@ONE_ENGINE
def test_search_ignores_case_in_every_script(running: RunningService, sandbox: Sandbox) -> None:
    desk = Desk(running, sandbox, "facebook_page")
    desk.said("¿Tienen ÑANDÚ? Здравствуйте")
    conversation = desk.first()
    for words in ("ñandú", "ÑANDÚ", "ЗДРАВСТВУЙТЕ", "здравствуйте", "tienen"):
        assert [item["id"] for item in desk.conversations(q=words)] == [conversation["id"]], words
    assert desk.conversations(q="100%") == []


@ONE_ENGINE
def test_what_one_kind_of_number_cannot_send_names_the_kind_that_can(running: RunningService, sandbox: Sandbox) -> None:
    desk = Desk(running, sandbox, "whatsapp_qr")
    template = {"type": "template", "template": {"name": "hello_world", "language": "en_US"}}
    answer = desk.owner.session.post(f"{desk.path}/whatsapp/send", json={"to": "+15550200001", **template})
    refused = problem_of(answer, 422, "not_supported")
    assert refused["detail"].endswith("Kinds that can: WhatsApp Business (Cloud API).")


@ONE_ENGINE
def test_a_pressed_button_is_a_message_each_time(running: RunningService, sandbox: Sandbox) -> None:
    desk = Desk(running, sandbox, "facebook_page")
    desk.said("Hello")
    conversation = desk.first()
    buttons = [{"title": "Bread", "id": "bread"}, {"title": "Cake", "id": "cake"}]
    sent = desk.send(conversationId=conversation["id"], text="What would you like?", buttons=buttons).json()
    for pressed, button in enumerate(("Bread", "Cake", "Bread"), start=2):
        desk.press(sent["msgId"], button)
        eventually(partial(desk.has_reported, pressed))
    taps = [item for item in desk.messages(conversation) if item["direction"] == "inbound" and item["data"]]
    assert [tap["data"]["id"] for tap in taps] == ["bread", "cake", "bread"]
    assert {(tap["type"], tap["replyTo"]) for tap in taps} == {("interactive", sent["msgId"])}


@ONE_ENGINE
@pytest.mark.parametrize("kind", ["facebook_page", "instagram"])
def test_who_writes_for_the_first_time_is_named(running: RunningService, sandbox: Sandbox, kind: str) -> None:
    desk = Desk(running, sandbox, kind)
    desk.said("Hello", person="elif")
    (event,) = eventually(desk.events)
    contact = eventually(
        lambda: next((item["contact"] for item in desk.conversations() if item["contact"]["name"]), None)
    )
    (conversation,) = desk.conversations()
    assert event["messageId"] == conversation["lastMessage"]["id"]
    assert "Elif" in contact["name"]
    desk.said("Are you open?", person="elif")
    assert eventually(lambda: desk.events()[1:] and desk.events())[-1]["name"] == contact["name"]
    assert bool(contact["username"]) is (kind == "instagram")
    assert contact["avatarUrl"]


@ONE_ENGINE
def test_a_rejected_first_message_starts_no_conversation(running: RunningService, sandbox: Sandbox) -> None:
    desk = Desk(running, sandbox, "whatsapp_cloud")
    refused = problem_of(desk.send(to="+15550200009", text="Hello"), 409, "window_closed")
    assert refused["detail"].startswith("This person has not written to the account yet. Send a template")
    problem_of(desk.rejected(), 422, "platform_rejected")
    assert desk.conversations() == []


@ONE_ENGINE
def test_two_first_messages_that_are_rejected_at_once_start_no_conversation(start_service: StartService) -> None:
    url = "/whatsapp-cloud"
    with (
        HoldingProxy() as gate,
        start_service(whatsapp_cloud_url=f"{gate.url}{url}") as running,
        Sandbox(running) as sandbox,
    ):
        gate.target = sandbox.url
        desk = Desk(running, sandbox, "whatsapp_cloud")
        with ThreadPoolExecutor(2) as pool:
            with gate.holding(f"{desk.account['platformAccountId']}/messages") as hold:
                sent = [pool.submit(desk.rejected) for _ in range(2)]
                hold.wait_for_call()
                hold.wait_for_call()
            for task in sent:
                problem_of(task.result(), 422, "platform_rejected")
        assert desk.conversations() == []


@ONE_ENGINE
def test_what_was_sent_can_be_read_back(running: RunningService, sandbox: Sandbox) -> None:
    desk = Desk(running, sandbox, "whatsapp_cloud")
    desk.said("Hello")
    conversation = desk.first()
    buttons = [{"title": "Bread", "id": "bread"}, {"title": "Cake"}]
    sent = desk.send(conversationId=conversation["id"], text="What would you like?", buttons=buttons).json()
    assert (sent["type"], sent["text"], sent["data"]) == ("interactive", "What would you like?", {"buttons": buttons})
    desk.press(sent["msgId"], "Bread")
    eventually(partial(desk.has_reported, 2))
    (tapped, *_) = desk.messages(conversation)
    assert (tapped["data"]["id"], tapped["data"]["title"]) == ("bread", "Bread")
    assert tapped["data"]["reply"]["id"] == "bread"

    phone = conversation["contact"]["phone"]
    request = {"to": phone, "type": "interactive", "interactive": {"body": "And now?", "buttons": buttons}}
    sent = desk.owner.session.post(f"{desk.path}/whatsapp/send", json=request).json()
    assert (sent["type"], sent["text"]) == ("interactive", "And now?")
    template = {"to": phone, "type": "template", "template": {"name": "hello_world", "language": "en_US"}}
    sent = desk.owner.session.post(f"{desk.path}/whatsapp/send", json=template).json()
    assert (sent["type"], sent["text"]) == ("template", "hello_world")
    assert desk.first()["lastMessage"]["text"] == "hello_world"


@ONE_ENGINE
def test_a_page_without_the_permission_names_it(running: RunningService, sandbox: Sandbox) -> None:
    owner = OwnerFixture(running)
    attempt = Connection(sandbox, owner, "meta")
    (request,) = parse_qs(urlsplit(attempt.auth_url).query)["scope"]
    scopes = [scope for scope in request.split(",") if scope not in {"pages_messaging", "pages_manage_posts"}]
    assert attempt.finish(scopes=scopes).status_code == 200
    path = f"/profiles/{owner.profile_id}/connect/meta"
    result = owner.session.get(f"{path}/available").json()["data"]
    page = next(item["id"] for item in result if item["kind"] == "facebook_page")
    (account,) = owner.session.post(path, json={"ids": [page]}).json()["data"]
    owner.session.get("/accounts/health", params={"refresh": True})
    answer = owner.session.post(f"/accounts/{account['id']}/messages", json={"to": "1234567", "text": "Hello"})
    assert "without pages_messaging" in problem_of(answer, 409, "permission_missing")["detail"]

    target = {"accountId": account["id"]}
    body = {"profileId": owner.profile_id, "content": "Bread", "targets": [target]}
    post = owner.session.post("/posts", json=body).json()
    failed = eventually(
        lambda: next(
            (
                item
                for item in owner.session.get(f"/posts/{post['id']}").json()["targets"]
                if item["status"] == "failed"
            ),
            None,
        )
    )
    assert "Not granted: pages_manage_posts, pages_messaging." in failed["error"]["detail"]
