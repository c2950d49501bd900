from datetime import date, datetime
from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate.areas.accounts.live_reads import LiveQuery
from socialgate.areas.analytics.periods import Granularity
from socialgate.contracts.insights import MissingMetricReason
from socialgate.contracts.metrics import MetricUnit
from socialgate.core.fields import AccountIdField
from socialgate.web.schemas import QueryParameters, ResponseModel

_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_POST_ID = "post_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_OBJECT_ID = "17841400000000000"
_EXAMPLE_TIME = "2026-11-15T09:30:00Z"
_METRIC_NAMES_DESCRIPTION = "Names of metrics, separated by commas. Default: all metrics of the kind."
_SINCE_DESCRIPTION = (
    "The first day. Default: {days} days up to `until`. By week, these start with the first Monday among them; by "
    "month, with the first day of the month."
)
_UNTIL_DESCRIPTION = "The last day. Default: today."

Number = int | float
MetricNames = Annotated[str, Meta(min_length=1, max_length=1000, description=_METRIC_NAMES_DESCRIPTION)]
_UNTIL_COMPLETE_DAY_DESCRIPTION = "The last day, inclusive. Defaults to yesterday, the last complete day."
Since = Annotated[date, Meta(description="The first day.")]
Until = Annotated[date, Meta(description=_UNTIL_DESCRIPTION)]
PlatformObjectId = Annotated[str, Meta(min_length=1, max_length=300)]
Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAYS: tuple[Weekday, ...] = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class InsightsQuery(QueryParameters, frozen=True, kw_only=True):
    """Which metrics and days to return. Days are in the platform's time zone, see `timezone` in the response."""

    metrics: MetricNames | None = None
    since: Annotated[date, Meta(description=_SINCE_DESCRIPTION.format(days=28))] | None = None
    until: Until | None = None
    granularity: Granularity | Literal["total"] = "day"
    """The length of the periods in `series`. With `total` there is no series."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"metrics": "views,followers", "since": "2026-11-01", "until": "2026-11-14", "granularity": "day"}


class PostInsightsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which posts: one by our id or the platform's, or by default the newest of the account."""

    post_id: Annotated[str, Meta(min_length=1, max_length=40, description="Our id of the post.")] | None = None
    object_id: Annotated[PlatformObjectId, Meta(description="The platform's own id of the post.")] | None = None
    metrics: MetricNames | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "metrics": "views,likes"}


class FollowersQuery(QueryParameters, frozen=True, kw_only=True):
    """Which days, in the time zone of the profile."""

    since: Annotated[date, Meta(description=_SINCE_DESCRIPTION.format(days=30))] | None = None
    until: Until | None = None
    granularity: Granularity = "day"
    """The length of the periods."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"since": "2026-11-01", "until": "2026-11-14", "granularity": "day"}


class SummaryQuery(QueryParameters, frozen=True, kw_only=True):
    """The last 7, 30 or 90 complete days, or a range of days."""

    period: Literal["7d", "30d", "90d"] | None = None
    """The last 7, 30 or 90 complete days. Cannot be combined with `since` and `until`."""
    since: Since | None = None
    until: Annotated[date, Meta(description=_UNTIL_COMPLETE_DAY_DESCRIPTION)] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"period": "30d"}


class MetricPoint(ResponseModel, frozen=True, kw_only=True):
    """The value of a day, week or month. `at` is when that begins, in the platform's time zone."""

    at: datetime
    """When the period begins, with the offset of the platform's time zone."""
    value: Number
    """The value of the period, in the unit of the metric."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"at": "2026-11-14T08:00:00Z", "value": 812}


class VendorMetric(ResponseModel, frozen=True, kw_only=True):
    """The platform's own name for a metric, and the total exactly as the platform reported it."""

    name: str
    """The platform's own name."""
    value: Any
    """The total exactly as the platform reported it. Null if it reported none."""


