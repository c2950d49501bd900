"""What connectors with catalogs have in common: what a product must have, and how long it may be."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from socialgate.contracts.commerce import Filter, Method, Product, Rule
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
    """Name what a vendor would refuse of a product: all that is missing, and all that is too long."""
    if method is Method.UPSERT:
        for name in (*_REQUIRED, *required):
            if not getattr(product, name):
                yield Fault(_at(name), "required", f"{vendor} takes no product without {_NAMES.get(name, name)}.")
    for name, most in longest.items():
        if len(getattr(product, name) or "") > most:
            yield Fault(_at(name), "too_long", f"{vendor} takes {most} characters here at most.")
    if len(product.additional_image_urls) > most_images:
        yield Fault(_at("additional_image_urls"), "too_many", f"{vendor} takes {most_images} further pictures at most.")


def filter_faults(vendor: str, wanted: Filter | None, can: Mapping[str, Collection[str]]) -> Iterator[Fault]:
    """Name the rules that a vendor cannot keep. `can` has the operators for each field."""
    for place, rule in enumerate(wanted.rules if wanted is not None else ()):
        at = f"/filter/rules/{place}"
        if rule.field not in can:
            yield Fault(f"{at}/field", "not_supported", f"{vendor} filters by these: {', '.join(sorted(can))}.")
        elif rule.operator not in can[rule.field]:
            words = ", ".join(sorted(can[rule.field]))
            yield Fault(f"{at}/operator", "not_supported", f"{vendor} compares {rule.field} with these: {words}.")


def only(rules: list[Rule | None], join: Any) -> Filter | None:
    """Make a filter of rules that were read; None where one of them says something that ours cannot."""
    read = tuple(rule for rule in rules if rule is not None)
    return Filter(join=join, rules=read) if read and len(read) == len(rules) else None


def _at(name: str) -> str:
    return f"/{_NAMES.get(name, name)}"
