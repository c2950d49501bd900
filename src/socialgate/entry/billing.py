"""How this deployment sells plans: through its Stripe account, through a simulated one, or not at all."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cache

from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.billing import BillingConfig, BillingInterval, PaymentProvider, PlanOffer, Plans
from socialgate.contracts.platforms import DeploymentVendor
from socialgate.contracts.webhooks import ServiceWebhookReceivers, WebhookReceiver
from socialgate.core.clock import Clock
from socialgate.core.settings import Settings, SettingsError, get_env_variable
from socialgate.entry.plan_config import load_plans, parse_prices
from socialgate.entry.platforms import SandboxConnection

_REQUIRED_SETTINGS = ("stripe_secret_key", "stripe_webhook_secret", "stripe_prices")
_BILLING_INTERVALS: tuple[BillingInterval, ...] = ("month", "year")


def build_billing_config(
    settings: Settings,
    plans: Plans,
    clock: Clock,
    simulated: SandboxConnection | None,
    wire: Callable[[DeploymentVendor, str | None], VendorTransport],
) -> tuple[BillingConfig, ServiceWebhookReceivers]:
    """Return how plans are paid for, and how the reports about it are verified."""
    prices: Mapping[PlanOffer, str] = parse_prices(settings, plans)
    missing = [get_env_variable(name) for name in _REQUIRED_SETTINGS if not getattr(settings, name)]
    base = settings.stripe_url
    app = PlatformApp(secret=settings.stripe_secret_key or "", verify_token=settings.stripe_webhook_secret or "")
    if simulated is not None and not settings.stripe_secret_key:
        known = simulated.keys.stripe
        app, missing = PlatformApp(secret=known.secret_key, verify_token=known.webhook_secret), []
        base = base or f"{simulated.url}/{DeploymentVendor.STRIPE}"
        prices = prices or _choose_sandbox_prices(plans, known.prices)
    secrets = [secret.strip() for secret in app.verify_token.split(",") if secret.strip()]

    @cache
    def payments() -> PaymentProvider:
        from socialgate.connectors.stripe.payments import StripePayments  # noqa: PLC0415 - no start should wait for it

        return StripePayments(app, wire(DeploymentVendor.STRIPE, base))

    @cache
    def inbound() -> WebhookReceiver:
        from socialgate.connectors.stripe.webhooks import StripeWebhookReceiver  # noqa: PLC0415 - as above

        return StripeWebhookReceiver(secrets, clock)

    shop = BillingConfig(
        payments=payments if app.secret else None,
        prices=prices,
        return_url=settings.billing_return_url or f"{settings.public_url}/console",
        grace=timedelta(days=settings.billing_grace_days),
        missing=missing,
    )
    return shop, ServiceWebhookReceivers({DeploymentVendor.STRIPE: inbound} if secrets else {})


def describe_plans(settings: Settings) -> str:
    """Say in one line which plans there are, and whether they can be bought."""
    plans = load_plans(settings)
    prices = parse_prices(settings, plans)
    known = f"{', '.join(plans.plan_names)}; owners without a subscription have {plans.default}"
    missing = [get_env_variable(name) for name in _REQUIRED_SETTINGS if not getattr(settings, name)]
    if not missing:
        return f"{known}; for sale: {', '.join(sorted({price.plan for price in prices}))}"
    if settings.simulates_platforms and not settings.stripe_secret_key:
        return f"{known}; Stripe is simulated"
    if len(missing) == len(_REQUIRED_SETTINGS):
        return f"{known}; none is for sale"
    raise SettingsError(
        f"Plans cannot be sold without {', '.join(missing)}. Set what is missing, or unset the other Stripe settings."
    )


def _choose_sandbox_prices(plans: Plans, known: Mapping[str, str]) -> dict[PlanOffer, str]:
    """Choose the prices that the sandbox has for the plans of this deployment."""
    prices = [PlanOffer(plan, interval) for plan in plans.plan_names for interval in _BILLING_INTERVALS]
    result = {price: known.get(f"{price.plan}_{price.interval}") for price in prices}
    return {price: price_id for price, price_id in result.items() if price_id is not None}
