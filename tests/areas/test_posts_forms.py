"""Every form of a post on every kind of account, with every option: published through the service, then read back from
the platform byte for byte.

What is posted is derived in `support.post_forms`. Here stands what must then be seen; an option that the table does not
know fails its kind. All cases of all kinds are under way at once, and the clocks of both sides go on together.
"""

import hashlib
import html
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from socialgate.areas.posts.step_writer import PUBLISHING_WAKE_KEY
from socialgate.areas.posts.tables import targets
from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.platforms import Kind, KindManifest
from socialgate.contracts.publishing import PUBLISH_POST_CAPABILITY
from socialgate.core.db import Tx
from support.connections import connect_accounts
from support.post_files import file_of
from support.post_forms import (
    FIRST_COMMENT,
    NO_TEXT,
    SOME_MESSAGE,
    SOME_POST,
    THUMBNAIL,
    Case,
    Form,
    PostOptions,
    find_cases,
)
from support.sandbox import Connection, Sandbox
from support.service import RunningService, StartService
from support.waiting import eventually

POSTING: dict[Kind, KindManifest] = {
    kind.kind: kind
    for manifest in MANIFESTS.values()
    for kind in manifest.kinds
    if PUBLISH_POST_CAPABILITY in kind.capabilities
}
TEXT = (
    "Fresh bread 🥐👩🏽\u200d🍳\n\nשלום — مرحبا — 你好\n"  # noqa: RUF001 - scripts from right to left
    "<b>2 & 3</b> &amp; “more”: 100 %, #bread_2"
)
# Of TikTok's privacy levels one is for private accounts only, such as Cleo's.
CLEOS_LEVEL = "FOLLOWER_OF_CREATOR"

_DERIVED: dict[Kind, list[Case]] = {}

Seen = dict[str, Any]
Expected = dict[str, Any]


class Published(msgspec.Struct, frozen=True):
    """What came of a case: the target as we show it, and the post as the platform shows it."""

    case: Case
    text: str
    target: dict[str, Any]
    post: Seen
    feed: list[Seen]
    others: Mapping[str, Any]


