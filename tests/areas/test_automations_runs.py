"""Runs of automations: set off by what people do in the sandbox, carried out once, and on record."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any
from uuid import uuid4

import msgspec
import pytest
import sqlalchemy as sa
from PIL import Image

from socialgate.areas.automations.matching import AUTOMATION_RUN_JOB, MAX_RUNS_PER_HOUR
from socialgate.core import restores
from socialgate.core.db import Tx
from socialgate.core.jobs.holding import JobHolder
from socialgate.core.jobs.job_store import jobs
from socialgate.core.restores import BackupRestore
from support.automations import FINAL_STATUSES, AutomationFixture, list_triggered_events, statuses
from support.connections import connect_accounts, connect_by_qr_code, connect_page, session_of
from support.database import rows
from support.engines import ONE_ENGINE, first_on_both
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually
from support.webhooks import sign_as_meta

pytestmark = pytest.mark.both_engines

MESSAGE = {"type": "message.received"}
COMMENT = {"type": "comment.received"}
WAIT = {"type": "wait", "amount": 2, "unit": "days"}
# The number of the first of the people on WhatsApp.
PERSON = "+15550200001"


def says(text: str) -> dict[str, Any]:
    return {"type": "reply", "text": text}


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own, because its clock is moved."""
    with start_service() as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox
        sandbox.http.delete("/_control/fail")


class Shop:
    """A Telegram bot to which people write: it can answer at any time."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        self.sandbox, self.owner = sandbox, OwnerFixture(running)
        created = sandbox.control(
            "newbot", platform="telegram", person="ada", name="Shop", username=f"S{uuid4().hex}Bot"
        )
        body = {"profileId": self.owner.profile_id, "botToken": created["token"]}
        answer = self.owner.session.post("/connect/telegram", json=body)
        assert answer.status_code == 201, answer.text
        self.account: dict[str, Any] = answer.json()
        self.platform_id = str(self.account["platformAccountId"])

    def said(self, text: str, **fields: Any) -> None:
        self.sandbox.control("message", platform="telegram", account=self.platform_id, text=text, **fields)

    def sent(self) -> list[dict[str, Any]]:
        """List what the bot has said to everybody, the oldest first."""
        path = f"/accounts/{self.account['id']}/conversations"
        result: list[dict[str, Any]] = []
        for conversation in self.owner.session.get(path).json()["data"]:
            shown = self.owner.session.get(f"{path}/{conversation['id']}", params={"limit": 200}).json()
            result += [item for item in shown["messages"]["data"] if item["direction"] == "outbound"]
        return sorted(result, key=lambda item: str(item["id"]))


@pytest.fixture
def shop(running: RunningService, sandbox: Sandbox) -> Shop:
    return Shop(running, sandbox)


class Gallery:
    """An Instagram account with a post, on which people comment."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        self.running, self.sandbox, self.owner = running, sandbox, OwnerFixture(running)
        connect_accounts(sandbox, self.owner, "meta")
        rows = self.owner.session.get("/accounts").json()["data"]
        self.account: dict[str, Any] = next(row for row in rows if row["kind"] == "instagram")
        self.post = self.publish()
        self.object_id = str(self.post["targets"][0]["platformPostId"])

    def publish(self) -> dict[str, Any]:
        bytes_io = BytesIO()
        Image.new("RGB", (640, 640), "teal").save(bytes_io, "JPEG")
        media = self.owner.session.post("/upload", content=bytes_io.getvalue()).json()["id"]
        body = {
            "profileId": self.owner.profile_id,
            "content": f"Bread {uuid4().hex}",
            "media": [{"mediaId": media}],
            "targets": [{"accountId": self.account["id"]}],
        }
        path = f"/posts/{self.owner.session.post('/posts', json=body).json()['id']}"
        return eventually(lambda: self._out(path))

    def _out(self, path: str) -> dict[str, Any] | None:
        """Look at a post, and let the time pass for which the platform works on it."""
        shown: dict[str, Any] = self.owner.session.get(path).json()
        if shown["status"] == "published":
            return shown
        for due in (attempt["nextAt"] for attempt in shown["targets"][0]["attempts"][-1:] if attempt["nextAt"]):
            passed = max(timedelta(), datetime.fromisoformat(due) - self.running.clock.now())
            self.sandbox.control("clock", advance=passed.total_seconds())
            self.running.advance_time(passed)
        return None

    def said(self, text: str, **fields: Any) -> str:
        ordered = self.sandbox.control("comment", platform="meta", objectId=self.object_id, text=text, **fields)
        return str(ordered["id"])

    def comments(self, object_id: str | None = None) -> list[dict[str, Any]]:
        path = f"/accounts/{self.account['id']}/comments"
        params = {"postId": object_id or self.object_id}
        headers = {"Cache-Control": "no-cache"}
        return list(self.owner.session.get(path, params=params, headers=headers).json()["data"])

    def chat(self, person: str) -> list[str]:
        """List what the account wrote to a person, as that person sees it."""
        account = self.account["platformAccountId"]
        shown = self.sandbox.listed("chat", platform="meta", account=account, person=person)
        return [item["text"] for item in shown if item["byAccount"]]


