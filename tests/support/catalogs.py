"""Catalogs at the sandbox, through a connector: what every platform with catalogs must do in the same way."""

from collections.abc import Sequence
from typing import Any

from socialgate.contracts.commerce import (
    COMMERCE_CAPABILITY,
    PRODUCTS_CAPABILITY,
    CatalogAdapter,
    ChunkResult,
    FilterRule,
    NewProductSet,
    Price,
    Product,
    ProductAdapter,
    ProductChangeMethod,
    ProductFilter,
    ProductItem,
    ProductQuery,
    ProductSet,
)
from socialgate.contracts.platforms import Kind
from support.publishing import ConnectorDriver

# One of each number of decimals, and the two of them that vendors have tables of their own for.
PRICES = [Price(500, "JPY"), Price(12990, "CLP"), Price(1255, "KWD"), Price(999, "USD"), Price(123450, "BRL")]


def a_product(retailer_id: str, **change: Any) -> Product:
    params: dict[str, Any] = {
        "title": f"Cake {retailer_id}",
        "description": "For eight people.",
        "price": Price(34900, "SEK"),
        "availability": "inStock",
        "condition": "new",
        "brand": "Ada",
        "url": f"https://bakery.example.com/{retailer_id}",
        "image_url": "https://bakery.example.com/cake.jpg",
    }
    return Product(retailer_id=retailer_id, **{**params, **change})


class CatalogFixture:
    """A catalog, and what connects to it."""

    def __init__(self, desk: ConnectorDriver, kind: Kind, catalog: str) -> None:
        self.desk, self.catalog = desk, catalog
        self.credentials = desk.sign_in(kind)[0]
        self.commerce: CatalogAdapter = desk.part(kind, COMMERCE_CAPABILITY)
        self.products: ProductAdapter = desk.part(kind, PRODUCTS_CAPABILITY)

    def submit(self, *changes: Product, method: ProductChangeMethod = ProductChangeMethod.UPSERT) -> ChunkResult:
        """Send changes, and ask until the platform has worked them off."""
        sent = self.desk.wait_for(self.products.submit_batch(self.credentials, self.catalog, method, changes))
        if sent.handle is None:
            return ChunkResult(done=True, rejected_changes=sent.rejected_changes)
        before = self.desk.wait_for(self.products.get_chunk_result(self.credentials, self.catalog, sent.handle))
        assert not before.done, "the platform takes its time"
        self.desk.rest(2)
        checked = self.desk.wait_for(self.products.get_chunk_result(self.credentials, self.catalog, sent.handle))
        assert checked.done
        return ChunkResult(
            done=True,
            rejected_changes=(*sent.rejected_changes, *checked.rejected_changes),
            has_unnamed_rejections=checked.has_unnamed_rejections,
            failure_reason=checked.failure_reason,
        )

    def find(self, *retailer_ids: str) -> dict[str, ProductItem]:
        product_items = self.desk.wait_for(self.products.find(self.credentials, self.catalog, retailer_ids))
        return {item.product.retailer_id: item for item in product_items}

    def listed(self, **query: Any) -> list[str]:
        requested_query = ProductQuery(**{"limit": 50, **query})
        page = self.desk.wait_for(self.products.list(self.credentials, self.catalog, requested_query))
        return sorted(item.product.retailer_id for item in page.items)

    def make_set(self, name: str, rules: Sequence[FilterRule], join: Any = "all") -> ProductSet:
        new = NewProductSet(catalog_id=self.catalog, name=name, filter=ProductFilter(join=join, rules=tuple(rules)))
        assert not self.commerce.validate_product_set(new)
        # Platforms count calls by the second.
        self.desk.rest(1)
        return self.desk.wait_for(self.commerce.create_product_set(self.credentials, new))

    def sets(self) -> dict[str, ProductSet]:
        page = self.desk.wait_for(self.commerce.list_product_sets(self.credentials, self.catalog, 50, None))
        return {item.name: item for item in page.items}


def check_round_trip(shelf: CatalogFixture) -> None:
    """Everything that is said of a product comes back."""
    cake = a_product(
        "cake",
        sale_price=Price(29900, "SEK"),
        additional_image_urls=("https://bakery.example.com/2.jpg",),
        group="cakes",
        category="Food > Bakery",
        availability="availableForOrder",
        condition="used",
    )
    assert shelf.submit(cake).rejected_changes == ()
    (item,) = shelf.find("cake", "nothing").values()
    assert item.product == cake
    assert item.id
    assert shelf.desk.wait_for(shelf.products.get_retailer_id(shelf.credentials, shelf.catalog, item.id)) == "cake"
    # Sent again it is the same product.
    assert shelf.submit(cake).rejected_changes == ()
    assert shelf.find("cake")["cake"].id == item.id


def check_prices(shelf: CatalogFixture) -> None:
    sent = [a_product(money.currency, price=money) for money in PRICES]
    assert shelf.submit(*sent).rejected_changes == ()
    product_items = shelf.find(*(money.currency for money in PRICES))
    assert {name: item.product.price for name, item in product_items.items()} == {
        price.currency: price for price in PRICES
    }


