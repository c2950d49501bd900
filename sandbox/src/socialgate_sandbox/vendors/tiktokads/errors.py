"""Errors of TikTok for Business: the status is 200 and only `code` differs, unless the call never reached the API."""

from datetime import datetime
from functools import partial
from typing import Any

from starlette.responses import HTMLResponse, PlainTextResponse, Response

from socialgate_sandbox.kit import Call, ErrorTable, Refused, World, fixed, hexadecimal, per_call, reply, requiring

OK = 0
BAD_PARAMETER, NO_PERMISSION, WRONG_PARAMETER, NOT_FOUND, TOO_MANY_IDS = 40000, 40001, 40002, 40007, 40011
NO_UPDATE, TOO_MANY_EVENTS, NOT_HASHED, PARTIAL = 40012, 40061, 40062, 20001
BAD_SIGNATURE, NO_FILE, BAD_FILE, BAD_LINES, SAME_NAME, NOT_FETCHED = 40900, 40905, 40908, 40909, 40911, 40914
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


def permission_missing(call: Call) -> Response:
    path = call.path.partition("/open_api/v1.3")[2] or call.path
    return failed(call, NO_PERMISSION, f"advertiser does not grant you {path}:{call.method} permission")


def unreadable(call: Call, detail: str) -> Response:
    return failed(call, WRONG_PARAMETER, detail)


row = per_call(failed)
require = requiring(partial(row, WRONG_PARAMETER))
ERRORS = ErrorTable(
    rate_limited=row(40100, "Too many requests. Please retry in some time. QPS limit reached."),
    rate_limited_minute=row(40100, "Too many requests. Please retry in some time. QPM limit reached."),
    quota_exhausted=row(40100, "Too many requests. Please retry in some time. QPD limit reached."),
    advertiser_rate_limited=row(40133, "Too many requests for this advertiser."),
    business_limited=row(40016, "The request is limited by the business control."),
    token_expired=row(40102, "Access token has expired."),
    token_revoked=row(DEAD_TOKEN, _DEAD),
    token_missing=row(NO_TOKEN, _NULL_TOKEN),
    permission_missing=permission_missing,
    scope_missing=row(40130, "The scope is not authorized."),
    role_missing=row(40301, "The role of the advertiser does not allow this."),
    advertiser_missing=row(40300, "The advertiser does not exist."),
    app_blocked=row(40113, "The app is forbidden."),
    not_allowlisted=row(40118, "The app is not in the allowlist of this feature."),
    country_blocked=row(41000, "The request is blocked because of the country of its IP address."),
    retired=row(41001, "The interface is offline."),
    not_found=row(NOT_FOUND, "The object does not exist."),
    invalid=row(WRONG_PARAMETER, "One or more parameters are invalid."),
    ad_limit=row(40502, "The number of ads in the ad group has reached the limit."),
    transcoding=row(40901, "The video is being transcoded."),
    duplicate=row(40050, "Duplicated request."),
    conflict=row(40202, "Write conflict, please retry."),
    temporarily_unavailable=row(50002, "System timeout."),
    internal_error=row(50000, "System error."),
    maintenance=row(60001, "The service is under maintenance."),
    # A gateway that cannot reach its backend.
    unreachable=fixed(HTMLResponse)("<html><head><title>502 Bad Gateway</title></head></html>", 502),
)
refusal = ERRORS.refusal
unknown_path = fixed(PlainTextResponse)("404 page not found", 404)
