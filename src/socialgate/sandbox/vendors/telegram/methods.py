"""The one path of the Bot API: a token and the name of a method."""

import inspect
from typing import Any

from starlette.responses import Response

from socialgate.sandbox.kit import Call, Route
from socialgate.sandbox.vendors.telegram import accounts, changes, files, managing, publish, webhooks
from socialgate.sandbox.vendors.telegram.access import bot_of
from socialgate.sandbox.vendors.telegram.errors import answered, refusal

_METHODS: dict[str, Any] = {
    **accounts.METHODS,
    **webhooks.METHODS,
    **publish.METHODS,
    **changes.METHODS,
    **managing.METHODS,
    "getfile": files.get_file,
}


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
    Route("GET", "/bot{token}/{method}", serve),
    Route("POST", "/bot{token}/{method}", serve),
    Route("GET", "/file/bot{token}/{path:path}", files.serve_file),
]
