"""Webhooks of Stripe: who signed them, and what they say. The signatures are those of Stripe's own library."""

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest
import stripe
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.stripe.webhooks import StripeWebhookReceiver
from socialgate.contracts.billing import SubscriptionMoved
from socialgate.contracts.webhooks import PlatformFact, UnhandledFact, WebhookRequest

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
SECRETS = ("whsec_current", "whsec_previous")


class StoppedClock:
    def now(self) -> datetime:
        return NOW


INBOUND = StripeWebhookReceiver(SECRETS, StoppedClock())


def request(body: bytes, signature: str | None = None) -> WebhookRequest:
    headers = {} if signature is None else {"stripe-signature": signature}
    return WebhookRequest(method="POST", query={}, headers=headers, body=body)


def status(body: str, signature: str | None) -> int:
    return asyncio.run(INBOUND.receive(request(body.encode(), signature), ())).status


def signed(body: str, secret: str = SECRETS[0], late: int = 0) -> str:
    sent_at = int(NOW.timestamp()) - late
    return str(stripe.WebhookSignature.generate_signature_header(body, secret, timestamp=sent_at))


def parsed(**event: Any) -> list[PlatformFact]:
    return list(INBOUND.parse(request(json.dumps(event).encode())))


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_what_stripe_signs_is_accepted_with_each_secret(body: str) -> None:
    for secret in SECRETS:
        assert status(body, signed(body, secret)) == 200
        assert status(body + " ", signed(body, secret)) == 401
    assert status(body, signed(body, "whsec_another")) == 401


@pytest.mark.parametrize(("late", "expected"), [(300, 200), (301, 401), (-300, 200), (-301, 401)])
def test_old_and_future_times_are_refused(late: int, expected: int) -> None:
    assert status("{}", signed("{}", late=late)) == expected


def test_one_of_several_signatures_is_enough_if_its_scheme_counts() -> None:
    sent, _, good = signed("{}").partition(",")
    other = signed("{}", "whsec_another").partition(",")[2]
    assert status("{}", f"{sent},{other},{good}") == 200
    assert status("{}", f"{sent}, {good} ,{other}") == 200
    assert status("{}", f"{sent},{good.replace('v1=', 'v0=')}") == 401
    assert status("{}", f"{good}") == 401


@pytest.mark.parametrize("header", [None, "", "t=,v1=", "t=²,v1=a", "t=1e9,v1=a", "=,=", "t=" + "9" * 400, "v1=\udcff"])
def test_any_header_is_refused_without_an_error(header: str | None) -> None:
    assert status("{}", header) == 401


def test_without_a_secret_nobody_is_trusted() -> None:
    signature = signed("{}", "")
    assert asyncio.run(StripeWebhookReceiver([""], StoppedClock()).receive(request(b"{}", signature), ())).status == 401


@pytest.mark.parametrize("customer", ["cus_1", {"id": "cus_1", "object": "customer"}])
@pytest.mark.parametrize(
    "event",
    [
        "checkout.session.completed",
        "customer.subscription.created",
        "customer.subscription.updated",
        "customer.subscription.deleted",
        "invoice.payment_failed",
    ],
)
def test_reports_about_subscriptions_name_the_customer(event: str, customer: Any) -> None:
    facts = parsed(id="evt_1", type=event, data={"object": {"customer": customer, "status": "active"}})
    assert facts == [SubscriptionMoved(dedup_key="evt_1", event=event, customer_id="cus_1")]


def test_other_reports_are_kept_and_counted() -> None:
    assert parsed(id="evt_1", type="payout.paid", data={"object": {}}) == [
        UnhandledFact(dedup_key="evt_1", name="payout.paid")
    ]
    nobody = parsed(id="evt_2", type="invoice.payment_failed", data={"object": {"customer": None}})
    assert nobody == [UnhandledFact(dedup_key="evt_2", name="invoice.payment_failed")]


def test_long_ids_are_hashed() -> None:
    keys = [parsed(id=f"evt_{'1' * 5000}{end}", type="payout.paid")[0].dedup_key for end in ("a", "b", "a")]
    assert (len(keys[0]), keys[0] == keys[1], keys[0] == keys[2]) == (64, False, True)


@given(
    st.binary()
    | st.recursive(st.none() | st.text(), lambda inner: st.dictionaries(st.text(), inner)).map(
        lambda value: json.dumps(value).encode()
    )
)
def test_anything_can_be_parsed(body: bytes) -> None:
    (fact,) = INBOUND.parse(request(body))
    assert isinstance(fact, UnhandledFact)
