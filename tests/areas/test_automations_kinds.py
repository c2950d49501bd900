"""Automations whose actions not every kind of account can run: refused, or not run at all, never run in part."""

from typing import Any
from uuid import uuid4

import pytest

from support.automations import AutomationFixture, create, list_triggered_events
from support.connections import connect_accounts
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture
from support.waiting import eventually

COMMENT = {"type": "comment.received"}
PROMISE: list[dict[str, Any]] = [
    {"type": "reply", "text": "We sent you a message, {{contact.name|there}}."},
    {"type": "sendMessage", "text": "Our price list: https://bakery.example/prices"},
]


def test_nothing_is_promised_where_it_cannot_be_kept(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account,) = connect_accounts(sandbox, owner, "threads")
    robot, thanks = (
        AutomationFixture(owner, COMMENT, *PROMISE),
        AutomationFixture(owner, COMMENT, {"type": "reply", "text": "Thank you!"}),
    )
    tried = robot.dry_run(accountId=account, text="How much?")
    assert (tried["wouldRun"], tried["triggerAccepts"]) == (False, True)
    assert "(Threads) cannot run `sendMessage`" in tried["heldBack"]
    assert "Facebook Page, Instagram" in tried["heldBack"]
    assert not any(step["wouldRun"] for step in tried["steps"])
    assert thanks.dry_run(accountId=account)["wouldRun"]
    body = {"profileId": owner.profile_id, "content": uuid4().hex, "targets": [{"accountId": account}]}
    path = f"/posts/{owner.session.post('/posts', json=body).json()['id']}"
    post = eventually(lambda: _published(owner, path))
    sandbox.control("comment", platform="threads", objectId=post, text="How much?")
    (run,) = robot.wait_for_runs()
    assert (run["status"], run["steps"], run["reason"]) == ("skipped", [], tried["heldBack"])
    (done,) = thanks.wait_for_runs()
    assert done["status"] == "done", done
    assert [event["automationId"] for event in list_triggered_events(owner)] == [thanks.id]
    assert robot.get()["stats"]["runs"] == 0


def _published(owner: OwnerFixture, path: str) -> str | None:
    (target,) = owner.session.get(path).json()["targets"]
    result: str | None = target["platformPostId"]
    return result


def test_each_named_account_must_be_able_to_run_every_action(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (threads,) = connect_accounts(sandbox, owner, "threads")
    (bot,) = connect_accounts(sandbox, owner, "telegram")
    connect_accounts(sandbox, owner, "meta")
    rows = {row["kind"]: row for row in owner.session.get("/accounts").json()["data"]}
    page = rows["facebook_page"]["id"]
    answer = create(owner, {**COMMENT, "accountIds": [page, threads, bot]}, *PROMISE)
    problem = problem_of(answer, 422, "invalid")
    assert [(item["pointer"], item["code"]) for item in problem["errors"]] == [
        ("/trigger/accountIds/1", "not_supported"),
        ("/trigger/accountIds/2", "not_supported"),
    ]
    first, second = (item["detail"] for item in problem["errors"])
    whose = f"The account {rows['threads']['name']} (Threads)"
    assert first == f"{whose} cannot run `sendMessage`. Kinds that can: Facebook Page, Instagram."
    assert "cannot fire `comment.received`" in second
    assert problem["detail"] == f"{first} (1 more error, see `errors`.)"
    robot = AutomationFixture(owner, {**COMMENT, "accountIds": [page, rows["instagram"]["id"]]}, *PROMISE)
    changed = owner.session.patch(robot.path, json={"trigger": {**COMMENT, "accountIds": [threads]}})
    assert fault_of(changed) == ("/trigger/accountIds/0", "not_supported")


def test_a_trigger_never_fires_on_an_account_that_lacks_it(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (bot,) = connect_accounts(sandbox, owner, "telegram")
    tried = AutomationFixture(owner, COMMENT, {"type": "stop"}).dry_run(accountId=bot)
    assert (tried["wouldRun"], tried["triggerAccepts"]) == (False, False)
    assert "never fires on accounts of this kind (Telegram bot)" in tried["triggerReason"]


@pytest.mark.parametrize(
    "text",
    ["{{contact.name", "Hello {{ contact.name }", "{{contact.name}} {{", "{{{{contact.name}}}}", "{{contact.{name}}}"],
)
def test_a_placeholder_that_is_not_complete_is_refused(owner: OwnerFixture, text: str) -> None:
    answer = create(owner, COMMENT, {"type": "stop"}, {"type": "reply", "text": text})
    assert fault_of(answer) == ("/actions/1/text", "unknown_placeholder")
    assert "is not complete" in answer.json()["detail"]


def test_braces_around_a_placeholder_are_text(owner: OwnerFixture) -> None:
    robot = AutomationFixture(owner, COMMENT, {"type": "reply", "text": "{a} }} {{{contact.name}}}"})
    (step,) = robot.dry_run(contact={"name": "Ana"})["steps"]
    assert step["action"]["text"] == "{a} }} {Ana}"
