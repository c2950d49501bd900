"""Requests that change something on a platform, each about something of its own, and what became of them there."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import count
from typing import Any
from uuid import uuid4

import msgspec

from socialgate_sandbox.vendors.google.seed import ADA_CHANNEL
from socialgate_sandbox.vendors.meta.seed import BAKERY, BAKERY_CATALOG, BAKERY_IG
from socialgate_sandbox.vendors.telegram.seed import BAKERY_BOT, BAKERY_CHANNEL
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_CATALOG as TIKTOK_CATALOG
from socialgate_sandbox.vendors.whatsapp_cloud.seed import BAKERY as BAKERY_NUMBER
from support.crashing import Stage
from support.stocked import (
    JUDGED,
    POSTING,
    POSTS,
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


class Subject(msgspec.Struct, frozen=True, kw_only=True):
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


def account_of(stage: Stage, platform_account: str) -> str:
    """Find an account by its id on the platform."""
    rows = stage.ask("GET", "/accounts", params={"limit": 200})["data"]
    return str(next(one["id"] for one in rows if one["platformAccountId"].endswith(platform_account)))


# Connecting.


def _new_bot(stage: Stage) -> str:
    made = stage.sandbox.control(
        "newbot", platform="telegram", person="ada", name="Killed", username=f"Killed{_next()}Bot"
    )
    return str(made["token"])


def bot(stage: Stage) -> Subject:
    token = _new_bot(stage)
    bot = token.partition(":")[0]
    body = {"profileId": stage.profile_id, "botToken": token}
    return Subject(
        path="/connect/telegram", body=body, effects=partial(_times_connected, stage, bot), object_ids=lambda: {bot}
    )


def _times_connected(stage: Stage, platform_account: str) -> int:
    """Count how often an account was reported as connected."""
    reported = stage.ask("GET", "/events", params={"event": "account.connected", "limit": 200})["data"]
    rows = stage.ask("GET", "/accounts", params={"limit": 200})["data"]
    ids = [one["id"] for one in rows if one["platformAccountId"] == platform_account]
    return sum(event["data"].get("accountId") in ids for event in reported)


def number(stage: Stage) -> Subject:
    number = cloud_number(_next())
    return Subject(
        path="/connect/whatsapp-cloud",
        body=cloud_credentials(stage, number),
        effects=partial(_times_connected, stage, number),
        object_ids=lambda: {number},
    )


def _sessions(stage: Stage, number: str) -> list[str]:
    found = stage.sandbox.look("accounts", platform="wasender")["data"]
    return [one["id"] for one in found if one["kind"] == "session" and one["name"].endswith(number)]


def phone(stage: Stage) -> Subject:
    number = f"+5198{_next():07}"
    body = {"profileId": stage.profile_id, "name": "Shop", "phoneNumber": number}
    return Subject(
        path="/connect/wasender",
        body=body,
        effects=lambda: len(_sessions(stage, number)),
        object_ids=lambda: set(_sessions(stage, number)),
    )


# Posts and comments. The feed of an account shows both as people see them.


class Wall(msgspec.Struct, frozen=True, kw_only=True):
    """The posts of one kind of account: how the platform names them, and how people comment there."""

    platform: str
    account: str
    # Of a number, the id of a post in its feed and in requests.
    shown: Callable[[int], str]
    asked: Callable[[int], str] | None = None
    # The words of the order to comment, and of its answer.
    comment: str = "objectId"
    made: str = "id"

    def feed(self, stage: Stage, post: str) -> dict[str, Any] | None:
        feed = {"platform": self.platform, "account": self.account, "limit": 2 * POSTS}
        return next((one for one in stage.sandbox.look("feed", **feed)["data"] if one["id"] == post), None)

    def comments(self, stage: Stage, post: str) -> list[dict[str, Any]]:
        found = self.feed(stage, post)
        assert found is not None, f"there is no post {post}"
        return [one for comment in found["comments"] for one in (comment, *comment["replies"])]

    def path(self, stage: Stage) -> str:
        return f"/accounts/{account_of(stage, self.account)}"

    def say(self, stage: Stage, post: str) -> str:
        """Have a person comment on a post."""
        order = {self.comment: post, "text": "Spam"}
        made = stage.sandbox.control("comment", platform=self.platform, **order)
        return str(made[self.made])


def deletion(wall: Wall, stage: Stage) -> Subject:
    number = _next()
    shown = wall.shown(number)
    asked = shown if wall.asked is None else wall.asked(number)
    return Subject(
        method="DELETE",
        path=f"{wall.path(stage)}/posts/{asked}",
        effects=lambda: int(wall.feed(stage, shown) is None),
        object_ids=lambda: {asked},
    )


def channel_deletion(stage: Stage) -> Subject:
    """Delete a post of a channel. Its author is the channel, and the bot an administrator of it."""
    order = {"platform": "telegram", "account": BAKERY_CHANNEL}
    number = stage.sandbox.control("message", **order, text="Bread")["messageId"]

    def is_there() -> bool:
        return any(one["messageId"] == number for one in stage.sandbox.control("feed", **order, limit=POSTS)["data"])

    post = f"{BAKERY_CHANNEL}:{number}"
    path = f"/accounts/{account_of(stage, BAKERY_BOT)}/posts/{post}"
    return Subject(method="DELETE", path=path, effects=lambda: int(not is_there()), object_ids=lambda: {post})


def reply(wall: Wall, stage: Stage) -> Subject:
    post, text = wall.shown(_next()), f"Thanks {uuid4().hex}"

    def replies() -> set[str]:
        return {one["id"] for one in wall.comments(stage, post) if one["text"] == text}

    return Subject(
        path=f"{wall.path(stage)}/comments",
        body={"postId": post, "text": text},
        effects=lambda: len(replies()),
        object_ids=replies,
    )


def hiding(wall: Wall, stage: Stage) -> Subject:
    post = wall.shown(_next())
    comment = wall.say(stage, post)

    def is_hidden(one: dict[str, Any]) -> bool:
        return bool(one["hidden"] or "heldForReview" in one["author"])

    return Subject(
        path=f"{wall.path(stage)}/comments/hide",
        body={"commentId": comment},
        effects=lambda: sum(one["id"] == comment and is_hidden(one) for one in wall.comments(stage, post)),
        object_ids=lambda: {comment},
    )


def removal(wall: Wall, stage: Stage) -> Subject:
    """Delete a comment that the account wrote itself: more is not allowed everywhere."""
    post, path = wall.shown(_next()), f"{wall.path(stage)}/comments"
    comment = stage.ask("POST", path, json={"postId": post, "text": f"Wrong {uuid4().hex}"})["id"]
    left = partial(wall.comments, stage, post)
    return Subject(
        method="DELETE",
        path=f"{path}/{comment}",
        effects=lambda: int(comment not in {one["id"] for one in left() if not one["deleted"]}),
        object_ids=lambda: {comment},
    )


def _review(stage: Stage) -> tuple[str, str, Callable[[], list[str]]]:
    """Give the address of the reviews, the id of one, and what the owner has replied to it."""
    named = a_review(_next())
    path = f"/accounts/{account_of(stage, JUDGED)}/comments"

    def replies() -> list[str]:
        feed = stage.sandbox.look("feed", platform="google", account=JUDGED, limit=2 * POSTS)["data"]
        (found,) = [one for one in feed if one["id"].endswith(f"/{named}")]
        return [one["text"] for one in found["comments"]]

    return path, named, replies


def review_reply(stage: Stage) -> Subject:
    path, review, replies = _review(stage)
    text = f"Sorry {uuid4().hex}"
    return Subject(
        path=path,
        body={"parentId": review, "text": text},
        effects=lambda: replies().count(text),
        object_ids=lambda: {f"{review}~reply"},
    )


def review_removal(stage: Stage) -> Subject:
    path, review, replies = _review(stage)
    reply = stage.ask("POST", path, json={"parentId": review, "text": "Sorry"})["id"]
    return Subject(
        method="DELETE",
        path=f"{path}/{reply}",
        effects=lambda: int(not replies()),
        object_ids=lambda: {reply},
    )


# Lead forms.


def form_creation(stage: Stage) -> Subject:
    name = f"Tasting {uuid4().hex}"

    def made() -> set[str]:
        forms = stage.sandbox.look("leads", platform="meta", account=BAKERY)["data"]
        return {one["id"] for one in forms if one["name"] == name}

    return Subject(
        path=f"{PAGE.path(stage)}/lead-forms",
        body={
            "name": name,
            "questions": [{"type": "email"}],
            "privacyPolicyUrl": "https://bakery.example.com/privacy",
        },
        effects=lambda: len(made()),
        object_ids=made,
    )


# Events of a calendar.

_CALENDAR = "ada@example.com"


def _event(stage: Stage) -> tuple[str, dict[str, Any]]:
    """Give the address of the events, and one to write. Whoever is invited is told of each change."""
    times = {"start": {"dateTime": "2030-05-01T09:00:00Z"}, "end": {"dateTime": "2030-05-01T10:00:00Z"}}
    guests = {"attendees": [{"email": "guest@elsewhere.test"}], "notify": "all"}
    path = f"/accounts/{account_of(stage, _CALENDAR)}/calendar/events"
    return path, {"title": f"Tasting {uuid4().hex}", **times, **guests}


def _told(stage: Stage, event: str, what: str) -> int:
    sent = stage.sandbox.control("invitations", platform="google", event=event)["data"]
    return sum(one["what"] == what for one in sent)


def event_creation(stage: Stage) -> Subject:
    path, body = _event(stage)

    def made() -> set[str]:
        events = stage.sandbox.control("events", platform="google", account=_CALENDAR)["data"]
        return {one["id"] for one in events if one["title"] == body["title"]}

    return Subject(path=path, body=body, effects=lambda: len(made()), object_ids=made)


def event_change(stage: Stage) -> Subject:
    path, body = _event(stage)
    event = stage.ask("POST", path, json=body)["id"]
    return Subject(
        method="PATCH",
        path=f"{path}/{event}",
        body={"title": "Cancelled", "notify": "all"},
        effects=lambda: _told(stage, event, "update"),
        object_ids=lambda: {event},
    )


def event_deletion(stage: Stage) -> Subject:
    path, body = _event(stage)
    event = stage.ask("POST", path, json=body)["id"]
    return Subject(
        method="DELETE",
        path=f"{path}/{event}?notify=all",
        effects=lambda: _told(stage, event, "cancellation"),
        object_ids=lambda: {event},
    )


# Catalogs.


class Market(msgspec.Struct, frozen=True, kw_only=True):
    """Where things are sold: the catalog that requests share, and what a catalog of the platform needs."""

    platform: str
    advertiser: str
    catalog: str
    needs: Mapping[str, str] = {}


META_MARKET = Market(platform="meta", advertiser="Bakery ads", catalog=BAKERY_CATALOG)
TIKTOK_MARKET = Market(
    platform="tiktokads",
    advertiser="Ada's Bakery",
    catalog=TIKTOK_CATALOG,
    needs={"currency": "SEK", "country": "SE"},
)


def _in_catalog(market: Market, stage: Stage) -> dict[str, str]:
    """Name the catalog that requests share, and the ad account whose business has it."""
    rows = stage.ask("GET", "/adaccounts")["data"]
    (account,) = [one for one in rows if (one["platform"], one["name"]) == (market.platform, market.advertiser)]
    return {"adAccountId": account["id"], "catalogId": market.catalog}


def _named(market: Market, stage: Stage, path: str, name: str) -> set[str]:
    query = {**_in_catalog(market, stage), "limit": 100}
    if path.endswith("/catalogs"):
        del query["catalogId"]
    found: set[str] = set()
    cursor: dict[str, str] | None = {}
    while cursor is not None:
        page = stage.ask("GET", path, params={**query, **cursor})
        found |= {one["id"] for one in page["data"] if one["name"] == name}
        cursor = {"cursor": page["nextCursor"]} if page["nextCursor"] else None
    return found


def catalog_creation(market: Market, stage: Stage) -> Subject:
    path, name = "/commerce/catalogs", f"Cakes {uuid4().hex}"
    body = {"adAccountId": _in_catalog(market, stage)["adAccountId"], "name": name, **market.needs}
    made = partial(_named, market, stage, path, name)
    return Subject(path=path, body=body, effects=lambda: len(made()), object_ids=made)


def set_creation(market: Market, stage: Stage) -> Subject:
    path, name = "/commerce/product-sets", f"Set {uuid4().hex}"
    made = partial(_named, market, stage, path, name)
    body = {**_in_catalog(market, stage), "name": name}
    return Subject(path=path, body=body, effects=lambda: len(made()), object_ids=made)


def _a_product(market: Market, stage: Stage) -> tuple[dict[str, Any], Callable[[], set[str]]]:
    """Give a product to create, and how its id is found."""
    place, name = _in_catalog(market, stage), f"cake-{uuid4().hex}"
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

    def made() -> set[str]:
        found = stage.ask("GET", "/commerce/products", params={**place, "retailerId": name})["data"]
        return {one["id"] for one in found}

    return body, made


def product_creation(market: Market, stage: Stage) -> Subject:
    body, made = _a_product(market, stage)
    return Subject(path="/commerce/products", body=body, effects=lambda: len(made()), object_ids=made)


def product_deletion(market: Market, stage: Stage) -> Subject:
    body, made = _a_product(market, stage)
    stage.ask("POST", "/commerce/products", json=body)
    place = "&".join(f"{name}={body[name]}" for name in ("adAccountId", "catalogId", "retailerId"))
    return Subject(
        method="DELETE",
        path=f"/commerce/products?{place}",
        effects=lambda: int(not made()),
        object_ids=lambda: {body["retailerId"]},
    )


# Messages.


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation of an account with Dario, who has written first. `account` is how the sandbox calls it."""

    stage: Stage
    platform: str
    account: str
    account_id: str
    conversation: dict[str, Any]

    def chat(self) -> list[dict[str, Any]]:
        """List what was said, as the person sees it."""
        chat = {"platform": self.platform, "account": self.account, "person": "dario", "limit": POSTS}
        found: list[dict[str, Any]] = self.stage.sandbox.look("chat", **chat)["data"]
        return found

    def messages(self) -> list[dict[str, Any]]:
        """List what was said, as the service knows it."""
        path = f"/accounts/{self.account_id}/conversations/{self.conversation['id']}"
        found: list[dict[str, Any]] = self.stage.ask("GET", path, params={"limit": 200})["messages"]["data"]
        return found


