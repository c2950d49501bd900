"""Embedded Signup, and what a token allows. Most customers use a system user's token of their own."""

from typing import Any

from starlette.responses import Response

from socialgate.sandbox.dialects.graph.errors import failure
from socialgate.sandbox.dialects.graph.redirects import refusal
from socialgate.sandbox.dialects.graph.tokens import fault_of
from socialgate.sandbox.kit import OWNERS, Call, Candidate, Denied, Refused, Scope, consent, digits, send_back, text
from socialgate.sandbox.kit.addresses import is_own
from socialgate.sandbox.vendors.whatsapp_cloud.state import SCOPES, Business, Code, Token, Waba
from socialgate.sandbox.vendors.whatsapp_cloud.viewer import app_token, check, new_token, token_text

_CODE_LIVES = 600


def dialog(call: Call) -> Response:
    """Let a person share an account with the app. It returns a code for the business."""
    world, query = call.world, call.query
    redirect_uri, state = query.get("redirect_uri", ""), query.get("state")
    if query.get("client_id") != world.app.id:
        return refusal("Invalid App ID", "The provided app ID does not look like a valid app ID.")
    if not is_own(world, redirect_uri):
        detail = "This redirect failed because the redirect URI is not white-listed in the app's client OAuth settings."
        return refusal("URL blocked", detail)
    people = [Candidate(person.key, person.name, person.about) for person in OWNERS]
    decided = consent(call, platform="WhatsApp", people=people, scopes=[Scope(name) for name in SCOPES])
    if isinstance(decided, Response):
        return decided
    if isinstance(decided, Denied):
        told = "Permissions error"
        return send_back(
            redirect_uri, error="access_denied", error_code="200", error_description=told, state=state, fragment="_=_"
        )
    business = next(one for one in world.store.find(Business) if one.parent == decided.person)
    now = world.clock.now()
    code = Code(id=f"AQ{text(220)}", parent=business.id, redirect_uri=redirect_uri, made=now, scopes=decided.scopes)
    return send_back(redirect_uri, code=world.store.put(code).id, state=state, fragment="_=_")


def access_token(call: Call) -> Any:
    """Exchange a code for a token. The script of Embedded Signup has no redirect address, so none is required."""
    given, app = call.params, call.world.app
    if given.get("client_id") != app.id:
        return failure("Error validating application. Cannot get application info due to a system error.", 101)
    if given.get("client_secret") != app.secret:
        return failure("Error validating client secret.", 1)
    if given.get("grant_type") == "client_credentials":
        return {"access_token": app_token(call.world), "token_type": "bearer"}
    code = _living_code(call)
    code.used = True
    call.world.store.put(code)
    wabas = [waba.id for waba in call.world.store.find(Waba, parent=code.parent)]
    token = new_token(call.world, code.parent, wabas, code.scopes, digits(18))
    return {"access_token": token.id, "token_type": "bearer"}


def _living_code(call: Call) -> Code:
    code = call.world.store.get(Code, str(call.params.get("code", "")))
    if code is None:
        raise Refused(failure("Invalid verification code format.", 100))
    if code.used:
        raise Refused(failure("This authorization code has been used.", 100, subcode=36009))
    if call.world.clock.since(code.made) > _CODE_LIVES:
        raise Refused(failure("This authorization code has expired.", 100, subcode=36007))
    redirect_uri = call.params.get("redirect_uri")
    if redirect_uri and redirect_uri != code.redirect_uri:
        message = (
            "Error validating verification code. Please make sure your redirect_uri is identical to the one you used "
            "in the OAuth dialog request"
        )
        raise Refused(failure(message, 100, subcode=36008))
    return code


def debug_token(call: Call) -> Any:
    given, asking = str(call.params.get("input_token", "")), token_text(call)
    if asking not in {app_token(call.world), given}:
        message = (
            "(#100) You must provide an app access token, or a user access token that is an owner or developer of the "
            "app"
        )
        return failure(message, 100)
    if given == app_token(call.world):
        app = call.world.app
        return {"data": {"app_id": app.id, "type": "APP", "application": app.name, "is_valid": True, "scopes": []}}
    return {"data": _described(call, given)}


def _described(call: Call, given: str) -> dict[str, Any]:
    token, error = call.world.store.get(Token, given), fault_of(check, call, given)
    if token is None:
        return {"error": error, "is_valid": False, "scopes": []}
    scopes = token.scopes if error is None else []
    described = {
        "app_id": call.world.app.id,
        "type": "SYSTEM_USER",
        "application": call.world.app.name,
        "data_access_expires_at": 0,
        "error": error,
        "expires_at": int(token.expires.timestamp()) if token.expires is not None else 0,
        "is_valid": error is None,
        "issued_at": int(token.issued.timestamp()),
        "scopes": [*scopes, "public_profile"] if scopes else [],
        "granular_scopes": [{"scope": scope, "target_ids": token.wabas} for scope in scopes],
        "user_id": token.user,
    }
    return {name: value for name, value in described.items() if value is not None}
