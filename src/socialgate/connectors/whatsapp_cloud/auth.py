"""Connecting a number with the token of a system user, and proving that all four values belong together."""

import re
from collections.abc import Mapping, Sequence

from socialgate.connectors.dialects.graph import moment
from socialgate.connectors.whatsapp_cloud.manifest import MANAGEMENT, MESSAGING
from socialgate.connectors.whatsapp_cloud.wire import Key, Number, WhatsApp
from socialgate.connectors.wire import Wire
from socialgate.contracts.connecting import Connection, CredentialRejected, DiscoveredAccount, Grant
from socialgate.contracts.failures import (
    NeedsReconnection,
    PermissionMissing,
    PlatformFailure,
    PlatformNotFound,
    Rejected,
)
from socialgate.contracts.platforms import Kind

# The ids go into the path of a URL and the token into a header: nothing else may get there.
_ID = re.compile(r"[0-9]{1,50}")
_TOKEN = re.compile(r"[!-~]{1,2000}")
_PIN = re.compile(r"[0-9]{6}")
_FORM = {
    "phoneNumberId": (_ID, "The phone number id is the number of digits only that the WhatsApp Manager shows."),
    "wabaId": (_ID, "The id of the WhatsApp Business Account is digits only."),
    "accessToken": (_TOKEN, "Give the access token of a system user, without spaces."),
    "appSecret": (_TOKEN, "Give the secret of the app that the token belongs to (App settings > Basic)."),
}


class WhatsAppCredential:
    def __init__(self, wire: Wire, api: WhatsApp) -> None:
        self._wire = wire
        self._api = api

    async def verify(self, form: Mapping[str, str]) -> Connection:
        phone, waba, token, secret = (_field(form, name) for name in _FORM)
        pin = _pin(form)
        key = Key(token, secret)
        number = await self._number(phone, key)
        await self._require_in(waba, phone, key)
        scopes, expires_at = await self._scopes(key, phone)
        registered = number.registered or (pin is not None and await self._register(phone, key, pin))
        name = number.verified_name or number.phone or phone
        grant = Grant(
            subject=waba,
            name=name,
            access_token=token,
            scopes=tuple(scopes),
            refreshed=self._wire.clock.now(),
            expires_at=moment(expires_at),
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

    async def _number(self, phone: str, key: Key) -> Number:
        try:
            return await self._api.number(phone, key)
        except NeedsReconnection:
            raise CredentialRejected("accessToken", "WhatsApp does not accept this access token.") from None
        except PermissionMissing as failure:
            raise CredentialRejected("accessToken", failure.detail) from None
        except PlatformNotFound:
            raise _no_number() from None
        except Rejected:
            await self._blame_secret(phone, key)
            raise _no_number() from None

    async def _blame_secret(self, phone: str, key: Key) -> None:
        """Ask again without the proof. Where that works, the proof was wrong: webhooks could never be checked."""
        try:
            await self._api.number(phone, key, proven=False)
        except (NeedsReconnection, PermissionMissing, PlatformNotFound, Rejected):
            return
        raise CredentialRejected("appSecret", "This is not the secret of the app that the access token belongs to.")

    async def _require_in(self, waba: str, phone: str, key: Key) -> None:
        refusal = CredentialRejected(
            "wabaId", "The access token finds no such number in this WhatsApp Business Account. Check its id."
        )
        try:
            numbers = await self._api.numbers_of(waba, key, phone)
        except PermissionMissing as failure:
            raise CredentialRejected("accessToken", failure.detail) from None
        except (NeedsReconnection, PlatformNotFound, Rejected):
            raise refusal from None
        if phone not in numbers:
            raise refusal

    async def _scopes(self, key: Key, phone: str) -> tuple[Sequence[str], int | None]:
        """Where Meta does not tell, both are assumed: the first message finds out, and nothing is lost by it."""
        try:
            inspected = await self._api.inspect(key, phone)
        except PlatformFailure:
            return (MANAGEMENT, MESSAGING), None
        return sorted(inspected.scopes) or (MANAGEMENT, MESSAGING), inspected.expires_at

    async def _register(self, phone: str, key: Key, pin: str) -> bool:
        """A number that cannot be registered is connected all the same: the check of its health says so."""
        try:
            await self._api.register(phone, key, pin)
        except PlatformFailure:
            return False
        return True


def _field(form: Mapping[str, str], name: str) -> str:
    pattern, advice = _FORM[name]
    value = form.get(name, "").strip()
    if not pattern.fullmatch(value):
        raise CredentialRejected(name, advice)
    return value


def _pin(form: Mapping[str, str]) -> str | None:
    value = form.get("pin") or None
    if value is not None and not _PIN.fullmatch(value):
        raise CredentialRejected("pin", "The pin has six digits.")
    return value


def _no_number() -> CredentialRejected:
    return CredentialRejected(
        "phoneNumberId",
        "The access token finds no such phone number. Give the id from the WhatsApp Manager, not the number itself.",
    )
