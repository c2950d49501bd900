"""A person uses the console in a real browser, and finds everything by the words on the page."""

import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from socialgate.console.pages import PAGES
from support.ads_api import AdsClient
from support.browser import flaws_of, open_browser
from support.connections import connect_accounts
from support.receiver import Receiver
from support.sandbox import Sandbox
from support.service import PASSWORD, OwnerFixture, RunningService
from support.waiting import eventually

# A busy machine takes its time; nothing here depends on how fast it is.
_TIMEOUT_MS = 120_000
expect.set_options(timeout=_TIMEOUT_MS)

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1440, "height": 900}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def ads(service: RunningService) -> Iterator[AdsClient]:
    with Sandbox(service) as sandbox:
        yield AdsClient(service, sandbox, "meta")


@pytest.fixture
def context(chromium: Browser, service: RunningService) -> Iterator[BrowserContext]:
    """Give a window in which errors and requests to other hosts fail the test. The sandbox is on the same machine."""
    opened = chromium.new_context(viewport=DESKTOP)  # type: ignore[arg-type] # a dictionary with the keys of its type
    errors: list[str] = []
    own = (service.address, service.sandbox.url, "data:")
    opened.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    opened.on("weberror", lambda error: errors.append(str(error.error)))
    opened.on("request", lambda request: None if request.url.startswith(own) else errors.append(request.url))
    yield opened
    opened.close()
    assert errors == []


def sign_in(page: Page, owner: OwnerFixture) -> None:
    page.set_default_timeout(_TIMEOUT_MS)
    page.goto(f"{owner.running.address}/console")
    page.get_by_label("Email").fill(owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Good")


def test_the_table_of_ads_fits_its_place(context: BrowserContext, ads: AdsClient) -> None:
    # Every owner of these tests has the same ad account.
    name = f"{'A' * 80} {uuid4().hex}"
    campaign = ads.campaign(name=name, status="paused")
    adset = ads.adset(campaign["id"], name=f"{name}, Oslo", status="active")
    ads.create("/ads/ads", adsetId=adset["id"], creativeId=ads.creative()["id"], name=name[::-1])
    page = context.new_page()
    sign_in(page, ads.owner)
    path = f"/console/ads?account={ads.account_id}&campaign={campaign['id']}&q={name[-32:]}"
    page.goto(f"{ads.owner.running.address}{path}")
    table = page.get_by_role("table", name="Campaigns")
    for width in (390, 768, 1120, 1360, 1361, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert table.evaluate("table => table.parentElement.scrollWidth <= table.parentElement.clientWidth"), width
        # What is last in a row is there too.
        expect(page.get_by_role("button", name=f"Delete {name}", exact=True)).to_be_in_viewport()
        expect(page.get_by_role("switch", name=f"{name}, Oslo: On")).to_be_in_viewport()


def test_a_newcomer_connects_an_account_and_sees_it(context: BrowserContext, owner: OwnerFixture) -> None:
    page = context.new_page()
    sign_in(page, owner)
    page.get_by_role("link", name="Connect", exact=True).click()
    page.get_by_role("button", name="Threads").click()
    page.get_by_role("button", name=re.compile("allow", re.IGNORECASE)).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Connected")
    (account,) = owner.session.get("/accounts").json()["data"]
    page.get_by_role("link", name="Done").click()
    page.get_by_role("link", name=account["name"]).click()
    expect(page.get_by_role("heading", name="Capabilities")).to_be_visible()


def test_new_things_are_announced_and_nothing_moves(context: BrowserContext, owner: OwnerFixture) -> None:
    page = context.new_page()
    sign_in(page, owner)
    page.goto(f"{owner.running.address}/console/events")
    with page.expect_response(lambda response: "/events/stream" in response.url) as opened:
        page.reload()
    assert opened.value.status == 200
    hook = owner.session.post("/hooks", json={"url": "https://127.0.0.1:9/in", "events": ["lead.received"]}).json()
    owner.session.post(f"/hooks/{hook['id']}/test")
    news = page.get_by_role("link", name="1 new")
    expect(news).to_be_visible()
    expect(page.get_by_text("Nothing has happened yet")).to_be_visible()
    news.click()
    expect(page.get_by_text("webhook.test").last).to_be_visible()


def test_the_first_message_replaces_the_words_that_there_is_none(
    context: BrowserContext, owner: OwnerFixture, service: RunningService
) -> None:
    page = context.new_page()
    sign_in(page, owner)
    with Sandbox(service) as sandbox:
        connect_accounts(sandbox, owner, "telegram")
        accounts = owner.session.get("/accounts").json()["data"]
        (bot,) = (account["platformAccountId"] for account in accounts if account["kind"] == "telegram_bot")
        with page.expect_response(lambda response: "/events/stream" in response.url):
            page.goto(f"{owner.running.address}/console/inbox")
        expect(page.get_by_text("No messages yet")).to_be_visible()
        sandbox.control("message", platform="telegram", account=bot, person="dario", text="Any rye bread left?")
    expect(page.get_by_text("Any rye bread left?")).to_be_visible()
    expect(page.get_by_text("No messages yet")).to_have_count(0)


def test_the_keyboard_reaches_pages_rows_and_the_list_of_keys(context: BrowserContext, owner: OwnerFixture) -> None:
    for name in ("First", "Second"):
        owner.key_value(name=name)
    page = context.new_page()
    sign_in(page, owner)
    # The words are there before the scripts are.
    page.locator("html.scripted").wait_for()
    page.keyboard.press("g")
    page.keyboard.press("k")
    expect(page.get_by_role("heading", level=1)).to_have_text("API keys")
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator("[data-row][data-current]")).to_contain_text("First")
    page.goto(f"{owner.running.address}/console/posts?status=failed")
    page.keyboard.press("/")
    page.keyboard.type("loaf")
    page.wait_for_url("**/console/posts?text=loaf&status=failed")
    expect(page.get_by_label("Search posts")).to_be_focused()


def test_a_file_is_uploaded_with_its_progress(context: BrowserContext, owner: OwnerFixture) -> None:
    page = context.new_page()
    sign_in(page, owner)
    page.goto(f"{owner.running.address}/console/media")
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"x"}
    )
    expect(page.get_by_role("link", name="notes.txt")).to_be_visible()


