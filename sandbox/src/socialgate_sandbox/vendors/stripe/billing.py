"""What happens to subscriptions: they start, renew, are billed and paid or not, change, and end."""

from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from socialgate_sandbox.kit import VendorContext, generate_hex
from socialgate_sandbox.kit.post_processing import set_post_fate, take_post_fate
from socialgate_sandbox.vendors.stripe.billing_state import Invoice, Session, Subscription
from socialgate_sandbox.vendors.stripe.operations import Operation, generate_id
from socialgate_sandbox.vendors.stripe.state import (
    LIVE_PHASE,
    Customer,
    InvoiceLine,
    Price,
    Recurring,
    Resource,
    SoldItem,
    compute_amount,
    get_price,
    get_product_name,
)

DAY_SECONDS = 86_400
# A renewal stays a draft for an hour, in which a merchant could still change it.
_DRAFT_PERIOD_SECONDS = 3600
# The days between the attempts to collect a payment. After the last one, the subscription is canceled.
_RETRY_DAYS = (3, 5, 7)
SUBSCRIPTION_UPDATED_EVENT = "customer.subscription.updated"
# Who pays if nobody says so.
DEFAULT_PAYER_EMAIL = "payer@example.com"


def add_intervals(start: int, recurring: Recurring, count: int = 1) -> int:
    """Return the moment a number of intervals later. Months have the same day, or end earlier if they are shorter."""
    at, number = datetime.fromtimestamp(start, UTC), recurring.interval_count * count
    if recurring.interval in {"day", "week"}:
        days = number * (7 if recurring.interval == "week" else 1)
        return int((at + timedelta(days=days)).timestamp())
    months = at.year * 12 + at.month - 1 + number * (12 if recurring.interval == "year" else 1)
    year, month = months // 12, months % 12 + 1
    return int(at.replace(year=year, month=month, day=min(at.day, monthrange(year, month)[1])).timestamp())


def find_recurring(context: VendorContext, items: Iterable[SoldItem]) -> Recurring:
    prices = context.store.get_all(Price, (item.price for item in items))
    return next(price.recurring for price in prices if price.recurring is not None)


def get_customer(operation: Operation, key: str) -> Customer:
    customer = operation.store.get(Customer, key)
    assert customer is not None, "customers are kept even if they are deleted"
    return customer


def complete_checkout(operation: Operation, session: Session, email: str) -> Subscription:
    """Complete a checkout session, as the person does who pays it."""
    now = operation.now
    if session.customer is None:
        created_customer = build_customer(operation, session.customer_email or email)
        session.customer = operation.store_and_emit(created_customer, "customer.created").id
    customer = get_customer(operation, session.customer)
    # The card that was just accepted replaces one that is declined.
    set_post_fate(operation.world, customer.id, "", times=0, replace_earlier=True)
    trial_end = now + session.trial_days * DAY_SECONDS if session.trial_days else None
    items = [
        SoldItem(id=generate_id("si", 14), price=item.price, quantity=item.quantity, created=now)
        for item in session.items
    ]
    subscription = Subscription(
        id=generate_id("sub"),
        created=now,
        metadata=session.subscription_metadata,
        billing_cycle_anchor=trial_end or now,
        currency=session.currency,
        customer=customer.id,
        description=session.description,
        start_date=now,
        status="trialing" if trial_end else "active",
        trial_start=now if trial_end else None,
        trial_end=trial_end,
        items=items,
        period_start=now,
        period_end=trial_end or add_intervals(now, find_recurring(operation.world, items)),
    )
    invoice = _create_invoice(
        operation, subscription, "subscription_create", _build_period_lines(operation, subscription)
    )
    operation.store_and_emit(subscription, "customer.subscription.created")
    operation.emit_event("invoice.created", invoice)
    finalize_invoice(operation, invoice)
    _mark_paid(operation, invoice)
    session.status, session.subscription, session.invoice = "complete", subscription.id, invoice.id
    session.payment_status = "paid" if invoice.total else "no_payment_required"
    session.customer_details = {
        **dict.fromkeys(("address", "business_name", "individual_name", "phone")),
        "email": customer.email,
        "name": customer.name,
        "tax_exempt": "none",
        "tax_ids": [],
    }
    operation.store_and_emit(session, "checkout.session.completed")
    return subscription


