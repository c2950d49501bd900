"""A real browser for tests of pages: the Chromium of the machine, driven by Playwright."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright

from support.chromium import find_chromium


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Start the browser. A test is skipped on a machine that has none."""
    program = find_chromium()
    with sync_playwright() as driver:
        # Its own sandbox does not work for root, as in most containers. It only visits our pages.
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


class BrowserWatch:
    """Collects what a window must not do: report an error, or ask a host that is none of these."""

    def __init__(self, context: BrowserContext, *addresses: str) -> None:
        self.complaints: list[str] = []
        self._own = (*addresses, "data:", "blob:")
        context.on("console", self._hear)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.on("request", self._see)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(f"{message.text} {message.location.get('url', '')}")

    def _see(self, request: Request) -> None:
        if not request.url.startswith(self._own):
            self.complaints.append(request.url)


_FLAWS = """() => {
  const root = document.documentElement, ids = [...document.querySelectorAll("[id]")].map(one => one.id);
  const fields = [...document.querySelectorAll("input:not([type=hidden]), select, textarea")];
  return [
    ...(root.scrollWidth > root.clientWidth ? [`${root.scrollWidth - root.clientWidth} px wider than the window`] : []),
    ...ids.filter((id, number) => ids.indexOf(id) !== number).map(id => `two elements with the id ${id}`),
    ...fields.filter(one => !one.labels.length && !one.ariaLabel).map(one => `no label: ${one.name}`),
    ...[...document.querySelectorAll("button, a")].filter(one => !one.innerText.trim() && !one.ariaLabel
      && !one.querySelector("img") && one.checkVisibility()).map(one => `no words: ${one.outerHTML}`),
  ]
}"""


def flaws_of(page: Page) -> list[str]:
    """List what keeps people from using a page: it is too wide, or something on it has no name."""
    result: list[str] = page.evaluate(_FLAWS)
    return result
