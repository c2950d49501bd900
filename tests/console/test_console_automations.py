"""Automations: written part by part, read as a sentence, tried with a sample, and every run with its steps."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

from console.browser import Browser, location, signed_in
from socialgate.console.automating.parts import PartTypes, References, read_part, write_part
from socialgate.console.automating.sentences import Narrator
from socialgate.console.forms import FormData
from socialgate.contracts.automations import AutomationTypeRegistry
from support.automations import AutomationFixture
from support.connections import connect_accounts
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService

PATH = "/console/automations"
SCRIPT = "<script>alert('x')</script>\"'"


def shown(text: str) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", text).split()))


@pytest.fixture(scope="module")
def sandbox(service: RunningService) -> Iterator[Sandbox]:
    with Sandbox(service) as sandbox:
        yield sandbox


class Bot:
    """An owner with a bot to which people write."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.owner = OwnerFixture(running)
        (self.account_id,) = connect_accounts(sandbox, self.owner, "telegram")
        self.account = self.owner.session.get(f"/accounts/{self.account_id}").json()
        self.browser = signed_in(self.owner)

    def write(self, text: str) -> None:
        there = self.account["platformAccountId"]
        self.sandbox.control("message", platform="telegram", account=there, person="dario", text=text)

    def stored(self, address: str) -> dict[str, Any]:
        automation_id = re.findall(r"auto_\w+", address)[0]
        stored: dict[str, Any] = self.owner.session.get(f"/automations/{automation_id}").json()
        return stored


@pytest.fixture(scope="module")
def bot(service: RunningService, sandbox: Sandbox) -> Bot:
    return Bot(service, sandbox)


def test_an_automation_is_written_part_by_part(bot: Bot) -> None:
    browser = bot.browser
    assert "Create an automation" in browser.get(PATH).text
    for name in ("message.received", "comment.received", "lead.received", "post.published", "schedule"):
        assert f"{PATH}/new?trigger={name}" in browser.get(f"{PATH}/new").text
    begun = browser.get(f"{PATH}/new?trigger=message.received").text
    assert 'value="add:conditions.keyword"' in begun
    assert 'value="add:actions.hideComment"' not in begun, "it cannot follow a message"
    fields: dict[str, Any] = {"trigger.type": "message.received", "name": f"Prices {SCRIPT}"}
    added = browser.press(f"{PATH}/new", act="add:conditions.keyword", **fields)
    assert (added.status_code, 'name="conditions.0.any"' in added.text) == (200, True)
    assert SCRIPT not in added.text
    fields |= {"conditions.0.type": "keyword", "conditions.0.any": "price\r\nhow much", "actions.0.type": "wait"}
    both = browser.press(f"{PATH}/new", act="add:actions.reply", **fields).text
    assert 'name="actions.1.text"' in both
    fields |= {"actions.1.type": "reply", "actions.1.text": "From {{nothing}}", "actions.0.amount": "1"}
    moved = browser.press(f"{PATH}/new", act="up:actions.1", **fields).text
    assert 'name="actions.0.text"' in moved
    removed = browser.press(f"{PATH}/new", act="remove:actions.0", **fields).text
    assert ('name="actions.0.text"' in removed, 'name="actions.0.amount"' in removed) == (True, False)
    # What is wrong is beside its field, and what was written stays.
    wrong = browser.press(f"{PATH}/new", act="save", **fields)
    assert wrong.status_code == 422
    # Scripts move the focus to the first of these, which can be far down.
    assert '<p class="error fault" role="alert">' in wrong.text
    assert "The trigger does not provide {{nothing}}." in shown(wrong.text)
    assert 'name="actions.1.text" rows="3" dir="auto" aria-invalid="true"' in wrong.text
    assert "price\nhow much" in wrong.text.replace("\r", "")
    assert bot.owner.session.get("/automations").json()["data"] == []
    fields |= {"actions.1.text": "From 2 soles, {{contact.name|friend}}", "cooldown": "3600"}
    created = bot.stored(location(browser.press(f"{PATH}/new", act="pause", **fields)))
    assert created["trigger"] == {"type": "message.received", "accountIds": []}
    assert created["conditions"] == [{"type": "keyword", "any": ["price", "how much"], "match": "word", "exclude": []}]
    assert [action["type"] for action in created["actions"]] == ["wait", "reply"]
    assert (created["active"], created["cooldown"]) == (False, 3600)


