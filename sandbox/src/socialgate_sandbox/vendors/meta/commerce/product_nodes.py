"""Products as the Graph API shows them, and what it requires of them."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.nodes import NodeType, Resolver, own
from socialgate_sandbox.kit import Call
from socialgate_sandbox.society.catalogs import Product, Rules, is_reviewed
from socialgate_sandbox.society.product_filters import Reader
from socialgate_sandbox.vendors.meta.ads.accounts import WHOLE

AVAILABILITIES = (
    "in stock", "out of stock", "preorder", "available for order", "discontinued", "pending", "mark_as_sold",
    "mark_as_expired",
)  # fmt: skip
CONDITIONS = (
    "new",
    "refurbished",
    "used",
    "used_like_new",
    "used_good",
    "used_fair",
    "cpo",
    "open_box_new",
)
RULES = Rules(
    required=("title", "description", "availability", "condition", "price", "link", "image_link"),
    words={"availability": AVAILABILITIES, "condition": CONDITIONS, "visibility": ("published", "staging")},
    longest={"id": 100, "title": 200, "description": 9999, "brand": 100},
    id_length=16,
)
# The names of product fields, by their names in feeds.
NAMES = {
    "name": "title",
    "description": "description",
    "availability": "availability",
    "condition": "condition",
    "brand": "brand",
    "url": "link",
    "image_url": "image_link",
    "additional_image_urls": "additional_image_link",
    "retailer_product_group_id": "item_group_id",
    "category": "google_product_category",
    "product_type": "product_type",
    "inventory": "quantity_to_sell_on_facebook",
    "color": "color",
    "size": "size",
    "gender": "gender",
    "age_group": "age_group",
    "gtin": "gtin",
    **{f"custom_label_{number}": f"custom_label_{number}" for number in range(5)},
}
_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "BRL": "R$", "INR": "₹", "KRW": "₩", "MXN": "MX$"}


def offset_of(currency: str) -> int:
    """Return how many of its integers make one main unit: Meta has its own list, and does not count thousandths."""
    return 1 if currency in WHOLE else 100


def _shown(name: str) -> Resolver:
    def resolve(_call: Call, product: Product, _field: Field) -> str | None:
        currency, amount = product.fields.get("currency", ""), product.fields.get(name)
        return f"{_SYMBOLS.get(currency, f'{currency} ')}{Decimal(amount):,}" if amount else None

    return resolve


def _field(name: str) -> Resolver:
    return lambda _call, product, _field: product.fields.get(name)


PRODUCT = NodeType(
    "ProductItem",
    {
        **own("id"),
        **{name: _field(feed) for name, feed in NAMES.items()},
        "retailer_id": lambda _call, product, _field: product.sku,
        "currency": _field("currency"),
        "price": _shown("price"),
        "sale_price": _shown("sale_price"),
        "visibility": lambda _call, product, _field: product.fields.get("visibility", "published"),
        "review_status": lambda call, product, _field: "approved" if is_reviewed(call.world, product) else "pending",
        "errors": lambda _call, _product, _field: [],
        "product_catalog": lambda _call, product, _field: {"id": product.parent},
    },
    ("id", "name", "retailer_id"),
)


def _amount(name: str) -> Reader:
    """Read a price as filters have it: multiplied by 100, for all currencies."""

    def read(product: Product) -> Decimal | None:
        amount = product.fields.get(name)
        return Decimal(amount) * 100 if amount else None

    return read


def _read(feed: str) -> Callable[[Product], Any]:
    return lambda product: product.fields.get(feed)


READERS: Mapping[str, Reader] = {
    **{name: _read(feed) for name, feed in NAMES.items()},
    "retailer_id": lambda product: product.sku,
    "product_item_id": lambda product: product.id,
    "currency": _read("currency"),
    "visibility": lambda product: product.fields.get("visibility", "published"),
    "price_amount": _amount("price"),
    "sale_price_amount": _amount("sale_price"),
}
