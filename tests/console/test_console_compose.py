"""Compose: one text for many accounts, checked by the same service as the API, and never lost."""

import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from typing import Any

import pytest
import sqlalchemy as sa

from console.browser import Browser, location, signed_in
from console.loading import count_loaded_bytes
from socialgate.areas.accounts.tables import accounts
from socialgate.core.db import Tx
from socialgate.core.ids import new_id
from support.browser import BrowserWatch, flaws_of, open_browser
from support.connections import connect_accounts
from support.factories import account_on
from support.generations import PROVIDER, picture
from support.sandbox import Sandbox
from support.service import OwnerFixture, StartService

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
    # Its page names the options as their fields do.
    shown = browser.get(location(scheduled)).text
    for label, value in (("Channel or group", "@bakerylima"), ("Forbid forwarding", "Yes")):
        assert re.search(rf"<dt>{label}[^<]*</dt><dd[^>]*>{value}</dd>", shown), label
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
    assert queued["id"] in draft
    again = post_of(owner, location(browser.press(draft, act="queue", **{**fields, "content": "Queued again"})))
    assert (again["id"], again["content"], again["status"]) == (queued["id"], "Queued again", "scheduled")
    assert again["queueSlotId"] is not None
    owner.session.delete(f"/posts/{queued['id']}")


def key_of(page: str) -> str:
    """Return the key that the server wrote into the form."""
    return str(re.findall(r'name="key" value="([^"]+)"', page)[0])


@pytest.mark.both_engines
def test_a_form_stores_one_post_however_often_it_is_sent(owner: OwnerFixture, browser: Browser) -> None:
    account_on(owner, "threads")
    first, second = key_of(browser.get(COMPOSE).text), key_of(browser.get(COMPOSE).text)
    assert first != second

    def save(number: int) -> str:
        return location(browser.press(COMPOSE, act="keep", key=first, content=f"Version {number}"))

    with ThreadPoolExecutor(6) as pool:
        addresses = set(pool.map(save, range(6)))
    (post,) = owner.session.get("/posts").json()["data"]
    assert (len(addresses), post["status"], post["id"] in addresses.pop()) == (1, "draft", True)
    # Another form is another post, and so is one whose key is none of ours.
    browser.press(COMPOSE, act="draft", key=second, content="Other")
    browser.press(COMPOSE, act="draft", key="<script>", content="Third")
    assert len(owner.session.get("/posts").json()["data"]) == 3
    # What was wrong keeps its key.
    assert key_of(browser.press(COMPOSE, act="now", key=second, content="Other").text) == second


@pytest.mark.both_engines
def test_scheduling_uses_the_draft_of_the_form(owner: OwnerFixture, browser: Browser) -> None:
    account = account_on(owner, "threads")
    slot = {"profileId": owner.profile_id, "weekday": "monday", "time": "09:00"}
    assert owner.session.post("/queue/slots", json=slot).status_code == 201
    for act, fields in (("at", {"time": "2031-02-03T09:30"}), ("queue", {})):
        key = key_of(browser.get(COMPOSE).text)
        sent = {"key": key, "content": f"By {act}", "account": account, **fields}
        draft = post_of(owner, location(browser.press(COMPOSE, act="keep", **sent)))
        due = post_of(owner, location(browser.press(COMPOSE, act=act, **sent)))
        assert (due["id"], due["status"]) == (draft["id"], "scheduled")
        assert (due["queueSlotId"] is not None) == (act == "queue")
        # A save of the browser that arrives late changes nothing.
        late = location(browser.press(COMPOSE, act="keep", **{**sent, "content": "Older"}))
        assert late == f"/console/posts/{draft['id']}"
        assert post_of(owner, late) == due
    assert len(owner.session.get("/posts").json()["data"]) == 2


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
        # A busy machine takes its time; nothing here depends on how fast it is.
        context.set_default_timeout(120_000)
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
        # It begins with a time of tomorrow, and not with a mistake.
        page.get_by_role("button", name=re.compile("^Schedule for .*, 09:00$")).wait_for()
        page.locator('input[name="time"]').fill("2031-02-03T09:30")
        page.get_by_role("button", name="Schedule for Mon 3 Feb 2031, 09:30").wait_for()
        # The draft is saved by itself: a reload loses nothing, also not the time that was chosen after it was saved.
        page.wait_for_url("**post=post_*")
        assert "at=2031-02-03T09%3A30" in page.url
        page.reload()
        assert page.locator("#content").input_value() == "Croissants, 41 seconds"
        assert page.locator('input[name="time"]').input_value() == "2031-02-03T09:30"
        page.set_viewport_size({"width": 390, "height": 844})
        assert flaws_of(page) == []
        assert failures == []


