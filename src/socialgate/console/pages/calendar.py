"""Calendar: what is due when, where the gaps are, and moving a post to another time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise, starmap
from operator import attrgetter, itemgetter
from typing import Annotated

import msgspec
from msgspec import Meta

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.posts.media_fetcher import PostMediaFetcher
from socialgate.areas.posts.queue import QueueService
from socialgate.areas.posts.queue_schemas import QueueEntry, QueueQuery
from socialgate.areas.posts.schemas import PostChanges, ScheduledTime
from socialgate.areas.posts.service import PostService
from socialgate.areas.posts.tables import PostStatus
from socialgate.areas.posts.timetable import Period, TimetableEntry, TimetableService
from socialgate.areas.profiles.service import ProfileService
from socialgate.console.days import DaysView, choose_anchor, get_start, list_days, step_days
from socialgate.console.formatting import short_date
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.pages.posts import has_account
from socialgate.console.visit import PageQuery, Visit
from socialgate.core.db import Tx
from socialgate.web.etags import ExpectedVersion
from socialgate.web.schemas import RequestBody

CALENDAR_PATH = "/console/calendar"
# How many posts all days together read, each the same part of them, and how many that failed.
_MAX_POSTS, _MAX_FAILED = 1400, 400
# Each chip is half a kilobyte, so a page has room for this many. A day or an hour has room for the first few.
_MAX_CHIPS, _MAX_CHIPS_PER_CELL = 42, 4
# How far ahead the queue looks.
_MAX_QUEUE_DAYS = 90
_MOVABLE = (PostStatus.SCHEDULED, PostStatus.DRAFT)
_FAILED = (PostStatus.FAILED, PostStatus.PARTIAL)


class CalendarQuery(PageQuery, frozen=True, kw_only=True):
    """Which days to show, and how."""

    view: DaysView = "month"
    day: date | None = None
    # The post that somebody moves to another time.
    move: Annotated[str, Meta(max_length=40)] | None = None


class MoveForm(RequestBody, frozen=True, kw_only=True):
    """The new time of a post, in the time zone of its page."""

    time: ScheduledTime


class Item(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A post, or a free slot of the queue, at its time in the zone of the page."""

    at: datetime
    post: TimetableEntry | None

    @property
    def can_move(self) -> bool:
        return self.post is not None and self.post.status in _MOVABLE

    @property
    def has_failed(self) -> bool:
        return self.post is not None and self.post.status in _FAILED


class Day(msgspec.Struct, frozen=True, kw_only=True):
    """A day with what is shown of it, and how much is not."""

    day: date
    items: Sequence[Item]
    rest: int
    is_inside: bool
    is_today: bool
    # Whether `rest` is the whole rest.
    is_complete: bool

    def items_at(self, hour: int) -> list[Item]:
        """Return what is due in an hour of the day, for the rows of a week."""
        return [item for item in self.items if item.at.hour == hour]


@console_page(
    CALENDAR_PATH,
    "calendar.html",
    query=CalendarQuery,
    entry=Entry(label="Calendar", icon="calendar", group=Group.WORK, key="d"),
)
async def calendar_page(
    visit: Visit, params: CalendarQuery, timetable: TimetableService, queue: QueueService, accounts: AccountService
) -> Values:
    anchor = choose_anchor(params.day, visit.today.date())
    days = list_days(params.view, anchor)
    shown_days = Period(get_start(days[0], visit.zone), get_start(days[-1] + timedelta(days=1), visit.zone))
    entries, cut_days = await visit.work.read(_list_entries, visit, timetable, days, shown_days)
    slots = await _list_free_slots(visit, queue, shown_days)
    items = [Item(at=entry.at.astimezone(visit.zone), post=entry) for entry in entries]
    items += [Item(at=slot.at.astimezone(visit.zone), post=None) for slot in slots]
    items.sort(key=attrgetter("at"))
    shown = _choose_shown(items, params.view)
    chosen = next((item for item in items if item.can_move and item.post and item.post.id == params.move), None)
    ids = sorted({item.post.id for item in [*shown, chosen] if item is not None and item.post is not None})
    posts = await visit.work.read(timetable.load_posts, visit.caller, ids)
    # Somebody may have deleted one in between.
    shown = {item for item in shown if item.post is None or item.post.id in posts}
    account_ids = sorted({target.account_id for post in posts.values() for target in post.targets})
    return {
        "anchor": anchor,
        "days": _sort_into_days(visit, days, anchor, items, params.view, cut_days, shown),
        "previous_day": step_days(params.view, anchor, -1),
        "next_day": step_days(params.view, anchor, 1),
        "posts": posts,
        "labels": await visit.work.read(accounts.list_labels, visit.caller, account_ids),
        "is_complete": not cut_days,
        "is_empty": not items,
        "can_publish": bool(items) or await has_account(visit, accounts),
        "chosen": chosen if chosen is not None and chosen.post is not None and chosen.post.id in posts else None,
        "move_path": lambda post_id: visit.here(move=None).replace(visit.path, f"{CALENDAR_PATH}/{post_id}/move", 1),
        "failed": sum(item.has_failed for item in items),
        "local_time": lambda moment: moment.strftime("%Y-%m-%dT%H:%M"),
    }


