"""Connect links and their uses. Every finder takes the owner first, except that of a token, which names no owner."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.areas.connect_links.schemas import ConnectLinksQuery
from socialgate.core.caller import Caller
from socialgate.core.db import Id, Tx, UtcDateTime, metadata
from socialgate.core.rows import build_row_reader
from socialgate.web.pagination import add_cursor

Json = sa.JSON(none_as_null=True)
# Expired links are still listed for a while, and their page says that they have expired.
_EXPIRED_RETENTION = timedelta(days=30)

connect_links = sa.Table(
    "connect_links",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("profile_id", Id, nullable=False),
    # Only the hash: reading the table does not open any page.
    sa.Column("token_hash", sa.LargeBinary(32), nullable=False),
    # Null offers everything that the deployment has set up.
    sa.Column("platforms", Json),
    sa.Column("redirect_url", sa.String(2048)),
    sa.Column("uses", sa.Integer, nullable=False),
    sa.Column("brand", Json),
    sa.Column("embed_origins", Json, nullable=False),
    sa.Column("expires_at", UtcDateTime, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Index("ix_connect_links_token_hash", "token_hash"),
    sa.Index("ix_connect_links_expires_at", "expires_at"),
)

connect_link_uses = sa.Table(
    "connect_link_uses",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("link_id", Id, primary_key=True),
    sa.Column("id", Id, primary_key=True),
    # The kind of account, or the platform where one sign-in covers all its kinds.
    sa.Column("scope", sa.String(20), nullable=False),
    sa.Column("visit_hash", sa.String(64), nullable=False),
    sa.Column("account_ids", Json, nullable=False),
    # Until when it counts although nothing is connected yet; null once something is.
    sa.Column("reserved_until", UtcDateTime),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Index("ix_connect_link_uses_created_at", "created_at"),
)


class LinkRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    profile_id: str
    token_hash: bytes
    platforms: Sequence[str] | None
    redirect_url: str | None
    uses: int
    brand: Mapping[str, str | None] | None
    embed_origins: Sequence[str]
    expires_at: datetime
    created_at: datetime


class LinkUseRow(msgspec.Struct, frozen=True):
    owner_id: str
    link_id: str
    id: str
    scope: str
    visit_hash: str
    account_ids: Sequence[str]
    reserved_until: datetime | None
    created_at: datetime


read_link = build_row_reader(LinkRow, connect_links)
read_use = build_row_reader(LinkUseRow, connect_link_uses)


async def insert_link(tx: Tx, row: LinkRow) -> None:
    await tx.execute(sa.insert(connect_links).values(**msgspec.structs.asdict(row)))


async def find_link(tx: Tx, owner_id: str, link_id: str) -> LinkRow | None:
    return await tx.first_as(_select_link(owner_id, link_id), read_link)


async def find_link_for_change(tx: Tx, owner_id: str, link_id: str) -> LinkRow | None:
    return await tx.first_as(_select_link(owner_id, link_id).with_for_update(), read_link)


def _select_link(owner_id: str, link_id: str) -> sa.Select[Any]:
    return sa.select(connect_links).where(connect_links.c.owner_id == owner_id, connect_links.c.id == link_id)


async def find_link_by_token_hash(tx: Tx, token_hash: bytes) -> LinkRow | None:
    """Find the link of a token, also if it has expired."""
    return await tx.first_as(sa.select(connect_links).where(connect_links.c.token_hash == token_hash), read_link)


async def list_links_page(tx: Tx, owner_id: str, caller: Caller, query: ConnectLinksQuery) -> list[LinkRow]:
    statement = sa.select(connect_links).where(connect_links.c.owner_id == owner_id)
    if caller.allowed_profile_ids is not None:
        statement = statement.where(connect_links.c.profile_id.in_(sorted(caller.allowed_profile_ids)))
    if query.profile_id is not None:
        statement = statement.where(connect_links.c.profile_id == query.profile_id)
    return [read_link(row) for row in await tx.all(add_cursor(statement, connect_links.c.id, query, "lnk"))]


async def count_live_links(tx: Tx, owner_id: str) -> int:
    is_live = connect_links.c.owner_id == owner_id, connect_links.c.expires_at > tx.now
    return int(await tx.scalar(sa.select(sa.func.count()).where(*is_live)))


async def delete_link(tx: Tx, owner_id: str, link_id: str) -> None:
    await tx.execute(
        sa.delete(connect_link_uses).where(
            connect_link_uses.c.owner_id == owner_id, connect_link_uses.c.link_id == link_id
        )
    )
    await tx.execute(
        sa.delete(connect_links).where(connect_links.c.owner_id == owner_id, connect_links.c.id == link_id)
    )


async def list_ids_by_profile(tx: Tx, owner_id: str, profile_id: str) -> list[str]:
    statement = sa.select(connect_links.c.id).where(
        connect_links.c.owner_id == owner_id, connect_links.c.profile_id == profile_id
    )
    return [row.id for row in await tx.all(statement)]


async def list_uses(tx: Tx, owner_id: str, link_ids: Sequence[str]) -> list[LinkUseRow]:
    """List the uses of links, oldest first."""
    statement = sa.select(connect_link_uses).where(
        connect_link_uses.c.owner_id == owner_id, connect_link_uses.c.link_id.in_(list(link_ids))
    )
    return await tx.all_as(statement.order_by(connect_link_uses.c.id), read_use)


async def insert_use(tx: Tx, row: LinkUseRow) -> None:
    await tx.execute(sa.insert(connect_link_uses).values(**msgspec.structs.asdict(row)))


async def update_use(
    tx: Tx, owner_id: str, link_id: str, use_id: str, account_ids: Sequence[str], reserved_until: datetime | None
) -> None:
    await tx.execute(
        sa.update(connect_link_uses)
        .where(_is_use(owner_id, link_id, use_id))
        .values(account_ids=list(account_ids), reserved_until=reserved_until)
    )


async def delete_use(tx: Tx, owner_id: str, link_id: str, use_id: str) -> None:
    await tx.execute(sa.delete(connect_link_uses).where(_is_use(owner_id, link_id, use_id)))


def _is_use(owner_id: str, link_id: str, use_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(
        connect_link_uses.c.owner_id == owner_id,
        connect_link_uses.c.link_id == link_id,
        connect_link_uses.c.id == use_id,
    )


async def purge_links(tx: Tx, now: datetime) -> int:
    return await tx.execute_and_count(
        sa.delete(connect_links).where(connect_links.c.expires_at < now - _EXPIRED_RETENTION)
    )


async def purge_uses(tx: Tx, now: datetime) -> int:
    """Delete uses that are older than any link: a link lives for at most a week."""
    return await tx.execute_and_count(
        sa.delete(connect_link_uses).where(connect_link_uses.c.created_at < now - 2 * _EXPIRED_RETENTION)
    )
