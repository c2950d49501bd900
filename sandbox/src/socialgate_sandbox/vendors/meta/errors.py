"""Errors of the Graph API as callers see them."""

import json

from starlette.responses import Response

from socialgate_sandbox.dialects.graph.errors import USED_UP, failure, limited, no_object, publishing_limits, row
from socialgate_sandbox.dialects.graph.tokens import token_errors
from socialgate_sandbox.kit import Call, ErrorMaker, ErrorTable, Refused

_PAGES_READ = (
    "(#10) This endpoint requires the 'pages_read_engagement' permission or the 'Page Public Content Access' feature. "
    "Refer to https://developers.facebook.com/docs/apps/review/login-permissions#manage-pages and "
    "https://developers.facebook.com/docs/apps/review/feature#reference-PAGES_ACCESS for details."
)
_CLOSED = (
    "(#10) This message is sent outside of allowed window. Learn more about the new policy here: "
    "https://developers.facebook.com/docs/messenger-platform/policy-overview"
)
_PAGE_USAGE = {"0": [{"type": "pages", **USED_UP, "estimated_time_to_regain_access": 19}]}


def _of_ads(code: int, kind: str, message: str, *, subcode: int) -> ErrorMaker:
    """Declare an error about a limit of an ad account, whose wait is in minutes."""
    usage = {"0": [{"type": kind, **USED_UP, "estimated_time_to_regain_access": 10}]}
    headers = {"X-Business-Use-Case-Usage": json.dumps(usage)}
    said = f"(#{code}) There have been {message}. Wait a bit and try again."
    return row(said, code, subcode=subcode, transient=False, headers=headers)


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


ERRORS = ErrorTable(
    rate_limited=limited(4, "Application request limit reached"),
    user_rate_limited=limited(17, "User request limit reached", subcode=2446079),
    page_rate_limited=limited(32, "Page request limit reached"),
    business_rate_limited=row(
        "(#80001) There have been too many calls to this Page account. Wait a bit and try again.",
        80001,
        subcode=2446079,
        headers={"X-Business-Use-Case-Usage": json.dumps(_PAGE_USAGE)},
    ),
    leads_rate_limited=limited(80005, "There have been too many leadgen api calls to this Page account."),
    catalog_rate_limited=limited(80009, "There have been too many calls to this Catalog account."),
    catalog_batch_rate_limited=limited(80014, "There have been too many batch calls to this Catalog account."),
    ads_rate_limited=_of_ads(80004, "ads_management", "too many calls to this ad-account", subcode=2446079),
    insights_rate_limited=_of_ads(80000, "ads_insights", "too many calls from this ad-account", subcode=2446079),
    audiences_rate_limited=_of_ads(80003, "custom_audience", "too many calls to this ad-account", subcode=2446079),
    ads_permission_missing=row(
        "(#294) Managing advertisements requires an access token with the extended permission ads_management",
        294,
        status=403,
    ),
    audience_terms=row(
        "(#200) Permissions error",
        200,
        subcode=1870034,
        status=403,
        title="Custom Audience Terms Not Accepted",
        advice="You need to agree to the Custom Audience terms before you can create or edit an audience.",
    ),
    too_much_data=row(
        "Please reduce the amount of data you're asking for, then retry your request", 1, status=500, transient=False
    ),
    custom_rate_limited=limited(613, "Calls to this api have exceeded the rate limit."),
    posting_too_fast=row("(#1390008) You're posting too fast", 1390008, title="Slow down"),
    **token_errors("password_changed", "checkpoint", "logged_out", "role_lost"),
    permission_missing=row("(#200) Permissions error", 200, status=403),
    permission_denied=row("(#10) Application does not have permission for this action", 10, status=403),
    not_found=no_object(),
    invalid=row("(#100) Invalid parameter", 100),
    unknown=row("An unknown error occurred", 1, status=500),
    temporarily_unavailable=row(
        "An unexpected error has occurred. Please retry your request later.", 2, status=500, transient=True
    ),
    blocked=row("(#368) The action attempted has been deemed abusive or is otherwise disallowed", 368, subcode=1390008),
    duplicate=row("(#506) Duplicate status message", 506, title="Duplicate Status Update"),
    **publishing_limits(row, 9),
    instagram_restricted=row("The user is not an Instagram Business", 25, subcode=2207050),
    media_fetch_failed=row(
        "Only photo or video can be accepted as media type.",
        9004,
        subcode=2207052,
        title="Media download has failed. The media URI doesn't meet our requirements.",
        advice="The media could not be fetched from this URI.",
    ),
    media_not_ready=row(
        "Media ID is not available",
        9007,
        subcode=2207027,
        title="The media is not ready to be published",
        advice="The media is not ready for publishing, please wait for a moment",
    ),
    window_closed=row(_CLOSED, 10, subcode=2018278),
    instagram_window_closed=row(_CLOSED, 10, subcode=2534022, kind="IGApiException", status=403),
    recipient_unknown=row("(#100) No matching user found", 100, subcode=2018001),
    recipient_unavailable=row("(#551) This person isn't available right now.", 551, subcode=1545041),
    messaging_restricted=row(
        "(#10) Your Page is temporarily restricted from sending messages.", 10, subcode=1893063, status=403
    ),
    container_not_found=row(
        "The requested resource does not exist", 24, subcode=2207008, title="Media builder not found"
    ),
)
refusal = ERRORS.refusal
