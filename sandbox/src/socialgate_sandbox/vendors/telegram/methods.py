"""The one path of the Bot API: a token and the name of a method."""

import inspect
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route
from socialgate_sandbox.vendors.telegram import (
    accounts,
    files,
    management,
    message_changes,
    send_methods,
    update_methods,
)
from socialgate_sandbox.vendors.telegram.access import authenticate_bot
from socialgate_sandbox.vendors.telegram.errors import build_ok_response, build_refusal

_METHODS_BY_NAME: dict[str, Any] = {
    **accounts.ACCOUNT_METHODS,
    **update_methods.UPDATE_METHODS,
    **send_methods.SEND_METHODS,
    **message_changes.CHANGE_METHODS,
    **management.MANAGEMENT_METHODS,
    "getFile": files.get_file,
}
# The names of methods are not case-sensitive.
_METHODS_BY_LOWER_NAME = {name.lower(): method for name, method in _METHODS_BY_NAME.items()}
_PATHS = tuple(f"/bot{{token}}/{name}" for name in _METHODS_BY_NAME)


async def call_method(call: Call) -> Response:
    bot = authenticate_bot(call)
    method = _METHODS_BY_LOWER_NAME.get(call.path_params["method"].lower())
    if method is None:
        raise build_refusal("method_unknown")
    result: Any
    if inspect.iscoroutinefunction(method):
        result = await method(call, bot)
    else:
        with call.context.store.transaction():
            result = method(call, bot)
    return result if isinstance(result, Response) else build_ok_response(result)


ROUTES = [
    Route("GET", "/bot{token}/{method}", call_method, listed_paths=_PATHS),
    Route("POST", "/bot{token}/{method}", call_method, listed_paths=_PATHS),
    Route("GET", "/file/bot{token}/{path:path}", files.serve_file),
]
