"""A person reads the documentation in a real browser, on a phone and on a desktop, in both themes."""

import re
from collections.abc import Iterator
from itertools import product

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from support.browser import flaws_of, open_browser
from support.service import RunningService

_TIMEOUT_MS = 120_000
expect.set_options(timeout=_TIMEOUT_MS)

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1440, "height": 900}
PAGES = ("", "/start", "/posts", "/api", "/api/posts", "/reference/events", "/reference/errors", "/platforms/tiktok")
# The contrast of text with what is behind it, for every piece of text that can be seen.
_FAINT_TEXTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const read = (color) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const linear = (c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => [r, g, b].map(c => linear(c / 255))
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const behind = (one) => {
    for (; one; one = one.parentElement) {
      const color = read(getComputedStyle(one).backgroundColor);
      if (color[3] > 250) return color;
    }
    return [255, 255, 255, 255];
  };
  const faint = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const one = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !one.checkVisibility({ opacityProperty: true })) continue;
    const [front, back] = [light(read(getComputedStyle(one).color)), light(behind(one))];
    const contrast = (Math.max(front, back) + .05) / (Math.min(front, back) + .05);
    if (contrast < 4.5) faint.add(`${one.tagName}.${one.className} ${contrast.toFixed(1)}`);
  }
  return [...faint];
}"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture
def context(chromium: Browser, service: RunningService) -> Iterator[BrowserContext]:
    """Give a window in which errors and requests to other hosts fail the test."""
    opened = chromium.new_context(viewport=DESKTOP)  # type: ignore[arg-type] # a dictionary with the keys of its type
    opened.set_default_timeout(_TIMEOUT_MS)
    errors: list[str] = []
    opened.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    opened.on("weberror", lambda error: errors.append(str(error.error)))
    opened.on(
        "request", lambda request: None if request.url.startswith(service.address) else errors.append(request.url)
    )
    yield opened
    opened.close()
    assert errors == []


def test_pages_can_be_read_everywhere(context: BrowserContext, service: RunningService) -> None:
    page = context.new_page()
    flaws = []
    for path in PAGES:
        page.goto(f"{service.address}/docs{path}")
        for size, theme in product((PHONE, DESKTOP), ("light", "dark")):
            page.set_viewport_size(size)  # type: ignore[arg-type] # see above
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type] # one of two words
            where = f"{path} at {size['width']} px, {theme}"
            flaws += [f"{where}: {flaw}" for flaw in (*flaws_of(page), *page.evaluate(_FAINT_TEXTS))]
    assert flaws == []


def test_a_search_leads_to_the_section(context: BrowserContext, service: RunningService) -> None:
    page = context.new_page()
    page.goto(f"{service.address}/docs")
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill("verify webhook signature")
    first = page.get_by_role("dialog").get_by_role("link").first
    expect(first).to_contain_text("signature")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/docs/hooks#verify"))
    expect(page.get_by_role("heading", name="Verify the signature")).to_be_in_viewport()


def test_the_chosen_language_is_remembered(context: BrowserContext, service: RunningService) -> None:
    page = context.new_page()
    page.goto(f"{service.address}/docs/posts")
    expect(page.locator("[data-panel=curl]").first).to_be_visible()
    page.get_by_role("button", name="Python").first.click()
    expect(page.locator("[data-panel=python]").first).to_be_visible()
    expect(page.locator("[data-panel=curl]").first).to_be_hidden()
    page.goto(f"{service.address}/docs/api/posts")
    expect(page.locator("#createPost [data-panel=python]")).to_be_visible()
    expect(page.get_by_role("button", name="Python").first).to_have_attribute("aria-pressed", "true")


def test_code_can_be_copied(context: BrowserContext, service: RunningService) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=service.address)
    page = context.new_page()
    page.goto(f"{service.address}/docs/start")
    page.get_by_role("button", name="Copy").first.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert "SOCIALGATE_API_KEY" in page.evaluate("navigator.clipboard.readText()")


def test_the_theme_is_remembered(context: BrowserContext, service: RunningService) -> None:
    page = context.new_page()
    page.emulate_media(color_scheme="light")
    page.goto(f"{service.address}/docs")
    page.get_by_role("button", name="Switch between light and dark").click()
    page.goto(f"{service.address}/docs/posts")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_an_address_of_the_long_page_leads_to_its_part(context: BrowserContext, service: RunningService) -> None:
    page = context.new_page()
    page.goto(f"{service.address}/docs#createPost")
    expect(page).to_have_url(f"{service.address}/docs/api/posts#createPost")
    page.goto("about:blank")
    page.goto(f"{service.address}/docs#errors")
    expect(page).to_have_url(f"{service.address}/docs/reference/errors")


def test_the_menu_opens_on_a_phone_and_types_unfold(context: BrowserContext, service: RunningService) -> None:
    page = context.new_page()
    page.set_viewport_size(PHONE)  # type: ignore[arg-type] # see above
    page.goto(f"{service.address}/docs/api/posts")
    page.get_by_role("link", name="Menu", exact=True).click()
    expect(page.get_by_role("navigation", name="Pages").get_by_role("link", name="Hooks").last).to_be_visible()
    page.get_by_role("link", name="Menu", exact=True).click()
    operation = page.locator("#createPost")
    expect(operation.get_by_text("An account to publish to", exact=False)).to_have_count(0)
    field = operation.locator("dt", has_text="accountId").first
    expect(field).to_be_hidden()
    operation.locator(".fields > div", has_text="targets").first.locator("summary").first.click()
    expect(field).to_be_visible()
