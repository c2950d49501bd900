"""Quotas of platforms in a running service: shown in the health of accounts, and waited for by posts.

The services are the module's own, because their clocks are moved.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from socialgate.areas.posts import retry_policy
from socialgate.areas.posts.step_writer import PUBLISHING_WAKE_KEY
from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.failures import PlatformError, PlatformRateLimitError
from socialgate.contracts.platforms import Platform, Quota
from socialgate.core.db import Tx
from socialgate.core.metrics import Metrics
from socialgate.core.quotas import Quotas, get_budget_usage
from socialgate_sandbox.vendors.telegram.seed import REGULARS_GROUP
from support.connections import connect_accounts
from support.sandbox import Connection, Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

REFUSALS = "socialgate_platform_quota_refusals_total"


class Desk:
    """An owner with a bot that posts in a group, while time stands still unless it is moved."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        self.running = running
        self.sandbox = sandbox
        self.owner = running.new_owner()
        self.session = self.owner.session
        created = sandbox.control(
            "newbot", platform="telegram", person="ada", name="Counted", username=f"C{self.owner.id[-12:]}Bot"
        )
        self.bot = str(created["id"])
        sandbox.control("promote", platform="telegram", account=REGULARS_GROUP, bot=self.bot, role="member")
        body = {"profileId": self.owner.profile_id, "botToken": created["token"]}
        answer = self.session.post("/connect/telegram", json=body)
        assert answer.is_success, answer.text
        self.account = str(answer.json()["id"])

    def spend(self, quota: Quota, whose: str, units: int) -> None:
        """Use up a quota, as another node does."""
        others = Quotas(self.running.service.db, Metrics())
        self.running.run(others.spend([(quota.build_budget(Platform.TELEGRAM, whose), units)]))

    def post(self, text: str) -> str:
        targets = [{"accountId": self.account, "options": {"chatId": REGULARS_GROUP}}]
        body = {"profileId": self.owner.profile_id, "content": text, "targets": targets, "publishNow": True}
        answer = self.session.post("/posts", json=body)
        assert answer.is_success, answer.text
        return str(answer.json()["id"])

    def target(self, post: str) -> dict[str, Any]:
        shown: dict[str, Any] = self.session.get(f"/posts/{post}").json()["targets"][0]
        return shown

    def waits(self, post: str) -> dict[str, Any]:
        """Wait until the post waits for room, and give its last attempt."""
        eventually(lambda: self._last(post)["outcome"] == "platform_rate_limited")
        return self._last(post)

    def is_out(self, post: str) -> None:
        eventually(lambda: self.target(post)["status"] == "published")

    def shown(self, text: str) -> int:
        """Count how often the group shows a text."""
        feed = self.sandbox.control("feed", platform="telegram", account=REGULARS_GROUP, limit=200)["data"]
        return sum(item["message"].get("text") == text for item in feed)

    def later(self, passed: timedelta) -> None:
        self.running.clock.offset += passed
        self.running.write(_wake)

    def limits(self, account: str | None = None, **query: Any) -> dict[str, dict[str, Any]]:
        data = self.session.get("/accounts/health", params=query).json()["data"]
        result = next(item for item in data if item["accountId"] == (account or self.account))
        return {limit["name"]: limit for limit in result["limits"]}

    def _last(self, post: str) -> dict[str, Any]:
        attempts = self.target(post)["attempts"]
        return dict(attempts[-1]) if attempts else {"outcome": None}


async def _wake(tx: Tx) -> None:
    tx.wake_on_commit(PUBLISHING_WAKE_KEY)


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as own:
        own.clock.stop()
        yield own


@pytest.fixture
def desk(running: RunningService) -> Iterator[Desk]:
    with Sandbox(running) as sandbox:
        yield Desk(running, sandbox)


def quota(platform: Platform, name: str) -> Quota:
    kinds = MANIFESTS[platform].kinds
    return next(quota for kind in kinds for quota in kind.limits.quotas if quota.name == name)


