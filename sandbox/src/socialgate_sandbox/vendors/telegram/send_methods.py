"""Sending: to people, into groups, and as posts of a channel."""

from collections.abc import Awaitable, Callable
from typing import Any

from socialgate_sandbox.kit import Call, CallRefusedError, UsageRate, compute_ages, generate_digits
from socialgate_sandbox.vendors.telegram import message_contents
from socialgate_sandbox.vendors.telegram.access import has_admin_right, require_chat
from socialgate_sandbox.vendors.telegram.chat_messages import (
    build_reply_quote,
    find_message,
    notify_bots,
    store_message,
)
from socialgate_sandbox.vendors.telegram.errors import (
    build_bad_request,
    build_refusal,
    build_throttled_response,
    require,
)
from socialgate_sandbox.vendors.telegram.files import File, FileKind, resolve_file
from socialgate_sandbox.vendors.telegram.method_parameters import (
    get_flag,
    get_json_value,
    get_number,
    get_text,
    to_integer,
)
from socialgate_sandbox.vendors.telegram.polls import parse_poll
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, Json, Message, User, get_conversation_id

_CHAT_SEND_RATE = UsageRate(20, 60)
_MAX_SENDS_PER_SECOND = 30
_MAX_ALBUM_SIZE = 10
_ALBUM_GROUP_BY_KIND = {
    "photo": "shown",
    "video": "shown",
    "live_photo": "shown",
    "audio": "audio",
    "document": "document",
}
_CHAT_ACTIONS = {
    "typing",
    "upload_photo",
    "record_video",
    "upload_video",
    "record_voice",
    "upload_voice",
    "record_audio",
    "upload_audio",
    "upload_document",
    "choose_sticker",
    "pick_up_location",
    "find_location",
    "record_video_note",
    "upload_video_note",
}

SyncMethod = Callable[[Call, Bot], Any]
AsyncMethod = Callable[[Call, Bot], Awaitable[Any]]


def _build_send_method(parse_content: Callable[[Call], Json]) -> SyncMethod:
    def send(call: Call, bot: Bot) -> Json:
        # Errors in the content are reported before errors about the chat.
        return send_messages(call, bot, [parse_content(call) | message_contents.parse_inline_keyboard(call)])[0].body

    return send


def _build_send_media_method(kind: FileKind) -> AsyncMethod:
    async def send(call: Call, bot: Bot) -> Json:
        file = await resolve_file(call, bot, kind, kind, get_text(call, kind))
        if file is None:
            raise build_bad_request(f"there is no {kind.replace('_', ' ')} in the request")
        cover = await resolve_file(call, bot, "photo", "cover", get_text(call, "cover")) if kind == "video" else None
        thumbnail = await resolve_thumbnail(call, bot, "thumbnail", get_text(call, "thumbnail"))
        with call.context.store.transaction():
            content = message_contents.build_media(
                kind, file, message_contents.parse_media_attributes(call), cover, thumbnail
            )
            if kind not in {"sticker", "video_note"}:
                content |= message_contents.parse_caption(call)
            if get_flag(call, "has_spoiler"):
                content["has_media_spoiler"] = True
            return send_messages(call, bot, [content | message_contents.parse_inline_keyboard(call)])[0].body

    return send


async def send_media_group(call: Call, bot: Bot) -> list[Json]:
    album = get_json_value(call, "media", "media")
    if album is None:
        raise build_bad_request('parameter "media" is required')
    if not isinstance(album, list):
        raise build_bad_request("expected an Array of InputMedia")
    pieces = [await parse_input_media(call, bot, media, is_album=True) for media in album]
    require(pieces, "there are no messages to send")
    require(len(pieces) <= _MAX_ALBUM_SIZE, "too many messages to send as an album")
    if len({_ALBUM_GROUP_BY_KIND[media["type"]] for media in album}) > 1:
        raise build_refusal("album_mixed")
    # A single item is accepted, too, but is not an album.
    group = {"media_group_id": generate_digits(17)} if len(pieces) > 1 else {}
    with call.context.store.transaction():
        return [message.body for message in send_messages(call, bot, [group | piece for piece in pieces])]


async def parse_input_media(call: Call, bot: Bot, media: Any, *, is_album: bool) -> Json:
    """Read an InputMedia with its caption."""
    prefix = "can't parse InputMedia: "
    if not isinstance(media, dict):
        raise build_bad_request(f"{prefix}expected an Object")
    kind = media.get("type")
    if kind is None:
        raise build_bad_request(f'{prefix}Can\'t find field "type"')
    require(kind != "animation" or not is_album, f'{prefix}type "animation" can\'t be used in sendMediaGroup')
    require(kind in {"photo", "video", "animation", "audio", "document"}, f'{prefix}type "{kind}" is unsupported')
    value = media.get("media")
    file: File | None = await resolve_file(call, bot, kind, "", value) if isinstance(value, str) and value else None
    if file is None:
        raise build_bad_request(f"{prefix}media not found")
    named = media.get("cover")
    cover = await resolve_file(call, bot, "photo", "", named) if kind == "video" and isinstance(named, str) else None
    thumbnail = await resolve_thumbnail(call, bot, "", str(media.get("thumbnail") or ""))
    spoiler = {"has_media_spoiler": True} if media.get("has_spoiler") is True else {}
    return (
        message_contents.build_media(kind, file, media, cover, thumbnail)
        | message_contents.parse_media_caption(media)
        | spoiler
    )


