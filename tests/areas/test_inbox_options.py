"""Options of messages: those of the kind of account, sent to the platform and shown again."""

from collections.abc import Iterator
from datetime import timedelta
from io import BytesIO
from typing import Any
from uuid import uuid4

import httpx
import pytest
from PIL import Image

from support.connections import connect_accounts
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

# For each kind of account: its platform, the call that sends, options, and what the platform gets of them.
KINDS: dict[str, tuple[str, str, dict[str, Any], dict[str, Any]]] = {
    "facebook_page": (
        "meta",
        "*/messages",
        {"messagingType": "UPDATE", "notificationType": "SILENT_PUSH"},
        {"messaging_type": "UPDATE", "notification_type": "SILENT_PUSH"},
    ),
    "instagram": (
        "meta",
        "*/messages",
        {"tag": "HUMAN_AGENT"},
        {"messaging_type": "MESSAGE_TAG", "tag": "HUMAN_AGENT"},
    ),
    "whatsapp_cloud": ("whatsapp-cloud", "*/messages", {"previewUrl": False}, {"text": {"preview_url": False}}),
    "telegram_bot": (
        "telegram",
        "*/sendMessage",
        {"parseMode": "HTML", "disableNotification": True, "protectContent": True, "disableLinkPreview": True},
        {
            "parse_mode": "HTML",
            "disable_notification": True,
            "protect_content": True,
            "link_preview_options": {"is_disabled": True},
        },
    ),
}


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own, because its clock is moved."""
    with start_service() as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox


class Desk:
    """An account to which somebody has written."""

    def __init__(self, running: RunningService, sandbox: Sandbox, kind: str, platform: str) -> None:
        self.sandbox, self.platform, self.owner = sandbox, platform, OwnerFixture(running)
        connect_accounts(sandbox, self.owner, platform)
        rows = self.owner.session.get("/accounts").json()["data"]
        account = next(row for row in rows if row["kind"] == kind)
        self.path = f"/accounts/{account['id']}"
        sandbox.control("message", platform=platform, account=account["platformAccountId"], text="Hello")
        self.id = eventually(self._conversation)

    def _conversation(self) -> str | None:
        rows = self.owner.session.get(f"{self.path}/conversations").json()["data"]
        return rows[0]["id"] if rows else None

    def send(self, options: Any, **body: Any) -> httpx.Response:
        body = {"conversationId": self.id, "text": "Hi", "options": options, **body}

        def answered() -> httpx.Response | None:
            answer = self.owner.session.post(f"{self.path}/messages", json=body)
            return None if answer.status_code == httpx.codes.TOO_MANY_REQUESTS else answer

        return eventually(answered)

    def newest(self) -> dict[str, Any]:
        result: dict[str, Any] = self.owner.session.get(f"{self.path}/conversations/{self.id}").json()
        newest: dict[str, Any] = result["messages"]["data"][0]
        return newest


def picture(owner: OwnerFixture) -> str:
    image = BytesIO()
    Image.new("RGB", (600, 600), "red").save(image, "JPEG")
    answer = owner.session.post("/upload", files={"file": ("a.jpg", image.getvalue(), "image/jpeg")})
    assert answer.is_success, answer.text
    return str(answer.json()["id"])


@pytest.mark.parametrize("kind", KINDS)
def test_options_reach_the_platform_and_are_shown_again(running: RunningService, sandbox: Sandbox, kind: str) -> None:
    platform, call, options, values = KINDS[kind]
    desk = Desk(running, sandbox, kind, platform)
    text = f"See https://bakery.example/{uuid4().hex}"
    answer = desk.send(options, text=text)
    assert answer.status_code == 201, answer.text
    assert answer.json()["options"] == options
    assert (desk.newest()["options"], "options" in desk.newest()["data"]) == (options, False)
    calls = sandbox.listed("received", platform=platform, path=call, limit=2000)
    (sent,) = [call["body"] for call in calls if text in str(call["body"])]
    for name, value in values.items():
        input_value = sent[name]
        assert input_value.items() >= value.items() if isinstance(value, dict) else input_value == value, (
            name,
            input_value,
        )
    answer = desk.send({}, text="Plain")
    assert answer.json()["options"] is None

    refused = desk.send({"surprise": 1, "chatId": "@x"})
    faults = problem_of(refused, 422, "invalid")["errors"]
    assert [fault["pointer"] for fault in faults] == ["/options/surprise", "/options/chatId"]
    assert all(name in faults[0]["detail"] for name in options)
    (name, *_) = options
    assert fault_of(desk.send({name: 5})) == (f"/options/{name}", "invalid_option")


def test_an_image_that_can_be_viewed_once(running: RunningService, sandbox: Sandbox) -> None:
    desk = Desk(running, sandbox, "whatsapp_qr", "wasender")
    assert fault_of(desk.send({"viewOnce": True})) == ("/options/viewOnce", "option_not_applicable")
    answer = desk.send({"viewOnce": True}, media=[{"mediaId": picture(desk.owner)}])
    assert answer.status_code == 201, answer.text
    calls = sandbox.listed("received", platform="wasender", path="*/send-message", limit=2000)
    assert [call["body"]["viewOnce"] for call in calls if "viewOnce" in call["body"]] == [True]


@pytest.mark.parametrize(
    ("kind", "options", "fault"),
    [
        ("facebook_page", {"messagingType": "MESSAGE_TAG"}, ("/options/tag", "required")),
        (
            "facebook_page",
            {"messagingType": "UPDATE", "tag": "HUMAN_AGENT"},
            ("/options/messagingType", "contradiction"),
        ),
    ],
)
def test_a_tag_and_the_type_of_a_message_fit(
    running: RunningService, sandbox: Sandbox, kind: str, options: dict[str, Any], fault: tuple[str, str]
) -> None:
    assert fault_of(Desk(running, sandbox, kind, "meta").send(options)) == fault


@pytest.mark.parametrize("kind", ["telegram_bot", "whatsapp_cloud"])
def test_options_of_texts_do_not_go_with_files(running: RunningService, sandbox: Sandbox, kind: str) -> None:
    desk = Desk(running, sandbox, kind, KINDS[kind][0])
    name = "disableLinkPreview" if kind == "telegram_bot" else "previewUrl"
    answer = desk.send({name: True}, media=[{"mediaId": picture(desk.owner)}])
    assert (f"/options/{name}", "option_not_applicable") == fault_of(answer)


@pytest.mark.parametrize("kind", ["facebook_page", "instagram"])
def test_a_person_can_reply_for_a_week(running: RunningService, sandbox: Sandbox, kind: str) -> None:
    desk = Desk(running, sandbox, kind, "meta")

    def pass_days(days: int) -> None:
        running.advance_time(timedelta(days=days))
        sandbox.control("clock", advance=days * 86_400)

    pass_days(3)
    closed = problem_of(desk.send({}), 409, "window_closed")["detail"]
    assert "options.tag: HUMAN_AGENT" in closed
    (conversation,) = desk.owner.session.get(f"{desk.path}/conversations").json()["data"]
    assert "HUMAN_AGENT" in conversation["window"]["remedy"]
    answer = desk.send({"tag": "HUMAN_AGENT"})
    assert answer.status_code == 201, answer.text
    pass_days(5)
    closed = problem_of(desk.send({"tag": "HUMAN_AGENT"}), 409, "window_closed")["detail"]
    assert "HUMAN_AGENT" not in closed


def test_the_options_of_each_kind_are_documented(owner: OwnerFixture) -> None:
    shown = {item["kind"]: item["messageOptions"] for item in owner.session.get("/platforms").json()["data"]}
    assert set(shown["facebook_page"]["properties"]) == {"messagingType", "tag", "notificationType"}
    schemas = owner.session.get("/openapi.json").json()["components"]["schemas"]
    assert schemas["NewMessageBody"]["properties"]["options"]["$ref"].endswith("/NewMessageBodyOptions")
    named = {schema["$ref"].rpartition("/")[2] for schema in schemas["NewMessageBodyOptions"]["oneOf"]}
    assert named == {f"{''.join(map(str.title, kind.split('_')))}MessageOptions" for kind in (*KINDS, "whatsapp_qr")}
    options = schemas["FacebookPageMessageOptions"]["properties"]
    assert set(options) == {"kind", *shown["facebook_page"]["properties"]}
    items = schemas["TemplateComponentsItem"]
    assert items["discriminator"]["propertyName"] == "type"
    assert items["discriminator"]["mapping"]["body"] == "#/components/schemas/TemplateBody"
