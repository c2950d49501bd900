from socialgate.core.egress import EgressClient


class MediaHttpClient(EgressClient):
    """The client that fetches the files of posts: its policy differs from that of hooks."""
