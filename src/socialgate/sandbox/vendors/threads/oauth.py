"""The authorization window, codes and tokens."""

from typing import Any

from starlette.responses import Response

from socialgate.sandbox.dialects.graph.errors import failure
from socialgate.sandbox.dialects.graph.redirects import refusal
from socialgate.sandbox.dialects.graph.tokens import fault_of
from socialgate.sandbox.kit import Call, Candidate, Denied, Refused, Scope, consent, send_back, text
from socialgate.sandbox.kit.addresses import is_own
from socialgate.sandbox.vendors.threads.errors import bad_parameter, flat
from socialgate.sandbox.vendors.threads.state import Code, Grant, Profile, Token
from socialgate.sandbox.vendors.threads.viewer import (
    GRANT_LIVES,
    check,
    is_app_token,
    new_token,
    require,
    scopes,
    token_text,
)

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
_CODE_LIVES = 3600
_YOUNGEST_TO_REFRESH = 86400


def authorize(call: Call) -> Response:
    query = call.query
    redirect_uri, state = query.get("redirect_uri", ""), query.get("state")
    asked = [name for name in query.get("scope", "").replace(" ", ",").split(",") if name]
    wrong = _wrong(call, redirect_uri, asked)
    if wrong is not None:
        return refusal("Sorry, this page isn't available", wrong)
    people = [Candidate(one.id, f"@{one.username}", one.about) for one in call.world.store.find(Profile)]
    shown = [Scope(name, SCOPES[name], required=name == BASIC) for name in dict.fromkeys(asked)]
    decided = consent(call, platform="Threads", people=people, scopes=shown)
    if isinstance(decided, Response):
        return decided
    if isinstance(decided, Denied):
        told = "The user denied your request"
        return send_back(
            redirect_uri, error="access_denied", error_reason="user_denied", error_description=told, state=state
        )
    store, now = call.world.store, call.world.clock.now()
    store.put(Grant(id=decided.person, scopes=decided.scopes, renewed=now))
    code = store.put(Code(id=f"AQB{text(200)}", parent=decided.person, redirect_uri=redirect_uri, made=now))
    return send_back(redirect_uri, code=code.id, state=state, fragment="_")


def _wrong(call: Call, redirect_uri: str, asked: list[str]) -> str | None:
    if call.query.get("client_id") != call.world.app.id:
        return "Invalid request: Invalid platform app"
    if call.query.get("response_type") != "code":
        return "Invalid request: Request parameters are invalid: Invalid response_type"
    if not is_own(call.world, redirect_uri):
        return "Invalid request: Request parameters are invalid: Invalid redirect_uri"
    unknown = [name for name in asked if name not in SCOPES]
    return None if BASIC in asked and not unknown else f"Invalid scope: {unknown or asked}"


def redeem(call: Call) -> Any:
    """Exchange a code for a short-lived token. The profile's id is a bare number, too large for a float."""
    given, app = call.params, call.world.app
    if given.get("client_id") != app.id:
        return flat("Invalid platform app")
    if given.get("client_secret") != app.secret:
        return flat("Error validating client secret.")
    if given.get("grant_type") != "authorization_code":
        return flat("Invalid grant_type")
    code = _living_code(call)
    code.used = True
    call.world.store.put(code)
    token = new_token(call.world, code.parent, long_lived=False)
    return {"access_token": token.id, "user_id": int(code.parent)}


def _living_code(call: Call) -> Code:
    code = call.world.store.get(Code, str(call.params.get("code", "")))
    if code is None or code.used:
        raise Refused(flat("Matching code was not found or was already used"))
    if call.world.clock.since(code.made) > _CODE_LIVES:
        raise Refused(flat("This authorization code has expired"))
    if code.redirect_uri != call.params.get("redirect_uri"):
        message = (
            "Error validating verification code. Please make sure your redirect_uri is identical to the one you used "
            "in the OAuth dialog request"
        )
        raise Refused(flat(message))
    return code


def app_token(call: Call) -> Any:
    given, app = call.params, call.world.app
    if given.get("grant_type") != "client_credentials":
        return failure("Unsupported get request.", 100)
    if given.get("client_id") != app.id or given.get("client_secret") != app.secret:
        return failure("Error validating client secret.", 1)
    return {"access_token": f"TH|{app.id}|{app.secret}", "token_type": "bearer"}


def exchange(call: Call) -> Any:
    """Exchange a short-lived token for a long-lived one."""
    if call.params.get("grant_type") != "th_exchange_token":
        return failure("Unsupported grant type", 100)
    if call.params.get("client_secret") != call.world.app.secret:
        return failure("Error validating client secret.", 1)
    token = check(call, token_text(call))
    if token.long_lived:
        message = (
            "Session key invalid. This could be because the session key has an incorrect format, or because the user "
            "has revoked this session"
        )
        return failure(message, 452)
    return _answer(call, new_token(call.world, token.parent, long_lived=True))


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
    grant.renewed = call.world.clock.now()
    call.world.store.put(grant)
    return _answer(call, new_token(call.world, token.parent, long_lived=True))


def _answer(call: Call, token: Token) -> dict[str, Any]:
    left = -call.world.clock.since(token.expires)
    return {"access_token": token.id, "token_type": "bearer", "expires_in": round(left)}


def debug_token(call: Call) -> Any:
    if not is_app_token(call.world, token_text(call)):
        check(call, token_text(call))
    given = str(call.params.get("input_token", ""))
    token = call.world.store.get(Token, given)
    error = fault_of(check, call, given)
    if token is None:
        return {"data": {"error": error, "is_valid": False, "scopes": []}}
    grant = call.world.store.get(Grant, token.parent)
    renewed = grant.renewed if grant is not None else token.issued
    described = {
        "type": "USER",
        "application": call.world.app.name,
        "data_access_expires_at": int((renewed + GRANT_LIVES).timestamp()),
        "error": error,
        "expires_at": int(token.expires.timestamp()),
        "is_valid": error is None,
        "issued_at": int(token.issued.timestamp()),
        "scopes": scopes(call.world, token.parent) if error is None else [],
        "user_id": token.parent,
    }
    return {"data": {name: value for name, value in described.items() if value is not None}}
