"""`socialgate reseal`, as the page on keys describes it."""

import re
import subprocess
from pathlib import Path

import httpx
import pytest

from journeys.commands import DEADLINE_SECONDS, Running, run, started
from support.processes import free_port

pytestmark = pytest.mark.both_engines


def hooks_of(folder: Path, running: Running) -> list[str]:
    """Use the API key of the first start, whose owner the database knows: give the owner's hooks."""
    address = running.address()
    login = dict(
        re.findall(r"(?m)^export (\w+)=(.*)$", (folder / "data" / "first-login.txt").read_text(encoding="utf-8"))
    )
    headers = {"Authorization": f"Bearer {login['SOCIALGATE_API_KEY']}"}
    with httpx.Client(base_url=address, headers=headers, timeout=DEADLINE_SECONDS) as client:
        hook = {"url": "https://hooks.example.com/in", "events": ["post.published"]}
        assert client.post("/hooks", json=hook).status_code == 201
        return [row["id"] for row in client.get("/hooks").json()["data"]]


def shell(folder: Path, command: str) -> None:
    subprocess.run(["sh", "-e", "-c", command], cwd=folder, check=True)


def doctor_says(folder: Path) -> str:
    (line,) = [line for line in run(folder, "doctor", port=0).stdout.splitlines() if " keys: " in line]
    return line


def test_the_key_of_a_running_service_is_changed(tmp_path: Path) -> None:
    assert doctor_says(tmp_path) == "✓ keys: one will be created by the first start"
    with started(tmp_path, "serve", port=free_port()) as service:
        assert len(hooks_of(tmp_path, service)) == 1
        assert service.stop() == 0
    old = doctor_says(tmp_path).split()[2]
    assert doctor_says(tmp_path) == f"✓ keys: {old} encrypts everything"

    shell(tmp_path, "cp data/secret.key data/secret.key.old")
    shell(tmp_path, "{ openssl rand -base64 32; cat data/secret.key.old; } > data/secret.key")
    with started(tmp_path, "serve", port=free_port()) as service:
        assert len(hooks_of(tmp_path, service)) == 2
        message = doctor_says(tmp_path)
        remedy = "run `socialgate reseal` to re-encrypt everything, then remove them"
        assert f"{old} may still be needed to decrypt; {remedy}" in message
        done = run(tmp_path, "reseal")
        assert done.returncode == 0, done.stderr
        assert re.search(r"hooks\.secret +1 ", done.stdout), done.stdout
        assert f"You can remove the older keys now: {old}." in done.stdout
        again = run(tmp_path, "reseal")
        assert (again.returncode, re.findall(r"\.\w+ +[1-9]", again.stdout)) == (0, [])
        assert service.stop() == 0

    shell(tmp_path, "head -n 1 data/secret.key > data/secret.key.new; mv data/secret.key.new data/secret.key")
    with started(tmp_path, "serve", port=free_port()) as service:
        assert len(hooks_of(tmp_path, service)) == 3
        assert service.stop() == 0
    assert re.fullmatch(r"✓ keys: (?!" + old + r")\w{8} encrypts everything", doctor_says(tmp_path))


def test_without_a_database_it_says_so_in_one_line_and_makes_nothing(tmp_path: Path) -> None:
    refused = run(tmp_path, "reseal")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "SOCIALGATE_DATA_DIR" in refused.stderr
    assert list(tmp_path.iterdir()) == []
