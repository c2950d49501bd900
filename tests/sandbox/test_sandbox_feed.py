"""The feed of an account, what the buttons of the overview show, and what is pulled from an address."""

import hashlib
from typing import Any

import httpx
import pytest

from sandbox.media_host import MediaHost
from support.simulation import RunningSandbox

PNG = b"\x89PNG\r\n\x1a\n"
MIB = 1 << 20
KEPT = 8 * MIB


def page(sandbox: RunningSandbox, **query: str) -> httpx.Response:
    request = {"platform": "tiny", "account": "ada", **query}
    return sandbox.client.get("/_control/feed", params=request, headers={"accept": "text/html,*/*"})


def test_a_program_reads_what_an_account_shows(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    for text in ("older", "newer"):
        ada.post("/v1/notes", json={"text": text})
    rows = sandbox.look("feed", platform="tiny", account="ada")["data"]
    assert [row["text"] for row in rows] == ["newer", "older"]
    assert rows[0]["facts"] == {"link": "https://example.com/", "size": 3}
    assert rows[0]["comments"][0]["text"] == "<i>Nice</i>"
    (newest,) = sandbox.look("feed", platform="tiny", account="ada", limit=1)["data"]
    assert newest == rows[0]
    assert sandbox.look("feed", platform="tiny", account="bram")["data"] == []


def test_a_person_sees_posts_pictures_and_comments_and_no_markup_of_them_works(
    sandbox: RunningSandbox, ada: httpx.Client
) -> None:
    ada.post("/v1/notes", json={"text": "<script>alert(1)</script> שלום"})
    name = ada.post("/v1/pictures", content=PNG).json()["name"]
    shown = page(sandbox)
    assert shown.status_code == 200
    for part in (
        "Ada Lindqvist",
        "&lt;script&gt;alert(1)&lt;/script&gt; שלום",
        f'<img src="/_control/files/{name}" alt="a &lt;picture&gt;"',
        "&lt;i&gt;Nice&lt;/i&gt;",
        '<a href="https://example.com/" rel="noreferrer">',
    ):
        assert part in shown.text
    policy = shown.headers["content-security-policy"]
    assert ("script-src" in policy, "img-src 'self' data:" in policy) == (False, True)
    assert "No posts yet." in page(sandbox, account="bram").text


def test_the_overview_leads_to_the_accounts_and_those_to_their_feeds(sandbox: RunningSandbox) -> None:
    assert 'href="/_control/account?platform=tiny&amp;account=ada"' in sandbox.client.get("/").text
    shown = sandbox.client.get("/_control/account?platform=tiny&account=ada").text
    assert 'href="/_control/feed?platform=tiny&amp;account=ada"' in shown


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"account": "nobody"}, 404),
        ({"platform": "nope"}, 404),
        ({"surprise": "1"}, 422),
    ],
)
def test_a_feed_that_is_not_there_is_said(sandbox: RunningSandbox, query: dict[str, Any], status: int) -> None:
    request = {"platform": "tiny", "account": "ada", **query}
    answer = sandbox.client.get("/_control/feed", params=request)
    assert (answer.status_code, list(answer.json())) == (status, ["error"])


def test_files_are_given_as_what_they_are_and_to_this_machine_only(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    for content, kind in (
        (PNG, "image/png"),
        (b"<html>", "application/octet-stream"),
        (b"\0\0\0 ftypisom", "video/mp4"),
    ):
        name = ada.post("/v1/pictures", content=content).json()["name"]
        answer = sandbox.client.get(f"/_control/files/{name}")
        assert (answer.content, answer.headers["content-type"]) == (content, kind)
        assert answer.headers["x-content-type-options"] == "nosniff"
        evil = sandbox.client.get(f"/_control/files/{name}", headers={"host": "evil.example"})
        assert evil.status_code == 403
    for path in ("nothing", "..%2Fsandbox.db", "%2Fetc%2Fpasswd"):
        assert sandbox.client.get(f"/_control/files/{path}").status_code == 404
    assert sandbox.client.get("/_control/feed", headers={"host": "evil.example"}).status_code == 403


def test_what_a_button_answers_is_shown(sandbox: RunningSandbox) -> None:
    answer = sandbox.client.post("/_control/revoke", data={"platform": "tiny", "account": "ada"})
    assert answer.status_code == 200
    for part in ("Done: Take the permission back.", "&#34;revoked&#34;: &#34;ada&#34;"):
        assert part in answer.text


@pytest.mark.parametrize("size", [0, 1, MIB, KEPT, KEPT + 1, 20 * MIB])
def test_what_is_pulled_is_read_to_its_end_and_kept_up_to_a_bound(ada: httpx.Client, size: int) -> None:
    host = MediaHost()
    try:
        content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
        url = host.put("film.mp4", "video/mp4", content)
        seen = ada.get("/v1/pull", params={"url": url, "most": 1 << 30}).json()
    finally:
        host.close()
    digest = hashlib.sha256(content).hexdigest()
    assert seen == {"size": size, "sha256": digest, "kept": min(size, KEPT), "whole": size <= KEPT}


def test_what_is_larger_than_a_platform_takes_is_not_read_to_its_end(ada: httpx.Client) -> None:
    host = MediaHost()
    try:
        url = host.put("film.mp4", "video/mp4", bytes(20 * MIB))
        seen = ada.get("/v1/pull", params={"url": url, "most": 2 * MIB}).json()
    finally:
        host.close()
    assert 2 * MIB < seen["size"] < 20 * MIB
    assert (seen["sha256"], seen["whole"]) == ("", False)
