"""The pages for people: every account has one, what it offers is taken, and every form leads back to its page."""

from collections.abc import Iterator
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest

from sandbox.google.client import CALENDAR, YOUTUBE, Google
from sandbox.google.official import http
from sandbox.graph_support import Platform
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors import ALL_VENDORS
from socialgate_sandbox.vendors.google.seed import ADA_CHANNEL_ID
from socialgate_sandbox.vendors.meta.seed import ADA, BAKERY, BAKERY_IG
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox

DAY = 86400
HTML = {"accept": "text/html"}


class Form(dict[str, str]):
    """The fields of a form with what is filled in at first. `options` are the choices of its lists."""

    action: str
    options: dict[str, list[str]]


class Forms(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._list = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        params = {name: value or "" for name, value in attrs}
        if tag == "form":
            form = Form()
            form.action, form.options = params["action"], {}
            self.found.append(form)
        elif tag == "input" and params.get("type") != "checkbox":
            self.found[-1][params["name"]] = params.get("value", "")
        elif tag == "select":
            self._list = params["name"]
            self.found[-1].options[self._list] = []
        elif tag == "option":
            value = params.get("value", "")
            self.found[-1].options[self._list].append(value)
            if "selected" in params or self._list not in self.found[-1]:
                self.found[-1][self._list] = value


@pytest.fixture(scope="module")
def gateway() -> Iterator[WebhookReceiver]:
    opened = WebhookReceiver()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory, gateway: WebhookReceiver) -> Iterator[RunningSandbox]:
    folder: Path = tmp_path_factory.mktemp("pages")
    with running_sandbox(folder, ALL_VENDORS, gateway.url) as running:
        yield running


@pytest.fixture
def running(opened: RunningSandbox, gateway: WebhookReceiver) -> RunningSandbox:
    opened.reset(gateway)
    return opened


def one_of_each_kind(running: RunningSandbox) -> list[dict[str, str]]:
    result = {(row["platform"], row["kind"]): row["id"] for row in running.look("accounts")["data"]}
    return [{"platform": platform, "account": account} for (platform, _kind), account in result.items()]


def form_of(page: httpx.Response, verb: str) -> Form:
    return next(form for form in Forms(page.text).found if form.action == f"/_control/{verb}")


def post(running: RunningSandbox, form: Form, **filled: str) -> httpx.Response:
    return running.client.post(form.action, data={**form, **filled})


def test_every_kind_of_account_has_a_page_and_all_its_tabs_open(running: RunningSandbox) -> None:
    tabs = set()
    for place in one_of_each_kind(running):
        shown = running.client.get("/_control/account", params=place)
        assert shown.status_code == 200
        links = [link.split('"')[0].replace("&amp;", "&") for link in shown.text.split('href="')[1:]]
        for link in links:
            if link.startswith("/_control/"):
                tabs.add(link.partition("?")[0])
                assert running.client.get(link, headers=HTML).status_code == 200, link
    values = (
        "account",
        "feed",
        "chat",
        "reviews",
        "leads",
        "calendar",
        "catalog",
        "numbers",
        "calls",
        "platform",
        "ads",
    )
    assert {f"/_control/{tab}" for tab in values} <= tabs


def test_what_can_be_chosen_is_what_the_platform_takes(running: RunningSandbox) -> None:
    """Whether a choice makes sense at this time is another question: then the answer is 404 or 409."""
    tried = 0
    for place in one_of_each_kind(running):
        page = running.client.get("/_control/account", params=place)
        for form in Forms(page.text).found:
            if "account" not in form or form.action == "/_control/fail":
                continue
            assert form["_page"].startswith("/_control/account?")
            # A list that wants a choice but has none keeps a browser from sending the form.
            if any(options == [""] for options in form.options.values()):
                continue
            for name, options in form.options.items():
                for value in options:
                    answer = post(running, form, **{name: value})
                    assert answer.status_code in {200, 303, 404, 409}, (place, form.action, name, value, answer.text)
                    tried += 1
    assert tried > 100


