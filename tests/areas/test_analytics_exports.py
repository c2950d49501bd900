"""The same numbers as a table for spreadsheets and as a picture."""

import csv
import io
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree as ET

import httpx
import pytest

from socialgate.core.errors import NotAcceptable
from socialgate.web.content_negotiation import choose_media_type
from support.analytics_fixture import DAY, AnalyticsFixture
from support.problems import problem_of
from support.service import StartService

SVG = "{http://www.w3.org/2000/svg}"
OFFERED = ("application/json", "text/csv", "image/svg+xml")


@pytest.fixture(scope="module")
def grown(start_service: StartService) -> Iterator[AnalyticsFixture]:
    """Give an account that was read for some days, with a gap between."""
    with start_service() as running, AnalyticsFixture(running) as grown:
        account = grown.connect_only("threads")
        grown.publish(account)
        # The first snapshot is due some minutes after connecting, also late in the evening.
        grown.let_pass(timedelta(minutes=6))
        grown.advance_to_evening()
        grown.await_snapshot(account)
        for days in (1, 3, 1):
            grown.let_pass(days * DAY)
            grown.await_snapshot(account)
        yield grown


def export(grown: AnalyticsFixture, path: str, accept: str, **query: Any) -> httpx.Response:
    account = grown.accounts["threads"]["id"]
    answer = grown.owner.session.get(path.format(account), headers={"Accept": accept}, params=query)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == f"{accept}; charset=utf-8"
    assert "Accept" in answer.headers["vary"]
    return answer