@pytest.fixture
def gallery(running: RunningService, sandbox: Sandbox) -> Gallery:
    return Gallery(running, sandbox)


@ONE_ENGINE
def test_a_comment_is_answered_publicly_and_with_a_message(gallery: Gallery) -> None:
    word = uuid4().hex
    robot = AutomationFixture(
        gallery.owner,
        {**COMMENT, "accountIds": [gallery.account["id"]]},
        says("We sent you a message, {{contact.username}}."),
        {"type": "sendMessage", "text": f"Bread is 3 ({word}). You asked: {{{{comment.text}}}}"},
        conditions=[{"type": "keyword", "any": ["price"], "match": "fuzzy"}],
        name="Price list",
    )
    gallery.said("Lovely!", person="elif")
    comment_id = gallery.said("What is the prise?", person="elif")
    (run,) = robot.wait_for_runs()
    assert (run["status"], statuses(run)) == ("done", [("reply", "done"), ("sendMessage", "done")])
    assert run["trigger"]["commentId"] == comment_id
    assert run["trigger"]["at"]
    (request,) = [item for item in gallery.comments() if item["id"] == comment_id]
    (reply,) = request["replies"]
    assert reply["text"] == f"We sent you a message, {request['author']['username']}."
    assert run["steps"][0]["detail"] == {"commentId": reply["id"]}
    expected = f"Bread is 3 ({word}). You asked: What is the prise?"
    assert [value for value in gallery.chat("elif") if word in value] == [expected]
    message = run["steps"][1]["detail"]["messageId"]
    conversation = run["steps"][1]["detail"]["conversationId"]
    path = f"/accounts/{gallery.account['id']}/conversations/{conversation}"
    shown = gallery.owner.session.get(path).json()["messages"]["data"]
    (sent,) = [item for item in shown if item["id"] == message]
    assert (sent["source"], sent["text"]) == ("automation", expected)
    (event,) = list_triggered_events(gallery.owner)
    assert {name: event[name] for name in ("automationId", "runId", "name", "accountId")} == {
        "automationId": robot.id,
        "runId": run["id"],
        "name": "Price list",
        "accountId": gallery.account["id"],
    }
    assert set(event) == {"automationId", "runId", "name", "accountId", "trigger"}
    assert event["trigger"] == run["trigger"]
    assert (event["trigger"]["type"], event["trigger"]["text"]) == ("comment.received", "What is the prise?")
    stats = robot.get()["stats"]
    assert (stats["runs"], stats["failures"]) == (1, 0)


