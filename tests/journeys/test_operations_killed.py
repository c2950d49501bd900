"""The serving process is killed at the calls of operations: nothing is done twice, and what is answered is true.

Each request is held at one call of its platform, before the platform has done what it was asked or after, or has been
answered. One SIGKILL is for all of them. Then the process is started again, and each request is repeated as its
customer would, with the same Idempotency-Key. The requests are in `support.operations`.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from socialgate.areas.operations.service import OperationService
from socialgate.areas.operations.tables import OPERATION_LEASE
from socialgate.contracts.operations import OperationSeriesType, OperationType
from support.connections import connect_accounts
from support.crash_deployment import MINUTE, CrashDeployment, start_crash_deployment
from support.operations import ACTIONS, LIKE_A_MODEL, REFUSALS, UNTESTED_OPERATIONS, Action
from support.parallel import in_parallel
from support.postgres import new_database
from support.problems import problem_of
from support.sandbox import Sandbox
from support.seeded_vendors import VENDORS, connect_everyone
from support.service import RunningService
from support.soak import LONG
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

MOMENTS = ("before", "after", "answered")
MODELS = [action for action in ACTIONS if action.representative]
_PASSING = {"idempotency_key_in_use", "platform_unavailable"}
_SENT = {"sent", "delivered", "read"}
_CHANGED = {("PATCH", "updatedAt"), ("PATCH", "etag")}


class Attempt:
    """One request that is killed at one point, and repeated until it has an answer."""

    def __init__(self, stage: CrashDeployment, action: Action, call: str, when: str) -> None:
        self.stage = stage
        self.action = action
        self.call = call
        self.when = when
        self.subject = action.subject(stage)
        # The platform tells deletions apart by their object: they need no key.
        self.headers = {} if self.subject.method == "DELETE" else {"Idempotency-Key": uuid4().hex}
        self.first: Future[httpx.Response | None] | None = None
        self.fault: str | None = None
        # On a slow machine, the service may have given up on its call before it died.
        self.given_up = False
        # What it had done when its process died.
        self.done = 0

    def __str__(self) -> str:
        return f"{self.action.name} of {self.action.kind}, {self.when} {self.call}"

    def begin(self, pool: ThreadPoolExecutor) -> None:
        """Send the request, and wait until it is where it is to be killed."""
        self.fault = None if self.when == "answered" else self.hang(self.call, self.when)
        self.first = pool.submit(self.send)
        if self.fault is None:
            answer = self.first.result()
            assert answer is not None, self
            assert answer.is_success, answer.text
        else:
            eventually(lambda: self.fault in held(self.stage))
        self.done = self.subject.effects()
        status = self.subject.status
        if self.done and self.action.once and status is not None:
            # Once its process is dead, nobody takes the platform's report of it.
            eventually(lambda: status() != "sending")

    def hang(self, call: str, when: str) -> str:
        method, _, path = call.partition(" ")
        order = {"platform": self.action.platform, "method": method, "path": path, "when": when, "hang": True}
        return str(self.stage.sandbox.control("fail", **order)["id"])

    def send(self) -> httpx.Response | None:
        """Send the request; None where nobody is left to answer it."""
        subject = self.subject
        try:
            return self.stage.http.request(subject.method, subject.path, json=subject.body, headers=self.headers)
        except httpx.TransportError:
            return None

    def refuse(self) -> None:
        """While its process may still live, nobody takes a request over; one that was recorded is answered again."""
        answer = self.send()
        assert answer is not None, f"{self}: no answer"
        is_known = answer.is_success or self.subject.method == "DELETE"
        refusals = {"idempotency_key_in_use"} | ({"outcome_unknown"} if self.given_up else set())
        assert is_known or answer.json()["code"] in refusals, f"{self}: {answer.text}"

    def settle(self) -> httpx.Response:
        """Repeat the request as long as the service says that it can be."""

        def answered() -> httpx.Response | None:
            answer = self.send()
            assert answer is not None, f"{self}: no answer"
            return None if answer.json().get("code") in passing else answer

        # What was done and can be seen is found out sooner or later.
        passing = _PASSING | ({"outcome_unknown"} if self.done and self.action.visible else set())
        return eventually(answered)

    def check(self) -> None:
        """Compare the answer with what the platform has, and with what is on record."""
        answer = self.settle()
        if answer.status_code == httpx.codes.BAD_GATEWAY:
            self.check_unknown(answer)
            return
        known = self.records()
        if self.subject.method == "DELETE" and answer.status_code == httpx.codes.NOT_FOUND:
            # Without a key it is another request, and the platform has nothing left to delete.
            assert answer.json()["code"] == "platform_not_found", answer.text
        else:
            assert answer.is_success, f"{self}: {answer.text}"
        assert self.subject.effects() == 1, self
        done = [item for item in known if item["status"] == "succeeded"]
        assert done, f"{self}: {known}"
        if self.subject.status is not None:
            assert self.subject.status() in _SENT, self
        if self.action.name.startswith("connect."):
            assert {item["accountId"] for item in done} == {answer.json()["id"]}, self
        again = self.settle()
        assert (again.is_success, self.subject.effects()) == (self.subject.method != "DELETE", 1), self
        if again.is_success:
            assert self.lasting(again) == self.lasting(answer), self

    def lasting(self, answer: httpx.Response) -> dict[str, Any]:
        """Give what a repeated request is answered too. A change without a key is made again, at another time."""
        return {name: value for name, value in answer.json().items() if (self.subject.method, name) not in _CHANGED}

    def check_unknown(self, answer: httpx.Response) -> None:
        """What the platform never says that it will not do stays open, and nothing is done because of the question."""
        is_known = self.action.visible if self.done else self.action.provable
        assert not is_known, f"{self}: {answer.text}"
        operation = answer.json()["detail"].partition("/operations/")[2].split(" ")[0]
        assert self.stage.send_request("GET", f"/operations/{operation}")["status"] == "unconfirmed", self
        assert self.subject.effects() == self.done, self
        assert self.subject.status is None or self.subject.status() == "unconfirmed", self

    def records(self) -> list[dict[str, Any]]:
        """Give the operations on this object, once none of them is open."""
        values = self.subject.object_ids()

        def settled() -> list[dict[str, Any]] | None:
            known = self.stage.send_request("GET", "/operations", params={"limit": 200})["data"]
            mine = [item for item in known if item["platformObjectId"] in values]
            return mine if mine and all(item["status"] != "running" for item in known) else None

        return eventually(settled)


def held(stage: CrashDeployment) -> set[str]:
    """Name the faults whose calls hang now."""
    return {item["fault"] for item in stage.sandbox.look("fail")["hanging"]}


def kill(stage: CrashDeployment) -> None:
    """Shoot the serving process and start it again. As time stands still, the leases of the dead still hold."""
    victim = stage.processes[0]
    victim.kill()
    stage.sandbox.client.delete("/_control/fail")
    victim.start_again()
    victim.wait_until_ready()


def let_leases_end(stage: CrashDeployment) -> None:
    stage.clocks.advance(OPERATION_LEASE + timedelta(seconds=1), platforms=timedelta(0))


def attempts_at(stage: CrashDeployment, actions: Sequence[Action]) -> list[Attempt]:
    points = [(action, call, when) for action in actions for call in action.calls for when in MOMENTS]
    return [Attempt(stage, *point) for point in points]


@contextmanager
def on_stage(engine: str, folder: Path, postgres_url: str) -> Iterator[CrashDeployment]:
    url = new_database(postgres_url) if engine == "postgres" else None
    with start_crash_deployment(folder, url, (), VENDORS) as stage:
        connect_everyone(stage)
        stage.postpone_checks()
        yield stage
        for process in stage.processes:
            process.require_alive()
            process.require_no_errors()


@pytest.mark.parametrize(
    ("actions", "deaths"),
    [
        pytest.param(MODELS, 1, id="models"),
        pytest.param(ACTIONS, 1, id="all", marks=LONG),
        pytest.param(MODELS, 3, id="models-3", marks=LONG),
    ],
)
def test_an_operation_is_done_once_at_whichever_call_its_process_dies(
    engine: str, tmp_path: Path, postgres_url: str, actions: Sequence[Action], deaths: int
) -> None:
    with on_stage(engine, tmp_path, postgres_url) as stage:
        attempts = attempts_at(stage, actions)
        with ThreadPoolExecutor(len(attempts)) as pool:
            # First those that are answered, so that few calls hang for long.
            for attempt in sorted(attempts, key=lambda attempt: attempt.when != "answered"):
                attempt.begin(pool)
            stage.clocks.stop()
            hanging = held(stage)
            for attempt in attempts:
                attempt.given_up = attempt.fault is not None and attempt.fault not in hanging
            kill(stage)
        in_parallel(Attempt.refuse, attempts)
        for _ in range(deaths - 1):
            let_leases_end(stage)
            die_again(stage, attempts)
        let_leases_end(stage)
        stage.deliver_reports()
        # Before the background gets to it, most of the time.
        in_parallel(Attempt.settle, attempts)
        in_parallel(Attempt.check, attempts)


def die_again(stage: CrashDeployment, attempts: Sequence[Attempt]) -> None:
    """Repeat the requests, hold whoever finds out what became of them at any call, and shoot it too."""
    platforms = sorted({attempt.action.platform for attempt in attempts})
    for platform in platforms:
        stage.sandbox.control("fail", platform=platform, when="after", hang=True, times=100)
    with ThreadPoolExecutor(len(attempts)) as pool:
        for attempt in attempts:
            pool.submit(attempt.send)
        eventually(lambda: held(stage), seconds=MINUTE)
        kill(stage)


def test_every_operation_of_every_kind_of_account_is_killed(service: RunningService) -> None:
    """What is added to the tree is added to `ACTIONS`, unless the service refuses it, as the next test proves."""
    parts = service.service
    kinds = [kind for manifest in parts.platforms.catalogue.manifests.values() for kind in manifest.kinds]
    declared = set()
    for item in parts.container.get(OperationService)._types.values():
        if item.name in UNTESTED_OPERATIONS:
            continue
        if isinstance(item, OperationType | OperationSeriesType):
            declared |= {(item.name, kind.kind) for kind in kinds if item.capability in kind.capabilities}
        else:
            manifest = parts.platforms.catalogue.manifests[item.platform]
            declared |= {(item.name, kind.kind) for kind in manifest.kinds}
    refused = {(refusal.name, refusal.kind) for refusal in REFUSALS}
    assert refused <= declared
    expected = declared - refused
    assert {(action.name, action.kind) for action in ACTIONS} == expected
    assert {model.name for model in MODELS} == {name for name, _ in declared} - LIKE_A_MODEL


def test_what_is_not_killed_is_refused(service: RunningService) -> None:
    owner = service.new_owner()
    with Sandbox(service) as sandbox:
        for way in ("meta", "google", "telegram"):
            connect_accounts(sandbox, owner, way)
    rows = owner.session.get("/accounts", params={"limit": 200}).json()["data"]
    for refusal in REFUSALS:
        account = next(row["id"] for row in rows if row["kind"] == refusal.kind)
        problem_of(owner.session.post(f"/accounts/{account}/{refusal.path}", json=refusal.body), 422, "not_supported")