class MetricValue(ResponseModel, frozen=True, kw_only=True):
    """A metric. A day that is missing from `series` is unknown, not zero.

    `total` is null if days cannot be added up, such as the people reached. `vendor` is null for metrics calculated by
    Socialgate: `engagementRate`, and `engagement` if the platform does not provide it.
    """

    name: str
    """Our name, the same on every platform."""
    unit: MetricUnit
    """What the values are: a `count`, `percent`, `seconds`, or `currency`."""
    total: Number | None
    """The value over all days. Null if it is unknown, or days cannot be added up."""
    series: list[MetricPoint]
    """The values by day, week or month, in chronological order. Empty with `granularity=total`, and if there are none.
    """
    vendor: VendorMetric | None
    """What the platform calls and reports. Null if this service calculated the metric."""
    unavailable: MissingMetricReason | None
    """Why there is no value. Null if there is one."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "name": "views",
            "unit": "count",
            "total": 812,
            "series": [MetricPoint.example()],
            "vendor": {"name": "page_media_view", "value": 812},
            "unavailable": None,
        }


class AccountInsights(ResponseModel, frozen=True, kw_only=True):
    """The current insights of an account."""

    account_id: AccountIdField
    since: date
    """The first day."""
    until: date
    """The last day."""
    granularity: Granularity | Literal["total"]
    """The length of the periods in `series`."""
    timezone: str
    """The IANA time zone that the platform counts days in."""
    metrics: list[MetricValue]
    """The metrics that you asked for, also those without a value."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "accountId": _EXAMPLE_ACCOUNT_ID,
            "since": "2026-11-14",
            "until": "2026-11-14",
            "granularity": "day",
            "timezone": "America/Los_Angeles",
            "metrics": [
                MetricValue.example(),
                {
                    "name": "videoViews",
                    "unit": "count",
                    "total": None,
                    "series": [],
                    "vendor": {"name": "page_video_views", "value": None},
                    "unavailable": {"code": "retired", "detail": "The platform no longer has this metric."},
                },
            ],
        }


class PostInsights(ResponseModel, frozen=True, kw_only=True):
    """The insights of a post since it was published. `postId` is our id, null for posts not made with Socialgate."""

    object_id: str
    """The platform's own id of the post."""
    post_id: str | None
    """Our id, `post_…`. Null for posts that were not made with Socialgate."""
    url: str | None
    """Its public URL. Null if the platform does not report it."""
    published_at: datetime | None
    """When it was published. Null if the platform does not report it."""
    metrics: list[MetricValue]
    """The metrics that you asked for, also those without a value."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        metric = {**MetricValue.example(), "series": [], "vendor": {"name": "views", "value": 812}}
        return {
            "objectId": _EXAMPLE_OBJECT_ID,
            "postId": _EXAMPLE_POST_ID,
            "url": None,
            "publishedAt": _EXAMPLE_TIME,
            "metrics": [metric],
        }


class FollowersPoint(ResponseModel, frozen=True, kw_only=True):
    """The number of followers at the end of the day, week or month that begins on `date`.

    If `gap` is true, the period has no data and `followers` is null. `change` is relative to the previous period, and
    null if that is a gap.
    """

    date: date
    """The first day of the period."""
    followers: int | None
    """The number at the end of the period. Null if it is a gap."""
    change: int | None
    """The difference to the previous period. Null if one of the two is a gap."""
    gap: bool
    """Whether there is no data for the period."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"date": "2026-11-14", "followers": 1204, "change": 7, "gap": False}


