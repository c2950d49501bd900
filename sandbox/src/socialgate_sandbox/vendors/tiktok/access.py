"""Who makes a call, what its token allows, and how often."""

from socialgate_sandbox.kit import Call
from socialgate_sandbox.kit.tokens import live
from socialgate_sandbox.vendors.tiktok.errors import refusal
from socialgate_sandbox.vendors.tiktok.state import AccessToken, Creator


def signed_in(call: Call, *scopes: str, per_minute: int) -> tuple[AccessToken, Creator]:
    """Return the token and the account of a call if it has any of these scopes."""
    token = live(call.world, AccessToken, call.bearer)
    if token is None:
        raise refusal("token_revoked")
    if not set(scopes) & set(token.scopes):
        raise refusal("permission_missing")
    if not call.world.allow(f"{call.path} {token.id}", per_minute):
        raise refusal("rate_limited")
    creator = call.world.store.get(Creator, token.parent)
    assert creator is not None, "a token cannot outlive its user"
    return token, creator
