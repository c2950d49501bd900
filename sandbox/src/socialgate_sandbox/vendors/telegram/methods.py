"""The one path of the Bot API: a token and the name of a method."""

import inspect
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route
from socialgate_sandbox.vendors.telegram import accounts, changes, files, managing, publish, webhooks
from socialgate_sandbox.vendors.telegram.access import bot_of
from socialgate_sandbox.vendors.telegram.errors import answered, refusal

_NAMED: dict[str, Any] = {
    **accounts.METHODS,
    **webhooks.METHODS,
    **publish.METHODS,
    **changes.METHODS,
    **managing.METHODS,
    "getFile": files.get_file,
}
# The names of methods are not case-sensitive.
_METHODS = {name.lower(): method for name, method in _NAMED.items()}
_PATHS = tuple(f"/bot{{token}}/{name}" for name in _NAMED)


async def serve(call: Call) -> Response:
    bot = bot_of(call)
    method = _METHODS.get(call.args["method"].lower())
    if method is None:
        raise refusal("method_unknown")
    result: Any
    if inspect.iscoroutinefunction(method):
        result = await method(call, bot)
    else:
        with call.world.store.transaction():
            result = method(call, bot)
    return result if isinstance(result, Response) else answered(result)


ROUTES = [
    Route("GET", "/bot{token}/{method}", serve, stands_for=_PATHS),
    Route("POST", "/bot{token}/{method}", serve, stands_for=_PATHS),
    Route("GET", "/file/bot{token}/{path:path}", files.serve_file),
]
