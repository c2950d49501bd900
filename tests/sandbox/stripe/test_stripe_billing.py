"""Checkout, subscriptions and invoices, and what the clock does to them."""

from itertools import pairwise
from typing import Any

import pytest
import stripe

from sandbox.stripe.client import DAY, PRO, PRO_YEAR, SCALE, StripeClient


def statuses(merchant: StripeClient, subscription: stripe.Subscription) -> list[tuple[str | None, int]]:
    invoices = merchant.api.invoices.list({"subscription": subscription.id}).data
    return [(invoice.status, invoice.total) for invoice in reversed(list(invoices))]


def period(subscription: stripe.Subscription) -> tuple[int, int]:
    item = subscription["items"].data[0]
    return item.current_period_start, item.current_period_end


def test_a_checkout_session_is_paid(merchant: StripeClient) -> None:
    zoe = merchant.customer()
    session = merchant.checkout(
        customer=zoe.id,
        client_reference_id="own_1",
        metadata={"plan": "pro"},
        subscription_data={"metadata": {"owner": "own_1"}},
    )
    assert (session.status, session.payment_status, session.subscription) == ("open", "unpaid", None)
    assert session.expires_at - session.created == DAY
    lines = merchant.api.checkout.sessions.line_items.list(session.id)
    assert [(line.description, line.amount_total) for line in lines.data] == [("Pro", 2900)]
    answer = merchant.http.post(str(session.url), data={"decision": "pay"})
    assert answer.headers["location"] == f"{merchant.gateway.url}/paid?session={session.id}"
    paid = merchant.api.checkout.sessions.retrieve(session.id, {"expand": ["subscription", "line_items"]})
    assert (paid.status, paid.payment_status, paid.url) == ("complete", "paid", None)
    assert (paid.client_reference_id, paid.customer) == ("own_1", zoe.id)
    assert paid.line_items is not None
    subscription = paid.subscription
    assert isinstance(subscription, stripe.Subscription)
    assert (subscription.status, subscription.metadata.to_dict(), subscription.customer) == (
        "active",
        {"owner": "own_1"},
        zoe.id,
    )
    assert statuses(merchant, subscription) == [("paid", 2900)]
    assert merchant.types() == [
        "customer.created",
        "customer.subscription.created",
        "invoice.created",
        "customer.updated",
        "invoice.finalized",
        "invoice.paid",
        "invoice.payment_succeeded",
        "checkout.session.completed",
    ]
    assert merchant.http.post(str(session.url), data={"decision": "pay"}).status_code == 200
    assert len(merchant.api.subscriptions.list({"customer": zoe.id}).data) == 1


def test_a_new_customer_is_created_by_paying(merchant: StripeClient) -> None:
    session = merchant.checkout()
    merchant.http.post(str(session.url), data={"decision": "pay", "email": "new@example.com"})
    paid = merchant.api.checkout.sessions.retrieve(session.id, {"expand": ["customer"]})
    assert isinstance(paid.customer, stripe.Customer)
    assert paid.customer.email == "new@example.com"
    assert paid.customer_details is not None
    assert paid.customer_details.email == "new@example.com"


def test_a_declined_card_leaves_the_session_open(merchant: StripeClient) -> None:
    session = merchant.checkout()
    answer = merchant.http.post(str(session.url), data={"decision": "pay", "card": "declined"})
    assert (answer.status_code, "declined" in answer.text) == (402, True)
    assert merchant.sandbox.control("pay", platform="stripe", card="declined")["error"] == "card_declined"
    back = merchant.http.post(str(session.url), data={"decision": "back"})
    assert back.headers["location"] == f"{merchant.gateway.url}/back"
    assert merchant.api.checkout.sessions.retrieve(session.id).status == "open"
    assert merchant.types() == []


def test_a_session_expires_by_itself_or_on_request(merchant: StripeClient) -> None:
    first, second = merchant.checkout(), merchant.checkout()
    assert merchant.api.checkout.sessions.expire(first.id).status == "expired"
    with pytest.raises(stripe.InvalidRequestError, match="can be expired"):
        merchant.api.checkout.sessions.expire(first.id)
    merchant.advance(0.99)
    assert merchant.api.checkout.sessions.retrieve(second.id).status == "open"
    merchant.advance(0.02)
    assert merchant.api.checkout.sessions.retrieve(second.id).status == "expired"
    assert merchant.types() == ["checkout.session.expired"] * 2
    assert "has expired" in merchant.http.get(str(second.url)).text
    listed = merchant.api.checkout.sessions.list({"status": "expired", "limit": 1})
    assert ([session.id for session in listed.data], listed.has_more) == ([second.id], True)


