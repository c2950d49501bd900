"""Who makes a call, and whether that user's token allows it."""

from socialgate_sandbox.kit import Call, Refused, World
from socialgate_sandbox.kit.tokens import live
from socialgate_sandbox.vendors.google.errors import refusal, token_dead, token_missing
from socialgate_sandbox.vendors.google.state import AccessToken, GoogleUser


def given_token(call: Call) -> str | None:
    return call.bearer or call.query.get("access_token") or None


def user_of(world: World, token: AccessToken) -> GoogleUser:
    user = world.store.get(GoogleUser, token.parent)
    assert user is not None, "a token cannot outlive its user"
    return user


def signed_in(call: Call, *scopes: str) -> AccessToken:
    """Return the token of a call if it has any of these scopes."""
    given = given_token(call)
    if given is None:
        raise Refused(token_missing(call))
    token = live(call.world, AccessToken, given)
    if token is None:
        raise Refused(token_dead(call))
    if not set(scopes) & set(token.scopes):
        raise refusal("permission_missing")
    return token
