# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Metrics of accounts and posts, live and over time: followers, reach, engagement."""

from __future__ import annotations

import datetime as dt
from functools import cached_property

from .. import params
from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import fill, pack_query
from ..types import AccountInsights, AnalyticsSummary, FollowersSeries, PostInsights, PostInsightsPage


class InsightsResource(Resource):
    """Metrics of accounts and posts, live and over time: followers, reach, engagement."""

    @cached_property
    def with_raw_response(self) -> InsightsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return InsightsResourceWithRawResponse(InsightsResource(RawSender(self._root), self._root))

    def account(
        self,
        account_id: str,
        *,
        metrics: str | None = None,
        since: str | dt.date | None = None,
        until: str | dt.date | None = None,
        granularity: params.InsightsQueryGranularity | None = None,
    ) -> AccountInsights:
        """Return the insights of an account by day, week, month or as a total.

        By default all metrics of the kind are returned; `GET /platforms` lists them. A metric without a value says why
        in `unavailable` and does not affect the others. Responses are cached for up to a minute, as `Age` says, unless
        you send `Cache-Control: no-cache`.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            metrics: Names of metrics, separated by commas. Default: all metrics of the kind.
            since: The first day. Default: 28 days up to `until`. By week, these start with the first Monday among them;
                by month, with the first day of the month.
            until: The last day. Default: today.
            granularity: The length of the periods in `series`. With `total` there is no series.

        Error codes beside the common ones: `needs_reconnection`, `not_acceptable`, `not_supported`,
        `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`.

        """
        call: Call[AccountInsights] = Call(
            method="GET",
            path=fill("/accounts/{}/insights", account_id),
            returns=AccountInsights,
            query=pack_query({"metrics": metrics, "since": since, "until": until, "granularity": granularity}),
        )
        return self._client.send(call)

    def followers(
        self,
        account_id: str,
        *,
        since: str | dt.date | None = None,
        until: str | dt.date | None = None,
        granularity: params.FollowersQueryGranularity | None = None,
    ) -> FollowersSeries:
        """Return the number of followers over time, in the time zone of the profile.

        It is read once a day. Days on which it could not be read are gaps, unless the platform itself has a history.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            since: The first day. Default: 30 days up to `until`. By week, these start with the first Monday among them;
                by month, with the first day of the month.
            until: The last day. Default: today.
            granularity: The length of the periods.

        Error codes beside the common ones: `not_acceptable`, `not_supported`, `platform_not_configured`.

        """
        call: Call[FollowersSeries] = Call(
            method="GET",
            path=fill("/analytics/{}/followers", account_id),
            returns=FollowersSeries,
            query=pack_query({"since": since, "until": until, "granularity": granularity}),
        )
        return self._client.send(call)

    def post(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        post_id: str | None = None,
        object_id: str | None = None,
        metrics: str | None = None,
    ) -> Pages[PostInsights, PostInsightsPage]:
        """Return the insights of one post, or of the newest posts of an account.

        As `image/svg+xml`, it is a chart of the engagement of each post.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Rows per page; platforms may return fewer.
            post_id: Our id of the post.
            object_id: The platform's own id of the post.
            metrics: Names of metrics, separated by commas. Default: all metrics of the kind.

        Error codes beside the common ones: `needs_reconnection`, `not_acceptable`, `not_supported`,
        `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`.

        """
        call: Call[PostInsightsPage] = Call(
            method="GET",
            path=fill("/accounts/{}/post-insights", account_id),
            returns=PostInsightsPage,
            query=pack_query({"limit": limit, "postId": post_id, "objectId": object_id, "metrics": metrics}),
        )
        return Pages(self._client, call, "cursor")

    def summary(
        self,
        account_id: str,
        *,
        period: params.SummaryQueryPeriod | None = None,
        since: str | dt.date | None = None,
        until: str | dt.date | None = None,
    ) -> AnalyticsSummary:
        """Summarize a period and compare it with the one before: totals, best posts, best times and posting frequency.

        As `image/svg+xml`, it is a chart of the engagement of posts by weekday and hour.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            period: The last 7, 30 or 90 complete days. Cannot be combined with `since` and `until`.
            since: The first day.
            until: The last day, inclusive. Defaults to yesterday, the last complete day.

        Error codes beside the common ones: `not_acceptable`, `not_supported`, `platform_not_configured`.

        """
        call: Call[AnalyticsSummary] = Call(
            method="GET",
            path=fill("/analytics/{}/summary", account_id),
            returns=AnalyticsSummary,
            query=pack_query({"period": period, "since": since, "until": until}),
        )
        return self._client.send(call)


class InsightsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: InsightsResource) -> None:
        self.account = raw(resource.account)
        self.followers = raw(resource.followers)
        self.post = raw_page(resource.post)
        self.summary = raw(resource.summary)


class AsyncInsightsResource(AsyncResource):
    """Metrics of accounts and posts, live and over time: followers, reach, engagement."""

    @cached_property
    def with_raw_response(self) -> AsyncInsightsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncInsightsResourceWithRawResponse(AsyncInsightsResource(AsyncRawSender(self._root), self._root))

    async def account(
        self,
        account_id: str,
        *,
        metrics: str | None = None,
        since: str | dt.date | None = None,
        until: str | dt.date | None = None,
        granularity: params.InsightsQueryGranularity | None = None,
    ) -> AccountInsights:
        """Return the insights of an account by day, week, month or as a total.

        By default all metrics of the kind are returned; `GET /platforms` lists them. A metric without a value says why
        in `unavailable` and does not affect the others. Responses are cached for up to a minute, as `Age` says, unless
        you send `Cache-Control: no-cache`.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            metrics: Names of metrics, separated by commas. Default: all metrics of the kind.
            since: The first day. Default: 28 days up to `until`. By week, these start with the first Monday among them;
                by month, with the first day of the month.
            until: The last day. Default: today.
            granularity: The length of the periods in `series`. With `total` there is no series.

        Error codes beside the common ones: `needs_reconnection`, `not_acceptable`, `not_supported`,
        `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`.

        """
        call: Call[AccountInsights] = Call(
            method="GET",
            path=fill("/accounts/{}/insights", account_id),
            returns=AccountInsights,
            query=pack_query({"metrics": metrics, "since": since, "until": until, "granularity": granularity}),
        )
        return await self._client.send(call)

    async def followers(
        self,
        account_id: str,
        *,
        since: str | dt.date | None = None,
        until: str | dt.date | None = None,
        granularity: params.FollowersQueryGranularity | None = None,
    ) -> FollowersSeries:
        """Return the number of followers over time, in the time zone of the profile.

        It is read once a day. Days on which it could not be read are gaps, unless the platform itself has a history.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            since: The first day. Default: 30 days up to `until`. By week, these start with the first Monday among them;
                by month, with the first day of the month.
            until: The last day. Default: today.
            granularity: The length of the periods.

        Error codes beside the common ones: `not_acceptable`, `not_supported`, `platform_not_configured`.

        """
        call: Call[FollowersSeries] = Call(
            method="GET",
            path=fill("/analytics/{}/followers", account_id),
            returns=FollowersSeries,
            query=pack_query({"since": since, "until": until, "granularity": granularity}),
        )
        return await self._client.send(call)

    def post(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        post_id: str | None = None,
        object_id: str | None = None,
        metrics: str | None = None,
    ) -> AsyncPages[PostInsights, PostInsightsPage]:
        """Return the insights of one post, or of the newest posts of an account.

        As `image/svg+xml`, it is a chart of the engagement of each post.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Rows per page; platforms may return fewer.
            post_id: Our id of the post.
            object_id: The platform's own id of the post.
            metrics: Names of metrics, separated by commas. Default: all metrics of the kind.

        Error codes beside the common ones: `needs_reconnection`, `not_acceptable`, `not_supported`,
        `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`.

        """
        call: Call[PostInsightsPage] = Call(
            method="GET",
            path=fill("/accounts/{}/post-insights", account_id),
            returns=PostInsightsPage,
            query=pack_query({"limit": limit, "postId": post_id, "objectId": object_id, "metrics": metrics}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def summary(
        self,
        account_id: str,
        *,
        period: params.SummaryQueryPeriod | None = None,
        since: str | dt.date | None = None,
        until: str | dt.date | None = None,
    ) -> AnalyticsSummary:
        """Summarize a period and compare it with the one before: totals, best posts, best times and posting frequency.

        As `image/svg+xml`, it is a chart of the engagement of posts by weekday and hour.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            period: The last 7, 30 or 90 complete days. Cannot be combined with `since` and `until`.
            since: The first day.
            until: The last day, inclusive. Defaults to yesterday, the last complete day.

        Error codes beside the common ones: `not_acceptable`, `not_supported`, `platform_not_configured`.

        """
        call: Call[AnalyticsSummary] = Call(
            method="GET",
            path=fill("/analytics/{}/summary", account_id),
            returns=AnalyticsSummary,
            query=pack_query({"period": period, "since": since, "until": until}),
        )
        return await self._client.send(call)


class AsyncInsightsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncInsightsResource) -> None:
        self.account = async_raw(resource.account)
        self.followers = async_raw(resource.followers)
        self.post = async_raw_page(resource.post)
        self.summary = async_raw(resource.summary)
