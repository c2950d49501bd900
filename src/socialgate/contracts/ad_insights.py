"""How ads perform: rows of numbers for an ad account, its campaigns, ad sets or ads."""

from collections.abc import Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import Any, Protocol

import msgspec

from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_values import EMPTY_OPTIONS
from socialgate.contracts.insights import DateRange
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Capability
from socialgate.core.errors import Fault


class AdInsightsLevel(StrEnum):
    ACCOUNT = "account"
    CAMPAIGN = "campaign"
    ADSET = "adset"
    AD = "ad"


class Granularity(StrEnum):
    """Weeks and months are cut off at the ends of the period. Weeks start on its first day."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    TOTAL = "total"


class Breakdown(StrEnum):
    """`platform` is where the ad was shown (Facebook, Instagram, TikTok), `placement` the place in that."""

    AGE = "age"
    GENDER = "gender"
    COUNTRY = "country"
    REGION = "region"
    PLATFORM = "platform"
    PLACEMENT = "placement"
    DEVICE = "device"
    HOUR = "hour"


class AdInsightsQuery(msgspec.Struct, frozen=True, kw_only=True):
    """`days` are in the time zone of the ad account. `ids` are of objects of the level; all of them if empty."""

    level: AdInsightsLevel
    days: DateRange
    granularity: Granularity
    breakdowns: tuple[Breakdown, ...] = ()
    ids: tuple[str, ...] = ()
    limit: int
    cursor: str | None = None


class AdInsightRow(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of one object in one part of the period. What the platform does not report is None.

    Only what is counted is reported here; rates and average costs are computed from it. `spend` and `conversion_value`
    are in the currency of the account. `vendor` holds what else the platform reports and is worth knowing, such as
    Meta's `actions`, by the platform's names.
    """

    first_day: date = msgspec.field(name="first")
    last_day: date = msgspec.field(name="last")
    campaign_id: str | None = None
    adset_id: str | None = None
    ad_id: str | None = None
    # Of the object of the level.
    name: str | None = None
    # By the names of `Breakdown`; `hour` as 00 to 23, countries as ISO codes.
    breakdowns: Mapping[str, str] = {}
    spend: Money | None = None
    impressions: int | None = None
    reach: int | None = None
    clicks: int | None = None
    link_clicks: int | None = None
    engagements: int | None = None
    video_views: int | None = None
    leads: int | None = None
    conversions: int | None = None
    conversion_value: Money | None = None
    vendor: Mapping[str, Any] = EMPTY_OPTIONS


class AdInsightPage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[AdInsightRow]
    cursor: str | None


class ReportState(msgspec.Struct, frozen=True, kw_only=True):
    """`percent` is how far the platform is, if it says so. `failure_reason` is why it gave up."""

    done: bool
    percent: int | None = None
    failure_reason: str | None = msgspec.field(default=None, name="failed")


class ReportRequiredError(Exception):
    """Raised by `read`: the platform says that this is too much to read at once."""


class AdInsightsAdapter(Protocol):
    """Long queries are reports, which the platform prepares in the background: `start_report`, `get_report_state`, then
    `read_report_page`.

    A platform that can read everything page by page returns None from `start_report`: the caller then calls `read_page`
    until there is no cursor.
    """

    def validate_query(self, query: AdInsightsQuery) -> Sequence[Fault]:
        """Report what the platform cannot do: `?breakdowns`, `?granularity`, `?since`."""

    def needs_report(self, query: AdInsightsQuery) -> bool:
        """Whether it takes too long to read within a request."""

    async def read_page(self, credentials: AccountCredentials, query: AdInsightsQuery) -> AdInsightPage:
        """Read rows now. The cursor is the platform's own, and may also contain how far in the period it is."""

    async def start_report(self, credentials: AccountCredentials, query: AdInsightsQuery) -> str | None:
        """Ask for a report, and return its handle. A second one for the same query is harmless."""

    async def get_report_state(self, credentials: AccountCredentials, handle: str) -> ReportState: ...

    async def read_report_page(
        self, credentials: AccountCredentials, query: AdInsightsQuery, handle: str
    ) -> AdInsightPage:
        """Read a page of a finished report; `query.cursor` says which."""


AD_INSIGHTS_CAPABILITY: Capability[AdInsightsAdapter] = Capability("adInsights")
