"""Hooks and deliveries, and the promises that every page keeps."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from console.browser import Browser, location
from socialgate.areas.hooks.schemas import DeliveryAttempt
from socialgate.console import formatting
from socialgate.console.rendering import PAGE_HEADERS
from socialgate.core.egress import SendFailureReason
from support.receiver import OK, Receiver, Reply
from support.service import OwnerFixture, RunningService
from support.waiting import eventually

_SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{43}=")
_TARGET = re.compile(r'(?:href|src|action|formaction|content|srcset)="([^"]*)"')
# What the policy would not let a page do, and what would need an exception from it.
_FORBIDDEN = re.compile(
    r"<script(?! type=.module. src=./console/static/)|<(iframe|object|embed|base|style)|\sstyle=|\son\w+="
)
SCRIPT = "<script>alert('x')</script>"
NOW = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)


def make(browser: Browser, url: str, **fields: Any) -> str:
    """Make a hook with the form and give the address of its page."""
    answer = browser.press("/console/hooks", url=url, events=["lead.received"], **fields)
    assert answer.status_code == 200, answer.text
    (path,) = set(re.findall(r'href="(/console/hooks/hook_\w+)"', answer.text))
    return str(path)


def settled(browser: Browser, path: str, word: str) -> str:
    """Load the page of a delivery again until it says the word."""

    def shown() -> str | None:
        text = browser.get(path).text
        return text if f">{word.capitalize()}</span>" in text else None

    return eventually(shown)


def test_a_new_hook_shows_its_secret_once(owner: OwnerFixture, browser: Browser, receiver: Receiver) -> None:
    assert "No hooks yet" in browser.get("/console/hooks").text
    fields = {"description": "Importer", "ordered": "true", "maxPerSecond": "5"}
    events = ["lead.received", "post.failed"]
    response = browser.press("/console/hooks", url=receiver.url(), events=events, **fields)
    assert response.status_code == 200
    assert len(set(_SECRET.findall(response.text))) == 1
    (hook,) = owner.session.get("/hooks").json()["data"]
    assert (hook["events"], hook["ordered"], hook["maxPerSecond"]) == (events, True, 5)
    listed, shown = browser.get("/console/hooks").text, browser.get(f"/console/hooks/{hook['id']}").text
    for text in (listed, shown):
        assert not _SECRET.search(text)
        assert receiver.url() in text
        assert "Importer" in text
    assert "You have 1 of at most 20." in listed
    assert "at most 5 per second, strictly in order" in shown


def test_a_hook_with_a_fault_is_not_made_and_what_was_filled_in_stays(owner: OwnerFixture, browser: Browser) -> None:
    for url, events, sentence in (
        ("http://example.com/in", ["lead.received"], "use socialgate listen"),
        ("https://10.0.0.1/in", ["lead.received"], "fault"),
        ("https://127.0.0.1:9/in", [], "Choose at least one."),
        ("https://127.0.0.1:9/in", ["lead.lost"], "There is no event"),
    ):
        answer = browser.press("/console/hooks", url=url, events=events)
        assert answer.status_code == 422
        assert sentence in answer.text
        assert f'value="{url}"' in answer.text
        assert ('value="lead.received" checked' in answer.text) == ("lead.received" in events)
    both = browser.press("/console/hooks", url="https://10.0.0.1/in").text
    assert both.count('class="error fault"') == 2, "the URL and the events are wrong"
    assert owner.session.get("/hooks").json()["data"] == []


def test_a_test_is_delivered_and_shown_and_can_be_sent_again(
    owner: OwnerFixture, browser: Browser, receiver: Receiver
) -> None:
    assert "Receive a signed delivery" in browser.get("/console").text
    assert 'href="/console/hooks#new">Add a hook' in browser.get("/console").text
    path = make(browser, receiver.url(f"/{owner.id}"))
    assert 'href="/console/hooks">Send a test' in browser.get("/console").text
    delivery = location(browser.press(f"{path}/test"))
    assert delivery.startswith(f"{path}/deliveries/dlv_")
    text = settled(browser, delivery, "succeeded")
    assert "Send a test" not in browser.get("/console").text, "a test is a delivery too"
    (received,) = [
        received_request for received_request in receiver.received if received_request.path == f"/{owner.id}"
    ]
    assert received.headers["x-service-signature"] in text
    assert "responded 200 OK" in text
    assert received.body.decode().replace('"', "&#34;") in text
    assert f'href="{delivery}"' in browser.get(path).text

    too_soon = browser.press(f"{path}/test")
    assert too_soon.status_code == 429
    assert "This hook was tested less than 30 s ago." in too_soon.text

    again = location(browser.press(f"{delivery}/retry"))
    assert again != delivery
    settled(browser, again, "succeeded")
    bodies = [
        received_request.body for received_request in receiver.received if received_request.path == f"/{owner.id}"
    ]
    assert bodies == [received.body] * 2


def test_a_failure_says_what_was_answered(browser: Browser, receiver: Receiver) -> None:
    answer = f"down for {SCRIPT}".encode()
    receiver.behaviour = lambda request: Reply(status=500, body=answer) if request.path == "/console-down" else OK
    path = make(browser, receiver.url("/console-down"), description=SCRIPT)
    delivery = location(browser.press(f"{path}/test"))

    def attempted() -> str | None:
        page = browser.get(delivery)
        assert page.headers.get("refresh") == "2"
        return page.text if "responded 500 Internal Server Error" in page.text else None

    text = eventually(attempted)
    assert "down for &lt;script&gt;" in text
    assert "status_refused" in text
    retried = browser.press(f"{delivery}/retry")
    assert retried.status_code == 409
    assert "This delivery is not finished." in retried.text
    listed = browser.get(path).text
    assert "responded 500" in listed
    assert SCRIPT not in text + listed + retried.text
    assert delivery in browser.get(f"{path}?status=pending").text
    assert delivery not in browser.get(f"{path}?status=succeeded").text


def test_a_hook_is_switched_off_and_on_and_deleted(owner: OwnerFixture, browser: Browser) -> None:
    path = make(browser, "https://127.0.0.1:9/in")
    api = path.removeprefix("/console")
    assert location(browser.press(f"{path}/deactivate")) == path
    assert owner.session.get(api).json()["disabledReason"] == "owner"
    assert ">Disabled</span>" in browser.get(path).text
    assert location(browser.press(f"{path}/activate")) == path
    assert owner.session.get(api).json()["active"] is True
    assert browser.press(f"{path}/delete", surprise="1").status_code == 422
    assert location(browser.press(f"{path}/delete")) == "/console/hooks"
    assert "The hook was deleted" in browser.get("/console/hooks").text
    assert browser.get(path).status_code == 404
    assert browser.press(f"{path}/test").status_code == 404


def test_a_hook_is_changed_and_its_secret_replaced(owner: OwnerFixture, browser: Browser, receiver: Receiver) -> None:
    path = make(browser, receiver.url("/changed"))
    api = path.removeprefix("/console")
    changed = browser.press(f"{path}/change", url=receiver.url("/other"), events=["post.failed"], description="New")
    assert location(changed) == path
    hook = owner.session.get(api).json()
    assert (hook["url"], hook["events"], hook["description"]) == (receiver.url("/other"), ["post.failed"], "New")
    wrong = browser.press(f"{path}/change", url="http://example.com", events=["post.failed"])
    assert (wrong.status_code, "https" in wrong.text) == (422, True)
    rotated = browser.press(f"{path}/rotate", overlapSeconds="3600")
    assert len(set(_SECRET.findall(rotated.text))) == 1
    assert not _SECRET.search(browser.get(path).text)


def test_missed_events_are_sent_again(owner: OwnerFixture, browser: Browser, receiver: Receiver) -> None:
    path = make(browser, receiver.url(f"/missed/{owner.id}"))
    assert location(browser.press(f"{path}/recover", hours="24")) == path
    assert "No event was missed in this time." in browser.get(path).text
    assert browser.press(f"{path}/recover", hours="5").status_code == 422


def test_the_hook_of_another_owner_is_not_found(
    browser: Browser, other_owner: OwnerFixture, subtests: pytest.Subtests
) -> None:
    body = {"url": "https://127.0.0.1:9/in", "events": ["lead.received"]}
    hook = other_owner.session.post("/hooks", json=body).json()["id"]
    delivery = other_owner.session.post(f"/hooks/{hook}/test").json()["deliveryId"]

    def answer(hook_id: str, delivery_id: str, rest: str, *, press: bool) -> tuple[int, str]:
        path = f"/console/hooks/{hook_id}{rest.format(delivery_id)}"
        response = browser.press(path) if press else browser.get(path)
        return response.status_code, re.sub("req_[a-z0-9]+", "", response.text)

    for rest, press in (
        ("", False),
        ("/deliveries/{}", False),
        ("/test", True),
        ("/activate", True),
        ("/deactivate", True),
        ("/delete", True),
        ("/change", True),
        ("/rotate", True),
        ("/deliveries/{}/retry", True),
    ):
        with subtests.test(rest):
            theirs = answer(hook, delivery, rest, press=press)
            assert theirs == answer("hook_1", "dlv_1", rest, press=press)
            assert theirs[0] == 404
    assert other_owner.session.get(f"/hooks/{hook}").json()["active"] is True


def test_every_page_runs_and_loads_only_our_own_files(
    service: RunningService, browser: Browser, receiver: Receiver
) -> None:
    sandbox = service.sandbox.url
    response = browser.press("/console/hooks", url=receiver.url("/pages"), events=["lead.received"])
    (hook,) = set(re.findall(r'href="(/console/hooks/hook_\w+)"', response.text))
    delivery = location(browser.press(f"{hook}/test"))
    settled(browser, delivery, "succeeded")
    answers = [
        response,
        browser.press("/console/keys", name="x", scope="all"),
        browser.press("/console/keys", name="x"),
        browser.press("/console/profiles", timezone="x"),
        browser.press(f"{hook}/test"),
        browser.get("/console/hooks/hook_1"),
        browser.get("/console?surprise=1"),
        browser.press("/console/login", email="x@example.com", password="y"),
        *(browser.get(path) for path in ("/", "/console/login", "/console", "/console/hooks", hook, delivery)),
    ]
    for answer in answers:
        assert {name: answer.headers[name] for name in PAGE_HEADERS} == PAGE_HEADERS
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert not _FORBIDDEN.search(answer.text), answer.url
        outside = [to for to in _TARGET.findall(answer.text) if re.match(r"\s*(\w+:|//)", to)]
        assert set(outside) <= {sandbox}, answer.url
        for to in set(_TARGET.findall(answer.text)):
            if to.startswith("/") and "/retry" not in to:
                assert browser.get(to).status_code in {200, 303}, to


def test_the_content_policy_is_what_it_should_be() -> None:
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "frame-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    assert PAGE_HEADERS["Content-Security-Policy"] == policy


@pytest.mark.parametrize(
    ("seconds", "message"),
    [
        (0, "just now"),
        (-0.5, "just now"),
        (0.5, "in a moment"),
        (-1, "1 second ago"),
        (-59, "59 seconds ago"),
        (60, "in 1 minute"),
        (-7199, "1 hour ago"),
        (-86400 * 2, "2 days ago"),
        (86400 * 7 - 1, "in 7 days"),
        (-86400 * 7 + 1, "6 days ago"),
    ],
)
def test_times_are_told_as_people_do(seconds: float, message: str) -> None:
    assert formatting.ago(NOW + timedelta(seconds=seconds), NOW).replace("\u00a0", " ") == message


@pytest.mark.parametrize(
    ("status", "error", "message"),
    [
        (200, None, "responded 200 OK"),
        (599, "status_refused", "responded 599"),
        (None, "tls_expired", "its certificate has expired"),
        (None, "connect_refused: Connection refused (os error 111)", "connection refused"),
        (None, "something_new", "something_new"),
        (None, None, "no response"),
    ],
)
def test_the_outcome_of_an_attempt_is_told_in_words(status: int | None, error: str | None, message: str) -> None:
    attempt = DeliveryAttempt(
        number=1,
        at=NOW,
        duration_ms=1,
        status_code=status,
        error=error,
        response_body=None,
        next_attempt_at=None,
    )
    assert formatting.outcome(attempt) == message


def test_every_reason_has_its_words() -> None:
    assert set(formatting._REASON_PHRASES) == set(SendFailureReason)


def test_a_body_that_is_no_json_is_shown_as_it_is() -> None:
    assert formatting.indented('{"a":1}') == '{\n  "a": 1\n}'
    assert formatting.indented("{broken") == "{broken"
