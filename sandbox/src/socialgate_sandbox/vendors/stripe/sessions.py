"""Checkout sessions and sessions of the customer portal."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from socialgate_sandbox.kit.urls import parse_web_url
from socialgate_sandbox.vendors.stripe.billing import DAY_SECONDS, expire_session
from socialgate_sandbox.vendors.stripe.billing_state import PortalSession, Session
from socialgate_sandbox.vendors.stripe.customers import require_customer
from socialgate_sandbox.vendors.stripe.endpoints import (
    ApiRequest,
    ListParams,
    Metadata,
    Params,
    Quantity,
    build_endpoint,
    build_list_endpoint,
    build_retrieve_endpoint,
    merge_metadata,
)
from socialgate_sandbox.vendors.stripe.errors import build_invalid_error
from socialgate_sandbox.vendors.stripe.operations import generate_id
from socialgate_sandbox.vendors.stripe.state import Price, SoldItem, compute_amount

CHECKOUT_PATH, PORTAL_PATH = "/checkout.stripe.com/c/pay", "/billing.stripe.com/p/session"
PORTAL_CONFIGURATION_ID = "bpc_sandboxDefault"
_MIN_SESSION_SECONDS = 1800


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


class SessionListParams(ListParams, kw_only=True):
    customer: str | None = None
    status: str | None = None
    subscription: str | None = None


class PortalParams(Params, kw_only=True):
    customer: str
    configuration: str = PORTAL_CONFIGURATION_ID
    locale: str | None = None
    return_url: str | None = None


def create_session(request: ApiRequest, params: SessionParams) -> Session:
    if params.mode != "subscription":
        raise build_invalid_error(f"The sandbox simulates the mode `subscription` only, not `{params.mode}`.", "mode")
    prices = _require_prices(request, params.line_items)
    _validate_url("success_url", params.success_url)
    _validate_url("cancel_url", params.cancel_url)
    if params.customer and params.customer_email:
        raise build_invalid_error("You may only specify one of these parameters: customer, customer_email.", "customer")
    customer = require_customer(request, params.customer, "customer") if params.customer else None
    until = request.now + DAY_SECONDS if params.expires_at is None else params.expires_at
    if not _MIN_SESSION_SECONDS <= until - request.now <= DAY_SECONDS:
        raise build_invalid_error(
            "The `expires_at` timestamp must be between 30 minutes and 24 hours from now.", "expires_at"
        )
    key, data = generate_id("cs_test", 58), params.subscription_data
    items = [
        SoldItem(id=generate_id("li", 24), price=line_item.price, quantity=line_item.quantity, created=request.now)
        for line_item in params.line_items
    ]
    total = sum(compute_amount(request.store, item) for item in items)
    session = Session(
        id=key,
        created=request.now,
        metadata=merge_metadata({}, params.metadata),
        allow_promotion_codes=params.allow_promotion_codes,
        amount_subtotal=0 if data.trial_period_days else total,
        amount_total=0 if data.trial_period_days else total,
        billing_address_collection=params.billing_address_collection,
        cancel_url=params.cancel_url,
        client_reference_id=params.client_reference_id,
        currency=prices[0].currency,
        customer=None if customer is None else customer.id,
        customer_email=params.customer_email,
        expires_at=until,
        locale=params.locale,
        payment_method_collection=params.payment_method_collection,
        success_url=params.success_url,
        items=items,
        trial_days=data.trial_period_days or 0,
        description=data.description,
        subscription_metadata=merge_metadata({}, data.metadata),
        page=f"{request.world.url}{CHECKOUT_PATH}/{key}",
    )
    return request.store_resource(session)


def expire_checkout_session(request: ApiRequest, _params: Params) -> Session:
    session = request.require_path_object(Session)
    if session.status != "open":
        message = (
            'Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of '
        )
        raise build_invalid_error(f"{message}`{session.status}`.")
    return expire_session(request, session)


def create_portal_session(request: ApiRequest, params: PortalParams) -> PortalSession:
    customer = require_customer(request, params.customer, "customer")
    _validate_url("return_url", params.return_url)
    if params.configuration != PORTAL_CONFIGURATION_ID:
        raise build_invalid_error(
            f"No such configuration: '{params.configuration}'", "configuration", "resource_missing"
        )
    secret = generate_id("test", 60)
    portal_session = PortalSession(
        id=generate_id("bps"),
        created=request.now,
        configuration=params.configuration,
        customer=customer.id,
        locale=params.locale,
        return_url=params.return_url,
        url=f"{request.world.url}{PORTAL_PATH}/{secret}",
        secret=secret,
    )
    return request.store_resource(portal_session)


def list_line_items(request: ApiRequest, _params: ListParams) -> dict[str, Any]:
    return request.require_path_object(Session).build_line_items(request.store)


def _require_prices(request: ApiRequest, line_items: list[LineItem]) -> list[Price]:
    if not line_items:
        raise build_invalid_error("Missing required param: line_items.", "line_items", "parameter_missing")
    prices = [
        request.require_object(Price, line_item.price, f"line_items[{place}][price]")
        for place, line_item in enumerate(line_items)
    ]
    validate_prices(prices)
    return prices


def validate_prices(prices: list[Price], param: str = "line_items") -> None:
    """Check that prices can be sold together."""
    for place, price in enumerate(prices):
        if not price.active:
            raise build_invalid_error("The price is inactive. Only active prices can be used.", f"{param}[{place}]")
        if price.recurring is None:
            raise build_invalid_error(
                "You must provide at least one recurring price in `subscription` mode.", f"{param}[{place}]"
            )
    kinds = {
        (price.currency, price.recurring and (price.recurring.interval, price.recurring.interval_count))
        for price in prices
    }
    if len(kinds) > 1:
        raise build_invalid_error("All prices must have the same currency and billing interval.", param)


def _validate_url(param: str, url: str | None) -> None:
    if url is not None and parse_web_url(url) is None:
        raise build_invalid_error("Not a valid URL", param, "url_invalid")


ROUTES = [
    build_endpoint("POST", "checkout/sessions", SessionParams, create_session),
    build_list_endpoint("checkout/sessions", Session, SessionListParams),
    build_retrieve_endpoint("checkout/sessions", Session),
    build_endpoint("POST", "checkout/sessions/{id}/expire", Params, expire_checkout_session),
    build_endpoint("GET", "checkout/sessions/{id}/line_items", ListParams, list_line_items),
    build_endpoint("POST", "billing_portal/sessions", PortalParams, create_portal_session),
]
