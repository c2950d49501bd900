"""Calls that change something on a platform: made at most once, and answered truly, whatever is lost."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest
import sqlalchemy as sa

from socialgate.areas.operations.tables import OPERATION_LEASE, operations
from socialgate.contracts.failures import NeedsReconnectionError, PlatformRejectedError
from socialgate.core.db import Tx
from support.connections import connect_accounts
from support.database import rows
from support.operation_area import NOT_THERE, PLATFORM, SHOUTING, build_outcome_unknown
from support.parallel import in_parallel
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service(areas=[SHOUTING]) as started:
        yield started


class Caller:
    """An owner with an account, who shouts a word of their own."""

    def __init__(self, running: RunningService) -> None:
        self.owner = OwnerFixture(running)
        with Sandbox(running) as sandbox:
            (self.account_id,) = connect_accounts(sandbox, self.owner, "threads")
        self.word = uuid4().hex
        self.running = running

    def shout(self, key: str | None = "once") -> httpx.Response:
        headers = {} if key is None else {"Idempotency-Key": key}
        path = f"/test/accounts/{self.account_id}/shout"
        return self.owner.session.post(path, json={"word": self.word}, headers=headers)

    def operations(self, **query: Any) -> list[dict[str, Any]]:
        return list(self.owner.session.get("/operations", params=query).json()["data"])

    @property
    def heard(self) -> int:
        return PLATFORM.heard[self.word]


@pytest.fixture
def caller(running: RunningService) -> Caller:
    return Caller(running)


@pytest.mark.one_engine
def test_a_call_is_made_recorded_and_given_again_to_whoever_repeats_it(caller: Caller) -> None:
    first, again = caller.shout(), caller.shout()
    assert first.status_code == again.status_code == httpx.codes.CREATED
    assert first.json() == again.json() == {"id": f"id of {caller.word}", "word": caller.word}
    assert again.headers["idempotent-replayed"] == "true"
    assert caller.heard == 1
    (operation,) = caller.operations(status="succeeded")
    assert operation["accountId"] == caller.account_id
    assert operation["adAccountId"] is None
    assert operation["operation"] == "test.shout"
    assert operation["platformObjectId"] == f"id of {caller.word}"
    assert operation["request"] == {"letters": 32}
    assert caller.word not in str(operation["request"])
    assert caller.owner.session.get(f"/operations/{operation['id']}").json() == operation


def test_what_the_platform_refuses_has_failed_and_says_why(caller: Caller) -> None:
    PLATFORM.before[caller.word] = PlatformRejectedError("Too loud. Write it in small letters.", platform="threads")
    problem_of(caller.shout(), 422, "platform_rejected")
    (operation,) = caller.operations()
    assert operation["status"] == "failed"
    assert operation["error"]["detail"] == "Too loud. Write it in small letters."
    # The refusal is the answer to this key; a new key is a new call.
    problem_of(caller.shout(), 422, "platform_rejected")
    assert PLATFORM.begun[caller.word] == 1
    assert caller.shout("another").status_code == httpx.codes.CREATED


def test_a_lost_answer_is_looked_up(caller: Caller) -> None:
    PLATFORM.after[caller.word] = build_outcome_unknown()
    PLATFORM.looks[caller.word] = "found"
    answer = caller.shout()
    assert answer.json() == {"id": "found", "word": caller.word}
    assert (caller.heard, caller.operations()[0]["status"]) == (1, "succeeded")


def test_a_lost_answer_that_cannot_be_looked_up_is_never_repeated_by_itself(caller: Caller) -> None:
    PLATFORM.after[caller.word] = build_outcome_unknown()
    payload = problem_of(caller.shout(), 502, "outcome_unknown")
    (operation,) = caller.operations(status="unconfirmed")
    assert f"GET /operations/{operation['id']}" in payload["detail"]
    problem_of(caller.shout(), 502, "outcome_unknown")
    assert caller.heard == 1
    PLATFORM.looks[caller.word] = "found in the end"
    assert caller.shout().json()["id"] == "found in the end"
    assert [item["status"] for item in caller.operations()] == ["succeeded"]
    assert caller.heard == 1


def test_what_was_proven_not_to_have_happened_can_be_sent_again_with_the_same_key(caller: Caller) -> None:
    PLATFORM.before[caller.word] = build_outcome_unknown()
    PLATFORM.looks[caller.word] = NOT_THERE
    assert problem_of(caller.shout(), 503, "platform_unavailable")["retryAfter"] == 1
    assert caller.shout().status_code == httpx.codes.CREATED
    assert caller.heard == 1
    assert sorted(item["status"] for item in caller.operations()) == ["failed", "succeeded"]


@pytest.mark.one_engine
def test_the_background_finds_out_and_whoever_repeats_the_request_gets_its_answer(caller: Caller) -> None:
    PLATFORM.after[caller.word] = build_outcome_unknown()
    problem_of(caller.shout(), 502, "outcome_unknown")
    PLATFORM.looks[caller.word] = "found later"
    caller.running.advance_time(timedelta(minutes=2))
    eventually(lambda: caller.operations(status="succeeded"))
    PLATFORM.looks[caller.word] = "not asked for again"
    assert caller.shout().json() == {"id": "found later", "word": caller.word}
    assert caller.heard == 1


def test_a_call_whose_process_died_is_never_made_again(caller: Caller) -> None:
    """The row stands as a process leaves it that dies after the call, and before anything is written about it."""
    PLATFORM.after[caller.word] = build_outcome_unknown()
    problem_of(caller.shout(), 502, "outcome_unknown")

    async def as_if_it_had_died(tx: Tx) -> None:
        mine = operations.c.owner_id == caller.owner.id
        left = {
            "status": "running",
            "claim_id": "clm_dead",
            "claim_until": tx.now + OPERATION_LEASE,
            "finished_at": None,
        }
        await tx.execute(sa.update(operations).where(mine).values(**left, due_at=tx.now + OPERATION_LEASE, looks=0))

    caller.running.write(as_if_it_had_died)
    # While it may still be alive, nobody else takes it over.
    problem_of(caller.shout(), 409, "idempotency_key_in_use")
    caller.running.advance_time(OPERATION_LEASE + timedelta(seconds=1))
    eventually(lambda: caller.operations(status="unconfirmed"))
    problem_of(caller.shout(), 502, "outcome_unknown")
    assert caller.heard == 1


def test_a_lookup_that_always_breaks_ends_like_any_other(caller: Caller) -> None:
    PLATFORM.after[caller.word] = build_outcome_unknown()
    PLATFORM.broken.add(caller.word)
    problem_of(caller.shout(), 500, "internal_error")
    mine = sa.select(operations.c.looks, operations.c.due_at).where(operations.c.owner_id == caller.owner.id)
    for number, wait in enumerate(
        (OPERATION_LEASE, timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1)), start=1
    ):
        caller.running.advance_time(wait + timedelta(seconds=1))
        eventually(lambda requested=number: rows(caller.running, mine)[0].looks == requested)  # type: ignore[misc] # bound now
    assert rows(caller.running, mine)[0].due_at is None
    (left,) = caller.operations(status="unconfirmed")
    assert "internal error" in left["error"]["detail"]
    assert caller.heard == 1


def test_of_many_at_once_with_the_same_key_one_calls(caller: Caller) -> None:
    answers = in_parallel(lambda _: caller.shout(), range(8))
    assert caller.heard == 1
    assert {answer.status_code for answer in answers} <= {201, 409}


def test_without_a_key_each_request_is_a_call_of_its_own(caller: Caller) -> None:
    for _ in range(2):
        assert caller.shout(None).status_code == httpx.codes.CREATED
    assert (caller.heard, len(caller.operations())) == (2, 2)


def test_a_permission_that_is_gone_marks_the_account_once(caller: Caller) -> None:
    PLATFORM.before[caller.word] = NeedsReconnectionError("The permission was taken back.", platform="threads")
    problem_of(caller.shout(), 409, "needs_reconnection")
    (account,) = caller.owner.session.get("/accounts").json()["data"]
    assert account["status"] == "needs_reconnection"
    names = [item["event"] for item in caller.owner.session.get("/events").json()["data"]]
    assert names.count("account.needs_reconnection") == 1


def test_a_client_that_leaves_does_not_leave_the_outcome_unknown(caller: Caller) -> None:
    gate = asyncio.Event()
    PLATFORM.waits[caller.word] = gate
    with pytest.raises(httpx.ReadTimeout):
        caller.owner.session.post(
            f"/test/accounts/{caller.account_id}/shout", json={"word": caller.word}, timeout=httpx.Timeout(5, read=0.5)
        )
    caller.running.run(_open(gate))
    eventually(lambda: caller.operations(status="succeeded"))
    assert caller.heard == 1


def test_a_caller_whose_call_was_taken_over_learns_where_its_outcome_will_be(caller: Caller) -> None:
    """It was an internal error."""
    gate = asyncio.Event()
    PLATFORM.waits[caller.word] = gate
    with ThreadPoolExecutor(1) as pool:
        task = pool.submit(caller.shout)
        (operation,) = eventually(lambda: caller.operations(status="running"))
        # As if this process had stood still for longer than its lease lasts.
        taken = sa.update(operations).where(operations.c.id == operation["id"]).values(claim_id="clm_other")
        caller.running.write(_executed, taken)
        caller.running.run(_open(gate))
        problem = problem_of(task.result(), 502, "outcome_unknown")
    assert f"GET /operations/{operation['id']}" in problem["detail"]
    assert caller.heard == 1


async def _executed(tx: Tx, statement: sa.Update) -> None:
    await tx.execute(statement)


async def _open(gate: asyncio.Event) -> None:
    gate.set()


def test_operations_of_others_and_of_other_profiles_are_not_seen(caller: Caller, running: RunningService) -> None:
    caller.shout()
    (operation,) = caller.operations()
    stranger = OwnerFixture(running)
    problem_of(stranger.session.get(f"/operations/{operation['id']}"), 404, "not_found")
    assert stranger.session.get("/operations").json()["data"] == []
    limited = caller.owner.limited_key(caller.owner.new_profile())
    assert limited.get("/operations").json()["data"] == []
    problem_of(limited.get(f"/operations/{operation['id']}"), 403, "out_of_scope")
    assert caller.operations(accountId="acc_none") == []


def test_what_was_asked_is_sealed_while_it_is_open_and_gone_afterwards(caller: Caller) -> None:
    PLATFORM.after[caller.word] = build_outcome_unknown()
    caller.shout()
    mine = sa.select(operations).where(operations.c.owner_id == caller.owner.id)
    (row,) = rows(caller.running, mine)
    assert row.sealed is not None
    assert caller.word.encode() not in row.sealed
    PLATFORM.looks[caller.word] = "found"
    caller.shout()
    (row,) = rows(caller.running, mine)
    assert row.sealed is None
