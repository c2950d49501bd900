"""The pages of docs/reference say what the code says."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from socialgate.core.events import EVENT_TYPES
from socialgate.core.settings import get_env_variable, get_setting_types
from socialgate.entry.reference import PAGE_BUILDERS, list_stale_pages, load_operations, main
from socialgate.web.api_description import get_example

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"


def test_every_page_is_what_the_code_makes_of_it() -> None:
    """Looked at from a process of its own: in this one, other tests have defined errors for themselves."""
    command = [sys.executable, "-m", "socialgate.entry.reference", "--check"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_a_stale_page_is_named_and_then_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"], tmp_path) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"{tmp_path}/{name} does not show what the code says. Run `make reference`." for name in sorted(PAGE_BUILDERS)
    ]
    assert list(tmp_path.iterdir()) == []
    assert main([], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0


def test_a_page_is_stale_when_it_differs_is_missing_or_is_left_over(tmp_path: Path) -> None:
    (tmp_path / "same.md").write_text("same")
    (tmp_path / "other.md").write_text("other")
    (tmp_path / "left.md").write_text("left")
    assert list_stale_pages({"same.md": "same", "other.md": "changed", "new.md": "new"}, tmp_path) == [
        "left.md",
        "new.md",
        "other.md",
    ]


def test_every_route_setting_and_event_has_a_heading() -> None:
    routes = (REFERENCE / "routes.md").read_text(encoding="utf-8")
    titles = [f"{operation.method} {operation.path}" for operation in load_operations()]
    assert [title for title in titles if f"### `{title}`\n" not in routes] == []
    settings = (REFERENCE / "settings.md").read_text(encoding="utf-8")
    assert [name for name in get_setting_types() if f"## `{get_env_variable(name)}`\n" not in settings] == []
    events = (REFERENCE / "events.md").read_text(encoding="utf-8")
    assert [name for name in EVENT_TYPES if f"## `{name}`\n" not in events] == []


def test_every_example_is_of_the_type_that_the_route_names() -> None:
    for operation in load_operations():
        for kind, example in (
            (operation.body, get_example(operation.body)),
            (operation.answer, operation.answer_example),
        ):
            if example is not None:
                assert msgspec.convert(example, kind) is not None, f"{operation.method} {operation.path}"


def test_every_error_says_more_than_its_title() -> None:
    text = (REFERENCE / "errors.md").read_text(encoding="utf-8")
    for section in text.split("\n## ")[1:]:
        heading, _, rest = section.partition("\n\n")
        _, _, explanation = rest.partition("\n\n")
        assert len(explanation.split()) >= 8, heading


def test_every_dependency_has_its_line() -> None:
    project, sandbox = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8")) for folder in (".", "sandbox")
    )
    page = (ROOT / "docs" / "decisions" / "0002-dependencies.md").read_text(encoding="utf-8")
    at_runtime = {*project["project"]["dependencies"], *sandbox["project"]["dependencies"]}
    items = [*at_runtime, *project["dependency-groups"]["dev"]]
    names = [re.split(r"[^A-Za-z0-9_-]", requirement)[0] for requirement in items]
    names += json.loads((ROOT / "tests" / "npm" / "package.json").read_text(encoding="utf-8"))["dependencies"]
    # They have an environment of their own.
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    clients = re.search(r"^CLIENTS := (.*)$", makefile, flags=re.MULTILINE)
    assert clients is not None
    names += re.findall(r"([\w-]+)(?:\[\w+\])?'?(?: |$)", clients[1])
    payload = re.findall(r"^\| `([^`]+)` (?:\(npm\) )?\|", page, flags=re.MULTILINE)
    assert sorted(payload) == sorted(names)
