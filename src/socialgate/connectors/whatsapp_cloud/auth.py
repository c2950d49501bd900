"""Connecting a number with the token of a system user, and verifying that all four values belong together."""

import re
from collections.abc import Mapping

from socialgate.connectors.graph.dialect import Caller
from socialgate.connectors.graph.posts import SILENT
from socialgate.connectors.whatsapp_cloud.manifest import MANAGEMENT, MESSAGING
from socialgate.connectors.whatsapp_cloud.wire import Key, Number, WhatsApp, is_listed, read_number
from socialgate.contracts.connecting import Connection, CredentialRejected, DiscoveredAccount, Grant
from socialgate.contracts.failures import NeedsReconnection, PermissionMissing, PlatformFailure, PlatformNotFound
from socialgate.contracts.platforms import Kind

# The ids are used in the path of a URL and the token in a header: they must not contain anything else.
_ID = re.compile(r"[0-9]{1,50}")
_TOKEN = re.compile(r"[!-~]{1,2000}")
_FORM = {
    "phoneNumberId": (_ID, "phoneNumberId must be the id from the WhatsApp Manager, digits only."),
    "wabaId": (_ID, "The id of the WhatsApp Business Account must be digits only."),
    "accessToken": (_TOKEN, "The access token of a system user is required, without spaces."),
    "appSecret": (_TOKEN, "The secret of the token's app is required (App settings > Basic)."),
    "pin": (re.compile(r"[0-9]{6}"), "The pin must have six digits."),
}
_REQUIRED = ("phoneNumberId", "wabaId", "accessToken", "appSecret")


_UNPROVEN = "This is not the secret of the app that the access token belongs to."
_NUMBER = "The access token has no such phone number. Use the id from the WhatsApp Manager, not the number itself."
_WABA = "The access token has no such number in this WhatsApp Business Account. Check its id."


class WhatsAppCredential:
    def __init__(self, api: WhatsApp) -> None:
        self._api = api

    async def verify(self, form: Mapping[str, str]) -> Connection:
        phone, waba, token, secret = (_field(form, name) for name in _REQUIRED)
        pin = _field(form, "pin") if form.get("pin") else None
        api = self._api.by(Key(token, secret), phone)
        number = await self._number(api, Key(token, secret))
        await _require_in(waba, api)
        # If Meta does not say, both are assumed: the first message shows it, and nothing is lost.
        scopes, expires_at = await api.permitted((MANAGEMENT, MESSAGING))
        registered = number.registered or (pin is not None and await _register(api, pin))
        name = number.verified_name or number.phone or phone
        grant = Grant(
            subject=waba,
            name=name,
            access_token=token,
            scopes=scopes,
            refreshed=self._api.wire.clock.now(),
            expires_at=expires_at,
            extra={"waba_id": waba},
        )
        found = DiscoveredAccount(
            kind=Kind.WHATSAPP_CLOUD,
            platform_account_id=phone,
            name=name,
            username=number.phone,
            secret={"app_secret": secret, **({} if pin is None else {"pin": pin})},
            details={"wabaId": waba, "phoneNumber": number.phone, "registered": registered},
            inbound_key=waba,
        )
        return Connection(grant=grant, accounts=[found], webhook_secret=secret)

    async def _number(self, api: Caller, key: Key) -> Number:
        """If it works without the proof, the proof was wrong: webhooks could never be verified."""
        try:
            return await read_number(api)
        except NeedsReconnection:
            raise CredentialRejected("accessToken", "WhatsApp does not accept this access token.") from None
        except PermissionMissing as failure:
            raise CredentialRejected("accessToken", failure.detail) from None
        except PlatformNotFound:
            raise CredentialRejected("phoneNumberId", _NUMBER) from None
        except SILENT:
            pass
        try:
            await read_number(self._api.by(key, api.budget, proven=False))
        except (NeedsReconnection, *SILENT):
            raise CredentialRejected("phoneNumberId", _NUMBER) from None
        raise CredentialRejected("appSecret", _UNPROVEN)


async def _require_in(waba: str, api: Caller) -> None:
    try:
        listed = await is_listed(api, waba)
    except PermissionMissing as failure:
        raise CredentialRejected("accessToken", failure.detail) from None
    except (NeedsReconnection, *SILENT):
        listed = False
    if not listed:
        raise CredentialRejected("wabaId", _WABA)


async def _register(api: Caller, pin: str) -> bool:
    """Register a number. This must not be repeated: after a few attempts WhatsApp refuses for days.

    A number that cannot be registered is connected all the same: its health check says so.
    """
    body = {"messaging_product": "whatsapp", "pin": pin}
    try:
        await api.do("POST", f"{api.budget}/register", body, repeatable=False, hidden=(pin,))
    except PlatformFailure:
        return False
    return True


def _field(form: Mapping[str, str], name: str) -> str:
    pattern, advice = _FORM[name]
    value = form.get(name, "").strip()
    if not pattern.fullmatch(value):
        raise CredentialRejected(name, advice)
    return value
