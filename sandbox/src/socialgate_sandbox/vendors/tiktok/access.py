"""Who makes a call, what its token allows, and how often."""

from socialgate_sandbox.kit import Call
from socialgate_sandbox.kit.tokens import find_valid_token
from socialgate_sandbox.vendors.tiktok.errors import build_refusal
from socialgate_sandbox.vendors.tiktok.state import AccessToken, Creator


def require_token_and_creator(call: Call, *scopes: str, max_calls_per_minute: int) -> tuple[AccessToken, Creator]:
    """Return the token and the account of a call if it has any of these scopes."""
    token = find_valid_token(call.context, AccessToken, call.bearer_token)
    if token is None:
        raise build_refusal("token_revoked")
    if not set(scopes) & set(token.scopes):
        raise build_refusal("permission_missing")
    if not call.context.try_use(f"{call.path} {token.id}", max_calls_per_minute):
        raise build_refusal("rate_limited")
    creator = call.context.store.get(Creator, token.parent)
    assert creator is not None, "a token cannot outlive its user"
    return token, creator
