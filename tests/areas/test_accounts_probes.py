"""When accounts are probed: not before their webhooks were asked for, and anew when they are connected again."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from socialgate.areas.accounts.webhook_registration import compute_retry_time
from support.accounts import account, list_all, read_events
from support.connections import connect_page
from support.engines import first_on_both
from support.parallel import run_simultaneously
from support.postgres import new_database
from support.sandbox import Sandbox, connect
from support.service import OwnerFixture, RunningService, StartService, running_service
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

MINUTES = timedelta(minutes=3)
PHONE = "+51987654321"


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as running_service:
        yield running_service


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox


@pytest.fixture
def owner(running: RunningService, sandbox: Sandbox) -> Iterator[OwnerFixture]:
    """Give an owner who leaves nothing behind: the webhooks of an account are those of all who connected it."""
    owner_fixture = running.new_owner()
    yield owner_fixture
    sandbox.http.delete("/_control/fail").raise_for_status()
    for item in list_all(owner_fixture):
        owner_fixture.session.delete(f"/accounts/{item['id']}").raise_for_status()
    pass_at_both(running, sandbox)


def pass_at_both(running: RunningService, sandbox: Sandbox) -> None:
    """Let minutes pass here and there: Telegram takes one webhook of a bot in a second."""
    sandbox.control("clock", advance=MINUTES.total_seconds())
    running.advance_time(MINUTES)


def in_time(owner: OwnerFixture, sandbox: Sandbox, look: Callable[[], Any]) -> None:
    """Let minutes pass until it is so: a try that fails only after they have passed is made again a minute later."""

    def later() -> Any:
        pass_at_both(owner.running, sandbox)
        return look()

    eventually(later)


def bot(sandbox: Sandbox, owner: OwnerFixture) -> str:
    token = sandbox.control("token", platform="telegram", account=sandbox.accounts("telegram")[0]["id"])["token"]
    return made(owner, "/connect/telegram", botToken=token)


def number(sandbox: Sandbox, owner: OwnerFixture) -> str:
    result = next(item for item in sandbox.accounts("whatsapp-cloud") if item["kind"] == "phone number")
    value = sandbox.control("credentials", platform="whatsapp-cloud", account=result["id"])
    fields = {name: value[name] for name in ("wabaId", "accessToken", "appSecret")}
    return made(owner, "/connect/whatsapp-cloud", phoneNumberId=result["id"], **fields)


def calendar(sandbox: Sandbox, owner: OwnerFixture) -> str:
    return connect(sandbox, owner, "google", kind=["google_calendar"])[0]


def made(owner: OwnerFixture, path: str, **fields: Any) -> str:
    answer = owner.session.post(path, json={"profileId": owner.profile_id, **fields})
    assert answer.status_code == httpx.codes.CREATED, answer.text
    return str(answer.json()["id"])


def health(owner: OwnerFixture, account_id: str, **query: Any) -> dict[str, Any]:
    """Give what the last probe said, without asking for another."""
    report = owner.session.get("/accounts/health", params=query).json()["data"]
    return next(item for item in report if item["accountId"] == account_id)


def first_health(owner: OwnerFixture, account_id: str) -> dict[str, Any]:
    eventually(lambda: account(owner, account_id)["lastCheckedAt"])
    return health(owner, account_id)


def codes(result: dict[str, Any]) -> list[str]:
    return [issue["code"] for issue in result["issues"]]


# How it is connected, what asks the platform for its webhooks, and what a probe says where there are none.
SUBSCRIBED = {
    "telegram": (bot, "*/setWebhook", ["webhook_not_registered", "webhook_missing"]),
    "meta": (connect_page, "*/subscribed_apps", ["webhook_not_registered", "events_off"]),
    "whatsapp-cloud": (number, "*/subscribed_apps", ["webhook_not_registered"]),
    "google": (calendar, "*/events/watch", ["webhook_not_registered"]),
}
with_webhooks = pytest.mark.parametrize("platform", first_on_both(SUBSCRIBED))


@pytest.mark.one_engine
@with_webhooks
def test_the_first_that_is_heard_of_a_fresh_account_is_good(
    platform: str, owner: OwnerFixture, sandbox: Sandbox
) -> None:
    connects, path, _ = SUBSCRIBED[platform]
    # Slow enough for a probe that does not wait to be there first.
    sandbox.control("fail", platform=platform, path=path, method="POST", delay=0.5, times=1)
    result = first_health(owner, connects(sandbox, owner))
    assert (result["status"], codes(result)) == ("healthy", [])


@pytest.mark.one_engine
@with_webhooks
def test_a_probe_that_was_asked_for_too_early_does_not_last(
    platform: str, owner: OwnerFixture, sandbox: Sandbox
) -> None:
    connects, path, _ = SUBSCRIBED[platform]
    sandbox.control("fail", platform=platform, path=path, method="POST", delay=0.5, times=1)
    with ThreadPoolExecutor(1) as pool:
        connecting = pool.submit(connects, sandbox, owner)
        (account_id,) = eventually(lambda: [item["id"] for item in list_all(owner)])
        health(owner, account_id, refresh=True)
        assert connecting.result(60) == account_id
    eventually(lambda: health(owner, account_id)["status"] == "healthy")


@pytest.mark.one_engine
@with_webhooks
def test_what_a_refused_webhook_broke_is_mended_with_the_next_try(
    platform: str, owner: OwnerFixture, sandbox: Sandbox
) -> None:
    connects, path, issues = SUBSCRIBED[platform]
    sandbox.control("fail", platform=platform, path=path, method="POST", status=500, times=10)
    account_id = connects(sandbox, owner)
    assert codes(first_health(owner, account_id)) == issues
    before = account(owner, account_id)["lastCheckedAt"]
    sandbox.http.delete("/_control/fail").raise_for_status()
    in_time(owner, sandbox, lambda: account(owner, account_id)["lastCheckedAt"] > before)
    assert health(owner, account_id)["status"] == "healthy"


@pytest.mark.one_engine
def test_a_webhook_that_was_not_accepted_is_an_issue_with_its_reason(owner: OwnerFixture, sandbox: Sandbox) -> None:
    refusal = {"ok": False, "error_code": 400, "description": "Bad Request: bad webhook: HTTPS url must be provided"}
    sandbox.control("fail", platform="telegram", path="*/setWebhook", method="POST", status=400, body=refusal, times=50)
    result = first_health(owner, bot(sandbox, owner))
    issue = next(item for item in result["issues"] if item["code"] == "webhook_not_registered")
    assert issue["detail"].startswith("Telegram has not accepted the webhook")
    assert "It must be public, use https" in issue["detail"]
    assert "SOCIALGATE_BASE_URL" in issue["fix"]


def test_a_refusal_is_shown_although_the_account_was_probed_before_it(owner: OwnerFixture, sandbox: Sandbox) -> None:
    path = "*/subscribed_apps"
    sandbox.control("fail", platform="whatsapp-cloud", path=path, method="POST", delay=1, status=500, times=50)
    with ThreadPoolExecutor(1) as pool:
        connecting = pool.submit(number, sandbox, owner)
        (account_id,) = eventually(lambda: [item["id"] for item in list_all(owner)])
        health(owner, account_id, refresh=True)
        assert connecting.result(60) == account_id
    eventually(lambda: codes(health(owner, account_id)) == ["webhook_not_registered"])


def test_a_platform_that_keeps_refusing_is_asked_less_and_less_often() -> None:
    began = now = datetime(2026, 11, 16, tzinfo=UTC)
    waits = []
    for _ in range(8):
        again = compute_retry_time(now, began, None, spread=0)
        waits.append((again - now) / timedelta(minutes=1))
        now = again
    assert waits == [2, 4, 8, 16, 32, 60, 60, 60]
    assert compute_retry_time(began, began, 7200) == began + timedelta(hours=2)


@pytest.mark.one_engine
def test_webhooks_that_a_stopped_service_did_not_ask_for_are_asked_for_by_the_next(
    engine: str, postgres_url: str, tmp_path: Path
) -> None:
    url = new_database(postgres_url) if engine == "postgres" else None
    # What was begun is finished before the end, or given up after this time.
    before = running_service(tmp_path, url, stop_seconds=1, platform_deadline_seconds=3)
    with ThreadPoolExecutor(1) as pool, before as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        sandbox.control("fail", platform="telegram", path="*/setWebhook", hang=True)
        pool.submit(bot, sandbox, owner)
        eventually(lambda: sandbox.http.get("/_control/fail").json()["hanging"])
    with running_service(tmp_path, url) as after, Sandbox(after) as sandbox:
        again = after.client(owner.session_token)
        (account_id,) = [item["id"] for item in again.get("/accounts").json()["data"]]
        pass_at_both(after, sandbox)

        def function() -> dict[str, Any]:
            (only,) = again.get("/accounts/health").json()["data"]
            return dict(only)

        eventually(lambda: function()["status"] == "healthy")
        assert function()["accountId"] == account_id
        again.delete(f"/accounts/{account_id}").raise_for_status()


@pytest.mark.one_engine
def test_nothing_that_was_found_before_is_said_of_an_account_that_is_connected_again(
    owner: OwnerFixture, sandbox: Sandbox
) -> None:
    account_id = bot(sandbox, owner)
    eventually(lambda: account(owner, account_id)["lastCheckedAt"])
    sandbox.control("revoke", platform="telegram", account=account(owner, account_id)["platformAccountId"])
    lost = health(owner, account_id, refresh=True)
    assert (lost["status"], codes(lost)) == ("error", ["needs_reconnection"])
    # Connecting looks at the webhook first. Probes find nothing out for now: what is said is what reconnecting left.
    sandbox.control("fail", platform="telegram", path="*/getWebhookInfo", skip=1, status=500, times=50)
    sandbox.control("clock", advance=MINUTES.total_seconds())
    assert bot(sandbox, owner) == account_id
    result = health(owner, account_id)
    assert (result["status"], codes(result), result["checkedAt"]) == ("unknown", ["not_probed"], None)
    assert account(owner, account_id)["lastCheckedAt"] is None
    summary = owner.session.get("/accounts/health").json()["summary"]
    assert (summary["unknown"], summary["error"], summary["needsReconnection"]) == (1, 0, 0)
    sandbox.http.delete("/_control/fail").raise_for_status()
    in_time(owner, sandbox, lambda: account(owner, account_id)["lastCheckedAt"])
    assert health(owner, account_id)["status"] == "healthy"


def test_a_phone_that_waits_for_its_code_is_said_to(owner: OwnerFixture, sandbox: Sandbox) -> None:
    account_id = made(owner, "/connect/wasender", name="Shop", phoneNumber=PHONE)
    code = f"GET /accounts/{account_id}/wasender/qr"
    (waiting,) = health(owner, account_id)["issues"]
    assert waiting["code"] == "not_scanned"
    assert code in waiting["fix"]
    scan(sandbox, owner, account_id)
    assert first_health(owner, account_id)["status"] == "healthy"
    sandbox.control("logout", platform="wasender", account=PHONE)
    eventually(lambda: account(owner, account_id)["status"] == "needs_reconnection")
    (logged_out,) = health(owner, account_id)["issues"]
    assert logged_out["code"] == "needs_reconnection"
    assert code in logged_out["fix"]
    # What it says is enough.
    scan(sandbox, owner, account_id)
    assert first_health(owner, account_id)["status"] == "healthy"


def scan(sandbox: Sandbox, owner: OwnerFixture, account_id: str) -> None:
    assert owner.session.get(f"/accounts/{account_id}/wasender/qr").json()["qr"]
    sandbox.control("scan", platform="wasender", account=PHONE)
    eventually(lambda: account(owner, account_id)["status"] == "connected")


def health_events(owner: OwnerFixture, account_id: str) -> list[dict[str, Any]]:
    items = [event["data"] for event in read_events(owner) if event["event"] == "account.health"]
    return [item for item in items if item["accountId"] == account_id]


@pytest.mark.one_engine
def test_a_problem_is_reported_when_it_appears_and_when_it_is_gone(owner: OwnerFixture, sandbox: Sandbox) -> None:
    """Once each, however often the account is checked in between, and by however many at the same moment."""
    sandbox.control("fail", platform="telegram", path="*/setWebhook", method="POST", status=500, times=50)
    account_id = bot(sandbox, owner)
    first_health(owner, account_id)
    for _ in range(3):
        run_simultaneously(4, lambda _: health(owner, account_id, refresh=True))
    (event,) = health_events(owner, account_id)
    assert (event["platform"], event["kind"], event["status"]) == ("telegram", "telegram_bot", "error")
    appeared = {item["code"]: item for item in event["appeared"]}
    assert appeared.keys() == {"webhook_not_registered", "webhook_missing"}
    assert all(item["detail"] and item["fix"] for item in appeared.values())
    assert event["disappeared"] == []

    sandbox.http.delete("/_control/fail").raise_for_status()
    in_time(owner, sandbox, lambda: health(owner, account_id, refresh=True)["status"] == "healthy")
    for _ in range(2):
        run_simultaneously(4, lambda _: health(owner, account_id, refresh=True))
    codes_of = [
        ([item["code"] for item in event["appeared"]], [item["code"] for item in event["disappeared"]])
        for event in health_events(owner, account_id)
    ]
    gone = [code for _, disappeared in codes_of[1:] for code in disappeared]
    assert (sorted(gone), [appeared for appeared, _ in codes_of[1:] if appeared]) == (sorted(appeared), [])
    assert health_events(owner, account_id)[-1]["status"] == "healthy"


@pytest.mark.one_engine
def test_a_healthy_account_reports_nothing(owner: OwnerFixture, sandbox: Sandbox) -> None:
    account_id = bot(sandbox, owner)
    first_health(owner, account_id)
    health(owner, account_id, refresh=True)
    assert health_events(owner, account_id) == []
