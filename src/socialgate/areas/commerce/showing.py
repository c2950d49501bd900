"""The items of connectors with what this API adds to them, and what is wrong with filters."""

from collections.abc import Iterator

import msgspec

from socialgate.areas.commerce.schemas import Product
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.commerce import (
    Availability,
    Catalog,
    Condition,
    FilterRule,
    ProductFilter,
    ProductItem,
    ProductSet,
    Shop,
)
from socialgate.contracts.money import BadMoney, places
from socialgate.core.errors import Fault

_PRICES = ("price", "salePrice")
_ORDERS = ("lessThan", "atMost", "greaterThan", "atLeast")
_LISTS = ("isAny", "isNotAny")
_CHOICES = {"availability": [*Availability], "condition": [*Condition]}


def show_catalog(account: AccountRow, item: Catalog) -> Catalog:
    return msgspec.structs.replace(item, ad_account_id=account.id)


def show_product(catalog_id: str, item: ProductItem) -> Product:
    product = msgspec.structs.asdict(item.product)
    return Product(id=item.id, catalog_id=catalog_id, status=item.status, issues=item.issues, **product)


def show_set(catalog_id: str, item: ProductSet) -> ProductSet:
    return msgspec.structs.replace(item, catalog_id=catalog_id)


def show_shop(account: AccountRow, item: Shop) -> Shop:
    return msgspec.structs.replace(item, ad_account_id=account.id)


def filter_faults(given: ProductFilter) -> Iterator[Fault]:
    """Report rules whose field, operator and values do not fit together."""
    for place, rule in enumerate(given.rules):
        at = f"/filter/rules/{place}"
        if rule.field in _PRICES:
            yield from _price_faults(rule, at)
        elif rule.price is not None or rule.operator in _ORDERS:
            yield Fault(f"{at}/operator", "contradiction", f"Only {' and '.join(_PRICES)} are compared with a price.")
        elif not rule.values:
            yield Fault(f"{at}/values", "required", "Send the value to compare with.")
        elif len(rule.values) > 1 and rule.operator not in _LISTS:
            detail = "This operator takes one value. Use `isAny` or `isNotAny` for several."
            yield Fault(f"{at}/values", "too_many", detail)
        elif rule.field in _CHOICES and not {*rule.values} <= {*_CHOICES[rule.field]}:
            # A platform would accept it, and the set would never contain anything.
            yield Fault(f"{at}/values", "invalid", f"{rule.field} is one of: {', '.join(_CHOICES[rule.field])}.")


def _price_faults(rule: FilterRule, at: str) -> Iterator[Fault]:
    if rule.price is None or rule.values:
        yield Fault(f"{at}/price", "required", "To compare a price, send `price` and omit `values`.")
    elif rule.operator not in ("is", *_ORDERS):
        yield Fault(f"{at}/operator", "contradiction", f"Operators for prices: is, {', '.join(_ORDERS)}.")
    else:
        try:
            places(rule.price.currency)
        except BadMoney as error:
            yield Fault(f"{at}/price/currency", "invalid", str(error))
