"""What Threads sends: only with its signature, and whatever the bytes are."""

import asyncio
import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from socialgate.connectors.threads.webhooks import ThreadsWebhookReceiver
from socialgate.connectors.transport import PlatformApp
from socialgate.contracts.comments import CommentAuthor, CommentReceived
from socialgate.contracts.platforms import Kind
from socialgate.contracts.webhooks import (
    AccessLost,
    AffectedAccounts,
    PlatformFact,
    UnhandledFact,
    WebhookRequest,
    WebhookResponse,
)

FIXTURES = Path(__file__).parent / "fixtures"
SECRET = "fedcba9876543210fedcba9876543210"
INBOUND = ThreadsWebhookReceiver(PlatformApp(id="1", secret=SECRET, verify_token="a long random word"))
PERSON = "17841405793187218"
REMOVAL = {"algorithm": "HMAC-SHA256", "issued_at": 1763200000, "user_id": PERSON}


def request(body: bytes = b"", *, method: str = "POST", **more: dict[str, str]) -> WebhookRequest:
    return WebhookRequest(method=method, query=more.get("query", {}), headers=more.get("headers", {}), body=body)


def receive(sent: WebhookRequest, inbound: ThreadsWebhookReceiver = INBOUND, *secrets: str) -> WebhookResponse:
    return asyncio.run(inbound.receive(sent, secrets))


