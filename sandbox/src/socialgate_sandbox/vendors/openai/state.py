"""The things of OpenAI: an organization with its key, what it generated, and its video jobs."""

from datetime import datetime

import msgspec

from socialgate_sandbox.kit import StoredObject
from socialgate_sandbox.kit.media import Media

ORGANIZATION_ID = "org-AdasBakerySandbox"
# What the next prompts, texts and videos are to become, chosen with verbs: the owners of `kit.lifecycle.PostFate`.
PROMPT_FATE_OWNER, TEXT_FATE_OWNER, VIDEO_FATE_OWNER = (
    f"{ORGANIZATION_ID} {label}" for label in ("prompts", "texts", "videos")
)


class Organization(StoredObject):
    """`slug` is how headers name it. Its key is the secret of the app, and works unless it is revoked."""

    name: str
    slug: str
    revoked: bool = False
    exhausted: bool = False


class Generation(StoredObject):
    """Something that was generated, for people to see. A video has the id of its job."""

    kind: str
    at: datetime
    model: str
    prompt: str
    text: str = ""
    media: list[Media] = []
    facts: dict[str, str] = {}


class Video(StoredObject):
    """A job. It is done when it is `ready`, and then ends with the `failure`, if any."""

    model: str
    prompt: str
    seconds: str
    size: str
    created_at: datetime = msgspec.field(name="made")
    ready: datetime
    picture: str
    failure: str = ""
    file: str = ""
