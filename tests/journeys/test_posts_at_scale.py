"""Many posts due in the same second, and one worker or several at them: each goes out once, and is reported once."""

import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa

from socialgate.areas.posts.step_writer import PUBLISHING_WAKE_KEY
from socialgate.areas.posts.tables import posts, targets
from socialgate.core.db import Tx
from socialgate.core.outbox import events
from socialgate.core.wakeups import NOTIFY_CHANNEL
from socialgate_sandbox.vendors.telegram.seed import REGULARS_GROUP
from support.deployment import Deployment, Owner, start_deployment
from support.postgres import new_database
from support.sandbox_process import start_sandbox_process
from support.simulation import RunningSandbox
from support.soak import LONG, SOAK
from support.tenant import Tenant
from support.waiting import eventually

POSTS = 10_000 if SOAK else 150
# Telegram takes 20 messages a minute from one bot in a group. In a group, unlike in a channel, bots do not hear each
# other.
BOTS = POSTS // (12 if SOAK else 4)
CLIENTS = 8
_TWOFOLD = 4
_REST_SECONDS = 600

log = logging.getLogger(__name__)


class Site:
    """A deployment on one PostgreSQL, with a customer whose bots all post in one group of the sandbox."""

    def __init__(self, deployment: Deployment, sandbox: RunningSandbox, tenant: Tenant) -> None:
        self.deployment = deployment
        self.sandbox = sandbox
        self._tenant = tenant
        self._bots = [self._connect(number) for number in range(BOTS)]
        deployment.add_hook(Owner(tenant.owner_id, [tenant.profile_id]), events=("post.published",))

    def _connect(self, number: int) -> str:
        created = self.sandbox.control(
            "newbot", platform="telegram", person="ada", name="Scale", username=f"Scale{number}Bot"
        )
        self.sandbox.control("promote", platform="telegram", account=REGULARS_GROUP, bot=created["id"], role="member")
        body = {"profileId": self._tenant.profile_id, "botToken": created["token"]}
        return str(self._tenant.call("POST", "/connect/telegram", json=body)["id"])

    def _accounts(self, number: int) -> list[str]:
        """Some posts go to two accounts, which different workers may come to at once."""
        bots = (number, number + 1) if number % _TWOFOLD == 0 else (number,)
        return [self._bots[bot % BOTS] for bot in bots]

    def expected(self, texts: Iterable[str]) -> Counter[str]:
        return Counter({text: len(self._accounts(number)) for number, text in enumerate(texts)})

    def schedule(self, name: str, count: int = POSTS) -> dict[str, str]:
        """Schedule so many posts for the same moment, far enough ahead, and give their ids with their texts."""
        moment = (datetime.now(UTC) + timedelta(days=1)).isoformat()
        texts = [f"{name}, number {number}" for number in range(count)]

        def schedule(number: int) -> str:
            options = {"chatId": REGULARS_GROUP}
            return self._tenant.post(self._accounts(number), texts[number], scheduledFor=moment, options=options)

        with ThreadPoolExecutor(CLIENTS) as pool:
            return dict(zip(pool.map(schedule, range(count)), texts, strict=True))

    def let_the_moment_come(self, ids: list[str]) -> None:
        self.deployment.write(_make_due, ids)

    def claimed_until(self, post_id: str) -> datetime:
        """Return until when a target of the post is held that a worker is at."""
        ends = sa.select(sa.func.max(targets.c.claim_until)).where(targets.c.post_id == post_id)
        moment: datetime = self.deployment.read(ends)[0][0]
        return moment

    def wait_until_all_are_out(self) -> None:
        """Look seldom: whoever looks takes time from those who work."""
        deadline = time.monotonic() + _REST_SECONDS
        due = sa.select(targets.c.id).where(
            targets.c.due_at.is_not(None), targets.c.status.in_(("pending", "publishing"))
        )
        while self.deployment.read(due.limit(1)):
            assert time.monotonic() < deadline, "the last post did not come"
            time.sleep(0.2)

    def statuses(self, name: str) -> dict[str, int]:
        ours = sa.select(posts.c.status).where(posts.c.content.startswith(f"{name},"))
        return dict(Counter(row.status for row in self.deployment.read(ours)))

    def failures(self, name: str) -> dict[tuple[str, str], int]:
        """Count the targets that are not published, by their state and what is said of them."""
        others = sa.select(targets.c.status, targets.c.error).join(posts, posts.c.id == targets.c.post_id)
        others = others.where(posts.c.content.startswith(f"{name},"), targets.c.status != "published")
        return dict(Counter((row.status, str(row.error)) for row in self.deployment.read(others)))

    def group(self, name: str) -> Counter[str]:
        """Count what people see in the group, by its text."""
        shown = self.sandbox.control("feed", platform="telegram", account=REGULARS_GROUP, limit=5 * POSTS)["data"]
        texts = [str(item["message"].get("text", "")) for item in shown]
        return Counter(text for text in texts if text.startswith(f"{name},"))

    def reported(self) -> Counter[str]:
        rows = self.deployment.read(sa.select(events.c.body).where(events.c.name == "post.published"))
        return Counter(msgspec.json.decode(row.body)["data"]["postId"] for row in rows)


