"""Templates: messages that a platform has approved, which can be sent to people who have not written lately."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.platforms import Capability
from socialgate.contracts.template_components import Template
from socialgate.core.errors import Fault
from socialgate.core.shapes import ResponseModel


class MessageTemplateView(ResponseModel, frozen=True, kw_only=True):
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
    components: Sequence[Mapping[str, Any]]
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


class TemplatePage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[MessageTemplateView]
    cursor: str | None


class TemplateAdapter(Protocol):
    async def list(
        self, credentials: AccountCredentials, name: str | None, limit: int, cursor: str | None
    ) -> TemplatePage:
        """List the templates of the account, or those with exactly this name: one for each language."""

    def validate_template_fit(self, template: Template, known: MessageTemplateView) -> Sequence[Fault]:
        """Compare what is sent with the template of the account. What cannot be compared is left to the platform."""


TEMPLATES_CAPABILITY: Capability[TemplateAdapter] = Capability("template")
