"""What the calls of the YouTube Data API share: hosts, parts, filters, choices, pages, and the channel that calls."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from socialgate_sandbox.kit import Call, Handler, Method, Refused, Route, listed
from socialgate_sandbox.vendors.google.errors import api_error, refusal
from socialgate_sandbox.vendors.google.paging import BadPage, etag, page
from socialgate_sandbox.vendors.google.state import AUTH, AccessToken, YouTubeChannel

HOSTS = ("youtube.googleapis.com", "www.googleapis.com")
READING = (f"{AUTH}youtube", f"{AUTH}youtube.force-ssl", f"{AUTH}youtube.readonly")
_MISSING = "missingRequiredParameter"
T = TypeVar("T")


def routes(*calls: tuple[Method, str, Handler]) -> list[Route]:
    """Serve calls on each of the hosts."""
    return [Route(method, f"/{host}/youtube/v3/{path}", handler) for host in HOSTS for method, path, handler in calls]


def bad_parameter(name: str, message: str, reason: str = "invalidParameter") -> Refused:
    """Reject a parameter, or (`parameters.`) the combination of several."""
    place = ("other" if "." in name else "parameter", name)
    return Refused(api_error(400, reason, message, "youtube.parameter", place=place))


def required(call: Call, name: str) -> list[str]:
    found = listed(call, name)
    if not found:
        raise bad_parameter(name, f"Required parameter: {name}", _MISSING)
    return found


def asked_parts(call: Call, known: set[str]) -> set[str]:
    parts = required(call, "part")
    for part in parts:
        if part not in known:
            raise Refused(api_error(400, "unknownPart", part, "youtube.part", place=("parameter", "part")))
    return set(parts)


def only_filter(call: Call, *known: str) -> str:
    """Return which filter a call has. It must have exactly one."""
    chosen = [name for name in known if name in call.query]
    if len(chosen) == 1:
        return chosen[0]
    word, reason = ("Incompatible filters", "incompatibleParameters") if chosen else ("No filter", _MISSING)
    raise bad_parameter("parameters.", f"{word} selected. Expected one of: {', '.join(known)}", reason)


def choice(call: Call, name: str, *known: str) -> str:
    """Read a parameter with a fixed set of values. The first one is its default."""
    given = call.query.get(name, known[0])
    if given not in known:
        raise bad_parameter(name, f"Invalid value '{given}'. Allowed values: {list(known)}")
    return given


def limit_of(call: Call, *, default: int, most: int) -> int:
    given = call.query.get("maxResults", str(default))
    if not given.isdecimal() or int(given) > most:
        message = f"Invalid value '{given}'. Values must be within the range: [0, {most}]"
        raise Refused(api_error(400, "invalidParameter", message, place=("parameter", "maxResults")))
    return int(given)


def pages_of(call: Call, found: Sequence[T], size: int) -> tuple[list[T], str | None]:
    try:
        shown, following = page(found, size, call.query.get("pageToken"))
    except BadPage:
        message = "The request specifies an invalid page token."
        raise bad_parameter("pageToken", message, "invalidPageToken") from None
    return list(shown), following


def list_page(
    call: Call, kind: str, found: Sequence[T], show: Callable[[T], Any], *, default: int = 5, most: int = 50
) -> dict[str, Any]:
    """Return one page of a list."""
    size = limit_of(call, default=default, most=most)
    shown, following = pages_of(call, found, size)
    return list_answer(kind, [show(one) for one in shown], len(found), size, following)


def list_answer(kind: str, items: list[Any], total: int, size: int, following: str | None) -> dict[str, Any]:
    answer: dict[str, Any] = {"kind": f"youtube#{kind}ListResponse", "etag": etag(items)}
    answer |= {"nextPageToken": following} if following else {}
    return answer | {"items": items, "pageInfo": {"totalResults": total, "resultsPerPage": size}}


def own_channel(call: Call, token: AccessToken) -> YouTubeChannel:
    """Return the channel that a token belongs to."""
    mine = call.world.store.find(YouTubeChannel, parent=token.parent, limit=1)
    if not mine:
        raise refusal("no_channel")
    if mine[0].suspended:
        raise refusal("account_suspended")
    return mine[0]
