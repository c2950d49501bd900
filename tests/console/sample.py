"""An owner with something on every page of the console, from the sandbox."""

from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw

from socialgate.areas.analytics import store as analytics_store
from socialgate.areas.analytics.store import MeasuredPostRow
from socialgate.core.db import Tx
from support.ads_api import AdsClient
from support.commerce_api import CommerceClient, a_product
from support.factories import FACTORIES, account_on
from support.generations import generate
from support.sandbox import Sandbox, connect
from support.service import OwnerFixture
from support.waiting import eventually

_CONTENTS = (
    "Fresh out of the oven: pan de masa madre, 36 hours in the making. Come by before ten, it never lasts longer.",
    "Behind the counter with Rosa, who starts at three in the morning",
    "How we fold croissants, 41 seconds",
    "مخبز السعادة: خبز طازج كل صباح",
    "A" * 180,
    "Closed on Thursday: we visit the mill",
    "Rye or wheat? Tell us what to bake on Sunday",
    "Six new cakes for the season",
    "Gluten-free from next week",
    "Thank you for 12,000 followers",
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
    automations = _automate(owner, accounts["meta"])
    for name in ("conversationId", "operationId", "taskId", "leadId"):
        owner.things[name] = FACTORIES[name](owner)
    owner.running.write(_measure_posts, owner.id, accounts["meta"], posts)
    _comment_on(owner, posts[0])
    event = _plan(owner)
    generation = generate(owner.session, "image", prompt="A loaf of rye bread", count=2, profileId=owner.profile_id)[
        "id"
    ]
    generate(owner.session, "copy", prompt=_CONTENTS[0], tone="friendly", variants=2, profileId=owner.profile_id)
    run = eventually(lambda: owner.session.get(f"/automations/{automations[0]}/runs").json()["data"])[0]["id"]
    _lose(owner, accounts["tiktok"])
    automation = f"/console/automations/{automations[0]}"
    return {
        "automation": automation,
        "automation-edit": f"{automation}/edit",
        "automation-try": f"{automation}/try",
        "automation-run": f"{automation}/runs/{run}",
        "automation-trigger": "/console/automations/new?trigger=comment.received",
        "analytics-account": f"/console/analytics?account={accounts['meta']}&metric=views",
        "agenda-list": "/console/agenda?view=list",
        "event": event,
        "event-new": f"{event.rpartition('/')[0]}/new",
        "generation": f"/console/ai/{generation}",
        "ai-image": "/console/ai?new=image",
        **_advertise(owner, posts[0]),
        "post": f"/console/posts/{posts[0]}",
        "compose-draft": f"/console/compose?post={posts[5]}",
        "comments-post": f"/console/comments?account={accounts['meta']}&post={posts[0]}",
        "lead": f"/console/leads/{accounts['meta']}/{owner.things['leadId']}",
        "calendar-week": "/console/calendar?view=week",
        "calendar-list": "/console/calendar?view=list",
        "conversation": f"/console/inbox/{accounts['meta']}/{owner.things['conversationId']}",
        "account": f"/console/accounts/{accounts['meta']}",
        "code": f"/console/accounts/{code}/code",
        "hook": f"/console/hooks/{hook}",
        "delivery": f"/console/hooks/{hook}/deliveries/{delivery}",
    }


def _automate(owner: OwnerFixture, account_id: str) -> list[str]:
    """Create automations: one that runs for everybody who writes, one for comments, and one that is paused."""
    reply = {"type": "reply", "text": "Hello {{contact.name|there}}, we open at seven."}
    wait = {"type": "wait", "amount": 2, "unit": "days"}
    keyword = {"type": "keyword", "any": ["price", "how much"], "match": "fuzzy", "exclude": ["unsubscribe"]}
    night = {"type": "timeWindow", "begin": "18:00", "end": "08:00", "weekdays": ["friday", "saturday"]}
    bodies: list[dict[str, Any]] = [
        {
            "name": "Opening hours",
            "trigger": {"type": "message.received", "accountIds": [account_id]},
            "actions": [reply, wait, {"type": "sendMessage", "text": _CONTENTS[0]}],
        },
        {
            "name": "Price list on comment, with a name that is much longer than any list has room for",
            "trigger": {"type": "comment.received"},
            "conditions": [keyword, night, {"type": "firstTime"}],
            "actions": [{**reply, "text": "We sent you a message."}, {"type": "sendMessage", "text": "From 2 soles."}],
            "cooldown": 86400,
        },
        {
            "name": "مخبز السعادة",
            "trigger": {"type": "schedule", "accountIds": [account_id], "times": ["09:00"], "weekdays": ["monday"]},
            "actions": [{"type": "stop"}],
            "active": False,
        },
    ]
    return [str(_create(owner, "/automations", profileId=owner.profile_id, **body)["id"]) for body in bodies]


def _plan(owner: OwnerFixture) -> str:
    """Connect a calendar with some events, and return the address of one."""
    with Sandbox(owner.running) as sandbox:
        connect(sandbox, owner, "google", kind=["google_calendar"])
    accounts = owner.session.get("/accounts", params={"kind": "google_calendar"}).json()["data"]
    account_id = accounts[0]["id"]
    today = datetime.now(UTC).date()
    path, zone = f"/accounts/{account_id}/calendar/events", "America/Lima"
    guests = [{"email": "elif@example.com", "name": "Elif Yilmaz"}, {"email": "bo@example.com", "optional": True}]
    for number, title in enumerate(("Tasting", "Delivery of flour from the mill behind the hill", "مخبز السعادة")):
        day = today + timedelta(days=3 * number)
        times = {
            "start": {"dateTime": f"{day}T{9 + number:02}:00:00", "timezone": zone},
            "end": {"dateTime": f"{day}T{11 + number:02}:30:00", "timezone": zone},
        }
        event = _create(owner, path, title=title, location="Av. Larco 345", attendees=guests, meet=not number, **times)
    _create(
        owner,
        path,
        title="Closed for holidays",
        start={"date": str(today + timedelta(days=1))},
        end={"date": str(today + timedelta(days=4))},
    )
    return f"/console/agenda/{account_id}/{event['id']}?day={day}"


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


def _advertise(owner: OwnerFixture, post_id: str) -> dict[str, str]:
    """Create campaigns, an audience, and a catalog with an import of which some rows failed."""
    with Sandbox(owner.running) as sandbox:
        ads = AdsClient(owner.running, sandbox, "meta", owner)
        shop = CommerceClient(owner.running, sandbox, "meta", owner)
        for name, status in (("Christmas cakes", "active"), ("مخبز السعادة", "paused"), ("A" * 120, "paused")):
            campaign = ads.campaign(name=name, status=status)
            adset = ads.adset(campaign["id"], name=f"{name[:40]}: Oslo, 18 to 44", status="active")
        ads.create("/ads/ads", adsetId=adset["id"], creativeId=ads.creative()["id"], name="Princess cake")
        people = [{"email": f"person{number}@example.com"} for number in range(20)]
        ads.create("/ads/audiences", name="Regular customers", people=people)
        for number in range(3):
            shop.create(a_product(f"cake-{number}", title=f"Princess cake for {number + 4} people"))
        items = [a_product(f"roll-{number}", **({"brand": ""} if number % 3 else {})) for number in range(8)]
        batch = _create(owner, "/commerce/products/batch", **shop.place, items=items)["id"]
        eventually(lambda: owner.session.get(f"/tasks/{batch}").json()["finishedAt"])
    account = f"?account={ads.account_id}"
    catalog = f"{account}&catalog={shop.catalog_id}"
    campaign_query = f"{account}&campaign={campaign['id']}"
    return {
        "ads": f"/console/ads{campaign_query}",
        "ads-new-2": f"/console/ads/new{campaign_query}",
        "ads-new-3": f"/console/ads/new{campaign_query}&adset={adset['id']}",
        "ads-boost": f"/console/ads/boost?post={post_id}",
        "ads-audiences": f"/console/ads/audiences{account}&new=website",
        "catalogs": f"/console/catalogs{account}",
        "catalogs-products": f"/console/catalogs/products{catalog}",
        "catalogs-product": f"/console/catalogs/product{catalog}&product=cake-1",
        "catalogs-import": f"/console/catalogs/import{catalog}",
        "catalogs-result": f"/console/catalogs/result{catalog}&task={batch}",
    }


def _fail_a_post(owner: OwnerFixture, account_id: str) -> None:
    # The failure is for this post, and not for one that is still being published.
    query = {"status": "publishing"}
    eventually(lambda: not owner.session.get("/posts", params=query).json()["data"])
    with Sandbox(owner.running) as sandbox:
        failure = {"error": {"message": "The video is 11 minutes long.", "type": "OAuthException", "code": 100}}
        sandbox.control("fail", platform="threads", path="*/threads", method="POST", status=400, body=failure, times=1)
        targets = [{"accountId": account_id}]
        post = _create(owner, "/posts", profileId=owner.profile_id, content="Rye is back", targets=targets)
        eventually(
            lambda: owner.session.get(f"/posts/{post['id']}").json()["status"] not in {"publishing", "scheduled"}
        )
        sandbox.http.delete("/_control/fail")


def _comment_on(owner: OwnerFixture, post_id: str) -> None:
    """Have people comment on a post, which was published meanwhile, and answer one of them."""
    target = owner.session.get(f"/posts/{post_id}").json()["targets"][0]
    with Sandbox(owner.running) as sandbox:
        for text in ("How much is a loaf?", "مخبز السعادة: خبز طازج كل صباح", "A" * 180):
            about = {"platform": target["platform"], "objectId": target["platformPostId"]}
            comment = sandbox.control("comment", text=text, **about)
    answer = {"text": "Twelve soles, and nine after seven.", "parentId": comment["id"]}
    _create(owner, f"/accounts/{target['accountId']}/comments", **answer)


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
                "at": tx.now - timedelta(days=day),
                "followers": 12_000 - 40 * day * (number + 1),
            }
            for day in range(3 * _DAYS)
        ]
        insert = tx.build_upsert(analytics_store.follower_counts)
        await tx.execute(insert.on_conflict_do_nothing(), counts)
        reached = {
            today - timedelta(days=day): {
                "reach": 900 + (day * 37) % 300 - day * 5,
                "views": 1500 + (day * 113) % 700 - day * 6,
                "engagement": 60 + (day * 29) % 50 - day // 3,
            }
            for day in range(3 * _DAYS)
            if day not in (9, 10)
        }
        await analytics_store.save_day_metrics(tx, owner_id, account_id, reached)


async def _measure_posts(tx: Tx, owner_id: str, account_id: str, post_ids: list[str]) -> None:
    """Count what people did with posts of the last weeks, published at different hours."""
    for number in range(24):
        row = MeasuredPostRow(
            owner_id=owner_id,
            account_id=account_id,
            object_id=f"sample{number}",
            post_id=post_ids[number % len(post_ids)],
            url=None,
            published_at=tx.now - timedelta(days=2 + number, hours=(number * 5) % 17),
        )
        await analytics_store.insert_measured_post(tx, row)
        metrics = {"likes": 40 + (number * 31) % 90, "comments": number % 7, "views": 900 + (number * 137) % 2000}
        await analytics_store.save_post_metrics(tx, row, 24, metrics)
