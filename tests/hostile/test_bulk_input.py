"""Files and bodies of thousands of rows: nobody else waits for them, and they do not fill the disk."""

import json
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from socialgate.areas.commerce import batch_parsing, receiving, store
from socialgate.areas.commerce.batch_parsing import MAX_BLANK_LINES, MAX_JSON_BYTES
from socialgate.areas.commerce.reasons import MAX_ERROR_SENTENCES_PER_BATCH
from socialgate.areas.commerce.tables import product_batches, product_rows, product_sentences
from support.commerce_api import CommerceClient, a_product
from support.database import rows
from support.problems import fault_of, problem_of
from support.raw import RawConnection
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually
from support.watchdog import strictly_watched

PATH = "/commerce/products/batch"
CSV = {"Content-Type": "text/csv"}
JSON = {"Content-Type": "application/json"}
HEADING = "id,title,description,availability,condition,price,link,image_link,brand"


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as own:
        yield own


@pytest.fixture(scope="module")
def stall(running: RunningService) -> Iterator[CommerceClient]:
    with Sandbox(running) as sandbox:
        commerce_client = CommerceClient(running, sandbox, "meta")
        # What is loaded when it is first needed is loaded now.
        finished(commerce_client, send(commerce_client, csv_of(2)))
        yield commerce_client
        sandbox.http.delete("/_control/fail")


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox


def csv_of(count: int, *, begin: int = 0, price: str = "9.50 SEK") -> str:
    link = "https://bakery.example.com/x"
    lines = (f"cake-{begin + n},Cake,Big,in stock,new,{price},{link},{link}.jpg,Ada" for n in range(count))
    return "\n".join((HEADING, *lines))


def send(stall: CommerceClient, content: str | bytes, kind: dict[str, str] = CSV) -> httpx.Response:
    return stall.sent("POST", PATH, params=stall.place, content=content, headers=kind)


def send_items(stall: CommerceClient, items: str) -> httpx.Response:
    head = json.dumps(stall.place)[:-1]
    return stall.sent("POST", PATH, content=f'{head}, "items": [{items}]}}', headers=JSON)


def finished(stall: CommerceClient, response: httpx.Response) -> dict[str, Any]:
    assert response.status_code == 202, response.text
    path = f"/tasks/{response.json()['id']}"

    def task() -> dict[str, Any] | None:
        result: dict[str, Any] = stall.owner.session.get(path, params={"wait": 20}).json()
        return result if result["finishedAt"] else None

    return eventually(task)


def shown_rows(stall: CommerceClient, response: httpx.Response, **query: Any) -> httpx.Response:
    return stall.owner.session.get(f"{PATH}/{response.json()['id']}/rows", params={"limit": 200, **query})


def count(stall: CommerceClient, table: sa.Table) -> int:
    ((number,),) = rows(stall.owner.running, sa.select(sa.func.count()).where(table.c.owner_id == stall.owner.id))
    return int(number)


def test_blank_lines_are_counted_and_stop_a_file(stall: CommerceClient, other_owner: OwnerFixture) -> None:
    """Eight million of them kept the loop busy for seven seconds; a whole file of 64 MiB, for a minute."""
    before = count(stall, product_batches)
    with strictly_watched():
        refused = send(stall, HEADING + "\n" * 8_000_000)
    assert fault_of(refused) == ("", "too_many")
    assert f"{MAX_BLANK_LINES:,} blank lines" in refused.json()["detail"]
    assert count(stall, product_batches) == before
    assert other_owner.session.get("/profiles").status_code == 200


def test_some_blank_lines_do_no_harm(stall: CommerceClient) -> None:
    text = csv_of(3, begin=100).replace("\n", "\n\n\n")
    assert finished(stall, send(stall, text))["result"]["succeeded"] == 3


