"""What a deployment can set, from the environment or a TOML file. The environment wins.

Each field's description is its documentation: `docs/reference/settings.md` is made from it.
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

from socialgate.core.db import sqlite_url
from socialgate.core.platform_settings import PlatformSettings

PREFIX = "SOCIALGATE_"
CONFIG_VARIABLE = "SOCIALGATE_CONFIG"
DEFAULT_CONFIG = Path("socialgate.toml")
# What the file of the first start defines, for clients: it is no setting of the service.
CLIENT_VARIABLES = tuple(PREFIX + name for name in ("URL", "EMAIL", "PASSWORD", "API_KEY"))

Port = Annotated[int, Meta(ge=0, le=65535)]
SandboxPort = Annotated[int, Meta(ge=0, le=65534)]
Token = Annotated[str, Meta(min_length=16)]


class SettingsError(Exception):
    """A setting is wrong. The text is one line that names it and says how to mend it."""


class Settings(PlatformSettings, frozen=True, kw_only=True):
    host: Annotated[str, Meta(description="Address to listen on. 0.0.0.0 opens it to other machines.")] = "127.0.0.1"
    port: Annotated[Port, Meta(description="Port of the API. 0 takes any free one.")] = 8080
    data_dir: Annotated[
        Path, Meta(description="Folder for the embedded database, keys and media. Made if it is missing.")
    ] = Path("data")
    database_url: Annotated[
        str | None,
        Meta(
            description="`postgresql://user:password@host/name` for a shared PostgreSQL. Limits of time can be "
            "changed in it: `?statement_timeout=60s&idle_in_transaction_session_timeout=20s` (else 30s and 10s). "
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
            description="Who may register: `open` anyone, `closed` nobody. Unset: open while only this machine "
            "reaches the service (by host and by base URL), else closed after the first owner."
        ),
    ] = None
    sandbox: Annotated[
        bool | None,
        Meta(
            description="Whether platforms are simulated; API keys then begin with `sg_test_`. "
            "Unset: yes on the embedded database while only this machine can reach the service (`SOCIALGATE_HOST` and "
            "`SOCIALGATE_BASE_URL` are loopback addresses), else no."
        ),
    ] = None
    sandbox_port: Annotated[
        SandboxPort,
        Meta(
            description="Port of the simulated platforms, on loopback; the next one is their https receiver of hooks. "
            "0 takes any free ones."
        ),
    ] = 8790
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
    secret_key: Annotated[
        str | None,
        Meta(
            description="32 bytes in base64 that seal secrets and tokens in the database. Several, comma-separated: "
            "the first seals, the others only open. Unset: a file `secret.key` in the data directory, made once."
        ),
    ] = None
    storage_url: Annotated[
        str | None,
        Meta(
            description="Object store for media: `s3://bucket/folder`, `gs://bucket` or `az://container`; its "
            "credentials come from the usual variables of that cloud. Unset: the folder `media` in the data directory."
        ),
    ] = None
    storage_per_owner_gib: Annotated[
        float,
        Meta(ge=0, description="How much the files of one owner may take, with uploads in progress. 0 turns it off."),
    ] = 100
    storage_reserve_gib: Annotated[
        float,
        Meta(
            ge=0,
            description="How much of the disk under the folder `media` stays free: uploads are refused before the "
            "database, which may share it, runs out of room. 0 turns it off.",
        ),
    ] = 0.5
    hook_allow_nets: Annotated[
        str,
        Meta(
            description="Networks inside the deployment that hooks may reach all the same, as CIDRs separated by "
            "commas. Unset: hooks reach public addresses only."
        ),
    ] = ""
    media_allow_nets: Annotated[
        str,
        Meta(
            description="Networks inside the deployment from which the files of posts may be fetched all the same, as "
            "CIDRs separated by commas. Unset: files are fetched from public addresses only."
        ),
    ] = ""
    media_fetch_seconds: Annotated[
        float,
        Meta(ge=1, le=50, description="Time to fetch the files that one request names by their URL, all together."),
    ] = 45
    hook_ca_file: Annotated[
        Path | None, Meta(description="PEM file with certificate authorities that hooks trust beside the usual ones.")
    ] = None
    hook_schedule: Annotated[
        str, Meta(description="Seconds to wait after each failed attempt of a delivery, comma-separated.")
    ] = "5,30,120,600,1800,7200,21600,43200,86400,86400"
    hook_deadline_seconds: Annotated[
        float,
        Meta(ge=0.1, le=60, description="Time for one attempt: connecting, TLS, sending, and the whole answer."),
    ] = 15
    platform_deadline_seconds: Annotated[
        float,
        Meta(
            ge=0.1,
            le=300,
            description="The most time for one call to a platform. Uploads may take this long; calls that publish end "
            "after 120 seconds and all others after 30, or earlier where this is less. What a platform does with a "
            "call that ended so is looked up.",
        ),
    ] = 300
    hook_lease_seconds: Annotated[
        float,
        Meta(
            ge=1,
            le=600,
            description="How long the deliveries of a hook wait after the worker that held them died.",
        ),
    ] = 15
    retention_days: Annotated[int, Meta(ge=1, le=3650, description="How long events and deliveries are kept.")] = 30
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
            description="Addresses and networks of reverse proxies, comma-separated: their `X-Forwarded-For` and "
            "`X-Forwarded-Proto` are believed, and they may hold any number of connections. `127.0.0.1` for a proxy on "
            "the same machine; `*` believes everyone. Unset: nobody is believed."
        ),
    ] = ""
    connections: Annotated[
        int,
        Meta(
            ge=16,
            le=1_000_000,
            description="Connections that clients may hold at once. A tenth is kept for those that have authenticated; "
            "when the rest is taken, the oldest that keep the service waiting make room. Less where the limit of open "
            "files allows less.",
        ),
    ] = 2048
    connections_per_address: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000,
            description="Connections that one address (of IPv6 one /64) may hold at once. Loopback and "
            "trusted proxies may hold any number.",
        ),
    ] = 256
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
        """The URL of the database, also where it is embedded."""
        return self.database_url or sqlite_url(self.sqlite_path)

    @property
    def sqlite_path(self) -> Path:
        return self.data_dir.resolve() / "socialgate.db"

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
        return _is_loopback(self.host)

    @property
    def for_this_machine(self) -> bool:
        """Whether nobody beyond this machine reaches it: neither by where it listens, nor through a proxy in front."""
        return self.on_loopback and _is_loopback(urlsplit(self.public_url).hostname or "")

    @property
    def simulates_platforms(self) -> bool:
        return self.embedded and self.for_this_machine if self.sandbox is None else self.sandbox

    @property
    def worker_inside(self) -> bool:
        return self.embedded if self.worker is None else self.worker == "embedded"


def variable_of(name: str) -> str:
    return PREFIX + name.upper()


def field_types() -> dict[str, Any]:
    return get_type_hints(Settings, include_extras=True)


def is_secret(name: str) -> bool:
    """Tell whether the value of a setting (or of a variable with such a name) must not be shown."""
    return any(word in name.lower() for word in ("token", "secret", "password", "database_url"))


def rule_of(kind: Any) -> str:
    """Say in words which values a setting takes."""
    return _words(inspect.type_info(kind))


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings, or say in one line which one is wrong."""
    environment = os.environ if environment is None else environment
    given = {name: (variable_of(name), value) for name, value in _from_environment(environment).items()}
    for name, (where, value) in _from_file(environment).items():
        given.setdefault(name, (where, value))
    types = field_types()
    values = {name: _convert(where, value, types[name]) for name, (where, value) in given.items()}
    settings = Settings(**values)
    _check_addresses(settings, {name: where for name, (where, _) in given.items()})
    return settings


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for variable, value in environment.items():
        # The commands for clients read some of their own, which people set in the same shell.
        if not variable.startswith(PREFIX) or variable in {CONFIG_VARIABLE, *CLIENT_VARIABLES}:
            continue
        name = variable.removeprefix(PREFIX).lower()
        _require_known(name, variable, variable_of)
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
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}. Correct its rights or its path.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: is not valid TOML: {error}. Correct it there.") from error
    for name in values:
        _require_known(name, f"{path}: {name}", str)
    return {name: (f"{path}: {name}", value) for name, value in values.items()}


