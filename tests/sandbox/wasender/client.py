"""Calling the simulated WaSender in plain HTTP and through the client that others published on PyPI."""

from typing import Any

import httpx
from wasenderapi import create_sync_wasender  # type: ignore[import-untyped, unused-ignore]  # ships no types

from socialgate_sandbox.vendors.wasender import VENDOR
from socialgate_sandbox.vendors.wasender.seed import derive_tokens
from support.simulation import RunningSandbox, WebhookReceiver

EVENTS = ["messages.received", "message.sent", "messages.update", "session.status", "qrcode.updated"]
TOKENS = derive_tokens(VENDOR.app.secret)
PAT = TOKENS["ada"]


class WaSender:
    def __init__(self, running: RunningSandbox, gateway: WebhookReceiver) -> None:
        self.running = running
        self.gateway = gateway
        self.url = f"{running.url}/wasender/api"
        self.hook = f"{gateway.url}/webhooks/wasender?r=1"

    def send(self, method: str, path: str, token: str | None = PAT, **more: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        return self.running.client.request(method, f"/wasender/api/{path}", headers=headers, **more)

    def call(self, method: str, path: str, token: str | None = PAT, **more: Any) -> Any:
        """Call and give what lies under `data`."""
        answer = self.send(method, path, token, **more)
        assert answer.is_success, answer.text
        body = answer.json()
        assert body["success"] is True
        return body["data"]

    def refused(self, method: str, path: str, token: str | None = PAT, **more: Any) -> tuple[int, str]:
        answer = self.send(method, path, token, **more)
        body = answer.json()
        assert body.get("success") in {None, False}
        return answer.status_code, body["message"]

    def fields(self, **more: Any) -> dict[str, Any]:
        """Give what makes a session, with all of its webhooks."""
        return {
            "name": "Bakery",
            "phone_number": "+15550100101",
            "account_protection": False,
            "log_messages": True,
            "webhook_url": self.hook,
            "webhook_enabled": True,
            "webhook_events": EVENTS,
        } | more

    def make(self, **more: Any) -> dict[str, Any]:
        created: dict[str, Any] = self.call("POST", "whatsapp-sessions", json=self.fields(**more))
        return created

    def linked(self, **more: Any) -> dict[str, Any]:
        """Make a session and scan its code. Its webhooks are forgotten."""
        created = self.make(**more)
        self.call("POST", f"whatsapp-sessions/{created['id']}/connect")
        self.act("scan", account=str(created["id"]))
        self.gateway.wait_for(4)
        self.gateway.arrived.clear()
        return created

    def act(self, verb: str, **fields: Any) -> Any:
        return self.running.control(verb, platform="wasender", **fields)

    def pass_time(self, seconds: float) -> None:
        self.running.control("clock", advance=seconds)

    def news(self, count: int = 1) -> list[dict[str, Any]]:
        arrived = self.gateway.wait_for(count)
        assert len(arrived) == count
        return [received_webhook.json for received_webhook in arrived]

    def client(self, key: str = "", token: str = PAT, secret: str | None = None) -> Any:
        return create_sync_wasender(
            key, base_url=self.url, personal_access_token=token, webhook_secret=secret, retry_options=None
        )
