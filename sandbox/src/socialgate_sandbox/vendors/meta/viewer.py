"""Who calls: the token of a call, and what it may see and do."""

import hashlib
import hmac
from collections.abc import Collection
from datetime import timedelta

from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.dialects.graph.login import Grant
from socialgate_sandbox.dialects.graph.tokens import Tokens
from socialgate_sandbox.kit import Call, Refused, World, text
from socialgate_sandbox.kit.tokens import has_expired, issue
from socialgate_sandbox.vendors.meta.errors import missing_scope, missing_token, task_missing
from socialgate_sandbox.vendors.meta.state import Instagram, Role, Token

SHORT = timedelta(seconds=5400)
LONG = timedelta(days=60)


def generated_app_token(world: World) -> str:
    """Return the app's other token: it does not reveal the secret, and is always the same."""
    return f"{world.app.id}|{hmac.new(world.app.secret.encode(), b'app', hashlib.sha256).hexdigest()[:27]}"


def _lost_role(world: World, token: Token) -> str:
    return "role_lost" if token.page and role(world, token.parent, token.page) is None else ""


def scopes(world: World, token: Token) -> list[str]:
    grant = world.store.get(Grant, token.parent)
    return grant.scopes if grant is not None else []


TOKENS = Tokens(
    kind=Token,
    missing=missing_token,
    scopes=scopes,
    of_app=lambda world: (f"{world.app.id}|{world.app.secret}", generated_app_token(world)),
    lost=_lost_role,
)
viewer = TOKENS.viewer


def may(call: Call, *names: str) -> bool:
    """Whether one of these scopes was granted."""
    return not set(names).isdisjoint(scopes(call.world, viewer(call)))


def role(world: World, human: str, asset: str) -> Role | None:
    return world.store.get(Role, f"{human}:{asset}")


def reachable(world: World, token: Token, asset: str) -> Role | None:
    """Return the role through which a token can access a Page or an ad account; a Page token only its Page."""
    return role(world, token.parent, asset) if token.page in {"", asset} else None


def require_scope(call: Call, scope: str, code: int = 200, *, also: bool = True) -> None:
    """Accept callers that were granted the scope, if they meet another condition `also`."""
    if not (also and may(call, scope)):
        raise missing_scope(f"Requires {scope} permission to manage the object", code)


def require_task(call: Call, page: str, scope: str, tasks: Collection[str]) -> None:
    """Accept callers that act as the Page, were granted the scope, and have one of the tasks there."""
    require_scope(call, scope, also=viewer(call).page == page)
    require_role(call, page, tasks)


def require_page_token(call: Call, page: str, tasks: Collection[str], *needed: str) -> None:
    """Accept callers with a token of the Page, the scopes, and one of the tasks: here any other token has its error."""
    if viewer(call).page != page:
        raise Refused(failure("(#210) A page access token is required to request this resource.", 210, status=403))
    for scope in needed:
        require_scope(call, scope)
    require_role(call, page, tasks)


def require_role(call: Call, page: str, tasks: Collection[str]) -> None:
    held = role(call.world, viewer(call).parent, page)
    if held is None or set(tasks).isdisjoint(held.tasks):
        raise task_missing()


def new_token(world: World, human: str, *, lives: timedelta | None, page: str = "", long_lived: bool = False) -> Token:
    key, now = f"EAA{text(180)}", world.clock.now()
    return issue(world, Token(id=key, parent=human, page=page, issued=now, long_lived=long_lived), lives)


def page_token(world: World, through: Token, page: str) -> str:
    """Return the Page's token: it never expires if the person's is long-lived, otherwise it expires with that one."""
    for token in world.store.find(Token, parent=through.parent):
        alive = not token.dead and not has_expired(world, token)
        if token.page == page and token.long_lived == through.long_lived and alive:
            return token.id
    lives = None if through.long_lived or through.expires is None else through.expires - world.clock.now()
    return new_token(world, through.parent, lives=lives, page=page, long_lived=through.long_lived).id


def accounts_of(call: Call) -> list[str]:
    """Return everything that the call's token belongs to."""
    token = TOKENS.find(call)
    if token is None:
        return []
    pages = [token.page] if token.page else [held.asset for held in call.world.store.find(Role, parent=token.parent)]
    linked = [account.id for page in pages for account in call.world.store.find(Instagram, parent=page)]
    return [*pages, *linked] if token.page else [token.parent, *pages, *linked]
