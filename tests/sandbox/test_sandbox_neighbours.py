"""Pages of other sites, in a browser on the machine of the sandbox: they can send requests here, and get nowhere."""

from pathlib import Path

import httpx
import pytest

from sandbox.tiny import TINY
from socialgate_sandbox.kernel.settings import ControlCredentials
from socialgate_sandbox.vendors.threads import VENDOR as THREADS
from socialgate_sandbox.vendors.threads.post_nodes import CDN_HOST
from support.simulation import RunningSandbox, running_sandbox

FOREIGN = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    # Other ports of this machine are other sites: anything may be served there.
    {"origin": "http://127.0.0.1:3000"},
    {"origin": "http://localhost:3000"},
    {"origin": "http://127.0.0.1"},
    # A name of the attacker's that leads to this machine, with which a page would even read the answers.
    {"host": "evil.example"},
    {"host": "evil.example:8790", "origin": "http://evil.example:8790", "sec-fetch-site": "same-origin"},
    {"host": "127.0.0.1.evil.example"},
    {"host": "[::1"},
    # Where a browser leaves the origin out.
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"},
    {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "empty"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_other_websites_change_nothing(sandbox: RunningSandbox, headers: dict[str, str]) -> None:
    sandbox.control("fail", platform="tiny", status=500)
    for method, path in (("POST", "/_control/reset"), ("DELETE", "/_control/fail"), ("POST", "/tiny/oauth")):
        refused = sandbox.client.request(method, path, headers=headers)
        assert (refused.status_code, list(refused.json())) == (403, ["error"])
    assert len(sandbox.look("fail")["data"]) == 1
    assert sandbox.look("received", platform="tiny")["data"] == []


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"origin": "https://evil.example", "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
    ],
    ids=str,
)
def test_other_websites_read_and_embed_nothing(sandbox: RunningSandbox, headers: dict[str, str]) -> None:
    for path in ("/", "/_control/accounts", "/tiny/v1/notes"):
        assert sandbox.client.get(path, headers=headers).status_code == 403


def test_pages_of_other_sites_embed_the_pictures_of_platforms_and_nothing_else(tmp_path: Path) -> None:
    embeds = {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
    with running_sandbox(tmp_path, [THREADS]) as running:
        shown = running.client.get(f"/threads/{CDN_HOST}/picture/320/1.png", headers=embeds)
        assert (shown.status_code, shown.headers["content-type"]) == (200, "image/png")
        reads = embeds | {"origin": "http://127.0.0.1:3000"}
        assert running.client.get(f"/threads/{CDN_HOST}/picture/320/1.png", headers=reads).status_code == 403
        assert running.client.post(f"/threads/{CDN_HOST}/picture/320/1.png", headers=embeds).status_code == 403
        assert running.client.get("/_control/files/1.png", headers=embeds).status_code == 403


def test_a_link_of_another_site_leads_to_a_page_whose_own_form_works(sandbox: RunningSandbox) -> None:
    arrives = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert sandbox.client.get("/", headers=arrives).status_code == 200
    own = {"origin": sandbox.url, "sec-fetch-site": "same-origin"}
    assert sandbox.client.post("/_control/clock", headers=own, data={"advance": "5"}).status_code == 303
    typed = {"sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert sandbox.client.get("/", headers=typed).status_code == 200


def test_controls_with_a_password_open_to_nobody_else(tmp_path: Path) -> None:
    with running_sandbox(tmp_path, [TINY], control=ControlCredentials("sandbox", "right")) as running:
        get, post = running.client.get, running.client.post
        for path in ("/", "/_control", "/_control/accounts"):
            refused = get(path)
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Basic realm="sandbox"')
        for wrong in (("sandbox", "wrong"), ("sandbox", ""), ("", "right"), ("sandbox", "right:")):
            assert post("/_control/reset", auth=wrong).status_code == 401
        for header in ("Basic", "Basic !", "Basic /w==", "Bearer c2FuZGJveDpyaWdodA=="):
            assert post("/_control/reset", headers={"authorization": header}).status_code == 401
        assert post("/_control/reset", auth=("sandbox", "right")).status_code == 200
        assert post("/_control/reset", auth=("sandbox", "right"), headers={"origin": "null"}).status_code == 403
        # As a shell has it from a file.
        assert httpx.get(running.url.replace("://", "://sandbox:right@") + "/_control").status_code == 200
        # Platforms ask for credentials of their own.
        assert get("/tiny/v1/notes", headers={"authorization": "Bearer token-of-ada"}).status_code == 200
