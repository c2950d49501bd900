"""The package without Socialgate: its command, its dependencies, and the snippets in its README."""

import ast
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "socialgate_sandbox"
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN_URL = "http://127.0.0.1:8790"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
# The command in a process in which nothing can import the service.
COMMAND = "import sys; sys.modules['socialgate'] = None; from socialgate_sandbox.__main__ import main; main()"
# Generous: a loaded machine may be slow.
DEADLINE_SECONDS = 120


@contextmanager
def started(folder: Path, *options: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Run the command on free ports, and yield the URL that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "--port", "0", "--data-dir", str(folder / "data"), *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield _url(process), process
        finally:
            process.kill()


def _url(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if match := re.match(r"  Page +(\S+)/$", line):
            return match[1]
    raise AssertionError(f"it ended without a greeting: {process.stderr.read() if process.stderr else ''}")


def call(url: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = Request(url, data, {"content-type": "application/json"})  # noqa: S310 - it is the sandbox on loopback
    with urlopen(request, timeout=DEADLINE_SECONDS) as answer:  # noqa: S310 - see above
        return json.load(answer)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with started(tmp_path_factory.mktemp("sandbox")) as (url, _):
        yield url


def snippets(kind: str) -> list[str]:
    return [content for language, content in _BLOCK.findall(README) if language == kind]


def run(*command: str) -> str:
    done = subprocess.run(
        command,
        env=os.environ | {"no_proxy": "*", "PTB_TIMEDELTA": "1"},
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_official_sdks_work_as_the_readme_shows(sandbox: str) -> None:
    of_openai, of_telegram = (code.replace(SHOWN_URL, sandbox) for code in snippets("python"))
    assert 0 < len(run(sys.executable, "-c", of_openai).strip()) <= 80
    assert re.fullmatch(r"\d+ Fresh buns at nine\n", run(sys.executable, "-c", of_telegram))
    feed = call(f"{sandbox}/_control/feed?platform=telegram&account=-1002000000001")
    assert feed["data"][0]["text"] == "Fresh buns at nine"


def test_the_commands_of_the_readme_break_it_move_its_clock_and_read_its_log(sandbox: str) -> None:
    script = "\n".join(["set -eu", *snippets("bash")]).replace(SHOWN_URL, sandbox)
    assert '"error"' not in run("bash", "-c", script).replace('"error":null', "").replace('"error":"rate_limited"', "")
    assert {fault["platform"] for fault in call(f"{sandbox}/_control/fail")["data"]} == {"telegram", "openai"}
    call(f"{sandbox}/_control/cancel", {})
    call(f"{sandbox}/_control/webhooks", {"mode": "normal"})


def test_the_surface_lists_what_can_be_called(sandbox: str) -> None:
    listed = call(f"{sandbox}/_control/surface")["data"]
    rows = {(row["platform"], method, row["path"]): row for row in listed for method in row["methods"]}
    sending = rows["telegram", "POST", "/bot{token}/sendMessage"]
    assert "token" in sending["checked"]
    assert ("meta", "POST", "/graph.facebook.com/{version}/{Page}/feed") in rows
    assert (
        "template"
        in rows["whatsapp-cloud", "POST", "/graph.facebook.com/{version}/{WhatsAppBusinessPhoneNumber}/messages"][
            "actions"
        ]
    )
    only = call(f"{sandbox}/_control/surface?platform=stripe")["data"]
    assert {row["platform"] for row in only} == {"stripe"}
    assert only == [row for row in listed if row["platform"] == "stripe"]


def test_it_ends_in_order_and_keeps_what_was_written(tmp_path: Path) -> None:
    apps = tmp_path / "apps.toml"
    apps.write_text('[openai]\nsecret = "sk-mine"\n')
    message = {"platform": "telegram", "account": "7100000001", "text": "Open?"}
    with started(tmp_path, "--apps", str(apps)) as (url, process):
        call(f"{url}/_control/message", message)
        account = {"platform": "openai", "account": "org-AdasBakerySandbox"}
        assert "sk-mine" in str(call(f"{url}/_control/credentials", account))
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE_SECONDS) == 0
    with started(tmp_path) as (url, _):
        chat = call(f"{url}/_control/chat?platform=telegram&account=7100000001")
        assert [item["text"] for item in chat["data"]] == ["Open?"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[nobody]\n", "unknown platforms: nobody"),
        ("[meta]\nid = 7\n", "not valid"),
        ("[meta]\nkey = 'x'\n", "nothing else"),
        ("meta\n", "Correct --apps"),
    ],
)
def test_a_wrong_file_of_apps_is_explained_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    apps = tmp_path / "apps.toml"
    apps.write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "socialgate_sandbox", "--port", "0", "--apps", str(apps)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr


def test_everything_that_it_imports_is_declared() -> None:
    declared = {re.split(r"[^\w.-]", line)[0].lower() for line in requires("socialgate-sandbox") or ()}
    known = packages_distributions()
    imported = {name for file in SOURCES.rglob("*.py") for name in imported_by(file)}
    foreign = {name for name in imported if name not in sys.stdlib_module_names} - {"socialgate_sandbox"}
    assert foreign
    assert {name for name in foreign if not {value.lower() for value in known.get(name, ())} & declared} == set()


def imported_by(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole module"
            yield (node.module or "").partition(".")[0]
