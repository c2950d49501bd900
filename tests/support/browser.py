"""A real browser for tests of pages: the Chromium of the machine, driven by Playwright."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Start the browser. A test is skipped on a machine that has none."""
    program = next((result for name in _NAMES if (result := shutil.which(name)) is not None), None)
    if program is None:
        pytest.skip("there is no Chromium on this machine: install it, on Debian with `apt install chromium`")
    with sync_playwright() as driver:
        # Its own sandbox does not work for root, as in most containers. It only visits our pages.
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


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
