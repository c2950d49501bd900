"""What Meta sends: only with its signature, and whatever the bytes are."""

import asyncio
import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.graph.signing import build_appsecret_proof, verify_meta_signature, verify_signed_request
from socialgate.connectors.meta.webhooks import MetaWebhookReceiver
from socialgate.connectors.transport import PlatformApp
from socialgate.contracts.comments import Comment, CommentAuthor, CommentReceived
from socialgate.contracts.leads import LeadReported
from socialgate.contracts.messages import MessageProgressed, MessageReported
from socialgate.contracts.platforms import Kind
from socialgate.contracts.webhooks import AccessLost, PlatformFact, UnhandledFact, WebhookRequest, WebhookResponse

FIXTURES = Path(__file__).parent / "fixtures"
SECRET = "0123456789abcdef0123456789abcdef"
INBOUND = MetaWebhookReceiver(PlatformApp(id="1", secret=SECRET, verify_token="a long random word"))
PERSON = "10215241773831025"
PAGE = "108122341234567"
INSTAGRAM = "17841405793187218"


def request(body: bytes = b"", *, method: str = "POST", **more: dict[str, str]) -> WebhookRequest:
    return WebhookRequest(method=method, query=more.get("query", {}), headers=more.get("headers", {}), body=body)


def receive(sent: WebhookRequest, inbound: MetaWebhookReceiver = INBOUND, *secrets: str) -> WebhookResponse:
    return asyncio.run(inbound.receive(sent, secrets))


