"""Validation shared by connectors with catalogs: required fields and maximum lengths of products."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from socialgate.contracts.commerce import FilterRule, Method, Product, ProductFilter
from socialgate.core.errors import Fault

_NAMES = {
    "retailer_id": "retailerId",
    "sale_price": "salePrice",
    "image_url": "imageUrl",
    "additional_image_urls": "additionalImageUrls",
}
_REQUIRED = ("title", "description", "availability", "condition", "price", "url", "image_url")


def faults_of(
    vendor: str,
    product: Product,
    method: Method,
    longest: Mapping[str, int],
    required: Collection[str] = (),
    most_images: int = 20,
) -> Iterator[Fault]:
    """Report what a vendor would reject in a product: everything that is missing or too long."""
    if method is Method.UPSERT:
        for name in (*_REQUIRED, *required):
            if not getattr(product, name):
                yield Fault(_at(name), "required", f"{vendor} requires {_NAMES.get(name, name)}.")
    for name, most in longest.items():
        if len(getattr(product, name) or "") > most:
            yield Fault(_at(name), "too_long", f"{vendor} allows at most {most} characters here.")
    if len(product.additional_image_urls) > most_images:
        yield Fault(_at("additional_image_urls"), "too_many", f"{vendor} allows at most {most_images} more images.")


def filter_faults(vendor: str, wanted: ProductFilter | None, can: Mapping[str, Collection[str]]) -> Iterator[Fault]:
    """Report the rules that a vendor does not support. `can` contains the operators for each field."""
    for place, rule in enumerate(wanted.rules if wanted is not None else ()):
        at = f"/filter/rules/{place}"
        if rule.field not in can:
            yield Fault(f"{at}/field", "not_supported", f"{vendor} can filter by: {', '.join(sorted(can))}.")
        elif rule.operator not in can[rule.field]:
            words = ", ".join(sorted(can[rule.field]))
            yield Fault(f"{at}/operator", "not_supported", f"{vendor} compares {rule.field} only with: {words}.")


def only(rules: list[FilterRule | None], join: Any) -> ProductFilter | None:
    """Build a filter from rules; None if one of them could not be expressed."""
    read = tuple(rule for rule in rules if rule is not None)
    return ProductFilter(join=join, rules=read) if read and len(read) == len(rules) else None


def _at(name: str) -> str:
    return f"/{_NAMES.get(name, name)}"
