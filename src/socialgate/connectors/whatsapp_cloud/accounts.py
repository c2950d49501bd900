"""The current profile of a WhatsApp number, what is wrong with it, and subscribing to its webhooks."""

from typing import Any

from socialgate.connectors.graph.dialect import GraphCaller
from socialgate.connectors.graph.posts import NO_ANSWER_ERRORS, NOT_VISIBLE_ERRORS
from socialgate.connectors.json_paths import get_text_or_number
from socialgate.connectors.whatsapp_cloud.api import (
    HealthError,
    PhoneNumber,
    WhatsAppApi,
    fetch_business_profile,
    fetch_number,
    get_waba_id,
    is_number_in_waba,
)
from socialgate.contracts.account_connection import (
    AccountCheck,
    AccountCredentials,
    AccountIssue,
    AccountProfile,
    WebhookEndpoint,
)
from socialgate.contracts.failures import NeedsReconnectionError, PlatformFailure
from socialgate.contracts.platforms import Platform

_WEBHOOK_PATH = "/webhooks/whatsapp-cloud"
_OPEN_MANAGER_HINT = "Open the WhatsApp Manager, which says what to do."
_NOT_REGISTERED_ISSUE = AccountIssue(
    "not_registered",
    "The number is not registered with the Cloud API: it can neither send nor receive.",
    "Reconnect it with `pin`, six digits of your choice (or those of its two-step verification).",
    warning=False,
)
_WEBHOOK_MISSING_ISSUE = AccountIssue(
    "events_off", "WhatsApp does not send the messages of this number to this service.", "Reconnect the number."
)
_LOW_QUALITY_ISSUE = AccountIssue(
    "quality_low", "People often block or report this number: WhatsApp may limit it.", _OPEN_MANAGER_HINT
)
_SENDING_ISSUES = {
    "BLOCKED": ("sending_blocked", "WhatsApp does not let this number send messages."),
    "LIMITED": ("sending_limited", "WhatsApp limits the messages that this number can send."),
}
_ISSUES_BY_STATUS = {
    "BANNED": AccountIssue(
        "banned",
        "WhatsApp has banned this number: it can neither send nor receive messages.",
        "Request a review in the WhatsApp Manager, or connect another number.",
        warning=False,
    ),
    "DISCONNECTED": _NOT_REGISTERED_ISSUE,
    "FLAGGED": _LOW_QUALITY_ISSUE,
    **dict.fromkeys(
        ("RATE_LIMITED", "RESTRICTED"),
        AccountIssue(
            "sending_limited",
            "WhatsApp does not let this number start conversations for the moment.",
            _OPEN_MANAGER_HINT,
        ),
    ),
}
_TEST_NUMBER_ISSUE = AccountIssue(
    "not_live", "This is a test number: it can only write to recipients on its list.", _OPEN_MANAGER_HINT
)


class WhatsAppAccountInspector:
    def __init__(self, api: WhatsAppApi) -> None:
        self._api = api

    async def fetch_profile(self, credentials: AccountCredentials) -> AccountProfile:
        api = self._api.for_account(credentials)
        number, profile = await fetch_number(api), await _fetch_profile_or_empty(api)
        return AccountProfile(
            name=number.verified_name or number.e164_number or credentials.platform_account_id,
            username=number.e164_number,
            avatar_url=get_text_or_number(profile, "profile_picture_url") or None,
            profile_url=f"https://wa.me/{number.e164_number.removeprefix('+')}" if number.e164_number else None,
            description=get_text_or_number(profile, "description") or get_text_or_number(profile, "about") or None,
            facts={
                **{name: profile.get(name) for name in ("about", "address", "email", "vertical")},
                "websites": profile.get("websites") or [],
                "quality": number.quality_rating,
                "messagingLimit": number.messaging_limit_tier,
                "nameStatus": number.name_status,
            },
        )

    async def check(self, credentials: AccountCredentials) -> AccountCheck:
        """Not every token can be inspected; the number was read with it, so it works."""
        api = self._api.for_account(credentials)
        number = await _fetch_number_or_reconnect(api, get_waba_id(credentials))
        granted, ends = await api.fetch_permissions(credentials.grant.scopes, credentials.grant.expires_at)
        return AccountCheck(
            granted_scopes=granted, is_usable=not number.is_banned, expires_at=ends, issues=tuple(find_issues(number))
        )


