"""What Stripe's errors mean. Its codes are at https://docs.stripe.com/error-codes."""

import re

from socialgate.connectors.errors import ErrorTable, Rule, rows
from socialgate.contracts import failures
from socialgate.contracts.failures import PlatformRateLimited, Rejected, TemporarilyUnavailable
from socialgate.contracts.platforms import Service

_KEY = Rule(
    Rejected,
    "Stripe does not accept this deployment's key. The operator must check SOCIALGATE_STRIPE_SECRET_KEY.",
    "system_error",
)
_RIGHTS = Rule(
    Rejected,
    "The Stripe key of this deployment lacks a permission. The operator must give it write access to customers, "
    "Checkout sessions and the customer portal, and read access to subscriptions.",
    "system_error",
    quotes=True,
)
_MISSING = Rule(
    failures.PlatformNotFound,
    "Stripe does not have this. The operator must check that SOCIALGATE_STRIPE_PRICES and SOCIALGATE_STRIPE_SECRET_KEY "
    "belong to the same Stripe account and mode.",
    quotes=True,
)
_PORTAL = Rule(
    Rejected,
    "The customer portal is not set up. The operator must save its settings at "
    "https://dashboard.stripe.com/settings/billing/portal.",
    "system_error",
)
_BUSY = Rule(TemporarilyUnavailable, "Stripe is still processing the same request. Try again.", wait=1)

# Another request with the same key has not ended.
IN_PROGRESS = frozenset({"idempotency_key_in_use", "lock_timeout"})
# Our own code for a failure that Stripe returns again: it does so for every request with the same key.
REPLAYED = "replayed"

TABLE = ErrorTable(
    platform=Service.STRIPE,
    vendor="Stripe",
    rules=rows(
        ("resource_missing", _MISSING),
        ("idempotency_key_in_use lock_timeout", _BUSY),
        ("api_key_expired platform_api_key_expired secret_key_required testmode_charges_only", _KEY),
        ("rate_limit rate_limit_error", Rule(PlatformRateLimited, "Stripe has received too many calls.", pauses="app")),
    ),
    texts=((400, "no configuration provided", _PORTAL), (400, "default configuration has not been created", _PORTAL)),
    statuses={
        400: Rule(Rejected, "Stripe rejected the request", "system_error", quotes=True),
        401: _KEY,
        403: _RIGHTS,
        409: _BUSY,
    },
    harmless=IN_PROGRESS,
    limited=Rule(PlatformRateLimited, "Stripe has received too many calls.", wait=5, pauses="app"),
    # Stripe quotes keys with most of their characters replaced, but not always.
    tokens=re.compile(r"\b(?:sk|rk|pk|whsec)_[A-Za-z0-9_*]{6,}"),
)
