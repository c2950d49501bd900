"""Customers, checkout pages, the customer portal and subscriptions.

Every call that creates something has an `Idempotency-Key`: Stripe returns the first result again for at least a day, so
all of them may be repeated. It also returns its own failures again: after one, only another key can help.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar, get_args

import msgspec

from socialgate.connectors import lenient_decoding
from socialgate.connectors.client import AuthorizedClient, BearerDialect, VendorClient
from socialgate.connectors.errors import VendorError, parse_retry_after
from socialgate.connectors.lenient_decoding import LenientStruct
from socialgate.connectors.stripe.errors import ERROR_TABLE, IDEMPOTENCY_KEY_IN_USE_CODES, REPLAYED_ERROR_CODE
from socialgate.connectors.transport import PlatformApp, VendorTransport, decode_response
from socialgate.connectors.webhook_helpers import parse_unix_time
from socialgate.contracts.billing import CheckoutRequest, CheckoutSession, PriceAmount, Subscription, SubscriptionStatus
from socialgate.contracts.failures import PlatformRejectedError, PlatformUnavailableError
from socialgate.core.egress import HttpResponse

_API_URL = "https://api.stripe.com"
# The version of the API whose shapes are read here, whatever the default of the Stripe account is.
_API_VERSION = "2026-10-28.endive"
_OWNER_METADATA_KEY = "socialgate_owner"
_PLAN_METADATA_KEY = "socialgate_plan"
_CHECKOUT_NUMBER_METADATA_KEY = "socialgate_checkout"
_MIN_ERROR_STATUS = 400
_MIN_SERVER_ERROR_STATUS = 500
_PAGE_SIZE = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A limit for a list that never ends.
_MAX_PAGES = 10
# How long to wait, each time, for another request with the same key.
_IDEMPOTENCY_KEY_RETRY_DELAYS_SECONDS = (0.1, 0.3, 0.6, 1.0, 2.0, 2.0)
_SUBSCRIPTION_STATUSES: Mapping[str, SubscriptionStatus] = {name: name for name in get_args(SubscriptionStatus)}
# Stripe goes on to collect payments for these.
_RENEWING_STATUSES = frozenset({"active", "trialing", "past_due"})

T = TypeVar("T")


class _StripeError(LenientStruct, frozen=True):
    type: str | None = None
    code: str | None = None
    message: str | None = None
    param: str | None = None


class _ErrorBody(LenientStruct, frozen=True):
    error: _StripeError


class _Customer(LenientStruct, frozen=True):
    id: str
    metadata: dict[str, str] = msgspec.field(default_factory=dict)
    deleted: bool = False


class _NewCheckoutSession(LenientStruct, frozen=True):
    id: str
    url: str
    expires_at: int


class _CheckoutSession(LenientStruct, frozen=True):
    id: str
    status: str = ""
    metadata: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def checkout_number(self) -> int:
        number = self.metadata.get(_CHECKOUT_NUMBER_METADATA_KEY, "")
        return int(number) if number.isascii() and number.isdecimal() else 0


class _PortalSession(LenientStruct, frozen=True):
    url: str


class _Price(LenientStruct, frozen=True):
    id: str
    currency: str = ""
    # Null for prices with a fraction of a cent, or in tiers.
    unit_amount: int | None = None


class _SubscriptionItem(LenientStruct, frozen=True):
    id: str
    price: _Price | None = None
    current_period_end: int | None = None


class _SubscriptionItems(LenientStruct, frozen=True):
    data: list[_SubscriptionItem] = msgspec.field(default_factory=list)


class _Subscription(LenientStruct, frozen=True):
    id: str
    status: str
    created: int = 0
    items: _SubscriptionItems = _SubscriptionItems()
    metadata: dict[str, str] = msgspec.field(default_factory=dict)
    cancel_at: int | None = None
    cancel_at_period_end: bool = False
    ended_at: int | None = None


class _ListPage(LenientStruct, frozen=True):
    data: list[msgspec.Raw]
    has_more: bool = False


class StripeDialect(BearerDialect):
    def parse_error(self, answer: HttpResponse) -> VendorError | None:
        if answer.status < _MIN_ERROR_STATUS:
            return None
        failure = decode_response(answer, _ErrorBody)
        if failure is None:
            return VendorError(
                status=answer.status, retry_after=parse_retry_after(answer.headers), from_intermediary=True
            )
        error = failure.error
        is_replayed = answer.status >= _MIN_SERVER_ERROR_STATUS and answer.headers.get("idempotent-replayed") == "true"
        return VendorError(
            status=answer.status,
            codes=tuple(filter(None, (REPLAYED_ERROR_CODE if is_replayed else None, error.code, error.type))),
            subcode=error.param,
            message=error.message,
            trace=answer.headers.get("request-id"),
            retry_after=parse_retry_after(answer.headers),
            # Stripe itself says whether a request had no effect.
            had_no_effect=answer.headers.get("stripe-should-retry") == "true",
        )


class StripePayments:
    def __init__(self, app: PlatformApp, wire: VendorTransport) -> None:
        client = VendorClient(wire, StripeDialect(), ERROR_TABLE)
        self._api = AuthorizedClient(
            client, f"{_API_URL}/v1", token=app.secret, headers={"Stripe-Version": _API_VERSION}
        )

    async def fetch_price_amounts(self, price_ids: Sequence[str]) -> Mapping[str, PriceAmount]:
        prices = {price.id: price for price in await self._list("/prices", _Price, {"active": "true"})}
        result = ((price_id, prices.get(price_id)) for price_id in price_ids)
        return {
            price_id: PriceAmount(amount=price.unit_amount, currency=price.currency.upper())
            for price_id, price in result
            if price is not None and price.unit_amount is not None
        }

    async def create_customer(self, owner_id: str, name: str, email: str | None, key: str) -> str | None:
        form = {
            "name": name,
            **({} if email is None else {"email": email}),
            f"metadata[{_OWNER_METADATA_KEY}]": owner_id,
        }
        customer = await self._create_idempotent("/customers", _Customer, form, key)
        return None if customer is None else customer.id

    async def find_customer(self, owner_id: str, since: datetime, until: datetime) -> str | None:
        created = {"created[gte]": int(since.timestamp()), "created[lte]": int(until.timestamp())}
        customers = await self._list("/customers", _Customer, created)
        return next(
            (
                customer.id
                for customer in customers
                if customer.metadata.get(_OWNER_METADATA_KEY) == owner_id and not customer.deleted
            ),
            None,
        )

    async def create_checkout(self, purchase: CheckoutRequest) -> CheckoutSession | None:
        form = {
            "mode": "subscription",
            "customer": purchase.customer_id,
            "client_reference_id": purchase.owner_id,
            "line_items[0][price]": purchase.price_id,
            "line_items[0][quantity]": 1,
            f"subscription_data[metadata][{_OWNER_METADATA_KEY}]": purchase.owner_id,
            f"subscription_data[metadata][{_PLAN_METADATA_KEY}]": purchase.plan,
            f"metadata[{_CHECKOUT_NUMBER_METADATA_KEY}]": purchase.checkout_number,
            "allow_promotion_codes": "true",
            "success_url": purchase.success_url,
            "cancel_url": purchase.cancel_url,
        }
        session = await self._create_idempotent(
            "/checkout/sessions", _NewCheckoutSession, form, purchase.idempotency_key
        )
        if session is None:
            return None
        return CheckoutSession(id=session.id, url=session.url, expires_at=_parse_time(session.expires_at) or _EPOCH)

    async def is_checkout_open(self, checkout_id: str) -> bool:
        return (await self._api.get(f"/checkout/sessions/{checkout_id}", _CheckoutSession)).status == "open"

    async def close_checkouts(self, customer_id: str, max_checkout_number: int) -> None:
        checkout_sessions = await self._list(
            "/checkout/sessions", _CheckoutSession, {"customer": customer_id, "status": "open"}
        )
        for session in [
            checkout_session
            for checkout_session in checkout_sessions
            if checkout_session.checkout_number <= max_checkout_number
        ]:
            await self._expire_checkout(session.id)

    async def create_portal_url(self, customer_id: str, return_url: str) -> str:
        # Each call gives another short-lived URL, and none of them changes anything.
        form = {"customer": customer_id, "return_url": return_url}
        return (
            await self._api.call("POST", "/billing_portal/sessions", _PortalSession, repeatable=True, form=form)
        ).url

    async def list_subscriptions(self, customer_id: str) -> Sequence[Subscription]:
        subscriptions = await self._list("/subscriptions", _Subscription, {"customer": customer_id, "status": "all"})
        return [
            _parse_subscription(subscription)
            for subscription in subscriptions
            if subscription.status in _SUBSCRIPTION_STATUSES
        ]

    async def _expire_checkout(self, checkout_id: str) -> None:
        try:
            await self._api.call("POST", f"/checkout/sessions/{checkout_id}/expire", _CheckoutSession, repeatable=True)
        except PlatformRejectedError:
            # It was paid or has expired in the meantime, unless it is still open.
            if await self.is_checkout_open(checkout_id):
                raise

    async def _create_idempotent(self, path: str, shape: type[T], form: Mapping[str, Any], key: str) -> T | None:
        """Create something, or return what the same key created; None if the key only gives a failure again."""
        headers = {"Stripe-Version": _API_VERSION, "Idempotency-Key": key}
        for wait in (*_IDEMPOTENCY_KEY_RETRY_DELAYS_SECONDS, None):
            try:
                return await self._api.call("POST", path, shape, repeatable=True, form=form, headers=headers)
            except PlatformUnavailableError as failure:
                platform_error = failure.platform_error
                if platform_error is not None and platform_error.code == REPLAYED_ERROR_CODE:
                    return None
                # Another request with the same key is still being processed: its result will be ours too.
                if wait is None or platform_error is None or platform_error.code not in IDEMPOTENCY_KEY_IN_USE_CODES:
                    raise
                await asyncio.sleep(wait)
        raise AssertionError("unreachable")

    async def _list(self, path: str, shape: type[T], query: Mapping[str, Any]) -> list[T]:
        items: list[Any] = []
        after: str | None = None
        for _ in range(_MAX_PAGES):
            request = {**query, "limit": _PAGE_SIZE, "starting_after": after}
            page = await self._api.get(path, _ListPage, **request)
            items += [
                item
                for item in (lenient_decoding.decode_leniently_or_none(raw, shape) for raw in page.data)
                if item is not None
            ]
            if not page.has_more or not items:
                break
            after = items[-1].id
        return items


def _parse_subscription(subscription: _Subscription) -> Subscription:
    paid_until = max(
        (item.current_period_end for item in subscription.items.data if item.current_period_end), default=None
    )
    ends_at = (
        subscription.ended_at or subscription.cancel_at or (paid_until if subscription.cancel_at_period_end else None)
    )
    # One that is to be cancelled much later is renewed until then.
    ends_first = ends_at is not None and (paid_until is None or ends_at <= paid_until)
    renews_at = None if ends_first or subscription.status not in _RENEWING_STATUSES else paid_until
    return Subscription(
        id=subscription.id,
        status=_SUBSCRIPTION_STATUSES[subscription.status],
        price_ids=[item.price.id for item in subscription.items.data if item.price is not None],
        plan=subscription.metadata.get(_PLAN_METADATA_KEY),
        created_at=_parse_time(subscription.created) or _EPOCH,
        renews_at=_parse_time(renews_at),
        ends_at=_parse_time(ends_at),
    )


def _parse_time(seconds: int | None) -> datetime | None:
    return None if seconds is None else parse_unix_time(seconds)
