"""Templates: messages that a platform has approved, which can be sent to people who have not written lately."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.platforms import Capability
from socialgate.contracts.template_components import Template
from socialgate.core.errors import Fault


class TemplateItem(msgspec.Struct, frozen=True, kw_only=True):
    """A template in one language, with its components as the platform has them."""

    id: str
    name: str
    language: str
    category: str
    status: str
    parameter_format: Literal["POSITIONAL", "NAMED"]
    components: Sequence[Mapping[str, Any]]


class TemplateList(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[TemplateItem]
    cursor: str | None


class Templates(Protocol):
    async def list(self, held: AccountCredentials, name: str | None, limit: int, cursor: str | None) -> TemplateList:
        """List the templates of the account, or those with exactly this name: one for each language."""

    def misfits(self, template: Template, known: TemplateItem) -> Sequence[Fault]:
        """Compare what is sent with the template of the account. What cannot be compared is left to the platform."""


TEMPLATES: Capability[Templates] = Capability("template")
