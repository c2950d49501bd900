"""Tokens that are renewed in time, whatever the platform does meanwhile, and lost only when it says so for good."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from support.accounts import account, delete_analytics_jobs, list_all, list_event_names, open_grant
from support.engines import first_on_both
from support.holding_proxy import HoldingProxy
from support.parallel import run_simultaneously
from support.problems import problem_of
from support.sandbox import Sandbox, connect
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

TOKEN = "*/oauth/token/"
DAY = timedelta(days=1)


class World:
    """A service and its platforms of one's own, whose clocks go together. Each test has an owner of its own there."""

    def __init__(self, running: RunningService, sandbox: Sandbox, gate: HoldingProxy) -> None:
        self.running = running
        self.sandbox = sandbox
        self.gate = gate
        self.owner: OwnerFixture = running.new_owner()
        self._known = {call["id"] for call in self._calls()}

    def let_pass(self, time: timedelta) -> None:
        """Let time pass everywhere, and wake who sleeps until then."""
        # Who reads the numbers of an account renews its token too, and would come first.
        self.running.write(delete_analytics_jobs)
        self.sandbox.control("clock", advance=time.total_seconds())
        self.running.advance_time(time)

    def clean_up(self) -> None:
        """Leave nothing behind that would be cared for in the next test."""
        self.sandbox.http.delete("/_control/fail").raise_for_status()
        for item in list_all(self.owner):
            self.owner.session.delete(f"/accounts/{item['id']}").raise_for_status()
        # Until then an app that was told to wait does.
        self.let_pass(timedelta(hours=1))

    def renewals(self) -> list[dict[str, Any]]:
        """List the calls with which TikTok was asked for new tokens in place of old ones."""
        mine = [call for call in self._calls() if call["id"] not in self._known]
        return [call for call in mine if call["body"]["grant_type"] == "refresh_token"]

    def about(self, account_id: str) -> httpx.Response:
        return self.owner.session.get(f"/accounts/{account_id}/about")

    def token(self, account_id: str) -> dict[str, Any]:
        shown: dict[str, Any] = account(self.owner, account_id)["token"]
        return shown

    def _calls(self) -> list[dict[str, Any]]:
        return self.sandbox.listed("received", platform="tiktok", path=TOKEN, limit=2000)


@pytest.fixture(scope="module")
def ground(start_service: StartService) -> Iterator[tuple[RunningService, Sandbox, HoldingProxy]]:
    with HoldingProxy() as gate, start_service(tiktok_url=f"{gate.url}/tiktok") as running, Sandbox(running) as sandbox:
        gate.target = sandbox.url
        yield running, sandbox, gate


@pytest.fixture
def world(ground: tuple[RunningService, Sandbox, HoldingProxy]) -> Iterator[World]:
    world = World(*ground)
    yield world
    world.clean_up()


@pytest.mark.one_engine
def test_a_token_is_renewed_at_two_thirds_of_its_life_and_not_before(world: World) -> None:
    (account_id,) = connect(world.sandbox, world.owner, "tiktok")
    first = world.token(account_id)
    before = open_grant(world.owner, "tiktok")
    due = datetime.fromisoformat(first["nextRefreshAt"]) - before.refreshed_at
    assert DAY * 0.59 < due < DAY * 0.74

    checked = eventually(lambda: account(world.owner, account_id)["lastCheckedAt"])
    world.let_pass(DAY / 2)
    # The probe that was due meanwhile shows that the service has looked at what is due.
    eventually(lambda: account(world.owner, account_id)["lastCheckedAt"] > checked)
    assert world.renewals() == []

    world.let_pass(DAY / 4)
    eventually(lambda: world.token(account_id)["expiresAt"] > first["expiresAt"])
    assert len(world.renewals()) == 1
    after = open_grant(world.owner, "tiktok")
    assert after.refresh_token not in {None, before.refresh_token}
    assert after.access_token != before.access_token
    assert world.token(account_id)["lastRefreshError"] is None
    assert world.about(account_id).status_code == httpx.codes.OK
    assert list_event_names(world.owner) == ["account.connected"]


