from datetime import date, datetime
from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate.areas.accounts.reading import LiveQuery
from socialgate.areas.analytics.calendar import Granularity
from socialgate.contracts.metrics import Unit
from socialgate.web.schema import Query, View

_ACCOUNT = "acc_01h455vb4pex5vsknk084sn02q"
_POST = "post_01h455vb4pex5vsknk084sn02q"
_OBJECT = "17841400000000000"
_NOW = "2026-11-15T09:30:00Z"
_NAMES = "Names of metrics, separated by commas. Default: all metrics of the kind."
_SINCE = (
    "The first day. Default: {days} days up to `until`. By week, these start with the first Monday among them; by "
    "month, with the first day of the month."
)
_UNTIL = "The last day. Default: today."

Number = int | float
Names = Annotated[str, Meta(min_length=1, max_length=1000, description=_NAMES)]
_UNTIL_COMPLETE = "The last day, inclusive. Defaults to yesterday, the last complete day."
Since = Annotated[date, Meta(description="The first day.")]
Until = Annotated[date, Meta(description=_UNTIL)]
ObjectId = Annotated[str, Meta(min_length=1, max_length=300)]
Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAYS: tuple[Weekday, ...] = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class InsightsQuery(Query, frozen=True, kw_only=True):
    """Which metrics and days to return. Days are in the platform's time zone, see `timezone` in the response."""

    metrics: Names | None = None
    since: Annotated[date, Meta(description=_SINCE.format(days=28))] | None = None
    until: Until | None = None
    granularity: Granularity | Literal["total"] = "day"

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"metrics": "views,followers", "since": "2026-11-01", "until": "2026-11-14", "granularity": "day"}


class PostInsightsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which posts: one by our id or the platform's, or by default the newest of the account."""

    post_id: Annotated[str, Meta(min_length=1, max_length=40, description="Our id of the post.")] | None = None
    object_id: Annotated[ObjectId, Meta(description="The platform's own id of the post.")] | None = None
    metrics: Names | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "metrics": "views,likes"}


class FollowersQuery(Query, frozen=True, kw_only=True):
    """Which days, in the time zone of the profile."""

    since: Annotated[date, Meta(description=_SINCE.format(days=30))] | None = None
    until: Until | None = None
    granularity: Granularity = "day"

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"since": "2026-11-01", "until": "2026-11-14", "granularity": "day"}


class SummaryQuery(Query, frozen=True, kw_only=True):
    """The last 7, 30 or 90 complete days, or a range of days."""

    period: Literal["7d", "30d", "90d"] | None = None
    since: Since | None = None
    until: Annotated[date, Meta(description=_UNTIL_COMPLETE)] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"period": "30d"}


class Point(View, frozen=True, kw_only=True):
    """The value of a day, week or month. `at` is when that begins, in the platform's time zone."""

    at: datetime
    value: Number

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"at": "2026-11-14T08:00:00Z", "value": 812}


class VendorMetric(View, frozen=True, kw_only=True):
    """The platform's own name for a metric, and the total exactly as the platform reported it."""

    name: str
    value: Any


class Missing(View, frozen=True, kw_only=True):
    """Why there is no value.

    `too_few_viewers`, `permission_missing`, `retired`, `not_counted_yet`, `not_offered`, or the error code of the
    failed platform call.
    """

    code: str
    detail: str


class MetricValue(View, frozen=True, kw_only=True):
    """A metric. A day that is missing from `series` is unknown, not zero.

    `total` is null if days cannot be added up, such as the people reached. `vendor` is null for metrics calculated by
    Socialgate: `engagementRate`, and `engagement` if the platform does not provide it.
    """

    name: str
    unit: Unit
    total: Number | None
    series: list[Point]
    vendor: VendorMetric | None
    unavailable: Missing | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "name": "views",
            "unit": "count",
            "total": 812,
            "series": [Point.example()],
            "vendor": {"name": "page_media_view", "value": 812},
            "unavailable": None,
        }


