"""`Idempotency-Key`: the same request sent twice has one effect and gets one response.

A request first claims its key (a row with a lease and a fencing token), then runs. The response is written to the
claimed row in the transaction of the effect, and only while the fencing token is valid. If a process dies, its lease
expires; if a process was just slow, its whole transaction is rolled back. In no order of events can the effect happen
twice. A process that keeps running releases claims that it could not finish.

The response is stored with the profiles it concerns: it is not replayed to an API key that no longer covers them.
"""

import math
import re
from collections.abc import Callable, Collection, Container, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from http import HTTPStatus
from typing import Any

import msgspec
import sqlalchemy as sa
import structlog
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from socialgate.core.caller import Caller
from socialgate.core.db import Database, Id, Tx, UtcDateTime, metadata
from socialgate.core.errors import (
    IdempotencyKeyInUse,
    IdempotencyKeyReused,
    MalformedRequest,
    OutOfScope,
)
from socialgate.core.ids import new_id
from socialgate.core.metrics import Metrics
from socialgate.web.claim_releaser import ClaimReleaser
from socialgate.web.etags import build_etag
from socialgate.web.fingerprint import RequestFingerprint
from socialgate.web.problems import PROBLEM_JSON
from socialgate.web.route import get_route_spec
from socialgate.web.schemas import ResponseModel

IDEMPOTENCY_KEY_RETENTION = timedelta(hours=24)
IDEMPOTENCY_KEY_LEASE = timedelta(seconds=60)
_IDEMPOTENCY_KEY_PATTERN = re.compile(r"[\x21-\x7e]{1,255}")
_MIN_ERROR_STATUS, _MIN_SERVER_ERROR_STATUS = 400, 500

# Placeholder in a claim for the hash of a file that is still being received.
_UNKNOWN_HASH = b""

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
    # The claim id: the column is older than the word.
    sa.Column("fence", Id, nullable=False),
    sa.Column("lease_until", UtcDateTime, nullable=False),
    sa.Column("status", sa.Integer),
    sa.Column("answer", sa.LargeBinary),
    sa.Column("profile_ids", sa.JSON(none_as_null=True)),
    sa.Column("expires_at", UtcDateTime, nullable=False, index=True),
)

# A claim whose response was stored is no longer open, and stays.
_IS_OPEN_CLAIM = (
    *(
        idempotency_keys.c[name] == sa.bindparam(f"of_{name}")
        for name in ("owner_id", "credential_id", "method", "path", "key", "fence")
    ),
    idempotency_keys.c.status.is_(None),
)
# Run with a list of claims.
_DELETE_CLAIMS = sa.delete(idempotency_keys).where(*_IS_OPEN_CLAIM)
_STORE_RESPONSE = sa.update(idempotency_keys).where(*_IS_OPEN_CLAIM)