@pytest.mark.one_engine
def test_rotating_tokens_are_renewed_again_and_again(world: World) -> None:
    (account_id,) = connect(world.sandbox, world.owner, "tiktok")
    seen = {open_grant(world.owner, "tiktok").refresh_token}
    for _ in range(3):
        world.let_pass(DAY * 0.75)
        eventually(lambda: open_grant(world.owner, "tiktok").refresh_token not in seen)
        assert len(world.renewals()) == len(seen)
        seen.add(open_grant(world.owner, "tiktok").refresh_token)
    assert account(world.owner, account_id)["status"] == "connected"
    assert world.about(account_id).status_code == httpx.codes.OK


@pytest.mark.one_engine
@pytest.mark.parametrize(
    "fault",
    first_on_both(
        [
            {"error": "temporarily_unavailable"},
            {"error": "internal_error"},
            {"error": "rate_limited"},
            {"error": "client_invalid"},
            {"status": 503, "body": "<html>busy</html>"},
            {"status": 200, "body": "not json"},
            {"status": 302, "headers": {"Location": "https://evil.example.com/"}},
            {"when": "drop"},
        ]
    ),
    ids=str,
)
def test_a_failure_that_may_pass_changes_nothing_and_is_tried_again(world: World, fault: dict[str, Any]) -> None:
    (account_id,) = connect(world.sandbox, world.owner, "tiktok")
    before = open_grant(world.owner, "tiktok")
    world.sandbox.control("fail", platform="tiktok", path=TOKEN, times=2, **fault)
    world.let_pass(DAY * 0.75)
    failed = eventually(lambda: token if (token := world.token(account_id))["lastRefreshError"] else None)
    assert "<html>" not in failed["lastRefreshError"]
    assert account(world.owner, account_id)["status"] == "connected"
    assert list_event_names(world.owner) == ["account.connected"]
    assert open_grant(world.owner, "tiktok") == before
    # The old token lives for hours still; only an app that is told to wait waits with everything.
    told_to_wait = fault.get("error") == "rate_limited"
    assert world.about(account_id).status_code == (httpx.codes.TOO_MANY_REQUESTS if told_to_wait else httpx.codes.OK)
    assert datetime.fromisoformat(failed["nextRefreshAt"]) > world.running.clock.now()

    world.let_pass(timedelta(minutes=3))
    eventually(lambda: len(world.renewals()) == 2)
    eventually(lambda: world.token(account_id)["nextRefreshAt"] != failed["nextRefreshAt"])
    assert account(world.owner, account_id)["status"] == "connected"

    world.let_pass(timedelta(minutes=10))
    eventually(lambda: world.token(account_id)["lastRefreshError"] is None)
    assert open_grant(world.owner, "tiktok").refresh_token != before.refresh_token
    assert world.about(account_id).status_code == httpx.codes.OK
    assert list_event_names(world.owner) == ["account.connected"]


def test_a_refusal_for_good_is_told_once_however_many_ask(world: World) -> None:
    (account_id,) = connect(world.sandbox, world.owner, "tiktok")
    open_id = account(world.owner, account_id)["platformAccountId"]
    world.sandbox.control("expire", platform="tiktok", account=open_id, what="refresh")
    answers = run_simultaneously(10, lambda _: world.about(account_id))
    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(409, "needs_reconnection")}
    shown = account(world.owner, account_id)
    assert shown["status"] == "needs_reconnection"
    assert shown["needsReconnection"]["reason"]
    assert shown["token"]["nextRefreshAt"] is None
    assert list_event_names(world.owner) == ["account.connected", "account.needs_reconnection"]
    assert {answer.json()["category"] for answer in answers} == {"auth_expired"}
    summary = world.owner.session.get("/accounts/health").json()["summary"]
    assert (summary["needsReconnection"], summary["error"], summary["total"]) == (1, 1, 1)


