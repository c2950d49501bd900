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
from socialgate.areas.analytics.calendar import day_of, midnight, next_snapshot
from socialgate.areas.analytics.service import LACKS
from socialgate.areas.analytics.store import Count, MeasuredPost, Numbers
from socialgate.areas.analytics.values import totals_of
from socialgate.contracts.accounts import AccountRow, AccountStatus, NowConnected
from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.failures import PlatformFailure, PlatformNotFound, PlatformRateLimited
from socialgate.contracts.insights import INSIGHTS, Days, Number, Readings
from socialgate.contracts.metrics import Metric, MetricTable
from socialgate.contracts.platforms import Kind, Manifest, Platform, Quota
from socialgate.contracts.profiles import ProfileBook
from socialgate.contracts.publishing import PostPublished
from socialgate.core.db import Database, Tx
from socialgate.core.jitter import between
from socialgate.core.jobs.jobs import Cancelled, Jobs, Run
from socialgate.core.jobs.table import JobRow
from socialgate.core.quotas import use_of

ACCOUNT = "analytics.account"
POST = "analytics.post"
ENROL = "analytics.enrol"
# How old a post is when it is read, in hours.
AGES = (1, 6, 24, 72, 168, 720)
# The share of an app's quota that snapshots may use; the rest is for customers.
SHARE = 0.5
_MOST_OBJECTS = 200
_RETRY_SECONDS = 3_600
# The customer's own requests come first after connecting, and accounts connected together are spread out.
_FIRST_AFTER = (60.0, 300.0)

log = structlog.get_logger(__name__)


