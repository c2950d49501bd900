"""Live insights from the platform: of an account over a range of days, and of its posts."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from zoneinfo import ZoneInfo

from socialgate.areas.accounts.live_reads import ListRead, LiveRead, LiveReads, LiveResult
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.analytics import store
from socialgate.areas.analytics.periods import Granularity, get_local_date, parse_range
from socialgate.areas.analytics.schemas import (
    AccountInsights,
    InsightsQuery,
    MetricValue,
    PostInsights,
    PostInsightsQuery,
)
from socialgate.areas.analytics.values import (
    DERIVED_METRICS,
    build_derived_metrics,
    build_metric_value,
    build_unavailable_metric,
)
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.failures import NotSupportedError, PlatformNotFoundError
from socialgate.contracts.insights import INSIGHTS_CAPABILITY, InsightsAdapter, MetricReadings, PostMetricReadings
from socialgate.contracts.metrics import MetricTable, PlatformMetric
from socialgate.contracts.platforms import Platform, PlatformManifest
from socialgate.contracts.publishing import (
    POST_HISTORY_CAPABILITY,
    HistoryEntry,
    PostHistoryReader,
    PublishedPostLookup,
)
from socialgate.core.db import Tx
from socialgate.core.errors import InvalidRequest, NotFound
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import unwrap_platform_cursor, wrap_platform_cursor
from socialgate.web.schemas import Page
from socialgate.web.similar import suggest_name

NO_INSIGHTS_PHRASE = "has no insights in its API"
_DEFAULT_DAYS = 28
_CACHE_SECONDS = 60.0
_MAX_POSTS = 200


class _MetricSelection(NamedTuple):
    """What to request from the platform, what to show, and what it does not have."""

    metrics: tuple[PlatformMetric, ...]
    names: tuple[str, ...]
    unavailable_names: tuple[str, ...]


class _PostReadingsPage(NamedTuple):
    readings: Sequence[PostMetricReadings]
    items: Mapping[str, HistoryEntry]
    cursor: str | None


class InsightsService:
    def __init__(
        self,
        reads: LiveReads,
        session: AccountSession,
        of_accounts: AccountService,
        catalogue: ConnectorRegistry,
        index: PublishedPostLookup,
    ) -> None:
        self._reads = reads
        self._session = session
        self._accounts = of_accounts
        self._catalogue = catalogue
        self._index = index

    async def read_account(
        self, work: UnitOfWork, account_id: str, query: InsightsQuery, *, fresh: bool
    ) -> LiveResult[AccountInsights]:
        account, objects = await work.read(self._find_account_and_posts, work, account_id)
        table = self.get_metric_table(account)
        zone = ZoneInfo(table.zone)
        granularity: Granularity = "day" if query.granularity == "total" else query.granularity
        days = parse_range(
            query.since, query.until, get_local_date(work.db.clock.now(), zone), _DEFAULT_DAYS, granularity
        )
        chosen = self._parse_metrics(table.account_metrics, query.metrics)
        read = LiveRead(
            name="insights",
            params=(chosen.metrics, days, objects),
            capability=INSIGHTS_CAPABILITY,
            unsupported_phrase=NO_INSIGHTS_PHRASE,
            call=lambda part, credentials: part.read_account_metrics(credentials, chosen.metrics, days, objects),
            cache_seconds=_CACHE_SECONDS,
        )
        fetched = await self._reads.read(account, read, bypass_cache=fresh)
        view = AccountInsights(
            account_id=account.id,
            since=days.first,
            until=days.last,
            granularity=query.granularity,
            timezone=table.zone,
            metrics=[
                *(
                    build_metric_value(metric, fetched.value[metric.name], query.granularity, zone)
                    for metric in chosen.metrics
                    if metric.name in chosen.names
                ),
                *build_derived_metrics(fetched.value, chosen.names),
                *map(build_unavailable_metric, chosen.unavailable_names),
            ],
        )
        return LiveResult(view, fetched.age_seconds)

    async def read_posts(
        self, work: UnitOfWork, account_id: str, query: PostInsightsQuery, *, fresh: bool
    ) -> LiveResult[Page[PostInsights]]:
        account, object_id = await work.read(self._resolve_object_id, work, account_id, query)
        table = self.get_metric_table(account)
        chosen = self._parse_metrics(table.post_metrics, query.metrics)
        pair = ("post-insights", account_id)
        cursor = unwrap_platform_cursor(query.cursor, *pair)

        async def call(part: InsightsAdapter, credentials: AccountCredentials, rows: int) -> _PostReadingsPage:
            return await self._read_post_readings(account, part, credentials, chosen.metrics, object_id, rows, cursor)

        read = ListRead(
            name="post-insights",
            params=(chosen.metrics, object_id, cursor),
            limit=query.limit,
            capability=INSIGHTS_CAPABILITY,
            lacks=NO_INSIGHTS_PHRASE,
            call=call,
            keep=_CACHE_SECONDS,
        )
        fetched = await self._reads.list(account, read, bypass_cache=fresh)
        known = await work.read(
            store.find_measured_posts,
            account.owner_id,
            account.id,
            [reading.object_id for reading in fetched.value.readings],
        )
        rows = [
            self._build_post_view(reading, fetched.value.items, known, chosen) for reading in fetched.value.readings
        ]
        return LiveResult(
            Page(data=rows, next_cursor=wrap_platform_cursor(fetched.value.cursor, *pair)), fetched.age_seconds
        )

    async def get_account_name(self, work: UnitOfWork, account_id: str) -> str:
        return (await work.read(self._accounts.find, work.caller, account_id)).name

    def get_metric_table(self, account: AccountRow) -> MetricTable:
        self._session.get_adapter(account, INSIGHTS_CAPABILITY, NO_INSIGHTS_PHRASE)
        return self._catalogue.manifests[Platform(account.platform)].get_kind_manifest(account.kind).metrics

    async def _read_post_readings(
        self,
        account: AccountRow,
        part: InsightsAdapter,
        credentials: AccountCredentials,
        metrics: Sequence[PlatformMetric],
        object_id: str | None,
        limit: int,
        cursor: str | None,
    ) -> _PostReadingsPage:
        if not metrics:
            raise NotSupportedError("The platform has no insights for posts of this kind.", platform=account.platform)
        if object_id is not None:
            metric_readingses = await part.read_post_metrics(credentials, [object_id], metrics)
            if not metric_readingses:
                raise PlatformNotFoundError("The platform does not show this post.", platform=account.platform)
            return _PostReadingsPage(metric_readingses, {}, None)
        history: PostHistoryReader = self._session.get_adapter(
            account, POST_HISTORY_CAPABILITY, "does not list its posts: send `objectId`"
        )
        page = await history.list_live_posts(credentials, limit, cursor)
        items = {item.id: item for item in page.items}
        return _PostReadingsPage(await part.read_post_metrics(credentials, list(items), metrics), items, page.cursor)

    def _build_post_view(
        self,
        metric_readings: PostMetricReadings,
        items: Mapping[str, HistoryEntry],
        known: Mapping[str, store.MeasuredPostRow],
        chosen: _MetricSelection,
    ) -> PostInsights:
        item, ours = items.get(metric_readings.object_id), known.get(metric_readings.object_id)
        return PostInsights(
            object_id=metric_readings.object_id,
            post_id=None if ours is None else ours.post_id,
            url=(item.url if item else None) or (ours.url if ours else None),
            published_at=(item.created_at if item else None) or (ours.published_at if ours else None),
            metrics=_build_metric_values(metric_readings.readings, chosen),
        )

    def _parse_metrics(self, offered: Sequence[PlatformMetric], names: str | None) -> _MetricSelection:
        """Read the names of a query. Names that no kind has are rejected: they may be typos."""
        by_name = {metric.name: metric for metric in offered}
        if names is None:
            return _MetricSelection(tuple(offered), (*by_name, *DERIVED_METRICS), ())
        values = tuple(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
        known = list_metric_names(self._catalogue.manifests)
        unknown = [name for name in values if name not in known]
        if unknown or not values:
            guess = suggest_name(unknown[0], sorted(known)) if unknown else ""
            here = sorted({*by_name, *DERIVED_METRICS})
            detail = f"Unknown metric: {', '.join(unknown)}.{guess} Metrics of this kind: {', '.join(here)}."
            raise InvalidRequest.for_field("?metrics", "invalid", detail)
        calculated = any(name in DERIVED_METRICS and name not in by_name for name in values)
        platform_metrics = offered if calculated else [by_name[name] for name in values if name in by_name]
        lacking = tuple(name for name in values if name not in by_name and name not in DERIVED_METRICS)
        return _MetricSelection(tuple(platform_metrics), values, lacking)

    async def _find_account_and_posts(
        self, tx: Tx, work: UnitOfWork, account_id: str
    ) -> tuple[AccountRow, tuple[str, ...]]:
        account = await self._accounts.find(tx, work.caller, account_id)
        return account, tuple(await store.list_recent_object_ids(tx, account.owner_id, account.id, _MAX_POSTS))

    async def _resolve_object_id(
        self, tx: Tx, work: UnitOfWork, account_id: str, query: PostInsightsQuery
    ) -> tuple[AccountRow, str | None]:
        account = await self._accounts.find(tx, work.caller, account_id)
        if query.post_id is None:
            return account, query.object_id
        if query.object_id is not None:
            raise InvalidRequest.for_field("?objectId", "contradiction", "Send `postId` or `objectId`, not both.")
        result = await self._index.get_platform_post_id(tx, account.owner_id, query.post_id, account_id)
        if result is None:
            raise NotFound("This post is not published on this account. GET /posts/{postId} shows where it is.")
        return account, result


def list_metric_names(manifests: Mapping[Platform, PlatformManifest]) -> set[str]:
    """List every metric that any kind of account has."""
    tables = [kind.metrics for manifest in manifests.values() for kind in manifest.kinds]
    return {metric.name for table in tables for metric in (*table.account_metrics, *table.post_metrics)} | set(
        DERIVED_METRICS
    )


def _build_metric_values(readings: MetricReadings, chosen: _MetricSelection) -> list[MetricValue]:
    read = [
        build_metric_value(metric, readings[metric.name], "total", ZoneInfo("UTC"))
        for metric in chosen.metrics
        if metric.name in chosen.names
    ]
    return [
        *read,
        *build_derived_metrics(readings, chosen.names),
        *map(build_unavailable_metric, chosen.unavailable_names),
    ]
