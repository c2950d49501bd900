"""Webhooks from the platforms to the product."""

import hmac
from dataclasses import replace
from pathlib import Path
from typing import Any

from sandbox.tiny import TINY
from socialgate_sandbox.kit import AppRegistration
from socialgate_sandbox.vendors import whatsapp_cloud
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox
from support.waiting import eventually


def comment(sandbox: RunningSandbox, text: str = "hello") -> None:
    sandbox.control("comment", platform="tiny", account="ada", text=text)


def texts(gateway: WebhookReceiver) -> list[str]:
    return [arrived.json["text"] for arrived in gateway.arrived]


def attempts_of(sandbox: RunningSandbox, count: int) -> dict[str, Any]:
    """Wait until the only webhook was tried so often."""

    def look() -> dict[str, Any] | None:
        (only,) = sandbox.look("deliveries")["data"]
        return only if len(only["attempts"]) == count else None

    return eventually(look)


def test_a_webhook_goes_to_the_product_with_the_vendors_signature(
    sandbox: RunningSandbox, gateway: WebhookReceiver
) -> None:
    comment(sandbox)
    (arrived,) = gateway.wait_for(1)
    assert arrived.path == "/webhooks/tiny"
    assert arrived.json == {"account": "ada", "text": "hello"}
    assert arrived.headers["x-tiny-signature"] == hmac.digest(b"tiny-secret", arrived.body, "sha256").hex()
    delivered = attempts_of(sandbox, 1)
    assert (delivered["state"], delivered["platform"]) == ("delivered", "tiny")
    assert [attempt["status"] for attempt in delivered["attempts"]] == [200]


def test_a_webhook_that_is_not_taken_is_repeated_by_the_vendors_schedule(
    sandbox: RunningSandbox, gateway: WebhookReceiver
) -> None:
    gateway.answers = [500, 302]
    comment(sandbox)
    assert attempts_of(sandbox, 1)["state"] == "waiting"
    sandbox.control("clock", advance=9)
    sandbox.control("clock", advance=2)
    assert attempts_of(sandbox, 2)["state"] == "waiting"
    sandbox.control("clock", advance=61)
    done = attempts_of(sandbox, 3)
    assert [attempt["status"] for attempt in done["attempts"]] == [500, 302, 200]
    assert len({arrived.body for arrived in gateway.arrived}) == 1
    assert done["state"] == "delivered"


def test_a_webhook_is_given_up_at_the_end_of_the_schedule(sandbox: RunningSandbox, gateway: WebhookReceiver) -> None:
    gateway.answers = [500, 500, 500]
    comment(sandbox)
    for count in (1, 2):
        attempts_of(sandbox, count)
        sandbox.control("clock", advance=61)
    assert attempts_of(sandbox, 3)["state"] == "failed"
    assert sandbox.look("deliveries", state="failed", platform="tiny")["data"] != []
    assert sandbox.look("deliveries", state="waiting")["data"] == []


def test_every_webhook_can_come_twice(sandbox: RunningSandbox, gateway: WebhookReceiver) -> None:
    sandbox.control("webhooks", mode="duplicate")
    comment(sandbox)
    first, second = gateway.wait_for(2)
    assert (first.body, first.headers["x-tiny-signature"]) == (second.body, second.headers["x-tiny-signature"])


def test_webhooks_can_be_held_and_come_in_reverse(sandbox: RunningSandbox, gateway: WebhookReceiver) -> None:
    sandbox.control("webhooks", mode="hold")
    for text in "abc":
        comment(sandbox, text)
    assert [webhook["state"] for webhook in sandbox.look("deliveries")["data"]] == ["held"] * 3
    sandbox.control("webhooks", mode="normal")
    comment(sandbox, "d")
    gateway.wait_for(1)
    assert sandbox.control("webhooks", release=True) == {"mode": "normal", "released": 3}
    gateway.wait_for(4)
    assert texts(gateway) == ["d", "c", "b", "a"]


def test_webhooks_keep_their_order(sandbox: RunningSandbox, gateway: WebhookReceiver) -> None:
    sent = [str(number) for number in range(20)]
    for text in sent:
        comment(sandbox, text)
    gateway.wait_for(20)
    assert texts(gateway) == sent


def test_a_webhook_that_waits_survives_a_restart(tmp_path: Path, gateway: WebhookReceiver) -> None:
    gateway.answers = [500]
    with running_sandbox(tmp_path, [TINY], gateway.url) as first:
        comment(first)
        assert attempts_of(first, 1)["state"] == "waiting"
    with running_sandbox(tmp_path, [TINY], gateway.url) as second:
        second.control("clock", advance=11)
        assert attempts_of(second, 2)["state"] == "delivered"
    assert texts(gateway) == ["hello", "hello"]


def test_a_product_that_is_away_gets_it_later(tmp_path: Path) -> None:
    with running_sandbox(tmp_path, [TINY], "http://127.0.0.1:9") as sandbox:
        comment(sandbox)
        away = attempts_of(sandbox, 1)
        assert (away["state"], away["attempts"][0]["status"]) == ("waiting", 0)


def test_nothing_is_sent_beyond_this_machine_and_the_product(tmp_path: Path) -> None:
    app = AppRegistration(id="tiny-app", secret="tiny-secret", webhook_url="https://elsewhere.example/hook")
    with running_sandbox(tmp_path, [replace(TINY, app=app)]) as sandbox:
        comment(sandbox)
        (attempt,) = attempts_of(sandbox, 1)["attempts"]
        assert attempt["status"] == 0
        assert "only this machine" in attempt["answer"]


def test_the_webhooks_of_an_app_follow_a_product_that_moves(tmp_path: Path) -> None:
    waba, token = "102290129340101", "EAAsandboxWhatsappAda0000000000000000000000000000"
    old, new = WebhookReceiver(), WebhookReceiver()
    try:
        with running_sandbox(tmp_path, [whatsapp_cloud.VENDOR], old.url) as sandbox:
            subscribed = f"/whatsapp-cloud/graph.facebook.com/v26.0/{waba}/subscribed_apps"
            answer = sandbox.client.post(subscribed, headers={"Authorization": f"Bearer {token}"})
            assert answer.json() == {"success": True}, answer.text
        with running_sandbox(tmp_path, [whatsapp_cloud.VENDOR], new.url) as sandbox:
            sandbox.control("message", platform="whatsapp-cloud", account="106540352240101", text="Open?")
            assert new.wait_for(1)[0].path == "/webhooks/whatsapp-cloud"
        assert old.arrived == []
    finally:
        old.close()
        new.close()


def test_a_deployment_announces_its_processes_and_a_reset_keeps_them(tmp_path: Path) -> None:
    silent, gateway = "http://127.0.0.1:9", WebhookReceiver()
    try:
        with running_sandbox(tmp_path, [TINY]) as sandbox:
            for url in (gateway.url, silent):
                sandbox.control("gateways", deployment="shop", url=f"{url}/")
            sandbox.control("reset")
            assert sandbox.look("gateways")["data"] == [{"deployment": "shop", "urls": [silent, gateway.url]}]
            comment(sandbox)
            assert gateway.wait_for(1)[0].path == "/webhooks/tiny"
            eventually(lambda: sandbox.look("gateways")["data"][0]["urls"] == [gateway.url])
            elsewhere = {"deployment": "shop", "url": "https://shop.example.com"}
            refused = sandbox.client.post("/_control/gateways", json=elsewhere)
            assert (refused.status_code, "SOCIALGATE_BASE_URL" in refused.json()["error"]) == (422, True)
    finally:
        gateway.close()
