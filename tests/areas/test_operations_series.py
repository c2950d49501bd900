"""Several calls as one operation: all of them are made, or what was made is removed or named."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest
import sqlalchemy as sa

from socialgate.areas.operations.tables import OPERATION_LEASE, operations
from socialgate.contracts.failures import (
    OutcomeUnknownError,
    PlatformNotFoundError,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.contracts.operations import NotFoundYet
from socialgate.core.db import Tx
from support.connections import connect_accounts
from support.problems import problem_of
from support.sandbox import Sandbox
from support.series_area import GROUND, MARCHING
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service(areas=[MARCHING]) as started:
        yield started


class Marcher:
    """An owner with an account, who marches under a name of their own."""

    def __init__(self, running: RunningService) -> None:
        self.owner = OwnerFixture(running)
        with Sandbox(running) as sandbox:
            (self.account_id,) = connect_accounts(sandbox, self.owner, "threads")
        self.who = uuid4().hex
        self.running = running

    def march(self, key: str = "once") -> httpx.Response:
        path = f"/test/accounts/{self.account_id}/march"
        return self.owner.session.post(path, json={"who": self.who}, headers={"Idempotency-Key": key})

    def of(self, *names: str) -> list[str]:
        return [f"{name} of {self.who}" for name in names]

    @property
    def there(self) -> list[str]:
        return GROUND.of(self.who)

    def operation(self) -> dict[str, Any]:
        [result] = self.owner.session.get("/operations").json()["data"]
        return dict(result)

    def steps(self) -> list[tuple[str, str]]:
        return [(item["name"], item["status"]) for item in self.operation()["steps"]]

    def die(self) -> None:
        """Leave the row as a process leaves it that dies after a call, before anything is written about it."""

        async def as_if_it_had_died(tx: Tx) -> None:
            left = {
                "status": "running",
                "claim_id": "clm_dead",
                "claim_until": tx.now + OPERATION_LEASE,
                "finished_at": None,
            }
            mine = sa.update(operations).where(operations.c.owner_id == self.owner.id)
            await tx.execute(mine.values(**left, due_at=tx.now + OPERATION_LEASE, looks=0))

        self.running.write(as_if_it_had_died)


@pytest.fixture
def marcher(running: RunningService) -> Marcher:
    return Marcher(running)


def lost() -> OutcomeUnknownError:
    return OutcomeUnknownError("The answer was lost.", platform="threads")


@pytest.mark.one_engine
def test_all_steps_are_made_once_and_shown(marcher: Marcher) -> None:
    first, again = marcher.march(), marcher.march()
    assert first.json() == again.json() == {"id": f"halt of {marcher.who}", "over": marcher.of("left", "right")}
    assert marcher.there == marcher.of("left", "right", "halt")
    operation = marcher.operation()
    assert (operation["status"], operation["platformObjectId"]) == ("succeeded", f"halt of {marcher.who}")
    assert marcher.steps() == [("left", "succeeded"), ("right", "succeeded"), ("halt", "succeeded")]
    assert operation["steps"][0]["platformObjectId"] == f"left of {marcher.who}"


def test_what_a_failed_run_made_is_removed_and_said(marcher: Marcher) -> None:
    GROUND.before[f"halt of {marcher.who}"] = PlatformRejectedError("Nobody stops here", platform="threads")
    problem = problem_of(marcher.march(), 422, "platform_rejected")
    removed = f"right right of {marcher.who}, left left of {marcher.who}"
    assert problem["detail"] == f"Nobody stops here. These were created, and have been deleted again: {removed}."
    assert marcher.there == []
    assert marcher.steps() == [("left", "removed"), ("right", "removed"), ("halt", "failed")]
    assert marcher.march("another").status_code == 201


def test_what_cannot_be_removed_is_named(marcher: Marcher) -> None:
    GROUND.before[f"halt of {marcher.who}"] = PlatformRejectedError("Nobody stops here.", platform="threads")
    GROUND.remove_errors_before[f"left of {marcher.who}"] = PlatformUnavailableError(
        "Not now.", platform="threads", retry_after=1
    )
    problem = problem_of(marcher.march(), 422, "platform_rejected")
    assert problem["detail"].endswith(f"still exist: left left of {marcher.who}.")
    assert marcher.there == marcher.of("left")
    operation = marcher.operation()
    assert marcher.steps() == [("left", "left"), ("right", "removed"), ("halt", "failed")]
    assert f"left of {marcher.who}" in operation["error"]["detail"]


def test_a_lost_answer_of_the_last_step_is_looked_up_and_of_an_earlier_one_reverted(marcher: Marcher) -> None:
    GROUND.after[f"halt of {marcher.who}"] = lost()
    assert marcher.march().json()["id"] == f"halt of {marcher.who}"
    assert GROUND.calls.count(f"halt of {marcher.who}") == 1
    other = Marcher(marcher.running)
    GROUND.after[f"right of {other.who}"] = lost()
    problem = problem_of(other.march(), 503, "platform_unavailable")
    assert "have been deleted again" in problem["detail"]
    assert other.there == []
    # Nothing stays, so the same key makes it from the beginning.
    assert other.march().status_code == 201
    assert other.there == other.of("left", "right", "halt")


def test_a_step_that_the_platform_does_not_show_yet_stays_open_until_it_can_not_happen_any_more(
    marcher: Marcher,
) -> None:
    GROUND.before[f"right of {marcher.who}"] = lost()
    problem_of(marcher.march(), 502, "outcome_unknown")
    assert marcher.steps() == [("left", "succeeded"), ("right", "running")]
    assert marcher.there == marcher.of("left")
    marcher.running.advance_time(timedelta(minutes=2))
    eventually(lambda: marcher.operation()["status"] == "failed")
    assert marcher.steps() == [("left", "removed"), ("right", "failed")]
    assert marcher.there == []


def test_a_process_that_dies_between_two_steps_leaves_nothing_behind(marcher: Marcher) -> None:
    """It died after the platform had done the second step, and before that was written."""
    label = f"right of {marcher.who}"
    GROUND.after[label], GROUND.shows[label] = lost(), NotFoundYet()
    problem_of(marcher.march(), 502, "outcome_unknown")
    del GROUND.shows[label]
    marcher.die()
    problem_of(marcher.march(), 409, "idempotency_key_in_use")
    marcher.running.advance_time(OPERATION_LEASE + timedelta(seconds=1))
    eventually(lambda: marcher.operation()["status"] == "failed")
    assert marcher.steps() == [("left", "removed"), ("right", "removed")]
    assert marcher.there == []
    assert GROUND.calls.count(label) == 1


def test_what_another_request_made_is_never_removed(marcher: Marcher) -> None:
    """Both look the same to the platform: only our records say whose it is."""
    assert marcher.march("first").status_code == 201
    label = f"left of {marcher.who}"
    GROUND.before[label] = lost()
    problem = problem_of(marcher.march("second"), 502, "outcome_unknown")
    assert "another request" in problem["detail"]
    marcher.running.advance_time(timedelta(hours=2))
    listed = marcher.owner.session.get("/operations", params={"status": "unconfirmed"}).json()["data"]
    assert len(listed) == 1
    assert marcher.there == marcher.of("left", "right", "halt")


def bug() -> TypeError:
    return TypeError("a mistake in a connector")


def failed(marcher: Marcher) -> None:
    """The answer says that it is our error, and the operation says what became of it."""
    problem_of(marcher.march(), 500, "internal_error")


def test_what_a_broken_run_made_is_removed_at_once(marcher: Marcher) -> None:
    """Here the platform did the step, and the mistake is in how its response is read."""
    GROUND.after[f"halt of {marcher.who}"] = bug()
    failed(marcher)
    operation = marcher.operation()
    assert (operation["status"], operation["error"]["code"]) == ("failed", "internal_error")
    assert f"halt halt of {marcher.who}, right right of {marcher.who}" in operation["error"]["detail"]
    assert marcher.steps() == [("left", "removed"), ("right", "removed"), ("halt", "removed")]
    assert marcher.there == []
    # Nothing stays, so the same key makes it from the beginning.
    assert marcher.march().status_code == 201
    assert marcher.there == marcher.of("left", "right", "halt")


@pytest.mark.one_engine
def test_a_broken_step_that_the_platform_does_not_show_keeps_nothing_else_waiting(marcher: Marcher) -> None:
    label = f"right of {marcher.who}"
    GROUND.before[label] = bug()
    failed(marcher)
    assert (marcher.operation()["status"], marcher.there) == ("unconfirmed", [])
    assert marcher.steps() == [("left", "removed"), ("right", "running")]
    # The platform may still show it: until that is over, nobody makes it again.
    problem_of(marcher.march(), 502, "outcome_unknown")
    # Platforms do not list what is in something that was deleted.
    GROUND.shows[label] = PlatformNotFoundError("There is no left.", platform="threads")
    marcher.running.advance_time(timedelta(minutes=12))
    eventually(lambda: marcher.operation()["status"] == "failed")
    assert marcher.steps() == [("left", "removed"), ("right", "failed")]
    assert GROUND.calls.count(label) == 1


@pytest.mark.one_engine
def test_what_a_broken_step_made_and_only_shows_later_is_removed_then(marcher: Marcher) -> None:
    """The lookup breaks like the step itself: both read the same response."""
    label = f"right of {marcher.who}"
    GROUND.after[label] = GROUND.shows[label] = bug()
    failed(marcher)
    assert marcher.there == marcher.of("right")
    assert marcher.steps() == [("left", "removed"), ("right", "running")]
    del GROUND.shows[label]
    marcher.running.advance_time(timedelta(minutes=2))
    eventually(lambda: marcher.operation()["status"] == "failed")
    assert marcher.steps() == [("left", "removed"), ("right", "removed")]
    assert marcher.there == []


@pytest.mark.parametrize("why", [PlatformUnavailableError("Not now.", platform="threads", retry_after=1), bug()])
def test_what_a_broken_run_cannot_remove_at_once_is_removed_later(marcher: Marcher, why: Exception) -> None:
    GROUND.after[f"right of {marcher.who}"] = bug()
    GROUND.remove_errors_before[f"left of {marcher.who}"] = why
    failed(marcher)
    assert marcher.there == marcher.of("left")
    assert marcher.steps() == [("left", "left"), ("right", "removed")]
    marcher.running.advance_time(timedelta(minutes=2))
    eventually(lambda: marcher.operation()["status"] == "failed")
    assert marcher.steps() == [("left", "removed"), ("right", "removed")]
    assert marcher.there == []


@pytest.mark.one_engine
@pytest.mark.parametrize(("names", "why"), [(("left", "right", "halt"), lost()), (("halt",), bug())])
def test_what_a_broken_run_was_removing_never_counts_as_made(
    marcher: Marcher, names: tuple[str, ...], why: Exception
) -> None:
    """Every step was made, and the platform removes them, but the responses to that are lost or break the run again."""
    GROUND.after[f"halt of {marcher.who}"] = bug()
    GROUND.remove_errors_after |= dict.fromkeys(marcher.of(*names), why)
    failed(marcher)
    marcher.running.advance_time(timedelta(minutes=2))
    eventually(lambda: marcher.operation()["status"] not in {"running", "unconfirmed"})
    assert (marcher.operation()["status"], marcher.there) == ("failed", [])
    assert marcher.steps() == [("left", "removed"), ("right", "removed"), ("halt", "removed")]


def test_a_broken_run_that_lost_its_claim_removes_nothing(marcher: Marcher) -> None:
    """The last call took so long that somebody else has looked it up, and has recorded the whole series as made."""

    def take_over() -> None:
        async def recorded(tx: Tx) -> None:
            mine = operations.c.owner_id == marcher.owner.id
            steps = [
                {"name": name, "status": "succeeded", "at": tx.now.isoformat(), "id": f"{name} of {marcher.who}"}
                for name in ("left", "right", "halt")
            ]
            values = {"status": "succeeded", "claim_id": None, "claim_until": None, "due_at": None, "steps": steps}
            await tx.execute(sa.update(operations).where(mine).values(**values))

        marcher.running.write(recorded)
        raise bug()

    GROUND.meanwhile[f"halt of {marcher.who}"] = take_over
    failed(marcher)
    assert marcher.operation()["status"] == "succeeded"
    assert marcher.there == marcher.of("left", "right", "halt")


def test_what_another_request_is_making_is_never_removed(marcher: Marcher) -> None:
    """The same request breaks before it did anything, while the response to the first one is on the way."""
    label = f"left of {marcher.who}"

    def break_another() -> None:
        GROUND.before[label] = bug()
        problem_of(marcher.march("second"), 500, "internal_error")

    GROUND.meanwhile[label] = break_another
    assert marcher.march("first").status_code == 201
    assert marcher.there == marcher.of("left", "right", "halt")
    marcher.running.advance_time(timedelta(hours=2))
    listed = marcher.owner.session.get("/operations", params={"status": "unconfirmed"}).json()["data"]
    assert len(listed) == 1
    assert marcher.there == marcher.of("left", "right", "halt")
