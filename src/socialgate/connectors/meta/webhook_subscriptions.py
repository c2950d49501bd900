"""Subscribing to the webhooks of a Page, and with them those of the Instagram account linked to it."""

from collections.abc import Collection, Sequence

from socialgate.connectors.meta.api import MetaApi
from socialgate.contracts.account_connection import AccountCredentials, WebhookEndpoint
from socialgate.contracts.failures import NeedsReconnectionError

# Meta rejects the whole subscription for one field whose permission is missing.
_WEBHOOK_FIELDS_BY_SCOPE = {
    # Comments are in the feed. Those of Instagram come with a subscription of its Page to anything.
    "pages_manage_metadata": ("feed", "mention"),
    "pages_messaging": (
        *("messages", "message_echoes", "message_deliveries", "message_reads", "message_reactions", "message_edits"),
        *("messaging_postbacks", "messaging_optins", "messaging_referrals", "messaging_policy_enforcement"),
    ),
    "leads_retrieval": ("leadgen",),
}


class MetaWebhookSubscriber:
    """The callback URL is a setting of the app, one for all Pages: only the Page has to subscribe.

    An ad account has no token of its own, belongs to no Page and sends nothing.
    """

    def __init__(self, graph: MetaApi) -> None:
        self._graph = graph

    async def subscribe(self, credentials: AccountCredentials, callback: WebhookEndpoint) -> None:
        del callback
        fields = ",".join(list_webhook_fields(credentials.grant.scopes))
        if credentials.secret and fields:
            await self._graph.for_account(credentials).call_for_success(
                "POST", f"{get_page_id(credentials)}/subscribed_apps", {"subscribed_fields": fields}
            )

    async def unsubscribe(self, credentials: AccountCredentials) -> None:
        if not credentials.secret:
            return
        try:
            await self._graph.for_account(credentials).call_for_success(
                "DELETE", f"{get_page_id(credentials)}/subscribed_apps"
            )
        except NeedsReconnectionError:
            # A Page that revoked the permission sends nothing any more.
            return


def get_page_id(credentials: AccountCredentials) -> str:
    """Return the Page that an account is or belongs to."""
    return str(credentials.details.get("pageId") or credentials.platform_account_id)


def list_webhook_fields(granted: Collection[str]) -> Sequence[str]:
    return [field for scope, fields in _WEBHOOK_FIELDS_BY_SCOPE.items() if scope in granted for field in fields]
