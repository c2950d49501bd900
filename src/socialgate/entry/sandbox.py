"""The simulated platforms: as a process of their own, or inside `serve`. Nothing else imports `socialgate.sandbox`."""

import asyncio
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog
from rich.console import Console

from socialgate.core.settings import Settings, SettingsError
from socialgate.entry.connections import sandbox_protocol
from socialgate.entry.descriptors import raise_descriptor_limit
from socialgate.entry.platforms import Simulated
from socialgate.sandbox.certificates import CA_FILE
from socialgate.sandbox.server import run_sandbox as run
from socialgate.sandbox.settings import SandboxSettings
from socialgate.sandbox.vendors import ALL
from socialgate.web.connections import DEFAULT_LIMITS, Limits


@asynccontextmanager
async def start_sandbox(settings: Settings, limits: Limits = DEFAULT_LIMITS) -> AsyncIterator[SandboxSettings]:
    """Run the sandbox in this loop as long as the block does. Gives the ports that it really has."""
    port = settings.sandbox_port
    wanted = SandboxSettings(
        data_dir=settings.data_dir,
        port=port,
        receiver_port=port + 1 if port else 0,
        gateway_url=settings.public_url,
    )
    async with AsyncExitStack() as stack:
        try:
            opened = await stack.enter_async_context(run(wanted, ALL, sandbox_protocol(settings, limits)))
        except (OSError, sqlite3.Error) as error:
            raise SettingsError(
                f"Cannot run the sandbox on ports {wanted.port} and {wanted.receiver_port} with its data in "
                f"{wanted.data_dir}: {error}. Set SOCIALGATE_SANDBOX_PORT or SOCIALGATE_DATA_DIR to another."
            ) from error
        yield opened


@asynccontextmanager
async def simulate(settings: Settings, limits: Limits = DEFAULT_LIMITS) -> AsyncIterator[Simulated]:
    """Run the sandbox inside `serve`, in the place of platforms that the settings name no app for."""
    async with start_sandbox(settings, limits) as opened:
        yield Simulated(url=opened.public_url, receiver_port=opened.receiver_port, ca_file=opened.data_dir / CA_FILE)


async def run_sandbox(settings: Settings) -> None:
    """Run the sandbox until somebody ends the process."""
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
    console.print(f"  Receiver   https://{opened.host}:{opened.receiver_port}/")
    console.print(f"  Trust      {opened.data_dir / CA_FILE}\n")
