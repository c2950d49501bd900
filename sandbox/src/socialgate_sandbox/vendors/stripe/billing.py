"""What happens to subscriptions: they start, renew, are billed and paid or not, change, and end."""

from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from socialgate_sandbox.kit import World, hexadecimal
from socialgate_sandbox.kit.lifecycle import choose_fate, next_fate
from socialgate_sandbox.vendors.stripe.billing_state import Invoice, Session, Subscription
from socialgate_sandbox.vendors.stripe.happening import Happening, new_id
from socialgate_sandbox.vendors.stripe.state import (
    LIVE,
    Customer,
    Item,
    Portion,
    Price,
    Recurring,
    Resource,
    amount_of,
    name_of,
    price_of,
)

DAY = 86_400
# A renewal stays a draft for an hour, in which a merchant could still change it.
_DRAFT_SECONDS = 3600
# The days between the attempts to collect a payment. After the last one, the subscription is canceled.
_RETRY_DAYS = (3, 5, 7)
UPDATED = "customer.subscription.updated"
# Who pays if nobody says so.
GUEST = "payer@example.com"


def later(start: int, recurring: Recurring, count: int = 1) -> int:
    """Return the moment a number of intervals later. Months have the same day, or end earlier if they are shorter."""
    at, number = datetime.fromtimestamp(start, UTC), recurring.interval_count * count
    if recurring.interval in {"day", "week"}:
        days = number * (7 if recurring.interval == "week" else 1)
        return int((at + timedelta(days=days)).timestamp())
    months = at.year * 12 + at.month - 1 + number * (12 if recurring.interval == "year" else 1)
    year, month = months // 12, months % 12 + 1
    return int(at.replace(year=year, month=month, day=min(at.day, monthrange(year, month)[1])).timestamp())


def recurring_of(world: World, items: Iterable[Item]) -> Recurring:
    prices = world.store.get_all(Price, (item.price for item in items))
    return next(price.recurring for price in prices if price.recurring is not None)


def customer_of(happening: Happening, key: str) -> Customer:
    found = happening.store.get(Customer, key)
    assert found is not None, "customers are kept even if they are deleted"
    return found


def start(happening: Happening, session: Session, email: str) -> Subscription:
    """Complete a checkout session, as the person does who pays it."""
    now = happening.now
    if session.customer is None:
        made = new_customer(happening, session.customer_email or email)
        session.customer = happening.create(made, "customer.created").id
    customer = customer_of(happening, session.customer)
    # The card that was just accepted replaces one that is declined.
    choose_fate(happening.world, customer.id, "", times=0, instead=True)
    trial_end = now + session.trial_days * DAY if session.trial_days else None
    items = [Item(id=new_id("si", 14), price=one.price, quantity=one.quantity, created=now) for one in session.items]
    one = Subscription(
        id=new_id("sub"),
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
        period_end=trial_end or later(now, recurring_of(happening.world, items)),
    )
    invoice = _bill(happening, one, "subscription_create", _period(happening, one))
    happening.create(one, "customer.subscription.created")
    happening.emit("invoice.created", invoice)
    finalize(happening, invoice)
    _settle(happening, invoice)
    session.status, session.subscription, session.invoice = "complete", one.id, invoice.id
    session.payment_status = "paid" if invoice.total else "no_payment_required"
    session.customer_details = {
        **dict.fromkeys(("address", "business_name", "individual_name", "phone")),
        "email": customer.email,
        "name": customer.name,
        "tax_exempt": "none",
        "tax_ids": [],
    }
    happening.create(session, "checkout.session.completed")
    return one


def new_customer(happening: Happening, email: str | None = None) -> Customer:
    prefix = hexadecimal(8).upper()
    return Customer(id=new_id("cus", 14), created=happening.now, email=email, invoice_prefix=prefix)


def expire(happening: Happening, session: Session) -> Session:
    session.status = "expired"
    return happening.create(session, "checkout.session.expired")


def renew(happening: Happening, one: Subscription) -> None:
    """Begin the next period, with an invoice that is collected later."""
    with happening.changing(one, UPDATED):
        one.period_start, one.period_end = one.period_end, _next_end(happening.world, one)
        if one.status == "trialing":
            one.status = "active"
        invoice = _bill(happening, one, "subscription_cycle", _period(happening, one), draft=True)
    happening.emit("invoice.created", invoice)


