"""Automations through the API: created and refused, changed and deleted, tried without doing anything."""

from collections.abc import Sequence
from typing import Any

import pytest

from socialgate.areas.automations.keywords import Keywords, MessageText
from support.automations import AutomationFixture, create, list_triggered_events
from support.connections import connect_accounts
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture

MESSAGE = {"type": "message.received"}
REPLY = {"type": "reply", "text": "Hello {{contact.name}}, you wrote: {{message.text}}"}
KEYWORD = {"type": "keyword", "any": ["price"]}


def test_an_automation_is_created_read_changed_and_deleted(owner: OwnerFixture) -> None:
    robot = AutomationFixture(owner, MESSAGE, REPLY, conditions=[KEYWORD], cooldown=60)
    shown = robot.get()
    assert shown["trigger"] == {"type": "message.received", "accountIds": []}
    assert shown["conditions"] == [{"type": "keyword", "any": ["price"], "match": "word", "exclude": []}]
    assert shown["actions"] == [REPLY]
    assert (shown["active"], shown["cooldown"]) == (True, 60)
    assert shown["stats"] == {"runs": 0, "failures": 0, "lastRunAt": None}
    assert [item["id"] for item in owner.session.get("/automations").json()["data"]] == [robot.id]
    changed = robot.change(name="Another", active=False, conditions=[])
    assert (changed["name"], changed["active"], changed["conditions"]) == ("Another", False, [])
    assert owner.session.get("/automations", params={"active": True}).json()["data"] == []
    stale = owner.session.patch(robot.path, json={"name": "Third"}, headers={"If-Match": '"1"'})
    problem_of(stale, 412, "precondition_failed")
    assert owner.session.delete(robot.path).json() == {"id": robot.id, "deleted": True}
    problem_of(owner.session.get(robot.path), 404, "not_found")
    problem_of(owner.session.delete(robot.path), 404, "not_found")
    problem_of(owner.session.patch(robot.path, json={"name": "x"}), 404, "not_found")
    assert owner.session.get("/automations").json()["data"] == []


@pytest.mark.parametrize(
    ("trigger", "conditions", "actions", "fault"),
    [
        ({}, [], [REPLY], ("/trigger/type", "required")),
        ({"type": "order.received"}, [], [REPLY], ("/trigger/type", "unknown_type")),
        ({"type": ["x"]}, [], [REPLY], ("/trigger/type", "unknown_type")),
        ({**MESSAGE, "accounts": []}, [], [REPLY], ("/trigger/accounts", "unknown_field")),
        ({**MESSAGE, "accountIds": ["acc_x"]}, [], [REPLY], ("/trigger/accountIds/0", "not_found")),
        ({"type": "schedule", "times": ["9:00"], "accountIds": ["a"]}, [], [REPLY], ("/trigger/times/0", "invalid")),
        (MESSAGE, [{"type": "mood"}], [REPLY], ("/conditions/0/type", "unknown_type")),
        (MESSAGE, [KEYWORD, {"type": "keyword", "any": []}], [REPLY], ("/conditions/1/any", "invalid")),
        (MESSAGE, [{"type": "field", "field": "x", "value": 1}], [REPLY], ("/conditions/0/field", "unknown_field")),
        (MESSAGE, [{"type": "field", "field": "message.type"}], [REPLY], ("/conditions/0/value", "required")),
        (MESSAGE, [{"type": "timeWindow", "begin": "09:00", "end": "09:00"}], [REPLY], ("/conditions/0/end", None)),
        ({"type": "post.published"}, [{"type": "firstTime"}], [{"type": "stop"}], ("/conditions/0/type", None)),
        (MESSAGE, [], [{"type": "sing"}], ("/actions/0/type", "unknown_type")),
        (MESSAGE, [], [{"type": "hideComment"}], ("/actions/0/type", "not_supported")),
        (MESSAGE, [], [REPLY, {"type": "reply"}], ("/actions/1/text", "required")),
        (MESSAGE, [], [{"type": "reply", "text": "{{ comment.text }}"}], ("/actions/0/text", "unknown_placeholder")),
        (MESSAGE, [], [{"type": "wait", "amount": 31, "unit": "days"}], ("/actions/0/amount", "out_of_range")),
        (MESSAGE, [], [{"type": "callHook", "hookId": "hook_x"}], ("/actions/0/hookId", "not_found")),
        ({"type": "post.published"}, [], [{"type": "sendMessage", "text": "x"}], ("/actions/0/to", "required")),
    ],
)
def test_what_cannot_work_is_refused_with_its_place(
    owner: OwnerFixture, trigger: Any, conditions: Sequence[Any], actions: Sequence[Any], fault: tuple[str, str | None]
) -> None:
    answer = create(owner, trigger, *actions, conditions=conditions)
    pointer, code = fault_of(answer)
    assert (pointer, code) == (fault[0], fault[1] or code), answer.text


