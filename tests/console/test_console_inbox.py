"""The inbox: what people write to any account is in one list, and is answered from there."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from console.browser import Browser, location, signed_in
from support.connections import connect_accounts
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService
from support.waiting import eventually

SCRIPT = "<script>alert('x')</script>\"'"


@pytest.fixture(scope="module")
def sandbox(service: RunningService) -> Iterator[Sandbox]:
    with Sandbox(service) as sandbox:
        yield sandbox


class Shop:
    """A shop with a bot and a WhatsApp number, to both of which somebody wrote."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.owner = OwnerFixture(running)
        for platform in ("telegram", "whatsapp-cloud"):
            connect_accounts(sandbox, self.owner, platform)
        self.accounts = {row["kind"]: row for row in self.owner.session.get("/accounts").json()["data"]}
        self.browser = signed_in(self.owner)
        self.write("telegram", "telegram_bot", f"Bread {SCRIPT}")
        self.write("whatsapp-cloud", "whatsapp_cloud", "Is the cake ready?")
        self.telegram = self.find("telegram_bot")
        self.whatsapp = self.find("whatsapp_cloud")

    def write(self, platform: str, kind: str, text: str) -> None:
        there = self.accounts[kind]["platformAccountId"]
        self.sandbox.control("message", platform=platform, account=there, person="dario", text=text)

    def find(self, kind: str) -> dict[str, Any]:
        path = f"/accounts/{self.accounts[kind]['id']}/conversations"
        return dict(eventually(lambda: self.owner.session.get(path).json()["data"])[0])

    def path(self, conversation: dict[str, Any]) -> str:
        return f"/console/inbox/{conversation['accountId']}/{conversation['id']}"

    def chat(self, platform: str, kind: str) -> list[str]:
        there = self.accounts[kind]["platformAccountId"]
        return [item["text"] for item in self.sandbox.listed("chat", platform=platform, account=there, person="dario")]


@pytest.fixture(scope="module")
def shop(service: RunningService, sandbox: Sandbox) -> Shop:
    return Shop(service, sandbox)


def listed(browser: Browser, query: str = "") -> list[str]:
    return re.findall(r'data-chat="(conv_\w+)"', browser.get(f"/console/inbox{query}").text)


def test_all_accounts_are_in_one_list_with_filters(shop: Shop) -> None:
    whatsapp, telegram = shop.whatsapp["id"], shop.telegram["id"]
    browser = shop.browser
    assert set(listed(browser)) == {whatsapp, telegram}
    assert listed(browser, "?kind=whatsapp_cloud") == [whatsapp]
    assert listed(browser, f"?account={shop.telegram['accountId']}") == [telegram]
    assert listed(browser, "?text=CAKE") == [whatsapp]
    assert set(listed(browser, "?show=unread")) == {whatsapp, telegram}
    assert listed(browser, f"?profile={shop.owner.new_profile()}") == []
    assert "No account takes messages yet" in signed_in(OwnerFixture(shop.owner.running)).get("/console/inbox").text


def test_what_people_write_is_never_markup(shop: Shop) -> None:
    for path in ("/console/inbox", shop.path(shop.telegram), f"/console/inbox?text={SCRIPT}"):
        text = shop.browser.get(path).text
        assert "<script>alert" not in text
        assert "&lt;script&gt;" in text


def test_a_reply_is_sent_and_marks_the_conversation_as_read(shop: Shop) -> None:
    path = shop.path(shop.telegram)
    answer = shop.browser.press(f"{path}/reply?show=unread", text="Until eight.")
    assert location(answer) == f"{path}?show=unread"
    assert "Until eight." in shop.chat("telegram", "telegram_bot")
    sent = shop.owner.session.get(f"/accounts/{shop.telegram['accountId']}/conversations/{shop.telegram['id']}").json()
    assert (sent["messages"]["data"][0]["source"], sent["unread"]) == ("console", 0)
    empty = shop.browser.press(f"{path}/reply", text="")
    assert (empty.status_code, "Set text, or a file in media." in empty.text) == (422, True)


def test_a_template_is_sent_with_its_placeholders(shop: Shop) -> None:
    path = shop.path(shop.whatsapp)
    assert "Reply window closes" in shop.browser.get(path).text
    listed = shop.owner.session.get(f"/accounts/{shop.whatsapp['accountId']}/whatsapp/templates").json()["data"]
    template = next(item for item in listed if item["status"] == "APPROVED" and "{{1}}" in str(item["components"]))
    assert template["name"] in shop.browser.get(f"{path}?panel=templates").text
    chosen = shop.browser.get(path, params={"template": f"{template['name']}|{template['language']}"}).text
    fields = dict.fromkeys(re.findall(r'name="((?:header|body|button)-\w+)"', chosen), "Ana")
    values = {"name": template["name"], "language": template["language"]}
    wrong = shop.browser.press(f"{path}/template", **values)
    assert wrong.status_code == 422
    assert location(shop.browser.press(f"{path}/template", **values, **fields)) == path


def test_done_opens_the_next_one(shop: Shop) -> None:
    shop.write("whatsapp-cloud", "whatsapp_cloud", "Hello?")
    shop.write("telegram", "telegram_bot", "And I?")
    eventually(lambda: len(listed(shop.browser, "?show=unread")) == 2 or None)
    first, second = listed(shop.browser)
    paths = {item["id"]: shop.path(item) for item in (shop.telegram, shop.whatsapp)}
    assert location(shop.browser.press(f"{paths[first]}/done")) == paths[second]
    assert location(shop.browser.press(f"{paths[second]}/done")) == "/console/inbox"
    assert listed(shop.browser, "?show=unread") == []


def test_others_see_nothing_of_it(shop: Shop, browser: Browser) -> None:
    assert browser.get(shop.path(shop.telegram)).status_code == 404
    assert browser.press(f"{shop.path(shop.telegram)}/reply", text="x").status_code == 404
    assert listed(browser) == []
