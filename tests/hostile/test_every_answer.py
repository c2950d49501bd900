"""What holds for every answer, and for the word of everybody who has not proven it."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import httpx
import pytest

from hostile.conftest import Door
from support.post_files import file_of
from support.routes import label, routes
from support.service import OwnerFixture, RunningService, running_service

NEVER_ENDS = "/events/stream"


def test_no_browser_may_guess_what_an_answer_is(guarded: RunningService, guarded_owner: OwnerFixture) -> None:
    operations = [operation for operation in routes(guarded) if operation.path != NEVER_ENDS]
    clients = [guarded.client(), guarded_owner.key()]
    answers = {
        f"{label(operation)} {number}": client.request(operation.method, operation.path)
        for operation in operations
        for number, client in enumerate(clients)
    }
    pages = ["/", "/console", "/console/sign-in", "/docs", "/docs/errors/not_found", "/llms.txt", "/nowhere"]
    answers |= {path: clients[0].get(path) for path in pages}
    uploaded = guarded_owner.session.post(
        "/upload", content=file_of("image/png"), headers={"Content-Type": "image/png"}
    )
    assert uploaded.status_code == 201, uploaded.text
    answers["file"] = clients[0].get(httpx.URL(uploaded.json()["url"]).raw_path.decode())
    assert answers["file"].status_code == 200
    assert _without_the_word(answers) == []


def test_no_browser_may_guess_what_an_answer_on_any_port_is(client: Door) -> None:
    with client.knock() as raw:
        for method, path in product(["GET", "POST", "PUT"], [client.path, "/nowhere", "/meta/me"]):
            answer = raw.send(client.head("Content-Length: 0", method=method, path=path), b"\r\n").answer()
            assert answer.all_of("x-content-type-options") == ["nosniff"], (method, path)


def _without_the_word(answers: dict[str, httpx.Response]) -> list[str]:
    word = "x-content-type-options"
    return [label for label, answer in answers.items() if answer.headers.get_list(word) != ["nosniff"]]


@pytest.fixture(scope="module")
def wary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("data"), sandbox=False, login_limit=1) as running:
        yield running


def test_nobody_forges_an_address_unless_they_are_a_named_proxy(wary: RunningService, tmp_path: Path) -> None:
    """A try to sign in counts for the address: three are allowed, and a forged one would bring three more."""
    assert _tries_from_many_addresses(wary) == [401, 401, 401, 429]
    with running_service(tmp_path, sandbox=False, login_limit=1, trusted_proxies="127.0.0.1") as behind_proxy:
        assert _tries_from_many_addresses(behind_proxy) == [401, 401, 401, 401]


def _tries_from_many_addresses(running: RunningService) -> list[int]:
    return [
        running.client()
        .post(
            "/auth/login",
            json={"email": f"{number}@example.com", "password": "a wrong guess"},
            headers={"X-Forwarded-For": f"203.0.113.{number}"},
        )
        .status_code
        for number in range(4)
    ]
