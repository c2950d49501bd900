"""Calendar: what is due when, where the gaps are, and moving a post to another time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from operator import itemgetter
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.posts.media_fetcher import PostMediaFetcher
from socialgate.areas.posts.queue import QueueService
from socialgate.areas.posts.queue_schemas import QueueEntry, QueueQuery
from socialgate.areas.posts.schemas import Post, PostChanges, PostsQuery, ScheduledTime
from socialgate.areas.posts.service import PostService
from socialgate.areas.posts.tables import PostStatus
from socialgate.console.days import DaysView, choose_anchor, get_start, list_days, step_days
from socialgate.console.formatting import short_date
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.visit import PageQuery, Visit
from socialgate.web.etags import ExpectedVersion
from socialgate.web.pagination import MAX_PAGE_LIMIT
from socialgate.web.schemas import RequestBody

CALENDAR_PATH = "/console/calendar"
# Days with more posts than this show some of each, and the rest in the list of posts.
_MAX_PAGES = 3
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
    """A post, or a free slot of the queue, at its time."""

    at: datetime
    post: Post | None

    @property
    def can_move(self) -> bool:
        return self.post is not None and self.post.status in _MOVABLE

    @property
    def has_failed(self) -> bool:
        return self.post is not None and self.post.status in _FAILED


class Day(msgspec.Struct, frozen=True, kw_only=True):
    day: date
    items: Sequence[Item]
    is_inside: bool
    is_today: bool
    # Whether `items` are all of them.
    is_complete: bool

    def items_at(self, hour: int, zone: ZoneInfo) -> list[Item]:
        """Return what is due in an hour of the day, for the rows of a week."""
        return [item for item in self.items if item.at.astimezone(zone).hour == hour]


@console_page(
    CALENDAR_PATH,
    "calendar.html",
    query=CalendarQuery,
    entry=Entry(label="Calendar", icon="calendar", group=Group.WORK, key="d"),
)
async def calendar_page(
    visit: Visit, params: CalendarQuery, posts: PostService, queue: QueueService, accounts: AccountService
) -> Values:
    anchor = choose_anchor(params.day, visit.today.date())
    days = list_days(params.view, anchor)
    since, until = get_start(days[0], visit.zone), get_start(days[-1] + timedelta(days=1), visit.zone)
    listed, cut_days = await _list_posts(visit, posts, days)
    items = [Item(at=post.scheduled_for or post.created_at, post=post) for post in listed]
    items += [Item(at=slot.at, post=None) for slot in await _list_free_slots(visit, queue, until) if slot.at >= since]
    ids = sorted({target.account_id for post in listed for target in post.targets})
    return {
        "anchor": anchor,
        "days": _sort_into_days(visit, days, anchor, items, params.view, cut_days),
        "previous_day": step_days(params.view, anchor, -1),
        "next_day": step_days(params.view, anchor, 1),
        "labels": await visit.work.read(accounts.list_labels, visit.caller, ids),
        "is_complete": not cut_days,
        "shown": _choose_shown(items, params.view, visit.zone),
        "held": next((item for item in items if item.can_move and item.post and item.post.id == params.move), None),
        "move_path": lambda post_id: visit.here(move=None).replace(visit.path, f"{CALENDAR_PATH}/{post_id}/move", 1),
        "failed": sum(item.has_failed for item in items),
        "local_time": lambda moment: moment.astimezone(visit.zone).strftime("%Y-%m-%dT%H:%M"),
    }


@calendar_page.form("move", MoveForm, path="/{post_id:str}/move")
async def move_post(
    visit: Visit, post_id: str, data: MoveForm, posts: PostService, media_fetcher: PostMediaFetcher
) -> Outcome:
    post = await visit.work.read(posts.show, visit.caller, post_id)
    zone = next((profile.timezone for profile in visit.profiles if profile.id == post.profile_id), post.timezone)
    # The page shows all times in one zone, and that is the one that people mean.
    body = PostChanges(scheduled_for=data.time, timezone=zone if visit.profile else visit.zone.key)
    changes = await media_fetcher.fetch_for_changes(visit.work, post_id, body)
    moved = await visit.work.write(posts.change, visit.caller, post_id, changes, ExpectedVersion(None))
    at = moved.scheduled_for or visit.now
    return Done(f"Moved to {at.astimezone(visit.zone):%a} {short_date(at, visit.now, visit.zone)}.")


async def _list_posts(visit: Visit, posts: PostService, days: Sequence[date]) -> tuple[Sequence[Post], set[date]]:
    """List the posts of the days, and the days that have more."""
    listed: list[Post] = []
    query = _ask_for(visit, days)
    for _ in range(_MAX_PAGES):
        page = await visit.work.read(posts.list, visit.caller, query)
        listed += page.data
        if page.next_cursor is None:
            return listed, set()
        query = replace(query, cursor=page.next_cursor)
    return await _list_some_of_each_day(visit, posts, days)


async def _list_some_of_each_day(
    visit: Visit, posts: PostService, days: Sequence[date]
) -> tuple[Sequence[Post], set[date]]:
    """List a few posts of each day, and what failed: the newest posts might all be on the last days."""
    by_id: dict[str, Post] = {}
    cut_days: set[date] = set()
    for day in days:
        query = replace(_ask_for(visit, [day]), limit=_MAX_PAGES * MAX_PAGE_LIMIT // len(days))
        page = await visit.work.read(posts.list, visit.caller, query)
        by_id |= {post.id: post for post in page.data}
        if page.next_cursor is not None:
            cut_days.add(day)
    for status in _FAILED:
        page = await visit.work.read(posts.list, visit.caller, replace(_ask_for(visit, days), status=status))
        by_id |= {post.id: post for post in page.data}
    return list(by_id.values()), cut_days


def _ask_for(visit: Visit, days: Sequence[date]) -> PostsQuery:
    since, until = get_start(days[0], visit.zone), get_start(days[-1] + timedelta(days=1), visit.zone)
    return PostsQuery(limit=MAX_PAGE_LIMIT, profile_id=visit.query.profile, since=since, until=until)


async def _list_free_slots(visit: Visit, queue: QueueService, until: datetime) -> Sequence[QueueEntry]:
    """List the free slots of the chosen profile. Without one it is not clear whose gaps they would be."""
    days = min((until - visit.now).days + 1, _MAX_QUEUE_DAYS)
    if visit.profile_id is None or until <= visit.now:
        return ()
    shown = await visit.work.read(queue.show, visit.caller, QueueQuery(profile_id=visit.profile_id, days=days))
    return [entry for entry in shown.data if entry.post is None and entry.at < until]


def _choose_shown(items: Sequence[Item], view: DaysView, zone: ZoneInfo) -> set[Item]:
    """Choose what a page has room for: of each day or hour the first ones, and what failed before all others."""
    if view == "list":
        return set(sorted(items, key=lambda item: item.at)[:_MAX_CHIPS])
    cells: Counter[tuple[date, int]] = Counter()
    ranked: list[tuple[int, Item]] = []
    for item in sorted(items, key=lambda item: (not item.has_failed, item.at)):
        at = item.at.astimezone(zone)
        cell = at.date(), at.hour if view == "week" else 0
        ranked.append((cells[cell], item))
        cells[cell] += 1
    ranked.sort(key=itemgetter(0))
    return {item for rank, item in ranked[:_MAX_CHIPS] if rank < _MAX_CHIPS_PER_CELL}


def _sort_into_days(
    visit: Visit, days: Sequence[date], anchor: date, items: Sequence[Item], view: DaysView, cut_days: set[date]
) -> list[Day]:
    by_day: Mapping[date, list[Item]] = {day: [] for day in days}
    for item in sorted(items, key=lambda item: item.at):
        by_day[item.at.astimezone(visit.zone).date()].append(item)
    today = visit.today.date()
    return [
        Day(
            day=day,
            items=by_day[day],
            is_inside=view != "month" or day.month == anchor.month,
            is_today=day == today,
            is_complete=day not in cut_days,
        )
        for day in days
        if view != "list" or by_day[day]
    ]