@pytest.mark.one_engine
def test_a_post_waits_for_room_in_a_quota_and_goes_out_then(desk: Desk) -> None:
    per_group = quota(Platform.TELEGRAM, "messages per group or channel")
    desk.spend(per_group, f"{desk.bot}:{REGULARS_GROUP}", per_group.limit)
    registry = desk.running.service.metrics.registry
    labels = {"platform": "telegram", "quota": per_group.name}
    refused_before = registry.get_sample_value(REFUSALS, labels) or 0
    text = f"Bread of {desk.owner.id}"
    post = desk.post(text)
    attempt = desk.waits(post)
    assert "20 of 20 `messages per group or channel`" in attempt["detail"]
    wait = datetime.fromisoformat(attempt["nextAt"]) - desk.running.clock.now()
    assert timedelta(seconds=60) <= wait <= timedelta(seconds=65)
    assert desk.target(post)["status"] == "publishing"
    assert desk.shown(text) == 0
    assert (registry.get_sample_value(REFUSALS, labels) or 0) > refused_before
    desk.later(timedelta(seconds=66))
    desk.is_out(post)
    assert desk.shown(text) == 1


def test_posts_of_one_moment_go_out_one_after_the_other(desk: Desk) -> None:
    """Telegram takes one message a second for a chat."""
    texts = [f"{number} of {desk.owner.id}" for number in range(4)]
    posts = [desk.post(text) for text in texts]
    for number in range(1, len(posts) + 1):

        def settled(number: int = number) -> bool:
            states = [desk._last(post)["outcome"] for post in posts]
            return states.count("published") == number and states.count("platform_rate_limited") == len(posts) - number

        eventually(settled)
        # Each waits up to a second longer for each time that it waited before.
        desk.later(timedelta(seconds=2 + number))
    for post in posts:
        desk.is_out(post)
    assert [desk.shown(text) for text in texts] == [1] * len(texts)


@pytest.mark.one_engine
def test_health_shows_what_is_used_and_until_when(desk: Desk) -> None:
    assert desk.limits() == {
        "messages": {"name": "messages", "used": 0, "limit": 30, "resetsAt": None, "windowSeconds": 1},
        "messages per chat": {
            "name": "messages per chat",
            "used": None,
            "limit": 1,
            "resetsAt": None,
            "windowSeconds": 1,
        },
        "messages per group or channel": {
            "name": "messages per group or channel",
            "used": None,
            "limit": 20,
            "resetsAt": None,
            "windowSeconds": 60,
        },
    }
    desk.is_out(desk.post(f"Counted for {desk.owner.id}"))
    for limits in (desk.limits(), desk.limits(refresh=True)):
        assert (limits["messages"]["used"], limits["messages"]["limit"]) == (1, 30)
        left = datetime.fromisoformat(limits["messages"]["resetsAt"]) - desk.running.clock.now()
        assert timedelta(seconds=1) < left < timedelta(seconds=1.1)
    desk.later(timedelta(seconds=2))
    assert desk.limits()["messages"] == {
        "name": "messages",
        "used": 0,
        "limit": 30,
        "resetsAt": None,
        "windowSeconds": 1,
    }


@pytest.mark.one_engine
def test_health_shows_what_the_platform_says_where_it_says_anything(desk: Desk) -> None:
    account = connect_accounts(desk.sandbox, desk.owner, "threads")[0]
    number = next(item for item in desk.session.get("/accounts").json()["data"] if item["id"] == account)
    budget = quota(Platform.THREADS, "posts").build_budget(Platform.THREADS, number["platformAccountId"])
    desk.running.run(Quotas(desk.running.service.db, Metrics()).spend([(budget, 7)]))
    shown = desk.limits(account, refresh=True)
    payload = desk.sandbox.listed("received", platform="threads", path="*/threads_publishing_limit")
    assert payload, "the platform was asked"
    assert set(shown) == {"posts", "replies", "deletes"}
    assert shown["posts"]["used"] != 7
    assert (shown["posts"]["limit"], shown["posts"]["windowSeconds"]) == (250, 86_400)