async def _make_due(tx: Tx, ids: list[str]) -> None:
    await tx.execute(sa.update(posts).where(posts.c.id.in_(ids)).values(scheduled_for=tx.now))
    await tx.execute(sa.update(targets).where(targets.c.post_id.in_(ids)).values(due_at=tx.now))
    # Nobody hears a clock that is moved: tell the workers of it.
    await tx.execute(sa.select(sa.func.pg_notify(NOTIFY_CHANNEL, PUBLISHING_WAKE_KEY)))


@pytest.fixture(scope="module")
def site(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("scale")
    with start_sandbox_process(folder / "sandbox") as sandbox:
        addresses = {"sandbox": False, "signup": "open", "telegram_url": f"{sandbox.url}/telegram"}
        with start_deployment(folder, new_database(postgres_url), **addresses) as deployment:
            service = deployment.start("serve")
            service.wait_until_ready()
            tenant = Tenant(service.address)
            yield Site(deployment, sandbox, tenant)
            tenant.close()
            service.require_no_errors()


@pytest.mark.soak
@pytest.mark.parametrize("count", [pytest.param(1, marks=LONG), 2, pytest.param(4, marks=LONG)])
def test_each_post_of_one_second_goes_out_once_and_is_reported_once(count: int, site: Site) -> None:
    name = f"By {count}"
    created = site.schedule(name)
    ids = list(created)
    with ExitStack() as stack:
        workers = [site.deployment.start("work") for _ in range(count)]
        for worker in workers:
            stack.callback(worker.close)
            worker.wait_until_ready()
        began = time.monotonic()
        site.let_the_moment_come(ids)
        site.wait_until_all_are_out()
        took = time.monotonic() - began
        site.deployment.wait_until_delivered(_REST_SECONDS)
        for worker in workers:
            assert worker.stop() == 0
            worker.require_no_errors()
    log.info("%d posts by %d workers in %.1f s", POSTS, count, took)
    assert site.failures(name) == {}
    assert site.statuses(name) == {"published": POSTS}
    assert site.group(name) == site.expected(created.values())
    reported = site.reported()
    assert {post_id: reported[post_id] for post_id in ids} == dict.fromkeys(ids, 1)
    assert site.deployment.inbox.faults == []


def test_a_worker_keeps_what_it_works_on_for_as_long_as_a_call_takes(site: Site) -> None:
    """A lease ends after minutes, and large files take longer: another worker must not think that this one is dead."""
    post_id = site.schedule("Slowly", 1).popitem()[0]
    site.sandbox.control("fail", platform="telegram", path="*/sendMessage", when="after", hang=True)
    worker = site.deployment.start("work")
    try:
        site.let_the_moment_come([post_id])
        eventually(lambda: bool(site.sandbox.look("fail")["hanging"]), "the call that hangs")
        first = site.claimed_until(post_id)
        eventually(lambda: site.claimed_until(post_id) > first, "a longer claim")
    finally:
        worker.close()
        site.sandbox.client.delete("/_control/fail")
