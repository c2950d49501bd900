"""Products and their prices."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from socialgate_sandbox.vendors.stripe.api import (
    Listing,
    Metadata,
    Params,
    Request,
    endpoint,
    listing,
    merged,
    retrieving,
)
from socialgate_sandbox.vendors.stripe.errors import invalid
from socialgate_sandbox.vendors.stripe.happening import new_id
from socialgate_sandbox.vendors.stripe.state import Interval, Price, Product, Recurring, Resource


class ProductParams(Params, kw_only=True):
    name: str
    active: bool = True
    description: str | None = None
    metadata: Metadata | None = None
    id: str | None = None


class ProductList(Listing, kw_only=True):
    active: bool | None = None
    ids: list[str] | None = None

    def fits(self, one: Resource) -> bool:
        return (
            isinstance(one, Product) and self.active in {None, one.active} and (self.ids is None or one.id in self.ids)
        )


class ProductData(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    name: str
    metadata: Metadata | None = None


class RecurringParams(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    interval: Interval
    interval_count: Annotated[int, Meta(ge=1, le=1095)] = 1


class PriceParams(Params, kw_only=True):
    currency: Annotated[str, Meta(pattern="^[a-zA-Z]{3}$")]
    unit_amount: Annotated[int, Meta(ge=0, le=99_999_999)]
    active: bool = True
    lookup_key: str | None = None
    metadata: Metadata | None = None
    nickname: str | None = None
    product: str | None = None
    product_data: ProductData | None = None
    recurring: RecurringParams | None = None


class RecurringFilter(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    interval: Interval | None = None


class PriceList(Listing, kw_only=True):
    active: bool | None = None
    currency: str | None = None
    lookup_keys: list[str] | None = None
    product: str | None = None
    recurring: RecurringFilter | None = None
    type: str | None = None

    def fits(self, one: Resource) -> bool:
        assert isinstance(one, Price)
        same = ("active", "currency", "product", "type")
        interval = self.recurring and self.recurring.interval
        return (
            all(getattr(self, name) in {None, getattr(one, name)} for name in same)
            and (self.lookup_keys is None or one.lookup_key in self.lookup_keys)
            and (interval is None or (one.recurring is not None and one.recurring.interval == interval))
        )


def create_product(request: Request, given: ProductParams) -> Product:
    if given.id is not None and request.store.get(Product, given.id) is not None:
        raise invalid("Product already exists.", "id", "resource_already_exists")
    made = _product(request, given.name, given.metadata, given.id)
    made.active, made.description = given.active, given.description
    return request.create(made, "product.created")


def create_price(request: Request, given: PriceParams) -> Price:
    if (given.product is None) == (given.product_data is None):
        raise invalid("You must specify one of `product` or `product_data`.", "product", "parameter_missing")
    if given.lookup_key and any(one.lookup_key == given.lookup_key for one in request.store.find(Price)):
        raise invalid(f"A price with the lookup key '{given.lookup_key}' already exists.", "lookup_key")
    if given.product_data is not None:
        product = _product(request, given.product_data.name, given.product_data.metadata)
        request.create(product, "product.created")
    else:
        product = request.find(Product, given.product or "", "product")
    made = Price(
        id=new_id("price"),
        created=request.now,
        metadata=merged({}, given.metadata),
        active=given.active,
        currency=given.currency.lower(),
        lookup_key=given.lookup_key,
        nickname=given.nickname,
        product=product.id,
        recurring=_recurring(given.recurring),
        type="one_time" if given.recurring is None else "recurring",
        unit_amount=given.unit_amount,
    )
    return request.create(made, "price.created")


def _recurring(given: RecurringParams | None) -> Recurring | None:
    return None if given is None else Recurring(interval=given.interval, interval_count=given.interval_count)


def _product(request: Request, name: str, metadata: Metadata | None, key: str | None = None) -> Product:
    now, made = request.now, key or new_id("prod", 14)
    return Product(id=made, created=now, updated=now, name=name, metadata=merged({}, metadata))


ROUTES: list[Any] = [
    endpoint("POST", "products", ProductParams, create_product),
    listing("products", Product, ProductList),
    retrieving("products", Product),
    endpoint("POST", "prices", PriceParams, create_price),
    listing("prices", Price, PriceList),
    retrieving("prices", Price),
]
