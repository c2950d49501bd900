"""Product batches: thousands of rows, of which some are wrong, each named with its number and the reason."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from socialgate.areas.commerce import store
from socialgate.connectors.meta.commerce_products import CatalogProducts
from socialgate.contracts.commerce import ChunkLimits, ProductChangeMethod
from socialgate.core.ids import new_id
from socialgate.core.jobs.job_store import purge_jobs
from socialgate.web.pagination import wrap_platform_cursor
from support.commerce_api import CommerceClient, a_product
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

PATH = "/commerce/products/batch"
ROWS = 400
IMAGE = "image"
HEADING = ["id", "title", "description", "availability", "condition", "price", "link", "image_link", "brand"]


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox
        sandbox.http.delete("/_control/fail")


@pytest.fixture
def stall(running: RunningService, sandbox: Sandbox) -> CommerceClient:
    return CommerceClient(running, sandbox, "meta")


def table(count: int) -> tuple[str, dict[int, str]]:
    """Write a CSV of so many products, of which one in 33 is wrong, each in another way; and the field of each."""
    written = io.StringIO()
    rows = csv.writer(written)
    rows.writerow(HEADING)
    wrong: dict[int, str] = {}
    ways = [
        ({"price": "9.999 SEK"}, "price"),
        ({"availability": "maybe"}, "availability"),
        ({"link": "bun"}, "link"),
        ({"title": ""}, "title"),
        # These the platform finds out, the last one only when it fetches the picture.
        ({"image_link": "https://pictures.invalid/x.jpg"}, IMAGE),
    ]
    for number in range(1, count + 1):
        row = {
            "id": f"cake-{number}",
            "title": f"Cake, number {number}",
            "description": 'It says\n"Hello"',
            "availability": "in stock",
            "condition": "new",
            "price": f"{number}.50 SEK",
            "link": f"https://bakery.example.com/{number}",
            "image_link": "https://bakery.example.com/cake.jpg",
            "brand": "Ada",
        }
        if number % 33 == 0:
            change, field = ways[len(wrong) % len(ways)]
            row |= change
            wrong[number] = field
        rows.writerow([row[name] for name in HEADING])
    return written.getvalue(), wrong


def send_csv(stall: CommerceClient, text: str | bytes, **query: str) -> httpx.Response:
    headers = {"Content-Type": "text/csv; charset=utf-8"}
    content = text.encode() if isinstance(text, str) else text
    return stall.sent("POST", PATH, params={**stall.place, **query}, content=content, headers=headers)


def send_json(stall: CommerceClient, items: list[Any], **more: Any) -> httpx.Response:
    return stall.sent("POST", PATH, json={**stall.place, "items": items}, **more)


def ended(stall: CommerceClient, response: httpx.Response) -> dict[str, Any]:
    """Wait for the task of a batch."""
    assert response.status_code == 202, response.text
    assert response.headers["location"] == f"/tasks/{response.json()['id']}"

    def task() -> dict[str, Any] | None:
        result: dict[str, Any] = stall.owner.session.get(f"/tasks/{response.json()['id']}", params={"wait": 20}).json()
        return result if result["finishedAt"] else None

    return eventually(task)


def wait_until_tried(stall: CommerceClient, response: httpx.Response) -> None:
    """Wait until the task has failed for now."""

    def waits() -> bool:
        task = stall.owner.session.get(f"/tasks/{response.json()['id']}").json()
        return bool(task["startedAt"] and task["status"] == "queued")

    eventually(waits)


def let_it_be_tried_again(stall: CommerceClient, response: httpx.Response) -> None:
    wait_until_tried(stall, response)
    stall.owner.running.advance_time(timedelta(minutes=1))


def rows_of(stall: CommerceClient, response: httpx.Response, **query: Any) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = []
    cursor: dict[str, str] | None = {}
    while cursor is not None:
        path = f"{PATH}/{response.json()['id']}/rows"
        page = stall.owner.session.get(path, params={"limit": 200, **query, **cursor})
        assert page.status_code == 200, page.text
        result += page.json()["data"]
        cursor = {"cursor": page.json()["nextCursor"]} if page.json()["nextCursor"] else None
    return result


def all_products(stall: CommerceClient) -> dict[str, Any]:
    result: dict[str, Any] = {}
    cursor: dict[str, str] | None = {}
    while cursor is not None:
        page = stall.sent("GET", "/commerce/products", params={**stall.place, "limit": 100, **cursor}).json()
        result |= {item["retailerId"]: item for item in page["data"]}
        cursor = {"cursor": page["nextCursor"]} if page["nextCursor"] else None
    return result


@pytest.mark.one_engine
@pytest.mark.parametrize("platform", ["meta", "tiktokads"])
def test_good_rows_land_and_bad_ones_are_named(running: RunningService, sandbox: Sandbox, platform: str) -> None:
    stall = CommerceClient(running, sandbox, platform)
    text, wrong = table(ROWS)
    response = send_csv(stall, text)
    # Four of five ways to be wrong show before anything is sent.
    assert (response.json()["rows"], response.json()["rejected"]) == (
        ROWS,
        sum(value != IMAGE for value in wrong.values()),
    )
    task = ended(stall, response)
    assert (task["status"], task["progress"]) == ("succeeded", {"done": ROWS, "total": ROWS, "unit": "products"})
    result = task["result"]
    assert (result["succeeded"], result["failed"]) == (ROWS - len(wrong), len(wrong))
    named = {error["row"]: error for error in result["errors"]}
    assert named.keys() == wrong.keys()
    for row, field in wrong.items():
        assert named[row]["retailerId"] == f"cake-{row}"
        assert field in (named[row]["field"] or named[row]["detail"]), named[row]
    landed = all_products(stall)
    assert len(landed) == ROWS - len(wrong)
    assert landed["cake-7"]["price"] == {"amount": 750, "currency": "SEK"}
    assert landed["cake-7"]["title"] == "Cake, number 7"
    assert landed["cake-7"]["description"] == 'It says\n"Hello"'
    shown = rows_of(stall, response)
    assert [item["row"] for item in shown] == list(range(1, ROWS + 1))
    assert [item["row"] for item in rows_of(stall, response, status="failed")] == sorted(wrong)


@pytest.mark.one_engine
def test_a_batch_of_json_changes_and_deletes(stall: CommerceClient) -> None:
    ended(stall, send_json(stall, [a_product("a"), a_product("b"), a_product("c")]))
    items = [
        {"method": "update", "retailerId": "a", "price": {"amount": 1, "currency": "SEK"}},
        {"method": "delete", "retailerId": "b"},
        # It is not there, which is what was wanted.
        {"method": "delete", "retailerId": "nobody"},
        {"method": "update", "retailerId": "nothing", "title": "x"},
        {"method": "upsert", "retailerId": "a", "title": "x"},
        {"retailerId": "d", "titel": "x"},
        "nonsense",
        {**a_product("e"), "price": {"amount": 1.5, "currency": "SEK"}},
        a_product("f"),
    ]
    task = ended(stall, send_json(stall, items))
    errors = [(error["row"], error["code"], error["field"]) for error in task["result"]["errors"]]
    assert {row for row, _, _ in errors} == {4, 5, 6, 7, 8}
    assert {(5, "required", "price"), (5, "duplicate", "retailerId"), (6, "unknown_field", "titel")} <= set(errors)
    assert (8, "wrong_type", "price/amount") in errors
    assert any("Row 1" in error["detail"] for error in task["result"]["errors"] if error["row"] == 5)
    shown = all_products(stall)
    assert shown.keys() == {"a", "c", "f"}
    assert (shown["a"]["price"]["amount"], shown["a"]["title"]) == (1, "Cake a")


def test_one_key_is_one_batch(stall: CommerceClient) -> None:
    headers = {"Idempotency-Key": "batch-1"}
    first = send_json(stall, [a_product("a")], headers=headers)
    again = send_json(stall, [a_product("a")], headers=headers)
    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"
    problem_of(send_json(stall, [a_product("b")], headers=headers), 422, "idempotency_key_reused")
    ended(stall, first)
    listed = stall.owner.session.get("/tasks", params={"type": "products.batch"}).json()["data"]
    assert [item["id"] for item in listed] == [first.json()["id"]]


@pytest.mark.one_engine
def test_a_table_that_cannot_be_read_is_refused_whole(stall: CommerceClient) -> None:
    assert fault_of(send_csv(stall, "title,price\nx,1\n")) == ("/retailerId", "required")
    assert fault_of(send_csv(stall, "id,colour\nx,1\n")) == ("", "unknown_field")
    assert fault_of(send_csv(stall, "")) == ("", "required")
    assert fault_of(send_csv(stall, "id,title\n")) == ("", "required")
    problem_of(send_csv(stall, b"id,title\nx,\xff\n"), 400, "malformed_request")
    problem_of(send_csv(stall, 'id,title\nx,"' + "y" * 300_000), 400, "malformed_request")
    # Line breaks in an open quotation mark were read again with each further one.
    problem_of(send_csv(stall, 'id,title\nx,"' + "\n" * 300_000), 400, "malformed_request")
    problem_of(send_csv(stall, 'id,title\nx,y\nz,"open\n'), 400, "malformed_request")
    problem_of(send_csv(stall, f"id,{'x' * 200_000}\na,b\n"), 400, "malformed_request")
    assert fault_of(send_csv(stall, f"id{',' * 200_000}\na\n")) == ("", "too_many")
    problem_of(send_csv(stall, "id,title\nx,1\n", catalogId="2759999999999999"), 404, "platform_not_found")
    assert fault_of(send_json(stall, [])) == ("/items", "required")
    answer = stall.sent("POST", PATH, content=b"x", headers={"Content-Type": "text/plain"})
    assert "JSON" not in problem_of(answer, 415, "unsupported_media_type")["title"]
    too_much = b'{"catalogId": "1", "items": [' + b" " * 5_000_000
    answer = stall.sent("POST", PATH, content=too_much, headers={"Content-Type": "application/json"})
    problem_of(answer, 413, "body_too_large")
    # Nothing of them is left behind, nor is there a task.
    assert stall.owner.session.get("/tasks").json()["data"] == []


@pytest.mark.one_engine
def test_other_ways_to_write_a_table(stall: CommerceClient) -> None:
    """Semicolons, a mark at the beginning, our own names, and prices as integers with the currency beside them."""
    heading = "\ufeffretailerId;title;description;availability;condition;priceAmount;currency;url;imageUrl;brand;method"
    link = "https://bakery.example.com/x"
    good = f"a;Cake;Big;inStock;new;1999;SEK;{link};{link}.jpg;Ada;upsert"
    loud = f"b;Cake;Big;IN_STOCK;NEW;500;JPY;{link};{link}.jpg;Ada;"
    wrong = f"c;Cake;Big;inStock;new;19.99;SEK;{link};{link}.jpg;Ada;upsert"
    wide = f"{good};more".replace("a;", "d;", 1)
    task = ended(stall, send_csv(stall, f"{heading}\r\n{good}\r\n{loud}\r\n{wrong}\r\n\r\n{wide}"))
    assert [(error["row"], error["retailerId"]) for error in task["result"]["errors"]] == [(3, "c"), (4, "d")]
    prices = {name: item["price"] for name, item in all_products(stall).items()}
    assert prices == {"a": {"amount": 1999, "currency": "SEK"}, "b": {"amount": 500, "currency": "JPY"}}


@pytest.mark.one_engine
def test_what_is_said_of_invalid_rows_is_short_whatever_they_contain(stall: CommerceClient) -> None:
    digits = "9" * 100_000
    lines = [f"a,{digits},SEK,", f"b,,,1.{digits} SEK", f"c,,,1 {digits}"]
    response = send_csv(stall, "\n".join(["id,priceAmount,currency,price", *lines]))
    assert (response.status_code, response.json()["rejected"]) == (202, 3)
    shown = rows_of(stall, response)
    assert [{error["field"] for error in item["errors"]} & {"price"} for item in shown] == [{"price"}] * 3
    assert max(len(error["detail"]) for item in shown for error in item["errors"]) <= 500
    name = "x" * 10_000
    response = send_json(stall, [{"retailerId": "d", **{f"{name}{number}": 1 for number in range(20)}}])
    (row,) = rows_of(stall, response)
    assert len(row["errors"]) == 10
    assert max(len(error["detail"]) + len(error["field"]) for error in row["errors"]) <= 600
    content = json.dumps({**stall.place, "items": [a_product("e"), "@"]}).replace('"@"', '{"retailerId": 1e999}')
    odd = stall.sent("POST", PATH, content=content, headers={"Content-Type": "application/json"})
    assert [item["errors"] == [] for item in rows_of(stall, odd)] == [True, False]
    for cursor in ("--5", "9" * 90, "x", ""):
        path, task = f"{PATH}/{response.json()['id']}/rows", response.json()["id"]
        refused = stall.owner.session.get(
            path, params={"cursor": wrap_platform_cursor(cursor, "batch rows", task, "None")}
        )
        assert fault_of(refused) == ("?cursor", "invalid_cursor")
    ended(stall, response)


@pytest.mark.one_engine
def test_a_chunk_whose_answer_is_lost_is_sent_again_and_doubles_nothing(stall: CommerceClient) -> None:
    stall.lose("*/items_batch")
    response = send_json(stall, [a_product(str(number)) for number in range(5)])
    let_it_be_tried_again(stall, response)
    task = ended(stall, response)
    assert task["result"]["succeeded"] == 5, task
    assert len(all_products(stall)) == 5
    stall.lose("*/items_batch")
    deletions = [{"method": "delete", "retailerId": str(number)} for number in range(5)]
    response = send_json(stall, deletions)
    let_it_be_tried_again(stall, response)
    task = ended(stall, response)
    # The first of the two calls had deleted them.
    assert (task["result"]["succeeded"], all_products(stall)) == (5, {}), task


def test_rows_that_the_platform_refuses_without_naming_them_are_found(
    running: RunningService, sandbox: Sandbox
) -> None:
    """TikTok shows five of seven products, and the file with all of them cannot be had."""
    stall = CommerceClient(running, sandbox, "tiktokads")
    sandbox.control("fail", platform="tiktokads", path="*.csv", error="temporarily_unavailable", times=9)
    lost = {"imageUrl": "https://pictures.invalid/x.jpg"}
    items = [a_product(str(number), **(lost if number % 2 else {})) for number in range(14)]
    task = ended(stall, send_json(stall, items))
    assert {error["row"] for error in task["result"]["errors"]} == {number + 1 for number in range(14) if number % 2}
    assert len(all_products(stall)) == task["result"]["succeeded"] == 7


@pytest.mark.one_engine
def test_a_refusal_of_the_whole_chunk_is_that_of_its_rows(stall: CommerceClient) -> None:
    stall.sandbox.control("fail", platform="meta", path="*/items_batch", method="POST", error="invalid")
    task = ended(stall, send_json(stall, [a_product("a"), a_product("b")]))
    assert (task["status"], task["result"]["failed"]) == ("succeeded", 2)
    assert {error["code"] for error in task["result"]["errors"]} == {"platform_rejected"}


def test_a_lost_account_ends_the_task_and_says_what_was_not_sent(stall: CommerceClient) -> None:
    stall.sandbox.control("fail", platform="meta", path="*/items_batch", method="POST", error="token_expired", times=9)
    response = send_json(stall, [a_product("a"), {"retailerId": "b"}])
    task = ended(stall, response)
    assert (task["status"], task["error"]["code"]) == ("failed", "needs_reconnection")
    shown = rows_of(stall, response)
    assert [(item["row"], item["status"]) for item in shown] == [(1, "unconfirmed"), (2, "failed")]
    assert shown[0]["errors"][0]["code"] == "needs_reconnection"


@pytest.mark.one_engine
def test_rows_belong_to_those_who_reach_the_account(
    stall: CommerceClient, running: RunningService, sandbox: Sandbox
) -> None:
    response = send_json(stall, [a_product("a")])
    path = f"{PATH}/{response.json()['id']}/rows"
    problem_of(CommerceClient(running, sandbox, "meta").owner.session.get(path), 404, "not_found")
    elsewhere = stall.owner.limited_key(stall.owner.new_profile())
    problem_of(elsewhere.get(path), 403, "out_of_scope")
    ended(stall, response)


def test_batches_go_with_their_tasks(stall: CommerceClient, running: RunningService) -> None:
    response = send_json(stall, [a_product("a")])
    ended(stall, response)
    left = new_id("batch")
    values = {"id": left, "account_id": stall.account_id, "catalog_id": "1", "row_count": 0}
    running.write(store.insert_batch, stall.owner.id, values)
    later = running.clock.now() + timedelta(days=2)
    # What never became a task goes after a day; what did goes with it.
    running.write(store.purge_batches, later)
    assert running.read(store.find_batch, stall.owner.id, left) is None
    assert len(rows_of(stall, response)) == 1
    running.write(purge_jobs, later + timedelta(days=10))
    running.write(store.purge_batches, later + timedelta(days=10))
    problem_of(stall.owner.session.get(f"{PATH}/{response.json()['id']}/rows"), 404, "not_found")


def test_a_batch_is_cancelled_while_it_waits(stall: CommerceClient) -> None:
    order = {"platform": "meta", "path": "*/check_batch_request_status", "times": 99}
    stall.sandbox.control("fail", **order, error="temporarily_unavailable")
    response = send_json(stall, [a_product("a"), a_product("b"), {"retailerId": "c"}])
    wait_until_tried(stall, response)
    assert stall.owner.session.delete(f"/tasks/{response.json()['id']}").json()["status"] == "cancelled"
    # What was sent stays sent.
    assert [item["status"] for item in rows_of(stall, response)] == ["sent", "sent", "failed"]


@pytest.mark.one_engine
def test_a_chunk_that_the_platform_forgets_does_not_stop_the_batch(
    stall: CommerceClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = ChunkLimits(max_changes_by_method=dict.fromkeys(ProductChangeMethod, 2), max_bytes=10**6)
    monkeypatch.setattr(CatalogProducts, "limits", limits)
    order = {"platform": "meta", "path": "*/check_batch_request_status", "error": "not_found"}
    stall.sandbox.control("fail", **order)
    response = send_json(stall, [a_product(str(number)) for number in range(4)])
    task = ended(stall, response)
    assert (task["status"], task["result"]["succeeded"], task["result"]["unconfirmed"]) == ("succeeded", 2, 2)
    assert [item["status"] for item in rows_of(stall, response)] == ["unconfirmed"] * 2 + ["succeeded"] * 2
