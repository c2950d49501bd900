"""Requests that change something on a platform, each about something of its own, and what became of them there."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import count
from typing import Any
from uuid import uuid4

import msgspec

from socialgate_sandbox.vendors.google.seed import ADA_CHANNEL_ID
from socialgate_sandbox.vendors.meta.seed import BAKERY, BAKERY_CATALOG, BAKERY_IG
from socialgate_sandbox.vendors.telegram.seed import BAKERY_BOT, BAKERY_CHANNEL
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_CATALOG as TIKTOK_CATALOG
from socialgate_sandbox.vendors.whatsapp_cloud.seed import BAKERY as BAKERY_NUMBER
from support.crash_deployment import CrashDeployment
from support.seeded_vendors import (
    POSTING_LOCATION,
    POSTS,
    REVIEWED_LOCATION,
    THREADS_PROFILE,
    a_review,
    cloud_credentials,
    cloud_number,
    local_post,
    page_post,
    plain_post,
    video,
)
from support.waiting import eventually

_count = count(1)
_DARIO = "5200000004"
# What WaSender calls a message that was read.
_READ = 4


class PlatformRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One request. `effects` counts what it has done so far, and the operation must name one of `object_ids` then.

    `status` is that of the message which it sends, where it sends one.
    """

    method: str = "POST"
    path: str
    body: dict[str, Any] | None = None
    effects: Callable[[], int]
    object_ids: Callable[[], set[str]]
    status: Callable[[], str] | None = None


def _next() -> int:
    """Give a number that no other request of the same stage has."""
    return next(_count) % POSTS


def account_of(deployment: CrashDeployment, platform_account: str) -> str:
    """Find an account by its id on the platform."""
    rows = deployment.send_request("GET", "/accounts", params={"limit": 200})["data"]
    return str(next(row["id"] for row in rows if row["platformAccountId"].endswith(platform_account)))


# Connecting.


def _new_bot(deployment: CrashDeployment) -> str:
    created = deployment.sandbox.control(
        "newbot", platform="telegram", person="ada", name="Killed", username=f"Killed{_next()}Bot"
    )
    return str(created["token"])


def bot(deployment: CrashDeployment) -> PlatformRequest:
    token = _new_bot(deployment)
    bot = token.partition(":")[0]
    body = {"profileId": deployment.profile_id, "botToken": token}
    return PlatformRequest(
        path="/connect/telegram",
        body=body,
        effects=partial(_times_connected, deployment, bot),
        object_ids=lambda: {bot},
    )


def _times_connected(deployment: CrashDeployment, platform_account: str) -> int:
    """Count how often an account was reported as connected."""
    reported = deployment.send_request("GET", "/events", params={"event": "account.connected", "limit": 200})["data"]
    rows = deployment.send_request("GET", "/accounts", params={"limit": 200})["data"]
    ids = [row["id"] for row in rows if row["platformAccountId"] == platform_account]
    return sum(event["data"].get("accountId") in ids for event in reported)


def number(deployment: CrashDeployment) -> PlatformRequest:
    number = cloud_number(_next())
    return PlatformRequest(
        path="/connect/whatsapp-cloud",
        body=cloud_credentials(deployment, number),
        effects=partial(_times_connected, deployment, number),
        object_ids=lambda: {number},
    )


def _sessions(deployment: CrashDeployment, number: str) -> list[str]:
    result = deployment.sandbox.look("accounts", platform="wasender")["data"]
    return [item["id"] for item in result if item["kind"] == "session" and item["name"].endswith(number)]


def phone(deployment: CrashDeployment) -> PlatformRequest:
    number = f"+5198{_next():07}"
    body = {"profileId": deployment.profile_id, "name": "Shop", "phoneNumber": number}
    return PlatformRequest(
        path="/connect/wasender",
        body=body,
        effects=lambda: len(_sessions(deployment, number)),
        object_ids=lambda: set(_sessions(deployment, number)),
    )


# Posts and comments. The feed of an account shows both as people see them.


