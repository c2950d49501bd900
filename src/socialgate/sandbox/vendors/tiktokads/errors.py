"""Errors of TikTok for Business: the status is 200 and only `code` differs, unless the call never reached the API."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from starlette.responses import HTMLResponse, PlainTextResponse, Response

from socialgate.sandbox.kit import Call, ErrorMaker, Refused, World, hexadecimal, reply

OK = 0
BAD_PARAMETER, NO_PERMISSION, WRONG_PARAMETER, NOT_FOUND, TOO_MANY_IDS = 40000, 40001, 40002, 40007, 40011
BAD_AUTH, NO_TOKEN, DEAD_TOKEN, NO_REFRESH, BAD_CODE = 40101, 40104, 40105, 40107, 40110
_NULL_TOKEN = "Access token is null, you should set it in http header with key Access-Token."
_DEAD = "Access token is incorrect or has been revoked."


def request_id(world: World) -> str:
    now: datetime = world.clock.now()
    return f"{now:%Y%m%d%H%M%S}{hexadecimal(18).upper()}"


def envelope(call: Call, code: int, message: str, data: Any) -> Response:
    trace = request_id(call.world)
    body = {"code": code, "message": message, "request_id": trace, "data": data}
    return reply(body, headers={"X-TT-LOGID": trace})


def answered(call: Call, data: Any) -> Response:
    return envelope(call, OK, "OK", data)


def failed(call: Call, code: int, message: str) -> Response:
    return envelope(call, code, message, {})


def refused(call: Call, code: int, message: str) -> Refused:
    return Refused(failed(call, code, message))


@dataclass(frozen=True)
class Failure:
    code: int
    message: str

    def __call__(self, call: Call) -> Response:
        return failed(call, self.code, self.message)


def permission_missing(call: Call) -> Response:
    path = call.path.partition("/open_api/v1.3")[2] or call.path
    return failed(call, NO_PERMISSION, f"advertiser does not grant you {path}:{call.method} permission")


def unreachable(_call: Call) -> Response:
    """Respond like a gateway that cannot reach its backend."""
    return HTMLResponse("<html><head><title>502 Bad Gateway</title></head></html>", 502)


def unknown_path(_call: Call) -> Response:
    return PlainTextResponse("404 page not found", 404)


def unreadable(call: Call, detail: str) -> Response:
    return failed(call, WRONG_PARAMETER, detail)


ERRORS: dict[str, ErrorMaker] = {
    "rate_limited": Failure(40100, "Too many requests. Please retry in some time. QPS limit reached."),
    "rate_limited_minute": Failure(40100, "Too many requests. Please retry in some time. QPM limit reached."),
    "quota_exhausted": Failure(40100, "Too many requests. Please retry in some time. QPD limit reached."),
    "advertiser_rate_limited": Failure(40133, "Too many requests for this advertiser."),
    "business_limited": Failure(40016, "The request is limited by the business control."),
    "token_expired": Failure(40102, "Access token has expired."),
    "token_revoked": Failure(DEAD_TOKEN, _DEAD),
    "token_missing": Failure(NO_TOKEN, _NULL_TOKEN),
    "permission_missing": permission_missing,
    "scope_missing": Failure(40130, "The scope is not authorized."),
    "role_missing": Failure(40301, "The role of the advertiser does not allow this."),
    "advertiser_missing": Failure(40300, "The advertiser does not exist."),
    "app_blocked": Failure(40113, "The app is forbidden."),
    "not_allowlisted": Failure(40118, "The app is not in the allowlist of this feature."),
    "country_blocked": Failure(41000, "The request is blocked because of the country of its IP address."),
    "retired": Failure(41001, "The interface is offline."),
    "not_found": Failure(NOT_FOUND, "The object does not exist."),
    "invalid": Failure(WRONG_PARAMETER, "One or more parameters are invalid."),
    "duplicate": Failure(40050, "Duplicated request."),
    "conflict": Failure(40202, "Write conflict, please retry."),
    "temporarily_unavailable": Failure(50002, "System timeout."),
    "internal_error": Failure(50000, "System error."),
    "maintenance": Failure(60001, "The service is under maintenance."),
    "unreachable": unreachable,
}
