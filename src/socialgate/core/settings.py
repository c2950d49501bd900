"""What a deployment can configure, from the environment or a TOML file. The environment takes precedence.

Each field's description is its documentation: `docs/reference/settings.md` is generated from it. That is why the file
has so many lines.
"""

import difflib
import os
import tomllib
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints
from urllib.parse import urlsplit

import msgspec
import sqlalchemy as sa
from msgspec import Meta, inspect

from socialgate.core.ai_settings import HttpUrl
from socialgate.core.billing_settings import BillingSettings
from socialgate.core.db import sqlite_url

ENV_PREFIX = "SOCIALGATE_"
CONFIG_VARIABLE = "SOCIALGATE_CONFIG"
# The page that describes every setting.
SETTINGS_PAGE = "docs/reference/settings.md"
DEFAULT_CONFIG_PATH = Path("socialgate.toml")
# Defined in the first-login file, for clients: not settings of the service.
CLIENT_VARIABLES = tuple(ENV_PREFIX + name for name in ("URL", "EMAIL", "PASSWORD", "API_KEY"))

Port = Annotated[int, Meta(ge=0, le=65535)]
SandboxPort = Annotated[int, Meta(ge=0, le=65534)]
Token = Annotated[str, Meta(min_length=16)]


class SettingsError(Exception):
    """A setting is invalid. The message is one line that names it and says how to fix it."""


