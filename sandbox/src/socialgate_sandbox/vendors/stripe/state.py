"""The objects of the API, stored as they are sent: a field is a field of the wire, unless it is `hidden`.

`CONSTANT` holds what is the same for every object, most of it null. The shapes are those of `api.VERSION`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import msgspec

from socialgate_sandbox.kit import Store, StoredObject

Interval = Literal["day", "week", "month", "year"]
LIVE_PHASE, DONE_PHASE = "live", "done"


def build_constant_fields(names: str, **values: Any) -> Mapping[str, Any]:
    return dict.fromkeys(names.split()) | values


def build_list(url: str, data: list[Any], *, has_more: bool = False) -> dict[str, Any]:
    return {"object": "list", "url": url, "has_more": has_more, "data": data}


class Resource(StoredObject, kw_only=True):
    """`parent` is the phase: whether the clock can still change the object."""

    CONSTANT: ClassVar[Mapping[str, Any]] = {}
    HIDDEN: ClassVar[tuple[str, ...]] = ()

    object: str
    created: int
    metadata: dict[str, str] = {}

    @property
    def phase(self) -> str:
        return ""

    def build_json(self, _store: Store) -> dict[str, Any]:
        body: dict[str, Any] = msgspec.to_builtins(self)
        for name in ("parent", *self.HIDDEN):
            del body[name]
        return {"livemode": False, **self.CONSTANT, **body}


class Customer(Resource, kw_only=True):
    CONSTANT = build_constant_fields(
        "address default_source discount shipping test_clock",
        invoice_settings=build_constant_fields("custom_fields default_payment_method footer rendering_options"),
        tax_exempt="none",
    )
    HIDDEN = ("deleted",)

    object: str = "customer"
    balance: int = 0
    currency: str | None = None
    delinquent: bool = False
    description: str | None = None
    email: str | None = None
    invoice_prefix: str
    name: str | None = None
    next_invoice_sequence: int = 1
    phone: str | None = None
    preferred_locales: list[str] = []
    deleted: bool = False

    @property
    def phase(self) -> str:
        return DONE_PHASE if self.deleted else LIVE_PHASE

    def build_json(self, store: Store) -> dict[str, Any]:
        return {"id": self.id, "object": self.object, "deleted": True} if self.deleted else super().build_json(store)


class Product(Resource, kw_only=True):
    CONSTANT = build_constant_fields(
        "package_dimensions shippable statement_descriptor tax_code unit_label url",
        images=[],
        marketing_features=[],
        type="service",
    )

    object: str = "product"
    active: bool = True
    default_price: str | None = None
    description: str | None = None
    name: str
    updated: int


class Recurring(msgspec.Struct, kw_only=True):
    interval: Interval
    interval_count: int = 1
    meter: None = None
    trial_period_days: None = None
    usage_type: str = "licensed"


class Price(Resource, kw_only=True):
    CONSTANT = build_constant_fields(
        "custom_unit_amount tiers_mode transform_quantity", billing_scheme="per_unit", tax_behavior="unspecified"
    )

    object: str = "price"
    active: bool = True
    currency: str
    lookup_key: str | None = None
    nickname: str | None = None
    product: str
    recurring: Recurring | None = None
    type: Literal["one_time", "recurring"]
    unit_amount: int

    def build_json(self, store: Store) -> dict[str, Any]:
        return super().build_json(store) | {"unit_amount_decimal": str(self.unit_amount)}

    def build_plan_json(self, store: Store) -> dict[str, Any]:
        """The older form of a price, which subscriptions still contain."""
        shown, recurring = self.build_json(store), self.recurring or Recurring(interval="month")
        same = ("id", "active", "billing_scheme", "created", "currency", "livemode", "metadata", "nickname", "product")
        return {
            **{name: shown[name] for name in same},
            **msgspec.to_builtins(recurring),
            **build_constant_fields("tiers_mode transform_usage", object="plan"),
            "amount": self.unit_amount,
            "amount_decimal": str(self.unit_amount),
        }


class SoldItem(msgspec.Struct, kw_only=True):
    """What is sold: a price, and how many of it."""

    id: str
    price: str
    quantity: int = 1
    created: int
    metadata: dict[str, str] = {}


class InvoiceLine(msgspec.Struct, kw_only=True):
    """A line of an invoice. A proration is the rest of a period, of the old price or the new one."""

    id: str
    item: str
    price: str
    quantity: int
    amount: int
    description: str
    start: int
    end: int
    proration: bool = False


class Event(Resource, kw_only=True):
    HIDDEN = ("metadata",)

    object: str = "event"
    api_version: str
    data: dict[str, Any]
    pending_webhooks: int
    request: dict[str, str | None]
    type: str


class Endpoint(Resource, kw_only=True):
    """A webhook endpoint. Its secret is shown once, when it is created."""

    CONSTANT = build_constant_fields("application")
    HIDDEN = ("secret",)

    object: str = "webhook_endpoint"
    api_version: str | None = None
    description: str | None = None
    enabled_events: list[str]
    secret: str
    status: Literal["enabled", "disabled"] = "enabled"
    url: str


def compute_amount(store: Store, item: SoldItem) -> int:
    return get_price(store, item.price).unit_amount * item.quantity


def get_price(store: Store, key: str) -> Price:
    price = store.get(Price, key)
    assert price is not None, "prices are never deleted"
    return price


def get_product_name(store: Store, price: Price) -> str:
    product = store.get(Product, price.product)
    return price.product if product is None else product.name