async def copy_account(tx: Tx, owner_id: str, count: int) -> None:
    """Give the owner so many more accounts like the one that they have."""
    (row,) = await tx.all(sa.select(accounts).where(accounts.c.owner_id == owner_id))
    values = {column.name: getattr(row, column.name) for column in accounts.columns}
    copies = [
        {**values, "id": new_id("acc"), "name": f"Branch {number:04}", "platform_account_id": f"copy{number}"}
        for number in range(count)
    ]
    await tx.execute(sa.insert(accounts), copies)


def test_one_of_a_thousand_accounts_is_searched(owner: OwnerFixture, browser: Browser) -> None:
    account_on(owner, "threads")
    owner.running.write(copy_account, owner.id, 900)
    page = browser.get(COMPOSE)
    assert count_loaded_bytes(page) <= 100 * 1024
    assert "881\u00a0accounts more. Search to find them." in shown(page.text)
    assert "Branch 0777" not in page.text
    answer = browser.press(COMPOSE, act="check", find=" branch 077 ", content="Hi")
    ids = re.findall(r'name="account" value="(acc_\w+)"', answer.text)
    assert (len(ids), "Branch 0777" in answer.text, "more. Search" in answer.text) == (10, True, False)
    # What was chosen stays in the list, whatever is searched next.
    chosen = browser.press(COMPOSE, act="check", find="nothing like it", content="Hi", account=ids[:2])
    assert re.findall(r'name="account" value="(acc_\w+)" checked', chosen.text) == ids[:2]


def values_of(text: str) -> dict[str, str]:
    """Read the text, what it replaced, and the alternative texts that the form shows."""
    values = dict(re.findall(r'<input [^>]*name="(before|alt\.\w+)"[^>]*value="([^"]*)"', text))
    (values["content"],) = re.findall(r'name="content"[^>]*>(.*?)</textarea>', text, re.DOTALL)
    return {name: unescape(value) for name, value in values.items()}


def test_ai_writes_a_text_that_can_be_put_back(writer: tuple[OwnerFixture, dict[str, str]]) -> None:
    owner, ids = writer
    browser = signed_in(owner)
    assert "Write with AI" in browser.get(COMPOSE).text
    fields: dict[str, Any] = {"content": f"Mine {SCRIPT}", "account": [ids["threads"]], "when": "now"}
    missing = browser.press(COMPOSE, act="ask:text", **fields)
    assert (missing.status_code, "Say what to create." in missing.text) == (422, True)
    written = browser.press(COMPOSE, act="ask:text", wish="Announce our rye bread", **fields)
    assert (written.status_code, "<script>alert" in written.text) == (200, False)
    values = values_of(written.text)
    generation = newest_generation(owner)
    assert generation["result"]["variants"][0]["text"] == values["content"]
    assert generation["request"]["accountIds"] == [ids["threads"]], "its limits are those of the accounts"
    assert f"The text so far:\nMine {SCRIPT}" in generation["request"]["prompt"]
    assert values["before"] == f"Mine {SCRIPT}"
    back = browser.press(COMPOSE, act="ask:undo", **{**fields, **values})
    assert values_of(back.text) == {"content": f"Mine {SCRIPT}"}


