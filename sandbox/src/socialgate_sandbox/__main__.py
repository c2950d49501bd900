"""The `socialgate-sandbox` command: the simulated platforms without the service, for any program that calls them."""

import argparse
import asyncio
import logging
import os
import signal
import sqlite3
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import uvloop

from socialgate_sandbox import __version__
from socialgate_sandbox.kernel.certificates import CA_FILE_NAME
from socialgate_sandbox.kernel.ports import open_ports
from socialgate_sandbox.kernel.settings import AppRegistration, SandboxSettings
from socialgate_sandbox.kernel.vendor import Vendor
from socialgate_sandbox.server import run_sandbox_on_ports
from socialgate_sandbox.vendors import ALL_VENDORS

_COMMAND_NAME = "socialgate-sandbox"
_OPTION_ERROR_STATUS = 2
_MAX_PORT = 65_535
log = logging.getLogger(_COMMAND_NAME)


class OptionError(Exception):
    """An option cannot be used. The message says what to change."""


def main(arguments: Sequence[str] | None = None) -> None:
    namespace = _build_parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format=f"{_COMMAND_NAME}: %(message)s")
    # Its data contains keys. Only its own user may read them.
    os.umask(0o077)
    settings = SandboxSettings(
        data_dir=namespace.data_dir,
        port=namespace.port,
        receiver_port=namespace.port + 1 if namespace.port else 0,
        gateway_url=namespace.app_url,
    )
    try:
        apps = {} if namespace.apps is None else read_apps(namespace.apps, ALL_VENDORS)
        uvloop.run(_serve(msgspec.structs.replace(settings, apps=apps), ALL_VENDORS))
    except OptionError as error:
        _exit_with_error(str(error))
    except (OSError, sqlite3.Error) as error:
        _exit_with_error(
            f"Cannot run on ports {settings.port} and {settings.receiver_port} with data in {settings.data_dir}: "
            f"{error}. Choose another --port or --data-dir."
        )


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=_COMMAND_NAME, description="Simulate social, messaging, advertising, AI and payment APIs on this machine."
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument(
        "--port",
        type=_parse_port,
        default=8790,
        help="port of the platforms; the receiver uses the next one; 0 picks free ports (default: %(default)s)",
    )
    parser.add_argument(
        "--data-dir", type=Path, default=Path("sandbox-data"), help="folder for its data (default: %(default)s)"
    )
    parser.add_argument(
        "--app-url",
        default="http://127.0.0.1:8080",
        help="URL of your program, which gets the webhooks (default: %(default)s)",
    )
    parser.add_argument(
        "--apps", type=Path, help="TOML file with your apps: ids, secrets, webhook URLs and redirect URLs by platform"
    )
    return parser


def _parse_port(text: str) -> int:
    number = int(text)
    if not 0 <= number < _MAX_PORT:
        raise ValueError(text)
    return number


def read_apps(file: Path, vendors: Sequence[Vendor]) -> Mapping[str, AppRegistration]:
    """Read how a program is registered with vendors. What a file leaves out is as in the vendor's package."""
    usual = {vendor.name: vendor.app for vendor in vendors}
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise OptionError(f"Cannot read {file}: {error}. Correct --apps.") from error
    unknown = ", ".join(sorted(set(tables) - set(usual)))
    if unknown:
        raise OptionError(f"{file} contains unknown platforms: {unknown}. Choose from {', '.join(sorted(usual))}.")
    return {name: _parse_app(file, name, usual[name], table) for name, table in tables.items()}


def _parse_app(file: Path, name: str, default_app: AppRegistration, table: Any) -> AppRegistration:
    known = {field.name for field in msgspec.structs.fields(AppRegistration)}
    if not isinstance(table, dict) or not set(table) <= known:
        raise OptionError(f"[{name}] in {file} may contain {', '.join(sorted(known))}, and nothing else.")
    try:
        return msgspec.convert(msgspec.structs.asdict(default_app) | table, AppRegistration)
    except msgspec.ValidationError as error:
        raise OptionError(f"[{name}] in {file} is not valid: {error}.") from error


async def _serve(settings: SandboxSettings, vendors: Sequence[Vendor]) -> None:
    """Run until the process is stopped."""
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    with open_ports(settings) as (opened, ports):
        async with run_sandbox_on_ports(ports, opened, vendors) as upgrade:
            if upgrade.backup_path is not None:
                log.warning("%s", upgrade)
            _print_startup_message(opened, vendors)
            await ended.wait()


def _print_startup_message(settings: SandboxSettings, vendors: Sequence[Vendor]) -> None:
    width = max(len(vendor.name) for vendor in vendors)
    lines = [
        f"Socialgate sandbox {__version__}",
        f"  Page       {settings.public_url}/",
        f"  Controls   {settings.public_url}/_control",
        f"  Receiver   https://{settings.host}:{settings.receiver_port}/",
        f"  Trust      {settings.data_dir / CA_FILE_NAME}",
        "",
        *(f"  {vendor.name:{width}}  {settings.public_url}/{vendor.name}" for vendor in vendors),
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def _exit_with_error(message: str) -> NoReturn:
    sys.stderr.write(f"{_COMMAND_NAME}: {message}\n")
    sys.exit(_OPTION_ERROR_STATUS)


if __name__ == "__main__":
    main()