@pytest.mark.one_engine
def test_a_refusal_for_good_is_found_in_the_background_too(world: World) -> None:
    (account_id,) = connect(world.sandbox, world.owner, "tiktok")
    open_id = account(world.owner, account_id)["platformAccountId"]
    world.sandbox.control("revoke", platform="tiktok", account=open_id, how="silent")
    world.let_pass(DAY * 0.75)
    eventually(lambda: account(world.owner, account_id)["status"] == "needs_reconnection")
    assert list_event_names(world.owner) == ["account.connected", "account.needs_reconnection"]
    # The same row comes back to life.
    assert connect(world.sandbox, world.owner, "tiktok") == [account_id]
    assert account(world.owner, account_id)["status"] == "connected"
    assert world.token(account_id)["lastRefreshError"] is None
    assert list_event_names(world.owner)[2:] == ["account.connected again"]


def test_all_accounts_of_a_grant_are_lost_with_it(world: World) -> None:
    ids = connect(world.sandbox, world.owner, "google")
    person = next(item["id"] for item in world.sandbox.accounts("google") if item["kind"] == "user")
    world.sandbox.control("revoke", platform="google", account=person, how="silent")
    world.let_pass(timedelta(minutes=50))
    eventually(lambda: {item["status"] for item in list_all(world.owner)} == {"needs_reconnection"})
    assert sorted(list_event_names(world.owner)) == sorted(
        ["account.connected", "account.needs_reconnection"] * len(ids)
    )


def test_of_twenty_who_need_a_token_at_once_one_renews_it(world: World) -> None:
    (account_id,) = connect(world.sandbox, world.owner, "tiktok")
    open_id = account(world.owner, account_id)["platformAccountId"]
    world.sandbox.control("expire", platform="tiktok", account=open_id)
    answers = run_simultaneously(20, lambda _: world.about(account_id))
    assert {answer.status_code for answer in answers} == {200}
    assert len(world.renewals()) == 1
    assert list_event_names(world.owner) == ["account.connected"]


def test_who_waits_for_a_renewal_that_fails_is_told_to_come_again(world: World) -> None:
    (account_id,) = connect(world.sandbox, world.owner, "tiktok")
    open_id = account(world.owner, account_id)["platformAccountId"]
    world.sandbox.control("expire", platform="tiktok", account=open_id)
    world.sandbox.control("fail", platform="tiktok", path=TOKEN, error="temporarily_unavailable", times=5)
    answers = run_simultaneously(5, lambda _: world.about(account_id))
    assert {answer.status_code for answer in answers} <= {200, 503}
    assert all(answer.headers["retry-after"] for answer in answers if answer.status_code == 503)
    assert account(world.owner, account_id)["status"] == "connected"
    assert list_event_names(world.owner) == ["account.connected"]


@pytest.mark.one_engine
def test_an_answer_that_is_lost_with_the_rotated_token_ends_in_a_reconnection_not_in_a_loop(world: World) -> None:
    (account_id,) = connect(world.sandbox, world.owner, "tiktok")
    world.sandbox.control("fail", platform="tiktok", path=TOKEN, when="after")
    world.let_pass(DAY * 0.75)
    eventually(lambda: world.token(account_id)["lastRefreshError"])
    assert account(world.owner, account_id)["status"] == "connected"
    world.let_pass(timedelta(minutes=3))
    eventually(lambda: account(world.owner, account_id)["status"] == "needs_reconnection")
    assert len(world.renewals()) == 2
    assert list_event_names(world.owner) == ["account.connected", "account.needs_reconnection"]


def test_what_a_person_connects_during_a_renewal_is_not_written_over(world: World) -> None:
    (account_id,) = connect(world.sandbox, world.owner, "tiktok")
    with world.gate.holding("/v2/oauth/token/", "after") as hold, ThreadPoolExecutor(1) as pool:
        world.let_pass(DAY * 0.75)
        hold.wait_for_call()
        # The exchange of the code goes the same way: now both are under way, and either may come first.
        again = pool.submit(connect, world.sandbox, world.owner, "tiktok")
        hold.wait_for_call()
        hold.release()
        assert again.result() == [account_id]
    assert world.about(account_id).status_code == httpx.codes.OK
    assert account(world.owner, account_id)["status"] == "connected"