def test_another_owner_sees_only_its_own_use(desk: Desk, running: RunningService) -> None:
    desk.spend(quota(Platform.TELEGRAM, "messages"), desk.bot, 5)
    other: OwnerFixture = running.new_owner()
    assert other.session.get("/accounts/health").json()["data"] == []
    assert desk.limits()["messages"]["used"] == 5


def test_waiting_for_a_quota_that_is_counted_here_never_ends_in_failure() -> None:
    ours = PlatformRateLimitError("used up", platform="telegram", category="quota_exhausted", retry_after=30)
    assert retry_policy.choose_next_action(ours, 10_000, runs_once=True) == retry_policy.WaitForQuota(
        timedelta(seconds=30)
    )
    limit_error = PlatformRateLimitError(
        "used up", platform="telegram", category="quota_exhausted", retry_after=30, error=PlatformError(status=429)
    )
    assert retry_policy.choose_next_action(limit_error, 3, runs_once=True) == retry_policy.RetryStage(
        timedelta(seconds=30)
    )
    assert isinstance(retry_policy.choose_next_action(limit_error, 10_000, runs_once=True), retry_policy.FailTarget)


def used(desk: Desk, platform: Platform, name: str, whose: str) -> int:
    key = quota(platform, name).build_budget(platform, whose).key
    result = desk.running.read(get_budget_usage, [key])
    return int(result[key].used) if result else 0


@pytest.mark.one_engine
def test_posts_replies_and_deletions_on_threads_are_counted_apart(desk: Desk) -> None:
    account = connect_accounts(desk.sandbox, desk.owner, "threads")[0]
    profile = next(item for item in desk.session.get("/accounts").json()["data"] if item["id"] == account)
    number = profile["platformAccountId"]
    names = ("posts", "replies", "deletes")
    before = [used(desk, Platform.THREADS, name, number) for name in names]
    targets = [{"accountId": account, "options": {"thread": ["Second", "Third"]}}]
    body = {"profileId": desk.owner.profile_id, "content": f"Of {desk.owner.id}", "targets": targets}
    post = desk.session.post("/posts", json={**body, "publishNow": True}).json()["id"]

    def is_out() -> bool:
        if desk.target(post)["status"] == "published":
            return True
        desk.sandbox.control("clock", advance=5)
        desk.later(timedelta(seconds=5))
        return False

    eventually(is_out)
    assert desk.session.delete(f"/posts/{post}", params={"platforms": True}).is_success
    after = [used(desk, Platform.THREADS, name, number) for name in names]
    assert [now - then for now, then in zip(after, before, strict=True)] == [1, 2, 1]


@pytest.mark.one_engine
def test_calls_of_tiktok_ads_are_counted_for_each_endpoint(desk: Desk) -> None:
    endpoint = "/open_api/v1.3/advertiser/info/"
    before = used(desk, Platform.TIKTOKADS, "calls", endpoint)
    connect_accounts(desk.sandbox, desk.owner, "tiktokads")

    def is_counted() -> bool:
        """A call is counted before it is made, and a check may be between the two."""
        calls = desk.sandbox.listed("received", platform="tiktokads", path=f"*{endpoint}")
        return used(desk, Platform.TIKTOKADS, "calls", endpoint) - before == len(calls) > 0

    eventually(is_counted)


@pytest.mark.one_engine
def test_a_person_who_connects_waits_for_a_quota_of_one_second(service: RunningService) -> None:
    per_second = next(quota for quota in MANIFESTS[Platform.TIKTOKADS].kinds[0].limits.quotas if quota.seconds == 1)
    budget = per_second.build_budget(Platform.TIKTOKADS, "/open_api/v1.3/oauth2/access_token/")
    with Sandbox(service) as sandbox:
        connection = Connection(sandbox, service.new_owner(), "tiktokads")
        back = sandbox.decide(connection.auth_url)
        service.run(Quotas(service.service.db, Metrics()).spend([(budget, per_second.limit)]))
        assert "Lindqvist Baking School" in connection.back(back).text
