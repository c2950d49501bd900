"""The tour of the README, run word for word in a shell against a service that was just started.

What the README shows is compared with what comes. In a JSON answer the string "…" stands for any value, and `…`
inside a string for any text. In a text answer a line that is only `…` stands for any lines, and `…` inside a line for
any text.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from journeys.commands import DEADLINE_SECONDS
from journeys.commands import started_afresh as started
from socialgate.delivery.signing import HookSigner, generate_hook_secret
from support.processes import environment

pytestmark = pytest.mark.both_engines

README = Path(__file__).parents[2] / "README.md"
SANDBOX = (README.parent / "docs" / "sandbox.md", README.parent / "sandbox" / "docs" / "guide.md")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
_BETWEEN = "-- end of a step --"


class Step(msgspec.Struct, frozen=True):
    command: str
    kind: str
    answer: str


def tour() -> list[Step]:
    text = README.read_text(encoding="utf-8")
    section = text.partition("\n## A first tour\n")[2].partition("\n## ")[0]
    blocks: list[tuple[str, str]] = _BLOCK.findall(section)
    assert len(blocks) % 2 == 0, "each command is followed by its answer"
    steps = [Step(blocks[i][1], blocks[i + 1][0], blocks[i + 1][1]) for i in range(0, len(blocks), 2)]
    assert all(kind == "sh" for kind, _ in blocks[::2])
    assert all(step.kind in {"json", "text"} for step in steps)
    return steps


def pattern_of(text: str) -> str:
    return ".*".join(re.escape(part) for part in text.split("…"))


def assert_like(real: Any, shown: Any, where: str = "answer") -> None:
    """Compare an answer with what the README shows of it."""
    if shown == "…":
        return
    assert type(real) is type(shown), f"{where}: {real!r} is shown as {shown!r}"
    if isinstance(shown, dict):
        assert list(real) == list(shown), where
        for name, part in shown.items():
            assert_like(real[name], part, f"{where}.{name}")
    elif isinstance(shown, list):
        assert len(real) == len(shown), where
        for number, part in enumerate(shown):
            assert_like(real[number], part, f"{where}[{number}]")
    elif isinstance(shown, str):
        assert re.fullmatch(pattern_of(shown), real), f"{where}: {real!r} is shown as {shown!r}"
    else:
        assert real == shown, where


def assert_text_like(real: str, shown: str) -> None:
    lines = [r"(?:[^\n]*\n)*" if line == "…" else pattern_of(line) + r"\n" for line in shown.splitlines()]
    whole = "".join(lines)
    assert re.fullmatch(whole, real.replace("\r\n", "\n").rstrip() + "\n"), f"{real}\nis shown as\n{shown}"


def test_an_answer_that_differs_is_noticed() -> None:
    assert_like({"id": "prf_1", "n": 1, "any": [1]}, {"id": "prf_…", "n": 1, "any": "…"})
    for wrong in ({"id": "key_1", "n": 1}, {"id": "prf_1", "n": 2}, {"id": "prf_1"}, {"id": "prf_1", "n": 1, "m": 1}):
        with pytest.raises(AssertionError):
            assert_like(wrong, {"id": "prf_…", "n": 1})
    assert_text_like("a\r\nb\r\n\r\nc 1", "a\n…\nc …\n")
    with pytest.raises(AssertionError):
        assert_text_like("a\nb\nd", "a\n…\nc\n")


def test_the_check_of_a_signature_works() -> None:
    section = README.read_text(encoding="utf-8").partition("\n## Receiving hooks\n")[2]
    (code,) = [content for kind, content in _BLOCK.findall(section) if kind == "python"]
    shown: dict[str, Any] = {}
    exec(code, shown)  # noqa: S102 - it is our own page
    secret, body = generate_hook_secret(), '{"event": "é"}'.encode()
    headers = HookSigner([secret]).build_headers(event="e", event_id="e", delivery_id="d", timestamp=1, body=body)
    signature = headers["X-Service-Signature"]
    assert shown["is_genuine"](secret, body, signature)
    assert not shown["is_genuine"](secret, body + b" ", signature)
    assert not shown["is_genuine"](generate_hook_secret(), body, signature)


needs_a_shell = pytest.mark.skipif(
    not (shutil.which("bash") and shutil.which("curl")), reason="the commands need bash and curl"
)


def in_shell(script: str, folder: Path) -> str:
    """Run commands as somebody who pastes them, and give what they print."""
    walked = subprocess.run(
        ["bash", "-c", f"set -eu\n{script}"],
        cwd=folder,
        env=environment({}) | {"no_proxy": "*"},
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )
    assert (walked.returncode, walked.stderr) == (0, "")
    return walked.stdout


@needs_a_shell
def test_the_tour_goes_as_the_readme_says(tmp_path: Path) -> None:
    steps = tour()
    assert len(steps) >= 6
    script = "".join(f"{step.command}\nprintf '\\n%s\\n' '{_BETWEEN}'\n" for step in steps)
    with started(tmp_path, "serve", port=0) as service:
        service.address()
        walked = in_shell(script, tmp_path)
        assert service.stop() == 0
    answers = walked.split(f"\n{_BETWEEN}\n")
    assert answers.pop() == ""
    for step, answer in zip(steps, answers, strict=True):
        if step.kind == "json":
            assert_like(json.loads(answer), json.loads(step.answer), step.command)
        else:
            assert_text_like(answer, step.answer)
    created, replayed = (re.search(r"prf_\w+", answer) for answer in answers[3:5])
    assert created is not None
    assert replayed is not None
    assert replayed[0] == created[0], "the replay shows the same profile"


@needs_a_shell
def test_the_commands_of_the_sandbox_can_be_pasted(tmp_path: Path) -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in SANDBOX)
    commands = [content for kind, content in _BLOCK.findall(text) if kind == "bash"]
    paired = 'curl -s "$SOCIALGATE_URL/accounts?kind=whatsapp_qr&status=connected" -H "$AUTH" | grep -q acc_'
    look = f"until {paired}; do sleep 0.1; done\necho '{_BETWEEN}'\ncurl -s $SOCIALGATE_URL/accounts -H \"$AUTH\""
    with started(tmp_path, "serve", port=0) as service:
        service.address()
        printed = in_shell("".join(commands) + look, tmp_path)
        assert service.stop() == 0
    states = {item["kind"]: item["status"] for item in json.loads(printed.partition(_BETWEEN)[2])["data"]}
    assert states == {
        "telegram_bot": "needs_reconnection",
        "whatsapp_cloud": "connected",
        "whatsapp_qr": "connected",
    }
