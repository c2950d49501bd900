"""The command `socialgate`. Each verb loads only what it needs, so that all of them start fast."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from socialgate import __version__
from socialgate.core.clock import SystemClock
from socialgate.core.logs import configure_logs
from socialgate.core.settings import Settings, SettingsError, load_settings

WRONG_SETTING = 2
SERVICE_URL = "http://127.0.0.1:8080"

T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., Any])


def _option(name: str, text: str, **how: Any) -> Callable[[Command], Command]:
    return click.option(name, help=text, metavar="TEXT", **how)


# Of the verbs that work from outside, as any other client does.
_service_url = _option(
    "--url", "Address of the service.", envvar="SOCIALGATE_URL", default=SERVICE_URL, show_default=True
)
_api_key = _option("--key", "API key of the owner.", envvar="SOCIALGATE_API_KEY")


@click.group(no_args_is_help=True)
def cli() -> None:
    """One HTTP API for social, messaging and advertising accounts."""


@cli.command()
def serve() -> None:
    """Run the API, and on the embedded default everything else too."""
    _collect_later()
    from socialgate.entry.serve import serve as run  # noqa: PLC0415 - see the docstring above

    settings = _settings()
    _run(run(settings, SystemClock()))


@cli.command()
def work() -> None:
    """Run a background worker beside `serve` processes that share a PostgreSQL."""
    _collect_later()
    from socialgate.entry.serve import work as run  # noqa: PLC0415 - see the docstring above

    settings = _settings()
    _run(run(settings, SystemClock()))


@cli.command()
def sandbox() -> None:
    """Run the simulated platforms alone, for a service that runs elsewhere."""
    from socialgate.entry.sandbox import run_sandbox as run  # noqa: PLC0415 - see the docstring above

    settings = _settings()
    _run(run(settings))


@cli.command()
def migrate() -> None:
    """Bring the database to the newest schema."""
    from socialgate.entry.serve import migrate_once as run  # noqa: PLC0415 - see the docstring above

    settings = _settings()
    _run(run(settings, SystemClock()))


@cli.command()
def doctor() -> None:
    """Check the settings and what they point at, and say how to mend what is wrong."""
    from socialgate.entry.doctor import examine  # noqa: PLC0415 - see the docstring above

    sys.exit(asyncio.run(examine(SystemClock())))


@cli.command()
@_option("--forward-to", "Where events go, such as http://localhost:3000/hook.", required=True)
@_service_url
@_api_key
@_option("--events", "Events to forward, separated by commas. Unset: all.")
@_option("--secret", "Secret to sign with. Unset: one is made and shown.")
@_option("--after", "Cursor to begin behind. Unset: what happens from now on.")
def listen(**given: Any) -> None:
    """Forward the events of an owner to a receiver on this machine, signed as real deliveries are."""
    from socialgate.entry.listen import Options  # noqa: PLC0415 - see the docstring above
    from socialgate.entry.listen import listen as run  # noqa: PLC0415 - see the docstring above

    sys.exit(_run(run(Options(**given), SystemClock())))


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@_service_url
@_api_key
@_option("--profile", "Profile that it is to belong to, such as prf_….")
@_option("--resume", "Upload to go on with, such as upl_….")
def upload(**given: Any) -> None:
    """Upload a file, show how far it has come, and go on by itself after a break."""
    from socialgate.entry.upload import Options  # noqa: PLC0415 - see the docstring above
    from socialgate.entry.upload import upload as run  # noqa: PLC0415 - see the docstring above

    sys.exit(_run(run(Options(**given), SystemClock())))


@cli.command()
@_option("--since", "Received since when, such as 2026-11-15T09:30:00Z.", required=True)
@_option("--platform", "Of one platform only, such as meta. Unset: of all.")
def replay(since: str, platform: str | None) -> None:
    """Work once more on what platforms sent. What was acted on already is not acted on again."""
    from socialgate.entry.replay import replay as run  # noqa: PLC0415 - see the docstring above

    settings = _settings()
    _run(run(settings, SystemClock(), since, platform))


@cli.command()
def reseal() -> None:
    """Seal all secrets with the newest key, so that older keys can be removed. Runs beside the service."""
    from socialgate.entry.reseal import reseal as run  # noqa: PLC0415 - see the docstring above

    settings = _settings()
    sys.exit(_run(run(settings, SystemClock())))


@cli.command()
def version() -> None:
    """Show the version."""
    click.echo(__version__)


def _collect_later() -> None:
    """Look for no garbage while everything is loaded: a tenth of a start went into it. Who is started looks again."""
    gc.disable()


def _settings() -> Settings:
    # What these processes write (a database, keys, a first password) is for their own user alone.
    os.umask(0o077)
    try:
        settings = load_settings()
    except SettingsError as error:
        _fail(error)
    configure_logs(settings.log_format, settings.log_level)
    return settings


def _run(main: Coroutine[Any, Any, T]) -> T:
    import uvloop  # noqa: PLC0415 - see the docstring above

    try:
        return uvloop.run(main)
    except SettingsError as error:
        _fail(error)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def _fail(error: SettingsError) -> NoReturn:
    click.echo(f"socialgate: {error}", err=True)
    sys.exit(WRONG_SETTING)


def main() -> None:
    cli(prog_name="socialgate")


if __name__ == "__main__":
    main()