def change(happening: Happening, one: Subscription, items: list[Item], prorate: str) -> Invoice | None:
    """Replace what is sold. Another interval begins a new period at once; otherwise the rest of this one is prorated.

    Returns the invoice to collect now, if there is one.
    """
    world, before = happening.world, recurring_of(happening.world, one.items)
    after, bill_now = recurring_of(world, items), prorate == "always_invoice"
    portions: list[Portion] = []
    if one.status != "trialing" and prorate != "none":
        portions = [_rest(happening, one, item, -1) for item in one.items]
    one.items = items
    # A trial goes on, whatever comes after it.
    if before != after and one.status != "trialing":
        one.billing_cycle_anchor = one.period_start = happening.now
        one.period_end, bill_now = later(happening.now, after), True
        one.cancel_at = one.period_end if one.cancel_at_period_end else one.cancel_at
        portions += _period(happening, one)
    elif portions:
        portions += [_rest(happening, one, item, 1) for item in items]
    if bill_now and portions:
        return _bill(happening, one, "subscription_update", portions)
    one.pending += portions
    return None


def end(happening: Happening, one: Subscription, reason: str = "cancellation_requested") -> Subscription:
    one.status, one.ended_at = "canceled", happening.now
    one.canceled_at = one.canceled_at or happening.now
    one.why = {"reason": reason, **one.why}
    for invoice in happening.store.find(Invoice, parent=LIVE):
        if invoice.subscription == one.id:
            invoice.auto_advance, invoice.next_payment_attempt, invoice.automatically_finalizes_at = False, None, None
            happening.put(invoice)
    return happening.create(one, "customer.subscription.deleted")


def finalize(happening: Happening, invoice: Invoice) -> None:
    """Give an invoice its number, and let the customer's balance pay its part."""
    customer = customer_of(happening, invoice.customer)
    invoice.number = f"{customer.invoice_prefix}-{customer.next_invoice_sequence:04}"
    customer.next_invoice_sequence += 1
    with happening.changing(customer, "customer.updated"):
        invoice.starting_balance, customer.currency = customer.balance, invoice.currency
        owed = invoice.total + customer.balance
        customer.balance = min(owed, 0)
    invoice.ending_balance, invoice.amount_due = customer.balance, max(owed, 0)
    invoice.amount_remaining, invoice.status = invoice.amount_due, "open"
    invoice.finalized_at = invoice.effective_at = happening.now
    invoice.automatically_finalizes_at = None
    happening.create(invoice, "invoice.finalized")


def pay(happening: Happening, invoice: Invoice) -> bool:
    if invoice.amount_due and next_fate(happening.world, invoice.customer).failure:
        _fail(happening, invoice)
        return False
    _settle(happening, invoice)
    return True


def collect(happening: Happening, invoice: Invoice) -> None:
    finalize(happening, invoice)
    pay(happening, invoice)


def accept_card(happening: Happening, customer: str) -> int:
    """A valid card replaces the one that was declined, and pays what is open. Returns how many invoices that is."""
    choose_fate(happening.world, customer, "", times=0, instead=True)
    due = happening.store.find(Invoice, parent=LIVE)
    return sum(pay(happening, one) for one in due if (one.customer, one.status) == (customer, "open"))


def decline_card(world: World, customer: str, times: int = 1000) -> None:
    """Decline the next payments, by default more than are ever tried."""
    choose_fate(world, customer, "card_declined", times=times, instead=True)


def catch_up(world: World) -> None:
    """Do what the clock has brought, in its order and as if at its time."""
    while True:
        due = min(_dues(world), key=lambda one: one.at, default=None)
        if due is None or due.at > world.clock.time():
            return
        due.do(Happening(world, due.at), due.what)


class _Due(NamedTuple):
    at: int
    do: Callable[[Happening, Any], object]
    what: Resource


def _dues(world: World) -> Iterator[_Due]:
    """List what will happen and when. Of what is due at the same time, the first in the list happens."""
    for session in world.store.find(Session, parent=LIVE):
        yield _Due(session.expires_at, expire, session)
    for one in world.store.find(Subscription, parent=LIVE):
        if one.cancel_at is not None:
            yield _Due(one.cancel_at, end, one)
        yield _Due(one.period_end, renew, one)
    for invoice in world.store.find(Invoice, parent=LIVE):
        if invoice.automatically_finalizes_at is not None:
            yield _Due(invoice.automatically_finalizes_at, collect, invoice)
        if invoice.next_payment_attempt is not None:
            yield _Due(invoice.next_payment_attempt, pay, invoice)


