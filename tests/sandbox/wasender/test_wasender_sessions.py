"""Sessions: tokens, making, linking by QR code, losing."""

from typing import Any

import pytest

from sandbox.wasender.client import PAT, TOKENS, WaSender
from socialgate_sandbox.vendors.wasender.seed import LINKED_KEY, LINKED_SESSION, UNLINKED_KEY, UNLINKED_SESSION


def connect(wasender: WaSender, created: dict[str, Any]) -> str:
    return str(wasender.call("POST", f"whatsapp-sessions/{created['id']}/connect")["qrCode"])


def status_of(wasender: WaSender, key: str) -> str:
    """Ask the session itself. This answer has no envelope."""
    answer = wasender.send("GET", "status", key)
    assert answer.status_code == 200, answer.text
    assert list(answer.json()) == ["status"]
    return str(answer.json()["status"])


def test_making_a_session(wasender: WaSender) -> None:
    answer = wasender.send("POST", "whatsapp-sessions", json=wasender.fields())
    assert answer.status_code == 201
    created = answer.json()["data"]
    assert {name: created[name] for name in wasender.fields()} == wasender.fields()
    assert (created["status"], created["last_active_at"]) == ("disconnected", created["created_at"])
    assert (len(created["api_key"]), len(created["webhook_secret"])) == (64, 32)
    assert created["created_at"].endswith("Z")
    assert wasender.call("GET", f"whatsapp-sessions/{created['id']}") == created


def test_the_list_keeps_the_secrets(wasender: WaSender) -> None:
    assert wasender.call("GET", "whatsapp-sessions") == []
    rows = wasender.call("GET", "whatsapp-sessions", TOKENS["bram"])
    assert [(row["id"], row["status"]) for row in rows] == [
        (int(LINKED_SESSION), "connected"),
        (int(UNLINKED_SESSION), "disconnected"),
    ]
    assert not any({"api_key", "webhook_secret"} & set(row) for row in rows)


@pytest.mark.parametrize(
    ("path", "token", "status", "message"),
    [
        ("whatsapp-sessions", None, 401, "Unauthenticated."),
        ("whatsapp-sessions", "wrong", 401, "Unauthenticated."),
        ("whatsapp-sessions", LINKED_KEY, 401, "Unauthenticated."),
        ("status", None, 401, "API key is required"),
        ("status", "wrong", 401, "Invalid API key"),
        ("status", PAT, 401, "Invalid API key"),
        ("user", PAT, 401, "Invalid API key"),
    ],
)
def test_each_token_opens_its_own_half(
    wasender: WaSender, path: str, token: str | None, status: int, message: str
) -> None:
    assert wasender.refused("GET", path, token) == (status, message)


def test_a_session_of_somebody_else(wasender: WaSender) -> None:
    for method, path in [("GET", ""), ("PUT", ""), ("DELETE", ""), ("POST", "/connect"), ("GET", "/qrcode")]:
        refused = wasender.refused(method, f"whatsapp-sessions/{LINKED_SESSION}{path}", json={})
        assert refused == (404, "WhatsApp session not found.")


def test_what_a_session_lacks(wasender: WaSender) -> None:
    answer = wasender.send("POST", "whatsapp-sessions", json={})
    assert answer.status_code == 422
    assert answer.json() == {
        "success": False,
        "message": "Validation failed",
        "errors": {
            "name": ["The name field is required."],
            "phone_number": ["The phone number field is required."],
            "account_protection": ["The account protection field is required."],
            "log_messages": ["The log messages field is required."],
        },
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", 7),
        ("phone_number", "12"),
        ("account_protection", "maybe"),
        ("account_protection", []),
        ("webhook_url", "http://example.com/hook"),
        ("webhook_url", 5),
        ("webhook_events", "messages.received"),
        ("webhook_events", ["nonsense"]),
        ("webhook_events", [{}]),
    ],
)
def test_what_is_wrong_with_a_session(wasender: WaSender, field: str, value: Any) -> None:
    answer = wasender.send("POST", "whatsapp-sessions", json=wasender.fields(**{field: value}))
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [field]


def test_changing_and_deleting(wasender: WaSender) -> None:
    created = wasender.make()
    changed = wasender.call(
        "PUT", f"whatsapp-sessions/{created['id']}", json={"name": "Other", "webhook_enabled": False}
    )
    assert (changed["name"], changed["webhook_enabled"], changed["api_key"]) == ("Other", False, created["api_key"])
    assert wasender.call("DELETE", f"whatsapp-sessions/{created['id']}") is None
    assert wasender.refused("GET", f"whatsapp-sessions/{created['id']}")[0] == 404
    assert wasender.refused("GET", "status", created["api_key"])[0] == 401


