"""Subscribing to the webhooks of a Page, and with them those of the Instagram account linked to it."""

from collections.abc import Collection, Sequence

from socialgate.connectors.meta.wire import Graph
from socialgate.contracts.connecting import AccountCredentials, Callback
from socialgate.contracts.failures import NeedsReconnection

# Meta rejects the whole subscription for one field whose permission is missing.
_FIELDS = {
    # Comments are in the feed. Those of Instagram come with a subscription of its Page to anything.
    "pages_manage_metadata": ("feed", "mention"),
    "pages_messaging": (
        *("messages", "message_echoes", "message_deliveries", "message_reads", "message_reactions", "message_edits"),
        *("messaging_postbacks", "messaging_optins", "messaging_referrals", "messaging_policy_enforcement"),
    ),
    "leads_retrieval": ("leadgen",),
}


class MetaSubscribing:
    """The callback URL is a setting of the app, one for all Pages: only the Page has to subscribe.

    An ad account has no token of its own, belongs to no Page and sends nothing.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def subscribe(self, held: AccountCredentials, callback: Callback) -> None:
        del callback
        fields = ",".join(fields_for(held.grant.scopes))
        if held.secret and fields:
            await self._graph.of(held).do("POST", f"{page_of(held)}/subscribed_apps", {"subscribed_fields": fields})

    async def unsubscribe(self, held: AccountCredentials) -> None:
        if not held.secret:
            return
        try:
            await self._graph.of(held).do("DELETE", f"{page_of(held)}/subscribed_apps")
        except NeedsReconnection:
            # A Page that revoked the permission sends nothing any more.
            return


def page_of(held: AccountCredentials) -> str:
    """Return the Page that an account is or belongs to."""
    return str(held.details.get("pageId") or held.platform_account_id)


def fields_for(granted: Collection[str]) -> Sequence[str]:
    return [field for scope, fields in _FIELDS.items() if scope in granted for field in fields]
