"""OpenAI's errors: one envelope, with a type, a code and the name of the parameter that is wrong."""

from collections.abc import Mapping

from starlette.responses import Response

from socialgate_sandbox.kit import Call, ErrorTable, Refused, fixed, reply, requiring
from socialgate_sandbox.vendors.openai.state import ORGANIZATION

INVALID = "invalid_request_error"
PER_MINUTE = 5_000
_RETRY_AFTER = 1
_SAFETY = (
    "Your request was rejected by the safety system. If you believe this is an error, contact us at help.openai.com."
)


def failed(
    status: int,
    message: str,
    *,
    code: str | None = None,
    param: str | None = None,
    kind: str = INVALID,
    headers: Mapping[str, str] | None = None,
) -> Response:
    return reply({"error": {"message": message, "type": kind, "param": param, "code": code}}, status, headers)


def wrong(message: str, param: str | None, code: str | None = None) -> Response:
    return failed(400, message, param=param, code=code)


def unknown_path(call: Call) -> Response:
    return failed(404, f"Invalid URL ({call.method} {call.path.removeprefix('/api.openai.com')})")


def unreadable(_call: Call, detail: str) -> Response:
    return failed(400, f"We could not parse the JSON body of your request. {detail}")


def _wrong_key(call: Call) -> Response:
    if call.bearer is None:
        return failed(
            401,
            "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer "
            "auth (i.e. Authorization: Bearer YOUR_KEY).",
        )
    shown = f"{call.bearer[:8]}{'*' * 12}{call.bearer[-4:]}"
    where = "You can find your API key at https://platform.openai.com/account/api-keys."
    return failed(401, f"Incorrect API key provided: {shown}. {where}", code="invalid_api_key")


def _rate_limited(_call: Call) -> Response:
    return failed(
        429,
        f"Rate limit reached in organization {ORGANIZATION} on requests per min (RPM): Limit {PER_MINUTE}, "
        f"Used {PER_MINUTE}, Requested 1. Please try again in {_RETRY_AFTER}s. "
        "Visit https://platform.openai.com/account/rate-limits to learn more.",
        kind="requests",
        code="rate_limit_exceeded",
        headers={
            "retry-after": f"{_RETRY_AFTER}",
            "retry-after-ms": f"{_RETRY_AFTER * 1000}",
            "x-ratelimit-limit-requests": f"{PER_MINUTE}",
            "x-ratelimit-remaining-requests": "0",
            "x-ratelimit-reset-requests": f"{_RETRY_AFTER}s",
        },
    )


row = fixed(failed)
ERRORS = ErrorTable(
    rate_limited=_rate_limited,
    insufficient_quota=row(
        429,
        "You exceeded your current quota, please check your plan and billing details. For more information on this "
        "error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
        kind="insufficient_quota",
        code="insufficient_quota",
    ),
    invalid_api_key=_wrong_key,
    content_policy_violation=row(400, _SAFETY, code="content_policy_violation"),
    moderation_blocked=row(400, _SAFETY, code="moderation_blocked", kind="image_generation_user_error"),
    model_not_found=row(
        404, "The model does not exist or you do not have access to it.", param="model", code="model_not_found"
    ),
    country_not_supported=row(
        403, "Country, region, or territory not supported", code="unsupported_country_region_territory"
    ),
    server_error=row(
        500, "The server had an error while processing your request. Sorry about that!", kind="server_error"
    ),
    overloaded=row(
        503,
        "The engine is currently overloaded, please try again later.",
        kind="service_unavailable_error",
        headers={"retry-after": f"{_RETRY_AFTER}"},
    ),
)
refusal = ERRORS.refusal
require = requiring(wrong)


def no_model(name: str) -> Refused:
    return Refused(
        failed(404, f"The model `{name}` does not exist or you do not have access to it.", code="model_not_found")
    )