def test_ai_translates_the_text(writer: tuple[OwnerFixture, dict[str, str]]) -> None:
    owner, ids = writer
    browser = signed_in(owner)
    nothing = browser.press(COMPOSE, act="ask:translation", wish="Portuguese", account=[ids["threads"]])
    assert (nothing.status_code, "Write a text first" in nothing.text) == (422, True)
    fields = {"content": "Fresh bread", "wish": "Portuguese", "account": [ids["threads"]]}
    translated = browser.press(COMPOSE, act="ask:translation", **fields)
    generation = newest_generation(owner)
    assert generation["request"]["language"] == "Portuguese"
    assert values_of(translated.text) == {
        "content": generation["result"]["variants"][0]["text"],
        "before": "Fresh bread",
    }


def test_ai_creates_an_image_and_describes_it(writer: tuple[OwnerFixture, dict[str, str]]) -> None:
    owner, ids = writer
    browser = signed_in(owner)
    fields: dict[str, Any] = {"content": "Rye", "account": [ids["threads"]]}
    drawn = browser.press(COMPOSE, act="ask:image", wish="A loaf of rye bread", **fields)
    (media_id,) = newest_generation(owner)["result"]["mediaIds"]
    assert f'name="media" value="{media_id}"' in drawn.text
    assert values_of(drawn.text)["content"] == "Rye", "the text stays as it is"
    described = browser.press(COMPOSE, act=f"ask:alt.{media_id}", media=[media_id], **fields)
    generation = newest_generation(owner)
    assert generation["request"]["mediaIds"] == [media_id]
    assert values_of(described.text)[f"alt.{media_id}"] == generation["result"]["variants"][0]["text"]


def test_what_ai_refuses_is_said_beside_the_wish(writer: tuple[OwnerFixture, dict[str, str]]) -> None:
    owner, ids = writer
    with Sandbox(owner.running) as sandbox:
        sandbox.control("refuse", **PROVIDER)
    refused = signed_in(owner).press(COMPOSE, act="ask:image", wish="Rye", content="Mine", account=[ids["threads"]])
    assert (refused.status_code, values_of(refused.text)["content"]) == (422, "Mine")
    assert newest_generation(owner)["error"]["detail"] in shown(refused.text)


def test_without_a_provider_compose_offers_no_ai(start_service: StartService) -> None:
    with start_service(sandbox=False) as running:
        assert "Write with AI" not in signed_in(running.new_owner()).get(COMPOSE).text


@pytest.fixture
def gallery(service: Any) -> tuple[OwnerFixture, str, str]:
    """Give an owner with an Instagram account and a panorama that Instagram would reject."""
    owner = service.new_owner()
    with Sandbox(service) as sandbox:
        connect_accounts(sandbox, owner, "meta")
    account = owner.session.get("/accounts", params={"kind": "instagram"}).json()["data"][0]["id"]
    return owner, account, picture(owner.session, size=(1600, 400))


def fit_of(owner: OwnerFixture, address: str) -> Any:
    return post_of(owner, address)["targets"][0]["fit"]


