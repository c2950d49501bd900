from socialgate.areas.billing.checkouts import AlreadySubscribedError, CheckoutInProgressError
from socialgate.areas.billing.plans import PlanCatalog
from socialgate.areas.billing.schemas import CheckoutPage, NewCheckout, PlanForSale, PortalPage
from socialgate.areas.billing.service import (
    BillingNotConfiguredError,
    BillingService,
    NotSubscribedError,
    PlanAssignedError,
)
from socialgate.contracts.failures import (
    PlatformNotFoundError,
    PlatformRateLimitError,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.route import RouteAccess, RouteTag, route
from socialgate.web.schemas import Page

TAG = RouteTag("Billing", "Buying a plan and managing the subscription, through Stripe.")
_PROVIDER_ERRORS = (
    BillingNotConfiguredError,
    PlatformNotFoundError,
    PlatformRateLimitError,
    PlatformRejectedError,
    PlatformUnavailableError,
)


@route("GET", "/billing/plans", sdk="billing.plans", tag=TAG)
async def list_plans(work: UnitOfWork, plan_catalog: PlanCatalog) -> Page[PlanForSale]:
    """List the plans, what each of them allows, and what it costs.

    A plan without `prices` cannot be bought here. The list is complete: `nextCursor` is always null.
    """
    return await plan_catalog.list(work)


@route(
    "POST",
    "/billing/checkout",
    sdk="billing.checkout",
    tag=TAG,
    access=RouteAccess.SESSION,
    raises=(AlreadySubscribedError, CheckoutInProgressError, PlanAssignedError, *_PROVIDER_ERRORS),
)
async def start_checkout(data: NewCheckout, work: UnitOfWork, billing: BillingService) -> CheckoutPage:
    """Create a checkout page for a plan.

    An owner has one open page. Requests for the same plan and interval get the same page for an hour; any other request
    closes it and creates a new one. Of several requests at the same moment one creates the page; those for another plan
    or interval fail with `checkout_in_progress`. The plan changes when the payment provider reports the payment,
    usually within seconds. `GET /usage` shows it.
    """
    return await billing.start_checkout(work, data)


@route(
    "POST",
    "/billing/portal",
    sdk="billing.portal",
    tag=TAG,
    access=RouteAccess.SESSION,
    raises=(NotSubscribedError, *_PROVIDER_ERRORS),
)
async def open_portal(work: UnitOfWork, billing: BillingService) -> PortalPage:
    """Create a link to the customer portal, where the subscription can be changed or cancelled and invoices viewed."""
    return await billing.open_portal(work)


routes = [list_plans, start_checkout, open_portal]
