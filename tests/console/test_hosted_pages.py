"""The page of a connect link: every way of connecting, in a browser without scripts and without a login."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from markupsafe import escape

from console.browser import Browser, location
from support.accounts import list_all, list_event_names
from support.connect_links import FORM_KINDS, REDIRECT_KINDS, Visitor, create_link, find_back, list_choices
from support.sandbox import Sandbox
from support.service import OwnerFixture

INVITATIONS = "/console/accounts/invitations"


@pytest.fixture
def sandbox(owner: OwnerFixture) -> Iterator[Sandbox]:
    with Sandbox(owner.running) as running:
        yield running


def list_connected(owner: OwnerFixture) -> list[dict[str, Any]]:
    return [*list_all(owner), *list_all(owner, "/adaccounts")]


@pytest.mark.parametrize("platform", [*REDIRECT_KINDS, *FORM_KINDS])
def test_every_platform_is_connected_without_scripts(platform: str, owner: OwnerFixture, sandbox: Sandbox) -> None:
    link = create_link(owner, platforms=[platform], redirectUrl=f"{owner.running.url}/console?own=1")
    visitor = Visitor(owner.running, link["url"])
    assert "Connect your accounts" in visitor.get().text
    end = visitor.connect(sandbox, platform)
    assert end.status_code == httpx.codes.OK, end.text
    connected = list_connected(owner)
    assert all(account["status"] == "connected" and str(escape(account["name"])) in end.text for account in connected)
    assert list_event_names(owner) == ["account.connected"] * len(connected)
    result = find_back(end)
    assert set(result.pop("accountIds").split(",")) == {account["id"] for account in connected}
    assert result == {"own": "1", "status": "connected", "platform": platform}
    shown = owner.session.get(f"/connect/links/{link['id']}").json()
    assert set(shown["accountIds"]) == {account["id"] for account in connected}
    assert "<script" not in end.text
    if platform != "google":
        # One kind can still be added at Google; all others are complete, and the person goes on.
        assert end.headers["refresh"].startswith("5; url=")


def test_accounts_are_chosen_by_name_and_picture(owner: OwnerFixture, sandbox: Sandbox) -> None:
    visitor = Visitor(owner.running, create_link(owner, platforms=["meta"])["url"])
    visitor.get()
    page = visitor.sign_in(sandbox, "instagram")
    assert "Choose what to connect" in page.text
    ids = list_choices(page)
    assert len(ids) > 2
    assert f'<img src="{sandbox.url}/' in page.text
    assert f"img-src 'self' data: {sandbox.url};" in page.headers["content-security-policy"]
    assert list_connected(owner) == []
    # A page that is loaded again is the same: nothing was used up.
    assert list_choices(visitor.get(str(page.request.url.path))) == ids
    again = visitor.choose(page)
    assert (again.status_code, "Choose at least one account." in again.text) == (422, True)
    end = visitor.choose(again, ids[0], ids[1])
    assert {account["platformAccountId"] for account in list_connected(owner)} == {ids[0], ids[1]}
    assert "You can close this page." in end.text
    # The choice was made, and the link has done what it is for.
    assert visitor.get(str(page.request.url.path)).status_code == 410
    assert visitor.get().text.count(">Connected</span>") == 3


def test_a_refusal_is_said_in_plain_words(owner: OwnerFixture, sandbox: Sandbox) -> None:
    link = create_link(owner, platforms=["threads"], redirectUrl=f"{owner.running.url}/console", brand={"name": "Ada"})
    visitor = Visitor(owner.running, link["url"])
    visitor.get()
    page = visitor.sign_in(sandbox, "threads", allow=False)
    assert "You did not give the permission, so nothing was connected." in page.text
    assert "Back to <bdi>Ada</bdi>" in page.text
    assert find_back(page) == {"status": "denied", "platform": "threads", "error": "oauth_denied"}
    # A refusal uses nothing up.
    assert ">Connected</h1>" in visitor.connect(sandbox, "threads").text
    forged = visitor.get(f"{visitor.path}/failed?platform=threads&error=Call+us+now").text
    assert "Call us now" not in forged.replace("error=Call", "")


def test_what_was_filled_in_is_checked(owner: OwnerFixture, sandbox: Sandbox) -> None:
    del sandbox
    visitor = Visitor(owner.running, create_link(owner, platforms=["telegram", "wasender"])["url"])
    path = f"{visitor.path}/form/telegram_bot"
    visitor.get()
    wrong = visitor.press(path, botToken="123:secret-that-is-wrong")
    assert (wrong.status_code, 'id="fault-botToken"' in wrong.text) == (422, True)
    assert "secret-that-is-wrong" not in wrong.text
    assert "This cannot be left empty." in visitor.press(path, botToken="").text
    number = visitor.press(f"{visitor.path}/form/whatsapp_qr", name="Shop", phoneNumber="12")
    assert 'id="fault-phoneNumber"' in number.text
    # The service has a token of its own, so nobody is asked for one.
    assert 'name="accessToken"' not in number.text
    # What the link does not offer is not there, nor is what has no form.
    for kind in ("whatsapp_cloud", "threads", "nothing"):
        assert visitor.get(f"{visitor.path}/form/{kind}").status_code == 404
    assert visitor.press(f"{visitor.path}/begin", kind="threads").status_code == 404


def test_a_page_in_a_frame_signs_in_in_a_new_tab(owner: OwnerFixture) -> None:
    origin = "http://localhost:3000"
    link = create_link(owner, embedOrigins=[origin], redirectUrl=f"{owner.running.url}/console")
    visitor = Visitor(owner.running, link["url"])
    framed = visitor.get(**{"Sec-Fetch-Dest": "iframe"})
    assert f"frame-ancestors {origin}" in framed.headers["content-security-policy"]
    assert 'target="_blank"><input type="hidden" name="kind" value="threads">' in framed.text
    headers = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": "iframe"}
    within = visitor.http.post(f"{visitor.path}/begin", data={"kind": "threads"}, headers=headers)
    assert (within.status_code, "Open a new tab" in within.text) == (403, True)
    # A tab of its own has no cookie of the frame, and gets one.
    tab = Visitor(owner.running, link["url"])
    assert tab.begin("threads")
    assert 'target="_blank"' not in tab.get().text


def test_a_browser_without_cookies_is_told_what_to_do(owner: OwnerFixture) -> None:
    visitor = Visitor(owner.running, create_link(owner)["url"])
    refused = visitor.press(f"{visitor.path}/form/telegram_bot", botToken="123:abc")
    assert (refused.status_code, "Open a new tab" in refused.text) == (403, True)


def test_links_are_created_and_deleted_in_the_console(owner: OwnerFixture, browser: Browser) -> None:
    assert "No links yet" in browser.get(INVITATIONS).text
    fields = {"profileId": owner.profile_id, "platforms": ["telegram", "meta"], "name": "Ada", "expiresInHours": "1"}
    created = browser.press(INVITATIONS, **fields, hasColor="true", color="#aa0000")
    (link,) = owner.session.get("/connect/links").json()["data"]
    assert link["brand"] == {"name": "Ada", "logoMediaId": None, "color": "#aa0000"}
    assert link["platforms"] == ["meta", "telegram"]
    url = created.text.partition("data-copy>")[2].partition("<")[0]
    page = Visitor(owner.running, url).get()
    assert "background: #aa0000" in page.text
    assert link["id"] in browser.get(INVITATIONS).text
    wrong = browser.press(INVITATIONS, **fields, redirectUrl="https://elsewhere.example.com")
    assert (wrong.status_code, 'id="fault-redirectUrl"' in wrong.text) == (422, True)
    assert location(browser.press(f"{INVITATIONS}/{link['id']}/delete")) == INVITATIONS
    assert browser.press(f"{INVITATIONS}/{link['id']}/delete").status_code == 404
    assert Visitor(owner.running, url).get().status_code == 404