class Enrolment:
    """Queues snapshots: of accounts when they are connected, of posts when they are published."""

    def __init__(self, jobs: Jobs, catalogue: Catalogue) -> None:
        self._jobs = jobs
        self._catalogue = catalogue

    async def connected(self, tx: Tx, fact: NowConnected, account: AccountRow) -> None:
        """Read an account soon. One that was reconnected has missed days to fill in."""
        del fact
        soon = tx.now + timedelta(seconds=between(*_FIRST_AFTER))
        job = await self._add(tx, account, soon)
        if job is not None:
            await self._jobs.hasten(tx, job, soon)

    async def _add(self, tx: Tx, account: AccountRow, due_at: datetime) -> JobRow | None:
        if INSIGHTS not in _manifest(self._catalogue, account).of(Kind(account.kind)).capabilities:
            return None
        wanted = {"accountId": account.id}
        return await self._jobs.add(tx, ACCOUNT, account.owner_id, wanted, key=account.id, due_at=due_at)

    async def published(self, tx: Tx, fact: PostPublished, owner_id: str) -> None:
        if not table_of(self._catalogue, fact.kind).account:
            return
        post = MeasuredPost(
            owner_id, fact.account_id, fact.object_id, fact.post_id, fact.url, fact.published_at or tx.now
        )
        if await store.add_post(tx, post) and table_of(self._catalogue, fact.kind).post:
            await self.measure(tx, post, 0)

    async def measure(self, tx: Tx, post: MeasuredPost, step: int) -> None:
        """Queue the next read of a post: at the next age, or at the latest age that has passed."""
        ages = AGES[step:]
        if ages:
            due_at = post.published_at + timedelta(hours=ages[0])
            wanted = {"accountId": post.account_id, "objectId": post.object_id, "step": step}
            key = f"{post.account_id} {step} {post.object_id}"[:200]
            await self._jobs.add(tx, POST, post.owner_id, wanted, key=key, due_at=due_at)

    async def given_up(self, tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
        """Skip an age at which a post could not be read, and continue with the next."""
        del error
        posts = await store.find_posts(tx, job.owner_id, job.input["accountId"], [job.input["objectId"]])
        for post in posts.values():
            await self.measure(tx, post, int(job.input["step"]) + 1)

    async def enrol(self, tx: Tx, account: AccountRow) -> None:
        """Queue an account that was connected before snapshots existed."""
        await self._add(tx, account, tx.now + timedelta(seconds=between(*_FIRST_AFTER)))


class Snapshots:
    def __init__(
        self,
        db: Database,
        session: AccountSession,
        catalogue: Catalogue,
        profiles: ProfileBook,
        enrolment: Enrolment,
    ) -> None:
        self._db = db
        self._session = session
        self._catalogue = catalogue
        self._profiles = profiles
        self._enrolment = enrolment

    async def account(self, run: Run) -> None:
        """Read an account for today and for the days missing before."""
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        if account is None:
            raise Cancelled
        zone = ZoneInfo(await self._db.read(self._profiles.timezone, account.owner_id, account.profile_id))
        run.next_at = next_snapshot(account.id, self._db.clock.now(), zone)
        if account.status is not AccountStatus.CONNECTED:
            return
        table = table_of(self._catalogue, account.kind)
        await self._db.read(self._require_room, account, table)
        now, objects, last = await self._db.read(self._known, account)
        today = day_of(now, ZoneInfo(table.calendar(zone.key)))
        days = _wanted_days(table, day_of(now, ZoneInfo(table.zone)), last)
        readings = await self._read(account, [one for one in table.account if _by_range(one)], days, objects)
        counts = _counts(readings, table, now)
        try:
            _require_all(account, readings)
            single = await self._single_days(run, account, table, days)
        except PlatformFailure:
            # The current follower count cannot be read later. The rest is read again as a whole and stored then.
            await self._db.write(store.save_counts, account.owner_id, account.id, counts)
            raise
        numbers = _by_day(readings, table, today)
        for day, found in single.items():
            numbers[day] = {**numbers.get(day, {}), **found}
        # Remember that a day was read even if it had no data: the whole history is requested only once.
        numbers.setdefault(today - timedelta(days=1), {})
        await run.finish(self._save, account, numbers, counts)

    async def post(self, run: Run) -> None:
        """Read a post at one of its ages, then queue the next. A deleted post is not read again."""
        owner_id, account_id, object_id = run.owner_id, run.input["accountId"], run.input["objectId"]
        account = await self._db.read(accounts.find_account, owner_id, account_id)
        posts = await self._db.read(store.find_posts, owner_id, account_id, [object_id])
        if account is None or object_id not in posts:
            return
        step, post = _step(int(run.input["step"]), posts[object_id], self._db.clock.now()), posts[object_id]
        numbers: Numbers | None = None
        if account.status is AccountStatus.CONNECTED:
            numbers = await self._of_post(account, object_id)
            if numbers is None:
                return
        await run.finish(self._save_post, post, step, numbers)

    async def _of_post(self, account: AccountRow, object_id: str) -> Numbers | None:
        part = self._session.part(account, INSIGHTS, LACKS)
        metrics = table_of(self._catalogue, account.kind).post
        try:
            found = await self._session.call_as(account, lambda held: part.of_posts(held, [object_id], metrics))
        except PlatformNotFound:
            return None
        if not found:
            return None
        _require_all(account, found[0].readings)
        return totals_of(found[0].readings)

    async def _read(
        self, account: AccountRow, metrics: Sequence[Metric], days: Days, objects: Sequence[str]
    ) -> Readings:
        part = self._session.part(account, INSIGHTS, LACKS)
        return await self._session.call_as(account, lambda held: part.of_account(held, metrics, days, objects))

    async def _single_days(self, run: Run, account: AccountRow, table: MetricTable, days: Days) -> dict[date, Numbers]:
        """Read day by day what the platform reports only as a total for a range. Each day is a step."""
        metrics = [one for one in table.account if not _by_range(one)]
        done: dict[str, Numbers] = dict(run.state or {})
        for day in days.each() if metrics else ():
            if day.isoformat() not in done and day < days.last:
                readings = await self._read(account, metrics, Days(day, day), ())
                _require_all(account, readings)
                done[day.isoformat()] = totals_of(readings)
                await run.step(done)
        return {date.fromisoformat(day): numbers for day, numbers in done.items() if numbers}

    async def _require_room(self, tx: Tx, account: AccountRow, table: MetricTable) -> None:
        """Leave customers their part of the quotas that the whole app shares."""
        manifest = _manifest(self._catalogue, account)
        quotas = [(quota, units) for name, units in table.spends for quota in _of_app(manifest, name)]
        budgets = {quota.budget(manifest.platform, Quota.APP).key: (quota, units) for quota, units in quotas}
        for key, use in (await use_of(tx, list(budgets))).items():
            quota, units = budgets[key]
            if use.used + units > quota.limit * SHARE:
                raise PlatformRateLimited(
                    f"Half of the daily {quota.limit} `{quota.name}` are used; snapshots do not use the rest.",
                    platform=manifest.platform,
                    category="quota_exhausted",
                    retry_after=min(_RETRY_SECONDS, max(int((use.frees_at - tx.now).total_seconds()), 1)),
                )

    async def _known(self, tx: Tx, account: AccountRow) -> tuple[datetime, list[str], date | None]:
        objects = await store.recent_objects(tx, account.owner_id, account.id, _MOST_OBJECTS)
        return tx.now, objects, await store.last_day(tx, account.owner_id, account.id)

    async def _save(
        self, tx: Tx, account: AccountRow, numbers: Mapping[date, Numbers], counts: Sequence[Count]
    ) -> None:
        await store.save_days(tx, account.owner_id, account.id, numbers)
        await store.save_counts(tx, account.owner_id, account.id, counts)

    async def _save_post(self, tx: Tx, post: MeasuredPost, step: int, numbers: Numbers | None) -> None:
        if numbers:
            await store.save_post(tx, post, AGES[step], numbers)
        await self._enrolment.measure(tx, post, step + 1)


def table_of(catalogue: Catalogue, kind: str) -> MetricTable:
    kinds = [one for manifest in catalogue.manifests.values() for one in manifest.kinds]
    return next(one.metrics for one in kinds if one.kind == kind)


def _require_all(account: AccountRow, readings: Readings) -> None:
    """Wait if a failed call may succeed later."""
    waits = [reading.retry_after for reading in readings.values() if reading.retry_after]
    if waits:
        detail = "Some metrics are temporarily unavailable from the platform."
        raise PlatformRateLimited(detail, platform=account.platform, retry_after=min(max(waits), _RETRY_SECONDS))


def _manifest(catalogue: Catalogue, account: AccountRow) -> Manifest:
    return catalogue.manifests[Platform(account.platform)]


def _of_app(manifest: Manifest, name: str) -> set[Quota]:
    quotas = {quota for kind in manifest.kinds for quota in kind.limits.quotas}
    return {quota for quota in quotas if quota.name == name and quota.per == "app"}


def _by_range(metric: Metric) -> bool:
    """Whether one call returns it for many days, or for now."""
    return metric.daily or metric.form == "level"


def _wanted_days(table: MetricTable, today: date, last: date | None) -> Days:
    """Choose the days to read: all history at first, later the days that may still change, up to today."""
    oldest = today - timedelta(days=max(table.history_days - 1, 0))
    if last is None:
        return Days(oldest, today)
    return Days(max(oldest, min(last, today) - timedelta(days=table.settled_after)), today)


def _by_day(readings: Readings, table: MetricTable, today: date) -> dict[date, Numbers]:
    """Group values by day. Today is not over, so only its current levels are kept."""
    found: dict[date, dict[str, Number]] = {}
    for metric in table.account:
        reading = readings.get(metric.name)
        if reading is None or metric.name == "followers":
            continue
        for day, value in reading.series:
            if day < today:
                found.setdefault(day, {})[metric.name] = value
        if metric.form == "level" and reading.total is not None:
            found.setdefault(today, {})[metric.name] = reading.total
    return dict(found)


def _counts(readings: Readings, table: MetricTable, now: datetime) -> list[Count]:
    """Return follower counts: now, and at the end of each day that the platform still has."""
    reading = readings.get("followers")
    if reading is None:
        return []
    zone = ZoneInfo(table.zone)
    # The last second of the day, so that it counts for that day if the profile has the platform's time zone.
    ends = [(midnight(day + timedelta(days=1), zone) - timedelta(seconds=1), value) for day, value in reading.series]
    counts = [Count(at, int(value)) for at, value in ends if at < now]
    return counts if reading.total is None else [*counts, Count(now, int(reading.total))]


def _step(step: int, post: MeasuredPost, now: datetime) -> int:
    """Find the age that a post has reached. Ages that passed during downtime are skipped."""
    hours = (now - post.published_at).total_seconds() / 3600
    return max((place for place, age in enumerate(AGES) if place >= step and age <= hours), default=step)