def test_few_fields_of_an_account_are_free_text(running: RunningSandbox) -> None:
    free = set()
    for place in one_of_each_kind(running):
        for form in Forms(running.client.get("/_control/account", params=place).text).found:
            if "account" in form and form.action != "/_control/fail":
                free |= {(form.action, name) for name in form.keys() - form.options - {"_page", "platform", "account"}}
    words = {name for _action, name in free} - {"seconds", "times", "lost"}
    assert words == {"number", "phone", "reason", "title"}


def test_an_answer_is_shown_where_the_form_stands(running: RunningSandbox) -> None:
    place = {"platform": "telegram", "account": "7100000001"}
    form = form_of(running.client.get("/_control/account", params=place), "token")
    shown = post(running, form)
    assert shown.status_code == 200
    assert "Done: BotFather: show the token." in shown.text
    assert "7100000001:" in shown.text
    assert "<h1>@" in shown.text


def test_what_is_for_a_whole_platform_is_on_its_page(running: RunningSandbox) -> None:
    for vendor in ALL_VENDORS:
        assert running.client.get("/_control/platform", params={"platform": vendor.name}).status_code == 200
    page = running.client.get("/_control/platform", params={"platform": "telegram"})
    form = form_of(page, "newbot")
    assert form.options["person"] == ["ada", "bram", "cleo"]
    assert '"token"' in post(running, form, name="Buns", username="buns_bot").text.replace("&#34;", '"')
    assert "@buns_bot" in running.client.get("/").text
    limited = post(running, form_of(page, "throttle"), perMinute="7")
    assert limited.headers["location"] == "/_control/platform?platform=telegram&done=throttle"
    assert "7 calls per minute" in running.client.get("/").text
    unlimited = form_of(running.client.get("/"), "throttle")
    assert post(running, unlimited, platform="telegram").status_code == 303
    assert "calls per minute" not in running.client.get("/").text


def test_the_default_can_be_unset(running: RunningSandbox) -> None:
    (creator, *_) = running.look("accounts", platform="tiktok")["data"]
    place = {"platform": "tiktok", "account": creator["id"]}
    states = []
    for chosen in ({}, {"blocked": "(empty)"}, {"private": "true"}):
        form = form_of(running.client.get("/_control/account", params=place), "restrict")
        assert post(running, form, **chosen).status_code == 200
        result = running.look("accounts", platform="tiktok")["data"]
        states.append(next(row["state"] for row in result if row["id"] == creator["id"]))
    assert states == ["spam_risk_user_banned_from_posting", "active", "spam_risk_user_banned_from_posting"]


def test_forms_lead_back_to_pages_of_the_sandbox_only(running: RunningSandbox) -> None:
    for page, location in (
        ("/_control/calls?platform=meta#controls", "/_control/calls?platform=meta&done=clock#controls"),
        ("/_control/calls?done=reset", "/_control/calls?done=clock"),
        ("https://evil.example/", "/?done=clock"),
        ("//evil.example/", "/?done=clock"),
        ("//evil.example/_control/calls", "/?done=clock"),
        ("/_control/files/x", "/?done=clock"),
        ("http://[", "/?done=clock"),
    ):
        answer = running.client.post("/_control/clock", data={"advance": "1", "_page": page})
        assert (answer.status_code, answer.headers["location"]) == (303, location)
    assert "evil" not in running.client.get("/", params={"done": "<b>evil</b>"}).text


