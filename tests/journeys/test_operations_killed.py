"""The serving process is killed at the calls of operations: nothing is done twice, and what is answered is true.

Each request is held at one call of its platform, before the platform has done what it was asked or after, or has been
answered. One SIGKILL is for all of them. Then the process is started again, and each request is repeated as its
customer would, with the same Idempotency-Key. `ACTIONS` lists the operations: a new kind is one line more.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import pytest

from socialgate.areas.operations.tables import LEASE
from socialgate.sandbox.kit import Vendor, World
from socialgate.sandbox.vendors import telegram, threads, wasender
from socialgate.sandbox.vendors.threads.content import Options, Post
from socialgate.sandbox.vendors.threads.state import Profile
from socialgate.sandbox.vendors.wasender.state import Customer
from support.crashing import MINUTE, Stage, staged
from support.parallel import in_parallel
from support.postgres import new_database
from support.soak import LONG
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

MOMENTS = ("before", "after", "answered")
PROFILE = "24178919900000001"
FIRST_POST, POSTS = 18100000000000001, 200
_numbers = count(1)
_PASSING = {"idempotency_key_in_use", "platform_unavailable"}


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """One request. `effects` counts what it has done so far, `object_id` is what the operation must name then."""

    method: str
    path: str
    body: dict[str, Any] | None
    effects: Callable[[], int]
    object_id: Callable[[], str | None]


class Action(msgspec.Struct, frozen=True):
    """One kind of operation: its platform, the calls at which it is killed, and how a request for it is made.

    It is `provable` where the platform can be asked whether something was not done.
    """

    name: str
    platform: str
    calls: tuple[str, ...]
    subject: Callable[[Stage], Subject]
    provable: bool = True


def _bot(stage: Stage) -> Subject:
    made = stage.sandbox.control(
        "newbot", platform="telegram", person="ada", name="Killed", username=f"Killed{next(_numbers)}Bot"
    )
    bot = made["token"].partition(":")[0]

    def effects() -> int:
        """Count how often it was reported as connected."""
        reported = stage.ask("GET", "/events", params={"event": "account.connected", "limit": 200})["data"]
        ids = [one["id"] for one in stage.ask("GET", "/accounts")["data"] if one["platformAccountId"] == bot]
        return sum(event["data"]["accountId"] in ids for event in reported)

    body = {"profileId": stage.profile_id, "botToken": made["token"]}
    return Subject(method="POST", path="/connect/telegram", body=body, effects=effects, object_id=lambda: bot)


def _phone(stage: Stage) -> Subject:
    number = f"+5198{next(_numbers):07}"

    def sessions() -> list[str]:
        found = stage.sandbox.look("accounts", platform="wasender")["data"]
        return [one["id"] for one in found if one["kind"] == "session" and one["name"].endswith(number)]

    body = {"profileId": stage.profile_id, "name": "Shop", "phoneNumber": number}
    return Subject(
        method="POST",
        path="/connect/wasender",
        body=body,
        effects=lambda: len(sessions()),
        object_id=lambda: next(iter(sessions()), None),
    )


def _post(stage: Stage) -> Subject:
    (account_id,) = [one["id"] for one in stage.ask("GET", "/accounts")["data"] if one["platform"] == "threads"]
    post = str(FIRST_POST + next(_numbers))

    def effects() -> int:
        """A post can be deleted only once: it is out, or it is not."""
        out = stage.sandbox.look("feed", platform="threads", account=PROFILE, limit=POSTS)["data"]
        return int(post not in {one["id"] for one in out})

    path = f"/accounts/{account_id}/posts/{post}"
    return Subject(method="DELETE", path=path, body=None, effects=effects, object_id=lambda: post)


def _under(stage: Stage, post: str) -> list[dict[str, Any]]:
    """List the replies that people see under a post."""
    out = stage.sandbox.look("feed", platform="threads", account=PROFILE, limit=POSTS)["data"]
    return next(one["comments"] for one in out if one["id"] == post)


def _comments(stage: Stage) -> tuple[str, str]:
    (account_id,) = [one["id"] for one in stage.ask("GET", "/accounts")["data"] if one["platform"] == "threads"]
    return f"/accounts/{account_id}/comments", str(FIRST_POST + next(_numbers))


def _reply(stage: Stage) -> Subject:
    path, post = _comments(stage)
    text = f"Thanks {uuid4().hex}"

    def replies() -> list[str]:
        return [one["id"] for one in _under(stage, post) if one["text"] == text]

    return Subject(
        method="POST",
        path=path,
        body={"postId": post, "text": text},
        effects=lambda: len(replies()),
        object_id=lambda: next(iter(replies()), None),
    )


def _hiding(stage: Stage) -> Subject:
    path, post = _comments(stage)
    reply = stage.sandbox.control("comment", platform="threads", objectId=post, text="Spam")["id"]
    return Subject(
        method="POST",
        path=f"{path}/hide",
        body={"commentId": reply},
        effects=lambda: sum(one["id"] == reply and one["hidden"] for one in _under(stage, post)),
        object_id=lambda: reply,
    )


ACTIONS = (
    Action("comments.create", "threads", ("POST */threads_publish",), _reply, provable=False),
    Action("comments.hide", "threads", ("POST */manage_reply",), _hiding),
    Action("connect.telegram", "telegram", ("* */getMe", "* */setWebhook"), _bot),
    Action("connect.wasender", "wasender", ("POST */whatsapp-sessions", "POST */whatsapp-sessions/*/connect"), _phone),
    Action("posts.delete", "threads", ("DELETE *",), _post),
)


class Attempt:
    """One request that is killed at one point, and repeated until it has an answer."""

    def __init__(self, stage: Stage, action: Action, call: str, when: str) -> None:
        self.stage = stage
        self.action = action
        self.call = call
        self.when = when
        self.subject = action.subject(stage)
        # The platform tells deletions apart by their object: they need no key.
        self.headers = {"Idempotency-Key": uuid4().hex} if self.subject.method == "POST" else {}
        self.first: Future[httpx.Response | None] | None = None

    def __str__(self) -> str:
        return f"{self.action.name}, {self.when} {self.call}"

    def begin(self, pool: ThreadPoolExecutor) -> None:
        """Send the request, and wait until it is where it is to be killed."""
        fault = None if self.when == "answered" else self.hang(self.call, self.when)
        self.first = pool.submit(self.send)
        if fault is None:
            answer = self.first.result()
            assert answer is not None, self
            assert answer.is_success, answer.text
        else:
            eventually(lambda: fault in held(self.stage))

    def hang(self, call: str, when: str) -> str:
        method, _, path = call.partition(" ")
        order = {"platform": self.action.platform, "method": method, "path": path, "when": when, "hang": True}
        return str(self.stage.sandbox.control("fail", **order)["id"])

    def send(self) -> httpx.Response | None:
        """Send the request; None where nobody is left to answer it."""
        subject = self.subject
        try:
            return self.stage.http.request(subject.method, subject.path, json=subject.body, headers=self.headers)
        except httpx.TransportError:
            return None

    def refuse(self) -> None:
        """While its process may still live, nobody takes a request over; one that was recorded is answered again."""
        answer = self.send()
        assert answer is not None, f"{self}: no answer"
        is_known = answer.is_success or self.subject.method == "DELETE"
        assert is_known or answer.json()["code"] == "idempotency_key_in_use", f"{self}: {answer.text}"

    def settle(self) -> httpx.Response:
        """Repeat the request as long as the service says that it can be."""

        def answered() -> httpx.Response | None:
            answer = self.send()
            assert answer is not None, f"{self}: no answer"
            return None if answer.json().get("code") in _PASSING else answer

        return eventually(answered)

    def check(self) -> None:
        """Compare the answer with what the platform has, and with what is on record."""
        answer = self.settle()
        if answer.status_code == httpx.codes.BAD_GATEWAY:
            self.check_unknown(answer)
            return
        known = self.records()
        if self.subject.method == "DELETE" and answer.status_code == httpx.codes.NOT_FOUND:
            # Without a key it is another request, and the platform has nothing left to delete.
            assert answer.json()["code"] == "platform_not_found", answer.text
        else:
            assert answer.is_success, f"{self}: {answer.text}"
        assert self.subject.effects() == 1, self
        done = [one for one in known if one["status"] == "succeeded"]
        assert {one["platformObjectId"] for one in done} == {self.subject.object_id()}, self
        if self.action.name.startswith("connect."):
            assert {one["accountId"] for one in done} == {answer.json()["id"]}, self
        again = self.settle()
        assert (again.is_success, self.subject.effects()) == (self.subject.method == "POST", 1), self
        if again.is_success:
            assert again.json() == answer.json(), self

    def check_unknown(self, answer: httpx.Response) -> None:
        """What the platform never says that it will not do stays open, and nothing is done because of the question."""
        assert (self.when, self.action.provable) == ("before", False), f"{self}: {answer.text}"
        operation = answer.json()["detail"].partition("/operations/")[2].split(" ")[0]
        assert self.stage.ask("GET", f"/operations/{operation}")["status"] == "unconfirmed", self
        assert self.subject.effects() == 0, self

    def records(self) -> list[dict[str, Any]]:
        """Give the operations on this object, once none of them is open."""
        wanted = self.subject.object_id()

        def settled() -> list[dict[str, Any]] | None:
            known = self.stage.ask("GET", "/operations", params={"limit": 200})["data"]
            mine = [one for one in known if one["platformObjectId"] == wanted]
            return mine if mine and all(one["status"] != "running" for one in known) else None

        return eventually(settled)


def held(stage: Stage) -> set[str]:
    """Name the faults whose calls hang now."""
    return {one["fault"] for one in stage.sandbox.look("fail")["hanging"]}


def kill(stage: Stage) -> None:
    """Shoot the serving process and start it again. As time stands still, the leases of the dead still hold."""
    victim = stage.processes[0]
    victim.kill()
    stage.sandbox.client.delete("/_control/fail")
    victim.start_again()
    victim.wait_until_ready()


def let_leases_end(stage: Stage) -> None:
    stage.clocks.advance(LEASE + timedelta(seconds=1), platforms=timedelta(0))


def attempts_at(stage: Stage, actions: Sequence[Action]) -> list[Attempt]:
    points = [(action, call, when) for action in actions for call in action.calls for when in MOMENTS]
    return [Attempt(stage, *point) for point in points]


def _with_posts(world: World) -> None:
    threads.VENDOR.seed(world)
    world.store.put(Profile(id=PROFILE, username="killed", name="Killed"))
    made = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(FIRST_POST, FIRST_POST + POSTS):
        post = Post(
            id=str(number),
            parent=PROFILE,
            media_type="TEXT_POST",
            shortcode=f"s{number}",
            made=made,
            options=Options(),
            text=str(number),
        )
        world.store.put(post)


def _with_room(world: World) -> None:
    wasender.VENDOR.seed(world)
    ada = world.store.get(Customer, "ada")
    assert ada is not None
    ada.most_sessions = 100
    world.store.put(ada)


VENDORS: list[Vendor] = [
    telegram.VENDOR,
    replace(threads.VENDOR, seed=_with_posts),
    replace(wasender.VENDOR, seed=_with_room),
]


@contextmanager
def on_stage(engine: str, folder: Path, postgres_url: str) -> Iterator[Stage]:
    url = new_database(postgres_url) if engine == "postgres" else None
    with staged(folder, url, (), VENDORS) as stage:
        stage.sign_in("threads", PROFILE)
        stage.put_off_probes()
        yield stage
        for process in stage.processes:
            process.require_alive()
            process.require_calm()


@pytest.mark.parametrize("deaths", [1, pytest.param(3, marks=LONG)])
def test_an_operation_is_done_once_at_whichever_call_its_process_dies(
    engine: str, tmp_path: Path, postgres_url: str, deaths: int
) -> None:
    with on_stage(engine, tmp_path, postgres_url) as stage:
        attempts = attempts_at(stage, ACTIONS)
        with ThreadPoolExecutor(len(attempts)) as pool:
            for attempt in attempts:
                attempt.begin(pool)
            stage.clocks.stop()
            kill(stage)
        in_parallel(Attempt.refuse, attempts)
        for _ in range(deaths - 1):
            let_leases_end(stage)
            die_again(stage, attempts)
        let_leases_end(stage)
        # Before the background gets to it, most of the time.
        in_parallel(Attempt.settle, attempts)
        in_parallel(Attempt.check, attempts)


def die_again(stage: Stage, attempts: Sequence[Attempt]) -> None:
    """Repeat the requests, hold whoever finds out what became of them at any call, and shoot it too."""
    platforms = sorted({attempt.action.platform for attempt in attempts})
    for platform in platforms:
        stage.sandbox.control("fail", platform=platform, when="after", hang=True, times=100)
    with ThreadPoolExecutor(len(attempts)) as pool:
        for attempt in attempts:
            pool.submit(attempt.send)
        eventually(lambda: held(stage), seconds=MINUTE)
        kill(stage)
