"""The examples of the guide do what it says."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from support.command_line import CommandLine
from support.factories import account_on
from support.service import PASSWORD, OwnerFixture

GUIDE = Path(__file__).parents[2] / "docs" / "cli.md"


def examples() -> Iterator[tuple[str, list[str]]]:
    """List the commands with the lines that are shown below each."""
    blocks = re.findall(r"^```console\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.splitlines()
            yield command, lines


def matches(pattern: str, line: str) -> bool:
    """Compare a line: columns may be wider, and `…` is anything."""
    words = [".*?".join(map(re.escape, word.split("…"))) for word in pattern.split()]
    return re.fullmatch(r"\s+".join(words), line.strip()) is not None


def test_the_examples_of_the_guide(owner: OwnerFixture, tmp_path: Path) -> None:
    account_on(owner, "threads")
    shell = CommandLine(tmp_path, SOCIALGATE_EMAIL=owner.email, SOCIALGATE_PASSWORD=PASSWORD)
    ids: dict[str, str] = {}
    count = 0
    for command, expected in examples():
        text = command.replace("http://127.0.0.1:8080", owner.running.address)
        for prefix, known in ids.items():
            text = text.replace(f"{prefix}_…", known)
        result = shell.run(*shlex.split(text)[1:])
        lines = result.output.splitlines()
        assert result.exit_code == 0, result.output
        assert len(lines) == len(expected), result.output
        for pattern, line in zip(expected, lines, strict=True):
            assert matches(pattern, line), (pattern, line)
        ids |= {match[1]: match[0] for match in re.finditer(r"\b([a-z]+)_\w{20,}", result.output)}
        count += 1
    assert count >= 8
