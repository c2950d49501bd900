"""The templates of an account: listed for people, and compared with what is about to be sent."""

from collections.abc import Sequence

from socialgate.areas.accounts.live_reads import ListRead, LiveReads
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.inbox.template_schemas import TemplatesQuery
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.template_components import Template
from socialgate.contracts.templates import TEMPLATES_CAPABILITY, MessageTemplateView, TemplateAdapter, TemplatePage
from socialgate.core.errors import Fault
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import unwrap_platform_cursor, wrap_platform_cursor
from socialgate.web.schemas import Page

_NO_TEMPLATES_PHRASE = "has no templates"
_CACHE_SECONDS = 60.0
# One for each language, and those with longer names.
_MAX_TEMPLATES_PER_NAME = 100
_LIST_TEMPLATES_HINT = "GET /accounts/{accountId}/whatsapp/templates lists them."


class TemplateService:
    def __init__(
        self, of_accounts: AccountService, session: AccountSession, reads: LiveReads, catalogue: ConnectorRegistry
    ) -> None:
        self._manifests = catalogue.manifests
        self._accounts = of_accounts
        self._session = session
        self._reads = reads

    async def list(self, work: UnitOfWork, account_id: str, query: TemplatesQuery) -> Page[MessageTemplateView]:
        account = await work.read(self._accounts.find, work.caller, account_id)
        self._session.get_adapter(account, TEMPLATES_CAPABILITY, _NO_TEMPLATES_PHRASE)
        values = ("templates", account_id, query.name or "")
        template_page = await self._read(
            account, query.name, query.limit, unwrap_platform_cursor(query.cursor, *values), fresh=True
        )
        return Page(data=[*template_page.items], next_cursor=wrap_platform_cursor(template_page.cursor, *values))

    async def validate_template(self, account: AccountRow, template: Template) -> Sequence[Fault]:
        """Find what no template accepts, and what this template of the account does not."""
        manifest = self._manifests[Platform(account.platform)].get_kind_manifest(Kind(account.kind))
        return [*manifest.template_faults(template), *(await self._validate_template_fit(account, template))]

    async def _validate_template_fit(self, account: AccountRow, template: Template) -> Sequence[Fault]:
        """Compare what is sent with the template. If that cannot be read, the platform decides alone.

        What seems not to fit is compared again with what is there right now: it may just have been approved or edited.
        """
        part = self._session.get_adapter(account, TEMPLATES_CAPABILITY, _NO_TEMPLATES_PHRASE)
        for fresh in (False, True):
            try:
                template_page = await self._read(account, template.name, _MAX_TEMPLATES_PER_NAME, None, fresh=fresh)
            except PlatformFailure:
                return []
            if not (faults := _validate_against_templates(part, template, template_page)):
                return []
        return faults

    async def _read(
        self, account: AccountRow, name: str | None, limit: int, cursor: str | None, *, fresh: bool
    ) -> TemplatePage:
        read: ListRead[TemplateAdapter, TemplatePage] = ListRead(
            name="templates",
            params=(name, cursor),
            limit=limit,
            capability=TEMPLATES_CAPABILITY,
            lacks=_NO_TEMPLATES_PHRASE,
            call=lambda part, credentials, rows: part.list(credentials, name, rows, cursor),
            keep=_CACHE_SECONDS,
        )
        return (await self._reads.list(account, read, bypass_cache=fresh)).value


def _validate_against_templates(
    part: TemplateAdapter, template: Template, template_page: TemplatePage
) -> Sequence[Fault]:
    languages = {item.language: item for item in template_page.items}
    if template.language in languages:
        return part.validate_template_fit(template, languages[template.language])
    if template_page.cursor is not None:
        return []
    if languages:
        detail = f"There is no template {template.name} in this language. It exists in: {', '.join(languages)}."
        return [Fault("/template/language", "not_found", detail)]
    return [
        Fault("/template/name", "not_found", f"The account has no template {template.name}. {_LIST_TEMPLATES_HINT}")
    ]