@pytest.mark.one_engine
def test_the_comments_of_the_account_itself_set_off_nothing(gallery: Gallery) -> None:
    robot = AutomationFixture(gallery.owner, COMMENT, says("Thanks"))
    gallery.said("One")
    robot.wait_for_runs()
    # The platform reports comments in order: what it says of the answer came before this one.
    gallery.said("Two")
    assert [run["trigger"]["text"] for run in robot.wait_for_runs(2)] == ["One", "Two"]


@ONE_ENGINE
def test_a_comment_is_hidden_and_the_run_stops(gallery: Gallery) -> None:
    robot = AutomationFixture(
        gallery.owner,
        {**COMMENT, "objectIds": [gallery.object_id]},
        {"type": "hideComment"},
        {"type": "stop"},
        says("Never"),
        conditions=[{"type": "keyword", "any": ["spam"], "match": "contains"}],
    )
    comment_id = gallery.said("Spammers")
    (run,) = robot.wait_for_runs()
    assert (run["status"], statuses(run)) == ("done", [("hideComment", "done"), ("stop", "done")])
    (hidden,) = [item for item in gallery.comments() if item["id"] == comment_id]
    assert hidden["hidden"]
    assert "Never" not in [reply["text"] for reply in hidden["replies"]]


@ONE_ENGINE
def test_a_post_that_is_out_gets_its_first_comment(gallery: Gallery) -> None:
    robot = AutomationFixture(gallery.owner, {"type": "post.published"}, says("More at {{post.url}}"))
    post = gallery.publish()
    (run,) = robot.wait_for_runs()
    assert (run["status"], run["trigger"]["postId"]) == ("done", post["id"])
    target = post["targets"][0]
    assert [item["text"] for item in gallery.comments(target["platformPostId"])] == [f"More at {target['url']}"]


@pytest.mark.one_engine
def test_a_message_is_answered_once_and_the_answer_sets_off_nothing(shop: Shop) -> None:
    robot = AutomationFixture(shop.owner, MESSAGE, says("You wrote {{message.text}}"))
    first = AutomationFixture(shop.owner, {"type": "conversation.started"}, says("Welcome"))
    shop.said("one")
    robot.wait_for_runs()
    first.wait_for_runs()
    shop.said("two")
    runs = robot.wait_for_runs(2)
    assert [run["status"] for run in runs] == ["done", "done"]
    texts = eventually(lambda: sent if len(sent := [item["text"] for item in shop.sent()]) == 3 else None)
    assert sorted(texts) == ["Welcome", "You wrote one", "You wrote two"]
    assert {item["source"] for item in shop.sent()} == {"automation"}
    assert (len(robot.runs()), len(first.runs()), len(list_triggered_events(shop.owner))) == (2, 1, 3)


@contextmanager
def restore_of_a_backup(running: RunningService) -> Iterator[None]:
    """Let a backup have been restored in an hour."""
    now = running.clock.now()
    restore = BackupRestore("rst_1", "declared", now - timedelta(hours=1), now + timedelta(hours=1))

    async def insert(tx: Tx) -> None:
        await tx.execute(sa.insert(restores.restores), msgspec.structs.asdict(restore))

    running.write(insert)
    try:
        yield
    finally:
        running.write(restores.delete_restore, restore)


async def release_all(tx: Tx, holder: JobHolder) -> int:
    holds = await restores.list_holds(tx, holder.kinds)
    await holder.release_rows(tx, holds)
    await restores.delete_holds(tx, holds)
    return len(holds)


def test_what_happened_before_a_restore_is_answered_when_the_operator_says_so(
    running: RunningService, shop: Shop
) -> None:
    robot = AutomationFixture(shop.owner, MESSAGE, says("Hello"))
    with restore_of_a_backup(running):
        shop.said("one")
        [run] = eventually(robot.runs)
        assert run["status"] == "triggered"
        [job] = rows(
            running, sa.select(jobs).where(jobs.c.owner_id == shop.owner.id, jobs.c.type == AUTOMATION_RUN_JOB)
        )
        assert (job.due_at, job.claim_id, job.status) == (None, None, "queued")
    assert running.write(release_all, running.service.container.get(JobHolder)) == 1
    [run] = robot.wait_for_runs()
    assert run["status"] == "done"
    assert len(shop.sent()) == 1


