"""Embedded Signup, and what a token allows. Most customers use a system user's token of their own."""

from typing import Any

from socialgate_sandbox.dialects.graph import login
from socialgate_sandbox.kit import OWNERS, Call, LoginCandidate, generate_alphanumeric, generate_digits, oauth
from socialgate_sandbox.kit.tokens import store_token
from socialgate_sandbox.vendors.whatsapp_cloud.stored_objects import SCOPES, Business, Token, Waba
from socialgate_sandbox.vendors.whatsapp_cloud.token_access import TOKENS, build_app_token


def _assign_business(call: Call, code: oauth.Code) -> None:
    """Issue the code for the person's business."""
    code.parent = next(business.id for business in call.context.store.find(Business) if business.parent == code.parent)


LOGIN = oauth.OAuthLogin(
    platform="WhatsApp",
    scopes=dict.fromkeys(SCOPES, ""),
    list_candidates=lambda _call: [LoginCandidate(person.key, person.name, person.about) for person in OWNERS],
    # The script of Embedded Signup has no redirect address, so none is required.
    extra_checks={"other redirect_uri": lambda it: it.get("redirect_uri") not in {"", it.code.params["redirect_uri"]}},
    build_page_refusal=login.build_page_refusal,
    page_refusals=login.PAGE_REFUSALS,
    denied_params=login.DENIED_PARAMS,
    on_allowed=_assign_business,
    new_code=lambda: f"AQ{generate_alphanumeric(220)}",
    build_redirect_params=login.build_code_and_fragment,
    build_refusal=login.build_refusal,
    client_refusals=login.CLIENT_REFUSALS,
    code_refusals=login.CODE_REFUSALS,
)


def issue_access_token(call: Call) -> Any:
    params, world = call.params, call.context
    LOGIN.check_client(call, params)
    if params.get("grant_type") == "client_credentials":
        return {"access_token": build_app_token(world), "token_type": "bearer"}
    code = LOGIN.redeem_code(call, str(params.get("code", "")), params)
    wabas = [waba.id for waba in world.store.find(Waba, parent=code.parent)]
    token = Token(
        id=f"EAA{generate_alphanumeric(180)}",
        parent=code.parent,
        user=generate_digits(18),
        wabas=wabas,
        scopes=code.scopes,
        issued=world.clock.now(),
    )
    return {"access_token": store_token(world, token).id, "token_type": "bearer"}


def show_token_info(call: Call) -> Any:
    return login.debug_token(call, TOKENS, _describe_token)


def _describe_token(call: Call, token: Token, scopes: list[str]) -> dict[str, Any]:
    return {
        "app_id": call.context.app.id,
        "type": "SYSTEM_USER",
        "data_access_expires_at": 0,
        "scopes": [*scopes, "public_profile"] if scopes else [],
        "granular_scopes": [{"scope": scope, "target_ids": token.wabas} for scope in scopes],
        "user_id": token.user,
    }
