"""The names that requests of the old API may contain. Like all APIs that Google describes in protocol buffers, it
refuses a request with any other name.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from socialgate_sandbox.kernel.vendor import Handler
from socialgate_sandbox.kit import Call, Refused
from socialgate_sandbox.vendors.google.errors import rpc_error

Shape: TypeAlias = Mapping[str, "Shape | None"]
"""The members of an object. None is a value, or an object whose members are not checked."""

# Query parameters that every method takes.
_COMMON = frozenset({
    "access_token", "alt", "callback", "fields", "key", "oauth_token", "prettyPrint", "quotaUser", "uploadType",
    "upload_protocol", "$.xgafv",
})  # fmt: skip
_DATE: Shape = dict.fromkeys(("year", "month", "day"))
_TIME: Shape = dict.fromkeys(("hours", "minutes", "seconds", "nanos"))
_SCHEDULE: Shape = {"startDate": _DATE, "startTime": _TIME, "endDate": _DATE, "endTime": _TIME}
_MEDIA: Shape = dict.fromkeys((
    "name", "mediaFormat", "locationAssociation", "googleUrl", "thumbnailUrl", "createTime", "dimensions", "insights",
    "attribution", "description", "sourceUrl", "dataRef",
))  # fmt: skip
LOCAL_POST: Shape = {
    **dict.fromkeys(("name", "languageCode", "summary", "state", "createTime", "updateTime", "searchUrl")),
    **dict.fromkeys(("topicType", "alertType", "scheduledTime", "recurrenceInfo")),
    "callToAction": dict.fromkeys(("actionType", "url")),
    "event": {"title": None, "schedule": _SCHEDULE},
    "offer": dict.fromkeys(("couponCode", "redeemOnlineUrl", "termsConditions")),
    "media": _MEDIA,
}
REVIEW_BATCH: Shape = dict.fromkeys(
    ("locationNames", "pageSize", "pageToken", "orderBy", "ignoreRatingOnlyReviews"),
)
REVIEW_REPLY: Shape = dict.fromkeys(("comment", "updateTime", "reviewReplyState", "policyViolation"))


def with_body(handler: Handler, shape: Shape, where: str = "") -> Handler:
    """Return a handler that first checks the names in the body."""

    def handle(call: Call) -> Any:
        check_body(call, shape, where)
        return handler(call)

    return handle


def with_query(handler: Handler, *known: str) -> Handler:
    """Return a handler that first checks the query."""

    def handle(call: Call) -> Any:
        check_query(call, *known)
        return handler(call)

    return handle


def check_body(call: Call, shape: Shape, where: str = "") -> None:
    """Refuse names that the object in the body does not have. `where` is the name of the object in the request."""
    found = _unknown(call.json, shape, where)
    _refuse([_fault(f'Unknown name "{name}"', place, "Cannot find field.") for place, name in found])


def check_query(call: Call, *known: str) -> None:
    """Refuse query parameters that the method does not have."""
    names = [name for name in call.query if name not in _COMMON and name not in known]
    said = "Cannot bind query parameter. Field '{0}' could not be found in request message."
    _refuse([_fault(f'Unknown name "{name}"', "", said.format(name)) for name in names])


def _unknown(value: Any, shape: Shape, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from _unknown(item, shape, f"{where}[{place}]")
        return
    for name, inner in value.items() if isinstance(value, dict) else ():
        if name not in shape and _camel(name) not in shape:
            yield where, name
            continue
        members = shape.get(name, shape.get(_camel(name)))
        if members is not None:
            yield from _unknown(inner, members, f"{where}.{_snake(name)}".lstrip("."))


def _fault(unknown: str, place: str, why: str) -> dict[str, str]:
    at = f" at '{place}'" if place else ""
    description = f"Invalid JSON payload received. {unknown}{at}: {why}"
    return {"field": place, "description": description} if place else {"description": description}


def _refuse(faults: list[dict[str, str]]) -> None:
    if faults:
        detail = {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": faults}
        raise Refused(rpc_error(400, "\n".join(fault["description"] for fault in faults), detail))


def _camel(name: str) -> str:
    """JSON of protocol buffers may use either spelling."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
