"""Errors of the Threads API as callers see them."""

from functools import partial

from starlette.responses import Response

from socialgate_sandbox.dialects.graph.errors import (
    build_error_response,
    build_unknown_object_error,
    declare_error,
    declare_limit_error,
    declare_publishing_limits,
    declare_unknown_object,
)
from socialgate_sandbox.dialects.graph.tokens import build_token_errors
from socialgate_sandbox.kit import Call, CallRefusedError, ErrorTable, build_json_response

ERROR_TYPE = "THApiException"
_NO_PERMISSION_MESSAGE = "Application does not have permission for this action"
_declare_threads_error = partial(declare_error, kind=ERROR_TYPE, transient=False)


def build_flat_error(message: str) -> Response:
    """Build an error of the token endpoint, the only one without an envelope."""
    return build_json_response({"error_type": "OAuthException", "code": 400, "error_message": message}, 400)


def build_parameter_response(message: str) -> Response:
    return build_error_response(message, 100, kind=ERROR_TYPE, transient=False)


def build_missing_scope_error(_scope: str = "") -> CallRefusedError:
    return build_refusal("permission_missing")


def build_missing_token_response(_call: Call) -> Response:
    return build_error_response("An access token is required to request this resource.", 104)


def build_unknown_node_error(call: Call, key: str) -> CallRefusedError:
    return build_unknown_object_error(call.method, key, ERROR_TYPE)


ERRORS = ErrorTable(
    rate_limited=declare_limit_error(4, "Application request limit reached"),
    user_rate_limited=declare_limit_error(17, "User request limit reached"),
    custom_rate_limited=declare_limit_error(613, "Calls to this api have exceeded the rate limit."),
    **build_token_errors("password_changed"),
    permission_missing=declare_error(_NO_PERMISSION_MESSAGE, 10, kind=ERROR_TYPE, status=403),
    not_found=declare_unknown_object(ERROR_TYPE),
    invalid=_declare_threads_error("Invalid parameter", 100),
    temporarily_unavailable=_declare_threads_error(
        "An unexpected error has occurred. Please retry your request later.", 2, status=500, transient=True
    ),
    unknown=_declare_threads_error("An unknown error has occurred.", 1, status=500),
    **declare_publishing_limits(_declare_threads_error, 4),
    restricted=_declare_threads_error(
        "The user is restricted", 10, subcode=4279013, title="User is restricted", status=403
    ),
    container_not_found=_declare_threads_error(
        "The requested resource does not exist",
        24,
        subcode=4279009,
        title="Media Not Found",
        advice="The media with id 0 cannot be found.",
    ),
    media_fetch_failed=_declare_threads_error(
        "Invalid parameter",
        100,
        title="Media download has failed.",
        advice="The media could not be fetched from this URI.",
    ),
)
build_refusal = ERRORS.build_refusal
