"""The turns of SQLite's writers, and the commits that they share.

SQLite has one writer at a time, and each commit waits for the disk and for a thread. If others wait for their turn
meanwhile, they run in the same transaction, each behind a savepoint, and one commit is for all of them. Alone, a writer
commits at once. Nobody hears of success before the commit, and nobody of an error that others may have caused.
"""

import asyncio
import sqlite3
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Generic, Protocol, TypeVar

# So much shares one commit at most. The first of them waits for the last.
_MAX_SHARED_UNITS = 50
_MAX_SHARED_SECONDS = 0.005


class SharedConnection(Protocol):
    """A connection that writes."""

    @property
    def in_transaction(self) -> bool: ...

    async def begin(self) -> None: ...

    def begin_part(self) -> None:
        """Begin a part of the transaction that can be undone on its own."""

    def end_part(self) -> None: ...

    async def undo_part(self) -> None: ...

    async def commit(self) -> None: ...

    async def rollback(self) -> None: ...


C = TypeVar("C", bound=SharedConnection)


class _CommitGroup(Generic[C]):
    """An open transaction, and what was written in it so far."""

    def __init__(self, connection: C) -> None:
        self.connection = connection
        self.units = 0
        self.committed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._full_at = time.monotonic() + _MAX_SHARED_SECONDS

    @property
    def has_room(self) -> bool:
        return self.units < _MAX_SHARED_UNITS and time.monotonic() < self._full_at

    async def commit(self) -> None:
        try:
            await self.connection.commit()
        except BaseException as error:  # noqa: BLE001 - it is raised where each of them waits
            await self.undo_all(error)
        else:
            self.committed.set_result(None)

    async def undo_all(self, error: BaseException) -> None:
        try:
            await self.connection.rollback()
        finally:
            self.committed.set_exception(error)
            # Nobody waits for it if the only unit has failed.
            self.committed.exception()


class SharedCommits(Generic[C]):
    def __init__(self, connect: Callable[[], Awaitable[C]]) -> None:
        """`connect` returns the connection that writes. It is called by one writer at a time."""
        self._connect = connect
        self._is_taken = False
        # Who waits for a turn, first come, first served, and whether it would share a transaction.
        self._waiting: deque[tuple[asyncio.Future[None], bool]] = deque()
        # The transaction that is open, also between two turns.
        self._group: _CommitGroup[C] | None = None

    @property
    def is_taken(self) -> bool:
        return self._is_taken

    @asynccontextmanager
    async def take_turn(self) -> AsyncIterator[None]:
        """Wait for a turn without an open transaction, for another connection."""
        await self._take(shares=False)
        try:
            yield
        finally:
            self._pass_on()

    @asynccontextmanager
    async def share_transaction(self) -> AsyncIterator[C]:
        """Run what follows in a transaction, and return when it is committed."""
        await self._take(shares=True)
        failure: BaseException | None = None
        try:
            group, is_first = await self._join()
            try:
                yield group.connection
                if not is_first:
                    group.connection.end_part()
            except BaseException as error:  # noqa: BLE001 - raised again once it is known what it was based on
                failure = error
                await self._undo(group, error, is_first=is_first)
            else:
                group.units += 1
        finally:
            await self._end_turn()
        if group.units:
            await asyncio.shield(group.committed)
        if failure is not None:
            raise failure

    async def _take(self, *, shares: bool) -> None:
        if not self._is_taken:
            self._is_taken = True
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((turn, shares))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                await self._end_turn()
            raise

    async def _join(self) -> tuple[_CommitGroup[C], bool]:
        if self._group is not None:
            self._group.connection.begin_part()
            return self._group, False
        connection = await self._connect()
        await connection.begin()
        self._group = _CommitGroup(connection)
        return self._group, True

    async def _undo(self, group: _CommitGroup[C], error: BaseException, *, is_first: bool) -> None:
        """Undo one unit, or everything if there is nothing else, or if SQLite has already done that."""
        if group.connection.in_transaction and not is_first:
            with suppress(sqlite3.Error):
                await group.connection.undo_part()
                return
        self._group = None
        await group.undo_all(error)

    async def _end_turn(self) -> None:
        """Leave the transaction open for the next one in the queue, or commit it."""
        group = self._group
        try:
            if group is not None and not (group.has_room and self._is_next_sharing()):
                self._group = None
                await group.commit()
        finally:
            self._pass_on()

    def _is_next_sharing(self) -> bool:
        self._drop_cancelled()
        return bool(self._waiting) and self._waiting[0][1]

    def _pass_on(self) -> None:
        self._drop_cancelled()
        if self._waiting:
            self._waiting.popleft()[0].set_result(None)
        else:
            self._is_taken = False

    def _drop_cancelled(self) -> None:
        while self._waiting and self._waiting[0][0].done():
            self._waiting.popleft()
