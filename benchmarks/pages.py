"""The lists of the console with much to list: how long the server takes for a page, against the health check."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import httpx
import sqlalchemy as sa
from benchmarks.accounts import add_account
from benchmarks.harness import Bench, Figure, median
from benchmarks.start import started

from socialgate.areas.accounts.credential_cipher import CredentialCipher
from socialgate.areas.inbox.tables import conversations
from socialgate.areas.posts.tables import posts, targets
from socialgate.areas.profiles.store import profiles
from socialgate.contracts.platforms import Kind
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, Tx
from socialgate.core.encryption import load_keyring
from socialgate.core.ids import new_id
from socialgate.core.settings import Settings

ACCOUNTS, POSTS, CONVERSATIONS = 1_000, 10_000, 2_000
# A page may take a hundred times as long as the health check, which takes about a millisecond.
BAR = 100.0
# Comments, leads, ads, catalogs and the agenda are not here: their lists are read from platforms.
LISTS = (
    "/console",
    "/console/calendar",
    "/console/calendar?view=week",
    "/console/posts",
    "/console/posts?status=failed",
    "/console/posts?text=number+77",
    "/console/compose",
    "/console/inbox",
    "/console/inbox?text=person+77",
    "/console/automations",
    "/console/analytics",
    "/console/media",
    "/console/ai",
    "/console/accounts",
    "/console/keys",
    "/console/hooks",
    "/console/events",
    "/console/operations",
    "/console/tasks",
    "/console/usage",
    "/console/settings",
)
_PERSON = {"email": "reader@example.com", "password": "a long enough password"}
_STATUSES = ("published", "published", "scheduled", "published", "failed")


def measure(bench: Bench) -> Iterator[Figure]:
    rounds = bench.sized(9, 3)
    bench.uses("pages", accounts=ACCOUNTS, posts=POSTS, conversations=CONVERSATIONS, rounds=rounds)
    folder = bench.folder / "pages"
    folder.mkdir()
    with started(folder, signup="open") as (_, port, _), httpx.Client(timeout=120) as client:
        client.base_url = f"http://127.0.0.1:{port}"
        opened = client.post("/auth/register", json=_PERSON).raise_for_status().json()
        client.cookies.set("sg_session", opened["token"])
        bench.say(f"filling {ACCOUNTS:,} accounts and {POSTS:,} posts")
        asyncio.run(_fill(Settings(data_dir=folder / "data"), opened["owner"]["id"]))
        taken, health = _visit(bench, client, rounds)
    yield _figure(taken, health)


def _visit(bench: Bench, client: httpx.Client, rounds: int) -> tuple[dict[str, list[float]], list[float]]:
    """Open every page so many times, with the health check before each."""
    taken: dict[str, list[float]] = {path: [] for path in LISTS}
    health: list[float] = []
    for number in range(-1, rounds):
        for path in LISTS:
            checked, shown = _time(client, "/health"), _time(client, path)
            # The round before the first compiles templates and statements.
            if number >= 0:
                health.append(checked)
                taken[path].append(shown)
        bench.say(f"{number + 1} of {rounds}")
    return taken, health


def _time(client: httpx.Client, path: str) -> float:
    began = time.perf_counter()
    answer = client.get(path)
    milliseconds = (time.perf_counter() - began) * 1000
    assert answer.status_code == httpx.codes.OK, f"{path}: {answer.status_code} {answer.text[:300]}"
    return milliseconds


def _figure(taken: dict[str, list[float]], health: Sequence[float]) -> Figure:
    medians = {path: median(values) for path, values in taken.items()}
    slowest = max(medians, key=medians.__getitem__)
    plain = median(health)
    return Figure(
        name=f"slowest list of the console, {POSTS:,} posts and {ACCOUNTS:,} accounts, against GET /health, sqlite",
        measured=medians[slowest] / plain,
        unit="x",
        bar=BAR,
        note=f"{slowest} {medians[slowest]:.0f} ms, health {plain:.2f} ms",
        detail={path: round(value, 1) for path, value in medians.items()},
    )


async def _fill(settings: Settings, owner_id: str) -> None:
    db = Database(settings.effective_database_url, SystemClock())
    try:
        await db.write(_add_rows, CredentialCipher(load_keyring(settings)), owner_id)
        await db.write(_analyze)
    finally:
        await db.close()


async def _add_rows(tx: Tx, vault: CredentialCipher, owner_id: str) -> None:
    profile_id = await tx.scalar(sa.select(profiles.c.id).where(profiles.c.owner_id == owner_id))
    whose = {"owner_id": owner_id, "profile_id": profile_id}
    kinds = (Kind.FACEBOOK_PAGE, Kind.INSTAGRAM, Kind.THREADS, Kind.TIKTOK)
    ids = [await add_account(tx, vault, kinds[number % 4], f"10485{number:06}", **whose) for number in range(ACCOUNTS)]
    rows = [_post(tx, whose, number, ids) for number in range(POSTS)]
    await tx.execute(sa.insert(posts), [post for post, _ in rows])
    await tx.execute(sa.insert(targets), [target for _, of_post in rows for target in of_post])
    written = [_conversation(tx, whose, number, ids) for number in range(CONVERSATIONS)]
    await tx.execute(sa.insert(conversations), written)


def _post(
    tx: Tx, whose: dict[str, str], number: int, account_ids: Sequence[str]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a post of the last or the next months, and its three targets."""
    status, post_id = _STATUSES[number % len(_STATUSES)], new_id("post")
    at = tx.now + timedelta(hours=number % 2000 - 1900 if status != "scheduled" else number % 500 + 1)
    times = {"created_at": tx.now, "updated_at": tx.now}
    post = {
        **whose,
        **times,
        "id": post_id,
        "status": status,
        "content": f"Post number {number}: fresh bread from eight o'clock",
        "media": [],
        "scheduled_for": at,
        "timezone": "UTC",
    }
    shared = {"owner_id": whose["owner_id"], "post_id": post_id, "options": {}, "attempts": [], "warnings": [], **times}
    pending = "pending" if status == "scheduled" else status
    of_post = [
        {
            **shared,
            "id": new_id("tgt"),
            "position": position,
            "account_id": account_ids[(number * 3 + position) % len(account_ids)],
            "platform": "meta",
            "kind": Kind.FACEBOOK_PAGE,
            "status": pending,
            "published_at": at if status == "published" else None,
        }
        for position in range(3)
    ]
    return post, of_post


def _conversation(tx: Tx, whose: dict[str, str], number: int, account_ids: Sequence[str]) -> dict[str, Any]:
    at = tx.now - timedelta(minutes=number)
    last_message = {
        "id": new_id("msg"),
        "direction": "inbound",
        "type": "text",
        "text": "Are you open?",
        "at": at.isoformat(),
    }
    row_id = new_id("conv")
    return {
        **whose,
        "id": row_id,
        # The first of each four is a Page, which takes messages.
        "account_id": account_ids[number * 4 % len(account_ids)],
        "contact_id": row_id,
        "name": f"Person {number}",
        "last_message": last_message,
        "last_at": at,
        "last_inbound_at": at,
        "created_at": at,
        "updated_at": at,
    }


async def _analyze(tx: Tx) -> None:
    """Let the database know its tables, as it does by itself in time."""
    await tx.execute(sa.text("ANALYZE"))
