"""Numbers that are taken day by day: whole where the platform remembers, with gaps where it does not."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from socialgate.areas.analytics import store
from socialgate.areas.analytics.snapshots import ACCOUNT_SNAPSHOT_JOB, POST_SNAPSHOT_JOB
from socialgate.connectors.registry import MANIFESTS
from socialgate.core.jobs.job_store import jobs
from socialgate.core.quotas import quota_use
from socialgate_sandbox.vendors.telegram.seed import BAKERY_CHANNEL
from support.analytics_fixture import DAY, AnalyticsFixture
from support.connections import connect_accounts
from support.database import rows
from support.service import StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines
SAO_PAULO = ZoneInfo("America/Sao_Paulo")
FIRST_AFTER = timedelta(minutes=6)


@pytest.fixture
def grown(start_service: StartService) -> Iterator[AnalyticsFixture]:
    with start_service() as running, AnalyticsFixture(running) as existing_analytics_fixture:
        yield existing_analytics_fixture


def test_ninety_days_are_whole_where_the_platform_remembers_them(grown: AnalyticsFixture) -> None:
    grown.set_timezone("America/Sao_Paulo")
    # Early in the day, Meta, which counts in California, has not reported yesterday yet.
    grown.advance_to_evening("America/Sao_Paulo")
    page = grown.connect_only("facebook_page", "Lindqvist Bakery")
    grown.let_pass(FIRST_AFTER)
    grown.await_snapshot(page)
    before = grown.followers(page, granularity="day")
    assert [point["gap"] for point in before] == [False] * 30, "the history is filled in when it is connected"
    grown.let_pass(90 * DAY)
    grown.await_snapshot(page)
    today = grown.now.astimezone(SAO_PAULO).date()
    days = grown.followers(page, since=today - 89 * DAY, until=today)
    assert len(days) == 90
    assert not any(day["gap"] for day in days)
    assert sum(day["change"] for day in days[1:]) == days[-1]["followers"] - days[0]["followers"]
    for granularity in ("week", "month"):
        whole = grown.followers(page, since=today - 89 * DAY, until=today, granularity=granularity)
        last = {_begin(day["date"], granularity): day["followers"] for day in days}
        assert [(item["date"], item["followers"]) for item in whole] == list(last.items())
    assert_summed_up(grown, page)


def _begin(day: str, granularity: str) -> str:
    date = datetime.fromisoformat(day).date()
    return str(date - timedelta(days=date.weekday()) if granularity == "week" else date.replace(day=1))


def assert_summed_up(grown: AnalyticsFixture, account: dict[str, Any]) -> None:
    """Compare each total of a summary with the sum of what the sandbox counted in these days, and before."""
    summary = grown.summary(account, period="30d")
    totals = {item["name"]: item for item in summary["totals"]}
    periods = {"value": summary["period"], "previous": summary["previous"]}
    table = next(k.metrics for m in MANIFESTS.values() for k in m.kinds if k.kind == account["kind"])
    flows = [metric for metric in table.account_metrics if metric.form == "flow"]
    for field, period in periods.items():
        truth = grown.read_sandbox_numbers(account, period["since"], period["until"])["totals"]
        assert {flow.name: totals[flow.name][field] for flow in flows} == {
            flow.name: truth[flow.vendor] for flow in flows
        }
    assert all(totals[flow.name]["days"] == 30 for flow in flows)
    views = totals["views"]
    assert views["changePercent"] == round(100 * (views["value"] - views["previous"]) / views["previous"], 2)
    assert "reach" not in totals, "the same people count on each day"
    assert summary["gaps"] == []


def test_days_that_nobody_read_are_gaps_and_are_never_made_up(grown: AnalyticsFixture) -> None:
    account = grown.connect_only("tiktok")
    grown.let_pass(FIRST_AFTER)
    grown.await_snapshot(account)
    grown.advance_to_evening()
    for _ in range(3):
        grown.let_pass(DAY)
        grown.await_snapshot(account)
    grown.let_pass(4 * DAY)
    grown.await_snapshot(account)
    points = grown.followers(account)[-8:]
    assert [point["gap"] for point in points] == [False] * 4 + [True] * 3 + [False]
    assert [point["followers"] is None for point in points] == [point["gap"] for point in points]
    assert [point["change"] is None for point in points[1:]] == [False] * 3 + [True] * 4
    readings = rows(
        grown.running, sa.select(store.follower_counts).where(store.follower_counts.c.account_id == account["id"])
    )
    assert len(readings) == 5, "after downtime it is read once"
    today = grown.now.date()
    summary = grown.summary(account, since=today - 7 * DAY, until=today)
    assert summary["gaps"] == [{"since": str(today - 3 * DAY), "until": str(today - DAY)}]
    totals = {item["name"]: item for item in summary["totals"]}
    assert (totals["followers"]["value"], totals["followers"]["days"]) == (points[-1]["followers"], 5)
    assert totals["posts"]["unit"] == "count"


def test_what_is_told_as_one_number_of_a_range_is_stored_by_day(grown: AnalyticsFixture) -> None:
    account = grown.connect_only("instagram")
    grown.let_pass(FIRST_AFTER)
    grown.await_snapshot(account)
    grown.advance_to_evening()
    for _ in range(2):
        grown.let_pass(DAY)
        grown.await_snapshot(account)
    last = grown.now.astimezone(ZoneInfo("America/Los_Angeles")).date() - DAY
    first = last - 20 * DAY
    result = rows(
        grown.running,
        sa.select(store.insight_days).where(
            store.insight_days.c.account_id == account["id"], store.insight_days.c.day.between(str(first), str(last))
        ),
    )
    stored = {row.day: row.metrics for row in result}
    for day in grown.read_sandbox_numbers(account, first, last)["days"]:
        counted = day["metrics"]
        numbers = stored[day["date"]]
        assert (numbers["views"], numbers["engagement"]) == (counted["views"], counted["total_interactions"])
        assert (numbers["follows"], numbers["unfollows"]) == (counted["follower_count"], counted["unfollows"])


def test_a_post_is_measured_at_ages_that_grow(grown: AnalyticsFixture) -> None:
    grown.set_timezone("Asia/Kolkata")
    account = grown.connect_only("threads")
    post = grown.publish(account)
    published = datetime.fromisoformat(post["targets"][0]["publishedAt"])
    until = (published + 40 * DAY).date()
    query = {"since": published.date() - DAY, "until": until}

    def measured(age: int) -> dict[str, Any] | None:
        best: list[dict[str, Any]] = grown.summary(account, **query)["bestPosts"]
        return best[0] if best and best[0]["ageHours"] == age else None

    assert grown.summary(account, **query)["bestPosts"] == []
    passed = timedelta()
    for age in (1, 6, 24, 200, 720):
        wait = timedelta(hours=age, minutes=1) - passed
        passed += wait
        grown.let_pass(wait)
        # Ages that passed while nobody looked are left out.
        expected = 168 if age == 200 else age
        best = eventually(partial(measured, expected))
        assert best["postId"] == post["id"]
        assert best["objectId"] == post["targets"][0]["platformPostId"]
    taken = rows(grown.running, sa.select(store.post_metrics.c.hours).order_by(store.post_metrics.c.hours))
    assert [row.hours for row in taken] == [1, 6, 24, 168, 720]
    counted = best["metrics"]
    assert best["engagement"] == sum(counted[name] for name in ("likes", "comments", "shares", "reposts", "quotes"))
    summary = grown.summary(account, **query)
    local = published.astimezone(ZoneInfo("Asia/Kolkata"))
    (time,) = summary["bestTimes"]
    assert (time["weekday"], time["hour"], time["posts"]) == (f"{local:%A}".lower(), local.hour, 1)
    assert summary["postsPublished"] == 1
    days = (until - query["since"]).days + 1
    assert summary["postsPerWeek"] == round(7 / days, 2)


def test_a_post_that_cannot_be_read_at_one_age_is_read_at_the_next(grown: AnalyticsFixture) -> None:
    account = grown.connect_only("threads")
    post = grown.publish(account)
    grown.sandbox.control("fail", platform="threads", status=500, path="*/insights", times=1000)

    def measuring() -> list[Any]:
        open_jobs = sa.select(jobs).where(jobs.c.type == POST_SNAPSHOT_JOB, jobs.c.finished_at.is_(None))
        return rows(grown.running, open_jobs)

    def given_up() -> bool:
        (job,) = measuring()
        if job.input["step"] == 0 and job.claim_id is None:
            grown.let_pass(max(job.due_at - grown.now, timedelta()) + timedelta(seconds=1))
        return bool(job.input["step"] == 1)

    eventually(given_up)
    grown.sandbox.http.delete("/_control/fail")
    (job,) = measuring()
    grown.let_pass(job.due_at - grown.now + timedelta(seconds=1))
    query = {"since": grown.now.date() - 2 * DAY, "until": grown.now.date()}
    best = eventually(lambda: grown.summary(account, **query)["bestPosts"])
    assert [(item["postId"], item["ageHours"]) for item in best] == [(post["id"], 6)]


@pytest.mark.one_engine
def test_the_members_of_a_channel_are_counted_once_something_was_posted_there(grown: AnalyticsFixture) -> None:
    account = grown.connect_only("telegram_bot")
    payload = grown.insights(account)["followers"]
    assert (payload["total"], payload["unavailable"]["code"]) == (None, "not_counted_yet")
    grown.publish(account, options={"chatId": "@adasbakery"})
    payload = grown.owner.session.get(
        f"/accounts/{account['id']}/insights", headers={"Cache-Control": "no-cache"}
    ).json()
    (followers,) = payload["metrics"]
    today = grown.now.date()
    truth = grown.read_sandbox_numbers(account, today, today, value=BAKERY_CHANNEL)
    assert followers["total"] == truth["days"][-1]["followers"] > 0
    assert followers["vendor"]["name"] == "getChatMemberCount"
    assert list(followers["vendor"]["value"].values()) == [followers["total"]]
    grown.let_pass(FIRST_AFTER)
    grown.await_snapshot(account)


def test_snapshots_leave_half_of_a_shared_quota_to_customers(grown: AnalyticsFixture) -> None:
    account = grown.connect_only("youtube")
    used = {"budget": "google:units/86400:app", "frees_at": grown.now + timedelta(hours=20), "used": 5_000}
    grown.running.write(_use, used)
    grown.let_pass(FIRST_AFTER)
    eventually(lambda: snapshot_job(grown, account).due_at > grown.now + timedelta(minutes=30))
    assert grown.followers(account)[-1]["gap"]
    grown.let_pass(timedelta(hours=21))
    grown.await_snapshot(account)


async def _use(tx: Any, values: dict[str, Any]) -> None:
    await tx.execute(sa.delete(quota_use).where(quota_use.c.budget == values["budget"]))
    await tx.execute(sa.insert(quota_use), values)


def snapshot_job(grown: AnalyticsFixture, account: dict[str, Any]) -> Any:
    (job,) = rows(
        grown.running, sa.select(jobs).where(jobs.c.type == ACCOUNT_SNAPSHOT_JOB, jobs.c.job_key == account["id"])
    )
    return job


def test_a_disconnected_account_is_read_no_more_and_its_numbers_go_in_time(grown: AnalyticsFixture) -> None:
    account = grown.connect_only("threads")
    grown.let_pass(FIRST_AFTER)
    grown.await_snapshot(account)
    assert grown.owner.session.delete(f"/accounts/{account['id']}").status_code == 200
    grown.let_pass(2 * DAY)
    eventually(lambda: snapshot_job(grown, account).status == "cancelled")
    assert rows(grown.running, sa.select(store.insight_days))
    grown.running.write(store.purge_metrics_of_disconnected_accounts, grown.now)
    assert rows(grown.running, sa.select(store.insight_days))
    grown.running.write(store.purge_metrics_of_disconnected_accounts, grown.now + 100 * DAY)
    assert rows(grown.running, sa.select(store.insight_days)) == []
    assert rows(grown.running, sa.select(store.follower_counts)) == []


@pytest.mark.one_engine
def test_a_lost_account_is_left_alone_until_it_is_connected_again(grown: AnalyticsFixture) -> None:
    account = grown.connect_only("tiktok")
    grown.let_pass(FIRST_AFTER)
    grown.await_snapshot(account)
    grown.sandbox.control("revoke", platform="tiktok", account=account["platformAccountId"])
    eventually(lambda: grown.get("/accounts")["data"][0]["status"] == "needs_reconnection")
    grown.advance_to_evening()
    grown.let_pass(DAY)
    due = eventually(lambda: (job := snapshot_job(grown, account)).due_at > grown.now and job.due_at)
    assert due < grown.now + timedelta(hours=48)
    assert grown.followers(account)[-1]["gap"]
    connect_accounts(grown.sandbox, grown.owner, "tiktok")
    eventually(lambda: grown.get("/accounts")["data"][0]["status"] == "connected")
    due = snapshot_job(grown, account).due_at
    assert due <= grown.now + FIRST_AFTER, "it is read soon after it is connected again, not only on the next day"
    grown.let_pass(FIRST_AFTER)
    grown.await_snapshot(account)
