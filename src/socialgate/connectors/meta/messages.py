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

from socialgate.connectors.graph.dialect import GraphNode, GraphPage, build_cursor_params, extract_cursor, parse_time
from socialgate.connectors.json_paths import get_list, get_path, get_text_or_number
from socialgate.connectors.message_adapters import HistoryMessageAdapter
from socialgate.connectors.message_validation import MessageRules
from socialgate.connectors.meta.api import MetaApi
from socialgate.connectors.meta.webhook_subscriptions import get_page_id
from socialgate.contracts import messages
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.contracts.messages import AttachmentItem, Contact, MessageItem, MessageType, NewMessage, SentMessage
from socialgate.contracts.platforms import MediaRule, Platform
from socialgate.core.errors import Fault
from socialgate.core.ids import is_id

_MESSAGE_FIELDS = "id,created_time,from,to,message,attachments,shares,sticker,story,reply_to"
_MAX_PAGE_SIZE = 50
_MAX_URL_LENGTH = 2048
_MIB = 1024 * 1024
_MAX_FILE_BYTES = 25 * _MIB
_VIDEO_MIME_TYPES = ("video/mp4", "video/ogg", "video/x-msvideo", "video/quicktime", "video/webm")
_ATTACHMENT_TYPES = {"image": "image", "video": "video", "audio": "audio", "document": "file"}
_FILE_TYPES_BY_ATTACHMENT = {
    "image": "image",
    "video": "video",
    "audio": "audio",
    "file": "document",
    "sticker": "sticker",
}
_MESSAGE_RULES = MessageRules(
    vendor="Meta",
    platform=Platform.META,
    max_text_lengths={},
    get_media_rule_key=lambda _, file: file.type,
    max_counts={("/quickReplies/*",): 13, ("/buttons/*",): 3},
    max_lengths={"/quickReplies/*/title": 20, "/buttons/*/title": 20},
    forbidden_paths={"/quickReplies/*/url": "A quick reply cannot open a URL. Use `buttons`."},
    exclusive_paths={
        ("/buttons", other): "Buttons can only be used with a text." for other in ("/media", "/quickReplies")
    },
)
MESSAGE_ID_PATTERN = re.compile(r"[!-~]{1,300}")
HEART_EMOJI = "❤️"


class _SendResponse(msgspec.Struct):
    message_id: str
    recipient_id: str | None = None


class _PersonProfile(msgspec.Struct):
    name: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    username: str | None = None
    profile_pic: str | None = None


class _MetaMessages(HistoryMessageAdapter):
    """`platform` is its name in Meta's parameters."""

    types = frozenset(MessageType(form) for form in ("text", *_ATTACHMENT_TYPES))
    free_form_window: timedelta | None = timedelta(hours=24)
    tagged_reply_window: timedelta | None = timedelta(days=7)
    tag_remedy = (
        "Until 7 days after their last message, a person can still reply, with `options.tag: HUMAN_AGENT`, if Meta has "
        "approved this for the app."
    )
    can_reply_to_comments = True
    recipient_help = "Use Meta's id of the person, a number: the `contact.id` of their conversation."
    platform: str
    profile_fields: str

    def __init__(self, graph: MetaApi) -> None:
        self._graph = graph

    def parse_recipient(self, to: str) -> Contact | None:
        return Contact(id=to) if to.isascii() and to.isdecimal() else None

    async def send(self, credentials: AccountCredentials, new: NewMessage) -> SentMessage:
        tag = new.options.get("tag")
        params = {
            "recipient": {"comment_id": new.comment_id} if new.comment_id else {"id": new.to},
            "messaging_type": new.options.get("messagingType") or ("MESSAGE_TAG" if tag else "RESPONSE"),
            "tag": tag,
            "notification_type": new.options.get("notificationType"),
            "message": self._encode_message(new),
            "reply_to": {"mid": new.reply_to} if new.reply_to else None,
        }
        api, path = self._graph.for_account(credentials), f"{get_page_id(credentials)}/messages"
        answer = await api.post(path, _SendResponse, params, repeatable=False)
        return SentMessage(
            id=answer.message_id, contact=Contact(id=answer.recipient_id) if answer.recipient_id else None
        )

    async def get_download_location(
        self, credentials: AccountCredentials, attachment: AttachmentItem
    ) -> messages.MediaDownload:
        del credentials
        url, wire = str(attachment.source.get("url") or ""), self._graph.wire
        if not url:
            raise PlatformNotFoundError("Meta provided no URL for this file.", platform=Platform.META)
        return messages.MediaDownload(door=wire.egress_client, url=wire.resolve_url(url))

    async def get_contact_profile(self, credentials: AccountCredentials, contact_id: str) -> Contact:
        profile = await self._graph.for_account(credentials).get(contact_id, _PersonProfile, fields=self.profile_fields)
        parts = " ".join(filter(None, (profile.first_name, profile.last_name)))
        picture = profile.profile_pic if len(profile.profile_pic or "") <= _MAX_URL_LENGTH else None
        return Contact(id=contact_id, name=profile.name or parts or None, username=profile.username, avatar_url=picture)

    async def list_history(
        self, credentials: AccountCredentials, contact_id: str, limit: int, cursor: str | None
    ) -> messages.MessagePage:
        api, path = self._graph.for_account(credentials), f"{get_page_id(credentials)}/conversations"
        threads = await api.get(path, GraphPage[GraphNode], platform=self.platform, user_id=contact_id, fields="id")
        if not threads.data:
            return messages.MessagePage(items=[], cursor=None)
        path, paging = f"{quote(str(threads.data[0].id), safe='')}/messages", build_cursor_params(cursor)
        rows = await api.get(path, GraphPage[Any], fields=_MESSAGE_FIELDS, limit=min(limit, _MAX_PAGE_SIZE), **paging)
        items = [item for row in rows.data if (item := _parse_history_message(row, contact_id)) is not None]
        return messages.MessagePage(items=items, cursor=extract_cursor(rows))

    def _encode_message(self, new: NewMessage) -> dict[str, Any]:
        content: dict[str, Any] = {"text": new.text}
        if new.media is not None:
            content = {"attachment": {"type": _ATTACHMENT_TYPES[new.media.type], "payload": {"url": new.media.url}}}
        elif new.buttons:
            payload = {
                "template_type": "button",
                "text": new.text,
                "buttons": [_encode_button(button) for button in new.buttons],
            }
            content = {"attachment": {"type": "template", "payload": payload}}
        if new.quick_replies:
            replies = [
                {"title": quick_reply.title, "payload": quick_reply.id or quick_reply.title}
                for quick_reply in new.quick_replies
            ]
            content["quick_replies"] = [{"content_type": "text", **reply} for reply in replies]
        return content