def test_limits_of_a_subscription(wasender: WaSender) -> None:
    for _ in range(5):
        wasender.make()
    refused = wasender.refused("POST", "whatsapp-sessions", json=wasender.fields())
    assert refused == (403, "You have reached the session limit of your plan.")
    refused = wasender.refused("POST", "whatsapp-sessions", TOKENS["cleo"], json=wasender.fields())
    assert refused == (403, "An active subscription is required.")


def test_linking_a_phone(wasender: WaSender) -> None:
    created = wasender.make()
    answer = wasender.call("POST", f"whatsapp-sessions/{created['id']}/connect")
    assert answer["status"] == "NEED_SCAN"
    assert answer["qrCode"].startswith("2@")
    assert status_of(wasender, created["api_key"]) == "need_scan"
    assert wasender.call("GET", f"whatsapp-sessions/{created['id']}/qrcode") == {"qrCode": answer["qrCode"]}
    wasender.act("scan", account=str(created["id"]))
    assert status_of(wasender, created["api_key"]) == "connected"
    again = wasender.call("POST", f"whatsapp-sessions/{created['id']}/connect")
    assert again["status"] == "CONNECTED"
    assert "qrCode" not in again
    assert wasender.call("GET", f"whatsapp-sessions/{created['id']}")["last_active_at"]
    assert wasender.refused("GET", f"whatsapp-sessions/{created['id']}/qrcode")[0] == 400


def test_linking_is_told(wasender: WaSender) -> None:
    created = wasender.make()
    code = connect(wasender, created)
    wasender.act("scan", account=str(created["id"]), phone="+15550100777")
    news = wasender.news(4)
    assert [item["event"] for item in news] == ["session.status", "qrcode.updated", "session.status", "session.status"]
    assert [item["data"].get("status") for item in news] == ["need_scan", None, "connecting", "connected"]
    assert news[1]["data"] == {"qr": code}
    assert {item["sessionId"] for item in news} == {created["api_key"]}
    assert {received_webhook.headers["x-webhook-signature"] for received_webhook in wasender.gateway.arrived} == {
        created["webhook_secret"]
    }
    assert wasender.gateway.arrived[0].path == "/webhooks/wasender?r=1"
    assert wasender.call("GET", f"whatsapp-sessions/{created['id']}")["phone_number"] == "+15550100777"


def test_a_code_lives_twenty_seconds(wasender: WaSender) -> None:
    created = wasender.make()
    seen = [connect(wasender, created)]
    for _ in range(3):
        wasender.pass_time(20)
        seen.append(wasender.call("GET", f"whatsapp-sessions/{created['id']}/qrcode")["qrCode"])
    assert len(set(seen)) == 4
    payload = [item["data"]["qr"] for item in wasender.news(5) if item["event"] == "qrcode.updated"]
    assert payload == seen


def test_an_attempt_ends(wasender: WaSender) -> None:
    created = wasender.make()
    first = connect(wasender, created)
    wasender.pass_time(161)
    assert wasender.refused("GET", f"whatsapp-sessions/{created['id']}/qrcode") == (
        400,
        "QR code is not available. Please connect the session first.",
    )
    assert status_of(wasender, created["api_key"]) == "disconnected"
    assert [item["data"].get("status") for item in wasender.news(3)] == ["need_scan", None, "disconnected"]
    order = {"platform": "wasender", "account": str(created["id"])}
    assert wasender.running.client.post("/_control/scan", json=order).status_code == 409
    assert connect(wasender, created) != first


def test_a_code_before_the_session_was_connected(wasender: WaSender) -> None:
    assert wasender.refused("GET", f"whatsapp-sessions/{UNLINKED_SESSION}/qrcode", TOKENS["bram"])[0] == 400


def test_disconnecting_and_restarting(wasender: WaSender) -> None:
    created = wasender.linked()
    path = f"whatsapp-sessions/{created['id']}"
    restarted = wasender.send("POST", f"{path}/restart").json()
    assert (restarted["success"], "data" in restarted) == (True, False)
    assert wasender.call("POST", f"{path}/disconnect")["status"] == "disconnected"
    assert wasender.refused("POST", f"{path}/restart")[0] == 400
    assert [item["data"]["status"] for item in wasender.news(3)] == ["connecting", "connected", "disconnected"]


