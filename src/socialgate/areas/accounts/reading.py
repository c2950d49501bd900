"""Reading live data from platforms.

Identical reads in progress are joined, so that a page that many people open calls the platform once. Responses may be
cached briefly if the numbers change slowly. Cursors are the platform's own, sealed against use in another list. A page
ends at its number of rows, or earlier at about 4 MiB (`page_sizes.py`). An account whose permission turns out to be
lost is marked as lost, as everywhere (`AccountSession.call_as`).
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from socialgate.areas.accounts.page_sizes import PageSizes, PlatformPage
from socialgate.areas.accounts.session import AccountSession
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import TemporarilyUnavailable
from socialgate.contracts.platforms import Capability
from socialgate.core.background import BackgroundTasks
from socialgate.web.schema import Query

P = TypeVar("P")
T = TypeVar("T")
L = TypeVar("L", bound=PlatformPage)

_DEADLINE_SECONDS = 25.0
_LONGEST_KEPT_SECONDS = 60.0
_MOST_KEPT = 1_000
# One response can have megabytes, and one owner must not use up the cache of all.
_MOST_OF_OWNER = 50
_RETRY_SECONDS = 10


class LiveQuery(Query, frozen=True, kw_only=True):
    """The two parameters of every list that is read from a platform."""

    limit: Annotated[int, Meta(ge=1, le=100, description="Rows per page; platforms may return fewer.")] = 25
    cursor: Annotated[str, Meta(max_length=2000, description="`nextCursor` of the previous page. Opaque.")] | None = (
        None
    )

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25}


class Read(msgspec.Struct, Generic[P, T], frozen=True, kw_only=True):
    """What to read. `name` and `params` distinguish it from every other read of the account.

    `capability` is what the account must support; `lacks` completes the sentence about one that does not, such as "has
    no comments". A response is cached for `keep` seconds, up to a minute: 0 if it must be current.
    """

    name: str
    params: tuple[Hashable, ...] = ()
    capability: Capability[P]
    lacks: str
    call: Callable[[P, AccountCredentials], Awaitable[T]]
    keep: float = 0.0


class ListRead(msgspec.Struct, Generic[P, L], frozen=True, kw_only=True):
    """A page of a list to read, like `Read`.

    `call` gets the number of rows to request: `limit`, or fewer if so many would be too large for one page.
    """

    name: str
    params: tuple[Hashable, ...] = ()
    limit: int
    capability: Capability[P]
    lacks: str
    call: Callable[[P, AccountCredentials, int], Awaitable[L]]
    keep: float = 0.0


class Fetched(NamedTuple, Generic[T]):
    """A platform's response, and how many seconds ago it was read."""

    value: T
    age: int


class _Kept(NamedTuple):
    value: Any
    at: float
    until: float


# Begins with the owner.
_Key = tuple[Hashable, ...]


class LiveReads:
    def __init__(self, session: AccountSession) -> None:
        self._session = session
        self._running: dict[_Key, asyncio.Task[Any]] = {}
        self._kept: dict[_Key, _Kept] = {}
        self._sizes = PageSizes()
        self._tasks = BackgroundTasks()

    async def close(self) -> None:
        """Wait for the reads that are in progress."""
        await self._tasks.finish()

    async def read(self, account: AccountRow, read: Read[P, T], *, fresh: bool = False) -> Fetched[T]:
        """Call the platform, sharing the call with identical reads in progress.

        `fresh` bypasses the cache, but not a read that is in progress.
        """
        # The grant is part of the key: what somebody could see before must not be shown after reconnecting.
        key = (account.owner_id, account.id, account.grant_id, read.name, read.params)
        kept = self._kept.get(key)
        now = time.monotonic()
        if kept is not None and not fresh and now < kept.until:
            return Fetched(kept.value, int(now - kept.at))
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = self._tasks.start(self._ask(key, account, read))
        return Fetched(await asyncio.shield(running), 0)

    async def list(self, account: AccountRow, read: ListRead[P, L], *, fresh: bool = False) -> Fetched[L]:
        """Read a page of a list: as many rows as requested, or as fit on it."""
        key = (account.owner_id, account.id, read.name)

        async def call(part: P, held: AccountCredentials) -> L:
            return await self._sizes.fit(key, read.limit, lambda rows: read.call(part, held, rows))

        whole = Read(
            name=read.name,
            params=(read.limit, *read.params),
            capability=read.capability,
            lacks=read.lacks,
            call=call,
            keep=read.keep,
        )
        return await self.read(account, whole, fresh=fresh)

    async def _ask(self, key: _Key, account: AccountRow, read: Read[P, T]) -> T:
        try:
            part = self._session.part(account, read.capability, read.lacks)
            async with asyncio.timeout(_DEADLINE_SECONDS):
                value = await self._session.call_as(account, lambda held: read.call(part, held))
        except TimeoutError:
            raise TemporarilyUnavailable(
                f"{account.platform} took longer than {_DEADLINE_SECONDS:.0f} s. Try again with a smaller `limit`.",
                platform=account.platform,
                retry_after=_RETRY_SECONDS,
            ) from None
        finally:
            del self._running[key]
        if read.keep:
            self._keep(key, value, min(read.keep, _LONGEST_KEPT_SECONDS))
        return value

    def _keep(self, key: _Key, value: Any, seconds: float) -> None:
        now = time.monotonic()
        own = [one for one in self._kept if one[0] == key[0]]
        if len(own) >= _MOST_OF_OWNER:
            # The oldest.
            del self._kept[own[0]]
        if len(self._kept) >= _MOST_KEPT:
            self._kept = {one: kept for one, kept in self._kept.items() if kept.until > now}
        if len(self._kept) < _MOST_KEPT:
            self._kept[key] = _Kept(value, now, now + seconds)
