"""Who sees a YouTube channel."""

from collections.abc import Iterator

from socialgate_sandbox.kit import World
from socialgate_sandbox.society.audiences import Audiences
from socialgate_sandbox.society.comments import visible_on
from socialgate_sandbox.society.growth import Piece
from socialgate_sandbox.vendors.google.state import Video, VideoComment, YouTubeChannel
from socialgate_sandbox.vendors.google.youtube.metadata import is_public

_DIGITS = 3


def _public_videos(world: World, channel: YouTubeChannel) -> Iterator[Piece]:
    for video in world.store.find(Video, parent=channel.id):
        if is_public(world, video):
            comments = visible_on(world, VideoComment, video.id)
            yield Piece(video.id, video.published, tuple(one.made for one in comments))


CHANNELS = Audiences(YouTubeChannel, lambda channel: channel.subscribers, _public_videos)


def channel_counts(world: World, key: str) -> dict[str, int]:
    """Return the current counts of a channel. YouTube rounds its subscribers down to three digits."""
    channel, audience = world.store.get(YouTubeChannel, key), CHANNELS(world, key)
    if channel is None or audience is None:
        return {}
    subscribers = str(audience.followers())
    return {
        "viewCount": channel.views + audience.gained("views"),
        "subscriberCount": int(subscribers[:_DIGITS].ljust(len(subscribers), "0")),
        "videoCount": world.store.count(Video, parent=key),
    }