def test_a_subscription_renews_every_period(merchant: StripeClient) -> None:
    subscription = merchant.subscribe()
    start, end = period(subscription)
    assert 28 * DAY <= end - start <= 31 * DAY
    merchant.advance((end - start) / DAY + 0.001)
    renewed = merchant.again(subscription)
    assert (renewed.status, period(renewed)[0]) == ("active", end)
    # For an hour, the invoice can still be changed.
    assert statuses(merchant, subscription) == [("paid", 2900), ("draft", 2900)]
    merchant.advance(0.05)
    assert statuses(merchant, subscription) == [("paid", 2900), ("paid", 2900)]
    paid = merchant.latest("invoice.paid")
    assert (paid.billing_reason, paid.parent.subscription_details.subscription) == (
        "subscription_cycle",
        subscription.id,
    )
    assert (paid.lines.data[0].period.start, paid.lines.data[0].period.end) == period(renewed)
    merchant.advance(92)
    assert statuses(merchant, subscription) == [("paid", 2900)] * 5
    # What happened while the clock was moved has the time at which it was due.
    created = [event.created for event in merchant.api.events.list({"type": "invoice.paid"}).data]
    assert all(27 * DAY < later - earlier < 32 * DAY for later, earlier in pairwise(created))


def test_a_declined_renewal_is_retried(merchant: StripeClient) -> None:
    subscription = merchant.subscribe()
    merchant.sandbox.control("card", platform="stripe", account=subscription.customer)
    merchant.advance(31.1)
    assert merchant.again(subscription).status == "past_due"
    failed = merchant.latest("invoice.payment_failed")
    assert (failed.status, failed.attempt_count, failed.amount_remaining) == ("open", 1, 2900)
    assert failed.next_payment_attempt > failed.created
    assert merchant.api.customers.retrieve(str(subscription.customer)).delinquent
    merchant.advance(3)
    assert merchant.again(subscription).status == "active"
    assert statuses(merchant, subscription) == [("paid", 2900)] * 2
    assert not merchant.api.customers.retrieve(str(subscription.customer)).delinquent


def test_a_subscription_ends_after_the_last_attempt(merchant: StripeClient) -> None:
    subscription = merchant.subscribe()
    merchant.sandbox.control("card", platform="stripe", account=subscription.customer, times=9)
    merchant.advance(31.1)
    with pytest.raises(stripe.CardError, match="declined"):
        merchant.api.invoices.pay(merchant.latest("invoice.payment_failed").id)
    merchant.advance(20)
    ended = merchant.again(subscription)
    assert (ended.status, ended.ended_at is not None) == ("canceled", True)
    assert ended.cancellation_details is not None
    assert ended.cancellation_details.reason == "payment_failed"
    assert merchant.types().count("invoice.payment_failed") == 4
    assert merchant.types()[-1] == "customer.subscription.deleted"
    merchant.advance(60)
    assert statuses(merchant, subscription) == [("paid", 2900), ("open", 2900)]


def test_an_accepted_card_pays_what_is_due(merchant: StripeClient) -> None:
    subscription = merchant.subscribe()
    merchant.sandbox.control("card", platform="stripe", account=subscription.customer, times=9)
    merchant.advance(31.1)
    paid = merchant.sandbox.control("card", platform="stripe", account=subscription.customer, result="accepted")
    assert paid == {"account": subscription.customer, "paid": 1}
    assert merchant.again(subscription).status == "active"
    with pytest.raises(stripe.InvalidRequestError, match="already paid"):
        merchant.api.invoices.pay(str(merchant.again(subscription).latest_invoice))


