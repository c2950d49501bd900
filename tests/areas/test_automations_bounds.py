"""Automations and texts that nobody would write: what they cost is bounded, and what they do is on record."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from socialgate.areas.automations import keywords as keyword_module
from socialgate.areas.automations import matching
from socialgate.areas.automations.conditions import KeywordCondition, _prepare_keyword_condition
from socialgate.areas.automations.keywords import Keywords, MessageText
from socialgate.areas.automations.matching import MAX_RUNS_PER_CONTACT, build_condition_context, prepare_automation
from socialgate.contracts.automations import AutomationSubject
from support.automations import AutomationFixture, statuses
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.watchdog import strictly_watched

MESSAGE = {"type": "message.received"}
NOW = datetime(2026, 1, 1, tzinfo=UTC)
# Far more than needed, and far less than it would take without a bound: minutes.
MAX_SECONDS = 5


def says(text: str) -> dict[str, Any]:
    return {"type": "reply", "text": text}


def test_a_dry_run_with_a_long_text_has_a_short_answer(owner: OwnerFixture) -> None:
    robot = AutomationFixture(owner, MESSAGE, *[says("{{message.text}}" * 50)] * 20)
    answer = owner.session.post(f"{robot.path}/dry-run", json={"sample": {"text": "x" * 65_536}})
    assert answer.status_code == 200
    assert len(answer.content) < 2 * 1024**2
    assert robot.dry_run(text="Hi")["steps"][0]["action"]["text"] == "Hi" * 50


def test_one_long_message_does_not_keep_everybody_waiting() -> None:
    """Five hundred automations, each with a hundred keywords that are almost in the text: fifty million comparisons."""
    message_text = MessageText(" ".join(f"a{number:04}b" for number in range(20_000)))
    keywords = [Keywords([f"z{number:02}{letter:02}y" for letter in range(100)]) for number in range(500)]
    began = time.monotonic()
    assert not any(keyword.match_fuzzy(message_text) for keyword in keywords)
    assert time.monotonic() - began < MAX_SECONDS


@pytest.mark.parametrize("match", [Keywords.match_contains, Keywords.match_word])
def test_a_message_is_searched_for_only_so_many_keywords(match: Callable[[Keywords, MessageText], bool]) -> None:
    """Five hundred automations with two hundred keywords that are almost in the text took more than a second."""
    message_text, keywords = MessageText("a " * 2_500), Keywords(["a " * (50 + n % 30) + "b" for n in range(200)])
    began = time.process_time()
    assert not any(match(keywords, message_text) for _ in range(10_000))
    assert time.process_time() - began < MAX_SECONDS
    assert message_text.is_exhausted


def test_who_could_not_be_searched_for_unwanted_words_gets_no_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    check = _prepare_keyword_condition(KeywordCondition(any=["hello"], exclude=["stop it"]))

    def decide(text: str) -> bool:
        return check(
            build_condition_context(AutomationSubject(key="1", account_id="acc", platform="x", text=text), NOW)
        )

    assert [decide("hello"), decide("hello, stop it")] == [True, False]
    monkeypatch.setattr(keyword_module, "MAX_SEARCHED_CHARACTERS", 3)
    assert [decide("hello"), decide("hello, stop it")] == [False, False]


def test_automations_that_do_not_match_keep_nobody_waiting(running: RunningService) -> None:
    """There was a break only after those that match: a message stopped everything for more than a second."""
    with Sandbox(running) as sandbox:
        owner = OwnerFixture(running)
        account = new_bot(sandbox, owner)
        costly = [f"{'a' * (150 + number % 40)}{'b' * (1 + number // 40)}" for number in range(99)]
        conditions = [{"type": "keyword", "any": [*costly, last], "match": "contains"} for last in ("aaa", "ab")]
        for _ in range(150):
            AutomationFixture(owner, MESSAGE, {"type": "stop"}, conditions=conditions)
        last = AutomationFixture(owner, MESSAGE, {"type": "stop"})
        wrote = {"platform": "telegram", "account": str(account["platformAccountId"]), "person": "ada"}
        # What is loaded and prepared with the first message takes long for other reasons.
        sandbox.control("message", **wrote, text="Hi")
        last.wait_for_runs()
        with strictly_watched():
            sandbox.control("message", **wrote, text="a" * 4_000)
            last.wait_for_runs(2)


def test_characters_that_become_many_do_not_make_a_text_longer() -> None:
    message_text = MessageText("\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 100_000)
    assert len(message_text.normalized_text) <= 5_000


@pytest.mark.parametrize("pattern", ["(a+)+$", ".*", "[", "\\", "%", "{{message.text}}"])
def test_keywords_are_no_patterns(owner: OwnerFixture, pattern: str) -> None:
    conditions = [{"type": "keyword", "any": [pattern], "match": "contains"}]
    robot = AutomationFixture(owner, MESSAGE, says("Hi"), conditions=conditions)
    assert robot.dry_run(text="a" * 60_000)["wouldRun"] is False
    assert robot.dry_run(text=f"It says {pattern} here")["wouldRun"] is True


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as own:
        yield own


def test_many_automations_do_not_flood_one_person(running: RunningService) -> None:
    """Each would reply once: the limit is that of the contact, over all automations of the account."""
    with Sandbox(running) as sandbox:
        owner = OwnerFixture(running)
        account = new_bot(sandbox, owner)
        robots = [AutomationFixture(owner, MESSAGE, {"type": "stop"}) for _ in range(MAX_RUNS_PER_CONTACT + 5)]
        wrote = {"platform": "telegram", "account": str(account["platformAccountId"])}
        sandbox.control("message", **wrote, text="Hi", person="ada")
        runs = [robot.wait_for_runs()[0] for robot in robots]
        skipped = [run for run in runs if run["status"] == "skipped"]
        assert len(skipped) == 5
        assert all("limit for all of them together" in run["reason"] for run in skipped)
        contact = {"id": runs[0]["trigger"]["contact"]["id"]}
        stored = robots[0].dry_run(accountId=account["id"], contact=contact)["heldBack"]
        assert "limit for all of them together" in stored
        # It is the limit of one person, for an hour.
        sandbox.control("message", **wrote, text="Hi", person="elif")
        assert [robots[0].wait_for_runs(2)[1]["status"], robots[-1].wait_for_runs(2)[1]["status"]] == [
            "done",
            "skipped",
        ]
        running.advance_time(timedelta(hours=1, minutes=1))
        sandbox.control("message", **wrote, text="Hi again", person="ada")
        assert robots[0].wait_for_runs(3)[2]["status"] == "done"


COSTLY = "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}"


@pytest.mark.both_engines
def test_large_automations_are_prepared_once_and_beside_everything_else(
    running: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any change, all automations of the owner were prepared again, in one piece and in a transaction."""
    prepared: list[str] = []
    threads: set[int] = set()

    def counted(types: Any, row: Any) -> Any:
        prepared.append(row.name)
        threads.add(threading.get_ident())
        return prepare_automation(types, row)

    monkeypatch.setattr(matching, "prepare_automation", counted)
    with Sandbox(running) as sandbox:
        owner = OwnerFixture(running)
        account = new_bot(sandbox, owner)
        wrote = {"platform": "telegram", "account": str(account["platformAccountId"]), "person": "ada"}
        keywords = [f"{number}{COSTLY * 60}" for number in range(100)]
        costly = [{"type": "keyword", "any": keywords}]
        first = AutomationFixture(owner, MESSAGE, {"type": "stop"}, name="first")
        second = AutomationFixture(owner, MESSAGE, {"type": "stop"}, name="second")
        for _ in range(10):
            AutomationFixture(owner, MESSAGE, {"type": "stop"}, name="costly", conditions=costly)
        with strictly_watched():
            sandbox.control("message", **wrote, text="Hi")
            first.wait_for_runs()
            assert Counter(prepared) == {"first": 1, "second": 1, "costly": 10}
            prepared.clear()
            first.change(name="changed")
            sandbox.control("message", **wrote, text="Hi again")
            first.wait_for_runs(2)
            assert prepared == ["changed"]
        second.change(active=False)
        sandbox.control("message", **wrote, text="Hi again")
        first.wait_for_runs(3)
        assert len(second.runs()) == 2
        assert prepared == ["changed"]
    assert running.run(thread_of()) not in threads


