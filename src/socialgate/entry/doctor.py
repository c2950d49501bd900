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
from socialgate.core.encryption import KEY_FILE_NAME as KEY_FILE
from socialgate.core.encryption import list_registered_keys, load_keyring
from socialgate.core.errors import StorageFull, Unavailable
from socialgate.core.restores import count_holds
from socialgate.core.schema_migration import get_newest_revision, get_revision, require_supported_schema
from socialgate.core.settings import (
    SETTINGS_PAGE,
    Settings,
    SettingsError,
    get_env_variable,
    get_setting_types,
    is_secret,
    load_settings,
)
from socialgate.core.storage import open_storage
from socialgate.core.storage_watch import find_storage_outage
from socialgate.entry.ai_generators import describe_ai_provider
from socialgate.entry.billing import describe_plans
from socialgate.entry.file_descriptors import get_descriptor_limit, get_max_client_connections, raise_descriptor_limit
from socialgate.entry.platforms import describe_platforms
from socialgate.entry.restoring import RESTORE_CHECK_COMMAND, format_hold_counts
from socialgate.entry.sandbox_package import require_sandbox

DoctorCheck = Callable[[Settings, Clock], Awaitable[str]]
_HEALTH_TIMEOUT_SECONDS = 2


class CheckFailed(Exception):
    """What is wrong, and how to fix it."""


async def run_checks(clock: Clock) -> int:
    """Check everything; the exit code is 0 only if everything is fine."""
    console = Console(highlight=False, soft_wrap=True)
    try:
        settings = load_settings()
    except SettingsError as error:
        console.print(f"[red]✗[/red] settings: {escape(str(error))}")
        if SETTINGS_PAGE not in str(error):
            console.print(f"{SETTINGS_PAGE} describes every setting.")
        return 2
    failed = 0
    console.print("[green]✓[/green] settings: valid")
    for name, check in DOCTOR_CHECKS.items():
        try:
            console.print(f"[green]✓[/green] {name}: {escape(await check(settings, clock))}")
        except (CheckFailed, SettingsError) as problem:
            failed += 1
            console.print(f"[red]✗[/red] {name}: {escape(str(problem))}")
    console.print(_changed_settings(settings))
    return 1 if failed else 0


async def _check_data_dir(settings: Settings, clock: Clock) -> str:
    del clock
    folder = settings.data_dir.absolute()
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise CheckFailed(f"{folder} is not writable. Fix its permissions or set SOCIALGATE_DATA_DIR.")
    return f"{folder} is writable" if folder.exists() else f"{folder} will be created"


async def _check_database(settings: Settings, clock: Clock) -> str:
    if settings.uses_sqlite and not (settings.data_dir / "socialgate.db").exists():
        return "SQLite, will be created by the first start"
    db = Database(settings.effective_database_url, clock)
    try:
        revision = await get_revision(db)
        if settings.uses_sqlite and (revision or "") < get_newest_revision():
            return f"SQLite, at revision {revision}; the next start migrates it to {get_newest_revision()}"
        await require_supported_schema(db)
        values = await db.read(count_holds)
    finally:
        await db.close()
    if values:
        raise CheckFailed(
            f"a backup was restored, and {format_hold_counts(values)} wait for your decision. "
            f"Run `{RESTORE_CHECK_COMMAND}`."
        )
    kind = "SQLite" if settings.uses_sqlite else "PostgreSQL"
    newer = (
        ""
        if revision == get_newest_revision()
        else f"; this version only knows {get_newest_revision()}, but can use it"
    )
    return f"{kind}, at revision {revision}{newer}"


async def _check_port_is_free(settings: Settings, clock: Clock) -> str:
    del clock
    place = f"{settings.host}:{settings.port}"
    with socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except socket.gaierror as error:
            raise CheckFailed(f"{settings.host} is not an address of this machine. Correct SOCIALGATE_HOST.") from error
        except OSError as error:
            version = await asyncio.to_thread(_running_version, settings)
            if version is not None:
                return f"{place} is in use by a running Socialgate {version}"
            raise CheckFailed(
                f"{place} cannot be used ({error.strerror}). Stop the program that uses it or set SOCIALGATE_PORT."
            ) from error
    return f"{place} is free"


