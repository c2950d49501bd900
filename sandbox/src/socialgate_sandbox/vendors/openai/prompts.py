"""What a conversation says: texts and pictures, in the shapes of Chat Completions and of Responses."""

import re
from base64 import b64decode
from binascii import Error as BinasciiError
from collections.abc import Sequence
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Literal, TypeVar

import msgspec

from socialgate_sandbox.kit import Call, CallRefusedError, VendorContext, probe_media
from socialgate_sandbox.kit.post_processing import take_post_fate
from socialgate_sandbox.kit.text_generation import TextRequest
from socialgate_sandbox.vendors.openai.errors import build_invalid_param_response
from socialgate_sandbox.vendors.openai.state import TEXT_FATE_OWNER

_DATA_URL_PATTERN = re.compile(r"data:image/(?:png|jpe?g|gif|webp);base64,(.*)", re.DOTALL)
_MAX_PICTURE_BYTES = 50 << 20
IMAGE_TOKENS = 85
# What follows up on an earlier message does not name the subject again.
_FOLLOW_UP_PATTERN = re.compile(r"\b(?:another|the same|once more|again|otro|un autre|noch ein)\b", re.IGNORECASE)
T = TypeVar("T")


class ImageUrl(msgspec.Struct, frozen=True):
    url: str
    detail: str = "auto"


class ContentPart(msgspec.Struct, frozen=True):
    type: Literal[
        "text", "image_url", "input_text", "input_image", "output_text", "refusal", "input_audio", "input_file", "file"
    ]
    text: str = ""
    image_url: str | ImageUrl | None = None


class Message(msgspec.Struct, frozen=True):
    role: Literal["developer", "system", "user", "assistant", "tool", "function"] = "user"
    content: str | list[ContentPart] | None = None

    @property
    def text(self) -> str:
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        return "\n".join(part.text for part in self.content if part.text)

    @property
    def image_urls(self) -> list[str]:
        parts = self.content if isinstance(self.content, list) else []
        result = [part.image_url for part in parts if part.image_url is not None]
        return [item if isinstance(item, str) else item.url for item in result]


class Prompt(msgspec.Struct, frozen=True):
    """`last_user_message` is the last message of the user, `topic_message` the one that says what it is about.

    `system_messages` are the messages of the program, which strangers cannot write.
    """

    last_user_message: str
    topic_message: str
    full_prompt: str
    system_messages: str
    image_count: int

    @classmethod
    def from_messages(cls, messages: Sequence[Message], instructions: str = "") -> "Prompt":
        payload = [message.text for message in messages if message.role == "user"] or [""]
        subject = next((text for text in reversed(payload) if not _FOLLOW_UP_PATTERN.search(text)), payload[0])
        rules = "\n".join([instructions, *(message.text for message in messages if message.role != "assistant")])
        own = [message.text for message in messages if message.role in {"system", "developer"}]
        pictures = sum(len(message.image_urls) for message in messages)
        return cls(payload[-1], subject, rules.strip(), "\n".join([instructions, *own]).strip(), pictures)

    def build_text_request(self, call: Call) -> TextRequest:
        """Turn it into what is to be written; the same request gets the same words."""
        with call.context.store.transaction():
            overrun = take_post_fate(call.context, TEXT_FATE_OWNER).failure == "overrun"
        spoken = _extract_json_texts(self.topic_message)
        request = spoken or self.topic_message or ("this picture" if self.image_count else "")
        orders = self.system_messages if spoken else self.full_prompt
        return TextRequest(
            request, self.full_prompt, sha256(call.body).digest(), overrun, answers=bool(spoken), instructions=orders
        )


def _extract_json_texts(text: str) -> str:
    """Return the words in a message that is a JSON object, as programs pass on what people wrote."""
    try:
        result = msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        return ""
    return " ".join(value for value in result.values() if isinstance(value, str))


async def validate_images(context: VendorContext, messages: Sequence[Message]) -> None:
    """Refuse pictures that cannot be downloaded or are none."""
    for place, message in enumerate(messages):
        for url in message.image_urls:
            if not await _is_valid_image(context, url):
                reported_message = (
                    f"Invalid image at 'messages[{place}]': it cannot be downloaded, or is not a valid image."
                )
                raise CallRefusedError(
                    build_invalid_param_response(reported_message, f"messages[{place}].content", "invalid_image_url")
                )


async def _is_valid_image(context: VendorContext, url: str) -> bool:
    data = _DATA_URL_PATTERN.fullmatch(url)
    if data is not None:
        try:
            return probe_media(b64decode(data[1], validate=True)).width > 0
        except BinasciiError:
            return False
    if not url.startswith(("http://", "https://")):
        return False
    fetched_response = await context.fetch(url, _MAX_PICTURE_BYTES)
    # What is out of the sandbox's reach is assumed to be there.
    return fetched_response is None or (
        fetched_response.status == HTTPStatus.OK and probe_media(fetched_response.body).width > 0
    )


def convert_input(value: Any, type_: type[T], param: str) -> T:
    """Convert a part of the input, whose place is `param`."""
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        raise CallRefusedError(
            build_invalid_param_response(f"Invalid '{param}': {error}.", param, "invalid_type")
        ) from None
