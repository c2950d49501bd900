"""Catalogs, products, batches, sets and shops, with Meta's own SDK and in plain HTTP."""

import json
import warnings
from base64 import urlsafe_b64encode
from typing import Any

import pytest
from facebook_business.adobjects.business import Business
from facebook_business.adobjects.commercemerchantsettings import CommerceMerchantSettings
from facebook_business.adobjects.page import Page
from facebook_business.adobjects.productcatalog import ProductCatalog
from facebook_business.adobjects.productitem import ProductItem
from facebook_business.adobjects.productset import ProductSet
from facebook_business.exceptions import FacebookRequestError

from sandbox.graph_support import codes_of, names_of
from sandbox.meta.sdk import Sdk, ids
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.oauth import SCOPES
from socialgate_sandbox.vendors.meta.seed import ADA, ADA_BUSINESS, BAKERY, BAKERY_CATALOG, BAKERY_SHOP, BRAM

ONE = {
    "retailer_id": "bun-1",
    "name": "Cardamom bun",
    "currency": "SEK",
    "price": 3850,
    "url": "https://bakery.example.com/bun",
    "image_url": "https://bakery.example.com/bun.jpg",
}


@pytest.fixture
def token(meta: Meta) -> str:
    return meta.long(ADA)


@pytest.fixture
def catalog(sdk: Sdk, token: str) -> ProductCatalog:
    return ProductCatalog(BAKERY_CATALOG, api=sdk.api(token))


def row(sku: str, method: str = "CREATE", **change: Any) -> dict[str, Any]:
    data = {
        "id": sku,
        "title": f"Bun {sku}",
        "description": "Warm",
        "availability": "in stock",
        "condition": "new",
        "price": "38.50 SEK",
        "link": "https://bakery.example.com/bun",
        "image": [
            {"url": "https://bakery.example.com/1.jpg", "tag": ["a"]},
            {"url": "https://bakery.example.com/2.jpg"},
        ],
    }
    return {"method": method, "data": {name: value for name, value in {**data, **change}.items() if value is not None}}


def send(catalog: ProductCatalog, rows: list[dict[str, Any]], **more: Any) -> Any:
    with warnings.catch_warnings():
        # The SDK takes the requests for a map, which they are not, and only complains.
        warnings.simplefilter("ignore")
        return catalog.create_items_batch(params={"item_type": "PRODUCT_ITEM", "requests": rows, **more})


def status(catalog: ProductCatalog, handle: str, **more: Any) -> Any:
    (result,) = catalog.get_check_batch_request_status(params={"handle": handle, **more})
    return result


def listed(catalog: ProductCatalog, *fields: str, **params: Any) -> list[Any]:
    return list(catalog.get_products(fields=["retailer_id", *fields], params=params))


def test_catalogs_are_listed_made_renamed_and_deleted(meta: Meta, sdk: Sdk, token: str) -> None:
    business = Business(ADA_BUSINESS, api=sdk.api(token))
    fields = ["name", "vertical", "product_count", "business"]
    (seeded,) = business.get_owned_product_catalogs(fields=fields)
    assert (seeded["name"], seeded["vertical"], seeded["product_count"]) == ("Bakery goods", "commerce", 0)
    created = business.create_owned_product_catalog(params={"name": "Catering", "vertical": "commerce"})
    assert codes_of(meta.post(f"{ADA_BUSINESS}/owned_product_catalogs", token, name="Catering")) == (804, None)
    wrong = {"name": "Other", "vertical": "spaceships"}
    assert codes_of(meta.post(f"{ADA_BUSINESS}/owned_product_catalogs", token, **wrong)) == (100, None)
    catalog = ProductCatalog(created["id"], api=sdk.api(token))
    catalog.api_update(params={"name": "Parties"})
    assert catalog.api_get(fields=["name"])["name"] == "Parties"
    assert ids(Page(BAKERY, api=sdk.api(token)).get_product_catalogs()) == [BAKERY_CATALOG, created["id"]]
    assert list(business.get_client_product_catalogs()) == []
    catalog.create_product_set(params={"name": "All", "filter": {}})
    with pytest.raises(FacebookRequestError):
        catalog.api_delete()
    catalog.api_delete(params={"allow_delete_catalog_with_live_product_set": True})
    assert ids(business.get_owned_product_catalogs()) == [BAKERY_CATALOG]


