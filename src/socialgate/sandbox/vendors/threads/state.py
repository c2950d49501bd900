"""The state of the simulated Threads: profiles, and what they granted the app."""

from datetime import datetime

from socialgate.sandbox.kit import Thing


class Profile(Thing):
    username: str
    name: str
    biography: str = ""
    is_verified: bool = False
    followers_count: int = 0
    about: str = ""


class Grant(Thing):
    """What a profile granted, for 90 days from the last sign-in or refresh. The id is the profile's."""

    scopes: list[str]
    renewed: datetime


class Code(Thing):
    """The code issued by the authorization window; its parent is the profile."""

    redirect_uri: str
    made: datetime
    used: bool = False


class Token(Thing):
    """An access token of a profile (the parent). `dead` is a key of the graph's `DEAD`."""

    issued: datetime
    expires: datetime
    long_lived: bool = False
    dead: str = ""


class Webhook(Thing):
    """The app's webhook, as set in its dashboard; the id is `app`."""

    callback_url: str
    verify_token: str
