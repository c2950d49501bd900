"""How a WhatsApp number looks right now, and what is wrong with it."""

from collections.abc import Iterator

from socialgate.connectors.dialects.graph import moment
from socialgate.connectors.whatsapp_cloud.subscribing import key_of, waba_of
from socialgate.connectors.whatsapp_cloud.wire import Key, Number, Profile, WhatsApp
from socialgate.contracts.connecting import About, AccountCredentials, Check, Issue
from socialgate.contracts.failures import (
    NeedsReconnection,
    PermissionMissing,
    PlatformFailure,
    PlatformNotFound,
    Rejected,
)
from socialgate.contracts.platforms import Platform

_ROUTE = "/webhooks/whatsapp-cloud"
_MANAGER = "Open the WhatsApp Manager; it tells what to do."


class WhatsAppAccounts:
    def __init__(self, api: WhatsApp) -> None:
        self._api = api

    async def about(self, held: AccountCredentials) -> About:
        number = await self._api.number(held.platform_account_id, key_of(held))
        profile = await self._profile(held)
        return About(
            name=number.verified_name or number.phone or held.platform_account_id,
            username=number.phone,
            avatar_url=profile.profile_picture_url,
            profile_url=f"https://wa.me/{number.phone.removeprefix('+')}" if number.phone else None,
            description=profile.description or profile.about,
            facts={
                "about": profile.about,
                "address": profile.address,
                "email": profile.email,
                "websites": profile.websites,
                "vertical": profile.vertical,
                "quality": number.quality_rating,
                "messagingLimit": number.messaging_limit_tier,
                "nameStatus": number.name_status,
            },
        )

    async def check(self, held: AccountCredentials) -> Check:
        key = key_of(held)
        number = await self._number(held, key)
        granted, ends = held.grant.scopes, held.grant.expires_at
        try:
            inspected = await self._api.inspect(key, held.platform_account_id)
        except PlatformFailure:
            # Not every token may be inspected; the number was read with it, so it lives.
            pass
        else:
            granted, ends = tuple(inspected.scopes) or granted, moment(inspected.expires_at) or ends
        return Check(granted=granted, expires_at=ends, issues=tuple(issues(number)))

    async def _number(self, held: AccountCredentials, key: Key) -> Number:
        """Read the number. Hidden from its own token, it is lost; but one refusal alone may be a fault of Meta's."""
        try:
            return await self._api.number(held.platform_account_id, key)
        except (PermissionMissing, PlatformNotFound) as failure:
            if await self._is_listed(held, key):
                raise
            raise NeedsReconnection(
                "The access token no longer reaches this number. Connect it again with one that does.",
                platform=Platform.WHATSAPP_CLOUD,
                error=failure.platform_error,
            ) from None

    async def _is_listed(self, held: AccountCredentials, key: Key) -> bool:
        try:
            numbers = await self._api.numbers_of(waba_of(held), key, held.platform_account_id)
        except (PermissionMissing, PlatformNotFound, Rejected):
            return False
        return held.platform_account_id in numbers

    async def _profile(self, held: AccountCredentials) -> Profile:
        try:
            return await self._api.profile(held.platform_account_id, key_of(held))
        except NeedsReconnection:
            raise
        except PlatformFailure:
            return Profile()


def issues(number: Number) -> Iterator[Issue]:
    if number.offline:
        yield Issue(
            "not_registered",
            "The number is not registered with the Cloud API: it can neither send nor receive.",
            "Connect it again with `pin`, six digits of your choice (or the one of its two-step verification).",
            warning=False,
        )
    elif number.code_verification_status == "NOT_VERIFIED":
        yield Issue("not_verified", "WhatsApp has not verified that the number is yours.", _MANAGER)
    if number.quality_rating == "RED":
        yield Issue("quality_low", "People block or report this number often: WhatsApp may limit it.", _MANAGER)
    if number.account_mode not in {None, "LIVE"}:
        yield Issue("not_live", "The number is a test number: it writes only to recipients on its list.", _MANAGER)
    callbacks = number.webhook_configuration
    if callbacks is not None and not any(_ROUTE in str(callback) for callback in callbacks.values()):
        yield Issue(
            "events_off",
            "WhatsApp does not send the messages of this number to this service.",
            "Connect the number again.",
        )
