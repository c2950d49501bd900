"""The parameters of a template: what fills in its placeholders, in WhatsApp's own format.

The names of fields are WhatsApp's: what works in its documentation works here. `type` says what a parameter is.
"""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from socialgate.core.shapes import RequestBody

_PARAMETER_NAME_DESCRIPTION = "The name of the placeholder, if the template has named ones."
_FILE_LINK_DESCRIPTION = "Where WhatsApp fetches the file: a public URL."
_FILE_ID_DESCRIPTION = "WhatsApp's id of an uploaded file, instead of `link`."

ShortText = Annotated[str, Meta(min_length=1, max_length=300)]
LongText = Annotated[str, Meta(min_length=1, max_length=32_768)]
ParameterName = Annotated[str, Meta(min_length=1, max_length=100, description=_PARAMETER_NAME_DESCRIPTION)]
Link = Annotated[str, Meta(pattern="^https?://", max_length=2048)]


class WhatsappObject(RequestBody, frozen=True, kw_only=True, rename="lower", omit_defaults=True):
    """An object in WhatsApp's own format. What was omitted is not sent."""


class TaggedWhatsappObject(WhatsappObject, frozen=True, kw_only=True, tag_field="type"):
    """One that its `type` tells apart from others."""


class TemplateText(TaggedWhatsappObject, frozen=True, kw_only=True, tag="text"):
    """A text for a placeholder; for a button with a URL, the end of the URL."""

    text: LongText
    """The value of the placeholder."""
    parameter_name: ParameterName | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "text", "text": "Ana"}


class CurrencyAmount(WhatsappObject, frozen=True, kw_only=True):
    """An amount. `fallback_value` is shown if it cannot be localized; `amount_1000` is the amount times 1,000."""

    fallback_value: ShortText
    """What is shown if the amount cannot be localized, such as `$100.99`."""
    code: Annotated[str, Meta(pattern="^[A-Z]{3}$")]
    """The currency, as an ISO 4217 code."""
    amount_1000: Annotated[int, Meta(ge=0, le=10**15)]
    """The amount times 1,000: 100990 is 100.99."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"fallback_value": "$100.99", "code": "USD", "amount_1000": 100_990}


class TemplateCurrency(TaggedWhatsappObject, frozen=True, kw_only=True, tag="currency"):
    """An amount for a placeholder."""

    currency: CurrencyAmount
    """The amount, and how it is shown."""
    parameter_name: ParameterName | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "currency", "currency": CurrencyAmount.example()}


class DisplayDateTime(WhatsappObject, frozen=True, kw_only=True):
    """A time as it is shown. WhatsApp does not localize it."""

    fallback_value: ShortText
    """The time as it is shown, such as `February 25, 2027`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"fallback_value": "February 25, 2027"}


class TemplateDateTime(TaggedWhatsappObject, frozen=True, kw_only=True, tag="date_time"):
    """A time for a placeholder."""

    date_time: DisplayDateTime
    """The time, as the person sees it."""
    parameter_name: ParameterName | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "date_time", "date_time": DisplayDateTime.example()}


class TemplateFile(WhatsappObject, frozen=True, kw_only=True):
    """A file: its URL, or WhatsApp's id of it. `filename` is for documents."""

    link: Annotated[Link, Meta(description=_FILE_LINK_DESCRIPTION)] | None = None
    id: Annotated[str, Meta(min_length=1, max_length=100, description=_FILE_ID_DESCRIPTION)] | None = None
    filename: ShortText | None = None
    """The name that people see, for documents."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"link": "https://bakery.example/bread.jpg"}


class TemplateImage(TaggedWhatsappObject, frozen=True, kw_only=True, tag="image"):
    """The image of a header."""

    image: TemplateFile
    """The image to show, by its URL or id."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "image", "image": TemplateFile.example()}


class TemplateVideo(TaggedWhatsappObject, frozen=True, kw_only=True, tag="video"):
    """The video of a header."""

    video: TemplateFile
    """The video to show, by its URL or id."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "video", "video": {"link": "https://bakery.example/bread.mp4"}}


class TemplateGif(TaggedWhatsappObject, frozen=True, kw_only=True, tag="gif"):
    """The animation of a header."""

    gif: TemplateFile
    """The animation, as an MP4 video."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "gif", "gif": {"link": "https://bakery.example/bread-loop.mp4"}}


class TemplateDocument(TaggedWhatsappObject, frozen=True, kw_only=True, tag="document"):
    """The document of a header."""

    document: TemplateFile
    """The document to attach, by its URL or id."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "document", "document": {"link": "https://bakery.example/bill.pdf", "filename": "bill.pdf"}}


class TemplatePlace(WhatsappObject, frozen=True, kw_only=True):
    """A location on the map."""

    latitude: Annotated[float, Meta(ge=-90, le=90)]
    """In degrees; north is positive."""
    longitude: Annotated[float, Meta(ge=-180, le=180)]
    """In degrees; east is positive."""
    name: ShortText | None = None
    """The name of the place."""
    address: ShortText | None = None
    """The address of the place."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"latitude": -12.05, "longitude": -77.03, "name": "Shop", "address": "Jirón de la Unión 300, Lima"}


class TemplateLocation(TaggedWhatsappObject, frozen=True, kw_only=True, tag="location"):
    """The location of a header."""

    location: TemplatePlace
    """The location to show on a map."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "location", "location": TemplatePlace.example()}


class CatalogProduct(WhatsappObject, frozen=True, kw_only=True):
    """A product of a catalog. `product_retailer_id` is your own id of it."""

    product_retailer_id: ShortText
    """Your own id of the product."""
    catalog_id: ShortText
    """WhatsApp's id of the catalog."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"product_retailer_id": "bread-1", "catalog_id": "194836987003835"}