def line_of(stage: Stage, platform: str, account: str, account_id: str) -> Line:
    text = f"Hello {uuid4().hex}"
    stage.sandbox.control("message", platform=platform, account=account, person="dario", text=text)

    def begun() -> dict[str, Any] | None:
        found = stage.ask("GET", f"/accounts/{account_id}/conversations", params={"q": text})["data"]
        return next(iter(found), None)

    return Line(stage=stage, platform=platform, account=account, account_id=account_id, conversation=eventually(begun))


def seeded_line(platform: str, account: str, stage: Stage) -> Line:
    return line_of(stage, platform, account, account_of(stage, account))


def bot_line(stage: Stage) -> Line:
    """Talk to a bot of its own: Telegram lets one write once a second into a chat."""
    token = _new_bot(stage)
    made = stage.ask("POST", "/connect/telegram", json={"profileId": stage.profile_id, "botToken": token})
    return line_of(stage, "telegram", made["platformAccountId"], made["id"])


def phone_line(stage: Stage) -> Line:
    """Talk to a phone of its own: WaSender sends one message in several seconds."""
    number = f"+5197{_next():07}"
    body = {"profileId": stage.profile_id, "name": "Shop", "phoneNumber": number}
    account_id = stage.ask("POST", "/connect/wasender", json=body)["id"]
    (session,) = _sessions(stage, number)
    code = f"/accounts/{account_id}/wasender/qr"
    assert stage.ask("GET", code)["status"] == "connecting"
    stage.sandbox.control("scan", platform="wasender", account=session)
    eventually(lambda: stage.ask("GET", code)["status"] == "connected")
    return line_of(stage, "wasender", session, account_id)


