"""What the calls of the YouTube Data API share: hosts, parts, filters, choices, pages, and the channel that calls."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from socialgate_sandbox.kit import Call, CallRefusedError, Handler, Method, Route, read_list_parameter
from socialgate_sandbox.vendors.google.errors import build_api_error, build_refusal
from socialgate_sandbox.vendors.google.paging import InvalidPageTokenError, compute_etag, paginate
from socialgate_sandbox.vendors.google.state import AUTH, AccessToken, YouTubeChannel

API_HOSTS = ("youtube.googleapis.com", "www.googleapis.com")
READ_SCOPES = (f"{AUTH}youtube", f"{AUTH}youtube.force-ssl", f"{AUTH}youtube.readonly")
_MISSING_PARAMETER_REASON = "missingRequiredParameter"
T = TypeVar("T")


def build_routes(*endpoints: tuple[Method, str, Handler]) -> list[Route]:
    """Serve calls on each of the hosts."""
    return [
        Route(method, f"/{host}/youtube/v3/{path}", handler)
        for host in API_HOSTS
        for method, path, handler in endpoints
    ]


def build_parameter_error(name: str, message: str, reason: str = "invalidParameter") -> CallRefusedError:
    """Reject a parameter, or (`parameters.`) the combination of several."""
    place = ("other" if "." in name else "parameter", name)
    return CallRefusedError(build_api_error(400, reason, message, "youtube.parameter", place=place))


def require_list_parameter(call: Call, name: str) -> list[str]:
    result = read_list_parameter(call, name)
    if not result:
        raise build_parameter_error(name, f"Required parameter: {name}", _MISSING_PARAMETER_REASON)
    return result


def parse_parts(call: Call, allowed_values: set[str]) -> set[str]:
    parts = require_list_parameter(call, "part")
    for part in parts:
        if part not in allowed_values:
            raise CallRefusedError(
                build_api_error(400, "unknownPart", part, "youtube.part", place=("parameter", "part"))
            )
    return set(parts)


def get_only_filter(call: Call, *allowed_values: str) -> str:
    """Return which filter a call has. It must have exactly one."""
    chosen = [name for name in allowed_values if name in call.query]
    if len(chosen) == 1:
        return chosen[0]
    word, reason = (
        ("Incompatible filters", "incompatibleParameters") if chosen else ("No filter", _MISSING_PARAMETER_REASON)
    )
    raise build_parameter_error("parameters.", f"{word} selected. Expected one of: {', '.join(allowed_values)}", reason)


def parse_choice(call: Call, name: str, *allowed_values: str) -> str:
    """Read a parameter with a fixed set of values. The first one is its default."""
    value = call.query.get(name, allowed_values[0])
    if value not in allowed_values:
        raise build_parameter_error(name, f"Invalid value '{value}'. Allowed values: {list(allowed_values)}")
    return value


def parse_max_results(call: Call, *, default: int, max_size: int) -> int:
    value = call.query.get("maxResults", str(default))
    if not value.isdecimal() or int(value) > max_size:
        message = f"Invalid value '{value}'. Values must be within the range: [0, {max_size}]"
        raise CallRefusedError(build_api_error(400, "invalidParameter", message, place=("parameter", "maxResults")))
    return int(value)


def paginate_request(call: Call, resources: Sequence[T], size: int) -> tuple[list[T], str | None]:
    try:
        shown, following = paginate(resources, size, call.query.get("pageToken"))
    except InvalidPageTokenError:
        message = "The request specifies an invalid page token."
        raise build_parameter_error("pageToken", message, "invalidPageToken") from None
    return list(shown), following


def build_list_page(
    call: Call,
    resource_type: str,
    resources: Sequence[T],
    build_item: Callable[[T], Any],
    *,
    default: int = 5,
    max_size: int = 50,
) -> dict[str, Any]:
    """Return one page of a list."""
    size = parse_max_results(call, default=default, max_size=max_size)
    shown, following = paginate_request(call, resources, size)
    return build_list_response(resource_type, [build_item(item) for item in shown], len(resources), size, following)


def build_list_response(
    resource_type: str, items: list[Any], total: int, size: int, next_page_token: str | None
) -> dict[str, Any]:
    answer: dict[str, Any] = {"kind": f"youtube#{resource_type}ListResponse", "etag": compute_etag(items)}
    answer |= {"nextPageToken": next_page_token} if next_page_token else {}
    return answer | {"items": items, "pageInfo": {"totalResults": total, "resultsPerPage": size}}


def require_own_channel(call: Call, token: AccessToken) -> YouTubeChannel:
    """Return the channel that a token belongs to."""
    mine = call.context.store.find(YouTubeChannel, parent=token.parent, limit=1)
    if not mine:
        raise build_refusal("no_channel")
    if mine[0].suspended:
        raise build_refusal("account_suspended")
    return mine[0]
