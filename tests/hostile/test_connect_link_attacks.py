"""Attacks on connect links: tampering, guessing, reuse, two people at once, frames, and markup in every name."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from markupsafe import escape

from support.accounts import list_all
from support.connect_links import Visitor, create_link, find_action, list_choices
from support.connections import get_connect_fields, new_number
from support.sandbox import Connection, Sandbox
from support.service import OwnerFixture, StartService

EVIL = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
# Another person of the simulated Meta.
BRAM = "122097438912000202"
PAGES = ("", "/form/telegram_bot", "/done", "/failed?error=x", "/code/acc_1", "/choose/meta/x", "/begin", "/nothing")


@pytest.fixture
def sandbox(owner: OwnerFixture) -> Iterator[Sandbox]:
    with Sandbox(owner.running) as running:
        yield running


def require_harmless(page: httpx.Response, holders: str = "'none'") -> str:
    """Check that nothing can run in a page, that nobody keeps it, and that only these may show it in a frame."""
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'")
    assert policy.endswith(f"; frame-ancestors {holders}")
    assert "script-src" not in policy
    assert "unsafe" not in policy
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "same-origin"
    assert page.headers["x-robots-tag"] == "noindex"
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "<script" not in page.text
    assert not re.search(r"\son\w+=|\sstyle=", re.sub(r"&[^;]+;", "", page.text))
    return page.text


def test_a_token_is_not_guessed_or_changed(owner: OwnerFixture) -> None:
    link = create_link(owner)
    path = urlsplit(link["url"]).path
    visitor = Visitor(owner.running)
    swapped = path.swapcase().replace("/C/", "/c/")
    tokens = [path[:-1], path + "A", swapped, "/c/x", "/c/" + "A" * 43, f"/c/{link['id']}", path + "%00", path + "%20"]
    pages = {require_harmless(visitor.get(wrong)) for wrong in tokens if "%00" not in wrong}
    assert {visitor.get(wrong).status_code for wrong in tokens} == {404}
    # Nobody learns which part was right.
    assert len(pages) == 1
    assert visitor.get(f"/c/back/{link['id']}?platform=meta").status_code == 404
    assert list(visitor.http.cookies.jar) == []


def test_nothing_else_is_there(owner: OwnerFixture) -> None:
    visitor = Visitor(owner.running, create_link(owner, platforms=["telegram"])["url"])
    visitor.get()
    token = visitor.path.rpartition("/")[2]
    for headers in ({"Authorization": f"Bearer {token}"}, {"Cookie": f"sg_session={token}"}):
        assert visitor.http.get("/accounts", headers=headers).status_code == 401
    assert "/console/login" in visitor.get("/console").headers["location"]
    assert owner.profile_id not in visitor.get().text
    for method, page in (("POST", ""), ("DELETE", ""), ("PUT", "/done"), ("POST", "/done")):
        assert visitor.http.request(method, visitor.path + page).status_code == 405


def test_a_deleted_link_is_dead_everywhere(owner: OwnerFixture, sandbox: Sandbox) -> None:
    link = create_link(owner, uses=5)
    visitor = Visitor(owner.running, link["url"])
    visitor.get()
    choice = visitor.sign_in(sandbox, "instagram")
    consent = visitor.begin("threads")
    assert owner.session.delete(f"/connect/links/{link['id']}").status_code == 200
    for page in PAGES:
        assert visitor.get(visitor.path + page).status_code in {404, 405}
    fields = get_connect_fields(sandbox, "telegram")
    assert visitor.press(f"{visitor.path}/form/telegram_bot", **fields).status_code == 404
    assert visitor.press(find_action(choice), id=list_choices(choice)[:1]).status_code == 404
    # A person who was on the platform at that time connects nothing either.
    assert visitor.come_back(sandbox.decide(consent)).status_code == 404
    assert list_all(owner) == []


def test_two_people_with_one_link_never_meet(owner: OwnerFixture, sandbox: Sandbox) -> None:
    link = create_link(owner, uses=5)
    mine, theirs = Visitor(owner.running, link["url"]), Visitor(owner.running, link["url"])
    mine.get()
    theirs.get()
    choice = mine.sign_in(sandbox, "instagram")
    path, ids = find_action(choice), list_choices(choice)
    # The other has the whole address, and sees and connects nothing.
    assert theirs.get(path).status_code == 410
    assert theirs.press(path, id=ids).status_code == 410
    # Nor does the page for everybody else accept the ticket.
    ticket = path.rpartition("/")[2]
    everywhere = theirs.http.post("/connect/meta/choose", data={"ticket": ticket, "id": ids})
    assert everywhere.status_code == 410
    assert list_all(owner) == []
    # A later sign-in for the same profile does not replace what was granted before.
    Connection(sandbox, owner, "meta", redirectUrl=f"{owner.running.url}/console").finish(person=BRAM)
    assert list_choices(mine.get(path)) == ids
    mine.choose(choice, ids[0])
    (account,) = list_all(owner)
    assert str(escape(account["name"])) in mine.get(f"{mine.path}/done").text
    assert theirs.get(f"{theirs.path}/done").headers["location"] == theirs.path
    form = f"{mine.path}/form/whatsapp_qr"
    code = mine.press(form, name="Shop", phoneNumber=new_number(sandbox)).headers["location"]
    assert mine.get(code).status_code == 200
    assert theirs.get(code).status_code == 404
    # A state belongs to the browser that started.
    location = sandbox.decide(mine.begin("threads"))
    assert theirs.come_back(location).status_code == 403
    assert ">Connected</h1>" in mine.come_back(location).text


def test_a_cookie_of_another_link_opens_nothing(owner: OwnerFixture, other_owner: OwnerFixture) -> None:
    first = Visitor(owner.running, create_link(owner)["url"])
    other = create_link(other_owner)
    second = Visitor(owner.running, other["url"])
    first.get()
    second.get()
    (mine,), (theirs,) = list(first.http.cookies.jar), list(second.http.cookies.jar)
    assert mine.name != theirs.name
    first.http.cookies.set(theirs.name, str(mine.value))
    assert first.get(f"/c/back/{other['id']}?platform=meta").status_code == 404


def test_a_form_of_another_site_is_refused(owner: OwnerFixture) -> None:
    visitor = Visitor(owner.running, create_link(owner)["url"])
    visitor.get()
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example.com"}, {}):
        for page, fields in (("/begin", {"kind": "threads"}), ("/form/telegram_bot", {"botToken": "1:a"})):
            answer = visitor.http.post(visitor.path + page, data=fields, headers=headers)
            assert answer.status_code == 403
            require_harmless(answer)


def test_the_profile_of_the_link_cannot_be_changed(owner: OwnerFixture, sandbox: Sandbox) -> None:
    second = owner.new_profile("Second")
    visitor = Visitor(owner.running, create_link(owner, platforms=["telegram"])["url"])
    visitor.get()
    fields = get_connect_fields(sandbox, "telegram")
    visitor.press(f"{visitor.path}/form/telegram_bot", profileId=second, **fields)
    assert [account["profileId"] for account in list_all(owner)] == [owner.profile_id]


@pytest.mark.parametrize("origins", [[], ["https://app.example.com", "https://b.example.com:8443"]])
def test_only_named_origins_may_frame_a_page(origins: list[str], owner: OwnerFixture) -> None:
    visitor = Visitor(owner.running, create_link(owner, embedOrigins=origins)["url"])
    for page in ("", "/form/telegram_bot", "/form/nothing", "/failed?error=x", "/code/acc_1", "/choose/meta/x"):
        require_harmless(visitor.get(visitor.path + page), " ".join(origins) or "'none'")


def test_markup_stays_text(owner: OwnerFixture, sandbox: Sandbox) -> None:
    visitor = Visitor(owner.running, create_link(owner, brand={"name": EVIL[:60]})["url"])
    assert str(escape(EVIL[:60])) in require_harmless_text(visitor.get())
    form = f"{visitor.path}/form/whatsapp_qr"
    assert str(escape(EVIL)) in require_harmless_text(visitor.press(form, name=EVIL, phoneNumber="1"))
    code = visitor.follow(visitor.press(form, name=EVIL, phoneNumber=new_number(sandbox)))
    assert str(escape(EVIL)) in require_harmless_text(code)
    require_harmless_text(visitor.get(f"{visitor.path}/failed?platform=meta&error={EVIL}"))
    require_harmless_text(visitor.get(f"{visitor.path}/form/{EVIL.replace('/', '')}"))


def require_harmless_text(page: httpx.Response) -> str:
    assert "<script" not in page.text
    assert "<img src=x" not in page.text
    return page.text


def test_cookies_reach_a_frame_only_where_it_is_named(start_service: StartService) -> None:
    with start_service(base_url="https://social.example.com") as running:
        owner = running.new_owner()
        plain, framed = create_link(owner), create_link(owner, embedOrigins=["https://app.example.com"])
        cookie = Visitor(running, plain["url"]).get().headers["set-cookie"]
        assert cookie.endswith("; HttpOnly; SameSite=Lax; Secure")
        cookie = Visitor(running, framed["url"]).get().headers["set-cookie"]
        assert cookie.endswith("; HttpOnly; SameSite=None; Secure; Partitioned")
        assert "; Path=/c; " in cookie


def test_an_address_cannot_try_forever(start_service: StartService) -> None:
    with start_service(connect_page_limit=5) as running:
        visitor = Visitor(running)
        statuses = [visitor.get(f"/c/guess{number}").status_code for number in range(20)]
        assert set(statuses) == {404, 429}
        refused = visitor.get("/c/guess")
        assert int(refused.headers["retry-after"]) > 0
        require_harmless(refused)


def test_a_plan_without_room_is_said_in_plain_words(start_service: StartService, tmp_path: Path) -> None:
    plans = tmp_path / "plans.toml"
    plans.write_text("[tiny]\nconnectedAccounts = 0\n", encoding="utf-8")
    with start_service(plans_file=plans, default_plan="tiny") as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        visitor = Visitor(running, create_link(owner)["url"])
        visitor.get()
        fields = get_connect_fields(sandbox, "telegram")
        refused = visitor.press(f"{visitor.path}/form/telegram_bot", **fields)
        assert (refused.status_code, "No more accounts can be connected" in refused.text) == (402, True)
        assert "No more accounts can be connected" in visitor.sign_in(sandbox, "threads").text
        assert list_all(owner) == []
