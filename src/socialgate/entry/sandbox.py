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
from socialgate.entry.announcing import deployment_of
from socialgate.entry.connections import sandbox_protocol
from socialgate.entry.descriptors import raise_descriptor_limit
from socialgate.entry.platforms import Simulated
from socialgate.entry.sandbox_keys import CONTROL_USER, SandboxKeys, sandbox_keys
from socialgate.web.connections import DEFAULT_LIMITS, Limits
from socialgate_sandbox.kernel.certificates import CA_FILE, certificates_in
from socialgate_sandbox.kernel.ports import Ports, open_ports
from socialgate_sandbox.kernel.settings import App, Control, SandboxSettings

# Long enough for the service to have given its first answers.
_LOAD_AFTER_SECONDS = 2.5


@contextmanager
def _opened(settings: Settings, deployment: str) -> Iterator[tuple[SandboxSettings, Ports]]:
    """Open its ports. It has no host setting: it always listens on loopback."""
    port = settings.sandbox_port
    wanted = SandboxSettings(
        data_dir=settings.data_dir,
        port=port,
        receiver_port=port + 1 if port else 0,
        gateway_url=settings.public_url,
        deployment=deployment,
    )
    with ExitStack() as stack:
        with _failures_explained(wanted):
            password = sandbox_keys(settings.data_dir).control_password
            control = None if settings.for_this_machine else Control(CONTROL_USER, password)
            opened = stack.enter_context(open_ports(msgspec.structs.replace(wanted, control=control)))
        yield opened


@contextmanager
def _failures_explained(wanted: SandboxSettings) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise SettingsError(
            f"Cannot run the sandbox on ports {wanted.port} and {wanted.receiver_port} with its data in "
            f"{wanted.data_dir}: {error}. Set SOCIALGATE_SANDBOX_PORT or SOCIALGATE_DATA_DIR to another value."
        ) from error


@asynccontextmanager
async def _running(
    settings: Settings, opened: SandboxSettings, ports: Ports, limits: Limits = DEFAULT_LIMITS
) -> AsyncIterator[None]:
    """Load the simulated platforms, in a thread because that takes a while, and run them as long as the block does."""
    await asyncio.get_running_loop().run_in_executor(None, _load)
    from socialgate_sandbox.server import run_on  # noqa: PLC0415 - loaded just now
    from socialgate_sandbox.vendors import ALL  # noqa: PLC0415 - loaded just now

    keys = sandbox_keys(settings.data_dir)
    apps = {vendor.name: _app(vendor.app, vendor.name, keys) for vendor in ALL}
    known = msgspec.structs.replace(opened, apps=apps)
    async with run_on(ports, known, ALL, sandbox_protocol(settings, limits)) as upgrade:
        if upgrade.kept_as is not None:
            structlog.get_logger().warning("sandbox_data_kept", file=str(upgrade.kept_as), detail=str(upgrade))
        yield


def _load() -> None:
    import_module("socialgate_sandbox.server")
    import_module("socialgate_sandbox.vendors")


def _app(usual: App, vendor: str, keys: SandboxKeys) -> App:
    if vendor == "stripe":
        more = {"webhook_secret": keys.stripe.webhook_secret, **keys.stripe.prices}
        return msgspec.structs.replace(usual, secret=keys.stripe.secret_key, more=more)
    app = keys.services.get(vendor) or keys.apps[Platform(vendor)]
    return msgspec.structs.replace(usual, id=app.id, secret=app.secret, verify_token=app.verify_token)


@asynccontextmanager
async def simulate(settings: Settings, limits: Limits = DEFAULT_LIMITS) -> AsyncIterator[Simulated]:
    """Run the sandbox inside `serve`, in place of the platforms for which no app is configured.

    Its ports are open at once. It is loaded with the first connection, or shortly after the start, so that the service
    need not wait for it.
    """
    # A data directory may be moved: its own deployment then has another address, but the same name.
    deployment = "own" if settings.embedded else deployment_of(settings)
    with _opened(settings, deployment) as (opened, ports):
        with _failures_explained(opened):
            certificates_in(opened.data_dir)
        wanted, ended = _first_use(ports), asyncio.Event()
        running = asyncio.create_task(_run_when(wanted, ended, settings, opened, ports, limits))
        around = asyncio.current_task()
        assert around is not None, "it runs in a loop"
        running.add_done_callback(lambda done: around.cancel() if not done.cancelled() and done.exception() else None)
        try:
            yield Simulated(
                url=opened.public_url,
                receiver_port=opened.receiver_port,
                ca_file=opened.data_dir / CA_FILE,
                keys=sandbox_keys(settings.data_dir),
                guarded=opened.control is not None,
            )
        except asyncio.CancelledError:
            if running.done():
                running.result()
            raise
        finally:
            ended.set()
            wanted.set()
            await asyncio.wait([running])


def _first_use(ports: Ports) -> asyncio.Event:
    """Return an event that is set by the first connection, or after a moment."""
    wanted = asyncio.Event()
    loop = asyncio.get_running_loop()
    for port in ports:
        loop.add_reader(port, wanted.set)
    loop.call_later(_LOAD_AFTER_SECONDS, wanted.set)
    return wanted


async def _run_when(
    wanted: asyncio.Event,
    ended: asyncio.Event,
    settings: Settings,
    opened: SandboxSettings,
    ports: Ports,
    limits: Limits,
) -> None:
    await wanted.wait()
    for port in ports:
        asyncio.get_running_loop().remove_reader(port)
    if not ended.is_set():
        with _failures_explained(opened):
            async with _running(settings, opened, ports, limits):
                await ended.wait()


async def run_sandbox(settings: Settings) -> None:
    """Run the sandbox until the process is stopped."""
    raise_descriptor_limit()
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    with _opened(settings, "") as (opened, ports), _failures_explained(opened):
        async with _running(settings, opened, ports):
            _say_hello(opened)
            structlog.get_logger().info("sandbox started", url=opened.public_url)
            await ended.wait()


def _say_hello(opened: SandboxSettings) -> None:
    click.secho("\nSocialgate sandbox", bold=True)
    click.echo(f"  Page       {opened.public_url}/")
    click.echo(f"  Controls   {opened.public_url}/_control")
    if opened.control is not None and sys.stdout.isatty():
        click.echo(f"  Sign-in    {opened.control.user}, password {opened.control.password}")
    click.echo(f"  Receiver   https://{opened.host}:{opened.receiver_port}/")
    click.echo(f"  Trust      {opened.data_dir / CA_FILE}\n")
