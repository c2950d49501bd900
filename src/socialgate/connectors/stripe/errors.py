"""What Stripe's errors mean. Its codes are at https://docs.stripe.com/error-codes."""

import re

from socialgate.connectors.errors import ErrorRule, ErrorTable, build_rules
from socialgate.contracts import failures
from socialgate.contracts.failures import PlatformRateLimitError, PlatformRejectedError, PlatformUnavailableError
from socialgate.contracts.platforms import DeploymentVendor

_API_KEY_REJECTED_RULE = ErrorRule(
    PlatformRejectedError,
    "Stripe does not accept this deployment's key. The operator must check SOCIALGATE_STRIPE_SECRET_KEY.",
    "system_error",
)
_PERMISSION_RULE = ErrorRule(
    PlatformRejectedError,
    "The Stripe key of this deployment lacks a permission. The operator must give it write access to customers, "
    "Checkout sessions and the customer portal, and read access to subscriptions.",
    "system_error",
    appends_vendor_message=True,
)
_NOT_FOUND_RULE = ErrorRule(
    failures.PlatformNotFoundError,
    "Stripe does not have this. The operator must check that SOCIALGATE_STRIPE_PRICES and SOCIALGATE_STRIPE_SECRET_KEY "
    "belong to the same Stripe account and mode.",
    appends_vendor_message=True,
)
_PORTAL_NOT_CONFIGURED_RULE = ErrorRule(
    PlatformRejectedError,
    "The customer portal is not set up. The operator must save its settings at "
    "https://dashboard.stripe.com/settings/billing/portal.",
    "system_error",
)
_REQUEST_IN_PROGRESS_RULE = ErrorRule(
    PlatformUnavailableError, "Stripe is still processing the same request. Try again.", wait=1
)

# Another request with the same key has not ended.
IDEMPOTENCY_KEY_IN_USE_CODES = frozenset({"idempotency_key_in_use", "lock_timeout"})
# Our own code for a failure that Stripe returns again: it does so for every request with the same key.
REPLAYED_ERROR_CODE = "replayed"

ERROR_TABLE = ErrorTable(
    platform=DeploymentVendor.STRIPE,
    vendor="Stripe",
    rules=build_rules(
        ("resource_missing", _NOT_FOUND_RULE),
        ("idempotency_key_in_use lock_timeout", _REQUEST_IN_PROGRESS_RULE),
        ("api_key_expired platform_api_key_expired secret_key_required testmode_charges_only", _API_KEY_REJECTED_RULE),
        (
            "rate_limit rate_limit_error",
            ErrorRule(PlatformRateLimitError, "Stripe has received too many calls.", pause_scope="app"),
        ),
    ),
    message_rules=(
        (400, "no configuration provided", _PORTAL_NOT_CONFIGURED_RULE),
        (400, "default configuration has not been created", _PORTAL_NOT_CONFIGURED_RULE),
    ),
    status_rules={
        400: ErrorRule(
            PlatformRejectedError, "Stripe rejected the request", "system_error", appends_vendor_message=True
        ),
        401: _API_KEY_REJECTED_RULE,
        403: _PERMISSION_RULE,
        409: _REQUEST_IN_PROGRESS_RULE,
    },
    no_effect_codes=IDEMPOTENCY_KEY_IN_USE_CODES,
    rate_limited=ErrorRule(PlatformRateLimitError, "Stripe has received too many calls.", wait=5, pause_scope="app"),
    # Stripe quotes keys with most of their characters replaced, but not always.
    secret_pattern=re.compile(r"\b(?:sk|rk|pk|whsec)_[A-Za-z0-9_*]{6,}"),
)
