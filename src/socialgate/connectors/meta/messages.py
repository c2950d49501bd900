"""Messages of Pages (Messenger) and of Instagram accounts. Both are sent and read through the Page, with its token.

Meta's message data is parsed field by field: one that is missing or malformed affects only itself.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

import msgspec

from socialgate.connectors.dialects.graph import Node, Rows, cursor_of, from_cursor, list_at, member, text_at, when
from socialgate.connectors.message_checks import Check, found, long_faults, places, same_text, shown
from socialgate.connectors.meta.subscribing import page_of
from socialgate.connectors.meta.wire import Graph
from socialgate.contracts import messages
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.messages import AttachmentItem, Contact, MessageItem, MessageType, NewMessage, Sent
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import CannotTell
from socialgate.core.errors import Fault
from socialgate.core.ids import is_id

_FIELDS = "id,created_time,from,to,message,attachments,shares,sticker,story,reply_to"
_RECENT = 50
_LONGEST_URL = 2048
# Meta's clock and ours may differ.
_SKEW = timedelta(minutes=2)
_MIB = 1024 * 1024
_REPLIES, _BUTTONS, _BYTES = 13, 3, 1_000
_TITLES = {"/quickReplies/*/title": 20, "/buttons/*/title": 20}
_SENT_AS = {"image": "image", "video": "video", "audio": "audio", "document": "file"}
_FILES = {"image": "image", "video": "video", "audio": "audio", "file": "document", "sticker": "sticker"}
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


class _Messages:
    """`platform` is its name in Meta's parameters."""

    types = frozenset(MessageType(form) for form in ("text", *_SENT_AS))
    window: timedelta | None = timedelta(hours=24)
    tagged_window: timedelta | None = timedelta(days=7)
    keeps_history = answers_comments = True
    recipients = "Use Meta's id of the person, a number: the `contact.id` of their conversation."
    platform: str
    profile_fields: str

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def contact_of(self, to: str) -> Contact | None:
        return Contact(id=to) if to.isascii() and to.isdecimal() else None

    def faults(self, new: NewMessage) -> Sequence[Fault]:
        return [*found(self._checks(new)), *long_faults(shown(new), _TITLES)]

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

    async def look(self, held: AccountCredentials, new: NewMessage) -> messages.Looked:
        """If nothing is found, that proves nothing: Meta may execute a call long after it timed out."""
        since = new.asked_at - _SKEW
        found = [
            item
            for item in (await self.older(held, new.to, _RECENT, None)).items
            if item.outbound and item.at >= since and item.type is new.type and same_text(item.text, new.text)
            if item.id not in new.others
        ]
        if len(found) == 1:
            return Sent(id=found[0].id, at=found[0].at)
        shown = "several messages like this one" if found else "no message like this one yet"
        return CannotTell(f"Meta shows {shown}. Check the conversation before you send it again.")

    async def mark_read(self, held: AccountCredentials, contact_id: str, message_id: str) -> None:
        """Meta marks the whole conversation."""
        del message_id
        api, path = self._graph.of(held), f"{page_of(held)}/messages"
        await api.do("POST", path, {"recipient": {"id": contact_id}, "sender_action": "mark_seen"})

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

    def _checks(self, new: NewMessage) -> Sequence[Check]:
        """Return what is wrong with a message wherever it goes, and where in the request."""
        media, replies, buttons = new.media, new.quick_replies, new.buttons
        linked = [at for at, url in places(shown(new), "/quickReplies/*/url") if url]
        return [
            (media and new.text, "/text", "contradiction", "Meta accepts a text or a file. Send two messages."),
            (not media and not new.text.strip(), "/text", "required", "Write a text, or add a file."),
            (media and media.size > 25 * _MIB, "/media", "too_large", "A file in a message can have at most 25 MB."),
            (len(replies) > _REPLIES, "/quickReplies", "too_many", f"There can be at most {_REPLIES} quick replies."),
            (len(buttons) > _BUTTONS, "/buttons", "too_many", f"There can be at most {_BUTTONS} buttons."),
            (buttons and (media or replies), "/buttons", "contradiction", "Buttons can only be used with a text."),
            *((True, at, "not_supported", "A quick reply cannot open a URL. Use `buttons`.") for at in linked),
        ]


class MessengerMessages(_Messages):
    platform = "messenger"
    profile_fields = "first_name,last_name,profile_pic"

    def _message(self, new: NewMessage) -> dict[str, Any]:
        """Messenger returns the metadata in the echo."""
        return {**super()._message(new), "metadata": new.reference}

    def _checks(self, new: NewMessage) -> Sequence[Check]:
        most = 640 if new.buttons else 2_000
        long = f"It can have at most {most:,} characters here, but has {len(new.text):,}. Send several messages."
        kind, tag = new.options.get("messagingType"), new.options.get("tag")
        tagged = kind == "MESSAGE_TAG"
        return [
            *super()._checks(new),
            (len(new.text) > most, "/text", "too_long", long),
            (tagged and not tag, "/options/tag", "required", "A message of the type MESSAGE_TAG needs a tag."),
            (tag and kind and not tagged, "/options/messagingType", "contradiction", "With a tag, use MESSAGE_TAG."),
        ]


class InstagramMessages(_Messages):
    platform = "instagram"
    profile_fields = "name,username,profile_pic"
    files: Mapping[str, Sequence[str]] = {
        "image": ("image/png", "image/jpeg", "image/gif"),
        "video": ("video/mp4", "video/ogg", "video/x-msvideo", "video/quicktime", "video/webm"),
        "audio": ("audio/aac", "audio/mp4", "audio/wav"),
        "document": ("application/pdf",),
    }

    def _checks(self, new: NewMessage) -> Sequence[Check]:
        media, size = new.media, len(new.text.encode())
        takes = self.files[media.type] if media else ()
        large = media and media.type == "image" and media.size > 8 * _MIB
        long = f"It can have at most 1,000 bytes in UTF-8, but has {size:,}. Send several messages."
        return [
            *super()._checks(new),
            (size > _BYTES, "/text", "too_long", long),
            (large, "/media", "too_large", "An image in an Instagram message can have at most 8 MB."),
            (media and media.mime_type not in takes, "/media", "media_type", f"Instagram accepts {', '.join(takes)}."),
            (media and new.quick_replies, "/quickReplies", "contradiction", "On Instagram they need a text."),
            (new.buttons, "/buttons", "not_supported", "Instagram does not support buttons. Use `quickReplies`."),
        ]


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


def _button(given: messages.Button) -> dict[str, str]:
    if given.url:
        return {"type": "web_url", "title": given.title, "url": given.url}
    return {"type": "postback", "title": given.title, "payload": given.id or given.title}
