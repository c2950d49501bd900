"""The one path of the Bot API: a token and the name of a method."""

import inspect
from typing import Any

from starlette.responses import Response

from socialgate.sandbox.kit import Call, Route
from socialgate.sandbox.vendors.telegram import accounts, webhooks
from socialgate.sandbox.vendors.telegram.access import bot_of
from socialgate.sandbox.vendors.telegram.errors import answered, refusal

_METHODS = {**accounts.METHODS, **webhooks.METHODS}


async def serve(call: Call) -> Response:
    bot = bot_of(call)
    method = _METHODS.get(call.args["method"].lower())
    if method is None:
        raise refusal("method_unknown")
    if inspect.iscoroutinefunction(method):
        result: Any = await method(call, bot)
    else:
        with call.world.store.transaction():
            result = method(call, bot)
    return result if isinstance(result, Response) else answered(result)


ROUTES = [Route("GET", "/bot{token}/{method}", serve), Route("POST", "/bot{token}/{method}", serve)]