def sending(line: Callable[[Stage], Line], stage: Stage) -> Subject:
    talk, text = line(stage), f"Until eight {uuid4().hex}"

    def arrived() -> list[dict[str, Any]]:
        return [one for one in talk.chat() if one["byAccount"] and one["text"] == text]

    def status() -> str:
        return next(str(one["status"]) for one in talk.messages() if one["text"] == text)

    return Subject(
        path=f"/accounts/{talk.account_id}/messages",
        body={"conversationId": talk.conversation["id"], "text": text},
        effects=lambda: len(arrived()),
        object_ids=lambda: {name for one in arrived() for name in _names(talk, str(one["id"]))},
        status=status,
    )


def _names(line: Line, message: str) -> Iterable[str]:
    """Give everything that a platform calls a message."""
    if line.platform == "telegram":
        return [f"{_DARIO}:{message}"]
    if line.platform == "wasender":
        feed = line.stage.sandbox.control("feed", platform="wasender", account=line.account)["data"]
        return [message, *(str(one["messageId"]) for one in feed if one["message"] == message)]
    return [message]


def reading(line: Callable[[Stage], Line], stage: Stage) -> Subject:
    """Tell Dario that what he wrote was read."""
    talk = line(stage)
    message = talk.messages()[0]["msgId"]

    def seen() -> int:
        """It was read or not: to say so again changes nothing."""
        order = {"platform": talk.platform, "account": talk.account}
        if talk.platform == "wasender":
            feed = stage.sandbox.control("feed", **order)["data"]
            return int(any(one["message"] == message and one["status"] == _READ for one in feed))
        chats = stage.sandbox.control("chats", **order)["data"]
        return int(any(one["id"] == message and "read" in one["statuses"] for one in chats))

    return Subject(
        path=f"/accounts/{talk.account_id}/whatsapp/send",
        body={"to": talk.conversation["contact"]["phone"], "type": "read", "read": {"msgId": message}},
        effects=seen,
        object_ids=lambda: {message},
    )


PAGE = Wall(platform="meta", account=BAKERY, shown=page_post)
GRID = Wall(platform="meta", account=BAKERY_IG, shown=plain_post)
PROFILE = Wall(platform="threads", account=THREADS_PROFILE, shown=plain_post)
CHANNEL = Wall(platform="google", account=ADA_CHANNEL, shown=video, comment="post", made="comment")
SPOT = Wall(
    platform="google",
    account=POSTING,
    shown=local_post,
    asked=plain_post,
)
MESSENGER = partial(seeded_line, "meta", BAKERY)
DIRECT = partial(seeded_line, "meta", BAKERY_IG)
CLOUD = partial(seeded_line, "whatsapp-cloud", BAKERY_NUMBER)