@ONE_ENGINE
def test_only_the_accounts_and_platforms_that_are_named_count(shop: Shop) -> None:
    elsewhere = AutomationFixture(
        shop.owner, MESSAGE, says("x"), conditions=[{"type": "platform", "platforms": ["meta"]}]
    )
    here = AutomationFixture(
        shop.owner,
        MESSAGE,
        says("Here"),
        conditions=[
            {"type": "platform", "platforms": ["telegram"]},
            {"type": "account", "accountIds": [shop.account["id"]]},
        ],
    )
    off = AutomationFixture(shop.owner, MESSAGE, says("Off"), active=False)
    other_profile = {"profileId": shop.owner.new_profile()}
    foreign = AutomationFixture(shop.owner, MESSAGE, says("Foreign"), **other_profile)
    shop.said("Hello")
    here.wait_for_runs()
    assert [robot.runs() for robot in (elsewhere, off, foreign)] == [[], [], []]
    off.change(active=True)
    here.change(active=False)
    shop.said("Hello again")
    off.wait_for_runs()
    assert len(here.runs()) == 1


@pytest.mark.one_engine
def test_a_cooldown_holds_for_each_contact(running: RunningService, shop: Shop) -> None:
    robot = AutomationFixture(shop.owner, MESSAGE, says("Once"), cooldown=3600)
    for text in ("one", "two", "three"):
        shop.said(text)
    shop.said("four", person="elif")
    runs = robot.wait_for_runs(3)
    assert sorted(run["status"] for run in runs) == ["done", "done", "skipped"]
    (skipped,) = [run for run in runs if run["status"] == "skipped"]
    assert "cooldown" in skipped["reason"]
    assert (skipped["steps"], len(list_triggered_events(shop.owner)), robot.get()["stats"]["runs"]) == ([], 2, 2)
    contact = skipped["contactId"]
    assert "cooldown" in robot.dry_run(accountId=shop.account["id"], contact={"id": contact})["heldBack"]
    running.advance_time(timedelta(hours=1))
    shop.said("five")
    assert [run["status"] for run in robot.wait_for_runs(4)].count("done") == 3


@pytest.mark.one_engine
def test_a_contact_gets_something_the_first_time_only(running: RunningService, shop: Shop) -> None:
    robot = AutomationFixture(shop.owner, MESSAGE, says("Welcome"), conditions=[{"type": "firstTime"}])
    always = AutomationFixture(shop.owner, MESSAGE, {"type": "stop"})
    shop.said("one")
    robot.wait_for_runs()
    running.advance_time(timedelta(days=2))
    shop.said("two")
    shop.said("three", person="elif")
    always.wait_for_runs(3)
    # Both automations are decided on in one transaction.
    assert [run["trigger"]["text"] for run in robot.runs()] == ["one", "three"]
    assert [run["status"] for run in robot.wait_for_runs(2)] == ["done", "done"]


@ONE_ENGINE
def test_two_automations_that_answer_each_other_stop(shop: Shop, running: RunningService, sandbox: Sandbox) -> None:
    """A person forwards what either of two bots says to the other, without end."""
    other = Shop(running, sandbox)
    robots = [
        AutomationFixture(shop.owner, MESSAGE, says(f"{number}: pong")) for number, shop in enumerate((shop, other))
    ]
    shop.said("ping")
    for _ in range(MAX_RUNS_PER_HOUR + 1):
        for here, there, robot in ((shop, other, robots[0]), (other, shop, robots[1])):
            before = len(robot.runs())
            run = robot.wait_for_runs(before or 1)[-1]
            if run["status"] == "skipped":
                assert "loop" in run["reason"]
                assert len(here.sent()) == MAX_RUNS_PER_HOUR
                return
            answered = len(there.sent())
            there.said(here.sent()[-1]["text"])
            follower = robots[1] if robot is robots[0] else robots[0]
            follower.wait_for_runs(answered + 1)
    pytest.fail("they still answer each other")


