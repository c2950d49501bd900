"""Errors of the Threads API as callers see them."""

import json
from collections.abc import Mapping

from starlette.responses import Response

from socialgate.sandbox.dialects.graph.errors import failure, unknown_object, unknown_path
from socialgate.sandbox.dialects.graph.tokens import dead_token, expired_token, unreadable_token
from socialgate.sandbox.kit import Call, ErrorMaker, Refused, reply

KIND = "THApiException"


def flat(message: str) -> Response:
    """Build an error of the token endpoint, the only one without an envelope."""
    return reply({"error_type": "OAuthException", "code": 400, "error_message": message}, 400)


def bad_parameter(message: str) -> Response:
    return failure(message, 100, kind=KIND, transient=False)


def missing_scope(_scope: str = "") -> Refused:
    return Refused(failure("Application does not have permission for this action", 10, kind=KIND, status=403))


def missing_token(_call: Call) -> Response:
    return failure("An access token is required to request this resource.", 104)


def unknown(call: Call, key: str) -> Refused:
    return unknown_object(call.method, key, KIND)


def _limited(code: int, message: str) -> ErrorMaker:
    usage = json.dumps({"call_count": 100, "total_cputime": 25, "total_time": 25})
    return lambda _call: failure(f"(#{code}) {message}", code, transient=True, headers={"X-App-Usage": usage})


def _simple(message: str, code: int, **more: object) -> ErrorMaker:
    return lambda _call: failure(message, code, **{"kind": KIND, **more})  # type: ignore[arg-type]  # its named members


ERRORS: Mapping[str, ErrorMaker] = {
    "rate_limited": _limited(4, "Application request limit reached"),
    "user_rate_limited": _limited(17, "User request limit reached"),
    "custom_rate_limited": _limited(613, "Calls to this api have exceeded the rate limit."),
    "token_revoked": lambda call: dead_token(call, "app_removed"),
    "token_expired": lambda call: expired_token(call, call.world.clock.now()),
    "token_invalid": unreadable_token,
    "password_changed": lambda call: dead_token(call, "password_changed"),
    "permission_missing": _simple("Application does not have permission for this action", 10, status=403),
    "not_found": lambda call: unknown(call, "0").response,
    "invalid": lambda _call: bad_parameter("Invalid parameter"),
    "temporarily_unavailable": _simple(
        "An unexpected error has occurred. Please retry your request later.", 2, status=500, transient=True
    ),
    "unknown": _simple("An unknown error has occurred.", 1, status=500, transient=False),
    "publish_quota": _simple(
        "Application request limit reached",
        4,
        subcode=2207042,
        transient=False,
        title="Maximum Number of Posts reached",
        advice="You reached maximum number of posts that is allowed to be published by Content Publishing API.",
    ),
    "restricted": _simple(
        "The user is restricted", 10, subcode=4279013, transient=False, title="User is restricted", status=403
    ),
    "spam": _simple(
        "Application request limit reached",
        4,
        subcode=2207051,
        transient=False,
        title="Action is blocked",
        advice="We restrict certain activity to protect our community. Tell us if you think we made a mistake.",
    ),
    "container_not_found": _simple(
        "The requested resource does not exist",
        24,
        subcode=4279009,
        transient=False,
        title="Media Not Found",
        advice="The media with id 0 cannot be found.",
    ),
    "media_fetch_failed": _simple(
        "Invalid parameter",
        100,
        transient=False,
        title="Media download has failed.",
        advice="The media could not be fetched from this URI.",
    ),
}


def not_found(call: Call) -> Response:
    return unknown_path(call.path.split("/", 2)[-1])


def invalid(_call: Call, why: str) -> Response:
    return bad_parameter(why)
