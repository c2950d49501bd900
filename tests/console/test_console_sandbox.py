"""Where platforms are simulated, the console leads to the pages of the sandbox, and those lead back."""

import re
from html import unescape
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from console.browser import Browser, location, signed_in
from support.connections import CONNECT_METHODS, connect_accounts
from support.sandbox import Sandbox
from support.service import OwnerFixture, StartService
from support.waiting import eventually


def find_link(text: str, words: str, about: str = "") -> str:
    """Return the address of the link with these words, or with more of them, that has the other words in it."""
    addresses = re.findall(rf'<a [^>]*href="([^"]+)"[^>]*>(?:<svg.*?</svg>)?(?:<span[^>]*>)?{words}', text)
    (address,) = [unescape(address) for address in addresses if about in unquote(unescape(address))]
    return address


def go_back(browser: Browser, sandbox: Sandbox, address: str, words: str = "Open in the console") -> str:
    """Open a page of the sandbox, and give the page of the console that its link leads to."""
    page = sandbox.http.get(address, headers={"Accept": "text/html"}, follow_redirects=True)
    assert 'role="alert"' not in page.text, address
    parts = urlsplit(find_link(page.text, words, parse_qs(urlsplit(address).query).get("url", [""])[0]))
    return location(browser.get(f"{parts.path}?{parts.query}"))


@pytest.mark.parametrize("way", CONNECT_METHODS)
def test_each_account_leads_to_its_page_in_the_sandbox_and_back(
    way: str, owner: OwnerFixture, browser: Browser, sandbox: Sandbox
) -> None:
    assert "Sandbox is on" in browser.get("/console/accounts").text
    assert 'value="https://127.0.0.1:' in browser.get("/console/hooks").text, "the receiver of the sandbox"
    account_id = connect_accounts(sandbox, owner, way)[0]
    path = f"/console/accounts/{account_id}"
    there = find_link(browser.get(path).text, "Open in the sandbox")
    assert there.startswith(f"{sandbox.url}/_control/account?")
    assert go_back(browser, sandbox, there) == path


def test_a_post_and_a_chat_lead_there_and_back(owner: OwnerFixture, browser: Browser, sandbox: Sandbox) -> None:
    bot_id, threads_id = (connect_accounts(sandbox, owner, way)[0] for way in ("telegram", "threads"))
    targets = [{"accountId": threads_id}]
    body = {"profileId": owner.profile_id, "content": "Fresh bread", "publishNow": True, "targets": targets}
    post_id = owner.session.post("/posts", json=body).json()["id"]
    eventually(lambda: owner.session.get(f"/posts/{post_id}").json()["status"] == "published")
    path = f"/console/posts/{post_id}"
    there = find_link(browser.get(path).text, "Open in the sandbox")
    assert go_back(browser, sandbox, there, "Open the post in the console") == path
    bot = owner.session.get(f"/accounts/{bot_id}").json()
    sandbox.control("message", platform="telegram", account=bot["platformAccountId"], person="elif", text="Hello")
    (chat,) = eventually(lambda: owner.session.get(f"/accounts/{bot_id}/conversations").json()["data"])
    there = find_link(browser.get(f"/console/inbox/{bot_id}/{chat['id']}").text, "Sandbox")
    assert "person=Elif+Yilmaz" in there
    assert go_back(browser, sandbox, there) == f"/console/inbox?account={bot_id}"
    assert f"/console/inbox/{bot_id}/{chat['id']}" in browser.get("/console").text


def test_what_is_not_connected_is_not_found(
    owner: OwnerFixture, browser: Browser, sandbox: Sandbox, other_owner: OwnerFixture
) -> None:
    account_id = connect_accounts(sandbox, owner, "threads")[0]
    there = owner.session.get(f"/accounts/{account_id}").json()["platformAccountId"]
    query = f"/console/sandbox?platform=threads&account={there}"
    assert location(browser.get(query)) == f"/console/accounts/{account_id}"
    assert location(browser.get(f"{query}&page=feed&url=https://x.example/1")) == f"/console/posts?account={account_id}"
    stranger = signed_in(other_owner)
    assert location(stranger.get(query)) == "/console/accounts/connect"
    assert "This account of the sandbox is not connected yet." in stranger.get("/console/accounts/connect").text
    assert browser.get("/console/sandbox?platform=nothing&account=1").status_code == 422


def test_a_platform_with_an_app_of_its_own_is_not_linked(start_service: StartService) -> None:
    with start_service(threads_app_id="1", threads_app_secret="secret", threads_url="http://127.0.0.1:9") as running:
        info = running.service._sandbox
        assert running.service.platforms.simulates is info.simulates
        assert {
            platform.value for platform in running.service.platforms.catalogue.manifests if not info.simulates(platform)
        } == {"threads"}
