"""Checkout sessions, subscriptions and invoices: the objects that the clock changes."""

from typing import Any, Literal

import msgspec

from socialgate_sandbox.kit import Store
from socialgate_sandbox.vendors.stripe.state import (
    DONE_PHASE,
    LIVE_PHASE,
    InvoiceLine,
    Resource,
    SoldItem,
    build_constant_fields,
    build_list,
    compute_amount,
    get_price,
    get_product_name,
)

SubscriptionStatus = Literal["trialing", "active", "past_due", "canceled"]
InvoiceStatus = Literal["draft", "open", "paid"]


class Session(Resource, kw_only=True):
    """A checkout session. `items` and `subscription_data` are for the subscription that it starts."""

    CONSTANT = build_constant_fields(
        "after_expiration client_secret collected_information consent consent_collection currency_conversion "
        "customer_creation invoice_creation payment_intent payment_link payment_method_configuration_details "
        "permissions presentment_details recovered_from saved_payment_method_options setup_intent "
        "shipping_address_collection shipping_cost submit_type wallet_options",
        automatic_tax=build_constant_fields("liability provider status", enabled=False),
        custom_fields=[],
        custom_text=build_constant_fields("after_submit shipping_address submit terms_of_service_acceptance"),
        discounts=[],
        mode="subscription",
        payment_method_options={},
        payment_method_types=["card"],
        phone_number_collection={"enabled": False},
        shipping_options=[],
        total_details={"amount_discount": 0, "amount_shipping": 0, "amount_tax": 0},
        ui_mode="hosted_page",
    )
    HIDDEN = ("items", "trial_days", "description", "subscription_metadata", "page")

    object: str = "checkout.session"
    allow_promotion_codes: bool | None = None
    amount_subtotal: int
    amount_total: int
    billing_address_collection: str | None = None
    cancel_url: str | None = None
    client_reference_id: str | None = None
    currency: str
    customer: str | None = None
    customer_details: dict[str, Any] | None = None
    customer_email: str | None = None
    expires_at: int
    invoice: str | None = None
    locale: str | None = None
    payment_method_collection: str = "always"
    payment_status: Literal["paid", "unpaid", "no_payment_required"] = "unpaid"
    status: Literal["open", "complete", "expired"] = "open"
    subscription: str | None = None
    success_url: str
    items: list[SoldItem]
    trial_days: int = 0
    description: str | None = None
    subscription_metadata: dict[str, str] = {}
    page: str

    @property
    def phase(self) -> str:
        return LIVE_PHASE if self.status == "open" else DONE_PHASE

    def build_json(self, store: Store) -> dict[str, Any]:
        # Only an open session can be paid.
        return super().build_json(store) | {"url": self.page if self.status == "open" else None}

    def build_line_items(self, store: Store) -> dict[str, Any]:
        zero = {"amount_discount": 0, "amount_tax": 0}
        data = []
        for item in self.items:
            price, amount = get_price(store, item.price), compute_amount(store, item)
            line = {"id": item.id, "object": "item", **zero, "amount_subtotal": amount, "amount_total": amount}
            line |= {
                "currency": price.currency,
                "description": get_product_name(store, price),
                "price": price.build_json(store),
            }
            data.append(line | {"quantity": item.quantity})
        return build_list(f"/v1/checkout/sessions/{self.id}/line_items", data)


class PortalSession(Resource, kw_only=True):
    """Its phase is the secret part of its address."""

    CONSTANT = build_constant_fields("flow on_behalf_of")
    HIDDEN = ("metadata", "secret")

    object: str = "billing_portal.session"
    configuration: str
    customer: str
    locale: str | None = None
    return_url: str | None = None
    url: str
    secret: str

    @property
    def phase(self) -> str:
        return self.secret


class Subscription(Resource, kw_only=True):
    """`pending` are the prorations for the next invoice."""

    CONSTANT = build_constant_fields(
        "application application_fee_percent billing_cycle_anchor_config billing_thresholds days_until_due "
        "default_payment_method default_source next_pending_invoice_item_invoice on_behalf_of pause_collection "
        "pending_invoice_item_interval pending_setup_intent pending_update schedule test_clock transfer_data",
        automatic_tax=build_constant_fields("disabled_reason liability", enabled=False),
        billing_mode={"flexible": {"proration_discounts": "included"}, "type": "flexible", "updated_at": None},
        billing_schedules=[],
        collection_method="charge_automatically",
        default_tax_rates=[],
        discounts=[],
        invoice_settings=build_constant_fields("account_tax_ids", issuer={"type": "self"}),
        payment_settings=build_constant_fields(
            "payment_method_options payment_method_types", save_default_payment_method="off"
        ),
        trial_settings={"end_behavior": {"missing_payment_method": "create_invoice"}},
    )
    HIDDEN = ("items", "period_start", "period_end", "pending", "why")

    object: str = "subscription"
    billing_cycle_anchor: int
    cancel_at: int | None = None
    cancel_at_period_end: bool = False
    canceled_at: int | None = None
    currency: str
    customer: str
    description: str | None = None
    ended_at: int | None = None
    latest_invoice: str | None = None
    start_date: int
    status: SubscriptionStatus
    trial_end: int | None = None
    trial_start: int | None = None
    items: list[SoldItem]
    period_start: int
    period_end: int
    pending: list[InvoiceLine] = []
    why: dict[str, str | None] = {}

    @property
    def phase(self) -> str:
        return DONE_PHASE if self.status == "canceled" else LIVE_PHASE

    def build_json(self, store: Store) -> dict[str, Any]:
        items = build_list(
            f"/v1/subscription_items?subscription={self.id}",
            [self._build_item_json(store, item) for item in self.items],
        )
        details = {**build_constant_fields("comment feedback reason"), **self.why}
        return super().build_json(store) | {"items": items, "cancellation_details": details}

    def _build_item_json(self, store: Store, item: SoldItem) -> dict[str, Any]:
        price = get_price(store, item.price)
        return {
            **msgspec.to_builtins(item),
            **build_constant_fields("billing_thresholds", object="subscription_item", discounts=[], tax_rates=[]),
            "current_period_start": self.period_start,
            "current_period_end": self.period_end,
            "plan": price.build_plan_json(store),
            "price": price.build_json(store),
            "subscription": self.id,
        }


