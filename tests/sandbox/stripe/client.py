"""What a merchant does at Stripe, with Stripe's own SDK."""

from typing import Any

import httpx
import stripe
from stripe.checkout import Session

from support.simulation import RunningSandbox, WebhookReceiver

__all__ = ["DAY", "KEY", "PRO", "PRO_YEAR", "SCALE", "SECRET", "StripeClient"]

DAY = 86_400
KEY, SECRET = "sk_test_sandbox", "whsec_sandbox"
PRO, PRO_YEAR, SCALE = "price_sandboxProMonth", "price_sandboxProYear", "price_sandboxScaleMonth"


class StripeClient:
    def __init__(self, sandbox: RunningSandbox, gateway: WebhookReceiver) -> None:
        self.sandbox = sandbox
        self.gateway = gateway
        self.url = f"{sandbox.url}/stripe/api.stripe.com"
        self.http = sandbox.client
        self.api = self.client(KEY).v1

    def client(self, key: str) -> stripe.StripeClient:
        return stripe.StripeClient(key, base_addresses={"api": self.url}, max_network_retries=0)

    def call(self, method: str, path: str, key: str | None = KEY, **options: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {key}"} if key else {}
        return self.http.request(
            method, f"{self.url}/v1/{path}", headers=headers | options.pop("headers", {}), **options
        )

    def customer(self) -> stripe.Customer:
        return self.api.customers.create({"email": "zoe@example.com", "name": "Zoë", "metadata": {"owner": "own_1"}})

    def checkout(self, price: str = PRO, **more: Any) -> Session:
        params: Any = {
            "mode": "subscription",
            "line_items": [{"price": price, "quantity": 1}],
            "success_url": f"{self.gateway.url}/paid?session={{CHECKOUT_SESSION_ID}}",
            "cancel_url": f"{self.gateway.url}/back",
        }
        return self.api.checkout.sessions.create(params | more)

    def subscribe(self, price: str = PRO, **more: Any) -> stripe.Subscription:
        """Subscribe a new customer, who pays at once."""
        session = self.checkout(price, customer=self.customer().id, **more)
        paid = self.sandbox.control("pay", platform="stripe", session=session.id)
        return self.api.subscriptions.retrieve(paid["subscription"])

    def again(self, subscription: stripe.Subscription) -> stripe.Subscription:
        return self.api.subscriptions.retrieve(subscription.id)

    def advance(self, days: float) -> None:
        self.sandbox.control("clock", advance=days * DAY)

    def types(self) -> list[str]:
        """What happened, in its order."""
        return [event.type for event in reversed(list(self.api.events.list({"limit": 100}).data))]

    def latest(self, kind: str) -> Any:
        """The object of the newest event of a type, as the event shows it."""
        return self.api.events.list({"type": kind, "limit": 1}).data[0].data.object
