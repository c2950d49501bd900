"""What platforms count of posts: every metric of every kind and form of post, compared to what the sandbox counts."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.metrics import MetricTable, PlatformMetric
from support.analytics_fixture import DAY, PLATFORMS, AnalyticsFixture, picture
from support.problems import problem_of
from support.publishing import mp4
from support.service import StartService

TABLES: dict[str, MetricTable] = {
    kind.kind: kind.metrics for manifest in MANIFESTS.values() for kind in manifest.kinds if kind.metrics.post_metrics
}
TIKTOK = {"privacyLevel": "PUBLIC_TO_EVERYONE"}
# The sandbox's own names of what YouTube's statistics show.
STATISTICS = {"viewCount": "views", "likeCount": "likes", "commentCount": "comments"}
AVERAGES = {
    "averageViewDuration": "estimatedMinutesWatched",
    "ig_reels_avg_watch_time": "ig_reels_video_view_total_time",
}
SKIPPED = 31


class Case(msgspec.Struct, frozen=True):
    """A form of post: what it is made of, the names that some metrics have there, and those that it does not have."""

    kind: str
    form: str
    file: str = ""
    options: Mapping[str, Any] = {}
    names: Mapping[str, str] = {}
    lacks: frozenset[str] = frozenset()
    days: int = 10


CASES = [
    Case("facebook_page", "text"),
    Case("facebook_page", "photo", "picture"),
    Case(
        "facebook_page",
        "video",
        "video",
        names={"views": "total_video_views", "reach": "total_video_views_unique"},
        lacks=frozenset({"clicks"}),
    ),
    Case(
        "facebook_page",
        "reel",
        "video",
        {"form": "reel"},
        names={"views": "fb_reels_total_plays", "reach": "post_impressions_unique"},
        lacks=frozenset({"clicks"}),
    ),
    Case("instagram", "feed", "picture"),
    Case("instagram", "reels", "video"),
    Case("instagram", "story", "picture", {"form": "story"}),
    Case("threads", "text"),
    Case("tiktok", "video", "video", TIKTOK),
    # Reports are days late: a hundred days after publishing nothing changes any more.
    Case("youtube", "video", "video", {"title": "Bread"}, days=110),
]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind} {case.form}")


class Published(msgspec.Struct, frozen=True):
    target: Mapping[str, Any]
    # What the platform counts it as: of a video on a Page, that is the post which shows it.
    counted_as: str
    answered: Mapping[str, Any]
    truth: Mapping[str, int]


@pytest.fixture(scope="module")
def seen(start_service: StartService) -> Iterator[dict[str, Published]]:
    """Publish every form, let days pass, and read each as often as its turn comes."""
    with start_service() as running, AnalyticsFixture(running) as grown:
        for kind in TABLES:
            if kind not in grown.accounts:
                grown.connect(kind, "Lindqvist Bakery" if kind == "facebook_page" else "")
        pairs = {_name(case): _publish(grown, case) for case in CASES}
        publisheds: dict[str, Published] = {}
        # Instagram shows the numbers of a story for a day.
        grown.let_pass(timedelta(hours=12))
        passed = 0
        for case in sorted(CASES, key=_days):
            grown.let_pass((_days(case) - passed) * DAY)
            passed = _days(case)
            publisheds[_name(case)] = _read(grown, case, *pairs[_name(case)])
        yield publisheds


def _name(case: Case) -> str:
    return f"{case.kind} {case.form}"


def _days(case: Case) -> int:
    return 0 if case.form == "story" else case.days


def _publish(grown: AnalyticsFixture, case: Case) -> tuple[dict[str, Any], str]:
    account = grown.accounts[case.kind]
    before = _posts(grown, case.kind)
    file = {"picture": picture(), "video": mp4(4), "": b""}[case.file]
    post = grown.publish(account, file, options=dict(case.options))
    object_id = post["targets"][0]["platformPostId"]
    after = _posts(grown, case.kind)
    counted_as = object_id if object_id in after else next(iter(set(after) - set(before)))
    if case.kind in {"facebook_page", "instagram", "threads"} and case.form != "story":
        order = {"objectId": counted_as, "text": "Yum", "person": "dario"}
        grown.sandbox.control("comment", platform=PLATFORMS[case.kind], **order)
    if case.kind == "youtube":
        grown.sandbox.control("comment", platform="google", post=object_id, text="Yum")
    return post, counted_as


def _posts(grown: AnalyticsFixture, kind: str) -> dict[str, dict[str, int]]:
    today = grown.now.date()
    return {
        item["id"]: item["metrics"] for item in grown.read_sandbox_numbers(grown.accounts[kind], today, today)["posts"]
    }


def _read(grown: AnalyticsFixture, case: Case, post: dict[str, Any], counted_as: str) -> Published:
    account = grown.accounts[case.kind]
    (answered,) = grown.get(f"/accounts/{account['id']}/post-insights", postId=post["id"])["data"]
    target = post["targets"][0]
    assert (answered["objectId"], answered["postId"], answered["url"]) == (
        target["platformPostId"],
        post["id"],
        target["url"],
    )
    return Published(target, counted_as, answered, _posts(grown, case.kind)[counted_as])


def test_every_kind_that_counts_posts_is_tested_here() -> None:
    assert {case.kind for case in CASES} == set(TABLES)


@each_case
def test_every_metric_is_what_the_platform_counts(seen: dict[str, Published], case: Case) -> None:
    post = seen[_name(case)]
    answered = {metric["name"]: metric for metric in post.answered["metrics"]}
    for metric in TABLES[case.kind].post_metrics:
        result = answered[metric.name]
        if metric.name in case.lacks or (metric.only and case.form.upper() not in metric.only):
            assert (result["total"], result["unavailable"]["code"]) == (None, "not_offered"), metric.name
            continue
        assert result["unavailable"] is None, result
        assert result["vendor"]["name"] == case.names.get(metric.name, metric.vendor)
        counted = _counted(metric, result["vendor"]["name"], post.truth)
        assert result["total"] == pytest.approx(counted, abs=1e-3), metric.name
        # Nobody answers a story or skips to where it was published from, in the first hours.
        assert result["total"] > 0 or case.form == "story", metric.name


def _counted(metric: PlatformMetric, name: str, truth: Mapping[str, int]) -> float:
    if name in AVERAGES:
        # YouTube counts minutes and tells whole seconds, Instagram counts and tells whole milliseconds.
        times = 60 if name == "averageViewDuration" else 1
        return truth[AVERAGES[name]] * times // truth["views"] * metric.scale
    return SKIPPED if name == "reels_skip_rate" else truth[STATISTICS.get(name, name)] * metric.scale


def test_every_metric_is_had_of_some_form_of_post(seen: dict[str, Published]) -> None:
    for kind, table in TABLES.items():
        known = {
            metric["name"]
            for case in CASES
            if case.kind == kind
            for metric in seen[_name(case)].answered["metrics"]
            if metric["unavailable"] is None
        }
        assert {metric.name for metric in table.post_metrics} <= known, kind


@each_case
def test_engagement_is_calculated_where_the_platform_has_no_number_of_it(
    seen: dict[str, Published], case: Case
) -> None:
    answered = {metric["name"]: metric for metric in seen[_name(case)].answered["metrics"]}
    done = ("likes", "comments", "shares", "saves", "reposts", "quotes", "replies")
    parts = [answered[name]["total"] for name in done if name in answered and answered[name]["total"] is not None]
    engagement = answered["engagement"]
    if case.kind == "instagram":
        assert engagement["vendor"]["name"] == "total_interactions"
    else:
        assert (engagement["vendor"], engagement["total"]) == (None, sum(parts))
    shown = next(answered[name]["total"] for name in ("reach", "views") if name in answered)
    assert answered["engagementRate"]["total"] == round(100 * engagement["total"] / shown, 2)


def test_a_metric_of_videos_that_is_retired_is_still_had_of_other_posts(start_service: StartService) -> None:
    with start_service() as running, AnalyticsFixture(running) as grown:
        account = grown.connect_only("facebook_page", "Lindqvist Bakery")
        posts = [grown.publish(account, mp4(4)), grown.publish(account)]
        grown.let_pass(DAY)
        grown.sandbox.control("retire", platform="meta", metric="total_video_views")

        def answered(post: dict[str, Any]) -> dict[str, Any]:
            (result,) = grown.get(f"/accounts/{account['id']}/post-insights", postId=post["id"])["data"]
            return {metric["name"]: metric for metric in result["metrics"]}

        video, text = map(answered, posts)
        assert (video["views"]["total"], video["views"]["unavailable"]["code"]) == (None, "retired")
        assert video["reach"]["total"] > 0
        assert text["views"]["total"] > 0


def test_a_story_of_a_page_has_no_numbers_that_are_shown(start_service: StartService) -> None:
    with start_service() as running, AnalyticsFixture(running) as grown:
        account = grown.connect_only("facebook_page", "Lindqvist Bakery")
        story = grown.publish(account, picture(), options={"form": "story"})
        grown.let_pass(timedelta(hours=2))
        path = f"/accounts/{account['id']}/post-insights"
        answer = grown.owner.session.get(path, params={"postId": story["id"]})
        problem_of(answer, 404, "platform_not_found")
