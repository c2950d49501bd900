"""What the endpoints of the simulated Stripe check, and what they do not."""

from socialgate_sandbox.kit import EndpointCoverage

COVERAGE = (
    EndpointCoverage(
        title="Checkout and portal pages",
        paths=("/checkout.stripe.com/*", "/billing.stripe.com/*"),
        checked="Whether the session exists and is open; the chosen test card.",
        not_checked="Card numbers, addresses and 3-D Secure.",
    ),
    EndpointCoverage(
        title="Events and webhooks",
        paths=("*/events*", "*/webhook_endpoints*"),
        checked=(
            "The key and version; the URL and the types of events; filters and pages of lists. Webhooks are signed."
        ),
        not_checked="The TLS certificate of the endpoint.",
    ),
    EndpointCoverage(
        title="Customers, products and prices",
        paths=("*/customers*", "*/products*", "*/prices*"),
        checked=(
            "The key and version; idempotency keys; unknown, missing and wrong parameters; metadata; references; "
            "`expand`; filters and pages of lists."
        ),
        not_checked=(
            "Tiered and metered prices, taxes, coupons and payment methods are not simulated: their parameters are "
            "refused as unknown."
        ),
    ),
    EndpointCoverage(
        title="Sessions",
        paths=("*/sessions*",),
        checked=(
            "The key and version; idempotency keys; unknown, missing and wrong parameters; mode, prices, URLs, trials; "
            "whether a session can still be changed."
        ),
        not_checked="Only the mode `subscription` is simulated.",
    ),
    EndpointCoverage(
        title="Subscriptions and invoices",
        paths=("*",),
        checked=(
            "The key and version; idempotency keys; unknown, missing and wrong parameters; items, cancellation, "
            "proration, trials; whether an invoice can be paid."
        ),
        not_checked="Taxes, coupons, payment methods and PDFs are not simulated.",
    ),
)
