"""The simulated platforms: as a separate process, or inside `serve`.

Nothing else imports `socialgate_sandbox`, which may not be installed: see `require_sandbox` in `sandbox_package.py`.
"""

import asyncio
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from importlib import import_module

import click
import msgspec
import structlog

from socialgate.contracts.platforms import Platform
from socialgate.core.settings import Settings, SettingsError
from socialgate.entry.announcing import get_deployment_name
from socialgate.entry.connections import build_sandbox_protocol
from socialgate.entry.file_descriptors import raise_descriptor_limit
from socialgate.entry.platforms import SandboxConnection
from socialgate.entry.sandbox_keys import CONTROL_USER, SandboxKeys, load_sandbox_keys
from socialgate.web.connections import DEFAULT_CONNECTION_LIMITS, ConnectionLimits
from socialgate_sandbox.kernel.certificates import CA_FILE_NAME, load_certificates
from socialgate_sandbox.kernel.ports import ListeningSockets, open_ports
from socialgate_sandbox.kernel.settings import AppRegistration, ControlCredentials, SandboxSettings

# Long enough for the service to have given its first answers.
_LOAD_SANDBOX_AFTER_SECONDS = 2.5


@contextmanager
def _open_ports(settings: Settings, deployment: str) -> Iterator[tuple[SandboxSettings, ListeningSockets]]:
    """Open its ports. It has no host setting: it always listens on loopback."""
    port = settings.sandbox_port
    sandbox_settings = SandboxSettings(
        data_dir=settings.data_dir,
        port=port,
        receiver_port=port + 1 if port else 0,
        gateway_url=settings.public_url,
        deployment=deployment,
    )
    with ExitStack() as stack:
        with _explain_failures(sandbox_settings):
            password = load_sandbox_keys(settings.data_dir).control_password
            control = None if settings.is_local_only else ControlCredentials(CONTROL_USER, password)
            opened = stack.enter_context(
                open_ports(msgspec.structs.replace(sandbox_settings, control_credentials=control))
            )
        yield opened


@contextmanager
def _explain_failures(sandbox_settings: SandboxSettings) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise SettingsError(
            f"Cannot run the sandbox on ports {sandbox_settings.port} and {sandbox_settings.receiver_port} with "
            "its data in "
            f"{sandbox_settings.data_dir}: {error}. Set SOCIALGATE_SANDBOX_PORT or SOCIALGATE_DATA_DIR to another "
            "value."
        ) from error


@asynccontextmanager
async def _run_sandbox_server(
    settings: Settings,
    opened: SandboxSettings,
    ports: ListeningSockets,
    limits: ConnectionLimits = DEFAULT_CONNECTION_LIMITS,
) -> AsyncIterator[None]:
    """Load the simulated platforms, in a thread because that takes a while, and run them as long as the block does."""
    await asyncio.get_running_loop().run_in_executor(None, _import_sandbox)
    from socialgate_sandbox.server import run_sandbox_on_ports  # noqa: PLC0415 - loaded just now
    from socialgate_sandbox.vendors import ALL_VENDORS  # noqa: PLC0415 - loaded just now

    keys = load_sandbox_keys(settings.data_dir)
    apps = {vendor.name: _build_app_registration(vendor.app, vendor.name, keys) for vendor in ALL_VENDORS}
    known = msgspec.structs.replace(opened, apps=apps)
    async with run_sandbox_on_ports(ports, known, ALL_VENDORS, build_sandbox_protocol(settings, limits)) as upgrade:
        if upgrade.backup_path is not None:
            structlog.get_logger().warning("sandbox_data_kept", file=str(upgrade.backup_path), detail=str(upgrade))
        yield


def _import_sandbox() -> None:
    import_module("socialgate_sandbox.server")
    import_module("socialgate_sandbox.vendors")


def _build_app_registration(usual: AppRegistration, vendor: str, keys: SandboxKeys) -> AppRegistration:
    if vendor == "stripe":
        more = {"webhook_secret": keys.stripe.webhook_secret, **keys.stripe.prices}
        return msgspec.structs.replace(usual, secret=keys.stripe.secret_key, more=more)
    app = keys.services.get(vendor) or keys.apps[Platform(vendor)]
    return msgspec.structs.replace(usual, id=app.id, secret=app.secret, verify_token=app.verify_token)


@asynccontextmanager
async def run_embedded_sandbox(
    settings: Settings, limits: ConnectionLimits = DEFAULT_CONNECTION_LIMITS
) -> AsyncIterator[SandboxConnection]:
    """Run the sandbox inside `serve`, in place of the platforms for which no app is configured.

    Its ports are open at once. It is loaded with the first connection, or shortly after the start, so that the service
    need not wait for it.
    """
    # A data directory may be moved: its own deployment then has another address, but the same name.
    deployment = "own" if settings.uses_sqlite else get_deployment_name(settings)
    with _open_ports(settings, deployment) as (opened, ports):
        with _explain_failures(opened):
            load_certificates(opened.data_dir)
        event, ended = _watch_first_use(ports), asyncio.Event()
        running = asyncio.create_task(_run_sandbox_on_first_use(event, ended, settings, opened, ports, limits))
        around = asyncio.current_task()
        assert around is not None, "it runs in a loop"
        running.add_done_callback(lambda done: around.cancel() if not done.cancelled() and done.exception() else None)
        try:
            yield SandboxConnection(
                url=opened.public_url,
                receiver_port=opened.receiver_port,
                ca_file=opened.data_dir / CA_FILE_NAME,
                keys=load_sandbox_keys(settings.data_dir),
                requires_password=opened.control_credentials is not None,
            )
        except asyncio.CancelledError:
            if running.done():
                running.result()
            raise
        finally:
            ended.set()
            event.set()
            await asyncio.wait([running])


def _watch_first_use(ports: ListeningSockets) -> asyncio.Event:
    """Return an event that is set by the first connection, or after a moment."""
    event = asyncio.Event()
    loop = asyncio.get_running_loop()
    for port in ports:
        loop.add_reader(port, event.set)
    loop.call_later(_LOAD_SANDBOX_AFTER_SECONDS, event.set)
    return event


async def _run_sandbox_on_first_use(
    event: asyncio.Event,
    ended: asyncio.Event,
    settings: Settings,
    opened: SandboxSettings,
    ports: ListeningSockets,
    limits: ConnectionLimits,
) -> None:
    await event.wait()
    for port in ports:
        asyncio.get_running_loop().remove_reader(port)
    if not ended.is_set():
        with _explain_failures(opened):
            async with _run_sandbox_server(settings, opened, ports, limits):
                await ended.wait()


async def run_sandbox(settings: Settings) -> None:
    """Run the sandbox until the process is stopped."""
    raise_descriptor_limit()
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    with _open_ports(settings, "") as (opened, ports), _explain_failures(opened):
        async with _run_sandbox_server(settings, opened, ports):
            _print_startup_message(opened)
            structlog.get_logger().info("sandbox started", url=opened.public_url)
            await ended.wait()


def _print_startup_message(opened: SandboxSettings) -> None:
    click.secho("\nSocialgate sandbox", bold=True)
    click.echo(f"  Page       {opened.public_url}/")
    click.echo(f"  Controls   {opened.public_url}/_control")
    if opened.control_credentials is not None and sys.stdout.isatty():
        click.echo(f"  Sign-in    {opened.control_credentials.user}, password {opened.control_credentials.password}")
    click.echo(f"  Receiver   https://{opened.host}:{opened.receiver_port}/")
    click.echo(f"  Trust      {opened.data_dir / CA_FILE_NAME}\n")