class Settings(BillingSettings, frozen=True, kw_only=True):
    host: Annotated[
        str, Meta(description="Address to listen on. Use 0.0.0.0 to accept connections from other machines.")
    ] = "127.0.0.1"
    port: Annotated[Port, Meta(description="Port of the API. 0 picks any free port.")] = 8080
    data_dir: Annotated[
        Path, Meta(description="Folder for the SQLite database, keys and media. Created if it does not exist.")
    ] = Path("data")
    database_url: Annotated[
        str | None,
        Meta(
            description="`postgresql://user:password@host/name` for a shared PostgreSQL database. It can override "
            "timeouts: `?statement_timeout=60s&idle_in_transaction_session_timeout=20s` (default: 30s and 10s). "
            "Unset: SQLite in the data directory."
        ),
    ] = None
    base_url: Annotated[
        str | None,
        Meta(
            description="URL under which clients and platforms reach this service, e.g. `https://gate.example.com`. "
            "Unset: http with the host and port above."
        ),
    ] = None
    signup: Annotated[
        Literal["open", "closed"] | None,
        Meta(
            description="Who may register: `open` anyone, `closed` nobody. Unset: open while only this machine can "
            "reach the service (by host and base URL), otherwise closed after the first owner."
        ),
    ] = None
    sandbox: Annotated[
        bool | None,
        Meta(
            description="Whether platforms are simulated; API keys then start with `sg_test_`. Unset: yes with SQLite "
            "while only this machine can reach the service (`SOCIALGATE_HOST` and `SOCIALGATE_BASE_URL` are loopback "
            "addresses), otherwise no."
        ),
    ] = None
    sandbox_port: Annotated[
        SandboxPort,
        Meta(
            description="Port of the simulated platforms, on loopback; their https hook receiver uses the next port. "
            "0 picks any free ports."
        ),
    ] = 8790
    sandbox_url: Annotated[
        HttpUrl | None,
        Meta(
            description="URL of a sandbox that another process runs on this machine (`socialgate sandbox`), such as "
            "`http://127.0.0.1:8790`. `serve` then uses it instead of starting one, so several processes can share it. "
            "They need its data directory, or a copy of its `sandbox.key` and `sandbox-ca.pem`."
        ),
    ] = None
    worker: Annotated[
        Literal["embedded", "separate"] | None,
        Meta(
            description="Where background work runs: inside `serve` or in `socialgate work` processes. Unset: "
            "embedded with SQLite, separate with PostgreSQL."
        ),
    ] = None
    rate_limit: Annotated[
        int, Meta(ge=0, description="Requests per minute and credential, across all nodes. 0 turns the limit off.")
    ] = 1200
    secret_key: Annotated[
        str | None,
        Meta(
            description="32 bytes in base64 that encrypt secrets and tokens in the database. Several keys, "
            "comma-separated: the first encrypts, the others only decrypt. Unset: a file `secret.key` in the data "
            "directory, created at the first start."
        ),
    ] = None
    storage_url: Annotated[
        str | None,
        Meta(
            description="Object store for media: `s3://bucket/folder`, `gs://bucket` or `az://container`; its "
            "credentials come from that cloud's usual environment variables. Unset: the folder `media` in the data "
            "directory."
        ),
    ] = None
    storage_per_owner_gib: Annotated[
        float,
        Meta(
            ge=0,
            description="How much storage the files of one owner may use, including uploads in progress. 0 turns the "
            "limit off.",
        ),
    ] = 100
    storage_counts_renditions: Annotated[
        bool,
        Meta(description="Whether files that were made to fit a platform count as storage of their owner."),
    ] = True
    renditions_per_owner_gib: Annotated[
        float,
        Meta(
            ge=0,
            description="How much storage files that were made to fit a platform may use for one owner. Those that "
            "were not needed for the longest time are deleted first, and made again if they are needed. 0 turns the "
            "limit off.",
        ),
    ] = 20
    storage_reserve_gib: Annotated[
        float,
        Meta(
            ge=0,
            description="How much disk space of the `media` folder, and of the one in which files are made to fit, "
            "stays free: uploads are rejected, and preparations wait, before the database, which may be on the same "
            "disk, runs out of space. 0 turns it off.",
        ),
    ] = 0.5
    storage_check_seconds: Annotated[
        float,
        Meta(
            ge=1,
            le=3600,
            description="How often each process checks that media files can be stored, by writing, reading and "
            "deleting a small one. While they cannot, uploads are rejected immediately.",
        ),
    ] = 15
    hook_allow_nets: Annotated[
        str,
        Meta(
            description="Private networks that hooks may reach, as comma-separated CIDRs. Unset: hooks only reach "
            "public addresses."
        ),
    ] = ""
    media_allow_nets: Annotated[
        str,
        Meta(
            description="Private networks from which the files of posts may be fetched, as comma-separated CIDRs. "
            "Unset: files are only fetched from public addresses."
        ),
    ] = ""
    media_fetch_seconds: Annotated[
        float,
        Meta(ge=1, le=50, description="Time to fetch all the files that one request specifies by URL."),
    ] = 45
    hook_ca_file: Annotated[
        Path | None,
        Meta(description="PEM file with certificate authorities that hooks trust in addition to the usual ones."),
    ] = None
    hook_schedule: Annotated[
        str, Meta(description="Seconds to wait after each failed delivery attempt, comma-separated.")
    ] = "5,30,120,600,1800,7200,21600,43200,86400,86400"
    hook_deadline_seconds: Annotated[
        float,
        Meta(ge=0.1, le=60, description="Time for one attempt: connecting, TLS, sending, and the whole response."),
    ] = 15
    platform_deadline_seconds: Annotated[
        float,
        Meta(
            ge=0.1,
            le=300,
            description="Maximum time for one call to a platform. Uploads may take this long; calls that publish are "
            "limited to 120 seconds and all others to 30, or to this value if it is lower. After a timeout, the "
            "service asks the platform for the result.",
        ),
    ] = 300
    hook_lease_seconds: Annotated[
        float,
        Meta(
            ge=1,
            le=600,
            description="How long the deliveries of a hook wait at most after their worker died.",
        ),
    ] = 15
    retention_days: Annotated[int, Meta(ge=1, le=3650, description="How long events and deliveries are kept.")] = 30
    login_limit: Annotated[
        int,
        Meta(
            ge=0,
            description="Sign-in attempts per email and 15 minutes (three times that per IP address). 0 turns the "
            "limit off.",
        ),
    ] = 10
    connect_page_limit: Annotated[
        int,
        Meta(
            ge=0,
            description="Requests per minute and IP address to the pages of connect links. 0 turns the limit off.",
        ),
    ] = 240
    database_pool: Annotated[int, Meta(ge=2, le=200, description="Connections to PostgreSQL per process.")] = 10
    trusted_proxies: Annotated[
        str,
        Meta(
            description="Addresses and networks of reverse proxies, comma-separated: their `X-Forwarded-For` and "
            "`X-Forwarded-Proto` are trusted, and they may open any number of connections. `127.0.0.1` for a "
            "proxy on the same machine; `*` trusts everyone. Unset: nobody is trusted."
        ),
    ] = ""
    connections: Annotated[
        int,
        Meta(
            ge=16,
            le=1_000_000,
            description="Maximum number of open client connections. A tenth is reserved for authenticated clients; "
            "when the rest is in use, the oldest connections that keep the service waiting are closed. The limit of "
            "open files can lower it.",
        ),
    ] = 2048
    connections_per_address: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000,
            description="Maximum number of open connections per address (IPv6: per /64). Loopback and trusted proxies "
            "have no limit.",
        ),
    ] = 256
    metrics_token: Annotated[
        Token | None, Meta(description="Bearer token for `/metrics`. Unset: `/metrics` is not available.")
    ] = None
    metrics_port: Annotated[
        Port | None,
        Meta(description="Port of a second listener, on loopback, that serves the metrics without a token."),
    ] = None
    log_format: Annotated[
        Literal["pretty", "json"] | None,
        Meta(
            description="`pretty` for people, `json` for machines. With `json`, the URLs that are printed at the start "
            "are written as a log line instead. Unset: pretty on a terminal, else JSON."
        ),
    ] = None
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], Meta(description="Lowest level that is logged.")
    ] = "info"
    stop_seconds: Annotated[
        int,
        Meta(ge=1, le=600, description="How long a stopping process waits for work in progress."),
    ] = 20

    @property
    def effective_database_url(self) -> str:
        """The URL of the database, also for SQLite."""
        return self.database_url or sqlite_url(self.sqlite_path)

    @property
    def sqlite_path(self) -> Path:
        return self.data_dir.resolve() / "socialgate.db"

    @property
    def uses_sqlite(self) -> bool:
        return self.database_url is None

    @property
    def public_url(self) -> str:
        if self.base_url is not None:
            return self.base_url.rstrip("/")
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def listens_on_loopback(self) -> bool:
        return _is_loopback(self.host)

    @property
    def is_local_only(self) -> bool:
        """Whether only this machine can reach the service, both by the address it listens on and by its base URL."""
        return self.listens_on_loopback and _is_loopback(urlsplit(self.public_url).hostname or "")

    @property
    def simulates_platforms(self) -> bool:
        if self.sandbox is not None:
            return self.sandbox
        return self.sandbox_url is not None or (self.uses_sqlite and self.is_local_only)

    @property
    def runs_embedded_worker(self) -> bool:
        return self.uses_sqlite if self.worker is None else self.worker == "embedded"


