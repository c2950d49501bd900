"""Products as the Graph API shows them, and what it requires of them."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.nodes import FieldResolver, NodeType, resolve_attributes
from socialgate_sandbox.kit import Call
from socialgate_sandbox.society.catalogs import CatalogRules, Product, is_reviewed
from socialgate_sandbox.society.product_filters import FieldReader
from socialgate_sandbox.vendors.meta.ads.ad_accounts import ZERO_DECIMAL_CURRENCIES

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
PRODUCT_RULES = CatalogRules(
    required=("title", "description", "availability", "condition", "price", "link", "image_link"),
    allowed_values={"availability": AVAILABILITIES, "condition": CONDITIONS, "visibility": ("published", "staging")},
    max_lengths={"id": 100, "title": 200, "description": 9999, "brand": 100},
    id_length=16,
)
# The names of product fields, by their names in feeds.
FEED_NAMES = {
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
_CURRENCY_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "BRL": "R$", "INR": "₹", "KRW": "₩", "MXN": "MX$"}


def get_currency_offset(currency: str) -> int:
    """Return how many of its integers make one main unit: Meta has its own list, and does not count thousandths."""
    return 1 if currency in ZERO_DECIMAL_CURRENCIES else 100


def _build_price_resolver(name: str) -> FieldResolver:
    def resolve(_call: Call, product: Product, _field: RequestedField) -> str | None:
        currency, amount = product.fields.get("currency", ""), product.fields.get(name)
        return f"{_CURRENCY_SYMBOLS.get(currency, f'{currency} ')}{Decimal(amount):,}" if amount else None

    return resolve


def _build_field_resolver(name: str) -> FieldResolver:
    return lambda _call, product, _field: product.fields.get(name)


PRODUCT_NODE_TYPE = NodeType(
    "ProductItem",
    {
        **resolve_attributes("id"),
        **{name: _build_field_resolver(feed) for name, feed in FEED_NAMES.items()},
        "retailer_id": lambda _call, product, _field: product.sku,
        "currency": _build_field_resolver("currency"),
        "price": _build_price_resolver("price"),
        "sale_price": _build_price_resolver("sale_price"),
        "visibility": lambda _call, product, _field: product.fields.get("visibility", "published"),
        "review_status": lambda call, product, _field: "approved" if is_reviewed(call.context, product) else "pending",
        "errors": lambda _call, _product, _field: [],
        "product_catalog": lambda _call, product, _field: {"id": product.parent},
    },
    ("id", "name", "retailer_id"),
)


def _build_amount_reader(name: str) -> FieldReader:
    """Read a price as filters have it: multiplied by 100, for all currencies."""

    def read(product: Product) -> Decimal | None:
        amount = product.fields.get(name)
        return Decimal(amount) * 100 if amount else None

    return read


def _build_field_reader(feed_name: str) -> Callable[[Product], Any]:
    return lambda product: product.fields.get(feed_name)


FILTER_READERS: Mapping[str, FieldReader] = {
    **{name: _build_field_reader(feed) for name, feed in FEED_NAMES.items()},
    "retailer_id": lambda product: product.sku,
    "product_item_id": lambda product: product.id,
    "currency": _build_field_reader("currency"),
    "visibility": lambda product: product.fields.get("visibility", "published"),
    "price_amount": _build_amount_reader("price"),
    "sale_price_amount": _build_amount_reader("sale_price"),
}
