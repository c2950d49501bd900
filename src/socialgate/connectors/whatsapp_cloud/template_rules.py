"""What every template that is sent must contain, whichever template it is. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from socialgate.contracts.template_components import (
    Template,
    TemplateBody,
    TemplateButton,
    TemplateCard,
    TemplateCarousel,
    TemplateComponent,
    TemplateHeader,
)
from socialgate.contracts.template_parameters import HeaderParameter, TemplateFile, TemplateText, TextParameter
from socialgate.core.errors import Fault
from socialgate.core.field_error_codes import FieldErrorCode

# Of one text in a header, and of one in a body that is not alone.
_MAX_TEXT_LENGTHS: Final = {TemplateHeader: 60, TemplateBody: 1024}
_MAX_LONE_TEXT_LENGTH: Final = 32_768
# WhatsApp rejects these in the value of a placeholder.
_FORBIDDEN_WHITESPACE_PATTERN: Final = re.compile(r"[\n\r\t]| {5}")
_LINK_OR_ID_DETAIL: Final = "Set either `link`, the URL of the file, or `id`, WhatsApp's id of an uploaded file."
# Which parameters each kind of button takes.
_PARAMETER_TYPES_BY_BUTTON_TYPE: Final[Mapping[str, tuple[str, ...]]] = {
    "quick_reply": ("payload",),
    "url": ("text",),
    "copy_code": ("coupon_code",),
    "voice_call": ("ttl_minutes", "payload"),
    **dict.fromkeys(("flow", "catalog", "mpm", "spm", "order_details", "app"), ("action",)),
}

Parameter: TypeAlias = msgspec.Struct


def get_parameter_type(parameter: Parameter) -> str:
    """Return the `type` of a component or parameter."""
    return str(parameter.__struct_config__.tag)


def validate_template(template: Template) -> Iterator[Fault]:
    """Find what no template accepts."""
    return _component_faults("/template/components", template.components)


def _component_faults(at: str, components: Sequence[TemplateComponent]) -> Iterator[Fault]:
    yield from _validate_unique_components(at, components)
    for place, component in enumerate(components):
        pointer = f"{at}/{place}"
        match component:
            case TemplateHeader() | TemplateBody():
                is_short = isinstance(component, TemplateHeader) or len(components) > 1
                most = _MAX_TEXT_LENGTHS[type(component)] if is_short else _MAX_LONE_TEXT_LENGTH
                yield from _parameter_faults(f"{pointer}/parameters", component.parameters, most)
            case TemplateButton():
                yield from _button_faults(pointer, component)
            case TemplateCarousel():
                yield from _card_faults(f"{pointer}/cards", component.cards)


def _validate_unique_components(at: str, components: Sequence[TemplateComponent]) -> Iterator[Fault]:
    """Find components that can only occur once, and do so twice: buttons by their position, all others by type."""
    seen: set[str] = set()
    for place, component in enumerate(components):
        is_button = isinstance(component, TemplateButton)
        name = f"button {component.index}" if isinstance(component, TemplateButton) else get_parameter_type(component)
        if name in seen:
            detail = f"There are two components for {name}. Keep one of them."
            yield Fault(f"{at}/{place}/index" if is_button else f"{at}/{place}", "duplicate", detail)
        seen.add(name)


def _card_faults(at: str, cards: Sequence[TemplateCard]) -> Iterator[Fault]:
    seen: set[int] = set()
    for place, card in enumerate(cards):
        if card.card_index in seen:
            detail = f"There are two cards {card.card_index}. Number the cards from 0, each once."
            yield Fault(f"{at}/{place}/card_index", "duplicate", detail)
        seen.add(card.card_index)
        yield from _component_faults(f"{at}/{place}/components", card.components)


def _parameter_faults(at: str, value: Sequence[HeaderParameter], most: int) -> Iterator[Fault]:
    if len({name is None for name in map(get_parameter_name, value)}) > 1:
        yield Fault(at, "contradiction", "Name all parameters with `parameter_name`, or none.")
    for place, item in enumerate(value):
        content = getattr(item, get_parameter_type(item))
        if isinstance(content, TemplateFile) and (content.id is None) is (content.link is None):
            code: FieldErrorCode = "required" if content.id is None else "contradiction"
            yield Fault(f"{at}/{place}/{get_parameter_type(item)}", code, _LINK_OR_ID_DETAIL)
        elif isinstance(item, TemplateText):
            yield from _text_faults(f"{at}/{place}/text", item.text, most)


def _text_faults(at: str, text: str, most: int) -> Iterator[Fault]:
    """Texts of automations are only complete now: what fills them in may be empty, or long."""
    if not text.strip():
        yield Fault(at, "required", "WhatsApp does not accept an empty text here. Write something.")
    elif len(text) > most:
        yield Fault(at, "too_long", f"It has {len(text)} characters, but {most:,} are allowed.")
    elif _FORBIDDEN_WHITESPACE_PATTERN.search(text):
        yield Fault(at, "invalid", "WhatsApp accepts no line breaks, tabs or five spaces in a row here. Use one space.")


def _button_faults(at: str, button: TemplateButton) -> Iterator[Fault]:
    takes = _PARAMETER_TYPES_BY_BUTTON_TYPE[button.sub_type]
    for place, parameter in enumerate(button.parameters):
        if get_parameter_type(parameter) not in takes:
            detail = f"A button of the kind `{button.sub_type}` takes a parameter of the type `{'` or `'.join(takes)}`."
            yield Fault(f"{at}/parameters/{place}/type", "wrong_type", detail)
        elif isinstance(parameter, TemplateText):
            yield from _text_faults(f"{at}/parameters/{place}/text", parameter.text, _MAX_LONE_TEXT_LENGTH)
    if len(button.parameters) > len(takes):
        detail = f"A button of the kind `{button.sub_type}` takes {len(takes)} of them, not {len(button.parameters)}."
        yield Fault(f"{at}/parameters", "too_many", detail)


def get_parameter_name(parameter: HeaderParameter | TextParameter) -> str | None:
    """Return the name of the placeholder that a parameter is for; None if it has none."""
    return getattr(parameter, "parameter_name", None)