def build_customer(operation: Operation, email: str | None = None) -> Customer:
    prefix = generate_hex(8).upper()
    return Customer(id=generate_id("cus", 14), created=operation.now, email=email, invoice_prefix=prefix)


def expire_session(operation: Operation, session: Session) -> Session:
    session.status = "expired"
    return operation.store_and_emit(session, "checkout.session.expired")


def renew_subscription(operation: Operation, subscription: Subscription) -> None:
    """Begin the next period, with an invoice that is collected later."""
    with operation.track_changes(subscription, SUBSCRIPTION_UPDATED_EVENT):
        subscription.period_start, subscription.period_end = (
            subscription.period_end,
            _compute_next_period_end(operation.world, subscription),
        )
        if subscription.status == "trialing":
            subscription.status = "active"
        invoice = _create_invoice(
            operation, subscription, "subscription_cycle", _build_period_lines(operation, subscription), is_draft=True
        )
    operation.emit_event("invoice.created", invoice)


def change_items(
    operation: Operation, subscription: Subscription, items: list[SoldItem], proration_behavior: str
) -> Invoice | None:
    """Replace what is sold. Another interval begins a new period at once; otherwise the rest of this one is prorated.

    Returns the invoice to collect now, if there is one.
    """
    world, before = operation.world, find_recurring(operation.world, subscription.items)
    after, bill_now = find_recurring(world, items), proration_behavior == "always_invoice"
    portions: list[InvoiceLine] = []
    if subscription.status != "trialing" and proration_behavior != "none":
        portions = [_build_proration_line(operation, subscription, item, -1) for item in subscription.items]
    subscription.items = items
    # A trial goes on, whatever comes after it.
    if before != after and subscription.status != "trialing":
        subscription.billing_cycle_anchor = subscription.period_start = operation.now
        subscription.period_end, bill_now = add_intervals(operation.now, after), True
        subscription.cancel_at = (
            subscription.period_end if subscription.cancel_at_period_end else subscription.cancel_at
        )
        portions += _build_period_lines(operation, subscription)
    elif portions:
        portions += [_build_proration_line(operation, subscription, item, 1) for item in items]
    if bill_now and portions:
        return _create_invoice(operation, subscription, "subscription_update", portions)
    subscription.pending += portions
    return None


def end_subscription(
    operation: Operation, subscription: Subscription, reason: str = "cancellation_requested"
) -> Subscription:
    subscription.status, subscription.ended_at = "canceled", operation.now
    subscription.canceled_at = subscription.canceled_at or operation.now
    subscription.why = {"reason": reason, **subscription.why}
    for invoice in operation.store.find(Invoice, parent=LIVE_PHASE):
        if invoice.subscription == subscription.id:
            invoice.auto_advance, invoice.next_payment_attempt, invoice.automatically_finalizes_at = False, None, None
            operation.store_resource(invoice)
    return operation.store_and_emit(subscription, "customer.subscription.deleted")


def finalize_invoice(operation: Operation, invoice: Invoice) -> None:
    """Give an invoice its number, and let the customer's balance pay its part."""
    customer = get_customer(operation, invoice.customer)
    invoice.number = f"{customer.invoice_prefix}-{customer.next_invoice_sequence:04}"
    customer.next_invoice_sequence += 1
    with operation.track_changes(customer, "customer.updated"):
        invoice.starting_balance, customer.currency = customer.balance, invoice.currency
        owed = invoice.total + customer.balance
        customer.balance = min(owed, 0)
    invoice.ending_balance, invoice.amount_due = customer.balance, max(owed, 0)
    invoice.amount_remaining, invoice.status = invoice.amount_due, "open"
    invoice.finalized_at = invoice.effective_at = operation.now
    invoice.automatically_finalizes_at = None
    operation.store_and_emit(invoice, "invoice.finalized")