async def thread_of() -> int:
    return threading.get_ident()


def new_bot(sandbox: Sandbox, owner: OwnerFixture) -> dict[str, Any]:
    created = sandbox.control("newbot", platform="telegram", person="ada", name="Shop", username=f"S{uuid4().hex}Bot")
    body = {"profileId": owner.profile_id, "botToken": created["token"]}
    account: dict[str, Any] = owner.session.post("/connect/telegram", json=body).json()
    return account


def test_a_step_that_cannot_be_done_ends_the_run_with_the_reason(running: RunningService) -> None:
    with Sandbox(running) as sandbox:
        owner = OwnerFixture(running)
        account = new_bot(sandbox, owner)
        empty = AutomationFixture(owner, MESSAGE, says("{{contact.phone}}"), says("Never sent"))
        unknown = AutomationFixture(owner, MESSAGE, {"type": "sendMessage", "to": "9999", "text": "Hi"})
        sandbox.control("message", platform="telegram", account=str(account["platformAccountId"]), text="Hi")
        (run,) = empty.wait_for_runs()
        assert (run["status"], statuses(run)) == ("failed", [("reply", "failed")])
        assert "Telegram does not accept an empty text" in run["error"]["detail"]
        # What Telegram itself says is not lost.
        (run,) = unknown.wait_for_runs()
        assert "chat not found" in run["error"]["detail"]
        failed = owner.session.get("/operations", params={"status": "failed"}).json()["data"]
        assert "chat not found" in failed[0]["error"]["detail"]
