"""Events for people: newest first. Programs read them in the order in which they happened."""

import sqlalchemy as sa

from socialgate.areas.hooks.store import EventRow, read_event
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.outbox import events
from socialgate.core.statements import is_one_of
from socialgate.web.pagination import FittingList, ListQuery, build_response_size

_NEWEST_EVENTS = FittingList(
    events,
    build_response_size(events.c.body),
    [events.c.id.desc()],
    events.c.owner_id == sa.bindparam("owner"),
    filters={
        "after": events.c.id < sa.bindparam("after"),
        "profiles": is_one_of(events.c.profile_id, "profiles"),
        "profile": events.c.profile_id == sa.bindparam("profile"),
        "name": events.c.name == sa.bindparam("name"),
    },
)


async def list_newest_events(
    tx: Tx, caller: Caller, query: ListQuery, profile_id: str | None, name: str | None
) -> tuple[list[EventRow], bool]:
    """List events, newest first, and whether more follow."""
    optional = {"profiles": caller.allowed_profile_ids, "profile": profile_id, "name": name}
    return await _NEWEST_EVENTS.fetch_page(tx, read_event, query, ("evt",), {"owner": caller.owner_id}, optional)