def pay_invoice(operation: Operation, invoice: Invoice) -> bool:
    if invoice.amount_due and take_post_fate(operation.world, invoice.customer).failure:
        _record_failed_payment(operation, invoice)
        return False
    _mark_paid(operation, invoice)
    return True


def collect_invoice(operation: Operation, invoice: Invoice) -> None:
    finalize_invoice(operation, invoice)
    pay_invoice(operation, invoice)


def accept_card(operation: Operation, customer: str) -> int:
    """A valid card replaces the one that was declined, and pays what is open. Returns how many invoices that is."""
    set_post_fate(operation.world, customer, "", times=0, replace_earlier=True)
    due = operation.store.find(Invoice, parent=LIVE_PHASE)
    return sum(
        pay_invoice(operation, invoice) for invoice in due if (invoice.customer, invoice.status) == (customer, "open")
    )


def decline_card(context: VendorContext, customer: str, times: int = 1000) -> None:
    """Decline the next payments, by default more than are ever tried."""
    set_post_fate(context, customer, "card_declined", times=times, replace_earlier=True)


def run_due_work(context: VendorContext) -> None:
    """Do what the clock has brought, in its order and as if at its time."""
    while True:
        due = min(_iterate_due_tasks(context), key=lambda function: function.due_at, default=None)
        if due is None or due.due_at > context.clock.get_unix_time():
            return
        due.run(Operation(context, due.due_at), due.resource)


class _DueTask(NamedTuple):
    due_at: int
    run: Callable[[Operation, Any], object]
    resource: Resource


def _iterate_due_tasks(context: VendorContext) -> Iterator[_DueTask]:
    """List what will happen and when. Of what is due at the same time, the first in the list happens."""
    for session in context.store.find(Session, parent=LIVE_PHASE):
        yield _DueTask(session.expires_at, expire_session, session)
    for subscription in context.store.find(Subscription, parent=LIVE_PHASE):
        if subscription.cancel_at is not None:
            yield _DueTask(subscription.cancel_at, end_subscription, subscription)
        yield _DueTask(subscription.period_end, renew_subscription, subscription)
    for invoice in context.store.find(Invoice, parent=LIVE_PHASE):
        if invoice.automatically_finalizes_at is not None:
            yield _DueTask(invoice.automatically_finalizes_at, collect_invoice, invoice)
        if invoice.next_payment_attempt is not None:
            yield _DueTask(invoice.next_payment_attempt, pay_invoice, invoice)


def _create_invoice(
    operation: Operation,
    subscription: Subscription,
    reason: str,
    new_lines: list[InvoiceLine],
    *,
    is_draft: bool = False,
) -> Invoice:
    customer, lines = get_customer(operation, subscription.customer), [*subscription.pending, *new_lines]
    subscription.pending = []
    total, first = sum(line.amount for line in lines), subscription.period_start
    invoice = Invoice(
        id=generate_id("in"),
        created=operation.now,
        amount_due=max(total, 0),
        amount_remaining=max(total, 0),
        automatically_finalizes_at=operation.now + _DRAFT_PERIOD_SECONDS if is_draft else None,
        billing_reason=reason,  # type: ignore[arg-type]  # one of three words of this module
        currency=subscription.currency,
        customer=customer.id,
        customer_email=customer.email,
        customer_name=customer.name,
        # The period in which what is billed accrued: the one before a renewal.
        period_start=_compute_previous_period_start(operation.world, subscription) if is_draft else first,
        period_end=first,
        starting_balance=customer.balance,
        subtotal=total,
        total=total,
        subscription=subscription.id,
        subscription_metadata=subscription.metadata,
        portions=lines,
    )
    subscription.latest_invoice = invoice.id
    return operation.store_resource(invoice)


def _mark_paid(operation: Operation, invoice: Invoice) -> None:
    if invoice.amount_due:
        invoice.attempt_count += 1
    invoice.attempted, invoice.status, invoice.paid_at = True, "paid", operation.now
    invoice.amount_paid, invoice.amount_remaining = invoice.amount_due, 0
    invoice.next_payment_attempt, invoice.auto_advance = None, False
    operation.store_and_emit(invoice, "invoice.paid")
    operation.emit_event("invoice.payment_succeeded", invoice)
    _update_payment_status(operation, invoice, "active")


