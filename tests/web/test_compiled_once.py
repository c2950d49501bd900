"""On SQLite, a request that was made before compiles no statement again, and neither does an event: that takes longer
than running most of them.

A parameter in the place where a partial index has a constant is one reason for SQLite to do so, see
`core.db.inline_literal`. A LIKE with a parameter is another.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import structlog

from socialgate.areas.identity.authentication import TokenAuthenticator
from socialgate.core.sqlite import SqliteDriver
from support.hooks import add_hook, emit
from support.routes import resolve_parameter
from support.service import OwnerFixture, RunningService, StartService

# What the authorizer of SQLite says when it compiles a SELECT.
_SELECT = 21


@pytest.fixture(scope="module", name="running")
def running_on_sqlite(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as running_service:
        yield running_service


@contextmanager
def compiled(running: RunningService) -> Iterator[list[str]]:
    """Collect the ids of the requests for which a SELECT is compiled."""
    requests: list[str] = []

    def note(action: int, *_: Any) -> int:
        if action == _SELECT:
            requests.append(structlog.contextvars.get_contextvars().get("request_id", ""))
        return sqlite3.SQLITE_OK

    driver: Any = running.service.db._driver
    assert isinstance(driver, SqliteDriver)
    connection, _ = driver._loop_reader._opened or driver._loop_reader._open()
    connection.set_authorizer(note)
    try:
        yield requests
    finally:
        connection.set_authorizer(None)


def lists(running: RunningService) -> list[str]:
    """Give the routes that return a page and need nothing to be asked."""
    document = running.client().get("/openapi.json").raise_for_status().json()
    shared = document["components"]["parameters"]
    return [
        path
        for path, item in document["paths"].items()
        if "{" not in path and "get" in item and _pages(item["get"], shared)
    ]


def _pages(operation: dict[str, Any], shared: dict[str, Any]) -> bool:
    parameters = [resolve_parameter(item, shared) for item in operation.get("parameters", ())]
    required = {item["name"]: item.get("required", False) for item in parameters}
    return "cursor" in required and not any(required.values())


def test_what_was_asked_before_is_not_compiled_again(running: RunningService) -> None:
    owner = OwnerFixture(running)
    key, book = owner.key(), running.service.container.get(TokenAuthenticator)
    again = {}
    for path in lists(running):
        with compiled(running) as requests:
            for number in range(3):
                # Who calls is remembered for half a second. On a busy machine that ends at any request, whose question
                # is then the first since the statements of the connection were forgotten.
                book.invalidate_owner(owner.id)
                key.get(path, headers={"X-Request-Id": f"{path.strip('/').replace('/', '-')}.{number}"})
        again[path] = sum(request.endswith(".2") for request in requests)
    assert {path: number for path, number in again.items() if number} == {}


def test_an_event_like_one_before_compiles_nothing(running: RunningService) -> None:
    owner = OwnerFixture(running)
    add_hook(owner, "https://example.com/hook", profile_ids=[owner.profile_id])
    emit(owner, 1)
    compiled_actions: list[int] = []

    def note(action: int, *_: Any) -> int:
        if action in {_SELECT, sqlite3.SQLITE_INSERT}:
            compiled_actions.append(action)
        return sqlite3.SQLITE_OK

    driver: Any = running.service.db._driver
    connection = driver._writer._connection
    connection.set_authorizer(note)
    try:
        # Setting an authorizer makes SQLite compile every statement once more.
        emit(owner, 2)
        compiled_actions.clear()
        emit(owner, 3)
    finally:
        connection.set_authorizer(None)
    assert compiled_actions == []
