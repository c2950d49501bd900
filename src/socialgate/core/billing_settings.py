"""What a deployment configures about plans, and about selling them through Stripe."""

from pathlib import Path
from typing import Annotated

from msgspec import Meta

from socialgate.core.ai_settings import HttpUrl
from socialgate.core.platform_settings import PlatformSettings


class BillingSettings(PlatformSettings, frozen=True, kw_only=True):
    plans_file: Annotated[
        Path | None,
        Meta(
            description="TOML file with the plans of this deployment and their limits. Unset: `free`, `pro`, `scale` "
            "and `unlimited`."
        ),
    ] = None
    default_plan: Annotated[
        str, Meta(description="Plan of owners who have not bought one. It must be one of the plans in the file.")
    ] = "unlimited"
    stripe_secret_key: Annotated[
        str | None,
        Meta(
            description="Secret key of your Stripe account, such as `sk_live_…`, to sell plans. A restricted key needs "
            "write access to customers, Checkout sessions and the customer portal, and read access to subscriptions."
        ),
    ] = None
    stripe_webhook_secret: Annotated[
        str | None,
        Meta(
            description="Signing secret of the Stripe webhook endpoint `/webhooks/stripe`, such as `whsec_…`. While "
            "you roll it, set both, comma-separated."
        ),
    ] = None
    stripe_prices: Annotated[
        str,
        Meta(
            description="Stripe prices of the plans that are for sale, comma-separated: "
            "`pro/month=price_…,pro/year=price_…`."
        ),
    ] = ""
    stripe_url: Annotated[
        HttpUrl | None,
        Meta(description="URL that replaces all hosts of Stripe, for tests and proxies. Unset: Stripe itself."),
    ] = None
    billing_return_url: Annotated[
        HttpUrl | None,
        Meta(
            description="Page to which Stripe's checkout and customer portal return people. Unset: the console of this "
            "service."
        ),
    ] = None
    billing_grace_days: Annotated[
        int,
        Meta(
            ge=0,
            le=90,
            description="How many days a plan stays in effect after a failed payment, while Stripe retries it.",
        ),
    ] = 7
