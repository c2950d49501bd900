"""Who calls: the token of a call, and what it can access."""

from socialgate_sandbox.dialects.graph.tokens import GraphTokens
from socialgate_sandbox.kit import Call, VendorContext
from socialgate_sandbox.vendors.whatsapp_cloud.errors import (
    UNAUTHORIZED_STATUS,
    build_missing_scope_error,
    build_missing_token_response,
)
from socialgate_sandbox.vendors.whatsapp_cloud.stored_objects import Number, Token

MANAGEMENT_SCOPE, MESSAGING_SCOPE = "whatsapp_business_management", "whatsapp_business_messaging"


def build_app_token(context: VendorContext) -> str:
    return f"{context.app.id}|{context.app.secret}"


TOKENS = GraphTokens(
    kind=Token,
    build_missing_error=build_missing_token_response,
    list_scopes=lambda _world, token: token.scopes,
    list_app_tokens=lambda world: (build_app_token(world),),
    status=UNAUTHORIZED_STATUS,
)
require_token = TOKENS.require_token


def require_scope(call: Call, scope: str) -> Token:
    token = require_token(call)
    if scope not in token.scopes:
        raise build_missing_scope_error(scope)
    return token


def get_account_ids(call: Call) -> list[str]:
    token = TOKENS.find(call)
    if token is None:
        return []
    numbers = [number.id for waba in token.wabas for number in call.context.store.find(Number, parent=waba)]
    return [*token.wabas, *numbers]
