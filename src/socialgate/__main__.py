"""The command `socialgate`. Each verb loads only what it needs, so that all of them start fast."""

import asyncio
import signal
import sys
from collections.abc import Coroutine
from typing import Any

import typer

from socialgate import __version__
from socialgate.core.clock import SystemClock
from socialgate.core.logs import configure_logs
from socialgate.core.settings import Settings, SettingsError, load_settings

WRONG_SETTING = 2

cli = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="One HTTP API for social, messaging and advertising accounts.",
)


@cli.command()
def serve() -> None:
    """Run the API, and on the embedded default everything else too."""
    from socialgate.entry.serve import serve as run  # noqa: PLC0415 - see the docstring above

    settings = _settings()
    _run(run(settings, SystemClock()))


@cli.command()
def work() -> None:
    """Run a background worker beside `serve` processes that share a PostgreSQL."""
    from socialgate.entry.serve import work as run  # noqa: PLC0415 - see the docstring above

    settings = _settings()
    _run(run(settings, SystemClock()))


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

    raise typer.Exit(asyncio.run(examine(SystemClock())))


@cli.command()
def version() -> None:
    """Show the version."""
    typer.echo(__version__)


def _settings() -> Settings:
    try:
        settings = load_settings()
    except SettingsError as error:
        _fail(error)
    configure_logs(settings.log_format, settings.log_level)
    return settings


def _run(main: Coroutine[Any, Any, None]) -> None:
    import uvloop  # noqa: PLC0415 - see the docstring above

    try:
        uvloop.run(main)
    except SettingsError as error:
        _fail(error)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def _fail(error: SettingsError) -> Any:
    typer.echo(f"socialgate: {error}", err=True)
    sys.exit(WRONG_SETTING)


def main() -> None:
    cli(prog_name="socialgate")


if __name__ == "__main__":
    main()
