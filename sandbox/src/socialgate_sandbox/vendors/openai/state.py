"""The things of OpenAI: an organization with its key, what it generated, and its video jobs."""

from datetime import datetime

from socialgate_sandbox.kit import Thing
from socialgate_sandbox.kit.media import Media

ORGANIZATION = "org-AdasBakerySandbox"
# What the next prompts, texts and videos are to become, chosen with verbs: the owners of `kit.lifecycle.PostFate`.
PROMPTS, TEXTS, VIDEOS = (f"{ORGANIZATION} {what}" for what in ("prompts", "texts", "videos"))


class Organization(Thing):
    """`slug` is how headers name it. Its key is the secret of the app, and works unless it is revoked."""

    name: str
    slug: str
    revoked: bool = False
    exhausted: bool = False


class Generation(Thing):
    """Something that was generated, for people to see. A video has the id of its job."""

    kind: str
    at: datetime
    model: str
    prompt: str
    text: str = ""
    media: list[Media] = []
    facts: dict[str, str] = {}


class Video(Thing):
    """A job. It is done when it is `ready`, and then ends with the `failure`, if any."""

    model: str
    prompt: str
    seconds: str
    size: str
    made: datetime
    ready: datetime
    picture: str
    failure: str = ""
    file: str = ""
