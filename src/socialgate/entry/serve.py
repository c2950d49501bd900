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
from socialgate.core.backlog import BacklogMonitor
from socialgate.core.clock import Clock
from socialgate.core.db import Database
from socialgate.core.encryption import register_key
from socialgate.core.errors import Unavailable
from socialgate.core.schema_migration import get_newest_revision, migrate, require_supported_schema
from socialgate.core.settings import Settings, SettingsError
from socialgate.core.storage_watch import StorageWatch
from socialgate.entry.announcing import keep_announcing_to_sandbox
from socialgate.entry.api_server import build_server, open_socket, prepare_data
from socialgate.entry.deployment import Deployment
from socialgate.entry.file_descriptors import raise_descriptor_limit
from socialgate.entry.first_start import FIRST_LOGIN_FILE_NAME, FirstLogin, keep_login_file_urls_current
from socialgate.entry.platforms import SandboxConnection, describe_platforms, find_local_sandbox
from socialgate.entry.sandbox_package import require_sandbox

# By then the connectors are loaded too.
_FREEZE_GC_AFTER_SECONDS = 3.0
_BACKLOG_REFRESH_TIMEOUT_SECONDS = 10.0

log = structlog.get_logger(__name__)


async def serve(settings: Settings, clock: Clock) -> None:
    raise_descriptor_limit()
    port, settings = open_socket(settings)
    async with AsyncExitStack() as stack:
        simulated = None
        if settings.sandbox_url is not None and settings.simulates_platforms:
            _create_data_dir(settings)
            simulated = find_local_sandbox(settings)
            assert simulated is not None, "its URL is set"
            await stack.enter_async_context(keep_announcing_to_sandbox(settings, simulated))
        elif settings.simulates_platforms:
            require_sandbox()
            from socialgate.entry.sandbox import run_embedded_sandbox  # noqa: PLC0415 - real platforms have no use for it

            _create_data_dir(settings)
            simulated = await stack.enter_async_context(run_embedded_sandbox(settings))
        await _serve(settings, clock, port, simulated, stack)


async def _serve(
    settings: Settings, clock: Clock, port: socket.socket, simulated: SandboxConnection | None, stack: AsyncExitStack
) -> None:
    try:
        service = Deployment(settings, clock, simulated)
        first = await prepare_data(service)
        # Here, and not after the server has started, so that an invalid key is reported in one line.
        await service.db.write(register_key, service.keyring)
        if settings.uses_sqlite:
            stack.enter_context(keep_login_file_urls_current(settings, simulated))
        _start_metrics_server(settings, service)
    except (Unavailable, OSError) as error:
        raise SettingsError(_build_unreachable_message(settings, error)) from error

    def hello() -> None:
        _print_startup_message(settings, first, simulated)
        # Not now: the first answer would wait for it.
        asyncio.get_running_loop().call_later(_FREEZE_GC_AFTER_SECONDS, _freeze_gc)

    server = build_server(service, on_started=hello)
    # Uvicorn raises the signal again when everything is done, which would end the process as if it had been killed.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, server.handle_exit)
    await server.serve(sockets=[port])


async def run_worker(settings: Settings, clock: Clock) -> None:
    raise_descriptor_limit()
    try:
        deployment = Deployment(settings, clock, find_local_sandbox(settings))
    except OSError as error:
        raise SettingsError(_build_unreachable_message(settings, error)) from error
    db = deployment.db
    try:
        await require_supported_schema(db)
        await db.write(register_key, deployment.keyring)
        _start_metrics_server(settings, deployment)
        if settings.database_url is not None:
            db.wakeups.connect(settings.database_url)
        worker = deployment.worker
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, worker.stop)
        deployment.container.get(StorageWatch).start()
        async with deployment.run_restore_fence():
            await worker.announce_start()
            database = "SQLite" if settings.uses_sqlite else "PostgreSQL"
            log.info("worker_started", version=__version__, worker_id=worker.id, database=database)
            _freeze_gc()
            await worker.run()
    finally:
        await deployment.close()


async def run_migration(settings: Settings, clock: Clock) -> None:
    db = Database(settings.effective_database_url, clock)
    try:
        if settings.uses_sqlite:
            settings.data_dir.mkdir(parents=True, exist_ok=True)
        changed = await migrate(db)
    except OSError as error:
        raise SettingsError(_build_unreachable_message(settings, error)) from error
    finally:
        await db.close()
    word = "migrated to" if changed else "already at"
    click.echo(f"The database is {word} revision {get_newest_revision()}.")


def _freeze_gc() -> None:
    """Hide what was loaded from the garbage collector: scanning it took 40 to 70 ms each time."""
    gc.collect()
    gc.freeze()
    gc.enable()


def _create_data_dir(settings: Settings) -> None:
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"Cannot use the data directory {settings.data_dir}: {error}. Set SOCIALGATE_DATA_DIR to another folder."
        ) from error


def _build_unreachable_message(settings: Settings, error: Exception) -> str:
    if settings.uses_sqlite:
        return f"Cannot use the data directory {settings.data_dir}: {error}. Set SOCIALGATE_DATA_DIR to another folder."
    return f"Cannot reach the database: {error}. Check SOCIALGATE_DATABASE_URL and that PostgreSQL is running."


def _start_metrics_server(settings: Settings, deployment: Deployment) -> None:
    if settings.metrics_port is None:
        return
    try:
        server, _ = start_http_server(settings.metrics_port, addr="127.0.0.1", registry=deployment.metrics.registry)
    except OSError as error:
        raise SettingsError(
            f"Cannot listen on 127.0.0.1:{settings.metrics_port} for metrics: {error.strerror}. "
            "Set SOCIALGATE_METRICS_PORT to a free port."
        ) from error
    backlog, loop = deployment.container.get(BacklogMonitor), asyncio.get_running_loop()

    def refresh() -> None:
        # This runs in a thread of the listener. A process that is stopping shows what it knows.
        with suppress(TimeoutError, RuntimeError, CancelledError):
            asyncio.run_coroutine_threadsafe(backlog.refresh(), loop).result(_BACKLOG_REFRESH_TIMEOUT_SECONDS)

    server.set_app(_wrap_metrics_app(server.get_app(), refresh))


def _wrap_metrics_app(app: Any, refresh: Callable[[], None]) -> Any:
    """Measure first what is measured on demand, and send the header that all other responses have."""

    def respond(environ: Any, start_response: Any) -> Any:
        refresh()

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            return start_response(status, [*headers, ("X-Content-Type-Options", "nosniff")], *more)

        return app(environ, start)

    return respond


def _print_startup_message(settings: Settings, first: FirstLogin | None, simulated: SandboxConnection | None) -> None:
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
    click.echo(f"  Docs       {url}/docs")
    if simulated is not None:
        click.echo(f"  Sandbox    {simulated.url}  (simulated platforms)")
        click.echo(f"  Receiver   https://127.0.0.1:{simulated.receiver_port}  (receives hook deliveries)")
    else:
        click.echo(f"  Platforms  {describe_platforms(settings)}")
    if first is not None and sys.stdout.isatty():
        click.echo(f"  Email      {first.email}\n  Password   {first.password}\n  API key    {first.api_key}")
    if settings.uses_sqlite:
        click.echo(f"  Sign-in    {settings.data_dir / FIRST_LOGIN_FILE_NAME}")
    click.echo(f"\n  curl {url}/health\n")