def _record_failed_payment(operation: Operation, invoice: Invoice) -> None:
    invoice.attempted, invoice.attempt_count = True, invoice.attempt_count + 1
    tries = invoice.attempt_count
    wait = _RETRY_DAYS[tries - 1] if tries <= len(_RETRY_DAYS) else None
    invoice.next_payment_attempt = None if wait is None else operation.now + wait * DAY_SECONDS
    operation.store_and_emit(invoice, "invoice.payment_failed")
    _update_payment_status(operation, invoice, "past_due" if wait else "canceled")


def _update_payment_status(operation: Operation, invoice: Invoice, status: str) -> None:
    """Let a payment or its failure show on the customer and the subscription."""
    customer = get_customer(operation, invoice.customer)
    with operation.track_changes(customer, "customer.updated"):
        customer.delinquent = status != "active"
    subscription = operation.store.get(Subscription, invoice.subscription)
    if subscription is None or subscription.status == "canceled":
        return
    if status == "canceled":
        end_subscription(operation, subscription, "payment_failed")
    elif status == "past_due" or subscription.status == "past_due":
        with operation.track_changes(subscription, SUBSCRIPTION_UPDATED_EVENT):
            subscription.status = "past_due" if status == "past_due" else "active"


def _build_period_lines(operation: Operation, subscription: Subscription) -> list[InvoiceLine]:
    """Return the lines for the whole period, free of charge during a trial."""
    return [
        _build_line(operation, subscription, item, subscription.period_start, subscription.period_end)
        for item in subscription.items
    ]


def _build_line(
    operation: Operation, subscription: Subscription, item: SoldItem, start_time: int, end_time: int
) -> InvoiceLine:
    price = get_price(operation.store, item.price)
    name, amount = get_product_name(operation.store, price), compute_amount(operation.store, item)
    each = f"(at ${price.unit_amount / 100:.2f} / {find_recurring(operation.world, [item]).interval})"
    on_trial = subscription.status == "trialing"
    return InvoiceLine(
        id=generate_id("il", 14),
        item=item.id,
        price=item.price,
        quantity=item.quantity,
        amount=0 if on_trial else amount,
        description=f"Trial period for {name}" if on_trial else f"{item.quantity} x {name} {each}",
        start=start_time,
        end=end_time,
    )


def _build_proration_line(operation: Operation, subscription: Subscription, item: SoldItem, sign: int) -> InvoiceLine:
    """Return the line for what is left of the period: a credit for the old price, a charge for the new one."""
    line = _build_line(operation, subscription, item, operation.now, subscription.period_end)
    left = (subscription.period_end - operation.now) / max(1, subscription.period_end - subscription.period_start)
    price = get_price(operation.store, item.price)
    label = "Remaining time on" if sign > 0 else "Unused time on"
    day = datetime.fromtimestamp(operation.now, UTC)
    line.description = f"{label} {get_product_name(operation.store, price)} after {day:%d %b %Y}"
    line.amount, line.proration = sign * round(line.amount * left), True
    return line


def _compute_next_period_end(context: VendorContext, subscription: Subscription) -> int:
    """Return the end of the period after this one, counted from the anchor: after a February, the 31st is back."""
    recurring, count = find_recurring(context, subscription.items), 1
    while (at := add_intervals(subscription.billing_cycle_anchor, recurring, count)) <= subscription.period_end:
        count += 1
    return at


def _compute_previous_period_start(context: VendorContext, subscription: Subscription) -> int:
    recurring = find_recurring(context, subscription.items)
    return max(subscription.start_date, add_intervals(subscription.period_start, recurring, -1))


def schedule_end(operation: Operation, subscription: Subscription, end_time: int | None) -> None:
    """Let a subscription end later, or no longer."""
    subscription.cancel_at, subscription.cancel_at_period_end = end_time, False
    subscription.canceled_at = None if end_time is None else operation.now
    subscription.why = {} if end_time is None else {"reason": "cancellation_requested"}
