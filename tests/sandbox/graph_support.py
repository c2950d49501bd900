"""What the tests of Meta's three products share: signing in, and checking what is sent back."""

import hashlib
import hmac
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import msgspec

from socialgate_sandbox.kit import Vendor
from support.simulation import ReceivedWebhook, RunningSandbox, WebhookReceiver, running_sandbox

BACK = "http://127.0.0.1:9/connect/callback"


class Platform:
    """A running vendor with the stand-in for the product; `at` gives a client of one of its hosts."""

    def __init__(self, running: RunningSandbox, gateway: WebhookReceiver, name: str) -> None:
        self.running = running
        self.gateway = gateway
        self.name = name
        self.url = f"{running.url}/{name}"

    @property
    def client_id(self) -> str:
        return f"sandbox-{self.name}"

    @property
    def secret(self) -> str:
        return f"sandbox-{self.name}-secret"

    def get(self, path: str, **query: Any) -> httpx.Response:
        return self.running.client.get(f"/{self.name}/{path}", params=query)

    def post(self, path: str, **form: Any) -> httpx.Response:
        return self.running.client.post(f"/{self.name}/{path}", data=form)

    def delete(self, path: str, **query: Any) -> httpx.Response:
        return self.running.client.delete(f"/{self.name}/{path}", params=query)

    def act(self, verb: str, **fields: Any) -> Any:
        return self.running.control(verb, platform=self.name, **fields)

    def pass_time(self, seconds: float) -> None:
        self.running.control("clock", advance=seconds)

    def decide(self, dialog: str, form: dict[str, Any], **query: Any) -> dict[str, str]:
        """Send the consent form and give the parameters that come back, with the fragment as `#`."""
        request = {"client_id": self.client_id, "redirect_uri": BACK, "response_type": "code", **query}
        answer = self.running.client.post(f"/{self.name}/{dialog}", params=request, data=form)
        assert answer.status_code == 302, answer.text
        parts = urlsplit(answer.headers["location"])
        assert parts._replace(query="", fragment="").geturl() == request["redirect_uri"]
        return {**dict(parse_qsl(parts.query)), "#": parts.fragment}

    def arrived(self, count: int = 1) -> list[ReceivedWebhook]:
        return self.gateway.wait_for(count)


@contextmanager
def running_platform(folder: Path, vendor: Vendor) -> Iterator[Platform]:
    gateway = WebhookReceiver()
    try:
        with running_sandbox(folder, [vendor], gateway.url) as running:
            yield Platform(running, gateway, vendor.name)
    finally:
        gateway.close()


def start_anew(platform: Platform) -> Platform:
    platform.running.reset(platform.gateway)
    return platform


def signed_by(secret: str, request: ReceivedWebhook) -> bool:
    """Check the signature of a webhook over the bytes that came."""
    expected = hmac.new(secret.encode(), request.body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(request.headers["x-hub-signature-256"], f"sha256={expected}")


def opened(secret: str, request: ReceivedWebhook) -> Any:
    """Check a signed request and give what it says."""
    assert request.headers["content-type"] == "application/x-www-form-urlencoded"
    signature, _, data = dict(parse_qsl(request.body.decode()))["signed_request"].partition(".")
    assert _decoded(signature) == hmac.new(secret.encode(), data.encode(), hashlib.sha256).digest()
    return msgspec.json.decode(_decoded(data))


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def error_of(answer: httpx.Response, status: int = 400) -> dict[str, Any]:
    """Give the error of an answer, whose trace id must be there."""
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert error.pop("fbtrace_id")
    return dict(error)


def codes_of(answer: httpx.Response, status: int = 400) -> tuple[int, int | None]:
    error = error_of(answer, status)
    return error["code"], error.get("error_subcode")


def names_of(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [row["name"] for row in rows]
