"""What the errors of OpenAI-compatible servers mean."""

import re

from socialgate.connectors.errors import DEFAULT_RETRY_SECONDS, ErrorRule, ErrorTable, build_rules
from socialgate.contracts.failures import (
    NotSupportedError,
    PlatformRateLimitError,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.contracts.generation import AiAccountRejected

_RATE_LIMIT_WAIT_SECONDS = 20
_API_KEY_DETAIL = "does not accept the API key of this deployment. The operator must check SOCIALGATE_AI_API_KEY."
_PERMISSION_DETAIL = "does not allow this with the API key of this deployment. The operator must check its permissions."
_NO_CREDIT_DETAIL = "has no credit left for this deployment. The operator must check the billing of the account there."
_COUNTRY_UNAVAILABLE_DETAIL = "is not available in the country of this deployment."
_CONTENT_POLICY_DETAIL = "refused this because of its content policy. Change the prompt or the files."
_PROMPT_TOO_LONG_DETAIL = "cannot read a prompt of this length. Shorten it, or use another model."
_MODEL_NOT_FOUND_DETAIL = (
    "does not have this model, or not for this kind of generation. GET /ai/models lists the models."
)


def build_error_table(vendor: str) -> ErrorTable:
    """Create the table for one server, with the name that people know it by."""
    account = {
        name: ErrorRule(AiAccountRejected, f"{vendor} {name}")
        for name in (_API_KEY_DETAIL, _PERMISSION_DETAIL, _NO_CREDIT_DETAIL, _COUNTRY_UNAVAILABLE_DETAIL)
    }
    limited = ErrorRule(
        PlatformRateLimitError,
        f"{vendor} has received too many calls for this model.",
        wait=_RATE_LIMIT_WAIT_SECONDS,
        pause_scope="account",
    )
    busy = ErrorRule(
        PlatformUnavailableError, f"{vendor} has a problem right now. Try again.", wait=DEFAULT_RETRY_SECONDS
    )
    policy = ErrorRule(
        PlatformRejectedError, f"{vendor} {_CONTENT_POLICY_DETAIL}", "user_content", appends_vendor_message=True
    )
    return ErrorTable(
        platform=vendor.lower(),
        vendor=vendor,
        rules=build_rules(
            ("invalid_api_key incorrect_api_key authentication_error account_deactivated", account[_API_KEY_DETAIL]),
            ("insufficient_quota billing_hard_limit_reached billing_not_active", account[_NO_CREDIT_DETAIL]),
            ("unsupported_country_region_territory", account[_COUNTRY_UNAVAILABLE_DETAIL]),
            ("insufficient_permissions permission_error", account[_PERMISSION_DETAIL]),
            ("content_policy_violation moderation_blocked content_filter safety_violations", policy),
            (
                "context_length_exceeded string_above_max_length",
                ErrorRule(PlatformRejectedError, f"{vendor} {_PROMPT_TOO_LONG_DETAIL}", "user_content"),
            ),
            ("model_not_found", ErrorRule(NotSupportedError, f"{vendor} {_MODEL_NOT_FOUND_DETAIL}")),
            ("rate_limit_exceeded requests tokens", limited),
            (
                "video_generation_failed generation_failed internal_error",
                ErrorRule(
                    PlatformRejectedError,
                    f"{vendor} could not make this",
                    "platform_error",
                    appends_vendor_message=True,
                ),
            ),
            ("server_error api_error overloaded_error service_unavailable", busy),
        ),
        # An account without credit answers 429 as well, and would be asked again for nothing.
        code_overrides_status=True,
        status_rules={
            401: account[_API_KEY_DETAIL],
            402: account[_NO_CREDIT_DETAIL],
            403: account[_PERMISSION_DETAIL],
            404: ErrorRule(NotSupportedError, f"{vendor} {_MODEL_NOT_FOUND_DETAIL}"),
            # OpenAI's libraries repeat calls that a lock held back.
            409: busy,
        },
        # The prompt goes to another model or is changed; the vendor says what it did not like.
        default_rule=ErrorRule(
            PlatformRejectedError, f"{vendor} rejected the request", "user_content", appends_vendor_message=True
        ),
        rate_limited=limited,
        vendor_unavailable=busy,
        secret_pattern=re.compile(r"\bsk-[\w*-]{3,}|\bBearer \S+"),
    )
