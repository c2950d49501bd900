"""402 is documented for the routes that return it: all are called with a plan that allows nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from journeys.commands import run
from socialgate.areas.posts.schemas import NewPost
from socialgate.core.errors import PlanLimitReached
from socialgate.web.api_description import ApiOperation
from socialgate.web.route import RouteAccess
from support.factories import fill_example
from support.routes import body_of, path_of, query_of, routes
from support.service import OwnerFixture, RunningService, StartService

PLANS = "[all]\n[nothing]\nposts = 0\nmessagesSent = 0\naiGenerations = 0\nuploadBytes = 0\nconnectedAccounts = 0\n"
# What they do by example is not counted: a draft, and the change of a text.
INSTEAD: dict[str, dict[str, Any]] = {
    "createPost": {"draft": False, "publishNow": True},
    "updatePost": {"publishNow": True, "targets": NewPost.example()["targets"]},
}
BYTES = {"POST /upload": {}, "POST /uploads": {"Upload-Length": "9"}}


@pytest.fixture
def running(start_service: StartService, tmp_path: Path) -> Iterator[RunningService]:
    plans = tmp_path / "plans.toml"
    plans.write_text(PLANS)
    with start_service(plans_file=plans, default_plan="all") as own:
        yield own


def request_of(operation: ApiOperation, owner: OwnerFixture) -> dict[str, Any]:
    """Prepare a request while everything that it needs may still be created."""
    request: dict[str, Any] = {"url": path_of(operation, owner), "params": query_of(operation, owner)}
    label = f"{operation.method} {operation.path}"
    if label in BYTES:
        request |= {"content": b"" if BYTES[label] else b"%PDF-1.4\n", "headers": BYTES[label]}
    if (body := body_of(operation, owner)) is not None:
        request["json"] = fill_example({**body, **INSTEAD.get(operation.name, {})}, owner)
    return request


def changes_something(operation: ApiOperation) -> bool:
    return operation.spec.access is RouteAccess.KEY and operation.method in {"POST", "PATCH"}


def assign(running: RunningService, owner: OwnerFixture, plan: str) -> None:
    settings = running.settings
    where = {"data_dir": settings.data_dir, "default_plan": "all", "plans_file": settings.plans_file}
    done = run(settings.data_dir, "plan", owner.id, plan, **where)
    assert done.returncode == 0, done.stderr


def test_every_route_that_returns_402_says_so(running: RunningService) -> None:
    owner = running.new_owner()
    prepared = [(operation, request_of(operation, owner)) for operation in routes(running, changes_something)]
    assign(running, owner, "nothing")
    refused = {}
    for operation, request in prepared:
        answer = owner.session.request(operation.method, **request)
        if answer.status_code == PlanLimitReached.status:
            refused[operation.name] = operation
    assert [name for name, operation in refused.items() if PlanLimitReached not in operation.list_error_types()] == []
    posts = {"createPost", "updatePost", "queueAdd"}
    generations = {"aiText", "aiImage", "aiVideo", "aiAudio"}
    assert posts | generations | {"sendMessage", "uploadMedia", "createUpload", "connectTelegram"} <= refused.keys()
