"""The parameters of a call as a struct. What is unknown or wrong is refused by its name."""

import re
from typing import ClassVar, TypeVar

import msgspec

from socialgate_sandbox.kit import Call, CallRefusedError
from socialgate_sandbox.vendors.openai.errors import build_invalid_param_response

# How msgspec says that a value is wrong, and OpenAI's code for it.
_CODES_BY_PATTERN = {
    r"Invalid enum value": "invalid_value",
    r"of length <=": "string_above_max_length",
    r"of length >=": "empty_string",
    r"`int` <=": "integer_above_max_value",
    r"`int` >=": "integer_below_min_value",
    r"`float` <=": "decimal_above_max_value",
    r"`float` >=": "decimal_below_min_value",
}


class RequestBody(msgspec.Struct, frozen=True, kw_only=True):
    """`ignored_params` are the parameters that OpenAI takes and that make no difference here, separated by spaces."""

    ignored_params: ClassVar[str] = ""


B = TypeVar("B", bound=RequestBody)


def parse_body(call: Call, type_: type[B]) -> B:
    is_form = bool(call.form or call.files)
    input_value = dict(call.form) if is_form else call.json
    if not isinstance(input_value, dict):
        raise CallRefusedError(build_invalid_param_response("The body of your request must be a JSON object.", None))
    known = {field.encode_name for field in msgspec.structs.fields(type_)} | set(type_.ignored_params.split())
    for name in input_value:
        if name not in known:
            raise CallRefusedError(
                build_invalid_param_response(f"Unknown parameter: '{name}'.", name, "unknown_parameter")
            )
    set_ones = {name: value for name, value in input_value.items() if value is not None}
    try:
        return msgspec.convert(set_ones, type_, strict=not is_form)
    except msgspec.ValidationError as error:
        raise _build_refusal(str(error)) from None


def _build_refusal(error_text: str) -> CallRefusedError:
    reason, _, place = error_text.partition(" - at `$")
    missing = re.fullmatch(r"Object missing required field `(\w+)`", reason)
    param = place.rstrip("`").lstrip(".")
    if missing:
        param = f"{param}.{missing[1]}".lstrip(".")
        return CallRefusedError(
            build_invalid_param_response(f"Missing required parameter: '{param}'.", param, "missing_required_parameter")
        )
    code = next((code for sign, code in _CODES_BY_PATTERN.items() if re.search(sign, reason)), "invalid_type")
    return CallRefusedError(build_invalid_param_response(f"Invalid '{param}': {reason}.", param, code))
