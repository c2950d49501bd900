"""Products and their prices."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from socialgate_sandbox.vendors.stripe.endpoints import (
    ApiRequest,
    ListParams,
    Metadata,
    Params,
    build_endpoint,
    build_list_endpoint,
    build_retrieve_endpoint,
    merge_metadata,
)
from socialgate_sandbox.vendors.stripe.errors import build_invalid_error
from socialgate_sandbox.vendors.stripe.operations import generate_id
from socialgate_sandbox.vendors.stripe.state import Interval, Price, Product, Recurring, Resource


class ProductParams(Params, kw_only=True):
    name: str
    active: bool = True
    description: str | None = None
    metadata: Metadata | None = None
    id: str | None = None


class ProductListParams(ListParams, kw_only=True):
    active: bool | None = None
    ids: list[str] | None = None

    def matches_fields(self, resource: Resource) -> bool:
        return (
            isinstance(resource, Product)
            and self.active in {None, resource.active}
            and (self.ids is None or resource.id in self.ids)
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


class PriceListParams(ListParams, kw_only=True):
    active: bool | None = None
    currency: str | None = None
    lookup_keys: list[str] | None = None
    product: str | None = None
    recurring: RecurringFilter | None = None
    type: str | None = None

    def matches_fields(self, resource: Resource) -> bool:
        assert isinstance(resource, Price)
        same = ("active", "currency", "product", "type")
        interval = self.recurring and self.recurring.interval
        return (
            all(getattr(self, name) in {None, getattr(resource, name)} for name in same)
            and (self.lookup_keys is None or resource.lookup_key in self.lookup_keys)
            and (interval is None or (resource.recurring is not None and resource.recurring.interval == interval))
        )


def create_product(request: ApiRequest, params: ProductParams) -> Product:
    if params.id is not None and request.store.get(Product, params.id) is not None:
        raise build_invalid_error("Product already exists.", "id", "resource_already_exists")
    product = _build_product(request, params.name, params.metadata, params.id)
    product.active, product.description = params.active, params.description
    return request.store_and_emit(product, "product.created")


def create_price(request: ApiRequest, params: PriceParams) -> Price:
    if (params.product is None) == (params.product_data is None):
        raise build_invalid_error(
            "You must specify one of `product` or `product_data`.", "product", "parameter_missing"
        )
    if params.lookup_key and any(price.lookup_key == params.lookup_key for price in request.store.find(Price)):
        raise build_invalid_error(f"A price with the lookup key '{params.lookup_key}' already exists.", "lookup_key")
    if params.product_data is not None:
        product = _build_product(request, params.product_data.name, params.product_data.metadata)
        request.store_and_emit(product, "product.created")
    else:
        product = request.require_object(Product, params.product or "", "product")
    created_price = Price(
        id=generate_id("price"),
        created=request.now,
        metadata=merge_metadata({}, params.metadata),
        active=params.active,
        currency=params.currency.lower(),
        lookup_key=params.lookup_key,
        nickname=params.nickname,
        product=product.id,
        recurring=_build_recurring(params.recurring),
        type="one_time" if params.recurring is None else "recurring",
        unit_amount=params.unit_amount,
    )
    return request.store_and_emit(created_price, "price.created")


def _build_recurring(params: RecurringParams | None) -> Recurring | None:
    return None if params is None else Recurring(interval=params.interval, interval_count=params.interval_count)


def _build_product(request: ApiRequest, name: str, metadata: Metadata | None, key: str | None = None) -> Product:
    now, created = request.now, key or generate_id("prod", 14)
    return Product(id=created, created=now, updated=now, name=name, metadata=merge_metadata({}, metadata))


ROUTES: list[Any] = [
    build_endpoint("POST", "products", ProductParams, create_product),
    build_list_endpoint("products", Product, ProductListParams),
    build_retrieve_endpoint("products", Product),
    build_endpoint("POST", "prices", PriceParams, create_price),
    build_list_endpoint("prices", Price, PriceListParams),
    build_retrieve_endpoint("prices", Price),
]
