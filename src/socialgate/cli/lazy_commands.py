"""A group of commands that are loaded when they are called."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

_CLIENT_PACKAGE = "socialgate_client"


class LazyCommand:
    """Where a command is, and the line that `--help` shows. The function has the name of the command."""

    def __init__(self, name: str, summary: str, *, module: str | None = None) -> None:
        self.name = name
        self.summary = summary
        self._module = module or name

    def load(self) -> click.Command:
        try:
            module = import_module(f"socialgate.cli.{self._module}")
        except ModuleNotFoundError as error:
            if error.name != _CLIENT_PACKAGE:
                raise
            raise click.UsageError(
                f"`socialgate {self.name}` needs the client of the API. Install it: `pip install 'socialgate[cli]'`."
            ) from None
        command: click.Command = getattr(module, self.name)
        return command


class LazyGroup(click.Group):
    """Lists all commands without loading those that are declared as lazy."""

    def __init__(self, *args: Any, lazy: Mapping[str, LazyCommand], **options: Any) -> None:
        super().__init__(*args, **options)
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *self._lazy])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        lazy = self._lazy.get(cmd_name)
        return super().get_command(ctx, cmd_name) if lazy is None else lazy.load()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        here = [(name, self.commands[name].get_short_help_str(90)) for name in sorted(self.commands)]
        with formatter.section("Commands that use a service"):
            formatter.write_dl([(name, command.summary) for name, command in sorted(self._lazy.items())])
        with formatter.section("Commands that run one"):
            formatter.write_dl(here)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        helps = {name: command.get_short_help_str() for name, command in self.commands.items()}
        helps |= {name: command.summary for name, command in self._lazy.items()}
        return [CompletionItem(name, help=helps[name]) for name in sorted(helps) if name.startswith(incomplete)]
