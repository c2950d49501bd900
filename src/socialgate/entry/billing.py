"""How this deployment sells plans: through its Stripe account, through a simulated one, or not at all."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cache

from socialgate.connectors.wire import App, Wire
from socialgate.contracts.billing import Interval, Payments, Plans, Price, Shop
from socialgate.contracts.inbound import Inbound, ServiceInbounds
from socialgate.contracts.platforms import Service
from socialgate.core.clock import Clock
from socialgate.core.settings import Settings, SettingsError, variable_of
from socialgate.entry.plans import load_plans, read_prices
from socialgate.entry.platforms import Simulated

_NEEDED = ("stripe_secret_key", "stripe_webhook_secret", "stripe_prices")
_INTERVALS: tuple[Interval, ...] = ("month", "year")


def open_shop(
    settings: Settings,
    plans: Plans,
    clock: Clock,
    simulated: Simulated | None,
    wire: Callable[[Service, str | None], Wire],
) -> tuple[Shop, ServiceInbounds]:
    """Return how plans are paid for, and how the reports about it are verified."""
    prices: Mapping[Price, str] = read_prices(settings, plans)
    missing = [variable_of(name) for name in _NEEDED if not getattr(settings, name)]
    base = settings.stripe_url
    app = App(secret=settings.stripe_secret_key or "", verify_token=settings.stripe_webhook_secret or "")
    if simulated is not None and not settings.stripe_secret_key:
        known = simulated.keys.stripe
        app, missing = App(secret=known.secret_key, verify_token=known.webhook_secret), []
        base = base or f"{simulated.url}/{Service.STRIPE}"
        prices = prices or _simulated_prices(plans, known.prices)
    secrets = [secret.strip() for secret in app.verify_token.split(",") if secret.strip()]

    @cache
    def payments() -> Payments:
        from socialgate.connectors.stripe.payments import StripePayments  # noqa: PLC0415 - no start should wait for it

        return StripePayments(app, wire(Service.STRIPE, base))

    @cache
    def inbound() -> Inbound:
        from socialgate.connectors.stripe.inbound import StripeInbound  # noqa: PLC0415 - as above

        return StripeInbound(secrets, clock)

    shop = Shop(
        payments=payments if app.secret else None,
        prices=prices,
        return_url=settings.billing_return_url or f"{settings.public_url}/console",
        grace=timedelta(days=settings.billing_grace_days),
        missing=missing,
    )
    return shop, ServiceInbounds({Service.STRIPE: inbound} if secrets else {})


def plans_in_words(settings: Settings) -> str:
    """Say in one line which plans there are, and whether they can be bought."""
    plans = load_plans(settings)
    prices = read_prices(settings, plans)
    known = f"{', '.join(plans.names)}; owners without a subscription have {plans.default}"
    missing = [variable_of(name) for name in _NEEDED if not getattr(settings, name)]
    if not missing:
        return f"{known}; for sale: {', '.join(sorted({price.plan for price in prices}))}"
    if settings.simulates_platforms and not settings.stripe_secret_key:
        return f"{known}; Stripe is simulated"
    if len(missing) == len(_NEEDED):
        return f"{known}; none is for sale"
    raise SettingsError(
        f"Plans cannot be sold without {', '.join(missing)}. Set what is missing, or unset the other Stripe settings."
    )


def _simulated_prices(plans: Plans, known: Mapping[str, str]) -> dict[Price, str]:
    """Choose the prices that the sandbox has for the plans of this deployment."""
    wanted = [Price(plan, interval) for plan in plans.names for interval in _INTERVALS]
    found = {one: known.get(f"{one.plan}_{one.interval}") for one in wanted}
    return {one: price_id for one, price_id in found.items() if price_id is not None}
