"""A backup is restored after what it contained was done: nothing is done twice, and the operator decides what to do.

The backup is made while posts are scheduled, a hook has a pending delivery, an automation waits, a generation is to be
retried, and a message and a boost are in the middle of their calls. Then all of it is done, and the backup restored.
"""

import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from journeys.commands import run
from socialgate_sandbox.vendors import openai, telegram
from socialgate_sandbox.vendors.meta.seed import BAKERY
from socialgate_sandbox.vendors.telegram.seed import BAKERY_BOT, BAKERY_CHANNEL, BAKERY_TOKEN
from socialgate_sandbox.vendors.tiktokads.seed import USER_IDS as ADVERTISERS
from support import ad_requests, platform_requests
from support.backups import Backup
from support.crash_deployment import CrashDeployment, start_crash_deployment
from support.postgres import new_database
from support.processes import migrate
from support.receiver import Receiver, Reply
from support.seeded_vendors import VENDORS, connect_ads, connect_page
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

SOON, LATER = timedelta(minutes=5), timedelta(days=2)
# Everything that waits for a retry or in an automation is due by then.
HOUR = timedelta(hours=1)
# In the middle of which the processes are frozen. Long, for slow machines; it is not waited for.
_SLOW_SECONDS = 8
STARTED = [("running", "adset"), ("running", "adset"), ("running", "messages.send")]
# Meta does not say when a creative was made, so the boost there may be that of somebody else.
FOUND = [("succeeded", "ad"), ("succeeded", "messages.send"), ("unconfirmed", "creative")]
_KINDS = ["posts", "messages", "operations", "automations", "generations", "deliveries"]