@ONE_ENGINE
def test_a_contact_that_is_an_account_of_the_owner_is_not_answered(running: RunningService, sandbox: Sandbox) -> None:
    owner = OwnerFixture(running)
    (account,) = connect_accounts(sandbox, owner, "wasender")
    connect_by_qr_code(sandbox, owner, PERSON)
    robot = AutomationFixture(owner, {**MESSAGE, "accountIds": [account]}, says("Hello, me"))
    rows = owner.session.get("/accounts").json()["data"]
    number = next(row["platformAccountId"] for row in rows if row["id"] == account)
    sandbox.control("message", platform="wasender", account=session_of(sandbox, number), text="Hello")
    (run,) = robot.wait_for_runs()
    assert (run["status"], run["steps"]) == ("skipped", [])
    assert "your own accounts" in run["reason"]
    assert list_triggered_events(owner) == []


@pytest.mark.one_engine
def test_edits_hold_for_the_steps_that_are_not_reached(running: RunningService, shop: Shop) -> None:
    robot = AutomationFixture(shop.owner, MESSAGE, says("First"), WAIT, says("Old"))
    shop.said("Hello")
    waiting = robot.wait_for_step(2)
    assert statuses(waiting) == [("reply", "done"), ("wait", "waiting")]
    robot.change(actions=[says("Not again"), {**WAIT, "amount": 9}, says("New"), says("Newer")])
    running.advance_time(timedelta(days=2))
    (run,) = robot.wait_for_runs()
    assert [step["status"] for step in run["steps"]] == ["done"] * 4
    assert [item["text"] for item in shop.sent()] == ["First", "New", "Newer"]


@pytest.mark.one_engine
@pytest.mark.parametrize("how", first_on_both(["disabled", "deleted"]))
def test_what_waits_ends_with_its_automation(running: RunningService, shop: Shop, how: str) -> None:
    robot = AutomationFixture(shop.owner, MESSAGE, says("First"), WAIT, says("Never"))
    after = AutomationFixture(shop.owner, MESSAGE, WAIT, says("Later"))
    shop.said("Hello")
    robot.wait_for_step(2)
    after.wait_for_step(1)
    if how == "deleted":
        assert shop.owner.session.delete(robot.path).status_code == 200
    else:
        robot.change(active=False)
        robot.change(active=True)
    (run,) = robot.runs()
    assert (run["status"], run["reason"]) == ("skipped", f"The automation was {how}.")
    assert statuses(run) == [("reply", "done"), ("wait", "skipped")]
    running.advance_time(timedelta(days=2))
    after.wait_for_runs()
    assert [item["text"] for item in shop.sent()] == ["First", "Later"]
    assert robot.runs() == [run]


@ONE_ENGINE
def test_what_a_platform_refuses_ends_the_run_with_its_reason(shop: Shop) -> None:
    robot = AutomationFixture(shop.owner, MESSAGE, says("Hello"), says("Never"))
    shop.sandbox.control("fail", platform="telegram", path="*/sendMessage", error="blocked")
    shop.said("Hello")
    (run,) = robot.wait_for_runs()
    assert (run["status"], statuses(run)) == ("failed", [("reply", "failed")])
    assert run["steps"][0]["error"] == run["error"]
    assert "block" in run["error"]["detail"].lower()
    assert robot.get()["stats"]["failures"] == 1


