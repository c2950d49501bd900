"""Errors of the Graph API as callers see them."""

import json
from collections.abc import Mapping

from starlette.responses import Response

from socialgate.sandbox.dialects.graph.errors import bad_parameter, failure, unknown_object, unknown_path
from socialgate.sandbox.dialects.graph.tokens import dead_token, expired_token, unreadable_token
from socialgate.sandbox.kit import Call, ErrorMaker, Refused

_PAGES_READ = (
    "(#10) This endpoint requires the 'pages_read_engagement' permission or the 'Page Public Content Access' feature. "
    "Refer to https://developers.facebook.com/docs/apps/review/login-permissions#manage-pages and "
    "https://developers.facebook.com/docs/apps/review/feature#reference-PAGES_ACCESS for details."
)
_CLOSED = (
    "(#10) This message is sent outside of allowed window. Learn more about the new policy here: "
    "https://developers.facebook.com/docs/messenger-platform/policy-overview"
)


def missing_token(_call: Call) -> Response:
    return failure("An active access token must be used to query information about the current user.", 2500)


def missing_scope(message: str, code: int = 200) -> Refused:
    return Refused(failure(f"(#{code}) {message}", code, status=403))


def pages_read_missing() -> Refused:
    return Refused(failure(_PAGES_READ, 10, status=403))


def task_missing() -> Refused:
    return missing_scope(
        "User does not have sufficient administrative permission for this action on this page. If the page business "
        "requires Two Factor Authentication, the user also needs to enable Two Factor Authentication."
    )


def closed_window(*, on_instagram: bool) -> Response:
    if on_instagram:
        return failure(_CLOSED, 10, subcode=2534022, kind="IGApiException", status=403)
    return failure(_CLOSED, 10, subcode=2018278)


def unknown_recipient() -> Response:
    return failure("(#100) No matching user found", 100, subcode=2018001)


def _limited(code: int, message: str, *, subcode: int | None = None) -> ErrorMaker:
    usage = json.dumps({"call_count": 100, "total_cputime": 25, "total_time": 25})

    def make(_call: Call) -> Response:
        given = failure(f"(#{code}) {message}", code, subcode=subcode, transient=True, headers={"X-App-Usage": usage})
        given.status_code = 400
        return given

    return make


def _business_limited(_call: Call) -> Response:
    row = {"type": "pages", "call_count": 100, "total_cputime": 25, "total_time": 25}
    usage = json.dumps({"0": [{**row, "estimated_time_to_regain_access": 19}]})
    message = "(#80001) There have been too many calls to this Page account. Wait a bit and try again."
    return failure(message, 80001, subcode=2446079, headers={"X-Business-Use-Case-Usage": usage})


def _simple(message: str, code: int, **more: object) -> ErrorMaker:
    return lambda _call: failure(message, code, **more)  # type: ignore[arg-type]  # the named members of `failure`


def _expired_now(call: Call) -> Response:
    return expired_token(call, call.world.clock.now())


ERRORS: Mapping[str, ErrorMaker] = {
    "rate_limited": _limited(4, "Application request limit reached"),
    "user_rate_limited": _limited(17, "User request limit reached", subcode=2446079),
    "page_rate_limited": _limited(32, "Page request limit reached"),
    "business_rate_limited": _business_limited,
    "leads_rate_limited": _limited(80005, "There have been too many leadgen api calls to this Page account."),
    "catalog_rate_limited": _limited(80009, "There have been too many calls to this Catalog account."),
    "catalog_batch_rate_limited": _limited(80014, "There have been too many batch calls to this Catalog account."),
    "custom_rate_limited": _limited(613, "Calls to this api have exceeded the rate limit."),
    "posting_too_fast": _simple("(#1390008) You're posting too fast", 1390008, title="Slow down"),
    "token_revoked": lambda call: dead_token(call, "app_removed"),
    "token_expired": _expired_now,
    "token_invalid": unreadable_token,
    "password_changed": lambda call: dead_token(call, "password_changed"),
    "checkpoint": lambda call: dead_token(call, "checkpoint"),
    "logged_out": lambda call: dead_token(call, "logged_out"),
    "role_lost": lambda call: dead_token(call, "role_lost"),
    "permission_missing": _simple("(#200) Permissions error", 200, status=403),
    "permission_denied": _simple("(#10) Application does not have permission for this action", 10, status=403),
    "not_found": lambda call: unknown_object(call.method, "0").response,
    "invalid": lambda _call: bad_parameter("Invalid parameter"),
    "unknown": _simple("An unknown error occurred", 1, status=500),
    "temporarily_unavailable": _simple(
        "An unexpected error has occurred. Please retry your request later.", 2, status=500, transient=True
    ),
    "blocked": _simple(
        "(#368) The action attempted has been deemed abusive or is otherwise disallowed", 368, subcode=1390008
    ),
    "duplicate": _simple("(#506) Duplicate status message", 506, title="Duplicate Status Update"),
    "publish_quota": _simple(
        "Application request limit reached",
        9,
        subcode=2207042,
        title="Maximum Number of Posts reached",
        advice="You reached maximum number of posts that is allowed to be published by Content Publishing API.",
    ),
    "spam": _simple(
        "Application request limit reached",
        4,
        subcode=2207051,
        title="Action is blocked",
        advice="We restrict certain activity to protect our community. Tell us if you think we made a mistake.",
    ),
    "instagram_restricted": _simple("The user is not an Instagram Business", 25, subcode=2207050),
    "media_fetch_failed": _simple(
        "Only photo or video can be accepted as media type.",
        9004,
        subcode=2207052,
        title="Media download has failed. The media URI doesn't meet our requirements.",
        advice="The media could not be fetched from this URI.",
    ),
    "media_not_ready": _simple(
        "Media ID is not available",
        9007,
        subcode=2207027,
        title="The media is not ready to be published",
        advice="The media is not ready for publishing, please wait for a moment",
    ),
    "window_closed": lambda _call: closed_window(on_instagram=False),
    "instagram_window_closed": lambda _call: closed_window(on_instagram=True),
    "recipient_unknown": lambda _call: unknown_recipient(),
    "recipient_unavailable": _simple("(#551) This person isn't available right now.", 551, subcode=1545041),
    "messaging_restricted": _simple(
        "(#10) Your Page is temporarily restricted from sending messages.", 10, subcode=1893063, status=403
    ),
    "container_not_found": _simple(
        "The requested resource does not exist", 24, subcode=2207008, title="Media builder not found"
    ),
}


def not_found(call: Call) -> Response:
    return unknown_path(call.path.split("/", 2)[-1])


def invalid(_call: Call, why: str) -> Response:
    return bad_parameter(why)
