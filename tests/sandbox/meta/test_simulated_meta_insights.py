"""Insights of Pages and Instagram accounts, read with Meta's own SDK."""

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from facebook_business.adobjects.advideo import AdVideo
from facebook_business.adobjects.iguser import IGUser
from facebook_business.adobjects.page import Page
from facebook_business.adobjects.pagepost import PagePost

from sandbox.graph_media import MediaHost, jpeg, mp4
from sandbox.graph_support import codes_of, error_of
from sandbox.meta.sdk import Sdk
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.instagram.instagram_metrics import INSTAGRAM_METRICS
from socialgate_sandbox.vendors.meta.oauth import SCOPES
from socialgate_sandbox.vendors.meta.pages.page_metrics import PAGE_METRICS
from socialgate_sandbox.vendors.meta.seed import ADA, AGENCY, AGENCY_IG, BAKERY, BAKERY_IG, BRAM

# The SDK declares the names of metrics as objects, and knows only some of those of Instagram.
pytestmark = pytest.mark.filterwarnings("ignore:value of (metric|breakdown) might not be compatible")
DAY = 86400
PACIFIC = ZoneInfo("America/Los_Angeles")
REACTIONS = ("like", "love", "wow", "haha", "sorry", "anger")


def _now(meta: Meta) -> datetime:
    return datetime.fromisoformat(meta.platform.running.look("clock")["now"])


def _days(meta: Meta, count: int) -> tuple[date, date]:
    """Give the last whole days, as Pacific dates: the first, and the one after the last."""
    today = _now(meta).astimezone(PACIFIC).date()
    return today - timedelta(days=count), today


def _truth(meta: Meta, account: str, first: date, until: date) -> Any:
    last = until - timedelta(days=1)
    return meta.platform.running.look("numbers", platform="meta", account=account, since=str(first), until=str(last))


def test_a_page_tells_every_metric_by_day(meta: Meta, sdk: Sdk) -> None:
    page = Page(BAKERY, api=sdk.api(meta.page(ADA, BAKERY)))
    meta.post(f"{BAKERY}/feed", meta.page(ADA, BAKERY), message="Fresh buns")
    meta.platform.pass_time(40 * DAY)
    first, until = _days(meta, 90)
    names = [*PAGE_METRICS.account_metrics, "page_follows"]
    params = {"metric": names, "period": "day", "since": str(first), "until": str(until)}
    rows = {row["name"]: row for row in page.get_insights(params=params)}
    truth = _truth(meta, BAKERY, first, until)
    assert set(rows) == set(names)
    for name in PAGE_METRICS.account_metrics:
        payload = [value["value"] for value in rows[name]["values"]]
        assert payload == [day["metrics"][name] for day in truth["days"]], name
        assert sum(payload) == truth["totals"][name]
    assert sum(truth["totals"].values()) > 0
    assert [value["value"] for value in rows["page_follows"]["values"]] == [day["followers"] for day in truth["days"]]
    ends = [datetime.fromisoformat(value["end_time"]) for value in rows["page_follows"]["values"]]
    assert [(end.astimezone(PACIFIC).hour, end.astimezone(PACIFIC).date()) for end in ends] == [
        (0, first + timedelta(days=number + 1)) for number in range(90)
    ]
    assert rows["page_media_view"]["id"] == f"{BAKERY}/insights/page_media_view/day"


def test_periods_and_totals_of_a_page(meta: Meta) -> None:
    token = meta.page(ADA, BAKERY)
    first, until = _days(meta, 28)
    request = {"metric": "page_media_view", "since": str(first), "until": str(until)}
    every = {row["period"]: row["values"] for row in meta.get(f"{BAKERY}/insights", token, **request).json()["data"]}
    assert set(every) == {"day", "week", "days_28"}
    daily = [value["value"] for value in every["day"]]
    assert every["week"][-1]["value"] == sum(daily[-7:])
    assert every["days_28"][-1]["value"] == sum(daily)
    whole = meta.get(f"{BAKERY}/insights", token, **request, period="total_over_range").json()["data"]
    assert [row["values"] for row in whole] == [[{"value": sum(daily)}]]
    split = meta.get(
        f"{BAKERY}/insights",
        token,
        **request | {"metric": "page_actions_post_reactions_total"},
        period="total_over_range",
    ).json()["data"][0]["values"][0]["value"]
    assert set(split) == set(REACTIONS)


