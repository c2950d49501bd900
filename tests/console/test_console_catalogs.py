"""Catalogs: products one at a time, and files of them with a result for each row."""

import html
import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from console.browser import OWN, Browser, location, signed_in
from support.commerce_api import CommerceClient, a_product
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService
from support.waiting import eventually

CATALOGS = "/console/catalogs"
SCRIPT = "<script>alert('x')</script>"
HEADER = "id,title,description,price,availability,condition,brand,link,image_link"


@pytest.fixture(scope="module")
def sandbox(service: RunningService) -> Iterator[Sandbox]:
    with Sandbox(service) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def shop(service: RunningService, sandbox: Sandbox) -> CommerceClient:
    return CommerceClient(service, sandbox, "meta")


@pytest.fixture
def browser(shop: CommerceClient) -> Browser:
    return signed_in(shop.owner)


def query_of(shop: CommerceClient) -> str:
    return f"?account={shop.account_id}&catalog={shop.catalog_id}"


def press(browser: Browser, path: str, **fields: Any) -> httpx.Response:
    """Send a form, again as long as the platform asks to wait: its limits count by the second."""

    def sent() -> httpx.Response | None:
        answer = browser.press(path, **fields)
        return None if answer.status_code == 429 else answer

    return eventually(sent)


def send_file(browser: Browser, path: str, content: str, name: str = "products.csv") -> httpx.Response:
    files = {"file": (name, content.encode(), "text/csv")}
    return browser.client.post(path, files=files, headers=OWN)


def build_line(retailer_id: str, title: str = "Cake", price: str = "349.00 SEK") -> str:
    address = f"https://bakery.example.com/{retailer_id}"
    return f"{retailer_id},{title},For eight people.,{price},inStock,new,Ada,{address},{address}.jpg"


def test_an_empty_owner_is_told_what_to_do(owner: OwnerFixture) -> None:
    browser = signed_in(owner)
    shown = browser.get(CATALOGS)
    assert (shown.status_code, "/console/accounts/connect" in shown.text) == (200, True)
    for page in ("products", "product", "import", "result"):
        assert browser.get(f"{CATALOGS}/{page}").status_code == 404, page


def test_a_catalog_is_created_and_listed(shop: CommerceClient, browser: Browser) -> None:
    query = f"?account={shop.account_id}"
    name = f"Cakes {SCRIPT} {uuid4().hex}"
    wrong = browser.press(CATALOGS + query, name="", currency="kronor")
    assert (wrong.status_code, 'id="fault-name"' in wrong.text, 'id="fault-currency"' in wrong.text) == (
        422,
        True,
        True,
    )
    to = location(press(browser, CATALOGS + query, name=name))
    assert to.startswith(f"{CATALOGS}/products?account={shop.account_id}&catalog=")
    for path in (CATALOGS + query, to):
        shown = browser.get(path)
        assert (shown.status_code, "&lt;script&gt;" in shown.text, SCRIPT in shown.text) == (200, True, False)
    assert "No products yet" in browser.get(to).text


def test_a_product_is_created_changed_and_deleted(shop: CommerceClient, browser: Browser) -> None:
    path = f"{CATALOGS}/product{query_of(shop)}"
    assert browser.get(path).status_code == 200
    retailer_id = uuid4().hex
    fields = {
        "retailerId": retailer_id,
        "title": f"Cake {SCRIPT}",
        "description": "For eight people.",
        "price": "349.50",
        "currency": "sek",
        "availability": "inStock",
        "condition": "new",
        "brand": "Ada",
        "url": "https://bakery.example.com/cake",
        "imageUrl": "https://bakery.example.com/cake.jpg",
        "additionalImageUrls": "https://bakery.example.com/1,2.jpg\r\nhttps://bakery.example.com/3.jpg",
    }
    wrong = browser.press(path, **{**fields, "price": "cheap", "url": "nowhere", "title": ""})
    assert wrong.status_code == 422
    for name in ("price", "url", "title"):
        assert f'id="fault-{name}"' in wrong.text
    assert 'value="cheap"' in wrong.text
    listed = f"{CATALOGS}/products{query_of(shop)}"
    assert location(press(browser, path, **fields)) == listed
    (stored,) = shop.listed(retailerId=retailer_id)
    assert stored["price"] == {"amount": 34950, "currency": "SEK"}
    assert len(stored["additionalImageUrls"]) == 2
    shown = browser.get(listed).text
    assert ("&lt;script&gt;" in shown, SCRIPT in shown) == (True, False)
    edit = f"{path}&product={retailer_id}"
    filled = browser.get(edit).text
    assert 'value="349.50"' in filled
    assert "https://bakery.example.com/1,2.jpg" in filled
    changed = {**fields, "retailerId": "another", "title": "Princess", "salePrice": "300"}
    assert location(press(browser, edit, **changed)) == listed
    (stored,) = shop.listed(retailerId=retailer_id)
    assert (stored["title"], stored["salePrice"]["amount"]) == ("Princess", 30000)
    assert not shop.listed(retailerId="another")
    assert "No matching products" in browser.get(f"{listed}&q=nothing-is-called-so").text
    place = {"adAccountId": shop.account_id, "catalogId": shop.catalog_id, "retailerId": retailer_id}
    assert location(press(browser, f"{CATALOGS}/products/delete{query_of(shop)}", **place)) == listed
    assert not shop.listed(retailerId=retailer_id)
    assert browser.get(edit).status_code == 404


