"""Conversion between the items of connectors and the schemas of this API."""

from collections.abc import Iterator

from socialgate.areas.commerce import schemas
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.commerce import (
    Availability,
    CatalogItem,
    Condition,
    Filter,
    ProductItem,
    Rule,
    SetItem,
    ShopItem,
)
from socialgate.contracts.money import BadMoney, Money, places
from socialgate.core.errors import Fault

_PRICES = ("price", "salePrice")
_ORDERS = ("lessThan", "atMost", "greaterThan", "atLeast")
_LISTS = ("isAny", "isNotAny")
_CHOICES = {"availability": [*Availability], "condition": [*Condition]}


def show_catalog(account: AccountRow, item: CatalogItem) -> schemas.Catalog:
    return schemas.Catalog(
        id=item.id,
        ad_account_id=account.id,
        name=item.name,
        vertical=item.vertical,
        currency=item.currency,
        country=item.country,
        product_count=item.product_count,
    )


def show_product(catalog_id: str, item: ProductItem) -> schemas.Product:
    product = item.product
    return schemas.Product(
        id=item.id,
        catalog_id=catalog_id,
        retailer_id=product.retailer_id,
        title=product.title,
        description=product.description,
        price=_price(product.price),
        sale_price=_price(product.sale_price),
        availability=product.availability,
        condition=product.condition,
        brand=product.brand,
        url=product.url,
        image_url=product.image_url,
        additional_image_urls=list(product.additional_image_urls),
        group=product.group,
        category=product.category,
        status=item.status,
        issues=list(item.issues),
    )


def show_set(catalog_id: str, item: SetItem) -> schemas.ProductSet:
    return schemas.ProductSet(
        id=item.id,
        catalog_id=catalog_id,
        name=item.name,
        filter=None if item.filter is None else _filter(item.filter),
        platform_filter=item.platform_filter,
        product_count=item.product_count,
    )


def show_shop(account: AccountRow, item: ShopItem) -> schemas.Shop:
    return schemas.Shop(
        id=item.id,
        ad_account_id=account.id,
        name=item.name,
        status=item.status,
        catalog_ids=list(item.catalog_ids),
    )


def filter_of(given: schemas.ProductFilter) -> Filter:
    rules = [
        Rule(
            field=rule.field,
            operator=rule.operator,
            values=tuple(rule.values),
            price=None if rule.price is None else Money(rule.price.amount, rule.price.currency),
        )
        for rule in given.rules
    ]
    return Filter(join=given.join, rules=tuple(rules))


def filter_faults(given: schemas.ProductFilter) -> Iterator[Fault]:
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


def _price_faults(rule: schemas.FilterRule, at: str) -> Iterator[Fault]:
    if rule.price is None or rule.values:
        yield Fault(f"{at}/price", "required", "To compare a price, send `price` and omit `values`.")
    elif rule.operator not in ("is", *_ORDERS):
        yield Fault(f"{at}/operator", "contradiction", f"Operators for prices: is, {', '.join(_ORDERS)}.")
    else:
        try:
            places(rule.price.currency)
        except BadMoney as error:
            yield Fault(f"{at}/price/currency", "invalid", str(error))


def _filter(found: Filter) -> schemas.ProductFilter:
    rules = [
        schemas.FilterRule(field=rule.field, operator=rule.operator, values=list(rule.values), price=_price(rule.price))
        for rule in found.rules
    ]
    return schemas.ProductFilter(join=found.join, rules=rules)


def _price(money: Money | None) -> schemas.Price | None:
    return None if money is None else schemas.Price(amount=money.amount, currency=money.currency)
