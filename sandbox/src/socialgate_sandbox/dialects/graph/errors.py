"""The envelope that all of Meta's products wrap their errors in."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import (
    Call,
    CallRefusedError,
    ErrorBuilder,
    build_call_error_declarer,
    build_error_declarer,
    build_json_response,
    build_require,
    generate_alphanumeric,
)

OAUTH_EXCEPTION = "OAuthException"
TOKEN_CODES = {102, 190}


def build_error_response(
    message: str,
    code: int,
    *,
    subcode: int | None = None,
    kind: str = OAUTH_EXCEPTION,
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
        "fbtrace_id": generate_trace_id(),
    }
    known = {name: value for name, value in error.items() if value is not None}
    word = "invalid_token" if code in TOKEN_CODES else "invalid_request"
    challenge = (
        {"WWW-Authenticate": f'OAuth "Facebook Platform" "{word}" "{_format_header_text(message)}"'}
        if kind == OAUTH_EXCEPTION
        else {}
    )
    return build_json_response({"error": known}, status, {**challenge, **(headers or {})})


def _format_header_text(message: str) -> str:
    """Make a message safe for a header, whatever the caller's input put into it."""
    plain = message.encode("ascii", "replace").decode().replace('"', "'")
    return " ".join("".join(mark if mark.isprintable() else " " for mark in plain).split())


def generate_trace_id() -> str:
    return f"A{generate_alphanumeric(22)}"


def build_unknown_field_error(name: str, node: str, kind: str = OAUTH_EXCEPTION) -> CallRefusedError:
    return CallRefusedError(
        build_error_response(f"(#100) Tried accessing nonexisting field ({name}) on node type ({node})", 100, kind=kind)
    )


def build_unknown_object_error(method: str, key: str, kind: str = "GraphMethodException") -> CallRefusedError:
    """One response for three cases that a caller must not be able to distinguish."""
    message = (
        f"Unsupported {method.lower()} request. Object with ID '{key}' does not exist, cannot be loaded due to missing "
        "permissions, or does not support this operation. Please read the Graph API documentation at "
        "https://developers.facebook.com/docs/graph-api"
    )
    return CallRefusedError(build_error_response(message, 100, subcode=33, kind=kind))


def build_unknown_path_response(path: str) -> Response:
    return build_error_response(f"Unknown path components: /{path}", 2500)


def build_not_found_response(call: Call) -> Response:
    """Respond to a path without its host."""
    return build_unknown_path_response(call.path.split("/", 2)[-1])


def build_parameter_response(message: str, *, subcode: int | None = None) -> Response:
    return build_error_response(f"(#100) {message}", 100, subcode=subcode)


def build_parameter_error(message: str) -> CallRefusedError:
    return CallRefusedError(build_parameter_response(message))


require = build_require(build_parameter_response)


declare_error = build_error_declarer(build_error_response)
FULL_USAGE = {"call_count": 100, "total_cputime": 25, "total_time": 25}


def declare_limit_error(code: int, message: str, *, subcode: int | None = None) -> ErrorBuilder:
    """Declare an error about a limit of the app, which is reported as used up."""
    headers = {"X-App-Usage": json.dumps(FULL_USAGE)}
    return declare_error(f"(#{code}) {message}", code, subcode=subcode, transient=True, headers=headers)


def declare_publishing_limits(declare: Callable[..., ErrorBuilder], code: int) -> dict[str, ErrorBuilder]:
    """Return the rows of the Content Publishing API. Only the code differs between the products."""
    message = "Application request limit reached"
    most = "You reached maximum number of posts that is allowed to be published by Content Publishing API."
    spam = "We restrict certain activity to protect our community. Tell us if you think we made a mistake."
    return {
        "publish_quota": declare(message, code, subcode=2207042, title="Maximum Number of Posts reached", advice=most),
        "spam": declare(message, 4, subcode=2207051, title="Action is blocked", advice=spam),
    }


@build_call_error_declarer
def declare_unknown_object(call: Call, kind: str = "GraphMethodException") -> Response:
    return build_unknown_object_error(call.method, "0", kind).response(call)
