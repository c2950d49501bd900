"""An area that exists only in tests: long work that counts, and a call to a platform that a test steers."""

import asyncio
from collections import Counter
from typing import Any

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.operations.service import OperationService
from socialgate.contracts.account_connection import ACCOUNT_PROFILE_CAPABILITY, AccountCredentials
from socialgate.contracts.account_connection import AccountInspector as AboutAccounts
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import OutcomeUnknownError, PlatformFailure
from socialgate.contracts.operations import LookupResult, OperationType
from socialgate.contracts.publishing import Inconclusive, SafeToRetry
from socialgate.core.db import Tx
from socialgate.core.jobs.service import JobRun, JobService, JobType
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.area import Area
from socialgate.web.route import RouteTag, route
from socialgate.web.schemas import RequestBody, ResponseModel

COUNT = "test.count"


async def _count(run: JobRun) -> Any:
    for number in range(run.state or 0, run.input["to"]):
        await run.record_step(number + 1, done=number + 1, total=run.input["to"], unit="numbers")
    return {"counted": run.input["to"]}


class Shout(RequestBody, frozen=True, kw_only=True):
    """What to shout."""

    word: str

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"word": "hello"}


class Shouted(ResponseModel, frozen=True, kw_only=True):
    """What was shouted."""

    id: str
    word: str

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "1", "word": "hello"}


class FakePlatform:
    """What the platform does with a word: it hears it, or raises what a test wants, before or after it has heard it."""

    def __init__(self) -> None:
        self.heard: Counter[str] = Counter()
        self.before: dict[str, PlatformFailure] = {}
        self.after: dict[str, PlatformFailure] = {}
        self.looks: dict[str, LookupResult[str]] = {}
        # Words at which the code that looks them up breaks.
        self.broken: set[str] = set()
        self.waits: dict[str, asyncio.Event] = {}
        self.begun: Counter[str] = Counter()

    async def shout(self, word: str) -> str:
        self.begun[word] += 1
        if word in self.waits:
            await self.waits[word].wait()
        if word in self.before:
            raise self.before.pop(word)
        self.heard[word] += 1
        if word in self.after:
            raise self.after.pop(word)
        return f"id of {word}"


PLATFORM = FakePlatform()


async def _call(part: AboutAccounts, credentials: AccountCredentials, request: Shout) -> str:
    del part, credentials
    return await PLATFORM.shout(request.word)


async def _look(part: AboutAccounts, credentials: AccountCredentials, request: Shout) -> LookupResult[str]:
    del part, credentials
    if request.word in PLATFORM.broken:
        raise TypeError(request.word)
    return PLATFORM.looks.get(request.word, Inconclusive("The platform shows nobody what it heard."))


async def _record(tx: Tx, account: AccountRow, request: Shout, result: str) -> Shouted:
    del tx, account
    return Shouted(id=result, word=request.word)


SHOUT = OperationType(
    name="test.shout",
    request=Shout,
    response_type=Shouted,
    capability=ACCOUNT_PROFILE_CAPABILITY,
    unsupported_phrase="cannot be shouted at",
    call=_call,
    record=_record,
    look=_look,
    summarize_request=lambda request: {"letters": len(request.word)},
    get_object_id=lambda _, result: result,
)


@route("POST", "/test/accounts/{account_id:str}/shout", sdk="shouts.create", tag=RouteTag("Test", "For tests."))
async def shout(
    account_id: str, data: Shout, work: UnitOfWork, accounts: AccountService, operations: OperationService
) -> Shouted:
    """Shout a word on a platform."""
    account = await work.read(accounts.find, work.caller, account_id)
    return await operations.run(work, account, SHOUT, data)


def _counting() -> JobType:
    return JobType(name=COUNT, run=_count, max_per_owner=2)


# For every service of a test: it has no route, so that what the service says of itself stays true.
COUNTING = Area(jobs=[_counting])
SHOUTING = Area(routes=[shout], operations=[SHOUT])


async def count_to(tx: Tx, jobs: JobService, owner_id: str, profile_id: str | None, to: int) -> str:
    """Queue a task that counts."""
    return (await jobs.enqueue(tx, COUNT, owner_id, {"to": to}, profile_id=profile_id)).id


def build_outcome_unknown() -> OutcomeUnknownError:
    return OutcomeUnknownError("The answer was lost.", platform="threads")


NOT_THERE = SafeToRetry()
