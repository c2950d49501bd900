"""Customers, checkout pages, the customer portal and subscriptions.

Every call that creates something has an `Idempotency-Key`: Stripe returns the first result again for at least a day, so
all of them may be repeated. It also returns its own failures again: after one, only another key can help.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar, get_args

import msgspec

from socialgate.connectors import tolerant
from socialgate.connectors.client import Access, Bearer, Client
from socialgate.connectors.errors import Said, retry_after_of
from socialgate.connectors.receiving import moment
from socialgate.connectors.stripe.errors import IN_PROGRESS, REPLAYED, TABLE
from socialgate.connectors.tolerant import Tolerant
from socialgate.connectors.wire import App, Wire, read
from socialgate.contracts.billing import Checkout, Cost, Purchase, Status, Subscription
from socialgate.contracts.failures import Rejected, TemporarilyUnavailable
from socialgate.core.egress import Answer

_HOST = "https://api.stripe.com"
# The version of the API whose shapes are read here, whatever the default of the Stripe account is.
_VERSION = "2026-10-28.endive"
_OWNER = "socialgate_owner"
_PLAN = "socialgate_plan"
_NUMBER = "socialgate_checkout"
_FIRST_ERROR = 400
_FIRST_FAILURE = 500
_PAGE = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A limit for a list that never ends.
_MOST_PAGES = 10
# How long to wait, each time, for another request with the same key.
_WAITS = (0.1, 0.3, 0.6, 1.0, 2.0, 2.0)
_STATUSES: Mapping[str, Status] = {name: name for name in get_args(Status)}
# Stripe goes on to collect payments for these.
_RENEWING = frozenset({"active", "trialing", "past_due"})

T = TypeVar("T")


class _Error(Tolerant, frozen=True):
    type: str | None = None
    code: str | None = None
    message: str | None = None
    param: str | None = None


class _Failure(Tolerant, frozen=True):
    error: _Error


class _Customer(Tolerant, frozen=True):
    id: str
    metadata: dict[str, str] = msgspec.field(default_factory=dict)
    deleted: bool = False


class _Session(Tolerant, frozen=True):
    id: str
    url: str
    expires_at: int


class _Opened(Tolerant, frozen=True):
    id: str
    status: str = ""
    metadata: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def number(self) -> int:
        number = self.metadata.get(_NUMBER, "")
        return int(number) if number.isascii() and number.isdecimal() else 0


class _Page(Tolerant, frozen=True):
    url: str


class _Price(Tolerant, frozen=True):
    id: str
    currency: str = ""
    # Null for prices with a fraction of a cent, or in tiers.
    unit_amount: int | None = None


class _Item(Tolerant, frozen=True):
    id: str
    price: _Price | None = None
    current_period_end: int | None = None


class _Items(Tolerant, frozen=True):
    data: list[_Item] = msgspec.field(default_factory=list)


class _Subscription(Tolerant, frozen=True):
    id: str
    status: str
    created: int = 0
    items: _Items = _Items()
    metadata: dict[str, str] = msgspec.field(default_factory=dict)
    cancel_at: int | None = None
    cancel_at_period_end: bool = False
    ended_at: int | None = None


class _Listed(Tolerant, frozen=True):
    data: list[msgspec.Raw]
    has_more: bool = False


class _Dialect(Bearer):
    def said(self, answer: Answer) -> Said | None:
        if answer.status < _FIRST_ERROR:
            return None
        failure = read(answer, _Failure)
        if failure is None:
            return Said(status=answer.status, retry_after=retry_after_of(answer.headers), from_between=True)
        error = failure.error
        is_replayed = answer.status >= _FIRST_FAILURE and answer.headers.get("idempotent-replayed") == "true"
        return Said(
            status=answer.status,
            codes=tuple(filter(None, (REPLAYED if is_replayed else None, error.code, error.type))),
            subcode=error.param,
            message=error.message,
            trace=answer.headers.get("request-id"),
            retry_after=retry_after_of(answer.headers),
            # Stripe itself says whether a request had no effect.
            harmless=answer.headers.get("stripe-should-retry") == "true",
        )


class StripePayments:
    def __init__(self, app: App, wire: Wire) -> None:
        client = Client(wire, _Dialect(), TABLE)
        self._api = Access(client, f"{_HOST}/v1", token=app.secret, headers={"Stripe-Version": _VERSION})

    async def costs(self, price_ids: Sequence[str]) -> Mapping[str, Cost]:
        prices = {price.id: price for price in await self._list("/prices", _Price, {"active": "true"})}
        found = ((price_id, prices.get(price_id)) for price_id in price_ids)
        return {
            price_id: Cost(amount=price.unit_amount, currency=price.currency.upper())
            for price_id, price in found
            if price is not None and price.unit_amount is not None
        }

    async def create_customer(self, owner_id: str, name: str, email: str | None, key: str) -> str | None:
        form = {"name": name, **({} if email is None else {"email": email}), f"metadata[{_OWNER}]": owner_id}
        made = await self._create("/customers", _Customer, form, key)
        return None if made is None else made.id

    async def find_customer(self, owner_id: str, since: datetime, until: datetime) -> str | None:
        created = {"created[gte]": int(since.timestamp()), "created[lte]": int(until.timestamp())}
        found = await self._list("/customers", _Customer, created)
        return next((one.id for one in found if one.metadata.get(_OWNER) == owner_id and not one.deleted), None)

    async def checkout(self, purchase: Purchase) -> Checkout | None:
        form = {
            "mode": "subscription",
            "customer": purchase.customer_id,
            "client_reference_id": purchase.owner_id,
            "line_items[0][price]": purchase.price_id,
            "line_items[0][quantity]": 1,
            f"subscription_data[metadata][{_OWNER}]": purchase.owner_id,
            f"subscription_data[metadata][{_PLAN}]": purchase.plan,
            f"metadata[{_NUMBER}]": purchase.number,
            "allow_promotion_codes": "true",
            "success_url": purchase.success_url,
            "cancel_url": purchase.cancel_url,
        }
        session = await self._create("/checkout/sessions", _Session, form, purchase.key)
        if session is None:
            return None
        return Checkout(id=session.id, url=session.url, expires_at=_time(session.expires_at) or _EPOCH)

    async def is_open(self, checkout_id: str) -> bool:
        return (await self._api.get(f"/checkout/sessions/{checkout_id}", _Opened)).status == "open"

    async def close_checkouts(self, customer_id: str, last: int) -> None:
        found = await self._list("/checkout/sessions", _Opened, {"customer": customer_id, "status": "open"})
        for session in [one for one in found if one.number <= last]:
            await self._close(session.id)

    async def portal(self, customer_id: str, return_url: str) -> str:
        # Each call gives another short-lived URL, and none of them changes anything.
        form = {"customer": customer_id, "return_url": return_url}
        return (await self._api.call("POST", "/billing_portal/sessions", _Page, repeatable=True, form=form)).url

    async def subscriptions(self, customer_id: str) -> Sequence[Subscription]:
        found = await self._list("/subscriptions", _Subscription, {"customer": customer_id, "status": "all"})
        return [_shown(one) for one in found if one.status in _STATUSES]

    async def _close(self, checkout_id: str) -> None:
        try:
            await self._api.call("POST", f"/checkout/sessions/{checkout_id}/expire", _Opened, repeatable=True)
        except Rejected:
            # It was paid or has expired in the meantime, unless it is still open.
            if await self.is_open(checkout_id):
                raise

    async def _create(self, path: str, shape: type[T], form: Mapping[str, Any], key: str) -> T | None:
        """Create something, or return what the same key created; None if the key only gives a failure again."""
        headers = {"Stripe-Version": _VERSION, "Idempotency-Key": key}
        for wait in (*_WAITS, None):
            try:
                return await self._api.call("POST", path, shape, repeatable=True, form=form, headers=headers)
            except TemporarilyUnavailable as failure:
                said = failure.platform_error
                if said is not None and said.code == REPLAYED:
                    return None
                # Another request with the same key is still being processed: its result will be ours too.
                if wait is None or said is None or said.code not in IN_PROGRESS:
                    raise
                await asyncio.sleep(wait)
        raise AssertionError("unreachable")

    async def _list(self, path: str, shape: type[T], query: Mapping[str, Any]) -> list[T]:
        found: list[Any] = []
        after: str | None = None
        for _ in range(_MOST_PAGES):
            asked = {**query, "limit": _PAGE, "starting_after": after}
            page = await self._api.get(path, _Listed, **asked)
            found += [one for one in (tolerant.readable(raw, shape) for raw in page.data) if one is not None]
            if not page.has_more or not found:
                break
            after = found[-1].id
        return found


def _shown(one: _Subscription) -> Subscription:
    paid_until = max((item.current_period_end for item in one.items.data if item.current_period_end), default=None)
    ends_at = one.ended_at or one.cancel_at or (paid_until if one.cancel_at_period_end else None)
    # One that is to be cancelled much later is renewed until then.
    ends_first = ends_at is not None and (paid_until is None or ends_at <= paid_until)
    renews_at = None if ends_first or one.status not in _RENEWING else paid_until
    return Subscription(
        id=one.id,
        status=_STATUSES[one.status],
        price_ids=[item.price.id for item in one.items.data if item.price is not None],
        plan=one.metadata.get(_PLAN),
        created_at=_time(one.created) or _EPOCH,
        renews_at=_time(renews_at),
        ends_at=_time(ends_at),
    )


def _time(seconds: int | None) -> datetime | None:
    return None if seconds is None else moment(seconds)
