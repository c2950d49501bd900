"""What people do with the client: `python tasks.py '<what it needs to know as JSON>'`. It prints what it saw as JSON.

Each task stands alone, and is the same in every language (`tests/clients/typescript/tasks.ts`).
"""

import asyncio
import json
import logging
import sys
import time
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

from socialgate_client import (
    AsyncSocialgate,
    AuthenticationError,
    Conflict,
    NotFound,
    Socialgate,
    SocialgateError,
    ValidationError,
    WebhookVerificationError,
)
from socialgate_client.types import AccountConnectedEnvelope, AiCopyTask, Post, ProductsBatchTask, Task

KNOWN: dict[str, Any] = json.loads(sys.argv[1])
PROFILE: str = KNOWN["profileId"]
client = Socialgate(base_url=KNOWN["url"], api_key=KNOWN["key"])
start = client.events.list(limit=200).first_page().next_cursor


def failing(fault: str) -> Socialgate:
    """Return a client whose first request meets a fault."""
    return client.with_options(headers={"X-Fault": fault})


def refused(kind: type[SocialgateError], call: Callable[[], object]) -> Any:
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"not refused with {kind.__name__}")


def health() -> object:
    return client.health.get().status


def start_connecting() -> object:
    return client.connect.start("tiktok", profile_id=PROFILE).auth_url.startswith("http")


def connect() -> object:
    account = client.connect.telegram(profile_id=PROFILE, bot_token=KNOWN["botToken"])
    KNOWN["telegram"] = account.id
    return [account.platform, account.kind, account.status, client.accounts.get(account.id).id == account.id]


def list_accounts() -> object:
    return sorted(account.kind for account in client.accounts.list(profile_id=PROFILE))


def upload() -> object:
    photo = client.media.upload(KNOWN["photo"])
    KNOWN["photoId"] = photo.id
    return [photo.type, photo.mime_type, photo.file_name, photo.width]


def upload_in_chunks() -> object:
    seen: list[int] = []
    media = failing("drop PATCH").media.upload(
        KNOWN["film"], chunk_bytes=KNOWN["chunk"], on_progress=lambda received, _: seen.append(received)
    )
    return [media.type, media.size, seen == sorted(seen), len(seen) > 2]


def validate() -> object:
    verdict = client.posts.validate(profile_id=PROFILE, content="x" * 600, targets=[KNOWN["threads"]])
    return [verdict.valid, verdict.errors[0].pointer, verdict.errors[0].code]


def post_to_three_kinds() -> object:
    post = client.posts.create(
        profile_id=PROFILE,
        content="Fresh out of the oven",
        media=[KNOWN["photoId"]],
        targets=[
            KNOWN["facebook"],
            client.accounts.get(KNOWN["threads"]),
            {"account_id": KNOWN["telegram"], "options": {"chat_id": KNOWN["chatId"], "disable_notification": True}},
        ],
        publish_now=True,
    )
    KNOWN["postId"] = post.id
    done = next(current for current in polled(post.id) if current.status not in {"publishing", "scheduled"})
    return [done.status, sorted(target.status for target in done.targets), len(done.media)]


def polled(post_id: str) -> Iterator[Post]:
    while True:
        yield client.posts.get(post_id)
        time.sleep(0.1)


def paginate() -> object:
    async def create_all() -> int:
        async with AsyncSocialgate(base_url=KNOWN["url"], api_key=KNOWN["key"]) as other:
            names = [f"Draft {number}" for number in range(KNOWN["drafts"])]
            for some in (names[start : start + 10] for start in range(0, len(names), 10)):
                await asyncio.gather(
                    *(other.posts.create(profile_id=PROFILE, content=name, draft=True) for name in some)
                )
            return len([post async for post in other.posts.list(status="draft", limit=10) if post.content])

    counted = asyncio.run(create_all())
    ids = {post.id for post in client.posts.list(status="draft", limit=10)}
    pages = sum(1 for _ in client.posts.list(status="draft", limit=10).pages())
    return [counted == len(ids) >= KNOWN["drafts"], pages >= KNOWN["drafts"] / 10]


def invalid() -> object:
    error = refused(ValidationError, lambda: client.profiles.create(name=""))
    return [error.status, error.code, [fault.pointer for fault in error.errors], error.idempotency_key[:3]]


def missing() -> object:
    error = refused(NotFound, lambda: client.posts.get("post_01h455vb4pex5vsknk084sn02q"))
    return [error.status, error.code, error.request_id[:4]]


def unauthenticated() -> object:
    stranger = Socialgate(base_url=KNOWN["url"], api_key="sg_test_wrong")
    return refused(AuthenticationError, stranger.profiles.list().first_page).code


def limited() -> object:
    name = failing("limit 1").profiles.create(name="After a limit").name
    return [name, named(name)]