def signature(body: bytes, secret: str = SECRET) -> dict[str, str]:
    return {"x-hub-signature-256": "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}


def signed_form(payload: object, secret: str = SECRET) -> bytes:
    text = base64.urlsafe_b64encode(json.dumps(payload).encode()).rstrip(b"=")
    seal = base64.urlsafe_b64encode(hmac.new(secret.encode(), text, hashlib.sha256).digest()).rstrip(b"=")
    return b"signed_request=" + seal + b"." + text


REMOVAL = {"algorithm": "HMAC-SHA256", "issued_at": 1763200000, "user_id": PERSON}


def facts(name: str) -> list[PlatformFact]:
    return list(INBOUND.parse(request((FIXTURES / f"{name}.json").read_bytes())))


def test_the_hash_is_that_of_rfc_4231() -> None:
    header = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    assert verify_meta_signature(b"what do ya want for nothing?", header, ["wrong", "Jefe"])
    assert not verify_meta_signature(b"what do ya want for nothing!", header, ["Jefe"])
    assert build_appsecret_proof("Jefe", "what do ya want for nothing?") == header.removeprefix("sha256=")


def test_the_handshake_gives_the_challenge_back() -> None:
    query = {"hub.mode": "subscribe", "hub.challenge": "1158201444", "hub.verify_token": "a long random word"}
    assert receive(request(method="GET", query=query)) == WebhookResponse(body=b"1158201444", should_store=False)


@pytest.mark.parametrize("token", ["", "a long random worD", "\udc80", "ä"])
def test_a_handshake_without_the_word_is_refused(token: str) -> None:
    query = {"hub.mode": "subscribe", "hub.challenge": "1", "hub.verify_token": token}
    for inbound in (INBOUND, MetaWebhookReceiver(PlatformApp(id="1", secret=SECRET))):
        reply = receive(request(method="GET", query=query), inbound)
        assert (reply.status, reply.should_store) == (403, False)


def test_only_signed_webhooks_are_kept() -> None:
    body = (FIXTURES / "messages_batch.json").read_bytes()
    assert receive(request(body, headers=signature(body))) == WebhookResponse()
    assert receive(request(body, headers=signature(body, "instagram app")), INBOUND, "instagram app").should_store
    refused: list[dict[str, str]] = [
        {},
        signature(body + b" "),
        signature(body, "other"),
        signature(body, ""),
        {"x-hub-signature-256": "sha256=ü"},
        {"x-hub-signature-256": signature(body)["x-hub-signature-256"].removeprefix("sha256=")},
    ]
    for headers in refused:
        reply = receive(request(body, headers=headers))
        assert (reply.status, reply.should_store) == (401, False)


def test_a_deployment_without_a_secret_believes_nobody() -> None:
    body = b'{"object":"page","entry":[]}'
    bare = MetaWebhookReceiver(PlatformApp())
    assert receive(request(body, headers=signature(body, "")), bare).status == 401
    assert receive(request(signed_form(REMOVAL, "")), bare).status == 401


def test_a_removal_of_the_app_ends_all_of_the_persons_accounts() -> None:
    body = signed_form(REMOVAL)
    assert receive(request(body)) == WebhookResponse()
    (fact,) = INBOUND.parse(request(body))
    assert isinstance(fact, AccessLost)
    assert (fact.subject, fact.accounts, fact.dedup_key) == (PERSON, (), f"removal:{PERSON}:1763200000")


def test_a_request_for_deletion_is_confirmed_with_a_page_that_exists() -> None:
    body = signed_form({**REMOVAL, "user_id": int(PERSON)})
    sent = request(body, query={"deletion": "1"}, headers={"host": "gate.example.com"})
    reply = receive(sent)
    assert (reply.status, reply.content_type, reply.should_store) == (200, "application/json", True)
    answer = json.loads(reply.body)
    url = urlsplit(answer["url"])
    assert (url.scheme, url.netloc, url.path) == ("https", "gate.example.com", "/webhooks/meta")
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    page = receive(request(method="GET", query=query))
    assert answer["confirmation_code"].encode() in page.body
    assert (page.status, page.content_type, page.should_store) == (200, "text/plain", False)
    assert PERSON not in answer["confirmation_code"]
    assert receive(request(method="GET", query={"deletion": "1", "id": "<script>"})).status == 404
    strange = request(body, query={"deletion": "1"}, headers={"host": 'x"/<b>'})
    assert "<" not in json.loads(receive(strange).body)["url"]


def test_forms_that_prove_nothing_are_refused() -> None:
    good = signed_form(REMOVAL)
    for body in (
        signed_form(REMOVAL, "other"),
        signed_form({**REMOVAL, "algorithm": "none"}),
        signed_form({"algorithm": "HMAC-SHA256"}),
        signed_form("text"),
        good[:-1],
        b"signed_request=",
        b"signed_request=.",
        b"signed_request=%ff.%00",
        b"signed_request=a" + good[16:],
    ):
        assert receive(request(body)).status == 401, body


def test_what_is_a_form_to_the_check_is_never_json_to_the_reader() -> None:
    """A body that smuggles a valid signed request into forged JSON, or the other way round, gains nothing."""
    good = signed_form(REMOVAL).decode()
    forged = json.dumps({"object": "permissions", "x": f"&{good}&", "entry": []}).encode()
    assert receive(request(forged)).status == 401
    tail = good.encode() + b'&{"object":"permissions","entry":[{"id":"1"}]}'
    assert receive(request(tail)).should_store
    assert [fact.dedup_key for fact in INBOUND.parse(request(tail))] == [f"removal:{PERSON}:1763200000"]
    encoded = b"signed_request=" + quote(good.removeprefix("signed_request=")).encode()
    assert receive(request(encoded)).should_store


def test_facebooks_own_example_of_a_signed_request_is_sealed_with_its_secret() -> None:
    """Its payload names nobody, so it is genuine and of no use: only the seal differs between these two."""
    seal, payload = (
        "vlXgu64BQGFSQrY0ZcJBZASMvYvTHu9GQ0YM9rjPSso",
        "eyJhbGdvcml0aG0iOiJITUFDLVNIQTI1NiIsIjAiOiJwYXlsb2FkIn0",
    )
    digest = hmac.new(b"secret", payload.encode(), hashlib.sha256).digest()
    assert base64.urlsafe_b64decode(seal + "=") == digest
    assert verify_signed_request(f"signed_request={seal}.{payload}".encode(), ["secret"]) is None


def test_a_permission_taken_back_names_what_it_was_for() -> None:
    (fact,) = facts("permission_revoked")
    assert isinstance(fact, AccessLost)
    assert fact.subject == PERSON
    assert (Kind.FACEBOOK_PAGE, PAGE) in fact.accounts
    (gone,) = facts("disconnected")
    assert isinstance(gone, AccessLost)
    assert (gone.subject, gone.accounts) == (PERSON, ())
    (granted,) = facts("permission_granted")
    assert isinstance(granted, UnhandledFact)


def test_a_lead_is_named_by_the_page_and_its_own_id() -> None:
    (fact,) = facts("leadgen")
    assert isinstance(fact, LeadReported)
    assert (fact.kind, fact.account, fact.lead_id) == (Kind.FACEBOOK_PAGE, PAGE, "55459717045641545")
    assert (fact.dedup_key, fact.lead) == (f"{PAGE}:leadgen:55459717045641545", None)
    (strange,) = changed("leadgen", {"leadgen_id": "../me"})
    assert isinstance(strange, UnhandledFact)


def changed(name: str, value: dict[str, Any], **entry: Any) -> list[PlatformFact]:
    """Read a fixture with other values in its one change, and with other members of its entry."""
    body = json.loads((FIXTURES / f"{name}.json").read_bytes())
    body["entry"][0]["changes"][0]["value"] |= value
    body["entry"][0] |= entry
    return list(INBOUND.parse(request(json.dumps(body).encode())))


def comment_in(facts: list[PlatformFact]) -> CommentReceived:
    (fact,) = facts
    assert isinstance(fact, CommentReceived)
    return fact


def test_a_comment_on_a_page_is_told_with_all_that_facebook_says_of_it() -> None:
    fact = comment_in(facts("feed_comment"))
    assert (fact.kind, fact.platform_account_id, fact.change) == (Kind.FACEBOOK_PAGE, PAGE, "created")
    assert fact.affected_accounts.accounts == ((Kind.FACEBOOK_PAGE, PAGE),)
    assert fact.comment == Comment(
        id="77_88",
        object_id=f"{PAGE}_77",
        text="Schön!",
        author=CommentAuthor(id="5550001", name="Grace"),
        created_at=datetime(2025, 11, 15, 9, 46, 39, tzinfo=UTC),
        can_reply=True,
        can_hide=True,
        can_delete=True,
    )


@pytest.mark.parametrize(
    ("verb", "change"),
    [("add", "created"), ("edited", "edited"), ("remove", "deleted"), ("hide", "hidden"), ("unhide", "shown")],
)
def test_whatever_happens_to_a_comment_has_a_key_of_its_own(verb: str, change: str) -> None:
    fact = comment_in(changed("feed_comment", {"verb": verb}))
    assert fact.change == change
    assert fact.comment.hidden is (verb == "hide")
    assert fact.comment.can_delete is (verb != "remove")
    parts = fact.dedup_key.split(":")
    assert {PAGE, verb, "77_88"} <= set(parts)
    again = comment_in(changed("feed_comment", {"verb": verb}, time=1763209999))
    # A comment is written and removed once, whenever Meta sends it: the others can happen again.
    assert (again.dedup_key == fact.dedup_key) is (verb in {"add", "remove"})
    others = {
        comment_in(changed("feed_comment", {"verb": other})).dedup_key for other in ("add", "edited", "remove", "hide")
    }
    assert len(others | {fact.dedup_key}) == 4 + (verb == "unhide")


def test_a_hidden_comment_is_told_without_its_author() -> None:
    fact = comment_in(facts("feed_hidden"))
    assert (fact.change, fact.comment.author, fact.comment.own) == ("hidden", None, False)
    assert fact.dedup_key == f"{PAGE}:feed:comment:hide:77_88:1763200100"


def test_an_answer_of_the_page_itself_is_its_own() -> None:
    fact = comment_in(changed("feed_comment", {"from": {"id": PAGE, "name": "Bakery"}, "parent_id": "77_80"}))
    assert (fact.comment.own, fact.comment.parent_id) == (True, "77_80")
    assert (fact.comment.can_hide, fact.comment.can_reply) == (False, False)


@pytest.mark.parametrize("name", ["instagram_comment", "instagram_comment_flat"])
def test_a_comment_on_instagram_is_told_in_either_shape(name: str) -> None:
    fact = comment_in(facts(name))
    assert (fact.kind, fact.platform_account_id, fact.change) == (Kind.INSTAGRAM, INSTAGRAM, "created")
    assert fact.dedup_key == f"{INSTAGRAM}:comments:comment:add:17865799348089039"
    assert (fact.comment.id, fact.comment.object_id, fact.comment.text) == ("17865799348089039", "123123123", "nice")
    assert fact.comment.author == CommentAuthor(id="232323232", username="grace")
    assert not fact.comment.own


def test_what_an_instagram_account_writes_itself_is_its_own() -> None:
    mine = {"id": INSTAGRAM, "username": "ada"}
    scoped = {"id": "55", "username": "ada", "self_ig_scoped_id": "55"}
    for author in (mine, scoped):
        fact = comment_in(changed("instagram_comment", {"from": author, "parent_id": "1786"}))
        assert (fact.comment.own, fact.comment.parent_id) == (True, "1786")


@pytest.mark.parametrize(
    "value", [{"comment_id": ""}, {"comment_id": "a b"}, {"verb": "boost"}, {"message": 7}, {"item": "reaction"}]
)
def test_what_is_no_comment_is_kept_all_the_same(value: dict[str, Any]) -> None:
    (fact,) = changed("feed_comment", value)
    assert isinstance(fact, UnhandledFact)
    assert fact.name == "feed"


def test_a_comment_in_a_live_video_is_told_like_any_other() -> None:
    body = json.loads((FIXTURES / "instagram_comment.json").read_bytes())
    body["entry"][0]["changes"][0]["field"] = "live_comments"
    fact = comment_in(list(INBOUND.parse(request(json.dumps(body).encode()))))
    assert (fact.change, fact.comment.text) == ("created", "nice")


def test_a_batch_gives_each_of_its_facts() -> None:
    existing_facts = facts("messages_batch")
    assert [type(fact) for fact in existing_facts] == [
        MessageReported,
        MessageReported,
        MessageProgressed,
        MessageProgressed,
    ]
    assert existing_facts[0].dedup_key == f"{PAGE}:messages:m_AG5Hz2Uq7tuwNEhXfYYKj8mJEM"
    assert len({fact.dedup_key for fact in existing_facts}) == 4
    assert facts("messages_batch") == existing_facts
    (test,) = facts("instagram_test_button")
    assert isinstance(test, UnhandledFact)
    assert test.name == "messages"


def test_one_entry_that_cannot_be_read_takes_no_other_with_it() -> None:
    good = json.loads((FIXTURES / "leadgen.json").read_bytes())["entry"][0]
    body = json.dumps({"object": "page", "entry": [{"id": ["x"]}, good, 7]}).encode()
    names = [getattr(fact, "name", type(fact).__name__) for fact in INBOUND.parse(request(body))]
    assert names == ["unreadable", "LeadReported", "unreadable"]


STRANGE = [
    b"",
    b"{}",
    b"null",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"object":"page","entry":[' + b"[" * 100_000,
    b'{"object":"page","entry":[{"id":"1","changes":[{"field":"x","value":' + b"[" * 900 + b"]" * 900 + b"}]}]}",
    b'{"object":"page","entry":[{"id":' + b"9" * 5000 + b"}]}",
    b'{"object":"permissions","entry":[{"id":"a\\u0000b","changes":[{"field":"connected","value":{"verb":"revoked"}}]}]}',
    b'{"object":"page","entry":[{"id":"1","messaging":[1,null,"x",{"message":7},{"message":{"mid":"\\u0000"}}]}]}',
    b"signed_request=x",
    b"signed_request=" + b"A" * 1000 + b"." + b"B" * 1001,
]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
members = st.sampled_from(
    [
        "id",
        "time",
        "changes",
        "messaging",
        "standby",
        "field",
        "value",
        "verb",
        "target_ids",
        "message",
        "mid",
        "item",
        "comment_id",
        "from",
        "created_time",
        "sender",
        "recipient",
        "timestamp",
        "postback",
        "message_edit",
        "reaction",
        "delivery",
        "read",
        "mids",
        "watermark",
        "attachments",
        "payload",
        "type",
        "reply_to",
        "text",
    ]
)
entries = st.dictionaries(members, values | st.lists(st.dictionaries(members, values, max_size=4), max_size=3))
bodies = st.binary(max_size=200) | st.builds(
    lambda kind, listed: json.dumps({"object": kind, "entry": listed}).encode(),
    st.sampled_from(["page", "instagram", "permissions", "user", ""]),
    st.lists(entries | values, max_size=3) | values,
)


def assert_sane(facts: list[PlatformFact]) -> None:
    assert facts
    for fact in facts:
        assert 0 < len(fact.dedup_key) <= 200
        assert fact.dedup_key.isprintable()
        if isinstance(fact, AccessLost):
            assert fact.subject
            assert fact.subject.isascii()


@pytest.mark.parametrize("body", STRANGE, ids=range(len(STRANGE)))
def test_nothing_is_too_strange_to_be_read(body: bytes) -> None:
    assert_sane(list(INBOUND.parse(request(body))))


@given(bodies | bodies.map(lambda body: b"signed_request=" + body))
def test_reading_never_fails(body: bytes) -> None:
    assert_sane(list(INBOUND.parse(request(body))))
    assert receive(request(body, headers={"x-hub-signature-256": "sha256=00"})).status == 401
