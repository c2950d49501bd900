"""Who sees a YouTube channel or a location on the map."""

from datetime import datetime
from zlib import crc32

from socialgate.sandbox.kit import World
from socialgate.sandbox.society.growth import Audience, Piece
from socialgate.sandbox.vendors.google import metadata
from socialgate.sandbox.vendors.google.conversation import public_ids
from socialgate.sandbox.vendors.google.state import Location, Video, VideoComment, YouTubeChannel

_DIGITS = 3


def published_at(video: Video) -> datetime:
    return video.publish_at or video.made


def channel_audience(world: World, key: str) -> Audience | None:
    channel = world.store.get(YouTubeChannel, key)
    return None if channel is None else audience_of(world, channel)


def audience_of(world: World, channel: YouTubeChannel) -> Audience:
    videos = world.store.find(Video, parent=channel.id)
    seen = [one for one in videos if metadata.privacy_of(world, one) == "public" and not one.ending]
    pieces = [Piece(one.id, published_at(one), _comments(world, one.id)) for one in seen]
    return Audience(channel.id, channel.subscribers, world.began, world.clock.now(), pieces)


def channel_counts(world: World, key: str) -> dict[str, int]:
    """Return the current counts of a channel. YouTube rounds its subscribers down to three digits."""
    channel = world.store.get(YouTubeChannel, key)
    if channel is None:
        return {}
    audience = audience_of(world, channel)
    subscribers = str(audience.followers())
    return {
        "viewCount": channel.views + audience.gained("views"),
        "subscriberCount": int(subscribers[:_DIGITS].ljust(len(subscribers), "0")),
        "videoCount": world.store.count(Video, parent=key),
    }


def _comments(world: World, video: str) -> tuple[datetime, ...]:
    shown = public_ids(world, video)
    return tuple(one.made for one in world.store.find(VideoComment, parent=video) if one.id in shown)


def count_of(world: World, video: Video, metric: str) -> int:
    audience = channel_audience(world, video.parent)
    return 0 if audience is None else audience.total_of(video.id, metric)


def place_audience(world: World, key: str) -> Audience | None:
    """Return the people who live around a verified location; their number is derived from its id."""
    place = world.store.get(Location, key)
    if place is None or not place.verified:
        return None
    return Audience(place.id, 400 + crc32(place.id.encode()) % 1600, world.began, world.clock.now())
