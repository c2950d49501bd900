"""Who sees a YouTube channel."""

from collections.abc import Iterator

from socialgate_sandbox.kit import VendorContext
from socialgate_sandbox.society.audience_growth import PostActivity
from socialgate_sandbox.society.audiences import AudienceReader
from socialgate_sandbox.society.comments import list_visible_comments
from socialgate_sandbox.vendors.google.state import Video, VideoComment, YouTubeChannel
from socialgate_sandbox.vendors.google.youtube.video_metadata import is_public

_SUBSCRIBER_DIGITS = 3


def _iterate_public_videos(context: VendorContext, channel: YouTubeChannel) -> Iterator[PostActivity]:
    for video in context.store.find(Video, parent=channel.id):
        if is_public(context, video):
            comments = list_visible_comments(context, VideoComment, video.id)
            yield PostActivity(video.id, video.published, tuple(comment.created_at for comment in comments))


CHANNEL_AUDIENCES = AudienceReader(YouTubeChannel, lambda channel: channel.subscribers, _iterate_public_videos)


def get_channel_counts(context: VendorContext, channel_id: str) -> dict[str, int]:
    """Return the current counts of a channel. YouTube rounds its subscribers down to three digits."""
    channel, audience = context.store.get(YouTubeChannel, channel_id), CHANNEL_AUDIENCES(context, channel_id)
    if channel is None or audience is None:
        return {}
    subscribers = str(audience.count_followers())
    return {
        "viewCount": channel.views + audience.count_since_start("views"),
        "subscriberCount": int(subscribers[:_SUBSCRIBER_DIGITS].ljust(len(subscribers), "0")),
        "videoCount": context.store.count(Video, parent=channel_id),
    }
