"""What ads keep. Every finder takes the owner first."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from socialgate.areas.ads.tables import (
    CreativeRow,
    PeopleChunkRow,
    ad_assets,
    ad_creatives,
    ad_people,
    ad_report_rows,
    read_creative,
    read_people_chunk,
)
from socialgate.core.db import Tx

# A day longer than the task that they belong to.
_REPORT_RETENTION = timedelta(days=8)
# An upload that has not ended by then was given up long ago.
_PEOPLE_RETENTION = timedelta(days=8)
# Platforms keep unused files for longer.
_ASSET_RETENTION = timedelta(days=90)


async def insert_creative(
    tx: Tx, owner_id: str, creative_id: str, account_id: str, creative: Mapping[str, Any]
) -> None:
    values = {"id": creative_id, "account_id": account_id, "creative": dict(creative)}
    await tx.execute(sa.insert(ad_creatives).values(owner_id=owner_id, created_at=tx.now, updated_at=tx.now, **values))


async def find_creative(tx: Tx, owner_id: str, account_id: str, creative_id: str) -> CreativeRow | None:
    return await tx.first_as(
        sa.select(ad_creatives).where(_matches_creative(owner_id, account_id, creative_id)), read_creative
    )


async def update_creative(
    tx: Tx, owner_id: str, account_id: str, creative_id: str, creative: Mapping[str, Any]
) -> None:
    statement = sa.update(ad_creatives).where(_matches_creative(owner_id, account_id, creative_id))
    await tx.execute(statement.values(creative=dict(creative), updated_at=tx.now))


async def delete_creative(tx: Tx, owner_id: str, account_id: str, creative_id: str) -> bool:
    return (
        await tx.execute_and_count(sa.delete(ad_creatives).where(_matches_creative(owner_id, account_id, creative_id)))
        > 0
    )


def _matches_creative(owner_id: str, account_id: str, creative_id: str) -> sa.ColumnElement[bool]:
    mine = ad_creatives.c
    return sa.and_(mine.owner_id == owner_id, mine.account_id == account_id, mine.id == creative_id)


async def find_asset(tx: Tx, owner_id: str, account_id: str, sha256: str) -> Mapping[str, Any] | None:
    statement = sa.select(ad_assets.c.asset).where(_matches_asset(owner_id, account_id, sha256))
    row = await tx.first(statement)
    return None if row is None else row.asset


async def save_asset(tx: Tx, owner_id: str, account_id: str, sha256: str, asset: Mapping[str, Any]) -> None:
    """Remember an upload. Two at the same time are harmless: the later one is used from then on."""
    await tx.execute(sa.delete(ad_assets).where(_matches_asset(owner_id, account_id, sha256)))
    values = {"owner_id": owner_id, "account_id": account_id, "sha256": sha256, "asset": dict(asset)}
    await tx.execute(sa.insert(ad_assets).values(created_at=tx.now, **values))


async def delete_asset(tx: Tx, owner_id: str, account_id: str, sha256: str) -> None:
    await tx.execute(sa.delete(ad_assets).where(_matches_asset(owner_id, account_id, sha256)))


def _matches_asset(owner_id: str, account_id: str, sha256: str) -> sa.ColumnElement[bool]:
    mine = ad_assets.c
    return sa.and_(mine.owner_id == owner_id, mine.account_id == account_id, mine.sha256 == sha256)


async def insert_report_rows(
    tx: Tx, owner_id: str, task_id: str, first: int, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Store a page of a report. After a crash it is read again, and replaces what was stored of it."""
    mine = ad_report_rows.c
    old = sa.delete(ad_report_rows).where(mine.owner_id == owner_id, mine.task_id == task_id, mine.number >= first)
    await tx.execute(old)
    if rows:
        common = {"owner_id": owner_id, "task_id": task_id, "created_at": tx.now}
        values = [{**common, "number": first + place, "row": dict(row)} for place, row in enumerate(rows)]
        await tx.execute(sa.insert(ad_report_rows), values)


async def list_report_rows(tx: Tx, owner_id: str, task_id: str, after: int, limit: int) -> list[tuple[int, Any]]:
    """List the rows of a report, and one more to see whether another page follows."""
    mine = ad_report_rows.c
    statement = (
        sa.select(mine.number, mine.row)
        .where(mine.owner_id == owner_id, mine.task_id == task_id, mine.number > after)
        .order_by(mine.number)
        .limit(limit + 1)
    )
    return [(row.number, row.row) for row in await tx.all(statement)]


async def insert_people_chunks(tx: Tx, owner_id: str, upload_id: str, chunks: Sequence[bytes]) -> None:
    common = {"owner_id": owner_id, "upload_id": upload_id, "created_at": tx.now}
    await tx.execute(
        sa.insert(ad_people), [{**common, "number": place, "sealed": sealed} for place, sealed in enumerate(chunks)]
    )


async def find_next_people_chunk(tx: Tx, owner_id: str, upload_id: str) -> PeopleChunkRow | None:
    mine = ad_people.c
    statement = sa.select(ad_people).where(mine.owner_id == owner_id, mine.upload_id == upload_id)
    return await tx.first_as(statement.order_by(mine.number).limit(1), read_people_chunk)


async def delete_people_chunks(tx: Tx, owner_id: str, upload_id: str, number: int | None = None) -> None:
    """Delete a chunk that was uploaded, or everything that is left of an upload."""
    mine = ad_people.c
    statement = sa.delete(ad_people).where(mine.owner_id == owner_id, mine.upload_id == upload_id)
    await tx.execute(statement if number is None else statement.where(mine.number == number))


async def purge_reports(tx: Tx, now: datetime) -> int:
    return await tx.execute_and_count(
        sa.delete(ad_report_rows).where(ad_report_rows.c.created_at < now - _REPORT_RETENTION)
    )


async def purge_people_chunks(tx: Tx, now: datetime) -> int:
    return await tx.execute_and_count(sa.delete(ad_people).where(ad_people.c.created_at < now - _PEOPLE_RETENTION))


async def purge_assets(tx: Tx, now: datetime) -> int:
    return await tx.execute_and_count(sa.delete(ad_assets).where(ad_assets.c.created_at < now - _ASSET_RETENTION))