class PostFeed(msgspec.Struct, frozen=True, kw_only=True):
    """The posts of one kind of account: how the platform names them, and how people comment there."""

    platform: str
    account: str
    # Of a number, the id of a post in its feed and in requests.
    shown: Callable[[int], str]
    requested_id: Callable[[int], str] | None = None
    # The words of the order to comment, and of its answer.
    comment: str = "objectId"
    id_field: str = "id"

    def feed(self, deployment: CrashDeployment, post: str) -> dict[str, Any] | None:
        feed = {"platform": self.platform, "account": self.account, "limit": 2 * POSTS}
        return next((item for item in deployment.sandbox.look("feed", **feed)["data"] if item["id"] == post), None)

    def comments(self, deployment: CrashDeployment, post: str) -> list[dict[str, Any]]:
        result = self.feed(deployment, post)
        assert result is not None, f"there is no post {post}"
        return [item for comment in result["comments"] for item in (comment, *comment["replies"])]

    def path(self, deployment: CrashDeployment) -> str:
        return f"/accounts/{account_of(deployment, self.account)}"

    def say(self, deployment: CrashDeployment, post: str) -> str:
        """Have a person comment on a post."""
        order = {self.comment: post, "text": "Spam"}
        created = deployment.sandbox.control("comment", platform=self.platform, **order)
        return str(created[self.id_field])


def deletion(wall: PostFeed, deployment: CrashDeployment) -> PlatformRequest:
    number = _next()
    shown = wall.shown(number)
    request = shown if wall.requested_id is None else wall.requested_id(number)
    return PlatformRequest(
        method="DELETE",
        path=f"{wall.path(deployment)}/posts/{request}",
        effects=lambda: int(wall.feed(deployment, shown) is None),
        object_ids=lambda: {request},
    )


def channel_deletion(deployment: CrashDeployment) -> PlatformRequest:
    """Delete a post of a channel. Its author is the channel, and the bot an administrator of it."""
    order = {"platform": "telegram", "account": BAKERY_CHANNEL}
    number = deployment.sandbox.control("message", **order, text="Bread")["messageId"]

    def is_there() -> bool:
        return any(
            item["messageId"] == number for item in deployment.sandbox.control("feed", **order, limit=POSTS)["data"]
        )

    post = f"{BAKERY_CHANNEL}:{number}"
    path = f"/accounts/{account_of(deployment, BAKERY_BOT)}/posts/{post}"
    return PlatformRequest(method="DELETE", path=path, effects=lambda: int(not is_there()), object_ids=lambda: {post})


def reply(wall: PostFeed, deployment: CrashDeployment) -> PlatformRequest:
    post, text = wall.shown(_next()), f"Thanks {uuid4().hex}"

    def replies() -> set[str]:
        return {item["id"] for item in wall.comments(deployment, post) if item["text"] == text}

    return PlatformRequest(
        path=f"{wall.path(deployment)}/comments",
        body={"postId": post, "text": text},
        effects=lambda: len(replies()),
        object_ids=replies,
    )


def hiding(wall: PostFeed, deployment: CrashDeployment) -> PlatformRequest:
    post = wall.shown(_next())
    comment = wall.say(deployment, post)

    def is_hidden(item: dict[str, Any]) -> bool:
        return bool(item["hidden"] or "heldForReview" in item["author"])

    return PlatformRequest(
        path=f"{wall.path(deployment)}/comments/hide",
        body={"commentId": comment},
        effects=lambda: sum(item["id"] == comment and is_hidden(item) for item in wall.comments(deployment, post)),
        object_ids=lambda: {comment},
    )


def removal(wall: PostFeed, deployment: CrashDeployment) -> PlatformRequest:
    """Delete a comment that the account wrote itself: more is not allowed everywhere."""
    post, path = wall.shown(_next()), f"{wall.path(deployment)}/comments"
    comment = deployment.send_request("POST", path, json={"postId": post, "text": f"Wrong {uuid4().hex}"})["id"]
    left = partial(wall.comments, deployment, post)
    return PlatformRequest(
        method="DELETE",
        path=f"{path}/{comment}",
        effects=lambda: int(comment not in {item["id"] for item in left() if not item["deleted"]}),
        object_ids=lambda: {comment},
    )


def _review(deployment: CrashDeployment) -> tuple[str, str, Callable[[], list[str]]]:
    """Give the address of the reviews, the id of one, and what the owner has replied to it."""
    named = a_review(_next())
    path = f"/accounts/{account_of(deployment, REVIEWED_LOCATION)}/comments"

    def replies() -> list[str]:
        feed = deployment.sandbox.look("feed", platform="google", account=REVIEWED_LOCATION, limit=2 * POSTS)["data"]
        (result,) = [item for item in feed if item["id"].endswith(f"/{named}")]
        return [item["text"] for item in result["comments"]]

    return path, named, replies


