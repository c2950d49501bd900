"""TikTok's webhooks: who sent them, and what they say."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors import webhook_helpers
from socialgate.connectors.tiktok.webhooks import TikTokWebhookReceiver
from socialgate.connectors.transport import PlatformApp
from socialgate.contracts.webhooks import (
    AccessLost,
    PublishingMoved,
    UnhandledFact,
    WebhookRequest,
    WebhookResponse,
)

FIXTURES = Path(__file__).parent / "fixtures"
SECRET = "sandbox_client_secret"
SENT = 1_700_000_000
# The vector of the wire facts.
SIGNATURE = "c804125b9daaef32c9c007b00785483530485546adcaa6d5180952763104c30f"
REMOVED = (FIXTURES / "authorization_removed.json").read_bytes()


class At:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds, UTC)


def request(body: bytes, headers: Mapping[str, str] | None = None) -> WebhookRequest:
    return WebhookRequest(method="POST", query={}, headers=headers or {}, body=body)


def received(header: str, body: bytes = REMOVED, *, at: float = SENT, secret: str = SECRET) -> WebhookResponse:
    inbound = TikTokWebhookReceiver(PlatformApp(id="ck_test", secret=secret), At(at))
    return asyncio.run(inbound.receive(request(body, {"tiktok-signature": header}), []))


def test_a_body_is_hashed_once_however_many_signatures_are_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anybody can send a header of thousands of them, with a body of megabytes."""
    hashed: list[int] = []

    def counted(key: bytes, message: bytes, digest: Any) -> Any:
        hashed.append(len(message))
        return hmac.new(key, message, digest)

    monkeypatch.setattr(webhook_helpers, "hmac", SimpleNamespace(new=counted, compare_digest=hmac.compare_digest))
    assert received(f"t={SENT}," + ",".join(["s=00"] * 1_000)).status == 401
    valid = hmac.new(SECRET.encode(), f"{SENT}.".encode() + REMOVED, hashlib.sha256).hexdigest()
    assert received(f"t={SENT},s=00,s={valid}").status == 200
    assert len(hashed) == 2


def sign(body: bytes, sent: str) -> str:
    return hmac.new(SECRET.encode(), sent.encode() + b"." + body, hashlib.sha256).hexdigest()


def parse(body: bytes) -> list[object]:
    return list(TikTokWebhookReceiver(PlatformApp(), At(SENT)).parse(request(body)))


def test_the_vector_is_genuine() -> None:
    assert received(f"t={SENT},s={SIGNATURE}") == WebhookResponse()


@pytest.mark.parametrize("late", [-300, 300])
def test_the_window_is_five_minutes_both_ways(late: int) -> None:
    assert received(f"t={SENT},s={SIGNATURE}", at=SENT + late).should_store
    assert received(f"t={SENT},s={SIGNATURE}", at=SENT + late * 1.01) == WebhookResponse(status=401, should_store=False)


def test_one_of_several_signatures_is_enough() -> None:
    assert received(f"t={SENT}, s={'0' * 64}, s={SIGNATURE}").should_store


@pytest.mark.parametrize(
    "header",
    [
        "",
        "t=,s=",
        f"s={SIGNATURE}",
        f"t={SENT}",
        f"t={SENT},s={SIGNATURE.upper()}",
        f"t={SENT + 1},s={SIGNATURE}",
        f"t=+{SENT},s={SIGNATURE}",
        f"t=²,s={SIGNATURE}",
        f"t={'9' * 5000},s={SIGNATURE}",
        f"t={SENT},s=ä",
    ],
)
def test_anything_else_is_refused(header: str) -> None:
    assert received(header) == WebhookResponse(status=401, should_store=False)


def test_a_changed_body_is_refused() -> None:
    assert not received(f"t={SENT},s={SIGNATURE}", REMOVED + b" ").should_store


def test_an_app_without_a_secret_believes_nobody() -> None:
    forged = hmac.new(b"", f"{SENT}.".encode() + REMOVED, hashlib.sha256).hexdigest()
    assert not received(f"t={SENT},s={forged}", secret="").should_store


def test_a_signature_over_a_time_that_is_no_number_is_refused() -> None:
    assert not received(f"t=soon,s={sign(REMOVED, 'soon')}").should_store


def test_a_removed_authorization_ends_all_of_the_subject() -> None:
    (fact,) = parse(REMOVED)
    assert isinstance(fact, AccessLost)
    assert (fact.subject, fact.accounts) == ("open-1", ())
    assert fact.reason == "The person disconnected the app in TikTok."


@pytest.mark.parametrize("content", ['{"reason":"4"}', '{"reason":99}', "{}", "", "nonsense", '{"reason":null}'])
def test_a_removal_counts_whatever_its_reason(content: str) -> None:
    body = json.dumps({"event": "authorization.removed", "user_openid": "open-1", "content": content}).encode()
    (fact,) = parse(body)
    assert isinstance(fact, AccessLost)
    assert fact.reason


def test_a_removal_of_nobody_is_kept_and_not_acted_on() -> None:
    (fact,) = parse(b'{"event":"authorization.removed","content":"{}"}')
    assert isinstance(fact, UnhandledFact)


def test_news_of_a_post_are_a_hint_to_look() -> None:
    (fact,) = parse((FIXTURES / "post_publicly_available.json").read_bytes())
    assert isinstance(fact, PublishingMoved)
    assert (fact.kind, fact.platform_account_id) == ("tiktok", "open-1")


def test_other_events_are_kept_under_their_name() -> None:
    body = (FIXTURES / "portability_ready.json").read_bytes()
    (fact,) = parse(body)
    assert isinstance(fact, UnhandledFact)
    assert (fact.name, fact.data["openId"]) == ("portability.download.ready", None)
    assert fact.data["content"] == json.loads(body)["content"]


def test_the_same_bytes_have_the_same_key() -> None:
    again = parse(REMOVED)
    assert again == parse(REMOVED)
    assert again != parse(REMOVED + b" ")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
NOTICES = st.fixed_dictionaries(
    {},
    optional={
        "event": st.sampled_from(["authorization.removed", "post.publish.failed", "\x00"]) | JSON,
        "user_openid": st.text() | JSON,
        "create_time": st.integers() | JSON,
        "content": st.text() | JSON.map(json.dumps) | JSON,
    },
)


@given(st.binary() | JSON.map(lambda it: json.dumps(it).encode()) | NOTICES.map(lambda it: json.dumps(it).encode()))
def test_parsing_never_fails(body: bytes) -> None:
    for fact in parse(body):
        assert isinstance(fact, AccessLost | PublishingMoved | UnhandledFact)
        assert fact.dedup_key.isprintable()


def test_nesting_without_end_is_read_as_unreadable() -> None:
    assert [fact.name for fact in parse(b'{"event":' + b"[" * 200_000) if isinstance(fact, UnhandledFact)] == [
        "unreadable"
    ]
