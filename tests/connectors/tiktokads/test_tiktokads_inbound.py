"""The webhooks of TikTok Ads: who sent them, and what they say."""

import asyncio
import hashlib
import hmac
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.tiktokads.webhooks import TikTokAdsWebhookReceiver
from socialgate.connectors.transport import PlatformApp
from socialgate.contracts.leads import LeadReported
from socialgate.contracts.platforms import Kind
from socialgate.contracts.webhooks import PlatformFact, UnhandledFact, WebhookRequest, WebhookResponse

FIXTURES = Path(__file__).parent / "fixtures"
SECRET = "made-up-secret"
LEADS = (FIXTURES / "leads.json").read_bytes().rstrip()
REVIEW = (FIXTURES / "ad_review.json").read_bytes().rstrip()


def received(body: bytes, signature: str, *, secret: str = SECRET) -> WebhookResponse:
    request = WebhookRequest(method="POST", query={}, headers={"x-open-signature": signature}, body=body)
    return asyncio.run(TikTokAdsWebhookReceiver(PlatformApp(id="1", secret=secret)).receive(request, []))


def facts_in(body: bytes) -> list[PlatformFact]:
    return list(
        TikTokAdsWebhookReceiver(PlatformApp()).parse(WebhookRequest(method="POST", query={}, headers={}, body=body))
    )


def parse(body: bytes) -> list[UnhandledFact]:
    facts = facts_in(body)
    assert all(isinstance(fact, UnhandledFact) for fact in facts)
    return [fact for fact in facts if isinstance(fact, UnhandledFact)]


def sign(body: bytes) -> str:
    return hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()


def escaped(body: bytes) -> bytes:
    """Write the same JSON in ASCII, the way the standard library does."""
    return json.dumps(json.loads(body), separators=(",", ":")).encode()


def test_the_signature_is_over_the_escaped_form() -> None:
    assert escaped(LEADS) != LEADS
    assert b"Zo\\u00eb \\ud83d\\ude80" in escaped(LEADS)
    assert received(LEADS, sign(escaped(LEADS))) == WebhookResponse()


def test_the_raw_bytes_are_believed_too() -> None:
    assert received(LEADS, sign(LEADS)).should_store
    assert received(REVIEW, sign(REVIEW).upper()).should_store


# Python escapes DEL too, which is ASCII.
LETTERS = st.characters(exclude_characters="\x7f", exclude_categories=["Cs"])


@given(st.text(LETTERS) | st.lists(st.text(LETTERS)) | st.dictionaries(st.text(LETTERS), st.text(LETTERS)))
def test_escaping_is_that_of_json(value: object) -> None:
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    assert received(plain, sign(json.dumps(value, separators=(",", ":")).encode())).should_store


@pytest.mark.parametrize("signature", ["", "0" * 64, "ü", sign(LEADS)[:-1], sign(LEADS + b" ")])
def test_anything_else_is_refused(signature: str) -> None:
    assert received(LEADS, signature) == WebhookResponse(status=401, should_store=False)


def test_bytes_that_are_no_text_are_judged_as_they_are() -> None:
    assert received(b"\xff\xfe", sign(b"\xff\xfe")).should_store
    assert not received(b"\xff\xfe", sign(b"")).should_store


def test_an_app_without_a_secret_believes_nobody() -> None:
    assert not received(REVIEW, hmac.new(b"", REVIEW, hashlib.sha256).hexdigest(), secret="").should_store


def test_a_batch_of_leads_gives_one_fact_each() -> None:
    first, second = facts_in(LEADS)
    assert isinstance(first, LeadReported)
    assert (first.kind, first.account, first.lead_id) == (Kind.TIKTOK_ADS, "6931111111111111111", "6933123456789012993")
    assert [fact.dedup_key for fact in (first, second)] == ["lead:6933123456789012993", "lead:6933123456789012994"]
    assert first.lead is not None
    assert (first.lead.form_id, first.lead.form_name) == ("6932987654321098765", "Newsletter")
    assert (first.lead.ad_id, first.lead.campaign_id) == ("1694444444444444", "1692222222222222")
    assert first.lead.created_at == datetime(2021, 2, 25, 7, 45, 52, tzinfo=UTC)
    assert first.lead.fields == {"email": "ada@example.com", "phone_number": "+4915112345678", "name": "Zoë 🚀"}


def test_a_lead_is_the_same_in_other_company() -> None:
    alone = json.loads(LEADS)
    alone["entry"] = alone["entry"][1:]
    assert [fact.dedup_key for fact in facts_in(json.dumps(alone).encode())] == ["lead:6933123456789012994"]


def test_the_same_ad_can_be_reviewed_twice() -> None:
    later = json.loads(REVIEW) | {"time": 1699439999}
    (unhandled_fact,), (again,), (other,) = (
        parse(REVIEW),
        parse(REVIEW),
        parse(json.dumps(later, separators=(",", ":")).encode()),
    )
    assert unhandled_fact.name == "ad_review"
    assert unhandled_fact.dedup_key == again.dedup_key != other.dedup_key


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b'{"object":8,"entry":[{}]}', "creative_fatigue"),
        (b'{"object":"11","entry":[]}', "report_data_change"),
        (b'{"object":4711}', "object_4711"),
        (b'{"object":"odd\\u0000"}', "unknown"),
        (b'{"object":1,"entry":[7]}', "lead"),
        (b"{}", "unknown"),
        (b"[]", "unreadable"),
        (b"", "unreadable"),
        (b'{"entry":' + b"[" * 200_000, "unreadable"),
    ],
)
def test_what_is_not_known_is_kept(body: bytes, name: str) -> None:
    assert [fact.name for fact in parse(body)] == [name]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
ENTRIES = st.fixed_dictionaries({}, optional={"id": st.integers() | st.text() | JSON, "changes": JSON})
DELIVERIES = st.fixed_dictionaries(
    {},
    optional={
        "object": st.sampled_from([1, 2, "3"]) | JSON,
        "time": st.integers() | JSON,
        "entry": st.lists(ENTRIES | JSON) | JSON,
    },
)


@given(st.binary() | (JSON | DELIVERIES).map(lambda it: json.dumps(it).encode()))
def test_parsing_never_fails(body: bytes) -> None:
    facts = facts_in(body)
    assert facts
    assert all(fact.dedup_key.isprintable() and len(fact.dedup_key) <= 80 for fact in facts)