@pytest.mark.parametrize(
    ("currency", "amount", "shown"),
    [
        ("USD", 1299999, "$12,999.99"),
        ("BRL", 1, "R$0.01"),
        ("JPY", 1200, "¥1,200"),
        ("CLP", 19990, "CLP 19,990"),
        ("KWD", 1234, "KWD 12.340"),
        ("SEK", 3850, "SEK 38.50"),
    ],
)
def test_one_product_has_a_price_in_minor_units(
    catalog: ProductCatalog, currency: str, amount: int, shown: str
) -> None:
    catalog.create_product(params={**ONE, "currency": currency, "price": amount})
    (product,) = listed(catalog, "price", "currency")
    assert (product["price"], product["currency"]) == (shown, currency)


def test_one_product_is_made_changed_found_and_deleted(
    meta: Meta, sdk: Sdk, catalog: ProductCatalog, token: str
) -> None:
    created = catalog.create_product(params={**ONE, "brand": "Lindqvist"})
    product = ProductItem(created["id"], api=sdk.api(token))
    fields = ["name", "price", "availability", "condition", "brand", "url", "image_url", "review_status", "visibility"]
    read = product.api_get(fields=fields)
    assert (read["price"], read["availability"], read["condition"]) == ("SEK 38.50", "in stock", "new")
    assert (read["review_status"], read["visibility"]) == ("pending", "published")
    product.api_update(params={"name": "Bun", "price": 4000})
    coded = urlsafe_b64encode(b"bun-1").decode().rstrip("=")
    again = meta.get(f"catalog:{BAKERY_CATALOG}:{coded}", token, fields="name,price,brand").json()
    assert (again["id"], again["name"], again["price"], again["brand"]) == (
        created["id"],
        "Bun",
        "SEK 40.00",
        "Lindqvist",
    )
    meta.platform.pass_time(60)
    assert product.api_get(fields=["review_status"])["review_status"] == "approved"
    assert catalog.create_product(params={**ONE, "name": "Third"})["id"] == created["id"]
    duplicate = meta.post(f"{BAKERY_CATALOG}/products", token, **{**ONE, "allow_upsert": "false"})
    assert codes_of(duplicate) == (10800, None)
    product.api_delete()
    assert listed(catalog) == []
    for change in ({"price": "9.99"}, {"currency": "ZZZ"}, {"url": "bun"}, {"name": ""}, {"retailer_id": ""}):
        assert codes_of(meta.post(f"{BAKERY_CATALOG}/products", token, **{**ONE, **change})) == (100, None)


def test_a_batch_ripens(meta: Meta, catalog: ProductCatalog) -> None:
    answer = send(catalog, [row("a"), row("b", price="12.5 SEK")])
    (handle,) = answer["handles"]
    assert answer["validation_status"] == []
    assert status(catalog, handle)["status"] in {"started", "in_progress"}
    assert listed(catalog) == []
    meta.platform.pass_time(2)
    done = status(catalog, handle)
    assert (done["status"], done["errors_total_count"], done["errors"]) == ("finished", 0, [])
    rows = listed(catalog, "price", "image_url", "additional_image_urls")
    assert [(row["retailer_id"], row["price"]) for row in rows] == [("a", "SEK 38.50"), ("b", "SEK 12.50")]
    assert rows[0]["image_url"].endswith("/1.jpg")
    assert rows[0]["additional_image_urls"] == ["https://bakery.example.com/2.jpg"]
    next_ = send(
        catalog, [{"method": "UPDATE", "data": {"id": "a", "title": "New"}}, {"method": "DELETE", "data": {"id": "b"}}]
    )
    meta.platform.pass_time(2)
    assert status(catalog, next_["handles"][0])["errors_total_count"] == 0
    assert [(item["retailer_id"], item["name"], item["price"]) for item in listed(catalog, "name", "price")] == [
        ("a", "New", "SEK 38.50")
    ]


