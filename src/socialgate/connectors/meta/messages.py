"""Messages of Pages (Messenger) and of Instagram accounts. Both are sent and read through the Page, with its token.

Meta's message data is parsed field by field: one that is missing or malformed affects only itself.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from socialgate.connectors.graph.dialect import Node, Rows, cursor_of, from_cursor, when
from socialgate.connectors.json_paths import list_at, member, text_at
from socialgate.connectors.message_checks import MessageRules
from socialgate.connectors.messaging import Listed
from socialgate.connectors.meta.subscribing import page_of
from socialgate.connectors.meta.wire import Graph
from socialgate.contracts import messages
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.messages import AttachmentItem, Contact, MessageItem, MessageType, NewMessage, Sent
from socialgate.contracts.platforms import MediaRule, Platform
from socialgate.core.errors import Fault
from socialgate.core.ids import is_id

_FIELDS = "id,created_time,from,to,message,attachments,shares,sticker,story,reply_to"
_RECENT = 50
_LONGEST_URL = 2048
_MIB = 1024 * 1024
_LARGEST = 25 * _MIB
_VIDEOS = ("video/mp4", "video/ogg", "video/x-msvideo", "video/quicktime", "video/webm")
_SENT_AS = {"image": "image", "video": "video", "audio": "audio", "document": "file"}
_FILES = {"image": "image", "video": "video", "audio": "audio", "file": "document", "sticker": "sticker"}
_RULES = MessageRules(
    vendor="Meta",
    platform=Platform.META,
    texts={},
    form=lambda _, file: file.type,
    numbers={("/quickReplies/*",): 13, ("/buttons/*",): 3},
    lengths={"/quickReplies/*/title": 20, "/buttons/*/title": 20},
    refused={"/quickReplies/*/url": "A quick reply cannot open a URL. Use `buttons`."},
    apart={("/buttons", other): "Buttons can only be used with a text." for other in ("/media", "/quickReplies")},
)
MID = re.compile(r"[!-~]{1,300}")
HEART = "❤️"


class _Answer(msgspec.Struct):
    message_id: str
    recipient_id: str | None = None


class _Profile(msgspec.Struct):
    name: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    username: str | None = None
    profile_pic: str | None = None


class _Messages(Listed):
    """`platform` is its name in Meta's parameters."""

    types = frozenset(MessageType(form) for form in ("text", *_SENT_AS))
    window: timedelta | None = timedelta(hours=24)
    tagged_window: timedelta | None = timedelta(days=7)
    tag_remedy = (
        "Until 7 days after their last message, a person can still reply, with `options.tag: HUMAN_AGENT`, if Meta has "
        "approved this for the app."
    )
    answers_comments = True
    recipients = "Use Meta's id of the person, a number: the `contact.id` of their conversation."
    platform: str
    profile_fields: str

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def contact_of(self, to: str) -> Contact | None:
        return Contact(id=to) if to.isascii() and to.isdecimal() else None

    async def send(self, held: AccountCredentials, new: NewMessage) -> Sent:
        tag = new.options.get("tag")
        params = {
            "recipient": {"comment_id": new.comment_id} if new.comment_id else {"id": new.to},
            "messaging_type": new.options.get("messagingType") or ("MESSAGE_TAG" if tag else "RESPONSE"),
            "tag": tag,
            "notification_type": new.options.get("notificationType"),
            "message": self._message(new),
            "reply_to": {"mid": new.reply_to} if new.reply_to else None,
        }
        api, path = self._graph.of(held), f"{page_of(held)}/messages"
        answer = await api.post(path, _Answer, params, repeatable=False)
        return Sent(id=answer.message_id, contact=Contact(id=answer.recipient_id) if answer.recipient_id else None)

    async def locate(self, held: AccountCredentials, attachment: AttachmentItem) -> messages.MediaLocation:
        del held
        url, wire = str(attachment.source.get("url") or ""), self._graph.wire
        if not url:
            raise PlatformNotFound("Meta provided no URL for this file.", platform=Platform.META)
        return messages.MediaLocation(door=wire.door, url=wire.address(url))

    async def profile(self, held: AccountCredentials, contact_id: str) -> Contact:
        said = await self._graph.of(held).get(contact_id, _Profile, fields=self.profile_fields)
        parts = " ".join(filter(None, (said.first_name, said.last_name)))
        picture = said.profile_pic if len(said.profile_pic or "") <= _LONGEST_URL else None
        return Contact(id=contact_id, name=said.name or parts or None, username=said.username, avatar_url=picture)

    async def older(
        self, held: AccountCredentials, contact_id: str, limit: int, cursor: str | None
    ) -> messages.HistoricMessages:
        api, path = self._graph.of(held), f"{page_of(held)}/conversations"
        threads = await api.get(path, Rows[Node], platform=self.platform, user_id=contact_id, fields="id")
        if not threads.data:
            return messages.HistoricMessages(items=[], cursor=None)
        path, paging = f"{quote(str(threads.data[0].id), safe='')}/messages", from_cursor(cursor)
        rows = await api.get(path, Rows[Any], fields=_FIELDS, limit=min(limit, _RECENT), **paging)
        items = [item for row in rows.data if (item := _historic(row, contact_id)) is not None]
        return messages.HistoricMessages(items=items, cursor=cursor_of(rows))

    def _message(self, new: NewMessage) -> dict[str, Any]:
        content: dict[str, Any] = {"text": new.text}
        if new.media is not None:
            content = {"attachment": {"type": _SENT_AS[new.media.type], "payload": {"url": new.media.url}}}
        elif new.buttons:
            payload = {"template_type": "button", "text": new.text, "buttons": [_button(one) for one in new.buttons]}
            content = {"attachment": {"type": "template", "payload": payload}}
        if new.quick_replies:
            replies = [{"title": one.title, "payload": one.id or one.title} for one in new.quick_replies]
            content["quick_replies"] = [{"content_type": "text", **one} for one in replies]
        return content