@pytest.mark.parametrize(
    ("choice", "fault"),
    [
        ("error:token_expired", {"error": "token_expired", "when": "before"}),
        ("server_error", {"status": 500}),
        ("slow", {"delay": 10, "status": None}),
        ("answer_lost", {"when": "after"}),
        ("call_lost", {"when": "drop"}),
        ("late", {"when": "late", "delay": 10}),
        ("hang", {"hang": True, "when": "before"}),
        ("hang_after", {"hang": True, "when": "after"}),
    ],
)
def test_a_failure_is_one_choice(running: RunningSandbox, choice: str, fault: dict[str, Any]) -> None:
    place = {"platform": "meta", "account": BAKERY}
    form = form_of(running.client.get("/_control/account", params=place), "fail")
    assert (form["platform"], form["times"]) == ("meta", "3")
    assert choice in form.options["failure:meta"]
    assert post(running, form, **{"failure:meta": choice, "account": BAKERY, "skip": "2"}).status_code == 303
    (ordered,) = running.look("fail")["data"]
    assert fault.items() <= ordered.items()
    assert (ordered["times"], ordered["skip"], ordered["account"]) == (3, 2, BAKERY)
    shown = running.client.get("/_control/account", params=place)
    cancel = form_of(shown, "cancel")
    assert post(running, cancel, id=ordered["id"]).status_code == 303
    assert running.look("fail")["data"] == []
    again = post(running, cancel, id=ordered["id"])
    assert (again.status_code, "GET /_control/fail lists them" in again.text) == (404, True)


def test_every_failure_that_is_offered_can_be_ordered(running: RunningSandbox) -> None:
    form = form_of(running.client.get("/"), "fail")
    for platform in form.options["platform"]:
        for choice in form.options[f"failure:{platform}"]:
            assert post(running, form, platform=platform, **{f"failure:{platform}": choice}).status_code == 303
    assert len(running.look("fail")["data"]) == sum(
        len(form.options[f"failure:{vendor.name}"]) for vendor in ALL_VENDORS
    )
    assert running.client.post("/_control/cancel", json={}).json() == {"ok": True}
    assert running.look("fail")["data"] == []
    assert post(running, form, **{f"failure:{form['platform']}": "dance"}).status_code == 422


def test_the_clock_goes_to_a_date(running: RunningSandbox) -> None:
    assert running.control("clock", to="2031-02-03T04:05")["now"].startswith("2031-02-03T04:05:0")
    assert running.control("clock", to="2031-02-03T04:05:00+02:00")["now"].startswith("2031-02-03T02:05:0")
    assert "3 Feb 2031, 02:05" in running.client.get("/").text
    for wrong in ("soon", "2031-02-30", "0001-01-01T00:00", "9999-12-31T23:59"):
        assert running.client.post("/_control/clock", json={"to": wrong}).status_code == 422


def test_calls_are_listed_by_account(running: RunningSandbox, gateway: WebhookReceiver) -> None:
    meta = Meta(Platform(running, gateway, "meta"))
    token = meta.page(ADA, BAKERY)
    meta.post(f"{BAKERY}/feed", token, message="<b>Buns</b>")
    place = {"platform": "meta", "account": BAKERY}
    (newest, *_) = running.look("received", **place)["data"]
    assert (newest["path"], newest["accounts"]) == (
        f"/graph.facebook.com/v26.0/{BAKERY}/feed",
        [BAKERY, BAKERY_IG],
    )
    assert running.look("received", platform="meta", account="nobody")["data"] == []
    shown = running.client.get("/_control/calls", params=place).text
    assert f"POST /graph.facebook.com/v26.0/{BAKERY}/feed" in shown
    assert "&lt;b&gt;Buns" in shown
    assert token not in shown
    other = running.client.get("/_control/calls", params={"platform": "telegram"}).text
    assert "No calls yet." in other
    assert (
        running.client.get("/_control/calls", params=place | {"path": "*/nothing"}).text.count("<details><summary>")
        == 0
    )


