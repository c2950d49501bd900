"""A person uses the sandbox in a browser without documentation, finding everything by the words on the page."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from sandbox.graph_support import Platform
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta import VENDOR as META
from socialgate_sandbox.vendors.meta.seed import ADA, BAKERY
from socialgate_sandbox.vendors.telegram import VENDOR as TELEGRAM
from support.browser import flaws_of, open_browser
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox

DAY = 86400
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def gateway() -> Iterator[WebhookReceiver]:
    opened = WebhookReceiver()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, gateway: WebhookReceiver) -> Iterator[RunningSandbox]:
    folder: Path = tmp_path_factory.mktemp("browser")
    with running_sandbox(folder, [TELEGRAM, META], gateway.url) as opened:
        yield opened


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


class Visitor:
    """A person at a window. Whatever the browser complains about is a fault of the page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, name: str) -> None:
        """Follow a tab or a link by its words."""
        self.page.get_by_role("link", name=name, exact=True).first.click()
        self.look()

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).first.click()
        self.look()

    def look(self) -> None:
        self.page.wait_for_load_state()
        assert flaws_of(self.page) == [], self.page.url
        assert self.complaints == []

    def _listen(self, message: ConsoleMessage) -> None:
        # The browser also reports that a refused form was answered with 4xx, which is as it should be.
        if message.type in {"error", "warning"} and "the server responded with a status of 4" not in message.text:
            self.complaints.append(message.text)