class MessengerMessages(_Messages):
    platform = "messenger"
    profile_fields = "first_name,last_name,profile_pic"
    rules = replace(
        _RULES,
        texts={MessageType.TEXT: 2_000},
        beside={"/buttons": 640},
        files=dict.fromkeys(_SENT_AS, MediaRule(mime_types=("*/*",), max_bytes=_LARGEST)),
    )

    def _message(self, new: NewMessage) -> dict[str, Any]:
        """Messenger returns the metadata in the echo."""
        return {**super()._message(new), "metadata": new.reference}

    def own_faults(self, new: NewMessage) -> Iterator[Fault]:
        kind, tag = new.options.get("messagingType"), new.options.get("tag")
        if kind == "MESSAGE_TAG" and not tag:
            yield Fault("/options/tag", "required", "With MESSAGE_TAG, set a tag: HUMAN_AGENT.")
        if tag and kind not in {None, "MESSAGE_TAG"}:
            yield Fault("/options/messagingType", "contradiction", "With a tag, omit it or use MESSAGE_TAG.")


class InstagramMessages(_Messages):
    platform = "instagram"
    profile_fields = "name,username,profile_pic"
    rules = replace(
        _RULES,
        texts={MessageType.TEXT: 1_000},
        measure=lambda new: len(new.text.encode()),
        unit="bytes in UTF-8",
        files={
            "image": MediaRule(mime_types=("image/png", "image/jpeg", "image/gif"), max_bytes=8 * _MIB),
            "video": MediaRule(mime_types=_VIDEOS, max_bytes=_LARGEST),
            "audio": MediaRule(mime_types=("audio/aac", "audio/mp4", "audio/wav"), max_bytes=_LARGEST),
            "document": MediaRule(mime_types=("application/pdf",), max_bytes=_LARGEST),
        },
        apart={("/quickReplies", "/media"): "On Instagram they need a text."},
        refused={**_RULES.refused, "/buttons": "Instagram does not support buttons. Use `quickReplies`."},
    )


