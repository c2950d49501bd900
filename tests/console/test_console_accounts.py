"""Accounts: connecting one in each way, its health, moving and disconnecting it."""

import html
import re
from functools import partial

import msgspec
import pytest

from console.browser import Browser, location, signed_in
from socialgate.areas.accounts.schemas import AccountHealth
from socialgate.console.formatting import per_period
from socialgate.console.pages.accounts import choose_limits
from socialgate.contracts.account_connection import LimitUse
from socialgate.contracts.platforms import Kind
from support.connections import get_connect_fields, session_of
from support.factories import account_on
from support.sandbox import Sandbox
from support.service import OwnerFixture
from support.waiting import eventually

ACCOUNTS = "/console/accounts"
CONNECT = f"{ACCOUNTS}/connect"
SCRIPT = "<script>alert('x')</script>"


def sign_in_to(browser: Browser, owner: OwnerFixture, kind: str, *, allow: bool = True, **fields: str) -> str:
    """Go from the button to the platform and back, and return where the person ends."""
    started = browser.press(CONNECT, kind=kind, profileId=owner.profile_id, **fields)
    assert started.status_code == 200, started.text
    own = started.headers["refresh"].partition("url=")[2]
    assert html.escape(own) in started.text
    consent = browser.client.get(own.removeprefix(owner.running.url))
    with Sandbox(owner.running) as sandbox:
        back = sandbox.decide(location(consent), allow=allow)
    return location(browser.client.get(back.removeprefix(owner.running.url))).removeprefix(owner.running.url)


@pytest.mark.both_engines
def test_an_account_is_connected_by_signing_in_on_its_platform(owner: OwnerFixture, browser: Browser) -> None:
    assert "No accounts yet" in browser.get(ACCOUNTS).text
    end = sign_in_to(browser, owner, "threads")
    assert end.startswith(f"{ACCOUNTS}/connected?")
    shown = browser.get(end).text
    (account,) = owner.session.get("/accounts").json()["data"]
    assert f'href="{ACCOUNTS}/{account["id"]}?profile={owner.profile_id}"' in shown
    listed = browser.get(ACCOUNTS).text
    assert html.escape(account["name"]) in listed
    assert ">Connected</span>" in listed
    # The handle has a line of its own, in which names from right to left do not turn it around.
    assert f"<bdi>@{account['username']}</bdi> · Threads" in listed
    assert browser.get(f"{ACCOUNTS}?status=expired").text.count("No matching accounts.") == 1


def test_pages_are_chosen_after_signing_in(owner: OwnerFixture, browser: Browser) -> None:
    end = sign_in_to(browser, owner, "instagram")
    text = browser.get(end).text
    assert "Choose what to connect" in text
    # Nobody asked for the only ad account, but for Instagram, of which there is one.
    assert 'name="adIds"' in text
    (checked,) = re.findall(r'<input type="checkbox" name="(\w+)" value="[^"]+" checked>.*?p-(\w+)', text)
    assert checked == ("ids", "instagram")
    assert "stays connected" not in text
    ids = re.findall(r'name="ids" value="([^"]+)"', text)
    assert ids
    assert owner.session.get("/accounts").json()["data"] == []
    (action,) = re.findall(r'action="(/console/accounts/connected/choose[^"]*)"', text)
    action = html.unescape(action)
    nothing = browser.press(action)
    assert (nothing.status_code, "Choose at least one account." in nothing.text) == (422, True)
    assert browser.press(action, ids=["made up"]).status_code == 422
    assert location(browser.press(action, ids=ids[:1])) == f"{ACCOUNTS}?profile={owner.profile_id}"
    (account,) = owner.session.get("/accounts").json()["data"]
    assert account["platformAccountId"] == ids[0]
    assert "What is connected stays connected." in browser.get(end).text


def find_choices(text: str, kind: str) -> tuple[str, list[str], list[str]]:
    """Find the form that connects what is chosen, what it offers of a kind, and all that is chosen already."""
    (action,) = re.findall(r'action="(/console/accounts/connected/choose[^"]*)"', text)
    offered = re.findall(r'<input type="checkbox" name="\w+" value="([^"]+)".*?p-(\w+)', text)
    chosen = re.findall(r'<input type="checkbox" name="\w+" value="([^"]+)" checked>', text)
    return html.unescape(action), [value for value, each in offered if each == kind], chosen


