"""The side that accepts events: writes them at a steady rate, each in a transaction of its own."""

import asyncio
import random
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.processes import Handlers
from benchmarks.receiver import HANG, mark
from benchmarks.sites import Hook, message, padding

from socialgate.areas.media.service import Library
from socialgate.areas.media.signing import MediaUrls
from socialgate.areas.profiles.service import Profiles
from socialgate.core import outbox
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database
from socialgate.core.errors import ServiceError
from socialgate.core.logs import configure_logs
from socialgate.core.metrics import Metrics
from socialgate.core.secrets import load_keyring
from socialgate.core.settings import Settings
from socialgate.core.storage import open_storage
from socialgate.entry.outgoing import open_outgoing
from socialgate.entry.platforms import open_platforms
from socialgate.entry.worker import build_worker


async def producer_role(fields: dict[str, Any]) -> Handlers:
    """Stand in for `serve`: on SQLite the worker runs inside, on PostgreSQL it is told over the database."""
    settings = Settings(**fields)
    configure_logs(settings.log_format, settings.log_level)
    db = Database(settings.database, SystemClock(), pool_size=settings.database_pool)
    producer = _Producer(db)
    if settings.database_url is not None:
        db.wakeups.connect(settings.database_url)
    else:
        producer.work_inside(settings)
    return {"emit": producer.emit, "emit_each": producer.emit_each, "stop": producer.stop}


class _Producer:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._worker: Any = None
        self._working: asyncio.Task[None] | None = None
        self._text = padding(mark(0))

    def work_inside(self, settings: Settings) -> None:
        keyring, outgoing = load_keyring(settings), open_outgoing(settings)
        profiles = Profiles()
        platforms = open_platforms(settings, self._db, keyring, profiles, simulated=None)
        library = Library(self._db, open_storage(settings), MediaUrls(keyring, settings.public_url), profiles)
        self._worker = build_worker(settings, self._db, Metrics(), keyring, outgoing, platforms, library)
        self._working = asyncio.create_task(self._worker.run())

    async def emit(self, hooks: Sequence[Hook], rate: float, seconds: float, seed: int) -> tuple[int, int]:
        """Emit on a schedule that waits for nothing, each event to one hook by chance.

        Tell how many were accepted for hooks that answer, and how many were refused.
        """
        chance = random.Random(seed)  # noqa: S311 - the same choice in every run, not a secret
        loop = asyncio.get_running_loop()
        began = loop.time()
        emitting = []
        for number in range(round(rate * seconds)):
            at = began + (number + chance.random()) / rate
            await asyncio.sleep(at - loop.time())
            emitting.append(asyncio.create_task(self._emit_one(chance.choice(hooks))))
        urls = await asyncio.gather(*emitting)
        return sum(url is not None and HANG not in url for url in urls), urls.count(None)

    async def emit_each(self, hooks: Sequence[Hook]) -> None:
        """Emit to all at once, so that every connection is open before anything is measured."""
        await asyncio.gather(*map(self._emit_one, hooks))

    async def _emit_one(self, hook: Hook) -> str | None:
        """Give where it will be delivered, or nothing where it was refused."""
        data = message(self._text, mark(time.monotonic_ns()))
        try:
            await self._db.write(outbox.emit, hook.owner_id, hook.own_profile, data)
        except ServiceError:
            return None
        return hook.url

    async def stop(self) -> None:
        if self._working is not None:
            self._worker.stop()
            await self._working
        await self._db.close()
