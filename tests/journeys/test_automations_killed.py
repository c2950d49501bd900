"""The worker is killed between and within the steps of automations: no step is done twice, and waits go on afterwards.

Each run is held at one call of its platform, before the platform has done what it was asked or after; one more waits
for two days. One SIGKILL is for all of them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from socialgate.core.jobs.service import JOB_LEASE
from socialgate_sandbox.kit import Vendor, VendorContext
from socialgate_sandbox.vendors import threads
from socialgate_sandbox.vendors.threads.content import Post, PostOptions
from socialgate_sandbox.vendors.threads.stored_objects import Profile
from support.crash_deployment import CrashDeployment, start_crash_deployment
from support.postgres import new_database
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

PROFILE, POST = "24178919900000001", "18100000000000001"
PUBLISH, HIDE = "*/threads_publish", "*/manage_reply"
POINTS = [(PUBLISH, "before"), (PUBLISH, "after"), (HIDE, "before"), (HIDE, "after")]
ACTIONS = [
    {"type": "reply", "text": "First to {{comment.text}}"},
    {"type": "hideComment"},
    {"type": "wait", "amount": 2, "unit": "days"},
    {"type": "reply", "text": "Second to {{comment.text}}"},
]
OVER = {"done", "failed", "skipped"}


def _seed(context: VendorContext) -> None:
    threads.VENDOR.seed(context)
    context.store.put(Profile(id=PROFILE, username="killed", name="Killed"))
    time = datetime(2026, 1, 1, tzinfo=UTC)
    post = Post(
        id=POST,
        parent=PROFILE,
        media_type="TEXT_POST",
        shortcode="s1",
        created_at=time,
        options=PostOptions(),
        text="Bread",
    )
    context.store.put(post)


VENDORS: list[Vendor] = [replace(threads.VENDOR, seed=_seed)]


class Robot:
    """The automation of the account, its runs, and what people see of them."""

    def __init__(self, stage: CrashDeployment) -> None:
        self.stage = stage
        body = {"profileId": stage.profile_id, "name": "Killed", "trigger": {"type": "comment.received"}}
        created = stage.send_request("POST", "/automations", json={**body, "actions": ACTIONS})
        self.path = f"/automations/{created['id']}/runs"

    def said(self, person: str) -> str:
        """Have a person comment on the post."""
        text = uuid4().hex
        self.stage.sandbox.control("comment", platform="threads", objectId=POST, text=text, person=person)
        return text

    def run_of(self, text: str) -> dict[str, Any] | None:
        runs = self.stage.send_request("GET", self.path, params={"limit": 200})["data"]
        items = [run for run in runs if run["trigger"]["text"] == text]
        assert len(items) <= 1, items
        return items[0] if items else None

    def replies(self, text: str) -> list[str]:
        """List what the account has answered: on Threads, each answer is a post of its own as well."""
        out = self.stage.sandbox.look("feed", platform="threads", account=PROFILE, limit=200)["data"]
        shown = {item["id"]: item["text"] for post in out for item in (post, *post["comments"])}
        return sorted(item for item in shown.values() if item.endswith(f" to {text}"))


def held(stage: CrashDeployment) -> set[str]:
    """Name the faults whose calls hang now."""
    return {item["fault"] for item in stage.sandbox.look("fail")["hanging"]}


@contextmanager
def on_stage(engine: str, folder: Path, postgres_url: str) -> Iterator[CrashDeployment]:
    url = new_database(postgres_url) if engine == "postgres" else None
    with start_crash_deployment(folder, url, (), VENDORS) as stage:
        stage.sign_in("threads", PROFILE)
        stage.postpone_checks()
        yield stage
        for process in stage.processes:
            process.require_alive()


def held_at(stage: CrashDeployment, robot: Robot, call: str, when: str, person: str) -> str:
    """Begin a run, and wait until it is where it is to be killed."""
    order = {"platform": "threads", "method": "POST", "path": call, "when": when, "hang": True}
    fault = str(stage.sandbox.control("fail", **order)["id"])
    text = robot.said(person)
    eventually(lambda: fault in held(stage))
    return text


def reached(stage: CrashDeployment, robot: Robot, text: str, statuses: set[str], steps: int = 0) -> dict[str, Any]:
    """Let time pass, by which failed tries are made again, until a run is that far."""

    def look() -> dict[str, Any] | None:
        stage.clocks.advance(timedelta(seconds=10), platforms=timedelta(0))
        run = robot.run_of(text)
        return run if run and run["status"] in statuses and len(run["steps"]) >= steps else None

    return eventually(look)


def test_no_step_is_done_twice_and_a_wait_outlasts_the_process(engine: str, tmp_path: Path, postgres_url: str) -> None:
    with on_stage(engine, tmp_path, postgres_url) as stage:
        robot = Robot(stage)
        waiting = robot.said("dario")
        eventually(lambda: (run := robot.run_of(waiting)) and len(run["steps"]) == 3)
        killed = {point: held_at(stage, robot, *point, "elif") for point in POINTS}
        stage.clocks.stop()
        stage.victim.kill()
        stage.sandbox.client.delete("/_control/fail")
        stage.victim.start_again()
        stage.victim.wait_until_ready()
        stage.clocks.advance(JOB_LEASE + timedelta(seconds=1), platforms=timedelta(0))
        for point, text in killed.items():
            if point == (PUBLISH, "before"):
                # Threads never says that it will not publish something: that stays open, and is not done again.
                run = reached(stage, robot, text, {"failed"})
                assert [step["status"] for step in run["steps"]] == ["unconfirmed"], run
                assert robot.replies(text) == []
            else:
                run = reached(stage, robot, text, {"running"}, steps=3)
                assert [step["status"] for step in run["steps"]] == ["done", "done", "waiting"], run
                assert robot.replies(text) == [f"First to {text}"]
        stage.clocks.advance(timedelta(days=2), platforms=timedelta(0))
        going = [waiting, *(text for point, text in killed.items() if point != (PUBLISH, "before"))]
        for text in going:
            run = reached(stage, robot, text, OVER)
            assert (run["status"], [step["status"] for step in run["steps"]]) == ("done", ["done"] * 4), run
            assert robot.replies(text) == [f"First to {text}", f"Second to {text}"]
        events = stage.send_request("GET", "/events", params={"event": "automation.triggered", "limit": 200})["data"]
        assert sorted(event["data"]["trigger"]["text"] for event in events) == sorted([waiting, *killed.values()])
