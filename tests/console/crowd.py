"""An owner with much of everything that lists show: more than any page of a list has room for."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import product
from typing import Any

import sqlalchemy as sa

from socialgate.contracts.platforms import Kind
from socialgate.core.db import Tx, metadata
from socialgate.core.ids import new_id

# More than the longest page of a list.
_COPIES = 240
_COPIED = (
    "profiles",
    "accounts",
    "conversations",
    "messages",
    "api_keys",
    "hooks",
    "deliveries",
    "events",
    "operations",
    "jobs",
    "media",
    "generations",
    "automations",
    "automation_runs",
    "connect_links",
)
_METRICS = (
    *("views", "reach", "impressions", "engagement", "likes", "comments"),
    *("shares", "saves", "clicks", "profileViews", "replies", "reposts"),
)
_MAX_NAME_LENGTH = 100
# As long as names may be, or written from right to left.
TEXTS = (
    "Fresh bread from eight o'clock",
    "مخبز ليما: خبز طازج كل صباح من الساعة الثامنة، مع قهوة من الجيران",
    "The Cooperative of Bakers, Confectioners & Millers of the Northern Valleys, founded in 1893 by families"[
        :_MAX_NAME_LENGTH
    ],
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaftsbäckereifachverkäuferin"[
        :_MAX_NAME_LENGTH
    ],
    "מאפייה בלימה 🥐 לחם טרי",
)
# In which there is what somebody wrote.
_WRITTEN = frozenset({"profiles", "accounts", "conversations", "messages", "api_keys", "media", "automations"})
# With copies of these, the copies of others would lead nowhere.
_KEPT = frozenset({"owner_id", "profile_id", "account_id", "automation_id", "type", "kind"})


async def crowd(
    tx: Tx, owner_id: str, *, copies: int = _COPIES, posts_per_hour: int = 1, texts: Sequence[str] = ()
) -> None:
    """Copy one row of each table until no page has room for all, and fill every hour of two months with posts.

    Names and contents of the copies are `texts` in turn, if there are any.
    """
    for name in _COPIED:
        table = metadata.tables[name]
        query = sa.select(table).where(table.c.owner_id == owner_id).order_by(table.c.id).limit(1)
        if name == "accounts":
            # No page reads from the platform for it: a copy cannot decrypt the token.
            query = query.where(table.c.kind == Kind.THREADS)
        (row,) = await tx.all(query)
        unique = _list_unique(table)
        rows = [_copy(table, row, unique, number) for number in range(copies)]
        written = texts if name in _WRITTEN else ()
        await tx.execute(sa.insert(table), [_reword(values, unique, written, n) for n, values in enumerate(rows)])
        if name == "accounts":
            await _count_numbers(tx, owner_id, [values["id"] for values in rows])
    await fill_calendar(tx, owner_id, posts_per_hour, texts)


async def _count_numbers(tx: Tx, owner_id: str, account_ids: Sequence[str]) -> None:
    """Give each account followers, and one of them numbers of every day that a page of Analytics can show."""
    days = [tx.now - timedelta(days=number) for number in range(1, 181)]
    followers = [
        {"owner_id": owner_id, "account_id": account_id, "at": day, "followers": 10_000_000 + number}
        for number, account_id in enumerate(account_ids)
        for day in (days[0], days[-1])
    ]
    await tx.execute(sa.insert(metadata.tables["follower_counts"]), followers)
    counted = [
        {
            "owner_id": owner_id,
            "account_id": account_ids[0],
            "day": day.date().isoformat(),
            "metrics": dict.fromkeys(_METRICS, 1000000 + day.day * 10007),
            "updated_at": tx.now,
        }
        for day in days
    ]
    await tx.execute(sa.insert(metadata.tables["insight_days"]), counted)


async def fill_calendar(tx: Tx, owner_id: str, posts_per_hour: int = 1, texts: Sequence[str] = ()) -> None:
    """Copy one scheduled post to every hour of two months."""
    posts, targets = metadata.tables["posts"], metadata.tables["post_targets"]
    query = sa.select(posts).where(posts.c.owner_id == owner_id, posts.c.status == "scheduled")
    (post,) = await tx.all(query.order_by(posts.c.id).limit(1))
    of_post = await tx.all(sa.select(targets).where(targets.c.owner_id == owner_id, targets.c.post_id == post.id))
    copies: list[dict[str, Any]] = []
    copied: list[dict[str, Any]] = []
    for hour, _ in product(range(1, 24 * 60), range(posts_per_hour)):
        post_id = new_id("post")
        values = {**_values(posts, post), "id": post_id, "scheduled_for": tx.now + timedelta(hours=hour)}
        copies.append(_reword(values, set(), texts, len(copies)))
        copied += [{**_values(targets, row), "id": new_id("tgt"), "post_id": post_id} for row in of_post]
    await tx.execute(sa.insert(posts), copies)
    await tx.execute(sa.insert(targets), copied)


def _copy(table: sa.Table, row: Any, unique: set[str], number: int) -> dict[str, Any]:
    values = _values(table, row)
    for name in unique - _KEPT:
        if values[name] is not None:
            tail = f"~{number}".encode() if isinstance(values[name], bytes) else f"~{number}"
            values[name] = values[name][: -len(tail)] + tail
    # The health of an account has its id in it.
    unknown = {"health": None} if "health" in values else {}
    return {**values, **unknown, "id": new_id(str(row.id).partition("_")[0])}


def _reword(values: dict[str, Any], unique: set[str], texts: Sequence[str], number: int) -> dict[str, Any]:
    changed = {"name", "content", "text", "file_name"} & values.keys() - unique if texts else set()
    return {**values, **{name: texts[number % len(texts)] for name in changed}}


def _list_unique(table: sa.Table) -> set[str]:
    groups = [list(index.columns) for index in table.indexes if index.unique]
    groups += [list(item.columns) for item in table.constraints if isinstance(item, sa.UniqueConstraint)]
    return {column.key for group in groups for column in group}


def _values(table: sa.Table, row: Any) -> dict[str, Any]:
    return {column.key: getattr(row, column.name) for column in table.columns}
