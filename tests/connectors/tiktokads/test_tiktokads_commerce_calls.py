"""Catalogs of TikTok at the sandbox: products with their logs, prices, filters, sets and shops."""

from collections.abc import Iterator
from itertools import count

import msgspec
import pytest

from socialgate.connectors.tiktokads.commerce_filters import parse_product_set_filter
from socialgate.contracts.commerce import (
    FilterRule,
    NewCatalog,
    NewProductSet,
    Price,
    ProductChangeMethod,
    ProductFilter,
    ProductQuery,
)
from socialgate.contracts.failures import PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.platforms import Kind, Platform
from socialgate_sandbox.vendors import ALL_VENDORS
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_CATALOG, BAKERY_STORE
from support import catalogs
from support.catalogs import CatalogFixture, a_product
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, running_sandbox

_minutes = count(1)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    sandbox.control("reset")
    # Its limits of calls are those of the app, whichever test they come from, and setting back sets back its time.
    sandbox.control("clock", advance=60 * next(_minutes))
    with start_driver(Platform.TIKTOKADS, sandbox) as opened:
        yield opened


@pytest.fixture
def shelf(desk: ConnectorDriver) -> CatalogFixture:
    return CatalogFixture(desk, Kind.TIKTOK_ADS, BAKERY_CATALOG)


def test_a_product_comes_back_as_it_was_sent(shelf: CatalogFixture) -> None:
    catalogs.check_round_trip(shelf)


def test_prices_of_all_currencies_come_back(shelf: CatalogFixture) -> None:
    catalogs.check_prices(shelf)


def test_refused_products_are_named_also_those_of_the_file(shelf: CatalogFixture) -> None:
    """The log shows five of seven; the rest stands in a file."""
    catalogs.check_refusals(shelf)
    assert shelf.desk.calls("*.csv")


def test_without_the_file_it_is_known_that_some_are_not_named(shelf: CatalogFixture) -> None:
    shelf.desk.fail("*.csv", error="temporarily_unavailable")
    wrong = [a_product(f"lost-{number}", image_url="https://pictures.invalid/x.jpg") for number in range(7)]
    checked = shelf.submit(*wrong)
    assert (len(checked.rejected_changes), checked.has_unnamed_rejections) == (5, True)


def test_products_are_changed_and_deleted(shelf: CatalogFixture) -> None:
    catalogs.check_changes(shelf)


def test_products_are_listed_by_filters(shelf: CatalogFixture) -> None:
    catalogs.check_lists(shelf)
    stock = FilterRule(field="availability", operator="is", values=("inStock",))
    (fault,) = shelf.products.query_faults(ProductQuery(limit=1, filter=ProductFilter(rules=(stock,))))
    assert (fault.pointer, fault.code) == ("?availability", "not_supported")


def test_sets_hold_what_their_filters_choose(shelf: CatalogFixture) -> None:
    catalogs.check_sets(shelf, Price(34900, "SEK"))


def test_prices_in_filters_are_of_the_catalogs_currency(shelf: CatalogFixture) -> None:
    rule = FilterRule(field="price", operator="lessThan", price=Price(999, "USD"))
    with pytest.raises(PlatformRejectedError, match="SEK"):
        shelf.make_set("cheap", [rule])


def test_what_tiktok_cannot_filter_by_is_named(shelf: CatalogFixture) -> None:
    rule = FilterRule(field="title", operator="isAny", values=("Oak", "Elm"))
    new = NewProductSet(catalog_id=BAKERY_CATALOG, name="x" * 29, filter=ProductFilter(rules=(rule,)))
    assert [fault.pointer for fault in shelf.commerce.validate_product_set(new)] == [
        "/name",
        "/filter/rules/0/operator",
    ]
    (fault,) = shelf.commerce.validate_product_set(NewProductSet(catalog_id=BAKERY_CATALOG, name="x"))
    assert (fault.pointer, fault.code) == ("/filter", "required")


def test_conditions_that_say_more_than_ours_are_left_alone() -> None:
    conditions = [
        {"and": [{"field": "gender", "operation": "EQUAL", "value": "MALE"}]},
        {"and": [{"field": "brand", "operation": "NOT_EMPTY"}]},
        {"and": []},
        {},
        None,
    ]
    assert [parse_product_set_filter(condition, "SEK") for condition in conditions] == [None] * 5


def test_one_product_is_deleted(shelf: CatalogFixture) -> None:
    shelf.submit(a_product("cake"))
    handle = shelf.desk.wait_for(shelf.products.delete(shelf.credentials, BAKERY_CATALOG, "cake"))
    assert handle is not None
    shelf.desk.rest(2)
    assert (
        shelf.desk.wait_for(shelf.products.get_chunk_result(shelf.credentials, BAKERY_CATALOG, handle)).rejected_changes
        == ()
    )
    assert shelf.find("cake") == {}
    with pytest.raises(PlatformNotFoundError):
        shelf.desk.wait_for(shelf.products.delete(shelf.credentials, BAKERY_CATALOG, "cake"))


def test_catalogs_are_listed_created_and_found(shelf: CatalogFixture) -> None:
    wait, commerce, credentials = shelf.desk.wait_for, shelf.commerce, shelf.credentials
    catalog = wait(commerce.create_catalog(credentials, NewCatalog(name="Cakes", currency="SEK", country="SE")))
    page = wait(commerce.list_catalogs(credentials, 1, None))
    rest = wait(commerce.list_catalogs(credentials, 1, page.cursor))
    assert {catalog.name for catalog in (*page.items, *rest.items)} == {"Bakery goods", "Cakes"}
    assert rest.cursor is None
    assert wait(commerce.find_catalogs_by_name(credentials, "Cakes")) == [catalog]
    assert wait(commerce.fetch_catalog(credentials, catalog.id)) == catalog
    with pytest.raises(PlatformNotFoundError):
        wait(commerce.fetch_catalog(credentials, "7390000000000009999"))
    faults = commerce.validate_catalog(NewCatalog(name="x" * 129, vertical="pets"))
    assert [fault.pointer for fault in faults] == ["/name", "/vertical", "/currency", "/country"]
    alone = msgspec.structs.replace(credentials, details={})
    with pytest.raises(PlatformRejectedError, match="does not belong to a Business Center"):
        wait(commerce.list_catalogs(alone, 10, None))


def test_shops_name_their_catalogs(shelf: CatalogFixture) -> None:
    (shop,) = shelf.desk.wait_for(shelf.commerce.list_shops(shelf.credentials, 10, None)).items
    assert (shop.id, shop.name, shop.catalog_ids) == (BAKERY_STORE, "Ada's Bakery", (BAKERY_CATALOG,))


def test_a_brand_is_required(shelf: CatalogFixture) -> None:
    (fault,) = shelf.products.validate_product_change(a_product("x", brand=None), ProductChangeMethod.UPSERT)
    assert (fault.pointer, fault.code) == ("/brand", "required")
