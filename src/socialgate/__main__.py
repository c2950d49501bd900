"""The `socialgate` command. Each subcommand imports only what it needs, so that all of them start fast."""

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
from socialgate.cli import COMMANDS
from socialgate.cli.lazy_commands import LazyGroup
from socialgate.core.clock import SystemClock
from socialgate.core.logs import configure_logs
from socialgate.core.settings import Settings, SettingsError, load_settings

EXIT_INVALID_SETTINGS = 2

T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., Any])


def _build_option(name: str, text: str, **click_options: Any) -> Callable[[Command], Command]:
    return click.option(name, help=text, metavar="TEXT", **click_options)


# For the subcommands that work from outside, like any other client.
_service_url_option = _build_option(
    "--url", "URL of the service. Unset: SOCIALGATE_URL, the one that you signed in to, or http://127.0.0.1:8080."
)
_api_key_option = _build_option(
    "--key", "API key of the owner. Unset: SOCIALGATE_API_KEY, or the one from `socialgate login`."
)


def _add_held_work_arguments(command: Command) -> Command:
    """Add the arguments that choose what a restored backup holds back."""
    kind = click.argument("kind", required=False)
    ids = click.argument("ids", nargs=-1)
    everything = click.option("--all", "everything", is_flag=True, help="Everything of the kind, or of all kinds.")
    return kind(ids(everything(command)))


@click.group(cls=LazyGroup, lazy=COMMANDS, no_args_is_help=True)
@click.version_option(__version__, message="%(version)s", help="Show the version.")
def cli() -> None:
    """One HTTP API for social, messaging and advertising accounts."""


@cli.command()
def serve() -> None:
    """Run the API. With SQLite, run everything else too."""
    _disable_gc()
    from socialgate.entry.serve import serve as run  # noqa: PLC0415 - see the docstring above

    settings = _load_settings()
    _run(run(settings, SystemClock()))


@cli.command()
def work() -> None:
    """Run a background worker for `serve` processes that share a PostgreSQL database."""
    _disable_gc()
    from socialgate.entry.serve import run_worker as run  # noqa: PLC0415 - see the docstring above

    settings = _load_settings()
    _run(run(settings, SystemClock()))


@cli.command()
def sandbox() -> None:
    """Run only the simulated platforms, for a service that runs elsewhere."""
    settings = _load_settings()
    _run(_run_sandbox(settings))


async def _run_sandbox(settings: Settings) -> None:
    from socialgate.entry.sandbox_package import require_sandbox  # noqa: PLC0415 - see the docstring above

    require_sandbox()
    from socialgate.entry.sandbox import run_sandbox  # noqa: PLC0415 - see the docstring above

    await run_sandbox(settings)


@cli.command()
def migrate() -> None:
    """Migrate the database to the newest schema."""
    from socialgate.entry.serve import run_migration as run  # noqa: PLC0415 - see the docstring above

    settings = _load_settings()
    _run(run(settings, SystemClock()))


@cli.command()
@_build_option(
    "--through",
    "Also check the service as clients reach it, such as https://gate.example.com. Can be repeated.",
    multiple=True,
)
@_build_option("--key", "API key for checking that events are streamed. Unset: SOCIALGATE_API_KEY.")
def doctor(through: tuple[str, ...], key: str | None) -> None:
    """Check the settings and what they refer to, and say how to fix problems."""
    from socialgate.entry.doctor import run_checks  # noqa: PLC0415 - see the docstring above

    sys.exit(asyncio.run(run_checks(SystemClock(), through, key or os.environ.get("SOCIALGATE_API_KEY"))))


@cli.command()
@_service_url_option
@_api_key_option
def mcp(**arguments: Any) -> None:
    """Offer the service to a language model, as an MCP server over standard input and output."""
    from socialgate.entry.mcp_command import run_mcp as run  # noqa: PLC0415 - see the docstring above

    _run(run(**_add_access(arguments)))


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@_build_option("--for", "Platform or kind of account, such as instagram. Unset: all that publish.", default=None)
@_build_option("--form", "Form of the post, such as reel or story.", default="post", show_default=True)
@click.option(
    "--mode",
    "--fit",
    "mode",
    type=click.Choice(["auto", "pad", "crop", "none"]),
    default="auto",
    show_default=True,
    help="How a wrong aspect ratio is changed.",
)
@_build_option("--background", "Color of margins, such as #ffffff, or blur.", default=None)
@click.option("--output", type=click.Path(path_type=Path), help="Where to write the result.")
def fit(**arguments: Any) -> None:
    """Show what would be changed about a FILE so that platforms accept it. Needs no running service."""
    from socialgate.entry.fit import FitOptions, show_fit  # noqa: PLC0415 - see the docstring above

    sys.exit(_run(show_fit(FitOptions(platform=arguments.pop("for"), **arguments))))


