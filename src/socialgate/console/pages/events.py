"""Events: everything that happened, as hooks receive it."""

from typing import Annotated

from msgspec import Meta

from socialgate.areas.hooks.event_feed import EventFeed
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Values, console_page
from socialgate.console.visit import ListPageQuery, Visit
from socialgate.core.events import EVENT_TYPES
from socialgate.web.pagination import ListQuery

_EVENTS_PER_PAGE = 30


class EventsPageQuery(ListPageQuery, frozen=True, kw_only=True):
    """Which events to show."""

    event: Annotated[str, Meta(max_length=40)] | None = None


@console_page(
    "/console/events",
    "events.html",
    query=EventsPageQuery,
    entry=Entry(label="Events", icon="pulse", group=Group.DEVELOPERS, key="e"),
)
async def events_page(visit: Visit, params: EventsPageQuery, feed: EventFeed) -> Values:
    query = ListQuery(limit=_EVENTS_PER_PAGE, cursor=params.cursor)
    listed = await visit.work.read(feed.page_newest, visit.caller, query, profile_id=params.profile, event=params.event)
    return {"events": listed, "names": [(name, name) for name in EVENT_TYPES], "live": list(EVENT_TYPES)}
