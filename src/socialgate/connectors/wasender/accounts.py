"""The profile of a linked number at WaSender, and whether it works."""

from socialgate.connectors.wasender.api import WasenderApi, WasenderToken
from socialgate.connectors.wasender.auth import TokenResolver, get_session_id
from socialgate.contracts.account_connection import AccountCheck, AccountCredentials, AccountIssue, AccountProfile
from socialgate.contracts.failures import NeedsReconnectionError
from socialgate.contracts.platforms import Platform

# States from which a session does not recover by itself, and what happened.
LOST_SESSION_REASONS = {
    "logged_out": "The phone was unlinked from this session.",
    "expired": "WhatsApp ended the session after long inactivity.",
    "need_scan": "WhatsApp requires the code to be scanned again.",
    "disconnected": "The session was disconnected at WaSender.",
}


class WasenderAccountInspector:
    def __init__(self, api: WasenderApi, tokens: TokenResolver) -> None:
        self._api = api
        self._tokens = tokens

    async def fetch_profile(self, credentials: AccountCredentials) -> AccountProfile:
        session = await self._api.fetch_session(
            self._tokens.resolve_for_account(credentials), get_session_id(credentials)
        )
        number = session.phone_number or credentials.platform_account_id
        return AccountProfile(
            name=session.name or credentials.grant.name,
            username=number,
            profile_url=f"https://wa.me/{number.removeprefix('+')}",
            facts={
                "phoneNumber": number,
                "sessionStatus": session.state,
                "lastActiveAt": session.last_active_at,
            },
        )

    async def check(self, credentials: AccountCredentials) -> AccountCheck:
        state = await self._api.fetch_session_status(
            WasenderToken(credentials.grant.access_token, credentials.platform_account_id)
        )
        if state in LOST_SESSION_REASONS:
            raise NeedsReconnectionError(
                f"{LOST_SESSION_REASONS[state]} Scan a new code to link it again.", platform=Platform.WASENDER
            )
        return AccountCheck(
            granted_scopes=credentials.grant.scopes, is_usable=state == "connected", issues=find_issues(state)
        )


def find_issues(state: str) -> tuple[AccountIssue, ...]:
    if state == "connected":
        return ()
    if state == "connecting":
        fix = "Wait; check the phone if it persists."
        return (AccountIssue("session_connecting", "WaSender is connecting to WhatsApp.", fix),)
    fix = "Restart the session at wasenderapi.com, and reconnect the number if that does not help."
    return (AccountIssue("session_error", "WaSender reports a problem with this session.", fix),)