@pytest.mark.parametrize("item", ["{}", "1", '""', "[[]]"])
def test_a_body_of_empty_items_is_refused_by_their_number(stall: CommerceClient, item: str) -> None:
    """1.4 million of them were all decoded, and 100,000 of them stored, which took ten seconds."""
    before = count(stall, product_rows)
    items = ",".join([item] * ((MAX_JSON_BYTES - 1000) // (len(item) + 1)))
    with strictly_watched():
        refused = send_items(stall, items)
    assert fault_of(refused) == ("/items", "too_many")
    assert count(stall, product_rows) == before


def test_as_many_items_as_fit_are_found_wherever_the_catalog_is_named(stall: CommerceClient) -> None:
    items = ",".join(f'{{"method":"delete","retailerId":"{n}"}}' for n in range(2_000))
    place = json.dumps(stall.place)[1:]
    with strictly_watched():
        response = stall.sent("POST", PATH, content=f'{{ "items" : [ {items} ] , {place}', headers=JSON)
    assert (response.status_code, response.json()["rows"], response.json()["rejected"]) == (202, 2_000, 0)
    finished(stall, response)


BROKEN = {
    "a comma at the end": '{%s, "items": [{},]}',
    "no comma": '{%s, "items": [{} {}]}',
    "two lists": '{%s, "items": [{}], "items": [{}]}',
    "a doubled key in an item": '{%s, "items": [{"a": 1, "a": 2}]}',
    "an open text": '{%s, "items": [{"a": "b',
    "an open list": '{%s, "items": [{}',
    "something behind": '{%s, "items": [{}]} {}',
    "a single quote": "{%s, \"items\": [{'a': 1}]}",
    "deep items": '{%s, "items": [' + "[" * 900 + "]" * 900 + "]}",
    "very deep items": '{%s, "items": [' + "[" * 100_000 + "]" * 100_000 + "]}",
    "a long item": '{%s, "items": ["' + "x" * 400_000 + '", 1]}',
}


@pytest.mark.parametrize("resource", BROKEN)
def test_a_body_that_is_no_json_is_refused_whole(stall: CommerceClient, resource: str) -> None:
    content = BROKEN[resource] % json.dumps(stall.place)[1:-1]
    with strictly_watched():
        problem_of(stall.sent("POST", PATH, content=content, headers=JSON), 400, "malformed_json")


def test_other_fields_of_a_batch_are_judged_as_everywhere(stall: CommerceClient) -> None:
    def refused(**change: Any) -> tuple[str, str]:
        return fault_of(stall.sent("POST", PATH, json={**stall.place, "items": [a_product()], **change}))

    assert refused(catalogId="") == ("/catalogId", "required")
    assert refused(items=[]) == ("/items", "required")
    assert refused(items={}) == ("/items", "wrong_type")
    assert refused(colour="red") == ("/colour", "unknown_field")
    assert refused(colour="x" * 20_000) == ("", "too_large")
    assert refused(catalogId=7) == ("/catalogId", "wrong_type")
    assert refused(items=["\0"]) == ("", "invalid")


def test_a_body_of_tiny_objects_keeps_nobody_waiting(owner: OwnerFixture) -> None:
    tiny = ",".join(["{}"] * 340_000)
    with strictly_watched():
        refused = owner.session.post("/posts", content=f'{{"media": [{tiny}]}}', headers=JSON)
    assert refused.status_code == 422


@pytest.mark.both_engines
def test_a_file_whose_first_rows_are_all_invalid_is_stopped(stall: CommerceClient) -> None:
    before = count(stall, product_rows), count(stall, product_batches), count(stall, product_sentences)
    for refused in (send(stall, csv_of(5_000, price="cheap")), send_items(stall, ",".join(["{}"] * 5_000))):
        problem = problem_of(refused, 422, "invalid")
        assert "first 1,000 rows" in problem["detail"]
        assert [error["detail"].partition(":")[0] for error in problem["errors"]] == [f"Row {n}" for n in range(1, 11)]
    assert (count(stall, product_rows), count(stall, product_batches), count(stall, product_sentences)) == before


@pytest.mark.both_engines
def test_rows_that_are_wrong_in_their_own_ways_share_a_thousand_sentences(stall: CommerceClient) -> None:
    """Each stored up to ten sentences of 500 characters."""
    good, bad = csv_of(1), [csv_of(1, begin=n, price=f"{n}.999 SEK").partition("\n")[2] for n in range(1, 1_300)]
    response = send(stall, "\n".join([good, *bad]))
    assert (response.status_code, response.json()["rejected"]) == (202, 1_299)
    finished(stall, response)
    ((batch_id,),) = rows(
        stall.owner.running, sa.select(product_batches.c.id).where(product_batches.c.task_id == response.json()["id"])
    )
    of_batch = product_rows.c.batch_id == batch_id
    sizes = [
        len(json.dumps(row.reasons))
        for row in rows(stall.owner.running, sa.select(product_rows.c.reasons).where(of_batch))
    ]
    assert max(sizes) < 100
    assert count(stall, product_sentences) <= MAX_ERROR_SENTENCES_PER_BATCH + count_of_others(stall, batch_id)
    first = shown_rows(stall, response, status="failed").json()["data"][0]["errors"][0]
    assert (first["code"], first["field"]) == ("invalid", "price")
    assert "1.999" in first["detail"]
    last = rows_after(stall, response, 1_250)[-1]["errors"][0]
    assert (last["code"], last["field"]) == ("invalid", "price")
    assert "too many different errors" in last["detail"]


def count_of_others(stall: CommerceClient, batch_id: str) -> int:
    other = sa.and_(product_sentences.c.owner_id == stall.owner.id, product_sentences.c.batch_id != batch_id)
    ((number,),) = rows(stall.owner.running, sa.select(sa.func.count()).where(other))
    return int(number)


def rows_after(stall: CommerceClient, response: httpx.Response, number: int) -> list[dict[str, Any]]:
    cursor: dict[str, str] = {}
    while True:
        page = shown_rows(stall, response, **cursor).json()
        if page["data"][-1]["row"] >= number:
            return list(page["data"])
        cursor = {"cursor": page["nextCursor"]}


@pytest.mark.both_engines
def test_rows_that_an_earlier_version_stored_are_still_shown(stall: CommerceClient) -> None:
    response = send(stall, csv_of(1, begin=300) + "\nbroken-300,,,,,,,,")
    finished(stall, response)
    old = [{"code": "required", "field": "title", "detail": "title is required."}]

    async def write(tx: Any) -> None:
        of_row = product_rows.c.retailer_id == "broken-300", product_rows.c.owner_id == stall.owner.id
        await tx.execute(sa.update(product_rows).where(*of_row).values(errors=old, reasons=None))

    stall.owner.running.write(write)
    assert shown_rows(stall, response, status="failed").json()["data"][0]["errors"] == old


@pytest.fixture
def busy_platform(stall: CommerceClient) -> Iterator[None]:
    """Let batches wait: the platform does not report what became of them."""
    order = {"platform": "meta", "path": "*/check_batch_request_status", "times": 9_999}
    stall.sandbox.control("fail", **order, error="temporarily_unavailable")
    yield
    stall.sandbox.http.delete("/_control/fail")


@pytest.mark.both_engines
@pytest.mark.usefixtures("busy_platform")
def test_only_so_many_rows_of_an_owner_wait(stall: CommerceClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiving, "MAX_WAITING_ROWS", 8)
    responses = [send(stall, csv_of(4, begin=400 + 4 * n)) for n in range(2)]
    refused = stall.owner.session.post(PATH, params=stall.place, content=csv_of(1, begin=500), headers=CSV)
    assert int(problem_of(refused, 429, "too_many_rows")["retryAfter"]) > 0
    for response in responses:
        stall.owner.session.delete(f"/tasks/{response.json()['id']}")
    assert send(stall, csv_of(1, begin=500)).status_code == 202


@pytest.mark.both_engines
def test_the_oldest_results_make_room_for_new_ones(
    running: RunningService, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    stall = CommerceClient(running, sandbox, "meta")
    monkeypatch.setattr(receiving, "MAX_KEPT_ROWS", 10)
    monkeypatch.setattr(store, "_MAX_ROWS_PER_DELETION", 2)
    responses = []
    for number in range(4):
        responses.append(send(stall, csv_of(5, begin=600 + 5 * number)))
        finished(stall, responses[-1])
    # The one that was just received came after room was made.
    assert [shown_rows(stall, response).status_code for response in responses] == [404, 200, 200, 200]
    assert count(stall, product_rows) <= 15
    assert "the newest 500,000 rows" in shown_rows(stall, responses[0]).json()["detail"]


def test_an_owner_sends_one_batch_at_a_time(stall: CommerceClient, other_owner: OwnerFixture) -> None:
    owner = stall.owner
    content = csv_of(2, begin=800).encode()
    head = (
        f"POST {PATH}?catalogId={stall.catalog_id}&adAccountId={stall.account_id} HTTP/1.1\r\nHost: x\r\n"
        f"Authorization: Bearer {owner.session_token}\r\nContent-Type: text/csv\r\n"
        f"Content-Length: {len(content)}\r\nExpect: 100-continue\r\n\r\n"
    )
    with RawConnection(owner.running.settings.port) as raw:
        raw.send(head.encode())
        assert raw.answer().status == 100
        second = owner.session.post(PATH, params=stall.place, json={**stall.place, "items": [a_product()]})
        assert int(problem_of(second, 429, "too_many_uploads")["retryAfter"]) > 0
        # It is nobody else's turn that is taken.
        assert other_owner.session.post(PATH, json={**stall.place, "items": [a_product()]}).status_code != 429
        raw.send(content)
        assert raw.answer().status == 202
    assert owner.session.post(PATH, json={**stall.place, "items": [a_product("after")]}).status_code == 202


def test_invalid_rows_are_checked_with_breaks(stall: CommerceClient) -> None:
    """They are the costliest ones. A valid row before them is enough to have them all read."""
    lines = "\n".join(f"x{n},,,,,,,," for n in range(8_000))
    with strictly_watched():
        response = send(stall, f"{csv_of(1, begin=900)}\n{lines}")
    assert (response.status_code, response.json()["rejected"]) == (202, 8_000)


def test_a_list_of_ten_thousand_people_keeps_nobody_waiting(stall: CommerceClient) -> None:
    people = [{"email": f"person{number}@example.com", "phone": f"+4670{number:07}"} for number in range(10_000)]
    body = {"adAccountId": stall.account_id, "name": "Everybody", "kind": "customers", "people": people}
    with strictly_watched():
        response = stall.sent("POST", "/ads/audiences", json=body)
    assert response.status_code == 201, response.text


@pytest.mark.parametrize("cell", ['""', '"",', '"a"a', 'a"', '"a",'])
@pytest.mark.parametrize("already", [False, True], ids=["a new row", "a row that continues"])
def test_quotation_marks_are_counted_without_looking_at_each(cell: str, already: bool) -> None:
    """Looking at each took 114 ms for a row, during which nobody else was served."""
    line = f"x,{cell * (200_000 // len(cell))}\n"
    steps: list[str] = []
    sys.setprofile(lambda _, event, __: steps.append(event))
    try:
        batch_parsing._is_inside_quotes(line, ",", was_inside_quotes=already)
    finally:
        sys.setprofile(None)
    assert len(steps) < 100
