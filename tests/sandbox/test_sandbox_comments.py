"""People write on the feed page of an account with plain forms, and see what the account does with it."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import pytest

from sandbox.graph_support import Platform
from sandbox.meta.signing_in import Meta
from sandbox.threads.signing_in import Threads
from socialgate_sandbox.vendors.meta import VENDOR as META
from socialgate_sandbox.vendors.meta.seed import ADA, BAKERY
from socialgate_sandbox.vendors.threads import VENDOR as THREADS
from socialgate_sandbox.vendors.threads.seed import ADA as PROFILE
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox

WORDS = "<b>Any left?</b> שלום"


class Form(dict[str, str]):
    """The fields of one form as they stand on a page; buttons are pressed by their label."""

    buttons: dict[str, dict[str, str]]
    people: list[str]


class Forms(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._inside = False
        self._button: dict[str, str] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        params = {name: value or "" for name, value in attrs}
        if tag == "form":
            # The sidebar has forms of its own.
            self._inside = params["action"] == "/_control/comment"
            if self._inside:
                assert params["method"] == "post"
                form = Form()
                form.buttons, form.people = {}, []
                self.found.append(form)
        elif self._inside and tag == "input":
            self.found[-1][params["name"]] = params.get("value", "")
        elif self._inside and tag == "option":
            self.found[-1].people.append(params["value"])
        elif self._inside and tag == "button":
            self._button = {params["name"]: params["value"]} if "name" in params else {}

    def handle_data(self, data: str) -> None:
        if self._button is not None:
            self.found[-1].buttons[data] = self._button
            self._button = None

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "form"


class Feed:
    """One account's page in a browser without scripts, and the account's own view of its comments."""

    def __init__(self, running: RunningSandbox, platform: str, account: str) -> None:
        self._client = running.client
        self._query = {"platform": platform, "account": account}

    def look(self) -> httpx.Response:
        answer = self._client.get("/_control/feed", params=self._query, headers={"accept": "text/html"})
        assert answer.status_code == 200, answer.text
        return answer

    def send(self, button: str, status: int = 303, *, like: dict[str, str] | None = None, **filled: str) -> Any:
        """Fill in the first form that has the button and these values, press it, and come back to the page."""
        values = like or {}
        forms = [form for form in Forms(self.look().text).found if ("parentId" in form) == ("parentId" in values)]
        form = next(form for form in forms if button in form.buttons and values.items() <= form.items())
        assert set(filled) <= {*form, "person"}
        if "person" in filled:
            assert filled["person"] in form.people
        answer = self._client.post("/_control/comment", data={**form, **filled, **form.buttons[button]})
        assert answer.status_code == status, answer.text
        return answer


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    folder: Path = tmp_path_factory.mktemp("comments")
    with running_sandbox(folder, [META, THREADS]) as opened:
        yield opened


@pytest.fixture
def gateway() -> Iterator[WebhookReceiver]:
    opened = WebhookReceiver()
    yield opened
    opened.close()


@pytest.fixture
def meta(running: RunningSandbox, gateway: WebhookReceiver) -> Meta:
    running.control("reset")
    return Meta(Platform(running, gateway, "meta"))


@pytest.fixture
def threads(running: RunningSandbox, gateway: WebhookReceiver) -> Threads:
    running.control("reset")
    return Threads(Platform(running, gateway, "threads"))


def test_a_person_and_a_page_talk(meta: Meta) -> None:
    token = meta.page(ADA, BAKERY)
    post = meta.post(f"{BAKERY}/feed", token, message="Buns").json()["id"]
    feed = Feed(meta.platform.running, "meta", BAKERY)
    back = feed.send("Send", person="finn", text=WORDS).headers["location"]
    assert back == f"/_control/feed?platform=meta&account={BAKERY}#{post}"
    (theirs,) = meta.get(f"{post}/comments", token).json()["data"]
    assert (theirs["message"], theirs["from"]["name"]) == (WORDS, "Finn O'Sullivan")
    shown = feed.look().text
    assert "&lt;b&gt;Any left?&lt;/b&gt; שלום" in shown
    assert f'id="{post}"' in shown
    answer = meta.post(f"{theirs['id']}/comments", token, message="Two & more").json()["id"]
    assert "Two &amp; more" in feed.look().text
    feed.send("Send", like={"parentId": answer}, person="elif", text="One for me")
    rows = meta.get(f"{theirs['id']}/comments", token).json()["data"]
    assert [row["message"] for row in rows] == ["Two & more", "One for me"]
    feed.send("Like", like={"parentId": answer}, person="dario")
    assert meta.get(answer, token, fields="like_count").json()["like_count"] == 1
    assert "1 like" in feed.look().text
    feed.send("Save", like={"commentId": theirs["id"]}, text="Any at all?")
    assert meta.get(theirs["id"], token, fields="message").json()["message"] == "Any at all?"
    assert "· hidden" not in feed.look().text
    meta.post(theirs["id"], token, is_hidden="true")
    assert "· hidden" in feed.look().text
    feed.send("Delete as Elif Yilmaz")
    assert "One for me" not in feed.look().text
    meta.delete(theirs["id"], token)
    assert "Any at all?" not in feed.look().text
    assert meta.get(f"{post}/comments", token, filter="stream").json() == {"data": []}


def test_a_person_and_a_profile_talk(threads: Threads) -> None:
    token = threads.long(PROFILE)
    params = {"media_type": "TEXT", "auto_publish_text": "true"}
    post = threads.post("me/threads", token, text="Buns", **params).json()["id"]
    feed = Feed(threads.platform.running, "threads", PROFILE)
    feed.send("Send", person="elif", text=WORDS)
    (theirs,) = threads.get(f"{post}/replies", token, fields="id,text,username").json()["data"]
    assert (theirs["text"], theirs["username"]) == (WORDS, "elif.yilmaz")
    answer = threads.post("me/threads", token, text="Two", reply_to_id=theirs["id"], **params).json()["id"]
    feed.send("Send", like={"objectId": post, "parentId": answer}, person="elif", text="Mine")
    conversation = threads.get(f"{post}/conversation", token, fields="text", reverse="false").json()["data"]
    assert [row["text"] for row in conversation] == [WORDS, "Two", "Mine"]
    # The answer has a place of its own on the profile, where one can reply to it, too.
    feed.send("Send", like={"objectId": answer}, person="finn", text="And mine")
    assert len(threads.get(f"{answer}/replies", token).json()["data"]) == 2
    assert "<summary>Edit</summary>" not in feed.look().text
    threads.delete(answer, token)
    assert "· deleted" in feed.look().text
    threads.post(f"{theirs['id']}/manage_reply", token, hide="true")
    assert feed.look().text.count("· hidden") == 4


def test_a_refusal_is_said_on_the_page_where_the_form_stands(meta: Meta) -> None:
    token = meta.page(ADA, BAKERY)
    meta.post(f"{BAKERY}/feed", token, message="Buns")
    feed = Feed(meta.platform.running, "meta", BAKERY)
    refused = feed.send("Send", 422, person="finn", text=" ")
    assert '<p class="note bad" role="alert">text is required.</p>' in refused.text
    assert "<h1>Lindqvist Bakery</h1>" in refused.text
    client, form = (
        meta.platform.running.client,
        {"platform": "meta", "_page": "/_control/feed?platform=meta&account=1", "objectId": "<0>", "text": "x"},
    )
    lost = client.post("/_control/comment", data=form)
    assert (lost.status_code, "&lt;0&gt;" in lost.text) == (404, True)


def test_where_nobody_can_comment_there_is_no_form(meta: Meta) -> None:
    token = meta.page(ADA, BAKERY)
    meta.post(f"{BAKERY}/feed", token, message="Later", published="false")
    feed = Feed(meta.platform.running, "meta", BAKERY)
    assert Forms(feed.look().text).found == []
    (row,) = meta.platform.running.look("feed", platform="meta", account=BAKERY)["data"]
    assert row["openToComments"] is False


def test_the_controls_name_the_verb(running: RunningSandbox) -> None:
    rows = {row["platform"]: row["verbs"] for row in running.look("")["data"]}
    fields = {"objectId", "text", "person", "parentId", "commentId", "action"}
    assert {name: set(verbs["comment"]["fields"]) for name, verbs in rows.items()} == {
        "meta": fields,
        "threads": fields,
    }
