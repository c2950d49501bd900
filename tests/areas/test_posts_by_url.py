"""Posts that name their files by an address: fetched at once through the guarded door, and judged like any other."""

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from typing import Any

import httpx
import pytest
from PIL import Image

from socialgate.areas.media import store
from socialgate.areas.media.fetching import FetchError, MediaFetcher
from socialgate.areas.media.service import MediaService
from socialgate.areas.media.uploading import MediaUploads
from socialgate.core.caller import Caller
from socialgate.core.egress import EgressClient, SystemResolver, allow_any_address
from support.connections import connect_page
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually


def picture() -> bytes:
    bytes_io = BytesIO()
    Image.new("RGB", (640, 640), "teal").save(bytes_io, "JPEG")
    return bytes_io.getvalue()


PICTURE = picture()
ELSEWHERE = {"/detour": "/bread.jpg", "/loop": "/loop", "/inside": "http://10.0.0.1/secret", "/broken": "http://[::1/"}


class Site:
    """A website with a picture, a detour, a loop, pages that are none, and one that never comes."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(60)


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            match self.path.partition("?")[0]:
                case "/bread.jpg":
                    self._give(200, PICTURE)
                case path if path in ELSEWHERE:
                    self._give(302, b"", location=ELSEWHERE[path])
                case "/shared":
                    self._give(
                        200, b"<!doctype html><title>bread.jpg</title>", **{"content-type": "text/html; charset=utf-8"}
                    )
                case "/empty":
                    self._give(200, b"")
                case "/silent":
                    site.closing.wait(60)
                case _:
                    self._give(404, b"no")

        def _give(self, status: int, body: bytes, **headers: str) -> None:
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler


class Desk:
    """An owner with a Facebook Page."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        self.running = running
        self.owner = running.new_owner()
        self.session = self.owner.session
        self.sandbox = sandbox
        connect_page(sandbox, self.owner)
        (self.page,) = self.session.get("/accounts").json()["data"]

    def body(self, *urls: str, **fields: Any) -> dict[str, Any]:
        media = [{"url": url, "alt": "Bread"} for url in urls]
        target = {"accountId": self.page["id"]}
        return {"profileId": self.owner.profile_id, "content": "Bread", "media": media, "targets": [target], **fields}

    def send(self, *urls: str, to: str = "/posts", **fields: Any) -> httpx.Response:
        return self.session.post(to, json=self.body(*urls, **fields))


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    opened = Site()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service(media_allow_nets="127.0.0.0/8") as own:
        yield own


@pytest.fixture
def desk(running: RunningService) -> Iterator[Desk]:
    with Sandbox(running) as sandbox:
        yield Desk(running, sandbox)


def test_a_page_instead_of_a_file_is_explained(desk: Desk, site: Site) -> None:
    response = desk.send(f"{site.url}/shared", to="/posts/validate")
    (error,) = response.json()["errors"]
    assert error["pointer"] == "/media/0/url"
    assert error["detail"].startswith("The URL returns a web page instead of a file.")


def _post(desk: Desk, post_id: str) -> dict[str, Any]:
    shown: dict[str, Any] = desk.session.get(f"/posts/{post_id}").json()
    return shown


@pytest.mark.parametrize("path", ["/bread.jpg", "/detour"])
def test_what_is_at_the_address_is_published(path: str, desk: Desk, site: Site) -> None:
    response = desk.send(f"{site.url}{path}")
    assert response.status_code == 202, response.text
    post = response.json()
    assert post["media"][0]["mediaId"].startswith("med_")
    eventually(lambda: _post(desk, post["id"])["status"] == "published")
    number = desk.page["platformAccountId"]
    shown = desk.sandbox.control("feed", platform="meta", account=number)["data"]
    sums = [item.get("sha256") for entry in shown for item in entry.get("media", ())]
    assert hashlib.sha256(PICTURE).hexdigest() in sums


def test_the_same_address_is_fetched_once_for_all_targets(desk: Desk, site: Site) -> None:
    url = f"{site.url}/bread.jpg?once={desk.owner.id}"
    target = {"accountId": desk.page["id"], "media": [{"url": url}]}
    response = desk.send(url, targets=[target], draft=True)
    assert response.status_code == 201, response.text
    assert len([path for path in site.asked if desk.owner.id in path]) == 1


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/none.jpg", "returned 404"),
        ("/loop", "redirects more than 5 times"),
        ("/inside", "The file cannot be fetched: 10.0.0.1 does not have a public address (private)."),
        ("/empty", "The file is empty"),
        ("/broken", "The URL redirects to an address that is not valid."),
    ],
)
def test_what_cannot_be_fetched_is_told_with_everything_else(path: str, words: str, desk: Desk, site: Site) -> None:
    refused = desk.send(f"{site.url}{path}", targets=[{"accountId": "acc_unknown"}])
    assert refused.status_code == 422
    faults = {fault["pointer"]: fault for fault in refused.json()["errors"]}
    assert faults["/media/0/url"]["code"] == "unfetchable_media"
    assert words in faults["/media/0/url"]["detail"]
    assert faults["/targets/0/accountId"]["code"] == "not_found"
    assert desk.session.get("/posts").json()["data"] == []


