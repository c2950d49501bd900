"""The `socialgate` command. Each subcommand imports only what it needs, so that all of them start fast."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from socialgate import __version__
from socialgate.core.clock import SystemClock
from socialgate.core.logs import configure_logs
from socialgate.core.settings import Settings, SettingsError, load_settings

WRONG_SETTING = 2

T = TypeVar("T")

# Of the subcommands that work from outside, like any other client.
ServiceUrl = Annotated[str, typer.Option(envvar="SOCIALGATE_URL", help="URL of the service.")]
ApiKey = Annotated[str | None, typer.Option(envvar="SOCIALGATE_API_KEY", help="API key of the owner.")]
SERVICE_URL = "http://127.0.0.1:8080"

cli = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="One HTTP API for social, messaging and advertising accounts.",
)


@cli.command()
def serve() -> None:
    """Run the API. With SQLite, run everything else too."""
    _collect_later()
    from socialgate.entry.serve import serve as run  # noqa: PLC0415 - see the docstring above

    settings = _settings()
    _run(run(settings, SystemClock()))


@cli.command()
def work() -> None:
    """Run a background worker for `serve` processes that share a PostgreSQL database."""
    _collect_later()
    from socialgate.entry.serve import work as run  # noqa: PLC0415 - see the docstring above

    settings = _settings()
    _run(run(settings, SystemClock()))


@cli.command()
def sandbox() -> None:
    """Run only the simulated platforms, for a service that runs elsewhere."""
    from socialgate.entry.sandbox import run_sandbox as run  # noqa: PLC0415 - see the docstring above

    settings = _settings()
    _run(run(settings))


@cli.command()
def migrate() -> None:
    """Migrate the database to the newest schema."""
    from socialgate.entry.serve import migrate_once as run  # noqa: PLC0415 - see the docstring above

    settings = _settings()
    _run(run(settings, SystemClock()))


@cli.command()
def doctor() -> None:
    """Check the settings and what they refer to, and say how to fix problems."""
    from socialgate.entry.doctor import examine  # noqa: PLC0415 - see the docstring above

    raise typer.Exit(asyncio.run(examine(SystemClock())))


@cli.command()
def listen(
    forward_to: Annotated[str, typer.Option(help="Where to send events, such as http://localhost:3000/hook.")],
    url: ServiceUrl = SERVICE_URL,
    key: ApiKey = None,
    events: Annotated[str | None, typer.Option(help="Events to forward, separated by commas. Unset: all.")] = None,
    secret: Annotated[
        str | None, typer.Option(help=("Secret to sign with. Unset: a new one is generated and shown."))
    ] = None,
    after: Annotated[str | None, typer.Option(help="Cursor to start after. Unset: only new events.")] = None,
) -> None:
    """Forward the events of an owner to a receiver on this machine, signed like real deliveries."""
    from socialgate.entry.listen import Options  # noqa: PLC0415 - see the docstring above
    from socialgate.entry.listen import listen as run  # noqa: PLC0415 - see the docstring above

    options = Options(url=url, key=key, forward_to=forward_to, events=events, secret=secret, after=after)
    raise typer.Exit(_run(run(options, SystemClock())))


@cli.command()
def upload(
    file: Annotated[Path, typer.Argument(help="The file, up to 5 GiB.")],
    url: ServiceUrl = SERVICE_URL,
    key: ApiKey = None,
    profile: Annotated[str | None, typer.Option(help="Profile that the file belongs to, such as prf_….")] = None,
    resume: Annotated[str | None, typer.Option(help="Upload to resume, such as upl_….")] = None,
) -> None:
    """Upload a file, show the progress, and resume automatically after a break."""
    from socialgate.entry.upload import Options  # noqa: PLC0415 - see the docstring above
    from socialgate.entry.upload import upload as run  # noqa: PLC0415 - see the docstring above

    options = Options(url=url, key=key, file=file, profile=profile, resume=resume)
    raise typer.Exit(_run(run(options, SystemClock())))


@cli.command()
def replay(
    since: Annotated[str, typer.Option(help="Received since this time, such as 2026-11-15T09:30:00Z.")],
    platform: Annotated[str | None, typer.Option(help="Only from this platform, such as meta. Unset: all.")] = None,
) -> None:
    """Process webhooks from platforms again. Effects that already happened are not repeated."""
    from socialgate.entry.replay import replay as run  # noqa: PLC0415 - see the docstring above

    settings = _settings()
    _run(run(settings, SystemClock(), since, platform))


@cli.command()
def reseal() -> None:
    """Encrypt all secrets with the newest key, so that older keys can be removed. Runs while the service is running."""
    from socialgate.entry.reseal import reseal as run  # noqa: PLC0415 - see the docstring above

    settings = _settings()
    raise typer.Exit(_run(run(settings, SystemClock())))


@cli.command()
def version() -> None:
    """Show the version."""
    typer.echo(__version__)


def _collect_later() -> None:
    """Disable garbage collection during the imports, where it took a tenth of the startup time. Enabled later."""
    gc.disable()


def _settings() -> Settings:
    # What these processes write (a database, keys, a first password) is only for their own user.
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
    typer.echo(f"socialgate: {error}", err=True)
    sys.exit(WRONG_SETTING)


def main() -> None:
    cli(prog_name="socialgate")


if __name__ == "__main__":
    main()
