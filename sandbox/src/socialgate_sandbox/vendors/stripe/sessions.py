"""Checkout sessions and sessions of the customer portal."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from socialgate_sandbox.kit.addresses import parts_of
from socialgate_sandbox.vendors.stripe.api import (
    Listing,
    Metadata,
    Params,
    Quantity,
    Request,
    endpoint,
    listing,
    merged,
    retrieving,
)
from socialgate_sandbox.vendors.stripe.billing import DAY, expire
from socialgate_sandbox.vendors.stripe.billing_state import PortalSession, Session
from socialgate_sandbox.vendors.stripe.customers import existing
from socialgate_sandbox.vendors.stripe.errors import invalid
from socialgate_sandbox.vendors.stripe.happening import new_id
from socialgate_sandbox.vendors.stripe.state import Item, Price, amount_of

CHECKOUT, PORTAL = "/checkout.stripe.com/c/pay", "/billing.stripe.com/p/session"
CONFIGURATION = "bpc_sandboxDefault"
_SHORTEST = 1800


class LineItem(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    price: str
    quantity: Quantity = 1


class SubscriptionData(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    description: str | None = None
    metadata: Metadata | None = None
    trial_period_days: Annotated[int, Meta(ge=1, le=730)] | None = None


class SessionParams(Params, kw_only=True):
    mode: Literal["payment", "setup", "subscription"]
    line_items: list[LineItem] = []
    success_url: str
    cancel_url: str | None = None
    allow_promotion_codes: bool | None = None
    billing_address_collection: Literal["auto", "required"] | None = None
    client_reference_id: Annotated[str, Meta(max_length=200)] | None = None
    customer: str | None = None
    customer_email: str | None = None
    expires_at: int | None = None
    locale: str | None = None
    metadata: Metadata | None = None
    payment_method_collection: Literal["always", "if_required"] = "always"
    payment_method_types: list[Literal["card"]] = []
    subscription_data: SubscriptionData = SubscriptionData()
    ui_mode: Literal["hosted_page"] = "hosted_page"


class SessionList(Listing, kw_only=True):
    customer: str | None = None
    status: str | None = None
    subscription: str | None = None


class PortalParams(Params, kw_only=True):
    customer: str
    configuration: str = CONFIGURATION
    locale: str | None = None
    return_url: str | None = None


def create(request: Request, given: SessionParams) -> Session:
    if given.mode != "subscription":
        raise invalid(f"The sandbox simulates the mode `subscription` only, not `{given.mode}`.", "mode")
    prices = _prices(request, given.line_items)
    _check_address("success_url", given.success_url)
    _check_address("cancel_url", given.cancel_url)
    if given.customer and given.customer_email:
        raise invalid("You may only specify one of these parameters: customer, customer_email.", "customer")
    customer = existing(request, given.customer, "customer") if given.customer else None
    until = request.now + DAY if given.expires_at is None else given.expires_at
    if not _SHORTEST <= until - request.now <= DAY:
        raise invalid("The `expires_at` timestamp must be between 30 minutes and 24 hours from now.", "expires_at")
    key, data = new_id("cs_test", 58), given.subscription_data
    items = [
        Item(id=new_id("li", 24), price=one.price, quantity=one.quantity, created=request.now)
        for one in given.line_items
    ]
    total = sum(amount_of(request.store, item) for item in items)
    made = Session(
        id=key,
        created=request.now,
        metadata=merged({}, given.metadata),
        allow_promotion_codes=given.allow_promotion_codes,
        amount_subtotal=0 if data.trial_period_days else total,
        amount_total=0 if data.trial_period_days else total,
        billing_address_collection=given.billing_address_collection,
        cancel_url=given.cancel_url,
        client_reference_id=given.client_reference_id,
        currency=prices[0].currency,
        customer=None if customer is None else customer.id,
        customer_email=given.customer_email,
        expires_at=until,
        locale=given.locale,
        payment_method_collection=given.payment_method_collection,
        success_url=given.success_url,
        items=items,
        trial_days=data.trial_period_days or 0,
        description=data.description,
        subscription_metadata=merged({}, data.metadata),
        page=f"{request.world.url}{CHECKOUT}/{key}",
    )
    return request.put(made)


def end_session(request: Request, _given: Params) -> Session:
    one = request.own(Session)
    if one.status != "open":
        said = 'Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of '
        raise invalid(f"{said}`{one.status}`.")
    return expire(request, one)


def create_portal(request: Request, given: PortalParams) -> PortalSession:
    customer = existing(request, given.customer, "customer")
    _check_address("return_url", given.return_url)
    if given.configuration != CONFIGURATION:
        raise invalid(f"No such configuration: '{given.configuration}'", "configuration", "resource_missing")
    secret = new_id("test", 60)
    made = PortalSession(
        id=new_id("bps"),
        created=request.now,
        configuration=given.configuration,
        customer=customer.id,
        locale=given.locale,
        return_url=given.return_url,
        url=f"{request.world.url}{PORTAL}/{secret}",
        secret=secret,
    )
    return request.put(made)


def lines(request: Request, _given: Listing) -> dict[str, Any]:
    return request.own(Session).lines(request.store)


def _prices(request: Request, given: list[LineItem]) -> list[Price]:
    if not given:
        raise invalid("Missing required param: line_items.", "line_items", "parameter_missing")
    found = [request.find(Price, one.price, f"line_items[{place}][price]") for place, one in enumerate(given)]
    check_prices(found)
    return found


def check_prices(found: list[Price], param: str = "line_items") -> None:
    """Check that prices can be sold together."""
    for place, price in enumerate(found):
        if not price.active:
            raise invalid("The price is inactive. Only active prices can be used.", f"{param}[{place}]")
        if price.recurring is None:
            raise invalid("You must provide at least one recurring price in `subscription` mode.", f"{param}[{place}]")
    kinds = {(one.currency, one.recurring and (one.recurring.interval, one.recurring.interval_count)) for one in found}
    if len(kinds) > 1:
        raise invalid("All prices must have the same currency and billing interval.", param)


def _check_address(param: str, url: str | None) -> None:
    if url is not None and parts_of(url) is None:
        raise invalid("Not a valid URL", param, "url_invalid")


ROUTES = [
    endpoint("POST", "checkout/sessions", SessionParams, create),
    listing("checkout/sessions", Session, SessionList),
    retrieving("checkout/sessions", Session),
    endpoint("POST", "checkout/sessions/{id}/expire", Params, end_session),
    endpoint("GET", "checkout/sessions/{id}/line_items", Listing, lines),
    endpoint("POST", "billing_portal/sessions", PortalParams, create_portal),
]
