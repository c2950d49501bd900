"""The authorization window, codes and tokens."""

from datetime import timedelta
from typing import Any

from socialgate_sandbox.dialects.graph import login
from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.dialects.graph.login import Grant
from socialgate_sandbox.dialects.graph.tokens import token_text
from socialgate_sandbox.kit import Call, Candidate, oauth, text
from socialgate_sandbox.vendors.threads.errors import bad_parameter, flat
from socialgate_sandbox.vendors.threads.state import Profile, Token
from socialgate_sandbox.vendors.threads.viewer import GRANT_LIVES, TOKENS, app_token, new_token, require

BASIC = "threads_basic"
SCOPES = {
    BASIC: "Access your profile and posts",
    "threads_content_publish": "Create and publish posts",
    "threads_manage_replies": "Reply, hide replies and control who replies",
    "threads_read_replies": "Read replies to your posts",
    "threads_manage_insights": "Access insights",
    "threads_delete": "Delete your posts",
    "threads_manage_mentions": "Read posts that mention you",
    "threads_keyword_search": "Search posts by keyword",
    "threads_profile_discovery": "Read public profiles",
    "threads_location_tagging": "Search and tag locations",
}
_YOUNGEST_TO_REFRESH = 86400
_SESSION_INVALID = (
    "Session key invalid. This could be because the session key has an incorrect format, or because the user has "
    "revoked this session"
)


def _allow(call: Call, code: oauth.Code) -> None:
    call.world.store.put(Grant(id=code.parent, scopes=code.scopes, made=code.made))


LOGIN = oauth.Login(
    platform="Threads",
    scopes=SCOPES,
    required=(BASIC,),
    read_scopes=oauth.scopes_separated_by(", "),
    people=lambda call: [Candidate(one.id, f"@{one.username}", one.about) for one in call.world.store.find(Profile)],
    checks={
        "basic scope": lambda it: BASIC not in it.login.asked(it.given),
        "grant_type": lambda it: it.of("grant_type") != "authorization_code",
    },
    refuse_page=lambda call, detail: login.refuse_page(call, "Sorry, this page isn't available", detail),
    page_refusals={
        "client": ("Invalid request: Invalid platform app",),
        "response_type": ("Invalid request: Request parameters are invalid: Invalid response_type",),
        "redirect_uri": ("Invalid request: Request parameters are invalid: Invalid redirect_uri",),
        "scope": ("Invalid scope: {unknown}",),
        "basic scope": ("Invalid scope: {asked}",),
    },
    denied={"error_reason": "user_denied", "error_description": "The user denied your request"},
    allow=_allow,
    new_code=lambda: f"AQB{text(200)}",
    code_life=timedelta(hours=1),
    returned=lambda code: {**oauth.code_and_state(code), "fragment": "_"},
    refuse=lambda _call, message: flat(message),
    client_refusals={
        "client": ("Invalid platform app",),
        "secret": ("Error validating client secret.",),
        "grant_type": ("Invalid grant_type",),
    },
    code_refusals={
        **dict.fromkeys(("code", "used"), ("Matching code was not found or was already used",)),
        "expired": ("This authorization code has expired",),
        "other redirect_uri": (login.MOVED,),
    },
)


def redeem(call: Call) -> Any:
    """Exchange a code for a short-lived token. The profile's id is a bare number, too large for a float."""
    LOGIN.check_client(call, call.params)
    code = LOGIN.redeem(call, str(call.params.get("code", "")), call.params)
    token = new_token(call.world, code.parent, long_lived=False)
    return {"access_token": token.id, "user_id": int(code.parent)}


def issue_app_token(call: Call) -> Any:
    given, app = call.params, call.world.app
    if given.get("grant_type") != "client_credentials":
        return failure("Unsupported get request.", 100)
    if (given.get("client_id"), given.get("client_secret")) != (app.id, app.secret):
        return failure("Error validating client secret.", 1)
    return {"access_token": app_token(call.world), "token_type": "bearer"}


def exchange(call: Call) -> Any:
    """Exchange a short-lived token for a long-lived one."""
    if call.params.get("grant_type") != "th_exchange_token":
        return failure("Unsupported grant type", 100)
    if call.params.get("client_secret") != call.world.app.secret:
        return failure("Error validating client secret.", 1)
    token = TOKENS.check(call, token_text(call))
    if token.long_lived:
        return failure(_SESSION_INVALID, 452)
    return login.answer(call, new_token(call.world, token.parent, long_lived=True))


def refresh(call: Call) -> Any:
    """Issue a token that is valid for sixty days from now, and extend the grant with it."""
    if call.params.get("grant_type") != "th_refresh_token":
        return failure("Unsupported grant type", 100)
    token = require(call)
    if not token.long_lived:
        return bad_parameter("Only long-lived access tokens can be refreshed")
    if call.world.clock.since(token.issued) < _YOUNGEST_TO_REFRESH:
        return bad_parameter("The access token must be at least 24 hours old to be refreshed")
    grant = call.world.store.get(Grant, token.parent)
    assert grant is not None
    grant.made = call.world.clock.now()
    call.world.store.put(grant)
    return login.answer(call, new_token(call.world, token.parent, long_lived=True))


def debug_token(call: Call) -> Any:
    """Unlike Facebook, Threads lets every valid token inspect others."""
    if not TOKENS.is_app(call, token_text(call)):
        TOKENS.check(call, token_text(call))
    return login.inspected(call, TOKENS, str(call.params.get("input_token", "")), _described)


def _described(call: Call, token: Token, _scopes: list[str]) -> dict[str, Any]:
    grant = call.world.store.get(Grant, token.parent)
    renewed = grant.made if grant is not None else token.issued
    until = int((renewed + GRANT_LIVES).timestamp())
    return {"type": "USER", "data_access_expires_at": until, "user_id": token.parent}
