"""Our own pages after a consent: what they show, and what a person chooses on them."""

import re
from typing import Any
from urllib.parse import urlsplit

import httpx
from markupsafe import escape

from support.sandbox import Connection, Sandbox
from support.service import OwnerFixture


def require_safe_page(answer: httpx.Response, status: int = 200) -> str:
    """Give the page, after checking that nothing can run in it and nobody keeps it."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "<script" not in answer.text
    return answer.text


def shows(page: str, name: str) -> bool:
    """Return whether a page shows an account with this name."""
    return f"<b>{escape(name)}</b>" in page


class ChoicePage:
    """The page on which a person chooses, in the browser that came back from the platform."""

    def __init__(self, owner: OwnerFixture, platform: str, html: str) -> None:
        self.html = html
        self.names = re.findall("<b>(.*?)</b>", html)
        self.ids = re.findall('name="id" value="(.*?)"', html)
        (self.ticket,) = re.findall('name="ticket" value="(.*?)"', html)
        (self.path,) = re.findall('<form method="post" action="(.*?)">', html)
        assert urlsplit(self.path).path == f"/connect/{platform}/choose"
        self._running = owner.running

    def choose(self, *ids: str, **changed: Any) -> httpx.Response:
        """Send the form with these accounts ticked."""
        path, form = changed.pop("path", self.path), {"ticket": self.ticket, "id": list(ids), **changed}
        return self._running.client().post(path, data=form)


def open_choice_page(
    sandbox: Sandbox, owner: OwnerFixture, platform: str, person: str | None = None, **query: Any
) -> ChoicePage:
    """Sign in without a page of the customer, and give the choice that is offered."""
    return ChoicePage(
        owner, platform, require_safe_page(Connection(sandbox, owner, platform, **query).finish(person=person))
    )