@calendar_page.form("move", MoveForm, path="/{post_id:str}/move")
async def move_post(
    visit: Visit,
    post_id: str,
    data: MoveForm,
    posts: PostService,
    profiles: ProfileService,
    media_fetcher: PostMediaFetcher,
) -> Outcome:
    post = await visit.work.read(posts.show, visit.caller, post_id)
    zone = (await visit.work.read(profiles.show, visit.caller, post.profile_id)).timezone
    # The page shows all times in one zone, and that is the one that people mean.
    body = PostChanges(scheduled_for=data.time, timezone=zone if visit.profile else visit.zone.key)
    changes = await media_fetcher.fetch_for_changes(visit.work, post_id, body)
    moved = await visit.work.write(posts.change, visit.caller, post_id, changes, ExpectedVersion(None))
    at = moved.scheduled_for or visit.now
    return Done(f"Moved to {at.astimezone(visit.zone):%a} {short_date(at, visit.now, visit.zone)}.")


async def _list_entries(
    tx: Tx, visit: Visit, timetable: TimetableService, days: Sequence[date], shown_days: Period
) -> tuple[Sequence[TimetableEntry], set[date]]:
    """List the first posts of each day and everything that failed, and the days that have more."""
    starts = [*(get_start(day, visit.zone) for day in days), shown_days.until]
    periods, profile_id = list(starmap(Period, pairwise(starts))), visit.query.profile
    listed = await timetable.list_entries(
        tx, visit.caller, periods, limit=_MAX_POSTS // len(days), profile_id=profile_id
    )
    failed = await timetable.list_failed(tx, visit.caller, shown_days, limit=_MAX_FAILED, profile_id=profile_id)
    by_id = {entry.id: entry for entries in [*(period.entries for period in listed), failed] for entry in entries}
    return list(by_id.values()), {day for day, period in zip(days, listed, strict=True) if period.has_more}


async def _list_free_slots(visit: Visit, queue: QueueService, shown_days: Period) -> Sequence[QueueEntry]:
    """List the free slots of the chosen profile. Without one it is not clear whose gaps they would be."""
    since, until = shown_days
    days = min((until - visit.now).days + 1, _MAX_QUEUE_DAYS)
    if visit.profile_id is None or until <= visit.now:
        return ()
    shown = await visit.work.read(queue.show, visit.caller, QueueQuery(profile_id=visit.profile_id, days=days))
    return [entry for entry in shown.data if entry.post is None and since <= entry.at < until]


def _choose_shown(items: Sequence[Item], view: DaysView) -> set[Item]:
    """Choose what a page has room for: what failed before all others, and the first ones, of each day as many.

    The items are sorted by time.
    """
    if view == "list":
        return set(items[:_MAX_CHIPS])
    cells: Counter[tuple[date, int]] = Counter()
    of_days: Counter[date] = Counter()
    ranked: list[tuple[int, Item]] = []
    for item in sorted(items, key=lambda item: not item.has_failed):
        day = item.at.date()
        cell = day, item.at.hour if view == "week" else 0
        if cells[cell] < _MAX_CHIPS_PER_CELL:
            ranked.append((of_days[day], item))
            of_days[day] += 1
        cells[cell] += 1
    return {item for _, item in sorted(ranked, key=itemgetter(0))[:_MAX_CHIPS]}


def _sort_into_days(
    visit: Visit,
    days: Sequence[date],
    anchor: date,
    items: Sequence[Item],
    view: DaysView,
    cut_days: set[date],
    shown: set[Item],
) -> list[Day]:
    by_day: Mapping[date, list[Item]] = {day: [] for day in days}
    for item in items:
        by_day[item.at.date()].append(item)
    today = visit.today.date()
    return [
        Day(
            day=day,
            items=[item for item in by_day[day] if item in shown],
            rest=sum(item not in shown for item in by_day[day]),
            is_inside=view != "month" or day.month == anchor.month,
            is_today=day == today,
            is_complete=day not in cut_days,
        )
        for day in days
        if view != "list" or by_day[day]
    ]
