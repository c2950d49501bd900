"""Who calls: the token of a call, and what it may see and do."""

import hashlib
import hmac
from collections.abc import Collection
from datetime import timedelta

from socialgate.sandbox.dialects.graph.errors import failure
from socialgate.sandbox.dialects.graph.tokens import dead_token, expired_token, require_proof, unreadable_token
from socialgate.sandbox.kit import Call, Refused, Unreadable, World, text
from socialgate.sandbox.vendors.meta.errors import missing_scope, missing_token, task_missing
from socialgate.sandbox.vendors.meta.state import Grant, Instagram, Role, Token

SHORT = timedelta(seconds=5400)
LONG = timedelta(days=60)


def token_text(call: Call) -> str:
    """Return the token as it was sent: as a parameter, or in one of two headers."""
    kind, _, given = call.headers.get("authorization", "").partition(" ")
    return str(call.params.get("access_token") or (given.strip() if kind.lower() in {"bearer", "oauth"} else ""))


def is_app_token(call: Call, token: str) -> bool:
    app = call.world.app
    return token in {f"{app.id}|{app.secret}", generated_app_token(call.world)}


def generated_app_token(world: World) -> str:
    """Return the app's other token: it does not reveal the secret, and is always the same."""
    return f"{world.app.id}|{hmac.new(world.app.secret.encode(), b'app', hashlib.sha256).hexdigest()[:27]}"


def require_app(call: Call) -> None:
    if not is_app_token(call, token_text(call)):
        raise Refused(failure("(#15) This method must be called with an app access_token.", 15))


def viewer(call: Call) -> Token:
    """Return the valid token of a person or a Page, or refuse as Meta does."""
    given = token_text(call)
    if not given:
        raise Refused(missing_token(call))
    token = check(call, given)
    require_proof(call, given)
    return token


def check(call: Call, given: str) -> Token:
    token = call.world.store.get(Token, given)
    if token is None:
        raise Refused(unreadable_token(call))
    if token.dead:
        raise Refused(dead_token(call, token.dead))
    if token.expires is not None and token.expires <= call.world.clock.now():
        raise Refused(expired_token(call, token.expires))
    if token.page and role(call.world, token.parent, token.page) is None:
        raise Refused(dead_token(call, "role_lost"))
    return token


def scopes(world: World, token: Token) -> set[str]:
    grant = world.store.get(Grant, token.parent)
    return set(grant.scopes) if grant is not None else set()


def may(call: Call, *names: str) -> bool:
    """Whether one of these scopes was granted."""
    return not scopes(call.world, viewer(call)).isdisjoint(names)


def role(world: World, human: str, asset: str) -> Role | None:
    return world.store.get(Role, f"{human}:{asset}")


def reachable(world: World, token: Token, asset: str) -> Role | None:
    """Return the role through which a token can access a Page or an ad account; a Page token only its Page."""
    return role(world, token.parent, asset) if token.page in {"", asset} else None


def require_task(call: Call, page: str, scope: str, tasks: Collection[str]) -> None:
    """Accept callers that act as the Page, were granted the scope, and have one of the tasks there."""
    token = viewer(call)
    if token.page != page or scope not in scopes(call.world, token):
        raise missing_scope(f"Requires {scope} permission to manage the object")
    held = role(call.world, token.parent, page)
    if held is None or set(tasks).isdisjoint(held.tasks):
        raise task_missing()


def new_token(world: World, human: str, *, lives: timedelta | None, page: str = "", long_lived: bool = False) -> Token:
    now = world.clock.now()
    expires = None if lives is None else now + lives
    key = f"EAA{text(180)}"
    return world.store.put(Token(id=key, parent=human, page=page, issued=now, expires=expires, long_lived=long_lived))


def page_token(world: World, through: Token, page: str) -> str:
    """Return the Page's token: it never expires if the person's is long-lived, otherwise it expires with that one."""
    now = world.clock.now()
    for token in world.store.find(Token, parent=through.parent):
        alive = not token.dead and (token.expires is None or token.expires > now)
        if token.page == page and token.long_lived == through.long_lived and alive:
            return token.id
    lives = None if through.long_lived or through.expires is None else through.expires - now
    return new_token(world, through.parent, lives=lives, page=page, long_lived=through.long_lived).id


def kill(world: World, human: str, why: str, *, page: str = "") -> None:
    """Invalidate a person's tokens, or only those for one Page. A token that is already invalid stays as it is."""
    for token in world.store.find(Token, parent=human):
        if not token.dead and page in {"", token.page}:
            token.dead = why
            world.store.put(token)


def accounts_of(call: Call) -> list[str]:
    """Return everything that the call's token belongs to. It never fails: faults are targeted with it."""
    try:
        token = call.world.store.get(Token, token_text(call))
    except Unreadable:
        return []
    if token is None:
        return []
    pages = [token.page] if token.page else [held.asset for held in call.world.store.find(Role, parent=token.parent)]
    linked = [account.id for page in pages for account in call.world.store.find(Instagram, parent=page)]
    return [*pages, *linked] if token.page else [token.parent, *pages, *linked]