def dropped() -> object:
    name = failing("drop 1").profiles.create(name="After a break").name
    return [name, named(name)]


def named(name: str) -> int:
    return sum(profile.name == name for profile in client.profiles.list())


def stale() -> object:
    created = client.profiles.with_raw_response.create(name="Read")
    profile, version = created.parse(), created.headers["etag"]
    client.profiles.update(profile.id, name="Changed", if_match=version)
    error = refused(Conflict, lambda: client.profiles.update(profile.id, name="Too late", if_match=version))
    return [error.status, client.profiles.get(profile.id).name, client.profiles.delete(profile.id).deleted]


def replay() -> object:
    first = client.profiles.with_raw_response.create(name="Once", idempotency_key=KNOWN["once"])
    second = client.profiles.with_raw_response.create(name="Once", idempotency_key=KNOWN["once"])
    return [first.status, second.headers.get("idempotent-replayed"), first.parse().id == second.parse().id]


def stream() -> object:
    seen = []
    for event in failing("cut 1").events.stream(after=start):
        seen.append(event.event)
        match event:
            case AccountConnectedEnvelope(data=account):
                assert account.account_id
        if event.event == "post.published":
            break
    again = next(iter(client.events.stream(after=start)))
    return [seen.count("account.connected") >= 1, seen.count("post.published"), again.event == seen[0]]


def verify_hook() -> object:
    hook = KNOWN["hook"]
    event = client.webhooks.unwrap(hook["body"], hook["headers"], hook["secret"])
    forged = hook["body"].replace("test", "text")
    error = refused(WebhookVerificationError, lambda: client.webhooks.unwrap(forged, hook["headers"], hook["secret"]))
    return [event.event, event.id == hook["headers"]["webhook-id"], "signature" in str(error)]


def wait_for_task() -> object:
    seen: list[str] = []
    task = client.tasks.wait(
        client.ai.text(prompt="Rye bread"), on_progress=lambda current: seen.append(current.status)
    )
    assert isinstance(task, AiCopyTask)
    assert task.result is not None
    return [task.type, task.status, len(task.result.variants or []), seen[-1]]


def boost() -> object:
    created = client.ads.boost(
        ad_account_id=KNOWN["adAccountId"],
        account_id=KNOWN["facebook"],
        post_id=KNOWN["postId"],
        name="Boosted",
        budget={"amount": 80_000, "currency": "SEK", "type": "daily"},
        targeting={"countries": ["NO"]},
    )
    return [created.configured_status, created.name]


def import_products() -> object:
    catalog = client.catalogs.create(ad_account_id=KNOWN["adAccountId"], name=KNOWN["once"])
    batch = client.products.batch(ad_account_id=KNOWN["adAccountId"], catalog_id=catalog.id, csv=KNOWN["csv"])
    task: Task = client.tasks.wait(batch)
    assert isinstance(task, ProductsBatchTask)
    return [batch.rows, task.status, len({row.row for row in client.products.batch_rows(batch.id, limit=40)})]


def queue() -> object:
    slot = client.queue.slots.create(profile_id=PROFILE, weekday="monday", time="09:00")
    following = client.queue.next_slot(profile_id=PROFILE)
    return [slot.weekday, slot.time, following.slot_id == slot.id, client.queue.slots.delete(slot.id).deleted]


def request() -> object:
    created = client.request("post", "/profiles", body={"name": "By its path"}).parse()
    page = client.request("GET", "/profiles", query={"limit": 1})
    return [created["name"], page.status, len(page.parse()["data"])]


def later_versions() -> object:
    account = failing("later 1").accounts.list().first_page().data[0]
    return [account.kind, dict(account.extra_fields), account.to_dict()["moonPhase"]]


def log_without_secrets() -> object:
    written = StringIO()
    log = logging.getLogger("socialgate_client")
    log.addHandler(logging.StreamHandler(written))
    log.setLevel(logging.DEBUG)
    client.profiles.list(limit=1).first_page()
    return [
        "GET /profiles: 200" in written.getvalue(),
        KNOWN["key"] not in written.getvalue(),
        KNOWN["key"] not in repr(client),
    ]


TASKS = (
    *(health, start_connecting, connect, list_accounts, upload, upload_in_chunks, validate, post_to_three_kinds),
    *(paginate, invalid, missing, unauthenticated, limited, dropped, stale, replay, stream, verify_hook),
    *(wait_for_task, boost, import_products, queue, request, later_versions, log_without_secrets),
)

if __name__ == "__main__":
    seen = {}
    for task in TASKS:
        # What is written to here is only shown if a task fails.
        sys.stderr.write(f"{task.__name__}\n")
        seen[task.__name__] = task()
    sys.stdout.write(json.dumps(seen))
    client.close()
