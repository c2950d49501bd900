"""`socialgate doctor`: check everything that a start depends on, and say how to fix it."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable
from http.client import HTTPConnection, HTTPException
from typing import Any, get_args

import msgspec
import sqlalchemy as sa
from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from socialgate.contracts.failures import PlatformFailure
from socialgate.core.clock import Clock
from socialgate.core.db import Database
from socialgate.core.errors import StorageFull, Unavailable
from socialgate.core.restores import counts
from socialgate.core.schema import newest_revision, require_supported, revision_of
from socialgate.core.secrets import FILE_NAME as KEY_FILE
from socialgate.core.secrets import load_keyring, registered_keys
from socialgate.core.settings import (
    REFERENCE,
    Settings,
    SettingsError,
    field_types,
    is_secret,
    load_settings,
    variable_of,
)
from socialgate.core.storage import open_storage
from socialgate.core.storage_watch import outage_of
from socialgate.entry.billing import plans_in_words
from socialgate.entry.descriptors import descriptor_limit, raise_descriptor_limit, room_for_clients
from socialgate.entry.generators import provider_in_words
from socialgate.entry.platforms import platforms_in_words
from socialgate.entry.restoring import COMMAND, in_words
from socialgate.entry.sandbox_package import require_sandbox

Check = Callable[[Settings, Clock], Awaitable[str]]
_ANSWER_WITHIN_SECONDS = 2


class Problem(Exception):
    """What is wrong, and how to fix it."""


async def examine(clock: Clock) -> int:
    """Check everything; the exit code is 0 only if everything is fine."""
    console = Console(highlight=False, soft_wrap=True)
    try:
        settings = load_settings()
    except SettingsError as error:
        console.print(f"[red]✗[/red] settings: {escape(str(error))}")
        if REFERENCE not in str(error):
            console.print(f"{REFERENCE} describes every setting.")
        return 2
    failed = 0
    console.print("[green]✓[/green] settings: valid")
    for name, check in CHECKS.items():
        try:
            console.print(f"[green]✓[/green] {name}: {escape(await check(settings, clock))}")
        except (Problem, SettingsError) as problem:
            failed += 1
            console.print(f"[red]✗[/red] {name}: {escape(str(problem))}")
    console.print(_changed_settings(settings))
    return 1 if failed else 0


async def _data_dir(settings: Settings, clock: Clock) -> str:
    del clock
    folder = settings.data_dir.absolute()
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise Problem(f"{folder} is not writable. Fix its permissions or set SOCIALGATE_DATA_DIR.")
    return f"{folder} is writable" if folder.exists() else f"{folder} will be created"


async def _database(settings: Settings, clock: Clock) -> str:
    if settings.embedded and not (settings.data_dir / "socialgate.db").exists():
        return "SQLite, will be created by the first start"
    db = Database(settings.database, clock)
    try:
        revision = await revision_of(db)
        if settings.embedded and (revision or "") < newest_revision():
            return f"SQLite, at revision {revision}; the next start migrates it to {newest_revision()}"
        await require_supported(db)
        held = await db.read(counts)
    finally:
        await db.close()
    if held:
        raise Problem(f"a backup was restored, and {in_words(held)} wait for your decision. Run `{COMMAND}`.")
    kind = "SQLite" if settings.embedded else "PostgreSQL"
    newer = "" if revision == newest_revision() else f"; this version only knows {newest_revision()}, but can use it"
    return f"{kind}, at revision {revision}{newer}"


async def _port(settings: Settings, clock: Clock) -> str:
    del clock
    place = f"{settings.host}:{settings.port}"
    with socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except socket.gaierror as error:
            raise Problem(f"{settings.host} is not an address of this machine. Correct SOCIALGATE_HOST.") from error
        except OSError as error:
            version = await asyncio.to_thread(_running_version, settings)
            if version is not None:
                return f"{place} is in use by a running Socialgate {version}"
            raise Problem(
                f"{place} cannot be used ({error.strerror}). Stop the program that uses it or set SOCIALGATE_PORT."
            ) from error
    return f"{place} is free"


def _running_version(settings: Settings) -> str | None:
    """Ask the program that uses the port whether it is a Socialgate."""
    connection = HTTPConnection(settings.host, settings.port, timeout=_ANSWER_WITHIN_SECONDS)
    try:
        connection.request("GET", "/health")
        health = msgspec.json.decode(connection.getresponse().read())
        return str(health["version"])
    except (OSError, HTTPException, msgspec.DecodeError, KeyError, TypeError):
        return None
    finally:
        connection.close()


async def _exposure(settings: Settings, clock: Clock) -> str:
    del clock
    if settings.for_this_machine:
        return "loopback only"
    if not settings.public_url.startswith("https://"):
        raise Problem(
            "other machines can reach the service, but SOCIALGATE_BASE_URL is not https. Put a TLS proxy in front and "
            "set SOCIALGATE_BASE_URL to its URL."
        )
    who = ", and anyone who can reach it may register (SOCIALGATE_SIGNUP=open)" if settings.signup == "open" else ""
    return f"reachable at {settings.public_url}{who}"


async def _storage(settings: Settings, clock: Clock) -> str:
    del clock
    if settings.storage_url is None and not (settings.data_dir / "media").exists():
        return "the folder for media files will be created by the first start"
    storage = open_storage(settings)
    outage = await outage_of(storage)
    if outage is not None:
        raise Problem(f"{outage.detail} {_remedy(settings, outage)}")
    if storage.shortage is not None:
        raise Problem(storage.shortage)
    if settings.storage_url is not None:
        return f"media files are stored in {settings.storage_url}; writing, reading and deleting one works"
    if settings.embedded:
        return f"media files are stored in {settings.data_dir / 'media'}"
    return (
        f"media files are stored in {settings.data_dir / 'media'} on each node. With more than one node, set "
        "SOCIALGATE_STORAGE_URL to an object store that all of them share"
    )


def _remedy(settings: Settings, outage: Unavailable) -> str:
    if isinstance(outage, StorageFull):
        return ""
    if settings.storage_url is None:
        return f"Check the permissions of {settings.data_dir.absolute() / 'media'}."
    return (
        f"It is {settings.storage_url}. Check SOCIALGATE_STORAGE_URL, the network, and the credentials in the "
        "environment (such as AWS_ACCESS_KEY_ID), which must allow writing, reading and deleting."
    )


async def _keys(settings: Settings, clock: Clock) -> str:
    if settings.secret_key is None and not (settings.data_dir / KEY_FILE).exists():
        return "one will be created by the first start"
    keyring = load_keyring(settings)
    if settings.embedded and not settings.sqlite_path.exists():
        return f"{keyring.current_id} will encrypt secrets"
    db = Database(settings.database, clock)
    try:
        found = await db.read(registered_keys, keyring) if (await revision_of(db) or "") >= newest_revision() else []
    finally:
        await db.close()
    older = [key_id for key_id in found if key_id != keyring.current_id]
    if older:
        return (
            f"{keyring.current_id} encrypts, {', '.join(older)} may still be needed to decrypt; run `socialgate "
            "reseal` to re-encrypt everything, then remove them"
        )
    return f"{keyring.current_id} encrypts everything"


async def _platforms(settings: Settings, clock: Clock) -> str:
    del clock
    if settings.simulates_platforms and settings.sandbox_url is None:
        require_sandbox()
    return platforms_in_words(settings)


async def _ai(settings: Settings, clock: Clock) -> str:
    try:
        return await provider_in_words(settings, clock)
    except PlatformFailure as failure:
        raise Problem(failure.explained) from failure


async def _plans(settings: Settings, clock: Clock) -> str:
    del clock
    return plans_in_words(settings)


async def _open_files(settings: Settings, clock: Clock) -> str:
    """Every connection uses a file descriptor. A start raises the limit, so the doctor checks the raised one."""
    del clock
    raise_descriptor_limit()
    limit, room = descriptor_limit(), room_for_clients()
    if room < settings.connections:
        raise Problem(
            f"a process may have {limit} open files, which is enough for {room} client connections but not for "
            f"{settings.connections}. Raise the hard limit (`ulimit -Hn`, LimitNOFILE in systemd) or lower "
            "SOCIALGATE_CONNECTIONS."
        )
    return f"a process may have {limit} open files, enough for {settings.connections} client connections"


CHECKS: dict[str, Check] = {
    "data directory": _data_dir,
    "database": _database,
    "port": _port,
    "exposure": _exposure,
    "platforms": _platforms,
    "ai": _ai,
    "media": _storage,
    "plans": _plans,
    "keys": _keys,
    "open files": _open_files,
}


def _changed_settings(settings: Settings) -> Table | str:
    """Show the settings that differ from their defaults: those that an operator chose, or set by mistake."""
    defaults = Settings()
    changed = [name for name in field_types() if getattr(settings, name) != getattr(defaults, name)]
    if not changed:
        return "All settings have their defaults."
    table = Table(Column("Changed setting", no_wrap=True), Column("Value", overflow="fold"), box=SIMPLE)
    for name in changed:
        table.add_row(variable_of(name), escape(_shown(name, getattr(settings, name))))
    return table


def _shown(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name == "database_url":
        url = sa.make_url(value)
        return sa.URL.create("postgresql", host=url.host, port=url.port, database=url.database).render_as_string()
    return "***" if is_secret(name) else str(value)


def description_of(kind: object) -> str:
    """Find a setting's description in its annotation."""
    return next(str(meta.description) for meta in reversed(get_args(kind)[1:]) if meta.description)
