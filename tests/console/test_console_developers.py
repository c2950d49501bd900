"""Events, operations, tasks, usage and settings, and what is new without anybody asking."""

import re
from urllib.parse import urlsplit

import pytest

from console.browser import Browser, location, signed_in
from support.factories import FACTORIES, account_on
from support.service import PASSWORD, OwnerFixture, RunningService, StartService

SCRIPT = "<script>alert('x')</script>"


@pytest.mark.both_engines
def test_events_are_listed_newest_first(owner: OwnerFixture, other_owner: OwnerFixture, browser: Browser) -> None:
    assert "Nothing has happened yet" in browser.get("/console/events").text
    account_on(owner, "threads")
    (event,) = owner.session.get("/events", params={"event": "account.connected"}).json()["data"]
    text = browser.get("/console/events").text
    assert event["id"] in text
    assert event["id"] in browser.get("/console/events?event=account.connected").text
    assert event["id"] not in browser.get("/console/events?event=post.failed").text
    other = owner.new_profile()
    assert event["id"] not in browser.get(f"/console/events?profile={other}").text
    assert event["id"] not in signed_in(other_owner).get("/console/events").text
    assert browser.get("/console/events?event=nothing").status_code == 422


def test_operations_say_what_was_asked_and_what_came_of_it(owner: OwnerFixture, browser: Browser) -> None:
    empty = browser.get("/console/operations").text
    assert ("No operations yet" in empty, "Connect an account" in empty) == (True, True)
    operation = FACTORIES["operationId"](owner)
    text = browser.get("/console/operations").text
    assert operation in text
    assert "posts.delete" in text
    assert operation not in browser.get("/console/operations?status=running").text


def test_a_task_is_seen_and_cancelled(start_service: StartService) -> None:
    with start_service(worker="separate") as running:
        owner = running.new_owner()
        browser = signed_in(owner)
        empty = browser.get("/console/tasks").text
        assert ("No tasks yet" in empty, "Import products" in empty) == (True, True)
        task = FACTORIES["taskId"](owner)
        shown = browser.get("/console/tasks")
        assert task in shown.text
        assert shown.headers["refresh"] == "5"
        path = f"/console/tasks/{task}/cancel"
        assert location(browser.press(path)) == "/console/tasks"
        ended = browser.get("/console/tasks")
        assert (">Cancelled</span>" in ended.text, "refresh" in ended.headers) == (True, False)
        assert browser.press(path).status_code == 409
        assert browser.press("/console/tasks/task_1/cancel").status_code == 404


def test_usage_shows_each_metric_and_other_months(browser: Browser) -> None:
    text = browser.get("/console/usage").text
    for words in ("Posts", "Deliveries", "Messages sent", "API calls", "Connected accounts"):
        assert f">{words}</span>" in text
    (before,) = re.findall(r'href="(/console/usage\?period=[^"]+)" aria-label="The month before"', text)
    assert "The month after" in browser.get(before).text
    assert browser.get("/console/usage?period=soon").status_code == 422
    assert browser.press("/console/usage/portal").status_code in {404, 409, 503}


@pytest.mark.both_engines
def test_the_password_is_changed_and_other_sessions_end(service: RunningService) -> None:
    owner = service.new_owner()
    browser = Browser(service)
    browser.sign_in(owner.email)
    assert browser.get("/console/settings").text.count("<strong>Another session</strong>") == 1
    assert location(browser.press("/console/settings/sessions")) == "/console/settings"
    assert owner.session.get("/auth/me").status_code == 401
    wrong = browser.press("/console/settings/password", currentPassword="not this", newPassword="another password")
    assert wrong.status_code in {401, 422}
    assert "another password" not in wrong.text
    short = browser.press("/console/settings/password", currentPassword=PASSWORD, newPassword="short")
    assert (short.status_code, 'id="fault-newPassword"' in short.text) == (422, True)
    changed = browser.press("/console/settings/password", currentPassword=PASSWORD, newPassword="another password")
    assert location(changed) == "/console/settings"
    assert Browser(service).sign_in(owner.email).status_code == 401
    assert Browser(service).sign_in(owner.email, "another password").status_code == 303


@pytest.mark.both_engines
def test_home_shows_what_is_unread_and_the_first_steps(owner: OwnerFixture, browser: Browser) -> None:
    text = browser.get("/console").text
    assert "First steps" in text
    assert "0 of 4" in text
    assert "Nobody is waiting for a reply" in text
    FACTORIES["conversationId"](owner)
    owner.key_value(name=SCRIPT)
    text = browser.get("/console").text
    assert "2 of 4" in text
    assert "Hello" in text
    other = owner.new_profile("Empty")
    assert "Nobody is waiting for a reply" in browser.get(f"/console?profile={other}").text


def test_the_stream_of_new_things_is_open_to_the_session_of_a_browser(owner: OwnerFixture, browser: Browser) -> None:
    path = urlsplit("/events/stream").path
    with browser.client.stream("GET", path, headers={"Sec-Fetch-Site": "same-origin"}) as stream:
        assert stream.status_code == 200
        assert next(stream.iter_lines()).startswith("id: ")
    assert owner.running.client().get(path).status_code == 401