def test_what_may_pass_is_tried_again(running: RunningService, shop: Shop) -> None:
    robot = AutomationFixture(shop.owner, MESSAGE, says("At last"))
    shop.sandbox.control("fail", platform="telegram", path="*/sendMessage", error="rate_limited")
    shop.said("Hello")
    received = {"platform": "telegram", "path": "*/sendMessage"}
    eventually(lambda: [call for call in shop.sandbox.listed("received", **received) if "At last" in str(call)])

    eventually(lambda: [item for item in shop.sent() if item["status"] == "failed"])
    waiting = sa.select(jobs.c.due_at).where(
        jobs.c.owner_id == shop.owner.id,
        jobs.c.type == AUTOMATION_RUN_JOB,
        jobs.c.claim_id.is_(None),
        jobs.c.due_at.is_not(None),
    )

    def ended() -> list[dict[str, Any]]:
        """Let time pass until it is over, but not while a call is being made: its lease would end."""
        for row in rows(running, waiting):
            running.advance_time(max(timedelta(), row.due_at - running.clock.now()))
        return [run for run in robot.runs() if run["status"] in FINAL_STATUSES]

    (run,) = eventually(ended)
    assert (run["status"], statuses(run)) == ("done", [("reply", "done")])
    assert [item["text"] for item in shop.sent() if item["status"] != "failed"] == ["At last"]


def test_an_answer_that_is_lost_sends_no_second_message(shop: Shop) -> None:
    robot = AutomationFixture(shop.owner, MESSAGE, says("Once"), says("Never"))
    shop.sandbox.control("fail", platform="telegram", path="*/sendMessage", when="after")
    shop.said("Hello")
    (run,) = robot.wait_for_runs()
    assert (run["status"], statuses(run)) == ("failed", [("reply", "unconfirmed")])
    assert run["error"]["code"] == "outcome_unknown"
    calls = shop.sandbox.listed("received", platform="telegram", path="*/sendMessage")
    assert len([call for call in calls if "Once" in str(call) and shop.platform_id in str(call)]) == 1


@ONE_ENGINE
def test_a_hook_is_called_with_the_run(shop: Shop) -> None:
    hook = {"url": "https://hooks.example.com/in", "events": ["post.published"]}
    hook_id = shop.owner.session.post("/hooks", json=hook).json()["id"]
    robot = AutomationFixture(shop.owner, MESSAGE, {"type": "callHook", "hookId": hook_id})
    shop.said("Hello")
    (run,) = robot.wait_for_runs()
    assert statuses(run) == [("callHook", "done")]
    (delivery,) = shop.owner.session.get(f"/hooks/{hook_id}/deliveries").json()["data"]
    assert (delivery["id"], delivery["event"]) == (run["steps"][0]["detail"]["deliveryId"], "automation.triggered")
    path = f"/hooks/{hook_id}/deliveries/{delivery['id']}"
    assert run["id"] in shop.owner.session.get(path).json()["request"]["body"]
    assert len(list_triggered_events(shop.owner)) == 1


@pytest.mark.one_engine
def test_a_schedule_runs_for_each_account_at_its_time(running: RunningService, shop: Shop) -> None:
    account = shop.account["id"]
    shop.said("Hello")
    path = f"/accounts/{account}/conversations"
    contact = eventually(lambda: shop.owner.session.get(path).json()["data"])[0]["contact"]["id"]
    shop.owner.session.patch(f"/profiles/{shop.owner.profile_id}", json={"timezone": "America/Lima"})
    message = {"type": "sendMessage", "to": contact, "text": "Good morning from {{account.id}}"}
    robot = AutomationFixture(shop.owner, {"type": "schedule", "accountIds": [account], "times": ["09:00"]}, message)
    due = robot.get()["nextAt"]
    assert due.endswith("T14:00:00Z")
    running.advance_time(timedelta(days=1))
    (run,) = robot.wait_for_runs()
    assert (run["status"], run["trigger"]["at"]) == ("done", due)
    assert eventually(lambda: robot.get()["nextAt"]) > due
    assert [item["text"] for item in shop.sent()] == [f"Good morning from {account}"]
    robot.change(active=False)
    assert robot.get()["nextAt"] is None
    running.advance_time(timedelta(days=3))
    robot.change(active=True, trigger={"type": "schedule", "accountIds": [account], "times": ["10:00"]})
    assert robot.get()["nextAt"].endswith("T15:00:00Z")
    running.advance_time(timedelta(days=1))
    robot.wait_for_runs(2)
    assert len(shop.sent()) == 2


