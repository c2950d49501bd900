"""What is in a channel or group, as its members see it (an album is one post), and what people say to bots."""

from collections.abc import Iterator

from socialgate_sandbox.kit import CommentView, MediaView, MessageView, Person, PostView, VendorContext, drop_empty
from socialgate_sandbox.kit.media import build_media_view
from socialgate_sandbox.vendors.telegram.api_objects import build_bot_or_user_json
from socialgate_sandbox.vendors.telegram.files import File
from socialgate_sandbox.vendors.telegram.message_contents import MEDIA_KINDS, list_file_ids
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, Json, Message, User, find_user, get_conversation_id


def read_feed(context: VendorContext, chat: str) -> Iterator[PostView]:
    posts: dict[str, list[Message]] = {}
    for message in context.store.find(Message, parent=chat):
        if "pinned_message" in message.body:
            continue
        posts.setdefault(message.body.get("media_group_id", str(message.number)), []).append(message)
    return (_build_post_view(context, pieces) for pieces in reversed(posts.values()))


def _build_post_view(context: VendorContext, messages: list[Message]) -> PostView:
    first = messages[0]
    body = first.body
    kind = next((kind for kind in MEDIA_KINDS if kind in body), "message")
    chat = context.store.get(Chat, first.parent)
    return PostView(
        id=str(first.number),
        kind="album" if len(messages) > 1 else kind,
        at=first.created_at,
        text=body.get("text") or body.get("caption") or "",
        media=[media for piece in messages for media in _build_media_views(context, piece.body)],
        facts=_build_facts(first, [piece.number for piece in messages]),
        comments=[
            CommentView(
                id=by, author=str(build_bot_or_user_json(context, by)["first_name"]), text=emoji, at=first.created_at
            )
            for by, emoji in first.reactions.items()
        ],
        url=f"https://t.me/{chat.username}/{first.number}" if chat is not None and chat.username else "",
    )


def read_chat(context: VendorContext, account: str, person: Person) -> Iterator[MessageView]:
    """Show what a person and a bot say to each other, or what is said in a group."""
    bot, user = context.store.get(Bot, account), find_user(context, person.key)
    room = account if bot is None or user is None else get_conversation_id(user, bot)
    return (
        _build_message_view(context, message) for message in context.store.find(Message, parent=room, newest_first=True)
    )


def _build_message_view(context: VendorContext, message: Message) -> MessageView:
    writer, body = context.store.get(User, message.sender), message.body
    rows = body.get("reply_markup", {}).get("inline_keyboard", [])
    return MessageView(
        id=str(message.number),
        at=message.created_at,
        author=str(build_bot_or_user_json(context, message.sender)["first_name"])
        if writer is None
        else _format_user_name(writer),
        by_account=writer is None,
        person="" if writer is None else writer.parent,
        text=body.get("text") or body.get("caption") or _describe_non_text(body),
        media=_build_media_views(context, body),
        # Bots never learn whether their messages were read.
        state="sent" if writer is None else "",
        reply_to=str(body.get("reply_to_message", {}).get("message_id", "")),
        reactions=list(message.reactions.values()),
        buttons=[button["text"] for row in rows for button in row if "callback_data" in button],
        edited="edit_date" in body,
    )


def _format_user_name(user: User) -> str:
    return f"{user.first_name} {user.last_name}".strip()


def _describe_non_text(body: Json) -> str:
    """Describe in words what is not text."""
    if "pinned_message" in body:
        return f"Pinned message {body['pinned_message']['message_id']}"
    if "poll" in body:
        return str(body["poll"]["question"])
    if "location" in body:
        return f"{body['location']['latitude']}, {body['location']['longitude']}"
    return str(body["contact"]["first_name"]) if "contact" in body else ""


def _build_facts(message: Message, numbers: list[int]) -> Json:
    body = message.body
    return drop_empty(
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


def _build_media_views(context: VendorContext, body: Json) -> list[MediaView]:
    cover = body.get("video", {}).get("cover")
    files = context.store.get_all(File, list_file_ids(body))
    shot = context.store.get(File, cover[-1]["file_id"]) if cover else None
    return [build_media_view(file.media, name=file.name, cover=None if shot is None else shot.media) for file in files]