class AccountInsights(View, frozen=True, kw_only=True):
    """The current insights of an account."""

    account_id: str
    since: date
    until: date
    granularity: Granularity | Literal["total"]
    timezone: str
    metrics: list[MetricValue]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "accountId": _ACCOUNT,
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


class PostInsights(View, frozen=True, kw_only=True):
    """The insights of a post since it was published. `postId` is our id, null for posts not made with Socialgate."""

    object_id: str
    post_id: str | None
    url: str | None
    published_at: datetime | None
    metrics: list[MetricValue]

    @classmethod
    def example(cls) -> dict[str, Any]:
        metric = {**MetricValue.example(), "series": [], "vendor": {"name": "views", "value": 812}}
        return {"objectId": _OBJECT, "postId": _POST, "url": None, "publishedAt": _NOW, "metrics": [metric]}


class FollowersPoint(View, frozen=True, kw_only=True):
    """The number of followers at the end of the day, week or month that begins on `date`.

    If `gap` is true, the period has no data and `followers` is null. `change` is relative to the previous period, and
    null if that is a gap.
    """

    date: date
    followers: int | None
    change: int | None
    gap: bool

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"date": "2026-11-14", "followers": 1204, "change": 7, "gap": False}


class FollowersSeries(View, frozen=True, kw_only=True):
    """Followers by day, week (from Monday) or month, in the time zone of the profile."""

    account_id: str
    timezone: str
    granularity: Granularity
    data: list[FollowersPoint]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "accountId": _ACCOUNT,
            "timezone": "America/Sao_Paulo",
            "granularity": "day",
            "data": [FollowersPoint.example()],
        }


class Period(View, frozen=True, kw_only=True):
    """A range of days, including the first and the last."""

    since: date
    until: date

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"since": "2026-11-01", "until": "2026-11-14"}


class Total(View, frozen=True, kw_only=True):
    """A metric over the period and over the one before. `days` is the number of days included in `value`."""

    name: str
    unit: Unit
    value: Number | None
    previous: Number | None
    change_percent: float | None
    days: int

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "views", "unit": "count", "value": 812, "previous": 700, "changePercent": 16.0, "days": 14}


class BestPost(View, frozen=True, kw_only=True):
    """A post with its latest metrics, read `ageHours` after it was published."""

    object_id: str
    post_id: str
    url: str | None
    published_at: datetime
    engagement: Number
    age_hours: int
    metrics: dict[str, Number]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "objectId": _OBJECT,
            "postId": _POST,
            "url": None,
            "publishedAt": _NOW,
            "engagement": 64,
            "ageHours": 168,
            "metrics": {"views": 812, "likes": 51, "comments": 13},
        }


class BestTime(View, frozen=True, kw_only=True):
    """An hour of the week, in the time zone of the profile, with the average engagement of `posts` posts."""

    weekday: Weekday
    hour: int
    posts: int
    engagement: float

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"weekday": "saturday", "hour": 9, "posts": 4, "engagement": 51.5}


class Summary(View, frozen=True, kw_only=True):
    """How an account performed in a period, compared with the period of the same length before it.

    Values were stored day by day. `gaps` lists the days of the period without data, which are missing from the totals.
    `bestPosts`, `bestTimes` and `postsPublished` only cover posts made with Socialgate.
    """

    account_id: str
    timezone: str
    period: Period
    previous: Period
    totals: list[Total]
    best_posts: list[BestPost]
    best_times: list[BestTime]
    posts_published: int
    posts_per_week: float
    gaps: list[Period]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "accountId": _ACCOUNT,
            "timezone": "America/Sao_Paulo",
            "period": Period.example(),
            "previous": {"since": "2026-10-18", "until": "2026-10-31"},
            "totals": [Total.example()],
            "bestPosts": [BestPost.example()],
            "bestTimes": [BestTime.example()],
            "postsPublished": 4,
            "postsPerWeek": 2.0,
            "gaps": [],
        }
