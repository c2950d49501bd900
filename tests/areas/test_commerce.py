"""Catalogs, products, sets and shops through the API, on both platforms that have them."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from socialgate_sandbox.vendors.meta.seed import BAKERY_CATALOG as META_CATALOG
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_CATALOG as TIKTOK_CATALOG
from support.commerce_api import CommerceClient, a_product
from support.connections import connect_page
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import RunningService, StartService
from support.waiting import eventually

PLATFORMS = ["meta", "tiktokads"]
MONEY = [("JPY", 500), ("CLP", 12990), ("KWD", 1255), ("USD", 999), ("BRL", 123450)]


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox
        sandbox.http.delete("/_control/fail")


@pytest.fixture(params=PLATFORMS)
def stall(request: pytest.FixtureRequest, running: RunningService, sandbox: Sandbox) -> CommerceClient:
    return CommerceClient(running, sandbox, request.param)


@pytest.fixture
def meta(running: RunningService, sandbox: Sandbox) -> CommerceClient:
    return CommerceClient(running, sandbox, "meta")


@pytest.fixture
def tiktok(running: RunningService, sandbox: Sandbox) -> CommerceClient:
    return CommerceClient(running, sandbox, "tiktokads")


def test_catalogs_are_created_and_listed(stall: CommerceClient) -> None:
    answer = stall.made_catalog()
    assert answer.status_code == 201, answer.text
    created = answer.json()
    assert (created["adAccountId"], created["vertical"]) == (stall.account_id, "commerce")
    answer = stall.sent("GET", "/commerce/catalogs", params={"adAccountId": stall.account_id, "limit": 100})
    result = {item["id"]: item for item in answer.json()["data"]}
    assert result[created["id"]]["name"] == created["name"]
    # What a platform does not tell is null.
    assert (created["currency"] is None) == (stall.platform == "meta")
    assert (result[created["id"]]["productCount"] is None) == (stall.platform == "tiktokads")


def test_a_product_is_created_listed_and_deleted(stall: CommerceClient) -> None:
    more: dict[str, Any] = {"salePrice": {"amount": 29900, "currency": "SEK"}, "group": "cakes", "category": "Food"}
    answer = stall.create(a_product(**more))
    assert answer.status_code == 201, answer.text
    created = answer.json()
    assert created["id"]
    assert {name: created[name] for name in (*a_product(), *more)} == {**a_product(), **more}
    assert stall.listed(retailerId="cake") == [created]
    assert stall.listed(q="CAKE", brand="Ada", group="cakes") == [created]
    assert stall.listed(brand="Eve") == []
    # The same id again replaces it.
    again = stall.create(a_product(title="Another cake"))
    assert (again.json()["id"], again.json()["title"]) == (created["id"], "Another cake")
    gone = stall.delete(id=created["id"])
    assert gone.json() == {"id": created["id"], "catalogId": stall.catalog_id, "deleted": True}
    assert stall.listed() == []
    problem_of(stall.delete(id=created["id"]), 404, "platform_not_found")
    problem_of(stall.delete(retailerId="cake"), 404, "platform_not_found")


@pytest.mark.parametrize("platform", PLATFORMS)
def test_prices_come_back_in_minor_units(running: RunningService, sandbox: Sandbox, platform: str) -> None:
    stall = CommerceClient(running, sandbox, platform)
    items = [a_product(currency, price={"amount": amount, "currency": currency}) for currency, amount in MONEY]
    response = stall.sent("POST", "/commerce/products/batch", json={**stall.place, "items": items})
    task = eventually(lambda: finished(stall, response.json()["id"]))
    assert (task["result"]["succeeded"], task["result"]["failed"]) == (len(MONEY), 0), task
    shown = {item["retailerId"]: item["price"] for item in stall.listed()}
    assert shown == {currency: {"amount": amount, "currency": currency} for currency, amount in MONEY}


def finished(stall: CommerceClient, task_id: str) -> dict[str, Any] | None:
    task: dict[str, Any] = stall.owner.session.get(f"/tasks/{task_id}", params={"wait": 20}).json()
    return task if task["finishedAt"] else None


def test_what_a_platform_would_refuse_is_named_at_once(stall: CommerceClient) -> None:
    wrong: dict[str, Any] = {"price": {"amount": 1, "currency": "ABC"}, "title": "x" * 501}
    assert fault_of(stall.create(a_product(**wrong))) == ("/title", "invalid")
    wrong = {"price": {"amount": 1, "currency": "ABC"}, "salePrice": {"amount": 1, "currency": "USD"}}
    answer = stall.create(a_product(**wrong))
    assert {fault["pointer"] for fault in answer.json()["errors"]} == {"/price/currency", "/salePrice/currency"}
    wrong = {"salePrice": {"amount": a_product()["price"]["amount"] + 1, "currency": "SEK"}}
    assert fault_of(stall.create(a_product(**wrong))) == ("/salePrice/amount", "contradiction")
    assert fault_of(stall.create(a_product(title=" "))) == ("/title", "invalid")
    for query in ({}, {"id": "1", "retailerId": "1"}):
        assert fault_of(stall.delete(**query)) == ("?id", "required")
    answer = stall.sent("GET", "/commerce/products", params={**stall.place, "retailerId": "x", "brand": "y"})
    assert fault_of(answer) == ("?retailerId", "contradiction")
    refused = stall.create(a_product(imageUrl="https://pictures.invalid/x.jpg"))
    problem_of(refused, 422, "platform_rejected")


def test_what_a_platform_lacks_is_said(meta: CommerceClient, tiktok: CommerceClient) -> None:
    assert fault_of(tiktok.create(a_product(brand=None))) == ("/brand", "required")
    assert meta.create(a_product(brand=None)).status_code == 201
    answer = tiktok.sent("GET", "/commerce/products", params={**tiktok.place, "availability": "inStock"})
    assert fault_of(answer) == ("?availability", "not_supported")
    assert [item["retailerId"] for item in meta.listed(availability="inStock")] == ["cake"]
    assert fault_of(meta.made_catalog(currency="SEK")) == ("/currency", "not_supported")
    assert fault_of(tiktok.made_catalog(country=None)) == ("/country", "required")


def test_other_accounts_are_told_who_can(meta: CommerceClient) -> None:
    page = connect_page(meta.sandbox, meta.owner)
    answer = meta.sent("GET", "/commerce/catalogs", params={"adAccountId": page})
    detail = problem_of(answer, 422, "not_supported")["detail"]
    assert "Meta ad account" in detail
    assert "TikTok ad account" in detail


def test_a_catalog_of_nobody_and_of_somebody_else(meta: CommerceClient, tiktok: CommerceClient) -> None:
    unknown = meta.sent("GET", "/commerce/products", params={**meta.place, "catalogId": "2759999999999999"})
    problem_of(unknown, 404, "platform_not_found")
    stranger = tiktok.sent("GET", "/commerce/products", params=meta.place)
    problem_of(stranger, 404, "not_found")
    elsewhere = meta.owner.limited_key(meta.owner.new_profile())
    problem_of(elsewhere.get("/commerce/products", params=meta.place), 403, "out_of_scope")
    problem_of(elsewhere.get("/commerce/products", params={"catalogId": meta.catalog_id}), 422, "invalid")


def test_the_ad_account_is_found_by_the_catalog(stall: CommerceClient) -> None:
    stall.create(a_product())
    answer = stall.sent("GET", "/commerce/products", params={"catalogId": stall.catalog_id})
    assert [item["retailerId"] for item in answer.json()["data"]] == ["cake"]
    none = stall.sent("GET", "/commerce/products", params={"catalogId": "1"})
    problem_of(none, 404, "not_found")
    shops = stall.sent("GET", "/commerce/shops")
    if stall.platform == "meta":
        # Its person has one ad account.
        assert shops.json()["data"][0]["adAccountId"] == stall.account_id
    else:
        assert fault_of(shops) == ("?adAccountId", "required")


def test_sets_are_created_with_typed_filters(stall: CommerceClient) -> None:
    params = (("a", "Oak", 100), ("b", "Pine", 200), ("c", "Oak", 300))
    items = [
        a_product(name, brand=brand, price={"amount": amount, "currency": "SEK"}) for name, brand, amount in params
    ]
    begun = stall.sent("POST", "/commerce/products/batch", json={**stall.place, "items": items})
    assert eventually(lambda: finished(stall, begun.json()["id"]))["result"]["succeeded"] == len(items)
    rules = [
        {"field": "brand", "operator": "is", "values": ["Oak"], "price": None},
        {"field": "price", "operator": "atLeast", "values": [], "price": {"amount": 200, "currency": "SEK"}},
    ]
    values = {"join": "all", "rules": rules}
    body = {**stall.place, "name": "Dear oak", "filter": values}
    answer = stall.sent("POST", "/commerce/product-sets", json=body)
    assert answer.status_code == 201, answer.text
    (result,) = stall.listed("/commerce/product-sets")
    assert result["platformFilter"] == answer.json()["platformFilter"]
    assert isinstance(result["platformFilter"], dict)
    assert (result["name"], result["filter"], result["productCount"]) == ("Dear oak", values, 1)
    assert [item["retailerId"] for item in stall.listed(productSetId=answer.json()["id"])] == ["c"]
    wrong = [
        {"field": "brand", "operator": "atLeast", "values": ["x"]},
        {"field": "price", "operator": "contains", "price": {"amount": 1, "currency": "SEK"}},
        {"field": "brand", "operator": "is", "values": ["x", "y"]},
        {"field": "brand", "operator": "is"},
        {"field": "price", "operator": "is"},
        {"field": "availability", "operator": "is", "values": ["in stok"]},
        {"field": "condition", "operator": "is", "values": ["New"]},
        {"field": "availability", "operator": "startsWith", "values": ["inStock"]},
    ]
    body["filter"] = {"rules": wrong}
    refused = stall.sent("POST", "/commerce/product-sets", json=body)
    places = [fault["pointer"].split("/")[3] for fault in refused.json()["errors"]]
    assert places == [str(number) for number in range(len(wrong))]
    assert refused.json()["errors"][0]["detail"] in refused.json()["detail"]


def test_a_price_in_another_currency_than_the_catalog_names_its_rule(tiktok: CommerceClient) -> None:
    prices = [{"amount": 1, "currency": "SEK"}, {"amount": 1, "currency": "EUR"}]
    rules = [{"field": "price", "operator": "atLeast", "price": price} for price in prices]
    body = {**tiktok.place, "name": "Dear", "filter": {"rules": rules}}
    answer = tiktok.sent("POST", "/commerce/product-sets", json=body)
    assert fault_of(answer) == ("/filter/rules/1/price/currency", "platform_rejected")


def test_ids_of_the_wrong_thing_say_where_the_right_ones_are(meta: CommerceClient) -> None:
    answer = meta.sent("GET", "/commerce/catalogs", params={"adAccountId": "adacc_x"})
    assert "GET /adaccounts" in problem_of(answer, 404, "not_found")["detail"]
    answer = meta.sent("GET", f"/accounts/{meta.account_id}/insights")
    assert "ad account" in problem_of(answer, 404, "not_found")["detail"]


def test_an_amount_with_decimals_names_the_smallest_unit(meta: CommerceClient) -> None:
    refused = meta.create(a_product(price={"amount": 9.99, "currency": "SEK"}))
    assert fault_of(refused) == ("/price/amount", "wrong_type")
    assert "smallest unit" in refused.json()["detail"]


def test_a_list_goes_on_where_it_was_though_pages_change_their_size(stall: CommerceClient) -> None:
    items = [a_product(str(number)) for number in range(9)]
    begun = stall.sent("POST", "/commerce/products/batch", json={**stall.place, "items": items})
    assert eventually(lambda: finished(stall, begun.json()["id"]))["result"]["succeeded"] == len(items)
    result: list[str] = []
    query: dict[str, Any] = {**stall.place}
    for limit in (4, 3, 50, 50, 50):
        page = stall.sent("GET", "/commerce/products", params={**query, "limit": limit}).json()
        assert len(page["data"]) <= limit
        result += [item["retailerId"] for item in page["data"]]
        query["cursor"] = page["nextCursor"]
        if page["nextCursor"] is None:
            break
    assert sorted(result) == sorted(item["retailerId"] for item in items)


def test_shops_name_their_catalogs(stall: CommerceClient) -> None:
    (shop,) = stall.sent("GET", "/commerce/shops", params={"adAccountId": stall.account_id}).json()["data"]
    catalog = {"meta": META_CATALOG, "tiktokads": TIKTOK_CATALOG}[stall.platform]
    assert shop["catalogIds"] == [catalog]


# What is lost on the way of each call, by platform.
CALLS = {
    "meta": {"catalogs": "*/owned_product_catalogs", "product-sets": "*/product_sets", "products": "*/items_batch"},
    "tiktokads": {
        "catalogs": "*/catalog/create/",
        "product-sets": "*/catalog/set/create/",
        "products": "*/catalog/product/upload/",
    },
}


@pytest.mark.parametrize("operation", ["catalogs", "product-sets", "products"])
def test_a_lost_answer_is_looked_up(stall: CommerceClient, operation: str) -> None:
    rule = {"field": "brand", "operator": "is", "values": ["Ada"]}
    own = {} if stall.platform == "meta" else {"currency": "SEK", "country": "SE"}
    body = {
        "catalogs": {"adAccountId": stall.account_id, "name": uuid4().hex, **own},
        "product-sets": {**stall.place, "name": uuid4().hex[:28], "filter": {"rules": [rule]}},
        "products": {**stall.place, **a_product(uuid4().hex)},
    }[operation]
    headers = {"Idempotency-Key": uuid4().hex}
    stall.lose(CALLS[stall.platform][operation])

    def known() -> httpx.Response | None:
        answer = stall.sent("POST", f"/commerce/{operation}", json=body, headers=headers)
        # A product lands a moment later than it is looked for.
        return None if answer.status_code in {502, 409} else answer

    answer = eventually(known)
    assert answer.status_code == 201, answer.text
    name = "retailerId" if operation == "products" else "name"
    query = {"adAccountId": stall.account_id} if operation == "catalogs" else stall.place
    result = stall.sent("GET", f"/commerce/{operation}", params={**query, "limit": 100}).json()["data"]
    assert [item["id"] for item in result if item[name] == body[name]] == [answer.json()["id"]]
    calls = stall.sandbox.listed("received", platform=stall.platform, path=CALLS[stall.platform][operation])
    mine = [call for call in calls if call["method"] == "POST" and str(body[name]) in str(call)]
    assert len(mine) == 1


@pytest.mark.parametrize("error", ["temporarily_unavailable", "not_found"])
def test_a_product_that_was_accepted_is_not_reported_as_refused(stall: CommerceClient, error: str) -> None:
    """What the platform says later is not known, but it has the product."""
    path = {"meta": "*/check_batch_request_status", "tiktokads": "*/catalog/product/log/"}[stall.platform]
    stall.sandbox.control("fail", platform=stall.platform, path=path, error=error, times=99)
    response = stall.create(a_product("cake"))
    assert (response.status_code, response.json()["status"], response.json()["id"]) == (201, "processing", None), (
        response.text
    )
    stall.sandbox.http.delete("/_control/fail")
    assert eventually(lambda: stall.listed(retailerId="cake"))
    operations = stall.owner.session.get("/operations", params={"accountId": stall.account_id}).json()["data"]
    assert [operation["status"] for operation in operations if operation["operation"] == "products.create"] == [
        "succeeded"
    ]
