"""The items of connectors with what this API adds to them, and what is wrong with filters."""

from collections.abc import Iterator

import msgspec

from socialgate.areas.commerce.schemas import Product
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.commerce import (
    Catalog,
    FilterRule,
    ProductAvailability,
    ProductCondition,
    ProductFilter,
    ProductItem,
    ProductSet,
    Shop,
)
from socialgate.contracts.money import InvalidAmountError, get_decimal_places
from socialgate.core.errors import Fault

_PRICE_FIELDS = ("price", "salePrice")
_COMPARISON_OPERATORS = ("lessThan", "atMost", "greaterThan", "atLeast")
_LIST_OPERATORS = ("isAny", "isNotAny")
_ENUM_VALUES = {"availability": [*ProductAvailability], "condition": [*ProductCondition]}


def build_catalog_view(account: AccountRow, item: Catalog) -> Catalog:
    return msgspec.structs.replace(item, ad_account_id=account.id)


def build_product_view(catalog_id: str, item: ProductItem) -> Product:
    product = msgspec.structs.asdict(item.product)
    return Product(id=item.id, catalog_id=catalog_id, status=item.status, issues=item.issues, **product)


def build_product_set_view(catalog_id: str, item: ProductSet) -> ProductSet:
    return msgspec.structs.replace(item, catalog_id=catalog_id)


def build_shop_view(account: AccountRow, item: Shop) -> Shop:
    return msgspec.structs.replace(item, ad_account_id=account.id)


def validate_filter(product_filter: ProductFilter) -> Iterator[Fault]:
    """Report rules whose field, operator and values do not fit together."""
    for place, rule in enumerate(product_filter.rules):
        at = f"/filter/rules/{place}"
        if rule.field in _PRICE_FIELDS:
            yield from _validate_price_rule(rule, at)
        elif rule.price is not None or rule.operator in _COMPARISON_OPERATORS:
            yield Fault(
                f"{at}/operator", "contradiction", f"Only {' and '.join(_PRICE_FIELDS)} are compared with a price."
            )
        elif not rule.values:
            yield Fault(f"{at}/values", "required", "Send the value to compare with.")
        elif len(rule.values) > 1 and rule.operator not in _LIST_OPERATORS:
            detail = "This operator takes one value. Use `isAny` or `isNotAny` for several."
            yield Fault(f"{at}/values", "too_many", detail)
        elif rule.field in _ENUM_VALUES and not {*rule.values} <= {*_ENUM_VALUES[rule.field]}:
            # A platform would accept it, and the set would never contain anything.
            yield Fault(f"{at}/values", "invalid", f"{rule.field} is one of: {', '.join(_ENUM_VALUES[rule.field])}.")


def _validate_price_rule(rule: FilterRule, at: str) -> Iterator[Fault]:
    if rule.price is None or rule.values:
        yield Fault(f"{at}/price", "required", "To compare a price, send `price` and omit `values`.")
    elif rule.operator not in ("is", *_COMPARISON_OPERATORS):
        yield Fault(f"{at}/operator", "contradiction", f"Operators for prices: is, {', '.join(_COMPARISON_OPERATORS)}.")
    else:
        try:
            get_decimal_places(rule.price.currency)
        except InvalidAmountError as error:
            yield Fault(f"{at}/price/currency", "invalid", str(error))
