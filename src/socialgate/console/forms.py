"""Reading forms: strictly, into the same types as the API, and kept so that they can be shown again."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Self, TypeVar, get_args, get_origin
from urllib.parse import parse_qsl

import msgspec

from socialgate.console.rendering import AnyRequest
from socialgate.core.errors import BodyTooLarge, Fault, InvalidRequest, MalformedRequest, ServiceError
from socialgate.web.field_errors import build_body_error

# The field with the key that the server writes into a form, see `web/form_keys.py`.
KEY_FIELD = "key"
MAX_FORM_BYTES = 64 * 1024
_MAX_FIELDS = 500
_FORM_CONTENT_TYPE = "application/x-www-form-urlencoded"
_REQUIRED_PATTERN = re.compile(r"\S+ is required\.$")
_ITEM_PATTERN = re.compile(r"\S+\[\d+\] must ")
_TOO_LONG_PATTERN = re.compile(r"\S+ must have at most (\d+) characters")

T = TypeVar("T", bound=msgspec.Struct)


class EmptyForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a form with a button and no fields sends."""


class FormData:
    """What a person filled in, and what was wrong with it. A page starts with an empty one."""

    def __init__(self, fields: Mapping[str, Sequence[str]] | None = None) -> None:
        self._fields = fields or {}
        self._many: set[str] = set()
        self.failure: ServiceError | None = None
        # Whether it has no fields beside which the failure could be shown.
        self.is_button = False

    def decode_as(self, kind: type[T]) -> T:
        """Decode into a type. A blank field counts as omitted."""
        known = {field.encode_name for field in msgspec.structs.fields(kind)}
        many = {field.encode_name for field in msgspec.structs.fields(kind) if _is_list_type(field.type)}
        self._many = many
        values: dict[str, Any] = {}
        for name, params in self._fields.items():
            filled = [value for value in params if value]
            if not filled and name in known:
                continue
            if len(params) > 1 and name not in many:
                raise InvalidRequest.for_field(
                    f"/{name}", "duplicate", f"The field {name} occurs twice in the form. Send it once."
                )
            values[name] = filled if name in many else params[0]
        return convert_body(values, kind)

    def nest(self, *, lists: Collection[str] = ()) -> dict[str, Any]:
        """Return the fields as a body of the API: `budget/amount` is a field of the object `budget`.

        Blank fields are left out, and so is the key of the form. Those in `lists` hold several values, which people can
        also separate by commas.
        """
        self._many = set(lists)
        body: dict[str, Any] = {}
        for name, values in self._fields.items():
            filled = [value.strip() for value in values if value.strip()]
            if not filled or name == KEY_FIELD:
                continue
            if len(filled) > 1 and name not in lists:
                raise InvalidRequest.for_field(f"/{name}", "duplicate", "It occurs twice in the form. Send it once.")
            *path, last = name.split("/")
            place = body
            for part in path:
                place = place.setdefault(part, {})
                if not isinstance(place, dict):
                    raise MalformedRequest(f"The field {part} of the form is a value and an object. Send one of them.")
            place[last] = _split_lists(filled) if name in lists else filled[0]
        return body

    def failed(self, failure: ServiceError, *, is_button: bool = False) -> Self:
        self.failure = failure
        self.is_button = is_button
        return self

    @property
    def status(self) -> int:
        return 200 if self.failure is None else int(self.failure.status)

    def value(self, name: str, default: str = "") -> str:
        return self._fields[name][0] if self._fields.get(name) else default

    def values(self, name: str) -> Sequence[str]:
        """Return everything that was chosen in a field, in order and without blanks."""
        return [value for value in self._fields.get(name, ()) if value]

    @property
    def all_values(self) -> frozenset[str]:
        return frozenset(value for values in self._fields.values() for value in values)

    def find_values(self, prefix: str) -> Mapping[str, str]:
        """Return the first value of each field whose name begins so, by the rest of the name."""
        return {name.removeprefix(prefix): value[0] for name, value in self._fields.items() if name.startswith(prefix)}

    def without(self, prefix: str) -> "FormData":
        """Return a copy without the fields whose names begin so."""
        return FormData({name: value for name, value in self._fields.items() if not name.startswith(prefix)})

    def list_options(self, name: str) -> list[str]:
        """List the options in an object that are missing, and those that were filled in a field of their own."""
        faults = () if self.failure is None else self.failure.errors
        start = f"/{name}/"
        missing = [
            fault.pointer.removeprefix(start)
            for fault in faults
            if fault.code == "required" and fault.pointer.startswith(start)
        ]
        return list(dict.fromkeys([*missing, *self.find_values(f"{name}/")]))

    def replaced(self, **fields: Sequence[str]) -> "FormData":
        """Return a copy with other values in some fields."""
        return FormData({**self._fields, **fields})

    def holds(self, name: str, value: str) -> bool:
        return value in self._fields.get(name, ())

    def fault(self, name: str) -> str | None:
        """Return what is wrong with one field, or with something in it."""
        path = name.split("/")
        for fault in () if self.failure is None else self.failure.errors:
            if _is_within(fault, path):
                return _to_person_message(fault, many=name in self._many)
        return None

    def sentence(self, *field_names: str) -> str | None:
        """Return what is wrong, except what is shown next to one of the fields."""
        if self.failure is None:
            return None
        paths = [name.split("/") for name in field_names]
        left = [fault for fault in self.failure.errors if not any(_is_within(fault, path) for path in paths)]
        if len(left) == len(self.failure.errors):
            return _leave_out_marks(self.failure.detail)
        return " ".join(dict.fromkeys(_leave_out_marks(fault.detail) for fault in left)) or None


