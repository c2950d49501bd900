"""Which posts are due when, without what is in them: a calendar reads thousands of times and shows a few posts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa

from socialgate.areas.posts import store
from socialgate.areas.posts.schemas import Post
from socialgate.areas.posts.tables import HAS_FAILED, OWNER_BY_TIME, POST_TIME, PostStatus, posts
from socialgate.areas.posts.views import build_post_view
from socialgate.core.caller import Caller
from socialgate.core.db import Tx, UtcDateTime, inline_literal
from socialgate.core.rows import build_row_reader
from socialgate.core.statements import is_one_of


class TimetableEntry(msgspec.Struct, frozen=True):
    """A post and its time."""

    id: str
    status: PostStatus
    at: datetime


class Period(NamedTuple):
    """From one time until before another."""

    since: datetime
    until: datetime


class PeriodEntries(NamedTuple):
    """The first posts of a period, and whether there are more."""

    entries: Sequence[TimetableEntry]
    has_more: bool


_ENTRY_COLUMNS = (posts.c.id, posts.c.status, POST_TIME.label("at"))
_read_entry = build_row_reader(TimetableEntry, _ENTRY_COLUMNS)


class TimetableService:
    """Reads posts by their time. Cancelled posts are left out."""

    async def list_entries(
        self, tx: Tx, caller: Caller, periods: Sequence[Period], *, limit: int, profile_id: str | None = None
    ) -> list[PeriodEntries]:
        """List the first posts of each period."""
        listed = []
        for period in periods:
            entries = await _list(tx, caller, period, limit + 1, profile_id, failed=False)
            listed.append(PeriodEntries(entries[:limit], len(entries) > limit))
        return listed

    async def list_failed(
        self, tx: Tx, caller: Caller, period: Period, *, limit: int, profile_id: str | None = None
    ) -> Sequence[TimetableEntry]:
        """List the posts of a period that failed on at least one account."""
        return await _list(tx, caller, period, limit, profile_id, failed=True)

    async def load_posts(self, tx: Tx, caller: Caller, post_ids: Sequence[str]) -> Mapping[str, Post]:
        """Load the posts of entries, by their ids."""
        of_posts = await store.list_targets(tx, caller.owner_id, post_ids)
        rows = await store.find_posts(tx, caller.owner_id, post_ids)
        return {
            row.id: build_post_view(row, of_posts[row.id]) for row in rows if caller.can_access_profiles(row.profile_id)
        }


async def _list(
    tx: Tx, caller: Caller, period: Period, limit: int, profile_id: str | None, *, failed: bool
) -> Sequence[TimetableEntry]:
    profiles = caller.allowed_profile_ids
    if profile_id is not None:
        caller.require_profile_access(profile_id)
        profiles = frozenset((profile_id,))
    values = {"owner": caller.owner_id, "since": period.since, "until": period.until, "rows": limit}
    statement = _select(of_profiles=profiles is not None, failed=failed)
    return await tx.all_as(statement, _read_entry, values if profiles is None else {**values, "profiles": profiles})


@cache
def _select(*, of_profiles: bool, failed: bool) -> sa.Select[Any]:
    """Select by the expressions that are in the indexes by time."""
    statement = sa.select(*_ENTRY_COLUMNS).where(
        sa.bindparam("owner") == OWNER_BY_TIME,
        sa.bindparam("since", type_=UtcDateTime) <= POST_TIME,
        sa.bindparam("until", type_=UtcDateTime) > POST_TIME,
        HAS_FAILED if failed else posts.c.status != inline_literal(PostStatus.CANCELLED),
    )
    if of_profiles:
        statement = statement.where(is_one_of(posts.c.profile_id, "profiles"))
    return statement.order_by(POST_TIME).limit(sa.bindparam("rows", type_=sa.Integer))
