"""Posts by their time: of each day the first ones, and all that failed, in the order of an index."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from socialgate.areas.posts import timetable
from socialgate.areas.posts.tables import posts
from socialgate.areas.posts.timetable import Period, TimetableService
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.ids import new_id
from support.query_plans import explain, statements_of
from support.service import OwnerFixture, RunningService

pytestmark = pytest.mark.both_engines

DAY = datetime(2031, 2, 3, tzinfo=UTC)
DAYS = [Period(DAY + timedelta(days=number), DAY + timedelta(days=number + 1)) for number in range(2)]
SERVICE = TimetableService()


def at(hour: int, status: str = "scheduled", profile_id: str = "prf_1", *, written: bool = False) -> dict[str, Any]:
    """Return a post that is due at an hour, or that was written then and has no other time."""
    time = DAY + timedelta(hours=hour)
    return {
        "id": new_id("post"),
        "profile_id": profile_id,
        "status": status,
        "content": f"At {hour}",
        "media": [],
        "scheduled_for": None if written else time,
        "timezone": "UTC",
        "created_at": time if written else DAY - timedelta(days=9),
        "updated_at": DAY,
    }


async def add(tx: Tx, owner_id: str, rows: Sequence[dict[str, Any]]) -> None:
    await tx.execute(sa.insert(posts), [{"owner_id": owner_id, **row} for row in rows])


def hours(entries: Sequence[timetable.TimetableEntry]) -> list[float]:
    return [(entry.at - DAY) / timedelta(hours=1) for entry in entries]


def test_each_day_lists_its_first_posts(owner: OwnerFixture, other_owner: OwnerFixture) -> None:
    running, caller = owner.running, Caller(owner_id=owner.id, credential_id="key_1")
    rows = [at(23), at(0, written=True), at(5, "cancelled"), at(9, "draft"), at(24), at(48), at(-1)]
    running.write(add, owner.id, rows)
    running.write(add, other_owner.id, [at(1)])
    first, second = running.read(partial(SERVICE.list_entries, limit=2), caller, DAYS)
    assert (hours(first.entries), first.has_more) == ([0, 9], True)
    assert (hours(second.entries), second.has_more) == ([24], False)
    loaded = running.read(SERVICE.load_posts, caller, [entry.id for entry in first.entries])
    assert {post.content for post in loaded.values()} == {"At 0", "At 9"}


def test_failed_posts_are_listed_however_many_others_there_are(owner: OwnerFixture) -> None:
    running, caller = owner.running, Caller(owner_id=owner.id, credential_id="key_1")
    running.write(add, owner.id, [*(at(hour) for hour in range(20)), at(22, "failed"), at(21, "partial")])
    failed = running.read(partial(SERVICE.list_failed, limit=9), caller, DAYS[0])
    assert hours(failed) == [21, 22]


def test_a_key_for_some_profiles_sees_their_posts_alone(owner: OwnerFixture) -> None:
    running, caller = owner.running, Caller(owner_id=owner.id, credential_id="key_1")
    limited = msgspec.structs.replace(caller, allowed_profile_ids=frozenset({"prf_2"}))
    rows = [at(1), at(2, profile_id="prf_2"), at(3, "failed"), at(4, "failed", "prf_2")]
    running.write(add, owner.id, rows)
    for who, profile_id, listed in ((limited, None, [2, 4]), (caller, "prf_1", [1, 3]), (caller, None, [1, 2, 3, 4])):
        [(entries, _), _] = running.read(partial(SERVICE.list_entries, limit=9, profile_id=profile_id), who, DAYS)
        failed = running.read(partial(SERVICE.list_failed, limit=9, profile_id=profile_id), who, DAYS[0])
        assert (hours(entries), hours(failed)) == (listed, [hour for hour in listed if hour > 2])
    assert list(running.read(SERVICE.load_posts, limited, [row["id"] for row in rows])) == [
        rows[3]["id"],
        rows[1]["id"],
    ]


@pytest.mark.one_engine
def test_days_are_read_in_the_order_of_an_index(service: RunningService, owner: OwnerFixture) -> None:
    caller = Caller(owner_id=owner.id, credential_id="key_1")
    with statements_of(service) as statements:
        service.read(partial(SERVICE.list_entries, limit=2), caller, DAYS)
        service.read(partial(SERVICE.list_failed, limit=2), caller, DAYS[0])
    plans = [" ".join(explain(service, statement)) for statement in statements if "FROM posts" in statement]
    assert len(plans) == 3
    assert [plan for plan in plans if "SCAN" in plan or "TEMP B-TREE" in plan] == []
    assert ["ix_posts_failed" in plan for plan in plans] == [False, False, True]
