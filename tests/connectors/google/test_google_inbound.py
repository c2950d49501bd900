"""What Google sends: four senders with four proofs, and what they say."""

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.google.signing import OTHER_KEY, Clock, Published, token
from socialgate.connectors.google.jwt_verification import SigningKeyCache
from socialgate.connectors.google.webhooks import GoogleWebhookReceiver
from socialgate.connectors.transport import PlatformApp
from socialgate.contracts.calendar import CalendarNoticed
from socialgate.contracts.comments import CommentReceived
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
APP = PlatformApp(id="1234-made-up.apps.googleusercontent.com", secret="hush", verify_token="shared-word")
REFUSED = WebhookResponse(status=401, should_store=False)
CLOCK = Clock()
SOON = int(CLOCK.now().timestamp()) + 600
NOTICE = {
    "x-goog-channel-id": "ch-1",
    "x-goog-message-number": "7",
    "x-goog-resource-id": "res-1",
    "x-goog-resource-state": "exists",
    "x-goog-resource-uri": "https://www.googleapis.com/calendar/v3/calendars/primary/events?alt=json",
    "x-goog-channel-expiration": "Tue, 17 Nov 2026 12:00:00 GMT",
}


def fixture(name: str) -> Any:
    return json.loads((FIXTURES / f"{name}.json").read_bytes())


def request(
    body: bytes = b"", headers: Mapping[str, str] | None = None, *, query: Mapping[str, str] | None = None
) -> WebhookRequest:
    return WebhookRequest(method="POST", query=query or {}, headers=headers or {}, body=body)


def received(
    came: WebhookRequest, secrets: Sequence[str] = (), *, app: PlatformApp = APP, down: bool = False
) -> WebhookResponse:
    published = Published("k1")
    published.down = down
    return asyncio.run(GoogleWebhookReceiver(app, CLOCK, SigningKeyCache(published, CLOCK)).receive(came, secrets))


def parse(came: WebhookRequest) -> Sequence[PlatformFact]:
    return GoogleWebhookReceiver(APP, CLOCK, SigningKeyCache(Published(), CLOCK)).parse(came)


def security_event(name: str, **changed: Any) -> WebhookRequest:
    return request(token(fixture(name) | changed).encode(), {"content-type": "application/secevent+jwt"})


def push(claims: Mapping[str, Any], **kwargs: Any) -> WebhookRequest:
    headers = {"content-type": "application/json", "authorization": f"Bearer {token(claims, **kwargs)}"}
    return request((FIXTURES / "pubsub_new_review.json").read_bytes(), headers)


# Security events


@pytest.mark.parametrize("name", ["risc_tokens_revoked", "risc_token_revoked", "risc_batch", "risc_verification"])
def test_a_security_event_that_google_signed_is_taken(name: str) -> None:
    assert received(security_event(name)) == WebhookResponse(status=202)


def test_a_bare_token_is_a_security_event_too_and_its_age_does_not_count() -> None:
    body = token(fixture("risc_tokens_revoked") | {"exp": 1}).encode()
    assert received(request(body + b"\n")) == WebhookResponse(status=202)


@pytest.mark.parametrize(
    "changed", [{"iss": "https://evil.example/"}, {"iss": None}, {"aud": "other-app"}, {"aud": None}, {"aud": []}]
)
def test_a_security_event_for_or_from_others_is_refused(changed: dict[str, Any]) -> None:
    assert received(security_event("risc_tokens_revoked", **changed)) == REFUSED


def test_a_security_event_that_google_did_not_sign_is_refused() -> None:
    forged = token(fixture("risc_tokens_revoked"), key=OTHER_KEY).encode()
    assert received(request(forged)) == REFUSED
    assert received(request(b"\xff.\xff.\xff", {"content-type": "application/secevent+jwt"})) == REFUSED


def test_without_an_app_no_security_event_is_ours() -> None:
    assert received(security_event("risc_tokens_revoked", aud=""), app=PlatformApp()) == REFUSED


def test_while_the_keys_are_away_google_is_asked_to_come_again() -> None:
    assert received(security_event("risc_tokens_revoked"), down=True) == WebhookResponse(status=503, should_store=False)