class Desk:
    """An owner with an account of every kind that posts."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        self.running = running
        self.sandbox = sandbox
        self.owner = running.new_owner()
        self.session = self.owner.session
        for way in ("meta", "threads", "tiktok", "google", "telegram"):
            connect_accounts(sandbox, self.owner, way)
        # One of Ada's places waits to be verified, and may not post before that.
        rows = [row for row in self._accounts() if "opening soon" not in row["name"]]
        self.accounts = {row["kind"]: row for row in rows}
        self.cleo, self.bram = self._on_tiktok("cleo.m"), self._on_tiktok("okaformedia")
        self._media: dict[tuple[str, int], str] = {}
        self.known: dict[Any, Any] = {}

    def _accounts(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.session.get("/accounts", params={"limit": 100}).json()["data"]
        return [row for row in rows if row["status"] == "connected"]

    def _on_tiktok(self, username: str) -> dict[str, Any]:
        Connection(self.sandbox, self.owner, "tiktok").finish(person=_id_of(self.sandbox, "tiktok", username))
        return next(row for row in self._accounts() if row["username"] == username)

    def account(self, case: Case) -> dict[str, Any]:
        if case.all_options.get("privacyLevel") == CLEOS_LEVEL:
            return self.cleo
        # TikTok takes 15 posts a day from an account; Bram has switched duets and stitches off.
        if (
            case.kind is Kind.TIKTOK
            and case.number % 2
            and not case.all_options.keys() & {"disableDuet", "disableStitch"}
        ):
            return self.bram
        chosen: dict[str, Any] = self.accounts[case.kind]
        return chosen

    def media(self, mime_type: str, which: int = 0) -> str:
        key = (mime_type, which)
        if key not in self._media:
            name = "list.pdf" if mime_type == "*/*" else f"file.{mime_type.rpartition('/')[2]}"
            response = self.session.post("/upload", params={"fileName": name}, content=file_of(*key))
            assert response.status_code == 201, response.text
            assert mime_type in {"*/*", response.json()["mimeType"]}
            self._media[key] = response.json()["id"]
        return self._media[key]

    def body(self, case: Case) -> dict[str, Any]:
        media = [
            {"mediaId": self.media(mime_type, which), "alt": alt_of(which)}
            | (
                {"thumbnailMediaId": self.media("image/jpeg", 2)}
                if case.all_options.get(THUMBNAIL) and is_film(mime_type)
                else {}
            )
            for which, mime_type in enumerate(case.form.files)
        ]
        target = {"accountId": self.account(case)["id"], "options": self._told(case.options)}
        comment = case.all_options.get(FIRST_COMMENT)
        written = {"content": written_text(case), "media": media, "targets": [target]}
        return {"profileId": self.owner.profile_id, **written} | ({"firstComment": comment} if comment else {})

    def _told(self, options: PostOptions) -> PostOptions:
        return {name: self.known.get(str(value), value) for name, value in options.items()}

    def is_valid(self, kind: Kind) -> Callable[[Form, PostOptions], bool]:
        def ask(form: Form, payload: PostOptions) -> bool:
            answer = self.session.post("/posts/validate", json=self.body(Case(kind, 0, form, payload)))
            assert answer.status_code == 200, answer.text
            return bool(answer.json()["valid"])

        return ask

    def post(self, case: Case) -> str:
        answer = self.session.post("/posts", json=self.body(case))
        assert answer.status_code == 202, (case, answer.text)
        return str(answer.json()["id"])

    def show(self, post_id: str) -> dict[str, Any]:
        shown: dict[str, Any] = self.session.get(f"/posts/{post_id}").json()
        return shown

    def settle(self) -> None:
        """Let time pass until nothing is under way: only while no worker is busy, or its claims would run out."""
        while (due := eventually(lambda: self.running.read(_idle, self.owner.id))) != "never":
            passed = max(timedelta(), datetime.fromisoformat(due) - self.running.clock.now()) + timedelta(seconds=0.1)
            self.running.clock.offset += passed
            self.sandbox.control("clock", advance=passed.total_seconds())
            self.running.write(_wake)

    def feed(self, case: Case) -> list[Seen]:
        account = self.account(case)
        number = account["platformAccountId"]
        if case.kind is Kind.TELEGRAM_BOT:
            name = case.all_options["chatId"]
            number = next(
                item["id"] for item in self.sandbox.accounts("telegram") if name in {item["id"], item["name"]}
            )
        known = {item["id"] for item in self.sandbox.accounts(account["platform"])}
        number = next(part for part in [number, number.rpartition("/")[2]] if part in known)
        return self.sandbox.listed("feed", platform=account["platform"], account=number, limit=1000)


async def _idle(tx: Tx, owner_id: str) -> str | None:
    """Return when the next target of an owner is due. None while a worker has one or could take one already, or has its
    files prepared.
    """
    mine = targets.c.owner_id == owner_id
    columns = (targets.c.due_at, targets.c.claim_id, targets.c.status)
    rows = await tx.all(sa.select(*columns).where(mine, targets.c.due_at.is_not(None)))
    if not rows:
        return "never"
    if any(row.claim_id is not None or row.due_at <= tx.now or row.status == "preparing" for row in rows):
        return None
    return str(min(row.due_at for row in rows).isoformat())


async def _wake(tx: Tx) -> None:
    tx.wake_on_commit(PUBLISHING_WAKE_KEY)


def _id_of(sandbox: Sandbox, platform: str, username: str) -> str:
    return next(str(item["id"]) for item in sandbox.accounts(platform) if username in item["name"])


def alt_of(which: int) -> str:
    return f"Loaf {which} 🥐 <on> a & board"


def is_film(mime_type: str) -> bool:
    return mime_type.startswith("video/")


def plain_text(case: Case) -> str:
    """Give the text of a case as people are to read it. No two cases have the same."""
    if NO_TEXT in case.all_options:
        return ""
    text = f"{case.kind} {case.number} {TEXT}"
    # YouTube takes no angle brackets.
    return re.sub("[<>]", "", text) if case.kind is Kind.YOUTUBE else text


def written_text(case: Case) -> str:
    text, mode = plain_text(case), case.all_options.get("parseMode")
    if not text:
        return text
    if mode == "HTML":
        return "<b>" + html.escape(text, quote=False).replace(" ", "</b> ", 1)
    if mode == "MarkdownV2":
        return "*" + re.sub(r"([_*\[\]()~`>#+\-=|{}.!\\])", r"\\\1", text).replace(" ", "* ", 1)
    return text


@pytest.fixture(scope="module")
def published(start_service: StartService) -> Iterator[dict[Kind, list[Published]]]:
    with start_service() as running, Sandbox(running) as sandbox:
        desk = Desk(running, sandbox)
        _post_something_to_answer(desk)
        posted = [(case, desk.post(case)) for kind in POSTING for case in _cases(desk, kind)]
        desk.settle()
        yield _read_back(desk, posted)


def _cases(desk: Desk, kind: Kind) -> list[Case]:
    """Derive them once: they are the same on every engine."""
    if kind not in _DERIVED:
        _DERIVED[kind] = find_cases(POSTING[kind], desk.is_valid(kind))
    return _DERIVED[kind]


def _post_something_to_answer(desk: Desk) -> None:
    """Publish what replies and quotes of the samples refer to."""
    first = {
        SOME_POST: Case(Kind.THREADS, -1, Form(None, ()), {}),
        str(SOME_MESSAGE): Case(Kind.TELEGRAM_BOT, -1, Form(None, ()), {"chatId": "@adasbakery"}),
    }
    posted = {name: desk.post(case) for name, case in first.items()}
    desk.settle()
    for name, post_id in posted.items():
        (target,) = desk.show(post_id)["targets"]
        assert target["status"] == "published", target
        desk.known[name] = target["platformPostId"]
    desk.known[str(SOME_MESSAGE)] = int(desk.known[str(SOME_MESSAGE)].partition(":")[2])


def _read_back(desk: Desk, posted: list[tuple[Case, str]]) -> dict[Kind, list[Published]]:
    shown = [(case, desk.show(post_id)["targets"][0]) for case, post_id in posted]
    failed = [(case.name, target["error"]) for case, target in shown if target["status"] != "published"]
    assert not failed
    publisheds: dict[Kind, list[Published]] = {kind: [] for kind in POSTING}
    feeds: dict[str, list[Seen]] = {}
    for case, target in shown:
        place = f"{desk.account(case)['id']} {case.all_options.get('chatId')}"
        if place not in feeds:
            feeds[place] = desk.feed(case)
        (post,) = [feed for feed in feeds[place] if target["platformPostId"] in names_of(feed)]
        publisheds[case.kind].append(Published(case, plain_text(case), target, post, feeds[place], desk.known))
    return publisheds


def names_of(post: Seen) -> set[str]:
    """Give the ids of a post: of a video its own, of a message its chat's, of a local post the end of its name."""
    facts = post["facts"]
    messages = ",".join(map(str, facts.get("message_ids", ())))
    chats = {f"{chat}:{messages}" for chat in ("-1002000000001", "-1002000000002")} if messages else set()
    ours = post["id"].rpartition("/")[2]
    return {post["id"], ours, str(facts.get("video", "")), str(facts.get("publish_id", "")), *chats} - {""}


