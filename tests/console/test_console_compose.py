"""Compose: one text for many accounts, checked by the same service as the API, and never lost."""

import re
from html import unescape
from typing import Any

import pytest

from console.browser import Browser, location, signed_in
from support.browser import flaws_of, open_browser
from support.connections import connect_accounts
from support.generations import picture
from support.sandbox import Sandbox
from support.service import OwnerFixture

COMPOSE = "/console/compose"
SCRIPT = "<script>alert('x')</script>\"'"


@pytest.fixture(scope="module")
def writer(service: Any) -> tuple[OwnerFixture, dict[str, str]]:
    """Give an owner with a bot, a TikTok and a Threads account, by their kinds."""
    owner = service.new_owner()
    with Sandbox(service) as sandbox:
        ids = [
            account_id
            for way in ("telegram", "tiktok", "threads")
            for account_id in connect_accounts(sandbox, owner, way)
        ]
    accounts = [owner.session.get(f"/accounts/{account_id}").json() for account_id in ids]
    return owner, {account["kind"]: account["id"] for account in accounts}


def shown(text: str) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", text))


def post_of(owner: OwnerFixture, address: str) -> dict[str, Any]:
    post_id = re.findall(r"post_\w+", address)[0]
    post: dict[str, Any] = owner.session.get(f"/posts/{post_id}").json()
    return post


def test_errors_are_beside_their_fields_and_what_was_written_stays(
    writer: tuple[OwnerFixture, dict[str, str]],
) -> None:
    owner, ids = writer
    browser = signed_in(owner)
    empty = browser.get(COMPOSE)
    assert (empty.status_code, "What do you want to say?" in empty.text) == (200, True)
    checked = browser.press(
        COMPOSE, act="check", when="now", content=f"{'x' * 600} {SCRIPT}", account=[ids["threads"], ids["tiktok"]]
    )
    assert checked.status_code == 200
    assert SCRIPT not in checked.text
    text = shown(checked.text)
    assert "requires a choice." in text
    assert "Threads (" in text
    assert "500" in text
    field = f'id="option.{ids["tiktok"]}.privacyLevel" name="option.{ids["tiktok"]}.privacyLevel" aria-invalid="true"'
    assert field in checked.text
    assert f'value="{ids["threads"]}" checked' in checked.text
    # Publishing finds the same, and stores nothing.
    refused = browser.press(COMPOSE, act="now", content="Hello", account=[ids["tiktok"]])
    assert (refused.status_code, "requires a choice." in refused.text) == (422, True)
    assert "Choose at least one account" in browser.press(COMPOSE, act="now", content="Hello").text
    assert "Choose a day and a time." in browser.press(COMPOSE, act="at", content="Hi", account=[ids["threads"]]).text
    assert owner.session.get("/posts").json()["data"] == []


def test_a_post_has_a_text_options_and_files_for_its_accounts(writer: tuple[OwnerFixture, dict[str, str]]) -> None:
    owner, ids = writer
    browser = signed_in(owner)
    first, second = (picture(owner.session) for _ in range(2))
    bot = ids["telegram_bot"]
    fields = {
        "content": "Fresh bread\r\nat seven",
        "account": [bot, ids["threads"]],
        f"text.{bot}": "For the channel",
        f"option.{bot}.chatId": "@bakerylima",
        f"option.{bot}.protectContent": "true",
        f"option.{ids['threads']}.poll": "Rye\r\nWheat",
        "media": [first, second],
        f"alt.{first}": "A loaf",
        "firstComment": "From seven",
        "when": "at",
        "time": "2031-02-03T09:30",
    }
    moved = browser.press(COMPOSE, act=f"later:{first}", **fields)
    assert re.findall(r'type="hidden" name="media" value="(\w+)"', moved.text) == [second, first]
    assert "Schedule for Mon 3\u00a0Feb 2031, 09:30" in moved.text
    dropped = browser.press(COMPOSE, act=f"drop:{second}", **fields)
    assert re.findall(r'type="hidden" name="media" value="(\w+)"', dropped.text) == [first]
    # A draft may be wrong, and is edited and scheduled afterwards.
    saved = location(browser.press(COMPOSE, act="draft", **fields))
    draft = post_of(owner, saved)
    assert (draft["status"], draft["content"]) == ("draft", "Fresh bread\nat seven")
    assert [(file["mediaId"], file["alt"]) for file in draft["media"]] == [(first, "A loaf"), (second, None)]
    targets = {target["accountId"]: target for target in draft["targets"]}
    assert targets[bot]["content"] == "For the channel"
    assert targets[bot]["options"] == {"chatId": "@bakerylima", "protectContent": True}
    assert targets[ids["threads"]]["options"] == {"poll": ["Rye", "Wheat"]}
    edited = browser.get(saved)
    assert "Edit draft" in edited.text
    for kept in ("For the channel", "@bakerylima", 'value="A loaf"', "Rye\nWheat", 'value="2031-02-03T09:30"'):
        assert kept in edited.text
    # Files are added without scripts, too.
    files = {"file": ("third.png", b"no picture", "image/png")}
    headers = {"Sec-Fetch-Site": "same-origin"}
    path = saved.replace(COMPOSE, f"{COMPOSE}/upload")
    assert browser.client.post(path, files=files, headers=headers).status_code in (303, 422)
    scheduled = browser.press(saved, act="at", **{**fields, "account": [bot]})
    assert location(scheduled) == f"/console/posts/{draft['id']}"
    assert post_of(owner, location(scheduled))["status"] == "scheduled"
    # A copy starts without the time.
    copied = browser.get(f"{COMPOSE}?copy={draft['id']}").text
    assert ("For the channel" in copied, "2031-02-03" in copied, "New post" in copied) == (True, False, True)
    back = location(browser.press(f"{COMPOSE}?post={draft['id']}", act="draft", content="Later", account=[bot]))
    assert post_of(owner, back)["status"] == "draft"
    owner.session.delete(f"/posts/{draft['id']}")


