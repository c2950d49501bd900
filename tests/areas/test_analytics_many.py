"""The summary of an account with many posts: exact, and read in pages so that others are answered meanwhile."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from socialgate.areas.accounts.tables import accounts
from socialgate.areas.analytics import store
from socialgate.areas.analytics.schemas import WEEKDAYS
from socialgate.areas.analytics.snapshots import SNAPSHOT_AGES_HOURS
from socialgate.areas.analytics.summary import SUMMARY_POSTS_PAGE_SIZE
from socialgate.core.db import Tx
from socialgate.core.statements import StatementRunner
from support.analytics_fixture import AnalyticsFixture
from support.service import RunningService

pytestmark = pytest.mark.both_engines

POSTS = 3 * SUMMARY_POSTS_PAGE_SIZE + 1
NEPAL = ZoneInfo("Asia/Kathmandu")
PERIOD = {"since": "2026-03-01", "until": "2026-05-29"}
FIRST = datetime(2026, 3, 1, tzinfo=NEPAL).astimezone(UTC)
LENGTH = timedelta(days=90)


class Post(NamedTuple):
    """A post, and its metrics at each age."""

    object_id: str
    published_at: datetime
    ages: dict[int, dict[str, int]]


def made_up() -> list[Post]:
    """Make up posts. Many were published at the same moment, more of them than fit on a page."""
    random, result = Random(3), []  # noqa: S311 - the same posts every time
    for number in range(POSTS):
        moment = FIRST + LENGTH / 2 if number <= SUMMARY_POSTS_PAGE_SIZE else FIRST + LENGTH * random.random()
        ages = {
            age: {"likes": random.randrange(50) + age // 24, "views": random.randrange(900)}
            for age in SNAPSHOT_AGES_HOURS[: random.randrange(len(SNAPSHOT_AGES_HOURS) + 1)]
        }
        if ages and number % 10 == 0:
            # The latest reading has nothing that counts.
            ages[max(ages)] = {}
        result.append(Post(f"{number:05}", moment, ages))
    random.shuffle(result)
    after = Post("after", FIRST + LENGTH, {1: {"likes": 9999}})
    return [*result, Post("before", FIRST - timedelta(seconds=1), {1: {"likes": 9999}}), after]


async def _save(tx: Tx, account_id: str, posts: list[Post]) -> None:
    owner_id = await tx.scalar(sa.select(accounts.c.owner_id).where(accounts.c.id == account_id))
    ids = {"owner_id": owner_id, "account_id": account_id}
    about = {"post_id": "post_1", "url": None}
    rows = [{**ids, **about, "object_id": post.object_id, "published_at": post.published_at} for post in posts]
    await tx.execute(sa.insert(store.measured_posts), rows)
    read = [
        {**ids, "object_id": post.object_id, "hours": age, "taken_at": post.published_at, "metrics": metrics}
        for post in posts
        for age, metrics in post.ages.items()
    ]
    await tx.execute(sa.insert(store.post_metrics), read)


class Watcher(StatementRunner):
    """Counts the rows of each query of posts, and how often the next came before anybody else had a turn."""

    def __init__(self, usual: StatementRunner) -> None:
        super().__init__(usual.dialect)
        self.sizes: list[int] = []
        self.had_turns = 0

    async def fetch(self, reader: Any, statement: Any, values: Any, read: Any = None) -> list[Any]:
        if store.measured_posts.name not in str(statement):
            return await super().fetch(reader, statement, values, read)
        assert self.had_turns == len(self.sizes), "nobody else had a turn"
        items = await super().fetch(reader, statement, values, read)
        self.sizes.append(len(items))
        asyncio.get_running_loop().call_soon(self._have_turn)
        return items

    def _have_turn(self) -> None:
        self.had_turns += 1


@contextmanager
def watched(running: RunningService) -> Iterator[Watcher]:
    db = running.service.db
    usual = db._statements
    db._statements = watcher = Watcher(usual)
    try:
        yield watcher
    finally:
        db._statements = usual


def expected(posts: list[Post]) -> dict[str, Any]:
    """Summarize posts in the plainest way."""
    within = [post for post in posts if FIRST <= post.published_at < FIRST + LENGTH]
    latest = [(item, max(item.ages), item.ages[max(item.ages)]) for item in within if item.ages]
    counted = [(item, age, metrics) for item, age, metrics in latest if "likes" in metrics]
    best = sorted(counted, key=lambda result: (-result[2]["likes"], result[0].object_id))[:5]
    hours: dict[tuple[int, int], list[int]] = {}
    for item, _, metrics in counted:
        local = item.published_at.astimezone(NEPAL)
        hours.setdefault((local.weekday(), local.hour), []).append(metrics["likes"])
    times = [(round(sum(likes) / len(likes), 2), len(likes), weekday, hour) for (weekday, hour), likes in hours.items()]
    times.sort(key=lambda result: (-result[0], -result[1], *result[2:]))
    return {
        "bestPosts": [(item.object_id, metrics["likes"], age, metrics) for item, age, metrics in best],
        "bestTimes": [(WEEKDAYS[weekday], hour, number, mean) for mean, number, weekday, hour in times[:24]],
        "postsPublished": len(within),
        "postsPerWeek": round(len(within) * 7 / 90, 2),
    }


def test_many_posts_are_summarized_exactly_and_a_page_at_a_time(service: RunningService) -> None:
    posts = made_up()
    with AnalyticsFixture(service) as grown:
        account = grown.connect_only("threads")
        grown.set_timezone(NEPAL.key)
        service.write(_save, account["id"], posts)
        with watched(service) as watcher:
            summary = grown.summary(account, **PERIOD)
    summary["bestPosts"] = [
        (item["objectId"], item["engagement"], item["ageHours"], item["metrics"]) for item in summary["bestPosts"]
    ]
    summary["bestTimes"] = [
        (item["weekday"], item["hour"], item["posts"], item["engagement"]) for item in summary["bestTimes"]
    ]
    values = expected(posts)
    assert {name: summary[name] for name in values} == values
    assert watcher.sizes == [SUMMARY_POSTS_PAGE_SIZE, SUMMARY_POSTS_PAGE_SIZE, SUMMARY_POSTS_PAGE_SIZE, 1], (
        "each post once, whatever number of readings it has"
    )
