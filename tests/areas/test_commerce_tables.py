"""Tables of products as people write them: every row is either sent or named with the reason, and none is lost."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from support.commerce_api import CommerceClient
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import RunningService, StartService
from support.waiting import eventually

PATH = "/commerce/products/batch"
HEADING = ("id", "title", "description", "availability", "condition", "price", "link", "image_link", "brand")
LINK = "https://bakery.example.com/x"
GOOD = ("Cake", "Big", "in stock", "new", "9.50 SEK", LINK, f"{LINK}.jpg", "Ada")


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as own:
        yield own


@pytest.fixture
def stall(running: RunningService) -> Iterator[CommerceClient]:
    with Sandbox(running) as sandbox:
        yield CommerceClient(running, sandbox, "meta")


def line(name: str, **change: str) -> str:
    """Write a row as it is, whatever the cells hold."""
    cells = dict(zip(HEADING, (name, *GOOD), strict=True)) | change
    return ",".join(cells[column] for column in HEADING)


def send(stall: CommerceClient, *lines: str, ends: str = "\n", heading: str = ",".join(HEADING)) -> httpx.Response:
    content = ends.join((heading, *lines)).encode()
    return stall.sent("POST", PATH, params=stall.place, content=content, headers={"Content-Type": "text/csv"})


def results(stall: CommerceClient, response: httpx.Response) -> dict[int, tuple[str, str]]:
    """Wait for a batch, and give the product and the result of each row."""
    assert response.status_code == 202, response.text
    path = f"/tasks/{response.json()['id']}"
    eventually(lambda: stall.owner.session.get(path, params={"wait": 20}).json()["finishedAt"])
    rows = stall.owner.session.get(f"{PATH}/{response.json()['id']}/rows", params={"limit": 200}).json()["data"]
    return {row["row"]: (row["retailerId"], row["status"]) for row in rows}


def reasons(stall: CommerceClient, response: httpx.Response) -> dict[int, dict[str, Any]]:
    task = stall.owner.session.get(f"/tasks/{response.json()['id']}").json()
    return {error["row"]: error for error in task["result"]["errors"]}


def test_a_quotation_mark_inside_a_cell_takes_no_other_row_with_it(stall: CommerceClient) -> None:
    response = send(
        stall, line("a"), line("b", title='27" screen'), line("c"), line("d", title='14" and 15"'), line("e")
    )
    assert results(stall, response) == {number: (name, "succeeded") for number, name in enumerate("abcde", 1)}
    assert {item["title"] for item in stall.listed(retailerId="b")} == {'27" screen'}


def test_a_quotation_mark_that_is_never_closed_is_refused_with_the_whole_table(stall: CommerceClient) -> None:
    response = send(stall, line("a"), line("b", title='"Cake'), line("c"), line("d"))
    assert "b," in problem_of(response, 400, "malformed_request")["detail"]
    assert stall.owner.session.get("/tasks").json()["data"] == []


def test_rows_that_an_open_quotation_mark_swallows_are_named(stall: CommerceClient) -> None:
    response = send(stall, line("a"), line("b", title='"Cake'), line("c", title='"Cake"'), line("d"))
    assert results(stall, response) == {1: ("a", "succeeded"), 2: ("", "failed"), 3: ("d", "succeeded")}
    assert "2 lines" in reasons(stall, response)[2]["detail"]


def test_text_in_quotation_marks_may_hold_everything(stall: CommerceClient) -> None:
    message = 'It says "Hello", twice:\n\n"",\r;\tand more'
    written = io.StringIO()
    csv.writer(written).writerow(("a", "Cake", message, *GOOD[2:]))
    response = send(stall, written.getvalue().rstrip("\r\n"), line("b"))
    assert results(stall, response) == {1: ("a", "succeeded"), 2: ("b", "succeeded")}
    (result,) = stall.listed(retailerId="a")
    assert result["description"] == message.replace("\r", "\n")


@pytest.mark.parametrize("ends", ["\r", "\r\n", "\n"])
def test_lines_end_in_any_way(stall: CommerceClient, ends: str) -> None:
    response = send(stall, line("a"), line("b"), ends=ends)
    assert results(stall, response) == {1: ("a", "succeeded"), 2: ("b", "succeeded")}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"title": "Ca\0ke"}, None),
        ({"id": "b\0"}, None),
        ({"price": f"9.50{'0' * 40}1 SEK"}, "price"),
        ({"price": "1e3 SEK"}, "price"),
        ({"price": "-1 SEK"}, "price"),
        ({"price": "500.5 JPY"}, "price"),
        ({"price": "1.2345 KWD"}, "price"),
        ({"price": f"{'9' * 40} SEK"}, "price"),
        ({"availability": "-"}, "availability"),
        ({"availability": "_"}, "availability"),
    ],
)
def test_a_row_that_cannot_be_kept_is_named_and_the_others_land(
    stall: CommerceClient, change: dict[str, str], field: str | None
) -> None:
    response = send(stall, line("a"), line("b", **change), line("c"))
    assert [status for _, status in results(stall, response).values()] == ["succeeded", "failed", "succeeded"]
    assert (reasons(stall, response)[2]["field"], set(reasons(stall, response))) == (field, {2})


@pytest.mark.parametrize("amount", ["9" * 5000, "9" * 30, "-1", "1.5", "1e3", "\u0661"])
def test_an_amount_that_is_no_integer_of_this_size_is_named(stall: CommerceClient, amount: str) -> None:
    heading = ",".join(HEADING).replace("price", "priceAmount,currency")
    response = send(stall, line("a", price=f"{amount},SEK"), line("b", price="950,SEK"), heading=heading)
    assert results(stall, response) == {1: ("a", "failed"), 2: ("b", "succeeded")}
    assert reasons(stall, response)[1]["field"] == "price"


def test_errors_quote_cells_and_columns_as_they_are_written(stall: CommerceClient) -> None:
    response = send(stall, line("a", availability="sold out"), line("b", link="bakery"))
    assert [status for _, status in results(stall, response).values()] == ["failed", "failed"]
    result = reasons(stall, response)
    assert '"sold out"' in result[1]["detail"]
    assert (result[2]["field"], result[2]["detail"].partition(" ")[0]) == ("link", "link")
    assert '"bakery"' in result[2]["detail"]


def test_an_item_with_a_number_beyond_numbers_is_named(stall: CommerceClient) -> None:
    items = '[{"retailerId": "a", "price": {"amount": 1e400, "currency": "SEK"}}]'
    body = f'{{"adAccountId": "{stall.account_id}", "catalogId": "{stall.catalog_id}", "items": {items}}}'
    response = stall.sent("POST", PATH, content=body, headers={"Content-Type": "application/json"})
    assert results(stall, response) == {1: ("a", "failed")}


def test_words_for_availability_and_condition_may_be_capitals(stall: CommerceClient) -> None:
    response = send(stall, line("a", availability="In Stock", condition="New"), line("b", condition="Used"))
    assert results(stall, response) == {1: ("a", "succeeded"), 2: ("b", "succeeded")}
    assert {item["condition"] for item in stall.listed()} == {"new", "used"}


def test_a_header_that_says_something_twice_or_nothing_is_refused(stall: CommerceClient) -> None:
    assert fault_of(send(stall, "1,2,3", heading="id,sku,title")) == ("/retailerId", "duplicate")
    assert fault_of(send(stall, "1,2,3", heading="id,title,title")) == ("/title", "duplicate")
    problem_of(send(stall, "1,2", heading=f"id,{'x' * 140_000}"), 400, "malformed_request")


def test_a_cursor_of_nobody_is_refused(stall: CommerceClient) -> None:
    response = send(stall, line("a"), line("b"))
    results(stall, response)
    path = f"{PATH}/{response.json()['id']}/rows"
    assert fault_of(stall.owner.session.get(path, params={"cursor": "AAAA"})) == ("?cursor", "invalid_cursor")
