"""Errors of the Threads API as callers see them."""

from functools import partial

from starlette.responses import Response

from socialgate_sandbox.dialects.graph.errors import failure, limited, no_object, publishing_limits, row, unknown_object
from socialgate_sandbox.dialects.graph.tokens import token_errors
from socialgate_sandbox.kit import Call, ErrorTable, Refused, reply

KIND = "THApiException"
_NO_SCOPE = "Application does not have permission for this action"
_own = partial(row, kind=KIND, transient=False)


def flat(message: str) -> Response:
    """Build an error of the token endpoint, the only one without an envelope."""
    return reply({"error_type": "OAuthException", "code": 400, "error_message": message}, 400)


def bad_parameter(message: str) -> Response:
    return failure(message, 100, kind=KIND, transient=False)


def missing_scope(_scope: str = "") -> Refused:
    return refusal("permission_missing")


def missing_token(_call: Call) -> Response:
    return failure("An access token is required to request this resource.", 104)


def unknown(call: Call, key: str) -> Refused:
    return unknown_object(call.method, key, KIND)


ERRORS = ErrorTable(
    rate_limited=limited(4, "Application request limit reached"),
    user_rate_limited=limited(17, "User request limit reached"),
    custom_rate_limited=limited(613, "Calls to this api have exceeded the rate limit."),
    **token_errors("password_changed"),
    permission_missing=row(_NO_SCOPE, 10, kind=KIND, status=403),
    not_found=no_object(KIND),
    invalid=_own("Invalid parameter", 100),
    temporarily_unavailable=_own(
        "An unexpected error has occurred. Please retry your request later.", 2, status=500, transient=True
    ),
    unknown=_own("An unknown error has occurred.", 1, status=500),
    **publishing_limits(_own, 4),
    restricted=_own("The user is restricted", 10, subcode=4279013, title="User is restricted", status=403),
    container_not_found=_own(
        "The requested resource does not exist",
        24,
        subcode=4279009,
        title="Media Not Found",
        advice="The media with id 0 cannot be found.",
    ),
    media_fetch_failed=_own(
        "Invalid parameter",
        100,
        title="Media download has failed.",
        advice="The media could not be fetched from this URI.",
    ),
)
refusal = ERRORS.refusal
