"""An owner who buys plans in the sandbox, and what the simulated Stripe has of that owner."""

from datetime import datetime
from typing import Any
from uuid import uuid4

import httpx

from socialgate.areas.billing import store
from support.sandbox import Sandbox
from support.service import SANDBOX_KEYS, OwnerFixture, RunningService


class Shopper:
    """An owner who buys a plan."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        self.running, self.sandbox = running, sandbox
        self.owner = OwnerFixture(running)

    def checkout(self, plan: str = "pro", interval: str = "month", key: str | None = None) -> httpx.Response:
        body = {"plan": plan, "interval": interval}
        return self.owner.session.post("/billing/checkout", json=body, headers={"Idempotency-Key": key or uuid4().hex})

    def buy(self, plan: str = "pro", interval: str = "month", **form: str) -> None:
        """Pay on the checkout page, as a person does."""
        answer = self.checkout(plan, interval)
        assert answer.status_code == 201, answer.text
        paid = httpx.post(answer.json()["url"], data={"decision": "pay", **form}, timeout=120)
        assert paid.status_code == 303, paid.text
        assert paid.headers["location"] == f"{self.running.url}/console?checkout=success"

    def manage(self, **form: str) -> None:
        """Do something in the customer portal."""
        opened = self.owner.session.post("/billing/portal")
        assert opened.status_code == 201, opened.text
        assert httpx.post(opened.json()["url"], data=form, timeout=120).status_code == 303

    def usage(self) -> dict[str, Any]:
        answer = self.owner.session.get("/usage")
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result

    @property
    def plan(self) -> str:
        return str(self.usage()["plan"])

    @property
    def status(self) -> str | None:
        billing = self.usage()["billing"]
        return None if billing is None else str(billing["status"])

    @property
    def customer(self) -> str:
        row = self.running.read(store.find_billing_row, self.owner.id)
        return str(row.customer_id)

    def synced_at(self) -> datetime:
        time: datetime = self.running.read(store.find_billing_row, self.owner.id).synced_at
        return time

    def customers(self) -> list[dict[str, Any]]:
        """List the customers that Stripe has of this owner."""
        return [item for item in self._listed("customers") if item["metadata"].get("socialgate_owner") == self.owner.id]

    def open_pages(self) -> list[str]:
        """List the URLs of the pages that could be paid."""
        return [item["url"] for item in self._listed("checkout/sessions", customer=self.customer, status="open")]

    def close_pages(self) -> None:
        """Close the open pages, as the operator does at Stripe."""
        for item in self._listed("checkout/sessions", customer=self.customer, status="open"):
            self._stripe("POST", f"checkout/sessions/{item['id']}/expire")

    def subscriptions(self) -> list[dict[str, Any]]:
        return self._listed("subscriptions", customer=self.customer, status="all")

    def _listed(self, label: str, **query: str) -> list[dict[str, Any]]:
        result: list[dict[str, Any]] = self._stripe("GET", label, params={"limit": 100, **query})["data"]
        return result

    def _stripe(self, method: str, label: str, **value: Any) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {SANDBOX_KEYS.stripe.secret_key}"}
        address = f"/stripe/api.stripe.com/v1/{label}"
        answer = self.sandbox.http.request(method, address, headers=headers, **value)
        assert answer.is_success, answer.text
        result: dict[str, Any] = answer.json()
        return result