def test_a_file_is_imported_with_a_result_for_each_row(shop: CommerceClient, browser: Browser) -> None:
    path = f"{CATALOGS}/import{query_of(shop)}"
    assert browser.get(path).status_code == 200
    prefix = uuid4().hex
    rows = [
        build_line(f"{prefix}-1"),
        build_line(f"{prefix}-2", price="free"),
        build_line(f"{prefix}-3", title=SCRIPT, price=SCRIPT),
    ]
    to = location(send_file(browser, path, "\n".join([HEADER, *rows])))
    assert to.startswith(f"{CATALOGS}/result?account={shop.account_id}&catalog={shop.catalog_id}&task=task_")
    task_id = to.partition("task=")[2]
    eventually(lambda: shop.owner.session.get(f"/tasks/{task_id}", params={"wait": 20}).json()["finishedAt"])
    done = browser.get(to)
    assert "refresh" not in done.headers
    assert f"{prefix}-1" in done.text
    assert SCRIPT not in done.text
    failed = browser.get(f"{to}&status=failed").text
    assert (f"{prefix}-1" in failed, f"{prefix}-2" in failed, f"{prefix}-3" in failed) == (False, True, True)
    assert "No rows with this result." in browser.get(f"{to}&status=unconfirmed").text
    listed = html.unescape(browser.get(path).text)
    assert re.search(r"3.rows", listed)
    for page in (done.text, listed):
        assert '<span class="badge warn">2 of 3\u00a0rows failed</span>' in html.unescape(page)
    failed_rows = f"{to}&status=failed"
    assert f'href="{failed_rows}">Show failed rows' in listed
    assert f'href="{failed_rows}">Show failed rows' in html.unescape(done.text)
    assert shop.listed(retailerId=f"{prefix}-1")
    assert browser.press(f"{CATALOGS}/result/cancel?task={task_id}").status_code in (303, 409)


def test_a_file_that_cannot_be_read_is_explained(shop: CommerceClient, browser: Browser) -> None:
    path = f"{CATALOGS}/import{query_of(shop)}"
    for content in ("", HEADER, f"{SCRIPT},b\n1,2"):
        wrong = send_file(browser, path, content)
        assert (wrong.status_code, 'role="alert"' in wrong.text, SCRIPT in wrong.text) == (422, True, False), content
    nothing = browser.client.post(path, files={"other": ("a", b"b")}, headers=OWN)
    assert (nothing.status_code, 'id="fault-file"' in nothing.text) == (422, True)
    assert browser.press(path, file="x").status_code == 400


def test_the_catalog_of_others_is_out_of_reach(shop: CommerceClient, owner: OwnerFixture) -> None:
    stranger = signed_in(owner)
    for page in ("products", "product", "import"):
        assert stranger.get(f"{CATALOGS}/{page}{query_of(shop)}").status_code == 404, page
    assert stranger.press(f"{CATALOGS}/product{query_of(shop)}", title="x").status_code == 404
    assert send_file(stranger, f"{CATALOGS}/import{query_of(shop)}", HEADER).status_code == 404
    task = shop.owner.session.post("/commerce/products/batch", json={**shop.place, "items": [a_product(uuid4().hex)]})
    assert task.status_code == 202, task.text
    result = f"{CATALOGS}/result?task={task.json()['id']}"
    assert stranger.get(result).status_code == 404
    assert stranger.press(f"{CATALOGS}/result/cancel?task={task.json()['id']}").status_code == 404
    assert signed_in(shop.owner).get(result).status_code == 200