def test_bad_rows_are_named_at_once_or_later_and_the_others_land(meta: Meta, catalog: ProductCatalog) -> None:
    wrong = {
        "price": row("price", price="9,99 USD"),
        "unit": row("unit", price="9.99"),
        "yen": row("yen", price="1200.50 JPY"),
        "cents": row("cents", price="9.999 USD"),
        "coin": row("coin", price="9.99 ZZZ"),
        "title": row("title", title=None),
        "word": row("word", availability="IN_STOCK"),
        "link": row("link", link="bun.html"),
        "long": row("long", title="x" * 201),
        "how": row("how", method="PUT"),
        "": row(""),
    }
    later = [
        row("gone", image_link="https://pictures.invalid/x.jpg", image=None),
        {"method": "UPDATE", "data": {"id": "unknown", "title": "x"}},
        {"method": "DELETE", "data": {"id": "absent"}},
    ]
    answer = send(catalog, [*wrong.values(), row("good"), *later, row("dinar", price="12.345 KWD")])
    assert [item["retailer_id"] for item in answer["validation_status"]] == list(wrong)
    assert all(item["errors"][0]["message"] for item in answer["validation_status"])
    (handle,) = answer["handles"]
    meta.platform.pass_time(2)
    done = status(catalog, handle)
    assert {item["id"] for item in done["errors"]} == {"gone", "unknown", "absent"}
    assert (done["errors"][0]["line"], done["ids_of_invalid_requests"]) == (13, [])
    named = status(catalog, handle, load_ids_of_invalid_requests=True)
    assert named["ids_of_invalid_requests"] == ["absent", "gone", "unknown"]
    assert [(item["retailer_id"], item["price"]) for item in listed(catalog, "price")] == [
        ("good", "SEK 38.50"),
        ("dinar", "KWD 12.345"),
    ]
    assert send(catalog, [row("", price="x")])["handles"] == []


def test_a_batch_without_upsert_only_changes(meta: Meta, catalog: ProductCatalog) -> None:
    answer = send(catalog, [row("a", method="UPDATE")], allow_upsert=False)
    meta.platform.pass_time(2)
    assert [item["id"] for item in status(catalog, answer["handles"][0])["errors"]] == ["a"]
    send(catalog, [row("a", method="UPDATE")])
    meta.platform.pass_time(2)
    assert len(listed(catalog)) == 1


def test_the_limits_of_a_batch(meta: Meta, catalog: ProductCatalog, token: str) -> None:
    many = [row(f"sku-{number}") for number in range(5001)]
    with pytest.raises(FacebookRequestError) as failed:
        send(catalog, many)
    assert failed.value.api_error_code() == 100
    # This is more than a megabyte of form.
    assert send(catalog, many[:5000])["validation_status"] == []
    meta.platform.pass_time(2)
    assert catalog.api_get(fields=["product_count"])["product_count"] == 5000
    first = meta.get(f"{BAKERY_CATALOG}/products", token, limit=2, summary="true").json()
    assert (len(first["data"]), first["summary"]["total_count"]) == (2, 5000)
    place = f"{BAKERY_CATALOG}/items_batch"
    for form in ({"requests": "[]"}, {"item_type": "PRODUCT_ITEM", "requests": "{}"}, {"item_type": "PRODUCT_ITEM"}):
        assert codes_of(meta.post(place, token, **form)) == (100, None)
    assert codes_of(meta.get(f"{BAKERY_CATALOG}/check_batch_request_status", token, handle="x")) == (100, None)