def fact(name: str) -> Callable[[Any, Case], Expected]:
    return lambda value, _case: {f"facts.{name}": value}


def unseen(_value: Any, _case: Case) -> Expected:
    """What nobody sees in a feed, or is checked by itself."""
    return {}


def page_form(value: str, case: Case) -> Expected:
    return {"kind": value if value != "post" else "video" if case.form.has_video else "post"}


def instagram_form(value: str, case: Case) -> Expected:
    alone = case.form.has_video and len(case.form.files) == 1
    return {"kind": {"reel": "reels", "story": "story"}.get(value, "reels" if alone else "feed")}


def user_tags(value: list[dict[str, Any]], case: Case) -> Expected:
    """Each item of a post has its own tags."""
    tags = [
        [{name: tag[name] for name in tag if name != "mediaIndex"} for tag in value if tag.get("mediaIndex", 0) == item]
        for item in range(len(case.form.files))
    ]
    return {"facts.user_tags": tags}


def poll(value: list[str], _case: Case) -> Expected:
    return {
        "facts.poll_attachment": {f"option_{letter}": choice for letter, choice in zip("abcd", value, strict=False)}
    }


def text_attachment(value: dict[str, str], _case: Case) -> Expected:
    attachment = {"plaintext": value["plaintext"], "link_attachment_url": value["linkAttachmentUrl"]}
    return {"facts.text_attachment": attachment}


