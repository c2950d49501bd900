"""The login dialog, codes and tokens, and what a token allows."""

from datetime import timedelta
from typing import Any

from starlette.responses import Response

from socialgate.sandbox.dialects.graph.errors import failure, unknown_object
from socialgate.sandbox.dialects.graph.redirects import refusal
from socialgate.sandbox.dialects.graph.tokens import fault_of
from socialgate.sandbox.kit import Allowed, Call, Candidate, Denied, Scope, consent, send_back, text
from socialgate.sandbox.kit.addresses import is_own
from socialgate.sandbox.vendors.meta.state import Code, Grant, Human, Role, Token
from socialgate.sandbox.vendors.meta.viewer import (
    LONG,
    SHORT,
    check,
    generated_app_token,
    is_app_token,
    kill,
    new_token,
    token_text,
)

PROFILE = "public_profile"
PAGE_SCOPES = {
    "pages_show_list": "Show a list of the Pages you manage",
    "pages_read_engagement": "Read content posted on the Page",
    "pages_read_user_content": "Read user content on your Page",
    "pages_manage_posts": "Create and manage content on your Page",
    "pages_manage_engagement": "Manage comments on your Page",
    "pages_manage_metadata": "Manage accounts, settings and webhooks for a Page",
    "pages_messaging": "Manage and access Page conversations in Messenger",
    "pages_manage_ads": "Manage ads for your Page",
    "read_insights": "Access Page and app insights",
    "leads_retrieval": "Access leads for your Pages",
    "publish_video": "Publish video",
}
INSTAGRAM_SCOPES = {
    "instagram_basic": "Access profile and posts from the Instagram account connected to your Page",
    "instagram_content_publish": "Upload media and create posts",
    "instagram_manage_comments": "Manage comments",
    "instagram_manage_insights": "Access insights",
    "instagram_manage_messages": "Manage and access conversations",
    "instagram_manage_contents": "Manage contents",
}
OTHER_SCOPES = {
    PROFILE: "Your name and profile picture",
    "email": "Your email address",
    "business_management": "Manage your business",
    "ads_read": "Access ads",
    "ads_management": "Manage ads",
    "catalog_management": "Manage your catalogs",
    "commerce_account_read_settings": "Read your shop's settings",
    "commerce_account_read_orders": "Read your shop's orders",
    "commerce_account_manage_orders": "Manage your shop's orders",
}
SCOPES = OTHER_SCOPES | PAGE_SCOPES | INSTAGRAM_SCOPES
_CODE_LIVES = 600
_DATA_ACCESS = timedelta(days=90)


def dialog(call: Call) -> Response:
    """Let a person decide. Errors in the request are shown to the person, not sent back."""
    app, query = call.world.app, call.query
    redirect_uri = query.get("redirect_uri", "")
    if query.get("client_id") != app.id:
        return refusal("Invalid App ID", "The provided app ID does not look like a valid app ID.")
    if not is_own(call.world, redirect_uri):
        detail = "This redirect failed because the redirect URI is not white-listed in the app's client OAuth settings."
        return refusal("URL blocked", detail)
    asked = _asked(call)
    unknown = [name for name in asked if name not in SCOPES]
    if unknown:
        return refusal(
            "Invalid Scopes", f"Invalid Scopes: {', '.join(unknown)}. This message is only shown to developers."
        )
    people = [Candidate(human.id, human.name, human.about) for human in call.world.store.find(Human)]
    shown = [Scope(name, SCOPES[name], required=name == PROFILE) for name in asked]
    decided = consent(call, platform="Facebook", people=people, scopes=shown)
    state = query.get("state")
    if isinstance(decided, Denied):
        return _denied(redirect_uri, state)
    if isinstance(decided, Response):
        return decided
    code = _allow(call, decided, asked, redirect_uri)
    return send_back(redirect_uri, code=code.id, state=state, fragment="_=_")


def _denied(redirect_uri: str, state: str | None) -> Response:
    return send_back(
        redirect_uri,
        error="access_denied",
        error_code="200",
        error_description="Permissions error",
        error_reason="user_denied",
        state=state,
        fragment="_=_",
    )


def _asked(call: Call) -> list[str]:
    """Read the scopes. A configuration of Login for Business stands for all of them."""
    if call.query.get("config_id"):
        return list(SCOPES)
    given = [name.strip() for name in call.query.get("scope", "").replace(" ", ",").split(",")]
    return list(dict.fromkeys([PROFILE, *(name for name in given if name)]))


def _allow(call: Call, allowed: Allowed, asked: list[str], redirect_uri: str) -> Code:
    store, now = call.world.store, call.world.clock.now()
    before = store.get(Grant, allowed.person) or Grant(id=allowed.person, scopes=[], made=now)
    granted = set(allowed.scopes)
    if call.query.get("auth_type") != "rerequest":
        # A person who once declined a scope is not asked for it again, unless the app requests that.
        granted -= set(before.declined)
    kept = (set(before.scopes) - set(asked)) | granted
    declined = (set(before.declined) | set(asked)) - kept
    store.put(Grant(id=allowed.person, scopes=_sorted(kept), declined=_sorted(declined), made=now))
    code = Code(id=f"AQ{text(220)}", parent=allowed.person, redirect_uri=redirect_uri, made=now)
    return store.put(code)


def _sorted(names: set[str]) -> list[str]:
    return [name for name in SCOPES if name in names]


