"""`socialgate doctor`: look at everything that a start depends on, and say how to mend it."""

import os
import socket
from collections.abc import Awaitable, Callable
from typing import get_args

from rich.console import Console
from rich.table import Table

from socialgate.core.clock import Clock
from socialgate.core.db import Database
from socialgate.core.schema import newest_revision, revision_of
from socialgate.core.settings import (
    Settings,
    SettingsError,
    field_types,
    load_settings,
    variable_of,
)

Check = Callable[[Settings, Clock], Awaitable[str]]


class Problem(Exception):
    """What is wrong, and how to mend it."""


async def examine(clock: Clock) -> int:
    """Check everything; the exit code is 0 only if all is well."""
    console = Console()
    try:
        settings = load_settings()
    except SettingsError as error:
        console.print(f"[red]✗[/red] settings: {error}")
        return 2
    console.print("[green]✓[/green] settings can be read")
    console.print(_table(settings))
    failed = 0
    for name, check in CHECKS.items():
        try:
            console.print(f"[green]✓[/green] {name}: {await check(settings, clock)}")
        except Problem as problem:
            failed += 1
            console.print(f"[red]✗[/red] {name}: {problem}")
    return 1 if failed else 0


async def _data_dir(settings: Settings, clock: Clock) -> str:
    del clock
    folder = settings.data_dir
    existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise Problem(f"{folder} cannot be written. Correct its rights or set SOCIALGATE_DATA_DIR.")
    return f"{folder} can be written" if folder.exists() else f"{folder} will be made"


async def _database(settings: Settings, clock: Clock) -> str:
    if settings.embedded and not (settings.data_dir / "socialgate.db").exists():
        return "SQLite, will be made by the first start"
    db = Database(settings.database, clock)
    try:
        revision = await revision_of(db)
    except OSError as error:
        raise Problem(f"it does not answer ({error}). Check SOCIALGATE_DATABASE_URL.") from error
    finally:
        await db.close()
    if revision != newest_revision():
        raise Problem(f"it is at revision {revision or 'none'}, not {newest_revision()}. Run `socialgate migrate`.")
    return f"reached, at revision {revision}"


async def _port(settings: Settings, clock: Clock) -> str:
    del clock
    with socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            raise Problem(
                f"{settings.host}:{settings.port} is not free ({error.strerror}). Stop what holds it "
                "(perhaps a running Socialgate) or set SOCIALGATE_PORT."
            ) from error
    return f"{settings.host}:{settings.port} is free"


async def _exposure(settings: Settings, clock: Clock) -> str:
    del clock
    if not settings.on_loopback and not settings.public_url.startswith("https://"):
        raise Problem(
            "the service listens beyond this machine, but SOCIALGATE_BASE_URL is not https. "
            "Put a TLS proxy in front and set SOCIALGATE_BASE_URL to its address."
        )
    if not settings.on_loopback and settings.signup == "open":
        return "anyone who reaches it may register (SOCIALGATE_SIGNUP=open)"
    return "loopback only" if settings.on_loopback else f"reached as {settings.public_url}"


CHECKS: dict[str, Check] = {
    "data directory": _data_dir,
    "database": _database,
    "port": _port,
    "exposure": _exposure,
}


def _table(settings: Settings) -> Table:
    table = Table("Setting", "Value", "What it is", show_lines=False)
    for name, kind in field_types().items():
        value = getattr(settings, name)
        shown = "***" if value and ("token" in name or name == "database_url") else str(value)
        table.add_row(variable_of(name), "" if value is None else shown, description_of(kind))
    return table


def description_of(kind: object) -> str:
    """Find a setting's description in its annotation."""
    return next(str(meta.description) for meta in reversed(get_args(kind)[1:]) if meta.description)
