"""Having Meta send the webhooks of a Page, and with them those of the Instagram account behind it."""

from collections.abc import Collection, Sequence

from socialgate.connectors.meta.wire import Graph
from socialgate.contracts.connecting import AccountCredentials, Callback
from socialgate.contracts.failures import NeedsReconnection
from socialgate.contracts.platforms import Kind

# Meta refuses the whole subscription for one field whose permission is missing.
_FIELDS = {
    "pages_manage_metadata": ("feed", "mention"),
    "pages_messaging": (
        "messages",
        "message_echoes",
        "message_deliveries",
        "message_reads",
        "message_reactions",
        "message_edits",
        "messaging_postbacks",
        "messaging_optins",
        "messaging_referrals",
        "messaging_policy_enforcement",
    ),
    "leads_retrieval": ("leadgen",),
}


class MetaSubscribing:
    """The callback's address is a setting of the app, one for all Pages: only the Page has to say yes."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def subscribe(self, held: AccountCredentials, callback: Callback) -> None:
        del callback
        fields = fields_for(held.grant.scopes)
        if held.kind is not Kind.META_ADS and fields:
            await self._graph.subscribe(page_of(held), held.secret["access_token"], fields)

    async def unsubscribe(self, held: AccountCredentials) -> None:
        if held.kind is Kind.META_ADS:
            return
        try:
            await self._graph.unsubscribe(page_of(held), held.secret["access_token"])
        except NeedsReconnection:
            # A Page that took the permission away sends nothing any more.
            return


def page_of(held: AccountCredentials) -> str:
    return str(held.details["pageId"]) if held.kind is Kind.INSTAGRAM else held.platform_account_id


def fields_for(granted: Collection[str]) -> Sequence[str]:
    return [field for scope, fields in _FIELDS.items() if scope in granted for field in fields]
