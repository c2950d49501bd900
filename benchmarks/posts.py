"""Posts that are due in the same second, on one worker: until the platform has the last of them, and none twice."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import sqlalchemy as sa
from benchmarks.accounts import add_account
from benchmarks.bot_api import LATENCY_SECONDS, BotApi, Seen
from benchmarks.harness import ENGINES, Bench, Engine, Figure, quietest, rounded
from benchmarks.processes import Command, cpu_seconds
from benchmarks.receiver import Customer
from benchmarks.sites import HOOKS_PER_OWNER, Site

from socialgate.areas.accounts.credential_cipher import CredentialCipher
from socialgate.areas.posts.tables import posts, targets
from socialgate.areas.profiles.store import profiles
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.db import Tx
from socialgate.core.encryption import load_keyring
from socialgate.core.ids import new_id

# Telegram takes 30 messages a second from one bot: with so many bots no limit of the platform counts.
ACCOUNTS = 50
# They belong to several owners. Their hooks do not ask for what happens to posts.
_HOOKS = 5 * HOOKS_PER_OWNER
_ROWS_AT_ONCE = 1000
# The worker is up by then, as it is when posts come due in earnest.
_AHEAD = timedelta(seconds=8)
_GIVE_UP_SECONDS = 240


class Bot(msgspec.Struct, frozen=True, kw_only=True):
    owner_id: str
    profile_id: str
    account_id: str


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """How one second's posts went out. Times are counted from the moment at which they were due."""

    first_seconds: float
    last_seconds: float
    settled_seconds: float
    worker_cpu_seconds: float
    platform_cpu_seconds: float


def measure(bench: Bench) -> Iterator[Figure]:
    count, rounds = bench.sized(10_000, 1_000), bench.sized(2, 1)
    bench.uses("posts", posts=count, accounts=ACCOUNTS, rounds=rounds, latencySeconds=LATENCY_SECONDS)
    folder = bench.folder / "posts"
    folder.mkdir()
    with Customer(folder, _HOOKS) as customer, BotApi() as platform:
        for engine in ENGINES:
            template = _site(bench, engine, customer, platform, count)
            published = []
            for number in range(rounds):
                published.append(_publish(template, platform, count))
                last, first = published[-1].last_seconds, published[-1].first_seconds
                bench.say(f"round {number + 1} of {rounds}, {engine}: the last after {last:.1f} s, first {first:.2f} s")
            yield _figure(engine, count, published)
            template.remove()


def _figure(engine: Engine, count: int, published: list[Published]) -> Figure:
    lasts = [published.last_seconds for published in published]
    best = min(published, key=lambda published: published.last_seconds)
    return quietest(
        f"{count:,} posts due at once, until the last is out, {engine}",
        lasts,
        unit="s",
        bar=60.0,
        note=f"{count / best.last_seconds:.0f}/s, none twice; "
        f"all settled and reported after {best.settled_seconds:.1f} s; "
        f"{best.worker_cpu_seconds / count * 1000:.1f} ms of the worker's processor each",
        detail={"rounds": msgspec.to_builtins(published), "last": rounded(lasts)},
    )


def _site(bench: Bench, engine: Engine, customer: Customer, platform: BotApi, count: int) -> Site:
    bench.say(f"writing {count:,} posts on {engine}")
    site = Site(bench, engine, customer)
    site.fields |= {"sandbox": False, "telegram_url": platform.url}
    asyncio.run(fill(site, count))
    return site