def review_reply(deployment: CrashDeployment) -> PlatformRequest:
    path, review, replies = _review(deployment)
    text = f"Sorry {uuid4().hex}"
    return PlatformRequest(
        path=path,
        body={"parentId": review, "text": text},
        effects=lambda: replies().count(text),
        object_ids=lambda: {f"{review}~reply"},
    )


def review_removal(deployment: CrashDeployment) -> PlatformRequest:
    path, review, replies = _review(deployment)
    reply = deployment.send_request("POST", path, json={"parentId": review, "text": "Sorry"})["id"]
    return PlatformRequest(
        method="DELETE",
        path=f"{path}/{reply}",
        effects=lambda: int(not replies()),
        object_ids=lambda: {reply},
    )


# Lead forms.


def form_creation(deployment: CrashDeployment) -> PlatformRequest:
    name = f"Tasting {uuid4().hex}"

    def function() -> set[str]:
        forms = deployment.sandbox.look("leads", platform="meta", account=BAKERY)["data"]
        return {form["id"] for form in forms if form["name"] == name}

    return PlatformRequest(
        path=f"{PAGE.path(deployment)}/lead-forms",
        body={
            "name": name,
            "questions": [{"type": "email"}],
            "privacyPolicyUrl": "https://bakery.example.com/privacy",
        },
        effects=lambda: len(function()),
        object_ids=function,
    )


# Events of a calendar.

_CALENDAR = "ada@example.com"


def _event(deployment: CrashDeployment) -> tuple[str, dict[str, Any]]:
    """Give the address of the events, and one to write. Whoever is invited is told of each change."""
    times = {"start": {"dateTime": "2030-05-01T09:00:00Z"}, "end": {"dateTime": "2030-05-01T10:00:00Z"}}
    guests = {"attendees": [{"email": "guest@elsewhere.test"}], "notify": "all"}
    path = f"/accounts/{account_of(deployment, _CALENDAR)}/calendar/events"
    return path, {"title": f"Tasting {uuid4().hex}", **times, **guests}


def _told(deployment: CrashDeployment, event: str, label: str) -> int:
    sent = deployment.sandbox.control("invitations", platform="google", event=event)["data"]
    return sum(item["what"] == label for item in sent)


def event_creation(deployment: CrashDeployment) -> PlatformRequest:
    path, body = _event(deployment)

    def function() -> set[str]:
        events = deployment.sandbox.control("events", platform="google", account=_CALENDAR)["data"]
        return {event["id"] for event in events if event["title"] == body["title"]}

    return PlatformRequest(path=path, body=body, effects=lambda: len(function()), object_ids=function)


def event_change(deployment: CrashDeployment) -> PlatformRequest:
    path, body = _event(deployment)
    event = deployment.send_request("POST", path, json=body)["id"]
    return PlatformRequest(
        method="PATCH",
        path=f"{path}/{event}",
        body={"title": "Cancelled", "notify": "all"},
        effects=lambda: _told(deployment, event, "update"),
        object_ids=lambda: {event},
    )


def event_deletion(deployment: CrashDeployment) -> PlatformRequest:
    path, body = _event(deployment)
    event = deployment.send_request("POST", path, json=body)["id"]
    return PlatformRequest(
        method="DELETE",
        path=f"{path}/{event}?notify=all",
        effects=lambda: _told(deployment, event, "cancellation"),
        object_ids=lambda: {event},
    )


# Catalogs.


class CatalogSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where things are sold: the catalog that requests share, and what a catalog of the platform needs."""

    platform: str
    advertiser: str
    catalog: str
    needs: Mapping[str, str] = {}


META_MARKET = CatalogSettings(platform="meta", advertiser="Bakery ads", catalog=BAKERY_CATALOG)
TIKTOK_MARKET = CatalogSettings(
    platform="tiktokads",
    advertiser="Ada's Bakery",
    catalog=TIKTOK_CATALOG,
    needs={"currency": "SEK", "country": "SE"},
)


def _in_catalog(market: CatalogSettings, deployment: CrashDeployment) -> dict[str, str]:
    """Name the catalog that requests share, and the ad account whose business has it."""
    rows = deployment.send_request("GET", "/adaccounts")["data"]
    (account,) = [row for row in rows if (row["platform"], row["name"]) == (market.platform, market.advertiser)]
    return {"adAccountId": account["id"], "catalogId": market.catalog}


def _named(market: CatalogSettings, deployment: CrashDeployment, path: str, name: str) -> set[str]:
    query = {**_in_catalog(market, deployment), "limit": 100}
    if path.endswith("/catalogs"):
        del query["catalogId"]
    result: set[str] = set()
    cursor: dict[str, str] | None = {}
    while cursor is not None:
        page = deployment.send_request("GET", path, params={**query, **cursor})
        result |= {item["id"] for item in page["data"] if item["name"] == name}
        cursor = {"cursor": page["nextCursor"]} if page["nextCursor"] else None
    return result


def catalog_creation(market: CatalogSettings, deployment: CrashDeployment) -> PlatformRequest:
    path, name = "/commerce/catalogs", f"Cakes {uuid4().hex}"
    body = {"adAccountId": _in_catalog(market, deployment)["adAccountId"], "name": name, **market.needs}
    constructor = partial(_named, market, deployment, path, name)
    return PlatformRequest(path=path, body=body, effects=lambda: len(constructor()), object_ids=constructor)


def set_creation(market: CatalogSettings, deployment: CrashDeployment) -> PlatformRequest:
    path, name = "/commerce/product-sets", f"Set {uuid4().hex}"
    constructor = partial(_named, market, deployment, path, name)
    body = {**_in_catalog(market, deployment), "name": name}
    return PlatformRequest(path=path, body=body, effects=lambda: len(constructor()), object_ids=constructor)


def _a_product(market: CatalogSettings, deployment: CrashDeployment) -> tuple[dict[str, Any], Callable[[], set[str]]]:
    """Give a product to create, and how its id is found."""
    place, name = _in_catalog(market, deployment), f"cake-{uuid4().hex}"
    body = {
        **place,
        "retailerId": name,
        "title": "Cake",
        "brand": "Ada",
        "description": "For eight.",
        "price": {"amount": 34900, "currency": "SEK"},
        "url": "https://bakery.example.com/cake",
        "imageUrl": "https://bakery.example.com/cake.jpg",
    }

    def function() -> set[str]:
        result = deployment.send_request("GET", "/commerce/products", params={**place, "retailerId": name})["data"]
        return {item["id"] for item in result}

    return body, function


def product_creation(market: CatalogSettings, deployment: CrashDeployment) -> PlatformRequest:
    body, function = _a_product(market, deployment)
    return PlatformRequest(path="/commerce/products", body=body, effects=lambda: len(function()), object_ids=function)


def product_deletion(market: CatalogSettings, deployment: CrashDeployment) -> PlatformRequest:
    body, function = _a_product(market, deployment)
    deployment.send_request("POST", "/commerce/products", json=body)
    place = "&".join(f"{name}={body[name]}" for name in ("adAccountId", "catalogId", "retailerId"))
    return PlatformRequest(
        method="DELETE",
        path=f"/commerce/products?{place}",
        effects=lambda: int(not function()),
        object_ids=lambda: {body["retailerId"]},
    )


# Messages.


class ConversationFixture(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation of an account with Dario, who has written first. `account` is how the sandbox calls it."""

    stage: CrashDeployment
    platform: str
    account: str
    account_id: str
    conversation: dict[str, Any]

    def chat(self) -> list[dict[str, Any]]:
        """List what was said, as the person sees it."""
        chat = {"platform": self.platform, "account": self.account, "person": "dario", "limit": POSTS}
        result: list[dict[str, Any]] = self.stage.sandbox.look("chat", **chat)["data"]
        return result

    def messages(self) -> list[dict[str, Any]]:
        """List what was said, as the service knows it."""
        path = f"/accounts/{self.account_id}/conversations/{self.conversation['id']}"
        result: list[dict[str, Any]] = self.stage.send_request("GET", path, params={"limit": 200})["messages"]["data"]
        return result


def line_of(deployment: CrashDeployment, platform: str, account: str, account_id: str) -> ConversationFixture:
    text = f"Hello {uuid4().hex}"
    deployment.sandbox.control("message", platform=platform, account=account, person="dario", text=text)

    def begun() -> dict[str, Any] | None:
        result = deployment.send_request("GET", f"/accounts/{account_id}/conversations", params={"q": text})["data"]
        return next(iter(result), None)

    return ConversationFixture(
        stage=deployment, platform=platform, account=account, account_id=account_id, conversation=eventually(begun)
    )


