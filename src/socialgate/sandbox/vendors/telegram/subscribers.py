"""How many people read a channel. That is all the Bot API counts: there are no statistics."""

from zoneinfo import ZoneInfo

from socialgate.sandbox.kit import World
from socialgate.sandbox.society.growth import Audience, Piece
from socialgate.sandbox.society.metrics import Metrics, counts
from socialgate.sandbox.vendors.telegram.state import Chat, Message


def channel_audience(world: World, key: str) -> Audience | None:
    chat = world.store.get(Chat, key)
    if chat is None or chat.kind != "channel":
        return None
    pieces = [Piece(message.id, message.made) for message in world.store.find(Message, parent=key)]
    return Audience(key, chat.subscribers, world.began, world.clock.now(), pieces)


def member_count(world: World, chat: Chat) -> int:
    audience = channel_audience(world, chat.id)
    return chat.subscribers if audience is None else audience.followers()


CHANNEL_METRICS = Metrics(channel_audience, counts(joined="follows", left="unfollows"), zone=ZoneInfo("UTC"))
