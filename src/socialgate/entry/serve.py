"""Running processes: the API, a worker next to it, and the one-off migration."""

import asyncio
import gc
import signal
import socket
import sys
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import AsyncExitStack, suppress
from typing import Any

import click
import structlog
from prometheus_client import start_http_server

from socialgate import __version__
from socialgate.core.backlog import Backlog
from socialgate.core.clock import Clock
from socialgate.core.db import Database
from socialgate.core.errors import Unavailable
from socialgate.core.schema import migrate, newest_revision, require_supported
from socialgate.core.secrets import register_key
from socialgate.core.settings import Settings, SettingsError
from socialgate.core.storage_watch import StorageWatch
from socialgate.entry.announcing import announced
from socialgate.entry.api import listen, prepare, server_of
from socialgate.entry.deployment import Deployment
from socialgate.entry.descriptors import raise_descriptor_limit
from socialgate.entry.first_start import FILE_NAME, FirstLogin, current_addresses
from socialgate.entry.platforms import Simulated, platforms_in_words, simulated_beside
from socialgate.entry.sandbox_package import require_sandbox

# By then the connectors are loaded too.
_SETTLED_AFTER_SECONDS = 3.0
_REFRESH_SECONDS = 10.0

log = structlog.get_logger(__name__)


async def serve(settings: Settings, clock: Clock) -> None:
    raise_descriptor_limit()
    port, settings = listen(settings)
    async with AsyncExitStack() as stack:
        simulated = None
        if settings.sandbox_url is not None and settings.simulates_platforms:
            _make_data_dir(settings)
            simulated = simulated_beside(settings)
            assert simulated is not None, "its URL is set"
            await stack.enter_async_context(announced(settings, simulated))
        elif settings.simulates_platforms:
            require_sandbox()
            from socialgate.entry.sandbox import simulate  # noqa: PLC0415 - real platforms have no use for it

            _make_data_dir(settings)
            simulated = await stack.enter_async_context(simulate(settings))
        await _serve(settings, clock, port, simulated, stack)


async def _serve(
    settings: Settings, clock: Clock, port: socket.socket, simulated: Simulated | None, stack: AsyncExitStack
) -> None:
    try:
        service = Deployment(settings, clock, simulated)
        first = await prepare(service)
        # Here, and not after the server has started, so that an invalid key is reported in one line.
        await service.db.write(register_key, service.keyring)
        if settings.embedded:
            stack.enter_context(current_addresses(settings, simulated))
        _open_metrics(settings, service)
    except (Unavailable, OSError) as error:
        raise SettingsError(_unreachable(settings, error)) from error

    def hello() -> None:
        _say_hello(settings, first, simulated)
        # Not now: the first answer would wait for it.
        asyncio.get_running_loop().call_later(_SETTLED_AFTER_SECONDS, _leave_alone_what_stays)

    server = server_of(service, hello=hello)
    # Uvicorn raises the signal again when everything is done, which would end the process as if it had been killed.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, server.handle_exit)
    await server.serve(sockets=[port])


async def work(settings: Settings, clock: Clock) -> None:
    raise_descriptor_limit()
    try:
        deployment = Deployment(settings, clock, simulated_beside(settings))
    except OSError as error:
        raise SettingsError(_unreachable(settings, error)) from error
    db = deployment.db
    try:
        await require_supported(db)
        await db.write(register_key, deployment.keyring)
        _open_metrics(settings, deployment)
        if settings.database_url is not None:
            db.wakeups.connect(settings.database_url)
        worker = deployment.worker
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, worker.stop)
        deployment.parts.get(StorageWatch).start()
        async with deployment.fenced():
            await worker.begin()
            database = "SQLite" if settings.embedded else "PostgreSQL"
            log.info("worker_started", version=__version__, worker_id=worker.id, database=database)
            _leave_alone_what_stays()
            await worker.run()
    finally:
        await deployment.close()


async def migrate_once(settings: Settings, clock: Clock) -> None:
    db = Database(settings.database, clock)
    try:
        if settings.embedded:
            settings.data_dir.mkdir(parents=True, exist_ok=True)
        changed = await migrate(db)
    except OSError as error:
        raise SettingsError(_unreachable(settings, error)) from error
    finally:
        await db.close()
    word = "migrated to" if changed else "already at"
    click.echo(f"The database is {word} revision {newest_revision()}.")


def _leave_alone_what_stays() -> None:
    """Hide what was loaded from the garbage collector: scanning it took 40 to 70 ms each time."""
    gc.collect()
    gc.freeze()
    gc.enable()


def _make_data_dir(settings: Settings) -> None:
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"Cannot use the data directory {settings.data_dir}: {error}. Set SOCIALGATE_DATA_DIR to another folder."
        ) from error


def _unreachable(settings: Settings, error: Exception) -> str:
    if settings.embedded:
        return f"Cannot use the data directory {settings.data_dir}: {error}. Set SOCIALGATE_DATA_DIR to another folder."
    return f"Cannot reach the database: {error}. Check SOCIALGATE_DATABASE_URL and that PostgreSQL is running."


def _open_metrics(settings: Settings, deployment: Deployment) -> None:
    if settings.metrics_port is None:
        return
    try:
        server, _ = start_http_server(settings.metrics_port, addr="127.0.0.1", registry=deployment.metrics.registry)
    except OSError as error:
        raise SettingsError(
            f"Cannot listen on 127.0.0.1:{settings.metrics_port} for metrics: {error.strerror}. "
            "Set SOCIALGATE_METRICS_PORT to a free port."
        ) from error
    backlog, loop = deployment.parts.get(Backlog), asyncio.get_running_loop()

    def refresh() -> None:
        # This runs in a thread of the listener. A process that is stopping shows what it knows.
        with suppress(TimeoutError, RuntimeError, CancelledError):
            asyncio.run_coroutine_threadsafe(backlog.refresh(), loop).result(_REFRESH_SECONDS)

    server.set_app(_measured(server.get_app(), refresh))


def _measured(app: Any, refresh: Callable[[], None]) -> Any:
    """Measure first what is measured on demand, and send the header that all other responses have."""

    def respond(environ: Any, start_response: Any) -> Any:
        refresh()

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            return start_response(status, [*headers, ("X-Content-Type-Options", "nosniff")], *more)

        return app(environ, start)

    return respond


def _say_hello(settings: Settings, first: FirstLogin | None, simulated: Simulated | None) -> None:
    """Print the URLs. Secrets are only printed to a terminal: anything else may be a log.

    Where logs are to be JSON, a line of the log says the same: everything on the output of a container must be JSON.
    """
    url = settings.public_url
    if settings.log_format == "json" and not sys.stdout.isatty():
        log.info("started", version=__version__, url=url, sandbox=None if simulated is None else simulated.url)
        return
    click.secho(f"\nSocialgate {__version__}", bold=True)
    click.echo(f"  Console    {url}/console")
    click.echo(f"  API        {url}")
    click.echo(f"  Reference  {url}/docs")
    if simulated is not None:
        click.echo(f"  Sandbox    {simulated.url}  (simulated platforms)")
        click.echo(f"  Receiver   https://127.0.0.1:{simulated.receiver_port}  (receives hook deliveries)")
    else:
        click.echo(f"  Platforms  {platforms_in_words(settings)}")
    if first is not None and sys.stdout.isatty():
        click.echo(f"  Email      {first.email}\n  Password   {first.password}\n  API key    {first.api_key}")
    if settings.embedded:
        click.echo(f"  Sign-in    {settings.data_dir / FILE_NAME}")
    click.echo(f"\n  curl {url}/health\n")
