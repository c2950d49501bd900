"""Errors of the Graph API as callers see them."""

import json

from starlette.responses import Response

from socialgate_sandbox.dialects.graph.errors import (
    FULL_USAGE,
    build_error_response,
    declare_error,
    declare_limit_error,
    declare_publishing_limits,
    declare_unknown_object,
)
from socialgate_sandbox.dialects.graph.tokens import build_token_errors
from socialgate_sandbox.kit import Call, CallRefusedError, ErrorBuilder, ErrorTable

_PAGES_READ_MESSAGE = (
    "(#10) This endpoint requires the 'pages_read_engagement' permission or the 'Page Public Content Access' feature. "
    "Refer to https://developers.facebook.com/docs/apps/review/login-permissions#manage-pages and "
    "https://developers.facebook.com/docs/apps/review/feature#reference-PAGES_ACCESS for details."
)
_WINDOW_CLOSED_MESSAGE = (
    "(#10) This message is sent outside of allowed window. Learn more about the new policy here: "
    "https://developers.facebook.com/docs/messenger-platform/policy-overview"
)
_PAGE_USAGE = {"0": [{"type": "pages", **FULL_USAGE, "estimated_time_to_regain_access": 19}]}


def _declare_ads_limit(code: int, usage_type: str, message: str, *, subcode: int) -> ErrorBuilder:
    """Declare an error about a limit of an ad account, whose wait is in minutes."""
    usage = {"0": [{"type": usage_type, **FULL_USAGE, "estimated_time_to_regain_access": 10}]}
    headers = {"X-Business-Use-Case-Usage": json.dumps(usage)}
    reported_message = f"(#{code}) There have been {message}. Wait a bit and try again."
    return declare_error(reported_message, code, subcode=subcode, transient=False, headers=headers)


def build_missing_token_response(_call: Call) -> Response:
    return build_error_response(
        "An active access token must be used to query information about the current user.", 2500
    )


def build_missing_scope_error(message: str, code: int = 200) -> CallRefusedError:
    return CallRefusedError(build_error_response(f"(#{code}) {message}", code, status=403))


def build_pages_read_error() -> CallRefusedError:
    return CallRefusedError(build_error_response(_PAGES_READ_MESSAGE, 10, status=403))


def build_task_error() -> CallRefusedError:
    return build_missing_scope_error(
        "User does not have sufficient administrative permission for this action on this page. If the page business "
        "requires Two Factor Authentication, the user also needs to enable Two Factor Authentication."
    )


ERRORS = ErrorTable(
    rate_limited=declare_limit_error(4, "Application request limit reached"),
    user_rate_limited=declare_limit_error(17, "User request limit reached", subcode=2446079),
    page_rate_limited=declare_limit_error(32, "Page request limit reached"),
    business_rate_limited=declare_error(
        "(#80001) There have been too many calls to this Page account. Wait a bit and try again.",
        80001,
        subcode=2446079,
        headers={"X-Business-Use-Case-Usage": json.dumps(_PAGE_USAGE)},
    ),
    leads_rate_limited=declare_limit_error(80005, "There have been too many leadgen api calls to this Page account."),
    catalog_rate_limited=declare_limit_error(80009, "There have been too many calls to this Catalog account."),
    catalog_batch_rate_limited=declare_limit_error(
        80014, "There have been too many batch calls to this Catalog account."
    ),
    ads_rate_limited=_declare_ads_limit(80004, "ads_management", "too many calls to this ad-account", subcode=2446079),
    insights_rate_limited=_declare_ads_limit(
        80000, "ads_insights", "too many calls from this ad-account", subcode=2446079
    ),
    audiences_rate_limited=_declare_ads_limit(
        80003, "custom_audience", "too many calls to this ad-account", subcode=2446079
    ),
    ads_permission_missing=declare_error(
        "(#294) Managing advertisements requires an access token with the extended permission ads_management",
        294,
        status=403,
    ),
    audience_terms=declare_error(
        "(#200) Permissions error",
        200,
        subcode=1870034,
        status=403,
        title="Custom Audience Terms Not Accepted",
        advice="You need to agree to the Custom Audience terms before you can create or edit an audience.",
    ),
    too_much_data=declare_error(
        "Please reduce the amount of data you're asking for, then retry your request", 1, status=500, transient=False
    ),
    custom_rate_limited=declare_limit_error(613, "Calls to this api have exceeded the rate limit."),
    posting_too_fast=declare_error("(#1390008) You're posting too fast", 1390008, title="Slow down"),
    **build_token_errors("password_changed", "checkpoint", "logged_out", "role_lost"),
    permission_missing=declare_error("(#200) Permissions error", 200, status=403),
    permission_denied=declare_error("(#10) Application does not have permission for this action", 10, status=403),
    not_found=declare_unknown_object(),
    invalid=declare_error("(#100) Invalid parameter", 100),
    unknown=declare_error("An unknown error occurred", 1, status=500),
    temporarily_unavailable=declare_error(
        "An unexpected error has occurred. Please retry your request later.", 2, status=500, transient=True
    ),
    blocked=declare_error(
        "(#368) The action attempted has been deemed abusive or is otherwise disallowed", 368, subcode=1390008
    ),
    duplicate=declare_error("(#506) Duplicate status message", 506, title="Duplicate Status Update"),
    **declare_publishing_limits(declare_error, 9),
    instagram_restricted=declare_error("The user is not an Instagram Business", 25, subcode=2207050),
    media_fetch_failed=declare_error(
        "Only photo or video can be accepted as media type.",
        9004,
        subcode=2207052,
        title="Media download has failed. The media URI doesn't meet our requirements.",
        advice="The media could not be fetched from this URI.",
    ),
    media_not_ready=declare_error(
        "Media ID is not available",
        9007,
        subcode=2207027,
        title="The media is not ready to be published",
        advice="The media is not ready for publishing, please wait for a moment",
    ),
    window_closed=declare_error(_WINDOW_CLOSED_MESSAGE, 10, subcode=2018278),
    instagram_window_closed=declare_error(
        _WINDOW_CLOSED_MESSAGE, 10, subcode=2534022, kind="IGApiException", status=403
    ),
    recipient_unknown=declare_error("(#100) No matching user found", 100, subcode=2018001),
    recipient_unavailable=declare_error("(#551) This person isn't available right now.", 551, subcode=1545041),
    messaging_restricted=declare_error(
        "(#10) Your Page is temporarily restricted from sending messages.", 10, subcode=1893063, status=403
    ),
    container_not_found=declare_error(
        "The requested resource does not exist", 24, subcode=2207008, title="Media builder not found"
    ),
)
build_refusal = ERRORS.build_refusal
