"""The current profile of a WhatsApp number, what is wrong with it, and subscribing to its webhooks."""

from typing import Any

from socialgate.connectors.graph.dialect import Caller
from socialgate.connectors.graph.posts import HIDDEN, SILENT
from socialgate.connectors.json_paths import text_at
from socialgate.connectors.whatsapp_cloud.wire import (
    HealthError,
    Number,
    WhatsApp,
    is_listed,
    read_number,
    read_profile,
    waba_of,
)
from socialgate.contracts.connecting import About, AccountCredentials, Callback, Check, Issue
from socialgate.contracts.failures import NeedsReconnection, PlatformFailure
from socialgate.contracts.platforms import Platform

_ROUTE = "/webhooks/whatsapp-cloud"
_MANAGER = "Open the WhatsApp Manager, which says what to do."
_UNREGISTERED = Issue(
    "not_registered",
    "The number is not registered with the Cloud API: it can neither send nor receive.",
    "Reconnect it with `pin`, six digits of your choice (or those of its two-step verification).",
    warning=False,
)
_UNHEARD = Issue(
    "events_off", "WhatsApp does not send the messages of this number to this service.", "Reconnect the number."
)
_UNPOPULAR = Issue("quality_low", "People often block or report this number: WhatsApp may limit it.", _MANAGER)
_RESTRICTED = {
    "BLOCKED": ("sending_blocked", "WhatsApp does not let this number send messages."),
    "LIMITED": ("sending_limited", "WhatsApp limits the messages that this number can send."),
}
_STATUSES = {
    "BANNED": Issue(
        "banned",
        "WhatsApp has banned this number: it can neither send nor receive messages.",
        "Request a review in the WhatsApp Manager, or connect another number.",
        warning=False,
    ),
    "DISCONNECTED": _UNREGISTERED,
    "FLAGGED": _UNPOPULAR,
    **dict.fromkeys(
        ("RATE_LIMITED", "RESTRICTED"),
        Issue("sending_limited", "WhatsApp does not let this number start conversations for the moment.", _MANAGER),
    ),
}
_TEST = Issue("not_live", "This is a test number: it can only write to recipients on its list.", _MANAGER)


class WhatsAppAccounts:
    def __init__(self, api: WhatsApp) -> None:
        self._api = api

    async def about(self, held: AccountCredentials) -> About:
        api = self._api.of(held)
        number, profile = await read_number(api), await _profile(api)
        return About(
            name=number.verified_name or number.phone or held.platform_account_id,
            username=number.phone,
            avatar_url=text_at(profile, "profile_picture_url") or None,
            profile_url=f"https://wa.me/{number.phone.removeprefix('+')}" if number.phone else None,
            description=text_at(profile, "description") or text_at(profile, "about") or None,
            facts={
                **{name: profile.get(name) for name in ("about", "address", "email", "vertical")},
                "websites": profile.get("websites") or [],
                "quality": number.quality_rating,
                "messagingLimit": number.messaging_limit_tier,
                "nameStatus": number.name_status,
            },
        )

    async def check(self, held: AccountCredentials) -> Check:
        """Not every token can be inspected; the number was read with it, so it works."""
        api = self._api.of(held)
        number = await _number(api, waba_of(held))
        granted, ends = await api.permitted(held.grant.scopes, held.grant.expires_at)
        return Check(granted=granted, works=not number.banned, expires_at=ends, issues=tuple(issues(number)))


class WhatsAppSubscribing:
    """Subscribing to the webhooks of a WABA, with a separate URL for each.

    One subscription serves all numbers of a WABA: `unsubscribe` is for the last of them.
    """

    def __init__(self, api: WhatsApp) -> None:
        self._api = api

    async def subscribe(self, held: AccountCredentials, callback: Callback) -> None:
        """Subscribe twice, in this order: WhatsApp only accepts the URL from an app that is already subscribed, and
        calls it before it responds.
        """
        api, path = self._api.of(held), f"{waba_of(held)}/subscribed_apps"
        await api.do("POST", path)
        own = {"override_callback_uri": callback.url, "verify_token": callback.verify_token}
        await api.do("POST", path, own, hidden=(callback.url, callback.verify_token))

    async def unsubscribe(self, held: AccountCredentials) -> None:
        """Stop the webhooks. The number itself stays registered: deregistering would take it offline."""
        try:
            await self._api.of(held).do("DELETE", f"{waba_of(held)}/subscribed_apps")
        except NeedsReconnection:
            return


async def _number(api: Caller, waba: str) -> Number:
    """Read the number. If it is hidden from its own token, it is lost; but a single error may be a problem at Meta."""
    try:
        return await read_number(api)
    except HIDDEN as failure:
        try:
            listed = await is_listed(api, waba)
        except SILENT:
            listed = False
        if listed:
            raise
        raise NeedsReconnection(
            "The access token no longer gives access to this number. Reconnect it with one that does.",
            platform=Platform.WHATSAPP_CLOUD,
            error=failure.platform_error,
        ) from None


async def _profile(api: Caller) -> dict[str, Any]:
    try:
        return await read_profile(api)
    except NeedsReconnection:
        raise
    except PlatformFailure:
        return {}


def issues(number: Number) -> list[Issue]:
    callbacks = number.webhook_configuration
    unheard = callbacks is not None and not any(_ROUTE in str(callback) for callback in callbacks.values())
    unproven = number.code_verification_status == "NOT_VERIFIED" and not number.offline
    found = [
        (number.offline, _UNREGISTERED),
        (unproven, Issue("not_verified", "WhatsApp has not verified that the number is yours.", _MANAGER)),
        (number.quality_rating == "RED", _UNPOPULAR),
        (number.account_mode not in {None, "LIVE"}, _TEST),
        (unheard, _UNHEARD),
    ]
    known = [*(issue for wrong, issue in found if wrong), *_restricted(number)]
    status = _STATUSES.get(number.status or "")
    if status is None or status.code in {issue.code for issue in known}:
        return known
    # That a banned number cannot send is not another problem.
    return [status, *(issue for issue in known if status.code != "banned" or issue.code != "sending_blocked")]


def _restricted(number: Number) -> list[Issue]:
    """Say what keeps the number from sending, in WhatsApp's own words. One that is offline has its own issue."""
    status = number.health_status
    known = _RESTRICTED.get(status.can_send_message)
    if known is None or number.offline:
        return []
    code, detail = known
    concerned = [one for one in status.entities if one.can_send_message == status.can_send_message]
    error = next((error for one in concerned for error in one.errors), HealthError())
    warning = status.can_send_message != "BLOCKED"
    return [Issue(code, error.error_description or detail, error.possible_solution or _MANAGER, warning=warning)]