@ONE_ENGINE
def test_a_day_later_only_a_template_gets_through_on_whatsapp(running: RunningService, sandbox: Sandbox) -> None:
    owner = OwnerFixture(running)
    (account_id,) = connect_accounts(sandbox, owner, "whatsapp-cloud")
    (account,) = owner.session.get("/accounts").json()["data"]
    later = {"type": "wait", "amount": 25, "unit": "hours"}
    body = {"type": "body", "parameters": [{"type": "text", "text": "{{contact.name}}"}] * 2}
    template = {"name": "order_ready", "language": "en_US", "components": [body]}
    reminding = AutomationFixture(owner, MESSAGE, later, {"type": "sendTemplate", "template": template})
    talking = AutomationFixture(owner, MESSAGE, later, says("Still there?"))
    sandbox.control("message", platform="whatsapp-cloud", account=account["platformAccountId"], text="Hello")
    waiting = reminding.wait_for_step(1)
    talking.wait_for_step(1)
    running.advance_time(timedelta(hours=25))
    (done,), (failed,) = reminding.wait_for_runs(), talking.wait_for_runs()
    assert statuses(done) == [("wait", "done"), ("sendTemplate", "done")], done
    assert statuses(failed) == [("wait", "done"), ("reply", "failed")]
    assert failed["error"]["code"] == "window_closed"
    path = f"/accounts/{account_id}/conversations/{done['steps'][1]['detail']['conversationId']}"
    sent = [item for item in owner.session.get(path).json()["messages"]["data"] if item["direction"] == "outbound"]
    assert [item["type"] for item in sent] == ["template"]
    parameters = sent[0]["data"]["components"][0]["parameters"]
    assert {parameter["text"] for parameter in parameters} == {waiting["trigger"]["contact"]["name"]}


@ONE_ENGINE
def test_comments_without_an_author_cannot_go_round_in_circles(running: RunningService, sandbox: Sandbox) -> None:
    """They may be the automation's own replies, if the platform does not say who wrote them."""
    owner = OwnerFixture(running)
    account = owner.session.get(f"/accounts/{connect_page(sandbox, owner)}").json()
    page, robot = account["platformAccountId"], AutomationFixture(owner, COMMENT, {"type": "stop"})
    moment = int(running.clock.now().timestamp())

    def commented(post: str, number: int) -> None:
        payload = {"item": "comment", "verb": "add", "message": "Price?", "post_id": post, "created_time": moment}
        changes = [
            {"field": "feed", "value": {**payload, "comment_id": f"{post}_{place}"}} for place in range(1, number + 1)
        ]
        body = {"object": "page", "entry": [{"id": page, "time": moment, "changes": changes}]}
        assert sign_as_meta("meta")(json.dumps(body).encode()).send(running.client()).status_code == 200

    commented(f"{page}_1", MAX_RUNS_PER_HOUR + 3)
    runs = robot.wait_for_runs(MAX_RUNS_PER_HOUR + 1)
    assert [run["status"] for run in runs].count("done") == MAX_RUNS_PER_HOUR
    (values,) = [run for run in runs if run["status"] == "skipped"]
    assert "looks like a loop" in values["reason"]
    commented(f"{page}_2", 1)
    robot.wait_for_runs(MAX_RUNS_PER_HOUR + 2)
    assert [run["status"] for run in robot.runs()].count("done") == MAX_RUNS_PER_HOUR + 1