def spoilers(value: list[dict[str, int]], _case: Case) -> Expected:
    return {"facts.text_entities": [{"entity_type": "SPOILER", **place} for place in value]}


def gif(value: dict[str, str], _case: Case) -> Expected:
    return {"facts.gif_attachment": {"gif_id": value["gifId"], "provider": value["provider"]}}


def of_tiktok(name: str) -> Callable[[Any, Case], Expected]:
    """A draft of a video carries nothing, and one of photos only its words: the rest is said in the app."""
    return lambda value, case: {} if is_draft(case) else {f"facts.{name}": value}


def is_draft(case: Case) -> bool:
    return case.all_options.get("mode") == "draft"


def mode(value: str, _case: Case) -> Expected:
    return {"state": "draft" if value == "draft" else "published"}


def source(value: str, _case: Case) -> Expected:
    return {"facts.source": "FILE_UPLOAD" if value == "upload" else "PULL_FROM_URL"}


def topic(value: str, _case: Case) -> Expected:
    return {"kind": value}


def event(value: dict[str, Any], _case: Case) -> Expected:
    return {"facts.event": value, "title": value["title"]}


def preview(value: bool, _case: Case) -> Expected:
    return {"facts.link_preview_options": {"is_disabled": True} if value else None}


def keyboard(value: list[list[dict[str, str]]], _case: Case) -> Expected:
    names = {"callbackData": "callback_data"}
    rows = [[{names.get(name, name): message for name, message in button.items()} for button in row] for row in value]
    return {"facts.inline_keyboard": rows}


def title(value: str, _case: Case) -> Expected:
    return {"title": value}


