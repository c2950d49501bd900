"""Answers of platforms get lost at the calls that publish, in every form of post: nothing is out twice, and what is
said of a post is true.

The platform has done what it was asked (`after`), has not and never will (`drop`), does it a little later (`late`),
does it after everybody has stopped looking (`very late`), or is slow with everything (`slow`).
"""

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from socialgate.areas.posts.retry_policy import LOOKUP_DELAYS
from socialgate.contracts.platforms import Kind
from support.crash_deployment import PLATFORMS, start_crash_deployment
from support.many_accounts import SimulatedAccount, build_accounts
from support.postgres import new_database
from support.publish_faults import (
    ACCOUNTS,
    PROCESSING,
    Case,
    OutcomeCounts,
    Point,
    PublishFaultTester,
    list_fault_points,
)
from support.soak import SOAK, some_of_each
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

log = logging.getLogger(__name__)

LATE, VERY_LATE = timedelta(seconds=200), timedelta(hours=6)
SLOW = timedelta(hours=1)
FAULTS: dict[str, dict[str, Any]] = {
    "after": {"when": "after"},
    "drop": {"when": "drop"},
    "late": {"when": "late", "delay": LATE.total_seconds()},
    "very late": {"when": "late", "delay": VERY_LATE.total_seconds()},
    "slow": {"when": "after"},
}
# What platforms are asked that somebody sees, or that is told apart from it only by what it says.
_SEEN = re.compile(
    "POST .*/(feed|videos|video_reels|photo_stories|video_stories|comments|media_publish|threads_publish"
    "|(video|content)/init/|commentThreads|localPosts|send[A-Z].*)|PUT .*"
)
# In every run each engine gets one in so many points of a form. It shares no factor with the number of faults, so that
# each fault gets its turn.
ONE_IN = 11
_PROCESSED = {Kind.FACEBOOK_PAGE, Kind.INSTAGRAM, Kind.THREADS}


class LosingBench(PublishFaultTester):
    """Has platforms lose calls and answers."""

    def inject_fault(self, member: SimulatedAccount, point: Point) -> None:
        method, _, path = point.call.partition(" ")
        platform = PLATFORMS[member.kind]
        if point.when == "slow":
            self._process(member, SLOW)
        fault = {"account": member.id, "method": method, "path": path.replace("#", "*"), "skip": point.nth}
        self.stage.sandbox.control("fail", platform=platform, **fault, **FAULTS[point.when])

    def forgive(self, cases: Sequence[Case]) -> None:
        """Let platforms be as quick as before, and have YouTube take more videos."""
        for case in cases:
            if case.point is not None and case.point.when == "slow":
                self._process(case.member, PROCESSING)
        self.stage.sandbox.control("quota", platform="google", bucket="videos.insert", left=100)

    def _process(self, member: SimulatedAccount, time: timedelta) -> None:
        order = {"account": member.id, "seconds": time.total_seconds(), "times": 1000}
        self.stage.sandbox.control("process", platform=PLATFORMS[member.kind], **order)

    def unused(self) -> set[str]:
        """Name the accounts on which a call that was to be lost was never made."""
        return {fault["account"] for fault in self.stage.sandbox.look("fail")["data"]}

    def outlast(self) -> None:
        """Let the platforms do what they do late, while nobody looks."""
        self.stage.clocks.advance(timedelta(0), platforms=VERY_LATE)
        eventually(lambda: not self.list_hanging_calls())
        self.stage.clocks.advance(timedelta(0), platforms=SLOW)

    def refuse_retries(self, cases: Sequence[Case], rows: Sequence[sa.Row[Any]]) -> None:
        """A post of which nobody knows whether it is out is not published again."""
        for row in open_ones(cases, rows)[1]:
            answer = self.stage.http.post(f"/posts/{row.post_id}/retry")
            assert (answer.status_code, answer.json()["code"]) == (httpx.codes.CONFLICT, "nothing_to_retry")

    def ask_again(self, cases: Sequence[Case], rows: Sequence[sa.Row[Any]]) -> list[sa.Row[Any]]:
        """Have the platforms asked once more about what is open."""
        for row in open_ones(cases, rows)[1]:
            self.stage.send_request("POST", f"/posts/{row.post_id}/reconcile", json={})
        return self.settle(cases)


def open_ones(cases: Sequence[Case], rows: Sequence[sa.Row[Any]]) -> tuple[list[Case], list[sa.Row[Any]]]:
    result = [(case, row) for case, row in zip(cases, rows, strict=True) if row.status == "unconfirmed"]
    return [case for case, _ in result], [row for _, row in result]


def chosen(points: Sequence[Point]) -> list[Point]:
    """Choose the calls that publish, of those with one name the first and the last; in the long run, all calls."""
    last = {(str(point.form), point.call): point.nth for point in points}
    kept = [point for point in points if point.when != "slow" or point.form.kind in _PROCESSED]
    if SOAK:
        return kept
    ends = [point for point in kept if point.nth in {0, last[str(point.form), point.call]}]
    return [point for point in ends if _SEEN.fullmatch(point.call)]


def lose_at(bench: LosingBench, points: Sequence[Point], figures: OutcomeCounts) -> list[Point]:
    """Lose as many of these calls as there are accounts, and compare what is said of each post with what is out."""
    since, free = bench.last_call(), bench.free()
    values = [(point.form, free[point.form.kind].pop(), point) for point in points if free[point.form.kind]]
    cases = bench.post_all(values)
    rows = bench.settle(cases)
    missed = [str(case.point) for case in cases if case.member.id in bench.unused()]
    assert all(", slow call" in point for point in missed), f"these calls were never made: {missed}"
    bench.outlast()
    bench.refuse_retries(cases, rows)
    bench.check(cases, rows, since)
    rows = bench.ask_again(cases, rows)
    bench.check(cases, rows, since)
    check_found(bench, cases, rows)
    figures.add(cases, rows)
    bench.stage.sandbox.client.delete("/_control/fail")
    bench.forgive(cases)
    return [point for _, _, point in values]


def check_found(bench: LosingBench, cases: Sequence[Case], rows: Sequence[sa.Row[Any]]) -> None:
    """What is out by now is found, wherever the platform shows it."""
    left = [
        f"{case.point}: {row.error}"
        for case, row in zip(*open_ones(cases, rows), strict=True)
        if case.form.kind is not Kind.TELEGRAM_BOT and bench.is_visible(case)
    ]
    assert not left, "\n".join(left)


@contextmanager
def at_bench(engine: str, folder: Path, postgres_url: str) -> Iterator[LosingBench]:
    url = new_database(postgres_url) if engine == "postgres" else None
    members = build_accounts(ACCOUNTS)
    with start_crash_deployment(folder, url, members) as stage:
        yield LosingBench(stage, members)
        for process in stage.processes:
            process.require_alive()
            process.require_no_errors()


def test_a_post_is_out_once_whichever_answer_is_lost(
    request: pytest.FixtureRequest, engine: str, tmp_path: Path, postgres_url: str
) -> None:
    assert sum(LOOKUP_DELAYS, timedelta()) < VERY_LATE
    figures = OutcomeCounts()
    with at_bench(engine, tmp_path, postgres_url) as bench:
        points = chosen(list_fault_points(bench, figures, list(FAULTS)))
        if not SOAK:
            points = some_of_each(points, lambda point: str(point.form), engine, ONE_IN)
        log.info("%d points", len(points))
        while points:
            done = lose_at(bench, points, figures)
            points = [point for point in points if point not in done]
        bench.check_events(figures.ends)
        figures.tell(request.node.name, 0)