def test_products_are_filtered_and_sets_follow_them(meta: Meta, sdk: Sdk, catalog: ProductCatalog, token: str) -> None:
    send(catalog, [row("a", brand="Oak", price="10.00 SEK"), row("b", brand="oakley"), row("c", brand="Pine")])
    meta.platform.pass_time(2)

    def kept(params: dict[str, Any]) -> list[str]:
        return [item["retailer_id"] for item in listed(catalog, filter=params)]

    assert kept({"brand": {"i_contains": "oak"}}) == ["a", "b"]
    assert kept({"brand": {"contains": "oak"}}) == ["b"]
    assert kept({"retailer_id": {"is_any": ["a", "c"]}}) == ["a", "c"]
    assert kept({"price_amount": {"lt": 3850}}) == ["a"]
    assert kept({"or": [{"brand": {"eq": "Pine"}}, {"price_amount": {"lte": 1000}}]}) == ["a", "c"]
    assert kept({"and": [{"brand": {"i_contains": "oak"}}, {"retailer_id": {"neq": "a"}}]}) == ["b"]
    for wrong in (
        '{"shoe":{"eq":1}}',
        '{"brand":{"like":1}}',
        '{"price_amount":{"lt":"x"}}',
        '{"and":1}',
        '{"brand":1}',
    ):
        assert codes_of(meta.get(f"{BAKERY_CATALOG}/products", token, filter=wrong)) == (100, None)
    created = catalog.create_product_set(params={"name": "Oaks", "filter": {"brand": {"i_contains": "oak"}}})
    result = ProductSet(created["id"], api=sdk.api(token))
    read = result.api_get(fields=["name", "filter", "product_count"])
    assert (read["name"], read["product_count"]) == ("Oaks", 2)
    assert json.loads(read["filter"]) == {"brand": {"i_contains": "oak"}}
    assert [product["retailer_id"] for product in result.get_products(fields=["retailer_id"])] == ["a", "b"]
    result.api_update(params={"filter": {"brand": {"eq": "Pine"}}})
    assert result.api_get(fields=["product_count"])["product_count"] == 1
    assert names_of(catalog.get_product_sets(fields=["name"])) == ["Oaks"]
    result.api_delete()
    assert list(catalog.get_product_sets()) == []
    assert codes_of(meta.post(f"{BAKERY_CATALOG}/product_sets", token, name="x", filter='{"x":{"eq":1}}')) == (
        100,
        None,
    )


def test_shops(meta: Meta, sdk: Sdk, token: str) -> None:
    api = sdk.api(token)
    (account,) = Business(ADA_BUSINESS, api=api).get_commerce_merchant_settings(
        fields=["display_name", "merchant_status"]
    )
    assert (account["id"], account["display_name"], account["merchant_status"]) == (
        BAKERY_SHOP,
        "Lindqvist Bakery",
        "ENABLED",
    )
    settings = CommerceMerchantSettings(BAKERY_SHOP, api=api)
    (shop,) = settings.get_shops(fields=["shop_status"])
    assert shop["shop_status"] == "LIVE"
    assert ids(settings.get_product_catalogs()) == [BAKERY_CATALOG]
    assert ids(Page(BAKERY, api=api).get_commerce_merchant_settings()) == [BAKERY_SHOP]
    assert meta.get(f"{BAKERY_SHOP}/setup_status", token).json()["data"][0]["shop_setup"] == "SETUP"


def test_who_may_not_see_a_catalog(meta: Meta) -> None:
    stranger = meta.long(BRAM)
    for place in (BAKERY_CATALOG, f"{BAKERY_CATALOG}/products", BAKERY_SHOP):
        assert codes_of(meta.get(place, stranger)) == (100, 33)
    few = meta.long(
        ADA, [scope for scope in SCOPES if scope not in {"catalog_management", "commerce_account_read_settings"}]
    )
    for place in (BAKERY_CATALOG, f"{BAKERY_CATALOG}/products", f"{ADA_BUSINESS}/owned_product_catalogs"):
        assert codes_of(meta.get(place, few), 403) == (200, None)
    assert codes_of(meta.get(f"{ADA_BUSINESS}/commerce_merchant_settings", few), 403) == (10, None)