def signature(body: bytes, secret: str = SECRET) -> dict[str, str]:
    return {"x-hub-signature-256": "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}


def signed_form(payload: object, secret: str = SECRET) -> bytes:
    text = base64.urlsafe_b64encode(json.dumps(payload).encode()).rstrip(b"=")
    seal = base64.urlsafe_b64encode(hmac.new(secret.encode(), text, hashlib.sha256).digest()).rstrip(b"=")
    return b"signed_request=" + seal + b"." + text


def facts(name: str) -> list[PlatformFact]:
    return list(INBOUND.parse(request((FIXTURES / f"{name}.json").read_bytes())))


def test_the_handshake_gives_the_challenge_back_to_whoever_knows_the_word() -> None:
    query = {"hub.mode": "subscribe", "hub.challenge": "1158201444", "hub.verify_token": "a long random word"}
    assert receive(request(method="GET", query=query)) == WebhookResponse(body=b"1158201444", should_store=False)
    for wrong in ("", "other", "\udc80"):
        reply = receive(request(method="GET", query={**query, "hub.verify_token": wrong}))
        assert (reply.status, reply.should_store) == (403, False)
    assert (
        receive(
            request(method="GET", query={**query, "hub.verify_token": ""}), ThreadsWebhookReceiver(PlatformApp())
        ).status
        == 403
    )


def test_the_secret_of_the_threads_app_signs_or_that_of_the_app_around_it() -> None:
    body = (FIXTURES / "replies.json").read_bytes()
    assert receive(request(body, headers=signature(body))) == WebhookResponse()
    assert receive(request(body, headers=signature(body, "meta app")), INBOUND, "meta app").should_store
    wrong: list[dict[str, str]] = [{}, signature(body + b" "), signature(body, "meta app"), signature(body, "")]
    for headers in wrong:
        reply = receive(request(body, headers=headers))
        assert (reply.status, reply.should_store) == (401, False)


def test_uninstalling_the_app_loses_the_profile() -> None:
    body = signed_form(REMOVAL)
    assert receive(request(body)) == WebhookResponse()
    (fact,) = INBOUND.parse(request(body))
    assert isinstance(fact, AccessLost)
    assert (fact.subject, fact.accounts) == (PERSON, ())
    for forged in (signed_form(REMOVAL, "other"), signed_form({**REMOVAL, "algorithm": "none"}), b"signed_request="):
        assert receive(request(forged)).status == 401


def test_a_request_for_deletion_is_confirmed_with_a_page_that_exists() -> None:
    sent = request(signed_form(REMOVAL), query={"deletion": "1"}, headers={"host": "gate.example.com"})
    reply = receive(sent)
    assert (reply.content_type, reply.should_store) == ("application/json", True)
    answer = json.loads(reply.body)
    url = urlsplit(answer["url"])
    assert url.netloc + url.path == "gate.example.com/webhooks/threads"
    page = receive(request(method="GET", query={name: values[0] for name, values in parse_qs(url.query).items()}))
    assert answer["confirmation_code"].encode() in page.body
    assert not page.should_store


@pytest.mark.parametrize(
    ("name", "events"),
    [
        ("mentions", [("mentions", "mentions:78901:8901235")]),
        ("delete", [("delete", "delete:8901236")]),
        ("publish_several", [("publish", "publish:8901237"), ("publish", "publish:8901238")]),
    ],
)
def test_what_happens_is_kept_under_its_own_id(name: str, events: list[tuple[str, str]]) -> None:
    existing_facts = facts(name)
    assert [(fact.name, fact.dedup_key) for fact in existing_facts if isinstance(fact, UnhandledFact)] == events
    assert len(existing_facts) == len(events)


def test_a_reply_is_told_to_the_owner_of_the_post() -> None:
    (fact,) = facts("replies")
    assert isinstance(fact, CommentReceived)
    assert (fact.dedup_key, fact.kind, fact.platform_account_id, fact.change) == (
        "replies:8901234",
        Kind.THREADS,
        "123456",
        "created",
    )
    assert fact.affected_accounts == AffectedAccounts(accounts=((Kind.THREADS, "123456"),))
    comment = fact.comment
    assert (comment.id, comment.object_id, comment.parent_id) == ("8901234", "123456", "567890")
    assert (comment.text, comment.author) == ("Reply", CommentAuthor(username="test_username"))
    assert (comment.created_at, comment.own) == (datetime(2024, 8, 7, 10, 33, 16, tzinfo=UTC), False)
    assert comment.url == "https://www.threads.net/@test_username/post/Pp"


def changed(field: str, **value: object) -> PlatformFact:
    body = {"values": {"field": field, "value": {"id": "7", "text": "Hi", "username": "ada", **value}}}
    (fact,) = INBOUND.parse(request(json.dumps(body).encode()))
    return fact


def test_a_deletion_is_one_of_a_reply_only_where_it_says_so() -> None:
    root = {"id": "1", "owner_id": 123456, "username": "ada"}
    deleted = changed("delete", root_post=root, replied_to={"id": "1"})
    assert isinstance(deleted, CommentReceived)
    assert (deleted.dedup_key, deleted.change, deleted.platform_account_id) == ("delete:7", "deleted", "123456")
    assert (deleted.comment.own, deleted.comment.can_hide, deleted.comment.parent_id) == (True, True, None)
    assert isinstance(changed("delete"), UnhandledFact)


@pytest.mark.parametrize("root", [None, {}, {"id": "1"}, {"id": "1", "owner_id": "../2"}, {"id": "1", "owner_id": []}])
def test_a_reply_without_an_owner_is_kept_and_told_to_nobody(root: object) -> None:
    fact = changed("replies", root_post=root)
    assert isinstance(fact, UnhandledFact)
    assert (fact.dedup_key, fact.affected_accounts) == ("replies:7", None)


STRANGE = [
    b"",
    b"{}",
    b"null",
    b"\xff",
    b"[" * 100_000,
    b'{"values":[]}',
    b'{"values":{"field":"replies","value":' + b"[" * 100_000,
    b'{"values":{"field":"replies","value":' + b"[" * 900 + b"]" * 900 + b"}}",
    b'{"values":{"field":"","value":{"id":"\\u0000"}},"target_id":' + b"9" * 30 + b"}",
    b"signed_request=" + b"A" * 1001,
]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
changes = st.dictionaries(st.sampled_from(["field", "value", "id"]), values)
envelopes = st.fixed_dictionaries(
    {"values": changes | st.lists(changes, max_size=3) | values},
    optional={"topic": values, "target_id": values, "time": values},
)
bodies = st.binary(max_size=200) | envelopes.map(lambda envelope: json.dumps(envelope).encode())


def assert_sane(facts: list[PlatformFact]) -> None:
    assert facts
    for fact in facts:
        assert 0 < len(fact.dedup_key) <= 200
        assert fact.dedup_key.isprintable()


@pytest.mark.parametrize("body", STRANGE, ids=range(len(STRANGE)))
def test_nothing_is_too_strange_to_be_read(body: bytes) -> None:
    assert_sane(list(INBOUND.parse(request(body))))


# How fast the machine makes examples says nothing about them.
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(bodies | bodies.map(lambda body: b"signed_request=" + body))
def test_reading_never_fails(body: bytes) -> None:
    assert_sane(list(INBOUND.parse(request(body))))
    assert receive(request(body, headers={"x-hub-signature-256": "sha256=00"})).status == 401
