"""Customers, and their search."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from socialgate_sandbox.kit import Account, Call, World
from socialgate_sandbox.vendors.stripe.api import (
    Amount,
    Listing,
    Metadata,
    Params,
    Request,
    endpoint,
    listing,
    merged,
    retrieving,
)
from socialgate_sandbox.vendors.stripe.billing import end, expire, new_customer
from socialgate_sandbox.vendors.stripe.billing_state import Invoice, Session, Subscription
from socialgate_sandbox.vendors.stripe.errors import invalid, missing
from socialgate_sandbox.vendors.stripe.state import LIVE, Customer

_CLAUSE = re.compile(r"""(email|name|metadata\[["'](.+?)["']\]):["'](.*?)["']""")
_OWNED: Mapping[str, type[Invoice | Session | Subscription]] = {"sub": Subscription, "in": Invoice, "cs": Session}
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")


class CustomerParams(Params, kw_only=True):
    balance: Amount | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    email: str | UnsetType | None = UNSET
    name: str | UnsetType | None = UNSET
    phone: str | UnsetType | None = UNSET
    preferred_locales: list[str] | UnsetType | None = UNSET
    metadata: Metadata | UnsetType | None = UNSET


class CustomerList(Listing, kw_only=True):
    email: str | None = None


class SearchParams(Params, kw_only=True):
    query: str
    limit: int = 10
    page: str | None = None


def create(request: Request, given: CustomerParams) -> Customer:
    made = new_customer(request)
    _apply(made, given)
    return request.create(made, "customer.created")


def update(request: Request, given: CustomerParams) -> Customer:
    with request.changing(existing(request, request.id, status=404), "customer.updated") as one:
        _apply(one, given)
    return one


def delete(request: Request, _given: Params) -> Customer:
    one = existing(request, request.id, status=404)
    for subscription in request.store.find(Subscription, parent=LIVE):
        if subscription.customer == one.id:
            end(request, subscription)
    for session in request.store.find(Session, parent=LIVE):
        if session.customer == one.id:
            expire(request, session)
    request.emit("customer.deleted", one)
    one.deleted = True
    return request.put(one)


def search(request: Request, given: SearchParams) -> dict[str, Any]:
    clauses = [_CLAUSE.fullmatch(part.strip()) for part in given.query.split(" AND ")]
    if not all(clauses):
        raise invalid(f"We were unable to parse your search query `{given.query}`.", "query")
    wanted = [(found[1], found[2], found[3]) for found in clauses if found]
    every = request.store.find(Customer, parent=LIVE, newest_first=True)
    found = [one for one in every if all(_value(one, name, key) == value for name, key, value in wanted)]
    shown = [one.shown(request.store) for one in found[: given.limit]]
    more = {"has_more": len(found) > given.limit, "next_page": None}
    return {"object": "search_result", "url": "/v1/customers/search", "data": shown, **more}


def existing(request: Request, key: str, param: str = "id", *, status: int = 400) -> Customer:
    found = request.find(Customer, key, param, status=status)
    if found.deleted:
        raise missing("customer", key, param, status)
    return found


def list_accounts(world: World) -> Sequence[Account]:
    live = {one.customer: one for one in world.store.find(Subscription, parent=LIVE)}
    return [
        Account(
            kind="customer",
            id=one.id,
            name=one.name or one.email or one.id,
            state=live[one.id].status if one.id in live else "active",
            connected=["subscribed"] if one.id in live else [],
        )
        for one in world.store.find(Customer, parent=LIVE)
    ]


def accounts_of(call: Call) -> Sequence[str]:
    """Return the customers that a call is about: the key of the merchant belongs to all of them."""
    found = []
    for key in (call.args.get("id", ""), call.form.get("customer", ""), call.query.get("customer", "")):
        kind = _OWNED.get(key.partition("_")[0])
        one = None if kind is None else call.world.store.get(kind, key)
        found.append(key if one is None else str(one.customer))
    return [key for key in found if key.startswith("cus_")]


def _apply(one: Customer, given: CustomerParams) -> None:
    if isinstance(given.email, str) and not _EMAIL.fullmatch(given.email):
        raise invalid(f"Invalid email address: {given.email}", "email", "email_invalid")
    for name in ("balance", "description", "email", "name", "phone"):
        value = getattr(given, name)
        if value is not UNSET:
            setattr(one, name, value)
    if given.preferred_locales is not UNSET:
        one.preferred_locales = given.preferred_locales or []
    one.metadata = merged(one.metadata, given.metadata)


def _value(one: Customer, name: str, key: str | None) -> str | None:
    return one.metadata.get(key) if key else getattr(one, name)


ROUTES = [
    endpoint("POST", "customers", CustomerParams, create),
    endpoint("GET", "customers/search", SearchParams, search),
    listing("customers", Customer, CustomerList, LIVE),
    retrieving("customers", Customer),
    endpoint("POST", "customers/{id}", CustomerParams, update),
    endpoint("DELETE", "customers/{id}", Params, delete),
]