@pytest.mark.parametrize("to", ["/posts", "/posts/validate"])
@pytest.mark.parametrize("url", ["http://[::1/", "http://[::1/bread.jpg", "http://x]/", "http://[x]/"])
def test_a_malformed_address_is_an_error_of_the_request(url: str, to: str, desk: Desk) -> None:
    answer = desk.send(url, to=to)
    assert answer.status_code == (422 if to == "/posts" else 200)
    (fault,) = answer.json()["errors"]
    assert (fault["pointer"], fault["code"]) == ("/media/0/url", "unfetchable_media")


@pytest.mark.parametrize("ref", [{}, {"url": "https://example.com/a.jpg", "mediaId": "med_1"}])
def test_a_file_is_named_in_one_way(ref: dict[str, str], desk: Desk) -> None:
    refused = desk.send(media=[ref])
    fault = problem_of(refused, 422)["errors"][0]
    assert (fault["pointer"], fault["code"]) == ("/media/0", "invalid")


def test_addresses_inside_the_deployment_are_refused_unless_the_operator_opens_them(
    start_service: StartService, site: Site
) -> None:
    with start_service() as running:
        owner = running.new_owner()
        body = {"profileId": owner.profile_id, "media": [{"url": f"{site.url}/bread.jpg?closed"}], "draft": True}
        refused = owner.session.post("/posts", json=body)
        assert "does not have a public address" in refused.json()["errors"][0]["detail"]
    assert "/bread.jpg?closed" not in site.asked


def test_judging_keeps_nothing(desk: Desk, site: Site) -> None:
    verdict = desk.send(f"{site.url}/bread.jpg", to="/posts/validate").json()
    assert verdict["valid"], verdict
    wrong = desk.send(f"{site.url}/none.jpg", to="/posts/validate").json()
    assert [fault["code"] for fault in wrong["errors"]] == ["unfetchable_media"]


def test_a_change_fetches_too_and_lets_go_of_what_was_there(desk: Desk, site: Site) -> None:
    post = desk.send(f"{site.url}/bread.jpg", draft=True).json()
    first = post["media"][0]["mediaId"]
    changes = {"media": [{"url": f"{site.url}/detour"}]}
    changed = desk.session.patch(f"/posts/{post['id']}", json=changes)
    assert changed.status_code == 200, changed.text
    assert changed.json()["media"][0]["mediaId"] != first
    assert expiry(desk.owner, first) is not None
    assert expiry(desk.owner, changed.json()["media"][0]["mediaId"]) is None


def test_too_many_addresses_are_refused_and_none_is_fetched(desk: Desk, site: Site) -> None:
    urls = [f"{site.url}/bread.jpg?many={desk.owner.id}-{number}" for number in range(51)]
    target = {"accountId": desk.page["id"], "media": [{"url": url} for url in urls[26:]]}
    refused = problem_of(desk.send(*urls[:26], targets=[target]), 422)
    faults = [fault for fault in refused["errors"] if fault["code"] == "unfetchable_media"]
    assert len(faults) == 51
    assert "51 URLs" in faults[0]["detail"]
    assert not [path for path in site.asked if desk.owner.id in path]


def test_all_addresses_of_a_request_have_one_time_together(running: RunningService, site: Site) -> None:
    owner, service = running.new_owner(), running.service
    door = EgressClient(policy=allow_any_address, resolver=SystemResolver(), user_agent="Tests")
    caller = Caller(owner_id=owner.id, credential_id="key_1")
    urls = [f"{site.url}/silent?{owner.id}-{number}" for number in range(12)]

    fetcher = MediaFetcher(
        service.container.get(MediaUploads), service.container.get(MediaService), door, running.url, timeout_seconds=0.2
    )
    response = running.run(fetcher.fetch(caller, owner.profile_id, urls))

    assert all(isinstance(why, FetchError) and "must be fetched within" in str(why) for why in response.values())
    # Those that waited for their turn had no time left to be asked for.
    assert len([path for path in site.asked if owner.id in path]) <= 4


def expiry(owner: OwnerFixture, media_id: str) -> Any:
    return owner.running.read(store.find_media, owner.id, media_id).expires_at