def test_reconnecting_chooses_that_account_and_no_other(owner: OwnerFixture, browser: Browser) -> None:
    action, pages, _ = find_choices(browser.get(sign_in_to(browser, owner, "facebook_page")).text, "facebook_page")
    # One Page is left, which is what somebody wants who connects another one.
    browser.press(action, ids=pages[:-1])
    assert find_choices(browser.get(sign_in_to(browser, owner, "facebook_page")).text, "facebook_page")[2] == pages[-1:]
    (account_id,) = (
        account["id"]
        for account in owner.session.get("/accounts").json()["data"]
        if account["platformAccountId"] == pages[0]
    )
    assert f'name="accountId" value="{account_id}"' in browser.get(f"{ACCOUNTS}/{account_id}").text
    again = browser.get(sign_in_to(browser, owner, "facebook_page", accountId=account_id)).text
    assert find_choices(again, "facebook_page")[2] == pages[:1]


def test_an_ad_account_that_was_connected_is_in_the_list(owner: OwnerFixture, browser: Browser) -> None:
    action, ads, _ = find_choices(browser.get(sign_in_to(browser, owner, "meta_ads")).text, "meta_ads")
    shown = browser.get(location(browser.press(action, adIds=ads[:1]))).text
    (account,) = owner.session.get("/adaccounts").json()["data"]
    assert f"{ACCOUNTS}/{account['id']}" in shown
    assert "Boost a post</a>" in shown


def test_a_refusal_is_said_in_our_words(owner: OwnerFixture, browser: Browser) -> None:
    end = sign_in_to(browser, owner, "threads", allow=False)
    text = browser.get(end).text
    assert "Threads was not connected" in text
    assert "The permission was not given, so nothing was connected." in text
    # Anybody can write a link with another text.
    forged = f"{ACCOUNTS}/connected?platform=threads&profileId={owner.profile_id}&error=x&error_message=Call+us"
    assert "Call us" not in browser.get(forged).text
    assert browser.get(f"{ACCOUNTS}/connected").status_code == 404
    foreign = f"{ACCOUNTS}/connected?platform=threads&profileId={owner.profile_id}&accountId=acc_1"
    assert "Nothing to connect" in browser.get(foreign).text


def test_a_bot_is_connected_with_its_token(owner: OwnerFixture, browser: Browser) -> None:
    path = f"{CONNECT}/telegram_bot"
    assert "The token from BotFather." in browser.get(path).text
    wrong = browser.press(path, profileId=owner.profile_id, botToken="123:secret-that-is-wrong")
    assert wrong.status_code == 422
    assert "secret-that-is-wrong" not in wrong.text
    empty = browser.press(path, profileId=owner.profile_id)
    assert (empty.status_code, "This cannot be left empty." in empty.text) == (422, True)
    with Sandbox(owner.running) as sandbox:
        fields = get_connect_fields(sandbox, "telegram")
    connected = browser.press(path, profileId=owner.profile_id, **fields)
    (account,) = owner.session.get("/accounts").json()["data"]
    assert location(connected) == f"{ACCOUNTS}/{account['id']}"
    for kind in ("threads", "nothing"):
        assert browser.get(f"{CONNECT}/{kind}").status_code == 404


def test_a_number_is_paired_by_a_code_that_renews_itself(owner: OwnerFixture, browser: Browser) -> None:
    path = f"{CONNECT}/whatsapp_qr"
    invalid = browser.press(path, profileId=owner.profile_id, name="Shop", phoneNumber="12")
    assert (invalid.status_code, 'id="fault-phoneNumber"' in invalid.text) == (422, True)
    with Sandbox(owner.running) as sandbox:
        fields = get_connect_fields(sandbox, "wasender")
    code = location(browser.press(path, profileId=owner.profile_id, name="Shop", **fields))
    shown = browser.get(code)
    assert 'class="qr" src="data:image/png;base64,' in shown.text
    # A message would go with the first reload, and everything below it would move.
    assert 'role="status">Waiting' in shown.text
    assert 'class="note good"' not in shown.text
    assert shown.headers["refresh"].startswith("4; url=/console/accounts/acc_")
    with Sandbox(owner.running) as sandbox:
        session = session_of(sandbox, fields["phoneNumber"])
        sandbox.control("scan", platform="wasender", account=session)
    # Those that are waiting are counted too.
    assert "1 account: 0 healthy, 1 connecting" in " ".join(browser.get(ACCOUNTS).text.split())
    done = browser.get(code)
    assert ("Shop is connected" in done.text, "refresh" in done.headers) == (True, False)