def _running_version(settings: Settings) -> str | None:
    """Ask the program that uses the port whether it is a Socialgate."""
    connection = HTTPConnection(settings.host, settings.port, timeout=_HEALTH_TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/health")
        health = msgspec.json.decode(connection.getresponse().read())
        return str(health["version"])
    except (OSError, HTTPException, msgspec.DecodeError, KeyError, TypeError):
        return None
    finally:
        connection.close()


async def _check_exposure(settings: Settings, clock: Clock) -> str:
    del clock
    if settings.is_local_only:
        return "loopback only"
    if not settings.public_url.startswith("https://"):
        raise CheckFailed(
            "other machines can reach the service, but SOCIALGATE_BASE_URL is not https. Put a TLS proxy in front and "
            "set SOCIALGATE_BASE_URL to its URL."
        )
    value = ", and anyone who can reach it may register (SOCIALGATE_SIGNUP=open)" if settings.signup == "open" else ""
    return f"reachable at {settings.public_url}{value}"


async def _check_storage(settings: Settings, clock: Clock) -> str:
    del clock
    if settings.storage_url is None and not (settings.data_dir / "media").exists():
        return "the folder for media files will be created by the first start"
    storage = open_storage(settings)
    outage = await find_storage_outage(storage)
    if outage is not None:
        raise CheckFailed(f"{outage.detail} {_get_storage_remedy(settings, outage)}")
    if storage.disk_shortage is not None:
        raise CheckFailed(storage.disk_shortage)
    if settings.storage_url is not None:
        return f"media files are stored in {settings.storage_url}; writing, reading and deleting one works"
    if settings.uses_sqlite:
        return f"media files are stored in {settings.data_dir / 'media'}"
    return (
        f"media files are stored in {settings.data_dir / 'media'} on each node. With more than one node, set "
        "SOCIALGATE_STORAGE_URL to an object store that all of them share"
    )


def _get_storage_remedy(settings: Settings, outage: Unavailable) -> str:
    if isinstance(outage, StorageFull):
        return ""
    if settings.storage_url is None:
        return f"Check the permissions of {settings.data_dir.absolute() / 'media'}."
    return (
        f"It is {settings.storage_url}. Check SOCIALGATE_STORAGE_URL, the network, and the credentials in the "
        "environment (such as AWS_ACCESS_KEY_ID), which must allow writing, reading and deleting."
    )


async def _check_keys(settings: Settings, clock: Clock) -> str:
    if settings.secret_key is None and not (settings.data_dir / KEY_FILE).exists():
        return "one will be created by the first start"
    keyring = load_keyring(settings)
    if settings.uses_sqlite and not settings.sqlite_path.exists():
        return f"{keyring.current_id} will encrypt secrets"
    db = Database(settings.effective_database_url, clock)
    try:
        result = (
            await db.read(list_registered_keys, keyring)
            if (await get_revision(db) or "") >= get_newest_revision()
            else []
        )
    finally:
        await db.close()
    older = [key_id for key_id in result if key_id != keyring.current_id]
    if older:
        return (
            f"{keyring.current_id} encrypts, {', '.join(older)} may still be needed to decrypt; run `socialgate "
            "reseal` to re-encrypt everything, then remove them"
        )
    return f"{keyring.current_id} encrypts everything"


async def _check_platforms(settings: Settings, clock: Clock) -> str:
    del clock
    if settings.simulates_platforms and settings.sandbox_url is None:
        require_sandbox()
    return describe_platforms(settings)


async def _check_ai(settings: Settings, clock: Clock) -> str:
    try:
        return await describe_ai_provider(settings, clock)
    except PlatformFailure as failure:
        raise CheckFailed(failure.detail_with_vendor_message) from failure


async def _check_plans(settings: Settings, clock: Clock) -> str:
    del clock
    return describe_plans(settings)


async def _check_open_files(settings: Settings, clock: Clock) -> str:
    """Every connection uses a file descriptor. A start raises the limit, so the doctor checks the raised one."""
    del clock
    raise_descriptor_limit()
    limit, room = get_descriptor_limit(), get_max_client_connections()
    if room < settings.connections:
        raise CheckFailed(
            f"a process may have {limit} open files, which is enough for {room} client connections but not for "
            f"{settings.connections}. Raise the hard limit (`ulimit -Hn`, LimitNOFILE in systemd) or lower "
            "SOCIALGATE_CONNECTIONS."
        )
    return f"a process may have {limit} open files, enough for {settings.connections} client connections"


DOCTOR_CHECKS: dict[str, DoctorCheck] = {
    "data directory": _check_data_dir,
    "database": _check_database,
    "port": _check_port_is_free,
    "exposure": _check_exposure,
    "platforms": _check_platforms,
    "ai": _check_ai,
    "media": _check_storage,
    "plans": _check_plans,
    "keys": _check_keys,
    "open files": _check_open_files,
}


def _changed_settings(settings: Settings) -> Table | str:
    """Show the settings that differ from their defaults: those that an operator chose, or set by mistake."""
    defaults = Settings()
    changed = [name for name in get_setting_types() if getattr(settings, name) != getattr(defaults, name)]
    if not changed:
        return "All settings have their defaults."
    table = Table(Column("Changed setting", no_wrap=True), Column("Value", overflow="fold"), box=SIMPLE)
    for name in changed:
        table.add_row(get_env_variable(name), escape(_format_value(name, getattr(settings, name))))
    return table


def _format_value(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name == "database_url":
        url = sa.make_url(value)
        return sa.URL.create("postgresql", host=url.host, port=url.port, database=url.database).render_as_string()
    return "***" if is_secret(name) else str(value)


def get_setting_description(kind: object) -> str:
    """Find a setting's description in its annotation."""
    return next(str(meta.description) for meta in reversed(get_args(kind)[1:]) if meta.description)
