"""Who calls: the token of a call and what it may do."""

from datetime import timedelta

from socialgate.sandbox.dialects.graph.tokens import dead_token, expired_token, unreadable_token
from socialgate.sandbox.kit import Call, Refused, Unreadable, World, text
from socialgate.sandbox.vendors.threads.errors import missing_scope, missing_token
from socialgate.sandbox.vendors.threads.state import Grant, Token

SHORT = timedelta(hours=1)
LONG = timedelta(days=60)
GRANT_LIVES = timedelta(days=90)


def token_text(call: Call) -> str:
    return str(call.params.get("access_token") or call.bearer or "")


def is_app_token(world: World, token: str) -> bool:
    return token == f"TH|{world.app.id}|{world.app.secret}"


def viewer(call: Call) -> Token:
    given = token_text(call)
    if not given:
        raise Refused(missing_token(call))
    return check(call, given)


def check(call: Call, given: str) -> Token:
    token = call.world.store.get(Token, given)
    if token is None:
        raise Refused(unreadable_token(call))
    if token.dead:
        raise Refused(dead_token(call, token.dead))
    if token.expires <= call.world.clock.now():
        raise Refused(expired_token(call, token.expires))
    return token


def scopes(world: World, profile: str) -> list[str]:
    """Return what a profile allows now: a grant that has not been renewed for too long allows nothing."""
    grant = world.store.get(Grant, profile)
    if grant is None or grant.renewed + GRANT_LIVES <= world.clock.now():
        return []
    return grant.scopes


def require(call: Call, *names: str) -> Token:
    """Return the caller's token if its profile granted `threads_basic` and one of these scopes."""
    token = viewer(call)
    granted = scopes(call.world, token.parent)
    if "threads_basic" not in granted or (names and not set(names) & set(granted)):
        raise missing_scope()
    return token


def new_token(world: World, profile: str, *, long_lived: bool) -> Token:
    now = world.clock.now()
    expires = now + (LONG if long_lived else SHORT)
    key = f"THQVJ{text(170)}"
    return world.store.put(Token(id=key, parent=profile, issued=now, expires=expires, long_lived=long_lived))


def kill(world: World, profile: str, why: str) -> None:
    for token in world.store.find(Token, parent=profile):
        if not token.dead:
            token.dead = why
            world.store.put(token)


def accounts_of(call: Call) -> list[str]:
    try:
        token = call.world.store.get(Token, token_text(call))
    except Unreadable:
        return []
    return [] if token is None else [token.parent]