class TemplateProduct(TaggedWhatsappObject, frozen=True, kw_only=True, tag="product"):
    """The product of a header."""

    product: CatalogProduct
    """The product of the catalog to show."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "product", "product": CatalogProduct.example()}


class TemplatePayload(TaggedWhatsappObject, frozen=True, kw_only=True, tag="payload"):
    """What you receive when somebody presses a quick reply."""

    payload: Annotated[str, Meta(min_length=1, max_length=1_000)]
    """Comes back in the `data` of the reply when the person taps the button."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "payload", "payload": "order-77-late"}


class TemplateCouponCode(TaggedWhatsappObject, frozen=True, kw_only=True, tag="coupon_code"):
    """The code that a button copies."""

    coupon_code: Annotated[str, Meta(min_length=1, max_length=100)]
    """The code to copy."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "coupon_code", "coupon_code": "BREAD25"}


class SectionProduct(WhatsappObject, frozen=True, kw_only=True):
    """A product in a section, by your own id."""

    product_retailer_id: ShortText
    """Your own id of the product."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"product_retailer_id": "bread-1"}


class ProductSection(WhatsappObject, frozen=True, kw_only=True):
    """Products with a common title."""

    product_items: Annotated[list[SectionProduct], Meta(min_length=1, max_length=30)]
    """The products, in order."""
    title: ShortText | None = None
    """A heading above the products."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"title": "Bread", "product_items": [SectionProduct.example()]}


class ButtonAction(WhatsappObject, frozen=True, kw_only=True):
    """What a button opens: a flow, a catalog, products, or an order to pay."""

    flow_token: ShortText | None = None
    """For a flow: identifies this use of it, and comes back with the answers."""
    flow_action_data: dict[str, Any] | None = None
    """For a flow: the data of its first screen."""
    thumbnail_product_retailer_id: ShortText | None = None
    """For a catalog: the product whose image is shown, by your own id."""
    sections: Annotated[list[ProductSection], Meta(min_length=1, max_length=10)] | None = None
    """For products: which ones, in sections."""
    order_details: dict[str, Any] | None = None
    """For an order to pay: the order, in WhatsApp's own format."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"flow_token": "order-77", "flow_action_data": {"size": "large"}}


class TemplateAction(TaggedWhatsappObject, frozen=True, kw_only=True, tag="action"):
    """The action of a button that opens a flow, a catalog, products, or an order to pay."""

    action: ButtonAction
    """What the button opens."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "action", "action": ButtonAction.example()}


class TemplateCallTime(TaggedWhatsappObject, frozen=True, kw_only=True, tag="ttl_minutes"):
    """For how many minutes a button can be used to call."""

    ttl_minutes: Annotated[int, Meta(ge=1, le=43_200)]
    """In minutes; at most 30 days."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "ttl_minutes", "ttl_minutes": 1440}


class OfferEnd(WhatsappObject, frozen=True, kw_only=True):
    """When an offer ends, in milliseconds since 1970."""

    expiration_time_ms: Annotated[int, Meta(ge=0)]
    """In milliseconds since 1970, UTC."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"expiration_time_ms": 1_794_735_000_000}


class TemplateOfferEnd(TaggedWhatsappObject, frozen=True, kw_only=True, tag="limited_time_offer"):
    """When the offer of a template ends."""

    limited_time_offer: OfferEnd
    """When the offer ends."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "limited_time_offer", "limited_time_offer": OfferEnd.example()}


class OrderState(WhatsappObject, frozen=True, kw_only=True):
    """The new status of an order that was sent with `order_details`."""

    reference_id: ShortText
    """The `reference_id` of the order when it was sent."""
    order: dict[str, Any]
    """The new status, in WhatsApp's own format."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"reference_id": "order-77", "order": {"status": "shipped"}}


class TemplateOrderState(TaggedWhatsappObject, frozen=True, kw_only=True, tag="order_status"):
    """The order that a template is about."""

    order_status: OrderState
    """The order and its new status."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "order_status", "order_status": OrderState.example()}


class TapTarget(WhatsappObject, frozen=True, kw_only=True):
    """What opens when somebody taps the message, with the title that is shown for it."""

    url: Link
    """The page that opens."""
    title: ShortText
    """What is shown for the link."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"url": "https://bakery.example", "title": "Bakery"}


class TemplateTapTarget(TaggedWhatsappObject, frozen=True, kw_only=True, tag="tap_target_configuration"):
    """What opens when somebody taps the message."""

    tap_target_configuration: Annotated[list[TapTarget], Meta(min_length=1, max_length=1)]
    """The page that opens, exactly one."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "tap_target_configuration", "tap_target_configuration": [TapTarget.example()]}


# What a placeholder in a text can be.
TextParameter: TypeAlias = TemplateText | TemplateCurrency | TemplateDateTime
HeaderParameter: TypeAlias = (
    TemplateText
    | TemplateCurrency
    | TemplateDateTime
    | TemplateImage
    | TemplateVideo
    | TemplateGif
    | TemplateDocument
    | TemplateLocation
    | TemplateProduct
)
ButtonParameter: TypeAlias = TemplateText | TemplatePayload | TemplateCouponCode | TemplateAction | TemplateCallTime
ButtonKind = Literal[
    "quick_reply",
    "url",
    "copy_code",
    "flow",
    "catalog",
    "mpm",
    "spm",
    "order_details",
    "voice_call",
    "app",
]
