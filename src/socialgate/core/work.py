"""One unit of work on behalf of a caller: the caller and the database."""

from collections.abc import Awaitable, Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx, Unit

P = ParamSpec("P")
T = TypeVar("T")


class Recorder(Protocol):
    """Stores the response of a request, in the transaction of its effect, so that it can be replayed."""

    recorded: bool

    @property
    def name(self) -> str:
        """Identifies the request when it is sent again: the same for every repetition, and for nothing else."""

    async def record(self, tx: Tx, answer: Any, status: int | None) -> None:
        """Store the response, with a status other than the route's if there is one. Fails the whole transaction if the
        claim was lost in the meantime.
        """


class Work:
    def __init__(
        self,
        db: Database,
        caller: Caller,
        recorder: Recorder | None = None,
        as_recorded: Callable[[Any], Any] = lambda answer: answer,
    ) -> None:
        self.db = db
        self.caller = caller
        self._recorder = recorder
        self._as_recorded = as_recorded

    @property
    def idempotency(self) -> str | None:
        """What every repetition of this request has in common; None without an Idempotency-Key."""
        return None if self._recorder is None else self._recorder.name

    def recorded_as(self, change: Callable[[Any], Any]) -> "Work":
        """Return the same work, but what is recorded is what `change` makes of the response: the caller of a service
        can know more about it than the service.
        """
        return Work(self.db, self.caller, self._recorder, change)

    async def read(self, unit: Unit[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.db.read(unit, *args, **kwargs)

    async def write(self, unit: Unit[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the unit whose result is the response to the caller.

        With an idempotency key, the response is stored in the same transaction: afterwards either both exist or
        neither. Earlier steps of the same request that must be durable on their own use `db.write`.
        """
        return await self.answer(lambda _: None, unit, *args, **kwargs)

    async def answer(
        self, status_of: Callable[[T], int | None], unit: Unit[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Like `write`, for routes whose status depends on the result."""
        if self._recorder is None:
            return await self.db.write(unit, *args, **kwargs)
        unit_and_record = _recorded(self._recorder, self._as_recorded, status_of, unit)
        answer = await self.db.write(unit_and_record, *args, **kwargs)
        self._recorder.recorded = True
        return answer


def _recorded(
    recorder: Recorder,
    as_recorded: Callable[[T], Any],
    status_of: Callable[[T], int | None],
    unit: Callable[Concatenate[Tx, P], Awaitable[T]],
) -> Callable[Concatenate[Tx, P], Awaitable[T]]:
    async def unit_and_record(tx: Tx, /, *args: P.args, **kwargs: P.kwargs) -> T:
        answer = await unit(tx, *args, **kwargs)
        await recorder.record(tx, as_recorded(answer), status_of(answer))
        return answer

    return unit_and_record