def test_revoked_tokens_end_all_of_the_subject() -> None:
    (fact,) = parse(security_event("risc_tokens_revoked"))
    assert isinstance(fact, AccessLost)
    assert (fact.dedup_key, fact.subject, fact.refresh_token_alias) == (
        "756E69717565206964656E746966696572",
        "7375626A656374",
        None,
    )


def test_a_revoked_token_is_named_by_its_prefix_or_hash() -> None:
    (fact,) = parse(security_event("risc_token_revoked"))
    assert isinstance(fact, AccessLost)
    assert (fact.dedup_key, fact.subject, fact.refresh_token_alias) == ("token-revoked-1", None, "1//0made-up-pref")


def test_several_events_in_one_token_have_a_key_each() -> None:
    disabled, sessions = parse(security_event("risc_batch"))
    assert isinstance(disabled, AccessLost)
    assert isinstance(sessions, UnhandledFact)
    assert (disabled.dedup_key, disabled.subject) == ("batch-1", "7375626A656374")
    assert (sessions.dedup_key, sessions.name) == ("batch-1:1", "risc.sessions-revoked")


def test_a_verification_is_kept() -> None:
    (fact,) = parse(security_event("risc_verification"))
    assert isinstance(fact, UnhandledFact)
    assert (fact.name, fact.data["state"]) == ("risc.verification", "hello")


@pytest.mark.parametrize("event", [None, 7, {}, {"subject": None}, {"subject": {"sub": 7}}, {"subject": {}}])
def test_a_revocation_of_nobody_is_kept_and_not_acted_on(event: Any) -> None:
    kind = next(iter(fixture("risc_tokens_revoked")["events"]))
    (fact,) = parse(security_event("risc_tokens_revoked", events={kind: event}))
    assert isinstance(fact, UnhandledFact)


# Calendars


def test_a_notice_with_the_secret_of_its_channel_is_taken() -> None:
    came = request(headers=NOTICE | {"x-goog-channel-token": "s-2"})
    assert received(came, ["s-1", "s-2"]) == WebhookResponse()


@pytest.mark.parametrize("given_token", ["", "s-3", "s-", "ß"])
def test_a_notice_without_it_is_refused(given_token: str) -> None:
    assert received(request(headers=NOTICE | {"x-goog-channel-token": given_token}), ["s-1", ""]) == REFUSED
    assert received(request(headers=NOTICE | {"x-goog-channel-token": given_token})) == REFUSED


def test_the_first_notice_of_a_channel_is_answered_and_not_kept() -> None:
    came = request(headers=NOTICE | {"x-goog-channel-token": "s-1", "x-goog-resource-state": "sync"})
    assert received(came, ["s-1"]) == WebhookResponse(should_store=False)


def test_a_notice_is_known_by_its_channel_and_number() -> None:
    (fact,) = parse(request(headers=NOTICE))
    assert fact == CalendarNoticed(dedup_key="calendar:ch-1:7")
    # Whose it is, the address tells.
    assert fact.affected_accounts == AffectedAccounts()


# The hub of YouTube


def test_the_vector_of_the_hub() -> None:
    headers = {"x-hub-signature": "sha1=48baeb85e2153a4a692fcb75ffd634ead2fa1c55"}
    assert received(request(b"<feed/>", headers), ["hubsecret"]) == WebhookResponse(status=204)


@pytest.mark.parametrize("algorithm", ["sha1", "sha256", "sha384", "sha512"])
def test_the_hub_names_its_algorithm(algorithm: str) -> None:
    signature = hmac.new(b"hubsecret", b"<feed/>", algorithm).hexdigest()
    assert received(request(b"<feed/>", {"x-hub-signature": f"{algorithm}={signature}"}), ["hubsecret"]).should_store


@pytest.mark.parametrize(
    "signature",
    ["", "sha1=", "sha1=00", "sha1=ß", "md5=" + hashlib.md5(b"", usedforsecurity=False).hexdigest(), "shake_128=00"],
)
def test_the_hub_does_not_learn_that_its_signature_was_wrong(signature: str) -> None:
    wrong = WebhookResponse(status=204, should_store=False)
    headers = {"x-hub-signature": signature, "content-type": "application/atom+xml"}
    assert received(request(b"<feed/>", headers), ["hubsecret"]) == wrong
    assert received(request(b"<feed/>", headers)) == wrong


