"""The templates of a WhatsApp Business Account, which all its numbers share."""

from collections.abc import Sequence
from typing import Any

import msgspec

from socialgate.connectors.graph.dialect import Rows, cursor_of, from_cursor
from socialgate.connectors.tolerant import Tolerant
from socialgate.connectors.whatsapp_cloud.template_fit import misfits
from socialgate.connectors.whatsapp_cloud.wire import WhatsApp, waba_of
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.template_components import Template
from socialgate.contracts.templates import MessageTemplateView, TemplateList
from socialgate.core.errors import Fault

_FIELDS = "id,name,language,category,status,parameter_format,components"


class _Row(Tolerant, frozen=True):
    id: str
    name: str
    language: str
    category: str = ""
    status: str = ""
    parameter_format: str = ""
    components: list[dict[str, Any]] = msgspec.field(default_factory=list)


class WhatsAppTemplates:
    def __init__(self, api: WhatsApp) -> None:
        self._api = api

    async def list(self, held: AccountCredentials, name: str | None, limit: int, cursor: str | None) -> TemplateList:
        """WhatsApp also returns templates whose names only contain the name."""
        wanted = {} if name is None else {"name": name}
        path, paging = f"{waba_of(held)}/message_templates", from_cursor(cursor)
        rows = await self._api.of(held).get(path, Rows[_Row], fields=_FIELDS, limit=limit, **wanted, **paging)
        items = [_item(row) for row in rows.data if name in {None, row.name}]
        return TemplateList(items=items, cursor=cursor_of(rows))

    def misfits(self, template: Template, known: MessageTemplateView) -> Sequence[Fault]:
        return misfits(template, known)


def _item(row: _Row) -> MessageTemplateView:
    return MessageTemplateView(
        id=row.id,
        name=row.name,
        language=row.language,
        category=row.category,
        status=row.status,
        parameter_format="NAMED" if row.parameter_format == "NAMED" else "POSITIONAL",
        components=row.components,
    )
