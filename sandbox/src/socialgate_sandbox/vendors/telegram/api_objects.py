"""Users, chats and members as the server returns them."""

from socialgate_sandbox.kit import VendorContext
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, Json, Member, User

# Every right of an administrator of a channel, in the server's order.
CHANNEL_RIGHTS = (
    "can_manage_chat",
    "can_change_info",
    "can_post_messages",
    "can_edit_messages",
    "can_delete_messages",
    "can_invite_users",
    "can_restrict_members",
    "can_promote_members",
    "can_manage_video_chats",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
    "can_manage_direct_messages",
    "can_send_welcome_messages",
    "is_anonymous",
)
GROUP_RIGHTS = (
    "can_manage_chat",
    "can_change_info",
    "can_delete_messages",
    "can_invite_users",
    "can_restrict_members",
    "can_pin_messages",
    "can_manage_topics",
    "can_promote_members",
    "can_manage_video_chats",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
    "can_manage_tags",
    "can_send_welcome_messages",
    "is_anonymous",
)
_GIFT_TYPES = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels")
_MAX_REACTIONS = 11
_ACCENT_COLOR_COUNT = 7


def build_bot_json(bot: Bot) -> Json:
    return {"id": int(bot.id), "is_bot": True, "first_name": bot.first_name, "username": bot.username}


def build_own_bot_json(bot: Bot) -> Json:
    return build_bot_json(bot) | {
        "can_join_groups": True,
        "can_read_all_group_messages": bot.reads_groups,
        "supports_inline_queries": False,
        "supports_guest_queries": False,
        "can_connect_to_business": False,
        "has_main_web_app": False,
        "has_topics_enabled": False,
        "allows_users_to_create_topics": False,
        "can_manage_bots": False,
    }


def build_user_json(user: User) -> Json:
    if user.gone:
        return {"id": int(user.id), "is_bot": False, "first_name": ""}
    return {
        "id": int(user.id),
        "is_bot": False,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "username": user.username,
        "language_code": user.language,
    }


def build_bot_or_user_json(context: VendorContext, number: str) -> Json:
    bot = context.store.get(Bot, number)
    if bot is not None:
        return build_bot_json(bot)
    user = context.store.get(User, number)
    return {"id": int(number), "is_bot": False, "first_name": ""} if user is None else build_user_json(user)


def build_chat_json(chat: Chat | User) -> Json:
    if isinstance(chat, User):
        return {
            "id": int(chat.id),
            "first_name": chat.first_name,
            "last_name": chat.last_name,
            "username": chat.username,
            "type": "private",
        }
    named = {"username": chat.username} if chat.username else {}
    return {"id": int(chat.id), "title": chat.title} | named | {"type": chat.kind}


def build_full_chat_json(chat: Chat | User) -> Json:
    """Return what `getChat` has beyond the short form."""
    body = build_chat_json(chat)
    if chat.username:
        body["active_usernames"] = [chat.username]
    if isinstance(chat, Chat) and chat.description:
        body["description"] = chat.description
    accepts = isinstance(chat, User)
    if accepts:
        body["can_send_gift"] = True
    body["accepted_gift_types"] = dict.fromkeys(_GIFT_TYPES, accepts)
    body["max_reaction_count"] = _MAX_REACTIONS
    body["accent_color_id"] = int(chat.id) % _ACCENT_COLOR_COUNT
    return body


def _has_topics(chat: Chat | User) -> bool:
    return isinstance(chat, Chat) and chat.kind == "supergroup"


def build_member_json(context: VendorContext, chat: Chat | User, member: Member) -> Json:
    body: Json = {"user": build_bot_or_user_json(context, member.user), "status": member.status}
    if member.status == "creator":
        body["is_anonymous"] = False
    elif member.status == "administrator":
        order = CHANNEL_RIGHTS if isinstance(chat, Chat) and chat.kind == "channel" else GROUP_RIGHTS
        known = [right for right in order if right != "can_manage_topics" or _has_topics(chat)]
        body |= {"can_be_edited": False} | {right: member.rights.get(right, False) for right in known}
        # Not documented any more, but the server still sends it.
        body["can_manage_voice_chats"] = body["can_manage_video_chats"]
    elif member.status == "kicked":
        body["until_date"] = 0
    return body
