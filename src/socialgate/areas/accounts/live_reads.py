"""Reading live data from platforms.

Identical reads in progress are joined, so that a page that many people open calls the platform once. Responses may be
cached briefly if the numbers change slowly. Cursors are the platform's own, sealed against use in another list. A page
ends at its number of rows, or earlier at about 4 MiB (`page_sizes.py`). An account whose permission turns out to be
lost is marked as lost, as everywhere (`AccountSession.call_for_account`).
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from socialgate.areas.accounts.page_sizes import PageSizes, PlatformPage
from socialgate.areas.accounts.session import AccountSession
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import PlatformUnavailableError
from socialgate.contracts.platforms import Capability
from socialgate.core.background import BackgroundTasks
from socialgate.web.schemas import QueryParameters

P = TypeVar("P")
T = TypeVar("T")
L = TypeVar("L", bound=PlatformPage)

_DEADLINE_SECONDS = 25.0
_MAX_CACHE_SECONDS = 60.0
_MAX_CACHE_ENTRIES = 1_000
# One response can have megabytes, and one owner must not use up the cache of all.
_MAX_CACHE_ENTRIES_PER_OWNER = 50
_RETRY_SECONDS = 10


class LiveQuery(QueryParameters, frozen=True, kw_only=True):
    """The two parameters of every list that is read from a platform."""

    limit: Annotated[int, Meta(ge=1, le=100, description="Rows per page; platforms may return fewer.")] = 25
    cursor: Annotated[str, Meta(max_length=2000, description="`nextCursor` of the previous page. Opaque.")] | None = (
        None
    )

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 25}


class LiveRead(msgspec.Struct, Generic[P, T], frozen=True, kw_only=True):
    """What to read. `name` and `params` distinguish it from every other read of the account.

    `capability` is what the account must support; `unsupported_phrase` completes the sentence about one that does not,
    such as "has no comments". A response is cached for `cache_seconds` seconds, up to a minute: 0 if it must be
    current.
    """

    name: str
    params: tuple[Hashable, ...] = ()
    capability: Capability[P]
    unsupported_phrase: str
    call: Callable[[P, AccountCredentials], Awaitable[T]]
    cache_seconds: float = 0.0


class ListRead(msgspec.Struct, Generic[P, L], frozen=True, kw_only=True):
    """A page of a list to read, like `LiveRead`.

    `call` gets the number of rows to request: `limit`, or fewer if so many would be too large for one page.
    """

    name: str
    params: tuple[Hashable, ...] = ()
    limit: int
    capability: Capability[P]
    lacks: str
    call: Callable[[P, AccountCredentials, int], Awaitable[L]]
    keep: float = 0.0


class LiveResult(NamedTuple, Generic[T]):
    """A platform's response, and how many seconds ago it was read."""

    value: T
    age_seconds: int


class _CacheEntry(NamedTuple):
    value: Any
    at: float
    until: float


# Begins with the owner.
_CacheKey = tuple[Hashable, ...]


class LiveReads:
    def __init__(self, session: AccountSession) -> None:
        self._session = session
        self._in_flight: dict[_CacheKey, asyncio.Task[Any]] = {}
        self._cache: dict[_CacheKey, _CacheEntry] = {}
        self._sizes = PageSizes()
        self._tasks = BackgroundTasks()

    async def close(self) -> None:
        """Wait for the reads that are in progress."""
        await self._tasks.wait_all()

    async def read(self, account: AccountRow, read: LiveRead[P, T], *, bypass_cache: bool = False) -> LiveResult[T]:
        """Call the platform, sharing the call with identical reads in progress.

        `bypass_cache` bypasses the cache, but not a read that is in progress.
        """
        # The grant is part of the key: what somebody could see before must not be shown after reconnecting.
        key = (account.owner_id, account.id, account.grant_id, read.name, read.params)
        kept = self._cache.get(key)
        now = time.monotonic()
        if kept is not None and not bypass_cache and now < kept.until:
            return LiveResult(kept.value, int(now - kept.at))
        running = self._in_flight.get(key)
        if running is None:
            running = self._in_flight[key] = self._tasks.start(self._call_platform(key, account, read))
        return LiveResult(await asyncio.shield(running), 0)

    async def list(self, account: AccountRow, read: ListRead[P, L], *, bypass_cache: bool = False) -> LiveResult[L]:
        """Read a page of a list: as many rows as requested, or as fit on it."""
        key = (account.owner_id, account.id, read.name)

        async def call(part: P, credentials: AccountCredentials) -> L:
            return await self._sizes.read_fitting_page(key, read.limit, lambda rows: read.call(part, credentials, rows))

        whole = LiveRead(
            name=read.name,
            params=(read.limit, *read.params),
            capability=read.capability,
            unsupported_phrase=read.lacks,
            call=call,
            cache_seconds=read.keep,
        )
        return await self.read(account, whole, bypass_cache=bypass_cache)

    async def _call_platform(self, key: _CacheKey, account: AccountRow, read: LiveRead[P, T]) -> T:
        try:
            part = self._session.get_adapter(account, read.capability, read.unsupported_phrase)
            async with asyncio.timeout(_DEADLINE_SECONDS):
                value = await self._session.call_for_account(account, lambda credentials: read.call(part, credentials))
        except TimeoutError:
            raise PlatformUnavailableError(
                f"{account.platform} took longer than {_DEADLINE_SECONDS:.0f} s. Try again with a smaller `limit`.",
                platform=account.platform,
                retry_after=_RETRY_SECONDS,
            ) from None
        finally:
            del self._in_flight[key]
        if read.cache_seconds:
            self._store_in_cache(key, value, min(read.cache_seconds, _MAX_CACHE_SECONDS))
        return value

    def _store_in_cache(self, key: _CacheKey, value: Any, seconds: float) -> None:
        now = time.monotonic()
        own = [hashables for hashables in self._cache if hashables[0] == key[0]]
        if len(own) >= _MAX_CACHE_ENTRIES_PER_OWNER:
            # The oldest.
            del self._cache[own[0]]
        if len(self._cache) >= _MAX_CACHE_ENTRIES:
            self._cache = {hashables: kept for hashables, kept in self._cache.items() if kept.until > now}
        if len(self._cache) < _MAX_CACHE_ENTRIES:
            self._cache[key] = _CacheEntry(value, now, now + seconds)
