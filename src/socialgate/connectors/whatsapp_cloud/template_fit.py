"""Whether what is sent fits the template of the account. What the template does not say is left to WhatsApp. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from socialgate.connectors.whatsapp_cloud.template_rules import get_parameter_name, get_parameter_type
from socialgate.contracts.template_components import (
    Template,
    TemplateBody,
    TemplateButton,
    TemplateCarousel,
    TemplateComponent,
    TemplateHeader,
    TemplateLimitedTimeOffer,
)
from socialgate.contracts.template_parameters import HeaderParameter, TextParameter
from socialgate.contracts.templates import MessageTemplateView
from socialgate.core.errors import Fault
from socialgate.core.field_error_codes import FieldErrorCode

_PLACEHOLDER_PATTERN = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_NON_TEXT_HEADER_TYPES: Final = frozenset({"image", "video", "gif", "document", "location", "product"})
# How the buttons of templates are called when they are sent. One-time passwords are sent like the end of a URL.
_SUB_TYPES_BY_BUTTON_TYPE: Final[Mapping[str, tuple[str, ...]]] = {
    **{kind.upper(): (kind,) for kind in ("quick_reply", "url", "copy_code", "flow", "catalog", "mpm", "spm", "app")},
    **{kind.upper(): (kind,) for kind in ("order_details", "voice_call")},
    "OTP": ("url", "copy_code"),
    "PHONE_NUMBER": (),
}
# These always need a value, others only if they have a placeholder.
_BUTTON_TYPES_NEEDING_VALUE: Final = frozenset({"COPY_CODE", "MPM", "OTP"})


class TemplateButtonPayload(msgspec.Struct, frozen=True):
    type: str = ""
    url: str | None = None

    @property
    def has_placeholder(self) -> bool:
        return bool(_PLACEHOLDER_PATTERN.search(self.url or ""))

    @property
    def needs_value(self) -> bool:
        return self.type in _BUTTON_TYPES_NEEDING_VALUE or self.has_placeholder


class TemplateOfferPayload(msgspec.Struct, frozen=True):
    has_expiration: bool | None = None


class TemplateCardPayload(msgspec.Struct, frozen=True):
    components: list["TemplateComponentPayload"] = []


class TemplateComponentPayload(msgspec.Struct, frozen=True):
    """A component of a template, as far as it is compared."""

    type: str = ""
    format: str | None = None
    text: str | None = None
    buttons: list[TemplateButtonPayload] | None = None
    cards: list[TemplateCardPayload] | None = None
    limited_time_offer: TemplateOfferPayload | None = None

    @property
    def header_format(self) -> str | None:
        """What a header is; None if that is unknown."""
        return self.format.lower() if self.format else None if self.text is None else "text"

    @property
    def placeholders(self) -> list[str]:
        return list(dict.fromkeys(_PLACEHOLDER_PATTERN.findall(self.text or "")))


def validate_template_fit(template: Template, known: MessageTemplateView) -> list[Fault]:
    """Compare what is sent with the template."""
    try:
        written = msgspec.convert(known.components, list[TemplateComponentPayload], strict=False)
    except msgspec.ValidationError:
        return []
    named = known.parameter_format == "NAMED"
    return list(
        _TemplateFitValidator(written, named=named).validate_components("/template/components", template.components)
    )


class _TemplateFitValidator:
    """The components of a template, or of one of its cards. `of` names what has them in sentences."""

    def __init__(self, written: Sequence[TemplateComponentPayload], *, named: bool, value: str = "template") -> None:
        self._parts = {written_part.type.upper(): written_part for written_part in written}
        self._named = named
        self._of = value
        self._buttons = self._parts["BUTTONS"].buttons or [] if "BUTTONS" in self._parts else []

    def validate_components(self, at: str, value: Sequence[TemplateComponent]) -> Iterator[Fault]:
        for place, item in enumerate(value):
            yield from self._validate_component(f"{at}/{place}", item)
        yield from self._validate_required_components(at, value)

    def _validate_component(self, at: str, item: TemplateComponent) -> Iterator[Fault]:
        match item:
            case TemplateHeader() | TemplateBody() | TemplateCarousel() | TemplateLimitedTimeOffer():
                name = get_parameter_type(item)
                part = self._parts.get(name.upper())
                if part is None:
                    detail = f"The {self._of} has no {name.replace('_', ' ')}. Remove this component."
                    yield Fault(at, "not_supported", detail)
                elif isinstance(item, TemplateCarousel):
                    yield from self._card_faults(f"{at}/cards", item, part.cards)
                elif isinstance(item, TemplateHeader | TemplateBody):
                    yield from self._validate_text_or_file(f"{at}/parameters", item, part)
            case TemplateButton():
                yield from self._button_faults(at, item)

    def _validate_text_or_file(
        self, at: str, item: TemplateHeader | TemplateBody, part: TemplateComponentPayload
    ) -> Iterator[Fault]:
        form = part.header_format if isinstance(item, TemplateHeader) else "text"
        if form in _NON_TEXT_HEADER_TYPES:
            if [get_parameter_type(each) for each in item.parameters] != [form]:
                detail = f"The header of the {self._of} needs exactly one parameter, of the type `{form}`."
                yield Fault(at, "wrong_type", detail)
        elif form == "text" and part.text is not None:
            words = f"The {get_parameter_type(item)} of the {self._of}"
            strange = [
                place
                for place, each in enumerate(item.parameters)
                if get_parameter_type(each) in _NON_TEXT_HEADER_TYPES
            ]
            for place in strange:
                yield Fault(f"{at}/{place}/type", "wrong_type", f"{words} is a text. Send a parameter of type text.")
            if not strange:
                yield from self._placeholder_faults(at, item.parameters, part.placeholders, words)

    def _placeholder_faults(
        self, at: str, value: Sequence[HeaderParameter | TextParameter], values: Sequence[str], words: str
    ) -> Iterator[Fault]:
        if self._named:
            yield from _validate_parameter_names(at, [get_parameter_name(item) for item in value], values, words)
            return
        for place in (place for place, item in enumerate(value) if get_parameter_name(item) is not None):
            detail = "The placeholders of this template are numbered. Remove the name, and keep their order."
            yield Fault(f"{at}/{place}/parameter_name", "not_supported", detail)
        if len(value) != len(values):
            sent = _format_count_with_verb(len(value), "parameter")
            have = f"{words} has {_format_count(len(values), 'placeholder')}, but there {sent}."
            code: FieldErrorCode = "too_many" if len(value) > len(values) else "required"
            yield Fault(at, code, f"{have} Send one for each, in the same order.")

    def _button_faults(self, at: str, template_button: TemplateButton) -> Iterator[Fault]:
        place, count = int(template_button.index), len(self._buttons)
        if place >= count:
            last = f"It has {_format_count(count, 'button')}: use an index up to {count - 1}."
            detail = last if count else "It has no buttons: remove this component."
            yield Fault(f"{at}/index", "out_of_range", f"The {self._of} has no button {place}. {detail}")
            return
        button = self._buttons[place]
        sent_as = _SUB_TYPES_BY_BUTTON_TYPE.get(button.type.upper())
        if sent_as is None:
            return
        if template_button.sub_type not in sent_as:
            remedy = f"Use `{sent_as[0]}`." if sent_as else "It takes no value: remove this component."
            detail = f"Button {place} of the {self._of} is of the type {button.type}. {remedy}"
            yield Fault(f"{at}/sub_type", "wrong_type", detail)
        elif button.needs_value and not template_button.parameters:
            yield Fault(f"{at}/parameters", "required", f"Button {place} of the {self._of} needs a parameter.")
        elif button.type.upper() == "URL" and template_button.parameters and not button.has_placeholder:
            detail = f"The URL of button {place} has no placeholder. Remove this component."
            yield Fault(f"{at}/parameters", "not_supported", detail)

    def _card_faults(
        self, at: str, template_carousel: TemplateCarousel, written: Sequence[TemplateCardPayload] | None
    ) -> Iterator[Fault]:
        if not written:
            return
        fits = [_TemplateFitValidator(card.components, named=self._named, value="card") for card in written]
        # Of product cards, the template only has a pattern: a message may have more.
        is_pattern = fits[0].shows_products
        if len(template_carousel.cards) != len(written) and not is_pattern:
            detail = (
                f"The template has {_format_count(len(written), 'card')}, but there "
                f"{_format_count_with_verb(len(template_carousel.cards), 'card')}."
            )
            yield Fault(at, "invalid", f"{detail} Send one for each.")
        for place, card in enumerate(template_carousel.cards):
            if card.card_index < len(fits) or is_pattern:
                fit = fits[card.card_index] if card.card_index < len(fits) else fits[0]
                yield from fit.validate_components(f"{at}/{place}/components", card.components)
            else:
                detail = f"The template has no card {card.card_index}: the last one is {len(fits) - 1}."
                yield Fault(f"{at}/{place}/card_index", "out_of_range", detail)

    @property
    def shows_products(self) -> bool:
        return "HEADER" in self._parts and self._parts["HEADER"].header_format == "product"

    def _validate_required_components(self, at: str, value: Sequence[TemplateComponent]) -> Iterator[Fault]:
        """Find what the template needs and was not given at all."""
        there = {get_parameter_type(item) for item in value}
        for name in (name for name in ("header", "body", "carousel", "limited_time_offer") if name not in there):
            part = self._parts.get(name.upper())
            if part is not None and (why := _explain_why_required(name, part)):
                detail = f"The {name.replace('_', ' ')} of the {self._of} {why}. Add a component of the type `{name}`."
                yield Fault(at, "required", detail)
        pressed = {int(item.index) for item in value if isinstance(item, TemplateButton)}
        for place, button in enumerate(self._buttons):
            if button.needs_value and place not in pressed:
                names = _SUB_TYPES_BY_BUTTON_TYPE.get(button.type.upper()) or (button.type.lower(),)
                needed = f'`type` "button", `sub_type` "{names[0]}", `index` "{place}"'
                detail = f"Button {place} of the {self._of} needs a value. Add one with {needed} and a parameter."
                yield Fault(at, "required", detail)


def _explain_why_required(name: str, part: TemplateComponentPayload) -> str:
    """Say why a part cannot be omitted; empty if it can."""
    match name:
        case "carousel":
            return "has cards" if part.cards else ""
        case "limited_time_offer":
            offer = part.limited_time_offer
            return "" if offer is not None and offer.has_expiration is False else "needs the time when it ends"
        case "header" if part.header_format in _NON_TEXT_HEADER_TYPES:
            return f"is of the type {part.header_format}"
        case _:
            count = len(part.placeholders)
            return f"has {_format_count(count, 'placeholder')}" if count else ""


def _validate_parameter_names(
    at: str, value: Sequence[str | None], values: Sequence[str], words: str
) -> Iterator[Fault]:
    names = f": {', '.join(values)}" if values else ""
    have = f"{words} has {_format_count(len(values), 'placeholder')}{names}."
    wrong = 0
    for place, name in enumerate(value):
        pointer = f"{at}/{place}/parameter_name"
        if name is None:
            yield Fault(pointer, "required", f"{have} Set `parameter_name` to the one that this is for.")
        elif name not in values:
            yield Fault(pointer, "unknown_placeholder", f"There is no placeholder {name}. {have}")
        elif name in value[:place]:
            yield Fault(pointer, "duplicate", f"The placeholder {name} occurs twice. {have}")
        else:
            continue
        wrong += 1
    missing = [name for name in values if name not in value]
    # Each wrong one may be meant for one of those that are missing.
    if len(missing) > wrong:
        yield Fault(at, "required", f"{have} Missing: {', '.join(missing)}.")


def _format_count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _format_count_with_verb(number: int, word: str) -> str:
    return f"{'is' if number == 1 else 'are'} {_format_count(number, word)}"