def test_every_part_of_an_unknown_type_is_named_at_once(owner: OwnerFixture) -> None:
    answer = create(owner, {"type": "order.received"}, REPLY, {"type": "sing"}, conditions=[{"type": "mood"}])
    errors = problem_of(answer, 422, "invalid")["errors"]
    assert [error["pointer"] for error in errors] == ["/trigger/type", "/conditions/0/type", "/actions/1/type"]


def test_accounts_that_can_never_do_it_are_refused(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (bot,) = connect_accounts(sandbox, owner, "telegram")
    (number,) = connect_accounts(sandbox, owner, "whatsapp-cloud")
    template = {"type": "sendTemplate", "template": {"name": "hello_world", "language": "en_US"}}
    commented = {"type": "comment.received"}
    wrong: list[tuple[dict[str, Any], dict[str, Any], tuple[str, str]]] = [
        ({**commented, "accountIds": [bot]}, {"type": "stop"}, ("/trigger/accountIds/0", "not_supported")),
        ({**MESSAGE, "accountIds": [number, bot]}, template, ("/trigger/accountIds/1", "not_supported")),
        (MESSAGE, {**template, "to": "+1555", "accountId": bot}, ("/actions/0/accountId", "not_supported")),
        (commented, {**template, "to": "+1555"}, ("/actions/0/accountId", "required")),
    ]
    for trigger, action, fault in wrong:
        answer = create(owner, trigger, action)
        assert fault_of(answer) == fault, answer.text
    for accounts in ([number], []):
        AutomationFixture(owner, {**MESSAGE, "accountIds": accounts}, template)


@pytest.mark.parametrize(("name", "greeting"), [("Ana", "Hello Ana!"), (None, "Hello there!"), ("", "Hello there!")])
def test_a_placeholder_can_have_a_fallback(owner: OwnerFixture, name: str | None, greeting: str) -> None:
    robot = AutomationFixture(owner, MESSAGE, {"type": "reply", "text": "Hello {{ contact.name | there }}!"})
    (step,) = robot.dry_run(contact={"name": name})["steps"]
    assert step["action"]["text"] == greeting
    unknown = create(owner, MESSAGE, {"type": "reply", "text": "{{comment.text|there}}"})
    assert fault_of(unknown) == ("/actions/0/text", "unknown_placeholder")


def test_an_unknown_type_names_those_that_exist(owner: OwnerFixture) -> None:
    detail = problem_of(create(owner, {"type": "order.received"}, REPLY), 422, "invalid")["detail"]
    assert all(name in detail for name in ("message.received", "comment.received", "post.published", "schedule"))
    document = owner.session.get("/openapi.json").json()
    mapping = document["components"]["schemas"]["AutomationTrigger"]["discriminator"]["mapping"]
    assert set(mapping) == {
        "message.received",
        "conversation.started",
        "lead.received",
        "comment.received",
        "post.published",
        "schedule",
    }
    request = document["components"]["schemas"]["NewAutomation"]["properties"]["trigger"]
    assert request["$ref"] == "#/components/schemas/AutomationTrigger"


def test_a_change_that_breaks_an_automation_changes_nothing(owner: OwnerFixture) -> None:
    robot = AutomationFixture(owner, MESSAGE, REPLY)
    refused = owner.session.patch(robot.path, json={"trigger": {"type": "comment.received"}})
    assert fault_of(refused) == ("/actions/0/text", "unknown_placeholder")
    assert robot.get()["trigger"]["type"] == "message.received"


def test_keys_see_the_automations_of_their_profiles_alone(owner: OwnerFixture, other_owner: OwnerFixture) -> None:
    robot = AutomationFixture(owner, MESSAGE, REPLY)
    elsewhere = owner.new_profile()
    limited = owner.limited_key(elsewhere)
    problem_of(limited.get(robot.path), 403, "out_of_scope")
    problem_of(limited.get(f"{robot.path}/runs"), 403, "out_of_scope")
    assert limited.get("/automations").json()["data"] == []
    problem_of(other_owner.session.get(robot.path), 404, "not_found")
    problem_of(other_owner.session.get(f"{robot.path}/runs"), 404, "not_found")
    hook = owner.session.post("/hooks", json={"url": "https://hooks.example.com/in", "events": ["post.published"]})
    body = {
        "profileId": elsewhere,
        "name": "Leak",
        "trigger": MESSAGE,
        "actions": [{"type": "callHook", "hookId": hook.json()["id"]}],
    }
    assert fault_of(limited.post("/automations", json=body)) == ("/actions/0/hookId", "not_found")
    assert owner.session.post("/automations", json=body).status_code == 201
    read = owner.key(permission="read")
    assert read.post(f"{robot.path}/dry-run", json={"sample": {}}).status_code == 200
    problem_of(read.patch(robot.path, json={"name": "x"}), 403, "read_only_key")


TYPOS = [
    ("price", "what is the price?", True),
    ("price", "PRÍCE", True),
    ("price", "prise please", True),
    ("price", "pirce", True),
    ("price", "pric", True),
    ("price", "prices", True),
    ("price", "prcie list", True),
    ("price", "pryse", False),
    ("price", "ice", False),
    ("cat", "car", False),
    ("cat", "the cat", True),
    ("how much", "how mcuh is it", True),
    ("how much", "how are much", False),
    ("reservation", "resevratoin", True),
    ("reservation", "resrvtn", False),
    ("preço", "qual o preco", True),
    ("цена", "какая цына?", True),
    ("価格", "価格", True),
    ("👍", "ok 👍", True),
]


@pytest.mark.parametrize(("keyword", "text", "is_meant"), TYPOS)
def test_typing_errors_are_forgiven_as_far_as_a_word_stays_itself(keyword: str, text: str, is_meant: bool) -> None:
    assert Keywords([keyword]).match_fuzzy(MessageText(text)) is is_meant


@pytest.mark.parametrize(
    ("match", "text", "holds"),
    [
        ("exact", "Price!", True),
        ("exact", "the price", False),
        ("word", "The PRICE, please", True),
        ("word", "pricey", False),
        ("contains", "pricey", True),
        ("contains", "prise", False),
        ("fuzzy", "prise", True),
        ("word", "price but unsubscribe", False),
    ],
)
def test_keywords_match_as_they_are_asked_to(owner: OwnerFixture, match: str, text: str, holds: bool) -> None:
    condition = {**KEYWORD, "match": match, "exclude": ["unsubscribe"]}
    robot = AutomationFixture(owner, MESSAGE, REPLY, conditions=[condition])
    assert robot.dry_run(text=text)["conditions"] == [{"type": "keyword", "holds": holds}]


def test_a_dry_run_shows_what_would_be_done_and_does_nothing(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account,) = connect_accounts(sandbox, owner, "telegram")
    actions: list[dict[str, Any]] = [REPLY, {"type": "wait", "amount": 2, "unit": "days"}, {"type": "stop"}, REPLY]
    robot = AutomationFixture(
        owner, {**MESSAGE, "accountIds": [account]}, *actions, conditions=[KEYWORD, {"type": "firstTime"}]
    )
    sample = {"text": "Price?", "contact": {"name": "Ana"}, "at": "2026-11-20T10:00:00Z"}
    tried = robot.dry_run(**sample)
    assert (tried["wouldRun"], tried["triggerAccepts"], tried["heldBack"]) == (True, True, None)
    assert tried["steps"][0]["action"] == {"type": "reply", "text": "Hello Ana, you wrote: Price?"}
    assert [(step["wouldRun"], step["at"]) for step in tried["steps"]] == [
        (True, "2026-11-20T10:00:00Z"),
        (True, "2026-11-20T10:00:00Z"),
        (True, "2026-11-22T10:00:00Z"),
        (False, None),
    ]
    missed = robot.dry_run(text="Hello")
    assert (missed["wouldRun"], [item["holds"] for item in missed["conditions"]]) == (False, [False, True])
    assert [step["wouldRun"] for step in missed["steps"]] == [False] * 4
    assert robot.runs() == list_triggered_events(owner) == []
    assert fault_of(owner.session.post(f"{robot.path}/dry-run", json={"sample": {"fields": {"x": 1}}})) == (
        "/sample/fields/x",
        "unknown_field",
    )


@pytest.mark.parametrize(
    ("at", "holds"),
    [
        # Clocks in Berlin go back on 2026-10-25: the same time of day is an hour later in UTC from then on.
        ("2026-10-24T06:30:00Z", True),
        ("2026-10-24T05:59:00Z", False),
        ("2026-10-26T06:30:00Z", False),
        ("2026-10-26T07:00:00Z", True),
        ("2026-03-29T05:59:00Z", False),
        ("2026-03-29T06:00:00Z", True),
        ("2026-03-28T06:30:00Z", False),
        ("2026-10-24T15:59:00Z", True),
        ("2026-10-24T16:00:00Z", False),
    ],
)
def test_a_time_window_follows_the_clocks_of_the_profile(owner: OwnerFixture, at: str, holds: bool) -> None:
    changed = owner.session.patch(f"/profiles/{owner.profile_id}", json={"timezone": "Europe/Berlin"})
    assert changed.status_code == 200, changed.text
    robot = AutomationFixture(
        owner, MESSAGE, REPLY, conditions=[{"type": "timeWindow", "begin": "08:00", "end": "18:00"}]
    )
    assert robot.dry_run(at=at)["wouldRun"] is holds


@pytest.mark.parametrize(
    ("at", "holds"),
    [
        ("2026-11-20T21:59:00Z", False),
        ("2026-11-20T22:00:00Z", True),
        ("2026-11-21T05:59:00Z", True),
        ("2026-11-21T06:00:00Z", False),
        ("2026-11-21T22:30:00Z", False),
    ],
)
def test_a_window_over_midnight_belongs_to_the_day_on_which_it_begins(
    owner: OwnerFixture, at: str, holds: bool
) -> None:
    window = {"type": "timeWindow", "begin": "22:00", "end": "06:00", "weekdays": ["friday"]}
    robot = AutomationFixture(owner, MESSAGE, REPLY, conditions=[window])
    assert robot.dry_run(at=at)["wouldRun"] is holds


@pytest.mark.parametrize(
    ("operator", "value", "answer", "holds"),
    [
        ("equals", "IMAGE", "image", True),
        ("equals", "image", "text", False),
        ("notEquals", "image", "text", True),
        ("contains", "AG", "image", True),
        ("contains", "x", None, False),
        ("greaterThan", 3, 4, True),
        ("greaterThan", 3, "4", False),
        ("lessThan", "b", "a", True),
        ("exists", None, "text", True),
        ("exists", None, "", False),
        ("missing", None, None, True),
    ],
)
def test_fields_are_compared(owner: OwnerFixture, operator: str, value: Any, answer: Any, holds: bool) -> None:
    condition = {"type": "field", "field": "message.type", "operator": operator}
    condition |= {} if value is None else {"value": value}
    robot = AutomationFixture(owner, MESSAGE, REPLY, conditions=[condition])
    assert robot.dry_run(fields={"message.type": answer})["wouldRun"] is holds
