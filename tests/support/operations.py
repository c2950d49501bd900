"""Every call that changes something on a platform, as requests that a test can make, kill and repeat.

`ACTIONS` lists them: for each operation and each kind of account one, with the calls at which it is killed and what the
platform shows of it afterwards.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import Any
from uuid import uuid4

import msgspec

from socialgate.contracts.platforms import Kind
from socialgate.sandbox.kit import Vendor, World
from socialgate.sandbox.vendors import google, meta, telegram, threads, wasender, whatsapp_cloud
from socialgate.sandbox.vendors.google import state as google_state
from socialgate.sandbox.vendors.google.seed import ADA_CHANNEL, ADA_GROUP, USERS
from socialgate.sandbox.vendors.graph.media import Media
from socialgate.sandbox.vendors.meta import content as meta_content
from socialgate.sandbox.vendors.meta.seed import ADA, BAKERY, BAKERY_IG
from socialgate.sandbox.vendors.telegram.seed import BAKERY_BOT, BAKERY_CHANNEL, BAKERY_TOKEN
from socialgate.sandbox.vendors.threads.content import Options, Post
from socialgate.sandbox.vendors.threads.state import Profile
from socialgate.sandbox.vendors.wasender.state import Customer
from socialgate.sandbox.vendors.whatsapp_cloud.seed import ADA_TOKEN, ADA_WABA
from socialgate.sandbox.vendors.whatsapp_cloud.seed import BAKERY as BAKERY_NUMBER
from socialgate.sandbox.vendors.whatsapp_cloud.state import Number
from support.crashing import Stage
from support.waiting import eventually

THREADS_PROFILE = "24178919900000001"
# Two places of Ada's: one is judged by people, the other one posts.
JUDGED, POSTING = "15283746510293847001", "15283746510293847002"
POSTS = 200
# Each account has so many posts, for each request another one.
_FIRST_POST = 18100000000000001
_FIRST_NUMBER = 106540352250000
_MADE = datetime(2026, 1, 1, tzinfo=UTC)
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


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """One operation on one kind of account: the calls at which it is killed, and how a request for it is made.

    It is `provable` where the platform can be asked whether something was not done, and `visible` where it shows or
    reports that it was; `once` where it never repeats a report that nobody took. Those that are no `model` differ from
    one that is by nothing but the names of their calls.
    """

    name: str
    platform: str
    kind: Kind
    calls: tuple[str, ...]
    subject: Callable[[Stage], Subject]
    provable: bool = True
    visible: bool = True
    once: bool = False
    model: bool = False


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


def _bot(stage: Stage) -> Subject:
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
    return sum(event["data"]["accountId"] in ids for event in reported)


def _number(stage: Stage) -> Subject:
    number = str(_FIRST_NUMBER + _next())
    return Subject(
        path="/connect/whatsapp-cloud",
        body=cloud_credentials(stage, number),
        effects=partial(_times_connected, stage, number),
        object_ids=lambda: {number},
    )


def _sessions(stage: Stage, number: str) -> list[str]:
    found = stage.sandbox.look("accounts", platform="wasender")["data"]
    return [one["id"] for one in found if one["kind"] == "session" and one["name"].endswith(number)]


def _phone(stage: Stage) -> Subject:
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


def _deletion(wall: Wall, stage: Stage) -> Subject:
    number = _next()
    shown = wall.shown(number)
    asked = shown if wall.asked is None else wall.asked(number)
    return Subject(
        method="DELETE",
        path=f"{wall.path(stage)}/posts/{asked}",
        effects=lambda: int(wall.feed(stage, shown) is None),
        object_ids=lambda: {asked},
    )


def _channel_deletion(stage: Stage) -> Subject:
    """Delete a post of a channel. Its author is the channel, and the bot an administrator of it."""
    order = {"platform": "telegram", "account": BAKERY_CHANNEL}
    number = stage.sandbox.control("message", **order, text="Bread")["messageId"]

    def is_there() -> bool:
        return any(one["messageId"] == number for one in stage.sandbox.control("feed", **order, limit=POSTS)["data"])

    post = f"{BAKERY_CHANNEL}:{number}"
    path = f"/accounts/{account_of(stage, BAKERY_BOT)}/posts/{post}"
    return Subject(method="DELETE", path=path, effects=lambda: int(not is_there()), object_ids=lambda: {post})


def _reply(wall: Wall, stage: Stage) -> Subject:
    post, text = wall.shown(_next()), f"Thanks {uuid4().hex}"

    def replies() -> set[str]:
        return {one["id"] for one in wall.comments(stage, post) if one["text"] == text}

    return Subject(
        path=f"{wall.path(stage)}/comments",
        body={"postId": post, "text": text},
        effects=lambda: len(replies()),
        object_ids=replies,
    )


def _hiding(wall: Wall, stage: Stage) -> Subject:
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


def _removal(wall: Wall, stage: Stage) -> Subject:
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
    review = _review_id(_next())
    path = f"/accounts/{account_of(stage, JUDGED)}/comments"

    def replies() -> list[str]:
        feed = stage.sandbox.look("feed", platform="google", account=JUDGED, limit=2 * POSTS)["data"]
        (found,) = [one for one in feed if one["id"].endswith(f"/{review}")]
        return [one["text"] for one in found["comments"]]

    return path, review, replies


def _review_reply(stage: Stage) -> Subject:
    path, review, replies = _review(stage)
    text = f"Sorry {uuid4().hex}"
    return Subject(
        path=path,
        body={"parentId": review, "text": text},
        effects=lambda: replies().count(text),
        object_ids=lambda: {f"{review}~reply"},
    )


def _review_removal(stage: Stage) -> Subject:
    path, review, replies = _review(stage)
    reply = stage.ask("POST", path, json={"parentId": review, "text": "Sorry"})["id"]
    return Subject(
        method="DELETE",
        path=f"{path}/{reply}",
        effects=lambda: int(not replies()),
        object_ids=lambda: {reply},
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


def _sending(line: Callable[[Stage], Line], stage: Stage) -> Subject:
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


def _reading(line: Callable[[Stage], Line], stage: Stage) -> Subject:
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


PAGE = Wall(platform="meta", account=BAKERY, shown=lambda number: f"{BAKERY}_{_FIRST_POST + number}")
GRID = Wall(platform="meta", account=BAKERY_IG, shown=lambda number: str(_FIRST_POST + number))
PROFILE = Wall(platform="threads", account=THREADS_PROFILE, shown=lambda number: str(_FIRST_POST + number))
CHANNEL = Wall(
    platform="google", account=ADA_CHANNEL, shown=lambda number: f"Killed{number:05}", comment="post", made="comment"
)
SPOT = Wall(
    platform="google",
    account=POSTING,
    shown=lambda number: f"accounts/{ADA_GROUP}/locations/{POSTING}/localPosts/{_FIRST_POST + number}",
    asked=lambda number: str(_FIRST_POST + number),
)
MESSENGER = partial(seeded_line, "meta", BAKERY)
DIRECT = partial(seeded_line, "meta", BAKERY_IG)
CLOUD = partial(seeded_line, "whatsapp-cloud", BAKERY_NUMBER)


def _review_id(number: int) -> str:
    return f"KilledReview{number:05}"


def _comments(kind: Kind, wall: Wall, calls: Sequence[str], *, model: bool = False) -> list[Action]:
    """List what can be done with comments. That one does not show up proves nothing on any of these platforms."""
    create, hide, delete = calls
    action = partial(Action, platform=wall.platform, kind=kind, model=model)
    return [
        action(name="comments.create", calls=(create,), subject=partial(_reply, wall), provable=False),
        action(name="comments.hide", calls=(hide,), subject=partial(_hiding, wall)),
        action(name="comments.delete", calls=(delete,), subject=partial(_removal, wall)),
    ]


def _deletes(kind: Kind, wall: Wall, *, model: bool = False) -> Action:
    subject = partial(_deletion, wall)
    return Action(
        name="posts.delete", platform=wall.platform, kind=kind, calls=("DELETE *",), subject=subject, model=model
    )


def _sends(kind: Kind, platform: str, line: Callable[[Stage], Line], calls: tuple[str, ...], **how: bool) -> Action:
    subject = partial(_sending, line)
    return Action(
        name="messages.send", platform=platform, kind=kind, calls=calls, subject=subject, provable=False, **how
    )


def _reads(kind: Kind, platform: str, line: Callable[[Stage], Line], call: str, *, model: bool = False) -> Action:
    subject = partial(_reading, line)
    return Action(name="messages.read", platform=platform, kind=kind, calls=(call,), subject=subject, model=model)


ACTIONS = (
    *_comments(Kind.THREADS, PROFILE, ("POST */threads_publish", "POST */manage_reply", "DELETE *"), model=True),
    *_comments(Kind.FACEBOOK_PAGE, PAGE, ("POST */comments", "POST *", "DELETE *")),
    *_comments(Kind.INSTAGRAM, GRID, ("POST */comments", "POST *", "DELETE *")),
    *_comments(
        Kind.YOUTUBE, CHANNEL, ("POST */commentThreads", "POST */comments/setModerationStatus", "DELETE */comments")
    ),
    Action(
        name="comments.create",
        platform="google",
        kind=Kind.GOOGLE_BUSINESS,
        calls=("PUT */reply",),
        subject=_review_reply,
        model=True,
    ),
    Action(
        name="comments.delete",
        platform="google",
        kind=Kind.GOOGLE_BUSINESS,
        calls=("DELETE */reply",),
        subject=_review_removal,
    ),
    _deletes(Kind.THREADS, PROFILE, model=True),
    _deletes(Kind.FACEBOOK_PAGE, PAGE),
    _deletes(Kind.INSTAGRAM, GRID),
    _deletes(Kind.YOUTUBE, CHANNEL),
    _deletes(Kind.GOOGLE_BUSINESS, SPOT),
    Action(
        name="posts.delete",
        platform="telegram",
        kind=Kind.TELEGRAM_BOT,
        calls=("* */deleteMessage*",),
        subject=_channel_deletion,
    ),
    _sends(Kind.FACEBOOK_PAGE, "meta", MESSENGER, ("POST */messages",), model=True),
    _sends(Kind.INSTAGRAM, "meta", DIRECT, ("POST */messages",)),
    _sends(Kind.WHATSAPP_CLOUD, "whatsapp-cloud", CLOUD, ("POST */messages",), model=True),
    _sends(
        Kind.WHATSAPP_QR,
        "wasender",
        phone_line,
        ("POST */send-message", "GET */messages/*/info"),
        model=True,
        once=True,
    ),
    _sends(Kind.TELEGRAM_BOT, "telegram", bot_line, ("* */sendMessage",), model=True, visible=False),
    _reads(Kind.WHATSAPP_CLOUD, "whatsapp-cloud", CLOUD, "POST */messages", model=True),
    _reads(Kind.WHATSAPP_QR, "wasender", phone_line, "POST */messages/read"),
    Action(
        name="connect.telegram",
        platform="telegram",
        kind=Kind.TELEGRAM_BOT,
        calls=("* */getMe", "* */setWebhook"),
        subject=_bot,
        model=True,
    ),
    Action(
        name="connect.whatsapp-cloud",
        platform="whatsapp-cloud",
        kind=Kind.WHATSAPP_CLOUD,
        calls=("GET *", "POST */subscribed_apps"),
        subject=_number,
        model=True,
    ),
    Action(
        name="connect.wasender",
        platform="wasender",
        kind=Kind.WHATSAPP_QR,
        calls=("POST */whatsapp-sessions", "POST */whatsapp-sessions/*/connect"),
        subject=_phone,
        model=True,
    ),
)
# Who has comments or messages, and yet not this operation.
NONE = {
    ("comments.hide", Kind.GOOGLE_BUSINESS): "The owner of a place cannot hide a review.",
    ("messages.read", Kind.FACEBOOK_PAGE): "Only the routes of WhatsApp have receipts.",
    ("messages.read", Kind.INSTAGRAM): "Only the routes of WhatsApp have receipts.",
    ("messages.read", Kind.TELEGRAM_BOT): "Only the routes of WhatsApp have receipts.",
}


# The platforms, with what the requests are about.


def _numbered(first: int = _FIRST_POST) -> Iterable[tuple[int, str]]:
    return [(number, str(first + number)) for number in range(POSTS)]


def _seed_meta(world: World) -> None:
    meta.VENDOR.seed(world)
    for number, key in _numbered():
        post = meta_content.Post(
            id=PAGE.shown(number),
            parent=BAKERY,
            made=_MADE,
            visible=_MADE,
            status_type="mobile_status_update",
            message=key,
        )
        world.store.put(post)
        media = meta_content.InstagramMedia(
            id=key,
            parent=BAKERY_IG,
            media_type="IMAGE",
            product_type="FEED",
            shortcode=f"s{number}",
            made=_MADE,
            media=Media(content_type="image/jpeg"),
        )
        world.store.put(media)


def _seed_threads(world: World) -> None:
    threads.VENDOR.seed(world)
    world.store.put(Profile(id=THREADS_PROFILE, username="killed", name="Killed"))
    for number, key in _numbered():
        post = Post(
            id=key,
            parent=THREADS_PROFILE,
            media_type="TEXT_POST",
            shortcode=f"s{number}",
            made=_MADE,
            options=Options(),
            text=key,
        )
        world.store.put(post)


def _seed_google(world: World) -> None:
    google.VENDOR.seed(world)
    for number, key in _numbered():
        file = google_state.StoredFile(size=9, content_type="video/mp4")
        world.store.put(
            google_state.Video(id=CHANNEL.shown(number), parent=ADA_CHANNEL, title=key, made=_MADE, file=file)
        )
        said = {"summary": key, "topicType": "STANDARD", "languageCode": "en"}
        world.store.put(
            google_state.LocalPost(id=key, parent=POSTING, account=ADA_GROUP, given=said, made=_MADE, changed=_MADE)
        )
        world.store.put(
            google_state.Review(
                id=_review_id(number),
                parent=JUDGED,
                account=ADA_GROUP,
                author=f"author-{number}",
                name=f"Customer {number}",
                stars=2,
                text=key,
                made=_MADE,
                changed=_MADE,
            )
        )


def _seed_whatsapp(world: World) -> None:
    whatsapp_cloud.VENDOR.seed(world)
    for number, key in _numbered(_FIRST_NUMBER):
        made = Number(
            id=key,
            parent=ADA_WABA,
            display_phone_number=f"+46 70 175 {number:04}",
            verified_name=f"Shop {number}",
            country_code="SE",
            onboarded=_MADE,
        )
        world.store.put(made)


def _seed_wasender(world: World) -> None:
    wasender.VENDOR.seed(world)
    ada = world.store.get(Customer, "ada")
    assert ada is not None
    ada.most_sessions = 2 * POSTS
    world.store.put(ada)


VENDORS: list[Vendor] = [
    telegram.VENDOR,
    replace(google.VENDOR, seed=_seed_google),
    replace(meta.VENDOR, seed=_seed_meta),
    replace(threads.VENDOR, seed=_seed_threads),
    replace(wasender.VENDOR, seed=_seed_wasender),
    replace(whatsapp_cloud.VENDOR, seed=_seed_whatsapp),
]


def connect_page(stage: Stage) -> None:
    """Connect a Page, and the Instagram account that hangs on it."""
    stage.sign_in("meta", ADA)
    stage.ask("POST", f"/profiles/{stage.profile_id}/connect/meta", json={"ids": [BAKERY, BAKERY_IG]})


def cloud_credentials(stage: Stage, number: str) -> dict[str, str]:
    """Give what a customer enters to connect a number of the Cloud API."""
    given = {"accessToken": ADA_TOKEN, "wabaId": ADA_WABA, "appSecret": whatsapp_cloud.VENDOR.app.secret}
    return {"profileId": stage.profile_id, "phoneNumberId": number, **given}


def connect_number(stage: Stage) -> None:
    stage.ask("POST", "/connect/whatsapp-cloud", json=cloud_credentials(stage, BAKERY_NUMBER))


def connect_everyone(stage: Stage) -> None:
    """Connect the accounts that requests share."""
    connect_page(stage)
    connect_number(stage)
    stage.sign_in("threads", THREADS_PROFILE)
    for kind in (Kind.YOUTUBE, Kind.GOOGLE_BUSINESS):
        stage.sign_in("google", USERS["ada"], kind=str(kind))
    stage.ask("POST", "/connect/telegram", json={"profileId": stage.profile_id, "botToken": BAKERY_TOKEN})