def seeded_line(platform: str, account: str, deployment: CrashDeployment) -> ConversationFixture:
    return line_of(deployment, platform, account, account_of(deployment, account))


def bot_line(deployment: CrashDeployment) -> ConversationFixture:
    """Talk to a bot of its own: Telegram lets one write once a second into a chat."""
    token = _new_bot(deployment)
    created = deployment.send_request(
        "POST", "/connect/telegram", json={"profileId": deployment.profile_id, "botToken": token}
    )
    return line_of(deployment, "telegram", created["platformAccountId"], created["id"])


def phone_line(deployment: CrashDeployment) -> ConversationFixture:
    """Talk to a phone of its own: WaSender sends one message in several seconds."""
    number = f"+5197{_next():07}"
    body = {"profileId": deployment.profile_id, "name": "Shop", "phoneNumber": number}
    account_id = deployment.send_request("POST", "/connect/wasender", json=body)["id"]
    (session,) = _sessions(deployment, number)
    code = f"/accounts/{account_id}/wasender/qr"
    assert deployment.send_request("GET", code)["status"] == "connecting"
    deployment.sandbox.control("scan", platform="wasender", account=session)
    eventually(lambda: deployment.send_request("GET", code)["status"] == "connected")
    return line_of(deployment, "wasender", session, account_id)


def sending(line: Callable[[CrashDeployment], ConversationFixture], deployment: CrashDeployment) -> PlatformRequest:
    talk, text = line(deployment), f"Until eight {uuid4().hex}"

    def arrived() -> list[dict[str, Any]]:
        return [item for item in talk.chat() if item["byAccount"] and item["text"] == text]

    def status() -> str:
        return next(str(item["status"]) for item in talk.messages() if item["text"] == text)

    return PlatformRequest(
        path=f"/accounts/{talk.account_id}/messages",
        body={"conversationId": talk.conversation["id"], "text": text},
        effects=lambda: len(arrived()),
        object_ids=lambda: {name for item in arrived() for name in _names(talk, str(item["id"]))},
        status=status,
    )


def _names(line: ConversationFixture, message: str) -> Iterable[str]:
    """Give everything that a platform calls a message."""
    if line.platform == "telegram":
        return [f"{_DARIO}:{message}"]
    if line.platform == "wasender":
        feed = line.stage.sandbox.control("feed", platform="wasender", account=line.account)["data"]
        return [message, *(str(item["messageId"]) for item in feed if item["message"] == message)]
    return [message]


def reading(line: Callable[[CrashDeployment], ConversationFixture], deployment: CrashDeployment) -> PlatformRequest:
    """Tell Dario that what he wrote was read."""
    talk = line(deployment)
    message = talk.messages()[0]["msgId"]

    def seen() -> int:
        """It was read or not: to say so again changes nothing."""
        order = {"platform": talk.platform, "account": talk.account}
        if talk.platform == "wasender":
            feed = deployment.sandbox.control("feed", **order)["data"]
            return int(any(item["message"] == message and item["status"] == _READ for item in feed))
        chats = deployment.sandbox.control("chats", **order)["data"]
        return int(any(chat["id"] == message and "read" in chat["statuses"] for chat in chats))

    return PlatformRequest(
        path=f"/accounts/{talk.account_id}/whatsapp/send",
        body={"to": talk.conversation["contact"]["phone"], "type": "read", "read": {"msgId": message}},
        effects=seen,
        object_ids=lambda: {message},
    )


PAGE = PostFeed(platform="meta", account=BAKERY, shown=page_post)
INSTAGRAM_FEED = PostFeed(platform="meta", account=BAKERY_IG, shown=plain_post)
PROFILE = PostFeed(platform="threads", account=THREADS_PROFILE, shown=plain_post)
CHANNEL = PostFeed(platform="google", account=ADA_CHANNEL_ID, shown=video, comment="post", id_field="comment")
LOCATION_FEED = PostFeed(
    platform="google",
    account=POSTING_LOCATION,
    shown=local_post,
    requested_id=plain_post,
)
MESSENGER = partial(seeded_line, "meta", BAKERY)
DIRECT = partial(seeded_line, "meta", BAKERY_IG)
CLOUD = partial(seeded_line, "whatsapp-cloud", BAKERY_NUMBER)
