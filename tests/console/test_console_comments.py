"""Comments and leads: what people wrote below posts and into forms, and what the team does with it."""

import html
import re
from collections.abc import Iterator

import pytest

from areas.test_comments import Corner
from areas.test_comments_received import PLACE
from console.browser import location, signed_in
from socialgate.areas.posts.tables import posts, targets
from socialgate.core.db import Tx
from support.factories import account_on
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService

SCRIPT = "<script>alert('x')</script>\"'"


@pytest.fixture(scope="module")
def sandbox(service: RunningService) -> Iterator[Sandbox]:
    with Sandbox(service) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def corner(service: RunningService, sandbox: Sandbox) -> Corner:
    return Corner(sandbox, OwnerFixture(service), "facebook_page")


def test_a_comment_is_answered_hidden_and_deleted(corner: Corner) -> None:
    browser = signed_in(corner.owner)
    comment_id = corner.said(f"How much? {SCRIPT}")
    query = f"?account={corner.account_id}&post={corner.post['id']}"
    shown = browser.get(f"/console/comments{query}").text
    assert "How much? &lt;script&gt;" in shown
    assert "<script>alert" not in shown
    path = f"/console/comments/{corner.account_id}"
    back = f"/console/comments{query}"
    assert location(browser.press(f"{path}/reply{query}", commentId=comment_id, text="Two soles.")) == back
    assert "Two soles." in corner.texts()
    assert location(browser.press(f"{path}/private{query}", commentId=comment_id, text="Only for you")) == back
    assert "Only for you" in html.unescape(browser.get("/console/inbox").text)
    assert location(browser.press(f"{path}/hide{query}", commentId=comment_id)) == back
    assert "Hidden" in browser.get(back).text
    assert location(browser.press(f"{path}/show{query}", commentId=comment_id)) == back
    empty = browser.press(f"{path}/reply{query}", commentId=comment_id, text="")
    assert (empty.status_code, "This cannot be left empty." in empty.text) == (422, True)
    assert location(browser.press(f"{path}/delete{query}", commentId=comment_id)) == back
    assert "How much?" not in browser.get(back).text


