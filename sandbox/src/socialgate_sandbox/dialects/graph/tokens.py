"""The tokens of Meta's products: which one a call has, and why it is invalid. Only the status differs."""

import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from starlette.responses import Response

from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.kit import (
    Call,
    CallRefusedError,
    ErrorBuilder,
    UnreadableInputError,
    VendorContext,
    build_call_error_declarer,
)
from socialgate_sandbox.kit.tokens import Token, has_expired

_VALIDATION_ERROR_PREFIX = "Error validating access token: "
# Why a token became invalid: the subcode of error 190 and its message.
INVALIDATION_REASONS: Mapping[str, tuple[int, str]] = {
    "app_removed": (458, "The user has not authorized application {app}."),
    "checkpoint": (
        459,
        "You cannot access the app till you log in to www.facebook.com and follow the instructions given.",
    ),
    "password_changed": (
        460,
        (
            "The session has been invalidated because the user changed their password or Facebook has changed the "
            "session for security reasons."
        ),
    ),
    "unconfirmed_user": (464, "Sessions for the user are not allowed because the user is not a confirmed user."),
    "account_deleted": (465, "The user ID supplied is invalid."),
    "logged_out": (467, "The session is invalid because the user logged out."),
    "role_lost": (
        492,
        (
            "The user must be an administrator, editor, or moderator of the page in order to impersonate it. If the "
            "page business requires Two Factor Authentication, the user also needs to enable Two Factor "
            "Authentication."
        ),
    ),
}


class GraphToken(Token, kw_only=True):
    """A token that stays known when it becomes invalid. `dead` is a key of `INVALIDATION_REASONS`, or empty."""

    issued: datetime
    long_lived: bool = False
    dead: str = ""


def build_invalid_token_response(call: Call, reason: str, status: int = 400) -> Response:
    subcode, message = INVALIDATION_REASONS[reason]
    return build_error_response(
        _VALIDATION_ERROR_PREFIX + message.format(app=call.context.app.id), 190, subcode=subcode, status=status
    )


def build_expired_token_response(call: Call, expired: datetime, status: int = 400) -> Response:
    form = "%A, %d-%b-%y %H:%M:%S UTC"
    now = call.context.clock.now()
    message = f"Session has expired on {expired:{form}}. The current time is {now:{form}}."
    return build_error_response(_VALIDATION_ERROR_PREFIX + message, 190, subcode=463, status=status)


def build_unreadable_token_response(_call: Call, status: int = 400) -> Response:
    return build_error_response("Invalid OAuth access token - Cannot parse access token", 190, status=status)


def build_token_errors(*reasons: str, status: int = 400) -> dict[str, ErrorBuilder]:
    """Return the rows about tokens that all products have, and those for the `reasons` why a session ended."""
    dead = build_call_error_declarer(build_invalid_token_response)
    return {
        "token_revoked": dead("app_removed", status),
        "token_expired": lambda call: build_expired_token_response(call, call.context.clock.now(), status),
        "token_invalid": build_call_error_declarer(build_unreadable_token_response)(status),
        **{why: dead(why, status) for why in reasons},
    }


def read_token(call: Call) -> str:
    """Return the token as it was sent: as a parameter, or in one of two headers."""
    kind, _, value = call.headers.get("authorization", "").partition(" ")
    header = value.strip() if kind.lower() in {"bearer", "oauth"} else ""
    return str(call.query.get("access_token") or header or call.params.get("access_token") or "")


def invalidate_tokens(context: VendorContext, tokens: Iterable[GraphToken], reason: str) -> None:
    """Invalidate tokens. One that is already invalid stays as it is."""
    for token in tokens:
        if not token.dead:
            token.dead = reason
            context.store.put(token)


T = TypeVar("T", bound=GraphToken)


def find_no_reason(_world: VendorContext, _token: GraphToken) -> str:
    return ""


@dataclass(frozen=True, kw_only=True)
class GraphTokens(Generic[T]):
    """The access tokens of one product."""

    kind: type[T]
    build_missing_error: ErrorBuilder
    # What a token allows at the moment.
    list_scopes: Callable[[VendorContext, T], list[str]]
    # The tokens of the app itself.
    list_app_tokens: Callable[[VendorContext], Sequence[str]]
    # Why a token is invalid although nobody revoked it, as a key of `INVALIDATION_REASONS`.
    find_invalidation_reason: Callable[[VendorContext, T], str] = find_no_reason
    status: int = 400
    checks_proof: bool = True

    def require_token(self, call: Call) -> T:
        """Return the valid token of a call, or refuse as Meta does."""
        value = read_token(call)
        if not value:
            raise CallRefusedError(self.build_missing_error(call))
        token = self.require_valid(call, value)
        if self.checks_proof:
            _require_proof(call, value)
        return token

    def require_valid(self, call: Call, token_text: str) -> T:
        token = call.context.store.get(self.kind, token_text)
        refusal = self.build_refusal(call, token)
        if refusal is not None:
            raise CallRefusedError(refusal)
        assert token is not None, "it would have been refused"
        return token

    def build_refusal(self, call: Call, token: T | None) -> Response | None:
        """Return how a token is refused, or None if it is valid."""
        if token is None:
            return build_unreadable_token_response(call, self.status)
        if not token.dead and has_expired(call.context, token):
            return build_expired_token_response(call, token.end, self.status)
        why = token.dead or self.find_invalidation_reason(call.context, token)
        return build_invalid_token_response(call, why, self.status) if why else None

    def find(self, call: Call) -> T | None:
        """Return the token of a call, valid or not. It never fails: faults are targeted with it."""
        try:
            return call.context.store.get(self.kind, read_token(call))
        except UnreadableInputError:
            return None

    def is_app_token(self, call: Call, token_text: str) -> bool:
        return token_text in self.list_app_tokens(call.context)

    def require_app_token(self, call: Call) -> None:
        if not self.is_app_token(call, read_token(call)):
            raise CallRefusedError(
                build_error_response("(#15) This method must be called with an app access_token.", 15)
            )


def _require_proof(call: Call, token: str) -> None:
    """Check the signature of a token with the app's secret, if one was sent."""
    proof = call.params.get("appsecret_proof")
    if proof is not None and proof != hmac.new(call.context.app.secret.encode(), token.encode(), "sha256").hexdigest():
        message = "Invalid appsecret_proof provided in the API argument"
        raise CallRefusedError(build_error_response(message, 100, kind="GraphMethodException"))
