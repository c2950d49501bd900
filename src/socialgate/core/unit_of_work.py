"""One unit of work on behalf of a caller: the caller and the database."""

from collections.abc import Awaitable, Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from socialgate.core.caller import Caller
from socialgate.core.db import Database, TransactionFunction, Tx

P = ParamSpec("P")
T = TypeVar("T")


class ResponseRecorder(Protocol):
    """Stores the response of a request, in the transaction of its effect, so that it can be replayed."""

    recorded: bool

    @property
    def request_key(self) -> str:
        """Identifies the request when it is sent again: the same for every repetition, and for nothing else."""

    async def record(self, tx: Tx, answer: Any, status: int | None) -> None:
        """Store the response, with a status other than the route's if there is one. Fails the whole transaction if the
        claim was lost in the meantime.
        """


class UnitOfWork:
    def __init__(
        self,
        db: Database,
        caller: Caller,
        recorder: ResponseRecorder | None = None,
        to_recorded_response: Callable[[Any], Any] = lambda answer: answer,
    ) -> None:
        self.db = db
        self.caller = caller
        self._recorder = recorder
        self._as_recorded = to_recorded_response

    @property
    def request_key(self) -> str | None:
        """What every repetition of this request has in common; None without an Idempotency-Key."""
        return None if self._recorder is None else self._recorder.request_key

    def with_recorded_response(self, change: Callable[[Any], Any]) -> "UnitOfWork":
        """Return the same work, but what is recorded is what `change` makes of the response: the caller of a service
        can know more about it than the service.
        """
        return UnitOfWork(self.db, self.caller, self._recorder, change)

    async def read(self, unit: TransactionFunction[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.db.read(unit, *args, **kwargs)

    async def write(self, unit: TransactionFunction[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the unit whose result is the response to the caller.

        With an idempotency key, the response is stored in the same transaction: afterwards either both exist or
        neither. Earlier steps of the same request that must be durable on their own use `db.write`.
        """
        return await self.write_with_status(lambda _: None, unit, *args, **kwargs)

    async def write_with_status(
        self, get_status: Callable[[T], int | None], unit: TransactionFunction[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Like `write`, for routes whose status depends on the result."""
        if self._recorder is None:
            return await self.db.write(unit, *args, **kwargs)
        unit_and_record = _with_recording(self._recorder, self._as_recorded, get_status, unit)
        answer = await self.db.write(unit_and_record, *args, **kwargs)
        self._recorder.recorded = True
        return answer


def _with_recording(
    recorder: ResponseRecorder,
    to_recorded_response: Callable[[T], Any],
    get_status: Callable[[T], int | None],
    unit: Callable[Concatenate[Tx, P], Awaitable[T]],
) -> Callable[Concatenate[Tx, P], Awaitable[T]]:
    async def unit_and_record(tx: Tx, /, *args: P.args, **kwargs: P.kwargs) -> T:
        answer = await unit(tx, *args, **kwargs)
        await recorder.record(tx, to_recorded_response(answer), get_status(answer))
        return answer

    return unit_and_record
