"""Daily snapshots of accounts, and snapshots of posts at certain ages.

An account is read once on each day in its profile's time zone, at its own time of day, so that accounts are spread over
the day. After downtime it is read once: what the platform still has of the missed days is stored, and the rest remains
a gap. The first read stores the history that the platform has.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import structlog

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.analytics import store
from socialgate.areas.analytics.periods import compute_next_snapshot_time, get_day_start, get_local_date
from socialgate.areas.analytics.service import NO_INSIGHTS_PHRASE
from socialgate.areas.analytics.store import FollowerCountRow, MeasuredPostRow, MetricValues
from socialgate.areas.analytics.values import get_totals
from socialgate.contracts.accounts import AccountActivated, AccountRow, AccountStatus
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.failures import PlatformFailure, PlatformNotFoundError, PlatformRateLimitError
from socialgate.contracts.insights import INSIGHTS_CAPABILITY, DateRange, MetricReadings, Number
from socialgate.contracts.metrics import MetricTable, PlatformMetric
from socialgate.contracts.platforms import Kind, Platform, PlatformManifest, Quota
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.contracts.publishing import PostPublished
from socialgate.core.db import Database, Tx
from socialgate.core.jitter import random_between
from socialgate.core.jobs.job_store import JobRow
from socialgate.core.jobs.service import JobCancelled, JobRun, JobService
from socialgate.core.quotas import get_budget_usage

ACCOUNT_SNAPSHOT_JOB = "analytics.account"
POST_SNAPSHOT_JOB = "analytics.post"
SNAPSHOT_BACKFILL_JOB = "analytics.enrol"
# How old a post is when it is read, in hours.
SNAPSHOT_AGES_HOURS = (1, 6, 24, 72, 168, 720)
# The share of an app's quota that snapshots may use; the rest is for customers.
MAX_SNAPSHOT_QUOTA_SHARE = 0.5
_MAX_POSTS = 200
_RETRY_SECONDS = 3_600
# The customer's own requests come first after connecting, and accounts connected together are spread out.
_FIRST_DELAY_SECONDS = (60.0, 300.0)

log = structlog.get_logger(__name__)


class SnapshotScheduler:
    """Queues snapshots: of accounts when they are connected, of posts when they are published."""

    def __init__(self, jobs: JobService, catalogue: ConnectorRegistry) -> None:
        self._jobs = jobs
        self._catalogue = catalogue

    async def handle_connected(self, tx: Tx, fact: AccountActivated, account: AccountRow) -> None:
        """Read an account soon. One that was reconnected has missed days to fill in."""
        del fact
        soon = tx.now + timedelta(seconds=random_between(*_FIRST_DELAY_SECONDS))
        job = await self._schedule_account_snapshot(tx, account, soon)
        if job is not None:
            await self._jobs.run_earlier(tx, job, soon)

    async def _schedule_account_snapshot(self, tx: Tx, account: AccountRow, due_at: datetime) -> JobRow | None:
        if (
            INSIGHTS_CAPABILITY
            not in _get_manifest(self._catalogue, account).get_kind_manifest(Kind(account.kind)).capabilities
        ):
            return None
        values = {"accountId": account.id}
        return await self._jobs.enqueue(
            tx, ACCOUNT_SNAPSHOT_JOB, account.owner_id, values, key=account.id, due_at=due_at
        )

    async def handle_published(self, tx: Tx, fact: PostPublished, owner_id: str) -> None:
        if not get_metric_table(self._catalogue, fact.kind).account_metrics:
            return
        post = MeasuredPostRow(
            owner_id, fact.account_id, fact.object_id, fact.post_id, fact.url, fact.published_at or tx.now
        )
        if await store.insert_measured_post(tx, post) and get_metric_table(self._catalogue, fact.kind).post_metrics:
            await self.schedule_post_snapshot(tx, post, 0)

    async def schedule_post_snapshot(self, tx: Tx, post: MeasuredPostRow, step: int) -> None:
        """Queue the next read of a post: at the next age, or at the latest age that has passed."""
        ages = SNAPSHOT_AGES_HOURS[step:]
        if ages:
            due_at = post.published_at + timedelta(hours=ages[0])
            values = {"accountId": post.account_id, "objectId": post.object_id, "step": step}
            key = f"{post.account_id} {step} {post.object_id}"[:200]
            await self._jobs.enqueue(tx, POST_SNAPSHOT_JOB, post.owner_id, values, key=key, due_at=due_at)

    async def skip_failed_age(self, tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
        """Skip an age at which a post could not be read, and continue with the next."""
        del error
        posts = await store.find_measured_posts(tx, job.owner_id, job.input["accountId"], [job.input["objectId"]])
        for post in posts.values():
            await self.schedule_post_snapshot(tx, post, int(job.input["step"]) + 1)

    async def enrol_account(self, tx: Tx, account: AccountRow) -> None:
        """Queue an account that was connected before snapshots existed."""
        await self._schedule_account_snapshot(
            tx, account, tx.now + timedelta(seconds=random_between(*_FIRST_DELAY_SECONDS))
        )


class SnapshotJobHandler:
    def __init__(
        self,
        db: Database,
        session: AccountSession,
        catalogue: ConnectorRegistry,
        profiles: ProfileDirectory,
        enrolment: SnapshotScheduler,
    ) -> None:
        self._db = db
        self._session = session
        self._catalogue = catalogue
        self._profiles = profiles
        self._enrolment = enrolment

    async def snapshot_account(self, run: JobRun) -> None:
        """Read an account for today and for the days missing before."""
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        if account is None:
            raise JobCancelled
        zone = ZoneInfo(await self._db.read(self._profiles.get_timezone, account.owner_id, account.profile_id))
        run.next_at = compute_next_snapshot_time(account.id, self._db.clock.now(), zone)
        if account.status is not AccountStatus.CONNECTED:
            return
        table = get_metric_table(self._catalogue, account.kind)
        await self._db.read(self._require_quota, account, table)
        now, objects, last = await self._db.read(self._load_state, account)
        today = get_local_date(now, ZoneInfo(table.get_day_timezone(zone.key)))
        days = _choose_days(table, get_local_date(now, ZoneInfo(table.zone)), last)
        readings = await self._read(
            account,
            [platform_metric for platform_metric in table.account_metrics if _is_readable_by_range(platform_metric)],
            days,
            objects,
        )
        counts = _build_follower_counts(readings, table, now)
        try:
            _require_complete(account, readings)
            single = await self._read_days_one_by_one(run, account, table, days)
        except PlatformFailure:
            # The current follower count cannot be read later. The rest is read again as a whole and stored then.
            await self._db.write(store.save_follower_counts, account.owner_id, account.id, counts)
            raise
        numbers = _group_by_day(readings, table, today)
        for day, result in single.items():
            numbers[day] = {**numbers.get(day, {}), **result}
        # Remember that a day was read even if it had no data: the whole history is requested only once.
        numbers.setdefault(today - timedelta(days=1), {})
        await run.finish(self._save, account, numbers, counts)

    async def snapshot_post(self, run: JobRun) -> None:
        """Read a post at one of its ages, then queue the next. A deleted post is not read again."""
        owner_id, account_id, object_id = run.owner_id, run.input["accountId"], run.input["objectId"]
        account = await self._db.read(accounts.find_account, owner_id, account_id)
        posts = await self._db.read(store.find_measured_posts, owner_id, account_id, [object_id])
        if account is None or object_id not in posts:
            return
        step, post = _find_age_step(int(run.input["step"]), posts[object_id], self._db.clock.now()), posts[object_id]
        numbers: MetricValues | None = None
        if account.status is AccountStatus.CONNECTED:
            numbers = await self._read_post_numbers(account, object_id)
            if numbers is None:
                return
        await run.finish(self._save_post, post, step, numbers)

    async def _read_post_numbers(self, account: AccountRow, object_id: str) -> MetricValues | None:
        part = self._session.get_adapter(account, INSIGHTS_CAPABILITY, NO_INSIGHTS_PHRASE)
        metrics = get_metric_table(self._catalogue, account.kind).post_metrics
        try:
            metric_readingses = await self._session.call_for_account(
                account, lambda credentials: part.read_post_metrics(credentials, [object_id], metrics)
            )
        except PlatformNotFoundError:
            return None
        if not metric_readingses:
            return None
        _require_complete(account, metric_readingses[0].readings)
        return get_totals(metric_readingses[0].readings)

    async def _read(
        self, account: AccountRow, metrics: Sequence[PlatformMetric], days: DateRange, objects: Sequence[str]
    ) -> MetricReadings:
        part = self._session.get_adapter(account, INSIGHTS_CAPABILITY, NO_INSIGHTS_PHRASE)
        return await self._session.call_for_account(
            account, lambda credentials: part.read_account_metrics(credentials, metrics, days, objects)
        )

    async def _read_days_one_by_one(
        self, run: JobRun, account: AccountRow, table: MetricTable, days: DateRange
    ) -> dict[date, MetricValues]:
        """Read day by day what the platform reports only as a total for a range. Each day is a step."""
        metrics = [
            platform_metric for platform_metric in table.account_metrics if not _is_readable_by_range(platform_metric)
        ]
        done: dict[str, MetricValues] = dict(run.state or {})
        for day in days.list_days() if metrics else ():
            if day.isoformat() not in done and day < days.last:
                readings = await self._read(account, metrics, DateRange(day, day), ())
                _require_complete(account, readings)
                done[day.isoformat()] = get_totals(readings)
                await run.record_step(done)
        return {date.fromisoformat(day): numbers for day, numbers in done.items() if numbers}

    async def _require_quota(self, tx: Tx, account: AccountRow, table: MetricTable) -> None:
        """Leave customers their part of the quotas that the whole app shares."""
        manifest = _get_manifest(self._catalogue, account)
        quotas = [
            (quota, units) for name, units in table.snapshot_quota_costs for quota in _find_app_quotas(manifest, name)
        ]
        budgets = {
            quota.build_budget(manifest.platform, Quota.APP_OWNER).key: (quota, units) for quota, units in quotas
        }
        for key, use in (await get_budget_usage(tx, list(budgets))).items():
            quota, units = budgets[key]
            if use.used + units > quota.limit * MAX_SNAPSHOT_QUOTA_SHARE:
                raise PlatformRateLimitError(
                    f"Half of the daily {quota.limit} `{quota.name}` are used; snapshots do not use the rest.",
                    platform=manifest.platform,
                    category="quota_exhausted",
                    retry_after=min(_RETRY_SECONDS, max(int((use.frees_at - tx.now).total_seconds()), 1)),
                )

    async def _load_state(self, tx: Tx, account: AccountRow) -> tuple[datetime, list[str], date | None]:
        objects = await store.list_recent_object_ids(tx, account.owner_id, account.id, _MAX_POSTS)
        return tx.now, objects, await store.find_last_day_with_metrics(tx, account.owner_id, account.id)

    async def _save(
        self, tx: Tx, account: AccountRow, numbers: Mapping[date, MetricValues], counts: Sequence[FollowerCountRow]
    ) -> None:
        await store.save_day_metrics(tx, account.owner_id, account.id, numbers)
        await store.save_follower_counts(tx, account.owner_id, account.id, counts)

    async def _save_post(self, tx: Tx, post: MeasuredPostRow, step: int, numbers: MetricValues | None) -> None:
        if numbers:
            await store.save_post_metrics(tx, post, SNAPSHOT_AGES_HOURS[step], numbers)
        await self._enrolment.schedule_post_snapshot(tx, post, step + 1)


def get_metric_table(catalogue: ConnectorRegistry, kind: str) -> MetricTable:
    kinds = [kind for manifest in catalogue.manifests.values() for kind in manifest.kinds]
    return next(kind_manifest.metrics for kind_manifest in kinds if kind_manifest.kind == kind)


def _require_complete(account: AccountRow, readings: MetricReadings) -> None:
    """Wait if a failed call may succeed later."""
    waits = [reading.retry_after for reading in readings.values() if reading.retry_after]
    if waits:
        detail = "Some metrics are temporarily unavailable from the platform."
        raise PlatformRateLimitError(detail, platform=account.platform, retry_after=min(max(waits), _RETRY_SECONDS))


def _get_manifest(catalogue: ConnectorRegistry, account: AccountRow) -> PlatformManifest:
    return catalogue.manifests[Platform(account.platform)]


def _find_app_quotas(manifest: PlatformManifest, name: str) -> set[Quota]:
    quotas = {quota for kind in manifest.kinds for quota in kind.limits.quotas}
    return {quota for quota in quotas if quota.name == name and quota.per == "app"}


def _is_readable_by_range(metric: PlatformMetric) -> bool:
    """Whether one call returns it for many days, or for now."""
    return metric.daily or metric.form == "level"


def _choose_days(table: MetricTable, today: date, last: date | None) -> DateRange:
    """Choose the days to read: all history at first, later the days that may still change, up to today."""
    oldest = today - timedelta(days=max(table.history_days - 1, 0))
    if last is None:
        return DateRange(oldest, today)
    return DateRange(max(oldest, min(last, today) - timedelta(days=table.settles_after_days)), today)


def _group_by_day(readings: MetricReadings, table: MetricTable, today: date) -> dict[date, MetricValues]:
    """Group values by day. Today is not over, so only its current levels are kept."""
    result: dict[date, dict[str, Number]] = {}
    for metric in table.account_metrics:
        reading = readings.get(metric.name)
        if reading is None or metric.name == "followers":
            continue
        for day, value in reading.series:
            if day < today:
                result.setdefault(day, {})[metric.name] = value
        if metric.form == "level" and reading.total is not None:
            result.setdefault(today, {})[metric.name] = reading.total
    return dict(result)


def _build_follower_counts(readings: MetricReadings, table: MetricTable, now: datetime) -> list[FollowerCountRow]:
    """Return follower counts: now, and at the end of each day that the platform still has."""
    reading = readings.get("followers")
    if reading is None:
        return []
    zone = ZoneInfo(table.zone)
    # The last second of the day, so that it counts for that day if the profile has the platform's time zone.
    ends = [
        (get_day_start(day + timedelta(days=1), zone) - timedelta(seconds=1), value) for day, value in reading.series
    ]
    counts = [FollowerCountRow(at, int(value)) for at, value in ends if at < now]
    return counts if reading.total is None else [*counts, FollowerCountRow(now, int(reading.total))]


def _find_age_step(step: int, post: MeasuredPostRow, now: datetime) -> int:
    """Find the age that a post has reached. Ages that passed during downtime are skipped."""
    hours = (now - post.published_at).total_seconds() / 3600
    return max((place for place, age in enumerate(SNAPSHOT_AGES_HOURS) if place >= step and age <= hours), default=step)
