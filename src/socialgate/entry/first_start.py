"""The first owner of a new data directory, so that a new user's first call works."""

import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from socialgate.areas.identity import store
from socialgate.areas.identity.keys import ApiKeyService
from socialgate.areas.identity.passwords import hash_password
from socialgate.areas.identity.schemas import NewApiKey, Registration
from socialgate.areas.identity.service import IdentityService
from socialgate.core.db import Database, Tx
from socialgate.core.settings import Settings
from socialgate.entry.platforms import SandboxConnection

FIRST_LOGIN_FILE_NAME = "first-login.txt"
FIRST_OWNER_EMAIL = "owner@socialgate.local"


class FirstLogin(msgspec.Struct, frozen=True, kw_only=True):
    """What the first start created. It is stored in a file that a shell can source, for the commands that it runs."""

    path: Path
    email: str
    password: str
    api_key: str


async def create_first_owner(
    db: Database, settings: Settings, identity: IdentityService, api_keys: ApiKeyService
) -> FirstLogin | None:
    if await db.read(store.has_owner):
        return None
    password = secrets.token_urlsafe(15)
    registration = Registration(email=FIRST_OWNER_EMAIL, password=password, name="Owner")
    return await db.write(_create_owner, settings, identity, api_keys, registration, await hash_password(password))


async def _create_owner(
    tx: Tx,
    settings: Settings,
    identity: IdentityService,
    api_keys: ApiKeyService,
    new: Registration,
    password_hash: str,
) -> FirstLogin | None:
    if await store.has_owner(tx):
        return None
    user = await identity.add_owner(tx, new, password_hash)
    created = await api_keys.create(tx, user.owner_id, NewApiKey(name="First key", scope="all"))
    first = FirstLogin(
        path=settings.data_dir / FIRST_LOGIN_FILE_NAME, email=new.email, password=new.password, api_key=str(created.key)
    )
    # Written before the commit: after a crash in between, the next start replaces the file; the other order could leave
    # an owner whose password nobody knows.
    _write_login_file(first, settings.public_url)
    return first


def _write_login_file(first: FirstLogin, url: str) -> None:
    text = (
        "# Created by the first start of Socialgate in this data directory. Keep it secret.\n"
        f"export SOCIALGATE_URL={url}\n"
        f"export SOCIALGATE_EMAIL={first.email}\n"
        f"export SOCIALGATE_PASSWORD={first.password}\n"
        f"export SOCIALGATE_API_KEY={first.api_key}\n"
    )
    _replace_file(first.path, text)


@contextmanager
def keep_login_file_urls_current(settings: Settings, simulated: SandboxConnection | None) -> Iterator[None]:
    """Write the addresses of this process to the file: a later start may listen on other ports.

    While the process runs, another one with the same data directory leaves the file as it is.
    """
    folder = os.open(settings.data_dir, os.O_RDONLY)
    try:
        if _lock_data_dir(folder):
            _update_login_file_urls(settings, simulated)
        yield
    finally:
        os.close(folder)


def _lock_data_dir(folder: int) -> bool:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # Some network file systems have no locks.
        return True
    return True


def _update_login_file_urls(settings: Settings, simulated: SandboxConnection | None) -> None:
    path = settings.data_dir / FIRST_LOGIN_FILE_NAME
    if not path.exists():
        return
    old = path.read_text(encoding="utf-8")
    # Earlier versions did not export the variables, so commands that the shell starts did not see them.
    new = re.sub(r"(?m)^(?=[A-Z_]+=)", "export ", old)
    new = re.sub(r"(?m)^export (SOCIALGATE_URL|SANDBOX_URL|RECEIVER_URL)=.*\n", "", new)
    new += "".join(f"export {name}={address}\n" for name, address in _build_url_variables(settings, simulated).items())
    if new != old:
        _replace_file(path, new)


def _build_url_variables(settings: Settings, simulated: SandboxConnection | None) -> dict[str, str]:
    result = {"SOCIALGATE_URL": settings.public_url}
    if simulated is not None:
        receiver = f"https://127.0.0.1:{simulated.receiver_port}"
        result |= {"SANDBOX_URL": simulated.control_url, "RECEIVER_URL": receiver}
    return result


def _replace_file(path: Path, text: str) -> None:
    draft = path.with_suffix(".tmp")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
