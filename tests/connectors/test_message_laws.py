"""What holds for every network that sends messages: an answer that proves nothing leaves the outcome open.

A network is tested by being listed. What is special to it is in its own `test_*_messages.py`.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.account_connection import AccountCredentials, Grant
from socialgate.contracts.failures import OutcomeUnknownError
from socialgate.contracts.messages import MESSAGES_CAPABILITY, MessageType, NewMessage
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import Inconclusive
from socialgate_sandbox.vendors import ALL_VENDORS
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, running_sandbox
from support.waiting import eventually

BOT, NUMBER, SESSION = "7100000001", "106540352240101", "51"


class Sender(msgspec.Struct, frozen=True):
    """How an account that can write to a person comes about, and the path of the call that sends a message.

    `conclusive` names what proves on this network that the message was sent, or that it was not.
    """

    platform: Platform
    connect: Callable[[ConnectorDriver], AccountCredentials]
    person: str
    path: str
    conclusive: frozenset[str] = frozenset()


def _bot(desk: ConnectorDriver) -> AccountCredentials:
    # A bot cannot write first.
    desk.sandbox.control("message", platform="telegram", account=BOT, text="/start")
    return desk.connect_with_secret(botToken=desk.sandbox.control("token", platform="telegram", account=BOT)["token"])


def _cloud_number(desk: ConnectorDriver) -> AccountCredentials:
    account = desk.connect_with_secret(**desk.sandbox.control("credentials", platform=desk.platform, account=NUMBER))
    desk.sandbox.control("message", platform=desk.platform, account=NUMBER, person="dario", text="Are you open?")
    return account


def _paired_number(desk: ConnectorDriver) -> AccountCredentials:
    key = desk.sandbox.control("credentials", platform="wasender", account=SESSION)["apiKey"]
    grant = Grant(
        platform_user_id=SESSION, name="Agency desk", access_token=key, scopes=(), refreshed_at=desk.clock.now()
    )
    return AccountCredentials(
        kind=Kind.WHATSAPP_QR,
        platform_account_id="+15550100051",
        grant=grant,
        secret={},
        details={"sessionId": SESSION},
    )


SENDERS = {
    Kind.FACEBOOK_PAGE: Sender(
        Platform.META, lambda desk: desk.sign_in(Kind.FACEBOOK_PAGE)[0], "7000000000000001", "*/messages"
    ),
    Kind.INSTAGRAM: Sender(
        Platform.META, lambda desk: desk.sign_in(Kind.INSTAGRAM)[0], "7000000000000001", "*/messages"
    ),
    Kind.TELEGRAM_BOT: Sender(Platform.TELEGRAM, _bot, "5200000004", "*/sendMessage"),
    Kind.WHATSAPP_CLOUD: Sender(Platform.WHATSAPP_CLOUD, _cloud_number, "4915550100101", f"*/{NUMBER}/messages"),
    # During maintenance WaSender's framework answers 503 before anything is done. Its older responses to a message that
    # was sent contain nothing.
    Kind.WHATSAPP_QR: Sender(
        Platform.WASENDER,
        _paired_number,
        "+15550200001",
        "*/send-message",
        frozenset({"unavailable", "empty", "foreign"}),
    ),
}
# None of these says that the message was sent, nor that it was not.
TROUBLES: dict[str, dict[str, Any]] = {
    "answer lost": {"when": "after"},
    "call lost": {"when": "drop"},
    "late": {"when": "late", "delay": 200},
    "server error": {"status": 500, "body": {"error": "?"}},
    "gateway": {"status": 502, "body": "<html>Bad gateway</html>"},
    "unavailable": {"status": 503},
    "page": {"status": 200, "body": "<html>Welcome</html>"},
    "empty": {"status": 200, "body": {}},
    "list": {"status": 200, "body": []},
    "foreign": {"status": 200, "body": {"messages": [{}], "recipient_id": "7", "result": {"message_id": None}}},
}


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


def test_every_kind_that_sends_messages_is_listed() -> None:
    kinds = [kind for manifest in MANIFESTS.values() for kind in manifest.kinds]
    assert set(SENDERS) == {kind.kind for kind in kinds if MESSAGES_CAPABILITY in kind.capabilities}


@pytest.mark.parametrize("kind", SENDERS, ids=str)
def test_an_answer_that_proves_nothing_leaves_the_outcome_open_and_sends_once(
    sandbox: RunningSandbox, kind: Kind
) -> None:
    sender = SENDERS[kind]
    sandbox.control("reset")
    with start_driver(sender.platform, sandbox) as desk:
        account, part = sender.connect(desk), desk.part(kind, MESSAGES_CAPABILITY)
        unclear = {name: trouble for name, trouble in TROUBLES.items() if name not in sender.conclusive}
        for number, (name, trouble) in enumerate(unclear.items()):
            new = NewMessage(
                to=sender.person,
                type=MessageType.TEXT,
                text=f"Until {name}",
                reference=f"msg_{number}",
                asked_at=desk.clock.now(),
            )
            before = len(_sent(desk, sender))
            desk.fail(sender.path, method="POST", **trouble)
            with pytest.raises(OutcomeUnknownError):
                desk.wait_for(part.send(account, new))
            result = desk.wait_for(part.look_up_result(account, new))
            assert isinstance(result, Inconclusive), "nothing proves that it was not sent, and nobody shows it"
            # What is late is carried out by then.
            desk.rest(300)
            eventually(lambda: not desk.sandbox.look("fail")["hanging"])
            assert len(_sent(desk, sender)) == before + 1, name


def _sent(desk: ConnectorDriver, sender: Sender) -> list[dict[str, Any]]:
    return [call for call in desk.calls(sender.path) if call["method"] == "POST"]
