"""A WhatsApp number in the running service: a chat from the first word to the ticks, and people who move on."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from support.connections import connect_accounts
from support.sandbox import Sandbox
from support.service import OwnerFixture
from support.waiting import eventually
from support.webhooks import signer_of

pytestmark = pytest.mark.both_engines


class Chat:
    """A number of ours, and somebody whom no other test writes as."""

    def __init__(self, sandbox: Sandbox, owner: OwnerFixture) -> None:
        self.sandbox = sandbox
        self.owner = owner
        (self.account,) = connect_accounts(sandbox, owner, "whatsapp-cloud")
        listed = owner.session.get("/accounts").json()["data"]
        self.number: str = next(item["platformAccountId"] for item in listed if item["id"] == self.account)
        self.phone = f"1650{time.time_ns() % 10**7:07}"
        self._sign: Callable[[bytes], Any] = signer_of(sandbox, "whatsapp-cloud", self.account)

    def tell(self, **value: Any) -> None:
        whole = {"messaging_product": "whatsapp", "metadata": {"phone_number_id": self.number}, **value}
        entry = {"id": "1", "changes": [{"field": "messages", "value": whole}]}
        sent = self._sign(json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode())
        assert sent.send(self.owner.running.client()).status_code == 200

    def said(self, kind: str, content: Any) -> dict[str, Any]:
        moment = str(int(self.owner.running.clock.now().timestamp()))
        return {
            "from": self.phone,
            "id": f"wamid.{time.time_ns()}",
            "timestamp": moment,
            "type": kind,
            kind: content,
        }

    def say(self, kind: str, content: Any) -> None:
        self.tell(messages=[self.said(kind, content)])

    def conversations(self) -> list[dict[str, Any]]:
        answer = self.owner.session.get(f"/accounts/{self.account}/conversations")
        assert answer.status_code == 200, answer.text
        result: list[dict[str, Any]] = answer.json()["data"]
        return result

    def send(self, **body: Any) -> Any:
        return self.owner.session.post(f"/accounts/{self.account}/whatsapp/send", json=body)


@pytest.fixture
def chat(sandbox: Sandbox, owner: OwnerFixture) -> Chat:
    return Chat(sandbox, owner)


def test_a_new_number_goes_on_with_the_conversation_and_opens_no_window(chat: Chat) -> None:
    chat.say("text", {"body": "Hi"})
    (before,) = eventually(chat.conversations)
    new = f"1651{chat.phone[4:]}"
    chat.say("system", {"body": "They moved", "wa_id": new, "type": "user_changed_number"})
    moved = eventually(lambda: [item for item in chat.conversations() if item["contact"]["phone"] == f"+{new}"])
    assert [item["id"] for item in moved] == [before["id"]]
    assert (moved[0]["unread"], moved[0]["window"]) == (1, before["window"])
    answer = chat.send(to=f"+{new}", type="text", text="Hello again")
    assert answer.status_code == 201, answer.text
    assert answer.json()["conversationId"] == before["id"]
    lines = chat.sandbox.control("chats", platform="whatsapp-cloud", account=chat.number)["data"]
    assert [line["contact"] for line in lines if line["id"] == answer.json()["msgId"]] == [new]


def test_somebody_unknown_who_changes_the_number_begins_no_conversation(chat: Chat) -> None:
    """Both are in one webhook, and so in one transaction: once the second is seen, the first was acted on."""
    moved = chat.said("system", {"body": "They moved", "wa_id": "16519999999", "type": "user_changed_number"})
    chat.phone = f"1652{chat.phone[4:]}"
    chat.tell(messages=[moved, chat.said("text", {"body": "Hi"})])
    (only,) = eventually(chat.conversations)
    assert only["contact"]["phone"] == f"+{chat.phone}"