def access_token(call: Call) -> Any:
    """Serve the three kinds of exchange, distinguished by `grant_type`."""
    given, app = call.params, call.world.app
    if not given.get("client_id"):
        return failure("Missing client_id parameter.", 101)
    if given["client_id"] != app.id:
        message = "Error validating application. Cannot get application info due to a system error."
        return failure(message, 101)
    if given.get("client_secret") != app.secret:
        return failure("Error validating client secret.", 1)
    match given.get("grant_type"):
        case "client_credentials":
            return {"access_token": generated_app_token(call.world), "token_type": "bearer"}
        case "fb_exchange_token":
            return _exchange(call)
        case _:
            return _redeem(call)


def _redeem(call: Call) -> Any:
    given, store = call.params, call.world.store
    if not given.get("redirect_uri"):
        return failure("Missing redirect_uri parameter.", 191)
    code = store.get(Code, str(given.get("code", "")))
    if code is None:
        return failure("Invalid verification code format.", 100)
    refused = _code_problem(call, code)
    if refused is not None:
        return refused
    code.used = True
    store.put(code)
    return _answer(new_token(call.world, code.parent, lives=SHORT), call)


def _code_problem(call: Call, code: Code) -> Response | None:
    given = call.params
    if code.used:
        return failure("This authorization code has been used.", 100, subcode=36009)
    if call.world.clock.since(code.made) > _CODE_LIVES:
        return failure("This authorization code has expired.", 100, subcode=36007)
    if code.redirect_uri != given["redirect_uri"]:
        message = (
            "Error validating verification code. Please make sure your redirect_uri is identical to the one you used "
            "in the OAuth dialog request"
        )
        return failure(message, 100, subcode=36008)
    if given.get("code_verifier"):
        # The dialog accepts a challenge and ignores it: PKCE belongs to the OpenID Connect login, which is in testing.
        return failure("code_verifier param is provided without a code_challenge in authorization request.", 100)
    return None


def _exchange(call: Call) -> Any:
    """Issue a long-lived token. One that is already long-lived does not get a later expiry."""
    token = check(call, str(call.params.get("fb_exchange_token", "")))
    if token.page:
        raise unknown_object(call.method, token.page)
    if token.long_lived and token.expires is not None:
        left = token.expires - call.world.clock.now()
        return _answer(new_token(call.world, token.parent, lives=left, long_lived=True), call)
    return _answer(new_token(call.world, token.parent, lives=LONG, long_lived=True), call)


def _answer(token: Token, call: Call) -> dict[str, Any]:
    assert token.expires is not None
    left = -call.world.clock.since(token.expires)
    return {"access_token": token.id, "token_type": "bearer", "expires_in": round(left)}


def debug_token(call: Call) -> Any:
    given, asking = str(call.params.get("input_token", "")), token_text(call)
    if not is_app_token(call, asking) and asking != given:
        message = (
            "(#100) You must provide an app access token, or a user access token that is an owner or developer of the "
            "app"
        )
        return failure(message, 100)
    if not given:
        return failure("(#100) The parameter input_token is required", 100)
    if is_app_token(call, given):
        app = call.world.app
        return {"data": {"app_id": app.id, "type": "APP", "application": app.name, "is_valid": True, "scopes": []}}
    return {"data": _described(call, given)}


def _described(call: Call, given: str) -> dict[str, Any]:
    """Describe any token, including invalid ones: the status is 200 whatever is wrong with it."""
    token, error = call.world.store.get(Token, given), fault_of(check, call, given)
    if token is None:
        return {"error": error, "is_valid": False, "scopes": []}
    grant = call.world.store.get(Grant, token.parent)
    scopes = grant.scopes if grant is not None and error is None else []
    data_access = (grant.made if grant is not None else token.issued) + _DATA_ACCESS
    described = {
        "app_id": call.world.app.id,
        "type": "PAGE" if token.page else "USER",
        "application": call.world.app.name,
        "data_access_expires_at": int(data_access.timestamp()),
        "error": error,
        "expires_at": int(token.expires.timestamp()) if token.expires is not None else 0,
        "is_valid": error is None,
        "issued_at": int(token.issued.timestamp()) if token.long_lived else None,
        "profile_id": token.page or None,
        "scopes": scopes,
        "granular_scopes": [_granular(call, token, name) for name in scopes if name not in {PROFILE, "email"}],
        "user_id": token.parent,
    }
    return {name: value for name, value in described.items() if value is not None}


def _granular(call: Call, token: Token, scope: str) -> dict[str, Any]:
    """Return the Pages that a scope applies to. Without `target_ids` it would be all."""
    if scope not in PAGE_SCOPES:
        return {"scope": scope}
    roles = call.world.store.find(Role, parent=token.parent)
    pages = [role.asset for role in roles if role.ticked and not role.asset.startswith("act_")]
    return {"scope": scope, "target_ids": pages}


def permissions(call: Call, human: Human) -> Any:
    grant = call.world.store.get(Grant, human.id)
    if grant is None:
        return {"data": []}
    granted = [{"permission": name, "status": "granted"} for name in grant.scopes]
    return {"data": [*granted, *({"permission": name, "status": "declined"} for name in grant.declined)]}


def give_up(call: Call, human: Human) -> Any:
    """Revoke one permission, or all: then the person no longer uses the app, and every token becomes invalid."""
    grant = call.world.store.get(Grant, human.id)
    name = call.params.get("permission")
    if grant is not None and name is None:
        call.world.store.delete(Grant, human.id)
        kill(call.world, human.id, "app_removed")
    elif grant is not None and name in grant.scopes:
        grant.scopes.remove(name)
        call.world.store.put(grant)
    return {"success": True}
