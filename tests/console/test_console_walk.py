"""A new user's first hour, in a real browser: from signing in to an ad, and a customer who connects on a phone."""

import hashlib
import hmac
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from console.sample import draw_picture
from support.browser import BrowserWatch, flaws_of, open_browser
from support.connect_links import create_link
from support.connections import new_number
from support.receiver import Receiver
from support.sandbox import Sandbox
from support.service import PASSWORD, OwnerFixture, RunningService, StartService

# A busy machine takes its time; nothing here depends on how fast it is.
_TIMEOUT_MS = 120_000
DESKTOP = {"width": 1440, "height": 1100}
TEXT = "Sourdough, 36 hours in the making"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def service(start_service: StartService, receiver: Receiver) -> Iterator[RunningService]:
    """Give a service of its own: days pass in it."""
    with start_service(hook_allow_nets="127.0.0.0/8", hook_ca_file=receiver.ca_file) as running:
        yield running


class Person:
    """A person at a window, who finds everything by the words on the page."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.context = context
        self.address = address
        context.set_default_timeout(_TIMEOUT_MS)
        self.page = context.new_page()

    def go(self, name: str) -> None:
        """Choose a page in the sidebar."""
        self.page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def follow(self, name: str | re.Pattern[str]) -> None:
        self.page.get_by_role("link", name=name).first.click()

    def follow_into_tab(self, link: Locator) -> Page:
        with self.context.expect_page() as opened:
            link.click()
        return opened.value

    def reads(self, words: str | re.Pattern[str]) -> None:
        expect(self.page.get_by_text(words).first).to_be_visible(timeout=_TIMEOUT_MS)

    def heading(self, words: str | re.Pattern[str]) -> None:
        expect(self.page.get_by_role("heading", level=1)).to_have_text(words, timeout=_TIMEOUT_MS)

    def mark(self) -> None:
        """Leave a mark in the page that a reload would remove."""
        self.page.evaluate("() => { window.notReloaded = true }")

    def require_no_reload(self) -> None:
        assert self.page.evaluate("() => window.notReloaded") is True, "the page was loaded again"


@pytest.fixture
def person(chromium: Browser, service: RunningService) -> Iterator[Person]:
    context = chromium.new_context(viewport=DESKTOP)  # type: ignore[arg-type] # a dictionary with the keys of its type
    watch = BrowserWatch(context, service.address, service.sandbox.url)
    yield Person(context, service.address)
    context.close()
    assert watch.complaints == []


def test_a_new_user_walks_from_signing_in_to_an_ad(
    person: Person, service: RunningService, owner: OwnerFixture, receiver: Receiver, sandbox: Sandbox
) -> None:
    sign_in(person, owner)
    connect_meta(person)
    connect_by_code(person, sandbox)
    compose(person)
    post_url = drag_to_another_hour(person)
    watch_it_publish(person, post_url)
    answer_a_message(person)
    automate(person)
    receive_a_delivery(person, receiver)
    boost(person, post_url)
    see_its_numbers(person, service, sandbox)


def sign_in(person: Person, owner: OwnerFixture) -> None:
    person.page.goto(f"{person.address}/console")
    person.page.get_by_label("Email").fill(owner.email)
    person.page.get_by_label("Password").fill(PASSWORD)
    person.press("Sign in")
    person.heading(re.compile("^Good "))
    person.reads("Sandbox is on")


def connect_meta(person: Person) -> None:
    """Sign in to Meta once, and choose an Instagram account, two Pages and an ad account by their names."""
    page = person.page
    person.follow("Connect")
    page.get_by_role("button", name=re.compile("^Instagram")).click()
    person.press("Allow")
    person.heading("Choose what to connect")
    for kind, count in (("Instagram", 1), ("Facebook Page", 2), ("ad account", 1)):
        choices = page.get_by_role("checkbox", name=re.compile(kind))
        for number in range(count):
            choices.nth(number).check()
    person.press("Connect")
    person.reads("Connected: ")
    person.reads(re.compile(r"^4\saccounts"))


def connect_by_code(person: Person, sandbox: Sandbox) -> None:
    page = person.page
    page.get_by_role("main").get_by_role("link", name="Connect", exact=True).click()
    person.follow(re.compile("Scan a QR code"))
    page.get_by_label("Name").fill("Shop phone")
    page.get_by_label(re.compile("[Pp]hone number")).fill(new_number(sandbox))
    person.press("Show the code")
    person.heading("Scan the code")
    expect(page.get_by_role("img", name="The code to scan")).to_be_visible()
    phone = person.follow_into_tab(page.get_by_role("link", name=re.compile("scan it")))
    phone.get_by_role("form", name=re.compile("^Scan the QR code")).get_by_role("button").click()
    phone.close()
    person.heading("Connected")
    person.follow("Open the account")
    person.heading(re.compile("Shop phone"))


def compose(person: Person) -> None:
    page = person.page
    person.go("Compose")
    person.mark()
    page.get_by_label("Text", exact=True).fill(TEXT)
    chosen = page.get_by_role("group", name="Publish to").get_by_role("checkbox")
    for number in range(3):
        chosen.nth(number).check()
    picture = {"name": "loaf.jpg", "mimeType": "image/jpeg", "buffer": draw_picture("#c65d7b")}
    page.get_by_label("Add files").set_input_files(picture)  # type: ignore[arg-type] # see above
    page.get_by_label("Alt text of loaf.jpg").fill("A loaf of bread")
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date()
    page.get_by_text("At a time").click()
    page.get_by_label("Day and time").fill(f"{tomorrow}T09:00")
    # Every account says that it is ready, and the preview has what each will show.
    expect(page.get_by_text("Ready", exact=True)).to_have_count(3, timeout=_TIMEOUT_MS)
    expect(page.get_by_label("Preview").get_by_text(TEXT).first).to_be_visible()
    person.require_no_reload()
    page.get_by_role("button", name=re.compile("^Schedule for .* 09:00")).click()
    person.heading(TEXT)
    person.reads("Scheduled")


def drag_to_another_hour(person: Person) -> str:
    page = person.page
    post_url = page.url.partition("?")[0]
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date()
    person.go("Calendar")
    page.goto(f"{person.address}/console/calendar?view=week&day={tomorrow}")
    person.mark()
    chip = page.locator("[data-post]", has_text=TEXT)
    hour = page.locator(f'[data-day="{tomorrow}"] [data-hour="15"]')
    chip.drag_to(hour)
    person.reads(re.compile(rf"^Moved to \w+ {tomorrow.day} .*, 15:00"))
    expect(hour.get_by_text(f"15:00 {TEXT}")).to_be_visible()
    # It can be undone, and the keyboard does the same.
    person.press("Undo")
    expect(page.locator(f'[data-day="{tomorrow}"] [data-hour="09"]').get_by_text(f"09:00 {TEXT}")).to_be_visible()
    chip.get_by_role("link", name=re.compile(TEXT)).focus()
    page.keyboard.press("Shift+ArrowDown")
    person.reads(re.compile(rf"^Moved to \w+ {tomorrow.day} .*, 10:00"))
    person.require_no_reload()
    page.reload()
    expect(page.locator(f'[data-day="{tomorrow}"] [data-hour="10"]').get_by_text(f"10:00 {TEXT}")).to_be_visible()
    return post_url


def watch_it_publish(person: Person, post_url: str) -> None:
    page = person.page
    person.follow(re.compile(TEXT))
    person.heading(TEXT)
    assert page.url.partition("?")[0] == post_url
    person.press("Publish now")
    expect(page.get_by_text("Published", exact=True)).to_have_count(4, timeout=_TIMEOUT_MS)
    for number in range(3):
        feed = person.follow_into_tab(page.get_by_role("link", name="Open in the sandbox").nth(number))
        shown = feed.get_by_role("article").filter(has_text=TEXT).first
        expect(shown).to_be_visible()
        shown.get_by_role("link", name="Open the post in the console").click()
        feed.wait_for_url(post_url)
        expect(feed.get_by_role("heading", level=1)).to_have_text(TEXT)
        feed.close()


def answer_a_message(person: Person) -> None:
    page = person.page
    person.go("Accounts")
    person.follow("Shop phone")
    chat = person.follow_into_tab(page.get_by_role("link", name="Open in the sandbox"))
    person.go("Inbox")
    person.reads("No messages yet")
    page.locator("html.scripted").wait_for()
    write(chat, "Are you open on Sunday?")
    person.follow("Dario Weiss")
    person.reads("Are you open on Sunday?")
    page.keyboard.press("r")
    expect(page.get_by_label("Reply", exact=True)).to_be_focused()
    page.keyboard.type("Yes, until noon.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_label("Messages with Dario Weiss").get_by_text("Yes, until noon.")).to_be_visible()
    expect(chat.get_by_role("list", name="Messages")).to_contain_text("Yes, until noon.", timeout=_TIMEOUT_MS)
    # What comes next appears in the open conversation by itself.
    person.mark()
    write(chat, "See you there")
    expect(page.get_by_label("Messages with Dario Weiss").get_by_text("See you there")).to_be_visible()
    person.require_no_reload()
    chat.close()


def write(chat: Page, text: str) -> None:
    """Write to the account as somebody else, in the sandbox."""
    chat_link = chat.get_by_role("link", name="Chat", exact=True)
    if chat_link.count():
        chat_link.first.click()
    chat.get_by_label("Message from Dario Weiss").fill(text)
    chat.keyboard.press("Enter")
    expect(chat.get_by_role("list", name="Messages").get_by_text(text)).to_be_visible(timeout=_TIMEOUT_MS)


def automate(person: Person) -> None:
    page = person.page
    person.go("Automations")
    person.follow("Create an automation")
    person.follow(re.compile("message", re.IGNORECASE))
    page.get_by_label("Name").fill("Opening hours")
    page.get_by_text("Add an action").click()
    page.get_by_role("button", name=re.compile("^Reply")).first.click()
    page.get_by_label(re.compile("^Text")).fill("We open at seven, {{contact.name|friend}}.")
    person.press("Turn it on")
    person.heading("Opening hours")
    person.go("Inbox")
    person.follow("Dario Weiss")
    person.mark()
    chat = person.follow_into_tab(page.get_by_role("link", name="Sandbox", exact=True))
    write(chat, "When do you open?")
    answer = "We open at seven, Dario Weiss."
    expect(chat.get_by_role("list", name="Messages")).to_contain_text(answer, timeout=_TIMEOUT_MS)
    # On a fast machine, one that exceeded the platform's limit of one message in five seconds is before it.
    answers = page.get_by_label("Messages with Dario Weiss").locator("li", has_text=answer)
    expect(answers.last).to_contain_text("delivered", timeout=_TIMEOUT_MS)
    person.require_no_reload()
    # And back, to the messages of the account.
    chat.get_by_role("link", name="Open in the console").click()
    expect(chat.get_by_role("heading", level=1)).to_have_text("Inbox")
    expect(chat.get_by_role("link", name="Dario Weiss")).to_be_visible()
    chat.close()
    person.go("Automations")
    person.follow("Opening hours")
    person.follow("Dario Weiss")
    person.reads("When do you open?")


def receive_a_delivery(person: Person, receiver: Receiver) -> None:
    page = person.page
    person.go("Hooks")
    person.press("New hook")
    page.get_by_role("textbox", name="URL").fill(receiver.url("/walk"))
    page.get_by_role("checkbox", name=re.compile("^message.received")).check()
    person.press("Create hook")
    secret = page.locator("[data-copy]").inner_text()
    person.press("Send a test event")
    person.heading("webhook.test")
    expect(page.get_by_text("Succeeded", exact=True)).to_be_visible(timeout=_TIMEOUT_MS)
    (request,) = [item for item in receiver.received if item.path == "/walk"]
    signature = hmac.digest(secret.encode(), request.body, hashlib.sha256).hex()
    assert request.headers["x-service-signature"] == f"sha256={signature}"
    # The page shows what was sent, with its signature.
    person.reads(signature)


def boost(person: Person, post_url: str) -> None:
    page = person.page
    page.goto(post_url)
    person.follow("Boost")
    person.heading("Boost a post")
    page.get_by_label("Budget", exact=True).fill("20")
    page.get_by_label("Countries").fill("PE")
    person.press("Boost the post")
    person.heading("Ads")
    person.reads(re.compile(r" is on\."))
    person.reads(re.compile(f"^Boost of {TEXT}"))


def see_its_numbers(person: Person, running: RunningService, sandbox: Sandbox) -> None:
    """Let two days pass on the platforms and here, and read what the boost brought."""
    sandbox.control("clock", advance=2 * 86400)
    running.advance_time(timedelta(days=2))
    person.page.reload()
    row = person.page.get_by_role("row").filter(has_text=f"Boost of {TEXT}").first
    expect(row).to_contain_text(re.compile(r"[1-9][\d.]*\sSEK\s+Results\s+\d+\sengagement"), timeout=_TIMEOUT_MS)
    # The budget is a limit.
    assert all(float(spent) <= 3 * 20 for spent in re.findall(r"([\d.]+)\sSEK", row.inner_text()))


def test_a_customer_connects_through_a_link_on_a_phone(
    chromium: Browser, service: RunningService, owner: OwnerFixture
) -> None:
    back = f"{service.url}/console/login?from=phone"
    link = create_link(owner, platforms=["meta", "telegram"], redirectUrl=back, brand={"name": "Ada's Bakery"})
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with chromium.new_context(**phone) as context:
        context.set_default_timeout(_TIMEOUT_MS)
        watch = BrowserWatch(context, service.address, service.sandbox.url)
        page = context.new_page()
        page.goto(link["url"])
        expect(page.get_by_text("Choose what Ada's Bakery may work with.")).to_be_visible()
        assert flaws_of(page) == []
        page.get_by_role("button", name=re.compile("^Instagram")).tap()
        page.get_by_role("button", name="Allow").tap()
        expect(page.get_by_role("heading", level=1)).to_have_text("Choose what to connect")
        assert flaws_of(page) == []
        page.get_by_role("checkbox", name=re.compile("Instagram")).first.tap()
        page.get_by_role("button", name="Connect").tap()
        expect(page.get_by_role("heading", level=1)).to_have_text("Connected")
        assert flaws_of(page) == []
        page.get_by_role("link", name=re.compile("Back to Ada's Bakery|Continue")).tap()
        page.wait_for_url("**/console/login?from=phone&**")
        (account,) = owner.session.get("/accounts").json()["data"]
        assert f"accountIds={account['id']}" in page.url
        assert account["kind"] == "instagram"
        assert watch.complaints == []
