"""Failures on order: each kind, and which calls it hits."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from support.simulation import RunningSandbox
from support.waiting import eventually


def notes(client: httpx.Client) -> int:
    return len(client.get("/v1/notes").json()["data"])


def test_a_named_error_stands_in_for_the_next_calls(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    sandbox.control("fail", platform="tiny", error="bad_token", times=2)
    answers = [ada.post("/v1/notes", json={"text": "x"}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [401, 401, 200]
    assert answers[0].json() == {"error": {"code": "bad_token", "message": "Your token is not valid."}}
    assert notes(ada) == 1
    assert [call["fault"] for call in sandbox.look("received", path="/v1/notes")["data"]][1:] == [
        "",
        "bad_token",
        "bad_token",
    ]


@pytest.mark.parametrize(
    ("body", "text"), [({"a": 1}, '{"a":1}'), ("<html>", "<html>"), (None, "{}")], ids=["json", "text", "none"]
)
def test_any_status_and_body_can_be_ordered(
    sandbox: RunningSandbox, ada: httpx.Client, body: object, text: str
) -> None:
    sandbox.control("fail", platform="tiny", status=503, body=body, headers={"retry-after": "7"})
    answer = ada.get("/v1/notes")
    assert (answer.status_code, answer.text, answer.headers["retry-after"]) == (503, text, "7")


@pytest.mark.parametrize("status", [204, 304])
def test_a_status_without_a_body_is_sent_without_one(sandbox: RunningSandbox, ada: httpx.Client, status: int) -> None:
    sandbox.control("fail", platform="tiny", status=status)
    answer = ada.get("/v1/notes")
    assert (answer.status_code, answer.content) == (status, b"")
    assert ada.get("/v1/notes").status_code == 200


def test_a_lost_answer_leaves_the_effect(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    sandbox.control("fail", platform="tiny", when="after", method="post")
    with pytest.raises(httpx.RemoteProtocolError):
        ada.post("/v1/notes", json={"text": "x"})
    assert notes(ada) == 1
    lost = sandbox.look("received")["data"][1]
    assert (lost["status"], lost["fault"]) == (0, "answer lost")


def test_a_dropped_call_has_no_effect(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    sandbox.control("fail", platform="tiny", when="drop", path="/v1/*")
    with pytest.raises(httpx.RemoteProtocolError):
        ada.post("/v1/notes", json={"text": "x"})
    assert notes(ada) == 0


def test_a_late_call_takes_effect_when_its_time_has_come(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    sandbox.control("fail", platform="tiny", when="late", delay=120, method="post")
    with pytest.raises(httpx.RemoteProtocolError):
        ada.post("/v1/notes", json={"text": "x"})
    sandbox.control("clock", advance=59)
    (waiting,) = sandbox.look("fail")["hanging"]
    assert (waiting["path"], notes(ada)) == ("/v1/notes", 0)
    sandbox.control("clock", advance=61)
    eventually(lambda: notes(ada) == 1)
    eventually(lambda: not sandbox.look("fail")["hanging"])
    late = next(call for call in sandbox.look("received")["data"] if call["method"] == "POST")
    assert (late["status"], late["fault"]) == (200, "120 s late, unanswered")


def test_a_late_call_that_is_cleared_never_happens(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    sandbox.control("fail", platform="tiny", when="late", delay=120, method="post")
    with pytest.raises(httpx.RemoteProtocolError):
        ada.post("/v1/notes", json={"text": "x"})
    eventually(lambda: sandbox.look("fail")["hanging"])
    sandbox.client.delete("/_control/fail")
    eventually(lambda: not sandbox.look("fail")["hanging"])
    sandbox.control("clock", advance=121)
    assert notes(ada) == 0


def test_a_delayed_call_outlasts_an_impatient_caller_and_the_end_of_the_sandbox(
    sandbox: RunningSandbox, ada: httpx.Client
) -> None:
    sandbox.control("fail", platform="tiny", delay=600)
    with pytest.raises(httpx.ReadTimeout):
        ada.get("/v1/notes", timeout=0.2)
    assert notes(ada) == 0


def test_a_delay_alone_is_only_slow(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    sandbox.control("fail", platform="tiny", delay=0.01)
    assert ada.get("/v1/notes").status_code == 200


def test_a_failure_can_be_aimed(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    sandbox.control("fail", platform="tiny", status=500, account="bram", path="/v1/n*", method="get", times=9)
    bram = {"authorization": "Bearer token-of-bram"}
    assert ada.get("/v1/notes").status_code == 200
    assert ada.get("/v1/check", params={"url": "x"}, headers=bram).status_code == 200
    assert ada.post("/v1/notes", json={"text": "x"}, headers=bram).status_code == 200
    assert ada.get("/v1/notes", headers=bram).status_code == 500
    assert [fault["times"] for fault in sandbox.look("fail")["data"]] == [8]


def test_failures_are_used_in_the_order_in_which_they_were_ordered_and_can_be_cleared(
    sandbox: RunningSandbox, ada: httpx.Client
) -> None:
    for status in (500, 502, 503):
        sandbox.control("fail", platform="tiny", status=status)
    assert [ada.get("/v1/notes").status_code for _ in range(2)] == [500, 502]
    assert sandbox.client.delete("/_control/fail").json() == {"ok": True}
    assert ada.get("/v1/notes").status_code == 200


def test_a_throttled_platform_answers_in_its_own_words_until_a_minute_has_passed(
    sandbox: RunningSandbox, ada: httpx.Client
) -> None:
    sandbox.control("throttle", platform="tiny", perMinute=2)
    answers = [ada.get("/v1/notes") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].json()["error"]["code"] == "slow_down"
    sandbox.control("clock", advance=61)
    assert ada.get("/v1/notes").status_code == 200
    sandbox.control("throttle", platform="tiny")
    assert [ada.get("/v1/notes").status_code for _ in range(3)] == [200, 200, 200]


def test_a_reset_opens_the_limits(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    for _ in range(2):
        sandbox.control("throttle", platform="tiny", perMinute=1)
        assert [ada.get("/v1/notes").status_code for _ in range(2)] == [200, 429]
        sandbox.control("reset")


def test_a_failure_can_let_calls_pass_first(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    sandbox.control("fail", platform="tiny", status=500, skip=2, method="get")
    sandbox.control("fail", platform="tiny", status=503, skip=1)
    # Each counts what it matches for itself, also what passes another.
    assert ada.post("/v1/notes", json={"text": "x"}).status_code == 200
    assert [ada.get("/v1/notes").status_code for _ in range(4)] == [503, 200, 500, 200]


@pytest.fixture
def caller() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def hanging(sandbox: RunningSandbox) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = sandbox.look("fail")["hanging"]
    return result


@pytest.mark.parametrize(("when", "expected_count"), [("before", 0), ("after", 1)])
def test_a_call_that_hangs_is_told_of_until_it_is_let_go(
    sandbox: RunningSandbox, ada: httpx.Client, caller: ThreadPoolExecutor, when: str, expected_count: int
) -> None:
    fault = sandbox.control("fail", platform="tiny", hang=True, when=when, path="/v1/notes", method="post")
    calling: Future[httpx.Response] = caller.submit(ada.post, "/v1/notes", json={"text": "x"})
    (waiting,) = eventually(lambda: hanging(sandbox))
    assert waiting == {
        "fault": fault["id"],
        "platform": "tiny",
        "method": "POST",
        "path": "/v1/notes",
        "accounts": ["ada"],
    }
    assert notes(ada) == expected_count
    sandbox.client.delete("/_control/fail")
    assert isinstance(calling.exception(30), httpx.RemoteProtocolError)
    eventually(lambda: not hanging(sandbox))
    assert notes(ada) == expected_count
    assert sandbox.look("received", path="/v1/notes")["data"][-2]["fault"] == f"hung {when}"


def test_a_call_hangs_until_its_caller_goes(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    sandbox.control("fail", platform="tiny", hang=True)
    with pytest.raises(httpx.ReadTimeout):
        ada.get("/v1/notes", timeout=0.2)
    eventually(lambda: not hanging(sandbox))
    assert notes(ada) == 0


def test_the_sandbox_can_end_while_a_call_hangs(caller: ThreadPoolExecutor, sandbox: RunningSandbox) -> None:
    sandbox.control("fail", platform="tiny", hang=True)
    caller.submit(httpx.get, f"{sandbox.url}/tiny/v1/notes", timeout=600)
    eventually(lambda: hanging(sandbox))


@pytest.mark.parametrize("how", [{"status": 500}, {"error": "bad_token"}, {"when": "drop"}])
def test_what_hangs_has_no_answer(sandbox: RunningSandbox, how: dict[str, Any]) -> None:
    order = {"platform": "tiny", "hang": True, **how}
    refused = sandbox.client.post("/_control/fail", json=order)
    assert (refused.status_code, "hang" in refused.json()["error"]) == (422, True)