def test_it_is_read_as_a_sentence_and_switched(bot: Bot) -> None:
    browser = bot.browser
    robot = AutomationFixture(
        bot.owner,
        {"type": "message.received", "accountIds": [bot.account_id]},
        {"type": "reply", "text": f"Hi {SCRIPT}"},
        name=SCRIPT,
        conditions=[{"type": "keyword", "any": [f"price{SCRIPT}"]}, {"type": "firstTime"}],
    )
    path = f"{PATH}/{robot.id}"
    for page in (PATH, path, f"{path}/edit", f"{path}/try"):
        text = browser.get(page).text
        assert ("<script>alert" in text, "&lt;script&gt;" in text) == (False, True), page
    listed = shown(browser.get(PATH).text)
    on = f"on {bot.account['name']} (Telegram bot)"
    assert f"When somebody sends a message to an account, {on}, if the text has the word" in listed
    assert "and it is the first time for this person: reply “Hi" in listed
    assert location(browser.press(f"{path}/switch?active=true", active="false")) == f"{PATH}?active=true"
    assert robot.get()["active"] is False
    assert robot.id in browser.get(f"{PATH}?active=false").text
    assert robot.id not in browser.get(f"{PATH}?active=true").text
    assert location(browser.press(f"{path}/turn", active="true")) == path
    assert robot.get()["active"] is True
    assert location(browser.press(f"{path}/delete")) == PATH
    assert browser.get(path).status_code == 404


def test_editing_keeps_what_is_not_changed(bot: Bot) -> None:
    browser = bot.browser
    conditions = [
        {"type": "field", "field": "message.type", "operator": "equals", "value": 5},
        {"type": "timeWindow", "begin": "18:00", "end": "08:00", "weekdays": ["monday", "friday"]},
        {"type": "platform", "platforms": ["telegram"]},
    ]
    actions: list[dict[str, Any]] = [
        {"type": "aiReply", "instructions": "Be kind.\nBe short.", "tone": "warm", "maxLength": 200},
        {"type": "wait", "amount": 2, "unit": "days"},
        {"type": "stop"},
    ]
    trigger = {"type": "message.received", "accountIds": [bot.account_id]}
    robot = AutomationFixture(bot.owner, trigger, *actions, conditions=conditions, cooldown=90)
    path = f"{PATH}/{robot.id}/edit"
    before = robot.get()
    # Browsers send other line breaks than those that are stored.
    fields = {
        name: [value.replace("\n", "\r\n") for value in values]
        for name, values in fields_of(browser.get(path).text).items()
    }
    assert fields["cooldown"] == ["90"]
    assert location(browser.press(path, act="save", **fields)) == f"{PATH}/{robot.id}"
    after = robot.get()
    parts = ("trigger", "conditions", "actions", "cooldown", "name", "active")
    assert {part: after[part] for part in parts} == {part: before[part] for part in parts}
    # Somebody else saved it in between.
    stale = browser.press(path, act="save", **fields)
    assert (stale.status_code, "has changed since" in stale.text) == (412, True)


def fields_of(text: str) -> dict[str, list[str]]:
    """Read what a browser would send: inputs, areas and chosen options."""
    fields: dict[str, list[str]] = {}
    form = text[text.index('id="editor"') :]
    for tag in re.findall(r"<input [^>]*>", form):
        name, value = (re.search(rf'{part}="([^"]*)"', tag) for part in ("name", "value"))
        if name and value and ("checkbox" not in tag or " checked" in tag):
            fields.setdefault(name[1], []).append(unescape(value[1]))
    for name, content in re.findall(r'<textarea [^>]*name="([^"]+)"[^>]*>(.*?)</textarea>', form, re.DOTALL):
        fields[name] = [unescape(content)]
    for name, options in re.findall(r'<select [^>]*name="([^"]+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)" selected>', options) or re.search(r'value="([^"]*)"', options)
        assert chosen is not None, name
        fields[name] = [unescape(chosen[1])]
    return fields


