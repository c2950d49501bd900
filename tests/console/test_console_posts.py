"""Posts: finding one, what became of it on each account, and each way to go on."""

import html
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from PIL import Image

from console.browser import Browser, location, signed_in
from console.sample import draw_picture
from socialgate.areas.posts.tables import posts, targets
from socialgate.core.db import Tx
from support.conversions import save
from support.factories import account_on
from support.sandbox import Sandbox
from support.service import OwnerFixture, StartService
from support.waiting import eventually

POSTS = "/console/posts"
SCRIPT = "<script>alert('x')</script>"
FAILURE = {"error": {"message": f"No {SCRIPT}", "type": "OAuthException", "code": 100}}


def create(owner: OwnerFixture, content: str, **fields: Any) -> str:
    body = {"profileId": owner.profile_id, "content": content, **fields}
    answer = owner.session.post("/posts", json=body)
    assert answer.is_success, answer.text
    return str(answer.json()["id"])


def status_of(owner: OwnerFixture, post_id: str) -> str:
    return str(owner.session.get(f"/posts/{post_id}").json()["status"])


@pytest.mark.both_engines
def test_a_post_is_found_by_each_filter(owner: OwnerFixture, browser: Browser) -> None:
    empty = browser.get(POSTS).text
    assert ("No posts yet" in empty, "Connect an account" in empty, "Write a post" in empty) == (True, True, False)
    account = account_on(owner, "threads")
    empty = browser.get(POSTS).text
    assert ("Connect an account" in empty, "Write a post" in empty) == (False, True)
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    draft = create(owner, "A loaf", draft=True)
    due = create(owner, "A roll", targets=[{"accountId": account}], scheduledFor=tomorrow.isoformat())
    for query, expected in (
        ("", {draft, due}),
        ("?status=draft", {draft}),
        ("?text=roll", {due}),
        ("?platform=threads", {due}),
        (f"?account={account}", {due}),
        (f"?since={tomorrow:%Y-%m-%d}", {due}),
        (f"?until={tomorrow - timedelta(days=1):%Y-%m-%d}", {draft}),
        ("?status=failed", set()),
    ):
        text = browser.get(POSTS + query).text
        assert {post for post in (draft, due) if f"{POSTS}/{post}" in text} == expected, query
    assert browser.get(f"{POSTS}?since=yesterday").status_code == 422


def test_long_lists_lead_on_and_keep_the_filter(owner: OwnerFixture, browser: Browser) -> None:
    created = [create(owner, f"number {number}", draft=True) for number in range(26)]
    first = browser.get(f"{POSTS}?status=draft").text
    assert created[-1] in first
    assert created[0] not in first
    link = html.unescape(first.partition('rel="next" href="')[2].partition('"')[0])
    assert "status=draft" in link
    assert created[0] in browser.get(link).text


def test_an_outcome_is_explained_and_tried_again(owner: OwnerFixture, browser: Browser) -> None:
    account = account_on(owner, "threads")
    with Sandbox(owner.running) as sandbox:
        sandbox.control("fail", platform="threads", path="*/threads", method="POST", status=400, body=FAILURE, times=1)
        post = create(owner, SCRIPT, targets=[{"accountId": account}])
        eventually(lambda: status_of(owner, post) == "failed")
    path = f"{POSTS}/{post}"
    for page in (browser.get(path), browser.get(POSTS), browser.get("/console")):
        assert SCRIPT not in page.text
        assert "&lt;script&gt;" in page.text
        assert ">Failed</span>" in page.text
    assert 'class="timeline"' in browser.get(path).text
    assert location(browser.press(f"{path}/retry")) == path
    eventually(lambda: status_of(owner, post) == "published")
    assert ">Published</span>" in browser.get(path).text
    nothing = browser.press(f"{path}/retry")
    assert (nothing.status_code, 'role="alert"' in nothing.text) == (409, True)


def test_a_lost_permission_leads_to_the_account(owner: OwnerFixture, browser: Browser) -> None:
    account = account_on(owner, "threads")
    denied = {"error": {"message": "No permission", "type": "OAuthException", "code": 10}}
    with Sandbox(owner.running) as sandbox:
        sandbox.control("fail", platform="threads", path="*/threads", method="POST", status=400, body=denied, times=1)
        post = create(owner, "Rye bread", targets=[{"accountId": account}])
        eventually(lambda: status_of(owner, post) == "failed")
    assert f'/console/accounts/{account}">Open the account</a>' in browser.get(f"{POSTS}/{post}").text


async def spread_over_a_day(tx: Tx, owner_id: str, post_ids: list[str]) -> None:
    """Have posts published every 20 minutes, the eleventh now."""
    for number, post_id in enumerate(post_ids):
        times = {"status": "published", "scheduled_for": tx.now + timedelta(minutes=20 * (number - 10))}
        await tx.execute(posts.update().where(posts.c.owner_id == owner_id, posts.c.id == post_id).values(times))


def test_home_shows_the_posts_around_this_time_and_counts_all_of_today(owner: OwnerFixture, browser: Browser) -> None:
    # Where it is noon now, all of them are of today. The names of these zones have the opposite sign.
    zone = f"Etc/GMT{datetime.now(UTC).hour - 12:+d}"
    owner.session.patch(f"/profiles/{owner.profile_id}", json={"timezone": zone})
    created = [create(owner, f"number {number}", draft=True) for number in range(21)]
    owner.running.write(spread_over_a_day, owner.id, created[:20])
    text = browser.get("/console").text
    assert [number for number, post in enumerate(created) if f"{POSTS}/{post}" in text] == list(range(7, 19))
    assert '<span title="20">20</span>' in text
    assert "8 more today" in text


