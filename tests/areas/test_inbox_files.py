"""Files that people send: fetched before they expire, and never a reason for a message to be lost."""

import json
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
import sqlalchemy as sa

from socialgate.areas.inbox.jobs import MAX_DOWNLOAD_TRIES
from socialgate.areas.inbox.recorder import ATTACHMENT_DOWNLOAD_JOB
from socialgate.areas.inbox.tables import messages
from socialgate.core.db import Tx
from socialgate.core.jobs.job_store import JobStatus, jobs
from support.connections import connect_by_qr_code, connect_page, session_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually
from support.webhooks import sign_as_meta

pytestmark = pytest.mark.both_engines


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own, because its clock is moved."""
    with start_service() as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox
        sandbox.http.delete("/_control/fail")


class Bot:
    """A bot to which people send pictures."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        self.running, self.sandbox, self.owner = running, sandbox, OwnerFixture(running)
        created = sandbox.control(
            "newbot", platform="telegram", person="ada", name="Shop", username=f"S{uuid4().hex}Bot"
        )
        body = {"profileId": self.owner.profile_id, "botToken": created["token"]}
        answer = self.owner.session.post("/connect/telegram", json=body)
        assert answer.status_code == 201, answer.text
        self.id = str(answer.json()["platformAccountId"])
        self.path = f"/accounts/{answer.json()['id']}"

    def shown(self) -> dict[str, Any]:
        rows = eventually(lambda: self.owner.session.get(f"{self.path}/conversations").json()["data"])
        (message,) = self.owner.session.get(f"{self.path}/conversations/{rows[0]['id']}").json()["messages"]["data"]
        return dict(message)

    def gets_a_picture(self) -> None:
        self.sandbox.control("message", platform="telegram", account=self.id, attachment="image")

    def events(self) -> list[dict[str, Any]]:
        listed = self.owner.session.get("/events", params={"event": "message.received"}).json()["data"]
        return [event["data"] for event in listed]

    def waits_to_try_again(self) -> bool:
        """Return whether the files were tried once, without success so far."""
        return bool(self.running.read(_tries, self.owner.id) == 1)


async def _tries(tx: Tx, owner_id: str) -> int:
    statement = sa.select(jobs.c.tries).where(
        jobs.c.owner_id == owner_id, jobs.c.type == ATTACHMENT_DOWNLOAD_JOB, jobs.c.status == JobStatus.QUEUED
    )
    return int(await tx.scalar(statement) or 0)


async def _wear_out(tx: Tx, owner_id: str) -> bool:
    """Use up the tries of a job that nobody works on right now: whoever does would write down their own number."""
    mine = jobs.c.owner_id == owner_id, jobs.c.type == ATTACHMENT_DOWNLOAD_JOB, jobs.c.claim_id.is_(None)
    return await tx.execute_and_count(sa.update(jobs).where(*mine).values(tries=MAX_DOWNLOAD_TRIES)) == 1


async def _delete(tx: Tx, owner_id: str) -> None:
    """Delete the message while its job has its files in hand."""
    stored = await tx.scalar(sa.select(messages.c.attachments).where(messages.c.owner_id == owner_id))
    at_work = sa.update(jobs).where(jobs.c.owner_id == owner_id, jobs.c.type == ATTACHMENT_DOWNLOAD_JOB)
    await tx.execute(at_work.values(state=stored))
    gone = {"text": "", "attachments": [], "data": {}, "deleted_at": tx.now}
    await tx.execute(sa.update(messages).where(messages.c.owner_id == owner_id).values(**gone))


@pytest.fixture
def bot(running: RunningService, sandbox: Sandbox) -> Bot:
    return Bot(running, sandbox)


@pytest.mark.one_engine
@pytest.mark.parametrize("path", ["*/getFile", "*/file/*"])
def test_a_file_is_tried_again_when_the_platform_is_busy(bot: Bot, path: str) -> None:
    bot.sandbox.control("fail", platform="telegram", path=path, status=503)
    bot.gets_a_picture()
    eventually(bot.waits_to_try_again)
    assert bot.events() == [], "it is reported with its file"
    bot.running.advance_time(timedelta(minutes=2))
    (event,) = eventually(bot.events)
    (file,) = event["attachments"]
    assert file["url"] is not None
    (kept,) = bot.shown()["attachments"]
    assert (kept["url"], bool(kept["mediaId"])) == (file["url"], True)


def test_a_message_is_reported_even_if_its_files_are_given_up(bot: Bot) -> None:
    bot.sandbox.control("fail", platform="telegram", path="*/getFile", status=503, times=20)
    bot.gets_a_picture()
    eventually(bot.waits_to_try_again)
    # As if its process had died each time.
    eventually(lambda: bot.running.write(_wear_out, bot.owner.id))
    bot.running.advance_time(timedelta(minutes=2))
    (event,) = eventually(bot.events)
    assert [file["url"] for file in event["attachments"]] == [None]


def test_a_message_that_is_deleted_before_its_files_arrive_keeps_none(bot: Bot) -> None:
    bot.sandbox.control("fail", platform="telegram", path="*/getFile", status=503)
    bot.gets_a_picture()
    eventually(bot.waits_to_try_again)
    bot.running.write(_delete, bot.owner.id)
    bot.running.advance_time(timedelta(minutes=2))
    eventually(lambda: bot.running.read(_is_over, bot.owner.id))
    assert (bot.shown()["attachments"], bot.events()) == ([], [])