def test_each_account_says_how_files_are_made_to_fit(gallery: tuple[OwnerFixture, str, str]) -> None:
    owner, account, panorama = gallery
    browser = signed_in(owner)
    name = f"fit.{account}"
    fields: dict[str, Any] = {"content": "The mill", "account": [account], "media": [panorama]}
    padded = shown(browser.press(COMPOSE, act="check", **fields).text)
    assert "Changed for this account" in padded
    assert "As the profile says: add margins" in padded
    assert re.search(r"1600 x 400 → 1600 x \d+ with margins of #ffffff", padded)
    cropped = {**fields, f"{name}.mode": "crop", f"{name}.x": "80", f"{name}.y": "50"}
    answer = browser.press(COMPOSE, act="check", **cropped).text
    assert re.search(r"1600 x 400 → cropped to \d+ x 400", shown(answer))
    assert '<circle cx="80%" cy="50%"' in answer
    saved = location(browser.press(COMPOSE, act="draft", **cropped))
    assert fit_of(owner, saved) == {"mode": "crop", "background": None, "focus": {"x": 0.8, "y": 0.5}}
    # What is stored is what the form shows, and sending it again changes nothing.
    again = browser.get(saved).text
    assert f'name="{name}.x" min="0" max="100" value="80"' in again
    browser.press(saved, act="draft", **cropped)
    assert fit_of(owner, saved)["focus"] == {"x": 0.8, "y": 0.5}
    colored = {f"{name}.mode": "auto", f"{name}.background": "color", f"{name}.color": "#102030"}
    browser.press(saved, act="draft", **fields, **colored)
    assert fit_of(owner, saved) == {"mode": "auto", "background": "#102030", "focus": None}
    refused = browser.press(saved, act="check", **fields, **{f"{name}.mode": "none"})
    assert "aspect ratio" in shown(refused.text)
    # No browser sends these.
    for part, value in (("mode", "stretch"), ("x", "nan"), ("y", "101")):
        assert browser.press(COMPOSE, act="draft", **{**cropped, f"{name}.{part}": value}).status_code == 422


def test_what_the_form_does_not_show_of_a_file_stays(gallery: tuple[OwnerFixture, str, str]) -> None:
    owner, account, panorama = gallery
    stored = {"mediaId": panorama, "alt": "The mill", "trim": {"start": 1.0, "end": 3.0}, "coverAt": 2.0}
    body = {"profileId": owner.profile_id, "media": [stored], "targets": [{"accountId": account}], "draft": True}
    post = owner.session.post("/posts", json=body).json()
    address = f"{COMPOSE}?post={post['id']}"
    signed_in(owner).press(address, act="draft", account=[account], media=[panorama], content="At seven")
    (file,) = post_of(owner, address)["media"]
    assert (file["trim"], file["coverAt"], file["alt"]) == (stored["trim"], 2.0, None)


def test_the_focus_is_chosen_on_the_picture(gallery: tuple[OwnerFixture, str, str]) -> None:
    owner, account, panorama = gallery
    with open_browser() as chromium:
        context = chromium.new_context(base_url=owner.running.url, viewport={"width": 1440, "height": 900})
        context.add_cookies([{"name": "sg_session", "value": owner.session_token, "url": owner.running.url}])
        context.set_default_timeout(120_000)
        watch = BrowserWatch(context, owner.running.url)
        page = context.new_page()
        page.goto(COMPOSE)
        page.locator(f'input[value="{account}"]').check()
        page.locator("#content").fill("The mill")
        page.get_by_role("button", name="Library").click()
        page.locator(f'#library input[value="{panorama}"]').check()
        page.get_by_role("button", name="Add to the post").click()
        page.get_by_text("Changed for this account").wait_for()
        page.get_by_text("How files are made to fit").click()
        page.get_by_label("Files that the platform would reject").select_option("crop")
        page.get_by_text("cropped to").wait_for()
        aim = page.locator("[data-aim]")
        aim.click(position={"x": 10, "y": 10})
        left = page.get_by_label("From left to right")
        assert int(left.input_value()) < 10
        # The keyboard moves the same point.
        left.focus()
        page.keyboard.press("End")
        assert aim.locator("circle").get_attribute("cx") == "100%"
        page.set_viewport_size({"width": 390, "height": 844})
        assert flaws_of(page) == []
        assert watch.complaints == []


def newest_generation(owner: OwnerFixture) -> dict[str, Any]:
    generation: dict[str, Any] = owner.session.get("/ai/generations").json()["data"][0]
    return generation
