"""Profiles and API keys, and the rules that hold for every form."""

import re

import pytest

from console.browser import FORM, OWN, Browser, location, signed_in
from socialgate.console.forms import MAX_FORM_BYTES
from support.problems import problem_of
from support.service import OwnerFixture, RunningService

_KEY = re.compile(r"sg_test_\w{40}")
SCRIPT = "<script>alert('x')</script>\"'"


def test_every_page_tells_who_is_signed_in_and_which_profile_is_chosen(owner: OwnerFixture, browser: Browser) -> None:
    text = browser.get("/console").text
    assert owner.email in text
    assert f'href="/console?profile={owner.profile_id}" aria-current="true"' in text
    other = owner.new_profile("Bakery")
    both, chosen = browser.get("/console/keys").text, browser.get(f"/console/keys?profile={other}").text
    assert 'href="/console/keys" aria-current="true">All profiles</a>' in both
    assert f'href="/console/keys?profile={other}" aria-current="true"' in chosen
    # Every link of the sidebar keeps the choice.
    assert f'href="/console/hooks?profile={other}"' in chosen


def test_the_profile_of_another_owner_cannot_be_chosen(other_owner: OwnerFixture, browser: Browser) -> None:
    for profile in (other_owner.profile_id, "prf_1"):
        assert browser.get(f"/console/keys?profile={profile}").status_code == 404


def test_a_new_key_is_shown_once_and_works(owner: OwnerFixture, browser: Browser) -> None:
    response = browser.press("/console/keys", name="Billing", scope="all", permission="read-write")
    assert response.status_code == 200
    (key,) = set(_KEY.findall(response.text))
    client = owner.running.client(key)
    assert client.post("/profiles", json={"name": "By key"}).status_code == 201
    listed = browser.get("/console/keys")
    assert not _KEY.search(listed.text)
    assert f"{key[:12]}…{key[-4:]}" in listed.text
    assert "all profiles · read and write" in listed.text
    assert "used" in listed.text

    key_id = client.get("/auth/me").json()["key"]["id"]
    assert f'action="/console/keys/{key_id}/revoke"' in listed.text
    assert location(browser.press(f"/console/keys/{key_id}/revoke")) == "/console/keys"
    # The message is shown once.
    assert ["The key was revoked" in browser.get("/console/keys").text for _ in range(2)] == [True, False]
    problem_of(client.get("/auth/me"), 401, "unauthenticated")
    assert browser.press(f"/console/keys/{key_id}/revoke").status_code == 404


def test_a_key_can_be_limited(owner: OwnerFixture, browser: Browser) -> None:
    other = owner.new_profile()
    response = browser.press("/console/keys", name="Some", scope="profiles", profileIds=[other], permission="read")
    client = owner.running.client(_KEY.findall(response.text)[0])
    assert [profile["id"] for profile in client.get("/profiles").json()["data"]] == [other]
    problem_of(client.post("/hooks", json={}), 403, "read_only_key")
    assert "1\u00a0profile · read-only" in browser.get("/console/keys").text


def test_a_key_is_changed(owner: OwnerFixture, browser: Browser) -> None:
    response = browser.press("/console/keys", name="Some", scope="all")
    client = owner.running.client(_KEY.findall(response.text)[0])
    path = f"/console/keys/{client.get('/auth/me').json()['key']['id']}/change"
    assert location(browser.press(path, name="Other", permission="read")) == "/console/keys"
    key = client.get("/auth/me").json()["key"]
    assert (key["name"], key["permission"]) == ("Other", "read")
    assert browser.press(path, name=" ").status_code == 422
    assert browser.press("/console/keys/key_1/change", name="x").status_code == 404


def test_a_key_with_a_fault_is_not_made_and_what_was_filled_in_stays(owner: OwnerFixture, browser: Browser) -> None:
    answer = browser.press("/console/keys", name="Kept & safe", scope="profiles", permission="read")
    assert answer.status_code == 422
    assert "Choose at least one." in answer.text
    assert 'value="Kept &amp; safe"' in answer.text
    assert 'value="profiles" checked' in answer.text
    assert 'value="read" checked' in answer.text
    for fields, sentence in (
        ({"scope": "all"}, "This cannot be left empty."),
        ({"name": "x" * 101, "scope": "all"}, "At most 100 characters."),
        ({"name": "x", "scope": "some"}, "must be all or profiles"),
        ({"name": "x", "scope": "all", "surprise": "1"}, "There is no field surprise."),
        ({"name": ["x", "y"], "scope": "all"}, "The field name occurs twice"),
        ({"name": "x", "scope": "profiles", "profileIds": ["prf_1"]}, "There is no profile prf_1."),
    ):
        answer = browser.press("/console/keys", **fields)
        assert answer.status_code == 422
        assert sentence in answer.text
    assert owner.session.get("/api-keys").json()["data"] == []


def test_revoking_a_key_names_the_hooks_that_it_leaves(owner: OwnerFixture, browser: Browser) -> None:
    key = owner.key()
    hook = key.post("/hooks", json={"url": "https://127.0.0.1:9/in", "events": ["post.failed"]}).json()["id"]
    key_id = key.get("/auth/me").json()["key"]["id"]
    answer = browser.press(f"/console/keys/{key_id}/revoke")
    assert answer.status_code == 200
    assert f'href="/console/hooks/{hook}"' in answer.text


