"""What the pages of automations need of the areas: the kinds of parts, and what parts can refer to."""

from collections.abc import Sequence

import msgspec

from socialgate.areas.accounts.schemas import Account, AccountsQuery, AdAccount, AdAccountsQuery
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.automations.schemas import Automation
from socialgate.areas.hooks.schemas import Hook
from socialgate.areas.hooks.service import HookService
from socialgate.console.automating.parts import Choices, PartTypes, References
from socialgate.console.automating.sentences import Narrator
from socialgate.console.forms import FormData
from socialgate.console.visit import Visit
from socialgate.contracts.automations import AutomationTypeRegistry
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.platforms import Kind, KindManifest
from socialgate.web.pagination import MAX_PAGE_LIMIT, ListQuery

# The accounts of the largest profiles fill this many pages of the list.
_MAX_ACCOUNT_PAGES = 10
# How many accounts can be chosen without a search.
MAX_OFFERED = 40
FIND_FIELD = "find"


class Workshop(msgspec.Struct, frozen=True, kw_only=True):
    """What the automations of a profile can use."""

    accounts: Sequence[Account | AdAccount]
    hooks: Sequence[Hook]


class AutomationEditor:
    def __init__(
        self, types: AutomationTypeRegistry, accounts: AccountService, hooks: HookService, catalogue: ConnectorRegistry
    ) -> None:
        self.types = PartTypes(types)
        self._accounts = accounts
        self._hooks = hooks
        self._catalogue = catalogue

    async def open_workshop(self, visit: Visit, profile_id: str) -> Workshop:
        ads = AdAccountsQuery(limit=MAX_PAGE_LIMIT, profile_id=profile_id)
        advertisers = (await visit.work.read(self._accounts.list_ad_accounts, visit.caller, ads)).data
        return Workshop(
            accounts=[*await self._list_accounts(visit, profile_id), *advertisers],
            hooks=(await visit.work.read(self._hooks.list, visit.caller, ListQuery(limit=MAX_PAGE_LIMIT))).data,
        )

    def build_references(self, workshop: Workshop, trigger_type: str, form: FormData | None = None) -> References:
        """List what fields can refer to. With the `form`, only accounts that it has, or that it searches."""
        trigger = self.types.registry.triggers.get(trigger_type)
        able = [
            account
            for account in workshop.accounts
            if trigger is None or trigger.is_supported_by(self._get_kind(account))
        ]
        return References(
            accounts=_choose_offered(self._name_accounts(workshop.accounts), form),
            trigger_accounts=_choose_offered(self._name_accounts(able), form),
            hooks=[(hook.id, hook.url) for hook in workshop.hooks],
            platforms=[(str(platform), manifest.name) for platform, manifest in self._catalogue.manifests.items()],
            trigger_fields=[]
            if trigger is None
            else [(name, f"{name}: {doc}") for name, doc in trigger.fields.items()],
        )

    async def build_narrator(self, visit: Visit, automations: Sequence[Automation]) -> Narrator:
        """Return what says these automations in words, with the names of what they refer to."""
        parts = [part for item in automations for part in (item.trigger, *item.conditions, *item.actions)]
        ids = {account_id for part in parts for account_id in (*part.get("accountIds", ()), part.get("accountId"))}
        labels = await visit.work.read(self._accounts.list_labels, visit.caller, sorted(ids - {None}))
        names = {key: f"{label.name} ({visit.kind_names[label.kind]})" for key, label in labels.items()}
        if any(part["type"] == "callHook" for part in parts):
            hooks = (await visit.work.read(self._hooks.list, visit.caller, ListQuery(limit=MAX_PAGE_LIMIT))).data
            names |= {hook.id: hook.url for hook in hooks}
        names |= {str(platform): name for platform, name in visit.platform_names.items()}
        return Narrator(self.types, names)

    async def _list_accounts(self, visit: Visit, profile_id: str) -> list[Account]:
        listed: list[Account] = []
        cursor = None
        for _ in range(_MAX_ACCOUNT_PAGES):
            query = AccountsQuery(limit=MAX_PAGE_LIMIT, profile_id=profile_id, cursor=cursor)
            page = await visit.work.read(self._accounts.list, visit.caller, query)
            listed += page.data
            cursor = page.next_cursor
            if cursor is None:
                break
        return sorted(listed, key=lambda account: (account.kind, account.name))

    def _name_accounts(self, accounts: Sequence[Account | AdAccount]) -> Choices:
        """Name accounts with their kind: a person often has the same name everywhere."""
        return [(account.id, f"{account.name} ({self._get_kind(account).name})") for account in accounts]

    def _get_kind(self, account: Account | AdAccount) -> KindManifest:
        return self._catalogue.manifests[account.platform].get_kind_manifest(Kind(str(account.kind)))


def _choose_offered(choices: Choices, form: FormData | None) -> Choices:
    """Return the chosen accounts and those with the searched name, as many as a page has room for."""
    if form is None or len(choices) <= MAX_OFFERED:
        return choices
    chosen = form.all_values
    sought = form.value(FIND_FIELD).strip().casefold()
    matching = [value for value, name in choices if sought in name.casefold()][:MAX_OFFERED]
    return [(value, name) for value, name in choices if value in chosen or value in matching]