def test_an_account_is_moved_and_disconnected(owner: OwnerFixture, browser: Browser) -> None:
    account_id = account_on(owner, "threads")
    path = f"{ACCOUNTS}/{account_id}"
    shown = browser.get(path).text
    assert "Capabilities" in shown
    assert "Usage limits" in shown
    assert browser.get(f"{path}?about=true").status_code == 200
    other = owner.new_profile("Bakery")
    assert location(browser.press(f"{path}/move", profileId=other)) == path
    assert owner.session.get(f"/accounts/{account_id}").json()["profileId"] == other
    assert browser.press(f"{path}/move", profileId="prf_1").status_code == 404
    assert location(browser.press(f"{path}/disconnect")) == ACCOUNTS
    assert browser.get(path).status_code == 404
    assert owner.session.get("/accounts").json()["data"] == []


def test_a_line_shows_the_limits_that_matter() -> None:
    def limit(name: str, used: int | None, most: int, seconds: int | None) -> LimitUse:
        return LimitUse(name=name, used=used, limit=most, window_seconds=seconds)

    hour, day, unknown = limit("posts", 9, 10, 3600), limit("posts", 9, 100, 86_400), limit("reels", 0, 5, None)
    others = [limit("calls", 1, 2, 60), limit("messages", None, 20, 86_400)]
    state = msgspec.convert(AccountHealth.example(), AccountHealth)
    assert choose_limits(msgspec.structs.replace(state, limits=[day, *others, hour, unknown])) == [hour, unknown]
    assert choose_limits(msgspec.structs.replace(state, limits=[])) == []


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "per second"), (5, "every 5\u00a0seconds"), (60, "per minute"), (3600, "per hour"), (86_400, "per day")],
)
def test_a_period_is_written_as_people_say_it(seconds: int, words: str) -> None:
    assert per_period(seconds) == words


@pytest.mark.both_engines
def test_an_ad_account_has_a_page_too(owner: OwnerFixture, browser: Browser) -> None:
    account_id = account_on(owner, "tiktokads")
    assert account_id in browser.get(f"{ACCOUNTS}?show=ads").text
    shown = browser.get(f"{ACCOUNTS}/{account_id}").text
    assert "Currency" in shown
    # Each limit has its period, and a line of the list only the longest one.
    for name in ("Ad creations per second", "Ad creations per minute", "Ad creations per day"):
        assert f"<span>{name}</span>" in shown
    rows = browser.get(f"{ACCOUNTS}?show=ads").text.split("<li ")
    (row,) = [row for row in rows if account_id in row]
    assert re.findall("Ad creations[^<]*", row) == ["Ad creations per day 0 of 86.4\u00a0k"]
    assert location(browser.press(f"{ACCOUNTS}/check")) == ACCOUNTS


def test_a_lost_account_is_said_with_its_fix(owner: OwnerFixture, browser: Browser) -> None:
    account = owner.session.get(f"/accounts/{account_on(owner, 'threads')}").json()
    with Sandbox(owner.running) as sandbox:
        sandbox.control("revoke", platform="threads", account=account["platformAccountId"])
    assert location(browser.press(f"{ACCOUNTS}/check")) == ACCOUNTS
    assert "Checked 1\u00a0account." in browser.get(ACCOUNTS).text
    for path in ("/console", ACCOUNTS, f"{ACCOUNTS}/{account['id']}"):
        text = eventually(partial(find_fix, browser, path))
        assert re.search("reconnect needed|needs to be reconnected", text, re.IGNORECASE)


def find_fix(browser: Browser, path: str) -> str | None:
    text = browser.get(path).text
    return text if ">Reconnect</button>" in text else None


def test_the_account_of_another_owner_is_not_found(other_owner: OwnerFixture, browser: Browser) -> None:
    account_id = account_on(other_owner, "threads")
    assert browser.get(f"{ACCOUNTS}/{account_id}").status_code == 404
    assert browser.get(f"{ACCOUNTS}/{account_id}/code").status_code == 404
    for button in ("disconnect", "move"):
        assert browser.press(f"{ACCOUNTS}/{account_id}/{button}", profileId="prf_1").status_code in {404, 422}
    assert len(other_owner.session.get("/accounts").json()["data"]) == 1
    own = signed_in(other_owner)
    assert own.press(CONNECT, kind="threads", profileId="prf_1").status_code == 404
    assert own.press(CONNECT, kind=SCRIPT, profileId="prf_1").status_code == 422


def test_every_kind_is_offered(browser: Browser) -> None:
    text = browser.get(CONNECT).text
    for kind in Kind:
        assert f'name="kind" value="{kind}"' in text or f'href="{CONNECT}/{kind}' in text
