"""Lists whose rows hold what callers, their customers or platforms write: pages end at about 4 MiB there too."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from socialgate.areas.automations.tables import automation_runs, automations
from socialgate.areas.inbox.tables import messages
from socialgate.areas.leads.tables import leads
from socialgate.core.jobs.job_store import jobs
from socialgate.web.pagination import wrap_platform_cursor
from support.factories import account_on, get_or_create_id
from support.large import add_rows, ids_of, pages
from support.operation_area import COUNT
from support.problems import fault_of
from support.service import OwnerFixture

pytestmark = pytest.mark.both_engines

ROWS = 12
WORDS = "x" * 500_000
NOW = datetime(2026, 11, 15, tzinfo=UTC)


def large_automations(owner: OwnerFixture) -> tuple[str, list[str]]:
    actions = [{"type": "sendMessage", "to": "1", "accountId": None, "text": WORDS}]
    values = {"profile_id": owner.profile_id, "name": "Large", "active": False, "cooldown": 0, "conditions": []}
    trigger = {"type": "message.received", "accountIds": []}
    return "/automations", add_rows(owner, automations, "auto", ROWS, **values, trigger=trigger, actions=actions)


def large_runs(owner: OwnerFixture) -> tuple[str, list[str]]:
    automation_id = get_or_create_id(owner, "automationId")
    subject = {"key": "k", "accountId": "acc_1", "platform": "meta", "at": NOW.isoformat(), "text": WORDS}
    created = [
        add_rows(
            owner,
            automation_runs,
            "run",
            1,
            automation_id=automation_id,
            profile_id=owner.profile_id,
            trigger="message.received",
            subject_key=f"message {number}",
            subject={**subject, "fields": {}},
            status="done",
            steps=[],
        )[0]
        for number in range(ROWS)
    ]
    return f"/automations/{automation_id}/runs", created[::-1]


def large_tasks(owner: OwnerFixture) -> tuple[str, list[str]]:
    values = {"profile_id": owner.profile_id, "type": COUNT, "status": "succeeded", "input": {}, "finished_at": NOW}
    return "/tasks", add_rows(owner, jobs, "task", ROWS, **values, result={"errors": [WORDS]})


def large_messages(owner: OwnerFixture) -> tuple[str, list[str]]:
    account_id, conversation_id = account_on(owner, "meta"), get_or_create_id(owner, "conversationId")
    path = f"/accounts/{account_id}/conversations/{conversation_id}"
    before = [item["id"] for item in owner.session.get(path).json()["messages"]["data"]]
    values = {
        "conversation_id": conversation_id,
        "account_id": account_id,
        "direction": "inbound",
        "type": "text",
        "text": "",
        "attachments": [],
        "reactions": [],
        "status": "received",
        "source": "platform",
        "at": datetime(2031, 1, 1, tzinfo=UTC),
    }
    return path, [*add_rows(owner, messages, "msg", ROWS, **values, data={"template": WORDS}), *before]


def large_leads(owner: OwnerFixture) -> list[str]:
    values = {"account_id": account_on(owner, "meta"), "form_id": "1", "test": False, "state": "new"}
    history = [{"at": NOW.isoformat(), "by": "key", "from": "new", "to": "won", "note": "é" * 2000}] * 100
    return [
        add_rows(
            owner,
            leads,
            "lead",
            1,
            **values,
            vendor_id=str(number),
            fields={"answer": WORDS},
            history=history,
            created_at=datetime(2031, 1, 1, tzinfo=UTC),
            received_at=NOW,
        )[0]
        for number in range(ROWS)
    ][::-1]


@pytest.mark.parametrize("make", [large_automations, large_runs, large_tasks, large_messages])
def test_large_rows_come_in_several_pages_each_once(
    owner: OwnerFixture, make: Callable[[OwnerFixture], tuple[str, list[str]]]
) -> None:
    path, created = make(owner)
    result = pages(owner.session, path, limit=200)
    assert len(result) > 1
    assert ids_of(result)[: len(created)] == created


def test_large_leads_come_in_several_pages_each_once(owner: OwnerFixture) -> None:
    created = large_leads(owner)
    path = f"/accounts/{account_on(owner, 'meta')}"
    result = pages(owner.session, f"{path}/leads", limit=200)
    assert len(result) > 1
    assert ids_of(result)[:ROWS] == created
    states = pages(owner.session, f"{path}/lead-states", limit=200)
    assert len(states) > 1
    assert [row["leadId"] for page in states for row in page["data"]][:ROWS] == created


MADE_UP = ["--5 x", f"{'9' * 100} x", f"-{'9' * 40} x", "5 \0", "5 x", "", "1e9 x", "5 conv_01h455vb4pex5vsknk084sn02"]


@pytest.mark.one_engine
def test_a_cursor_that_was_made_up_is_refused(owner: OwnerFixture) -> None:
    account_id, conversation_id = account_on(owner, "meta"), get_or_create_id(owner, "conversationId")
    path = f"/accounts/{account_id}"
    lists = {
        f"{path}/conversations": ("conversations", account_id),
        f"{path}/conversations/{conversation_id}": ("messages", conversation_id),
        f"{path}/leads": ("leads", account_id),
        f"{path}/lead-states": ("lead-states", account_id),
    }
    for value, pair in lists.items():
        for words in MADE_UP:
            answer = owner.session.get(value, params={"cursor": wrap_platform_cursor(words, *pair)})
            assert fault_of(answer) == ("?cursor", "invalid_cursor"), (value, words)
