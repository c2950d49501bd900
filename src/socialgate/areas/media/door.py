from socialgate.core.egress import Door


class MediaDoor(Door):
    """The door through which files of posts are fetched: its policy is not that of hooks."""