async def lose_outcome(tx: Tx, owner_id: str, post_id: str) -> None:
    """Leave a post as it is when the answer of the platform was lost and nothing was found there."""
    of_post = (targets.c.owner_id == owner_id) & (targets.c.post_id == post_id)
    error = {
        "code": "outcome_unknown",
        "category": "outcome_unknown",
        "source": "platform",
        "detail": "The response was lost.",
        "retryable": False,
    }
    await tx.execute(targets.update().where(of_post).values(status="unconfirmed", error=error))
    of_owner = (posts.c.owner_id == owner_id) & (posts.c.id == post_id)
    await tx.execute(posts.update().where(of_owner).values(status="publishing"))


def test_a_post_in_progress_reloads_and_an_unknown_outcome_is_decided(owner: OwnerFixture, browser: Browser) -> None:
    account = account_on(owner, "threads")
    post = create(owner, "Lost?", targets=[{"accountId": account}], draft=True)
    owner.running.write(lose_outcome, owner.id, post)
    path = f"{POSTS}/{post}"
    shown = browser.get(path)
    assert "Check whether the post is there, and choose what you found." in shown.text
    assert shown.headers["refresh"] == "3"
    wrong = browser.press(f"{path}/reconcile", accountId=account, published="yes", url="nowhere")
    assert (wrong.status_code, 'id="fault-url"' in wrong.text, "refresh" in wrong.headers) == (422, True, False)
    confirmed = browser.press(f"{path}/reconcile", accountId=account, published="yes", url="https://example.com/17")
    assert location(confirmed) == path
    assert status_of(owner, post) == "published"
    assert browser.press(f"{path}/ask").status_code == 409


def test_a_post_whose_files_are_being_changed_leads_to_their_tasks(start_service: StartService) -> None:
    with start_service(worker="separate") as running:
        owner = running.new_owner()
        browser = signed_in(owner)
        bun = save(Image.new("RGB", (64, 64), "teal"), "BMP")
        uploaded = owner.session.post("/upload", params={"fileName": "bun.bmp"}, content=bun)
        targets = [{"accountId": account_on(owner, "threads")}]
        post = create(owner, "Buns", media=[{"mediaId": uploaded.json()["id"]}], targets=targets)
        shown = browser.get(f"{POSTS}/{post}").text
        assert "Its files are being changed so that Threads accepts them." in shown
        assert 'href="/console/tasks"' in shown
        assert "Change a file to fit a platform" in browser.get("/console/tasks").text


def test_a_post_is_published_duplicated_and_deleted(owner: OwnerFixture, browser: Browser) -> None:
    account = account_on(owner, "threads")
    picture = owner.session.post("/upload", content=draw_picture("teal"), headers={"Content-Type": "image/jpeg"}).json()
    media = [{"mediaId": picture["id"], "alt": "A loaf"}]
    post = create(owner, "Fresh bread", media=media, targets=[{"accountId": account}], draft=True)
    path = f"{POSTS}/{post}"
    assert 'alt="A loaf"' in browser.get(path).text
    copy = location(browser.press(f"{path}/duplicate"))
    copied = owner.session.get(copy.removeprefix("/console")).json()
    assert (copied["status"], copied["content"], copied["media"][0]["mediaId"]) == (
        "draft",
        "Fresh bread",
        picture["id"],
    )
    assert location(browser.press(f"{copy}/delete")) == POSTS
    assert "The post was cancelled." in browser.get(POSTS).text
    assert location(browser.press(f"{path}/publish")) == path
    eventually(lambda: status_of(owner, post) == "published")
    refused = browser.press(f"{path}/delete")
    assert refused.status_code == 409
    assert location(browser.press(f"{path}/delete", platforms="no")) == POSTS
    assert browser.get(path).status_code == 404


def test_a_duplicate_keeps_how_its_files_are_edited(owner: OwnerFixture, browser: Browser) -> None:
    picture = owner.session.post("/upload", content=draw_picture("teal"), headers={"Content-Type": "image/jpeg"}).json()
    media = [{"mediaId": picture["id"], "trim": {"start": 1.5, "end": 4}, "coverAt": 2}]
    target = {"accountId": account_on(owner, "threads"), "media": media, "fit": {"mode": "crop"}}
    post = create(owner, "Fresh bread", media=media, targets=[target], draft=True)
    copy = location(browser.press(f"{POSTS}/{post}/duplicate"))
    before, after = (owner.session.get(path).json() for path in (f"/posts/{post}", copy.removeprefix("/console")))
    assert (after["id"] != before["id"], after["media"], after["targets"]) == (True, before["media"], before["targets"])
    assert (after["media"][0]["coverAt"], after["targets"][0]["fit"]["mode"]) == (2, "crop")


def test_the_post_of_another_owner_is_not_found(other_owner: OwnerFixture, browser: Browser) -> None:
    path = f"{POSTS}/{create(other_owner, 'Theirs', draft=True)}"
    assert browser.get(path).status_code == 404
    for button in ("retry", "publish", "ask", "duplicate", "delete"):
        assert browser.press(f"{path}/{button}").status_code == 404, button