class MessengerMessages(_MetaMessages):
    platform = "messenger"
    profile_fields = "first_name,last_name,profile_pic"
    rules = replace(
        _MESSAGE_RULES,
        max_text_lengths={MessageType.TEXT: 2_000},
        max_text_lengths_with={"/buttons": 640},
        file_rules=dict.fromkeys(_ATTACHMENT_TYPES, MediaRule(mime_types=("*/*",), max_bytes=_MAX_FILE_BYTES)),
    )

    def _encode_message(self, new: NewMessage) -> dict[str, Any]:
        """Messenger returns the metadata in the echo."""
        return {**super()._encode_message(new), "metadata": new.reference}

    def validate_platform_rules(self, new: NewMessage) -> Iterator[Fault]:
        kind, tag = new.options.get("messagingType"), new.options.get("tag")
        if kind == "MESSAGE_TAG" and not tag:
            yield Fault("/options/tag", "required", "With MESSAGE_TAG, set a tag: HUMAN_AGENT.")
        if tag and kind not in {None, "MESSAGE_TAG"}:
            yield Fault("/options/messagingType", "contradiction", "With a tag, omit it or use MESSAGE_TAG.")


class InstagramMessages(_MetaMessages):
    platform = "instagram"
    profile_fields = "name,username,profile_pic"
    rules = replace(
        _MESSAGE_RULES,
        max_text_lengths={MessageType.TEXT: 1_000},
        measure=lambda new: len(new.text.encode()),
        unit="bytes in UTF-8",
        file_rules={
            "image": MediaRule(mime_types=("image/png", "image/jpeg", "image/gif"), max_bytes=8 * _MIB),
            "video": MediaRule(mime_types=_VIDEO_MIME_TYPES, max_bytes=_MAX_FILE_BYTES),
            "audio": MediaRule(mime_types=("audio/aac", "audio/mp4", "audio/wav"), max_bytes=_MAX_FILE_BYTES),
            "document": MediaRule(mime_types=("application/pdf",), max_bytes=_MAX_FILE_BYTES),
        },
        exclusive_paths={("/quickReplies", "/media"): "On Instagram they need a text."},
        forbidden_paths={
            **_MESSAGE_RULES.forbidden_paths,
            "/buttons": "Instagram does not support buttons. Use `quickReplies`.",
        },
    )