def test_tokens_of_a_renewal_that_ends_after_a_reconnection_are_dropped(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    (account_id,) = connect(world.sandbox, world.owner, "tiktok")
    open_id = account(world.owner, account_id)["platformAccountId"]
    with world.gate.holding("/v2/oauth/token/", "after") as hold:
        world.let_pass(DAY * 0.75)
        hold.wait_for_call()
        # The tokens under way die with the grant; only those of the new sign-in live.
        world.sandbox.control("revoke", platform="tiktok", account=open_id, how="silent")
        hold.text = "nothing else"
        assert connect(world.sandbox, world.owner, "tiktok") == [account_id]
        fresh = open_grant(world.owner, "tiktok")
        hold.release()
    # Had they been written, they would be found dead here.
    eventually(lambda: "renewed_tokens_dropped" in caplog.messages)
    assert open_grant(world.owner, "tiktok") == fresh
    assert world.about(account_id).status_code == httpx.codes.OK
    assert account(world.owner, account_id)["status"] == "connected"
    assert list_event_names(world.owner) == ["account.connected"]


@pytest.mark.one_engine
@pytest.mark.parametrize("path", first_on_both(["/accounts/{}/about", "/accounts/health?refresh=true"]))
def test_a_refusal_that_comes_after_a_reconnection_does_not_take_the_account_away(world: World, path: str) -> None:
    (account_id,) = connect(world.sandbox, world.owner, "tiktok")
    open_id = account(world.owner, account_id)["platformAccountId"]
    # From then on nobody but this test asks the platform.
    eventually(lambda: account(world.owner, account_id)["lastCheckedAt"])
    world.sandbox.control("expire", platform="tiktok", account=open_id, what="refresh")
    with world.gate.holding("/v2/oauth/token/", "after") as hold, ThreadPoolExecutor(1) as pool:
        late = pool.submit(world.owner.session.get, path.format(account_id))
        hold.wait_for_call()
        hold.text = "nothing else"
        assert connect(world.sandbox, world.owner, "tiktok") == [account_id]
        hold.release()
        late.result()
    assert account(world.owner, account_id)["status"] == "connected"
    assert list_event_names(world.owner) == ["account.connected"]
    assert world.about(account_id).status_code == httpx.codes.OK


def is_lost(context: World, account_id: str) -> bool:
    """Look, and let time pass until the next look."""
    status = account(context.owner, account_id)["status"]
    context.let_pass(timedelta(minutes=2))
    return bool(status == "needs_reconnection")


def test_a_revocation_that_is_announced_during_a_probe_is_looked_into_after_it(world: World) -> None:
    (account_id,) = connect(world.sandbox, world.owner, "tiktok")
    open_id = account(world.owner, account_id)["platformAccountId"]
    eventually(lambda: account(world.owner, account_id)["lastCheckedAt"])
    with world.gate.holding("/v2/user/info/", "after") as hold:
        world.let_pass(timedelta(hours=2))
        hold.wait_for_call()
        world.sandbox.control("revoke", platform="tiktok", account=open_id)
    # A platform may announce it before its own tokens know: it is looked into again, soon.
    assert eventually(lambda: is_lost(world, account_id))
    assert list_event_names(world.owner) == ["account.connected", "account.needs_reconnection"]


def test_a_customer_who_disconnects_during_a_renewal_is_not_brought_back(world: World) -> None:
    (account_id,) = connect(world.sandbox, world.owner, "tiktok")
    with world.gate.holding("/v2/oauth/token/", "after") as hold:
        world.let_pass(DAY * 0.75)
        hold.wait_for_call()
        assert world.owner.session.delete(f"/accounts/{account_id}").status_code == httpx.codes.OK
        hold.release()
    world.let_pass(DAY)
    assert list_all(world.owner) == []
    problem_of(world.about(account_id), 404, "not_found")
    assert list_event_names(world.owner) == ["account.connected", "account.disconnected"]
