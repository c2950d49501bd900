"""Signed events, the endpoints that they go to, and the shapes of all objects."""

import time
import types
import typing
from pathlib import Path
from typing import Any

import pytest
import stripe

from sandbox.stripe.client import SECRET, StripeClient
from socialgate_sandbox.vendors.stripe import VENDOR
from support.simulation import WebhookReceiver, running_sandbox
from support.waiting import eventually


def verified(body: bytes, signature: str, secret: str = SECRET) -> stripe.Event:
    return stripe.Webhook.construct_event(body, signature, secret)  # type: ignore[no-any-return]  # it says nothing about what it returns


def test_an_event_arrives_signed(merchant: StripeClient) -> None:
    zoe = merchant.api.customers.create({"name": "Zoë"}, {"idempotency_key": "k1"})
    [arrived] = merchant.gateway.wait_for(1)
    assert arrived.path == "/webhooks/stripe"
    event = verified(arrived.body, arrived.headers["stripe-signature"])
    assert (event.type, event.livemode, event.api_version) == ("customer.created", False, stripe.api_version)
    assert (event.data.object["id"], event.data.object["name"]) == (zoe.id, "Zoë")
    assert zoe.last_response is not None
    assert event.request is not None
    assert (event.request.id, event.request.idempotency_key) == (zoe.last_response.headers["request-id"], "k1")
    stored = merchant.api.events.retrieve(event.id)
    assert stored.to_dict() == event.to_dict()
    with pytest.raises(stripe.SignatureVerificationError):
        verified(arrived.body + b" ", arrived.headers["stripe-signature"])


def test_a_signature_has_the_real_time_whatever_the_clock_says(merchant: StripeClient) -> None:
    subscription = merchant.subscribe()
    before = len(merchant.gateway.wait_for(8))
    merchant.advance(63)
    eventually(lambda: len(merchant.gateway.arrived) == before + 10)
    late = merchant.gateway.arrived[-1]
    signed = int(late.headers["stripe-signature"].split(",")[0].removeprefix("t="))
    assert abs(signed - time.time()) < 120
    assert verified(late.body, late.headers["stripe-signature"]).created > time.time() + 58 * 86400
    assert late.json["request"] == {"id": None, "idempotency_key": None}
    assert merchant.again(subscription).status == "active"


def test_each_attempt_is_signed_by_itself(merchant: StripeClient) -> None:
    merchant.gateway.answers = [500]
    merchant.customer()
    merchant.gateway.wait_for(1)
    eventually(lambda: merchant.sandbox.look("deliveries")["data"][0]["attempts"])
    merchant.sandbox.control("clock", advance=11)
    first, second = merchant.gateway.wait_for(2)
    assert first.body == second.body
    assert verified(second.body, second.headers["stripe-signature"]).type == "customer.created"


def test_a_restart_keeps_everything_and_finds_the_product(tmp_path: Path, gateway: WebhookReceiver) -> None:
    with running_sandbox(tmp_path, [VENDOR], "http://127.0.0.1:9") as before:
        subscription = StripeClient(before, gateway).subscribe()
    with running_sandbox(tmp_path, [VENDOR], gateway.url) as after:
        merchant = StripeClient(after, gateway)
        arrived = len(gateway.arrived)
        merchant.advance(31.1)
        assert merchant.again(subscription).status == "active"
        eventually(lambda: any(json["type"] == "invoice.paid" for json in _bodies(gateway)[arrived:]))


def _bodies(gateway: WebhookReceiver) -> list[Any]:
    return [received_webhook.json for received_webhook in gateway.arrived]


def test_endpoints_get_what_they_ask_for(merchant: StripeClient) -> None:
    url = f"{merchant.gateway.url}/mine"
    webhook_endpoint = merchant.api.webhook_endpoints.create({"url": url, "enabled_events": ["customer.deleted"]})
    assert str(webhook_endpoint.secret).startswith("whsec_")
    assert merchant.api.webhook_endpoints.retrieve(webhook_endpoint.id).to_dict().get("secret") is None
    assert len(merchant.api.webhook_endpoints.list().data) == 2
    merchant.api.customers.delete(merchant.customer().id)
    eventually(
        lambda: [received_webhook for received_webhook in merchant.gateway.arrived if received_webhook.path == "/mine"]
    )
    [mine] = [received_webhook for received_webhook in merchant.gateway.wait_for(3) if received_webhook.path == "/mine"]
    event = verified(mine.body, mine.headers["stripe-signature"], str(webhook_endpoint.secret))
    assert (event.type, event.pending_webhooks) == ("customer.deleted", 2)
    disabled = merchant.api.webhook_endpoints.update(webhook_endpoint.id, {"disabled": True, "enabled_events": ["*"]})
    assert (disabled.status, disabled.enabled_events) == ("disabled", ["*"])
    merchant.customer()
    assert merchant.api.events.list({"limit": 1}).data[0].pending_webhooks == 1
    assert merchant.api.webhook_endpoints.delete(webhook_endpoint.id).deleted
    for wrong in ("nowhere", "https://example.com/hook"):
        with pytest.raises(stripe.InvalidRequestError):
            merchant.api.webhook_endpoints.create({"url": wrong, "enabled_events": ["*"]})


def test_events_are_listed_by_type(merchant: StripeClient) -> None:
    merchant.subscribe()
    listed = merchant.api.events.list({"types": ["invoice.paid", "customer.created"]}).data
    assert [event.type for event in listed] == ["invoice.paid", "customer.created"]
    assert {event.type for event in merchant.api.events.list({"type": "invoice.*"}).data} == {
        "invoice.created",
        "invoice.finalized",
        "invoice.paid",
        "invoice.payment_succeeded",
    }
    assert merchant.api.events.list({"created": {"gt": int(time.time()) + 60}}).data == []


def test_objects_have_the_shapes_of_the_sdk(merchant: StripeClient) -> None:
    subscription = merchant.subscribe()
    session = merchant.api.checkout.sessions.list({"limit": 1, "expand": ["data.line_items"]}).data[0]
    invoice = merchant.api.invoices.retrieve(str(subscription.latest_invoice))
    item = subscription["items"].data[0]
    assert session.line_items is not None
    for shown in (
        merchant.api.customers.retrieve(str(subscription.customer)),
        merchant.api.products.list().data[0],
        item.price,
        item.price.recurring,
        item,
        item.plan,
        session,
        session.line_items.data[0],
        subscription,
        subscription.billing_mode,
        subscription.cancellation_details,
        invoice,
        invoice.parent,
        invoice.status_transitions,
        invoice.lines.data[0],
        merchant.api.events.list().data[0],
        merchant.api.webhook_endpoints.list().data[0],
        merchant.api.billing_portal.sessions.create({"customer": str(subscription.customer)}),
    ):
        assert shown is not None
        assert type(shown) is not stripe.StripeObject, "the SDK knows its class"
        declared = _declared(type(shown))
        items = set(shown.to_dict())
        required = {name for name, optional in declared.items() if not optional}
        assert (type(shown), items - set(declared), required - items) == (type(shown), set(), set())


def _declared(kind: type[Any]) -> dict[str, bool]:
    """The fields that the SDK declares, and whether each may be missing or null."""
    fields = {name: hint for name, hint in kind.__annotations__.items() if name != "OBJECT_NAME"}
    return {name: _is_optional(hint) for name, hint in fields.items()}


def _is_optional(hint: Any) -> bool:
    origin = typing.get_origin(hint)
    return origin in {typing.Union, types.UnionType} and type(None) in typing.get_args(hint)
