"""Connecting a number with the token of a system user, and verifying that all four values belong together."""

import re
from collections.abc import Mapping

from socialgate.connectors.graph.dialect import GraphCaller
from socialgate.connectors.graph.posts import NO_ANSWER_ERRORS
from socialgate.connectors.whatsapp_cloud.api import (
    AppCredentials,
    PhoneNumber,
    WhatsAppApi,
    fetch_number,
    is_number_in_waba,
)
from socialgate.connectors.whatsapp_cloud.manifest import MANAGEMENT_SCOPE, MESSAGING_SCOPE
from socialgate.contracts.account_connection import ConnectResult, CredentialRejectedError, DiscoveredAccount, Grant
from socialgate.contracts.failures import (
    NeedsReconnectionError,
    PermissionMissingError,
    PlatformFailure,
    PlatformNotFoundError,
)
from socialgate.contracts.platforms import Kind

# The ids are used in the path of a URL and the token in a header: they must not contain anything else.
_ID_PATTERN = re.compile(r"[0-9]{1,50}")
_TOKEN_PATTERN = re.compile(r"[!-~]{1,2000}")
_FIELD_RULES = {
    "phoneNumberId": (_ID_PATTERN, "phoneNumberId must be the id from the WhatsApp Manager, digits only."),
    "wabaId": (_ID_PATTERN, "The id of the WhatsApp Business Account must be digits only."),
    "accessToken": (_TOKEN_PATTERN, "The access token of a system user is required, without spaces."),
    "appSecret": (_TOKEN_PATTERN, "The secret of the token's app is required (App settings > Basic)."),
    "pin": (re.compile(r"[0-9]{6}"), "The pin must have six digits."),
}
_REQUIRED_FIELDS = ("phoneNumberId", "wabaId", "accessToken", "appSecret")


_WRONG_APP_DETAIL = "This is not the secret of the app that the access token belongs to."
_NUMBER_NOT_FOUND_DETAIL = (
    "The access token has no such phone number. Use the id from the WhatsApp Manager, not the number itself."
)
_WABA_NOT_FOUND_DETAIL = "The access token has no such number in this WhatsApp Business Account. Check its id."


class WhatsAppAuth:
    def __init__(self, api: WhatsAppApi) -> None:
        self._api = api

    async def verify(self, form: Mapping[str, str]) -> ConnectResult:
        phone, waba, token, secret = (_parse_field(form, name) for name in _REQUIRED_FIELDS)
        pin = _parse_field(form, "pin") if form.get("pin") else None
        api = self._api.for_number(AppCredentials(token, secret), phone)
        number = await self._verify_number(api, AppCredentials(token, secret))
        await _require_number_in_waba(waba, api)
        # If Meta does not say, both are assumed: the first message shows it, and nothing is lost.
        scopes, expires_at = await api.fetch_permissions((MANAGEMENT_SCOPE, MESSAGING_SCOPE))
        registered = number.is_registered or (pin is not None and await _register_number(api, pin))
        name = number.verified_name or number.e164_number or phone
        grant = Grant(
            platform_user_id=waba,
            name=name,
            access_token=token,
            scopes=scopes,
            refreshed_at=self._api.wire.clock.now(),
            expires_at=expires_at,
            extra={"waba_id": waba},
        )
        discovered_account = DiscoveredAccount(
            kind=Kind.WHATSAPP_CLOUD,
            platform_account_id=phone,
            name=name,
            username=number.e164_number,
            secret={"app_secret": secret, **({} if pin is None else {"pin": pin})},
            details={"wabaId": waba, "phoneNumber": number.e164_number, "registered": registered},
            inbound_key=waba,
        )
        return ConnectResult(grant=grant, accounts=[discovered_account], webhook_secret=secret)

    async def _verify_number(self, api: GraphCaller, key: AppCredentials) -> PhoneNumber:
        """If it works without the proof, the proof was wrong: webhooks could never be verified."""
        try:
            return await fetch_number(api)
        except NeedsReconnectionError:
            raise CredentialRejectedError("accessToken", "WhatsApp does not accept this access token.") from None
        except PermissionMissingError as failure:
            raise CredentialRejectedError("accessToken", failure.detail) from None
        except PlatformNotFoundError:
            raise CredentialRejectedError("phoneNumberId", _NUMBER_NOT_FOUND_DETAIL) from None
        except NO_ANSWER_ERRORS:
            pass
        try:
            await fetch_number(self._api.for_number(key, api.budget, with_proof=False))
        except (NeedsReconnectionError, *NO_ANSWER_ERRORS):
            raise CredentialRejectedError("phoneNumberId", _NUMBER_NOT_FOUND_DETAIL) from None
        raise CredentialRejectedError("appSecret", _WRONG_APP_DETAIL)


async def _require_number_in_waba(waba: str, api: GraphCaller) -> None:
    try:
        listed = await is_number_in_waba(api, waba)
    except PermissionMissingError as failure:
        raise CredentialRejectedError("accessToken", failure.detail) from None
    except (NeedsReconnectionError, *NO_ANSWER_ERRORS):
        listed = False
    if not listed:
        raise CredentialRejectedError("wabaId", _WABA_NOT_FOUND_DETAIL)


async def _register_number(api: GraphCaller, pin: str) -> bool:
    """Register a number. This must not be repeated: after a few attempts WhatsApp refuses for days.

    A number that cannot be registered is connected all the same: its health check says so.
    """
    body = {"messaging_product": "whatsapp", "pin": pin}
    try:
        await api.call_for_success("POST", f"{api.budget}/register", body, repeatable=False, hidden=(pin,))
    except PlatformFailure:
        return False
    return True


def _parse_field(form: Mapping[str, str], name: str) -> str:
    pattern, advice = _FIELD_RULES[name]
    value = form.get(name, "").strip()
    if not pattern.fullmatch(value):
        raise CredentialRejectedError(name, advice)
    return value
