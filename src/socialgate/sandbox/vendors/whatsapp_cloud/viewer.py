"""Who calls: the token of a call, and what it can access."""

from socialgate.sandbox.dialects.graph.tokens import dead_token, expired_token, require_proof, unreadable_token
from socialgate.sandbox.kit import Call, Refused, Unreadable, World, text
from socialgate.sandbox.vendors.whatsapp_cloud.errors import UNAUTHORIZED, missing_scope, missing_token
from socialgate.sandbox.vendors.whatsapp_cloud.state import Number, Token

MANAGE, SEND = "whatsapp_business_management", "whatsapp_business_messaging"


def token_text(call: Call) -> str:
    return str(call.query.get("access_token") or call.bearer or call.params.get("access_token") or "")


def app_token(world: World) -> str:
    return f"{world.app.id}|{world.app.secret}"


def viewer(call: Call) -> Token:
    given = token_text(call)
    if not given:
        raise Refused(missing_token(call))
    token = check(call, given)
    require_proof(call, given)
    return token


def check(call: Call, given: str) -> Token:
    token = call.world.store.get(Token, given)
    if token is None:
        raise Refused(unreadable_token(call, UNAUTHORIZED))
    if token.dead:
        raise Refused(dead_token(call, token.dead, UNAUTHORIZED))
    if token.expires is not None and token.expires <= call.world.clock.now():
        raise Refused(expired_token(call, token.expires, UNAUTHORIZED))
    return token


def require(call: Call, scope: str) -> Token:
    token = viewer(call)
    if scope not in token.scopes:
        raise missing_scope(scope)
    return token


def new_token(world: World, business: str, wabas: list[str], scopes: list[str], user: str) -> Token:
    key, now = f"EAA{text(180)}", world.clock.now()
    return world.store.put(Token(id=key, parent=business, user=user, wabas=wabas, scopes=scopes, issued=now))


def accounts_of(call: Call) -> list[str]:
    try:
        token = call.world.store.get(Token, token_text(call))
    except Unreadable:
        return []
    if token is None:
        return []
    numbers = [number.id for waba in token.wabas for number in call.world.store.find(Number, parent=waba)]
    return [*token.wabas, *numbers]
