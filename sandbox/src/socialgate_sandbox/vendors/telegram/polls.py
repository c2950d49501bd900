"""Polls and quizzes: the question, the options, and when they close."""

from typing import Any

from socialgate_sandbox.kit import Call, generate_digits
from socialgate_sandbox.vendors.telegram.errors import build_bad_request, require
from socialgate_sandbox.vendors.telegram.formatting import count_utf16_units, parse_formatted_text
from socialgate_sandbox.vendors.telegram.method_parameters import (
    get_flag,
    get_json_value,
    get_number,
    get_text,
    to_integer,
)
from socialgate_sandbox.vendors.telegram.state import Json

_MAX_QUESTION_LENGTH, _MAX_OPTION_LENGTH, _MAX_EXPLANATION_LENGTH = 300, 100, 200
_MIN_OPTIONS, _MAX_OPTIONS = 2, 12
_MIN_PERIOD, _MAX_PERIOD = 5, 2_628_000


def parse_poll(call: Call) -> Json:
    question = _parse_formatted_field(call, "question", _MAX_QUESTION_LENGTH)
    require(question, "poll question must be non-empty")
    kind = get_text(call, "type") or "regular"
    require(kind in {"regular", "quiz"}, "unsupported poll type specified")
    options = _parse_options(call)
    poll: Json = {"id": generate_digits(19), **question, "options": options, "total_voter_count": 0}
    poll |= {
        "is_closed": get_flag(call, "is_closed"),
        "is_anonymous": get_text(call, "is_anonymous") == "" or get_flag(call, "is_anonymous"),
        "type": kind,
        "allows_multiple_answers": get_flag(call, "allows_multiple_answers"),
        "allows_revoting": get_flag(call, "allows_revoting"),
        "members_only": get_flag(call, "members_only"),
    }
    return {"poll": poll | (_parse_quiz(call, len(options)) if kind == "quiz" else {}) | _parse_closing_time(call)}


def _parse_formatted_field(call: Call, name: str, max_length: int) -> Json:
    """Read a text with its formatting; nothing if there is none."""
    text, entities = parse_formatted_text(
        get_text(call, name),
        get_text(call, f"{name}_parse_mode"),
        get_json_value(call, f"{name}_entities", "entities") or [],
    )
    require(count_utf16_units(text) <= max_length, f"poll {name} length must not exceed {max_length}")
    return ({name: text} if text else {}) | ({f"{name}_entities": entities} if entities else {})


def _parse_options(call: Call) -> list[Json]:
    items = get_json_value(call, "options", "options")
    if not isinstance(items, list):
        raise build_bad_request("expected an Array of String as options")
    require(len(items) >= _MIN_OPTIONS, "poll must have at least 2 option")
    require(len(items) <= _MAX_OPTIONS, f"poll can't have more than {_MAX_OPTIONS} options")
    return [
        _parse_option(place, item if isinstance(item, dict) else {"text": str(item)})
        for place, item in enumerate(items)
    ]


def _parse_option(index: int, raw_option: dict[str, Any]) -> Json:
    text, entities = parse_formatted_text(
        str(raw_option.get("text", "")),
        str(raw_option.get("text_parse_mode") or ""),
        raw_option.get("text_entities") or [],
    )
    require(
        0 < count_utf16_units(text) <= _MAX_OPTION_LENGTH,
        f"poll options must have 1 to {_MAX_OPTION_LENGTH} characters",
    )
    option: Json = {"persistent_id": str(index), "text": text, "voter_count": 0}
    return option | ({"text_entities": entities} if entities else {})


def _parse_quiz(call: Call, count: int) -> Json:
    items = get_json_value(call, "correct_option_ids", "correct_option_ids")
    value = get_text(call, "correct_option_id")
    chosen = (
        [to_integer(number) for number in items]
        if isinstance(items, list)
        else [int(value)]
        if value.isdecimal()
        else []
    )
    require(chosen and all(0 <= number < count for number in chosen), "wrong correct option ID specified")
    return {"correct_option_ids": chosen} | _parse_formatted_field(call, "explanation", _MAX_EXPLANATION_LENGTH)


def _parse_closing_time(call: Call) -> Json:
    """Return when it closes by itself: after a number of seconds, or at a time."""
    now = int(call.context.clock.get_unix_time())
    period, end = get_number(call, "open_period"), get_number(call, "close_date")
    if not period and not end:
        return {}
    length = period or end - now
    require(_MIN_PERIOD <= length <= _MAX_PERIOD, "poll open period is invalid")
    return {"open_period": length, "close_date": end or now + length}