def test_a_trial_is_free_until_its_end(merchant: StripeClient) -> None:
    subscription = merchant.subscribe(subscription_data={"trial_period_days": 14})
    assert (subscription.status, subscription.trial_end, period(subscription)[1]) == (
        "trialing",
        subscription.created + 14 * DAY,
        subscription.trial_end,
    )
    assert statuses(merchant, subscription) == [("paid", 0)]
    merchant.advance(14.1)
    assert merchant.again(subscription).status == "active"
    assert statuses(merchant, subscription) == [("paid", 0), ("paid", 2900)]


@pytest.mark.parametrize("at_once", [True, False])
def test_a_plan_is_changed_within_its_period(merchant: StripeClient, at_once: bool) -> None:
    subscription = merchant.subscribe()
    start, end = period(subscription)
    merchant.advance((end - start) / DAY / 2)
    item, behavior = subscription["items"].data[0].id, "always_invoice" if at_once else "create_prorations"
    params: Any = {"items": [{"id": item, "price": SCALE}], "proration_behavior": behavior}
    changed = merchant.api.subscriptions.update(subscription.id, params)
    assert changed["items"].data[0].price.id == SCALE
    assert period(changed) == (start, end)
    updated = merchant.api.events.list({"type": "customer.subscription.updated"}).data[0]
    assert updated.data.previous_attributes is not None
    assert updated.data.previous_attributes["items"]["data"][0]["price"]["id"] == PRO
    # Half a month of the difference: now, or with the next invoice.
    bill = merchant.latest("invoice.paid")
    if not at_once:
        assert bill.billing_reason == "subscription_create"
        merchant.advance(16)
        bill = merchant.latest("invoice.paid")
        assert bill.total == pytest.approx(9900 + 3500, abs=10)
    else:
        assert (bill.billing_reason, bill.total) == ("subscription_update", pytest.approx(3500, abs=10))
    credit, charge = bill.lines.data[:2]
    assert (credit.amount < 0, charge.amount > 0) == (True, True)
    assert credit.parent.subscription_item_details.proration


def test_another_interval_begins_a_new_period(merchant: StripeClient) -> None:
    subscription = merchant.subscribe(PRO_YEAR)
    merchant.advance(1)
    item = subscription["items"].data[0].id
    changed = merchant.api.subscriptions.update(subscription.id, {"items": [{"id": item, "price": PRO}]})
    start, end = period(changed)
    assert (start > period(subscription)[0], end - start <= 31 * DAY) == (True, True)
    # The rest of the year is more than a month costs: it becomes the customer's credit.
    customer = merchant.api.customers.retrieve(str(subscription.customer))
    assert customer.balance is not None
    assert customer.balance < -25_000
    assert merchant.latest("invoice.paid").amount_due == 0
    merchant.advance(31.1)
    assert merchant.latest("invoice.paid").amount_paid == 0
    later = merchant.api.customers.retrieve(str(subscription.customer)).balance
    assert later == customer.balance + 2900


def test_a_subscription_ends_at_the_end_of_its_period(merchant: StripeClient) -> None:
    subscription = merchant.subscribe()
    ending = merchant.api.subscriptions.update(subscription.id, {"cancel_at_period_end": True})
    assert (ending.status, ending.cancel_at_period_end, ending.cancel_at) == ("active", True, period(subscription)[1])
    kept = merchant.api.subscriptions.update(subscription.id, {"cancel_at_period_end": False})
    assert (kept.cancel_at_period_end, kept.cancel_at, kept.canceled_at) == (False, None, None)
    merchant.api.subscriptions.update(subscription.id, {"cancel_at_period_end": True})
    merchant.advance(31.1)
    assert merchant.again(subscription).status == "canceled"
    assert statuses(merchant, subscription) == [("paid", 2900)]
    assert merchant.types()[-1] == "customer.subscription.deleted"


def test_a_subscription_ends_on_a_day(merchant: StripeClient) -> None:
    subscription = merchant.subscribe()
    assert (
        merchant.api.subscriptions.update(subscription.id, {"cancel_at": "max_period_end"}).cancel_at
        == period(subscription)[1]
    )
    soon = subscription.created + 3 * DAY
    assert merchant.api.subscriptions.update(subscription.id, {"cancel_at": soon}).cancel_at == soon
    for wrong in (subscription.created - DAY, 10**12):
        with pytest.raises(stripe.InvalidRequestError):
            merchant.api.subscriptions.update(subscription.id, {"cancel_at": wrong})
    merchant.advance(3.1)
    assert merchant.again(subscription).ended_at == soon


