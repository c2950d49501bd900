"""Rows as large as callers can make them, or could before there was a limit, and whole lists of them."""

from typing import Any

import httpx
import msgspec
import sqlalchemy as sa

from socialgate.areas.posts.tables import posts
from socialgate.core.db import Tx
from socialgate.core.ids import new_id
from socialgate.core.outbox import deliveries, events
from support.service import OwnerFixture

MIB = 1024 * 1024
# What a page may have beside what its rows were counted with: names of fields, ids, times.
MAX_RESPONSE_PAGE_BYTES = 5 * MIB


def add_posts(owner: OwnerFixture, count: int, **values: Any) -> list[str]:
    """Store drafts with these columns, and give their ids, newest first."""
    ids = [new_id("post") for _ in range(count)]
    for post_id in ids:
        owner.running.write(_insert, posts, _post(owner, post_id) | values)
    return ids[::-1]


def _post(owner: OwnerFixture, post_id: str) -> dict[str, Any]:
    return {
        "owner_id": owner.id,
        "id": post_id,
        "profile_id": owner.profile_id,
        "status": "draft",
        "content": "",
        "media": [],
        "timezone": "UTC",
    }


def add_events(owner: OwnerFixture, count: int, size: int) -> list[str]:
    """Store events of so many bytes, and give their ids, oldest first."""
    ids = [new_id("evt") for _ in range(count)]
    data = {"text": "x" * size}
    body = msgspec.json.encode({"event": "x", "ownerId": owner.id, "profileId": owner.profile_id, "data": data})
    for number, event_id in enumerate(ids):
        values = {"owner_id": owner.id, "id": event_id, "event_key": number + 1, "profile_id": owner.profile_id}
        owner.running.write(_insert, events, {**values, "name": "message.received", "body": body})
    return ids


def add_deliveries(owner: OwnerFixture, hook_id: str, count: int, size: int) -> list[str]:
    """Store deliveries that failed, each with answers of so many bytes, and give their ids, newest first."""
    ids = [new_id("dlv") for _ in range(count)]
    attempt = {
        "number": 1,
        "at": "2026-11-15T09:30:00Z",
        "durationMs": 1,
        "statusCode": 500,
        "error": None,
        "responseBody": "x" * size,
        "nextAttemptAt": None,
        "timestamp": 1,
        "signature": "s",
        "standardSignature": "s",
    }
    attempts = msgspec.json.encode([attempt])
    for delivery_id in ids:
        values = {
            "owner_id": owner.id,
            "hook_id": hook_id,
            "id": delivery_id,
            "event_id": new_id("evt"),
            "event_key": 1,
        }
        rest = {"event": "message.received", "status": "failed", "attempt_count": 1, "attempts": attempts}
        owner.running.write(_insert, deliveries, {**values, **rest})
    return ids[::-1]


def add_rows(owner: OwnerFixture, table: sa.Table, prefix: str, count: int, **values: Any) -> list[str]:
    """Store rows of any table with these columns, and give their ids, newest first."""
    ids = [new_id(prefix) for _ in range(count)]
    for value in ids:
        owner.running.write(_insert, table, {"owner_id": owner.id, "id": value, **values})
    return ids[::-1]


async def _insert(tx: Tx, table: sa.Table, values: dict[str, Any]) -> None:
    stamps = {name: tx.now for name in ("created_at", "updated_at") if name in table.c}
    await tx.execute(sa.insert(table).values({**stamps, **values}))


def pages(client: httpx.Client, path: str, **params: Any) -> list[dict[str, Any]]:
    """Follow the cursors of a list to its end. No page is larger than pages may be, and none is empty but the last."""
    result: list[dict[str, Any]] = []
    cursor: str | None = None
    while cursor is not None or not result:
        answer = client.get(path, params=params | ({} if cursor is None else {"cursor": cursor}))
        assert answer.status_code == httpx.codes.OK, answer.text[:500]
        assert len(answer.content) < MAX_RESPONSE_PAGE_BYTES
        shown = answer.json()
        # A conversation has its page of messages inside.
        result.append(shown.get("messages", shown))
        cursor = result[-1]["nextCursor"]
        assert result[-1]["data"] or cursor is None
    return result


def ids_of(result: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for page in result for row in page["data"]]
