"""OpenAI's errors: one envelope, with a type, a code and the name of the parameter that is wrong."""

from collections.abc import Mapping

from starlette.responses import Response

from socialgate_sandbox.kit import (
    Call,
    CallRefusedError,
    ErrorTable,
    build_error_declarer,
    build_json_response,
    build_require,
)
from socialgate_sandbox.vendors.openai.state import ORGANIZATION_ID

INVALID_REQUEST_TYPE = "invalid_request_error"
MAX_REQUESTS_PER_MINUTE = 5_000
_RETRY_AFTER_SECONDS = 1
_SAFETY_MESSAGE = (
    "Your request was rejected by the safety system. If you believe this is an error, contact us at help.openai.com."
)


def build_error_response(
    status: int,
    message: str,
    *,
    code: str | None = None,
    param: str | None = None,
    kind: str = INVALID_REQUEST_TYPE,
    headers: Mapping[str, str] | None = None,
) -> Response:
    return build_json_response(
        {"error": {"message": message, "type": kind, "param": param, "code": code}}, status, headers
    )


def build_invalid_param_response(message: str, param: str | None, code: str | None = None) -> Response:
    return build_error_response(400, message, param=param, code=code)


def build_unknown_path_response(call: Call) -> Response:
    return build_error_response(404, f"Invalid URL ({call.method} {call.path.removeprefix('/api.openai.com')})")


def build_unreadable_response(_call: Call, detail: str) -> Response:
    return build_error_response(400, f"We could not parse the JSON body of your request. {detail}")


def _build_wrong_key_response(call: Call) -> Response:
    if call.bearer_token is None:
        return build_error_response(
            401,
            "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer "
            "auth (i.e. Authorization: Bearer YOUR_KEY).",
        )
    shown = f"{call.bearer_token[:8]}{'*' * 12}{call.bearer_token[-4:]}"
    where = "You can find your API key at https://platform.openai.com/account/api-keys."
    return build_error_response(401, f"Incorrect API key provided: {shown}. {where}", code="invalid_api_key")


def _build_rate_limited_response(_call: Call) -> Response:
    return build_error_response(
        429,
        f"Rate limit reached in organization {ORGANIZATION_ID} on requests per min (RPM): Limit "
        f"{MAX_REQUESTS_PER_MINUTE}, "
        f"Used {MAX_REQUESTS_PER_MINUTE}, Requested 1. Please try again in {_RETRY_AFTER_SECONDS}s. "
        "Visit https://platform.openai.com/account/rate-limits to learn more.",
        kind="requests",
        code="rate_limit_exceeded",
        headers={
            "retry-after": f"{_RETRY_AFTER_SECONDS}",
            "retry-after-ms": f"{_RETRY_AFTER_SECONDS * 1000}",
            "x-ratelimit-limit-requests": f"{MAX_REQUESTS_PER_MINUTE}",
            "x-ratelimit-remaining-requests": "0",
            "x-ratelimit-reset-requests": f"{_RETRY_AFTER_SECONDS}s",
        },
    )


declare_error = build_error_declarer(build_error_response)
ERRORS = ErrorTable(
    rate_limited=_build_rate_limited_response,
    insufficient_quota=declare_error(
        429,
        "You exceeded your current quota, please check your plan and billing details. For more information on this "
        "error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
        kind="insufficient_quota",
        code="insufficient_quota",
    ),
    invalid_api_key=_build_wrong_key_response,
    content_policy_violation=declare_error(400, _SAFETY_MESSAGE, code="content_policy_violation"),
    moderation_blocked=declare_error(
        400, _SAFETY_MESSAGE, code="moderation_blocked", kind="image_generation_user_error"
    ),
    model_not_found=declare_error(
        404, "The model does not exist or you do not have access to it.", param="model", code="model_not_found"
    ),
    country_not_supported=declare_error(
        403, "Country, region, or territory not supported", code="unsupported_country_region_territory"
    ),
    server_error=declare_error(
        500, "The server had an error while processing your request. Sorry about that!", kind="server_error"
    ),
    overloaded=declare_error(
        503,
        "The engine is currently overloaded, please try again later.",
        kind="service_unavailable_error",
        headers={"retry-after": f"{_RETRY_AFTER_SECONDS}"},
    ),
)
build_refusal = ERRORS.build_refusal
require = build_require(build_invalid_param_response)


def build_unknown_model_error(name: str) -> CallRefusedError:
    return CallRefusedError(
        build_error_response(
            404, f"The model `{name}` does not exist or you do not have access to it.", code="model_not_found"
        )
    )
