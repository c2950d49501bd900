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
from socialgate.areas.analytics.snapshots import AGES
from socialgate.areas.analytics.summary import PAGE
from socialgate.core.db import Tx
from socialgate.core.statements import Statements
from support.grown import Grown
from support.service import RunningService

pytestmark = pytest.mark.both_engines

POSTS = 3 * PAGE + 1
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
    random, found = Random(3), []  # noqa: S311 - the same posts every time
    for number in range(POSTS):
        moment = FIRST + LENGTH / 2 if number <= PAGE else FIRST + LENGTH * random.random()
        ages = {
            age: {"likes": random.randrange(50) + age // 24, "views": random.randrange(900)}
            for age in AGES[: random.randrange(len(AGES) + 1)]
        }
        if ages and number % 10 == 0:
            # The latest reading has nothing that counts.
            ages[max(ages)] = {}
        found.append(Post(f"{number:05}", moment, ages))
    random.shuffle(found)
    after = Post("after", FIRST + LENGTH, {1: {"likes": 9999}})
    return [*found, Post("before", FIRST - timedelta(seconds=1), {1: {"likes": 9999}}), after]


async def _save(tx: Tx, account_id: str, posts: list[Post]) -> None:
    owner_id = await tx.scalar(sa.select(accounts.c.owner_id).where(accounts.c.id == account_id))
    ids = {"owner_id": owner_id, "account_id": account_id}
    about = {"post_id": "post_1", "url": None}
    rows = [{**ids, **about, "object_id": one.object_id, "published_at": one.published_at} for one in posts]
    await tx.execute(sa.insert(store.measured_posts), rows)
    read = [
        {**ids, "object_id": one.object_id, "hours": age, "taken_at": one.published_at, "metrics": metrics}
        for one in posts
        for age, metrics in one.ages.items()
    ]
    await tx.execute(sa.insert(store.post_metrics), read)


class Watcher(Statements):
    """Counts the rows of each query of posts, and how often the next came before anybody else had a turn."""

    def __init__(self, usual: Statements) -> None:
        super().__init__(usual.dialect)
        self.sizes: list[int] = []
        self.had_turns = 0

    async def fetch(self, reader: Any, statement: Any, values: Any, read: Any = None) -> list[Any]:
        if store.measured_posts.name not in str(statement):
            return await super().fetch(reader, statement, values, read)
        assert self.had_turns == len(self.sizes), "nobody else had a turn"
        found = await super().fetch(reader, statement, values, read)
        self.sizes.append(len(found))
        asyncio.get_running_loop().call_soon(self._have_turn)
        return found

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
    within = [one for one in posts if FIRST <= one.published_at < FIRST + LENGTH]
    latest = [(one, max(one.ages), one.ages[max(one.ages)]) for one in within if one.ages]
    counted = [(one, age, metrics) for one, age, metrics in latest if "likes" in metrics]
    best = sorted(counted, key=lambda found: (-found[2]["likes"], found[0].object_id))[:5]
    hours: dict[tuple[int, int], list[int]] = {}
    for one, _, metrics in counted:
        local = one.published_at.astimezone(NEPAL)
        hours.setdefault((local.weekday(), local.hour), []).append(metrics["likes"])
    times = [(round(sum(likes) / len(likes), 2), len(likes), weekday, hour) for (weekday, hour), likes in hours.items()]
    times.sort(key=lambda found: (-found[0], -found[1], *found[2:]))
    return {
        "bestPosts": [(one.object_id, metrics["likes"], age, metrics) for one, age, metrics in best],
        "bestTimes": [(WEEKDAYS[weekday], hour, number, mean) for mean, number, weekday, hour in times[:24]],
        "postsPublished": len(within),
        "postsPerWeek": round(len(within) * 7 / 90, 2),
    }


def test_many_posts_are_summarized_exactly_and_a_page_at_a_time(service: RunningService) -> None:
    posts = made_up()
    with Grown(service) as grown:
        account = grown.only("threads")
        grown.place(NEPAL.key)
        service.write(_save, account["id"], posts)
        with watched(service) as watcher:
            summary = grown.summary(account, **PERIOD)
    summary["bestPosts"] = [
        (one["objectId"], one["engagement"], one["ageHours"], one["metrics"]) for one in summary["bestPosts"]
    ]
    summary["bestTimes"] = [
        (one["weekday"], one["hour"], one["posts"], one["engagement"]) for one in summary["bestTimes"]
    ]
    wanted = expected(posts)
    assert {name: summary[name] for name in wanted} == wanted
    assert watcher.sizes == [PAGE, PAGE, PAGE, 1], "each post once, whatever number of readings it has"
