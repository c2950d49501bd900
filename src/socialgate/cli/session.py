"""What every command shares: which service it calls, how it prints, and what its exit codes mean."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cached_property, wraps
from http import HTTPStatus
from itertools import islice
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

import click

from socialgate import __version__
from socialgate.cli.config import Access, ConfigStore, config_path, find_access
from socialgate.cli.output import clean, note, print_json, print_table
from socialgate_client import (
    ApiError,
    AuthenticationError,
    ConnectionError,  # noqa: A004 - its own
    Model,
    PermissionDenied,
    Socialgate,
    SocialgateError,
)
from socialgate_client import ValidationError as InvalidRequest
from socialgate_client.types import Fault

EXIT_REFUSED = 1
EXIT_UNREACHABLE = 3
EXIT_INTERRUPTED = 130
DEFAULT_LIMIT = 50
# A person is waiting: what takes longer than this to come back is reported.
_MAX_RETRIES = 2
_OPTIONS = "socialgate.options"

Params = ParamSpec("Params")
T = TypeVar("T")
Row = TypeVar("Row", bound=Model)
Command = TypeVar("Command", bound=Callable[..., Any])


class Session:
    """One run of a command."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.store = ConfigStore(config_path(os.environ))
        self._options = options
        self._opened: Socialgate | None = None

    @property
    def is_json(self) -> bool:
        return bool(self._options.get("as_json"))

    @cached_property
    def url(self) -> str:
        return self._access.url.rstrip("/")

    @cached_property
    def client(self) -> Socialgate:
        url, key = self._access.url, self._access.key
        if not key:
            raise click.UsageError(f"You are not signed in to {url}. Run: socialgate login {url}")
        try:
            self._opened = open_client(url, key)
        except SocialgateError as error:
            raise click.UsageError(str(error)) from None
        return self._opened

    @cached_property
    def _access(self) -> Access:
        return find_access(
            self.store,
            os.environ,
            server=self._options.get("server"),
            url=self._options.get("url"),
            key=self._options.get("key"),
        )

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()

    def print_rows(
        self, rows: Iterator[Row], limit: int, headings: Sequence[str], line: Callable[[Row], Sequence[str]], none: str
    ) -> None:
        """Print a list: a table for people, an array for programs."""
        shown = list(islice(rows, limit))
        if self.is_json:
            print_json([row.to_dict() for row in shown])
            return
        if not shown:
            note(none)
            return
        print_table(headings, [line(row) for row in shown])
        if next(rows, None) is not None:
            note(f"There are more. Show them with --limit {4 * limit}.")

    def print_result(self, result: Model, *lines: str) -> None:
        """Print what was done: sentences for people, the response for programs."""
        if self.is_json:
            print_json(result.to_dict())
            return
        for line in lines:
            click.echo(clean(line))


def open_client(url: str, key: str) -> Socialgate:
    """Open a client, which says in its requests who it is."""
    return Socialgate(
        base_url=url, api_key=key, max_retries=_MAX_RETRIES, headers={"User-Agent": f"socialgate-cli/{__version__}"}
    )


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Keep a shared option for this command and those below it."""
    if value:
        context.meta.setdefault(_OPTIONS, {})[parameter.name] = value


def add_shared_options(command: Command) -> Command:
    """Add the options that every command has."""
    for declaration, text in (
        ("--key", "API key. Unset: SOCIALGATE_API_KEY, or the one from `socialgate login`."),
        ("--url", "URL of the service. Unset: SOCIALGATE_URL, or the one that you signed in to."),
        ("--server", "A service that you signed in to, by its name in `socialgate servers`."),
    ):
        option = click.option(declaration, metavar="TEXT", help=text, expose_value=False, callback=_remember)
        command = option(command)
    json_option = click.option(
        "--json", "as_json", is_flag=True, help="Print JSON for programs.", expose_value=False, callback=_remember
    )
    return json_option(command)


def with_session(
    function: Callable[Concatenate[Session, Params], None],
) -> Callable[Params, None]:
    """Give a command a session, and let it end with the right exit code.

    What a group does by itself is left out if one of its commands is called.
    """

    @add_shared_options
    @click.pass_context
    @wraps(function)
    def run(context: click.Context, /, *args: Params.args, **kwargs: Params.kwargs) -> None:
        if getattr(context, "invoked_subcommand", None) is not None:
            return
        session = Session(context.meta.get(_OPTIONS, {}))
        with closing(session), reporting_errors(is_json=session.is_json):
            function(session, *args, **kwargs)

    return run


limit_option = click.option(
    "--limit", type=click.IntRange(min=1), default=DEFAULT_LIMIT, show_default=True, help="How many to show at most."
)


@contextmanager
def until_stopped() -> Iterator[None]:
    """Follow something until a person or a supervisor stops it, which is how it is meant to end."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    # In the background of a shell, the first of them is ignored unless somebody asks for it.
    before = [signal.signal(number, signal.default_int_handler) for number in numbers]
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@contextmanager
def reporting_errors(*, is_json: bool) -> Iterator[None]:
    """Say what went wrong, and end with the exit code for it."""
    try:
        yield
    except ConnectionError as error:
        _fail(f"The service cannot be reached: {error}", EXIT_UNREACHABLE)
    except ApiError as error:
        if is_json:
            click.echo(json.dumps(error.problem.to_dict(), ensure_ascii=False), err=True)
            sys.exit(EXIT_REFUSED)
        faults = error.errors if isinstance(error, InvalidRequest) else []
        _fail(_describe(error.detail, faults) + _hint(error), EXIT_REFUSED)
    except SocialgateError as error:
        _fail(str(error), EXIT_REFUSED)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)


def _describe(detail: str, faults: Sequence[Fault]) -> str:
    """Say what is wrong, and where. The detail of a problem with one fault is that of the fault."""
    if [fault.detail for fault in faults] == [detail]:
        return f"{clean(detail)} ({clean(faults[0].pointer)})"
    return clean(detail) + "".join(f"\n  {clean(fault.pointer)}: {clean(fault.detail)}" for fault in faults)


def _hint(error: ApiError) -> str:
    """Say what to check if the error was not explained, by a response without a body or by somebody else's."""
    if error.code != "unknown" and error.status != HTTPStatus.METHOD_NOT_ALLOWED:
        return ""
    if isinstance(error, (AuthenticationError, PermissionDenied)):
        return " Check the key."
    return " Check that the URL is that of a Socialgate service."


def _fail(text: str, code: int) -> NoReturn:
    note(f"socialgate: {text}")
    sys.exit(code)
