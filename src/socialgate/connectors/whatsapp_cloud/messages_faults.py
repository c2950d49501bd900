"""What WhatsApp would refuse of a message, found before it is sent."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from socialgate.connectors.message_checks import file_faults, long_fault, long_faults, twin_faults
from socialgate.connectors.whatsapp_cloud.manifest import MANIFEST
from socialgate.contracts.messages import MessageType, NewMessage
from socialgate.contracts.platforms import Kind
from socialgate.core.errors import Fault

_RULES = MANIFEST.of(Kind.WHATSAPP_CLOUD).media
_TEXTS = {MessageType.TEXT: 4096, MessageType.IMAGE: 1024, MessageType.VIDEO: 1024, MessageType.DOCUMENT: 1024}
_BODY, _LIST_BODY = 1024, 4096
_MOST_BUTTONS, _MOST_ROWS = 3, 10
_BUTTON = {"title": 20, "id": 256}
_HEAD = {"header": 60, "footer": 60, "button": 20}
_ROW = {"id": 200, "title": 24, "description": 72}
_PARAMETER = {"header": 60, "body": 1024}
_ALONE = 32_768

# Buttons of a message, each with its pointer.
Buttons = Sequence[tuple[str, Mapping[str, Any]]]


def faults_of(new: NewMessage) -> Iterator[Fault]:
    buttons, most = buttons_of(new), _TEXTS.get(new.type, 0)
    if new.text and not most:
        yield Fault("/text", "not_supported", f"A message of type `{new.type}` has no text of its own on WhatsApp.")
    elif not new.text.strip() and (new.type is MessageType.TEXT or buttons):
        yield Fault("/text", "required", "WhatsApp takes no empty text, and no buttons without one.")
    else:
        yield from long_fault("/text", new.text, min(most, _BODY) if buttons else most)
    if new.media is not None:
        # Whether a sticker moves is not known here: those that do may be larger.
        rule = _RULES["animatedSticker" if new.type is MessageType.STICKER else new.type]
        yield from file_faults("WhatsApp", new.media, rule.mime_types, rule.max_bytes)
    if buttons and not most:
        yield Fault(buttons[0][0].rpartition("/")[0], "not_supported", "These have no buttons on WhatsApp.")
    yield from _buttons(buttons)
    if new.type is MessageType.INTERACTIVE:
        yield from _interactive(new.data)
    elif new.type is MessageType.TEMPLATE:
        yield from _template(new.data.get("components") or [])
    elif new.type is MessageType.REACTION and new.reply_to:
        yield Fault("/replyTo", "contradiction", "A reaction answers nothing: it names its message itself.")


def buttons_of(new: NewMessage) -> Buttons:
    return [
        (f"{at}/{place}", {"title": one.title, "id": one.id, "url": one.url})
        for at, given in (("/quickReplies", new.quick_replies), ("/buttons", new.buttons))
        for place, one in enumerate(given)
    ]


def _buttons(buttons: Buttons) -> Iterator[Fault]:
    if len(buttons) > _MOST_BUTTONS:
        at = buttons[0][0].rpartition("/")[0]
        yield Fault(at, "too_many", f"WhatsApp shows {_MOST_BUTTONS} buttons. Send a list for more.")
    for at, one in buttons:
        yield from long_faults(at, one, _BUTTON)
        if one.get("url") and len(buttons) > 1:
            yield Fault(f"{at}/url", "not_supported", "A button that opens an address stands alone on WhatsApp.")
    for name in _BUTTON:
        yield from twin_faults((f"{at}/{name}", one.get(name) or one["title"]) for at, one in buttons)


def _interactive(data: Mapping[str, Any]) -> Iterator[Fault]:
    buttons, sections = data.get("buttons") or [], data.get("sections") or []
    if bool(buttons) is bool(sections):
        yield Fault("/interactive", "contradiction", "Give either `buttons` or `sections`.")
    yield from long_fault("/interactive/body", data["body"], _LIST_BODY if sections else _BODY)
    yield from long_faults("/interactive", data, _HEAD)
    yield from _buttons([(f"/interactive/buttons/{place}", one) for place, one in enumerate(buttons)])
    if sections:
        yield from _list(data, [(f"/interactive/sections/{place}", one) for place, one in enumerate(sections)])


def _list(data: Mapping[str, Any], sections: Buttons) -> Iterator[Fault]:
    if not data.get("button"):
        yield Fault("/interactive/button", "required", "Say what the button that opens the list is called.")
    for at, section in sections:
        yield from long_faults(at, section, {"title": _ROW["title"]})
        if len(sections) > 1 and not section.get("title"):
            yield Fault(f"{at}/title", "required", "Where there are several sections, each has a title.")
    rows = [(f"{at}/rows/{place}", row) for at, one in sections for place, row in enumerate(one["rows"])]
    if len(rows) > _MOST_ROWS:
        yield Fault("/interactive/sections", "too_many", f"A list has {_MOST_ROWS} rows, in all its sections.")
    for at, row in rows:
        yield from long_faults(at, row, _ROW)
    yield from twin_faults((f"{at}/id", row["id"]) for at, row in rows)


def _template(components: Sequence[Mapping[str, Any]]) -> Iterator[Fault]:
    for place, one in enumerate(components):
        at, kind = f"/template/components/{place}", str(one.get("type") or "").lower()
        for name in ("type", "sub_type", "index") if kind == "button" else ("type",):
            if one.get(name) in {None, ""}:
                yield Fault(
                    f"{at}/{name}", "required", "A component has a `type`; a button `sub_type` and `index` too."
                )
        most = _PARAMETER.get(kind, _ALONE) if len(components) > 1 or kind == "header" else _ALONE
        yield from _parameters(f"{at}/parameters", one.get("parameters") or [], most)


def _parameters(at: str, given: Any, most: int) -> Iterator[Fault]:
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        yield Fault(at, "wrong_type", "The parameters are a list of objects.")
        return
    if len({"parameter_name" in one for one in given}) > 1:
        yield Fault(at, "contradiction", "Name all parameters with `parameter_name`, or none.")
    for place, one in enumerate(given):
        kind = one.get("type")
        value = one.get(kind) if isinstance(kind, str) else None
        if kind == "text" and isinstance(value, str):
            yield from long_fault(f"{at}/{place}/text", value, most)
        elif value in (None, "", {}):
            # Whatever a parameter is, it stands under the name of its type: {"type": "image", "image": {...}}.
            yield Fault(f"{at}/{place}", "required", "A parameter has a `type`, and a field of that name.")
