"""Who calls: the token of a call, and what it may see and do."""

import hashlib
import hmac
from collections.abc import Collection
from datetime import timedelta

from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.dialects.graph.login import Grant
from socialgate_sandbox.dialects.graph.tokens import GraphTokens
from socialgate_sandbox.kit import Call, CallRefusedError, VendorContext, generate_alphanumeric
from socialgate_sandbox.kit.tokens import has_expired, store_token
from socialgate_sandbox.vendors.meta.errors import (
    build_missing_scope_error,
    build_missing_token_response,
    build_task_error,
)
from socialgate_sandbox.vendors.meta.stored_objects import Instagram, Role, Token

SHORT_TOKEN_LIFETIME = timedelta(seconds=5400)
LONG_TOKEN_LIFETIME = timedelta(days=60)


def build_app_token(context: VendorContext) -> str:
    """Return the app's other token: it does not reveal the secret, and is always the same."""
    return f"{context.app.id}|{hmac.new(context.app.secret.encode(), b'app', hashlib.sha256).hexdigest()[:27]}"


def _get_lost_role_reason(context: VendorContext, token: Token) -> str:
    return "role_lost" if token.page and get_role(context, token.parent, token.page) is None else ""


def get_scopes(context: VendorContext, token: Token) -> list[str]:
    grant = context.store.get(Grant, token.parent)
    return grant.scopes if grant is not None else []


TOKENS = GraphTokens(
    kind=Token,
    build_missing_error=build_missing_token_response,
    list_scopes=get_scopes,
    list_app_tokens=lambda world: (f"{world.app.id}|{world.app.secret}", build_app_token(world)),
    find_invalidation_reason=_get_lost_role_reason,
)
require_token = TOKENS.require_token


def has_any_scope(call: Call, *names: str) -> bool:
    """Whether one of these scopes was granted."""
    return not set(names).isdisjoint(get_scopes(call.context, require_token(call)))


def get_role(context: VendorContext, person_id: str, asset_id: str) -> Role | None:
    return context.store.get(Role, f"{person_id}:{asset_id}")


def get_role_for_token(context: VendorContext, token: Token, asset_id: str) -> Role | None:
    """Return the role through which a token can access a Page or an ad account; a Page token only its Page."""
    return get_role(context, token.parent, asset_id) if token.page in {"", asset_id} else None


def require_scope(call: Call, scope: str, code: int = 200, *, other_condition: bool = True) -> None:
    """Accept callers that were granted the scope, if they meet another condition `also`."""
    if not (other_condition and has_any_scope(call, scope)):
        raise build_missing_scope_error(f"Requires {scope} permission to manage the object", code)


def require_task(call: Call, page: str, scope: str, tasks: Collection[str]) -> None:
    """Accept callers that act as the Page, were granted the scope, and have one of the tasks there."""
    require_scope(call, scope, other_condition=require_token(call).page == page)
    require_role(call, page, tasks)


def require_page_token(call: Call, page: str, tasks: Collection[str], *required_scopes: str) -> None:
    """Accept callers with a token of the Page, the scopes, and one of the tasks: here any other token has its error."""
    if require_token(call).page != page:
        raise CallRefusedError(
            build_error_response("(#210) A page access token is required to request this resource.", 210, status=403)
        )
    for scope in required_scopes:
        require_scope(call, scope)
    require_role(call, page, tasks)


def require_role(call: Call, page: str, tasks: Collection[str]) -> None:
    current_role = get_role(call.context, require_token(call).parent, page)
    if current_role is None or set(tasks).isdisjoint(current_role.tasks):
        raise build_task_error()


def issue_token(
    context: VendorContext, person_id: str, *, lifetime: timedelta | None, page: str = "", long_lived: bool = False
) -> Token:
    key, now = f"EAA{generate_alphanumeric(180)}", context.clock.now()
    return store_token(context, Token(id=key, parent=person_id, page=page, issued=now, long_lived=long_lived), lifetime)


def get_or_issue_page_token(context: VendorContext, person_token: Token, page: str) -> str:
    """Return the Page's token: it never expires if the person's is long-lived, otherwise it expires with that one."""
    for token in context.store.find(Token, parent=person_token.parent):
        alive = not token.dead and not has_expired(context, token)
        if token.page == page and token.long_lived == person_token.long_lived and alive:
            return token.id
    lives = (
        None if person_token.long_lived or person_token.expires is None else person_token.expires - context.clock.now()
    )
    return issue_token(context, person_token.parent, lifetime=lives, page=page, long_lived=person_token.long_lived).id


def get_account_ids(call: Call) -> list[str]:
    """Return everything that the call's token belongs to."""
    token = TOKENS.find(call)
    if token is None:
        return []
    pages = [token.page] if token.page else [role.asset for role in call.context.store.find(Role, parent=token.parent)]
    linked = [account.id for page in pages for account in call.context.store.find(Instagram, parent=page)]
    return [*pages, *linked] if token.page else [token.parent, *pages, *linked]