class Business:
    """An owner who has everything on its way, and counts what people and platforms get of it."""

    def __init__(self, stage: CrashDeployment, receiver: Receiver) -> None:
        self.stage = stage
        self.receiver = receiver
        self.text = f"Fresh bread {uuid4().hex}"
        connect_page(stage)
        connect_ads(stage)
        stage.sign_in("tiktokads", ADVERTISERS["ada"])
        stage.send_request("POST", "/connect/telegram", json={"profileId": stage.profile_id, "botToken": BAKERY_TOKEN})
        self.page = platform_requests.account_of(stage, BAKERY)
        self.bot = platform_requests.account_of(stage, BAKERY_BOT)
        self.talk = platform_requests.line_of(stage, "telegram", BAKERY_BOT, self.bot)
        stage.postpone_checks()
        stage.clocks.stop()
        self.message = platform_requests.sending(platform_requests.MESSENGER, stage)
        self.boosts = [
            ad_requests.boost(desk, stage) for desk in (ad_requests.META_AD_ACCOUNT, ad_requests.TIKTOK_AD_ACCOUNT)
        ]

    def plan(self) -> None:
        """Have everything wait that can."""
        self.receiver.behaviour = lambda _: Reply(status=503)
        hook = {"url": self.receiver.url(), "events": ["post.scheduled"], "secret": None}
        self.stage.send_request("POST", "/hooks", json=hook)
        self.on_page = self.schedule(self.page, SOON)
        self.in_channel = self.schedule(self.bot, SOON, chatId=BAKERY_CHANNEL)
        self.later = self.schedule(self.bot, LATER, chatId=BAKERY_CHANNEL)
        self.receiver.wait_for_count(3)
        self.automate()
        self.stage.sandbox.control("fail", platform="openai", method="POST", path="*/chat/completions", status=503)
        self.copy = self.stage.send_request(
            "POST", "/ai/generate-copy", json={"prompt": "Bread", "model": "gpt-5.4-mini"}
        )["id"]
        eventually(lambda: self.calls("openai", "*/chat/completions"))
        self.receiver.behaviour = lambda _: Reply()

    def schedule(self, account: str, after: timedelta, **options: str) -> str:
        at = (self.stage.clocks.now() + after).isoformat()
        target = {"accountId": account, "options": options}
        body = {"profileId": self.stage.profile_id, "content": self.text, "targets": [target], "scheduledFor": at}
        return str(self.stage.send_request("POST", "/posts", json=body)["id"])

    def automate(self) -> None:
        actions = [{"type": "wait", "amount": 10, "unit": "minutes"}, {"type": "reply", "text": self.text}]
        body = {"profileId": self.stage.profile_id, "name": "Later", "trigger": {"type": "message.received"}}
        created = self.stage.send_request("POST", "/automations", json={**body, "actions": actions})
        self.runs = f"/automations/{created['id']}/runs"
        order = {"platform": "telegram", "account": BAKERY_BOT, "person": "dario"}
        self.stage.sandbox.control("message", **order, text="Are you open?")
        eventually(lambda: self.run() == "running" or None)

    def run(self) -> str | None:
        result = self.stage.send_request("GET", self.runs)["data"]
        return str(result[0]["status"]) if result else None

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Send the message and the boost, and freeze all processes while the platform is at their calls."""
        for platform, path in (("meta", "*/messages"), ("meta", "*/adsets"), ("tiktokads", "*/adgroup/create/")):
            self.stage.sandbox.control("fail", platform=platform, method="POST", path=path, delay=_SLOW_SECONDS)
        with ThreadPoolExecutor() as pool:
            tasks: list[Future[httpx.Response]] = [
                pool.submit(
                    self.stage.http.request, platform_request.method, platform_request.path, json=platform_request.body
                )
                for platform_request in (self.message, *self.boosts)
            ]
            eventually(lambda: self.operations() == STARTED, seconds=_SLOW_SECONDS)
            for process in self.stage.processes:
                process.freeze()
            try:
                yield
            finally:
                for process in self.stage.processes:
                    process.thaw()
            for task in tasks:
                assert task.result().is_success, task.result().text

    def operations(self) -> list[tuple[str, str]]:
        """Say how far the operations are: their status, or the last step of those of several calls."""
        result = []
        for item in self.stage.send_request("GET", "/operations")["data"]:
            if item["operation"] in {"messages.send", "ads.boost"}:
                steps = item["steps"] or [{"name": item["operation"]}]
                result.append((item["status"], steps[-1]["name"]))
        return sorted(result)

    def calls(self, platform: str, path: str) -> int:
        query = {"platform": platform, "path": path, "limit": 100}
        return len([item for item in self.stage.sandbox.look("received", **query)["data"] if item["method"] == "POST"])

    def done(self) -> dict[str, int]:
        """Count what others got so far."""
        page = self.stage.sandbox.look("feed", platform="meta", account=BAKERY, limit=1000)["data"]
        channel = self.stage.sandbox.look("feed", platform="telegram", account=BAKERY_CHANNEL, limit=1000)["data"]
        return {
            "page": sum(item["text"] == self.text for item in page),
            "channel": sum(item["text"] == self.text for item in channel),
            "replies": sum(item["byAccount"] and item["text"] == self.text for item in self.talk.chat()),
            "messages": self.message.effects(),
            # The first one was refused.
            "generations": self.calls("openai", "*/chat/completions") - 1,
            "deliveries": len(self.receiver.received) - 3,
        }

    def boosted(self) -> int:
        """Count the ads. Not in a loop: platforms answer so often only as time passes."""
        return sum(boost.effects() for boost in self.boosts)

    def settled(self) -> bool:
        """Whether nothing is on its way any more."""
        tasks = self.stage.send_request("GET", f"/ai/generate/{self.copy}")["finishedAt"]
        return bool(tasks) and self.run() == "done"

    def status(self, post: str) -> str:
        result: str = self.stage.send_request("GET", f"/posts/{post}")["targets"][0]["status"]
        return result

    def health(self) -> dict[str, Any]:
        return dict(self.stage.send_request("GET", "/health")["checks"]["restore"])


ONCE = {"page": 1, "channel": 1, "replies": 1, "messages": 1, "generations": 1, "deliveries": 3}


BOOSTS = 2


@contextmanager
def restored(engine: str, folder: Path, postgres_url: str) -> Iterator[Business]:
    """Do everything after a backup, and restore it."""
    url = new_database(postgres_url) if engine == "postgres" else None
    with Receiver(folder) as receiver:
        reached = {"hook_allow_nets": "127.0.0.0/8", "hook_ca_file": receiver.ca_file}
        with start_crash_deployment(folder, url, (), [*VENDORS, openai.VENDOR], **reached) as stage:
            business = Business(stage, receiver)
            business.plan()
            with business.calling():
                backup = Backup(folder, url)
            stage.clocks.advance(HOUR, platforms=timedelta(0))
            eventually(lambda: business.done() == ONCE and business.settled())
            assert business.boosted() == BOOSTS
            stop(stage)
            with stage.closed():
                backup.restore()
            start(stage)
            yield business
            for process in stage.processes:
                process.require_alive()


def stop(stage: CrashDeployment) -> None:
    for process in stage.processes:
        assert process.stop() == 0


def start(stage: CrashDeployment) -> None:
    for process in stage.processes:
        process.start_again()
    for process in stage.processes:
        process.wait_until_ready()


def command(business: Business, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "restore-check", *arguments, **business.stage.settings)


def doctor(business: Business, folder: Path) -> str:
    return run(folder, "doctor", **business.stage.settings).stdout


def test_nothing_is_done_twice_and_the_operator_decides(engine: str, tmp_path: Path, postgres_url: str) -> None:
    with restored(engine, tmp_path, postgres_url) as business:
        stage = business.stage
        assert business.health()["status"] == "degraded"
        assert "wait for your decision. Run `socialgate restore-check`" in doctor(business, tmp_path)
        shown = command(business, tmp_path)
        assert shown.returncode == 1, shown
        assert all(f" {kind} " in shown.stdout for kind in _KINDS), shown.stdout
        assert business.on_page in shown.stdout
        # Whatever time passes, nothing happens by itself.
        stage.clocks.advance(HOUR, platforms=timedelta(0))
        assert command(business, tmp_path).stdout == shown.stdout
        assert (business.done(), business.boosted()) == (ONCE, BOOSTS)
        assert business.status(business.on_page) == "unconfirmed"

        # What the platforms show is settled, and nothing of it removed.
        assert command(business, tmp_path, "look", "--all").returncode == 0
        eventually(lambda: business.status(business.on_page) == "published" or None)
        eventually(lambda: business.operations() == FOUND)
        assert business.status(business.in_channel) == "unconfirmed"
        assert (business.done(), business.boosted()) == (ONCE, BOOSTS)

        # The rest is decided. What was found is not held back any more.
        dropped = command(business, tmp_path, "drop", "posts", business.in_channel, business.on_page)
        assert (dropped.returncode, dropped.stdout.startswith("1 dropped.")) == (2, True), dropped
        assert f"No posts with the id {business.on_page} is held back." in dropped.stderr
        assert business.status(business.on_page) == "published"
        assert business.status(business.in_channel) == "failed"
        assert command(business, tmp_path, "drop", "automations", "--all").returncode == 0
        assert command(business, tmp_path, "drop", "operations", "--all").returncode == 0
        assert business.run() == "skipped"
        assert command(business, tmp_path, "release", "--all").returncode == 0
        again = {**ONCE, "generations": 2, "deliveries": 6}
        stage.clocks.advance(timedelta(minutes=1), platforms=timedelta(0))
        eventually(lambda: business.done() == again)
        assert command(business, tmp_path).returncode == 0
        eventually(lambda: business.health()["status"] == "ok")

        # What was due later is done then.
        stage.clocks.advance(LATER, platforms=timedelta(0))
        eventually(lambda: business.status(business.later) == "published" or None)
        assert (business.done()["channel"], business.boosted()) == (2, BOOSTS)


@pytest.mark.one_engine
@pytest.mark.parametrize("verb", ["look", "release", "drop"])
def test_an_id_under_which_nothing_is_held_back_is_an_error(tmp_path: Path, verb: str) -> None:
    """It was said to be released."""
    settings: dict[str, object] = {"data_dir": tmp_path / "data", "sandbox": "false"}
    migrate(settings)
    refused = run(tmp_path, "restore-check", verb, "posts", "post_unknown", **settings)
    assert (refused.returncode, refused.stdout) == (2, ""), refused
    assert refused.stderr.startswith("socialgate: No posts with the id post_unknown is held back. ")


def test_a_data_directory_that_was_copied_as_a_whole_publishes_nothing_twice(tmp_path: Path) -> None:
    """What the object store remembers is restored with the database; but the database is another file."""
    data, copy = tmp_path / "data", tmp_path / "copy"
    with start_crash_deployment(tmp_path, None, (), [telegram.VENDOR]) as stage:
        stage.send_request("POST", "/connect/telegram", json={"profileId": stage.profile_id, "botToken": BAKERY_TOKEN})
        stage.clocks.stop()
        target = {"accountId": platform_requests.account_of(stage, BAKERY_BOT), "options": {"chatId": BAKERY_CHANNEL}}
        at = (stage.clocks.now() + SOON).isoformat()
        body = {"profileId": stage.profile_id, "content": "Bread", "targets": [target], "scheduledFor": at}
        post = stage.send_request("POST", "/posts", json=body)["id"]
        stop(stage)
        shutil.copytree(data, copy)
        start(stage)
        stage.clocks.advance(HOUR, platforms=timedelta(0))
        eventually(lambda: stage.send_request("GET", f"/posts/{post}")["status"] == "published")
        # Not even in good order.
        stage.victim.kill()
        with stage.closed():
            shutil.rmtree(data)
            copy.rename(data)
        start(stage)
        assert stage.send_request("GET", f"/posts/{post}")["targets"][0]["status"] == "unconfirmed"
        # The owner decides as well.
        finding = {"accountId": target["accountId"], "published": True}
        decided = stage.send_request("POST", f"/posts/{post}/reconcile", json={"findings": [finding]})
        assert decided["status"] == "published"
        shown = run(tmp_path, "restore-check", **stage.settings)
        assert (shown.returncode, "Nothing is held back" in shown.stdout) == (0, True), shown
        out = stage.sandbox.look("feed", platform="telegram", account=BAKERY_CHANNEL, limit=100)["data"]
        assert len([item for item in out if item["text"] == "Bread"]) == 1
