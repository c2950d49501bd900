"""Connect links: what they can be created with, who sees them, how often and how long they work."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import msgspec
import pytest
import sqlalchemy as sa

from socialgate.areas.connect_links.service import MAX_LIVE_LINKS
from socialgate.areas.connect_links.store import (
    connect_link_uses,
    connect_links,
    purge_links,
    purge_uses,
    read_link,
)
from socialgate.core.db import Tx
from support.accounts import list_all
from support.connect_links import Visitor, create_link, find_back
from support.connections import get_connect_fields, session_of
from support.database import rows
from support.parallel import run_simultaneously
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, StartService

PATH = "/connect/links"


async def insert_links(tx: Tx, values: list[dict[str, Any]]) -> None:
    await tx.execute(sa.insert(connect_links), values)


def post(owner: OwnerFixture, **fields: Any) -> httpx.Response:
    return owner.session.post(PATH, json={"profileId": owner.profile_id, **fields})


@pytest.mark.both_engines
def test_a_link_is_created_listed_and_deleted(owner: OwnerFixture) -> None:
    created = create_link(owner, platforms=["telegram", "meta", "meta"], brand={"name": "Ada", "color": "#0F766E"})
    token = created["url"].rpartition("/")[2]
    assert created["url"] == f"{owner.running.url}/c/{token}"
    assert created["platforms"] == ["meta", "telegram"]
    assert (created["uses"], created["embedOrigins"], created["accountIds"]) == (1, [], [])
    life = datetime.fromisoformat(created["expiresAt"]) - datetime.now(UTC)
    assert timedelta(hours=23) < life <= timedelta(hours=24, minutes=1)
    second = create_link(owner, expiresInHours=168, uses=3)
    listed = owner.session.get(PATH, params={"limit": 1}).json()
    assert [item["id"] for item in listed["data"]] == [second["id"]]
    rest = owner.session.get(PATH, params={"limit": 1, "cursor": listed["nextCursor"]}).json()["data"]
    shown = owner.session.get(f"{PATH}/{created['id']}").json()
    assert rest == [shown]
    assert "url" not in shown
    (stored,) = rows(owner.running, sa.select(connect_links).where(connect_links.c.id == created["id"]))
    assert token not in str(tuple(stored))
    assert owner.session.get(PATH, params={"profileId": owner.profile_id}).json()["nextCursor"] is None
    assert owner.session.delete(f"{PATH}/{created['id']}").json() == {"id": created["id"], "deleted": True}
    problem_of(owner.session.delete(f"{PATH}/{created['id']}"), 404, "not_found")
    problem_of(owner.session.get(f"{PATH}/{created['id']}"), 404, "not_found")
    assert Visitor(owner.running, created["url"]).get().status_code == 404


def test_the_url_is_in_the_first_response_only(owner: OwnerFixture) -> None:
    headers = {"Idempotency-Key": "one-link"}
    first = owner.session.post(PATH, json={"profileId": owner.profile_id}, headers=headers).json()
    again = owner.session.post(PATH, json={"profileId": owner.profile_id}, headers=headers).json()
    url = first.pop("url")
    assert again == {**first, "secretWithheld": True}
    assert url not in str(again)
    assert len(owner.session.get(PATH).json()["data"]) == 1


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"expiresInHours": 0}, "/expiresInHours"),
        ({"expiresInHours": 169}, "/expiresInHours"),
        ({"uses": 0}, "/uses"),
        ({"platforms": []}, "/platforms"),
        ({"platforms": ["myspace"]}, "/platforms/0"),
        ({"brand": {"color": "red"}}, "/brand/color"),
        ({"brand": {"color": "#12345;"}}, "/brand/color"),
        ({"brand": {"color": "#123456\n"}}, "/brand/color"),
        ({"brand": {"name": " "}}, "/brand/name"),
        ({"brand": {"name": "x" * 61}}, "/brand/name"),
        ({"brand": {"logoMediaId": "med_1"}}, "/brand/logoMediaId"),
        ({"embedOrigins": ["https://a.example.com/path"]}, "/embedOrigins/0"),
        ({"embedOrigins": ["http://a.example.com"]}, "/embedOrigins/0"),
        ({"embedOrigins": ["https://*.example.com"]}, "/embedOrigins/0"),
        ({"embedOrigins": ["https://a.example.com; script-src *"]}, "/embedOrigins/0"),
        ({"embedOrigins": ["https://user@a.example.com"]}, "/embedOrigins/0"),
        ({"embedOrigins": ["*"]}, "/embedOrigins/0"),
        ({"redirectUrl": "https://elsewhere.example.com"}, "/redirectUrl"),
        ({"redirectUrl": "javascript:alert(1)"}, "/redirectUrl"),
        ({"redirectUrl": "http://localhost:3000/#x"}, "/redirectUrl"),
        ({"redirectUrl": "https://elsewhere.example.com\\@localhost"}, "/redirectUrl"),
    ],
)
def test_what_is_wrong_is_named(fields: dict[str, Any], pointer: str, owner: OwnerFixture) -> None:
    answer = post(owner, **fields)
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert owner.session.get(PATH).json()["data"] == []


def test_a_logo_is_an_image_of_the_owner(owner: OwnerFixture, other_owner: OwnerFixture) -> None:
    png = bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001"
        "e221bc330000000049454e44ae426082"
    )
    theirs = other_owner.session.post("/upload", content=png, headers={"Content-Type": "image/png"}).json()
    assert post(owner, brand={"logoMediaId": theirs["id"]}).status_code == 422
    text = owner.session.post("/upload", content=b"%PDF-1.4 x", headers={"Content-Type": "application/pdf"}).json()
    if "id" in text:
        assert post(owner, brand={"logoMediaId": text["id"]}).json()["errors"][0]["code"] == "media_type"
    mine = owner.session.post("/upload", content=png, headers={"Content-Type": "image/png"}).json()
    link = create_link(owner, brand={"logoMediaId": mine["id"], "name": "Ada"})
    visitor = Visitor(owner.running, link["url"])
    logo = visitor.get().text.partition('<img src="')[2].partition('"')[0].replace("&amp;", "&")
    assert visitor.http.get(logo).content == png
    owner.session.delete(f"/media/{mine['id']}")
    assert '<strong dir="auto">Ada</strong>' in visitor.get().text


def test_a_link_belongs_to_a_profile_that_the_credential_covers(owner: OwnerFixture, other_owner: OwnerFixture) -> None:
    second = owner.new_profile("Second")
    link, other = create_link(owner), create_link(owner, profileId=second)
    problem_of(post(owner, profileId=other_owner.profile_id), 404, "not_found")
    problem_of(other_owner.session.get(f"{PATH}/{link['id']}"), 404, "not_found")
    problem_of(other_owner.session.delete(f"{PATH}/{link['id']}"), 404, "not_found")
    limited = owner.limited_key(second)
    assert [item["id"] for item in limited.get(PATH).json()["data"]] == [other["id"]]
    problem_of(limited.post(PATH, json={"profileId": owner.profile_id}), 403, "out_of_scope")
    problem_of(limited.get(f"{PATH}/{link['id']}"), 403, "out_of_scope")
    problem_of(limited.delete(f"{PATH}/{link['id']}"), 403, "out_of_scope")
    read_only = owner.key(permission="read")
    problem_of(read_only.post(PATH, json={"profileId": owner.profile_id}), 403, "read_only_key")
    problem_of(read_only.delete(f"{PATH}/{link['id']}"), 403, "read_only_key")
    assert read_only.get(f"{PATH}/{link['id']}").status_code == 200
    problem_of(owner.running.client().get(PATH), 401, "unauthenticated")


@pytest.mark.both_engines
def test_the_links_of_a_deleted_profile_end_with_it(owner: OwnerFixture) -> None:
    second = owner.new_profile("Second")
    link = create_link(owner, profileId=second)
    assert owner.session.delete(f"/profiles/{second}").status_code == 200
    assert Visitor(owner.running, link["url"]).get().status_code == 404
    problem_of(owner.session.get(f"{PATH}/{link['id']}"), 404, "not_found")


@pytest.mark.both_engines
def test_an_owner_has_at_most_so_many_links(owner: OwnerFixture) -> None:
    (row,) = rows(owner.running, sa.select(connect_links).where(connect_links.c.id == create_link(owner)["id"]))
    values = msgspec.structs.asdict(read_link(row))
    copies = [{**values, "id": f"lnk_copy{number}"} for number in range(MAX_LIVE_LINKS - 4)]
    ended = {**values, "id": "lnk_ended", "expires_at": row.created_at - timedelta(hours=1)}
    owner.running.write(insert_links, [*copies, ended])
    answers = run_simultaneously(6, lambda _: post(owner))
    assert sorted(answer.status_code for answer in answers) == [201, 201, 201, 409, 409, 409]
    refused = next(answer for answer in answers if answer.status_code == 409)
    problem_of(refused, 409, "link_limit")


@pytest.mark.both_engines
def test_each_kind_is_connected_as_often_as_the_link_says(owner: OwnerFixture, sandbox: Sandbox) -> None:
    """Two people press the button at the same time, with different bots."""
    link = create_link(owner, platforms=["telegram"])
    visitors = [Visitor(owner.running, link["url"]) for _ in range(2)]
    bots = [get_connect_fields(sandbox, "telegram", which) for which in range(2)]
    for visitor in visitors:
        visitor.get()
    path = f"{visitors[0].path}/form/telegram_bot"
    answers = run_simultaneously(2, lambda number: visitors[number].press(path, **bots[number]))
    assert sorted(answer.status_code for answer in answers) == [303, 409]
    assert len(list_all(owner)) == 1
    late = visitors[0].press(path, **bots[1])
    assert (late.status_code, "This was already connected with this link" in late.text) == (409, True)
    assert len(rows(owner.running, sa.select(connect_link_uses).where(connect_link_uses.c.link_id == link["id"]))) == 1
    assert 'aria-disabled="true"' in visitors[1].get().text


def test_a_code_that_nobody_scans_uses_nothing_up(start_service: StartService) -> None:
    with start_service() as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        link = create_link(owner, platforms=["wasender"], expiresInHours=168)
        first, second = Visitor(running, link["url"]), Visitor(running, link["url"])
        path = f"{first.path}/form/whatsapp_qr"
        first.get()
        second.get()
        assert first.press(path, name="Shop", **get_connect_fields(sandbox, "wasender")).status_code == 303
        waiting = second.press(path, name="Shop", **get_connect_fields(sandbox, "wasender"))
        assert waiting.status_code == 409
        # A person who starts again gives up what was started before.
        fields = get_connect_fields(sandbox, "wasender")
        code = first.follow(first.press(path, name="Shop", **fields))
        assert 'class="qr"' in code.text
        assert len(list_all(owner)) == 1
        running.clock.offset += timedelta(minutes=11)
        assert second.press(path, name="Shop", **get_connect_fields(sandbox, "wasender")).status_code == 303


def test_a_link_expires_and_says_so(start_service: StartService) -> None:
    with start_service() as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        link = create_link(owner, expiresInHours=1, redirectUrl=f"{running.url}/console", brand={"name": "Ada"})
        visitor = Visitor(running, link["url"])
        visitor.get()
        consent = visitor.begin("threads")
        running.clock.offset += timedelta(minutes=55)
        fresh = visitor.begin("threads")
        running.clock.offset += timedelta(minutes=6)
        ended = visitor.get()
        assert (ended.status_code, "This link has expired" in ended.text) == (410, True)
        assert find_back(ended) == {"status": "failed", "error": "link_ended"}
        for path in ("/done", "/form/telegram_bot", "/failed"):
            assert visitor.get(visitor.path + path).status_code == 410
        assert visitor.press(f"{visitor.path}/begin", kind="threads").status_code == 410
        # A person who was on the platform at that time connects nothing either.
        for url in (consent, fresh):
            assert visitor.come_back(sandbox.decide(url)).status_code == 410
        assert list_all(owner) == []
        assert owner.session.get(f"{PATH}/{link['id']}").status_code == 200


def test_a_number_that_was_paired_is_listed(owner: OwnerFixture, sandbox: Sandbox) -> None:
    """Somebody closes the page before it says that the code was scanned."""
    link = create_link(owner, platforms=["wasender"])
    visitor = Visitor(owner.running, link["url"])
    visitor.get()
    fields = get_connect_fields(sandbox, "wasender")
    visitor.press(f"{visitor.path}/form/whatsapp_qr", name="Shop", **fields)
    assert owner.session.get(f"{PATH}/{link['id']}").json()["accountIds"] == []
    sandbox.control("scan", platform="wasender", account=session_of(sandbox, fields["phoneNumber"]))
    (account,) = list_all(owner)
    assert visitor.follow(visitor.get(f"{visitor.path}/code/{account['id']}")).status_code == 200
    assert owner.session.get(f"{PATH}/{link['id']}").json()["accountIds"] == [account["id"]]


@pytest.mark.both_engines
def test_what_ended_long_ago_is_purged(owner: OwnerFixture, sandbox: Sandbox) -> None:
    link = create_link(owner, platforms=["telegram"], expiresInHours=24)
    Visitor(owner.running, link["url"]).connect(sandbox, "telegram")
    ended = datetime.fromisoformat(link["expiresAt"])

    def count() -> tuple[int, int]:
        links = rows(owner.running, sa.select(connect_links.c.id).where(connect_links.c.owner_id == owner.id))
        uses = rows(owner.running, sa.select(connect_link_uses.c.id).where(connect_link_uses.c.owner_id == owner.id))
        return len(links), len(uses)

    for days, left in ((29, (1, 1)), (31, (0, 1)), (61, (0, 0))):
        now = ended + timedelta(days=days)
        owner.running.write(purge_links, now)
        owner.running.write(purge_uses, now)
        assert count() == left, days
    # What was connected stays.
    assert len(list_all(owner)) == 1