def test_every_page_can_be_used_on_a_phone_without_scripts(
    chromium: Browser, owner: OwnerFixture, subtests: pytest.Subtests
) -> None:
    context = chromium.new_context(viewport=PHONE, java_script_enabled=False)  # type: ignore[arg-type] # see above
    page = context.new_page()
    sign_in(page, owner)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="API keys").click()
    page.get_by_role("button", name="New key").click()
    page.get_by_label("Name", exact=True).last.fill("By hand")
    page.get_by_role("button", name="Create key").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("By hand was created")
    for path in [console_page.path for console_page in PAGES if "{" not in console_page.path]:
        with subtests.test(path):
            page.goto(owner.running.address + path)
            expect(page.get_by_role("heading", level=1)).to_be_visible()
    context.close()


def test_rows_have_their_time_and_buttons_on_a_phone(
    chromium: Browser, owner: OwnerFixture, receiver: Receiver
) -> None:
    owner.session.post("/posts", json={"profileId": owner.profile_id, "content": "A loaf", "draft": True})
    hook = owner.session.post("/hooks", json={"url": receiver.url(), "events": ["lead.received"]}).json()
    owner.session.post(f"/hooks/{hook['id']}/test")
    deliveries = f"/hooks/{hook['id']}/deliveries?status=succeeded"
    eventually(lambda: owner.session.get(deliveries).json()["data"])
    context = chromium.new_context(viewport=PHONE)  # type: ignore[arg-type] # see above
    page = context.new_page()
    sign_in(page, owner)
    page.goto(f"{owner.running.address}/console/posts")
    expect(page.locator("[data-row] time")).to_be_visible()
    page.goto(f"{owner.running.address}/console/hooks/{hook['id']}")
    expect(page.get_by_role("button", name="Resend")).to_be_visible()
    context.close()


def test_nothing_keeps_people_from_using_a_page(
    chromium: Browser, owner: OwnerFixture, subtests: pytest.Subtests
) -> None:
    context = chromium.new_context(viewport=PHONE)  # type: ignore[arg-type] # see above
    page = context.new_page()
    sign_in(page, owner)
    for path in [console_page.path for console_page in PAGES if "{" not in console_page.path]:
        with subtests.test(path):
            page.goto(owner.running.address + path)
            assert flaws_of(page) == []
    context.close()
