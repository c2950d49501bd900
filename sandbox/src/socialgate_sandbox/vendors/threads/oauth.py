"""The authorization window, codes and tokens."""

from datetime import timedelta
from typing import Any

from socialgate_sandbox.dialects.graph import login
from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.dialects.graph.login import Grant
from socialgate_sandbox.dialects.graph.tokens import read_token
from socialgate_sandbox.kit import Call, LoginCandidate, generate_alphanumeric, oauth
from socialgate_sandbox.vendors.threads.errors import build_flat_error, build_parameter_response
from socialgate_sandbox.vendors.threads.stored_objects import Profile, Token
from socialgate_sandbox.vendors.threads.token_access import (
    GRANT_LIFETIME,
    TOKENS,
    build_app_token,
    issue_token,
    require_scope,
)

BASIC_SCOPE = "threads_basic"
SCOPES = {
    BASIC_SCOPE: "Access your profile and posts",
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
_MIN_REFRESH_AGE_SECONDS = 86400
_SESSION_INVALID_MESSAGE = (
    "Session key invalid. This could be because the session key has an incorrect format, or because the user has "
    "revoked this session"
)


def _store_grant(call: Call, code: oauth.Code) -> None:
    call.context.store.put(Grant(id=code.parent, scopes=code.scopes, created_at=code.created_at))


LOGIN = oauth.OAuthLogin(
    platform="Threads",
    scopes=SCOPES,
    required=(BASIC_SCOPE,),
    read_scopes=oauth.build_scope_reader(", "),
    list_candidates=lambda call: [
        LoginCandidate(profile.id, f"@{profile.username}", profile.about)
        for profile in call.context.store.find(Profile)
    ],
    extra_checks={
        "basic scope": lambda it: BASIC_SCOPE not in it.login.get_requested_scopes(it.params),
        "grant_type": lambda it: it.get("grant_type") != "authorization_code",
    },
    build_page_refusal=lambda call, detail: login.build_page_refusal(call, "Sorry, this page isn't available", detail),
    page_refusals={
        "client": ("Invalid request: Invalid platform app",),
        "response_type": ("Invalid request: Request parameters are invalid: Invalid response_type",),
        "redirect_uri": ("Invalid request: Request parameters are invalid: Invalid redirect_uri",),
        "scope": ("Invalid scope: {unknown}",),
        "basic scope": ("Invalid scope: {asked}",),
    },
    denied_params={"error_reason": "user_denied", "error_description": "The user denied your request"},
    on_allowed=_store_grant,
    new_code=lambda: f"AQB{generate_alphanumeric(200)}",
    code_lifetime=timedelta(hours=1),
    build_redirect_params=lambda code: {**oauth.build_code_and_state(code), "fragment": "_"},
    build_refusal=lambda _call, message: build_flat_error(message),
    client_refusals={
        "client": ("Invalid platform app",),
        "secret": ("Error validating client secret.",),
        "grant_type": ("Invalid grant_type",),
    },
    code_refusals={
        **dict.fromkeys(("code", "used"), ("Matching code was not found or was already used",)),
        "expired": ("This authorization code has expired",),
        "other redirect_uri": (login.REDIRECT_MISMATCH_MESSAGE,),
    },
)


def redeem_code(call: Call) -> Any:
    """Exchange a code for a short-lived token. The profile's id is a bare number, too large for a float."""
    LOGIN.check_client(call, call.params)
    code = LOGIN.redeem_code(call, str(call.params.get("code", "")), call.params)
    token = issue_token(call.context, code.parent, long_lived=False)
    return {"access_token": token.id, "user_id": int(code.parent)}


def issue_app_token(call: Call) -> Any:
    params, app = call.params, call.context.app
    if params.get("grant_type") != "client_credentials":
        return build_error_response("Unsupported get request.", 100)
    if (params.get("client_id"), params.get("client_secret")) != (app.id, app.secret):
        return build_error_response("Error validating client secret.", 1)
    return {"access_token": build_app_token(call.context), "token_type": "bearer"}


def exchange_token(call: Call) -> Any:
    """Exchange a short-lived token for a long-lived one."""
    if call.params.get("grant_type") != "th_exchange_token":
        return build_error_response("Unsupported grant type", 100)
    if call.params.get("client_secret") != call.context.app.secret:
        return build_error_response("Error validating client secret.", 1)
    token = TOKENS.require_valid(call, read_token(call))
    if token.long_lived:
        return build_error_response(_SESSION_INVALID_MESSAGE, 452)
    return login.build_token_response(call, issue_token(call.context, token.parent, long_lived=True))


def refresh_token(call: Call) -> Any:
    """Issue a token that is valid for sixty days from now, and extend the grant with it."""
    if call.params.get("grant_type") != "th_refresh_token":
        return build_error_response("Unsupported grant type", 100)
    token = require_scope(call)
    if not token.long_lived:
        return build_parameter_response("Only long-lived access tokens can be refreshed")
    if call.context.clock.get_seconds_since(token.issued) < _MIN_REFRESH_AGE_SECONDS:
        return build_parameter_response("The access token must be at least 24 hours old to be refreshed")
    grant = call.context.store.get(Grant, token.parent)
    assert grant is not None
    grant.created_at = call.context.clock.now()
    call.context.store.put(grant)
    return login.build_token_response(call, issue_token(call.context, token.parent, long_lived=True))


def show_token_info(call: Call) -> Any:
    """Unlike Facebook, Threads lets every valid token inspect others."""
    if not TOKENS.is_app_token(call, read_token(call)):
        TOKENS.require_valid(call, read_token(call))
    return login.describe_token(call, TOKENS, str(call.params.get("input_token", "")), _describe_token)


def _describe_token(call: Call, token: Token, _scopes: list[str]) -> dict[str, Any]:
    grant = call.context.store.get(Grant, token.parent)
    renewed = grant.created_at if grant is not None else token.issued
    until = int((renewed + GRANT_LIFETIME).timestamp())
    return {"type": "USER", "data_access_expires_at": until, "user_id": token.parent}
