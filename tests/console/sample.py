"""An owner with something on every page of the console, from the sandbox."""

from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw

from socialgate.areas.analytics import store as analytics_store
from socialgate.core.db import Tx
from support.factories import FACTORIES, account_on
from support.sandbox import Sandbox
from support.service import OwnerFixture
from support.waiting import eventually

_CONTENTS = (
    "Fresh out of the oven: pan de masa madre, 36 hours in the making. Come by before ten, it never lasts longer.",
    "Behind the counter with Rosa, who starts at three in the morning",
    "How we fold croissants, 41 seconds",
    "مخبز السعادة: خبز طازج كل صباح",
    "A" * 180,
)
_DAYS = 28


def draw_picture(color: str) -> bytes:
    written = BytesIO()
    picture = Image.new("RGB", (1080, 1080), color)
    ImageDraw.Draw(picture).ellipse((240, 240, 840, 840), fill="#f4d9a8")
    picture.save(written, "JPEG")
    return written.getvalue()


def fill(owner: OwnerFixture, hook_url: str) -> dict[str, str]:
    """Fill everything, and return the address of one of each, by its name."""
    owner.session.patch(f"/profiles/{owner.profile_id}", json={"name": "Ada's Bakery", "timezone": "America/Lima"})
    owner.new_profile("A profile with a name that is much longer than any sidebar has room for")
    accounts = {
        platform: account_on(owner, platform) for platform in ("meta", "threads", "telegram", "tiktok", "google")
    }
    code = account_on(owner, "wasender")
    account_on(owner, "tiktokads")
    posts = [_post(owner, accounts, number, content) for number, content in enumerate(_CONTENTS)]
    _fail_a_post(owner, accounts["threads"])
    owner.running.write(_count_followers, owner.id, [accounts["meta"], accounts["threads"]])
    hook = _create(owner, "/hooks", url=hook_url, events=["post.published", "message.received"])["id"]
    delivery = _create(owner, f"/hooks/{hook}/test")["deliveryId"]
    _create(owner, "/hooks", url="https://127.0.0.1:9/down", events=["post.published"], description="It is down")
    for name in ("Billing backend", "Importer of the shop with a very long name that does not fit"):
        owner.key_value(name=name)
    for name in ("conversationId", "operationId", "taskId"):
        owner.things[name] = FACTORIES[name](owner)
    _lose(owner, accounts["tiktok"])
    return {
        "post": f"/console/posts/{posts[0]}",
        "account": f"/console/accounts/{accounts['meta']}",
        "code": f"/console/accounts/{code}/code",
        "hook": f"/console/hooks/{hook}",
        "delivery": f"/console/hooks/{hook}/deliveries/{delivery}",
    }


def _create(owner: OwnerFixture, path: str, **body: Any) -> dict[str, Any]:
    answer = owner.session.post(path, json=body or None)
    assert answer.is_success, answer.text
    created: dict[str, Any] = answer.json()
    return created


def _post(owner: OwnerFixture, accounts: dict[str, str], number: int, content: str) -> str:
    """Create a post: one is published, the next is due today, and so on."""
    colors = ("#c65d7b", "#3b7f8c", "#6a4c93")
    headers = {"Content-Type": "image/jpeg"}
    query = {"profileId": owner.profile_id, "fileName": f"loaf {number}.jpg"}
    file = owner.session.post("/upload", params=query, content=draw_picture(colors[number % 3]), headers=headers)
    due = datetime.now(UTC) + timedelta(hours=2 + number)
    time = ({"publishNow": True}, {"scheduledFor": due.isoformat()}, {"draft": True})[number % 3]
    created = _create(
        owner,
        "/posts",
        profileId=owner.profile_id,
        content=content,
        media=[{"mediaId": file.json()["id"], "alt": "A loaf"}],
        targets=[{"accountId": accounts["meta"]}, {"accountId": accounts["threads"]}],
        **time,
    )
    return str(created["id"])


def _fail_a_post(owner: OwnerFixture, account_id: str) -> None:
    with Sandbox(owner.running) as sandbox:
        failure = {"error": {"message": "The video is 11 minutes long.", "type": "OAuthException", "code": 100}}
        sandbox.control("fail", platform="threads", path="*/threads", method="POST", status=400, body=failure, times=1)
        targets = [{"accountId": account_id}]
        post = _create(owner, "/posts", profileId=owner.profile_id, content="Rye is back", targets=targets)
        eventually(
            lambda: owner.session.get(f"/posts/{post['id']}").json()["status"] not in {"publishing", "scheduled"}
        )
        sandbox.http.delete("/_control/fail")


def _lose(owner: OwnerFixture, account_id: str) -> None:
    """Have the person take the permission away on the platform, and the service find out."""
    account = owner.session.get(f"/accounts/{account_id}").json()
    with Sandbox(owner.running) as sandbox:
        sandbox.control("revoke", platform=account["platform"], account=account["platformAccountId"])
    owner.session.get("/accounts/health", params={"refresh": "true"})


async def _count_followers(tx: Tx, owner_id: str, account_ids: list[str]) -> None:
    today = tx.now.date()
    for number, account_id in enumerate(account_ids):
        counts = [
            {
                "owner_id": owner_id,
                "account_id": account_id,
                "at": tx.now - timedelta(days=_DAYS - day),
                "followers": 9000 + 40 * day * (number + 1),
            }
            for day in range(_DAYS + 1)
        ]
        insert = tx.build_upsert(analytics_store.follower_counts)
        await tx.execute(insert.on_conflict_do_nothing(), counts)
        reached = {today - timedelta(days=day): {"reach": 900 + (day * 37) % 300 - day * 5} for day in range(2 * _DAYS)}
        await analytics_store.save_day_metrics(tx, owner_id, account_id, reached)