async def _is_over(tx: Tx, owner_id: str) -> bool:
    statement = sa.select(jobs.c.finished_at).where(jobs.c.owner_id == owner_id, jobs.c.type == ATTACHMENT_DOWNLOAD_JOB)
    return await tx.scalar(statement) is not None


class Inside(ThreadingHTTPServer):
    """Something that only this machine can reach, and that nobody outside should."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.asked: list[str] = []


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Inside)
        self.server.asked.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"%PDF-1.4 secret")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def inside() -> Iterator[Inside]:
    with Inside() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.one_engine
def test_a_file_does_not_lead_into_the_own_network(bot: Bot, inside: Inside) -> None:
    """The platform's own client may reach this machine, where the sandbox is. Other hosts are guarded."""
    elsewhere = {"location": f"http://127.0.0.1:{inside.server_port}/secret"}
    bot.sandbox.control("fail", platform="telegram", path="*/file/*", status=302, headers=elsewhere, times=20)
    bot.gets_a_picture()
    (event,) = eventually(bot.events)
    assert [file["url"] for file in event["attachments"]] == [None]
    assert inside.asked == []


@pytest.mark.one_engine
def test_a_picture_on_messenger_is_fetched(running: RunningService, sandbox: Sandbox) -> None:
    owner = OwnerFixture(running)
    account = owner.session.get(f"/accounts/{connect_page(sandbox, owner)}").json()
    sandbox.control("message", platform="meta", account=account["platformAccountId"], attachment="image")

    def fetched() -> list[Any]:
        listed = owner.session.get("/events", params={"event": "message.received"}).json()["data"]
        return [file["url"] for event in listed for file in event["data"]["attachments"]]

    assert None not in eventually(fetched)


def test_the_files_of_a_message_that_is_taken_back_are_deleted(running: RunningService, sandbox: Sandbox) -> None:
    owner = OwnerFixture(running)
    account = owner.session.get(f"/accounts/{connect_page(sandbox, owner)}").json()
    page, path = account["platformAccountId"], f"/accounts/{account['id']}/conversations"
    sandbox.control("message", platform="meta", account=page, attachment="image")

    def written() -> tuple[str, dict[str, Any]] | None:
        """Give the person and their message once it has its file. Earlier ones are from other tests."""
        for row in owner.session.get(path).json()["data"]:
            newest = owner.session.get(f"{path}/{row['id']}").json()["messages"]["data"][0]
            if any(item["url"] for item in newest["attachments"]):
                return str(row["contact"]["id"]), dict(newest)
        return None

    person, message = eventually(written)
    (file,) = message["attachments"]
    place = urlsplit(file["url"])
    url = f"{place.path}?{place.query}"
    assert running.client().get(url).status_code == 200
    moment = int(running.clock.now().timestamp() * 1000)
    gone = {"mid": message["msgId"], "is_deleted": True}
    sides = {"sender": {"id": person}, "recipient": {"id": page}}
    event = {**sides, "timestamp": moment, "message": gone}
    body = {"object": "page", "entry": [{"id": page, "time": moment, "messaging": [event]}]}
    assert sign_as_meta("meta")(json.dumps(body).encode()).send(running.client()).status_code == 200
    eventually(lambda: running.client().get(url).status_code == 404)
    assert file["mediaId"] not in {item["id"] for item in owner.session.get("/media").json()["data"]}


@pytest.mark.one_engine
def test_a_url_of_meta_does_not_lead_into_the_own_network(
    running: RunningService, sandbox: Sandbox, inside: Inside
) -> None:
    owner = OwnerFixture(running)
    account = owner.session.get(f"/accounts/{connect_page(sandbox, owner)}").json()
    page, person, mid = account["platformAccountId"], f"7{uuid4().int % 10**15:015}", f"m_{uuid4().hex}"
    file = {"type": "file", "payload": {"url": f"http://127.0.0.1:{inside.server_port}/secret"}}
    message = {"mid": mid, "attachments": [file]}
    moment = int(running.clock.now().timestamp() * 1000)
    payload = {"sender": {"id": person}, "recipient": {"id": page}, "timestamp": moment, "message": message}
    body = {"object": "page", "entry": [{"id": page, "time": moment, "messaging": [payload]}]}
    assert sign_as_meta("meta")(json.dumps(body).encode()).send(running.client()).status_code == 200

    def reported() -> list[Any]:
        listed = owner.session.get("/events", params={"event": "message.received"}).json()["data"]
        return [event["data"] for event in listed]

    (data,) = eventually(reported)
    assert [item["url"] for item in data["attachments"]] == [None]
    assert inside.asked == []


@pytest.mark.one_engine
def test_what_the_account_sent_from_a_phone_is_fetched_as_well_and_not_reported(
    running: RunningService, sandbox: Sandbox
) -> None:
    owner = OwnerFixture(running)
    (account_id,) = connect_by_qr_code(sandbox, owner)
    account = owner.session.get(f"/accounts/{account_id}").json()
    session = session_of(sandbox, account["platformAccountId"])
    order = {"platform": "wasender", "account": session, "attachment": "image", "fromMe": True}
    sandbox.control("message", **order)

    def fetched() -> Any:
        path = f"/accounts/{account_id}/conversations"
        rows = owner.session.get(path).json()["data"]
        pages = [owner.session.get(f"{path}/{row['id']}").json()["messages"]["data"] for row in rows]
        return next((item for page in pages for item in page for file in item["attachments"] if file["url"]), None)

    assert eventually(fetched)["direction"] == "outbound"
    assert owner.session.get("/events", params={"event": "message.received"}).json()["data"] == []
