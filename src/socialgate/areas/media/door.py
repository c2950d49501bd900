from socialgate.core.egress import Door


class MediaDoor(Door):
    """The client that fetches the files of posts: its policy differs from that of hooks."""
