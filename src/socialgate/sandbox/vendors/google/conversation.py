"""Comments on videos, by viewers through the controls and by channels through the API."""

from socialgate.sandbox.kit import World, text
from socialgate.sandbox.vendors.google.state import Ban, Video, VideoComment, YouTubeChannel


def write(world: World, video: Video, author: str, said: str, thread: str = "") -> VideoComment:
    """Add a comment, or a reply to a thread. Those of a banned author are rejected immediately."""
    key = f"{thread}.{text(22)}" if thread else f"Ug{text(24)}"
    status = "rejected" if world.store.get(Ban, f"{video.parent} {author}") else "published"
    now = world.clock.now()
    made = VideoComment(id=key, parent=video.id, author=author, text=said, made=now, thread=thread, status=status)
    return world.store.put(made)


def remove(world: World, comment: VideoComment) -> None:
    """Delete a comment, and with a thread its replies."""
    for one in (comment, *replies_to(world, comment)):
        world.store.delete(VideoComment, one.id)


def replies_to(world: World, thread: VideoComment) -> list[VideoComment]:
    """List the replies to a comment, newest first."""
    found = world.store.find(VideoComment, parent=thread.parent, newest_first=True)
    return [one for one in found if one.thread == thread.id]


def public_ids(world: World, video: str) -> set[str]:
    """Whether a comment is public: a thread that is held or rejected hides its replies."""
    found = world.store.find(VideoComment, parent=video)
    hidden = {one.id for one in found if one.status != "published"}
    return {one.id for one in found if not {one.id, one.thread} & hidden}


def author_name(world: World, comment: VideoComment) -> str:
    channel = world.store.get(YouTubeChannel, comment.author)
    return channel.handle if channel is not None else comment.author
