"""Rate limits that hold across all nodes, without a database write for every request.

The shared counter is one row per subject and window. A node takes allowances from it in batches that start at one,
double, and shrink again as the window runs out: a busy node rarely asks, an idle node holds few, and together they can
never hand out more than the limit.
"""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
import sqlalchemy as sa
from litestar.types import ASGIApp, Receive, Scope, Send

from socialgate.core.caller import Caller
from socialgate.core.clock import Clock
from socialgate.core.db import Database, Tx, metadata
from socialgate.core.errors import RateLimited, StorageFull
from socialgate.core.metrics import Metrics

_MAX_ALLOWANCE_BATCH = 64

rate_windows = sa.Table(
    "rate_windows",
    metadata,
    sa.Column("subject", sa.String(120), primary_key=True),
    sa.Column("policy", sa.String(40), primary_key=True),
    sa.Column("window", sa.BigInteger, primary_key=True),
    sa.Column("used", sa.BigInteger, nullable=False),
    sa.Column("ends_at", sa.BigInteger, nullable=False, index=True),
)


class RateLimitPolicy(msgspec.Struct, frozen=True):
    """A number of requests per period. An exact one is never taken in batches."""

    name: str
    limit: int
    window_seconds: int
    exact: bool = False


class RateLimitAllowance(msgspec.Struct, frozen=True):
    policy: RateLimitPolicy
    remaining: int
    resets_in_seconds: int


class _RateLimitBucket:
    __slots__ = ("batch", "left", "lock", "used", "window")

    def __init__(self, window: int) -> None:
        self.window = window
        self.left = 0
        self.used = 0
        self.batch = 1
        self.lock = asyncio.Lock()


class RateLimiter:
    def __init__(self, db: Database, clock: Clock, metrics: Metrics, policies: Mapping[str, RateLimitPolicy]) -> None:
        self._db = db
        self._clock = clock
        self._metrics = metrics
        self._policies = policies
        self._buckets: dict[tuple[str, str], _RateLimitBucket] = {}
        self._newest_window: dict[str, int] = {}

    async def use_allowance(self, subject: str, policy_name: str = "default") -> RateLimitAllowance | None:
        """Use one allowance of the subject, or reject the request. None means that the policy is off."""
        policy = self._policies[policy_name]
        if policy.limit == 0:
            return None
        now = self._clock.now().timestamp()
        window, into = divmod(int(now), policy.window_seconds)
        bucket = self._get_bucket(subject, policy, window)
        resets_in = policy.window_seconds - into
        if bucket.left == 0:
            async with bucket.lock:
                if bucket.left == 0 and bucket.used < policy.limit:
                    await self._refill_bucket(subject, policy, bucket)
        if bucket.left == 0:
            self._metrics.rate_limited.labels(policy.name).inc()
            raise RateLimited(
                f"More than {policy.limit} requests in {policy.window_seconds} s. Wait {resets_in} s.",
                retry_after=resets_in,
            )
        bucket.left -= 1
        return RateLimitAllowance(policy, max(0, policy.limit - bucket.used) + bucket.left, resets_in)

    def build_empty_allowance(self, refusal: RateLimited, policy_name: str = "default") -> RateLimitAllowance:
        """Show a rejection as the allowance that it is."""
        return RateLimitAllowance(self._policies[policy_name], 0, refusal.retry_after or 0)

    def _get_bucket(self, subject: str, policy: RateLimitPolicy, window: int) -> _RateLimitBucket:
        if self._newest_window.get(policy.name) != window:
            self._newest_window[policy.name] = window
            self._buckets = {key: b for key, b in self._buckets.items() if key[0] != policy.name or b.window == window}
        key = (policy.name, subject)
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = _RateLimitBucket(window)
        return bucket

    async def _refill_bucket(self, subject: str, policy: RateLimitPolicy, bucket: _RateLimitBucket) -> None:
        share = max(1, (policy.limit - bucket.used) // 8)
        number = 1 if policy.exact else min(bucket.batch, share, _MAX_ALLOWANCE_BATCH)
        try:
            used = await self._db.write(_add_usage, subject, policy, bucket.window, number)
        except StorageFull:
            # Reading must still work on a full disk, so until there is room again each process counts on its own.
            used = bucket.used + number
        bucket.left = max(0, number - max(0, used - policy.limit))
        bucket.used = used
        bucket.batch = bucket.batch * 2


async def _add_usage(tx: Tx, subject: str, policy: RateLimitPolicy, window: int, number: int) -> int:
    insert = tx.build_upsert(rate_windows).values(
        subject=subject,
        policy=policy.name,
        window=window,
        used=number,
        ends_at=(window + 1) * policy.window_seconds,
    )
    statement = insert.on_conflict_do_update(
        index_elements=["subject", "policy", "window"],
        set_={"used": rate_windows.c.used + insert.excluded.used},
    ).returning(rate_windows.c.used)
    return int(await tx.scalar(statement))


async def purge_rate_windows(tx: Tx, before: datetime) -> int:
    return await tx.execute_and_count(sa.delete(rate_windows).where(rate_windows.c.ends_at < int(before.timestamp())))


class RateLimitMiddleware:
    """Counts one request of the credential. Every response says how many are left, including rejected ones."""

    def __init__(self, app: ASGIApp, limiter: RateLimiter) -> None:
        self._app = app
        self._limiter = limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller: Caller | None = scope["state"].get("caller")
        if caller is not None:
            await self._apply_rate_limit(scope, caller)
        await self._app(scope, receive, send)

    async def _apply_rate_limit(self, scope: Any, caller: Caller) -> None:
        try:
            allowance = await self._limiter.use_allowance(caller.credential_id)
        except RateLimited as refusal:
            scope["state"]["headers"] = build_rate_limit_headers(self._limiter.build_empty_allowance(refusal))
            raise
        if allowance is not None:
            scope["state"]["headers"] = build_rate_limit_headers(allowance)


def build_rate_limit_headers(allowance: RateLimitAllowance) -> list[tuple[bytes, bytes]]:
    policy = allowance.policy
    return [
        (b"ratelimit-policy", f'"{policy.name}";q={policy.limit};w={policy.window_seconds}'.encode()),
        (b"ratelimit", f'"{policy.name}";r={allowance.remaining};t={allowance.resets_in_seconds}'.encode()),
    ]
