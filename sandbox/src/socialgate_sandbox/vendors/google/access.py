"""Who makes a call, and whether that user's token allows it."""

from socialgate_sandbox.kit import Call, CallRefusedError, VendorContext
from socialgate_sandbox.kit.tokens import find_valid_token
from socialgate_sandbox.vendors.google.errors import build_invalid_token_error, build_missing_token_error, build_refusal
from socialgate_sandbox.vendors.google.state import AccessToken, GoogleUser


def get_access_token(call: Call) -> str | None:
    return call.bearer_token or call.query.get("access_token") or None


def get_token_user(context: VendorContext, token: AccessToken) -> GoogleUser:
    user = context.store.get(GoogleUser, token.parent)
    assert user is not None, "a token cannot outlive its user"
    return user


def require_token(call: Call, *scopes: str) -> AccessToken:
    """Return the token of a call if it has any of these scopes."""
    value = get_access_token(call)
    if value is None:
        raise CallRefusedError(build_missing_token_error(call))
    token = find_valid_token(call.context, AccessToken, value)
    if token is None:
        raise CallRefusedError(build_invalid_token_error(call))
    if not set(scopes) & set(token.scopes):
        raise build_refusal("permission_missing")
    return token
