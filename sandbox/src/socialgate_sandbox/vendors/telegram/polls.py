"""Polls and quizzes: the question, the options, and when they close."""

from typing import Any

from socialgate_sandbox.kit import Call, digits
from socialgate_sandbox.vendors.telegram.args import flag_of, number_of, text_of, value_of, whole
from socialgate_sandbox.vendors.telegram.errors import bad_request, require
from socialgate_sandbox.vendors.telegram.formatting import marked, units
from socialgate_sandbox.vendors.telegram.state import Json

_LONGEST_QUESTION, _LONGEST_OPTION, _LONGEST_EXPLANATION = 300, 100, 200
_FEWEST_OPTIONS, _MOST_OPTIONS = 2, 12
_SHORTEST_PERIOD, _LONGEST_PERIOD = 5, 2_628_000


def poll_content(call: Call) -> Json:
    question = _words(call, "question", _LONGEST_QUESTION)
    require(question, "poll question must be non-empty")
    kind = text_of(call, "type") or "regular"
    require(kind in {"regular", "quiz"}, "unsupported poll type specified")
    options = _options(call)
    poll: Json = {"id": digits(19), **question, "options": options, "total_voter_count": 0}
    poll |= {
        "is_closed": flag_of(call, "is_closed"),
        "is_anonymous": text_of(call, "is_anonymous") == "" or flag_of(call, "is_anonymous"),
        "type": kind,
        "allows_multiple_answers": flag_of(call, "allows_multiple_answers"),
        "allows_revoting": flag_of(call, "allows_revoting"),
        "members_only": flag_of(call, "members_only"),
    }
    return {"poll": poll | (_quiz(call, len(options)) if kind == "quiz" else {}) | _ending(call)}


def _words(call: Call, name: str, longest: int) -> Json:
    """Read a text with its formatting; nothing if there is none."""
    text, entities = marked(
        text_of(call, name), text_of(call, f"{name}_parse_mode"), value_of(call, f"{name}_entities", "entities") or []
    )
    require(units(text) <= longest, f"poll {name} length must not exceed {longest}")
    return ({name: text} if text else {}) | ({f"{name}_entities": entities} if entities else {})


def _options(call: Call) -> list[Json]:
    given = value_of(call, "options", "options")
    if not isinstance(given, list):
        raise bad_request("expected an Array of String as options")
    require(len(given) >= _FEWEST_OPTIONS, "poll must have at least 2 option")
    require(len(given) <= _MOST_OPTIONS, f"poll can't have more than {_MOST_OPTIONS} options")
    return [_option(place, one if isinstance(one, dict) else {"text": str(one)}) for place, one in enumerate(given)]


def _option(place: int, given: dict[str, Any]) -> Json:
    text, entities = marked(
        str(given.get("text", "")), str(given.get("text_parse_mode") or ""), given.get("text_entities") or []
    )
    require(0 < units(text) <= _LONGEST_OPTION, f"poll options must have 1 to {_LONGEST_OPTION} characters")
    option: Json = {"persistent_id": str(place), "text": text, "voter_count": 0}
    return option | ({"text_entities": entities} if entities else {})


def _quiz(call: Call, count: int) -> Json:
    given = value_of(call, "correct_option_ids", "correct_option_ids")
    one = text_of(call, "correct_option_id")
    chosen = [whole(number) for number in given] if isinstance(given, list) else [int(one)] if one.isdecimal() else []
    require(chosen and all(0 <= number < count for number in chosen), "wrong correct option ID specified")
    return {"correct_option_ids": chosen} | _words(call, "explanation", _LONGEST_EXPLANATION)


def _ending(call: Call) -> Json:
    """Return when it closes by itself: after a number of seconds, or at a time."""
    now = int(call.world.clock.time())
    period, end = number_of(call, "open_period"), number_of(call, "close_date")
    if not period and not end:
        return {}
    length = period or end - now
    require(_SHORTEST_PERIOD <= length <= _LONGEST_PERIOD, "poll open period is invalid")
    return {"open_period": length, "close_date": end or now + length}
