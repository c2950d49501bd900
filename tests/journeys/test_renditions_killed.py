"""A file is made to fit, and the process is killed at every step of it: it is made once, whole, and nothing is left."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import imageio_ffmpeg
import pytest
import sqlalchemy as sa

from socialgate.areas.media.store import media, uploads
from socialgate.contracts.platforms import Kind
from socialgate.core.jobs.job_store import jobs
from socialgate.core.jobs.service import JOB_LEASE
from support.conversions import film
from support.crash_deployment import CrashDeployment, start_crash_deployment
from support.many_accounts import build_accounts
from support.postgres import new_database
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

# The programs of a conversion in their order, by what is on their command lines: reading whose work it is, encoding it,
# and inspecting the result, which is in the storage by then.
STEPS = {"read": "*ffmetadata*", "encode": "*libx264*", "inspect": "*-f\\ mov*"}
# Stands in for ffmpeg: says that it has come to a step, and waits there as long as a test wants. What only inspects
# files may not write any, but create them.
_HOLDING = """#!/bin/sh
case "$*" in
{cases}
esac
while [ -e "{folder}/hold.$step" ]; do : > "{folder}/at.$step.$$"; /bin/sleep 0.05; done
exec "{program}" "$@"
"""
_FIRST_CALL = {"platform": "threads", "method": "POST", "path": "*/threads", "when": "before", "hang": True}
_SETTLED = {"published", "failed", "partial"}


class Brake:
    """Holds the programs that processes start."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()
        cases = "\n".join(f"  {pattern}) step={step} ;;" for step, pattern in STEPS.items())
        self.program = folder / "ffmpeg"
        program = imageio_ffmpeg.get_ffmpeg_exe()
        self.program.write_text(_HOLDING.format(cases=cases, folder=folder, program=program))
        self.program.chmod(0o700)

    def hold(self, step: str) -> None:
        (self._folder / f"hold.{step}").touch()

    def let_go(self, step: str) -> None:
        (self._folder / f"hold.{step}").unlink()

    def wait_for(self, step: str) -> int:
        """Wait until a program is at a step, and return its process."""
        marks = eventually(lambda: list(self._folder.glob(f"at.{step}.*")), f"the step {step}")
        return int(marks[-1].suffix.removeprefix("."))


@pytest.fixture
def brake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Brake:
    created = Brake(tmp_path / "brake")
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(created.program))
    # An ffprobe of the machine would inspect files instead.
    places = [place for place in os.environ["PATH"].split(os.pathsep) if not Path(place, "ffprobe").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join(places))
    return created


@contextmanager
def on_stage(engine: str, folder: Path, postgres_url: str) -> Iterator[tuple[CrashDeployment, str]]:
    url = new_database(postgres_url) if engine == "postgres" else None
    members = build_accounts({Kind.THREADS: 1})
    with start_crash_deployment(folder, url, members) as stage:
        (account,) = stage.connect(members).values()
        stage.postpone_checks()
        stage.clocks.stop()
        yield stage, account


def kill_victim(stage: CrashDeployment) -> None:
    stage.victim.kill()
    stage.victim.start_again()
    stage.victim.wait_until_ready()


def let_lease_end(stage: CrashDeployment) -> None:
    stage.clocks.advance(JOB_LEASE + timedelta(seconds=1), platforms=timedelta(0))


def list_results(stage: CrashDeployment) -> list[Any]:
    return stage.read(sa.select(media.c.id, media.c.sha256).where(media.c.rendition_key.is_not(None)))


def is_settled(stage: CrashDeployment, post_id: str) -> Callable[[], dict[str, Any] | None]:
    def look() -> dict[str, Any] | None:
        post: dict[str, Any] = stage.send_request("GET", f"/posts/{post_id}")
        if post["status"] in _SETTLED:
            return post
        stage.clocks.advance(timedelta(seconds=5), platforms=timedelta(seconds=60))
        return None

    return look


def has_ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def upload(stage: CrashDeployment) -> str:
    data = film("webm", "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "16")
    uploaded = stage.send_request("POST", "/upload", params={"fileName": "buns.webm"}, content=data)
    return str(uploaded["id"])


def create_post(stage: CrashDeployment, account: str, media_id: str) -> str:
    post = {
        "profileId": stage.profile_id,
        "content": "Buns",
        "media": [{"mediaId": media_id}],
        "targets": [{"accountId": account}],
    }
    created = stage.send_request("POST", "/posts", json=post)
    assert created["status"] == "preparing"
    return str(created["id"])


def test_a_file_is_made_once_and_whole_however_often_its_process_dies(
    engine: str, tmp_path: Path, postgres_url: str, brake: Brake
) -> None:
    folder = tmp_path / "data" / "preparing"
    with on_stage(engine, tmp_path, postgres_url) as (stage, account):
        media_id = upload(stage)
        for step in STEPS:
            brake.hold(step)
        fault = str(stage.sandbox.control("fail", **_FIRST_CALL)["id"])
        post_id = create_post(stage, account, media_id)
        for step in STEPS:
            program = brake.wait_for(step)
            assert len(list(folder.glob("*.lock"))) == 1, "it is made once at a time"
            kill_victim(stage)
            eventually(partial(has_ended, program), "the end of its program")
            assert not list(folder.iterdir()), "what a dead process has left is gone when the next one starts"
            assert list_results(stage) == [], "half a file is not a result"
            shown = stage.send_request("GET", f"/posts/{post_id}")
            assert (shown["status"], shown["targets"][0]["status"]) == ("preparing", "preparing")
            brake.let_go(step)
            let_lease_end(stage)
        eventually(lambda: fault in {item["fault"] for item in stage.sandbox.look("fail")["hanging"]})
        (result,) = list_results(stage)
        kill_victim(stage)
        stage.sandbox.client.delete("/_control/fail")
        let_lease_end(stage)
        post = eventually(is_settled(stage, post_id))
        assert post["status"] == "published", post
        assert list_results(stage) == [result]
        assert [row.status for row in stage.read(sa.select(jobs.c.status).where(jobs.c.type == "media.prepare"))] == [
            "succeeded"
        ]
        require_whole_file(stage, account, result.sha256)
        require_nothing_left(stage, folder)


def require_whole_file(stage: CrashDeployment, account: str, expected: str) -> None:
    """The platform has the result, byte for byte."""
    shown = stage.send_request("GET", f"/accounts/{account}")
    (entry,) = stage.sandbox.look("feed", platform="threads", account=shown["platformAccountId"])["data"]
    (file,) = entry["media"]
    content = httpx.get(file["url"]).content if "url" in file else b""
    assert (file.get("sha256") or sha256(content).hexdigest()) == expected


def require_nothing_left(stage: CrashDeployment, folder: Path) -> None:
    """What the killed processes have stored of a result is deleted when its upload has expired."""
    assert not list(folder.iterdir())
    stage.clocks.advance(timedelta(days=2), platforms=timedelta(0))
    known = {row.id for row in stage.read(sa.select(media.c.id))}
    eventually(lambda: not stage.read(sa.select(uploads.c.id)))
    stored = {file.name for file in (folder.parent / "media").glob("own_*/**/*") if file.is_file()}
    assert stored == known
