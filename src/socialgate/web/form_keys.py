"""Keys of forms: a form that is sent twice, even twice at once, creates one object.

A page that creates something writes a new key into its form. With what it created, the key is stored like an
`Idempotency-Key`, in the same transaction and for as long. The content of the form may differ when it is sent again:
then it is about the object that the key stands for.
"""

import re
import secrets

import msgspec
import sqlalchemy as sa

from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.ids import new_id
from socialgate.web.idempotency import IDEMPOTENCY_KEY_RETENTION, idempotency_keys

_KEY_PATTERN = re.compile(r"[\w-]{16,64}", re.ASCII)
_METHOD = "POST"
_CREATED_STATUS = 303
_NO_HASH = b""


class CreatedObject(msgspec.Struct, frozen=True):
    """What a form created."""

    id: str


def new_form_key() -> str:
    return secrets.token_urlsafe(18)


def is_form_key(text: str) -> bool:
    return _KEY_PATTERN.fullmatch(text) is not None


async def find_created_id(tx: Tx, caller: Caller, path: str, key: str) -> str | None:
    """Find what the form with this key has created. Another one that is sent at the same time waits here."""
    await tx.lock(f"form {caller.owner_id} {key}")
    stored = await find_form_response(tx, caller, path, key)
    return None if stored is None else msgspec.json.decode(stored, type=CreatedObject).id


async def record_created_id(tx: Tx, caller: Caller, path: str, key: str, object_id: str) -> None:
    """Remember what the form with this key has created."""
    await record_form_response(tx, caller, path, key, msgspec.json.encode(CreatedObject(object_id)))


async def find_form_response(tx: Tx, caller: Caller, path: str, key: str) -> bytes | None:
    """Find what was stored for the form with this key, as JSON."""
    columns = idempotency_keys.c
    statement = sa.select(columns.answer).where(_matches_key(caller, path, key), columns.expires_at > tx.now)
    row = await tx.first(statement)
    return None if row is None else bytes(row.answer)


async def record_form_response(tx: Tx, caller: Caller, path: str, key: str, response: bytes) -> None:
    await tx.execute(sa.delete(idempotency_keys).where(_matches_key(caller, path, key)))
    row = {
        "owner_id": caller.owner_id,
        "credential_id": caller.credential_id,
        "method": _METHOD,
        "path": path,
        "key": key,
        "body_hash": _NO_HASH,
        "fence": new_id("fnc"),
        "lease_until": tx.now,
        "status": _CREATED_STATUS,
        "answer": response,
        "profile_ids": None if caller.allowed_profile_ids is None else sorted(caller.allowed_profile_ids),
        "expires_at": tx.now + IDEMPOTENCY_KEY_RETENTION,
    }
    await tx.execute(sa.insert(idempotency_keys).values(row))


def _matches_key(caller: Caller, path: str, key: str) -> sa.ColumnElement[bool]:
    columns = idempotency_keys.c
    return sa.and_(
        columns.owner_id == caller.owner_id,
        columns.credential_id == caller.credential_id,
        columns.method == _METHOD,
        columns.path == path,
        columns.key == key,
    )