def test_a_subscription_is_canceled_now(merchant: StripeClient) -> None:
    subscription = merchant.subscribe()
    ended = merchant.api.subscriptions.cancel(subscription.id, {"cancellation_details": {"comment": "too much"}})
    assert ended.status == "canceled"
    assert ended.cancellation_details is not None
    assert ended.cancellation_details.comment == "too much"
    customer = str(subscription.customer)
    assert merchant.api.subscriptions.list({"customer": customer}).data == []
    assert len(merchant.api.subscriptions.list({"customer": customer, "status": "all"}).data) == 1
    with pytest.raises(stripe.InvalidRequestError, match="No such subscription"):
        merchant.api.subscriptions.cancel(subscription.id)
    with pytest.raises(stripe.InvalidRequestError, match="canceled subscription"):
        merchant.api.subscriptions.update(subscription.id, {"items": [{"price": SCALE}]})


def test_a_deleted_customer_takes_the_subscription_along(merchant: StripeClient) -> None:
    subscription = merchant.subscribe()
    session = merchant.checkout(customer=subscription.customer)
    merchant.api.customers.delete(str(subscription.customer))
    assert merchant.again(subscription).status == "canceled"
    assert merchant.api.checkout.sessions.retrieve(session.id).status == "expired"
    with pytest.raises(stripe.InvalidRequestError, match="No such customer"):
        merchant.checkout(customer=subscription.customer)


def test_people_cancel_with_a_verb(merchant: StripeClient) -> None:
    subscription = merchant.subscribe()
    later = merchant.sandbox.control("unsubscribe", platform="stripe", account=subscription.customer)
    assert later == {"subscription": subscription.id, "status": "active", "cancelAt": period(subscription)[1]}
    now = merchant.sandbox.control("unsubscribe", platform="stripe", account=subscription.customer, when="now")
    assert now["status"] == "canceled"
    rows = {row["id"]: row["state"] for row in merchant.sandbox.look("accounts", platform="stripe")["data"]}
    assert rows[subscription.customer] == "active"


def test_the_portal_switches_cancels_resumes_and_fails(merchant: StripeClient) -> None:
    subscription = merchant.subscribe()
    portal = merchant.api.billing_portal.sessions.create(
        {"customer": str(subscription.customer), "return_url": "http://a.b/c"}
    )
    page = merchant.http.get(portal.url)
    assert all(words in page.text for words in ("Zoë", "$29.00 per month", "http://a.b/c"))

    def press(decision: str, **form: str) -> stripe.Subscription:
        assert merchant.http.post(portal.url, data={"decision": decision, **form}).headers["location"] == portal.url
        return merchant.again(subscription)

    assert press("switch", price=SCALE)["items"].data[0].price.id == SCALE
    assert merchant.latest("invoice.paid").billing_reason == "subscription_update"
    # The portal sets the date, not the flag: that is what the flexible billing mode does.
    ending = press("cancel")
    assert (ending.cancel_at_period_end, ending.cancel_at) == (False, period(subscription)[1])
    assert press("resume").cancel_at is None
    press("decline")
    merchant.advance(31.1)
    assert merchant.again(subscription).status == "past_due"
    assert merchant.http.get(portal.url).status_code == 404, "the link is valid for an hour"
    again = merchant.api.billing_portal.sessions.create({"customer": str(subscription.customer)})
    merchant.http.post(again.url, data={"decision": "accept"})
    assert merchant.again(subscription).status == "active"


@pytest.mark.parametrize("by_hand", [True, False])
def test_a_card_can_fail_after_the_checkout(merchant: StripeClient, by_hand: bool) -> None:
    session = merchant.checkout(customer=merchant.customer().id)
    if by_hand:
        merchant.http.post(str(session.url), data={"decision": "pay", "card": "later"})
    else:
        merchant.sandbox.control("pay", platform="stripe", card="later")
    [subscription] = merchant.api.subscriptions.list({"customer": str(session.customer)}).data
    assert subscription.status == "active"
    merchant.advance(31.1)
    assert merchant.again(subscription).status == "past_due"
