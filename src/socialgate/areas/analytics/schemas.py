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
_NAMES = "Names of metrics, with commas in between; all that the kind has if left out."
_SINCE = "The first day."
_UNTIL = "The last day; today if left out."

Number = int | float
Names = Annotated[str, Meta(min_length=1, max_length=1000, description=_NAMES)]
Since = Annotated[date, Meta(description=_SINCE)]
Until = Annotated[date, Meta(description=_UNTIL)]
ObjectId = Annotated[str, Meta(min_length=1, max_length=300)]
Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAYS: tuple[Weekday, ...] = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class InsightsQuery(Query, frozen=True, kw_only=True):
    """What to read, of which days. Days are those of the platform, which `timezone` of the answer names."""

    metrics: Names | None = None
    since: Since | None = None
    until: Until | None = None
    granularity: Granularity | Literal["total"] = "day"

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"metrics": "views,followers", "since": "2026-11-01", "until": "2026-11-14", "granularity": "day"}


class PostInsightsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which posts: one by our id or the platform's, or the newest of the account."""

    post_id: Annotated[str, Meta(min_length=1, max_length=40, description="Our id of a post.")] | None = None
    object_id: Annotated[ObjectId, Meta(description="The platform's own id of a post.")] | None = None
    metrics: Names | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25, "metrics": "views,likes"}


class FollowersQuery(Query, frozen=True, kw_only=True):
    """Which days, on the calendar of the profile."""

    since: Since | None = None
    until: Until | None = None
    granularity: Granularity = "day"

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"since": "2026-11-01", "until": "2026-11-14", "granularity": "day"}


class SummaryQuery(Query, frozen=True, kw_only=True):
    """The last 7, 30 or 90 days that are over, or a range of days."""

    period: Literal["7d", "30d", "90d"] | None = None
    since: Since | None = None
    until: Until | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"period": "30d"}


class Point(View, frozen=True, kw_only=True):
    """A number of a day, week or month. `at` is when that begins, by the platform's clock."""

    at: datetime
    value: Number

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"at": "2026-11-14T08:00:00Z", "value": 812}


class VendorMetric(View, frozen=True, kw_only=True):
    """The platform's own name of a metric, and the value that it gave for the total, as it came."""

    name: str
    value: Any


class Missing(View, frozen=True, kw_only=True):
    """Why there is no number.

    `too_few_viewers`, `permission_missing`, `retired`, `not_counted_yet`, `not_offered`, or the code of the failure
    that the platform's answer was.
    """

    code: str
    detail: str


class MetricValue(View, frozen=True, kw_only=True):
    """A metric. A day that is not in `series` is not known, and never zero.

    `total` is null where days cannot be added up, as with the people reached. `vendor` is null for what is calculated
    here from other metrics: `engagementRate`, and `engagement` where the platform has no such number.
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
    """What the platform has counted for an account, as it says now."""

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
    """What the platform has counted for a post since it was published. `postId` is ours, where it was made here."""

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
    """How many followed the account at the end of a day, week or month that begins on `date`.

    `gap` tells that nothing is known of the period: `followers` is then null. `change` is against the period before,
    and null where that is a gap.
    """

    date: date
    followers: int | None
    change: int | None
    gap: bool

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"date": "2026-11-14", "followers": 1204, "change": 7, "gap": False}


class FollowersSeries(View, frozen=True, kw_only=True):
    """Followers by day, week (from Monday) or month, on the calendar of the profile."""

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
    """Days, the first and the last included."""

    since: date
    until: date

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"since": "2026-11-01", "until": "2026-11-14"}


class Total(View, frozen=True, kw_only=True):
    """A metric over the period and over the one before. `days` counts the days whose numbers are in it."""

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
    """A post with its last known numbers, taken `ageHours` after it was published."""

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
    """An hour of the week, on the calendar of the profile, with the average engagement of so many posts."""

    weekday: Weekday
    hour: int
    posts: int
    engagement: float

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"weekday": "saturday", "hour": 9, "posts": 4, "engagement": 51.5}


class Summary(View, frozen=True, kw_only=True):
    """How an account did in a period, compared to the period of the same length before it.

    Numbers are those that were stored day by day. `gaps` are the days of the period of which nothing is known: they
    are missing in the totals. `bestPosts`, `bestTimes` and `postsPublished` are about posts that were made here.
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
