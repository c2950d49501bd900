"""The tokens of Meta's products: which one a call has, and why it is invalid. Only the status differs."""

import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from starlette.responses import Response

from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.kit import Call, ErrorMaker, Refused, Unreadable, World, per_call
from socialgate_sandbox.kit.tokens import Token, has_expired

_INVALIDATED = "Error validating access token: "
# Why a token became invalid: the subcode of error 190 and its message.
DEAD: Mapping[str, tuple[int, str]] = {
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
    """A token that stays known when it becomes invalid. `dead` is a key of `DEAD`, or empty."""

    issued: datetime
    long_lived: bool = False
    dead: str = ""


def dead_token(call: Call, why: str, status: int = 400) -> Response:
    subcode, message = DEAD[why]
    return failure(_INVALIDATED + message.format(app=call.world.app.id), 190, subcode=subcode, status=status)


def expired_token(call: Call, expired: datetime, status: int = 400) -> Response:
    form = "%A, %d-%b-%y %H:%M:%S UTC"
    now = call.world.clock.now()
    message = f"Session has expired on {expired:{form}}. The current time is {now:{form}}."
    return failure(_INVALIDATED + message, 190, subcode=463, status=status)


def unreadable_token(_call: Call, status: int = 400) -> Response:
    return failure("Invalid OAuth access token - Cannot parse access token", 190, status=status)


def token_errors(*ended: str, status: int = 400) -> dict[str, ErrorMaker]:
    """Return the rows about tokens that all products have, and those for why a session `ended`."""
    dead = per_call(dead_token)
    return {
        "token_revoked": dead("app_removed", status),
        "token_expired": lambda call: expired_token(call, call.world.clock.now(), status),
        "token_invalid": per_call(unreadable_token)(status),
        **{why: dead(why, status) for why in ended},
    }


def token_text(call: Call) -> str:
    """Return the token as it was sent: as a parameter, or in one of two headers."""
    kind, _, given = call.headers.get("authorization", "").partition(" ")
    header = given.strip() if kind.lower() in {"bearer", "oauth"} else ""
    return str(call.query.get("access_token") or header or call.params.get("access_token") or "")


def kill(world: World, tokens: Iterable[GraphToken], why: str) -> None:
    """Invalidate tokens. One that is already invalid stays as it is."""
    for token in tokens:
        if not token.dead:
            token.dead = why
            world.store.put(token)


T = TypeVar("T", bound=GraphToken)


def nothing_lost(_world: World, _token: GraphToken) -> str:
    return ""


@dataclass(frozen=True, kw_only=True)
class Tokens(Generic[T]):
    """The access tokens of one product."""

    kind: type[T]
    missing: ErrorMaker
    # What a token allows at the moment.
    scopes: Callable[[World, T], list[str]]
    # The tokens of the app itself.
    of_app: Callable[[World], Sequence[str]]
    # Why a token is invalid although nobody revoked it, as a key of `DEAD`.
    lost: Callable[[World, T], str] = nothing_lost
    status: int = 400
    proofs: bool = True

    def viewer(self, call: Call) -> T:
        """Return the valid token of a call, or refuse as Meta does."""
        given = token_text(call)
        if not given:
            raise Refused(self.missing(call))
        token = self.check(call, given)
        if self.proofs:
            _require_proof(call, given)
        return token

    def check(self, call: Call, given: str) -> T:
        token = call.world.store.get(self.kind, given)
        refusal = self.refusal(call, token)
        if refusal is not None:
            raise Refused(refusal)
        assert token is not None, "it would have been refused"
        return token

    def refusal(self, call: Call, token: T | None) -> Response | None:
        """Return how a token is refused, or None if it is valid."""
        if token is None:
            return unreadable_token(call, self.status)
        if not token.dead and has_expired(call.world, token):
            return expired_token(call, token.end, self.status)
        why = token.dead or self.lost(call.world, token)
        return dead_token(call, why, self.status) if why else None

    def find(self, call: Call) -> T | None:
        """Return the token of a call, valid or not. It never fails: faults are targeted with it."""
        try:
            return call.world.store.get(self.kind, token_text(call))
        except Unreadable:
            return None

    def is_app(self, call: Call, given: str) -> bool:
        return given in self.of_app(call.world)

    def require_app(self, call: Call) -> None:
        if not self.is_app(call, token_text(call)):
            raise Refused(failure("(#15) This method must be called with an app access_token.", 15))


def _require_proof(call: Call, token: str) -> None:
    """Check the signature of a token with the app's secret, if one was sent."""
    proof = call.params.get("appsecret_proof")
    if proof is not None and proof != hmac.new(call.world.app.secret.encode(), token.encode(), "sha256").hexdigest():
        message = "Invalid appsecret_proof provided in the API argument"
        raise Refused(failure(message, 100, kind="GraphMethodException"))