def check_refusals(shelf: CatalogFixture) -> None:
    """Each product that is refused is named with the reason, at once or later; the others land."""
    wrong = [a_product(f"lost-{number}", image_url="https://pictures.invalid/x.jpg") for number in range(7)]
    checked = shelf.submit(a_product("good"), *wrong, a_product("fine"))
    assert {rejected_change.retailer_id for rejected_change in checked.rejected_changes} == {
        product.retailer_id for product in wrong
    }
    assert all("image" in rejected_change.detail for rejected_change in checked.rejected_changes)
    assert not checked.has_unnamed_rejections
    assert set(shelf.find("good", "fine", "lost-0")) == {"good", "fine"}


def check_changes(shelf: CatalogFixture) -> None:
    shelf.submit(a_product("cake"))
    changed = Product(retailer_id="cake", price=Price(100, "SEK"), availability="outOfStock")
    assert shelf.submit(changed, method=ProductChangeMethod.UPDATE).rejected_changes == ()
    product = shelf.find("cake")["cake"].product
    assert (product.price, product.availability, product.title) == (Price(100, "SEK"), "outOfStock", "Cake cake")
    (refused,) = shelf.submit(
        Product(retailer_id="none", title="X"), method=ProductChangeMethod.UPDATE
    ).rejected_changes
    assert refused.retailer_id == "none"
    gone = shelf.submit(Product(retailer_id="cake"), Product(retailer_id="none"), method=ProductChangeMethod.DELETE)
    assert [rejected_change.retailer_id for rejected_change in gone.rejected_changes] == ["none"]
    assert shelf.find("cake") == {}


def check_lists(shelf: CatalogFixture) -> None:
    shelf.submit(
        a_product("a", title="Oak table", brand="Oak", group="tables"),
        a_product("b", title="Pine table", brand="Pine", group="tables", condition="used"),
        a_product("c", title="Chair", brand="Oak"),
    )

    def kept(*rules: FilterRule) -> list[str]:
        return shelf.listed(filter=ProductFilter(rules=rules))

    assert shelf.listed() == ["a", "b", "c"]
    assert shelf.listed(retailer_ids=("b", "x")) == ["b"]
    assert kept(FilterRule(field="title", operator="contains", values=("TABLE",))) == ["a", "b"]
    table = FilterRule(field="group", operator="is", values=("tables",))
    assert kept(table, FilterRule(field="brand", operator="is", values=("Oak",))) == ["a"]
    assert kept(FilterRule(field="condition", operator="is", values=("used",))) == ["b"]
    first = ProductQuery(limit=2)
    page = shelf.desk.wait_for(shelf.products.list(shelf.credentials, shelf.catalog, first))
    assert len(page.items) == 2
    second = ProductQuery(limit=2, cursor=page.cursor)
    rest = shelf.desk.wait_for(shelf.products.list(shelf.credentials, shelf.catalog, second))
    names = [item.product.retailer_id for item in (*page.items, *rest.items)]
    assert (sorted(names), rest.cursor) == (["a", "b", "c"], None)


def check_sets(shelf: CatalogFixture, price: Price) -> None:
    """Sets hold what their filters choose, and their filters read as they were written."""
    shelf.submit(
        a_product("a", brand="Oak", price=Price(price.amount - 1, price.currency)),
        a_product("b", brand="Pine", price=price, availability="outOfStock"),
        a_product("c", brand="Elm", price=Price(price.amount + 1, price.currency)),
    )
    filter_rules = {
        "brands": [FilterRule(field="brand", operator="isAny", values=("Oak", "Elm"))],
        "one": [FilterRule(field="brand", operator="is", values=("Pine",))],
        "cheap": [FilterRule(field="price", operator="lessThan", price=price)],
        "rest": [
            FilterRule(field="price", operator="atLeast", price=price),
            FilterRule(field="availability", operator="isNot", values=("inStock",)),
        ],
        "words": [FilterRule(field="title", operator="contains", values=("CAKE A",))],
    }
    values = {"brands": ["a", "c"], "one": ["b"], "cheap": ["a"], "rest": ["b"], "words": ["a"]}
    for name, rules in filter_rules.items():
        product_set = shelf.make_set(name, rules)
        assert shelf.listed(set_id=product_set.id) == values[name]
    either = [filter_rules["one"][0], FilterRule(field="title", operator="is", values=("Cake a",))]
    shelf.make_set("either", either, "any")
    shown = shelf.sets()
    assert {name: shown[name].filter for name in filter_rules} == {
        name: ProductFilter(rules=tuple(rules)) for name, rules in filter_rules.items()
    }
    assert shown["either"].filter == ProductFilter(join="any", rules=tuple(either))
    assert {name: shown[name].product_count for name in values} == {
        name: len(inside) for name, inside in values.items()
    }
