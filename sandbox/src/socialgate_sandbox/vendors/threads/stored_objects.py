"""The state of the simulated Threads: profiles and their tokens."""

from socialgate_sandbox.dialects.graph.tokens import GraphToken
from socialgate_sandbox.kit import StoredObject


class Profile(StoredObject):
    username: str
    name: str
    biography: str = ""
    is_verified: bool = False
    followers_count: int = 0
    about: str = ""


class Token(GraphToken):
    """An access token of a profile (the parent), for what the profile's grant allows at the time of the call."""


class Webhook(StoredObject):
    """The app's webhook, as set in its dashboard; the id is `app`."""

    callback_url: str
    verify_token: str
