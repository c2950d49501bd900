"""How many people read a channel. That is all the Bot API counts: there are no statistics."""

from zoneinfo import ZoneInfo

from socialgate_sandbox.kit import World
from socialgate_sandbox.society.audiences import Audiences
from socialgate_sandbox.society.growth import Piece
from socialgate_sandbox.society.metrics import Metrics, counts
from socialgate_sandbox.vendors.telegram.state import Chat, Message

_CHANNELS = Audiences(
    Chat,
    lambda chat: chat.subscribers if chat.kind == "channel" else None,
    lambda world, chat: [Piece(one.id, one.made) for one in world.store.find(Message, parent=chat.id)],
)
CHANNEL_METRICS = Metrics(_CHANNELS, counts(joined="follows", left="unfollows"), zone=ZoneInfo("UTC"))


def member_count(world: World, chat: Chat) -> int:
    audience = _CHANNELS(world, chat.id)
    return chat.subscribers if audience is None else audience.followers()
