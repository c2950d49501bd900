"""The state of the simulated Telegram."""

from datetime import datetime
from typing import Any, Literal

import msgspec

from socialgate_sandbox.kit import StoredObject, VendorContext

Json = dict[str, Any]
ChatKind = Literal["group", "supergroup", "channel"]
MemberStatus = Literal["creator", "administrator", "member", "left", "kicked"]

# In the order in which the server lists them. The last three are sent only if requested by name.
UPDATE_KINDS = (
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "callback_query",
    "my_chat_member",
    "business_connection",
    "business_message",
    "edited_business_message",
    "deleted_business_messages",
    "inline_query",
    "chosen_inline_result",
    "shipping_query",
    "pre_checkout_query",
    "purchased_paid_media",
    "poll",
    "poll_answer",
    "chat_join_request",
    "chat_boost",
    "removed_chat_boost",
    "chat_member",
    "message_reaction",
    "message_reaction_count",
)
DEFAULT_UPDATE_KINDS = UPDATE_KINDS[:-3]


class Webhook(msgspec.Struct, frozen=True, kw_only=True):
    url: str
    created_at: datetime = msgspec.field(name="made")
    secret: str = ""
    max_connections: int = 40
    ip_address: str = ""
    certificate: bool = False


class Bot(StoredObject, kw_only=True):
    """`parent` is the person who created it with BotFather, `secret` the part of the token after the colon."""

    secret: str
    first_name: str
    username: str
    description: str = ""
    short_description: str = ""
    # Privacy mode is off: it sees everything written in its groups.
    reads_groups: bool = False
    webhook: Webhook | None = None
    webhook_asked: datetime | None = None
    allowed: list[str] | None = None
    gone: bool = False

    @property
    def token(self) -> str:
        return f"{self.id}:{self.secret}"


class User(StoredObject, kw_only=True):
    """A person. `parent` is the key by which the sandbox knows them everywhere."""

    first_name: str
    last_name: str
    username: str
    language: str = "en"
    gone: bool = False


class Chat(StoredObject, kw_only=True):
    """A group or channel. `parent` is the person who created it."""

    kind: ChatKind
    title: str
    username: str = ""
    description: str = ""
    subscribers: int = 0
    migrated_to: str = ""
    gone: bool = False

    @property
    def noun(self) -> str:
        return f"{self.kind} chat"


class Member(StoredObject, kw_only=True):
    """A membership in a chat, `parent`. A private chat has the id of its user, and the bot's membership is stored:
    `member` once the user pressed Start, `kicked` while the user blocks the bot.
    """

    user: str
    status: MemberStatus
    rights: dict[str, bool] = {}


class Update(StoredObject, kw_only=True):
    """An update for a bot, `parent`. It is handed over once the kernel has it to send."""

    number: int
    body: Json
    created_at: datetime = msgspec.field(name="made")
    handed: bool = False


class Poll(StoredObject, kw_only=True):
    """The latest getUpdates call of the bot with this id: it ends the one before."""

    number: int


class Message(StoredObject, kw_only=True):
    """`parent` is its room: a chat, or a user and a bot in a private chat. `body` is what the bots see."""

    number: int
    sender: str
    body: Json
    created_at: datetime = msgspec.field(name="made")
    # It was sent silently.
    silent: bool = False
    # One per user or bot, by id.
    reactions: dict[str, str] = {}


class Setting(StoredObject, kw_only=True):
    """Something that a bot, `parent`, set for clients. The id says what, for whom and in which language."""

    value: Any


class Pins(StoredObject, kw_only=True):
    """The numbers of the pinned messages of a room, whose name is the id, newest last."""

    numbers: list[int]


def get_conversation_id(chat: Chat | User, bot: Bot) -> str:
    return f"{chat.id}:{bot.id}" if isinstance(chat, User) else chat.id


def find_member(context: VendorContext, chat: str, user: str) -> Member | None:
    return context.store.get(Member, f"{chat}:{user}")


def set_member(
    context: VendorContext, chat: str, user: str, status: MemberStatus, rights: dict[str, bool] | None = None
) -> Member:
    return context.store.put(
        Member(id=f"{chat}:{user}", parent=chat, user=user, status=status, rights=dict(rights or {}))
    )


def find_user(context: VendorContext, key: str) -> User | None:
    """Find a person by the sandbox's key or by Telegram's id."""
    return context.store.get(User, key) or next(iter(context.store.find(User, parent=key)), None)