def convert_body(values: Mapping[str, Any], kind: type[T]) -> T:
    """Decode what a form says as the API decodes a body, except that everything in a form is text."""
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise build_body_error(error, kind, values, strict=False) from error
    except ValueError as error:
        raise InvalidRequest(f"A field of the form is out of range: {error}.") from error


async def read_form(request: AnyRequest) -> FormData:
    kind = request.content_type[0]
    if kind != _FORM_CONTENT_TYPE:
        raise MalformedRequest(f"The content type of the form is {kind or 'missing'}. Send it as {_FORM_CONTENT_TYPE}.")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            raise BodyTooLarge(f"The form is larger than {MAX_FORM_BYTES // 1024} KiB. Shorten its texts.")
    fields: dict[str, list[str]] = {}
    for name, value in _parse_pairs(bytes(body)):
        fields.setdefault(name, []).append(value)
    return FormData(fields)


def _parse_pairs(body: bytes) -> list[tuple[str, str]]:
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS)
    except ValueError as error:
        raise MalformedRequest("The form is not valid UTF-8, or has too many fields.") from error
    if any("\0" in name or "\0" in value for name, value in pairs):
        raise MalformedRequest("The form contains the character U+0000. Remove it.")
    return pairs


def _split_lists(values: Sequence[str]) -> list[str]:
    parts = (part.strip() for value in values for part in value.split(","))
    return list(dict.fromkeys(filter(None, parts)))


def _is_list_type(kind: Any) -> bool:
    return get_origin(kind) is list or any(_is_list_type(part) for part in get_args(kind))


def _is_within(fault: Fault, path: Sequence[str]) -> bool:
    """Whether a fault is about a field, or about something in it."""
    return fault.pointer.split("/")[1 : len(path) + 1] == list(path)


def _to_person_message(fault: Fault, *, many: bool) -> str:
    """Leave out the API's name of a field: the person sees its label."""
    name = fault.pointer.rpartition("/")[2]
    if many and fault.code == "required" and name in fault.detail:
        return "Choose at least one."
    if _REQUIRED_PATTERN.match(fault.detail):
        return "This cannot be left empty."
    if match := _TOO_LONG_PATTERN.match(fault.detail):
        return f"At most {match[1]} characters."
    if name and fault.detail.startswith(f"{name} must "):
        return f"Must {fault.detail.removeprefix(f'{name} must ')}"
    if match := _ITEM_PATTERN.match(fault.detail):
        return f"Must {fault.detail[match.end() :]}"
    return _leave_out_marks(fault.detail)


def _leave_out_marks(detail: str) -> str:
    """Leave out the marks of code, which mean nothing to people."""
    return detail.replace("`", "")