async def redact_responses(
    tx: Tx, owner_id: str, paths: Collection[str], object_id: str, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    """Replace stored responses that contain an id of ours, if personal data must be erased. Their keys stay in use."""
    columns, bind_parameter = idempotency_keys.c, sa.literal(object_id.encode(), sa.LargeBinary)
    instr = sa.func.instr if tx.dialect_name == "sqlite" else sa.func.pg_catalog.position
    statement = sa.select(idempotency_keys).where(
        columns.owner_id == owner_id,
        columns.path.in_(sorted(paths)),
        columns.answer.is_not(None),
        instr(columns.answer, bind_parameter) > 0,
    )
    for row in await tx.all(statement):
        place = _KeyScope(row.owner_id, row.credential_id, row.method, row.path, row.key)
        answer = msgspec.json.encode(change(msgspec.json.decode(row.answer)))
        await tx.execute(sa.update(idempotency_keys).where(place.matches_row()).values(answer=answer))


class _KeyScope(msgspec.Struct, frozen=True):
    """What a key is looked up by: the same key with another credential or route is a different key."""

    owner_id: str
    credential_id: str
    method: str
    path: str
    key: str

    def matches_row(self) -> sa.ColumnElement[bool]:
        columns = idempotency_keys.c
        return sa.and_(*(columns[name] == value for name, value in msgspec.structs.asdict(self).items()))


class _StoredResponse(msgspec.Struct, frozen=True):
    status: int
    body: bytes
    body_hash: bytes
    # The profiles that it concerns; None if the credential covers all profiles.
    profile_ids: list[str] | None


class _VersionFields(msgspec.Struct, frozen=True, rename="camel"):
    updated_at: datetime | None = None
    # The version of a resource on a platform, which assigns its own versions.
    etag: str | None = None


class IdempotencyKeyClaim:
    """The right to answer for one key. It records the response of the request.

    Its fencing token is known before it is written, so it can be released even if the confirmation of that commit is
    lost.
    """

    def __init__(self, place: _KeyScope, fingerprint: RequestFingerprint, caller: Caller, status: int) -> None:
        self.key_scope = place
        self.fingerprint = fingerprint
        self.caller = msgspec.structs.replace(caller, touched_profile_ids=set())
        self.status = status
        self.claim_id = new_id("fnc")
        self.recorded = False

    @property
    def request_key(self) -> str:
        return sha256(msgspec.json.encode(self.key_scope)).hexdigest()

    async def record(self, tx: Tx, answer: Any, status: int | None) -> None:
        reached = self.caller.touched_profile_ids or self.caller.allowed_profile_ids or ()
        await self._store(tx, status or self.status, _encode_for_storage(answer), reached)

    async def record_error(self, tx: Tx, status: int, body: bytes) -> None:
        """Store a response that had no effect."""
        await self._store(tx, status, body, self.caller.touched_profile_ids or ())

    async def _store(self, tx: Tx, status: int, body: bytes, reached: Collection[str]) -> None:
        assert self.fingerprint.digest is not None, "what is answered and stored was read to its end"
        values = {
            "status": status,
            "answer": body,
            "body_hash": self.fingerprint.digest,
            "profile_ids": None if self.caller.allowed_profile_ids is None else sorted(reached),
        }
        if await tx.execute_and_count(_STORE_RESPONSE, {**values, **_build_claim_parameters(self)}) != 1:
            raise _build_in_use_error()

    async def release(self, tx: Tx) -> None:
        await _release_keys(tx, [self])


class IdempotencyMiddleware:
    def __init__(
        self, app: ASGIApp, db: Database, metrics: Metrics, abandoned: ClaimReleaser[IdempotencyKeyClaim]
    ) -> None:
        self._app = app
        self._db = db
        self._metrics = metrics
        self._abandoned = abandoned
        # The claim ids of the requests that this process is answering.
        self._open: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        spec = get_route_spec(scope["route_handler"])
        key = _read_key(scope["headers"]) if spec is not None and spec.idempotent else None
        if key is None:
            await self._app(scope, receive, send)
            return
        caller: Caller = scope["auth"]
        fingerprint = await RequestFingerprint.create(scope, receive, spec)
        claim = IdempotencyKeyClaim(
            _build_key_scope(scope, caller, key), fingerprint, caller, _get_status(scope["route_handler"])
        )
        self._open.add(claim.claim_id)
        try:
            stored = await self._claim(claim)
            if stored is None:
                await self._run(claim, scope, send)
                return
        finally:
            self._open.discard(claim.claim_id)
        _require_profile_access(caller, stored)
        if await fingerprint.read_rest(scope) != stored.body_hash:
            raise _build_reused_error()
        self._metrics.replays.inc()
        await _send_stored_response(stored, send)

    async def _claim(self, claim: IdempotencyKeyClaim) -> _StoredResponse | None:
        try:
            return await self._db.write(_claim_key, claim, self._abandoned, self._open)
        except (IdempotencyKeyInUse, IdempotencyKeyReused):
            raise
        except BaseException:
            # It may have been committed, and only the confirmation was lost.
            self._abandoned.add(claim.claim_id, claim)
            raise

    async def _run(self, claim: IdempotencyKeyClaim, scope: Scope, send: Send) -> None:
        scope["state"]["recorder"] = claim
        scope["auth"] = claim.caller
        stored: list[Message] = []

        async def hold(message: Message) -> None:
            if claim.recorded:
                await send(message)
            else:
                stored.append(message)

        try:
            await self._app(scope, claim.fingerprint.receive, hold)
        finally:
            if not claim.recorded:
                await self._record_or_release(claim, stored)
        # Only now: a client that repeats the request after seeing its response must find the key finished.
        for message in stored:
            await send(message)

    async def _record_or_release(self, claim: IdempotencyKeyClaim, credentials: Sequence[Message]) -> None:
        """Store a response that had no effect of its own. Temporary errors (429, 5xx) are not stored, and neither is an
        error for a file that was not read to its end, because its hash is unknown.
        """
        begun = next((m for m in credentials if m["type"] == "http.response.start"), None)
        body = b"".join(m["body"] for m in credentials if m["type"] == "http.response.body")
        try:
            if begun is not None and _is_final_response(begun) and claim.fingerprint.digest is not None:
                await self._db.write(claim.record_error, int(begun["status"]), body)
            else:
                await self._db.write(claim.release)
        except IdempotencyKeyInUse as error:
            # The claim was lost to another request. The response stands.
            log.info("claim_not_settled", code=error.code)
        except Exception as error:  # noqa: BLE001 - the answer stands, and the claim is released once it can be
            self._abandoned.add(claim.claim_id, claim)
            log.info("claim_not_settled", reason=type(error).__name__)


async def _claim_key(
    tx: Tx, claim: IdempotencyKeyClaim, abandoned: Container[str] = (), in_progress: Container[str] = ()
) -> _StoredResponse | None:
    """Claim the key, or find the response that was stored for it."""
    place, digest = claim.key_scope, claim.fingerprint.digest
    row = {
        **msgspec.structs.asdict(place),
        "body_hash": digest or _UNKNOWN_HASH,
        "fence": claim.claim_id,
        "lease_until": tx.now + IDEMPOTENCY_KEY_LEASE,
        "expires_at": tx.now + IDEMPOTENCY_KEY_RETENTION,
    }
    inserted = await tx.execute_and_count(tx.build_insert_if_absent(idempotency_keys), row)
    if inserted == 1:
        return None
    result = await tx.first(sa.select(idempotency_keys).where(place.matches_row()).with_for_update())
    if result is None:
        raise _build_in_use_error()
    is_open = result.status is None
    if result.expires_at <= tx.now or (is_open and (result.lease_until <= tx.now or result.fence in abandoned)):
        values = {**row, "status": None, "answer": None, "profile_ids": None}
        await tx.execute(sa.update(idempotency_keys).where(place.matches_row()).values(values))
        return None
    if digest is not None and result.body_hash != digest:
        raise _build_reused_error()
    if is_open:
        # A request that is answered here ends soon. One of another process may never end, because that process may be
        # gone: then nothing changes before its lease expires.
        left = (result.lease_until - tx.now).total_seconds()
        raise _build_in_use_error(1 if result.fence in in_progress else math.ceil(left))
    return _StoredResponse(result.status, result.answer, result.body_hash, result.profile_ids)


async def _release_keys(tx: Tx, claims: Sequence[IdempotencyKeyClaim]) -> None:
    if claims:
        await tx.execute(_DELETE_CLAIMS, [_build_claim_parameters(claim) for claim in claims])


def _build_claim_parameters(claim: IdempotencyKeyClaim) -> dict[str, str]:
    columns = {**msgspec.structs.asdict(claim.key_scope), "fence": claim.claim_id}
    return {f"of_{name}": value for name, value in columns.items()}


def build_claim_releaser(db: Database) -> ClaimReleaser[IdempotencyKeyClaim]:
    return ClaimReleaser(db, _release_keys, IDEMPOTENCY_KEY_LEASE.total_seconds())


def _require_profile_access(caller: Caller, stored: _StoredResponse) -> None:
    """Reject a response about profiles that the key no longer covers. Responses from an earlier version list none."""
    if not caller.can_access_profiles(*(stored.profile_ids or ())):
        raise OutOfScope(
            "The response stored for this Idempotency-Key concerns a profile that this API key no longer covers. Use "
            "an API key whose profileIds include it, or a new Idempotency-Key."
        )


async def purge_idempotency_keys(tx: Tx, before: datetime) -> int:
    return await tx.execute_and_count(sa.delete(idempotency_keys).where(idempotency_keys.c.expires_at < before))


def _build_reused_error() -> IdempotencyKeyReused:
    return IdempotencyKeyReused("This Idempotency-Key was already used with a different body. Use a new key.")


def _is_final_response(begun: Any) -> bool:
    """Distinguish permanent errors from temporary ones: a response with Retry-After is not final, and neither is one
    that another plan or the next month changes.
    """
    may_pass = any(bytes(name).lower() == b"retry-after" for name, _ in begun["headers"])
    may_pass = may_pass or int(begun["status"]) == HTTPStatus.PAYMENT_REQUIRED
    return _MIN_SERVER_ERROR_STATUS > int(begun["status"]) >= _MIN_ERROR_STATUS and not may_pass


def _build_in_use_error(seconds: int = 1) -> IdempotencyKeyInUse:
    return IdempotencyKeyInUse(
        f"The first request with this Idempotency-Key is still in progress. Try again in {seconds} s.",
        retry_after=seconds,
    )


def _read_key(headers: Any) -> str | None:
    values = [value.decode("latin-1") for name, value in headers if name == b"idempotency-key"]
    if not values:
        return None
    if len(values) > 1 or not _IDEMPOTENCY_KEY_PATTERN.fullmatch(values[0]):
        raise MalformedRequest("Idempotency-Key must be one value of 1 to 255 visible ASCII characters.")
    return str(values[0])


def _get_status(handler: Any) -> int:
    return int(handler.status_code)


def _build_key_scope(scope: Any, caller: Caller, key: str) -> _KeyScope:
    return _KeyScope(caller.owner_id, caller.credential_id, scope["method"], scope["path"][:500], key)


def _encode_for_storage(answer: Any) -> bytes:
    """Encode a response for storage. A value that is shown only once is not stored anywhere, not even here."""
    if answer is None:
        return b""
    if not isinstance(answer, ResponseModel) or not answer.once_only:
        return msgspec.json.encode(answer)
    shown = msgspec.to_builtins(answer)
    for name in answer.once_only:
        shown.pop(name, None)
    return msgspec.json.encode({**shown, "secretWithheld": True})


async def _send_stored_response(stored: _StoredResponse, send: Send) -> None:
    kind = b"application/json" if stored.status < _MIN_ERROR_STATUS else PROBLEM_JSON.encode()
    headers = [
        (b"content-type", kind),
        (b"content-length", str(len(stored.body)).encode()),
        (b"idempotent-replayed", b"true"),
        *_build_etag_headers(stored),
    ]
    await send({"type": "http.response.start", "status": stored.status, "headers": headers})
    await send({"type": "http.response.body", "body": stored.body, "more_body": False})


def _build_etag_headers(stored: _StoredResponse) -> list[tuple[bytes, bytes]]:
    """Return the ETag of the first response."""
    if stored.status >= _MIN_ERROR_STATUS or not stored.body:
        return []
    version = msgspec.json.decode(stored.body, type=_VersionFields)
    if version.etag is not None:
        return [(b"etag", version.etag.encode())]
    return [] if version.updated_at is None else [(b"etag", build_etag(version.updated_at).encode())]
