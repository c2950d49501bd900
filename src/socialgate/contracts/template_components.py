"""Templates that are sent: their parts, and the values of these.

Like the parameters in them, the components of a template are in WhatsApp's own format. `type` says what a component is.
"""

from typing import Annotated, Any, TypeAlias

from msgspec import Meta, field

from socialgate.contracts.template_parameters import (
    ButtonKind,
    ButtonParameter,
    HeaderParameter,
    ShortText,
    TaggedWhatsappObject,
    TemplateImage,
    TemplateOfferEnd,
    TemplateOrderState,
    TemplateTapTarget,
    TemplateText,
    TextParameter,
    WhatsappObject,
)
from socialgate.core.shapes import RequestBody

_BUTTON_INDEX_DESCRIPTION = "The position of the button in the template, from 0."

ButtonIndex = Annotated[int, Meta(ge=0, le=9)]


class TemplateHeader(TaggedWhatsappObject, frozen=True, kw_only=True, tag="header"):
    """The header: the placeholder of its text, or its file, location or product."""

    parameters: Annotated[list[HeaderParameter], Meta(max_length=10)] = field(default_factory=list)
    """The value of the header."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "header", "parameters": [TemplateImage.example()]}


class TemplateBody(TaggedWhatsappObject, frozen=True, kw_only=True, tag="body"):
    """The placeholders of the text: all in order, or each with its `parameter_name`."""

    parameters: Annotated[list[TextParameter], Meta(max_length=100)] = field(default_factory=list)
    """The values of the placeholders."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "body", "parameters": [TemplateText.example(), {"type": "text", "text": "77"}]}


class TemplateButton(TaggedWhatsappObject, frozen=True, kw_only=True, tag="button"):
    """A button: `url` takes a text, `quick_reply` a payload, `copy_code` a coupon code, `voice_call` minutes and a
    payload, and the others an action.
    """

    sub_type: ButtonKind
    """What kind of button it is in the template."""
    index: Annotated[
        ButtonIndex | Annotated[str, Meta(pattern=r"^[0-9]$(?!\n)")], Meta(description=_BUTTON_INDEX_DESCRIPTION)
    ]
    parameters: Annotated[list[ButtonParameter], Meta(max_length=10)] = field(default_factory=list)
    """The value of the button."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "type": "button",
            "sub_type": "url",
            "index": 0,
            "parameters": [{"type": "text", "text": "orders/77"}],
        }


CardComponent: TypeAlias = TemplateHeader | TemplateBody | TemplateButton


class TemplateCard(WhatsappObject, frozen=True, kw_only=True):
    """A card of a carousel. `card_index` is its position in the template, from 0."""

    card_index: ButtonIndex
    """The position of the card in the template, from 0."""
    components: Annotated[list[CardComponent], Meta(max_length=10)] = field(default_factory=list)
    """The values of the card: its header, body and buttons."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"card_index": 0, "components": [TemplateHeader.example()]}


class TemplateCarousel(TaggedWhatsappObject, frozen=True, kw_only=True, tag="carousel"):
    """The cards of a carousel, all that the template has."""

    cards: Annotated[list[TemplateCard], Meta(min_length=1, max_length=10)]
    """The cards, as many as the template has."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "carousel", "cards": [TemplateCard.example()]}


class TemplateLimitedTimeOffer(TaggedWhatsappObject, frozen=True, kw_only=True, tag="limited_time_offer"):
    """The offer, for a template that has one."""

    parameters: Annotated[list[TemplateOfferEnd], Meta(min_length=1, max_length=1)]
    """When the offer ends, exactly one."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "limited_time_offer", "parameters": [TemplateOfferEnd.example()]}


class TemplateOrderStatus(TaggedWhatsappObject, frozen=True, kw_only=True, tag="order_status"):
    """The status of an order, for a template that reports it."""

    parameters: Annotated[list[TemplateOrderState], Meta(min_length=1, max_length=1)]
    """The order and its new status, exactly one."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "order_status", "parameters": [TemplateOrderState.example()]}


class TemplateTapTargets(TaggedWhatsappObject, frozen=True, kw_only=True, tag="tap_target_configuration"):
    """What opens when somebody taps the message, for a template with an image."""

    parameters: Annotated[list[TemplateTapTarget], Meta(min_length=1, max_length=1)]
    """What opens, exactly one."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "tap_target_configuration", "parameters": [TemplateTapTarget.example()]}


TemplateComponent: TypeAlias = (
    TemplateHeader
    | TemplateBody
    | TemplateButton
    | TemplateCarousel
    | TemplateLimitedTimeOffer
    | TemplateOrderStatus
    | TemplateTapTargets
)


class Template(RequestBody, frozen=True, kw_only=True):
    """An approved template. `components` contains the values of its placeholders, in WhatsApp's own format."""

    name: ShortText
    """The name of the template, from `GET /accounts/{accountId}/whatsapp/templates`."""
    language: Annotated[str, Meta(min_length=2, max_length=20)]
    """The language code of the template, such as `en_US`."""
    components: Annotated[list[TemplateComponent], Meta(max_length=20)] = field(default_factory=list)
    """One object for each part of the template that needs a value."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "order_ready", "language": "en_US", "components": [TemplateBody.example()]}
