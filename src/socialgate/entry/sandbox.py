"""The simulated platforms: as a separate process, or inside `serve`. Nothing else imports `socialgate.sandbox`."""

import asyncio
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import msgspec
import structlog
from rich.console import Console

from socialgate.contracts.platforms import Platform
from socialgate.core.settings import Settings, SettingsError
from socialgate.entry.connections import sandbox_protocol
from socialgate.entry.descriptors import raise_descriptor_limit
from socialgate.entry.platforms import Simulated
from socialgate.entry.sandbox_keys import CONTROL_USER, SandboxKeys, sandbox_keys
from socialgate.sandbox.certificates import CA_FILE
from socialgate.sandbox.server import run_sandbox as run
from socialgate.sandbox.settings import App, Control, SandboxSettings
from socialgate.sandbox.vendors import ALL
from socialgate.web.connections import DEFAULT_LIMITS, Limits


@asynccontextmanager
async def start_sandbox(settings: Settings, limits: Limits = DEFAULT_LIMITS) -> AsyncIterator[SandboxSettings]:
    """Run the sandbox in this event loop for the duration of the block. Returns the actual ports."""
    port = settings.sandbox_port
    # It has no host setting: it always listens on loopback.
    wanted = SandboxSettings(
        data_dir=settings.data_dir,
        port=port,
        receiver_port=port + 1 if port else 0,
        gateway_url=settings.public_url,
    )
    async with AsyncExitStack() as stack:
        try:
            keys = sandbox_keys(settings.data_dir)
            control = None if settings.for_this_machine else Control(CONTROL_USER, keys.control_password)
            wanted = msgspec.structs.replace(wanted, apps=_apps(keys), control=control)
            opened = await stack.enter_async_context(run(wanted, ALL, sandbox_protocol(settings, limits)))
        except (OSError, sqlite3.Error) as error:
            raise SettingsError(
                f"Cannot run the sandbox on ports {wanted.port} and {wanted.receiver_port} with its data in "
                f"{wanted.data_dir}: {error}. Set SOCIALGATE_SANDBOX_PORT or SOCIALGATE_DATA_DIR to another value."
            ) from error
        yield opened


def _apps(keys: SandboxKeys) -> dict[str, App]:
    known = [(vendor, keys.apps[Platform(vendor.name)]) for vendor in ALL]
    return {
        vendor.name: msgspec.structs.replace(vendor.app, id=app.id, secret=app.secret, verify_token=app.verify_token)
        for vendor, app in known
    }


@asynccontextmanager
async def simulate(settings: Settings, limits: Limits = DEFAULT_LIMITS) -> AsyncIterator[Simulated]:
    """Run the sandbox inside `serve`, for platforms without a configured app."""
    async with start_sandbox(settings, limits) as opened:
        yield Simulated(
            url=opened.public_url,
            receiver_port=opened.receiver_port,
            ca_file=opened.data_dir / CA_FILE,
            keys=sandbox_keys(settings.data_dir),
            guarded=opened.control is not None,
        )


async def run_sandbox(settings: Settings) -> None:
    """Run the sandbox until the process is stopped."""
    raise_descriptor_limit()
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    async with start_sandbox(settings) as opened:
        _say_hello(opened)
        structlog.get_logger().info("sandbox started", url=opened.public_url)
        await ended.wait()


def _say_hello(opened: SandboxSettings) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print("\n[bold]Socialgate sandbox[/bold]")
    console.print(f"  Page       {opened.public_url}/")
    console.print(f"  Controls   {opened.public_url}/_control")
    if opened.control is not None and sys.stdout.isatty():
        console.print(f"  Sign-in    {opened.control.user}, password {opened.control.password}")
    console.print(f"  Receiver   https://{opened.host}:{opened.receiver_port}/")
    console.print(f"  Trust      {opened.data_dir / CA_FILE}\n")