async def fill(site: Site, count: int) -> None:
    await site.prepare(_HOOKS)
    owners = sorted({(hook.owner_id, hook.shared_profile) for hook in site.hooks})
    vault = CredentialCipher(load_keyring(site.settings))
    db = await site.open()
    try:
        bots = [bot for owner in owners for bot in await db.write(add_bots, vault, *owner, ACCOUNTS // len(owners))]
        for begin in range(0, count, _ROWS_AT_ONCE):
            await db.write(_add_posts, bots, range(begin, min(begin + _ROWS_AT_ONCE, count)))
    finally:
        await db.close()


async def add_bots(tx: Tx, vault: CredentialCipher, owner_id: str, profile_id: str, count: int) -> list[Bot]:
    whose = {"owner_id": owner_id, "profile_id": profile_id}
    profile = {"owner_id": owner_id, "id": profile_id, "name": "Posts", "timezone": "UTC"}
    await tx.execute(sa.insert(profiles).values(**profile, created_at=tx.now, updated_at=tx.now))
    bots = []
    for number in range(count):
        account_id = await add_account(tx, vault, Kind.TELEGRAM_BOT, str(7_000_000_000 + number), **whose)
        bots.append(Bot(account_id=account_id, **whose))
    return bots


async def _add_posts(tx: Tx, bots: Sequence[Bot], numbers: range) -> None:
    later = tx.now + timedelta(days=1)
    times = {"created_at": tx.now, "updated_at": tx.now}
    post = {"status": "scheduled", "media": [], "timezone": "UTC", "scheduled_for": later, **times}
    target = {
        "position": 0,
        "platform": Platform.TELEGRAM,
        "kind": Kind.TELEGRAM_BOT,
        "status": "pending",
        "attempts": [],
        "warnings": [],
        "due_at": later,
        **times,
    }
    created: list[dict[str, Any]] = []
    aimed: list[dict[str, Any]] = []
    for number in numbers:
        bot, post_id = bots[number % len(bots)], new_id("post")
        text = f"Fresh bread, number {number}"
        created.append({"owner_id": bot.owner_id, "id": post_id, "profile_id": bot.profile_id, "content": text, **post})
        aimed.append(
            {
                "owner_id": bot.owner_id,
                "id": new_id("tgt"),
                "post_id": post_id,
                "account_id": bot.account_id,
                # Telegram takes 20 messages a minute for one channel.
                "options": {"chatId": str(-1002000000000 - number)},
                **target,
            }
        )
    await tx.execute(sa.insert(posts), created)
    await tx.execute(sa.insert(targets), aimed)


def _publish(template: Site, platform: BotApi, count: int) -> Published:
    """Make all posts of a copy due in the same second, a little later, and watch them go out."""
    with template.copied() as site:
        site.fields |= {"sandbox": False, "telegram_url": platform.url}
        platform.reset()
        due_at = datetime.now(UTC).replace(microsecond=0) + _AHEAD
        asyncio.run(_on_database(site, _make_due, due_at))
        with site.worker() as worker:
            _watch(platform, worker, 1)
            worker_used, platform_used = -cpu_seconds(worker.process), -platform.helper.cpu_seconds
            seen = _watch(platform, worker, count)
            platform_used += platform.helper.cpu_seconds
            settled = _settled(site, worker, count)
            worker_used += cpu_seconds(worker.process)
        _check(platform.seen(), count, due_at)
    return Published(
        first_seconds=seen.first - due_at.timestamp(),
        last_seconds=seen.last - due_at.timestamp(),
        settled_seconds=settled - due_at.timestamp(),
        worker_cpu_seconds=worker_used,
        platform_cpu_seconds=platform_used,
    )


def _watch(platform: BotApi, worker: Command, count: int) -> Seen:
    deadline = time.monotonic() + _GIVE_UP_SECONDS
    while (seen := platform.seen()).distinct < count:
        worker.check()
        if time.monotonic() > deadline:
            raise TimeoutError(f"{seen.distinct} of {count} posts went out.\n{worker.log[-3000:]}")
        time.sleep(0.05)
    return seen


def _settled(site: Site, worker: Command, count: int) -> float:
    """Wait until all posts are recorded as published, and tell when that was."""
    deadline = time.monotonic() + _GIVE_UP_SECONDS
    while (done := asyncio.run(_on_database(site, _count_published))) < count:
        worker.check()
        if time.monotonic() > deadline:
            raise TimeoutError(f"{done} of {count} posts are recorded as published.")
        time.sleep(0.2)
    return time.time()


def _check(seen: Seen, count: int, due_at: datetime) -> None:
    if seen.count != count:
        raise RuntimeError(f"{count} posts were sent {seen.count} times.")
    if seen.first < due_at.timestamp():
        raise RuntimeError("A post was sent before it was due.")


async def _on_database(site: Site, unit: Any, *arguments: Any) -> Any:
    db = await site.open()
    try:
        return await db.write(unit, *arguments)
    finally:
        await db.close()


async def _make_due(tx: Tx, due_at: datetime) -> None:
    await tx.execute(sa.update(posts).values(scheduled_for=due_at))
    await tx.execute(sa.update(targets).values(due_at=due_at))


async def _count_published(tx: Tx) -> int:
    return int(await tx.scalar(sa.select(sa.func.count()).where(posts.c.status == "published")))