class FollowersSeries(ResponseModel, frozen=True, kw_only=True):
    """Followers by day, week (from Monday) or month, in the time zone of the profile."""

    account_id: AccountIdField
    timezone: str
    """The IANA time zone of the profile, in which days are counted."""
    granularity: Granularity
    """The length of the periods."""
    data: list[FollowersPoint]
    """The periods in chronological order, including gaps."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "accountId": _EXAMPLE_ACCOUNT_ID,
            "timezone": "America/Sao_Paulo",
            "granularity": "day",
            "data": [FollowersPoint.example()],
        }


class Period(ResponseModel, frozen=True, kw_only=True):
    """A range of days, including the first and the last."""

    since: date
    """The first day."""
    until: date
    """The last day, inclusive."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"since": "2026-11-01", "until": "2026-11-14"}


class MetricTotal(ResponseModel, frozen=True, kw_only=True):
    """A metric over the period and over the one before. `days` is the number of days included in `value`."""

    name: str
    """Our name of the metric, the same on every platform."""
    unit: MetricUnit
    """What the value is: a `count`, `percent`, `seconds`, or `currency`."""
    value: Number | None
    """The value over the period. Null if no day is known."""
    previous: Number | None
    """The value over the period before. Null if no day of it is known."""
    change_percent: float | None
    """The change from `previous` to `value`, in percent. Null if one is unknown, or `previous` is 0."""
    days: int
    """How many days of the period are included in `value`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "views", "unit": "count", "value": 812, "previous": 700, "changePercent": 16.0, "days": 14}


class BestPost(ResponseModel, frozen=True, kw_only=True):
    """A post with its latest metrics, read `ageHours` after it was published."""

    object_id: str
    """The platform's own id of the post."""
    post_id: str
    """Our id, `post_…`."""
    url: str | None
    """Its public URL. Null if the platform does not report it."""
    published_at: datetime
    """When it was published."""
    engagement: Number
    """Likes, comments, shares and other reactions, added up."""
    age_hours: int
    """How many hours after publishing the metrics were read."""
    metrics: dict[str, Number]
    """The latest values by the name of the metric."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "objectId": _EXAMPLE_OBJECT_ID,
            "postId": _EXAMPLE_POST_ID,
            "url": None,
            "publishedAt": _EXAMPLE_TIME,
            "engagement": 64,
            "ageHours": 168,
            "metrics": {"views": 812, "likes": 51, "comments": 13},
        }


class BestTime(ResponseModel, frozen=True, kw_only=True):
    """An hour of the week, in the time zone of the profile, with the average engagement of `posts` posts."""

    weekday: Weekday
    """The day of the week."""
    hour: int
    """The hour of the day, from 0 to 23."""
    posts: int
    """How many posts were published in this hour. An average of few says little."""
    engagement: float
    """The average engagement of these posts."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"weekday": "saturday", "hour": 9, "posts": 4, "engagement": 51.5}


class AnalyticsSummary(ResponseModel, frozen=True, kw_only=True):
    """How an account performed in a period, compared with the period of the same length before it.

    Values were stored day by day. `gaps` lists the days of the period without data, which are missing from the totals.
    `bestPosts`, `bestTimes` and `postsPublished` only cover posts made with Socialgate.
    """

    account_id: AccountIdField
    timezone: str
    """The IANA time zone of the profile, in which days are counted."""
    period: Period
    """The days that are summarized."""
    previous: Period
    """The days that they are compared with."""
    totals: list[MetricTotal]
    """The metrics that can be added up."""
    best_posts: list[BestPost]
    """The posts with the most engagement, best first."""
    best_times: list[BestTime]
    """The hours of the week with posts, best first."""
    posts_published: int
    """How many posts were published in the period."""
    posts_per_week: float
    """The same, per seven days."""
    gaps: list[Period]
    """The days of the period without data."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "accountId": _EXAMPLE_ACCOUNT_ID,
            "timezone": "America/Sao_Paulo",
            "period": Period.example(),
            "previous": {"since": "2026-10-18", "until": "2026-10-31"},
            "totals": [MetricTotal.example()],
            "bestPosts": [BestPost.example()],
            "bestTimes": [BestTime.example()],
            "postsPublished": 4,
            "postsPerWeek": 2.0,
            "gaps": [],
        }
