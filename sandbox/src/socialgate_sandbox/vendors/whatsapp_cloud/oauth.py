"""Embedded Signup, and what a token allows. Most customers use a system user's token of their own."""

from typing import Any

from socialgate_sandbox.dialects.graph import login
from socialgate_sandbox.kit import OWNERS, Call, Candidate, digits, oauth, text
from socialgate_sandbox.kit.tokens import issue
from socialgate_sandbox.vendors.whatsapp_cloud.state import SCOPES, Business, Token, Waba
from socialgate_sandbox.vendors.whatsapp_cloud.viewer import TOKENS, app_token


def _allow(call: Call, code: oauth.Code) -> None:
    """Issue the code for the person's business."""
    code.parent = next(one.id for one in call.world.store.find(Business) if one.parent == code.parent)


LOGIN = oauth.Login(
    platform="WhatsApp",
    scopes=dict.fromkeys(SCOPES, ""),
    people=lambda _call: [Candidate(person.key, person.name, person.about) for person in OWNERS],
    # The script of Embedded Signup has no redirect address, so none is required.
    checks={"other redirect_uri": lambda it: it.of("redirect_uri") not in {"", it.code.asked["redirect_uri"]}},
    refuse_page=login.refuse_page,
    page_refusals=login.PAGE_REFUSALS,
    denied=login.DENIED,
    allow=_allow,
    new_code=lambda: f"AQ{text(220)}",
    returned=login.code_and_fragment,
    refuse=login.refuse,
    client_refusals=login.CLIENT_REFUSALS,
    code_refusals=login.CODE_REFUSALS,
)


def access_token(call: Call) -> Any:
    given, world = call.params, call.world
    LOGIN.check_client(call, given)
    if given.get("grant_type") == "client_credentials":
        return {"access_token": app_token(world), "token_type": "bearer"}
    code = LOGIN.redeem(call, str(given.get("code", "")), given)
    wabas = [waba.id for waba in world.store.find(Waba, parent=code.parent)]
    made = Token(
        id=f"EAA{text(180)}",
        parent=code.parent,
        user=digits(18),
        wabas=wabas,
        scopes=code.scopes,
        issued=world.clock.now(),
    )
    return {"access_token": issue(world, made).id, "token_type": "bearer"}


def debug_token(call: Call) -> Any:
    return login.debug_token(call, TOKENS, _described)


def _described(call: Call, token: Token, scopes: list[str]) -> dict[str, Any]:
    return {
        "app_id": call.world.app.id,
        "type": "SYSTEM_USER",
        "data_access_expires_at": 0,
        "scopes": [*scopes, "public_profile"] if scopes else [],
        "granular_scopes": [{"scope": scope, "target_ids": token.wabas} for scope in scopes],
        "user_id": token.user,
    }
