"""Who calls: the token of a call and what it may do."""

from datetime import timedelta

from socialgate_sandbox.dialects.graph.login import Grant
from socialgate_sandbox.dialects.graph.tokens import GraphTokens
from socialgate_sandbox.kit import Call, VendorContext, generate_alphanumeric
from socialgate_sandbox.kit.tokens import store_token
from socialgate_sandbox.vendors.threads.errors import build_missing_scope_error, build_missing_token_response
from socialgate_sandbox.vendors.threads.stored_objects import Token

SHORT_TOKEN_LIFETIME = timedelta(hours=1)
LONG_TOKEN_LIFETIME = timedelta(days=60)
GRANT_LIFETIME = timedelta(days=90)


def build_app_token(context: VendorContext) -> str:
    return f"TH|{context.app.id}|{context.app.secret}"


def get_scopes(context: VendorContext, profile_id: str) -> list[str]:
    """Return what a profile allows now: a grant that has not been renewed for too long allows nothing."""
    grant = context.store.get(Grant, profile_id)
    if grant is None or grant.created_at + GRANT_LIFETIME <= context.clock.now():
        return []
    return grant.scopes


TOKENS = GraphTokens(
    kind=Token,
    build_missing_error=build_missing_token_response,
    list_scopes=lambda world, token: get_scopes(world, token.parent),
    list_app_tokens=lambda world: (build_app_token(world),),
    checks_proof=False,
)


def require_scope(call: Call, *scope_names: str) -> Token:
    """Return the caller's token if its profile granted `threads_basic` and one of these scopes."""
    token = TOKENS.require_token(call)
    granted = get_scopes(call.context, token.parent)
    if "threads_basic" not in granted or (scope_names and not set(scope_names) & set(granted)):
        raise build_missing_scope_error()
    return token


def issue_token(context: VendorContext, profile_id: str, *, long_lived: bool) -> Token:
    token = Token(
        id=f"THQVJ{generate_alphanumeric(170)}", parent=profile_id, issued=context.clock.now(), long_lived=long_lived
    )
    return store_token(context, token, LONG_TOKEN_LIFETIME if long_lived else SHORT_TOKEN_LIFETIME)


def get_account_ids(call: Call) -> list[str]:
    token = TOKENS.find(call)
    return [] if token is None else [token.parent]
