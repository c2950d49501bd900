"""What is in a channel or group, as its members see it (an album is one post), and what people say to bots."""

from collections.abc import Iterator

from socialgate_sandbox.kit import Person, ShownComment, ShownMedia, ShownMessage, ShownPost, World, given
from socialgate_sandbox.kit.media import shown
from socialgate_sandbox.vendors.telegram.contents import MEDIA_KINDS, files_in
from socialgate_sandbox.vendors.telegram.files import File
from socialgate_sandbox.vendors.telegram.shapes import anybody_json
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, Json, Message, User, room_of, user_of


def chat_feed(world: World, chat: str) -> Iterator[ShownPost]:
    posts: dict[str, list[Message]] = {}
    for message in world.store.find(Message, parent=chat):
        if "pinned_message" in message.body:
            continue
        posts.setdefault(message.body.get("media_group_id", str(message.number)), []).append(message)
    return (_post(world, pieces) for pieces in reversed(posts.values()))


def _post(world: World, pieces: list[Message]) -> ShownPost:
    first = pieces[0]
    body = first.body
    kind = next((kind for kind in MEDIA_KINDS if kind in body), "message")
    chat = world.store.get(Chat, first.parent)
    return ShownPost(
        id=str(first.number),
        kind="album" if len(pieces) > 1 else kind,
        at=first.made,
        text=body.get("text") or body.get("caption") or "",
        media=[media for piece in pieces for media in _media(world, piece.body)],
        facts=_facts(first, [piece.number for piece in pieces]),
        comments=[
            ShownComment(id=by, author=str(anybody_json(world, by)["first_name"]), text=emoji, at=first.made)
            for by, emoji in first.reactions.items()
        ],
        url=f"https://t.me/{chat.username}/{first.number}" if chat is not None and chat.username else "",
    )


def chat(world: World, account: str, person: Person) -> Iterator[ShownMessage]:
    """Show what a person and a bot say to each other, or what is said in a group."""
    bot, user = world.store.get(Bot, account), user_of(world, person.key)
    room = account if bot is None or user is None else room_of(user, bot)
    return (_message(world, one) for one in world.store.find(Message, parent=room, newest_first=True))


def _message(world: World, one: Message) -> ShownMessage:
    writer, body = world.store.get(User, one.sender), one.body
    rows = body.get("reply_markup", {}).get("inline_keyboard", [])
    return ShownMessage(
        id=str(one.number),
        at=one.made,
        author=str(anybody_json(world, one.sender)["first_name"]) if writer is None else _name(writer),
        by_account=writer is None,
        person="" if writer is None else writer.parent,
        text=body.get("text") or body.get("caption") or _place(body),
        media=_media(world, body),
        # Bots never learn whether their messages were read.
        state="sent" if writer is None else "",
        reply_to=str(body.get("reply_to_message", {}).get("message_id", "")),
        reactions=list(one.reactions.values()),
        buttons=[button["text"] for row in rows for button in row if "callback_data" in button],
        edited="edit_date" in body,
    )


def _name(user: User) -> str:
    return f"{user.first_name} {user.last_name}".strip()


def _place(body: Json) -> str:
    """Describe in words what is not text."""
    if "pinned_message" in body:
        return f"Pinned message {body['pinned_message']['message_id']}"
    if "poll" in body:
        return str(body["poll"]["question"])
    if "location" in body:
        return f"{body['location']['latitude']}, {body['location']['longitude']}"
    return str(body["contact"]["first_name"]) if "contact" in body else ""


def _facts(message: Message, numbers: list[int]) -> Json:
    body = message.body
    return given(
        message_ids=numbers,
        entities=body.get("entities") or body.get("caption_entities"),
        disable_notification=message.silent or None,
        protect_content=body.get("has_protected_content"),
        show_caption_above_media=body.get("show_caption_above_media"),
        link_preview_options=body.get("link_preview_options"),
        message_thread_id=body.get("message_thread_id"),
        reply_to_message_id=body.get("reply_to_message", {}).get("message_id"),
        inline_keyboard=body.get("reply_markup", {}).get("inline_keyboard"),
    )


def _media(world: World, body: Json) -> list[ShownMedia]:
    cover = body.get("video", {}).get("cover")
    found = world.store.get_all(File, files_in(body))
    shot = world.store.get(File, cover[-1]["file_id"]) if cover else None
    return [shown(file.media, name=file.name, cover=None if shot is None else shot.media) for file in found]