def test_the_links_lead_to_the_days_before(meta: Meta) -> None:
    token = meta.page(ADA, BAKERY)
    first, until = _days(meta, 7)
    request = {"metric": "page_views_total", "period": "day", "since": str(first), "until": str(until)}
    paging = meta.get(f"{BAKERY}/insights", token, **request).json()["paging"]
    before = meta.platform.running.client.get(paging["previous"]).json()["data"][0]["values"]
    assert len(before) == 7
    assert before[-1]["end_time"].startswith(str(first))
    assert meta.platform.running.client.get(paging["next"]).json()["data"] == []


@pytest.mark.parametrize(
    ("params", "codes"),
    [
        ({}, (3001, 1504028)),
        ({"metric": "page_impressions"}, (100, None)),
        ({"metric": "page_media_view,page_fans"}, (100, None)),
        ({"metric": "page_media_view", "period": "hour"}, (100, None)),
        ({"metric": "page_media_view", "since": "soon"}, (100, None)),
        ({"metric": "page_media_view", "since": "2026-01-02", "until": "2026-01-01"}, (100, None)),
        ({"metric": "page_media_view", "since": "2019-01-01", "until": "2019-01-31"}, (100, None)),
    ],
)
def test_what_a_page_refuses(meta: Meta, params: dict[str, str], codes: tuple[int, int | None]) -> None:
    assert codes_of(meta.get(f"{BAKERY}/insights", meta.page(ADA, BAKERY), **params)) == codes


def test_a_range_that_is_too_long(meta: Meta) -> None:
    first, until = _days(meta, 94)
    request = {"metric": "page_media_view", "since": str(first), "until": str(until)}
    answer = meta.get(f"{BAKERY}/insights", meta.page(ADA, BAKERY), **request)
    assert "93 days (8035200 s)" in error_of(answer)["message"]
    answer = meta.get(f"{BAKERY_IG}/insights", meta.page(ADA, BAKERY), **request | {"metric": "reach", "period": "day"})
    assert "30 days (2592000 s)" in error_of(answer)["message"]


def test_who_may_read_insights(meta: Meta) -> None:
    request = {"metric": "page_media_view"}
    few = [scope for scope in SCOPES if scope not in {"read_insights", "instagram_manage_insights"}]
    assert codes_of(meta.get(f"{BAKERY}/insights", meta.page(ADA, BAKERY, few), **request), 403) == (200, None)
    answer = meta.get(f"{BAKERY_IG}/insights", meta.page(ADA, BAKERY, few), metric="reach", period="day")
    assert codes_of(answer, 403) == (10, None)
    assert codes_of(meta.get(f"{BAKERY}/insights", meta.long(ADA), **request)) == (190, None)


def test_followers_grow_as_the_series_says(meta: Meta) -> None:
    token = meta.page(ADA, BAKERY)
    counts = {"fields": "followers_count,fan_count"}
    assert meta.get(BAKERY, token, **counts).json() == {"followers_count": 2480, "fan_count": 2391, "id": BAKERY}
    meta.platform.pass_time(90 * DAY)
    now = meta.get(BAKERY, token, **counts).json()
    assert now["followers_count"] > 2480
    assert now["followers_count"] - now["fan_count"] == 2480 - 2391
    first, until = _days(meta, 30)
    truth = _truth(meta, BAKERY, first, until + timedelta(days=1))
    assert truth["days"][-1]["followers"] == now["followers_count"]
    for before, day in zip(truth["days"], truth["days"][1:], strict=False):
        won = day["metrics"]["page_daily_follows"] - day["metrics"]["page_daily_unfollows"]
        assert day["followers"] - before["followers"] == won