def _require_known(name: str, where: str, spelled: Callable[[str], str]) -> None:
    if name in field_types():
        return
    near = difflib.get_close_matches(name, field_types(), n=1)
    hint = f" Did you mean {spelled(near[0])}?" if near else " `socialgate doctor` lists the settings."
    raise SettingsError(f"{where} is not a setting.{hint}")


def _convert(where: str, value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind, strict=False, dec_hook=_to_path)
    except msgspec.ValidationError as error:
        shown = "" if is_secret(where) else f", not {value!r}"
        raise SettingsError(f"{where}: it must be {rule_of(kind)}{shown}.") from error


def _to_path(kind: type, value: Any) -> Any:
    if kind is Path and isinstance(value, str):
        return Path(value)
    raise msgspec.ValidationError(f"Expected `{kind.__name__}`")


def _words(kind: inspect.Type) -> str:  # noqa: PLR0911 - a table, one line a case
    match kind:
        case inspect.Metadata():
            return _words(kind.type)
        case inspect.UnionType():
            return " or ".join(_words(part) for part in kind.types if not isinstance(part, inspect.NoneType))
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType():
            return "one of " + ", ".join(str(value) for value in kind.values)
        case inspect.IntType() | inspect.FloatType():
            return ("a whole number" if isinstance(kind, inspect.IntType) else "a number") + _bounds(kind.ge, kind.le)
        case inspect.StrType():
            return "a text" + (f" of at least {kind.min_length} characters" if kind.min_length else "")
        case _:
            return "a path"


def _bounds(least: float | None, most: float | None) -> str:
    if least is not None and most is not None:
        return f" from {least} to {most}"
    if least is not None:
        return f", {least} or more"
    return "" if most is None else f", {most} or less"


def _check_addresses(settings: Settings, where: Mapping[str, str]) -> None:
    if settings.database_url is not None and not _is_postgres(settings.database_url):
        raise SettingsError(
            f"{where['database_url']}: it must have the form postgresql://user:password@host/name. "
            "Leave it unset for SQLite."
        )
    if settings.base_url is not None and not _is_web_address(settings.base_url):
        raise SettingsError(f"{where['base_url']}: it must be an address such as https://gate.example.com.")


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


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and not parts.query and not parts.fragment
    except ValueError:
        return False