SEEN: Mapping[Kind, Mapping[str, Callable[[Any, Case], Expected]]] = {
    Kind.FACEBOOK_PAGE: {"form": page_form, "link": fact("link"), "title": title, "placeId": fact("place")},
    Kind.INSTAGRAM: {
        "form": instagram_form,
        "shareToFeed": fact("share_to_feed"),
        "thumbOffset": fact("thumb_offset"),
        "audioName": fact("audio_name"),
        "trialReel": fact("graduation_strategy"),
        "locationId": fact("location_id"),
        "collaborators": fact("collaborators"),
        "userTags": user_tags,
        "isAiGenerated": fact("is_ai_generated"),
    },
    Kind.THREADS: {
        "replyControl": fact("reply_control"),
        "thread": unseen,
        "topicTag": fact("topic_tag"),
        "locationId": fact("location_id"),
        "replyToId": fact("reply_to_id"),
        "quotePostId": fact("quote_post_id"),
        "linkAttachment": fact("link_attachment"),
        "poll": poll,
        "textAttachment": text_attachment,
        "gif": gif,
        "isGhostPost": fact("is_ghost_post"),
        "isSpoilerMedia": fact("is_spoiler_media"),
        "spoilers": spoilers,
        "countries": fact("allowlisted_country_codes"),
    },
    Kind.TIKTOK: {
        "privacyLevel": of_tiktok("privacy_level"),
        "mode": mode,
        "source": source,
        "title": title,
        "description": unseen,
        "disableComment": of_tiktok("disable_comment"),
        "disableDuet": of_tiktok("disable_duet"),
        "disableStitch": of_tiktok("disable_stitch"),
        "coverTimestampMs": of_tiktok("video_cover_timestamp_ms"),
        "photoCoverIndex": fact("photo_cover_index"),
        "autoAddMusic": of_tiktok("auto_add_music"),
        "brandedContent": of_tiktok("brand_content_toggle"),
        "ownBrand": of_tiktok("brand_organic_toggle"),
        "aiGenerated": of_tiktok("is_aigc"),
    },
    Kind.YOUTUBE: {
        "title": title,
        "tags": fact("tags"),
        "categoryId": fact("categoryId"),
        "privacyStatus": fact("privacyStatus"),
        "publishAt": fact("publishAt"),
        "madeForKids": fact("selfDeclaredMadeForKids"),
        "containsSyntheticMedia": fact("containsSyntheticMedia"),
        "embeddable": fact("embeddable"),
        "license": fact("license"),
        "publicStatsViewable": fact("publicStatsViewable"),
        "notifySubscribers": fact("notifySubscribers"),
        "defaultLanguage": fact("defaultLanguage"),
        "defaultAudioLanguage": fact("defaultAudioLanguage"),
        "recordingDate": fact("recordingDate"),
    },
    Kind.GOOGLE_BUSINESS: {
        "form": topic,
        "languageCode": fact("languageCode"),
        "callToAction": fact("callToAction"),
        "event": event,
        "offer": fact("offer"),
    },
    Kind.TELEGRAM_BOT: {
        "chatId": unseen,
        "form": lambda value, case: {} if len(case.form.files) > 1 else {"kind": value},
        "parseMode": unseen,
        "disableNotification": fact("disable_notification"),
        "protectContent": fact("protect_content"),
        "disableLinkPreview": preview,
        "captionAboveMedia": fact("show_caption_above_media"),
        "messageThreadId": fact("message_thread_id"),
        "replyToMessageId": fact("reply_to_message_id"),
        "buttons": keyboard,
    },
}
# Where a text that describes a file is shown, where a film has a cover of ours, and where we can comment.
ALT_SHOWN: Mapping[Kind, Callable[[Case, str], bool]] = {
    Kind.FACEBOOK_PAGE: lambda case, mime_type: not is_film(mime_type) and not is_story(case),
    Kind.INSTAGRAM: lambda case, mime_type: not is_film(mime_type) and not is_story(case),
    Kind.THREADS: lambda _case, _mime_type: True,
}
COVERED: Mapping[Kind, Callable[[Case], bool]] = {
    Kind.INSTAGRAM: lambda case: len(case.form.files) == 1 and not is_story(case),
    Kind.YOUTUBE: lambda _case: True,
    Kind.TELEGRAM_BOT: lambda case: case.form.word != "document",
}
COMMENTED = {Kind.FACEBOOK_PAGE, Kind.INSTAGRAM, Kind.THREADS, Kind.YOUTUBE}


def is_story(case: Case) -> bool:
    return case.form.word == "story"


def expected_text(published: Published) -> str:
    case = published.case
    if is_story(case) or (is_draft(case) and case.form.has_video):
        return ""
    return str(case.all_options.get("description", published.text))


def expected_of(published: Published) -> Expected:
    table, expected = SEEN[published.case.kind], {"text": expected_text(published)}
    for name, value in published.case.options.items():
        expected |= table[name](published.others.get(str(value), value), published.case)
    return expected


def seen_of(published: Published, expected: Expected) -> Expected:
    """Read the same from the platform. What is off may as well not be there."""
    return {
        path: (False if requested is False else None) if (result := _at(published.post, path)) is None else result
        for path, requested in expected.items()
    }


