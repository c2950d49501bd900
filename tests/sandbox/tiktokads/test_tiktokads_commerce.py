"""Catalogs, products with their logs, product sets and shops, with TikTok's own SDK and in plain HTTP."""

import csv
import io
from typing import Any

import pytest

from sandbox.tiktokads.client import TikTokAds, TiktokSDKError, sdk
from socialgate_sandbox.vendors.tiktokads.seed import (
    ADA_CENTER,
    BAKERY_ADVERTISER,
    BAKERY_CATALOG,
    BAKERY_STORE,
    BRAM_CENTER,
    SCHOOL_ADVERTISER,
)

PLACE = {"bc_id": ADA_CENTER, "catalog_id": BAKERY_CATALOG}


@pytest.fixture
def token(ads: TikTokAds) -> str:
    return ads.sign_in("ada")


@pytest.fixture
def catalogs(ads: TikTokAds) -> Any:
    return sdk.CatalogApi(ads.official)


def product(sku: str, **change: Any) -> dict[str, Any]:
    created = {
        "sku_id": sku,
        "title": f"Bun {sku}",
        "description": "Warm",
        "availability": "IN_STOCK",
        "brand": "Lindqvist",
        "image_url": "https://bakery.example.com/bun.jpg",
        "product_detail": {"condition": "NEW", "color": "brown"},
        "price_info": {"price": 38.5, "currency": "SEK"},
        "landing_page": {"landing_page_url": "https://bakery.example.com/bun"},
        "extra_info": {"custom_label_0": "warm"},
    }
    return {name: value for name, value in {**created, **change}.items() if value is not None}


def upload(ads: TikTokAds, token: str, products: list[Any], value: str = "upload") -> dict[str, Any]:
    """Send products and give the log, once it is done."""
    answer = ads.post(f"catalog/product/{value}/", {**PLACE, "products": products}, token)
    assert answer["code"] == 0, answer
    return done(ads, token, answer["data"]["feed_log_id"])


def done(ads: TikTokAds, token: str, log: str) -> dict[str, Any]:
    ads.sandbox.control("clock", advance=2)
    result: dict[str, Any] = ads.get("catalog/product/log/", token, feed_log_id=log, **PLACE)["data"][
        "product_feed_log"
    ]
    assert result["process_status"] == "SUCCESS"
    return result


