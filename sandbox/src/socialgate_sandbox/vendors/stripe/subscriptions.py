"""Subscriptions and their invoices."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType
from starlette.responses import Response

from socialgate_sandbox.vendors.stripe.billing import (
    SUBSCRIPTION_UPDATED_EVENT,
    change_items,
    collect_invoice,
    end_subscription,
    pay_invoice,
    schedule_end,
)
from socialgate_sandbox.vendors.stripe.billing_state import Invoice, Subscription
from socialgate_sandbox.vendors.stripe.endpoints import (
    ApiRequest,
    ListParams,
    Metadata,
    Params,
    Quantity,
    UnixTime,
    build_endpoint,
    build_list_endpoint,
    build_retrieve_endpoint,
    merge_metadata,
)
from socialgate_sandbox.vendors.stripe.errors import ERRORS, build_invalid_error, build_missing_error
from socialgate_sandbox.vendors.stripe.operations import Operation, generate_id
from socialgate_sandbox.vendors.stripe.sessions import validate_prices
from socialgate_sandbox.vendors.stripe.state import Price, Resource, SoldItem

ProrationBehavior = Literal["create_prorations", "always_invoice", "none"]


class ItemParams(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    id: str | None = None
    price: str | None = None
    quantity: Quantity | None = None
    deleted: bool = False


class CancellationDetails(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    comment: str | None = None
    feedback: str | None = None


class SubscriptionParams(Params, kw_only=True):
    cancel_at: UnixTime | Literal["min_period_end", "max_period_end"] | UnsetType | None = UNSET
    cancel_at_period_end: bool | None = None
    cancellation_details: CancellationDetails | None = None
    description: str | UnsetType | None = UNSET
    items: list[ItemParams] = []
    metadata: Metadata | UnsetType | None = UNSET
    payment_behavior: Literal["allow_incomplete"] = "allow_incomplete"
    proration_behavior: ProrationBehavior = "create_prorations"


class CancelParams(Params, kw_only=True):
    cancellation_details: CancellationDetails | None = None
    invoice_now: bool = False
    prorate: bool = False


class SubscriptionListParams(ListParams, kw_only=True):
    customer: str | None = None
    price: str | None = None
    status: str | None = None

    def matches_fields(self, resource: Resource) -> bool:
        assert isinstance(resource, Subscription)
        stays = resource.status != "canceled" if self.status is None else self.status in {"all", resource.status}
        ended = self.status == "ended" and resource.status == "canceled"
        sells = self.price is None or any(item.price == self.price for item in resource.items)
        return (stays or ended) and sells and self.customer in {None, resource.customer}


class InvoiceListParams(ListParams, kw_only=True):
    customer: str | None = None
    status: str | None = None
    subscription: str | None = None


def update_subscription(request: ApiRequest, params: SubscriptionParams) -> Subscription:
    subscription = request.require_path_object(Subscription)
    if subscription.status == "canceled" and (
        params.items or params.cancel_at is not UNSET or params.cancel_at_period_end
    ):
        raise build_invalid_error("A canceled subscription can only update its cancellation_details and metadata.")
    invoice = None
    with request.track_changes(subscription, SUBSCRIPTION_UPDATED_EVENT):
        subscription.metadata = merge_metadata(subscription.metadata, params.metadata)
        if params.description is not UNSET:
            subscription.description = params.description
        if params.items:
            invoice = change_items(
                request,
                subscription,
                _apply_item_changes(request, subscription, params.items),
                params.proration_behavior,
            )
        _apply_cancellation(request, subscription, params)
    return collect_change(request, subscription, invoice)


def collect_change(operation: Operation, subscription: Subscription, invoice: Invoice | None) -> Subscription:
    """Collect what a change costs, and return the subscription as it is then."""
    if invoice is not None:
        operation.emit_event("invoice.created", invoice)
        collect_invoice(operation, invoice)
    return operation.store.get(Subscription, subscription.id) or subscription


def cancel_subscription(request: ApiRequest, params: CancelParams) -> Subscription:
    subscription = request.require_path_object(Subscription)
    if subscription.status == "canceled":
        raise build_missing_error("subscription", subscription.id, "id", 404)
    _store_cancellation_details(subscription, params.cancellation_details)
    return end_subscription(request, subscription)


def pay_open_invoice(request: ApiRequest, _params: Params) -> Invoice | Response:
    invoice = request.require_path_object(Invoice)
    if invoice.status == "paid":
        raise build_invalid_error("Invoice is already paid", None, "invoice_already_paid")
    if invoice.status == "draft":
        raise build_invalid_error("You can only pay an open invoice.", None, "invoice_not_editable")
    # A response, and not a refusal: the failed attempt counts.
    return invoice if pay_invoice(request, invoice) else ERRORS["card_declined"](request.call)


def _apply_item_changes(
    request: ApiRequest, subscription: Subscription, item_changes: list[ItemParams]
) -> list[SoldItem]:
    """Apply the changes to what is sold. A price without the id of an item is added."""
    items = {item.id: msgspec.structs.replace(item) for item in subscription.items}
    for place, item_params in enumerate(item_changes):
        if item_params.id is not None and item_params.id not in items:
            raise build_missing_error("subscription_item", item_params.id, f"items[{place}][id]")
        if item_params.id is not None and item_params.deleted:
            del items[item_params.id]
            continue
        if item_params.id is None and item_params.price is None:
            raise build_invalid_error(f"Missing required param: items[{place}][price].", f"items[{place}][price]")
        key = item_params.id or generate_id("si", 14)
        item = items.setdefault(key, SoldItem(id=key, price=item_params.price or "", created=request.now))
        if item_params.price is not None:
            item.price = request.require_object(Price, item_params.price, f"items[{place}][price]").id
        item.quantity = item_params.quantity or item.quantity
    if not items:
        raise build_invalid_error("A subscription must have at least one active plan.", "items")
    validate_prices(request.store.get_all(Price, (item.price for item in items.values())), "items")
    return list(items.values())


def _apply_cancellation(request: ApiRequest, subscription: Subscription, params: SubscriptionParams) -> None:
    if params.cancel_at is not UNSET:
        if params.cancel_at_period_end is not None:
            raise build_invalid_error(
                "You may only specify one of these parameters: cancel_at, cancel_at_period_end.", "cancel_at"
            )
        at = subscription.period_end if isinstance(params.cancel_at, str) else params.cancel_at
        if at is not None and at <= request.now:
            raise build_invalid_error("`cancel_at` must be in the future.", "cancel_at")
        schedule_end(request, subscription, at)
    elif params.cancel_at_period_end is not None:
        schedule_end(request, subscription, subscription.period_end if params.cancel_at_period_end else None)
        subscription.cancel_at_period_end = params.cancel_at_period_end
    _store_cancellation_details(subscription, params.cancellation_details)


def _store_cancellation_details(subscription: Subscription, details: CancellationDetails | None) -> None:
    if details is not None:
        subscription.why = subscription.why | {"comment": details.comment, "feedback": details.feedback}


ROUTES = [
    build_list_endpoint("subscriptions", Subscription, SubscriptionListParams),
    build_retrieve_endpoint("subscriptions", Subscription),
    build_endpoint("POST", "subscriptions/{id}", SubscriptionParams, update_subscription),
    build_endpoint("DELETE", "subscriptions/{id}", CancelParams, cancel_subscription),
    build_list_endpoint("invoices", Invoice, InvoiceListParams),
    build_retrieve_endpoint("invoices", Invoice),
    build_endpoint("POST", "invoices/{id}/pay", Params, pay_open_invoice),
]
