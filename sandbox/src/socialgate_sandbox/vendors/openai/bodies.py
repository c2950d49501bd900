"""The parameters of a call as a struct. What is unknown or wrong is refused by its name."""

import re
from typing import ClassVar, TypeVar

import msgspec

from socialgate_sandbox.kit import Call, Refused
from socialgate_sandbox.vendors.openai.errors import wrong

# How msgspec says that a value is wrong, and OpenAI's code for it.
_CODES = {
    r"Invalid enum value": "invalid_value",
    r"of length <=": "string_above_max_length",
    r"of length >=": "empty_string",
    r"`int` <=": "integer_above_max_value",
    r"`int` >=": "integer_below_min_value",
    r"`float` <=": "decimal_above_max_value",
    r"`float` >=": "decimal_below_min_value",
}


class Body(msgspec.Struct, frozen=True, kw_only=True):
    """`others` are the parameters that OpenAI takes and that make no difference here, separated by spaces."""

    others: ClassVar[str] = ""


B = TypeVar("B", bound=Body)


def read_body(call: Call, kind: type[B]) -> B:
    is_form = bool(call.form or call.files)
    given = dict(call.form) if is_form else call.json
    if not isinstance(given, dict):
        raise Refused(wrong("The body of your request must be a JSON object.", None))
    known = {field.encode_name for field in msgspec.structs.fields(kind)} | set(kind.others.split())
    for name in given:
        if name not in known:
            raise Refused(wrong(f"Unknown parameter: '{name}'.", name, "unknown_parameter"))
    set_ones = {name: value for name, value in given.items() if value is not None}
    try:
        return msgspec.convert(set_ones, kind, strict=not is_form)
    except msgspec.ValidationError as error:
        raise _refused(str(error)) from None


def _refused(said: str) -> Refused:
    reason, _, place = said.partition(" - at `$")
    missing = re.fullmatch(r"Object missing required field `(\w+)`", reason)
    param = place.rstrip("`").lstrip(".")
    if missing:
        param = f"{param}.{missing[1]}".lstrip(".")
        return Refused(wrong(f"Missing required parameter: '{param}'.", param, "missing_required_parameter"))
    code = next((code for sign, code in _CODES.items() if re.search(sign, reason)), "invalid_type")
    return Refused(wrong(f"Invalid '{param}': {reason}.", param, code))