def _historic(row: Any, contact: str) -> MessageItem | None:
    """Read a message of the history. An author other than the contact is the account, whatever its id there."""
    at, mid, author = when(text_at(row, "created_time")), text_at(row, "id"), text_at(row, "from", "id")
    sides = {text_at(one, "id"): one for one in (*list_at(row, "to", "data"), member(row, "from"))}
    name, username = (text_at(sides.get(contact), about) or None for about in ("name", "username"))
    shares = [{"type": "share", "url": text_at(one, "link")} for one in list_at(row, "shares", "data")]
    stickers = [{"type": "sticker", "payload": {"url": row["sticker"]}}] if text_at(row, "sticker") else []
    raw = {
        "text": text_at(row, "message"),
        "attachments": [*list_at(row, "attachments", "data"), *stickers, *shares],
        "reply_to": {"mid": text_at(row, "reply_to", "mid"), "story": member(row, "story")},
    }
    outbound = author != contact if author else contact in sides
    if at is None or not MID.fullmatch(mid):
        return None
    return item_of(mid, Contact(id=contact, name=name, username=username), at, raw, outbound=outbound)


def item_of(mid: str, contact: Contact, at: datetime, raw: Any, *, outbound: bool) -> MessageItem:
    given = [(one, _file(one)) for one in list_at(raw, "attachments")]
    files, others = tuple(file for _, file in given if file), [one for one, file in given if not file]
    said = [text_at(raw, "text"), text_at(raw, "title"), *(text_at(one, "payload", "text") for one in others)]
    kinds = {text_at(one, "type") for one in others}
    text = next(filter(None, said), HEART if "like_heart" in kinds else "")
    tapped, reference = text_at(raw, "quick_reply", "payload") or text_at(raw, "payload"), text_at(raw, "metadata")
    data: dict[str, Any] = {"id": tapped, "title": text} if tapped else {}
    beside = {"story": member(raw, "reply_to", "story"), "referral": member(raw, "referral")}
    for extra in (*map(_shared, others), beside):
        data |= {name: value for name, value in extra.items() if value}
    form = files[0].type if files else "location" if "latitude" in data else "text" if text or data else "unsupported"
    return MessageItem(
        id=mid,
        contact=contact,
        type=MessageType("interactive" if tapped or "template" in kinds else form),
        at=at,
        text=text,
        outbound=outbound,
        attachments=files,
        reply_to=text_at(raw, "reply_to", "mid") or None,
        data=data,
        reference=reference if outbound and is_id("msg", reference) else None,
    )


def _file(one: Any) -> AttachmentItem | None:
    """Read a file. In the history it has no type, and its URL is in one of three places."""
    type_, mime_type, size = text_at(one, "type"), text_at(one, "mime_type"), member(one, "size")
    places = [(text_at(one, f"{form}_data", "url"), form) for form in ("image", "video")]
    places += [(text_at(one, "file_url"), mime_type.partition("/")[0]), (text_at(one, "payload", "url"), type_)]
    url, form = next(((url, form) for url, form in places if url), ("", ""))
    form = "sticker" if text_at(one, "payload", "sticker_id") else _FILES.get(form, "" if type_ else "document")
    if not form or not url:
        return None
    known, name = size if isinstance(size, int) else None, text_at(one, "name") or None
    return AttachmentItem(type=form, source={"url": url}, mime_type=mime_type or None, size=known, file_name=name)


def _shared(one: Any) -> dict[str, Any]:
    """Describe what is not a file: a location, a link, a post, a story that mentions the account."""
    type_, place = text_at(one, "type"), member(one, "payload", "coordinates")
    if isinstance(place, dict) and {"lat", "long"} <= place.keys():
        return {"latitude": place["lat"], "longitude": place["long"]}
    about = {name: text_at(one, "payload", name) or text_at(one, name) for name in ("url", "title")}
    return {type_: {name: value for name, value in about.items() if value}} if type_ else {}


def _button(given: messages.ReplyButton) -> dict[str, str]:
    if given.url:
        return {"type": "web_url", "title": given.title, "url": given.url}
    return {"type": "postback", "title": given.title, "payload": given.id or given.title}
