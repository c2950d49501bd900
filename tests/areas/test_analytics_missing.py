"""Numbers that cannot be had: each says why in every form of answer, and none is ever a zero."""

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
import sqlalchemy as sa

from socialgate.areas.analytics import store
from support.analytics_fixture import DAY, AnalyticsFixture
from support.connections import available
from support.database import rows
from support.sandbox import Connection
from support.service import StartService

SVG = "{http://www.w3.org/2000/svg}"
# A person whose Instagram account has fewer than a hundred followers.
BRAM = "122097438912000202"


class Case(msgspec.Struct, frozen=True):
    """What happens on the platform's side, which metrics then have no number, and what is said of them."""

    kind: str
    code: str
    names: frozenset[str]
    verb: str = ""
    order: Mapping[str, Any] = {}
    name: str = ""
    person: str | None = None


PAGE_METRICS = frozenset(
    {"views", "reach", "engagement", "likes", "follows", "unfollows", "profileViews", "actions", "videoViews"}
)
REPORTS = frozenset({"views", "likes", "comments", "shares", "follows", "unfollows", "watchTime", "averageWatchTime"})
CASES = {
    "a permission that was taken back": Case(
        "facebook_page",
        "permission_missing",
        PAGE_METRICS,
        "revoke",
        {"platform": "meta", "how": "permission:read_insights"},
        "Lindqvist Bakery",
    ),
    "a quota that is used up": Case(
        "youtube",
        "platform_rate_limited",
        REPORTS,
        "fail",
        {"platform": "google", "error": "quota_exhausted", "path": "*/reports", "times": 20},
    ),
    "a metric that was retired": Case(
        "threads", "retired", frozenset({"quotes"}), "retire", {"platform": "threads", "metric": "quotes"}
    ),
    "an account that is too small": Case(
        "instagram", "too_few_viewers", frozenset({"follows", "unfollows"}), name="Okafor Media", person=BRAM
    ),
}


class Missing(msgspec.Struct, frozen=True):
    case: Case
    grown: AnalyticsFixture
    account: Mapping[str, Any]

    def export(self, accept: str) -> str:
        path = f"/accounts/{self.account['id']}/insights"
        headers = {"Accept": accept, "Cache-Control": "no-cache"}
        answer = self.grown.owner.session.get(path, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.text


@pytest.fixture(scope="module", params=list(CASES))
def missing(request: pytest.FixtureRequest, start_service: StartService) -> Iterator[Missing]:
    """Give an account that was never read before something was missing, and has been read on two days since."""
    case = CASES[request.param]
    with start_service() as running, AnalyticsFixture(running) as grown:
        if case.person is None:
            account = grown.connect_only(case.kind, case.name)
        else:
            assert Connection(grown.sandbox, grown.owner, "meta").finish(person=case.person).status_code == 200
            path = f"/profiles/{grown.owner.profile_id}/connect/meta"
            assert grown.owner.session.post(path, json={"ids": available(grown.owner, path)}).status_code == 201
            listed = grown.get("/accounts", limit=200)["data"]
            account = next(row for row in listed if (row["kind"], row["name"]) == (case.kind, case.name))
        if case.verb:
            values = {"account": account["platformAccountId"]} if case.verb == "revoke" else {}
            grown.sandbox.control(case.verb, **case.order, **values)
        grown.advance_to_evening()
        grown.let_pass(timedelta(minutes=6))
        grown.await_snapshots()
        grown.let_pass(DAY)
        grown.await_snapshots()
        yield Missing(case, grown, account)


def test_it_is_said_of_each_metric_and_of_no_other(missing: Missing) -> None:
    answered = {item["name"]: item for item in msgspec.json.decode(missing.export("application/json"))["metrics"]}
    without = {name: item for name, item in answered.items() if item["unavailable"] is not None}
    assert set(without) == missing.case.names
    for item in without.values():
        assert (item["total"], item["series"]) == (None, [])
        assert item["unavailable"]["code"] == missing.case.code
        assert item["unavailable"]["detail"].endswith(".")
    assert answered["followers"]["total"] > 0


def test_a_table_has_empty_cells_and_the_reason(missing: Missing) -> None:
    table = list(csv.DictReader(io.StringIO(missing.export("text/csv"))))
    for name in missing.case.names:
        (row,) = [item for item in table if item["metric"] == name]
        assert (row["period"], row["at"], row["value"]) == ("total", "", "")
        assert row["unavailable"] == missing.case.code


def test_a_chart_says_the_reason_and_draws_nothing(missing: Missing) -> None:
    root = ET.fromstring(missing.export("image/svg+xml"))  # noqa: S314 - the service under test wrote it
    words = [element.text or "" for element in root.iter(f"{SVG}text")]
    # Titles are words: "Profile views".
    titles = {word.replace(" ", "").lower() for word in words}
    assert {name.lower() for name in missing.case.names} <= titles, "its title has no total"
    assert sum(word.startswith(f"{missing.case.code}: ") for word in words) == len(missing.case.names)


def test_nothing_is_stored_for_it_and_a_summary_has_no_zero(missing: Missing) -> None:
    mine = store.insight_days.c.account_id == missing.account["id"]
    stored = [row.metrics for row in rows(missing.grown.running, sa.select(store.insight_days).where(mine))]
    assert stored or missing.case.code == "platform_rate_limited", "that it was read is known"
    assert not any(missing.case.names & set(numbers) for numbers in stored)
    summary = missing.grown.summary(dict(missing.account), period="7d")
    totals = {item["name"]: item["value"] for item in summary["totals"]}
    assert not missing.case.names & set(totals)
    assert totals["followers"] > 0
    assert bool(summary["gaps"]) == (missing.case.names in {PAGE_METRICS, REPORTS}), "nothing is known of these days"


def test_what_failed_for_a_while_is_read_later_with_all_its_history(start_service: StartService) -> None:
    with start_service() as running, AnalyticsFixture(running) as grown:
        account = grown.connect_only("youtube")
        order = {"platform": "google", "error": "quota_exhausted", "path": "*/reports"}
        grown.sandbox.control("fail", **order)
        grown.let_pass(timedelta(minutes=6))
        grown.await_snapshot(account)
        grown.let_pass(timedelta(hours=25))
        grown.await_snapshots()
        day = grown.now.date()
        summary = grown.summary(account, since=day - 300 * DAY, until=day - 10 * DAY)
        views = next(item for item in summary["totals"] if item["name"] == "views")
        truth = grown.read_sandbox_numbers(account, day - 300 * DAY, day - 10 * DAY)["totals"]["views"]
        assert (views["value"], views["days"]) == (truth, 291)


def test_followers_are_counted_also_where_the_rest_is_refused_for_now(start_service: StartService) -> None:
    with start_service() as running, AnalyticsFixture(running) as grown:
        account = grown.connect_only("instagram")
        order = {"platform": "meta", "error": "business_rate_limited", "path": "*/insights"}
        # What is read by day is answered, what is a sum of a day is not.
        grown.sandbox.control("fail", **order, skip=2, times=1000)
        grown.let_pass(timedelta(minutes=6))
        grown.await_snapshot(account)
        mine = store.insight_days.c.account_id == account["id"]
        assert rows(running, sa.select(store.insight_days).where(mine)) == []
        assert grown.sandbox.http.delete("/_control/fail").status_code == 200
        grown.let_pass(timedelta(hours=3))
        grown.await_snapshots()
        known = [row.metrics for row in rows(running, sa.select(store.insight_days).where(mine))]
        assert sum({"reach", "views", "unfollows"} <= set(metrics) for metrics in known) == 29
