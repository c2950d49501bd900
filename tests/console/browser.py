"""A person's browser, as far as the console needs one: a cookie, and the word that the form was ours."""

from typing import Any

import httpx

from support.service import PASSWORD, OwnerFixture, RunningService

OWN = {"Sec-Fetch-Site": "same-origin"}
FORM = "application/x-www-form-urlencoded"


class Browser:
    """Keeps cookies and follows no redirect by itself, so that a test sees each step."""

    def __init__(self, running: RunningService) -> None:
        self.client = running.client()

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.client.get(path, headers={"Accept": "text/html"}, **options)

    def press(self, path: str, **fields: Any) -> httpx.Response:
        """Send a form."""
        return self.client.post(path, data=fields, headers={"Content-Type": FORM, **OWN})

    def sign_in(self, email: str, password: str = PASSWORD) -> httpx.Response:
        return self.press("/console/login", email=email, password=password)


def signed_in(owner: OwnerFixture) -> Browser:
    """Take the session that the owner has already: checking a password takes longer than most tests."""
    browser = Browser(owner.running)
    browser.client.cookies.set("sg_session", owner.session_token)
    return browser


def location(answer: httpx.Response) -> str:
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])
