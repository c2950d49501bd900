"""Subscriptions and their invoices."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType
from starlette.responses import Response

from socialgate_sandbox.vendors.stripe.api import (
    Listing,
    Metadata,
    Moment,
    Params,
    Quantity,
    Request,
    endpoint,
    listing,
    merged,
    retrieving,
)
from socialgate_sandbox.vendors.stripe.billing import UPDATED, change, collect, end, pay, schedule_end
from socialgate_sandbox.vendors.stripe.billing_state import Invoice, Subscription
from socialgate_sandbox.vendors.stripe.errors import ERRORS, invalid, missing
from socialgate_sandbox.vendors.stripe.happening import Happening, new_id
from socialgate_sandbox.vendors.stripe.sessions import check_prices
from socialgate_sandbox.vendors.stripe.state import Item, Price, Resource

Prorate = Literal["create_prorations", "always_invoice", "none"]


class ItemParams(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    id: str | None = None
    price: str | None = None
    quantity: Quantity | None = None
    deleted: bool = False


class Details(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    comment: str | None = None
    feedback: str | None = None


class SubscriptionParams(Params, kw_only=True):
    cancel_at: Moment | Literal["min_period_end", "max_period_end"] | UnsetType | None = UNSET
    cancel_at_period_end: bool | None = None
    cancellation_details: Details | None = None
    description: str | UnsetType | None = UNSET
    items: list[ItemParams] = []
    metadata: Metadata | UnsetType | None = UNSET
    payment_behavior: Literal["allow_incomplete"] = "allow_incomplete"
    proration_behavior: Prorate = "create_prorations"


class CancelParams(Params, kw_only=True):
    cancellation_details: Details | None = None
    invoice_now: bool = False
    prorate: bool = False


class SubscriptionList(Listing, kw_only=True):
    customer: str | None = None
    price: str | None = None
    status: str | None = None

    def fits(self, one: Resource) -> bool:
        assert isinstance(one, Subscription)
        stays = one.status != "canceled" if self.status is None else self.status in {"all", one.status}
        ended = self.status == "ended" and one.status == "canceled"
        sells = self.price is None or any(item.price == self.price for item in one.items)
        return (stays or ended) and sells and self.customer in {None, one.customer}


class InvoiceList(Listing, kw_only=True):
    customer: str | None = None
    status: str | None = None
    subscription: str | None = None


def update(request: Request, given: SubscriptionParams) -> Subscription:
    one = request.own(Subscription)
    if one.status == "canceled" and (given.items or given.cancel_at is not UNSET or given.cancel_at_period_end):
        raise invalid("A canceled subscription can only update its cancellation_details and metadata.")
    invoice = None
    with request.changing(one, UPDATED):
        one.metadata = merged(one.metadata, given.metadata)
        if given.description is not UNSET:
            one.description = given.description
        if given.items:
            invoice = change(request, one, _changed(request, one, given.items), given.proration_behavior)
        _end_later(request, one, given)
    return after(request, one, invoice)


def after(happening: Happening, one: Subscription, invoice: Invoice | None) -> Subscription:
    """Collect what a change costs, and return the subscription as it is then."""
    if invoice is not None:
        happening.emit("invoice.created", invoice)
        collect(happening, invoice)
    return happening.store.get(Subscription, one.id) or one


def cancel(request: Request, given: CancelParams) -> Subscription:
    one = request.own(Subscription)
    if one.status == "canceled":
        raise missing("subscription", one.id, "id", 404)
    _note(one, given.cancellation_details)
    return end(request, one)


def pay_invoice(request: Request, _given: Params) -> Invoice | Response:
    invoice = request.own(Invoice)
    if invoice.status == "paid":
        raise invalid("Invoice is already paid", None, "invoice_already_paid")
    if invoice.status == "draft":
        raise invalid("You can only pay an open invoice.", None, "invoice_not_editable")
    # A response, and not a refusal: the failed attempt counts.
    return invoice if pay(request, invoice) else ERRORS["card_declined"](request.call)


def _changed(request: Request, one: Subscription, given: list[ItemParams]) -> list[Item]:
    """Apply the changes to what is sold. A price without the id of an item is added."""
    items = {item.id: msgspec.structs.replace(item) for item in one.items}
    for place, wanted in enumerate(given):
        if wanted.id is not None and wanted.id not in items:
            raise missing("subscription_item", wanted.id, f"items[{place}][id]")
        if wanted.id is not None and wanted.deleted:
            del items[wanted.id]
            continue
        if wanted.id is None and wanted.price is None:
            raise invalid(f"Missing required param: items[{place}][price].", f"items[{place}][price]")
        key = wanted.id or new_id("si", 14)
        item = items.setdefault(key, Item(id=key, price=wanted.price or "", created=request.now))
        if wanted.price is not None:
            item.price = request.find(Price, wanted.price, f"items[{place}][price]").id
        item.quantity = wanted.quantity or item.quantity
    if not items:
        raise invalid("A subscription must have at least one active plan.", "items")
    check_prices(request.store.get_all(Price, (item.price for item in items.values())), "items")
    return list(items.values())


def _end_later(request: Request, one: Subscription, given: SubscriptionParams) -> None:
    if given.cancel_at is not UNSET:
        if given.cancel_at_period_end is not None:
            raise invalid("You may only specify one of these parameters: cancel_at, cancel_at_period_end.", "cancel_at")
        at = one.period_end if isinstance(given.cancel_at, str) else given.cancel_at
        if at is not None and at <= request.now:
            raise invalid("`cancel_at` must be in the future.", "cancel_at")
        schedule_end(request, one, at)
    elif given.cancel_at_period_end is not None:
        schedule_end(request, one, one.period_end if given.cancel_at_period_end else None)
        one.cancel_at_period_end = given.cancel_at_period_end
    _note(one, given.cancellation_details)


def _note(one: Subscription, given: Details | None) -> None:
    if given is not None:
        one.why = one.why | {"comment": given.comment, "feedback": given.feedback}


ROUTES = [
    listing("subscriptions", Subscription, SubscriptionList),
    retrieving("subscriptions", Subscription),
    endpoint("POST", "subscriptions/{id}", SubscriptionParams, update),
    endpoint("DELETE", "subscriptions/{id}", CancelParams, cancel),
    listing("invoices", Invoice, InvoiceList),
    retrieving("invoices", Invoice),
    endpoint("POST", "invoices/{id}/pay", Params, pay_invoice),
]