def test_a_sample_shows_why_it_would_run_or_not(bot: Bot) -> None:
    browser = bot.browser
    robot = AutomationFixture(
        bot.owner,
        {"type": "message.received", "accountIds": [bot.account_id]},
        {"type": "reply", "text": "Hello {{contact.name}}: {{message.type}}"},
        {"type": "wait", "amount": 1, "unit": "hours"},
        conditions=[{"type": "keyword", "any": ["price"]}],
    )
    path = f"{PATH}/{robot.id}/try"
    assert 'name="field.message.type"' in browser.get(path).text
    yes = browser.press(path, text="The price?", name=f"Ana {SCRIPT}", **{"field.message.type": "text"})
    assert (yes.status_code, SCRIPT in yes.text) == (200, False)
    assert "It would run." in yes.text
    assert f"Reply “Hello Ana {SCRIPT}: text”" in shown(yes.text)
    assert "Wait 1 hour" in shown(yes.text)
    no = shown(browser.press(path, text="Good morning").text)
    assert "It would not run. Not all conditions are true." in no
    late = browser.press(path, text="price", at="nonsense")
    assert (late.status_code, "Choose a day and a time." in late.text) == (422, True)
    assert browser.press(path, text="price", at="2026-11-20T09:30").status_code == 200
    assert robot.get()["stats"]["runs"] == 0


def test_every_run_is_listed_with_its_steps(bot: Bot) -> None:
    browser = bot.browser
    robot = AutomationFixture(
        bot.owner,
        {"type": "message.received", "accountIds": [bot.account_id]},
        {"type": "reply", "text": "Seven o'clock"},
        {"type": "stop"},
        conditions=[{"type": "keyword", "any": ["opening"]}],
    )
    bot.write(f"opening {SCRIPT}")
    (run,) = robot.wait_for_runs()
    path = f"{PATH}/{robot.id}"
    listed = browser.get(path).text
    assert (f"{path}/runs/{run['id']}" in listed, "<script>alert" in listed) == (True, False)
    assert "No matching runs." in browser.get(f"{path}?status=failed").text
    detail = browser.get(f"{path}/runs/{run['id']}").text
    assert "<script>alert" not in detail
    text = shown(detail)
    assert "Reply: done" in text
    name = bot.owner.session.get(f"/accounts/{bot.account_id}").json()["name"]
    assert f"Account {name}" in text
    # What has a name is shown by it, and ids are for those who look for them.
    assert "conv_" not in shown(re.sub("<details.*?</details>", "", detail, flags=re.DOTALL))
    assert f"Message ID {run['steps'][0]['detail']['messageId']}" in text
    assert f"opening {SCRIPT}" in text
    assert f"/console/inbox/{bot.account_id}/{run['trigger']['conversationId']}" in detail
    assert "1 run" in shown(browser.get(PATH).text)


def test_every_part_of_the_api_has_a_form(service: RunningService) -> None:
    types = PartTypes(service.service.container.get(AutomationTypeRegistry))
    nothing = References(accounts=[], trigger_accounts=[], hooks=[], platforms=[], trigger_fields=[])
    narrator = Narrator(types, {})
    unions = types.registry.types_by_union
    for section, union in (
        ("trigger", "AutomationTrigger"),
        ("conditions", "AutomationCondition"),
        ("actions", "AutomationAction"),
    ):
        for options in unions[union]:
            example = options.example()
            kind = types.find(section, example["type"])
            assert kind is not None, example
            part = types.build_part("part", kind, nothing)
            assert read_part(part, FormData(write_part(part, example))) == example
            assert kind.sentence.strip(".")
    assert narrator.condition({"type": "new"}) == "New"


def test_a_profile_is_chosen_first(owner: OwnerFixture) -> None:
    other = owner.new_profile("Second")
    browser = signed_in(owner)
    page = browser.get(f"{PATH}/new").text
    assert "Which profile is it for?" in page
    assert "When should it run?" in browser.get(f"{PATH}/new?profile={other}").text
    assert location(browser.press(f"{PATH}/new", act="save")) == f"{PATH}/new"
    unknown = browser.press(f"{PATH}/new?profile={other}", act="save", **{"trigger.type": "nothing"})
    assert (unknown.status_code, "When should it run?" in unknown.text) == (422, True)


def test_others_see_nothing_of_it(bot: Bot, other_owner: OwnerFixture) -> None:
    robot = AutomationFixture(bot.owner, {"type": "message.received"}, {"type": "stop"}, active=False)
    browser: Browser = signed_in(other_owner)
    path = f"{PATH}/{robot.id}"
    for page in (path, f"{path}/edit", f"{path}/try", f"{path}/runs/run_x"):
        assert browser.get(page).status_code == 404, page
    for act, fields in (("switch", {"active": "true"}), ("turn", {"active": "true"}), ("delete", {}), ("try", {})):
        assert browser.press(f"{path}/{act}", **fields).status_code == 404, act
    assert browser.press(f"{path}/edit", act="save").status_code == 404
    assert robot.id not in browser.get(PATH).text
    assert robot.get()["active"] is False