def hub_asks(**query: str) -> WebhookRequest:
    named = {name.replace("_", ".", 1): value for name, value in query.items()}
    return WebhookRequest(method="GET", query=named, headers={}, body=b"")


def test_a_subscription_of_ours_is_confirmed() -> None:
    came = hub_asks(hub_mode="subscribe", hub_challenge="a/b", hub_lease_seconds="432000")
    assert received(came, ["hubsecret"]) == WebhookResponse(body=b"a/b", should_store=False)


def test_a_subscription_of_strangers_is_not() -> None:
    assert received(hub_asks(hub_mode="subscribe", hub_challenge="a")) == WebhookResponse(
        status=404, should_store=False
    )


def test_a_refusal_of_the_hub_is_kept() -> None:
    came = hub_asks(hub_mode="denied", hub_reason="why")
    assert received(came, ["hubsecret"]) == WebhookResponse()
    assert [fact.name for fact in parse(came) if isinstance(fact, UnhandledFact)] == ["websub.denied"]


def test_videos_are_known_by_the_time_of_their_change() -> None:
    first, second = parse(request((FIXTURES / "websub_video.xml").read_bytes()))
    assert isinstance(first, UnhandledFact)
    assert isinstance(second, UnhandledFact)
    assert (first.dedup_key, first.name) == (
        "madeUpVid01:2026-11-10T08:00:00.123+00:00:changed",
        "youtube.video_changed",
    )
    assert first.data["title"] == "Bread & butter"
    assert first.data["channel_id"] == "UCmadeup0000000000000001"
    assert second.dedup_key == "madeUpVid02:2026-11-10T08:01:00+00:00:changed"


def test_a_deleted_video_is_another_event() -> None:
    (fact,) = parse(request((FIXTURES / "websub_deleted.xml").read_bytes()))
    assert isinstance(fact, UnhandledFact)
    assert (fact.dedup_key, fact.name) == ("madeUpVid01:2026-11-10T09:00:00+00:00:deleted", "youtube.video_deleted")


def test_a_feed_that_would_blow_up_is_not_read() -> None:
    bomb = b'<!DOCTYPE f [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><feed xmlns="http://www.w3.org/2005/Atom">&b;</feed>'
    assert [fact.name for fact in parse(request(bomb)) if isinstance(fact, UnhandledFact)] == ["unreadable"]


# Pub/Sub


def test_a_push_for_our_secret_audience_is_taken() -> None:
    claims = {"iss": "https://accounts.google.com", "aud": "shared-word", "exp": SOON, "email_verified": True}
    assert received(push(claims)) == WebhookResponse(status=204)
    assert received(push(claims | {"aud": "of-the-account"}), ["of-the-account"]) == WebhookResponse(status=204)


def test_the_secret_may_stand_in_the_address() -> None:
    came = push({"iss": "accounts.google.com", "aud": "https://gate.example/webhooks/google", "exp": SOON})
    with_word = WebhookRequest(method="POST", query={"token": "shared-word"}, headers=came.headers, body=came.body)
    assert received(with_word) == WebhookResponse(status=204)
    assert received(came) == REFUSED


@pytest.mark.parametrize(
    ("changed", "signing"),
    [
        ({"aud": APP.id}, {}),
        ({"aud": ""}, {}),
        ({"iss": "https://evil.example"}, {}),
        ({"exp": SOON - 601}, {}),
        ({"exp": None}, {}),
        ({}, {"key": OTHER_KEY}),
        ({}, {"alg": "none"}),
    ],
)
def test_any_other_push_is_refused(changed: dict[str, Any], signing: dict[str, Any]) -> None:
    claims = {"iss": "https://accounts.google.com", "aud": "shared-word", "exp": SOON}
    assert received(push(claims | changed, **signing)) == REFUSED


def test_without_a_secret_no_push_is_believed() -> None:
    claims = {"iss": "https://accounts.google.com", "aud": "", "exp": SOON}
    assert received(push(claims), app=PlatformApp(id=APP.id)) == REFUSED
    assert received(request(b'{"message":{}}'), ["s"]) == REFUSED


def pushed(message: Any, number: str = "1") -> WebhookRequest:
    data = base64.b64encode(json.dumps(message).encode()).decode()
    return request(json.dumps({"message": {"data": data, "messageId": number}}).encode())