class Invoice(Resource, kw_only=True):
    CONSTANT = build_constant_fields(
        "account_tax_ids application custom_fields customer_address customer_phone customer_shipping "
        "default_payment_method default_source description due_date footer from_invoice hosted_invoice_url invoice_pdf "
        "last_finalization_error latest_revision on_behalf_of receipt_number rendering shipping_cost shipping_details "
        "statement_descriptor test_clock",
        account_country="US",
        account_name="Socialgate sandbox",
        amount_overpaid=0,
        amount_shipping=0,
        automatic_tax=build_constant_fields("disabled_reason liability provider status", enabled=False),
        collection_method="charge_automatically",
        customer_tax_exempt="none",
        customer_tax_ids=[],
        default_tax_rates=[],
        discounts=[],
        issuer={"type": "self"},
        payment_settings=build_constant_fields("default_mandate payment_method_options payment_method_types"),
        post_payment_credit_notes_amount=0,
        pre_payment_credit_notes_amount=0,
        total_discount_amounts=[],
        total_pretax_credit_amounts=[],
        total_taxes=[],
    )
    HIDDEN = ("subscription", "subscription_metadata", "portions", "finalized_at", "paid_at")

    object: str = "invoice"
    amount_due: int
    amount_paid: int = 0
    amount_remaining: int
    attempt_count: int = 0
    attempted: bool = False
    auto_advance: bool = True
    automatically_finalizes_at: int | None = None
    billing_reason: Literal["subscription_create", "subscription_cycle", "subscription_update"]
    currency: str
    customer: str
    customer_email: str | None
    customer_name: str | None
    effective_at: int | None = None
    ending_balance: int | None = None
    next_payment_attempt: int | None = None
    number: str | None = None
    period_end: int
    period_start: int
    starting_balance: int
    status: InvoiceStatus = "draft"
    subtotal: int
    total: int
    webhooks_delivered_at: int | None = None
    subscription: str
    subscription_metadata: dict[str, str] = {}
    portions: list[InvoiceLine]
    finalized_at: int | None = None
    paid_at: int | None = None

    @property
    def phase(self) -> str:
        return DONE_PHASE if self.status == "paid" else LIVE_PHASE

    def build_json(self, store: Store) -> dict[str, Any]:
        detail = build_constant_fields("subscription_proration_date", subscription=self.subscription)
        detail = {**detail, "metadata": self.subscription_metadata}
        moments = {"finalized_at": self.finalized_at, "paid_at": self.paid_at}
        return super().build_json(store) | {
            "lines": build_list(
                f"/v1/invoices/{self.id}/lines", [self._build_line_json(store, portion) for portion in self.portions]
            ),
            "parent": build_constant_fields("quote_details", subscription_details=detail, type="subscription_details"),
            "status_transitions": build_constant_fields("marked_uncollectible_at voided_at", **moments),
            "subtotal_excluding_tax": self.subtotal,
            "total_excluding_tax": self.total,
        }

    def _build_line_json(self, store: Store, line: InvoiceLine) -> dict[str, Any]:
        price = get_price(store, line.price)
        detail = build_constant_fields(
            "invoice_item", proration=line.proration, proration_details={"credited_items": None}
        )
        detail = {**detail, "subscription": self.subscription, "subscription_item": line.item}
        kind = "subscription_item_details"
        sold = {"price": line.price, "product": price.product}
        return {
            "id": line.id,
            "object": "line_item",
            "amount": line.amount,
            "currency": self.currency,
            "description": line.description,
            "discount_amounts": [],
            "discountable": not line.proration,
            "discounts": [],
            "invoice": self.id,
            "livemode": False,
            "metadata": self.subscription_metadata,
            "parent": build_constant_fields("invoice_item_details", type=kind, **{kind: detail}),
            "period": {"start": line.start, "end": line.end},
            "pretax_credit_amounts": [],
            "pricing": {"price_details": sold, "type": "price_details", "unit_amount_decimal": str(price.unit_amount)},
            "quantity": line.quantity,
            "subtotal": line.amount,
            "taxes": [],
        }
