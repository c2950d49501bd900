"""One response in several formats: JSON, CSV or an image, depending on what the caller accepts."""

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from typing import Any, TypeVar
from urllib.parse import urlencode

from litestar import Request, Response

from socialgate.core.errors import NotAcceptable
from socialgate.web.schemas import ResponseModel

V = TypeVar("V", bound=ResponseModel)

# A cell that starts with one of these would be run as a formula; some spreadsheets also accept the wide forms.
_FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# A phone number in international form is not a formula that does anything, and must stay as it is.
_PHONE_PATTERN = re.compile(r"\+[0-9]{4,20}", re.ASCII)
JSON, CSV, SVG = "application/json", "text/csv", "image/svg+xml"


def build_negotiated_response(
    request: Request[Any, Any, Any],
    view: V,
    encoders: Mapping[str, Callable[[V], str]],
    *,
    age_seconds: int | None = None,
) -> Response[V]:
    """Respond in the caller's preferred format."""
    chosen = choose_media_type(request.headers.get("accept"), (JSON, *encoders))
    headers = {"Vary": "Accept"} | ({} if age_seconds is None else {"Age": str(age_seconds)})
    if chosen != JSON and (cursor := getattr(view, "next_cursor", None)):
        headers["Link"] = f'<{request.url.path}?{_build_next_query(request, cursor)}>; rel="next"'
    content: Any = view if chosen == JSON else encoders[chosen](view)
    # The framework adds the charset itself to text types.
    media_type = f"{SVG}; charset=utf-8" if chosen == SVG else chosen
    return Response(content, media_type=media_type, headers=headers)


def _build_next_query(request: Request[Any, Any, Any], cursor: str) -> str:
    """Return the query of the next page: a table has no place for a cursor."""
    query = [(name, value) for name, value in request.query_params.multi_items() if name != "cursor"]
    return urlencode([*query, ("cursor", cursor)])


def bypasses_cache(request: Request[Any, Any, Any]) -> bool:
    """Whether the caller asked to bypass the cache."""
    return "no-cache" in request.headers.get("cache-control", "")


def choose_media_type(accept: str | None, offered: tuple[str, ...]) -> str:
    """Choose by the `Accept` header: the highest weight, then the first one offered."""
    if not accept or not accept.strip():
        return offered[0]
    request = [_parse_accept_part(part) for part in accept.split(",")]
    weights = {value: _get_weight(value, request) for value in offered}
    best = max(offered, key=lambda value: weights[value])
    if weights[best] <= 0:
        raise NotAcceptable(f"This route returns {', '.join(offered)}. Put one of them in `Accept`.")
    return best


def _parse_accept_part(part: str) -> tuple[str, float]:
    kind, *parameters = (piece.strip().lower() for piece in part.split(";"))
    weight = next((piece.removeprefix("q=") for piece in parameters if piece.startswith("q=")), "1")
    try:
        return kind, float(weight)
    except ValueError:
        return kind, 0.0


def _get_weight(kind: str, request: list[tuple[str, float]]) -> float:
    """Return the weight of a format. An exact match takes precedence over a wildcard."""
    for pattern in (kind, f"{kind.partition('/')[0]}/*", "*/*"):
        weights = [weight for name, weight in request if name == pattern]
        if weights:
            return max(weights)
    return 0.0


def encode_csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Write a table as CSV (RFC 4180). An unknown value is an empty cell."""
    written = StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow([_escape_formula(name) for name in head])
    writer.writerows([_escape_formula(cell) for cell in row] for row in rows)
    return written.getvalue()


def _escape_formula(cell: Any) -> Any:
    is_formula = isinstance(cell, str) and cell.startswith(_FORMULA_PREFIXES) and not _PHONE_PATTERN.fullmatch(cell)
    return f"'{cell}" if is_formula else cell
