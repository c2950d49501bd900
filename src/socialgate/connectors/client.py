"""One vendor client: authentication, budgets, quotas, sending, translation, pauses and decoding, for everybody.

A family of vendors differs in three things, its dialect: how a request is authenticated, where an answer says that it
failed, and where it holds what was asked for. A connector adds an error table (`errors.py`) and the calls themselves.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

import msgspec

from socialgate.connectors import tolerant
from socialgate.connectors.errors import ErrorTable, Said
from socialgate.connectors.wire import READ_LIMIT, Wire
from socialgate.contracts.connecting import Secretive
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Quota
from socialgate.core.egress import Answer

T = TypeVar("T")

# The budget of the app itself, which every account of a deployment shares.
APP = "app"
DEADLINE_SECONDS = 30.0
_NOTHING: Mapping[str, Any] = MappingProxyType({})
# What a call says that is sent as it is.
_SENT = ("query", "headers", "form", "json", "body", "deadline", "read_limit")


class Call(Secretive, frozen=True, kw_only=True):
    """One request to a vendor. Whether it may be repeated has no default: it has to be thought about each time.

    `budgets` name what has to wait when the vendor has had too many calls, the most exact first: that one is paused.
    `spends` names the quotas of the manifest that it uses, with the units of each: without room it is not made.
    `hidden` is what must not appear in any message besides the token. `expects` are statuses that the dialect would
    take for failures, and that are answers here.
    """

    method: str
    url: str
    repeatable: bool
    token: str = ""
    budgets: tuple[str, ...] = (APP,)
    spends: tuple[tuple[str, int], ...] = ()
    query: Mapping[str, Any] = _NOTHING
    form: Mapping[str, Any] | None = None
    json: Any = None
    body: bytes | None = None
    headers: Mapping[str, str] = _NOTHING
    deadline: float = DEADLINE_SECONDS
    # How many bytes of the answer are read; one that is longer is cut, and says so.
    read_limit: int = READ_LIMIT
    hidden: tuple[str, ...] = ()
    expects: frozenset[int] = frozenset()
    # Goes on with what has begun, or has nothing to do with the quota: it is sent during a pause too.
    ignores_pauses: bool = False


class Dialect(Protocol):
    """How a family of vendors speaks."""

    def authenticate(self, call: Call) -> Call:
        """Put the token where the vendor wants it."""

    def said(self, answer: Answer) -> Said | None:
        """Read what the vendor says about a failure; None where the answer is a success."""

    def result(self, answer: Answer) -> bytes:
        """Give the part of a success that holds what was asked for, as JSON."""


class Bearer:
    """What most vendors have in common: the token is a bearer's, and the whole answer is what was asked for."""

    def authenticate(self, call: Call) -> Call:
        return with_header(call, "Authorization", f"Bearer {call.token}") if call.token else call

    def result(self, answer: Answer) -> bytes:
        return answer.body


def with_header(call: Call, name: str, value: str) -> Call:
    return msgspec.structs.replace(call, headers={**call.headers, name: value})


class Client:
    def __init__(self, wire: Wire, dialect: Dialect, table: ErrorTable, *, app: str = APP) -> None:
        """Take the budget that all accounts share. A vendor with a quota per product has a client for each."""
        self._wire = wire
        self._dialect = dialect
        self._table = table
        self._app = app

    async def call(self, call: Call, shape: type[T]) -> T:
        """Make a call and read its answer into a struct; `object` where it says nothing worth reading."""
        return self.read(call, await self.answer(call), shape)

    async def answer(self, call: Call) -> Answer:
        """Make a call and give all of its answer, for those that say something in their status or headers."""
        if not call.ignores_pauses:
            await self._wire.require_not_paused(*call.budgets)
        sent = self._dialect.authenticate(call)
        spent = await self._wire.spend(dict(call.spends), self._whose(call)) if call.spends else ()
        given = {name: getattr(sent, name) for name in _SENT}
        answer = await self._wire.send(sent.method, sent.url, mutates=not sent.repeatable, spent=spent, **given)
        said = None if answer.status in call.expects else self._dialect.said(answer)
        if said is not None:
            await self._fail(call, said)
        return answer

    def read(self, call: Call, answer: Answer, shape: type[T]) -> T:
        if shape is object:
            return shape()
        try:
            return tolerant.decode(self._dialect.result(answer), shape)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise self.unreadable(call, answer) from None

    def unreadable(self, call: Call, answer: Answer) -> PlatformFailure:
        """Judge a success that lacks what was asked for."""
        return self._table.unreadable(answer.status, repeatable=call.repeatable)

    def _whose(self, call: Call) -> Mapping[str, str]:
        """Say for whom a call is made. Before the account in its budgets stands at most a part of that account."""
        found = {"app": Quota.APP, "endpoint": urlsplit(call.url).path}
        own = [budget for budget in call.budgets if budget not in {APP, self._app}]
        return {**found, "account": own[-1], "chat": own[0]} if own else found

    async def _fail(self, call: Call, said: Said) -> None:
        now = self._wire.clock.now()
        hidden = (call.token, *call.hidden)
        verdict = self._table.verdict(said, repeatable=call.repeatable, hidden=hidden, now=now)
        if verdict.pauses is not None and verdict.failure.retry_after is not None:
            budget = self._app if verdict.pauses == "app" else call.budgets[0]
            await self._wire.pause(budget, min(verdict.failure.retry_after, self._table.longest_pause))
        raise verdict.failure


class Access:
    """Speaks to one place of a vendor, always in the same way: with a token, on its budgets."""

    def __init__(self, client: Client, base: str = "", **common: Any) -> None:
        """Take the start of every address, and what all calls have in common."""
        self.client = client
        self._base = base
        self._common = common

    def to(self, method: str, path: str, *, repeatable: bool, **rest: Any) -> Call:
        return Call(method=method, url=f"{self._base}{path}", repeatable=repeatable, **{**self._common, **rest})

    async def call(self, method: str, path: str, shape: type[T], *, repeatable: bool, **rest: Any) -> T:
        return await self.client.call(self.to(method, path, repeatable=repeatable, **rest), shape)

    async def get(self, path: str, shape: type[T], **query: Any) -> T:
        return await self.call("GET", path, shape, repeatable=True, query=query)

    async def post(self, path: str, shape: type[T], json: Any, *, repeatable: bool, **rest: Any) -> T:
        return await self.call("POST", path, shape, repeatable=repeatable, json=json, **rest)
