"""Catalogs of Meta at the sandbox: products, prices, filters, sets and shops."""

from collections.abc import Iterator

import msgspec
import pytest

from socialgate.connectors.meta.commerce_filters import encode_filter, parse_filter
from socialgate.contracts.commerce import (
    FilterRule,
    NewCatalog,
    NewProductSet,
    Price,
    Product,
    ProductChangeMethod,
    ProductFilter,
)
from socialgate.contracts.failures import (
    PermissionMissingError,
    PlatformDuplicateError,
    PlatformNotFoundError,
    PlatformRejectedError,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate_sandbox.vendors import ALL_VENDORS
from socialgate_sandbox.vendors.meta.seed import BAKERY_CATALOG, BAKERY_SHOP
from support import catalogs
from support.catalogs import CatalogFixture, a_product
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, running_sandbox


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    sandbox.control("reset")
    with start_driver(Platform.META, sandbox) as opened:
        yield opened


@pytest.fixture
def shelf(desk: ConnectorDriver) -> CatalogFixture:
    return CatalogFixture(desk, Kind.META_ADS, BAKERY_CATALOG)


def test_a_product_comes_back_as_it_was_sent(shelf: CatalogFixture) -> None:
    catalogs.check_round_trip(shelf)


def test_prices_of_all_currencies_come_back(shelf: CatalogFixture) -> None:
    catalogs.check_prices(shelf)


def test_refused_products_are_named(shelf: CatalogFixture) -> None:
    catalogs.check_refusals(shelf)
    # Some are refused at once: these never get a handle.
    checked = shelf.submit(a_product("x", url="bun"))
    assert [rejected_change.retailer_id for rejected_change in checked.rejected_changes] == ["x"]


def test_products_are_changed_and_deleted(shelf: CatalogFixture) -> None:
    catalogs.check_changes(shelf)


def test_products_are_listed_by_filters(shelf: CatalogFixture) -> None:
    catalogs.check_lists(shelf)
    stock = FilterRule(field="availability", operator="is", values=("inStock",))
    assert shelf.listed(filter=ProductFilter(rules=(stock,))) == ["a", "b", "c"]


def test_sets_hold_what_their_filters_choose(shelf: CatalogFixture) -> None:
    catalogs.check_sets(shelf, Price(34900, "SEK"))


def test_amounts_in_filters_are_hundredths_of_every_currency() -> None:
    rule = FilterRule(field="price", operator="atMost", price=Price(490, "JPY"))
    written = encode_filter(ProductFilter(rules=(rule,)))
    assert written == {"and": [{"currency": {"eq": "JPY"}}, {"price_amount": {"lte": 49000}}]}
    assert parse_filter(msgspec.json.encode(written).decode()) == ProductFilter(rules=(rule,))


def test_what_meta_cannot_filter_by_is_named(shelf: CatalogFixture) -> None:
    new = NewProductSet(
        catalog_id=BAKERY_CATALOG,
        name="x",
        filter=ProductFilter(
            rules=(
                FilterRule(field="title", operator="startsWith", values=("Oak",)),
                FilterRule(field="description", operator="contains", values=("Oak",)),
            )
        ),
    )
    faults = shelf.commerce.validate_product_set(new)
    assert [fault.pointer for fault in faults] == ["/filter/rules/0/operator", "/filter/rules/1/field"]
    fils = FilterRule(field="price", operator="is", price=Price(1255, "KWD"))
    (fault,) = shelf.commerce.validate_product_set(
        NewProductSet(catalog_id=BAKERY_CATALOG, name="x", filter=ProductFilter(rules=(fils,)))
    )
    assert fault.code == "invalid"


def test_filters_that_say_more_than_ours_are_left_alone() -> None:
    for other in ('{"gender":{"eq":"male"}}', '{"and":[{"or":[]}]}', "{}", "nonsense", None, '{"brand":{"regex":"x"}}'):
        assert parse_filter(other) is None


def test_one_product_is_deleted_by_its_own_id(shelf: CatalogFixture) -> None:
    shelf.submit(a_product("cake 1/å"))
    assert shelf.desk.wait_for(shelf.products.delete(shelf.credentials, BAKERY_CATALOG, "cake 1/å")) is None
    assert shelf.find("cake 1/å") == {}
    with pytest.raises(PlatformNotFoundError):
        shelf.desk.wait_for(shelf.products.delete(shelf.credentials, BAKERY_CATALOG, "cake 1/å"))


def test_catalogs_are_listed_created_and_found(shelf: CatalogFixture) -> None:
    wait, commerce, credentials = shelf.desk.wait_for, shelf.commerce, shelf.credentials
    catalog = wait(commerce.create_catalog(credentials, NewCatalog(name="Cakes", vertical="commerce")))
    page = wait(commerce.list_catalogs(credentials, 1, None))
    rest = wait(commerce.list_catalogs(credentials, 50, page.cursor))
    assert {catalog.name for catalog in (*page.items, *rest.items)} == {"Bakery goods", "Cakes"}
    assert rest.cursor is None
    assert [catalog.id for catalog in wait(commerce.find_catalogs_by_name(credentials, "Cakes"))] == [catalog.id]
    assert wait(commerce.fetch_catalog(credentials, catalog.id)).product_count == 0
    with pytest.raises(PlatformDuplicateError):
        wait(commerce.create_catalog(credentials, NewCatalog(name="Cakes")))
    faults = commerce.validate_catalog(NewCatalog(name="x", vertical="shoes", currency="SEK"))
    assert [fault.pointer for fault in faults] == ["/vertical", "/currency"]


def test_a_catalog_of_another_business_is_none_of_the_account(shelf: CatalogFixture) -> None:
    """The same person may be in both businesses; the account is in one."""
    other = msgspec.structs.replace(
        shelf.credentials, details={**shelf.credentials.details, "businessId": "506070800000201"}
    )
    with pytest.raises((PlatformNotFoundError, PermissionMissingError)):
        shelf.desk.wait_for(shelf.commerce.fetch_catalog(other, BAKERY_CATALOG))
    with pytest.raises(PlatformNotFoundError):
        shelf.desk.wait_for(shelf.commerce.fetch_catalog(shelf.credentials, "2750000000009999"))
    alone = msgspec.structs.replace(shelf.credentials, details={**shelf.credentials.details, "businessId": None})
    with pytest.raises(PlatformRejectedError, match="does not belong to a business"):
        shelf.desk.wait_for(shelf.commerce.list_catalogs(alone, 10, None))


def test_shops_name_their_catalogs(shelf: CatalogFixture) -> None:
    (shop,) = shelf.desk.wait_for(shelf.commerce.list_shops(shelf.credentials, 10, None)).items
    assert (shop.id, shop.catalog_ids, shop.status) == (BAKERY_SHOP, (BAKERY_CATALOG,), "live")


def test_what_is_missing_is_named_before_it_is_sent(shelf: CatalogFixture) -> None:
    faults = shelf.products.validate_product_change(
        Product(retailer_id="x", title="x" * 201), ProductChangeMethod.UPSERT
    )
    assert {fault.pointer for fault in faults} == {
        *("/title", "/description", "/availability", "/condition", "/price", "/url", "/imageUrl")
    }
    assert shelf.products.validate_product_change(Product(retailer_id="x"), ProductChangeMethod.UPDATE) == []