def table(answer: httpx.Response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_followers_as_a_table(grown: AnalyticsFixture) -> None:
    shown = table(export(grown, "/analytics/{}/followers", "text/csv"))
    points = grown.followers(grown.accounts["threads"])
    assert [row["date"] for row in shown] == [point["date"] for point in points]
    assert [row["followers"] for row in shown] == [str(point["followers"] or "") for point in points]
    assert [row["gap"] for row in shown[-6:]] == ["false", "false", "true", "true", "false", "false"]


def test_insights_as_a_table(grown: AnalyticsFixture) -> None:
    shown = table(export(grown, "/accounts/{}/insights", "text/csv"))
    payload = grown.insights(grown.accounts["threads"])
    totals = {row["metric"]: row for row in shown if row["period"] == "total"}
    assert set(totals) == set(payload)
    assert {row["at"] for row in totals.values()} == {""}
    times = [row["at"] for row in shown if row["period"] != "total"]
    assert times
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", at) for at in times)
    assert totals["views"]["value"] == str(payload["views"]["total"])
    assert totals["comments"]["vendorMetric"] == "replies"
    days = [row for row in shown if row["metric"] == "views" and row["period"] == "day"]
    assert [row["value"] for row in days] == [str(point["value"]) for point in payload["views"]["series"]]


def test_posts_and_summary_as_tables(grown: AnalyticsFixture) -> None:
    (row,) = table(export(grown, "/accounts/{}/post-insights", "text/csv"))
    assert row["views"].isdigit()
    assert row["publishedAt"]
    shown = {row["metric"]: row for row in table(export(grown, "/analytics/{}/summary", "text/csv", period="7d"))}
    summary = grown.summary(grown.accounts["threads"], period="7d")
    assert shown["views"]["value"] == str(next(item["value"] for item in summary["totals"] if item["name"] == "views"))
    assert shown["postsPublished"]["value"] == "1"


def drawn(answer: httpx.Response) -> ET.Element:
    root = ET.fromstring(answer.text)  # noqa: S314 - the service under test wrote it
    assert root.tag == f"{SVG}svg"
    assert "prefers-color-scheme: dark" in (root.findtext(f"{SVG}style") or "")
    return root


def test_a_chart_has_axes_and_shows_gaps_as_gaps(grown: AnalyticsFixture) -> None:
    today = grown.now.date()
    root = drawn(export(grown, "/analytics/{}/followers", "image/svg+xml", since=today - 5 * DAY, until=today))
    gaps = [element for element in root.iter(f"{SVG}rect") if element.get("class") == "gap"]
    lines = [element for element in root.iter(f"{SVG}path") if element.get("class") == "plot"]
    assert (len(gaps), len(lines)) == (1, 2), "a line never crosses days of which nothing is known"
    # Two of the six days, in a plot of 676 pixels.
    assert float(gaps[0].get("width", "0")) == pytest.approx(676 * 2 / 6, abs=0.1)
    labels = [element.text or "" for element in root.iter(f"{SVG}text") if element.get("class") == "label"]
    assert any(label.endswith(str(today.year)) for label in labels)
    assert any(label[0].isdigit() and not label.endswith(str(today.year)) for label in labels)


def test_a_chart_of_insights_says_why_a_metric_is_not_there(grown: AnalyticsFixture) -> None:
    query = {"metrics": "views,likes,watchTime"}
    root = drawn(export(grown, "/accounts/{}/insights", "image/svg+xml", **query))
    words = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert any(word.startswith("Views, total ") for word in words)
    assert any(word.startswith("not_offered: ") for word in words)
    assert any(element.get("class") == "plot" for element in root.iter(f"{SVG}path"))


def test_a_chart_of_a_summary_shows_the_hours_of_posts(grown: AnalyticsFixture) -> None:
    root = drawn(export(grown, "/analytics/{}/summary", "image/svg+xml", period="7d"))
    cells = [element for element in root.iter(f"{SVG}rect") if element.get("class") == "cell"]
    assert len(cells) == len(grown.summary(grown.accounts["threads"], period="7d")["bestTimes"]) == 1


def test_a_chart_of_posts_has_a_bar_for_each(grown: AnalyticsFixture) -> None:
    root = drawn(export(grown, "/accounts/{}/post-insights", "image/svg+xml"))
    (post,) = grown.get(f"/accounts/{grown.accounts['threads']['id']}/post-insights")["data"]
    engagement = next(item["total"] for item in post["metrics"] if item["name"] == "engagement")
    bars = [element for element in root.iter(f"{SVG}rect") if element.get("class") == "cell"]
    words = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert len(bars) == 1
    assert words[-1] == grown.accounts["threads"]["name"], "a chart names its account"
    assert {"Engagement by post", str(engagement)} <= set(words)
    assert any(word.endswith(f" · {post['objectId'][-6:]}") for word in words), "posts of one minute are told apart"


def test_a_chart_without_data_says_so(grown: AnalyticsFixture) -> None:
    root = drawn(export(grown, "/analytics/{}/followers", "image/svg+xml", since="2025-01-01", until="2025-01-05"))
    words = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert words[1:] == ["No data in this period.", grown.accounts["threads"]["name"]]
    root = drawn(export(grown, "/analytics/{}/summary", "image/svg+xml", since="2025-01-01", until="2025-01-05"))
    assert any("No posts were published" in (element.text or "") for element in root.iter(f"{SVG}text"))


@pytest.mark.parametrize(
    "path",
    ["/accounts/{}/insights", "/accounts/{}/post-insights", "/analytics/{}/followers", "/analytics/{}/summary"],
)
def test_each_is_offered_in_three_forms_and_in_no_other(grown: AnalyticsFixture, path: str) -> None:
    for accept in OFFERED:
        answer = grown.owner.session.get(path.format(grown.accounts["threads"]["id"]), headers={"Accept": accept})
        assert answer.headers["content-type"].partition(";")[0] == accept
    answer = grown.owner.session.get(path.format(grown.accounts["threads"]["id"]), headers={"Accept": "text/html"})
    assert "text/csv" in problem_of(answer, 406, "not_acceptable")["detail"]


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        (None, "application/json"),
        ("", "application/json"),
        ("*/*", "application/json"),
        ("text/csv", "text/csv"),
        ("text/*", "text/csv"),
        ("image/*, application/json;q=0.1", "image/svg+xml"),
        ("text/html, */*;q=0.8", "application/json"),
        ("text/csv;q=0.2, image/svg+xml;q=0.9", "image/svg+xml"),
        ("TEXT/CSV", "text/csv"),
        ("application/json;q=0, */*", "text/csv"),
    ],
)
def test_the_caller_chooses_the_form(accept: str | None, chosen: str) -> None:
    assert choose_media_type(accept, OFFERED) == chosen


@pytest.mark.parametrize("accept", ["text/html", "text/csv;q=0", "text/csv;q=much"])
def test_no_form_is_forced_on_the_caller(accept: str) -> None:
    with pytest.raises(NotAcceptable):
        choose_media_type(accept, OFFERED)
