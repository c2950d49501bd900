"""The commands that use a service, run in this process as in a shell: with an address and a key, without a terminal."""

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from socialgate.__main__ import cli
from socialgate.cli import COMMANDS

# The service of the tests is in the same process, and waits while its client is loaded: better before it starts.
for _command in COMMANDS.values():
    _command.load()


class CommandLine:
    """A shell of somebody. `environ` is what is set in it beside the folder of the configuration."""

    def __init__(self, folder: Path, **environ: str) -> None:
        self.folder = folder
        self._runner = CliRunner(
            env={
                "SOCIALGATE_URL": None,
                "SOCIALGATE_API_KEY": None,
                "SOCIALGATE_EMAIL": None,
                "SOCIALGATE_PASSWORD": None,
                "XDG_CONFIG_HOME": str(folder),
                **environ,
            }
        )

    def run(self, *arguments: str, given_input: str | None = None) -> Result:
        result = self._runner.invoke(cli, arguments, input=given_input, prog_name="socialgate")
        # What is not an exit is a defect.
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        return result

    def succeed(self, *arguments: str, given_input: str | None = None) -> str:
        result = self.run(*arguments, given_input=given_input)
        assert result.exit_code == 0, result.output
        return result.stdout

    def fail(self, code: int, *arguments: str) -> str:
        result = self.run(*arguments)
        assert (result.exit_code, result.stdout) == (code, ""), result.output
        return result.stderr

    def json(self, *arguments: str) -> Any:
        return json.loads(self.succeed(*arguments, "--json"))
