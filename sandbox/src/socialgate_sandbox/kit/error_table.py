"""A vendor's errors as a table. `POST /_control/fail` causes each row by its name, and so do the vendor's own calls.

A vendor writes one function that renders its errors, and declares the rows with it:

    def failed(status: int, code: str, message: str) -> Response:
        return build_json_response({"error": {"code": code, "message": message}}, status)

    row = build_error_declarer(failed)
    ERRORS = ErrorTable(
        rate_limited=row(429, "slow_down", "Too many calls."),
        not_found=row(404, "not_found", "There is no such note."),
    )
    refusal = ERRORS.build_refusal

A handler then says `raise refusal("not_found")`, or `raise CallRefusedError(failed(...))` for an error of its own.
"""

from collections.abc import Callable
from typing import Concatenate, ParamSpec

from starlette.responses import Response

from socialgate_sandbox.kernel.call import Call, CallRefusedError
from socialgate_sandbox.kernel.vendor import ErrorBuilder

P = ParamSpec("P")


def build_error_declarer(render: Callable[P, Response]) -> Callable[P, ErrorBuilder]:
    """Declare rows that are the same for every call."""

    def row(*args: P.args, **members: P.kwargs) -> ErrorBuilder:
        return lambda _call: render(*args, **members)

    return row


def build_call_error_declarer(render: Callable[Concatenate[Call, P], Response]) -> Callable[P, ErrorBuilder]:
    """Declare rows whose shape depends on the call, such as on the family of the API."""

    def row(*args: P.args, **members: P.kwargs) -> ErrorBuilder:
        return lambda call: render(call, *args, **members)

    return row


def build_require(error: Callable[P, Response | ErrorBuilder]) -> Callable[Concatenate[object, P], None]:
    """Return a function that checks input, such as `require(size <= _MOST, "The file is too big.")`."""

    def require(fits: object, /, *args: P.args, **members: P.kwargs) -> None:
        if not fits:
            raise CallRefusedError(error(*args, **members))

    return require


class ErrorTable(dict[str, ErrorBuilder]):
    def build_refusal(self, name: str) -> CallRefusedError:
        """Return an error to raise. It is rendered when the call is known."""
        return CallRefusedError(self[name])