async def resolve_thumbnail(call: Call, bot: Bot, field: str, reference: str) -> File | None:
    """Find the thumbnail of a file. Only an upload counts: other files cannot be reused as one."""
    is_upload = reference.startswith("attach://") or (not reference and field in call.files)
    return await resolve_file(call, bot, "photo", field, reference) if is_upload else None


def send_messages(call: Call, bot: Bot, contents: list[Json]) -> list[Message]:
    """Write messages into the chat that a call names, if the bot may and is within its limits."""
    chat = require_chat(call, bot, "write")
    require_post_right(call, bot, chat)
    _enforce_send_rate(call, bot, chat, len(contents))
    extra = _parse_thread(call) | _parse_reply(call, bot, chat)
    if get_flag(call, "protect_content"):
        extra["has_protected_content"] = True
    silent = get_flag(call, "disable_notification")
    written = [store_message(call.context, chat, bot, bot, extra | piece, is_silent=silent) for piece in contents]
    for message in written:
        notify_bots(call.context, chat, bot, message)
    return written


def require_post_right(call: Call, bot: Bot, chat: Chat | User) -> None:
    if (
        isinstance(chat, Chat)
        and chat.kind == "channel"
        and not has_admin_right(call.context, bot, chat, "can_post_messages")
    ):
        raise build_refusal("permission_missing")


def _enforce_send_rate(call: Call, bot: Bot, chat: Chat | User, count: int) -> None:
    """Enforce twenty messages a minute in one group or channel and thirty a second in total."""
    world = call.context
    if isinstance(chat, Chat):
        recent = world.store.find(
            Message, parent=get_conversation_id(chat, bot), newest_first=True, limit=2 * _CHAT_SEND_RATE.most
        )
        wait = _CHAT_SEND_RATE.compute_wait_seconds(
            compute_ages(world, (message.created_at for message in recent if message.sender == bot.id)), count
        )
        if wait:
            raise CallRefusedError(build_throttled_response(wait))
    if not all(world.try_use(f"send:{bot.id}", _MAX_SENDS_PER_SECOND, 1.0) for _ in range(count)):
        raise CallRefusedError(build_throttled_response(1))


def _parse_thread(call: Call) -> Json:
    number = get_number(call, "message_thread_id")
    return {"message_thread_id": number} if number > 0 else {}


def _parse_reply(call: Call, bot: Bot, chat: Chat | User) -> Json:
    params = get_json_value(call, "reply_parameters", "reply parameters")
    if params is None:
        number = get_number(call, "reply_to_message_id")
        params = {"message_id": number} if number else {}
        params["allow_sending_without_reply"] = get_flag(call, "allow_sending_without_reply")
    if not isinstance(params, dict):
        raise build_bad_request("object expected as reply parameters")
    requested_number = to_integer(params.get("message_id"))
    if not requested_number:
        return {}
    if find_message(call.context, chat, bot, requested_number) is None:
        if params.get("allow_sending_without_reply") is True:
            return {}
        raise build_refusal("reply_not_found")
    quote = {"quote": {"text": params["quote"], "position": 0, "is_manual": True}} if params.get("quote") else {}
    return build_reply_quote(call.context, chat, bot, requested_number) | quote


def send_chat_action(call: Call, bot: Bot) -> bool:
    require(get_text(call, "action").lower() in _CHAT_ACTIONS, "wrong parameter action in request")
    require_chat(call, bot, "write")
    return True


SEND_METHODS: dict[str, SyncMethod | AsyncMethod] = {
    "sendMessage": _build_send_method(message_contents.parse_text),
    "sendLocation": _build_send_method(message_contents.parse_location),
    "sendVenue": _build_send_method(message_contents.parse_venue),
    "sendContact": _build_send_method(message_contents.parse_contact),
    "sendPoll": _build_send_method(parse_poll),
    "sendDice": _build_send_method(message_contents.roll_dice),
    "sendPhoto": _build_send_media_method("photo"),
    "sendVideo": _build_send_media_method("video"),
    "sendAnimation": _build_send_media_method("animation"),
    "sendAudio": _build_send_media_method("audio"),
    "sendVoice": _build_send_media_method("voice"),
    "sendDocument": _build_send_media_method("document"),
    "sendSticker": _build_send_media_method("sticker"),
    "sendVideoNote": _build_send_media_method("video_note"),
    "sendMediaGroup": send_media_group,
    "sendChatAction": send_chat_action,
}
