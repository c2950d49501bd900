"""What a conversation says: texts and pictures, in the shapes of Chat Completions and of Responses."""

import re
from base64 import b64decode
from binascii import Error as BinasciiError
from collections.abc import Sequence
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Literal, TypeVar

import msgspec

from socialgate_sandbox.kit import Call, Refused, World, probe
from socialgate_sandbox.kit.copywriting import Brief
from socialgate_sandbox.kit.lifecycle import next_fate
from socialgate_sandbox.vendors.openai.errors import wrong
from socialgate_sandbox.vendors.openai.state import TEXTS

_DATA = re.compile(r"data:image/(?:png|jpe?g|gif|webp);base64,(.*)", re.DOTALL)
_LARGEST_PICTURE = 50 << 20
PICTURE_TOKENS = 85
# What follows up on an earlier message does not name the subject again.
_FOLLOWS_UP = re.compile(r"\b(?:another|the same|once more|again|otro|un autre|noch ein)\b", re.IGNORECASE)
T = TypeVar("T")


class Picture(msgspec.Struct, frozen=True):
    url: str
    detail: str = "auto"


class Part(msgspec.Struct, frozen=True):
    type: Literal[
        "text", "image_url", "input_text", "input_image", "output_text", "refusal", "input_audio", "input_file", "file"
    ]
    text: str = ""
    image_url: str | Picture | None = None


class Message(msgspec.Struct, frozen=True):
    role: Literal["developer", "system", "user", "assistant", "tool", "function"] = "user"
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        return "\n".join(part.text for part in self.content if part.text)

    @property
    def pictures(self) -> list[str]:
        parts = self.content if isinstance(self.content, list) else []
        found = [part.image_url for part in parts if part.image_url is not None]
        return [one if isinstance(one, str) else one.url for one in found]


class Prompt(msgspec.Struct, frozen=True):
    """`asked` is the last message of the user, `subject` the one that says what it is about.

    `system` are the messages of the program, which strangers cannot write.
    """

    asked: str
    subject: str
    rules: str
    system: str
    pictures: int

    @classmethod
    def of(cls, messages: Sequence[Message], instructions: str = "") -> "Prompt":
        said = [message.text for message in messages if message.role == "user"] or [""]
        subject = next((text for text in reversed(said) if not _FOLLOWS_UP.search(text)), said[0])
        rules = "\n".join([instructions, *(message.text for message in messages if message.role != "assistant")])
        own = [message.text for message in messages if message.role in {"system", "developer"}]
        pictures = sum(len(message.pictures) for message in messages)
        return cls(said[-1], subject, rules.strip(), "\n".join([instructions, *own]).strip(), pictures)

    def brief(self, call: Call) -> Brief:
        """Turn it into what is to be written; the same request gets the same words."""
        with call.world.store.transaction():
            overrun = next_fate(call.world, TEXTS).failure == "overrun"
        spoken = _spoken(self.subject)
        asked = spoken or self.subject or ("this picture" if self.pictures else "")
        orders = self.system if spoken else self.rules
        return Brief(asked, self.rules, sha256(call.body).digest(), overrun, answers=bool(spoken), orders=orders)


def _spoken(text: str) -> str:
    """Return the words in a message that is a JSON object, as programs pass on what people wrote."""
    try:
        found = msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        return ""
    return " ".join(value for value in found.values() if isinstance(value, str))


async def check_pictures(world: World, messages: Sequence[Message]) -> None:
    """Refuse pictures that cannot be downloaded or are none."""
    for place, message in enumerate(messages):
        for url in message.pictures:
            if not await _is_picture(world, url):
                said = f"Invalid image at 'messages[{place}]': it cannot be downloaded, or is not a valid image."
                raise Refused(wrong(said, f"messages[{place}].content", "invalid_image_url"))


async def _is_picture(world: World, url: str) -> bool:
    data = _DATA.fullmatch(url)
    if data is not None:
        try:
            return probe(b64decode(data[1], validate=True)).width > 0
        except BinasciiError:
            return False
    if not url.startswith(("http://", "https://")):
        return False
    found = await world.fetch(url, _LARGEST_PICTURE)
    # What is out of the sandbox's reach is assumed to be there.
    return found is None or (found.status == HTTPStatus.OK and probe(found.body).width > 0)


def decoded(value: Any, kind: type[T], param: str) -> T:
    """Convert a part of the input, whose place is `param`."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise Refused(wrong(f"Invalid '{param}': {error}.", param, "invalid_type")) from None
