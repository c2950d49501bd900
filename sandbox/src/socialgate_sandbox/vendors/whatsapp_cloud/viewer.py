"""Who calls: the token of a call, and what it can access."""

from socialgate_sandbox.dialects.graph.tokens import Tokens
from socialgate_sandbox.kit import Call, World
from socialgate_sandbox.vendors.whatsapp_cloud.errors import UNAUTHORIZED, missing_scope, missing_token
from socialgate_sandbox.vendors.whatsapp_cloud.state import Number, Token

MANAGE, SEND = "whatsapp_business_management", "whatsapp_business_messaging"


def app_token(world: World) -> str:
    return f"{world.app.id}|{world.app.secret}"


TOKENS = Tokens(
    kind=Token,
    missing=missing_token,
    scopes=lambda _world, token: token.scopes,
    of_app=lambda world: (app_token(world),),
    status=UNAUTHORIZED,
)
viewer = TOKENS.viewer


def require(call: Call, scope: str) -> Token:
    token = viewer(call)
    if scope not in token.scopes:
        raise missing_scope(scope)
    return token


def accounts_of(call: Call) -> list[str]:
    token = TOKENS.find(call)
    if token is None:
        return []
    numbers = [number.id for waba in token.wabas for number in call.world.store.find(Number, parent=waba)]
    return [*token.wabas, *numbers]
