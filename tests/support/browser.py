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
    program = next((found for name in _NAMES if (found := shutil.which(name)) is not None), None)
    if program is None:
        pytest.skip("there is no Chromium on this machine")
    with sync_playwright() as driver:
        # Its own sandbox does not work for root, as in most containers. It only visits our pages.
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


def is_wider_than_the_window(page: Page) -> bool:
    """Tell whether one has to scroll sideways."""
    found: bool = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    return found