@pytest.mark.parametrize("window", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_person_chats_comments_fills_in_a_form_moves_the_clock_and_breaks_calls(
    running: RunningSandbox, gateway: WebhookReceiver, browser: Browser, window: dict[str, int]
) -> None:
    running.reset(gateway)
    meta = Meta(Platform(running, gateway, "meta"))
    token = meta.page(ADA, BAKERY)
    post = meta.post(f"{BAKERY}/feed", token, message="Buns").json()["id"]
    place = {"platform": "meta", "account": BAKERY}
    with browser.new_context(viewport={"width": window["width"], "height": window["height"]}) as context:
        page = context.new_page()
        person = Visitor(page)
        page.goto(running.url)
        person.open("Lindqvist Bakery")
        expect(page.get_by_role("heading", level=1)).to_have_text("Lindqvist Bakery")

        person.open("Chat")
        page.get_by_label("Message from Dario Weiss").fill("Are you open?")
        page.keyboard.press("Enter")
        expect(page.get_by_role("list", name="Messages").get_by_text("Are you open?")).to_be_visible()
        (message,) = running.look("chat", **place)["data"]
        assert (message["text"], message["person"]) == ("Are you open?", "dario")

        person.open("Feed")
        page.get_by_role("combobox", name="As", exact=True).first.select_option(label="Elif Yilmaz")
        page.get_by_label("Comment", exact=True).fill("Any left?")
        person.press("Send")
        expect(page.get_by_role("region", name="Comments").get_by_text("Any left?")).to_be_visible()
        (theirs,) = meta.get(f"{post}/comments", token).json()["data"]
        assert (theirs["message"], theirs["from"]["name"]) == ("Any left?", "Elif Yilmaz")

        person.open("Lead forms")
        page.get_by_label("Full name").fill("Åsa Berg")
        person.press("Submit form")
        expect(page.get_by_role("cell", name="Åsa Berg")).to_be_visible()
        assert running.look("leads", **place)["data"][0]["leads"][0]["answers"]["full_name"] == "Åsa Berg"

        person.press("+1 day")
        expect(page.get_by_role("heading", name="Clock")).to_contain_text("1 day ahead")
        assert round(running.look("clock")["offset"]) == DAY

        expect(page.get_by_label("Break the next calls to")).to_have_value("meta")
        expect(page.get_by_label("Number of calls")).to_have_value("3")
        page.get_by_label("What goes wrong").and_(page.locator(":visible")).select_option(label="Server error (500)")
        person.press("Break calls")
        expect(page.get_by_text("Meta, next 3 calls: status 500")).to_be_visible()
        answers = [meta.get(BAKERY, token).status_code for _ in range(4)]
        assert answers == [500, 500, 500, 200]

        person.open("Calls")
        expect(page.get_by_text("no response")).to_have_count(0)
        page.get_by_text(f"GET /graph.facebook.com/v26.0/{BAKERY}", exact=True).first.click()
        expect(page.get_by_text("access_token: ").first).to_be_visible()
        assert person.complaints == []


def test_a_chat_opens_on_the_person_who_wrote_last_and_refreshes_by_itself(
    running: RunningSandbox, gateway: WebhookReceiver, browser: Browser
) -> None:
    running.reset(gateway)
    bot = {"platform": "telegram", "account": "7100000001"}
    running.control("message", **bot, text="Hi")
    running.control("message", **bot, person="elif", text="Are you open?")
    with browser.new_context() as context:
        page = context.new_page()
        person = Visitor(page)
        page.goto(f"{running.url}/_control/chat?platform=telegram&account=7100000001")
        person.look()
        messages, elif_ = page.get_by_role("list", name="Messages"), page.get_by_role("link", name="Elif Yilmaz")
        expect(elif_).to_have_attribute("aria-current", "page")
        expect(elif_).to_contain_text("1")
        expect(messages).to_contain_text("Are you open?")
        page.get_by_label("Message from Elif Yilmaz").fill("I am typing")
        running.control("message", **bot, person="elif", text="Hello?")
        expect(messages).to_contain_text("Hello?", timeout=30_000)
        expect(elif_).to_contain_text("2")
        expect(page.get_by_label("Message from Elif Yilmaz")).to_have_value("I am typing")
        # Somebody else writes: the page stays with the person whose message is being typed.
        running.control("message", **bot, person="finn", text="Where are you?")
        expect(page.get_by_role("link", name="Finn O'Sullivan")).to_contain_text("1", timeout=30_000)
        expect(elif_).to_have_attribute("aria-current", "page")
        expect(messages).not_to_contain_text("Where are you?")
        assert person.complaints == []


def test_every_kind_of_page_fits_a_phone_and_names_its_fields(
    running: RunningSandbox, gateway: WebhookReceiver, browser: Browser
) -> None:
    running.reset(gateway)
    one_of_each_kind = {(row["platform"], row["kind"]): row["id"] for row in running.look("accounts")["data"]}
    starts = [f"/_control/account?platform={platform}&account={key}" for (platform, _), key in one_of_each_kind.items()]
    seen = set()
    with browser.new_context(viewport={"width": PHONE["width"], "height": PHONE["height"]}) as context:
        page = context.new_page()
        person = Visitor(page)
        for start in ["/", *starts]:
            page.goto(f"{running.url}{start}")
            links = page.locator("nav a").evaluate_all("links => links.map(link => link.href)")
            for address in {address for address in links if address not in seen}:
                seen.add(address)
                page.goto(address)
                person.look()
    paths = {address.partition("?")[0].removeprefix(running.url) for address in seen}
    values = {"account", "feed", "chat", "leads", "catalog", "numbers", "calls", "webhooks", "hooks"}
    assert {f"/_control/{name}" for name in values} <= paths


def test_a_failure_is_cancelled_and_a_refusal_is_read_on_the_page(
    running: RunningSandbox, gateway: WebhookReceiver, browser: Browser
) -> None:
    running.reset(gateway)
    with browser.new_context(viewport={"width": PHONE["width"], "height": PHONE["height"]}) as context:
        page = context.new_page()
        person = Visitor(page)
        page.goto(f"{running.url}/_control/chat?platform=meta&account={BAKERY}")
        page.get_by_label("Break the next calls to").select_option(label="Telegram")
        page.get_by_label("What goes wrong").and_(page.locator(":visible")).select_option(label="Blocked")
        person.press("Break calls")
        (fault,) = running.look("fail")["data"]
        assert (fault["platform"], fault["error"], fault["times"]) == ("telegram", "blocked", 3)
        expect(page.get_by_role("status")).to_have_text("Failure added.")
        page.get_by_role("button", name="Cancel: Telegram, next 3 calls: blocked").click()
        expect(page.get_by_text("No failures are set.")).to_be_visible()
        assert running.look("fail")["data"] == []
        page.get_by_role("region", name="Write").get_by_role("button", name="Send").click()
        expect(page.get_by_role("alert")).to_contain_text("Enter a text of 1 to 2000 characters")
        expect(page.get_by_label("Message from Dario Weiss")).to_be_visible()
