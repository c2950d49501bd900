from socialgate.areas.billing.checkouts import AlreadySubscribed, CheckoutInProgress
from socialgate.areas.billing.plans import PlanCatalog
from socialgate.areas.billing.schemas import CheckoutPage, NewCheckout, PlanForSale, PortalPage
from socialgate.areas.billing.service import Billing, BillingNotConfigured, NotSubscribed, PlanAssigned
from socialgate.contracts.failures import PlatformNotFound, PlatformRateLimited, Rejected, TemporarilyUnavailable
from socialgate.core.work import Work
from socialgate.web.route import Access, Tag, route
from socialgate.web.schema import Page

TAG = Tag("Billing", "Buying a plan and managing the subscription, through Stripe.")
_CALLS = (BillingNotConfigured, PlatformNotFound, PlatformRateLimited, Rejected, TemporarilyUnavailable)


@route("GET", "/billing/plans", tag=TAG)
async def list_plans(work: Work, plan_catalog: PlanCatalog) -> Page[PlanForSale]:
    """List the plans, what each of them allows, and what it costs.

    A plan without `prices` cannot be bought here. The list is complete: `nextCursor` is always null.
    """
    return await plan_catalog.list(work)


@route(
    "POST",
    "/billing/checkout",
    tag=TAG,
    access=Access.SESSION,
    raises=(AlreadySubscribed, CheckoutInProgress, PlanAssigned, *_CALLS),
)
async def start_checkout(data: NewCheckout, work: Work, billing: Billing) -> CheckoutPage:
    """Create a checkout page for a plan.

    An owner has one open page. Requests for the same plan and interval get the same page for an hour; any other request
    closes it and creates a new one. Of several requests at the same moment one creates the page; those for another plan
    or interval fail with `checkout_in_progress`. The plan changes when the payment provider reports the payment,
    usually within seconds. `GET /usage` shows it.
    """
    return await billing.checkout(work, data)


@route("POST", "/billing/portal", tag=TAG, access=Access.SESSION, raises=(NotSubscribed, *_CALLS))
async def open_portal(work: Work, billing: Billing) -> PortalPage:
    """Create a link to the customer portal, where the subscription can be changed or cancelled and invoices viewed."""
    return await billing.portal(work)


routes = [list_plans, start_checkout, open_portal]