def _parse_history_message(row: Any, contact: str) -> MessageItem | None:
    """Read a message of the history. An author other than the contact is the account, whatever its id there."""
    at, mid, author = (
        parse_time(get_text_or_number(row, "created_time")),
        get_text_or_number(row, "id"),
        get_text_or_number(row, "from", "id"),
    )
    sides = {get_text_or_number(item, "id"): item for item in (*get_list(row, "to", "data"), get_path(row, "from"))}
    name, username = (get_text_or_number(sides.get(contact), about) or None for about in ("name", "username"))
    shares = [{"type": "share", "url": get_text_or_number(item, "link")} for item in get_list(row, "shares", "data")]
    stickers = [{"type": "sticker", "payload": {"url": row["sticker"]}}] if get_text_or_number(row, "sticker") else []
    raw = {
        "text": get_text_or_number(row, "message"),
        "attachments": [*get_list(row, "attachments", "data"), *stickers, *shares],
        "reply_to": {"mid": get_text_or_number(row, "reply_to", "mid"), "story": get_path(row, "story")},
    }
    outbound = author != contact if author else contact in sides
    if at is None or not MESSAGE_ID_PATTERN.fullmatch(mid):
        return None
    return parse_message(mid, Contact(id=contact, name=name, username=username), at, raw, outbound=outbound)


def parse_message(mid: str, contact: Contact, at: datetime, raw: Any, *, outbound: bool) -> MessageItem:
    input_value = [(item, _parse_attachment(item)) for item in get_list(raw, "attachments")]
    files, others = tuple(file for _, file in input_value if file), [item for item, file in input_value if not file]
    payload = [
        get_text_or_number(raw, "text"),
        get_text_or_number(raw, "title"),
        *(get_text_or_number(item, "payload", "text") for item in others),
    ]
    kinds = {get_text_or_number(item, "type") for item in others}
    text = next(filter(None, payload), HEART_EMOJI if "like_heart" in kinds else "")
    tapped, reference = (
        get_text_or_number(raw, "quick_reply", "payload") or get_text_or_number(raw, "payload"),
        get_text_or_number(raw, "metadata"),
    )
    data: dict[str, Any] = {"id": tapped, "title": text} if tapped else {}
    beside = {"story": get_path(raw, "reply_to", "story"), "referral": get_path(raw, "referral")}
    for extra in (*map(_parse_shared_content, others), beside):
        data |= {name: value for name, value in extra.items() if value}
    form = files[0].type if files else "location" if "latitude" in data else "text" if text or data else "unsupported"
    return MessageItem(
        id=mid,
        contact=contact,
        type=MessageType("interactive" if tapped or "template" in kinds else form),
        sent_at=at,
        text=text,
        outbound=outbound,
        attachments=files,
        reply_to=get_text_or_number(raw, "reply_to", "mid") or None,
        data=data,
        reference=reference if outbound and is_id("msg", reference) else None,
    )


def _parse_attachment(attachment: Any) -> AttachmentItem | None:
    """Read a file. In the history it has no type, and its URL is in one of three places."""
    type_, mime_type, size = (
        get_text_or_number(attachment, "type"),
        get_text_or_number(attachment, "mime_type"),
        get_path(attachment, "size"),
    )
    places = [(get_text_or_number(attachment, f"{form}_data", "url"), form) for form in ("image", "video")]
    places += [
        (get_text_or_number(attachment, "file_url"), mime_type.partition("/")[0]),
        (get_text_or_number(attachment, "payload", "url"), type_),
    ]
    url, form = next(((url, form) for url, form in places if url), ("", ""))
    form = (
        "sticker"
        if get_text_or_number(attachment, "payload", "sticker_id")
        else _FILE_TYPES_BY_ATTACHMENT.get(form, "" if type_ else "document")
    )
    if not form or not url:
        return None
    known, name = size if isinstance(size, int) else None, get_text_or_number(attachment, "name") or None
    return AttachmentItem(type=form, source={"url": url}, mime_type=mime_type or None, size=known, file_name=name)


def _parse_shared_content(attachment: Any) -> dict[str, Any]:
    """Describe what is not a file: a location, a link, a post, a story that mentions the account."""
    type_, place = get_text_or_number(attachment, "type"), get_path(attachment, "payload", "coordinates")
    if isinstance(place, dict) and {"lat", "long"} <= place.keys():
        return {"latitude": place["lat"], "longitude": place["long"]}
    about = {
        name: get_text_or_number(attachment, "payload", name) or get_text_or_number(attachment, name)
        for name in ("url", "title")
    }
    return {type_: {name: value for name, value in about.items() if value}} if type_ else {}


def _encode_button(reply_button: messages.ReplyButton) -> dict[str, str]:
    if reply_button.url:
        return {"type": "web_url", "title": reply_button.title, "url": reply_button.url}
    return {"type": "postback", "title": reply_button.title, "payload": reply_button.id or reply_button.title}
