"""An area that exists only in tests: several calls as one, each of which a test steers."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from socialgate.areas.accounts.service import Accounts
from socialgate.areas.operations.service import Operations
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connecting import ABOUT, AccountCredentials
from socialgate.contracts.connecting import Accounts as AboutAccounts
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.operations import Looked, NotSeen, SeriesType, Step
from socialgate.core.db import Tx
from socialgate.core.work import Work
from socialgate.web.area import Area
from socialgate.web.route import Tag, route
from socialgate.web.schema import Body, View

STEPS = ("left", "right", "halt")


class March(Body, frozen=True, kw_only=True):
    """Who marches."""

    who: str

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"who": "somebody"}


class Marched(View, frozen=True, kw_only=True):
    """Where somebody arrived."""

    id: str
    over: list[str]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"id": "halt of somebody", "over": ["left of somebody"]}


class Ground:
    """What the platform has, and what it raises at a step: before it has done it, after it, before it removes it, or
    after that. `meanwhile` is what happens elsewhere while its response is on the way.
    """

    def __init__(self) -> None:
        self.there: list[str] = []
        self.calls: list[str] = []
        self.before: dict[str, Exception] = {}
        self.after: dict[str, Exception] = {}
        self.keeps: dict[str, Exception] = {}
        self.drops: dict[str, Exception] = {}
        self.shows: dict[str, Looked[str] | Exception] = {}
        self.meanwhile: dict[str, Callable[[], None]] = {}

    def make(self, what: str) -> str:
        self.calls.append(what)
        if what in self.before:
            raise self.before.pop(what)
        self.there.append(what)
        if what in self.after:
            raise self.after.pop(what)
        return what

    def remove(self, what: str) -> None:
        if what in self.keeps:
            raise self.keeps.pop(what)
        if what not in self.there:
            raise PlatformNotFound("It is gone.", platform="threads")
        self.there.remove(what)
        if what in self.drops:
            raise self.drops.pop(what)

    def look(self, what: str) -> Looked[str]:
        shown = self.shows.get(what, what if what in self.there else NotSeen())
        if isinstance(shown, Exception):
            raise shown
        return shown

    def of(self, who: str) -> list[str]:
        return [one for one in self.there if one.endswith(who)]


GROUND = Ground()


def _step(name: str) -> Step[AboutAccounts, March]:
    async def call(part: AboutAccounts, held: AccountCredentials, asked: March, made: Mapping[str, str]) -> str:
        del part, held
        # Each step is given what those before it made.
        assert list(made) == list(STEPS[: STEPS.index(name)])
        what = GROUND.make(f"{name} of {asked.who}")
        if what in GROUND.meanwhile:
            await asyncio.to_thread(GROUND.meanwhile.pop(what))
        return what

    async def look(part: AboutAccounts, held: AccountCredentials, asked: March, made: Mapping[str, str]) -> Looked[str]:
        del part, held, made
        return GROUND.look(f"{name} of {asked.who}")

    async def undo(part: AboutAccounts, held: AccountCredentials, object_id: str) -> None:
        del part, held
        GROUND.remove(object_id)

    return Step(name=name, call=call, look=look, undo=undo)


async def _record(tx: Tx, account: AccountRow, asked: March, made: Mapping[str, str]) -> Marched:
    del tx, account, asked
    return Marched(id=made["halt"], over=[made["left"], made["right"]])


MARCH = SeriesType(
    name="test.march",
    request=March,
    answer=Marched,
    capability=ABOUT,
    lacks="cannot march",
    steps=lambda _, __: [_step(name) for name in STEPS],
    record=_record,
    shown=lambda asked: {"letters": len(asked.who)},
    last="halt",
)


@route("POST", "/test/accounts/{account_id:str}/march", tag=Tag("Test", "For tests."))
async def march(account_id: str, data: March, work: Work, accounts: Accounts, operations: Operations) -> Marched:
    """March on a platform."""
    account = await work.read(accounts.find, work.caller, account_id)
    return await operations.run_series(work, account, MARCH, data)


MARCHING = Area(routes=[march], operations=[MARCH])
