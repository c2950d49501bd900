"""Insights of Threads profiles and posts."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sandbox.graph_support import codes_of, error_of
from sandbox.threads.signing_in import Threads
from socialgate_sandbox.vendors.threads.oauth import SCOPES
from socialgate_sandbox.vendors.threads.profile_insights import INSIGHTS_SCOPE
from socialgate_sandbox.vendors.threads.seed import ADA, CLEO

DAY = 86400
PACIFIC = ZoneInfo("America/Los_Angeles")
EVERY = "views,likes,replies,reposts,quotes,clicks"


def _range(threads: Threads, days: int) -> tuple[dict[str, int], Any]:
    """Give the last whole days as a caller asks for them, and what there is to tell of them."""
    now = datetime.fromisoformat(threads.platform.running.look("clock")["now"])
    until = now.astimezone(PACIFIC).replace(hour=0, minute=0, second=0, microsecond=0)
    first, last = until.date() - timedelta(days=days), until.date() - timedelta(days=1)
    since = datetime.combine(first, datetime.min.time(), PACIFIC)
    truth = threads.platform.running.look("numbers", platform="threads", account=ADA, since=str(first), until=str(last))
    return {"since": int(since.timestamp()), "until": int(until.timestamp())}, truth


def _publish(threads: Threads, token: str, text: str, **more: str) -> str:
    created = threads.post("me/threads", token, media_type="TEXT", text=text, **more).json()["id"]
    return str(threads.post("me/threads_publish", token, creation_id=created).json()["id"])


def test_a_profile_tells_a_series_of_views_and_totals(threads: Threads) -> None:
    token = threads.long(ADA)
    _publish(threads, token, "Buns")
    threads.platform.pass_time(40 * DAY)
    request, truth = _range(threads, 50)
    answer = threads.get("me/threads_insights", token, metric=EVERY, **request).json()
    rows = {row["name"]: row for row in answer["data"]}
    assert list(rows) == EVERY.split(",")
    assert [value["value"] for value in rows["views"]["values"]] == [day["metrics"]["views"] for day in truth["days"]]
    assert len(truth["days"]) == 50
    for name in ("likes", "replies", "reposts", "quotes"):
        assert rows[name]["total_value"] == {"value": truth["totals"][name]}, name
        assert truth["totals"][name] > 0
    assert sum(link["value"] for link in rows["clicks"]["link_total_values"]) == truth["totals"]["clicks"] > 0
    assert rows["views"]["id"] == f"{ADA}/insights/views/day"
    assert rows["views"]["values"][-1]["end_time"].endswith(("T07:00:00+0000", "T08:00:00+0000"))


def test_followers_are_a_metric_of_now(threads: Threads) -> None:
    token = threads.long(ADA)
    request, _truth = _range(threads, 2)
    row = threads.get("me/threads_insights", token, metric="followers_count").json()["data"][0]
    assert row["total_value"] == {"value": 3120}
    for name in ("followers_count", "follower_demographics"):
        refused = threads.get("me/threads_insights", token, metric=name, breakdown="age", **request)
        assert error_of(refused)["type"] == "THApiException"
    threads.platform.pass_time(50 * DAY)
    later = threads.get("me/threads_insights", token, metric="followers_count").json()["data"][0]["total_value"]
    assert later["value"] > 3120


def test_who_follows(threads: Threads) -> None:
    request = {"metric": "follower_demographics", "breakdown": "country"}
    row = threads.get("me/threads_insights", threads.long(ADA), **request).json()["data"][0]
    parts = row["total_value"]["breakdowns"][0]["results"]
    assert sum(part["value"] for part in parts) == 3120 * 19 // 20
    assert threads.get("me/threads_insights", threads.long(CLEO), **request).json() == {"data": []}
    missing = threads.get("me/threads_insights", threads.long(ADA), metric="follower_demographics")
    assert codes_of(missing) == (100, None)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"metric": "impressions"},
        {"metric": "views", "since": "1712991599", "until": "1713078000"},
        {"metric": "views", "since": "soon"},
        {"metric": "views", "since": "1750000000", "until": "1740000000"},
    ],
)
def test_what_a_profile_refuses(threads: Threads, params: dict[str, str]) -> None:
    error = error_of(threads.get("me/threads_insights", threads.long(ADA), **params))
    assert (error["code"], error["type"]) == (100, "THApiException")


def test_a_metric_is_retired_without_notice(threads: Threads) -> None:
    token = threads.long(ADA)
    threads.platform.act("retire", metric="quotes")
    assert codes_of(threads.get("me/threads_insights", token, metric=EVERY)) == (100, None)
    assert threads.get("me/threads_insights", token, metric="views,likes").status_code == 200


def test_a_post(threads: Threads) -> None:
    token = threads.long(ADA)
    key = _publish(threads, token, "Buns")
    metric = "views,likes,replies,reposts,quotes,shares"
    payload = threads.get(f"{key}/insights", token, metric=metric).json()["data"]
    assert [row["values"] for row in payload] == [[{"value": 0}]] * 6
    reply = threads.platform.act("comment", objectId=key, text="Yum", person="elif")["id"]
    threads.platform.pass_time(2 * DAY)
    rows = threads.get(f"{key}/insights", token, metric=metric).json()["data"]
    payload = {row["name"]: row["values"][0]["value"] for row in rows}
    assert (payload["replies"], rows[0]["period"]) == (1, "lifetime")
    assert payload["views"] > payload["likes"] > 0
    posts = {item["id"]: item["metrics"] for item in _range(threads, 1)[1]["posts"]}
    assert posts[key] == payload
    assert codes_of(threads.get(f"{key}/insights", token, metric="clicks")) == (100, None)
    assert codes_of(threads.get(f"{reply}/insights", token, metric="views")) == (100, 33)
    repost = threads.post(f"{key}/repost", token).json()["id"]
    assert threads.get(f"{repost}/insights", token, metric=metric).json() == {"data": []}


def test_insights_have_a_scope_of_their_own(threads: Threads) -> None:
    token = threads.long(ADA, [scope for scope in SCOPES if scope != INSIGHTS_SCOPE])
    assert codes_of(threads.get("me/threads_insights", token, metric="views"), 403) == (10, None)
    assert codes_of(threads.get("me/insights", token, metric="views")) == (100, None)