def test_a_post_of_a_page(meta: Meta, sdk: Sdk) -> None:
    token = meta.page(ADA, BAKERY)
    key = meta.post(f"{BAKERY}/feed", token, message="Fresh buns").json()["id"]
    post = PagePost(key, api=sdk.api(token))
    names = ["post_media_view", "post_total_media_view_unique", "post_clicks", "post_reactions_by_type_total"]
    names += [f"post_reactions_{name}_total" for name in REACTIONS]
    assert {row["name"]: row["values"][0]["value"] for row in post.get_insights(params={"metric": names})} == {
        name: {} if name == "post_reactions_by_type_total" else 0 for name in names
    }
    meta.platform.act("comment", objectId=key, text="Yum", person="dario")
    meta.platform.pass_time(3 * DAY)
    payload = {row["name"]: row["values"][0]["value"] for row in post.get_insights(params={"metric": names})}
    assert 0 < payload["post_total_media_view_unique"] <= payload["post_media_view"]
    reactions = {name: payload[f"post_reactions_{name}_total"] for name in REACTIONS}
    assert {name: count for name, count in reactions.items() if count} == payload["post_reactions_by_type_total"]
    seen = meta.get(key, token, fields="shares,reactions.summary(true),likes.summary(true)").json()
    assert seen["reactions"]["summary"]["total_count"] == sum(reactions.values()) > 0
    assert seen["shares"]["count"] > 0
    actions = meta.get(f"{key}/insights", token, metric="post_activity_by_action_type").json()["data"][0]
    assert actions["values"][0]["value"]["comment"] == 1
    assert codes_of(meta.get(f"{key}/insights", token, metric="post_impressions")) == (100, None)


def test_videos_and_reels(meta: Meta, sdk: Sdk, host: MediaHost) -> None:
    token = meta.page(ADA, BAKERY)
    answer = meta.post(f"{BAKERY}/videos", token, file_url=host.add("a.mp4", mp4()), description="Kneading")
    video = AdVideo(answer.json()["id"], api=sdk.api(token))
    meta.platform.pass_time(2 * DAY)
    payload = {row["name"]: row["values"][0]["value"] for row in video.get_video_insights()}
    assert payload["total_video_views"] > 0
    assert payload["total_video_view_total_time"] > payload["total_video_avg_time_watched"] > 1000
    reel = meta.post(f"{BAKERY}/video_reels", token, upload_phase="start").json()["video_id"]
    assert codes_of(meta.get(f"{reel}/video_insights", token, metric="total_video_views")) == (100, None)


def test_an_instagram_account_tells_totals_and_series(meta: Meta, sdk: Sdk) -> None:
    account = IGUser(BAKERY_IG, api=sdk.api(meta.page(ADA, BAKERY)))
    first, until = _days(meta, 30)
    truth = _truth(meta, BAKERY_IG, first, until)
    totals = [name for name in INSTAGRAM_METRICS.account_metrics if name not in {"follower_count", "unfollows"}]
    request = {"period": ["day"], "since": str(first), "until": str(until)}
    rows = account.get_insights(params={**request, "metric": totals, "metric_type": "total_value"})
    assert {row["name"]: row["total_value"]["value"] for row in rows} == {
        name: truth["totals"][name] for name in totals
    }
    assert min(truth["totals"].values()) > 0
    series = {
        row["name"]: row["values"]
        for row in account.get_insights(params={**request, "metric": ["reach", "follower_count"]})
    }
    for name, values in series.items():
        assert [value["value"] for value in values] == [day["metrics"][name] for day in truth["days"]]
    both = {**request, "metric": ["follows_and_unfollows"], "metric_type": "total_value", "breakdown": ["follow_type"]}
    results = next(iter(account.get_insights(params=both)))["total_value"]["breakdowns"][0]["results"]
    assert {row["dimension_values"][0]: row["value"] for row in results} == {
        "FOLLOWER": truth["totals"]["follower_count"],
        "NON_FOLLOWER": truth["totals"]["unfollows"],
    }


