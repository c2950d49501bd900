"""The login dialog, codes and tokens, and what a token allows."""

from datetime import timedelta
from typing import Any

from socialgate_sandbox.dialects.graph import login
from socialgate_sandbox.dialects.graph.errors import build_error_response, build_unknown_object_error
from socialgate_sandbox.dialects.graph.login import Grant
from socialgate_sandbox.dialects.graph.tokens import invalidate_tokens
from socialgate_sandbox.kit import Call, LoginCandidate, generate_alphanumeric, oauth
from socialgate_sandbox.vendors.meta.stored_objects import Human, Role, Token
from socialgate_sandbox.vendors.meta.token_access import (
    LONG_TOKEN_LIFETIME,
    SHORT_TOKEN_LIFETIME,
    TOKENS,
    build_app_token,
    issue_token,
)

PROFILE_SCOPE = "public_profile"
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
    PROFILE_SCOPE: "Your name and profile picture",
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
_DATA_ACCESS_LIFETIME = timedelta(days=90)
_read_scope_list = oauth.build_scope_reader(", ")


def _get_requested_scopes(params: oauth.RequestParams) -> list[str]:
    """Read the scopes. A configuration of Login for Business stands for all of them."""
    if params.get("config_id"):
        return list(SCOPES)
    return list(dict.fromkeys([PROFILE_SCOPE, *_read_scope_list(params)]))


def _store_grant(call: Call, code: oauth.Code) -> None:
    store, request, granted = call.context.store, _get_requested_scopes(call.query), set(code.scopes)
    before = store.get(Grant, code.parent) or Grant(id=code.parent, scopes=[], created_at=code.created_at)
    if call.query.get("auth_type") != "rerequest":
        # A person who once declined a scope is not asked for it again, unless the app requests that.
        granted -= set(before.declined)
    kept = (set(before.scopes) - set(request)) | granted
    declined = (set(before.declined) | set(request)) - kept
    store.put(
        Grant(id=code.parent, scopes=_sort_scopes(kept), declined=_sort_scopes(declined), created_at=code.created_at)
    )


def _sort_scopes(names: set[str]) -> list[str]:
    return [name for name in SCOPES if name in names]


LOGIN = oauth.OAuthLogin(
    platform="Facebook",
    scopes=SCOPES,
    required=(PROFILE_SCOPE,),
    read_scopes=_get_requested_scopes,
    list_candidates=lambda call: [
        LoginCandidate(human.id, human.name, human.about) for human in call.context.store.find(Human)
    ],
    # The dialog accepts a challenge and ignores it: PKCE belongs to the OpenID Connect login, which is in testing.
    extra_checks={"verifier": lambda it: bool(it.get("code_verifier"))},
    build_page_refusal=login.build_page_refusal,
    page_refusals={
        **login.PAGE_REFUSALS,
        "scope": ("Invalid Scopes", "Invalid Scopes: {names}. This message is only shown to developers."),
    },
    denied_params={**login.DENIED_PARAMS, "error_reason": "user_denied"},
    on_allowed=_store_grant,
    new_code=lambda: f"AQ{generate_alphanumeric(220)}",
    build_redirect_params=login.build_code_and_fragment,
    build_refusal=login.build_refusal,
    client_refusals={"no client": ("Missing client_id parameter.", 101), **login.CLIENT_REFUSALS},
    code_refusals={
        **login.CODE_REFUSALS,
        "verifier": ("code_verifier param is provided without a code_challenge in authorization request.", 100),
    },
)


def issue_access_token(call: Call) -> Any:
    """Serve the three kinds of exchange, distinguished by `grant_type`."""
    params = call.params
    LOGIN.check_client(call, params)
    match params.get("grant_type"):
        case "client_credentials":
            return {"access_token": build_app_token(call.context), "token_type": "bearer"}
        case "fb_exchange_token":
            return _exchange_token(call)
    if not params.get("redirect_uri"):
        return build_error_response("Missing redirect_uri parameter.", 191)
    code = LOGIN.redeem_code(call, str(params.get("code", "")), params)
    return login.build_token_response(call, issue_token(call.context, code.parent, lifetime=SHORT_TOKEN_LIFETIME))


def _exchange_token(call: Call) -> Any:
    """Issue a long-lived token. One that is already long-lived does not get a later expiry."""
    token = TOKENS.require_valid(call, str(call.params.get("fb_exchange_token", "")))
    if token.page:
        raise build_unknown_object_error(call.method, token.page)
    lives = token.end - call.context.clock.now() if token.long_lived else LONG_TOKEN_LIFETIME
    return login.build_token_response(call, issue_token(call.context, token.parent, lifetime=lives, long_lived=True))


def show_token_info(call: Call) -> Any:
    return login.debug_token(call, TOKENS, _describe_token, missing="(#100) The parameter input_token is required")


def _describe_token(call: Call, token: Token, scopes: list[str]) -> dict[str, Any]:
    grant = call.context.store.get(Grant, token.parent)
    data_access = (grant.created_at if grant is not None else token.issued) + _DATA_ACCESS_LIFETIME
    return {
        "app_id": call.context.app.id,
        "type": "PAGE" if token.page else "USER",
        "data_access_expires_at": int(data_access.timestamp()),
        "issued_at": int(token.issued.timestamp()) if token.long_lived else None,
        "profile_id": token.page or None,
        "granular_scopes": [
            _build_granular_scope(call, token, name) for name in scopes if name not in {PROFILE_SCOPE, "email"}
        ],
        "user_id": token.parent,
    }


def _build_granular_scope(call: Call, token: Token, scope: str) -> dict[str, Any]:
    """Return the Pages that a scope applies to. Without `target_ids` it would be all."""
    if scope not in PAGE_SCOPES:
        return {"scope": scope}
    roles = call.context.store.find(Role, parent=token.parent)
    pages = [role.asset for role in roles if role.ticked and not role.asset.startswith("act_")]
    return {"scope": scope, "target_ids": pages}


def list_permissions(call: Call, human: Human) -> Any:
    grant = call.context.store.get(Grant, human.id)
    if grant is None:
        return {"data": []}
    granted = [{"permission": name, "status": "granted"} for name in grant.scopes]
    return {"data": [*granted, *({"permission": name, "status": "declined"} for name in grant.declined)]}


def revoke_permissions(call: Call, human: Human) -> Any:
    """Revoke one permission, or all: then the person no longer uses the app, and every token becomes invalid."""
    grant = call.context.store.get(Grant, human.id)
    name = call.params.get("permission")
    if grant is not None and name is None:
        call.context.store.delete(Grant, human.id)
        invalidate_tokens(call.context, call.context.store.find(Token, parent=human.id), "app_removed")
    elif grant is not None and name in grant.scopes:
        grant.scopes.remove(name)
        call.context.store.put(grant)
    return {"success": True}