def test_the_key_of_another_owner_is_not_found(other_owner: OwnerFixture, browser: Browser) -> None:
    key = other_owner.key()
    key_id = key.get("/auth/me").json()["key"]["id"]
    theirs, nobodys = (browser.press(f"/console/keys/{item}/revoke") for item in (key_id, "key_1"))
    assert theirs.status_code == nobodys.status_code == 404
    assert re.sub("req_[a-z0-9]+", "", theirs.text) == re.sub("req_[a-z0-9]+", "", nobodys.text)
    assert key.get("/auth/me").status_code == 200


def test_a_profile_is_made(owner: OwnerFixture, browser: Browser) -> None:
    answer = browser.press("/console/profiles", name="Bakery", description="", timezone="America/Lima")
    assert location(answer) == "/console/profiles"
    created = owner.session.get("/profiles").json()["data"][0]
    assert (created["name"], created["description"], created["timezone"]) == ("Bakery", None, "America/Lima")
    assert "Bakery was created." in browser.get("/console/profiles").text
    path = f"/console/profiles/{created['id']}"
    assert location(browser.press(f"{path}/change", name="Bakery Lima", timezone="America/Lima")) == "/console/profiles"
    assert owner.session.get(f"/profiles/{created['id']}").json()["name"] == "Bakery Lima"
    assert location(browser.press(f"{path}/delete")) == "/console/profiles"
    own = f"/console/profiles/{owner.profile_id}/change"
    mistaken = browser.press(own, name="Own name", timezone="lima").text
    assert "Did you mean America/Lima?" in mistaken
    assert 'value="Own name"' in mistaken, "the dialog is open again with what was filled in"
    assert f'id="timezone-{owner.profile_id}" name="timezone" value="lima" autocomplete="off" aria-invalid' in mistaken
    last = browser.press(f"/console/profiles/{owner.profile_id}/delete")
    assert (last.status_code, "This is the only profile." in last.text) == (409, True)
    wrong = browser.press("/console/profiles", name="Shop", timezone="Middle/Earth")
    assert wrong.status_code == 422
    assert "is not an IANA time zone" in wrong.text
    assert 'value="Middle/Earth"' in wrong.text


def test_long_lists_lead_on(owner: OwnerFixture, browser: Browser) -> None:
    for number in range(21):
        owner.key_value(name=f"number {number}")
    first = browser.get("/console/keys").text
    (link,) = re.findall(r'href="(/console/keys\?cursor=[^"#]+)', first)
    assert "number 20<" in first
    assert "number 0<" not in first
    assert "number 0<" in browser.get(link).text


def test_what_people_call_things_is_never_markup(owner: OwnerFixture, browser: Browser) -> None:
    browser.press("/console/profiles", name=SCRIPT, description=SCRIPT)
    response = browser.press("/console/keys", name=SCRIPT, scope="all")
    failed = browser.press("/console/keys", name=SCRIPT, scope=SCRIPT, **{SCRIPT: SCRIPT})
    refused = browser.press("/console/login", email=SCRIPT, password=SCRIPT)
    for answer in (
        browser.get("/console"),
        browser.get("/console/keys"),
        browser.get("/console/profiles"),
        response,
        failed,
        refused,
        browser.get("/console/keys", params={"cursor": SCRIPT}),
    ):
        assert "<script>" not in answer.text
        assert "alert(" not in answer.text or "&lt;script&gt;" in answer.text
    assert owner.session.get("/profiles").json()["data"][0]["name"] == SCRIPT


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"name=x", "application/json", 400),
        (b"name=x", None, 400),
        (b"name=x", "multipart/form-data; boundary=x", 400),
        (b"name=%ff", FORM, 400),
        (b"name=\xff", FORM, 400),
        (b"name=a%00b", FORM, 400),
        (b"a=1&" * 600, FORM, 400),
        (b"name=" + b"x" * MAX_FORM_BYTES, FORM, 413),
        (b"name=x&name=y", FORM, 422),
        (b"name", FORM, 422),
        (b"", FORM, 422),
        (b"name=%ed%a0%80", FORM, 400),
    ],
)
def test_a_form_that_no_browser_sends_is_refused(
    lasting_owner: OwnerFixture, content: bytes, kind: str | None, status: int
) -> None:
    headers = {**OWN, **({} if kind is None else {"Content-Type": kind})}
    answer = signed_in(lasting_owner).client.post("/console/profiles", content=content, headers=headers)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "Traceback" not in answer.text


def test_a_value_that_a_page_cannot_read_is_shown_as_an_error_page(lasting_owner: OwnerFixture) -> None:
    browser = signed_in(lasting_owner)
    for query in ("cursor=a&cursor=b", "cursor=nonsense", f"cursor={'a' * 201}"):
        answer = browser.get(f"/console/keys?{query}")
        assert (answer.status_code, answer.headers["content-type"]) == (422, "text/html; charset=utf-8")


def test_the_console_is_no_part_of_the_interface(service: RunningService) -> None:
    client = service.client()
    for path in ("/llms.txt", "/openapi.json", "/docs"):
        # The documentation has a page about it.
        assert "/console" not in client.get(path).text.replace("/docs/console", "")
    assert "/" not in client.get("/openapi.json").json()["paths"]
