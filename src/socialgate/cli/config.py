"""The services that a person signed in to: a file that only they can read, and their keyring if there is one."""

import json
import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

import click
import msgspec

DEFAULT_URL = "http://127.0.0.1:8080"
_KEYRING_SERVICE = "socialgate"
_PRIVATE_FILE, _PRIVATE_FOLDER = 0o600, 0o700


class Server(msgspec.Struct, kw_only=True):
    """A service. Without a keyring its key is here."""

    url: str
    email: str | None = None
    key: str | None = None
    in_keyring: bool = False


class Config(msgspec.Struct, kw_only=True):
    """The content of the file: services by their names, and the one that is used if none is named."""

    current: str | None = None
    servers: dict[str, Server] = {}


class Keyring(Protocol):
    """What we use of the package `keyring`."""

    def get_password(self, service_name: str, username: str) -> str | None: ...

    def set_password(self, service_name: str, username: str, password: str) -> None: ...

    def delete_password(self, service_name: str, username: str) -> None: ...


class Access(msgspec.Struct, frozen=True):
    """Which service to call, and with which key."""

    url: str
    key: str | None


def config_path(environ: Mapping[str, str]) -> Path:
    """Find the file, as the XDG Base Directory Specification says."""
    base = environ.get("XDG_CONFIG_HOME", "")
    folder = Path(base) if base.startswith("/") else Path.home() / ".config"
    return folder / "socialgate" / "config.json"


class ConfigStore:
    """Reads and writes the file, and keeps keys."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def load(self) -> Config:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=Config)
        except FileNotFoundError:
            return Config()
        except (OSError, msgspec.MsgspecError) as error:
            raise click.UsageError(
                f"{self.path} cannot be read: {error}. Fix it, or delete it and sign in again."
            ) from None

    def save(self, config: Config) -> None:
        """Replace the file as a whole: nobody can read a key in it, not even for a moment."""
        self.path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        written = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        text = json.dumps(msgspec.to_builtins(config), indent=2) + "\n"
        descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_FILE)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        written.replace(self.path)

    def add(self, name: str, server: Server, key: str) -> str:
        """Remember a service and use it from now on. Returns where its key is."""
        config = self.load()
        keyring = load_keyring()
        server.in_keyring = keyring is not None and _is_stored(keyring, name, key)
        server.key = None if server.in_keyring else key
        config.servers[name] = server
        config.current = name
        self.save(config)
        return "your keyring" if server.in_keyring else str(self.path)

    def remove(self, name: str) -> None:
        config = self.load()
        server = config.servers.pop(name)
        keyring = load_keyring()
        if server.in_keyring and keyring is not None:
            keyring.delete_password(_KEYRING_SERVICE, name)
        if config.current == name:
            config.current = next(iter(config.servers), None)
        self.save(config)

    def read_key(self, name: str, server: Server) -> str | None:
        if not server.in_keyring:
            return server.key
        keyring = load_keyring()
        key = None if keyring is None else keyring.get_password(_KEYRING_SERVICE, name)
        if key is None:
            raise click.UsageError(
                f"The key of {name} is no longer in your keyring. Sign in: socialgate login {server.url}"
            )
        return key


def load_keyring() -> Keyring | None:
    """Load the package `keyring`, if it is installed and has a place for secrets."""
    try:
        keyring: Any = import_module("keyring")
    except ImportError:
        return None
    # Without a desktop it has a backend that refuses everything, with this priority.
    return cast("Keyring", keyring) if keyring.get_keyring().priority > 0 else None


def _is_stored(keyring: Keyring, name: str, key: str) -> bool:
    """Store a key. A keyring that is locked, or broken, is as good as none."""
    try:
        keyring.set_password(_KEYRING_SERVICE, name, key)
        return keyring.get_password(_KEYRING_SERVICE, name) == key
    except Exception:  # noqa: BLE001 - each backend has errors of its own
        return False


def find_access(
    store: ConfigStore, environ: Mapping[str, str], *, server: str | None, url: str | None, key: str | None
) -> Access:
    """Find the service to call. Options come first, then the environment, then where the person signed in."""
    config = store.load()
    if server is not None:
        known = find_server(config, server)
        return Access(url or known.url, key or store.read_key(server, known))
    url = url or environ.get("SOCIALGATE_URL")
    key = key or environ.get("SOCIALGATE_API_KEY")
    current = config.current if config.current in config.servers else None
    if url is None and current is None:
        return Access(DEFAULT_URL, key)
    if url is None:
        assert current is not None
        known = config.servers[current]
        return Access(known.url, key or store.read_key(current, known))
    # A key is only sent to the service that it belongs to.
    for name, known in config.servers.items():
        if key is None and same_url(known.url, url):
            key = store.read_key(name, known)
    return Access(url, key)


def find_server(config: Config, name: str) -> Server:
    if name not in config.servers:
        names = ", ".join(config.servers) or "none"
        raise click.UsageError(f"You are not signed in to a server named {name!r}. Known: {names}.")
    return config.servers[name]


def same_url(left: str, right: str) -> bool:
    return left.rstrip("/") == right.rstrip("/")


def default_name(url: str) -> str:
    """Name a service after its host."""
    return urlsplit(url).netloc or url