def _bill(
    happening: Happening, one: Subscription, reason: str, portions: list[Portion], *, draft: bool = False
) -> Invoice:
    customer, lines = customer_of(happening, one.customer), [*one.pending, *portions]
    one.pending = []
    total, first = sum(line.amount for line in lines), one.period_start
    made = Invoice(
        id=new_id("in"),
        created=happening.now,
        amount_due=max(total, 0),
        amount_remaining=max(total, 0),
        automatically_finalizes_at=happening.now + _DRAFT_SECONDS if draft else None,
        billing_reason=reason,  # type: ignore[arg-type]  # one of three words of this module
        currency=one.currency,
        customer=customer.id,
        customer_email=customer.email,
        customer_name=customer.name,
        # The period in which what is billed accrued: the one before a renewal.
        period_start=_previous_start(happening.world, one) if draft else first,
        period_end=first,
        starting_balance=customer.balance,
        subtotal=total,
        total=total,
        subscription=one.id,
        subscription_metadata=one.metadata,
        portions=lines,
    )
    one.latest_invoice = made.id
    return happening.put(made)


def _settle(happening: Happening, invoice: Invoice) -> None:
    if invoice.amount_due:
        invoice.attempt_count += 1
    invoice.attempted, invoice.status, invoice.paid_at = True, "paid", happening.now
    invoice.amount_paid, invoice.amount_remaining = invoice.amount_due, 0
    invoice.next_payment_attempt, invoice.auto_advance = None, False
    happening.create(invoice, "invoice.paid")
    happening.emit("invoice.payment_succeeded", invoice)
    _mark(happening, invoice, "active")


def _fail(happening: Happening, invoice: Invoice) -> None:
    invoice.attempted, invoice.attempt_count = True, invoice.attempt_count + 1
    tries = invoice.attempt_count
    wait = _RETRY_DAYS[tries - 1] if tries <= len(_RETRY_DAYS) else None
    invoice.next_payment_attempt = None if wait is None else happening.now + wait * DAY
    happening.create(invoice, "invoice.payment_failed")
    _mark(happening, invoice, "past_due" if wait else "canceled")


def _mark(happening: Happening, invoice: Invoice, status: str) -> None:
    """Let a payment or its failure show on the customer and the subscription."""
    customer = customer_of(happening, invoice.customer)
    with happening.changing(customer, "customer.updated"):
        customer.delinquent = status != "active"
    found = happening.store.get(Subscription, invoice.subscription)
    if found is None or found.status == "canceled":
        return
    if status == "canceled":
        end(happening, found, "payment_failed")
    elif status == "past_due" or found.status == "past_due":
        with happening.changing(found, UPDATED):
            found.status = "past_due" if status == "past_due" else "active"


def _period(happening: Happening, one: Subscription) -> list[Portion]:
    """Return the lines for the whole period, free of charge during a trial."""
    return [_portion(happening, one, item, one.period_start, one.period_end) for item in one.items]


def _portion(happening: Happening, one: Subscription, item: Item, since: int, until: int) -> Portion:
    price = price_of(happening.store, item.price)
    name, amount = name_of(happening.store, price), amount_of(happening.store, item)
    each = f"(at ${price.unit_amount / 100:.2f} / {recurring_of(happening.world, [item]).interval})"
    on_trial = one.status == "trialing"
    return Portion(
        id=new_id("il", 14),
        item=item.id,
        price=item.price,
        quantity=item.quantity,
        amount=0 if on_trial else amount,
        description=f"Trial period for {name}" if on_trial else f"{item.quantity} x {name} {each}",
        start=since,
        end=until,
    )


def _rest(happening: Happening, one: Subscription, item: Item, sign: int) -> Portion:
    """Return the line for what is left of the period: a credit for the old price, a charge for the new one."""
    line = _portion(happening, one, item, happening.now, one.period_end)
    left = (one.period_end - happening.now) / max(1, one.period_end - one.period_start)
    price = price_of(happening.store, item.price)
    what = "Remaining time on" if sign > 0 else "Unused time on"
    day = datetime.fromtimestamp(happening.now, UTC)
    line.description = f"{what} {name_of(happening.store, price)} after {day:%d %b %Y}"
    line.amount, line.proration = sign * round(line.amount * left), True
    return line


def _next_end(world: World, one: Subscription) -> int:
    """Return the end of the period after this one, counted from the anchor: after a February, the 31st is back."""
    recurring, count = recurring_of(world, one.items), 1
    while (at := later(one.billing_cycle_anchor, recurring, count)) <= one.period_end:
        count += 1
    return at


def _previous_start(world: World, one: Subscription) -> int:
    recurring = recurring_of(world, one.items)
    return max(one.start_date, later(one.period_start, recurring, -1))


def schedule_end(happening: Happening, one: Subscription, at: int | None) -> None:
    """Let a subscription end later, or no longer."""
    one.cancel_at, one.cancel_at_period_end = at, False
    one.canceled_at = None if at is None else happening.now
    one.why = {} if at is None else {"reason": "cancellation_requested"}