def test_the_address_of_a_post_leads_to_its_feed(running: RunningSandbox, gateway: WebhookReceiver) -> None:
    meta = Meta(Platform(running, gateway, "meta"))
    token = meta.page(ADA, BAKERY)
    post_id = meta.post(f"{BAKERY}/feed", token, message="Buns").json()["id"]
    url = meta.get(post_id, token, fields="permalink_url").json()["permalink_url"]
    feed = f"/_control/feed?platform=meta&account={BAKERY}#{post_id}"
    for address in (url, f"{url}/", url.replace("www.", ""), f"https://www.facebook.com/{post_id}"):
        response = running.client.get("/_control/find", params={"url": address}, headers=HTML)
        assert (response.status_code, response.headers.get("location")) == (303, feed), address
    shown = running.client.get("/_control/feed", params={"platform": "meta", "account": BAKERY}, headers=HTML).text
    assert f"/_control/find?url={httpx.QueryParams(url=url)['url']}".split("=")[0] in shown
    assert f'href="{url}"' not in shown
    for wrong in ("https://www.facebook.com/1/posts/2", "http://[", "", url.replace("facebook", "evil")):
        lost = running.client.get("/_control/find", params={"url": wrong}, headers=HTML)
        assert (lost.status_code, "No post here has this URL." in lost.text) == (404, True), wrong


def test_a_customer_reviews_a_place(running: RunningSandbox) -> None:
    rows = running.look("accounts", platform="google")["data"]
    place = next(row["id"] for row in rows if (row["kind"], row["state"]) == ("location", "active"))
    query = {"platform": "google", "account": place}
    page = running.client.get("/_control/reviews", params=query, headers=HTML)
    sent = post(running, form_of(page, "review"), stars="2", text="<i>Meh</i>", person="elif")
    assert sent.headers["location"] == f"/_control/reviews?platform=google&account={place}"
    (review, *_older) = running.look("reviews", **query)["data"]
    assert (review["author"], review["stars"], review["text"]) == ("Elif Yilmaz", 2, "<i>Meh</i>")
    assert "&lt;i&gt;Meh&lt;/i&gt;" in running.client.get("/_control/reviews", params=query, headers=HTML).text
    assert running.client.get("/_control/reviews", params={"platform": "meta", "account": BAKERY}).status_code == 404


def test_a_viewer_comments_replies_and_deletes_on_the_feed_of_a_channel(
    running: RunningSandbox, gateway: WebhookReceiver
) -> None:
    google = Google(running, gateway)
    body = {"snippet": {"title": "Semlor", "categoryId": "26"}, "status": {"privacyStatus": "public"}}
    with google.sdk("youtube", "v3", google.sign_in("ada", YOUTUBE)) as youtube:
        film = http.MediaIoBaseUpload(BytesIO(b"film"), "video/mp4")
        video = youtube.videos().insert(part="snippet,status", body=body, media_body=film).execute()["id"]
    query = {"platform": "google", "account": ADA_CHANNEL_ID}

    def send(**filled: str) -> list[dict[str, Any]]:
        """Send the last form that has these fields, and give the comments afterwards."""
        page = running.client.get("/_control/feed", params=query, headers=HTML)
        form = next(form for form in reversed(Forms(page.text).found) if {"objectId", *filled} <= {*form, "action"})
        assert post(running, form, **filled).headers["location"].endswith(f"#{video}")
        (shown,) = running.look("feed", **query)["data"]
        comments: list[dict[str, Any]] = shown["comments"]
        return comments

    (first,) = send(text="<i>Yum</i>", person="elif")
    assert (first["text"], first["person"]) == ("<i>Yum</i>", "elif")
    (_, answer) = send(text="Same here", person="finn", parentId=first["id"])
    assert (answer["text"], answer["person"]) == ("Same here", "finn")
    assert ">Like<" not in running.client.get("/_control/feed", params=query, headers=HTML).text
    assert send(commentId=first["id"], action="delete") == []


