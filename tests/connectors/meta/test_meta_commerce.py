"""Catalogs of Meta at the sandbox: products, prices, filters, sets and shops."""

from collections.abc import Iterator

import msgspec
import pytest

from socialgate.connectors.meta.commerce_filters import from_meta, to_meta
from socialgate.contracts.commerce import FilterRule, Method, NewCatalog, NewSet, Price, Product, ProductFilter
from socialgate.contracts.failures import Duplicate, PermissionMissing, PlatformNotFound, Rejected
from socialgate.contracts.platforms import Kind, Platform
from socialgate_sandbox.vendors import ALL
from socialgate_sandbox.vendors.meta.seed import BAKERY_CATALOG, BAKERY_SHOP
from support import catalogs
from support.catalogs import Shelf, a_product
from support.publishing import Desk, desk_of
from support.simulation import RunningSandbox, running_sandbox


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[Desk]:
    sandbox.control("reset")
    with desk_of(Platform.META, sandbox) as opened:
        yield opened


@pytest.fixture
def shelf(desk: Desk) -> Shelf:
    return Shelf(desk, Kind.META_ADS, BAKERY_CATALOG)


def test_a_product_comes_back_as_it_was_sent(shelf: Shelf) -> None:
    catalogs.check_round_trip(shelf)


def test_prices_of_all_currencies_come_back(shelf: Shelf) -> None:
    catalogs.check_prices(shelf)


def test_refused_products_are_named(shelf: Shelf) -> None:
    catalogs.check_refusals(shelf)
    # Some are refused at once: these never get a handle.
    checked = shelf.submit(a_product("x", url="bun"))
    assert [one.retailer_id for one in checked.refused] == ["x"]


def test_products_are_changed_and_deleted(shelf: Shelf) -> None:
    catalogs.check_changes(shelf)


def test_products_are_listed_by_filters(shelf: Shelf) -> None:
    catalogs.check_lists(shelf)
    stock = FilterRule(field="availability", operator="is", values=("inStock",))
    assert shelf.listed(filter=ProductFilter(rules=(stock,))) == ["a", "b", "c"]


def test_sets_hold_what_their_filters_choose(shelf: Shelf) -> None:
    catalogs.check_sets(shelf, Price(34900, "SEK"))


def test_amounts_in_filters_are_hundredths_of_every_currency() -> None:
    rule = FilterRule(field="price", operator="atMost", price=Price(490, "JPY"))
    written = to_meta(ProductFilter(rules=(rule,)))
    assert written == {"and": [{"currency": {"eq": "JPY"}}, {"price_amount": {"lte": 49000}}]}
    assert from_meta(msgspec.json.encode(written).decode()) == ProductFilter(rules=(rule,))


def test_what_meta_cannot_filter_by_is_named(shelf: Shelf) -> None:
    new = NewSet(
        catalog_id=BAKERY_CATALOG,
        name="x",
        filter=ProductFilter(
            rules=(
                FilterRule(field="title", operator="startsWith", values=("Oak",)),
                FilterRule(field="description", operator="contains", values=("Oak",)),
            )
        ),
    )
    faults = shelf.commerce.set_faults(new)
    assert [fault.pointer for fault in faults] == ["/filter/rules/0/operator", "/filter/rules/1/field"]
    fils = FilterRule(field="price", operator="is", price=Price(1255, "KWD"))
    (fault,) = shelf.commerce.set_faults(
        NewSet(catalog_id=BAKERY_CATALOG, name="x", filter=ProductFilter(rules=(fils,)))
    )
    assert fault.code == "invalid"


def test_filters_that_say_more_than_ours_are_left_alone() -> None:
    for other in ('{"gender":{"eq":"male"}}', '{"and":[{"or":[]}]}', "{}", "nonsense", None, '{"brand":{"regex":"x"}}'):
        assert from_meta(other) is None


def test_one_product_is_deleted_by_its_own_id(shelf: Shelf) -> None:
    shelf.submit(a_product("cake 1/å"))
    assert shelf.desk.wait_for(shelf.products.delete(shelf.held, BAKERY_CATALOG, "cake 1/å")) is None
    assert shelf.find("cake 1/å") == {}
    with pytest.raises(PlatformNotFound):
        shelf.desk.wait_for(shelf.products.delete(shelf.held, BAKERY_CATALOG, "cake 1/å"))


def test_catalogs_are_listed_created_and_found(shelf: Shelf) -> None:
    wait, commerce, held = shelf.desk.wait_for, shelf.commerce, shelf.held
    made = wait(commerce.create_catalog(held, NewCatalog(name="Cakes", vertical="commerce")))
    page = wait(commerce.catalogs(held, 1, None))
    rest = wait(commerce.catalogs(held, 50, page.cursor))
    assert {one.name for one in (*page.items, *rest.items)} == {"Bakery goods", "Cakes"}
    assert rest.cursor is None
    assert [one.id for one in wait(commerce.catalogs_named(held, "Cakes"))] == [made.id]
    assert wait(commerce.catalog(held, made.id)).product_count == 0
    with pytest.raises(Duplicate):
        wait(commerce.create_catalog(held, NewCatalog(name="Cakes")))
    faults = commerce.catalog_faults(NewCatalog(name="x", vertical="shoes", currency="SEK"))
    assert [fault.pointer for fault in faults] == ["/vertical", "/currency"]


def test_a_catalog_of_another_business_is_none_of_the_account(shelf: Shelf) -> None:
    """The same person may be in both businesses; the account is in one."""
    other = msgspec.structs.replace(shelf.held, details={**shelf.held.details, "businessId": "506070800000201"})
    with pytest.raises((PlatformNotFound, PermissionMissing)):
        shelf.desk.wait_for(shelf.commerce.catalog(other, BAKERY_CATALOG))
    with pytest.raises(PlatformNotFound):
        shelf.desk.wait_for(shelf.commerce.catalog(shelf.held, "2750000000009999"))
    alone = msgspec.structs.replace(shelf.held, details={**shelf.held.details, "businessId": None})
    with pytest.raises(Rejected, match="does not belong to a business"):
        shelf.desk.wait_for(shelf.commerce.catalogs(alone, 10, None))


def test_shops_name_their_catalogs(shelf: Shelf) -> None:
    (shop,) = shelf.desk.wait_for(shelf.commerce.shops(shelf.held, 10, None)).items
    assert (shop.id, shop.catalog_ids, shop.status) == (BAKERY_SHOP, (BAKERY_CATALOG,), "live")


def test_what_is_missing_is_named_before_it_is_sent(shelf: Shelf) -> None:
    faults = shelf.products.faults(Product(retailer_id="x", title="x" * 201), Method.UPSERT)
    assert {fault.pointer for fault in faults} == {
        *("/title", "/description", "/availability", "/condition", "/price", "/url", "/imageUrl")
    }
    assert shelf.products.faults(Product(retailer_id="x"), Method.UPDATE) == []