def _at(post: Seen, path: str) -> Any:
    member, _, name = path.rpartition(".")
    return (post[member] if member else post).get(name)


def digest(mime_type: str, which: int) -> str:
    return hashlib.sha256(file_of(mime_type, which)).hexdigest()


@pytest.mark.parametrize("kind", POSTING)
def test_every_form_is_read_back_from_the_platform_byte_for_byte(
    kind: Kind, published: dict[Kind, list[Published]]
) -> None:
    for current_published in published[kind]:
        expected = expected_of(current_published)
        assert seen_of(current_published, expected) == expected, current_published.case.name
        assert (
            expected["text"] or not current_published.text or "text" in " ".join(current_published.target["warnings"])
        ), current_published.case.name
        files = [digest(mime_type, which) for which, mime_type in enumerate(current_published.case.form.files)]
        assert [file["sha256"] for file in current_published.post["media"]] == files, current_published.case.name
        assert [file["alt"] for file in current_published.post["media"]] == list(
            expected_alts(current_published.case)
        ), current_published.case.name
        check_cover(current_published)
        check_comment(current_published)


def expected_alts(case: Case) -> Iterator[str]:
    shown = ALT_SHOWN.get(case.kind)
    for which, mime_type in enumerate(case.form.files):
        yield alt_of(which) if shown is not None and shown(case, mime_type) else ""


def check_cover(published: Published) -> None:
    covers = [
        file["cover"] and file["cover"]["sha256"] for file in published.post["media"] if is_film(file["contentType"])
    ]
    flag = published.case.all_options.get(THUMBNAIL) is True
    able = COVERED.get(published.case.kind)
    covered = flag and able is not None and able(published.case)
    assert set(covers) <= {digest("image/jpeg", 2) if covered else None}, published.case.name
    assert covered or not flag or "preview" in " ".join(published.target["warnings"]), published.case.name


def check_comment(published: Published) -> None:
    """A first comment is under the post, or it is said that there is none."""
    comment = published.case.all_options.get(FIRST_COMMENT)
    possible = published.case.kind in COMMENTED and not is_story(published.case)
    texts = [*published.case.all_options.get("thread", ())[:1], *([comment] if comment and possible else [])]
    assert [message["text"] for message in published.post["comments"]] == texts, published.case.name
    flag = "first comment" in " ".join(published.target["warnings"])
    assert flag == (comment is not None and not possible), published.case.name


def test_a_thread_is_a_chain_of_replies(published: dict[Kind, list[Published]]) -> None:
    threads = [published for published in published[Kind.THREADS] if "thread" in published.case.all_options]
    assert threads
    for thread in threads:
        above = thread.post["id"]
        for text in thread.case.all_options["thread"]:
            (reply,) = [
                post for post in thread.feed if (post["facts"].get("reply_to_id"), post["text"]) == (above, text)
            ]
            above = reply["id"]


def test_marked_text_is_marked_on_telegram(published: dict[Kind, list[Published]]) -> None:
    """The name of the kind is bold in every text with marks, and in no other."""
    bold = {"type": "bold", "offset": 0, "length": len(Kind.TELEGRAM_BOT)}
    seen = {
        published.case.all_options.get("parseMode", ""): bold in published.post["facts"].get("entities", ())
        for published in published[Kind.TELEGRAM_BOT]
    }
    assert seen == {"": False, "HTML": True, "MarkdownV2": True}


def test_every_kind_was_posted_in_every_way_that_its_manifest_knows(published: dict[Kind, list[Published]]) -> None:
    """The cases are derived, so this holds unless the way of deriving them is broken."""
    for kind, manifest in POSTING.items():
        payload = {name for published in published[kind] for name in published.case.options}
        assert payload == set(manifest.options["properties"]), kind
        types = {mime_type for published in published[kind] for mime_type in published.case.form.files}
        rules = [rule for name, rule in manifest.media.items() if name in {"image", "video", "audio", "document"}]
        assert types == {mime_type for rule in rules for mime_type in rule.mime_types}, kind
