"""The way of a call to a simulated platform."""

from pathlib import Path

import httpx
import pytest

from sandbox.tiny import TINY
from socialgate_sandbox.kernel.store import Database
from support.simulation import RunningSandbox, running_sandbox


def test_state_survives_a_restart(tmp_path: Path) -> None:
    token = {"authorization": "Bearer token-of-ada"}
    with running_sandbox(tmp_path, [TINY]) as first:
        created = first.client.post("/tiny/v1/notes", json={"text": "kept"}, headers=token).json()
        first.control("clock", advance=100)
    with running_sandbox(tmp_path, [TINY]) as second:
        notes = second.client.get("/tiny/v1/notes", headers=token).json()["data"]
        assert second.look("clock")["offset"] == 100
        assert len(second.look("accounts")["data"]) == 3
    assert notes == [{"id": created["id"], "text": "kept", "ready": True}]


def test_what_takes_time_is_ready_when_the_clock_was_moved(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    ada.post("/v1/notes", data={"text": "soon"})
    assert [note["ready"] for note in ada.get("/v1/notes").json()["data"]] == [False]
    sandbox.control("clock", advance=5)
    assert [note["ready"] for note in ada.get("/v1/notes").json()["data"]] == [True]
    assert sandbox.control("clock", reset=True)["offset"] == 0


def test_a_refused_call_leaves_nothing(ada: httpx.Client) -> None:
    refused = ada.post("/v1/notes", json={"text": "regret"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "regret")
    assert ada.get("/v1/notes").json()["data"] == []


def test_paging(ada: httpx.Client) -> None:
    items = [ada.post("/v1/notes", json={"text": str(n)}).json()["id"] for n in range(5)]
    first = [note["id"] for note in ada.get("/v1/notes", params={"limit": 3}).json()["data"]]
    rest = [note["id"] for note in ada.get("/v1/notes", params={"limit": 3, "after": first[-1]}).json()["data"]]
    assert first + rest == items[::-1]


@pytest.mark.parametrize(
    "body",
    [
        {"json": {"width": 3, "tags": ["a"], "label": "[x"}},
        {"data": {"width": "3", "tags": '["a"]', "label": "[x"}},
        {"data": {"width": "3"}, "params": {"tags": '["a"]', "label": "[x"}},
        {"data": {"width": "3", "tags": '["a"]', "label": "[x"}, "files": {"f": ("n.txt", b"12345")}},
    ],
    ids=["json", "urlencoded", "query", "multipart"],
)
def test_every_kind_of_body_is_read_alike(ada: httpx.Client, body: dict[str, object]) -> None:
    answer = ada.post("/v1/echo", **body).json()  # type: ignore[arg-type]
    assert answer["shape"] == {"width": 3, "tags": ["a"], "label": "[x"}
    assert answer["files"] == ({"f": ["n.txt", 5]} if "files" in body else {})


@pytest.mark.parametrize("size", [0, 10, 3 << 20])
def test_a_raw_body_of_any_size_is_a_file(sandbox: RunningSandbox, ada: httpx.Client, size: int) -> None:
    assert ada.put("/v1/upload", content=b"x" * size).json() == {"size": size}
    assert len(list((sandbox.settings.data_dir / "sandbox-files").iterdir())) == 1


def test_files_with_the_same_name_are_all_there(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    same = [("f[]", (name, b"x" * size)) for name, size in (("a.bin", 1), ("b.bin", 2), ("c.bin", 3))]
    result = ada.post("/v1/echo", data={"width": "1"}, files=same).json()["files"]
    assert result == {"f[]": ["a.bin", 1], "f[] 2": ["b.bin", 2], "f[] 3": ["c.bin", 3]}
    assert list((sandbox.settings.data_dir / "sandbox-files").iterdir()) == []


def test_files_that_nobody_kept_are_removed(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    ada.post("/v1/echo", data={"width": "1"}, files={"f": ("big.bin", b"x" * (2 << 20))})
    assert list((sandbox.settings.data_dir / "sandbox-files").iterdir()) == []


@pytest.mark.parametrize(
    ("headers", "content"),
    [
        ({"content-type": "application/json"}, b"{"),
        ({"content-type": "application/json"}, b"\xff"),
        ({"content-type": "application/json"}, b"[" * 100_000),
        ({"content-type": "application/json"}, b'{"width": "wide"}'),
        ({"content-type": "application/x-www-form-urlencoded"}, b"width=1&tags=[1"),
        ({"content-type": "multipart/form-data"}, b"x"),
        ({"content-type": "multipart/form-data; boundary=b"}, b"--b\r\nrubbish"),
    ],
)
def test_what_cannot_be_read_is_refused_in_the_vendors_own_words(
    ada: httpx.Client, headers: dict[str, str], content: bytes
) -> None:
    answer = ada.post("/v1/echo", headers=headers, content=content)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")


def test_an_unknown_path_or_method_is_answered_in_the_vendors_own_words(ada: httpx.Client) -> None:
    for answer in (ada.get("/nowhere"), ada.delete("/v1/notes"), ada.get("/")):
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_path")


def test_headers_of_the_vendor_stand_on_every_answer(ada: httpx.Client) -> None:
    assert {ada.get(path).headers["x-tiny-version"] for path in ("/v1/notes", "/nowhere")} == {"1"}


def test_a_token_in_the_path_is_routed_and_not_recorded(sandbox: RunningSandbox) -> None:
    assert sandbox.client.get("/tiny/bottoken-of-ada/notes").status_code == 200
    (call,) = sandbox.look("received")["data"]
    assert (call["path"], call["accounts"]) == ("/bottoken-…/notes", ["ada"])


def test_what_was_received_is_listed_without_secrets(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    nested = {"text": "a", "access_token": "secret-secret", "deep": [{"client_secret": "secret-secret"}]}
    ada.post("/v1/notes", json=nested, params={"access_token": "secret-secret", "fields": "id"})
    ada.post("/v1/notes", data={"text": "b", "code": "secret-secret"})
    ada.get("/elsewhere")
    elsewhere, second, first = sandbox.look("received", platform="tiny")["data"]
    assert (elsewhere["method"], elsewhere["path"], elsewhere["status"]) == ("GET", "/elsewhere", 404)
    assert second["body"] == {"text": "b", "code": "secret…"}
    assert first["body"] == {"text": "a", "access_token": "secret…", "deep": [{"client_secret": "secret…"}]}
    assert first["query"] == {"access_token": "secret…", "fields": "id"}
    assert len(sandbox.look("received", path="/v1/*")["data"]) == 2
    assert sandbox.look("received", platform="other")["data"] == []
    assert "secret-secret" not in sandbox.client.get("/").text


def test_a_vendor_fetches_from_this_machine_only(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    near, far = f"{sandbox.settings.gateway_url}/media", "https://platform.example/media"
    assert ada.get("/v1/check", params={"url": near}).json() == {"status": 200}
    assert ada.get("/v1/check", params={"url": "http://127.0.0.1:9/"}).json() == {"status": 0}
    assert ada.get("/v1/check", params={"url": far}).json() == {"status": None}


def test_state_of_another_version_does_not_prevent_a_start(tmp_path: Path) -> None:
    with running_sandbox(tmp_path, [TINY]):
        pass
    database = Database(tmp_path / "sandbox.db")
    database.execute("UPDATE things SET body = '{}'")
    database.close()
    with running_sandbox(tmp_path, [TINY]) as again:
        assert len(again.look("accounts")["data"]) == 3
