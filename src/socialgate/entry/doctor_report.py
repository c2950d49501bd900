"""What `socialgate doctor` prints: a line for each check, with the way to fix what is wrong."""

from collections.abc import Awaitable

from rich.console import Console
from rich.markup import escape

from socialgate.core.settings import SettingsError


class CheckFailed(Exception):
    """What is wrong, and how to fix it."""


class DoctorReport:
    def __init__(self, console: Console) -> None:
        self._console = console
        self.failures = 0

    def add_success(self, name: str, text: str) -> None:
        self._console.print(f"[green]✓[/green] {name}: {escape(text)}")

    def add_failure(self, name: str, problem: Exception) -> None:
        self.failures += 1
        self._console.print(f"[red]✗[/red] {name}: {escape(str(problem))}")

    async def run(self, name: str, check: Awaitable[str]) -> bool:
        """Wait for a check, and print what it returns or how it failed. Returns whether it succeeded."""
        try:
            self.add_success(name, await check)
        except (CheckFailed, SettingsError) as problem:
            self.add_failure(name, problem)
            return False
        return True

    async def require(self, name: str, check: Awaitable[None]) -> None:
        """Wait for a check that says nothing if all is well, and print how it failed."""
        try:
            await check
        except SettingsError as problem:
            self.add_failure(name, problem)
