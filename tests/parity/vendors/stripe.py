"""Stripe, compared with its own SDK."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import stripe as official

from parity.operations import NOW, TOKEN, Operation, Vendor
from parity.recording import SDK, Recorder
from socialgate.connectors.stripe.payments import _API_VERSION, StripePayments
from socialgate.connectors.transport import PlatformApp
from socialgate.contracts.billing import CheckoutRequest

CUSTOMER, SESSION, OWNER = "cus_1000001", "cs_1000001", "own_1"
BUY = CheckoutRequest(
    owner_id=OWNER,
    customer_id=CUSTOMER,
    plan="pro",
    price_id="price_1000001",
    success_url="https://gate.example.com/console?checkout=success",
    cancel_url="https://gate.example.com/console?checkout=cancelled",
    checkout_number=3,
    idempotency_key="key-1",
)
_OPEN = {"object": "list", "has_more": False, "data": [{"id": SESSION, "status": "open", "metadata": {}}]}


@contextmanager
def sdk(recorder: Recorder) -> Iterator[Any]:
    base = recorder.base(SDK, "api.stripe.com")
    http: Any = official.RequestsClient()
    client = official.StripeClient(
        TOKEN, base_addresses={"api": base}, max_network_retries=0, stripe_version=_API_VERSION, http_client=http
    )
    yield client.v1
    http.close()


def once(key: str) -> Any:
    return {"idempotency_key": key}


OPERATIONS = [
    Operation(
        "create a customer",
        lambda sdk: sdk.customers.create(
            {"name": "Bakery", "email": "ada@example.com", "metadata": {"socialgate_owner": OWNER}}, once("key-1")
        ),
        lambda ours: ours.create_customer(OWNER, "Bakery", "ada@example.com", "key-1"),
    ),
    Operation(
        "find a customer",
        lambda sdk: sdk.customers.list(
            {
                "created": {"gte": int(NOW.timestamp()), "lte": int((NOW + timedelta(hours=1)).timestamp())},
                "limit": 100,
            }
        ),
        lambda ours: ours.find_customer(OWNER, NOW, NOW + timedelta(hours=1)),
    ),
    Operation(
        "create a checkout page",
        lambda sdk: sdk.checkout.sessions.create(
            {
                "mode": "subscription",
                "customer": CUSTOMER,
                "client_reference_id": OWNER,
                "line_items": [{"price": "price_1000001", "quantity": 1}],
                "subscription_data": {"metadata": {"socialgate_owner": OWNER, "socialgate_plan": "pro"}},
                "metadata": {"socialgate_checkout": "3"},
                "allow_promotion_codes": True,
                "success_url": BUY.success_url,
                "cancel_url": BUY.cancel_url,
            },
            once("key-1"),
        ),
        lambda ours: ours.create_checkout(BUY),
    ),
    Operation(
        "read a checkout page",
        lambda sdk: sdk.checkout.sessions.retrieve(SESSION),
        lambda ours: ours.is_checkout_open(SESSION),
    ),
    Operation(
        "list open checkout pages",
        lambda sdk: sdk.checkout.sessions.list({"customer": CUSTOMER, "status": "open", "limit": 100}),
        lambda ours: ours.close_checkouts(CUSTOMER, 3),
    ),
    Operation(
        "close a checkout page",
        lambda sdk: sdk.checkout.sessions.expire(SESSION),
        lambda ours: ours.close_checkouts(CUSTOMER, 3),
        answers={r"GET .*/checkout/sessions$": _OPEN},
    ),
    Operation(
        "open the portal",
        lambda sdk: sdk.billing_portal.sessions.create({"customer": CUSTOMER, "return_url": BUY.cancel_url}),
        lambda ours: ours.create_portal_url(CUSTOMER, BUY.cancel_url),
    ),
    Operation(
        "list prices",
        lambda sdk: sdk.prices.list({"active": True, "limit": 100}),
        lambda ours: ours.fetch_price_amounts(["price_1000001"]),
    ),
    Operation(
        "list subscriptions",
        lambda sdk: sdk.subscriptions.list({"customer": CUSTOMER, "status": "all", "limit": 100}),
        lambda ours: ours.list_subscriptions(CUSTOMER),
    ),
]

VENDOR = Vendor(
    name="stripe",
    sdk=sdk,
    ours=lambda wire: StripePayments(PlatformApp(secret=TOKEN), wire),
    operations=OPERATIONS,
    answers={
        r"GET .*/(?:customers|prices|sessions|subscriptions)$": {"object": "list", "has_more": False, "data": []},
        r"": {
            "id": SESSION,
            "object": "checkout.session",
            "status": "open",
            "url": "https://checkout.stripe.com/c",
            "expires_at": 1,
        },
    },
)
