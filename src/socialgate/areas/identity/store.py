from datetime import datetime, timedelta

import msgspec
import sqlalchemy as sa

from socialgate.core.caller import Permission
from socialgate.core.db import Id, Tx, UtcDateTime, metadata
from socialgate.core.rows import build_row_reader, get_non_key_values
from socialgate.web.pagination import ListQuery, add_cursor

REVOCATION_RETENTION = timedelta(days=90)

owners = sa.Table(
    "owners",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("name", sa.String(254), nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
)

users = sa.Table(
    "users",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("email", sa.String(254), nullable=False, unique=True),
    sa.Column("name", sa.String(100)),
    sa.Column("password_hash", sa.String(255), nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("owner_id", Id, primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("user_id", Id, nullable=False),
    sa.Column("token_hash", sa.LargeBinary(32), nullable=False, unique=True),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("last_seen_at", UtcDateTime, nullable=False),
    sa.Column("expires_at", UtcDateTime, nullable=False, index=True),
    sa.ForeignKeyConstraint(["owner_id", "user_id"], ["users.owner_id", "users.id"]),
)

api_keys = sa.Table(
    "api_keys",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("key_hash", sa.LargeBinary(32), nullable=False, unique=True),
    sa.Column("preview", sa.String(32), nullable=False),
    # Null covers every profile of the owner, including those created later.
    sa.Column("profile_ids", sa.JSON(none_as_null=True)),
    sa.Column("permission", sa.String(10), nullable=False),
    sa.Column("expires_at", UtcDateTime),
    sa.Column("last_used_at", UtcDateTime),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("updated_at", UtcDateTime, nullable=False),
)


# Keys that were revoked, so that programs that still use them learn why they are rejected.
revoked_keys = sa.Table(
    "revoked_keys",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("key_hash", sa.LargeBinary(32), primary_key=True),
    sa.Column("revoked_at", UtcDateTime, nullable=False, index=True),
    sa.Index("ix_revoked_keys_key_hash", "key_hash"),
)


class OwnerRow(msgspec.Struct, frozen=True):
    id: str
    name: str
    created_at: datetime


class UserRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    email: str
    name: str | None
    password_hash: str
    created_at: datetime


class SessionRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    user_id: str
    token_hash: bytes
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime


class ApiKeyRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    name: str
    key_hash: bytes
    preview: str
    profile_ids: list[str] | None
    permission: Permission
    expires_at: datetime | None
    last_used_at: datetime | None
    created_at: datetime
    updated_at: datetime


read_owner = build_row_reader(OwnerRow, owners)
read_user = build_row_reader(UserRow, users)
read_session = build_row_reader(SessionRow, sessions)
read_api_key = build_row_reader(ApiKeyRow, api_keys)


async def has_owner(tx: Tx) -> bool:
    return await tx.first(sa.select(owners.c.id).limit(1)) is not None


async def insert_owner(tx: Tx, owner: OwnerRow) -> None:
    await tx.execute(sa.insert(owners), msgspec.structs.asdict(owner))


async def get_owner(tx: Tx, owner_id: str) -> OwnerRow:
    return read_owner(await tx.one(sa.select(owners).where(owners.c.id == owner_id)))


async def find_owner(tx: Tx, owner_id: str) -> OwnerRow | None:
    return await tx.first_as(sa.select(owners).where(owners.c.id == owner_id), read_owner)


async def insert_user(tx: Tx, user: UserRow) -> bool:
    """Add a user. Returns False if the email is taken, also by a concurrent registration."""
    statement = tx.build_upsert(users).on_conflict_do_nothing(index_elements=["email"])
    return bool(await tx.execute_and_count(statement, msgspec.structs.asdict(user)))


async def find_user(tx: Tx, owner_id: str, user_id: str) -> UserRow | None:
    return await tx.first_as(sa.select(users).where(users.c.owner_id == owner_id, users.c.id == user_id), read_user)


async def find_user_by_email(tx: Tx, email: str) -> UserRow | None:
    """Signing in is the only lookup that does not know its owner yet."""
    return await tx.first_as(sa.select(users).where(users.c.email == email), read_user)


async def set_password(tx: Tx, owner_id: str, user_id: str, password_hash: str) -> None:
    await tx.execute(
        sa.update(users).where(users.c.owner_id == owner_id, users.c.id == user_id).values(password_hash=password_hash)
    )


async def insert_session(tx: Tx, session: SessionRow) -> None:
    await tx.execute(sa.insert(sessions), msgspec.structs.asdict(session))


async def find_session_by_hash(tx: Tx, token_hash: bytes) -> SessionRow | None:
    return await tx.first_as(sa.select(sessions).where(sessions.c.token_hash == token_hash), read_session)


async def list_sessions(tx: Tx, owner_id: str, user_id: str) -> list[SessionRow]:
    """List the sessions of a user that have not expired, the one used last first."""
    statement = sa.select(sessions).where(
        sessions.c.owner_id == owner_id, sessions.c.user_id == user_id, sessions.c.expires_at > tx.now
    )
    return await tx.all_as(statement.order_by(sessions.c.last_seen_at.desc(), sessions.c.id.desc()), read_session)


async def touch_session(tx: Tx, owner_id: str, session_id: str) -> None:
    await tx.execute(
        sa.update(sessions)
        .where(sessions.c.owner_id == owner_id, sessions.c.id == session_id)
        .values(last_seen_at=tx.now)
    )


async def delete_session(tx: Tx, owner_id: str, session_id: str) -> None:
    await tx.execute(sa.delete(sessions).where(sessions.c.owner_id == owner_id, sessions.c.id == session_id))


async def delete_other_sessions(tx: Tx, owner_id: str, user_id: str, kept_id: str) -> None:
    await tx.execute(
        sa.delete(sessions).where(
            sessions.c.owner_id == owner_id, sessions.c.user_id == user_id, sessions.c.id != kept_id
        )
    )


async def purge_sessions(tx: Tx, before: datetime) -> int:
    return await tx.execute_and_count(sa.delete(sessions).where(sessions.c.expires_at < before))


async def insert_api_key(tx: Tx, key: ApiKeyRow) -> ApiKeyRow:
    """Add a key, and return it as it is stored: with its times in UTC."""
    return read_api_key(await tx.one(sa.insert(api_keys).returning(api_keys), msgspec.structs.asdict(key)))


async def find_api_key(tx: Tx, owner_id: str, key_id: str) -> ApiKeyRow | None:
    statement = sa.select(api_keys).where(api_keys.c.owner_id == owner_id, api_keys.c.id == key_id)
    return await tx.first_as(statement.with_for_update(), read_api_key)


async def find_api_key_by_hash(tx: Tx, key_hash: bytes) -> ApiKeyRow | None:
    return await tx.first_as(sa.select(api_keys).where(api_keys.c.key_hash == key_hash), read_api_key)


async def list_api_keys_page(tx: Tx, owner_id: str, query: ListQuery) -> list[ApiKeyRow]:
    statement = sa.select(api_keys).where(api_keys.c.owner_id == owner_id)
    return await tx.all_as(add_cursor(statement, api_keys.c.id, query, "key"), read_api_key)


async def save_api_key(tx: Tx, key: ApiKeyRow) -> ApiKeyRow:
    """Write a key that was found, and return it as it is stored."""
    statement = sa.update(api_keys).where(api_keys.c.owner_id == key.owner_id, api_keys.c.id == key.id)
    return read_api_key(await tx.one(statement.values(**get_non_key_values(key, api_keys)).returning(api_keys)))


async def touch_api_key(tx: Tx, owner_id: str, key_id: str) -> None:
    await tx.execute(
        sa.update(api_keys).where(api_keys.c.owner_id == owner_id, api_keys.c.id == key_id).values(last_used_at=tx.now)
    )


async def revoke_api_key(tx: Tx, key: ApiKeyRow) -> None:
    """Delete a key that was found, and remember that it was revoked."""
    await tx.execute(sa.delete(api_keys).where(api_keys.c.owner_id == key.owner_id, api_keys.c.id == key.id))
    values = {"owner_id": key.owner_id, "key_hash": key.key_hash, "revoked_at": tx.now}
    await tx.execute(tx.build_insert_if_absent(revoked_keys), values)


async def find_revocation(tx: Tx, key_hash: bytes) -> datetime | None:
    """Return when a key was revoked. Like the lookup of a key, it does not know the owner yet."""
    result = await tx.first(sa.select(revoked_keys.c.revoked_at).where(revoked_keys.c.key_hash == key_hash).limit(1))
    return None if result is None else result.revoked_at


async def purge_revocations(tx: Tx, before: datetime) -> int:
    return await tx.execute_and_count(
        sa.delete(revoked_keys).where(revoked_keys.c.revoked_at < before - REVOCATION_RETENTION)
    )
