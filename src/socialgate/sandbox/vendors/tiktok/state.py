"""What the simulated TikTok remembers."""

from datetime import datetime

from socialgate.sandbox.kit import Thing


class Creator(Thing):
    """A TikTok account. `id` is its open_id, as this one app knows it."""

    union_id: str
    username: str
    name: str
    bio: str
    about: str
    verified: bool = False
    private: bool = False
    # A word of the platform's when it does not let the account post: the code that creator_info then answers.
    blocked: str = ""
    followers: int = 0
    following: int = 0
    likes: int = 0
    longest_video: int = 600
    comment_off: bool = False
    duet_off: bool = False
    stitch_off: bool = False
    gone: bool = False


class Code(Thing):
    redirect_uri: str
    scopes: list[str]
    made: datetime
    challenge: str
    spent: bool = False


class AccessToken(Thing):
    scopes: list[str]
    expires: datetime


class RefreshToken(Thing):
    scopes: list[str]
    expires: datetime


class ClientToken(Thing):
    expires: datetime