@cli.command()
@_build_option("--since", "Received since this time, such as 2026-11-15T09:30:00Z.", required=True)
@_build_option("--platform", "Only from this platform, such as meta. Unset: all.")
def replay(since: str, platform: str | None) -> None:
    """Process webhooks from platforms again. Effects that already happened are not repeated."""
    from socialgate.entry.replay import replay_webhooks as run  # noqa: PLC0415 - see the docstring above

    settings = _load_settings()
    _run(run(settings, SystemClock(), since, platform))


@cli.command()
def reseal() -> None:
    """Encrypt all secrets with the newest key, so that older keys can be removed. Runs while the service is running."""
    from socialgate.entry.reseal import reseal_database as run  # noqa: PLC0415 - see the docstring above

    settings = _load_settings()
    sys.exit(_run(run(settings, SystemClock())))


@cli.command()
@click.argument("owner")
@click.argument("plan", required=False)
@click.option("--remove", is_flag=True, help="Remove the assigned plan.")
def plan(owner: str, plan: str | None, *, remove: bool) -> None:
    """Show the plan of an OWNER (an email or own_…), or assign a PLAN, which counts whatever the owner buys."""
    from socialgate.entry.plan_command import show_or_assign_plan as run  # noqa: PLC0415 - see the docstring above

    settings = _load_settings()
    _run(run(settings, SystemClock(), owner, plan, remove=remove))


@cli.group("restore-check", invoke_without_command=True)
@click.pass_context
def restore_check(context: click.Context) -> None:
    """Show what is held back because a backup was restored. The subcommands decide it."""
    if context.invoked_subcommand is None:
        from socialgate.entry.restore_check import print_holds  # noqa: PLC0415 - see the docstring above

        settings = _load_settings()
        sys.exit(_run(print_holds(settings, SystemClock())))


@restore_check.command()
@_build_option("--backup-at", "When the backup was made, such as 2026-11-15T09:30:00Z.", required=True)
def declare(backup_at: str) -> None:
    """Say that a backup was restored, if a start did not notice it. Stop the service first."""
    from socialgate.entry.restore_check import declare_restore as run  # noqa: PLC0415 - see the docstring above

    settings = _load_settings()
    sys.exit(_run(run(settings, SystemClock(), backup_at)))


@restore_check.command()
@_add_held_work_arguments
def look(**arguments: Any) -> None:
    """Have the platforms asked what was done. What they show is recorded; the rest stays held back."""
    _run_restore_decision("look", arguments)


@restore_check.command()
@_add_held_work_arguments
def release(**arguments: Any) -> None:
    """Do now what was held back, although it may have been done already."""
    _run_restore_decision("release", arguments)


@restore_check.command()
@_add_held_work_arguments
def drop(**arguments: Any) -> None:
    """End what was held back without doing it."""
    _run_restore_decision("drop", arguments)


def _run_restore_decision(verb: Any, options: dict[str, Any]) -> NoReturn:
    from socialgate.entry.restore_check import HoldSelection  # noqa: PLC0415 - see the docstring above
    from socialgate.entry.restore_check import decide_holds as run  # noqa: PLC0415 - see the docstring above

    settings = _load_settings()
    sys.exit(_run(run(settings, SystemClock(), verb, HoldSelection(**options))))


@cli.group()
def docs() -> None:
    """The documentation, which a running service shows at /docs."""


@docs.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@_build_option("--url", "URL of the service that the documentation names.", default="https://gate.example.com")
def build(folder: Path, url: str) -> None:
    """Write every page to FOLDER, as files for any web server."""
    from socialgate.entry.docs_files import build_docs  # noqa: PLC0415 - see the docstring above

    click.echo(f"{build_docs(folder, url)} pages in {folder}")


@cli.command()
def version() -> None:
    """Show the version, as --version does."""
    click.echo(__version__)


def _add_access(arguments: dict[str, Any]) -> dict[str, Any]:
    """Fill in the service and the key that are not given."""
    from socialgate.cli.config import ConfigStore, config_path, find_access  # noqa: PLC0415 - see the docstring above

    store = ConfigStore(config_path(os.environ))
    access = find_access(store, os.environ, server=None, url=arguments["url"], key=arguments["key"])
    return {**arguments, "url": access.url, "key": access.key}


def _disable_gc() -> None:
    """Disable garbage collection during the imports, where it took a tenth of the startup time. Enabled later."""
    gc.disable()


def _load_settings() -> Settings:
    # What these processes write (a database, keys, a first password) is only for their own user.
    os.umask(0o077)
    try:
        settings = load_settings()
    except SettingsError as error:
        _exit_with_error(error)
    configure_logs(settings.log_format, settings.log_level)
    return settings


def _run(main: Coroutine[Any, Any, T]) -> T:
    import uvloop  # noqa: PLC0415 - see the docstring above

    try:
        return uvloop.run(main)
    except SettingsError as error:
        _exit_with_error(error)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def _exit_with_error(error: SettingsError) -> NoReturn:
    click.echo(f"socialgate: {error}", err=True)
    sys.exit(EXIT_INVALID_SETTINGS)


def main() -> None:
    cli(prog_name="socialgate")


if __name__ == "__main__":
    main()
