"""The side that accepts events: writes them at a steady rate, each in a transaction of its own."""

import asyncio
import random
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.processes import Handlers
from benchmarks.receiver import HANG, mark
from benchmarks.sites import Hook, message, padding

from socialgate.core import outbox
from socialgate.core.clock import SystemClock
from socialgate.core.errors import ServiceError
from socialgate.core.logs import configure_logs
from socialgate.core.settings import Settings
from socialgate.entry.deployment import Deployment


async def producer_role(fields: dict[str, Any]) -> Handlers:
    """Stand in for `serve`: on SQLite the worker runs inside, on PostgreSQL it is told over the database."""
    settings = Settings(**fields)
    configure_logs(settings.log_format, settings.log_level)
    deployment = Deployment(settings, SystemClock())
    producer = _Producer(deployment)
    if settings.database_url is not None:
        deployment.db.wakeups.connect(settings.database_url)
    else:
        producer.work_inside()
    return {"emit": producer.emit, "emit_each": producer.emit_each, "stop": producer.stop}


class _Producer:
    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._db = deployment.db
        self._working: asyncio.Task[None] | None = None
        self._text = padding(mark(0))

    def work_inside(self) -> None:
        self._working = asyncio.create_task(self._deployment.worker.run())

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
            await self._db.write(outbox.emit_event, hook.owner_id, hook.own_profile, data)
        except ServiceError:
            return None
        return hook.url

    async def stop(self) -> None:
        if self._working is not None:
            self._deployment.worker.stop()
            await self._working
        await self._deployment.close()
