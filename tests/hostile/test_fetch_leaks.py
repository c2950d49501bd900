"""Files named by URLs on a server that never answers: no connection outlives the request, and none are too many."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from socialgate.areas.posts.media_fetcher import PostMediaFetcher
from support.problems import problem_of
from support.service import OwnerFixture, RunningService, running_service
from support.waiting import eventually

URLS = 12


class Silent:
    """Takes every connection, and says nothing."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = int(self._listening.getsockname()[1])
        self._held: list[socket.socket] = []
        self.most = 0
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def open(self) -> int:
        """Count the connections that the service, which is in this process, has open to here."""
        return len([item for item in psutil.Process().net_connections("inet") if item.raddr[1:] == (self.port,)])

    def close(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for current_socket in self._held:
            current_socket.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                self._held.append(self._listening.accept()[0])
                self.most = max(self.most, self.open())

    @property
    def taken(self) -> int:
        return len(self._held)


@pytest.fixture
def silent() -> Iterator[Silent]:
    server = Silent()
    yield server
    server.close()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[RunningService]:
    with running_service(tmp_path, media_allow_nets="127.0.0.0/8", media_fetch_seconds=50) as own:
        yield own


def body_of(owner: OwnerFixture, silent: Silent, request: int, urls: int = URLS) -> dict[str, object]:
    media = [{"url": f"http://127.0.0.1:{silent.port}/{request}-{number}.jpg"} for number in range(urls)]
    return {"profileId": owner.profile_id, "content": "Bread", "media": media, "targets": []}


def test_connections_end_with_the_request_that_opened_them(tmp_path: Path, silent: Silent) -> None:
    with running_service(tmp_path, media_allow_nets="127.0.0.0/8", media_fetch_seconds=1.5) as running:
        owner = running.new_owner()
        reader = owner.key(permission="read")
        bodies = [body_of(owner, silent, number) for number in range(5)]
        with ThreadPoolExecutor(len(bodies)) as pool:
            answers = list(pool.map(lambda body: reader.post("/posts/validate", json=body), bodies))
        for answer in answers:
            assert answer.status_code == 200, answer.text
            faults = [fault for fault in answer.json()["errors"] if fault["code"] == "unfetchable_media"]
            assert len(faults) == URLS
            assert "must be fetched within 1.5 s" in faults[0]["detail"]
        assert silent.taken > 0
        # An owner has a few at once, over all its requests.
        assert silent.most <= 4
        eventually(lambda: silent.open() == 0, seconds=30)


def test_an_owner_waits_for_its_own_fetches_and_for_nobody_elses(running: RunningService, silent: Silent) -> None:
    busy, other = running.new_owner(), running.new_owner()
    with ThreadPoolExecutor(6) as pool:
        waiting = [
            pool.submit(busy.session.post, "/posts/validate", json=body_of(busy, silent, number, urls=50))
            for number in range(4)
        ]
        eventually(lambda: running.run(asked_by(running, busy)) == 200)
        refused = busy.session.post("/posts/validate", json=body_of(busy, silent, 5, urls=1))
        assert problem_of(refused, 429, "too_many_fetches")["retryAfter"] > 0
        waiting.append(pool.submit(other.session.post, "/posts/validate", json=body_of(other, silent, 6, urls=1)))
        eventually(lambda: silent.taken == 5)
        silent.close()
        assert {task.result(60).status_code for task in waiting} == {200}


async def asked_by(running: RunningService, owner: OwnerFixture) -> int:
    return running.service.container.get(PostMediaFetcher)._fetcher._turns.count_callers(owner.id)
