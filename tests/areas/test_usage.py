"""Usage through the API: what is counted, for whom, and what a plan does not allow."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import pytest
import sqlalchemy as sa
from PIL import Image

from socialgate.core.metering import usage_days
from support.connections import connect_accounts
from support.database import block_rows
from support.parallel import run_simultaneously
from support.problems import fault_of, problem_of
from support.sandbox import Connection, Sandbox, connect
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

PLANS = """
[tiny]
posts = 3
messagesSent = 2
uploadBytes = 4000
connectedAccounts = 2

[unlimited]
"""
LATER = "2030-01-01T12:00:00Z"


@pytest.fixture(scope="module")
def running(start_service: StartService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """Give a service whose owners have a small plan."""
    plans: Path = tmp_path_factory.mktemp("plans") / "plans.toml"
    plans.write_text(PLANS)
    with start_service(plans_file=plans, default_plan="tiny") as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox


@pytest.fixture
def owner(running: RunningService) -> OwnerFixture:
    return running.new_owner()


@pytest.fixture
def account_id(sandbox: Sandbox, owner: OwnerFixture) -> str:
    (result,) = connect(sandbox, owner, "threads")
    return result


def usage_of(client: httpx.Client, **query: str) -> dict[str, Any]:
    answer = client.get("/usage", params=query)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


def used(client: httpx.Client, name: str) -> int:
    result = {metric["name"]: metric["used"] for metric in usage_of(client)["metrics"]}
    return int(result[name])


def post(owner: OwnerFixture, account_id: str, key: str | None = None, **fields: Any) -> httpx.Response:
    body = {"profileId": owner.profile_id, "content": "Hello", "targets": [{"accountId": account_id}], **fields}
    return owner.session.post("/posts", json=body, headers={"Idempotency-Key": key or uuid4().hex})


def picture(size: int) -> bytes:
    """Make a PNG of about so many bytes."""
    bytes_io = BytesIO()
    Image.new("RGB", (8, 8), "teal").save(bytes_io, "PNG")
    return bytes_io.getvalue() + b"\0" * (size - len(bytes_io.getvalue()))


def upload(client: httpx.Client, size: int) -> httpx.Response:
    return client.post("/upload", content=picture(size), headers={"Content-Type": "image/png"})


@pytest.mark.both_engines
def test_a_post_counts_while_it_is_to_be_published_or_was(owner: OwnerFixture, account_id: str) -> None:
    draft = post(owner, account_id, draft=True).json()["id"]
    assert used(owner.session, "posts") == 0
    planned = post(owner, account_id, scheduledFor=LATER).json()["id"]
    assert used(owner.session, "posts") == 1
    assert owner.session.patch(f"/posts/{draft}", json={"scheduledFor": LATER}).is_success
    assert owner.session.patch(f"/posts/{draft}", json={"content": "Changed"}).is_success
    assert used(owner.session, "posts") == 2
    assert owner.session.patch(f"/posts/{draft}", json={"scheduledFor": None}).is_success
    assert used(owner.session, "posts") == 1
    assert owner.session.delete(f"/posts/{planned}").is_success
    assert used(owner.session, "posts") == 0
    published = post(owner, account_id).json()["id"]
    eventually(lambda: owner.session.get(f"/posts/{published}").json()["status"] == "published")
    assert used(owner.session, "posts") == 1


@pytest.mark.both_engines
def test_a_limit_is_exact_however_many_arrive_at_once(owner: OwnerFixture, account_id: str) -> None:
    answers = run_simultaneously(
        8, lambda number: post(owner, account_id, key=f"same-{number % 7}", scheduledFor=LATER)
    )
    items = {answer.json()["id"] for answer in answers if answer.status_code == 201}
    assert len(items) == 3
    assert used(owner.session, "posts") == 3
    refused = next(answer for answer in answers if answer.status_code == 402)
    detail = problem_of(refused, 402, "plan_limit_reached")["detail"]
    now = datetime.now(UTC)
    resets = (now.replace(day=1) + timedelta(days=32)).replace(day=1)
    assert detail.startswith("The plan tiny allows 3 posts a month, and 3 are used.")
    assert f"resets at {resets:%Y-%m-01}T00:00:00Z" in detail
    assert "POST /billing/checkout" in detail
    # The same request is not refused forever: something else was cancelled.
    key = refused.request.headers["idempotency-key"]
    assert owner.session.delete(f"/posts/{items.pop()}").is_success
    again = post(owner, account_id, key=key, scheduledFor=LATER)
    assert again.status_code == 201
    replayed = post(owner, account_id, key=key, scheduledFor=LATER)
    assert replayed.headers["idempotent-replayed"] == "true"
    assert used(owner.session, "posts") == 3


def test_what_was_accepted_is_published_even_if_the_plan_is_used_up(
    running: RunningService, owner: OwnerFixture, account_id: str
) -> None:
    soon = running.clock.now() + timedelta(minutes=20)
    planned = post(owner, account_id, scheduledFor=soon.isoformat()).json()["id"]
    for _ in range(2):
        assert post(owner, account_id, scheduledFor=LATER).status_code == 201
    problem_of(post(owner, account_id), 402, "plan_limit_reached")
    running.advance_time(timedelta(minutes=30))
    eventually(lambda: owner.session.get(f"/posts/{planned}").json()["status"] == "published")


def test_a_month_is_shown_by_metric_and_by_day(owner: OwnerFixture, account_id: str) -> None:
    post(owner, account_id, scheduledFor=LATER)
    result = usage_of(owner.session)
    now = owner.running.clock.now()
    assert (result["period"], result["plan"], result["billing"]) == (f"{now:%Y-%m}", "tiny", None)
    limits = {metric["name"]: metric["limit"] for metric in result["metrics"]}
    assert (limits["posts"], limits["uploadBytes"], limits["deliveries"]) == (3, 4000, None)
    assert [day["date"] for day in result["daily"]] == [f"{now:%Y-%m}-{day:02}" for day in range(1, now.day + 1)]
    today = result["daily"][-1]
    assert (today["posts"], today["connectedAccounts"], today["aiGenerations"]) == (1, 1, 0)
    assert usage_of(owner.session, period=f"{now:%Y-%m}")["metrics"][0]["used"] == 1
    before = usage_of(owner.session, period="2024-02")
    assert (len(before["daily"]), before["resetsAt"]) == (29, "2024-03-01T00:00:00Z")
    assert {metric["used"] for metric in before["metrics"]} == {0}
    future = usage_of(owner.session, period="2199-12")
    assert (future["daily"], future["resetsAt"]) == ([], "2200-01-01T00:00:00Z")
    assert {metric["used"] for metric in future["metrics"]} == {0}


@pytest.mark.parametrize(
    "period", ["2026-13", "2026-00", "26-11", "2026-11-01", "0000-01", "0001-01", "9999-12", "now", ""]
)
def test_what_is_no_month_is_refused(owner: OwnerFixture, period: str) -> None:
    answer = owner.session.get("/usage", params={"period": period})
    assert fault_of(answer)[0] == "?period"


def test_a_limited_key_sees_its_profiles_and_its_own_calls(owner: OwnerFixture, account_id: str) -> None:
    other = owner.session.post("/profiles", json={"name": "Other"}).json()["id"]
    post(owner, account_id, scheduledFor=LATER)
    assert owner.session.post("/upload", params={"profileId": other}, content=picture(500)).status_code == 201
    mine, theirs = owner.limited_key(owner.profile_id), owner.limited_key(other)
    seen = {metric["name"]: metric["used"] for metric in usage_of(mine)["metrics"]}
    assert (seen["posts"], seen["uploadBytes"], seen["connectedAccounts"], seen["apiCalls"]) == (1, 0, 1, 1)
    seen = {metric["name"]: metric["used"] for metric in usage_of(theirs)["metrics"]}
    assert (seen["posts"], seen["uploadBytes"], seen["connectedAccounts"], seen["apiCalls"]) == (0, 500, 0, 1)
    everything = usage_of(owner.session)
    assert used(owner.key(), "uploadBytes") == 500
    calls = next(metric["used"] for metric in everything["metrics"] if metric["name"] == "apiCalls")
    assert used(owner.session, "apiCalls") == calls + 3


def test_uploaded_bytes_are_limited_before_they_are_sent_and_when_they_have_arrived(owner: OwnerFixture) -> None:
    assert upload(owner.session, 3000).status_code == 201
    detail = problem_of(upload(owner.session, 1001), 402, "plan_limit_reached")["detail"]
    assert "This needs 1,001 more." in detail
    begun = owner.session.post("/uploads", headers={"Tus-Resumable": "1.0.0", "Upload-Length": "1001"})
    problem_of(begun, 402, "plan_limit_reached")

    def unannounced() -> Iterator[bytes]:
        yield picture(1001)

    late = owner.session.post("/upload", content=unannounced(), headers={"Content-Type": "image/png"})
    problem_of(late, 402, "plan_limit_reached")
    assert len(owner.session.get("/media").json()["data"]) == 1
    assert upload(owner.session, 1000).status_code == 201
    assert used(owner.session, "uploadBytes") == 4000


def test_accounts_are_limited_at_any_moment_and_counted_by_their_highest_number(
    sandbox: Sandbox, owner: OwnerFixture, account_id: str
) -> None:
    connect(sandbox, owner, "tiktok")
    redirect = f"{owner.running.url}/console"
    answer = Connection(sandbox, owner, "google", redirectUrl=redirect, kind="youtube").finish()
    payload = parse_qs(urlsplit(answer.headers["location"]).query)
    assert payload["error"] == ["plan_limit_reached"]
    assert payload["error_message"][0].startswith("The plan tiny allows 2 connected accounts, and 2 are connected.")
    # On our own page, it is a customer of the customer who reads it.
    page = Connection(sandbox, owner, "google", kind="youtube").finish()
    assert "No more accounts can be connected" in page.text
    assert "/billing" not in page.text
    assert len(owner.session.get("/accounts").json()["data"]) == 2
    # Reconnecting needs no more room.
    assert connect(sandbox, owner, "threads") == [account_id]
    assert owner.session.delete(f"/accounts/{account_id}").is_success
    assert used(owner.session, "connectedAccounts") == 2
    # A key does not expire like a session.
    key = owner.key()
    owner.running.advance_time(timedelta(days=32))
    assert usage_of(key)["daily"][0]["connectedAccounts"] == 1
    assert used(key, "connectedAccounts") == 1


@pytest.mark.both_engines
def test_of_accounts_that_are_disconnected_at_once_none_stays_counted(sandbox: Sandbox, owner: OwnerFixture) -> None:
    """They are in two profiles, so only the count of their owner is what both change."""
    ids = [
        *connect(sandbox, owner, "threads"),
        *connect(sandbox, owner, "tiktok", profileId=owner.new_profile()),
    ]
    counted = sa.select(usage_days).where(usage_days.c.owner_id == owner.id, usage_days.c.level.is_not(None))
    with ThreadPoolExecutor(len(ids)) as pool:
        with block_rows(owner.running, counted) as waiting:
            answers = [pool.submit(owner.session.delete, f"/accounts/{account_id}") for account_id in ids]
            eventually(lambda: waiting() == len(ids))
        assert all(answer.result().is_success for answer in answers)
    key = owner.key()
    owner.running.advance_time(timedelta(days=32))
    assert usage_of(key)["daily"][0]["connectedAccounts"] == 0


def test_sent_messages_are_limited_and_received_ones_never(sandbox: Sandbox, owner: OwnerFixture) -> None:
    connect_accounts(sandbox, owner, "telegram")
    account = owner.session.get("/accounts").json()["data"][0]
    path = f"/accounts/{account['id']}"

    def hear(text: str) -> None:
        sandbox.control("message", platform="telegram", account=account["platformAccountId"], text=text)

    hear("Hello")
    (conversation,) = eventually(lambda: owner.session.get(f"{path}/conversations").json()["data"])

    def send() -> httpx.Response:
        body = {"conversationId": conversation["id"], "text": "Hi"}
        return owner.session.post(f"{path}/messages", json=body)

    # A message that the platform rejects does not count.
    sandbox.control("fail", platform="telegram", path="*/sendMessage", error="blocked", times=1)
    assert send().status_code == 422
    assert used(owner.session, "messagesSent") == 0
    assert [send().status_code for _ in range(2)] == [201, 201]
    before = len(owner.session.get("/operations").json()["data"])
    problem_of(send(), 402, "plan_limit_reached")
    assert len(owner.session.get("/operations").json()["data"]) == before
    hear("Are you there?")
    assert eventually(lambda: used(owner.session, "messagesReceived") == 2)
    assert used(owner.session, "messagesSent") == 2


def test_deliveries_count_when_the_hook_accepts_them(sandbox: Sandbox, owner: OwnerFixture) -> None:
    path = f"/{uuid4().hex}"
    sandbox.control("receiver", path=path)
    url = f"https://127.0.0.1:{owner.running.sandbox.receiver_port}{path}"
    response = owner.session.post("/hooks", json={"url": url, "events": ["account.connected", "account.disconnected"]})
    assert response.status_code == 201, response.text
    (account_id,) = connect(sandbox, owner, "threads")
    assert owner.session.delete(f"/accounts/{account_id}").is_success
    assert owner.session.post(f"/hooks/{response.json()['id']}/test").is_success
    eventually(lambda: len(sandbox.listed("receiver", path=path)) == 3)
    # Test events do not count.
    assert eventually(lambda: used(owner.limited_key(owner.profile_id), "deliveries") == 2)
