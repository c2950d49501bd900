"""Live insights from the platform: of an account over a range of days, and of its posts."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from zoneinfo import ZoneInfo

from socialgate.areas.accounts.reading import Fetched, ListRead, LiveReads, Read
from socialgate.areas.accounts.service import Accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.analytics import store
from socialgate.areas.analytics.calendar import Granularity, day_of, range_of
from socialgate.areas.analytics.schemas import (
    AccountInsights,
    InsightsQuery,
    MetricValue,
    PostInsights,
    PostInsightsQuery,
)
from socialgate.areas.analytics.values import DERIVED, derived, not_offered, shown
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import NotSupported, PlatformNotFound
from socialgate.contracts.insights import INSIGHTS, Insights, PostReadings, Readings
from socialgate.contracts.metrics import Metric, MetricTable
from socialgate.contracts.platforms import Manifest, Platform
from socialgate.contracts.publishing import HISTORY, History, HistoryEntry, PostIndex
from socialgate.core.db import Tx
from socialgate.core.errors import Invalid, NotFound
from socialgate.core.work import Work
from socialgate.web.paging import opaque, plain
from socialgate.web.schema import Page
from socialgate.web.similar import meant

LACKS = "has no insights in its API"
_DAYS = 28
_KEEP_SECONDS = 60.0
_MOST_OBJECTS = 200


class _Chosen(NamedTuple):
    """What to request from the platform, what to show, and what it does not have."""

    metrics: tuple[Metric, ...]
    names: tuple[str, ...]
    lacking: tuple[str, ...]


class _Posts(NamedTuple):
    readings: Sequence[PostReadings]
    items: Mapping[str, HistoryEntry]
    cursor: str | None


class InsightsReader:
    def __init__(
        self,
        reads: LiveReads,
        session: AccountSession,
        of_accounts: Accounts,
        catalogue: Catalogue,
        index: PostIndex,
    ) -> None:
        self._reads = reads
        self._session = session
        self._accounts = of_accounts
        self._catalogue = catalogue
        self._index = index

    async def of_account(
        self, work: Work, account_id: str, query: InsightsQuery, *, fresh: bool
    ) -> Fetched[AccountInsights]:
        account, objects = await work.read(self._found, work, account_id)
        table = self.table(account)
        zone = ZoneInfo(table.zone)
        granularity: Granularity = "day" if query.granularity == "total" else query.granularity
        days = range_of(query.since, query.until, day_of(work.db.clock.now(), zone), _DAYS, granularity)
        chosen = self._chosen(table.account, query.metrics)
        read = Read(
            name="insights",
            params=(chosen.metrics, days, objects),
            capability=INSIGHTS,
            lacks=LACKS,
            call=lambda part, held: part.of_account(held, chosen.metrics, days, objects),
            keep=_KEEP_SECONDS,
        )
        fetched = await self._reads.read(account, read, fresh=fresh)
        view = AccountInsights(
            account_id=account.id,
            since=days.first,
            until=days.last,
            granularity=query.granularity,
            timezone=table.zone,
            metrics=[
                *(
                    shown(one, fetched.value[one.name], query.granularity, zone)
                    for one in chosen.metrics
                    if one.name in chosen.names
                ),
                *derived(fetched.value, chosen.names),
                *map(not_offered, chosen.lacking),
            ],
        )
        return Fetched(view, fetched.age)

    async def of_posts(
        self, work: Work, account_id: str, query: PostInsightsQuery, *, fresh: bool
    ) -> Fetched[Page[PostInsights]]:
        account, object_id = await work.read(self._object, work, account_id, query)
        table = self.table(account)
        chosen = self._chosen(table.post, query.metrics)
        of = ("post-insights", account_id)
        cursor = plain(query.cursor, *of)

        async def call(part: Insights, held: AccountCredentials, rows: int) -> _Posts:
            return await self._read(account, part, held, chosen.metrics, object_id, rows, cursor)

        read = ListRead(
            name="post-insights",
            params=(chosen.metrics, object_id, cursor),
            limit=query.limit,
            capability=INSIGHTS,
            lacks=LACKS,
            call=call,
            keep=_KEEP_SECONDS,
        )
        fetched = await self._reads.list(account, read, fresh=fresh)
        known = await work.read(
            store.find_posts, account.owner_id, account.id, [one.object_id for one in fetched.value.readings]
        )
        rows = [self._post(one, fetched.value.items, known, chosen) for one in fetched.value.readings]
        return Fetched(Page(data=rows, next_cursor=opaque(fetched.value.cursor, *of)), fetched.age)

    async def name_of(self, work: Work, account_id: str) -> str:
        return (await work.read(self._accounts.find, work.caller, account_id)).name

    def table(self, account: AccountRow) -> MetricTable:
        self._session.part(account, INSIGHTS, LACKS)
        return self._catalogue.manifests[Platform(account.platform)].of(account.kind).metrics

    async def _read(
        self,
        account: AccountRow,
        part: Insights,
        held: AccountCredentials,
        metrics: Sequence[Metric],
        object_id: str | None,
        limit: int,
        cursor: str | None,
    ) -> _Posts:
        if not metrics:
            raise NotSupported("The platform has no insights for posts of this kind.", platform=account.platform)
        if object_id is not None:
            found = await part.of_posts(held, [object_id], metrics)
            if not found:
                raise PlatformNotFound("The platform does not show this post.", platform=account.platform)
            return _Posts(found, {}, None)
        history: History = self._session.part(account, HISTORY, "does not list its posts: send `objectId`")
        page = await history.history(held, limit, cursor)
        items = {item.id: item for item in page.items}
        return _Posts(await part.of_posts(held, list(items), metrics), items, page.cursor)

    def _post(
        self,
        one: PostReadings,
        items: Mapping[str, HistoryEntry],
        known: Mapping[str, store.MeasuredPost],
        chosen: _Chosen,
    ) -> PostInsights:
        item, ours = items.get(one.object_id), known.get(one.object_id)
        return PostInsights(
            object_id=one.object_id,
            post_id=None if ours is None else ours.post_id,
            url=(item.url if item else None) or (ours.url if ours else None),
            published_at=(item.created_at if item else None) or (ours.published_at if ours else None),
            metrics=_values(one.readings, chosen),
        )

    def _chosen(self, offered: Sequence[Metric], names: str | None) -> _Chosen:
        """Read the names of a query. Names that no kind has are rejected: they may be typos."""
        by_name = {metric.name: metric for metric in offered}
        if names is None:
            return _Chosen(tuple(offered), (*by_name, *DERIVED), ())
        wanted = tuple(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
        known = vocabulary(self._catalogue.manifests)
        unknown = [name for name in wanted if name not in known]
        if unknown or not wanted:
            guess = meant(unknown[0], sorted(known)) if unknown else ""
            here = sorted({*by_name, *DERIVED})
            detail = f"Unknown metric: {', '.join(unknown)}.{guess} Metrics of this kind: {', '.join(here)}."
            raise Invalid.at("?metrics", "invalid", detail)
        calculated = any(name in DERIVED and name not in by_name for name in wanted)
        asked = offered if calculated else [by_name[name] for name in wanted if name in by_name]
        lacking = tuple(name for name in wanted if name not in by_name and name not in DERIVED)
        return _Chosen(tuple(asked), wanted, lacking)

    async def _found(self, tx: Tx, work: Work, account_id: str) -> tuple[AccountRow, tuple[str, ...]]:
        account = await self._accounts.find(tx, work.caller, account_id)
        return account, tuple(await store.recent_objects(tx, account.owner_id, account.id, _MOST_OBJECTS))

    async def _object(
        self, tx: Tx, work: Work, account_id: str, query: PostInsightsQuery
    ) -> tuple[AccountRow, str | None]:
        account = await self._accounts.find(tx, work.caller, account_id)
        if query.post_id is None:
            return account, query.object_id
        if query.object_id is not None:
            raise Invalid.at("?objectId", "contradiction", "Send `postId` or `objectId`, not both.")
        found = await self._index.object_of(tx, account.owner_id, query.post_id, account_id)
        if found is None:
            raise NotFound("This post is not published on this account. GET /posts/{postId} shows where it is.")
        return account, found


def vocabulary(manifests: Mapping[Platform, Manifest]) -> set[str]:
    """List every metric that any kind of account has."""
    tables = [kind.metrics for manifest in manifests.values() for kind in manifest.kinds]
    return {metric.name for table in tables for metric in (*table.account, *table.post)} | set(DERIVED)


def _values(readings: Readings, chosen: _Chosen) -> list[MetricValue]:
    read = [
        shown(one, readings[one.name], "total", ZoneInfo("UTC")) for one in chosen.metrics if one.name in chosen.names
    ]
    return [*read, *derived(readings, chosen.names), *map(not_offered, chosen.lacking)]
