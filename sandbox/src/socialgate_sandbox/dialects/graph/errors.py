"""The envelope that all of Meta's products wrap their errors in."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, ErrorMaker, Refused, fixed, per_call, reply, requiring, text

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


def not_found(call: Call) -> Response:
    """Respond to a path without its host."""
    return unknown_path(call.path.split("/", 2)[-1])


def bad_parameter(message: str, *, subcode: int | None = None) -> Response:
    return failure(f"(#100) {message}", 100, subcode=subcode)


def wrong(said: str) -> Refused:
    return Refused(bad_parameter(said))


require = requiring(bad_parameter)


row = fixed(failure)
USED_UP = {"call_count": 100, "total_cputime": 25, "total_time": 25}


def limited(code: int, message: str, *, subcode: int | None = None) -> ErrorMaker:
    """Declare an error about a limit of the app, which is reported as used up."""
    headers = {"X-App-Usage": json.dumps(USED_UP)}
    return row(f"(#{code}) {message}", code, subcode=subcode, transient=True, headers=headers)


def publishing_limits(declare: Callable[..., ErrorMaker], code: int) -> dict[str, ErrorMaker]:
    """Return the rows of the Content Publishing API. Only the code differs between the products."""
    message = "Application request limit reached"
    most = "You reached maximum number of posts that is allowed to be published by Content Publishing API."
    spam = "We restrict certain activity to protect our community. Tell us if you think we made a mistake."
    return {
        "publish_quota": declare(message, code, subcode=2207042, title="Maximum Number of Posts reached", advice=most),
        "spam": declare(message, 4, subcode=2207051, title="Action is blocked", advice=spam),
    }


@per_call
def no_object(call: Call, kind: str = "GraphMethodException") -> Response:
    return unknown_object(call.method, "0", kind).response(call)
