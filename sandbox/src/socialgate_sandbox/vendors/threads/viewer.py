"""Who calls: the token of a call and what it may do."""

from datetime import timedelta

from socialgate_sandbox.dialects.graph.login import Grant
from socialgate_sandbox.dialects.graph.tokens import Tokens
from socialgate_sandbox.kit import Call, World, text
from socialgate_sandbox.kit.tokens import issue
from socialgate_sandbox.vendors.threads.errors import missing_scope, missing_token
from socialgate_sandbox.vendors.threads.state import Token

SHORT = timedelta(hours=1)
LONG = timedelta(days=60)
GRANT_LIVES = timedelta(days=90)


def app_token(world: World) -> str:
    return f"TH|{world.app.id}|{world.app.secret}"


def scopes(world: World, profile: str) -> list[str]:
    """Return what a profile allows now: a grant that has not been renewed for too long allows nothing."""
    grant = world.store.get(Grant, profile)
    if grant is None or grant.made + GRANT_LIVES <= world.clock.now():
        return []
    return grant.scopes


TOKENS = Tokens(
    kind=Token,
    missing=missing_token,
    scopes=lambda world, token: scopes(world, token.parent),
    of_app=lambda world: (app_token(world),),
    proofs=False,
)


def require(call: Call, *names: str) -> Token:
    """Return the caller's token if its profile granted `threads_basic` and one of these scopes."""
    token = TOKENS.viewer(call)
    granted = scopes(call.world, token.parent)
    if "threads_basic" not in granted or (names and not set(names) & set(granted)):
        raise missing_scope()
    return token


def new_token(world: World, profile: str, *, long_lived: bool) -> Token:
    made = Token(id=f"THQVJ{text(170)}", parent=profile, issued=world.clock.now(), long_lived=long_lived)
    return issue(world, made, LONG if long_lived else SHORT)


def accounts_of(call: Call) -> list[str]:
    token = TOKENS.find(call)
    return [] if token is None else [token.parent]
