"""`Idempotency-Key`: the same request sent twice has one effect and gets one answer.

A request first claims its key (a row with a lease and a fence), then runs. The answer is written into the
claimed row in the transaction of the effect itself, and only while the fence still holds: a process that dies
leaves a lease that runs out, a process that was merely slow loses its whole transaction, and in no order of
events can the effect happen twice.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import msgspec
import sqlalchemy as sa
import structlog
from litestar import Request
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from socialgate.core.caller import Caller
from socialgate.core.db import Database, Id, Tx, Utc, metadata
from socialgate.core.errors import (
    IdempotencyKeyInUse,
    IdempotencyKeyReused,
    MalformedRequest,
    ServiceError,
)
from socialgate.core.ids import new_id
from socialgate.core.metrics import Metrics
from socialgate.web.edits import etag_of
from socialgate.web.problems import PROBLEM_JSON
from socialgate.web.route import RouteSpec, spec_of
from socialgate.web.schema import View

KEPT_FOR = timedelta(hours=24)
LEASE = timedelta(seconds=60)
_SANE_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_FIRST_ERROR, _FIRST_SERVER_ERROR, _TOO_MANY = 400, 500, 429

_OF_BODY = {b"content-length", b"content-digest", b"content-md5"}

log = structlog.get_logger(__name__)

idempotency_keys = sa.Table(
    "idempotency_keys",
    metadata,
    sa.Column("owner_id", Id, primary_key=True),
    sa.Column("credential_id", Id, primary_key=True),
    sa.Column("method", sa.String(8), primary_key=True),
    sa.Column("path", sa.String(500), primary_key=True),
    sa.Column("key", sa.String(255), primary_key=True),
    sa.Column("body_hash", sa.LargeBinary, nullable=False),
    sa.Column("fence", Id, nullable=False),
    sa.Column("lease_until", Utc, nullable=False),
    sa.Column("status", sa.Integer),
    sa.Column("answer", sa.LargeBinary),
    sa.Column("expires_at", Utc, nullable=False, index=True),
)


class _Place(msgspec.Struct, frozen=True):
    """What a key is looked up by: the same key of another credential or route is another key."""

    owner_id: str
    credential_id: str
    method: str
    path: str
    key: str

    def is_here(self) -> sa.ColumnElement[bool]:
        columns = idempotency_keys.c
        return sa.and_(*(columns[name] == value for name, value in msgspec.structs.asdict(self).items()))


class _Stored(msgspec.Struct, frozen=True):
    status: int
    body: bytes


class _Versioned(msgspec.Struct, frozen=True, rename="camel"):
    updated_at: datetime | None = None


class Claim:
    """The right to answer one key. It is the recorder of the request's work."""

    def __init__(self, place: _Place, fence: str, status: int) -> None:
        self.place = place
        self.fence = fence
        self.status = status
        self.recorded = False

    async def record(self, tx: Tx, answer: Any, status: int | None) -> None:
        await self.store(tx, status or self.status, _storable(answer))

    async def store(self, tx: Tx, status: int, body: bytes) -> None:
        stored = await tx.changed(
            sa.update(idempotency_keys)
            .where(
                self.place.is_here(),
                idempotency_keys.c.fence == self.fence,
                idempotency_keys.c.status.is_(None),
            )
            .values(status=status, answer=body)
        )
        if stored != 1:
            raise _in_use()

    async def release(self, tx: Tx) -> None:
        await tx.execute(
            sa.delete(idempotency_keys).where(
                self.place.is_here(),
                idempotency_keys.c.fence == self.fence,
                idempotency_keys.c.status.is_(None),
            )
        )


