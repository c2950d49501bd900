"""The state of the simulated TikTok."""

from datetime import datetime
from typing import Any

import msgspec

from socialgate_sandbox.kit import StoredObject
from socialgate_sandbox.kit.chunked_uploads import Transfer
from socialgate_sandbox.kit.media import Media
from socialgate_sandbox.kit.tokens import Token


class Creator(StoredObject):
    """A TikTok account. `id` is its open_id, as this one app knows it."""

    union_id: str
    username: str
    name: str
    bio: str
    about: str
    verified: bool = False
    private: bool = False
    # Set if the platform does not let the account post: the code that creator_info then returns.
    blocked: str = ""
    followers: int = 0
    following: int = 0
    likes: int = 0
    longest_video: int = 600
    comment_off: bool = False
    duet_off: bool = False
    stitch_off: bool = False
    gone: bool = False


class AccessToken(Token):
    pass


class RefreshToken(Token):
    pass


class ClientToken(Token):
    """A token of the app itself."""


class Publish(Transfer, kw_only=True):
    """What an init call started, by its publish_id. `ready` is when its processing ends, after the last byte."""

    photo: bool
    direct: bool
    pulled: bool
    info: dict[str, Any]
    created_at: datetime = msgspec.field(name="made")
    chunk_size: int = 0
    chunks: int = 0
    files: list[Media] = []
    ready: datetime | None = None
    failure: str = ""
    cancelled: bool = False
    post: str = ""


class UploadTask(StoredObject):
    """The URL that bytes are uploaded to; its parent is the publish_id."""


class Post(StoredObject):
    """A post of the account that is its parent. Others see it from `public` on, if its audience is everybody."""

    text: str
    description: str
    privacy: str
    photo: bool
    created_at: datetime = msgspec.field(name="made")
    public: datetime
    files: list[Media]
    # The app's other options, under TikTok's names.
    info: dict[str, Any] = {}
    hidden: bool = False
