"""Events for people: newest first, and by profile."""

import sqlalchemy as sa

from socialgate.areas.hooks.store import EventRow, read_event
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.outbox import events
from socialgate.web.pagination import ListQuery, choose_page, load_in_order, measure_columns


async def choose_newest_events(
    tx: Tx, owner_id: str, caller: Caller, query: ListQuery, profile_id: str | None, name: str | None
) -> tuple[list[EventRow], str | None]:
    """Read events, newest first, and the cursor of the next page."""
    own = sa.select(events).where(events.c.owner_id == owner_id)
    statement = own
    if caller.allowed_profile_ids is not None:
        statement = statement.where(events.c.profile_id.in_(sorted(caller.allowed_profile_ids)))
    if profile_id is not None:
        statement = statement.where(events.c.profile_id == profile_id)
    if name is not None:
        statement = statement.where(events.c.name == name)
    choice = await choose_page(tx, statement, events.c.id, measure_columns(events.c.body), query, "evt")
    return await load_in_order(tx, own, events.c.id, choice.ids, read_event), choice.next_cursor