class Idempotency:
    def __init__(self, app: ASGIApp, db: Database, metrics: Metrics) -> None:
        self._app = app
        self._db = db
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        spec = spec_of(scope["route_handler"])
        key = _key_of(scope["headers"]) if spec is not None and spec.idempotent else None
        if key is None:
            await self._app(scope, receive, send)
            return
        place = _place_of(scope, key)
        fingerprint = await _fingerprint(scope, receive, spec)
        claimed = await self._db.write(_claim, place, fingerprint, _status_of(scope["route_handler"]))
        if isinstance(claimed, _Stored):
            self._metrics.replays.inc()
            await _replay(claimed, send)
            return
        await self._run(claimed, scope, receive, send)

    async def _run(self, claim: Claim, scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"]["recorder"] = claim
        held: list[Message] = []

        async def hold(message: Message) -> None:
            if claim.recorded:
                await send(message)
            else:
                held.append(message)

        try:
            await self._app(scope, receive, hold)
        finally:
            if not claim.recorded:
                await self._settle(claim, held)
        # Only now: whoever repeats the request on seeing its answer must find the key settled.
        for message in held:
            await send(message)

    async def _settle(self, claim: Claim, held: Sequence[Message]) -> None:
        """Keep an answer that had no effect of its own. What may pass (429, 5xx) is forgotten instead."""
        status = next((int(m["status"]) for m in held if m["type"] == "http.response.start"), 0)
        body = b"".join(m["body"] for m in held if m["type"] == "http.response.body")
        try:
            if _FIRST_SERVER_ERROR > status >= _FIRST_ERROR and status != _TOO_MANY:
                await self._db.write(claim.store, status, body)
            else:
                await self._db.write(claim.release)
        except ServiceError as error:
            # The claim was lost to another request, or its lease runs out by itself. The answer stands.
            log.info("claim_not_settled", code=error.code)


async def _claim(tx: Tx, place: _Place, body_hash: bytes, status: int) -> Claim | _Stored:
    claim = Claim(place, new_id("fnc"), status)
    row = {
        **msgspec.structs.asdict(place),
        "body_hash": body_hash,
        "fence": claim.fence,
        "lease_until": tx.now + LEASE,
        "expires_at": tx.now + KEPT_FOR,
    }
    inserted = await tx.changed(tx.upsert(idempotency_keys).values(row).on_conflict_do_nothing())
    if inserted == 1:
        return claim
    found = await tx.first(sa.select(idempotency_keys).where(place.is_here()).with_for_update())
    if found is None:
        raise _in_use()
    if found.expires_at <= tx.now or (found.status is None and found.lease_until <= tx.now):
        values = {**row, "status": None, "answer": None}
        await tx.execute(sa.update(idempotency_keys).where(place.is_here()).values(values))
        return claim
    if found.body_hash != body_hash:
        raise IdempotencyKeyReused("This Idempotency-Key came before with another body. Use a new key.")
    if found.status is None:
        raise _in_use()
    return _Stored(found.status, found.answer)


async def purge_idempotency_keys(tx: Tx, before: datetime) -> int:
    return await tx.changed(sa.delete(idempotency_keys).where(idempotency_keys.c.expires_at < before))


def _in_use() -> IdempotencyKeyInUse:
    return IdempotencyKeyInUse("The first request with this Idempotency-Key still runs. Ask again.", retry_after=1)


def _key_of(headers: Any) -> str | None:
    values = [value.decode("latin-1") for name, value in headers if name == b"idempotency-key"]
    if not values:
        return None
    if len(values) > 1 or not _SANE_KEY.fullmatch(values[0]):
        raise MalformedRequest("Idempotency-Key must be one value of 1 to 255 visible ASCII characters.")
    return str(values[0])


async def _fingerprint(scope: Scope, receive: Receive, spec: RouteSpec | None) -> bytes:
    """Tell one request from another by its body; a file that is streamed, by what its headers say of it."""
    if spec is not None and spec.takes_json:
        return sha256(await Request[Any, Any, Any](scope, receive=receive).body()).digest()
    told = [(name, value) for name, value in scope["headers"] if name in _OF_BODY]
    return sha256(repr((scope["query_string"], sorted(told))).encode()).digest()


def _status_of(handler: Any) -> int:
    return int(handler.status_code)


def _place_of(scope: Any, key: str) -> _Place:
    caller: Caller = scope["auth"]
    return _Place(caller.owner_id, caller.credential_id, scope["method"], scope["path"][:500], key)


def _storable(answer: Any) -> bytes:
    """Encode an answer for keeping. A value that is shown only once is stored nowhere, not even here."""
    if answer is None:
        return b""
    if not isinstance(answer, View) or not answer.once_only:
        return msgspec.json.encode(answer)
    shown = msgspec.to_builtins(answer)
    for name in answer.once_only:
        shown.pop(name, None)
    return msgspec.json.encode({**shown, "secretWithheld": True})


async def _replay(stored: _Stored, send: Send) -> None:
    kind = b"application/json" if stored.status < _FIRST_ERROR else PROBLEM_JSON.encode()
    headers = [
        (b"content-type", kind),
        (b"content-length", str(len(stored.body)).encode()),
        (b"idempotent-replayed", b"true"),
        *_version_headers(stored),
    ]
    await send({"type": "http.response.start", "status": stored.status, "headers": headers})
    await send({"type": "http.response.body", "body": stored.body, "more_body": False})


def _version_headers(stored: _Stored) -> list[tuple[bytes, bytes]]:
    """Give the ETag that the first answer had."""
    if stored.status >= _FIRST_ERROR or not stored.body:
        return []
    updated_at = msgspec.json.decode(stored.body, type=_Versioned).updated_at
    return [] if updated_at is None else [(b"etag", etag_of(updated_at).encode())]