def test_breakdowns_add_up(meta: Meta) -> None:
    token = meta.page(ADA, BAKERY)
    first, until = _days(meta, 7)
    request = {"period": "day", "since": str(first), "until": str(until), "metric_type": "total_value"}
    row = meta.get(f"{BAKERY_IG}/insights", token, **request, metric="reach", breakdown="media_product_type").json()
    total = row["data"][0]["total_value"]
    assert sum(part["value"] for part in total["breakdowns"][0]["results"]) == total["value"] > 0
    people = {"metric": "follower_demographics", "period": "lifetime", "metric_type": "total_value"}
    rows = meta.get(f"{BAKERY_IG}/insights", token, **people, breakdown="age,gender").json()["data"]
    result = rows[0]["total_value"]["breakdowns"][0]
    assert result["dimension_keys"] == ["age", "gender"]
    assert sum(part["value"] for part in result["results"]) == 8120 * 19 // 20
    online = meta.get(f"{BAKERY_IG}/insights", token, metric="online_followers", period="lifetime").json()["data"][0]
    assert set(online["values"][0]["value"]) == {str(hour) for hour in range(24)}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"period": "day"}, "metric is required"),
        ({"metric": "reach"}, "period is required"),
        *(
            ({"metric": name, "period": "day", "metric_type": "total_value"}, "must be one of the following values")
            for name in ("impressions", "profile_views", "website_clicks", "email_contacts", "phone_call_clicks")
        ),
        ({"metric": "views", "period": "day"}, "metric_type=total_value"),
        ({"metric": "views", "period": "lifetime", "metric_type": "total_value"}, "incompatible with the period"),
        ({"metric": "follower_count", "period": "day", "metric_type": "total_value"}, "incompatible"),
        (
            {"metric": "follower_demographics", "period": "lifetime", "metric_type": "total_value"},
            "breakdown is required",
        ),
        (
            {
                "metric": "reached_audience_demographics",
                "period": "lifetime",
                "metric_type": "total_value",
                "breakdown": "age",
            },
            "timeframe is required",
        ),
    ],
)
def test_what_an_instagram_account_refuses(meta: Meta, params: dict[str, str], message: str) -> None:
    error = error_of(meta.get(f"{BAKERY_IG}/insights", meta.page(ADA, BAKERY), **params))
    assert error["code"] == 100
    assert message in error["message"]


def test_new_followers_are_told_for_thirty_days(meta: Meta) -> None:
    first, _until = _days(meta, 40)
    request = {
        "metric": "follower_count",
        "period": "day",
        "since": str(first),
        "until": str(first + timedelta(days=7)),
    }
    error = error_of(meta.get(f"{BAKERY_IG}/insights", meta.page(ADA, BAKERY), **request))
    assert "last 30 days excluding the current day" in error["message"]


def test_a_breakdown_that_a_metric_does_not_have(meta: Meta) -> None:
    request = {"metric": "likes", "period": "day", "metric_type": "total_value", "breakdown": "follow_type"}
    assert codes_of(meta.get(f"{BAKERY_IG}/insights", meta.page(ADA, BAKERY), **request), 500) == (1, None)


def test_a_small_account_is_told_less(meta: Meta) -> None:
    token = meta.page(BRAM, AGENCY)
    series = meta.get(f"{AGENCY_IG}/insights", token, metric="reach,follower_count", period="day").json()["data"]
    assert [row["name"] for row in series] == ["reach"]
    request = {"metric": "follows_and_unfollows", "period": "day", "metric_type": "total_value"}
    assert meta.get(f"{AGENCY_IG}/insights", token, **request).json()["data"] == []


def _published(meta: Meta, token: str, **container: str) -> str:
    created = meta.post(f"{BAKERY_IG}/media", token, **container).json()["id"]
    meta.platform.pass_time(60)
    return str(meta.post(f"{BAKERY_IG}/media_publish", token, creation_id=created).json()["id"])


