"""Having WhatsApp send the webhooks of a WABA to an address of its own."""

from socialgate.connectors.whatsapp_cloud.wire import Key, WhatsApp
from socialgate.contracts.connecting import AccountCredentials, Callback
from socialgate.contracts.failures import NeedsReconnection


class WhatsAppSubscribing:
    """One subscription serves all numbers of a WABA: `unsubscribe` is for the last of them."""

    def __init__(self, api: WhatsApp) -> None:
        self._api = api

    async def subscribe(self, held: AccountCredentials, callback: Callback) -> None:
        """Subscribe twice, in this order: WhatsApp takes the address only from an app that is subscribed already."""
        waba, key, number = waba_of(held), key_of(held), held.platform_account_id
        await self._api.subscribe(waba, key, number)
        await self._api.redirect_webhooks(waba, key, number, callback.url, callback.verify_token)

    async def unsubscribe(self, held: AccountCredentials) -> None:
        """Stop the webhooks. The number itself stays registered: deregistering would take it offline."""
        try:
            await self._api.unsubscribe(waba_of(held), key_of(held), held.platform_account_id)
        except NeedsReconnection:
            return


def waba_of(held: AccountCredentials) -> str:
    return held.grant.extra["waba_id"]


def key_of(held: AccountCredentials) -> Key:
    return Key(held.grant.access_token, held.secret["app_secret"])