def test_a_new_key_ends_the_old_one(wasender: WaSender) -> None:
    created = wasender.linked()
    answer = wasender.send("POST", f"whatsapp-sessions/{created['id']}/regenerate-key").json()
    assert set(answer) == {"success", "api_key"}
    assert wasender.refused("GET", "status", created["api_key"])[0] == 401
    assert status_of(wasender, answer["api_key"]) == "connected"


def test_who_is_linked(wasender: WaSender) -> None:
    assert wasender.call("GET", "user", LINKED_KEY)["id"] == "15550100051@s.whatsapp.net"
    assert wasender.refused("GET", "user", UNLINKED_KEY)[0] == 400


@pytest.mark.parametrize(
    ("how", "status"),
    [("", "logged_out"), ("logged_out", "logged_out"), ("expired", "expired"), ("disconnected", "disconnected")],
)
def test_losing_a_link(wasender: WaSender, how: str, status: str) -> None:
    created = wasender.linked()
    wasender.act("revoke", account=str(created["id"]), how=how)
    (news,) = wasender.news()
    assert (news["event"], news["data"]["status"]) == ("session.status", status)
    assert status_of(wasender, created["api_key"]) == status


def test_a_phone_unlinks_its_device(wasender: WaSender) -> None:
    created = wasender.linked()
    assert wasender.act("logout", account=str(created["id"])) == {"status": "logged_out"}
    assert wasender.news()[0]["data"]["status"] == "logged_out"
    assert connect(wasender, created).startswith("2@")


def test_a_number_stands_for_its_newest_session(wasender: WaSender) -> None:
    older, newer = wasender.linked(), wasender.linked()
    assert older["phone_number"] == newer["phone_number"]
    assert wasender.act("logout", account=newer["phone_number"]) == {"status": "logged_out"}
    assert status_of(wasender, newer["api_key"]) == "logged_out"
    assert status_of(wasender, older["api_key"]) == "connected"


def test_a_session_that_must_be_scanned_again(wasender: WaSender) -> None:
    created = wasender.linked()
    wasender.act("revoke", account=str(created["id"]), how="need_scan")
    assert [item["event"] for item in wasender.news(2)] == ["session.status", "qrcode.updated"]
    assert status_of(wasender, created["api_key"]) == "need_scan"


def test_losses_that_nobody_tells(wasender: WaSender) -> None:
    created, other = wasender.linked(), wasender.make()
    wasender.act("revoke", account=str(created["id"]), how="key")
    assert wasender.refused("GET", "status", created["api_key"])[0] == 401
    fresh = wasender.act("credentials", account=str(created["id"]))["apiKey"]
    assert status_of(wasender, fresh) == "connected"
    wasender.act("revoke", account=str(created["id"]), how="deleted")
    assert wasender.refused("GET", "status", fresh)[0] == 401
    wasender.act("revoke", account="ada", how="subscription")
    assert wasender.refused("POST", f"whatsapp-sessions/{other['id']}/connect")[0] == 403
    wasender.act("revoke", account="ada")
    assert wasender.refused("GET", "whatsapp-sessions")[0] == 401
    assert wasender.call("GET", "whatsapp-sessions", wasender.act("credentials", account="ada")["token"])
    assert wasender.gateway.arrived == []


def test_ways_that_do_not_exist(wasender: WaSender) -> None:
    for account, status in [("ada", 422), (LINKED_SESSION, 422), ("999", 404)]:
        order = {"platform": "wasender", "account": account, "how": "nonsense"}
        assert wasender.running.client.post("/_control/revoke", json=order).status_code == status


def test_webhooks_are_sent_once_and_only_where_wanted(wasender: WaSender) -> None:
    created = wasender.linked()
    wasender.gateway.answers = [500]
    wasender.act("logout", account=str(created["id"]))
    wasender.gateway.wait_for(1)
    wasender.pass_time(86_400)
    wasender.call("PUT", f"whatsapp-sessions/{created['id']}", json={"webhook_events": ["messages.received"]})
    connect(wasender, created)
    wasender.call("PUT", f"whatsapp-sessions/{created['id']}", json={"webhook_events": ["session.status"]})
    wasender.act("scan", account=str(created["id"]))
    assert [item["data"]["status"] for item in wasender.news(3)] == ["logged_out", "connecting", "connected"]


def test_the_controls_list_subscriptions_and_sessions(wasender: WaSender) -> None:
    rows = {row["id"]: row for row in wasender.running.look("accounts", platform="wasender")["data"]}
    assert {name: rows[name]["state"] for name in ("ada", "cleo")} == {"ada": "active", "cleo": "inactive"}
    assert (rows[LINKED_SESSION]["kind"], rows[LINKED_SESSION]["state"]) == ("session", "connected")
