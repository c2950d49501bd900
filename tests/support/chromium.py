"""The Chromium of the machine, and what to say where there is none."""

import shutil

import pytest

NO_BROWSER = "there is no Chromium on this machine: install it, on Debian with `apt install chromium-headless-shell`"
# The first is Chromium without windows, which takes half of the processor time.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium() -> str:
    """Return the path of the program. A test is skipped on a machine without it, and the end of the run says so."""
    program = next((result for name in _NAMES if (result := shutil.which(name)) is not None), None)
    if program is None:
        pytest.skip(NO_BROWSER)
    return program