def test_a_new_review_is_a_comment_and_known_by_the_number_of_its_push() -> None:
    (fact,) = parse(request((FIXTURES / "pubsub_new_review.json").read_bytes()))
    assert isinstance(fact, CommentReceived)
    assert (fact.dedup_key, fact.change) == ("7012345678901234", "created")
    assert (fact.comment.id, fact.comment.object_id) == ("abc", "9")
    assert fact.affected_accounts.accounts == ((Kind.GOOGLE_BUSINESS, "9"),)


@pytest.mark.parametrize("field", ["reviewName", "review_name"])
def test_each_change_of_a_review_is_another_event(field: str) -> None:
    payload = {"notificationType": "UPDATED_REVIEW", "locationName": "locations/9", field: "locations/9/reviews/abc"}
    facts = [*parse(pushed(payload, "1")), *parse(pushed(payload, "2"))]
    assert [(fact.dedup_key, fact.change) for fact in facts if isinstance(fact, CommentReceived)] == [
        ("1", "edited"),
        ("2", "edited"),
    ]


@pytest.mark.parametrize(
    "payload",
    [
        {"notificationType": "NEW_REVIEW"},
        {"notificationType": "NEW_REVIEW", "reviewName": "locations/9/reviews/../../8/reviews/abc"},
        {"notificationType": "NEW_REVIEW", "reviewName": 7},
        {"notificationType": "GOOGLE_UPDATE", "name": "accounts/1/locations/9/reviews/abc"},
    ],
)
def test_any_other_push_is_kept(payload: dict[str, Any]) -> None:
    (fact,) = parse(pushed(payload))
    assert isinstance(fact, UnhandledFact)
    assert (fact.dedup_key, fact.name) == ("1", f"business.{payload['notificationType'].lower()}")
    assert fact.data["data"] == payload


# Anything


@pytest.mark.parametrize("body", [b"", b"hello", b"[1]", b"\xff"])
def test_what_nobody_of_google_sends_is_refused(body: bytes) -> None:
    assert received(request(body), ["s"]) == REFUSED


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
MESSAGES = st.fixed_dictionaries(
    {"message": st.fixed_dictionaries({}, optional={"data": JSON, "messageId": JSON}) | JSON}
)
KINDS = st.sampled_from([next(iter(fixture(name)["events"])) for name in ("risc_tokens_revoked", "risc_token_revoked")])
SUBJECTS = st.fixed_dictionaries({}, optional={"sub": st.text() | JSON, "token": st.text() | JSON})
EVENTS = st.fixed_dictionaries({}, optional={"subject": SUBJECTS | JSON, "reason": JSON})
TOKENS = st.fixed_dictionaries(
    {"events": st.dictionaries(KINDS | st.text(), EVENTS | JSON)}, optional={"jti": st.text()}
)
FEEDS = st.text().map(
    lambda text: f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><updated>{text}</updated></entry></feed>'.encode()
)
BODIES = (
    st.binary()
    | (JSON | MESSAGES).map(lambda it: json.dumps(it).encode())
    | TOKENS.map(lambda it: token(it).encode())
    | FEEDS
    | st.just(b'{"message":' + b"[" * 100_000)
    | st.just(b"<a>" * 100_000)
)
HEADERS = st.dictionaries(
    st.sampled_from([*NOTICE, "content-type", "x-hub-signature", "authorization"]),
    st.text() | st.sampled_from(["application/atom+xml", "application/secevent+jwt", "application/json"]),
)
REQUESTS = st.builds(
    WebhookRequest,
    method=st.sampled_from(["GET", "POST"]),
    query=st.dictionaries(st.sampled_from(["hub.mode", "hub.challenge"]), st.text()),
    headers=HEADERS,
    body=BODIES,
)


@settings(deadline=None)
@given(REQUESTS)
def test_parsing_never_fails(came: WebhookRequest) -> None:
    facts = parse(came)
    assert facts
    assert all(fact.dedup_key and fact.dedup_key.isprintable() and len(fact.dedup_key) <= 220 for fact in facts)


@settings(deadline=None)
@given(REQUESTS, st.lists(st.text()))
def test_receiving_never_fails_either(came: WebhookRequest, secrets: list[str]) -> None:
    assert received(came, secrets).status in {200, 202, 204, 401, 404}
