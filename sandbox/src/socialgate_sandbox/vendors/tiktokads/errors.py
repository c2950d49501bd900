"""Errors of TikTok for Business: the status is 200 and only `code` differs, unless the call never reached the API."""

from datetime import datetime
from functools import partial
from typing import Any

from starlette.responses import HTMLResponse, PlainTextResponse, Response

from socialgate_sandbox.kit import (
    Call,
    CallRefusedError,
    ErrorTable,
    VendorContext,
    build_call_error_declarer,
    build_error_declarer,
    build_json_response,
    build_require,
    generate_hex,
)

OK_CODE = 0
BAD_PARAMETER_CODE, NO_PERMISSION_CODE, INVALID_PARAMETER_CODE, NOT_FOUND_CODE, TOO_MANY_IDS_CODE = (
    40000,
    40001,
    40002,
    40007,
    40011,
)
NOTHING_TO_UPDATE_CODE, TOO_MANY_EVENTS_CODE, NOT_HASHED_CODE, PARTIAL_SUCCESS_CODE = 40012, 40061, 40062, 20001
BAD_SIGNATURE_CODE, NO_FILE_CODE, BAD_FILE_CODE, BAD_FILE_CONTENT_CODE, DUPLICATE_NAME_CODE, FETCH_FAILED_CODE = (
    40900,
    40905,
    40908,
    40909,
    40911,
    40914,
)
BAD_APP_CODE, NO_TOKEN_CODE, INVALID_TOKEN_CODE, INVALID_GRANT_CODE, BAD_AUTH_CODE_CODE = (
    40101,
    40104,
    40105,
    40107,
    40110,
)
_NO_TOKEN_MESSAGE = "Access token is null, you should set it in http header with key Access-Token."
_INVALID_TOKEN_MESSAGE = "Access token is incorrect or has been revoked."


def generate_request_id(context: VendorContext) -> str:
    now: datetime = context.clock.now()
    return f"{now:%Y%m%d%H%M%S}{generate_hex(18).upper()}"


def build_envelope(call: Call, code: int, message: str, data: Any) -> Response:
    trace = generate_request_id(call.context)
    body = {"code": code, "message": message, "request_id": trace, "data": data}
    return build_json_response(body, headers={"X-TT-LOGID": trace})


def build_success_response(call: Call, data: Any) -> Response:
    return build_envelope(call, OK_CODE, "OK", data)


def build_error_response(call: Call, code: int, message: str) -> Response:
    return build_envelope(call, code, message, {})


def build_error(call: Call, code: int, message: str) -> CallRefusedError:
    return CallRefusedError(build_error_response(call, code, message))


def build_permission_missing_response(call: Call) -> Response:
    path = call.path.partition("/open_api/v1.3")[2] or call.path
    return build_error_response(
        call, NO_PERMISSION_CODE, f"advertiser does not grant you {path}:{call.method} permission"
    )


def build_unreadable_response(call: Call, detail: str) -> Response:
    return build_error_response(call, INVALID_PARAMETER_CODE, detail)


declare_error = build_call_error_declarer(build_error_response)
require = build_require(partial(declare_error, INVALID_PARAMETER_CODE))
ERRORS = ErrorTable(
    rate_limited=declare_error(40100, "Too many requests. Please retry in some time. QPS limit reached."),
    rate_limited_minute=declare_error(40100, "Too many requests. Please retry in some time. QPM limit reached."),
    quota_exhausted=declare_error(40100, "Too many requests. Please retry in some time. QPD limit reached."),
    advertiser_rate_limited=declare_error(40133, "Too many requests for this advertiser."),
    business_limited=declare_error(40016, "The request is limited by the business control."),
    token_expired=declare_error(40102, "Access token has expired."),
    token_revoked=declare_error(INVALID_TOKEN_CODE, _INVALID_TOKEN_MESSAGE),
    token_missing=declare_error(NO_TOKEN_CODE, _NO_TOKEN_MESSAGE),
    permission_missing=build_permission_missing_response,
    scope_missing=declare_error(40130, "The scope is not authorized."),
    role_missing=declare_error(40301, "The role of the advertiser does not allow this."),
    advertiser_missing=declare_error(40300, "The advertiser does not exist."),
    app_blocked=declare_error(40113, "The app is forbidden."),
    not_allowlisted=declare_error(40118, "The app is not in the allowlist of this feature."),
    country_blocked=declare_error(41000, "The request is blocked because of the country of its IP address."),
    retired=declare_error(41001, "The interface is offline."),
    not_found=declare_error(NOT_FOUND_CODE, "The object does not exist."),
    invalid=declare_error(INVALID_PARAMETER_CODE, "One or more parameters are invalid."),
    ad_limit=declare_error(40502, "The number of ads in the ad group has reached the limit."),
    transcoding=declare_error(40901, "The video is being transcoded."),
    duplicate=declare_error(40050, "Duplicated request."),
    conflict=declare_error(40202, "Write conflict, please retry."),
    temporarily_unavailable=declare_error(50002, "System timeout."),
    internal_error=declare_error(50000, "System error."),
    maintenance=declare_error(60001, "The service is under maintenance."),
    # A gateway that cannot reach its backend.
    unreachable=build_error_declarer(HTMLResponse)("<html><head><title>502 Bad Gateway</title></head></html>", 502),
)
build_refusal = ERRORS.build_refusal
build_unknown_path_response = build_error_declarer(PlainTextResponse)("404 page not found", 404)
