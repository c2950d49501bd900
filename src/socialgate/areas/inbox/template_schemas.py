"""How the templates of an account are listed."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate.areas.accounts.reading import LiveQuery
from socialgate.web.schema import View


class TemplatesQuery(LiveQuery, frozen=True, kw_only=True):
    """Which part of the list to return."""

    name: Annotated[str, Meta(min_length=1, max_length=300, description="Only the template with this name.")] | None = (
        None
    )


class MessageTemplateView(View, frozen=True, kw_only=True):
    """A template of the account. Those with the status `APPROVED` can be sent. `components` is WhatsApp's own."""

    id: str
    """WhatsApp's id of the template."""
    name: str
    """The name to send it with."""
    language: str
    """The language code to send it with, such as `en_US`."""
    category: str
    """WhatsApp's category: `MARKETING`, `UTILITY` or `AUTHENTICATION`."""
    status: str
    """WhatsApp's status of its review, such as `APPROVED`, `PENDING` or `REJECTED`."""
    parameter_format: Literal["POSITIONAL", "NAMED"]
    """Whether its placeholders are numbered or named."""
    components: list[dict[str, Any]]
    """Its parts, in WhatsApp's own format."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "594425479261596",
            "name": "order_ready",
            "language": "en_US",
            "category": "UTILITY",
            "status": "APPROVED",
            "parameterFormat": "POSITIONAL",
            "components": [{"type": "BODY", "text": "Hi {{1}}, your order {{2}} is ready."}],
        }