def listed(ads: TikTokAds, token: str, **query: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = ads.get("catalog/product/get/", token, **PLACE, **query)["data"]["list"]
    return rows


def counts(log: dict[str, Any]) -> tuple[int, ...]:
    return tuple(log[f"{name}_count"] for name in ("add", "update", "delete", "error"))


def test_catalogs_are_listed_made_renamed_and_deleted(catalogs: Any, token: str) -> None:
    (seeded,) = catalogs.catalog_get(ADA_CENTER, token)["data"]["list"]
    assert (seeded["catalog_id"], seeded["catalog_conf"]["currency"]) == (BAKERY_CATALOG, "SEK")
    conf = sdk.CatalogcreateCatalogConf(currency="JPY", region_code="JP")
    body = sdk.CatalogCreateBody(bc_id=ADA_CENTER, name="Tokyo", catalog_type="ECOM", catalog_conf=conf)
    created = catalogs.catalog_create(token, body=body)["data"]["catalog_id"]
    catalogs.catalog_update(token, body=sdk.CatalogUpdateBody(bc_id=ADA_CENTER, catalog_id=created, name="Kyoto"))
    names = [item["catalog_name"] for item in catalogs.catalog_get(ADA_CENTER, token)["data"]["list"]]
    assert names == ["Bakery goods", "Kyoto"]
    catalogs.catalog_delete(token, body=sdk.CatalogDeleteBody(bc_id=ADA_CENTER, catalog_id=created))
    assert len(catalogs.catalog_get(ADA_CENTER, token)["data"]["list"]) == 1
    wrong = sdk.CatalogCreateBody(bc_id=ADA_CENTER, name="x" * 129, catalog_type="ECOM", catalog_conf=conf)
    with pytest.raises(TiktokSDKError, match="40002"):
        catalogs.catalog_create(token, body=wrong)


def test_products_ripen_and_are_read_as_they_were_sent(ads: TikTokAds, catalogs: Any, token: str) -> None:
    answer = ads.post("catalog/product/upload/", {**PLACE, "products": [product("a"), product("b")]}, token)
    log = answer["data"]["feed_log_id"]
    at_once = catalogs.catalog_product_log(ADA_CENTER, BAKERY_CATALOG, log, token)["data"]["product_feed_log"]
    assert at_once["process_status"] in {"WAITING", "PROCESSING"}
    assert listed(ads, token) == []
    ads.sandbox.control("clock", advance=2)
    after = catalogs.catalog_product_log(ADA_CENTER, BAKERY_CATALOG, log, token)["data"]["product_feed_log"]
    assert (after["process_status"], counts(after)) == ("SUCCESS", (2, 0, 0, 0))
    (first, _second) = listed(ads, token)
    assert {name: first[name] for name in product("a")} == product("a")
    assert (first["audit"]["audit_status"], first["product_id"].isdigit()) == ("processing", True)
    changed = upload(ads, token, [{"sku_id": "a", "title": "New"}], "update")
    assert counts(changed) == (0, 1, 0, 0)
    assert [(item["title"], item["brand"]) for item in listed(ads, token, sku_ids=["a"])] == [("New", "Lindqvist")]
    assert counts(upload(ads, token, [product("a")])) == (0, 1, 0, 0)
    gone = catalogs.catalog_product_delete(token, body=sdk.ProductDeleteBody(**PLACE, sku_ids=["a", "absent"]))
    assert counts(done(ads, token, gone["data"]["feed_log_id"])) == (0, 0, 1, 1)
    assert [item["sku_id"] for item in listed(ads, token)] == ["b"]


@pytest.mark.parametrize(
    ("currency", "price"), [("USD", 9.99), ("BRL", 0.1), ("JPY", 1200), ("CLP", 19990), ("KWD", 12.345), ("USD", 5)]
)
def test_a_price_is_a_number_of_whole_units(ads: TikTokAds, token: str, currency: str, price: float) -> None:
    upload(ads, token, [product("a", price_info={"price": price, "currency": currency})])
    (item,) = listed(ads, token)
    assert item["price_info"] == {"price": price, "currency": currency}


def test_bad_rows_stand_in_the_log_and_the_others_land(ads: TikTokAds, token: str) -> None:
    wrong = [
        *(product(f"word-{number}", availability="in stock") for number in range(7)),
        product("yen", price_info={"price": 12.5, "currency": "JPY"}),
        product("text", price_info={"price": "9,99", "currency": "USD"}),
        product("coin", price_info={"price": 1, "currency": "ZZZ"}),
        product("link", landing_page={"landing_page_url": "bun"}),
        product("title", title=None),
        product("free", price_info=None),
        product("picture", image_url="https://pictures.invalid/x.jpg"),
        product(""),
        "nonsense",
    ]
    log = upload(ads, token, [product("good"), *wrong])
    assert counts(log) == (1, 0, 0, len(wrong))
    data = log["feed_log_data"]
    words = next(item for item in data["error_affected_products"] if item["field"] == "availability")
    # The log shows five of the seven, counted as if a heading stood above them.
    assert words["affected_product_count"] == 7
    assert [word["index"] for word in words["affected_product_item_list"]] == [3, 4, 5, 6, 7]
    assert {item["field"] for item in data["error_affected_products"]} >= {
        *("price", "landing_page_url", "title", "image_url", "sku_id")
    }
    file = ads.http.get(data["download_path"]["en"])
    rows = list(csv.DictReader(io.StringIO(file.content.decode("utf-8-sig"), newline="")))
    assert {row["index"] for row in rows} == {str(number + 3) for number in range(len(wrong))}
    assert [row["sku_id"] for row in rows if row["field"] == "availability"] == [
        f"word-{number}" for number in range(7)
    ]
    assert [item["sku_id"] for item in listed(ads, token)] == ["good"]
    assert counts(upload(ads, token, [{"sku_id": "unknown", "title": "x"}], "update")) == (0, 0, 0, 1)


def test_products_are_filtered_and_sets_follow_them(ads: TikTokAds, catalogs: Any, token: str) -> None:
    oak = product("a", brand="Oak", price_info={"price": 10, "currency": "SEK"})
    upload(ads, token, [oak, product("b", brand="oakley"), product("c", brand="Pine")])

    def kept(**condition: Any) -> list[str]:
        return [item["sku_id"] for item in listed(ads, token, conditions={"and": [condition]})]

    assert kept(field="brand", operator="WILDCARD", values=["OAK"]) == ["a", "b"]
    assert kept(field="brand", operator="WILDCARD", values=["Oak"], case_sensitive=True) == ["a"]
    assert kept(field="sku_id", operator="IN", values=["a", "c"]) == ["a", "c"]
    assert kept(field="brand", operator="NOT_WILDCARD", values=["oak"]) == ["c"]
    other_words: list[dict[str, Any]] = [{"operation": "EQUAL", "value": "x"}, {"operator": "LIKE", "values": ["x"]}]
    for words in [*other_words, {"operator": "EQ"}]:
        request = {"and": [{"field": "brand", **words}]}
        assert ads.get("catalog/product/get/", token, **PLACE, conditions=request)["code"] == 40002
    conditions = {"or": [{"field": "brand", "operation": "CONTAIN", "value": ["Pine", "Oak"]}]}
    created = ads.post("catalog/set/create/", {**PLACE, "product_set_name": "Woods", "conditions": conditions}, token)[
        "data"
    ]
    assert created["product_count"] == 2
    (result,) = catalogs.catalog_set_get(BAKERY_CATALOG, ADA_CENTER, token)["data"]["product_set"]
    assert (result["product_set_name"], result["conditions"]) == ("Woods", conditions)
    key = created["product_set_id"]
    inside = catalogs.catalog_set_product_get(ADA_CENTER, BAKERY_CATALOG, key, token)["data"]["list"]
    assert [item["sku_id"] for item in inside] == ["a", "c"]
    assert [item["sku_id"] for item in listed(ads, token, product_set_ids=[key])] == ["a", "c"]
    ads.post("catalog/set/update/", {**PLACE, "product_set_id": key, "product_set_name": "Trees"}, token)
    assert catalogs.catalog_set_get(BAKERY_CATALOG, ADA_CENTER, token)["data"]["product_set"][0]["product_count"] == 2
    assert ads.post("catalog/set/delete/", {**PLACE, "product_set_ids": [key]}, token)["code"] == 0
    assert catalogs.catalog_set_get(BAKERY_CATALOG, ADA_CENTER, token)["data"]["product_set"] == []
    for wrong in (
        {"product_set_name": "x" * 29, "conditions": conditions},
        {"product_set_name": "x"},
        {"product_set_name": "x", "conditions": {"and": [{"field": "shoe", "operation": "EQUAL", "value": "1"}]}},
        {"product_set_name": "x", "conditions": {"and": [{"field": "brand", "operation": "LIKE", "value": "1"}]}},
        # Brands are compared by lists, and prices by a single number.
        {"product_set_name": "x", "conditions": {"and": [{"field": "brand", "operation": "EQUAL", "value": "1"}]}},
        {"product_set_name": "x", "conditions": {"and": [{"field": "price", "operation": "GT", "value": [1, 2]}]}},
        {"product_set_name": "x", "conditions": {"not": []}},
    ):
        assert ads.post("catalog/set/create/", {**PLACE, **wrong}, token)["code"] == 40002


def test_the_limits(ads: TikTokAds, token: str) -> None:
    batches: list[Any] = [[], [product("x")] * 5001, "all"]
    for batch in batches:
        assert ads.post("catalog/product/upload/", {**PLACE, "products": batch}, token)["code"] == 40002
    ads.sandbox.control("clock", advance=2)
    assert ads.post("catalog/product/delete/", {**PLACE, "sku_ids": ["x"] * 1001}, token)["code"] == 40002
    assert ads.get("catalog/product/get/", token, page_size=501, **PLACE)["code"] == 40002
    ads.sandbox.control("clock", advance=2)
    codes = [ads.post("catalog/product/delete/", {**PLACE, "sku_ids": ["x"]}, token)["code"] for _ in range(10)]
    assert (codes[0], 40100 in codes) == (0, True)
    ads.sandbox.control("clock", advance=2)
    many = [product(f"sku-{number}") for number in range(5000)]
    assert upload(ads, token, many)["add_count"] == 5000
    page = ads.get("catalog/product/get/", token, page=10, page_size=500, **PLACE)["data"]
    assert (len(page["list"]), page["page_info"]["total_number"]) == (500, 5000)


def test_shops_and_the_assets_of_a_center(ads: TikTokAds, token: str) -> None:
    (shop,) = ads.get("store/list/", token, advertiser_id=BAKERY_ADVERTISER)["data"]["stores"]
    assert (shop["store_id"], shop["catalog_id"]) == (BAKERY_STORE, BAKERY_CATALOG)
    assert shop["store_authorized_bc_id"] == ADA_CENTER
    assert ads.get("store/list/", token, advertiser_id=SCHOOL_ADVERTISER)["data"]["stores"] == []
    bc = sdk.BCApi(ads.official)
    for kind, key in (("CATALOG", BAKERY_CATALOG), ("TIKTOK_SHOP", BAKERY_STORE)):
        assets = bc.bc_asset_get(ADA_CENTER, kind, token)["data"]["list"]
        assert [asset["asset_id"] for asset in assets] == [key]


def test_who_may_not_see_a_catalog(ads: TikTokAds, token: str) -> None:
    bram = ads.sign_in("bram")
    assert ads.get("catalog/get/", bram, bc_id=ADA_CENTER)["code"] == 40001
    assert ads.get("catalog/product/get/", bram, **{**PLACE, "bc_id": BRAM_CENTER})["code"] == 40007
    few = ads.sign_in("ada", asked="1", scope=["1"])
    assert ads.get("catalog/get/", few, bc_id=ADA_CENTER)["code"] == 40001
    assert ads.get("store/list/", few, advertiser_id=BAKERY_ADVERTISER)["code"] == 40001
    assert ads.get("catalog/product/log/", token, feed_log_id="1", **PLACE)["code"] == 40007
