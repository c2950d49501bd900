"""What a deployment can set, from the environment or a TOML file. The environment wins.

Each field's description is its documentation: `docs/reference/settings.md` is made from it.
"""

import difflib
import os
import tomllib
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import Meta

from socialgate.core.db import sqlite_url

PREFIX = "SOCIALGATE_"
CONFIG_VARIABLE = "SOCIALGATE_CONFIG"
DEFAULT_CONFIG = Path("socialgate.toml")

Port = Annotated[int, Meta(ge=0, le=65535)]
Token = Annotated[str, Meta(min_length=16)]


class SettingsError(Exception):
    """A setting is wrong. The text is one line that names it and says how to mend it."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    host: Annotated[str, Meta(description="Address to listen on. 0.0.0.0 opens it to other machines.")] = "127.0.0.1"
    port: Annotated[Port, Meta(description="Port of the API. 0 takes any free one.")] = 8080
    data_dir: Annotated[
        Path, Meta(description="Folder for the embedded database, keys and media. Made if it is missing.")
    ] = Path("data")
    database_url: Annotated[
        str | None,
        Meta(
            description="`postgresql://user:password@host/name` for a shared PostgreSQL. "
            "Unset: SQLite in the data directory."
        ),
    ] = None
    base_url: Annotated[
        str | None,
        Meta(
            description="Address under which clients and platforms reach this service, e.g. "
            "`https://gate.example.com`. Unset: http on the host and port above."
        ),
    ] = None
    signup: Annotated[
        Literal["open", "closed"] | None,
        Meta(
            description="Who may register: `open` anyone, `closed` nobody. Unset: open while the service "
            "listens on loopback only, else closed after the first owner."
        ),
    ] = None
    sandbox: Annotated[
        bool | None,
        Meta(
            description="Whether platforms are simulated; API keys then begin with `sg_test_`. "
            "Unset: yes on the embedded database, no on PostgreSQL."
        ),
    ] = None
    worker: Annotated[
        Literal["embedded", "separate"] | None,
        Meta(
            description="Where background work runs: inside `serve` or in `socialgate work` processes. "
            "Unset: embedded on SQLite, separate on PostgreSQL."
        ),
    ] = None
    rate_limit: Annotated[
        int, Meta(ge=0, description="Requests per minute and credential, over all nodes. 0 turns it off.")
    ] = 1200
    login_limit: Annotated[
        int,
        Meta(
            ge=0,
            description="Tries to sign in per e-mail and 15 minutes (three times that per address). 0: off.",
        ),
    ] = 10
    database_pool: Annotated[
        int, Meta(ge=2, le=200, description="Connections that one process keeps to PostgreSQL.")
    ] = 10
    trusted_proxies: Annotated[
        str,
        Meta(
            description="Addresses of reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are "
            "believed, comma-separated; `*` believes everyone."
        ),
    ] = "127.0.0.1"
    metrics_token: Annotated[
        Token | None, Meta(description="Bearer token that opens `/metrics`. Unset: `/metrics` stays shut.")
    ] = None
    metrics_port: Annotated[
        Port | None,
        Meta(description="Port of a second listener, on loopback, that serves the metrics without a token."),
    ] = None
    log_format: Annotated[
        Literal["pretty", "json"] | None,
        Meta(description="`pretty` for people, `json` for machines. Unset: pretty on a terminal."),
    ] = None
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], Meta(description="Quietest message that is logged.")
    ] = "info"
    stop_seconds: Annotated[
        int,
        Meta(ge=1, le=600, description="How long a stopping process waits for what is in flight."),
    ] = 20

    @property
    def database(self) -> str:
        """The URL with its driver."""
        if self.database_url is None:
            return sqlite_url(self.data_dir.resolve() / "socialgate.db")
        return self.database_url.replace("postgres://", "postgresql://", 1).replace(
            "postgresql://", "postgresql+asyncpg://", 1
        )

    @property
    def embedded(self) -> bool:
        return self.database_url is None

    @property
    def public_url(self) -> str:
        if self.base_url is not None:
            return self.base_url.rstrip("/")
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def on_loopback(self) -> bool:
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def simulates_platforms(self) -> bool:
        return self.embedded if self.sandbox is None else self.sandbox

    @property
    def worker_inside(self) -> bool:
        return self.embedded if self.worker is None else self.worker == "embedded"


def variable_of(name: str) -> str:
    return PREFIX + name.upper()


def field_types() -> dict[str, Any]:
    return get_type_hints(Settings, include_extras=True)


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings, or say in one line which one is wrong."""
    environment = os.environ if environment is None else environment
    given = {name: (variable_of(name), value) for name, value in _from_environment(environment).items()}
    for name, (where, value) in _from_file(environment).items():
        given.setdefault(name, (where, value))
    types = field_types()
    values = {name: _convert(where, value, types[name]) for name, (where, value) in given.items()}
    settings = Settings(**values)
    _check(settings)
    return settings


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for variable, value in environment.items():
        if not variable.startswith(PREFIX) or variable == CONFIG_VARIABLE:
            continue
        name = variable.removeprefix(PREFIX).lower()
        _require_known(name, variable, [variable_of(known) for known in field_types()])
        if value:
            found[name] = value
    return found


def _from_file(environment: Mapping[str, str]) -> dict[str, tuple[str, Any]]:
    path = Path(environment.get(CONFIG_VARIABLE) or DEFAULT_CONFIG)
    if not path.exists():
        if CONFIG_VARIABLE in environment:
            raise SettingsError(f"{CONFIG_VARIABLE}: there is no file {path}. Correct the path or unset it.")
        return {}
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise SettingsError(f"{path}: cannot be read as TOML: {error}") from error
    for name in values:
        _require_known(name, f"{path}: {name}", list(field_types()))
    return {name: (f"{path}: {name}", value) for name, value in values.items()}


def _require_known(name: str, where: str, known: list[str]) -> None:
    if name in field_types():
        return
    near = difflib.get_close_matches(where.rsplit(": ", maxsplit=1)[-1], known, n=1)
    hint = f" Did you mean {near[0]}?" if near else " `socialgate doctor` lists the settings."
    raise SettingsError(f"{where} is not a setting.{hint}")


def _convert(where: str, value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind, strict=False, dec_hook=_to_path)
    except msgspec.ValidationError as error:
        shown = "" if "token" in where.lower() or "url" in where.lower() else f" (it is {value!r})"
        raise SettingsError(f"{where}: {error}{shown}.") from error


def _to_path(kind: type, value: Any) -> Any:
    if kind is Path and isinstance(value, str):
        return Path(value)
    raise msgspec.ValidationError(f"Expected `{kind.__name__}`")


def _check(settings: Settings) -> None:
    if settings.database_url and not settings.database_url.startswith(("postgresql://", "postgres://")):
        raise SettingsError("SOCIALGATE_DATABASE_URL: it must begin with postgresql:// (leave it unset for SQLite).")
    if settings.base_url and not settings.base_url.startswith(("http://", "https://")):
        raise SettingsError("SOCIALGATE_BASE_URL: it must begin with https:// (or http:// on a private net).")
