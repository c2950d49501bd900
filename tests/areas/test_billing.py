"""Billing through the API: a person pays in the sandbox, and the plan follows what Stripe says now."""

import json
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest
import stripe

from socialgate.areas.billing import store
from socialgate.contracts.billing import SubscriptionMoved
from socialgate.core.db import Tx
from support.parallel import run_simultaneously
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import SANDBOX_KEYS, OwnerFixture, RunningService, StartService
from support.shopping import Shopper
from support.waiting import eventually

MONTH = 32 * 24 * 60 * 60


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own, because its clock and that of the sandbox are moved."""
    with start_service(default_plan="free", billing_grace_days=3) as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox
        sandbox.http.delete("/_control/fail")
        sandbox.control("webhooks", mode="normal", release=True)


@pytest.fixture
def shopper(running: RunningService, sandbox: Sandbox) -> Shopper:
    return Shopper(running, sandbox)


def test_a_plan_is_bought_raised_and_cancelled(shopper: Shopper) -> None:
    assert (shopper.plan, shopper.usage()["billing"]) == ("free", None)
    shopper.buy()
    eventually(lambda: shopper.plan == "pro")
    result = shopper.usage()
    assert (result["billing"]["status"], result["billing"]["interval"]) == ("active", "month")
    assert result["billing"]["renewsAt"] > result["period"]
    limits = {metric["name"]: metric["limit"] for metric in result["metrics"]}
    assert (limits["posts"], limits["connectedAccounts"], limits["apiCalls"]) == (1000, 25, None)
    shopper.manage(decision="switch", price=SANDBOX_KEYS.stripe.prices["scale_year"])
    eventually(lambda: shopper.plan == "scale")
    assert shopper.usage()["billing"]["interval"] == "year"
    renews = shopper.usage()["billing"]["renewsAt"]
    shopper.manage(decision="cancel")
    ends = eventually(lambda: shopper.usage()["billing"]["endsAt"])
    assert (shopper.plan, ends, shopper.usage()["billing"]["renewsAt"]) == ("scale", renews, None)
    shopper.sandbox.control("unsubscribe", platform="stripe", account=shopper.customer, when="now")
    eventually(lambda: shopper.status == "canceled")
    # It ends now, and not when it would have been paid until.
    now = shopper.usage()["billing"]
    assert (shopper.plan, now["renewsAt"]) == ("free", None)
    assert abs(datetime.fromisoformat(now["endsAt"]) - shopper.running.clock.now()) < timedelta(hours=1)
    shopper.buy("scale")
    eventually(lambda: shopper.plan == "scale")


def test_an_overdue_payment_keeps_the_plan_for_a_while(shopper: Shopper) -> None:
    shopper.buy()
    eventually(lambda: shopper.plan == "pro")
    shopper.sandbox.control("card", platform="stripe", account=shopper.customer, result="declined", times=1)
    shopper.sandbox.control("clock", advance=MONTH)
    try:
        eventually(lambda: shopper.status == "past_due")
        assert shopper.plan == "pro"
        until = shopper.usage()["billing"]["graceUntil"]
        assert until is not None
        grace = timedelta(days=3, minutes=1)
        shopper.running.advance_time(grace)
        assert (shopper.plan, shopper.status) == ("free", "past_due")
        # Stripe signs with the real time.
        shopper.running.advance_time(-grace)
        problem_of(shopper.checkout(), 409, "already_subscribed")
        shopper.manage(decision="accept")
        eventually(lambda: shopper.status == "active")
        assert (shopper.plan, shopper.usage()["billing"]["graceUntil"]) == ("pro", None)
    finally:
        shopper.sandbox.control("clock", reset=True)


def test_a_subscription_that_is_never_paid_ends_and_does_not_renew(shopper: Shopper) -> None:
    shopper.buy()
    eventually(lambda: shopper.plan == "pro")
    shopper.sandbox.control("card", platform="stripe", account=shopper.customer, result="declined", times=20)
    shopper.sandbox.control("clock", advance=MONTH)
    try:
        eventually(lambda: shopper.status == "past_due")
        paid_until = shopper.usage()["billing"]["renewsAt"]
        shopper.sandbox.control("clock", advance=MONTH)
        eventually(lambda: shopper.status == "canceled")
        billing = shopper.usage()["billing"]
        assert (shopper.plan, billing["renewsAt"]) == ("free", None)
        assert billing["endsAt"] < paid_until
    finally:
        shopper.sandbox.control("clock", reset=True)


def test_reports_that_arrive_late_in_another_order_and_twice_change_nothing(shopper: Shopper) -> None:
    sandbox = shopper.sandbox
    shopper.buy()
    eventually(lambda: shopper.plan == "pro")
    sandbox.control("webhooks", mode="hold")
    shopper.manage(decision="switch", price=SANDBOX_KEYS.stripe.prices["scale_month"])
    sandbox.control("unsubscribe", platform="stripe", account=shopper.customer, when="now")
    sandbox.control("webhooks", mode="duplicate", release=True)
    eventually(lambda: shopper.status == "canceled")
    # A report of the past arrives last: what it says is read from Stripe, where it no longer holds.
    before = shopper.synced_at()
    price = {"id": SANDBOX_KEYS.stripe.prices["pro_month"]}
    past = {"customer": shopper.customer, "status": "active", "items": {"data": [{"id": "si_1", "price": price}]}}
    event = {"id": f"evt_{uuid4().hex}", "object": "event", "type": "customer.subscription.updated"}
    body = json.dumps({**event, "data": {"object": {"id": "sub_1", **past}}})
    header = stripe.WebhookSignature.generate_signature_header(body, SANDBOX_KEYS.stripe.webhook_secret)
    client = shopper.running.client()
    assert client.post("/webhooks/stripe", content=body, headers={"Stripe-Signature": header}).status_code == 200
    eventually(lambda: shopper.synced_at() > before)
    assert (shopper.plan, shopper.status) == ("free", "canceled")
    shopper.buy("scale")
    eventually(lambda: shopper.plan == "scale")


def test_plans_are_listed_with_their_limits_and_prices(shopper: Shopper) -> None:
    def listed() -> dict[str, Any]:
        answer = shopper.owner.session.get("/billing/plans")
        assert answer.status_code == 200, answer.text
        assert answer.json()["nextCursor"] is None
        return {plan["name"]: plan for plan in answer.json()["data"]}

    plans = listed()
    assert [name for name, plan in plans.items() if plan["isCurrent"]] == ["free"]
    assert plans["free"]["prices"] == []
    assert {plan["name"]: plan["limit"] for plan in plans["pro"]["limits"]}["posts"] == 1000
    prices = {plan["interval"]: plan for plan in plans["pro"]["prices"]}
    assert prices["month"]["currency"] == "USD"
    assert prices["year"]["amount"] > prices["month"]["amount"] > 0
    shopper.sandbox.control("fail", platform="stripe", times=20, status=500)
    assert listed()["pro"]["prices"][0] == {"interval": "month", "amount": None, "currency": None}


@pytest.mark.both_engines
def test_an_owner_is_one_customer_however_many_ask_at_once(shopper: Shopper) -> None:
    answers = run_simultaneously(6, lambda _: shopper.checkout())
    assert {answer.status_code for answer in answers} <= {201, 503}
    assert len({answer.json()["url"] for answer in answers if answer.status_code == 201}) > 0
    assert len(shopper.customers()) == 1
    assert shopper.checkout().status_code == 201
    assert len(shopper.customers()) == 1


def test_a_customer_whose_creation_was_not_recorded_is_found_again(shopper: Shopper) -> None:
    """The process dies after the call. The key of that call is long forgotten when somebody asks again."""
    assert shopper.checkout().status_code == 201
    (customer,) = shopper.customers()

    async def forget(tx: Tx) -> None:
        await store.update_billing_row(tx, shopper.owner.id, {"customer_id": None})

    shopper.running.write(forget)
    # Stripe's clock stays: the customer was created when it was asked for.
    shopper.running.advance_time(timedelta(hours=24))
    try:
        assert shopper.checkout().status_code == 201
    finally:
        shopper.running.advance_time(timedelta(hours=-24))
    assert [item["id"] for item in shopper.customers()] == [customer["id"]] == [shopper.customer]


def test_a_lost_response_leaves_one_customer(shopper: Shopper) -> None:
    shopper.sandbox.control("fail", platform="stripe", path="*/customers", when="after", times=1)
    lost = shopper.checkout()
    assert lost.status_code == 503, lost.text
    assert shopper.checkout().status_code == 201
    assert len(shopper.customers()) == 1


def test_a_repeated_request_gets_the_same_page(shopper: Shopper) -> None:
    first, again = shopper.checkout(key="once"), shopper.checkout(key="once")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["idempotent-replayed"] == "true"
    assert again.json() == first.json()
    assert first.json().keys() == {"url", "expiresAt", "plan", "interval"}


def test_of_two_pages_only_the_last_can_be_paid(shopper: Shopper) -> None:
    first, second = shopper.checkout().json()["url"], shopper.checkout("scale").json()["url"]
    # The report of the payment stays on the way.
    shopper.sandbox.control("webhooks", mode="hold")
    assert httpx.post(first, data={"decision": "pay"}, timeout=120).status_code != 303
    assert httpx.post(second, data={"decision": "pay"}, timeout=120).status_code == 303
    assert "scale" in problem_of(shopper.checkout(), 409, "already_subscribed")["detail"]


def test_a_page_whose_response_was_lost_stays_open(shopper: Shopper) -> None:
    shopper.sandbox.control("fail", platform="stripe", path="*/checkout/sessions", method="POST", when="after", times=1)
    assert shopper.checkout(key="lost").status_code == 503
    again = shopper.checkout(key="lost")
    assert again.status_code == 201, again.text
    assert httpx.post(again.json()["url"], data={"decision": "pay"}, timeout=120).status_code == 303


def test_only_a_signed_in_person_buys(shopper: Shopper) -> None:
    key = shopper.owner.key()
    problem_of(key.post("/billing/checkout", json={"plan": "pro"}), 403, "session_required")
    problem_of(key.post("/billing/portal"), 403, "session_required")
    problem_of(shopper.owner.session.post("/billing/portal"), 409, "not_subscribed")
    # Who only looked at a checkout page has bought nothing yet.
    assert shopper.checkout().status_code == 201
    problem_of(shopper.owner.session.post("/billing/portal"), 409, "not_subscribed")


@pytest.mark.parametrize("plan", ["free", "unlimited", "gold"])
def test_what_is_not_for_sale_is_refused(shopper: Shopper, plan: str) -> None:
    assert fault_of(shopper.checkout(plan)) == ("/plan", "not_supported")
    why = "There is no plan gold." if plan == "gold" else f"The plan {plan} is not for sale."
    sold = f"{why} Plans for sale: pro (month, year), scale (month, year)."
    assert problem_of(shopper.checkout(plan), 422)["detail"].endswith(sold)
    assert fault_of(shopper.checkout("pro", "week"))[0] == "/interval"


def test_a_deployment_without_stripe_says_what_to_set(start_service: StartService) -> None:
    with start_service(sandbox=False, stripe_secret_key="sk_test_1") as plain:
        owner = OwnerFixture(plain)
        for answer in (
            owner.session.post("/billing/checkout", json={"plan": "pro"}),
            owner.session.post("/billing/portal"),
        ):
            detail = problem_of(answer, 409, "billing_not_configured")["detail"]
            assert detail.endswith("must set SOCIALGATE_STRIPE_WEBHOOK_SECRET, SOCIALGATE_STRIPE_PRICES.")
        assert plain.client().post("/webhooks/stripe", content=b"{}").status_code == 404


def test_a_key_that_stripe_rejects_is_explained(start_service: StartService, shopper: Shopper) -> None:
    wrong = {
        "stripe_secret_key": "sk_test_wrong",
        "stripe_webhook_secret": "whsec_1",
        "stripe_prices": "pro/month=price_1",
        "stripe_url": f"{shopper.sandbox.url}/stripe",
    }
    with start_service(sandbox=False, **wrong) as other:
        answer = OwnerFixture(other).session.post("/billing/checkout", json={"plan": "pro"})
        problem = problem_of(answer, 422)
        assert "SOCIALGATE_STRIPE_SECRET_KEY" in problem["detail"]
        assert "sk_test_wrong" not in answer.text


def test_a_report_is_only_believed_if_it_is_signed(shopper: Shopper) -> None:
    client = shopper.running.client()
    event = {"id": f"evt_{uuid4().hex}", "object": "event", "type": "customer.subscription.updated"}
    body = json.dumps({**event, "data": {"object": {"customer": "cus_unknown"}}})

    def send(secret: str, sent_at: int, signed: str = body) -> int:
        header = stripe.WebhookSignature.generate_signature_header(signed, secret, timestamp=sent_at)
        return client.post("/webhooks/stripe", content=body, headers={"Stripe-Signature": header}).status_code

    secret, now = SANDBOX_KEYS.stripe.webhook_secret, int(time.time())
    assert send("whsec_another", now) == 401
    assert send(secret, now - 301) == 401
    assert send(secret, now, signed=body.replace("unknown", "other")) == 401
    assert client.post("/webhooks/stripe", content=body).status_code == 401
    before = heard(shopper)
    assert (send(secret, now), send(secret, now)) == (200, 200)
    # It is about nobody here, and was heard once.
    eventually(lambda: heard(shopper) == before + 1)


def heard(shopper: Shopper) -> float:
    labels = {"platform": "stripe", "kind": SubscriptionMoved.__name__}
    number = shopper.running.service.metrics.registry.get_sample_value("socialgate_inbound_facts_total", labels)
    return number or 0.0
