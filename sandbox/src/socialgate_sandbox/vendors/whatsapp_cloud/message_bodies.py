"""The bodies of messages, as far as they are validated. Unknown members are ignored, as the platform does."""

from typing import Any, TypeVar

import msgspec

from socialgate_sandbox.kit import CallRefusedError
from socialgate_sandbox.vendors.whatsapp_cloud.errors import build_messaging_error

BodyT = TypeVar("BodyT")


class TextBody(msgspec.Struct):
    body: str


class Location(msgspec.Struct):
    latitude: float
    longitude: float
    name: str | None = None


class Reaction(msgspec.Struct):
    message_id: str
    emoji: str = ""


class Attachment(msgspec.Struct):
    """Media: either a stored id or a link."""

    id: str = ""
    link: str = ""
    caption: str = ""


class ContactCard(msgspec.Struct):
    name: dict[str, Any] | None = None


class ReplyButton(msgspec.Struct):
    reply: dict[str, Any] | None = None


class ListSection(msgspec.Struct):
    rows: list[dict[str, Any]] = []


class InteractiveAction(msgspec.Struct):
    """`button` is the label that opens a list."""

    button: str = ""
    buttons: list[ReplyButton] = []
    sections: list[ListSection] = []


class Interactive(msgspec.Struct):
    type: str
    action: InteractiveAction
    body: dict[str, Any] | None = None


class TemplateLanguage(msgspec.Struct):
    code: str


class TemplateComponent(msgspec.Struct):
    """A component of a template that is sent. `index` is the position of a button."""

    type: str
    parameters: list[dict[str, Any]] = []
    sub_type: str = ""
    index: int = 0


class TemplateBody(msgspec.Struct):
    name: str
    language: TemplateLanguage
    components: list[TemplateComponent] = []


class TemplateDefinitionComponent(msgspec.Struct):
    """A component of a template in a create request."""

    type: str
    text: str = ""
    format: str = ""
    example: dict[str, Any] = {}
    buttons: list[dict[str, Any]] = []


def convert_body(value: Any, type_: type[BodyT], parameter_name: str) -> BodyT:
    """Convert a part of a message, or reject it as the platform does."""
    try:
        return msgspec.convert(value, type_, strict=False)
    except msgspec.ValidationError as error:
        missing = "missing required field" in str(error) or value is None
        code, title = (131008, "Required parameter is missing") if missing else (131009, "Parameter value is not valid")
        raise CallRefusedError(build_messaging_error(code, title, f"{parameter_name}: {error}")) from error
