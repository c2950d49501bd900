"""Erasing people from the requests of platforms that are kept for a replay.

The body of a request is stored in base64. A word in it is found by what is left of it in each of the three positions
that it can have there, so the database finds it without decoding anything. Only what it finds is decoded, because the
ends of a word are left out.
"""

import asyncio
from base64 import b64encode
from collections.abc import Iterable, Sequence

import sqlalchemy as sa

from socialgate.areas.accounts.tables import accounts, registrations
from socialgate.areas.inbound.store import InboundRow, inbound, read_inbound
from socialgate.core.db import Database, Tx

# How many requests are searched with one statement.
_ROWS_PER_STATEMENT = 1_000
# A shorter name of a person is part of too many other numbers. No platform has any.
_MIN_NAME_LENGTH = 5


class StoredRequestEraser:
    async def erase_stored_webhooks(self, db: Database, owner_id: str, account_id: str, names: Iterable[str]) -> None:
        """Delete what was received for an account and processed, and contains one of these names."""
        chosen = {name.removeprefix("+") for name in names if len(name) >= _MIN_NAME_LENGTH}
        words = [name.encode() for name in sorted(chosen)]
        fragments = [fragment for word in words for fragment in _encode_in_each_position(word)]
        after: str | None = ""
        while fragments and after is not None:
            ids, after = await db.read(_find_requests_with, owner_id, account_id, fragments, after)
            mentioning = [request_id for request_id in ids if await _mentions(db, request_id, words)]
            if mentioning:
                await db.write(_delete_requests, mentioning)


def _encode_in_each_position(word: bytes) -> list[bytes]:
    """Return what base64 contains of a word, depending on how many bytes are before it. Characters that also depend on
    its neighbors are left out.
    """
    result = []
    for before in range(3):
        encoded = b64encode(bytes(before) + word)
        result.append(encoded[-(-before * 8 // 6) : (before + len(word)) * 8 // 6])
    return result


async def _mentions(db: Database, request_id: str, words: Sequence[bytes]) -> bool:
    """Read one request at a time: each may have megabytes."""
    row = await db.read(_find_request, request_id)
    return row is not None and await asyncio.to_thread(_contains, row, words)


def _contains(row: InboundRow, words: Sequence[bytes]) -> bool:
    body = row.decoded_request.body
    return any(word in body for word in words)


async def _find_request(tx: Tx, request_id: str) -> InboundRow | None:
    return await tx.first_as(sa.select(inbound).where(inbound.c.id == request_id), read_inbound)


async def _find_requests_with(
    tx: Tx, owner_id: str, account_id: str, fragments: Sequence[bytes], after: str
) -> tuple[list[str], str | None]:
    """Search the next requests. Returns the ids of those that contain a fragment, and where to go on."""
    next_ids = sa.select(inbound.c.id).where(inbound.c.id > after).order_by(inbound.c.id).limit(_ROWS_PER_STATEMENT)
    last: str | None = await tx.scalar(sa.select(sa.func.max(next_ids.subquery().c.id)))
    if last is None:
        return [], None
    position = sa.func.instr if tx.dialect_name == "sqlite" else sa.func.pg_catalog.position
    parts = [sa.bindparam(f"part_{number}", part, sa.LargeBinary) for number, part in enumerate(fragments)]
    # Requests that were sent to the URLs of other accounts are not those of this one.
    of_others = sa.exists().where(
        registrations.c.platform == inbound.c.platform,
        registrations.c.routing_id == inbound.c.routing_id,
        registrations.c.inbound_key != accounts.c.inbound_key,
    )
    statement = (
        sa.select(inbound.c.id)
        .join(accounts, accounts.c.platform == inbound.c.platform)
        .where(
            accounts.c.owner_id == owner_id,
            accounts.c.id == account_id,
            inbound.c.id > after,
            inbound.c.id <= last,
            inbound.c.due_at.is_(None),
            sa.or_(*(position(inbound.c.request, part) > 0 for part in parts)),
            ~of_others,
        )
    )
    return [row.id for row in await tx.all(statement)], last


async def _delete_requests(tx: Tx, ids: Sequence[str]) -> None:
    tx.erases = True
    await tx.execute(sa.delete(inbound).where(inbound.c.id.in_(ids)))
