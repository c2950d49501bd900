"""The envelope that all of Meta's products wrap their errors in."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from socialgate.sandbox.kit import Refused, reply, text

OAUTH = "OAuthException"
TOKEN_CODES = {102, 190}


def failure(
    message: str,
    code: int,
    *,
    subcode: int | None = None,
    kind: str = OAUTH,
    status: int = 400,
    transient: bool | None = None,
    title: str | None = None,
    advice: str | None = None,
    data: Any = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Build an error. Members that a vendor omits are None."""
    error = {
        "message": message,
        "type": kind,
        "code": code,
        "error_data": data,
        "error_subcode": subcode,
        "is_transient": transient,
        "error_user_title": title,
        "error_user_msg": advice,
        "fbtrace_id": trace_id(),
    }
    known = {name: value for name, value in error.items() if value is not None}
    word = "invalid_token" if code in TOKEN_CODES else "invalid_request"
    challenge = (
        {"WWW-Authenticate": f'OAuth "Facebook Platform" "{word}" "{_one_line(message)}"'} if kind == OAUTH else {}
    )
    return reply({"error": known}, status, {**challenge, **(headers or {})})


def _one_line(message: str) -> str:
    """Make a message safe for a header, whatever the caller's input put into it."""
    plain = message.encode("ascii", "replace").decode().replace('"', "'")
    return " ".join("".join(mark if mark.isprintable() else " " for mark in plain).split())


def trace_id() -> str:
    return f"A{text(22)}"


def unknown_field(name: str, node: str, kind: str = OAUTH) -> Refused:
    return Refused(failure(f"(#100) Tried accessing nonexisting field ({name}) on node type ({node})", 100, kind=kind))


def unknown_object(method: str, key: str, kind: str = "GraphMethodException") -> Refused:
    """One response for three cases that a caller must not be able to distinguish."""
    message = (
        f"Unsupported {method.lower()} request. Object with ID '{key}' does not exist, cannot be loaded due to missing "
        "permissions, or does not support this operation. Please read the Graph API documentation at "
        "https://developers.facebook.com/docs/graph-api"
    )
    return Refused(failure(message, 100, subcode=33, kind=kind))


def unknown_path(path: str) -> Response:
    return failure(f"Unknown path components: /{path}", 2500)


def bad_parameter(message: str, *, subcode: int | None = None) -> Response:
    return failure(f"(#100) {message}", 100, subcode=subcode)


def require(fits: object, said: str) -> None:
    """Reject an invalid parameter."""
    if not fits:
        raise Refused(bad_parameter(said))