def test_each_kind_of_media_has_its_metrics(meta: Meta, host: MediaHost) -> None:
    token = meta.page(ADA, BAKERY)
    picture = _published(meta, token, image_url=host.add("a.jpg", jpeg()))
    reel = _published(meta, token, media_type="REELS", video_url=host.add("a.mp4", mp4()))
    meta.platform.pass_time(2 * DAY)
    truth = {item["id"]: item["metrics"] for item in _truth(meta, BAKERY_IG, *_days(meta, 2))["posts"]}
    shared = "views,reach,likes,comments,saved,shares,total_interactions"
    for key, more in ((picture, "follows,profile_visits,profile_activity"), (reel, "reels_skip_rate")):
        rows = meta.get(f"{key}/insights", token, metric=f"{shared},{more}").json()["data"]
        payload = {row["name"]: row["values"][0]["value"] for row in rows}
        assert {name: payload[name] for name in shared.split(",")} == {
            name: truth[key][name] for name in shared.split(",")
        }
        assert meta.get(key, token, fields="like_count").json()["like_count"] == payload["likes"] > 0
    for key, metric in ((picture, "ig_reels_avg_watch_time"), (reel, "profile_visits"), (picture, "navigation")):
        error = error_of(meta.get(f"{key}/insights", token, metric=metric))
        assert f"does not support the {metric} metric for this media product type" in error["message"]
    for metric in ("impressions", "plays", "video_views", "engagement"):
        assert codes_of(meta.get(f"{picture}/insights", token, metric=metric)) == (100, None)


def test_a_story_has_insights_for_a_day(meta: Meta, host: MediaHost) -> None:
    token = meta.page(ADA, BAKERY)
    story = _published(meta, token, media_type="STORIES", image_url=host.add("a.jpg", jpeg()))
    request = {"metric": "views,reach,replies,navigation"}
    assert codes_of(meta.get(f"{story}/insights", token, **request)) == (10, None)
    meta.platform.pass_time(6 * 3600)
    payload = {
        row["name"]: row["values"][0]["value"] for row in meta.get(f"{story}/insights", token, **request).json()["data"]
    }
    assert payload["navigation"] == payload["views"] > payload["reach"] > 5
    split = {"metric": "navigation", "breakdown": "story_navigation_action_type"}
    total = meta.get(f"{story}/insights", token, **split).json()["data"][0]["total_value"]
    assert sum(part["value"] for part in total["breakdowns"][0]["results"]) == total["value"]
    meta.platform.pass_time(18 * 3600)
    assert meta.get(f"{story}/insights", token, **request).json() == {"data": []}


def test_a_metric_is_retired_without_notice(meta: Meta) -> None:
    token = meta.page(ADA, BAKERY)
    request = {"metric": "page_media_view,page_views_total"}
    assert meta.get(f"{BAKERY}/insights", token, **request).status_code == 200
    for name in ("page_media_view", "reach"):
        meta.platform.act("retire", metric=name)
    assert codes_of(meta.get(f"{BAKERY}/insights", token, **request)) == (100, None)
    assert meta.get(f"{BAKERY}/insights", token, metric="page_views_total").status_code == 200
    error = error_of(meta.get(f"{BAKERY_IG}/insights", token, metric="reach", period="day"))
    assert "metric[0] must be one of the following values" in error["message"]
    assert " reach," not in error["message"]
    meta.platform.act("retire", metric="page_media_view", back=True)
    assert meta.get(f"{BAKERY}/insights", token, **request).status_code == 200


def test_a_time_that_no_calendar_holds(meta: Meta) -> None:
    for until in ("9999-12-31", "0001-01-01", "99999999999999", "2026-13-01"):
        request = {"metric": "page_media_view", "until": until}
        assert codes_of(meta.get(f"{BAKERY}/insights", meta.page(ADA, BAKERY), **request)) == (100, None)


def test_numbers_are_a_page_for_people_too(meta: Meta) -> None:
    running = meta.platform.running
    shown = running.client.get(
        "/_control/numbers", params={"platform": "meta", "account": BAKERY}, headers={"accept": "text/html"}
    )
    assert shown.status_code == 200
    assert "page_media_view" in shown.text
    assert "2,480" in shown.text
    for params in ({"account": "nobody"}, {"account": BAKERY, "since": "2026-02-01", "until": "2026-01-01"}):
        assert running.client.get("/_control/numbers", params={"platform": "meta", **params}).status_code in {404, 422}
