"""A video whose process is killed at each kind of call: it is ordered once, and goes on or says that it is unknown."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from socialgate.core.jobs.service import JOB_LEASE
from socialgate_sandbox.vendors import openai
from support.crash_deployment import CrashDeployment, start_crash_deployment
from support.engines import first_on_both
from support.generations import PROVIDER
from support.postgres import new_database
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

ORDER = ("POST", "*/videos")
STATUS, FILE = ("GET", "*/videos/*"), ("GET", "*/content")


@contextmanager
def on_stage(engine: str, folder: Path, postgres_url: str) -> Iterator[CrashDeployment]:
    url = new_database(postgres_url) if engine == "postgres" else None
    with start_crash_deployment(folder, url, (), [openai.VENDOR]) as stage:
        stage.sandbox.control("outcome", seconds=0, **PROVIDER)
        stage.clocks.stop()
        yield stage
        for process in stage.processes:
            process.require_alive()


def hang(stage: CrashDeployment, call: tuple[str, str], when: str) -> str:
    method, path = call
    order = {"platform": "openai", "method": method, "path": path, "when": when, "hang": True}
    return str(stage.sandbox.control("fail", **order)["id"])


def kill_when(stage: CrashDeployment, fault: str) -> None:
    """Shoot the process that works on the video, once its call hangs, and let its lease end."""
    eventually(lambda: fault in {item["fault"] for item in stage.sandbox.look("fail")["hanging"]})
    stage.victim.kill()
    stage.sandbox.client.delete("/_control/fail")
    stage.victim.start_again()
    stage.victim.wait_until_ready()


def let_lease_end(stage: CrashDeployment) -> None:
    stage.clocks.advance(JOB_LEASE + timedelta(seconds=1), platforms=timedelta(0))


def begin(stage: CrashDeployment) -> str:
    return str(
        stage.send_request("POST", "/ai/generate-video", json={"prompt": "Steam rises", "model": "sandbox-video"})["id"]
    )


def ended(stage: CrashDeployment, video: str) -> dict[str, Any] | None:
    result: dict[str, Any] = stage.send_request("GET", f"/ai/generate/{video}")
    return result if result["finishedAt"] else None


def ordered(stage: CrashDeployment) -> int:
    """Count the videos that the provider was asked for."""
    query = {"platform": "openai", "path": ORDER[1], "limit": 100}
    return len([item for item in stage.sandbox.look("received", **query)["data"] if item["method"] == "POST"])


def test_a_video_goes_on_where_its_process_died(engine: str, tmp_path: Path, postgres_url: str) -> None:
    with on_stage(engine, tmp_path, postgres_url) as stage:
        fault = hang(stage, STATUS, "after")
        video = begin(stage)
        kill_when(stage, fault)
        fault = hang(stage, FILE, "after")
        let_lease_end(stage)
        kill_when(stage, fault)
        let_lease_end(stage)
        result = eventually(lambda: ended(stage, video))
        assert result["status"] == "succeeded", result
        assert len(result["result"]["media"]) == 1
        assert len(stage.send_request("GET", "/media")["data"]) == 1
        assert ordered(stage) == 1


@pytest.mark.parametrize("when", first_on_both(["after", "before"]))
def test_a_video_is_never_ordered_again(engine: str, tmp_path: Path, postgres_url: str, when: str) -> None:
    with on_stage(engine, tmp_path, postgres_url) as stage:
        fault = hang(stage, ORDER, when)
        video = begin(stage)
        kill_when(stage, fault)
        let_lease_end(stage)
        result = eventually(lambda: ended(stage, video))
        assert (result["status"], result["error"]["code"]) == ("failed", "outcome_unknown")
        assert result["error"]["category"] == "outcome_unknown"
        assert ordered(stage) == 1
