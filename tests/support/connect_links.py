"""A person who was sent a connect link: a browser without scripts and without a login."""

import html
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from support.connections import get_connect_fields, session_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService

REDIRECT_KINDS = {
    "meta": "facebook_page",
    "threads": "threads",
    "tiktok": "tiktok",
    "tiktokads": "tiktok_ads",
    "google": "google_calendar",
}
FORM_KINDS = {"telegram": "telegram_bot", "whatsapp-cloud": "whatsapp_cloud", "wasender": "whatsapp_qr"}


def create_link(owner: OwnerFixture, **fields: Any) -> dict[str, Any]:
    """Create a link for the first profile, and give the response."""
    answer = owner.session.post("/connect/links", json={"profileId": owner.profile_id, **fields})
    assert answer.status_code == 201, answer.text
    created: dict[str, Any] = answer.json()
    return created


class Visitor:
    """Keeps cookies, sends forms as a browser does, and follows redirects by hand."""

    def __init__(self, running: RunningService, url: str = "") -> None:
        self.running = running
        self.path = urlsplit(url).path
        self.http = running.client()

    def get(self, path: str = "", **headers: str) -> httpx.Response:
        return self.http.get(path or self.path, headers={"Accept": "text/html", **headers})

    def press(self, path: str, **fields: Any) -> httpx.Response:
        return self.http.post(path, data=fields, headers={"Sec-Fetch-Site": "same-origin"})

    def follow(self, answer: httpx.Response) -> httpx.Response:
        """Follow redirects within the service."""
        while answer.status_code == httpx.codes.SEE_OTHER:
            parts = urlsplit(answer.headers["location"])
            assert parts.netloc in {"", urlsplit(self.running.url).netloc}, answer.headers["location"]
            answer = self.get(f"{parts.path}?{parts.query}" if parts.query else parts.path)
        return answer

    def begin(self, kind: str) -> str:
        """Choose a platform, and give the address of its page."""
        leaving = self.press(f"{self.path}/begin", kind=kind)
        assert leaving.status_code == httpx.codes.OK, leaving.text
        url = leaving.headers["refresh"].partition("url=")[2]
        assert html.escape(url) in leaving.text
        parts = urlsplit(url)
        sent = self.get(f"{parts.path}?{parts.query}")
        assert sent.status_code == httpx.codes.SEE_OTHER, sent.text
        return str(sent.headers["location"])

    def come_back(self, location: str) -> httpx.Response:
        parts = urlsplit(location)
        return self.follow(self.get(f"{parts.path}?{parts.query}"))

    def sign_in(self, sandbox: Sandbox, kind: str, **decision: Any) -> httpx.Response:
        """Go to the platform, decide there, and give the page at the end."""
        return self.come_back(sandbox.decide(self.begin(kind), **decision))

    def choose(self, page: httpx.Response, *ids: str) -> httpx.Response:
        """Send the choice on a page, and give the page at the end."""
        return self.follow(self.press(find_action(page), id=list(ids)))

    def connect(self, sandbox: Sandbox, platform: str) -> httpx.Response:
        """Go through the way of a platform, whichever it is, and give the page at the end."""
        if platform in FORM_KINDS:
            return self._fill_in(sandbox, platform)
        page = self.sign_in(sandbox, REDIRECT_KINDS[platform])
        ids = list_choices(page)
        return self.choose(page, ids[0]) if ids else page

    def _fill_in(self, sandbox: Sandbox, platform: str) -> httpx.Response:
        path = f"{self.path}/form/{FORM_KINDS[platform]}"
        assert self.get(path).status_code == httpx.codes.OK
        fields = get_connect_fields(sandbox, platform)
        if platform != "wasender":
            return self.follow(self.press(path, **fields))
        code = self.follow(self.press(path, name="Shop", **fields))
        assert 'class="qr" src="data:image/png;base64,' in code.text, code.text
        sandbox.control("scan", platform=platform, account=session_of(sandbox, fields["phoneNumber"]))
        return self.follow(self.get(code.headers["refresh"].partition("url=")[2]))


def list_choices(page: httpx.Response) -> list[str]:
    """Give the ids of the accounts that a page offers."""
    return [html.unescape(item) for item in re.findall('name="id" value="(.*?)"', page.text)]


def find_action(page: httpx.Response) -> str:
    (action,) = re.findall('<form [^>]*action="(.*?)"', page.text)
    return html.unescape(action)


def find_back(page: httpx.Response) -> dict[str, str]:
    """Give the result that the button back to the customer carries."""
    (url,) = re.findall('href="(https?://[^"]+)" rel="noreferrer"', page.text)
    query = parse_qs(urlsplit(html.unescape(url)).query)
    return {name: values[-1] for name, values in query.items()}