class WhatsAppWebhookSubscriber:
    """Subscribing to the webhooks of a WABA, with a separate URL for each.

    One subscription serves all numbers of a WABA: `unsubscribe` is for the last of them.
    """

    def __init__(self, api: WhatsAppApi) -> None:
        self._api = api

    async def subscribe(self, credentials: AccountCredentials, callback: WebhookEndpoint) -> None:
        """Subscribe twice, in this order: WhatsApp only accepts the URL from an app that is already subscribed, and
        calls it before it responds.
        """
        api, path = self._api.for_account(credentials), f"{get_waba_id(credentials)}/subscribed_apps"
        await api.call_for_success("POST", path)
        own = {"override_callback_uri": callback.url, "verify_token": callback.verify_token}
        await api.call_for_success("POST", path, own, hidden=(callback.url, callback.verify_token))

    async def unsubscribe(self, credentials: AccountCredentials) -> None:
        """Stop the webhooks. The number itself stays registered: deregistering would take it offline."""
        try:
            await self._api.for_account(credentials).call_for_success(
                "DELETE", f"{get_waba_id(credentials)}/subscribed_apps"
            )
        except NeedsReconnectionError:
            return


async def _fetch_number_or_reconnect(api: GraphCaller, waba: str) -> PhoneNumber:
    """Read the number. If it is hidden from its own token, it is lost; but a single error may be a problem at Meta."""
    try:
        return await fetch_number(api)
    except NOT_VISIBLE_ERRORS as failure:
        try:
            listed = await is_number_in_waba(api, waba)
        except NO_ANSWER_ERRORS:
            listed = False
        if listed:
            raise
        raise NeedsReconnectionError(
            "The access token no longer gives access to this number. Reconnect it with one that does.",
            platform=Platform.WHATSAPP_CLOUD,
            error=failure.platform_error,
        ) from None


async def _fetch_profile_or_empty(api: GraphCaller) -> dict[str, Any]:
    try:
        return await fetch_business_profile(api)
    except NeedsReconnectionError:
        raise
    except PlatformFailure:
        return {}


def find_issues(number: PhoneNumber) -> list[AccountIssue]:
    callbacks = number.webhook_configuration
    unheard = callbacks is not None and not any(_WEBHOOK_PATH in str(callback) for callback in callbacks.values())
    unproven = number.code_verification_status == "NOT_VERIFIED" and not number.is_offline
    result = [
        (number.is_offline, _NOT_REGISTERED_ISSUE),
        (
            unproven,
            AccountIssue("not_verified", "WhatsApp has not verified that the number is yours.", _OPEN_MANAGER_HINT),
        ),
        (number.quality_rating == "RED", _LOW_QUALITY_ISSUE),
        (number.account_mode not in {None, "LIVE"}, _TEST_NUMBER_ISSUE),
        (unheard, _WEBHOOK_MISSING_ISSUE),
    ]
    known = [*(issue for wrong, issue in result if wrong), *_find_sending_issues(number)]
    status = _ISSUES_BY_STATUS.get(number.status or "")
    if status is None or status.code in {issue.code for issue in known}:
        return known
    # That a banned number cannot send is not another problem.
    return [status, *(issue for issue in known if status.code != "banned" or issue.code != "sending_blocked")]


def _find_sending_issues(number: PhoneNumber) -> list[AccountIssue]:
    """Say what keeps the number from sending, in WhatsApp's own words. One that is offline has its own issue."""
    status = number.health_status
    known = _SENDING_ISSUES.get(status.can_send_message)
    if known is None or number.is_offline:
        return []
    code, detail = known
    concerned = [entity for entity in status.entities if entity.can_send_message == status.can_send_message]
    error = next((error for health_entity in concerned for error in health_entity.errors), HealthError())
    warning = status.can_send_message != "BLOCKED"
    return [
        AccountIssue(
            code, error.error_description or detail, error.possible_solution or _OPEN_MANAGER_HINT, warning=warning
        )
    ]
