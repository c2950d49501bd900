"""The templates of an account: listed for people, and compared with what is about to be sent."""

from collections.abc import Sequence

from socialgate.areas.accounts.reading import ListRead, LiveReads
from socialgate.areas.accounts.service import Accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.inbox.template_schemas import TemplatesQuery
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.template_components import Template
from socialgate.contracts.templates import TEMPLATES, MessageTemplateView, TemplateList, Templates
from socialgate.core.errors import Fault
from socialgate.core.work import Work
from socialgate.web.paging import opaque, plain
from socialgate.web.schema import Page

_LACKS = "has no templates"
_KEPT_SECONDS = 60.0
# One for each language, and those with longer names.
_MOST_OF_A_NAME = 100
_LISTED = "GET /accounts/{accountId}/whatsapp/templates lists them."


class TemplateBook:
    def __init__(self, of_accounts: Accounts, session: AccountSession, reads: LiveReads, catalogue: Catalogue) -> None:
        self._manifests = catalogue.manifests
        self._accounts = of_accounts
        self._session = session
        self._reads = reads

    async def list(self, work: Work, account_id: str, query: TemplatesQuery) -> Page[MessageTemplateView]:
        account = await work.read(self._accounts.find, work.caller, account_id)
        self._session.part(account, TEMPLATES, _LACKS)
        of = ("templates", account_id, query.name or "")
        found = await self._read(account, query.name, query.limit, plain(query.cursor, *of), fresh=True)
        return Page(data=[*found.items], next_cursor=opaque(found.cursor, *of))

    async def faults(self, account: AccountRow, template: Template) -> Sequence[Fault]:
        """Find what no template accepts, and what this template of the account does not."""
        manifest = self._manifests[Platform(account.platform)].of(Kind(account.kind))
        return [*manifest.template_faults(template), *(await self._misfits(account, template))]

    async def _misfits(self, account: AccountRow, template: Template) -> Sequence[Fault]:
        """Compare what is sent with the template. If that cannot be read, the platform decides alone.

        What seems not to fit is compared again with what is there right now: it may just have been approved or edited.
        """
        part = self._session.part(account, TEMPLATES, _LACKS)
        for fresh in (False, True):
            try:
                found = await self._read(account, template.name, _MOST_OF_A_NAME, None, fresh=fresh)
            except PlatformFailure:
                return []
            if not (faults := _compared(part, template, found)):
                return []
        return faults

    async def _read(
        self, account: AccountRow, name: str | None, limit: int, cursor: str | None, *, fresh: bool
    ) -> TemplateList:
        read: ListRead[Templates, TemplateList] = ListRead(
            name="templates",
            params=(name, cursor),
            limit=limit,
            capability=TEMPLATES,
            lacks=_LACKS,
            call=lambda part, held, rows: part.list(held, name, rows, cursor),
            keep=_KEPT_SECONDS,
        )
        return (await self._reads.list(account, read, fresh=fresh)).value


def _compared(part: Templates, template: Template, found: TemplateList) -> Sequence[Fault]:
    languages = {item.language: item for item in found.items}
    if template.language in languages:
        return part.misfits(template, languages[template.language])
    if found.cursor is not None:
        return []
    if languages:
        detail = f"There is no template {template.name} in this language. It exists in: {', '.join(languages)}."
        return [Fault("/template/language", "not_found", detail)]
    return [Fault("/template/name", "not_found", f"The account has no template {template.name}. {_LISTED}")]
