"""Agenda: the events of Google calendars by month, week and list; created, changed and deleted with their guests."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta

from socialgate.areas.accounts.schemas import Account, AccountsQuery
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.calendar.schemas import CalendarEvent, CalendarEventsQuery, EventDeletionQuery
from socialgate.areas.calendar.service import CalendarService
from socialgate.console.days import DaysView, choose_anchor, get_start, list_days, step_days
from socialgate.console.event_form import (
    FREQUENCIES,
    KEPT_OR_NEW_REMINDERS,
    REMINDERS,
    TIME_FORMAT,
    EventForm,
    fill_form,
    get_first_moment,
)
from socialgate.console.forms import FormData
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.visit import PageQuery, Visit
from socialgate.contracts.calendar import CALENDAR_CAPABILITY, NotifyScope, SeriesScope
from socialgate.core.errors import NotFound, ServiceError
from socialgate.web.etags import ExpectedVersion
from socialgate.web.pagination import MAX_PAGE_LIMIT
from socialgate.web.schemas import RequestBody

AGENDA_PATH = "/console/agenda"
_EVENT_TEMPLATE = "agenda_event.html"
_EVENTS_PER_CALL = 100
# A month with more events than this shows the first ones.
_MAX_CALLS = 5
_ONE_DAY = timedelta(days=1)
_DEFAULT_HOUR = 9

Id = Annotated[str, Meta(max_length=40)]


class AgendaQuery(PageQuery, frozen=True, kw_only=True):
    """Which calendar and which days to show, and how."""

    account: Id | None = None
    view: DaysView = "month"
    day: date | None = None
    q: Annotated[str, Meta(max_length=200)] | None = None


class EventPageQuery(PageQuery, frozen=True, kw_only=True):
    """The day on which an event begins, or on which to begin with a new one."""

    day: date | None = None


class EventDeletionForm(RequestBody, frozen=True, kw_only=True):
    """What to delete, and whom to tell."""

    scope: SeriesScope | None = None
    notify: NotifyScope = "all"
    version: Annotated[str, Meta(max_length=200)] | None = None


class AgendaDay(msgspec.Struct, frozen=True, kw_only=True):
    day: date
    events: Sequence[CalendarEvent]
    is_inside: bool
    is_today: bool


class EventList(msgspec.Struct, frozen=True, kw_only=True):
    """The events, or why the platform does not show them now."""

    events: Sequence[CalendarEvent] = ()
    is_complete: bool = True
    failure: str | None = None


@console_page(
    AGENDA_PATH,
    "agenda.html",
    query=AgendaQuery,
    entry=Entry(label="Agenda", icon="agenda", group=Group.WORK, key="g"),
)
async def agenda_page(visit: Visit, params: AgendaQuery, accounts: AccountService, agenda: CalendarService) -> Values:
    able = await _list_accounts(visit, accounts)
    chosen = next((item for item in able if item.id == params.account), able[0] if able else None)
    anchor = choose_anchor(params.day, visit.today.date())
    days = list_days(params.view, anchor)
    since, until = get_start(days[0], visit.zone), get_start(days[-1] + _ONE_DAY, visit.zone)
    listed = EventList() if chosen is None else await _list_events(visit, agenda, chosen.id, since, until, params.q)
    return {
        "accounts": able,
        "account": chosen,
        "anchor": anchor,
        "days": _sort_into_days(visit, days, anchor, listed.events, params.view),
        "previous_day": step_days(params.view, anchor, -1),
        "next_day": step_days(params.view, anchor, 1),
        "listed": listed,
        "begins": lambda event: get_first_moment(event.start, visit.zone),
        "agenda_path": AGENDA_PATH,
    }


@console_page(AGENDA_PATH + "/{account_id:str}/new", _EVENT_TEMPLATE, query=EventPageQuery)
async def new_event_page(visit: Visit, account_id: str, params: EventPageQuery, accounts: AccountService) -> Values:
    account = await visit.work.read(accounts.find, visit.caller, account_id)
    form = visit.form("save")
    if form.failure is None:
        begin = _choose_begin(visit, params.day)
        times = {"start": [begin.strftime(TIME_FORMAT)], "end": [(begin + timedelta(hours=1)).strftime(TIME_FORMAT)]}
        form = FormData(times)
    return _show_event(visit, account_id, account.name, form, None)


@new_event_page.form("save", EventForm, path="")
async def create_event(visit: Visit, account_id: str, data: EventForm, agenda: CalendarService) -> Outcome:
    created = await agenda.create(visit.work, account_id, data.build_new(visit.zone))
    day = get_first_moment(created.start, visit.zone).date()
    return Done("The event is in the calendar.", to=visit.link(AGENDA_PATH, account=account_id, day=day))


@console_page(AGENDA_PATH + "/{account_id:str}/{event_id:str}", _EVENT_TEMPLATE, query=EventPageQuery)
async def event_page(
    visit: Visit,
    account_id: str,
    event_id: str,
    params: EventPageQuery,
    accounts: AccountService,
    agenda: CalendarService,
) -> Values:
    account = await visit.work.read(accounts.find, visit.caller, account_id)
    event = await _find_event(visit, agenda, account_id, event_id, params.day)
    sent = visit.form("save")
    form = fill_form(event, visit.zone) if sent.failure is None else sent
    return _show_event(visit, account_id, account.name, form, event)


@event_page.form("save", EventForm, path="")
async def change_event(
    visit: Visit, account_id: str, event_id: str, params: EventPageQuery, data: EventForm, agenda: CalendarService
) -> Outcome:
    event = await _find_event(visit, agenda, account_id, event_id, params.day)
    changes = data.build_changes(visit.zone, event)
    changed = await agenda.change(visit.work, account_id, event_id, changes, ExpectedVersion(data.version))
    day = get_first_moment(changed.start, visit.zone).date()
    return Done("Saved.", to=visit.link(AGENDA_PATH, account=account_id, day=day))


@event_page.form("delete", EventDeletionForm)
async def delete_event(
    visit: Visit,
    account_id: str,
    event_id: str,
    params: EventPageQuery,
    data: EventDeletionForm,
    agenda: CalendarService,
) -> Outcome:
    query = EventDeletionQuery(scope=data.scope, notify=data.notify)
    await agenda.delete(visit.work, account_id, event_id, query, ExpectedVersion(data.version))
    return Done("The event was deleted.", to=visit.link(AGENDA_PATH, account=account_id, day=params.day))


async def _list_accounts(visit: Visit, accounts: AccountService) -> Sequence[Account]:
    query = AccountsQuery(limit=MAX_PAGE_LIMIT, profile_id=visit.query.profile, kind="google_calendar")
    listed = (await visit.work.read(accounts.list, visit.caller, query)).data
    return [account for account in listed if CALENDAR_CAPABILITY.name in account.capabilities]


async def _list_events(
    visit: Visit, agenda: CalendarService, account_id: str, since: datetime, until: datetime, words: str | None
) -> EventList:
    """List the events of some days. A platform that does not answer is said in the place of its events."""
    listed: list[CalendarEvent] = []
    cursor: str | None = None
    try:
        for _ in range(_MAX_CALLS):
            query = CalendarEventsQuery(
                limit=_EVENTS_PER_CALL, cursor=cursor, since=since, until=until, q=words, expand=True
            )
            page = (await agenda.list(visit.work, account_id, query, fresh=False)).value
            listed += [event for event in page.data if event.status != "cancelled"]
            cursor = page.next_cursor
            if cursor is None:
                break
    except ServiceError as failure:
        return EventList(events=listed, failure=failure.detail)
    return EventList(events=listed, is_complete=cursor is None)


async def _find_event(
    visit: Visit, agenda: CalendarService, account_id: str, event_id: str, day: date | None
) -> CalendarEvent:
    """Find an event on the day on which it begins. Platforms list events, but do not show every occurrence alone."""
    anchor = choose_anchor(day, visit.today.date())
    since, until = get_start(anchor - _ONE_DAY, visit.zone), get_start(anchor + 2 * _ONE_DAY, visit.zone)
    listed = await _list_events(visit, agenda, account_id, since, until, None)
    event = next((event for event in listed.events if event.id == event_id), None)
    if event is None:
        raise NotFound(listed.failure or "There is no such event on this day. It may have been moved or deleted.")
    return event


def _show_event(
    visit: Visit, account_id: str, account_name: str, form: FormData, event: CalendarEvent | None
) -> Values:
    return {
        "account_id": account_id,
        "account_name": account_name,
        "event": event,
        "form": form,
        "path": visit.here(),
        "delete_path": None if event is None else visit.here().replace(visit.path, f"{visit.path}/delete", 1),
        "back": visit.link(AGENDA_PATH, account=account_id, day=msgspec.to_builtins(visit.query).get("day")),
        "frequencies": FREQUENCIES,
        "reminders": REMINDERS if event is None else KEPT_OR_NEW_REMINDERS,
    }


def _choose_begin(visit: Visit, day: date | None) -> datetime:
    """Begin with the next full hour today, and in the morning on other days."""
    now = visit.now.astimezone(visit.zone)
    if day is None or day == now.date():
        return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return datetime.combine(choose_anchor(day, day), datetime.min.time(), visit.zone).replace(hour=_DEFAULT_HOUR)


def _sort_into_days(
    visit: Visit, days: Sequence[date], anchor: date, events: Sequence[CalendarEvent], view: DaysView
) -> list[AgendaDay]:
    """Put each event on all days that it covers."""
    by_day: dict[date, list[CalendarEvent]] = {day: [] for day in days}
    for event in sorted(events, key=lambda event: (not event.all_day, get_first_moment(event.start, visit.zone))):
        first = get_first_moment(event.start, visit.zone).date()
        last = (get_first_moment(event.end, visit.zone) - timedelta(microseconds=1)).date()
        for day in days:
            if first <= day <= max(first, last):
                by_day[day].append(event)
    today = visit.today.date()
    return [
        AgendaDay(
            day=day, events=by_day[day], is_inside=view != "month" or day.month == anchor.month, is_today=day == today
        )
        for day in days
        if view != "list" or by_day[day]
    ]