def test_a_lead_moves_over_the_board(corner: Corner) -> None:
    browser, session = signed_in(corner.owner), corner.owner.session
    questions = [{"type": "full_name"}, {"type": "email"}]
    new_form = {"name": "Order a cake", "questions": questions, "privacyPolicyUrl": "https://bakery.example/privacy"}
    form = session.post(f"/accounts/{corner.account_id}/lead-forms", json=new_form).json()
    lead = session.post(f"/accounts/{corner.account_id}/lead-forms/{form['id']}/test-webhook").json()
    path = f"/console/leads/{corner.account_id}/{lead['id']}"
    query = f"?account={corner.account_id}"
    assert path in browser.get(f"/console/leads{query}").text
    assert location(browser.press(f"{path}/move{query}", state="contacted")) == f"/console/leads{query}"
    shown = browser.get(path).text
    for answer in lead["answers"]:
        assert html.escape(str(answer["valueLabel"] or answer["value"]), quote=False) in shown.replace("&#39;", "'")
    (version,) = re.findall(r'name="version" value="([^"]+)"', shown)
    fields = {"state": "qualified", "assignee": SCRIPT, "note": SCRIPT, "version": html.unescape(version)}
    assert location(browser.press(f"{path}/change", **fields)) == path
    assert "<script>alert" not in browser.get(path).text
    # Somebody else changed it in between.
    assert browser.press(f"{path}/change", **fields).status_code == 412
    table = browser.press(f"/console/leads/{corner.account_id}/export")
    assert (table.status_code, table.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    assert lead["platformLeadId"] in table.text
    assert location(browser.press(f"{path}/erase")) == f"/console/leads?account={corner.account_id}"
    assert browser.get(path).status_code == 404


def test_thousands_of_leads_are_listed_by_state(corner: Corner) -> None:
    browser, session = signed_in(corner.owner), corner.owner.session
    questions = [{"type": "full_name"}]
    new_form = {"name": "Many", "questions": questions, "privacyPolicyUrl": "https://bakery.example/privacy"}
    form = session.post(f"/accounts/{corner.account_id}/lead-forms", json=new_form).json()
    path = f"/accounts/{corner.account_id}/lead-forms/{form['id']}/test-webhook"
    created = [session.post(path).json()["id"] for _ in range(52)]
    board = f"/console/leads?account={corner.account_id}"
    shown = browser.get(board).text
    assert (created[-1] in shown, created[0] in shown) == (True, False)
    all_new = f"{board}&state=new"
    assert html.escape(all_new) in shown
    first = browser.get(all_new).text
    link = html.unescape(re.findall(r'rel="next" href="([^"]+)"', first)[0])
    second = browser.get(link).text
    pages = [[lead_id for lead_id in created if lead_id in page] for page in (first, second)]
    assert sorted(pages[0] + pages[1]) == sorted(created)
    assert 'rel="next"' not in second
    moved = f"/console/leads/{corner.account_id}/{created[0]}"
    back = location(browser.press(link.replace("/console/leads", f"{moved}/move", 1), state="lost"))
    assert back == link
    # However many there are, the history of each is shown.
    assert "New → Lost" in browser.get(moved).text
    assert browser.get(f"{board}&state=odd").status_code == 422


async def mark_published(tx: Tx, owner_id: str, post_id: str) -> None:
    of_post = (targets.c.owner_id == owner_id) & (targets.c.post_id == post_id)
    await tx.execute(targets.update().where(of_post).values(status="published", platform_post_id="localPosts/1"))
    of_owner = (posts.c.owner_id == owner_id) & (posts.c.id == post_id)
    await tx.execute(posts.update().where(of_owner).values(status="published"))


def test_a_whole_account_is_shown_where_the_platform_lists_it(owner: OwnerFixture, sandbox: Sandbox) -> None:
    account_on(owner, "google")
    rows = owner.session.get("/accounts").json()["data"]
    place = next(row for row in rows if row["platformAccountId"].endswith(PLACE))
    body = {"profileId": owner.profile_id, "content": "Open on Sunday", "targets": [{"accountId": place["id"]}]}
    post = owner.session.post("/posts", json={**body, "draft": True}).json()
    owner.running.write(mark_published, owner.id, post["id"])
    text = f"Best bread {SCRIPT}"
    sandbox.control("review", platform="google", account=PLACE, stars=5, text=text, person="dario")
    browser = signed_in(owner)
    everything = f"/console/comments?account={place['id']}"
    whole = browser.get(everything).text
    assert ("Best bread &lt;script&gt;" in whole, "<script>alert" in whole) == (True, False)
    assert f'href="{everything}" aria-current="true">All comments of this account' in whole
    of_post = browser.get(f"{everything}&post={post['id']}").text
    assert f'href="{everything}">All comments of this account' in of_post


def test_comments_open_on_an_account_that_works(owner: OwnerFixture) -> None:
    account_on(owner, "google")
    browser = signed_in(owner)
    accounts = owner.session.get("/accounts", params={"kind": "google_business"}).json()["data"]
    failing = [
        account["id"]
        for account in accounts
        if 'class="note bad"' in browser.get(f"/console/comments?account={account['id']}").text
    ]
    # Google shows nothing of a place that it has not verified. Its page says so, once somebody chooses it.
    assert 0 < len(failing) < len(accounts)
    opened = browser.get("/console/comments").text
    assert 'class="note bad"' not in opened
    (chosen,) = re.findall(r'<option value="(acc_\w+)" selected>', opened)
    assert chosen not in failing


def test_leads_open_on_an_account_that_has_some(owner: OwnerFixture) -> None:
    account_on(owner, "meta")
    pages = owner.session.get("/accounts", params={"kind": "facebook_page"}).json()["data"]
    assert len(pages) > 1
    # The one that is listed last.
    account_id = pages[-1]["id"]
    new_form = {"name": "Cakes", "questions": [{"type": "email"}], "privacyPolicyUrl": "https://bakery.example/privacy"}
    form = owner.session.post(f"/accounts/{account_id}/lead-forms", json=new_form).json()
    lead = owner.session.post(f"/accounts/{account_id}/lead-forms/{form['id']}/test-webhook").json()
    browser = signed_in(owner)
    assert lead["id"] in browser.get("/console/leads").text
    assert "No leads yet" in browser.get(f"/console/leads?account={pages[0]['id']}").text


def test_others_see_nothing_of_it(corner: Corner, other_owner: OwnerFixture) -> None:
    browser = signed_in(other_owner)
    assert browser.press(f"/console/comments/{corner.account_id}/reply", commentId="1", text="x").status_code == 404
    assert browser.press(f"/console/leads/{corner.account_id}/export").status_code == 404
    for page in ("comments", "leads"):
        assert "Connect an account" in browser.get(f"/console/{page}").text
