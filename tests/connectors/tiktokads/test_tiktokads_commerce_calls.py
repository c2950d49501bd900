"""Catalogs of TikTok at the sandbox: products with their logs, prices, filters, sets and shops."""

from collections.abc import Iterator
from itertools import count

import msgspec
import pytest

from socialgate.connectors.tiktokads.commerce_filters import from_conditions
from socialgate.contracts.commerce import FilterRule, Method, NewCatalog, NewSet, Price, ProductFilter, ProductQuery
from socialgate.contracts.failures import PlatformNotFound, Rejected
from socialgate.contracts.platforms import Kind, Platform
from socialgate_sandbox.vendors import ALL
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_CATALOG, BAKERY_STORE
from support import catalogs
from support.catalogs import Shelf, a_product
from support.publishing import Desk, desk_of
from support.simulation import RunningSandbox, running_sandbox

_minutes = count(1)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[Desk]:
    sandbox.control("reset")
    # Its limits of calls are those of the app, whichever test they come from, and setting back sets back its time.
    sandbox.control("clock", advance=60 * next(_minutes))
    with desk_of(Platform.TIKTOKADS, sandbox) as opened:
        yield opened


@pytest.fixture
def shelf(desk: Desk) -> Shelf:
    return Shelf(desk, Kind.TIKTOK_ADS, BAKERY_CATALOG)


def test_a_product_comes_back_as_it_was_sent(shelf: Shelf) -> None:
    catalogs.check_round_trip(shelf)


def test_prices_of_all_currencies_come_back(shelf: Shelf) -> None:
    catalogs.check_prices(shelf)


def test_refused_products_are_named_also_those_of_the_file(shelf: Shelf) -> None:
    """The log shows five of seven; the rest stands in a file."""
    catalogs.check_refusals(shelf)
    assert shelf.desk.calls("*.csv")


def test_without_the_file_it_is_known_that_some_are_not_named(shelf: Shelf) -> None:
    shelf.desk.fail("*.csv", error="temporarily_unavailable")
    wrong = [a_product(f"lost-{number}", image_url="https://pictures.invalid/x.jpg") for number in range(7)]
    checked = shelf.submit(*wrong)
    assert (len(checked.refused), checked.unnamed) == (5, True)


def test_products_are_changed_and_deleted(shelf: Shelf) -> None:
    catalogs.check_changes(shelf)


def test_products_are_listed_by_filters(shelf: Shelf) -> None:
    catalogs.check_lists(shelf)
    stock = FilterRule(field="availability", operator="is", values=("inStock",))
    (fault,) = shelf.products.query_faults(ProductQuery(limit=1, filter=ProductFilter(rules=(stock,))))
    assert (fault.pointer, fault.code) == ("?availability", "not_supported")


def test_sets_hold_what_their_filters_choose(shelf: Shelf) -> None:
    catalogs.check_sets(shelf, Price(34900, "SEK"))


def test_prices_in_filters_are_of_the_catalogs_currency(shelf: Shelf) -> None:
    rule = FilterRule(field="price", operator="lessThan", price=Price(999, "USD"))
    with pytest.raises(Rejected, match="SEK"):
        shelf.make_set("cheap", [rule])


def test_what_tiktok_cannot_filter_by_is_named(shelf: Shelf) -> None:
    rule = FilterRule(field="title", operator="isAny", values=("Oak", "Elm"))
    new = NewSet(catalog_id=BAKERY_CATALOG, name="x" * 29, filter=ProductFilter(rules=(rule,)))
    assert [fault.pointer for fault in shelf.commerce.set_faults(new)] == ["/name", "/filter/rules/0/operator"]
    (fault,) = shelf.commerce.set_faults(NewSet(catalog_id=BAKERY_CATALOG, name="x"))
    assert (fault.pointer, fault.code) == ("/filter", "required")


def test_conditions_that_say_more_than_ours_are_left_alone() -> None:
    conditions = [
        {"and": [{"field": "gender", "operation": "EQUAL", "value": "MALE"}]},
        {"and": [{"field": "brand", "operation": "NOT_EMPTY"}]},
        {"and": []},
        {},
        None,
    ]
    assert [from_conditions(one, "SEK") for one in conditions] == [None] * 5


def test_one_product_is_deleted(shelf: Shelf) -> None:
    shelf.submit(a_product("cake"))
    handle = shelf.desk.wait_for(shelf.products.delete(shelf.held, BAKERY_CATALOG, "cake"))
    assert handle is not None
    shelf.desk.rest(2)
    assert shelf.desk.wait_for(shelf.products.check(shelf.held, BAKERY_CATALOG, handle)).refused == ()
    assert shelf.find("cake") == {}
    with pytest.raises(PlatformNotFound):
        shelf.desk.wait_for(shelf.products.delete(shelf.held, BAKERY_CATALOG, "cake"))


def test_catalogs_are_listed_created_and_found(shelf: Shelf) -> None:
    wait, commerce, held = shelf.desk.wait_for, shelf.commerce, shelf.held
    made = wait(commerce.create_catalog(held, NewCatalog(name="Cakes", currency="SEK", country="SE")))
    page = wait(commerce.catalogs(held, 1, None))
    rest = wait(commerce.catalogs(held, 1, page.cursor))
    assert {one.name for one in (*page.items, *rest.items)} == {"Bakery goods", "Cakes"}
    assert rest.cursor is None
    assert wait(commerce.catalogs_named(held, "Cakes")) == [made]
    assert wait(commerce.catalog(held, made.id)) == made
    with pytest.raises(PlatformNotFound):
        wait(commerce.catalog(held, "7390000000000009999"))
    faults = commerce.catalog_faults(NewCatalog(name="x" * 129, vertical="pets"))
    assert [fault.pointer for fault in faults] == ["/name", "/vertical", "/currency", "/country"]
    alone = msgspec.structs.replace(held, details={})
    with pytest.raises(Rejected, match="does not belong to a Business Center"):
        wait(commerce.catalogs(alone, 10, None))


def test_shops_name_their_catalogs(shelf: Shelf) -> None:
    (shop,) = shelf.desk.wait_for(shelf.commerce.shops(shelf.held, 10, None)).items
    assert (shop.id, shop.name, shop.catalog_ids) == (BAKERY_STORE, "Ada's Bakery", (BAKERY_CATALOG,))


def test_a_brand_is_required(shelf: Shelf) -> None:
    (fault,) = shelf.products.faults(a_product("x", brand=None), Method.UPSERT)
    assert (fault.pointer, fault.code) == ("/brand", "required")
