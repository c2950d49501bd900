"""Customers, and their search."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from socialgate_sandbox.kit import Account, Call, VendorContext
from socialgate_sandbox.vendors.stripe.billing import build_customer, end_subscription, expire_session
from socialgate_sandbox.vendors.stripe.billing_state import Invoice, Session, Subscription
from socialgate_sandbox.vendors.stripe.endpoints import (
    Amount,
    ApiRequest,
    ListParams,
    Metadata,
    Params,
    build_endpoint,
    build_list_endpoint,
    build_retrieve_endpoint,
    merge_metadata,
)
from socialgate_sandbox.vendors.stripe.errors import build_invalid_error, build_missing_error
from socialgate_sandbox.vendors.stripe.state import LIVE_PHASE, Customer

_SEARCH_CLAUSE_PATTERN = re.compile(r"""(email|name|metadata\[["'](.+?)["']\]):["'](.*?)["']""")
_TYPES_BY_ID_PREFIX: Mapping[str, type[Invoice | Session | Subscription]] = {
    "sub": Subscription,
    "in": Invoice,
    "cs": Session,
}
_EMAIL_PATTERN = re.compile(r"[^@\s]+@[^@\s]+")


class CustomerParams(Params, kw_only=True):
    balance: Amount | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    email: str | UnsetType | None = UNSET
    name: str | UnsetType | None = UNSET
    phone: str | UnsetType | None = UNSET
    preferred_locales: list[str] | UnsetType | None = UNSET
    metadata: Metadata | UnsetType | None = UNSET


class CustomerListParams(ListParams, kw_only=True):
    email: str | None = None


class SearchParams(Params, kw_only=True):
    query: str
    limit: int = 10
    page: str | None = None


def create_customer(request: ApiRequest, params: CustomerParams) -> Customer:
    customer = build_customer(request)
    _apply_params(customer, params)
    return request.store_and_emit(customer, "customer.created")


def update_customer(request: ApiRequest, params: CustomerParams) -> Customer:
    with request.track_changes(require_customer(request, request.path_id, status=404), "customer.updated") as customer:
        _apply_params(customer, params)
    return customer


def delete_customer(request: ApiRequest, _params: Params) -> Customer:
    customer = require_customer(request, request.path_id, status=404)
    for subscription in request.store.find(Subscription, parent=LIVE_PHASE):
        if subscription.customer == customer.id:
            end_subscription(request, subscription)
    for session in request.store.find(Session, parent=LIVE_PHASE):
        if session.customer == customer.id:
            expire_session(request, session)
    request.emit_event("customer.deleted", customer)
    customer.deleted = True
    return request.store_resource(customer)


def search_customers(request: ApiRequest, params: SearchParams) -> dict[str, Any]:
    clauses = [_SEARCH_CLAUSE_PATTERN.fullmatch(part.strip()) for part in params.query.split(" AND ")]
    if not all(clauses):
        raise build_invalid_error(f"We were unable to parse your search query `{params.query}`.", "query")
    requested = [(claus[1], claus[2], claus[3]) for claus in clauses if claus]
    every = request.store.find(Customer, parent=LIVE_PHASE, newest_first=True)
    customers = [
        customer
        for customer in every
        if all(_get_search_value(customer, name, key) == value for name, key, value in requested)
    ]
    shown = [customer.build_json(request.store) for customer in customers[: params.limit]]
    more = {"has_more": len(customers) > params.limit, "next_page": None}
    return {"object": "search_result", "url": "/v1/customers/search", "data": shown, **more}


def require_customer(request: ApiRequest, key: str, param: str = "id", *, status: int = 400) -> Customer:
    customer = request.require_object(Customer, key, param, status=status)
    if customer.deleted:
        raise build_missing_error("customer", key, param, status)
    return customer


def list_accounts(context: VendorContext) -> Sequence[Account]:
    live = {subscription.customer: subscription for subscription in context.store.find(Subscription, parent=LIVE_PHASE)}
    return [
        Account(
            kind="customer",
            id=customer.id,
            name=customer.name or customer.email or customer.id,
            state=live[customer.id].status if customer.id in live else "active",
            connected=["subscribed"] if customer.id in live else [],
        )
        for customer in context.store.find(Customer, parent=LIVE_PHASE)
    ]


def get_account_ids(call: Call) -> Sequence[str]:
    """Return the customers that a call is about: the key of the merchant belongs to all of them."""
    result = []
    for key in (call.path_params.get("id", ""), call.form.get("customer", ""), call.query.get("customer", "")):
        kind = _TYPES_BY_ID_PREFIX.get(key.partition("_")[0])
        item = None if kind is None else call.context.store.get(kind, key)
        result.append(key if item is None else str(item.customer))
    return [key for key in result if key.startswith("cus_")]


def _apply_params(customer: Customer, params: CustomerParams) -> None:
    if isinstance(params.email, str) and not _EMAIL_PATTERN.fullmatch(params.email):
        raise build_invalid_error(f"Invalid email address: {params.email}", "email", "email_invalid")
    for name in ("balance", "description", "email", "name", "phone"):
        value = getattr(params, name)
        if value is not UNSET:
            setattr(customer, name, value)
    if params.preferred_locales is not UNSET:
        customer.preferred_locales = params.preferred_locales or []
    customer.metadata = merge_metadata(customer.metadata, params.metadata)


def _get_search_value(customer: Customer, name: str, key: str | None) -> str | None:
    return customer.metadata.get(key) if key else getattr(customer, name)


ROUTES = [
    build_endpoint("POST", "customers", CustomerParams, create_customer),
    build_endpoint("GET", "customers/search", SearchParams, search_customers),
    build_list_endpoint("customers", Customer, CustomerListParams, LIVE_PHASE),
    build_retrieve_endpoint("customers", Customer),
    build_endpoint("POST", "customers/{id}", CustomerParams, update_customer),
    build_endpoint("DELETE", "customers/{id}", Params, delete_customer),
]
