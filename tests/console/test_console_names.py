"""Operations and tasks are shown with the names that people have for them."""

import pytest

from console.browser import signed_in
from socialgate.areas.operations.service import OperationService
from socialgate.connectors.registry import MANIFESTS
from socialgate.console import formatting
from socialgate.core.jobs.service import JobTypes
from support.connections import connect_accounts
from support.factories import generation_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService


def is_of_tests(name: str) -> bool:
    return name.startswith("test.")


def test_every_operation_and_task_has_a_name(service: RunningService) -> None:
    container = service.service.container
    operations = {name for name in container.get(OperationService)._types if not is_of_tests(name)}
    tasks = {name for name in container.get(JobTypes).public_types if not is_of_tests(name)}
    assert operations == set(formatting._OPERATION_NAMES)
    assert tasks == set(formatting._TASK_NAMES)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("adsets.create", "Create an ad set"),
        ("connect.telegram", "Connect a Telegram bot"),
        ("removed.longAgo", "Removed long ago"),
    ],
)
def test_operations_are_named_by_what_they_do(name: str, shown: str) -> None:
    assert formatting.operation_words(name) == shown


def test_everything_that_an_account_is_used_for_has_a_name() -> None:
    kinds = [kind for manifest in MANIFESTS.values() for kind in manifest.kinds]
    uses = {use for kind in kinds for use in kind.permissions} | {
        use for kind in kinds for use in formatting.list_uses([str(name) for name in kind.capabilities])
    }
    assert uses == set(formatting._USE_NAMES)


def test_tasks_are_named_by_what_they_do(owner: OwnerFixture) -> None:
    assert formatting.task_words("products.batch") == "Import products"
    generation_of(owner)
    (task,) = owner.session.get("/tasks").json()["data"]
    # Its result is a page, not only JSON.
    assert f'href="/console/ai/{task["id"]}">Generate a text</a>' in signed_in(owner).get("/console/tasks").text


def test_a_connected_bot_is_an_operation_with_its_name(owner: OwnerFixture) -> None:
    with Sandbox(owner.running) as sandbox:
        connect_accounts(sandbox, owner, "telegram")
    text = signed_in(owner).get("/console/operations").text
    assert ">Connect a Telegram bot</strong>" in text
