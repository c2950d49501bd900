"""The templates of a WhatsApp Business Account, which all its numbers share."""

from collections.abc import Sequence
from typing import Any

import msgspec

from socialgate.connectors.graph.dialect import GraphPage, build_cursor_params, extract_cursor
from socialgate.connectors.lenient_decoding import LenientStruct
from socialgate.connectors.whatsapp_cloud.api import WhatsAppApi, get_waba_id
from socialgate.connectors.whatsapp_cloud.template_fit import validate_template_fit
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.template_components import Template
from socialgate.contracts.templates import MessageTemplateView, TemplatePage
from socialgate.core.errors import Fault

_TEMPLATE_FIELDS = "id,name,language,category,status,parameter_format,components"


class _TemplateRow(LenientStruct, frozen=True):
    id: str
    name: str
    language: str
    category: str = ""
    status: str = ""
    parameter_format: str = ""
    components: list[dict[str, Any]] = msgspec.field(default_factory=list)


class WhatsAppTemplates:
    def __init__(self, api: WhatsAppApi) -> None:
        self._api = api

    async def list(
        self, credentials: AccountCredentials, name: str | None, limit: int, cursor: str | None
    ) -> TemplatePage:
        """WhatsApp also returns templates whose names only contain the name."""
        values = {} if name is None else {"name": name}
        path, paging = f"{get_waba_id(credentials)}/message_templates", build_cursor_params(cursor)
        rows = await self._api.for_account(credentials).get(
            path, GraphPage[_TemplateRow], fields=_TEMPLATE_FIELDS, limit=limit, **values, **paging
        )
        items = [_parse_template(row) for row in rows.data if name in {None, row.name}]
        return TemplatePage(items=items, cursor=extract_cursor(rows))

    def validate_template_fit(self, template: Template, known: MessageTemplateView) -> Sequence[Fault]:
        return validate_template_fit(template, known)


def _parse_template(row: _TemplateRow) -> MessageTemplateView:
    return MessageTemplateView(
        id=row.id,
        name=row.name,
        language=row.language,
        category=row.category,
        status=row.status,
        parameter_format="NAMED" if row.parameter_format == "NAMED" else "POSITIONAL",
        components=row.components,
    )
