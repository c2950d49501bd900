"""The login dialog, codes and tokens, and what a token allows."""

from datetime import timedelta
from typing import Any

from socialgate_sandbox.dialects.graph import login
from socialgate_sandbox.dialects.graph.errors import failure, unknown_object
from socialgate_sandbox.dialects.graph.login import Grant
from socialgate_sandbox.dialects.graph.tokens import kill
from socialgate_sandbox.kit import Call, Candidate, oauth, text
from socialgate_sandbox.vendors.meta.state import Human, Role, Token
from socialgate_sandbox.vendors.meta.viewer import LONG, SHORT, TOKENS, generated_app_token, new_token

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
_DATA_ACCESS = timedelta(days=90)
_listed = oauth.scopes_separated_by(", ")


def _asked(query: oauth.Given) -> list[str]:
    """Read the scopes. A configuration of Login for Business stands for all of them."""
    if query.get("config_id"):
        return list(SCOPES)
    return list(dict.fromkeys([PROFILE, *_listed(query)]))


def _allow(call: Call, code: oauth.Code) -> None:
    store, asked, granted = call.world.store, _asked(call.query), set(code.scopes)
    before = store.get(Grant, code.parent) or Grant(id=code.parent, scopes=[], made=code.made)
    if call.query.get("auth_type") != "rerequest":
        # A person who once declined a scope is not asked for it again, unless the app requests that.
        granted -= set(before.declined)
    kept = (set(before.scopes) - set(asked)) | granted
    declined = (set(before.declined) | set(asked)) - kept
    store.put(Grant(id=code.parent, scopes=_sorted(kept), declined=_sorted(declined), made=code.made))


def _sorted(names: set[str]) -> list[str]:
    return [name for name in SCOPES if name in names]


LOGIN = oauth.Login(
    platform="Facebook",
    scopes=SCOPES,
    required=(PROFILE,),
    read_scopes=_asked,
    people=lambda call: [Candidate(human.id, human.name, human.about) for human in call.world.store.find(Human)],
    # The dialog accepts a challenge and ignores it: PKCE belongs to the OpenID Connect login, which is in testing.
    checks={"verifier": lambda it: bool(it.of("code_verifier"))},
    refuse_page=login.refuse_page,
    page_refusals={
        **login.PAGE_REFUSALS,
        "scope": ("Invalid Scopes", "Invalid Scopes: {names}. This message is only shown to developers."),
    },
    denied={**login.DENIED, "error_reason": "user_denied"},
    allow=_allow,
    new_code=lambda: f"AQ{text(220)}",
    returned=login.code_and_fragment,
    refuse=login.refuse,
    client_refusals={"no client": ("Missing client_id parameter.", 101), **login.CLIENT_REFUSALS},
    code_refusals={
        **login.CODE_REFUSALS,
        "verifier": ("code_verifier param is provided without a code_challenge in authorization request.", 100),
    },
)


def access_token(call: Call) -> Any:
    """Serve the three kinds of exchange, distinguished by `grant_type`."""
    given = call.params
    LOGIN.check_client(call, given)
    match given.get("grant_type"):
        case "client_credentials":
            return {"access_token": generated_app_token(call.world), "token_type": "bearer"}
        case "fb_exchange_token":
            return _exchange(call)
    if not given.get("redirect_uri"):
        return failure("Missing redirect_uri parameter.", 191)
    code = LOGIN.redeem(call, str(given.get("code", "")), given)
    return login.answer(call, new_token(call.world, code.parent, lives=SHORT))


def _exchange(call: Call) -> Any:
    """Issue a long-lived token. One that is already long-lived does not get a later expiry."""
    token = TOKENS.check(call, str(call.params.get("fb_exchange_token", "")))
    if token.page:
        raise unknown_object(call.method, token.page)
    lives = token.end - call.world.clock.now() if token.long_lived else LONG
    return login.answer(call, new_token(call.world, token.parent, lives=lives, long_lived=True))


def debug_token(call: Call) -> Any:
    return login.debug_token(call, TOKENS, _described, missing="(#100) The parameter input_token is required")


def _described(call: Call, token: Token, scopes: list[str]) -> dict[str, Any]:
    grant = call.world.store.get(Grant, token.parent)
    data_access = (grant.made if grant is not None else token.issued) + _DATA_ACCESS
    return {
        "app_id": call.world.app.id,
        "type": "PAGE" if token.page else "USER",
        "data_access_expires_at": int(data_access.timestamp()),
        "issued_at": int(token.issued.timestamp()) if token.long_lived else None,
        "profile_id": token.page or None,
        "granular_scopes": [_granular(call, token, name) for name in scopes if name not in {PROFILE, "email"}],
        "user_id": token.parent,
    }


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
        kill(call.world, call.world.store.find(Token, parent=human.id), "app_removed")
    elif grant is not None and name in grant.scopes:
        grant.scopes.remove(name)
        call.world.store.put(grant)
    return {"success": True}
