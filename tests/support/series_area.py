"""An area that exists only in tests: several calls as one, each of which a test steers."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.operations.service import OperationService
from socialgate.contracts.account_connection import ACCOUNT_PROFILE_CAPABILITY, AccountCredentials
from socialgate.contracts.account_connection import AccountInspector as AboutAccounts
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.contracts.operations import LookupResult, NotFoundYet, OperationSeriesType, SeriesStep
from socialgate.core.db import Tx
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.area import Area
from socialgate.web.route import RouteTag, route
from socialgate.web.schemas import RequestBody, ResponseModel

STEPS = ("left", "right", "halt")


class March(RequestBody, frozen=True, kw_only=True):
    """Who marches."""

    who: str

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"who": "somebody"}


class Marched(ResponseModel, frozen=True, kw_only=True):
    """Where somebody arrived."""

    id: str
    over: list[str]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "halt of somebody", "over": ["left of somebody"]}


class SeriesPlatform:
    """What the platform has, and what it raises at a step: before it has done it, after it, before it removes it, or
    after that. `meanwhile` is what happens elsewhere while its response is on the way.
    """

    def __init__(self) -> None:
        self.there: list[str] = []
        self.calls: list[str] = []
        self.before: dict[str, Exception] = {}
        self.after: dict[str, Exception] = {}
        self.remove_errors_before: dict[str, Exception] = {}
        self.remove_errors_after: dict[str, Exception] = {}
        self.shows: dict[str, LookupResult[str] | Exception] = {}
        self.meanwhile: dict[str, Callable[[], None]] = {}

    def make(self, label: str) -> str:
        self.calls.append(label)
        if label in self.before:
            raise self.before.pop(label)
        self.there.append(label)
        if label in self.after:
            raise self.after.pop(label)
        return label

    def remove(self, label: str) -> None:
        if label in self.remove_errors_before:
            raise self.remove_errors_before.pop(label)
        if label not in self.there:
            raise PlatformNotFoundError("It is gone.", platform="threads")
        self.there.remove(label)
        if label in self.remove_errors_after:
            raise self.remove_errors_after.pop(label)

    def look(self, label: str) -> LookupResult[str]:
        shown = self.shows.get(label, label if label in self.there else NotFoundYet())
        if isinstance(shown, Exception):
            raise shown
        return shown

    def of(self, value: str) -> list[str]:
        return [current_value for current_value in self.there if current_value.endswith(value)]


GROUND = SeriesPlatform()


def _step(name: str) -> SeriesStep[AboutAccounts, March]:
    async def call(
        part: AboutAccounts, credentials: AccountCredentials, march: March, created: Mapping[str, str]
    ) -> str:
        del part, credentials
        # Each step is given what those before it made.
        assert list(created) == list(STEPS[: STEPS.index(name)])
        label = GROUND.make(f"{name} of {march.who}")
        if label in GROUND.meanwhile:
            await asyncio.to_thread(GROUND.meanwhile.pop(label))
        return label

    async def look(
        part: AboutAccounts, credentials: AccountCredentials, march: March, created: Mapping[str, str]
    ) -> LookupResult[str]:
        del part, credentials, created
        return GROUND.look(f"{name} of {march.who}")

    async def undo(part: AboutAccounts, credentials: AccountCredentials, object_id: str) -> None:
        del part, credentials
        GROUND.remove(object_id)

    return SeriesStep(name=name, call=call, look=look, undo=undo)


async def _record(tx: Tx, account: AccountRow, march: March, created: Mapping[str, str]) -> Marched:
    del tx, account, march
    return Marched(id=created["halt"], over=[created["left"], created["right"]])


MARCH = OperationSeriesType(
    name="test.march",
    request=March,
    response_type=Marched,
    capability=ACCOUNT_PROFILE_CAPABILITY,
    unsupported_phrase="cannot march",
    build_steps=lambda _, __: [_step(name) for name in STEPS],
    record=_record,
    summarize_request=lambda march: {"letters": len(march.who)},
    result_step="halt",
)


@route("POST", "/test/accounts/{account_id:str}/march", sdk="marches.create", tag=RouteTag("Test", "For tests."))
async def march(
    account_id: str, data: March, work: UnitOfWork, accounts: AccountService, operations: OperationService
) -> Marched:
    """March on a platform."""
    account = await work.read(accounts.find, work.caller, account_id)
    return await operations.run_series(work, account, MARCH, data)


MARCHING = Area(routes=[march], operations=[MARCH])
