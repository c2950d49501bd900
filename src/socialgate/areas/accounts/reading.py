"""Reading what is on a platform right now, for everybody who shows it.

Identical reads that are in progress are joined, so that a page which many people open asks the platform once. Answers
may be kept for a short while where numbers move slowly. Cursors are the platform's own, sealed against use in another
list. An account whose permission turns out to be gone is marked as lost, as everywhere (`AccountSession.call_as`).
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from socialgate.areas.accounts.session import AccountSession
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import TemporarilyUnavailable
from socialgate.contracts.platforms import Capability
from socialgate.core.background import BackgroundTasks
from socialgate.web.schema import Query

P = TypeVar("P")
T = TypeVar("T")

_DEADLINE_SECONDS = 25.0
_LONGEST_KEPT_SECONDS = 60.0
_MOST_KEPT = 1_000
_RETRY_SECONDS = 10


class LiveQuery(Query, frozen=True, kw_only=True):
    """The two parameters of every list that is read from a platform."""

    limit: Annotated[int, Meta(ge=1, le=100, description="Rows per page; platforms may give fewer.")] = 25
    cursor: Annotated[str, Meta(max_length=2000, description="`nextCursor` of the page before. Opaque.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25}


class Read(msgspec.Struct, Generic[P, T], frozen=True, kw_only=True):
    """What is to be read. `name` and `params` tell it from every other read of the account.

    `capability` is what the account must be able to do for it; `lacks` ends the sentence about one that cannot, as
    "has no comments". An answer is kept for `keep` seconds, up to a minute: 0 where it must be as it is now.
    """

    name: str
    params: tuple[Hashable, ...] = ()
    capability: Capability[P]
    lacks: str
    call: Callable[[P, AccountCredentials], Awaitable[T]]
    keep: float = 0.0


class Fetched(NamedTuple, Generic[T]):
    """What a platform answered, and how many seconds ago."""

    value: T
    age: int


class _Kept(NamedTuple):
    value: Any
    at: float
    until: float


class LiveReads:
    def __init__(self, session: AccountSession) -> None:
        self._session = session
        self._running: dict[Hashable, asyncio.Task[Any]] = {}
        self._kept: dict[Hashable, _Kept] = {}
        self._tasks = BackgroundTasks()

    async def close(self) -> None:
        """Wait for the reads that are in progress."""
        await self._tasks.finish()

    async def read(self, account: AccountRow, read: Read[P, T], *, fresh: bool = False) -> Fetched[T]:
        """Ask the platform, together with everybody who asks the same at this moment.

        `fresh` goes past what was kept, not past what is being read right now.
        """
        # The grant is part of it: what somebody could see before must not be shown after connecting again.
        key = (account.owner_id, account.id, account.grant_id, read.name, read.params)
        kept = self._kept.get(key)
        now = time.monotonic()
        if kept is not None and not fresh and now < kept.until:
            return Fetched(kept.value, int(now - kept.at))
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = self._tasks.start(self._ask(key, account, read))
        return Fetched(await asyncio.shield(running), 0)

    async def _ask(self, key: Hashable, account: AccountRow, read: Read[P, T]) -> T:
        try:
            part = self._session.part(account, read.capability, read.lacks)
            async with asyncio.timeout(_DEADLINE_SECONDS):
                value = await self._session.call_as(account, lambda held: read.call(part, held))
        except TimeoutError:
            raise TemporarilyUnavailable(
                f"{account.platform} took longer than {_DEADLINE_SECONDS:.0f} s. Try again, with a smaller `limit`.",
                platform=account.platform,
                retry_after=_RETRY_SECONDS,
            ) from None
        finally:
            del self._running[key]
        if read.keep:
            self._keep(key, value, min(read.keep, _LONGEST_KEPT_SECONDS))
        return value

    def _keep(self, key: Hashable, value: Any, seconds: float) -> None:
        now = time.monotonic()
        if len(self._kept) >= _MOST_KEPT:
            self._kept = {one: kept for one, kept in self._kept.items() if kept.until > now}
        if len(self._kept) < _MOST_KEPT:
            self._kept[key] = _Kept(value, now, now + seconds)