def test_the_next_free_slot_is_offered_and_taken(writer: tuple[OwnerFixture, dict[str, str]]) -> None:
    owner, ids = writer
    browser = signed_in(owner)
    fields = {"content": "Queued", "account": [ids["threads"]]}
    assert "Next free slot" not in browser.get(COMPOSE).text
    assert browser.press(COMPOSE, act="queue", **fields).status_code == 409
    slot = {"profileId": owner.profile_id, "weekday": "monday", "time": "09:00"}
    assert owner.session.post("/queue/slots", json=slot).status_code == 201
    assert "Next free slot: Mon" in browser.get(COMPOSE).text
    draft = location(browser.press(COMPOSE, act="draft", **fields))
    queued = post_of(owner, location(browser.press(draft, act="queue", **fields)))
    assert (queued["status"], queued["queueSlotId"] is not None) == ("scheduled", True)
    # The draft became the post.
    assert owner.session.get(f"/posts/{re.findall(r'post_[a-z0-9]+', draft)[0]}").json()["status"] == "cancelled"
    owner.session.delete(f"/posts/{queued['id']}")


def test_other_owners_posts_are_not_there(
    writer: tuple[OwnerFixture, dict[str, str]], other_owner: OwnerFixture
) -> None:
    owner, ids = writer
    browser = signed_in(owner)
    draft = location(browser.press(COMPOSE, act="draft", content="Mine"))
    stranger = signed_in(other_owner)
    assert stranger.get(draft).status_code == 404
    assert stranger.press(draft, act="draft", content="Theirs").status_code == 404
    taken = stranger.press(COMPOSE, act="now", content="Hi", account=[ids["threads"]])
    assert taken.status_code == 422
    cross = browser.client.post(draft, data={"act": "draft"}, headers={"Sec-Fetch-Site": "cross-site"})
    assert cross.status_code == 403
    assert post_of(owner, draft)["content"] == "Mine"


def test_a_profile_is_chosen_first_and_an_empty_one_says_what_to_do(owner: OwnerFixture, browser: Browser) -> None:
    assert "No account that can publish" in browser.get(COMPOSE).text
    other = owner.new_profile(SCRIPT)
    choice = browser.get(COMPOSE).text
    assert "Which profile is it for?" in choice
    assert SCRIPT not in choice
    assert f"{COMPOSE}?profile={other}" in choice


def test_it_is_live_in_a_browser(writer: tuple[OwnerFixture, dict[str, str]]) -> None:
    owner, ids = writer
    with open_browser() as chromium:
        context = chromium.new_context(base_url=owner.running.url, viewport={"width": 1440, "height": 900})
        context.add_cookies([{"name": "sg_session", "value": owner.session_token, "url": owner.running.url}])
        page = context.new_page()
        failures: list[str] = []
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.on("console", lambda message: failures.append(message.text) if message.type == "error" else None)
        page.goto(COMPOSE)
        page.locator(f'input[value="{ids["tiktok"]}"]').check()
        page.locator("#content").fill("Croissants, 41 seconds")
        # The panel of the account appears with what is wrong, and the preview with the text.
        page.get_by_text("requires a choice.").wait_for()
        page.locator(".phone.tiktok").get_by_text("Croissants, 41 seconds").wait_for()
        page.locator("label", has_text="At a time").click()
        page.locator('input[name="time"]').fill("2031-02-03T09:30")
        page.get_by_role("button", name="Schedule for Mon 3 Feb 2031, 09:30").wait_for()
        # The draft is saved by itself: a reload loses nothing.
        page.wait_for_url("**post=post_*")
        page.reload()
        assert page.locator("#content").input_value() == "Croissants, 41 seconds"
        assert page.locator('input[name="time"]').input_value() == "2031-02-03T09:30"
        page.set_viewport_size({"width": 390, "height": 844})
        assert flaws_of(page) == []
        assert failures == []
