"""The controls, the page, and the consent of a simulated person."""

import re
from typing import Any

import httpx
import pytest

from support.simulation import RunningSandbox

BACK = "https://gate.example/callback?kept=1"


def test_platforms_say_what_can_be_ordered_of_them(sandbox: RunningSandbox) -> None:
    listed = sandbox.look("")
    assert listed["receiver"] == f"{sandbox.receiver_url}/"
    assert listed["data"] == [
        {
            "platform": "tiny",
            "title": "Tiny",
            "url": f"{sandbox.url}/tiny",
            "errors": ["bad_token", "rate_limited"],
            "verbs": {
                "comment": {"title": "Comment", "fields": {"account": "required", "text": "required"}},
                "revoke": {"title": "Take the permission back", "fields": {"account": "required", "how": "optional"}},
            },
        }
    ]


def test_a_verb_changes_the_platform(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    assert sandbox.control("revoke", platform="tiny", account="ada") == {"revoked": "ada"}
    assert ada.get("/v1/notes").status_code == 401
    states = {row["id"]: row["state"] for row in sandbox.look("accounts", platform="tiny")["data"]}
    assert states == {"ada": "revoked", "bram": "active", "cleo": "active"}


def test_a_reset_begins_anew(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    ada.post("/v1/notes", json={"text": "x"})
    sandbox.control("revoke", platform="tiny", account="ada")
    sandbox.control("clock", advance=5)
    sandbox.control("reset")
    assert ada.get("/v1/notes").json()["data"] == []
    assert sandbox.look("clock")["offset"] == 0


@pytest.mark.parametrize(
    ("path", "fields", "status", "words"),
    [
        ("fail", {"platform": "tiny"}, 422, "Specify how it fails"),
        ("fail", {"platform": "tiny", "error": "nope"}, 422, "Choose one of: bad_token, rate_limited"),
        ("fail", {"platform": "nope", "error": "bad_token"}, 404, "Choose one of: tiny"),
        ("fail", {"error": "bad_token"}, 422, "platform is required."),
        ("fail", {"platform": "tiny", "eror": "bad_token"}, 422, "There is no field eror."),
        ("fail", {"platform": "tiny", "status": 99}, 422, "status must be at least 200."),
        ("fail", {"platform": "tiny", "status": 500, "times": 0}, 422, "times"),
        ("fail", {"platform": "tiny", "status": 204, "body": {"a": 1}}, 422, "cannot have a body"),
        ("fail", {"platform": "tiny", "status": 500, "headers": {"x-a": "b\r\nc: d"}}, 422, "HTTP does not allow"),
        ("fail", {"platform": "tiny", "status": 500, "headers": {"x a": "b"}}, 422, "HTTP does not allow"),
        ("fail", {"platform": "tiny", "status": 500, "headers": {"x-a": "→"}}, 422, "HTTP does not allow"),
        ("fail", {"platform": "tiny", "status": 500, "when": "later"}, 422, "later"),
        ("throttle", {"platform": "tiny", "perMinute": -1}, 422, "perMinute"),
        ("throttle", {"platform": "tiny", "per_minute": 1}, 422, "perMinute"),
        ("clock", {}, 422, "advance"),
        ("clock", {"advance": "25h"}, 422, "advance must be a number, not text. Known fields: advance"),
        ("fail", {"platform": "tiny", "status": 500, "when": "later"}, 422, "Choose one of: before, after, drop, late"),
        ("clok", {"advance": 5}, 404, "There is no verb 'clok'."),
        ("clock", {"advance": "soon"}, 422, "advance"),
        ("clock", {"advance": 1e300}, 422, "50 years"),
        ("webhooks", {"mode": "loud"}, 422, "loud"),
        ("receiver", {"answer": 1000}, 422, "answer"),
        ("receiver", {"answer": "shout"}, 422, "Send a number from 200 to 599, or hang."),
        ("reset", {"hard": True}, 422, "hard"),
        ("comment", {"account": "ada", "text": "x"}, 422, "Set the platform"),
        ("comment", {"platform": ["tiny"]}, 404, "Choose one of: tiny"),
        ("comment", {"platform": "tiny", "account": "nobody", "text": "x"}, 404, "nobody"),
        ("comment", {"platform": "tiny", "account": "ada"}, 422, "text"),
        ("comment", {"platform": "tiny", "account": "ada", "text": "x", "loud": 1}, 422, "loud"),
        ("dance", {"platform": "tiny"}, 404, "Choose one of: comment, revoke"),
    ],
)
def test_what_cannot_be_ordered_is_said(
    sandbox: RunningSandbox, path: str, fields: dict[str, Any], status: int, words: str
) -> None:
    answer = sandbox.client.post(f"/_control/{path}", json=fields)
    assert (answer.status_code, list(answer.json())) == (status, ["error"])
    assert words in answer.json()["error"]


@pytest.mark.parametrize("content", [b"{", b"[1]", b"\xff", b"[" * 100_000, b"nonsense"])
def test_a_body_that_is_no_object_is_refused(sandbox: RunningSandbox, content: bytes) -> None:
    for path in ("clock", "comment"):
        answer = sandbox.client.post(f"/_control/{path}", content=content)
        assert (answer.status_code, list(answer.json())) == (400, ["error"])


@pytest.mark.parametrize(
    "path", ["received?limit=0", "received?limit=x", "accounts?platfrom=tiny", "deliveries?state=lost"]
)
def test_a_wrong_query_is_refused(sandbox: RunningSandbox, path: str) -> None:
    assert sandbox.client.get(f"/_control/{path}").status_code == 422


def test_unknown_paths_and_methods_are_json_too(sandbox: RunningSandbox) -> None:
    assert sandbox.client.get("/nowhere").json() == {"error": "Not Found"}
    assert sandbox.client.put("/_control/clock").status_code == 405
    assert sandbox.client.get("/_control/accounts", params={"platform": "nope"}).status_code == 404


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999"])
def test_a_form_cannot_break_the_clock(sandbox: RunningSandbox, value: str) -> None:
    assert sandbox.client.post("/_control/clock", data={"advance": value}).status_code == 422
    assert sandbox.client.get("/").status_code == 200


def test_the_page_shows_everything_and_its_buttons_work(sandbox: RunningSandbox, ada: httpx.Client) -> None:
    sandbox.control("fail", platform="tiny", error="bad_token")
    ada.get("/v1/notes")
    sandbox.control("fail", platform="tiny", status=500, path="/never")
    fields = {"platform": "tiny", "account": "ada", "text": "<b>hi</b>"}
    done = sandbox.client.post("/_control/comment", data=fields)
    assert (done.status_code, done.headers["location"]) == (303, "/?done=comment")
    sandbox.client.post("/_control/receiver", data={"secret": "s", "answer": "500"})
    shown = sandbox.client.get("/?done=comment")
    for text in ("Ada Lindqvist", "Done: Comment.", "next 1 call: status 500, any method /never"):
        assert text in shown.text
    assert "http" not in shown.headers["content-security-policy"]
    for path, words in (
        ("calls", ("GET /v1/notes", "bad token")),
        ("webhooks", ("/webhooks/tiny", "x-tiny-signature")),
    ):
        listed = sandbox.client.get(f"/_control/{path}").text
        assert all(word in listed for word in words)
    assert "<td>500</td>" in sandbox.client.get("/_control/hooks").text
    assert sandbox.look("receiver")["rules"][0]["answer"] == 500
    failed = sandbox.client.post("/_control/throttle", data={"platform": "tiny", "perMinute": "<many>"})
    assert failed.status_code == 422
    assert '<p class="note bad" role="alert">' in failed.text


def ask(sandbox: RunningSandbox, **query: str) -> httpx.Response:
    return sandbox.client.get("/tiny/oauth", params={"redirect_uri": BACK, "state": "s&1", **query})


def answered(page: httpx.Response, client: httpx.Client, **fields: Any) -> httpx.URL:
    """Post the form of the page as a browser would, with its hidden fields, and give where it leads."""
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page.text))
    sent = client.post(page.url, data={**hidden, **fields})
    assert sent.status_code == 302, sent.text
    return httpx.URL(sent.headers["location"])


def test_a_person_allows(sandbox: RunningSandbox) -> None:
    page = ask(sandbox)
    for text in ("Socialgate asks for access", "Bram Okafor", "write", "simulated Tiny"):
        assert text in page.text
    back = answered(page, sandbox.client, person="bram", scope=["write"], decision="allow")
    assert (back.host, back.path, back.params["kept"], back.params["state"]) == (
        "gate.example",
        "/callback",
        "1",
        "s&1",
    )
    token = {"authorization": f"Bearer {back.params['token']}"}
    sandbox.client.get("/tiny/v1/notes", headers=token)
    assert sandbox.look("received", path="/v1/notes")["data"][0]["accounts"] == ["bram"]


def test_a_person_denies(sandbox: RunningSandbox) -> None:
    back = answered(ask(sandbox), sandbox.client, person="bram", decision="deny")
    assert (back.params["error"], back.params["state"], "token" in back.params) == ("access_denied", "s&1", False)


def test_nobody_can_sign_in_as_a_stranger(sandbox: RunningSandbox) -> None:
    answer = sandbox.client.post(ask(sandbox).url, data={"person": "<eve>", "decision": "allow"})
    assert answer.status_code == 400
    assert "&lt;eve&gt;" in answer.text
