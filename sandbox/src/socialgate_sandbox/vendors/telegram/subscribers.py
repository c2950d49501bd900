"""How many people read a channel. That is all the Bot API counts: there are no statistics."""

from zoneinfo import ZoneInfo

from socialgate_sandbox.kit import VendorContext
from socialgate_sandbox.society.audience_growth import PostActivity
from socialgate_sandbox.society.audiences import AudienceReader
from socialgate_sandbox.society.platform_metrics import PlatformMetrics, declare_counts
from socialgate_sandbox.vendors.telegram.state import Chat, Message

_CHANNEL_AUDIENCES = AudienceReader(
    Chat,
    lambda chat: chat.subscribers if chat.kind == "channel" else None,
    lambda world, chat: [
        PostActivity(message.id, message.created_at) for message in world.store.find(Message, parent=chat.id)
    ],
)
CHANNEL_METRICS = PlatformMetrics(
    _CHANNEL_AUDIENCES, declare_counts(joined="follows", left="unfollows"), zone=ZoneInfo("UTC")
)


def count_members(context: VendorContext, chat: Chat) -> int:
    audience = _CHANNEL_AUDIENCES(context, chat.id)
    return chat.subscribers if audience is None else audience.count_followers()
