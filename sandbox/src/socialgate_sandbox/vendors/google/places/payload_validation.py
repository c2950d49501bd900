"""The names that requests of the old API may contain. Like all APIs that Google describes in protocol buffers, it
refuses a request with any other name.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from socialgate_sandbox.kernel.vendor import Handler
from socialgate_sandbox.kit import Call, CallRefusedError
from socialgate_sandbox.vendors.google.errors import build_rpc_error

AllowedFields: TypeAlias = Mapping[str, "AllowedFields | None"]
"""The members of an object. None is a value, or an object whose members are not checked."""

# Query parameters that every method takes.
_COMMON_PARAMETERS = frozenset({
    "access_token", "alt", "callback", "fields", "key", "oauth_token", "prettyPrint", "quotaUser", "uploadType",
    "upload_protocol", "$.xgafv",
})  # fmt: skip
_DATE_FIELDS: AllowedFields = dict.fromkeys(("year", "month", "day"))
_TIME_FIELDS: AllowedFields = dict.fromkeys(("hours", "minutes", "seconds", "nanos"))
_SCHEDULE_FIELDS: AllowedFields = {
    "startDate": _DATE_FIELDS,
    "startTime": _TIME_FIELDS,
    "endDate": _DATE_FIELDS,
    "endTime": _TIME_FIELDS,
}
_MEDIA_FIELDS: AllowedFields = dict.fromkeys((
    "name", "mediaFormat", "locationAssociation", "googleUrl", "thumbnailUrl", "createTime", "dimensions", "insights",
    "attribution", "description", "sourceUrl", "dataRef",
))  # fmt: skip
LOCAL_POST_FIELDS: AllowedFields = {
    **dict.fromkeys(("name", "languageCode", "summary", "state", "createTime", "updateTime", "searchUrl")),
    **dict.fromkeys(("topicType", "alertType", "scheduledTime", "recurrenceInfo")),
    "callToAction": dict.fromkeys(("actionType", "url")),
    "event": {"title": None, "schedule": _SCHEDULE_FIELDS},
    "offer": dict.fromkeys(("couponCode", "redeemOnlineUrl", "termsConditions")),
    "media": _MEDIA_FIELDS,
}
REVIEW_BATCH_FIELDS: AllowedFields = dict.fromkeys(
    ("locationNames", "pageSize", "pageToken", "orderBy", "ignoreRatingOnlyReviews"),
)
REVIEW_REPLY_FIELDS: AllowedFields = dict.fromkeys(("comment", "updateTime", "reviewReplyState", "policyViolation"))


def add_body_validation(handler: Handler, allowed_fields: AllowedFields, object_path: str = "") -> Handler:
    """Return a handler that first checks the names in the body."""

    def handle(call: Call) -> Any:
        validate_body(call, allowed_fields, object_path)
        return handler(call)

    return handle


def add_query_validation(handler: Handler, *known_parameters: str) -> Handler:
    """Return a handler that first checks the query."""

    def handle(call: Call) -> Any:
        validate_query(call, *known_parameters)
        return handler(call)

    return handle


def validate_body(call: Call, allowed_fields: AllowedFields, object_path: str = "") -> None:
    """Refuse names that the object in the body does not have. `object_path` is its name in the request."""
    result = _find_unknown_fields(call.json, allowed_fields, object_path)
    _raise_violations(
        [_build_violation(f'Unknown name "{name}"', place, "Cannot find field.") for place, name in result]
    )


def validate_query(call: Call, *known_parameters: str) -> None:
    """Refuse query parameters that the method does not have."""
    names = [name for name in call.query if name not in _COMMON_PARAMETERS and name not in known_parameters]
    message = "Cannot bind query parameter. Field '{0}' could not be found in request message."
    _raise_violations([_build_violation(f'Unknown name "{name}"', "", message.format(name)) for name in names])


def _find_unknown_fields(value: Any, allowed_fields: AllowedFields, object_path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from _find_unknown_fields(item, allowed_fields, f"{object_path}[{place}]")
        return
    for name, inner in value.items() if isinstance(value, dict) else ():
        if name not in allowed_fields and _convert_to_camel_case(name) not in allowed_fields:
            yield object_path, name
            continue
        members = allowed_fields.get(name, allowed_fields.get(_convert_to_camel_case(name)))
        if members is not None:
            yield from _find_unknown_fields(inner, members, f"{object_path}.{_convert_to_snake_case(name)}".lstrip("."))


def _build_violation(unknown_field: str, object_path: str, reason: str) -> dict[str, str]:
    at = f" at '{object_path}'" if object_path else ""
    description = f"Invalid JSON payload received. {unknown_field}{at}: {reason}"
    return {"field": object_path, "description": description} if object_path else {"description": description}


def _raise_violations(violations: list[dict[str, str]]) -> None:
    if violations:
        detail = {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations}
        raise CallRefusedError(build_rpc_error(400, "\n".join(fault["description"] for fault in violations), detail))


def _convert_to_camel_case(name: str) -> str:
    """JSON of protocol buffers may use either spelling."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _convert_to_snake_case(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
