"""The profile of a linked number at WaSender, and whether it works."""

from socialgate.connectors.wasender.auth import Tokens, session_of
from socialgate.connectors.wasender.wire import SessionApi, Token
from socialgate.contracts.connecting import About, AccountCredentials, Check, Issue
from socialgate.contracts.failures import NeedsReconnection
from socialgate.contracts.platforms import Platform

# States from which a session does not recover by itself, and what happened.
LOST = {
    "logged_out": "The phone was unlinked from this session.",
    "expired": "WhatsApp ended the session after long inactivity.",
    "need_scan": "WhatsApp requires the code to be scanned again.",
    "disconnected": "The session was disconnected at WaSender.",
}


class SessionAccounts:
    def __init__(self, api: SessionApi, tokens: Tokens) -> None:
        self._api = api
        self._tokens = tokens

    async def about(self, held: AccountCredentials) -> About:
        session = await self._api.session(self._tokens.pat(held), session_of(held))
        number = session.phone_number or held.platform_account_id
        return About(
            name=session.name or held.grant.name,
            username=number,
            profile_url=f"https://wa.me/{number.removeprefix('+')}",
            facts={"phoneNumber": number, "sessionStatus": session.state, "lastActiveAt": session.last_active_at},
        )

    async def check(self, held: AccountCredentials) -> Check:
        state = await self._api.status(Token(held.grant.access_token, held.platform_account_id))
        if state in LOST:
            raise NeedsReconnection(f"{LOST[state]} Scan a new code to link it again.", platform=Platform.WASENDER)
        return Check(granted=held.grant.scopes, works=state == "connected", issues=issues(state))


def issues(state: str) -> tuple[Issue, ...]:
    if state == "connected":
        return ()
    if state == "connecting":
        fix = "Wait; check the phone if it persists."
        return (Issue("session_connecting", "WaSender is connecting to WhatsApp.", fix),)
    fix = "Restart the session at wasenderapi.com, and reconnect the number if that does not help."
    return (Issue("session_error", "WaSender reports a problem with this session.", fix),)
