"""One checkout page per owner: of two open pages both could be paid.

The pages of an owner are numbered, and the number makes the key with which a page is requested from the provider: the
request can be repeated by any number of processes, and there is still one page. The owner's row has the current number
and what that page is for. It moves on only after the page exists and is closed, so no request that is still on its way,
and none of a process that died, can open it later. Of several requests at the same moment one moves on. Others for the
same plan get its page, and those for another plan fail: if each of them replaced the page of the one before, all but
the last would get a page that is closed.
"""

from collections.abc import Iterable
from datetime import timedelta

import msgspec

from socialgate.areas.billing import store
from socialgate.areas.billing.store import BillingRow
from socialgate.contracts.billing import BillingConfig, CheckoutRequest, CheckoutSession, PaymentProvider, Subscription
from socialgate.contracts.failures import PlatformNotFoundError, PlatformRejectedError, PlatformUnavailableError
from socialgate.contracts.platforms import DeploymentVendor
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict

# Stripe remembers a key for at least a day. After that, what it may have created is looked up.
IDEMPOTENCY_KEY_LIFETIME = timedelta(hours=23)
# Requests for the same plan get the same page for this long. Its last hours are too short for a new request.
_PAGE_REUSE_PERIOD = timedelta(hours=1)
# How often a page may be replaced while a request waits for it.
_MAX_PAGE_REPLACEMENTS = 20
_RETRY_SECONDS = 1
# What cannot be bought a second time: it is changed in the portal.
_EXISTING_SUBSCRIPTION_STATUSES = frozenset({"active", "trialing", "past_due", "unpaid", "paused"})


class AlreadySubscribedError(Conflict):
    """The owner already has a subscription, so a second one would be charged as well.

    Change or cancel it on the page that `POST /billing/portal` returns.
    """

    code = "already_subscribed"
    title = "The owner already has a subscription"


class CheckoutInProgressError(Conflict):
    """Another request of the owner opened a checkout page for a different plan or interval at the same moment.

    Send the request again to replace that page, which is then closed.
    """

    code = "checkout_in_progress"
    title = "A checkout page for another plan is being opened"


class PurchaseRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What an owner wants to buy."""

    owner_id: str
    plan: str
    price_id: str


class OpenCheckoutPage(msgspec.Struct, frozen=True, kw_only=True):
    """The open page of an owner, and what it is for."""

    checkout: CheckoutSession
    plan: str
    price_id: str


class CheckoutPages:
    def __init__(self, db: Database, shop: BillingConfig) -> None:
        self._db = db
        self._shop = shop

    async def open(self, payments: PaymentProvider, purchase_request: PurchaseRequest) -> OpenCheckoutPage:
        """Return the only open page of the owner, which is for this. Fails if a request for something else came first
        meanwhile.
        """
        row, is_ours = await self._db.read(_require_row, purchase_request.owner_id), False
        for turn in range(_MAX_PAGE_REPLACEMENTS + 1):
            checkout = await self._ensure_page(payments, row, is_ours=is_ours)
            if (
                checkout is not None
                and self._is_reusable_for(row, purchase_request)
                and (is_ours or await payments.is_checkout_open(checkout.id))
            ):
                return OpenCheckoutPage(
                    checkout=checkout, plan=row.checkout_plan or "", price_id=row.checkout_price or ""
                )
            if turn == _MAX_PAGE_REPLACEMENTS:
                break
            customer_id = _get_customer_id(row)
            await payments.close_checkouts(customer_id, row.checkout_number)
            # Only now: what was paid until then is a subscription, even if its report is still on the way.
            require_no_subscription(await payments.list_subscriptions(customer_id))
            row, is_ours = await self._db.write(_advance_page, row, purchase_request)
            if not self._is_reusable_for(row, purchase_request):
                raise CheckoutInProgressError(
                    f"A checkout page for the plan {row.checkout_plan} was opened at the same moment. Send the request "
                    "again to replace it."
                )
        raise PlatformUnavailableError(
            "Other requests for a checkout page of this owner came first. Try again.",
            platform=DeploymentVendor.STRIPE,
            retry_after=_RETRY_SECONDS,
        )

    async def _ensure_page(
        self, payments: PaymentProvider, row: BillingRow, *, is_ours: bool
    ) -> CheckoutSession | None:
        """Make sure that the current page exists, and return it; None if it cannot be asked for (any more)."""
        if row.checkout_at is None or self._db.clock.now() - row.checkout_at > IDEMPOTENCY_KEY_LIFETIME:
            return None
        try:
            return await payments.create_checkout(self._build_checkout_request(row))
        except (PlatformRejectedError, PlatformNotFoundError):
            # The request of somebody else may have been made with other settings, or for a price that is gone.
            if is_ours:
                raise
            return None

    def _is_reusable_for(self, row: BillingRow, purchase_request: PurchaseRequest) -> bool:
        is_same = (row.checkout_plan, row.checkout_price) == (purchase_request.plan, purchase_request.price_id)
        return is_same and row.checkout_at is not None and self._db.clock.now() - row.checkout_at < _PAGE_REUSE_PERIOD

    def _build_checkout_request(self, row: BillingRow) -> CheckoutRequest:
        return CheckoutRequest(
            owner_id=row.owner_id,
            customer_id=_get_customer_id(row),
            plan=row.checkout_plan or "",
            price_id=row.checkout_price or "",
            success_url=self._build_return_url("success"),
            cancel_url=self._build_return_url("cancelled"),
            checkout_number=row.checkout_number,
            idempotency_key=f"socialgate-checkout-{row.owner_id}-{row.checkout_number}",
        )

    def _build_return_url(self, outcome: str) -> str:
        mark = "&" if "?" in self._shop.return_url else "?"
        return f"{self._shop.return_url}{mark}checkout={outcome}"


def require_no_subscription(result: Iterable[Subscription | BillingRow]) -> None:
    """Reject a purchase if one of these is a subscription that is paid for, or may be again."""
    for item in result:
        if item.status in _EXISTING_SUBSCRIPTION_STATUSES:
            raise AlreadySubscribedError(
                f"The owner has a subscription to {item.plan or 'a plan'} that is {item.status}. Change it with POST "
                "/billing/portal."
            )


async def _require_row(tx: Tx, owner_id: str) -> BillingRow:
    row = await store.find_billing_row(tx, owner_id)
    assert row is not None, "it was written with the customer"
    return row


async def _advance_page(tx: Tx, previous_row: BillingRow, purchase_request: PurchaseRequest) -> tuple[BillingRow, bool]:
    """Move on to the next page, unless another request did. Returns the row, and whether the page is ours."""
    row = await store.find_billing_row_for_change(tx, previous_row.owner_id)
    assert row is not None, "rows of billing are not removed"
    if row.checkout_number != previous_row.checkout_number:
        return row, False
    values = {
        "checkout_number": row.checkout_number + 1,
        "checkout_plan": purchase_request.plan,
        "checkout_price": purchase_request.price_id,
        "checkout_at": tx.now,
    }
    await store.update_billing_row(tx, row.owner_id, values)
    return msgspec.structs.replace(row, **values), True


def _get_customer_id(row: BillingRow) -> str:
    assert row.customer_id is not None, "the customer is created before its first page"
    return row.customer_id
