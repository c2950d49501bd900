"""Validation shared by connectors with catalogs: required fields and maximum lengths of products."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from socialgate.contracts.commerce import FilterRule, Product, ProductChangeMethod, ProductFilter
from socialgate.core.errors import Fault

_JSON_FIELD_NAMES = {
    "retailer_id": "retailerId",
    "sale_price": "salePrice",
    "image_url": "imageUrl",
    "additional_image_urls": "additionalImageUrls",
}
_REQUIRED_FIELDS = ("title", "description", "availability", "condition", "price", "url", "image_url")


def validate_product(
    vendor: str,
    product: Product,
    method: ProductChangeMethod,
    max_lengths: Mapping[str, int],
    required: Collection[str] = (),
    max_images: int = 20,
) -> Iterator[Fault]:
    """Report what a vendor would reject in a product: everything that is missing or too long."""
    if method is ProductChangeMethod.UPSERT:
        for name in (*_REQUIRED_FIELDS, *required):
            if not getattr(product, name):
                yield Fault(_pointer_to(name), "required", f"{vendor} requires {_JSON_FIELD_NAMES.get(name, name)}.")
    for name, most in max_lengths.items():
        if len(getattr(product, name) or "") > most:
            yield Fault(_pointer_to(name), "too_long", f"{vendor} allows at most {most} characters here.")
    if len(product.additional_image_urls) > max_images:
        yield Fault(
            _pointer_to("additional_image_urls"), "too_many", f"{vendor} allows at most {max_images} more images."
        )


def validate_filter(
    vendor: str, product_filter: ProductFilter | None, supported_operators: Mapping[str, Collection[str]]
) -> Iterator[Fault]:
    """Report the rules that a vendor does not support. `supported_operators` contains the operators for each field."""
    for place, rule in enumerate(product_filter.rules if product_filter is not None else ()):
        at = f"/filter/rules/{place}"
        if rule.field not in supported_operators:
            yield Fault(
                f"{at}/field", "not_supported", f"{vendor} can filter by: {', '.join(sorted(supported_operators))}."
            )
        elif rule.operator not in supported_operators[rule.field]:
            words = ", ".join(sorted(supported_operators[rule.field]))
            yield Fault(f"{at}/operator", "not_supported", f"{vendor} compares {rule.field} only with: {words}.")


def build_complete_filter(rules: list[FilterRule | None], join: Any) -> ProductFilter | None:
    """Build a filter from rules; None if one of them could not be expressed."""
    read = tuple(rule for rule in rules if rule is not None)
    return ProductFilter(join=join, rules=read) if read and len(read) == len(rules) else None


def _pointer_to(name: str) -> str:
    return f"/{_JSON_FIELD_NAMES.get(name, name)}"
