"""Sending: to people, into groups, and as posts of a channel."""

from collections.abc import Awaitable, Callable
from typing import Any

from socialgate_sandbox.kit import Call, Pace, Refused, ages_of, digits
from socialgate_sandbox.vendors.telegram import contents
from socialgate_sandbox.vendors.telegram.access import chat_of, is_admin
from socialgate_sandbox.vendors.telegram.args import flag_of, number_of, text_of, value_of, whole
from socialgate_sandbox.vendors.telegram.errors import bad_request, refusal, require, too_fast
from socialgate_sandbox.vendors.telegram.files import File, Kind, file_of
from socialgate_sandbox.vendors.telegram.polls import poll_content
from socialgate_sandbox.vendors.telegram.rooms import as_reply, find_message, tell, write
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, Json, Message, User, room_of

_IN_ROOM = Pace(20, 60)
_PER_SECOND = 30
_LARGEST_ALBUM = 10
_TOGETHER = {"photo": "shown", "video": "shown", "live_photo": "shown", "audio": "audio", "document": "document"}
_ACTIONS = {
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

Sync = Callable[[Call, Bot], Any]
Async = Callable[[Call, Bot], Awaitable[Any]]


def _sender(content: Callable[[Call], Json]) -> Sync:
    def send(call: Call, bot: Bot) -> Json:
        # Errors in the content are reported before errors about the chat.
        return deliver(call, bot, [content(call) | contents.markup_content(call)])[0].body

    return send


def _media_sender(kind: Kind) -> Async:
    async def send(call: Call, bot: Bot) -> Json:
        file = await file_of(call, bot, kind, kind, text_of(call, kind))
        if file is None:
            raise bad_request(f"there is no {kind.replace('_', ' ')} in the request")
        cover = await file_of(call, bot, "photo", "cover", text_of(call, "cover")) if kind == "video" else None
        thumbnail = await thumbnail_of(call, bot, "thumbnail", text_of(call, "thumbnail"))
        with call.world.store.transaction():
            content = contents.media_content(kind, file, contents.numbers_in(call), cover, thumbnail)
            if kind not in {"sticker", "video_note"}:
                content |= contents.caption_content(call)
            if flag_of(call, "has_spoiler"):
                content["has_media_spoiler"] = True
            return deliver(call, bot, [content | contents.markup_content(call)])[0].body

    return send


async def send_media_group(call: Call, bot: Bot) -> list[Json]:
    album = value_of(call, "media", "media")
    if album is None:
        raise bad_request('parameter "media" is required')
    if not isinstance(album, list):
        raise bad_request("expected an Array of InputMedia")
    pieces = [await read_media(call, bot, media, album=True) for media in album]
    require(pieces, "there are no messages to send")
    require(len(pieces) <= _LARGEST_ALBUM, "too many messages to send as an album")
    if len({_TOGETHER[media["type"]] for media in album}) > 1:
        raise refusal("album_mixed")
    # A single item is accepted, too, but is not an album.
    group = {"media_group_id": digits(17)} if len(pieces) > 1 else {}
    with call.world.store.transaction():
        return [message.body for message in deliver(call, bot, [group | piece for piece in pieces])]


async def read_media(call: Call, bot: Bot, media: Any, *, album: bool) -> Json:
    """Read an InputMedia with its caption."""
    prefix = "can't parse InputMedia: "
    if not isinstance(media, dict):
        raise bad_request(f"{prefix}expected an Object")
    kind = media.get("type")
    if kind is None:
        raise bad_request(f'{prefix}Can\'t find field "type"')
    require(kind != "animation" or not album, f'{prefix}type "animation" can\'t be used in sendMediaGroup')
    require(kind in {"photo", "video", "animation", "audio", "document"}, f'{prefix}type "{kind}" is unsupported')
    given = media.get("media")
    file: File | None = await file_of(call, bot, kind, "", given) if isinstance(given, str) and given else None
    if file is None:
        raise bad_request(f"{prefix}media not found")
    named = media.get("cover")
    cover = await file_of(call, bot, "photo", "", named) if kind == "video" and isinstance(named, str) else None
    thumbnail = await thumbnail_of(call, bot, "", str(media.get("thumbnail") or ""))
    spoiler = {"has_media_spoiler": True} if media.get("has_spoiler") is True else {}
    return contents.media_content(kind, file, media, cover, thumbnail) | contents.captioned_media(media) | spoiler


async def thumbnail_of(call: Call, bot: Bot, field: str, given: str) -> File | None:
    """Find the thumbnail of a file. Only an upload counts: other files cannot be reused as one."""
    is_upload = given.startswith("attach://") or (not given and field in call.files)
    return await file_of(call, bot, "photo", field, given) if is_upload else None


def deliver(call: Call, bot: Bot, pieces: list[Json]) -> list[Message]:
    """Write messages into the chat that a call names, if the bot may and is within its limits."""
    chat = chat_of(call, bot, "write")
    check_may_send(call, bot, chat)
    _check_pace(call, bot, chat, len(pieces))
    extra = _thread(call) | _reply(call, bot, chat)
    if flag_of(call, "protect_content"):
        extra["has_protected_content"] = True
    silent = flag_of(call, "disable_notification")
    written = [write(call.world, chat, bot, bot, extra | piece, silent=silent) for piece in pieces]
    for message in written:
        tell(call.world, chat, bot, message)
    return written


def check_may_send(call: Call, bot: Bot, chat: Chat | User) -> None:
    if isinstance(chat, Chat) and chat.kind == "channel" and not is_admin(call.world, bot, chat, "can_post_messages"):
        raise refusal("permission_missing")


def _check_pace(call: Call, bot: Bot, chat: Chat | User, count: int) -> None:
    """Enforce twenty messages a minute in one group or channel and thirty a second in total."""
    world = call.world
    if isinstance(chat, Chat):
        recent = world.store.find(Message, parent=room_of(chat, bot), newest_first=True, limit=2 * _IN_ROOM.most)
        wait = _IN_ROOM.wait(ages_of(world, (one.made for one in recent if one.sender == bot.id)), count)
        if wait:
            raise Refused(too_fast(wait))
    if not all(world.allow(f"send:{bot.id}", _PER_SECOND, 1.0) for _ in range(count)):
        raise Refused(too_fast(1))


def _thread(call: Call) -> Json:
    number = number_of(call, "message_thread_id")
    return {"message_thread_id": number} if number > 0 else {}


def _reply(call: Call, bot: Bot, chat: Chat | User) -> Json:
    given = value_of(call, "reply_parameters", "reply parameters")
    if given is None:
        number = number_of(call, "reply_to_message_id")
        given = {"message_id": number} if number else {}
        given["allow_sending_without_reply"] = flag_of(call, "allow_sending_without_reply")
    if not isinstance(given, dict):
        raise bad_request("object expected as reply parameters")
    wanted = whole(given.get("message_id"))
    if not wanted:
        return {}
    if find_message(call.world, chat, bot, wanted) is None:
        if given.get("allow_sending_without_reply") is True:
            return {}
        raise refusal("reply_not_found")
    quote = {"quote": {"text": given["quote"], "position": 0, "is_manual": True}} if given.get("quote") else {}
    return as_reply(call.world, chat, bot, wanted) | quote


def send_chat_action(call: Call, bot: Bot) -> bool:
    require(text_of(call, "action").lower() in _ACTIONS, "wrong parameter action in request")
    chat_of(call, bot, "write")
    return True


METHODS: dict[str, Sync | Async] = {
    "sendMessage": _sender(contents.text_content),
    "sendLocation": _sender(contents.location_content),
    "sendVenue": _sender(contents.venue_content),
    "sendContact": _sender(contents.contact_content),
    "sendPoll": _sender(poll_content),
    "sendDice": _sender(contents.dice_content),
    "sendPhoto": _media_sender("photo"),
    "sendVideo": _media_sender("video"),
    "sendAnimation": _media_sender("animation"),
    "sendAudio": _media_sender("audio"),
    "sendVoice": _media_sender("voice"),
    "sendDocument": _media_sender("document"),
    "sendSticker": _media_sender("sticker"),
    "sendVideoNote": _media_sender("video_note"),
    "sendMediaGroup": send_media_group,
    "sendChatAction": send_chat_action,
}