def test_a_guest_answers(running: RunningSandbox, gateway: WebhookReceiver) -> None:
    google = Google(running, gateway)
    token = google.sign_in("ada", CALENDAR)["access_token"]
    moments = {"start": {"dateTime": "2026-12-01T10:00:00Z"}, "end": {"dateTime": "2026-12-01T11:00:00Z"}}
    event = {"summary": "<b>Class</b>", "attendees": [{"email": "bram@example.com"}], **moments}
    response = google.post("www.googleapis.com/calendar/v3/calendars/primary/events", token, event, sendUpdates="all")
    query = {"platform": "google", "account": "ada@example.com"}
    page = running.client.get("/_control/calendar", params=query, headers=HTML)
    assert "&lt;b&gt;Class&lt;/b&gt;" in page.text
    sent = post(running, form_of(page, "respond"), response="declined")
    assert sent.headers["location"].endswith(f"#{response.json()['id']}")
    (shown,) = running.look("calendar", **query)["data"]
    assert (shown["title"], [guest["response"] for guest in shown["guests"]]) == ("<b>Class</b>", ["declined"])
    assert shown["guests"][0]["received"] != []


def test_campaigns_are_listed_and_an_ad_is_reviewed(running: RunningSandbox) -> None:
    query = {"platform": "tiktokads", "account": "7190000000000001001"}

    def ad() -> dict[str, Any]:
        [campaign] = running.look("ads", **query)["data"]
        [ad_set] = campaign["inner"]
        [result] = ad_set["inner"]
        assert (campaign["level"], ad_set["level"], result["level"]) == ("campaign", "ad set", "ad")
        assert campaign["spend"] == ad_set["spend"] == result["spend"] > 0
        return dict(result)

    page = running.client.get("/_control/ads", params=query, headers=HTML)
    assert ad()["name"] in page.text
    assert post(running, form_of(page, "review"), verdict="rejected").status_code == 303
    assert (ad()["review"], ad()["state"]) == ("rejected", "audit deny")
    page = running.client.get("/_control/ads", params=query, headers=HTML)
    assert ad()["reason"] in page.text
    assert ">rejected</span>" in page.text
    assert "audit deny" not in page.text
    assert post(running, form_of(page, "review"), verdict="approved").status_code == 303
    assert ad()["review"] == "approved"


def test_products_are_listed(running: RunningSandbox) -> None:
    query = {"platform": "meta", "account": BAKERY}
    (catalog, *_) = running.look("catalog", **query)["data"]
    assert catalog["name"] in running.client.get("/_control/catalog", params=query, headers=HTML).text
    assert running.client.get("/_control/catalog", params={"platform": "meta", "account": BAKERY_IG}).status_code == 404


def test_pages_ignore_parameters_that_links_add_and_programs_are_told_of_them(running: RunningSandbox) -> None:
    place = f"platform=meta&account={BAKERY}"
    for page in ("account", "feed", "chat", "leads", "numbers", "calls"):
        shown = running.client.get(f"/_control/{page}?{place}&utm=1", headers=HTML)
        assert (shown.status_code, 'role="alert"' in shown.text) == (200, False), page
    for page in ("calls?utm=1", "webhooks?utm=1", "hooks?utm=1", "platform?platform=meta&utm=1"):
        assert running.client.get(f"/_control/{page}", headers=HTML).status_code == 200, page
    refused = running.client.get(f"/_control/feed?{place}&utm=1")
    assert (refused.status_code, "There is no field utm." in refused.text) == (422, True)


def test_a_page_that_cannot_be_shown_says_why(running: RunningSandbox) -> None:
    for path, status in (
        ("account?platform=meta&account=<0>", 404),
        ("platform?platform=<0>", 404),
        ("feed?platform=meta", 422),
        ("webhooks?state=<0>", 422),
        ("calls?platform=<0>", 404),
    ):
        shown = running.client.get(f"/_control/{path}", headers=HTML)
        assert (shown.status_code, 'role="alert"' in shown.text, "<0>" in shown.text) == (status, True, False), path
