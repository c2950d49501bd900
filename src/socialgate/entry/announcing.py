"""Telling a sandbox that other processes share where this process runs, so that its webhooks arrive."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from hashlib import sha256

import msgspec
import sqlalchemy as sa
import structlog

from socialgate.core.egress import EgressClient, SendError, SystemResolver, allow_any_address
from socialgate.core.jobs.backoff import Backoff
from socialgate.core.settings import Settings
from socialgate.entry.platforms import USER_AGENT, SandboxConnection
from socialgate.entry.sandbox_keys import CONTROL_USER

_DEADLINE_SECONDS = 10
_MAX_ANSWER_BYTES = 10_000
# A sandbox that is started after the service is found within seconds.
_RETRY_BACKOFF = Backoff(initial_delay=timedelta(seconds=0.5), max_delay=timedelta(seconds=10), jitter=0.1)

log = structlog.get_logger(__name__)


def get_deployment_name(settings: Settings) -> str:
    """Return a name for the deployment that is the same in all its processes: they share one database."""
    url = sa.make_url(settings.effective_database_url)
    place = f"{url.host}:{url.port}/{url.database}"
    return sha256(place.encode()).hexdigest()[:16]


@asynccontextmanager
async def keep_announcing_to_sandbox(settings: Settings, simulated: SandboxConnection) -> AsyncIterator[None]:
    """Announce this process to the sandbox, in the background: the sandbox may be started later."""
    task = asyncio.create_task(_announce_to_sandbox(settings, simulated))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _announce_to_sandbox(settings: Settings, simulated: SandboxConnection) -> None:
    resolver = SystemResolver()
    door = EgressClient(policy=allow_any_address, resolver=resolver, user_agent=USER_AGENT)
    try:
        tries = 0
        while not await _try_announcing(door, settings, simulated, first=tries == 0):
            await asyncio.sleep(_RETRY_BACKOFF.get_delay(tries).total_seconds())
            tries += 1
    finally:
        door.close()
        resolver.close()


async def _try_announcing(
    client: EgressClient, settings: Settings, simulated: SandboxConnection, *, first: bool
) -> bool:
    """Announce it once. Returns whether there is nothing left to do."""
    login = b64encode(f"{CONTROL_USER}:{simulated.keys.control_password}".encode()).decode()
    try:
        answer = await client.send(
            "POST",
            f"{simulated.url}/_control/gateways",
            deadline=_DEADLINE_SECONDS,
            read_limit=_MAX_ANSWER_BYTES,
            headers={"Authorization": f"Basic {login}", "Content-Type": "application/json"},
            body=msgspec.json.encode({"deployment": get_deployment_name(settings), "url": settings.public_url}),
        )
    except SendError as failure:
        if first:
            log.warning("sandbox_unreachable", url=simulated.url, detail=str(failure))
        return False
    if answer.status != 200:  # noqa: PLR2004 - any other is a refusal
        log.error(
            "sandbox_refused", url=simulated.url, status=answer.status, detail=answer.body.decode(errors="replace")
        )
    return True