def get_env_variable(name: str) -> str:
    return ENV_PREFIX + name.upper()


def get_setting_types() -> dict[str, Any]:
    return get_type_hints(Settings, include_extras=True)


def is_secret(name: str) -> bool:
    """Return whether the value of a setting (or of a variable with such a name) must not be shown."""
    return any(word in name.lower() for word in ("token", "secret", "password", "api_key", "database_url"))


def describe_allowed_values(kind: Any) -> str:
    """Describe in words which values a setting accepts."""
    return _describe_type(inspect.type_info(kind))


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings, or say in one line which one is invalid."""
    environment = os.environ if environment is None else environment
    input_value = {name: (get_env_variable(name), value) for name, value in _read_environment(environment).items()}
    for name, (where, value) in _read_config_file(environment).items():
        input_value.setdefault(name, (where, value))
    types = get_setting_types()
    values = {name: _convert_value(where, value, types[name]) for name, (where, value) in input_value.items()}
    settings = Settings(**values)
    _validate_urls(settings, {name: where for name, (where, _) in input_value.items()})
    return settings


def _read_environment(environment: Mapping[str, str]) -> dict[str, str]:
    result = {}
    for variable, value in environment.items():
        # The client commands have variables of their own, which people set in the same shell.
        if not variable.startswith(ENV_PREFIX) or variable in {CONFIG_VARIABLE, *CLIENT_VARIABLES}:
            continue
        name = variable.removeprefix(ENV_PREFIX).lower()
        _require_known_setting(name, variable, get_env_variable)
        if value:
            result[name] = value
    return result


def _read_config_file(environment: Mapping[str, str]) -> dict[str, tuple[str, Any]]:
    path = Path(environment.get(CONFIG_VARIABLE) or DEFAULT_CONFIG_PATH)
    if not path.exists():
        if CONFIG_VARIABLE in environment:
            raise SettingsError(f"{CONFIG_VARIABLE}: the file {path} does not exist. Correct the path or unset it.")
        return {}
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}. Check its permissions and its path.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: is not valid TOML: {error}. Fix the file.") from error
    for name in values:
        _require_known_setting(name, f"{path}: {name}", str)
    return {name: (f"{path}: {name}", value) for name, value in values.items()}


def _require_known_setting(name: str, where: str, format_name: Callable[[str], str]) -> None:
    if name in get_setting_types():
        return
    near = difflib.get_close_matches(name, get_setting_types(), n=1)
    hint = f" Did you mean {format_name(near[0])}?" if near else f" {SETTINGS_PAGE} lists the settings."
    raise SettingsError(f"{where} is not a setting.{hint}")


def _convert_value(where: str, value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind, strict=False, dec_hook=_to_path)
    except msgspec.ValidationError as error:
        shown = "" if is_secret(where) else f", not {value!r}"
        raise SettingsError(f"{where}: must be {describe_allowed_values(kind)}{shown}.") from error


def _to_path(kind: type, value: Any) -> Any:
    if kind is Path and isinstance(value, str):
        return Path(value)
    raise msgspec.ValidationError(f"Expected `{kind.__name__}`")


def _describe_type(kind: inspect.Type) -> str:  # noqa: PLR0911 - a table, one line a case
    match kind:
        case inspect.Metadata():
            return _describe_type(kind.type)
        case inspect.UnionType():
            return " or ".join(_describe_type(part) for part in kind.types if not isinstance(part, inspect.NoneType))
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType():
            return "one of " + ", ".join(str(value) for value in kind.values)
        case inspect.IntType() | inspect.FloatType():
            return ("a whole number" if isinstance(kind, inspect.IntType) else "a number") + _format_bounds(
                kind.ge, kind.le
            )
        case inspect.StrType(pattern=pattern) if pattern is not None and pattern.startswith("^https?://"):
            return "a URL that starts with https:// or http://"
        case inspect.StrType():
            return "a string" + (f" of at least {kind.min_length} characters" if kind.min_length else "")
        case _:
            return "a path"


def _format_bounds(least: float | None, most: float | None) -> str:
    if least is not None and most is not None:
        return f" from {least} to {most}"
    if least is not None:
        return f", {least} or more"
    return "" if most is None else f", {most} or less"


def _validate_urls(settings: Settings, where: Mapping[str, str]) -> None:
    if settings.database_url is not None and not _is_postgres(settings.database_url):
        raise SettingsError(
            f"{where['database_url']}: must have the form postgresql://user:password@host/name. Leave it unset to use "
            "SQLite."
        )
    if settings.base_url is not None and not _is_http_url(settings.base_url):
        raise SettingsError(f"{where['base_url']}: must be a URL such as https://gate.example.com.")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_postgres(text: str) -> bool:
    try:
        return sa.make_url(text).drivername in {"postgresql", "postgres"}
    except (sa.exc.ArgumentError, ValueError):
        return False


def _is_http_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and not parts.query and not parts.fragment
    except ValueError:
        return False
