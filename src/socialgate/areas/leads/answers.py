"""The answers of a lead with the questions they belong to: named as people saw them, and typed."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime

from socialgate.contracts.leads import TEXT, LeadQuestion
from socialgate.core.lead_answers import AnswerValue, LeadAnswer

# Longer numbers, and those with leading zeros, are ids in disguise: a JSON number could not represent them exactly.
_NUMBER_PATTERN = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
_MAX_DIGITS = 15
_AMERICAN_DATE_PATTERN = re.compile(r"(\d\d)/(\d\d)/(\d{4})")
_BOOLEANS_BY_TEXT = {"true": True, "yes": True, "false": False, "no": False}
_OPTION_SEPARATOR = ", "

QuestionsByKey = Mapping[str, LeadQuestion]


def build_answers(fields: Mapping[str, str], questions: QuestionsByKey) -> list[LeadAnswer]:
    """Name and type the answers, in the order of `fields`. An answer to an unknown question stays a text."""
    return [_build_answer(key, value, questions.get(key)) for key, value in fields.items()]


def _build_answer(key: str, text: str, question: LeadQuestion | None) -> LeadAnswer:
    if question is None:
        return LeadAnswer(key=key, label=None, type=TEXT, value=text, value_label=None)
    labels = {option.key: option.label for option in question.options}
    chosen = _split_options(text.split(_OPTION_SEPARATOR), labels) if labels else None
    if chosen is None:
        typed = _PARSERS_BY_TYPE.get(question.type, str)(text)
        return LeadAnswer(key=key, label=question.label or None, type=question.type, value=typed, value_label=None)
    return LeadAnswer(
        key=key,
        label=question.label or None,
        type=question.type,
        value=chosen[0] if len(chosen) == 1 else chosen,
        value_label=_OPTION_SEPARATOR.join(labels[value] for value in chosen),
    )


def _split_options(parts: Sequence[str], known: Iterable[str]) -> list[str] | None:
    """Find the options that make up an answer, or None if something else is in it.

    Several options are joined by a comma, which can also occur within one: the longest match comes first.
    """
    keys, result, start = set(known), [], 0
    # No slice can be an option if it has more parts than the one with the most: an answer can have thousands.
    widest = max(key.count(_OPTION_SEPARATOR) for key in keys) + 1
    while start < len(parts):
        most = min(len(parts), start + widest)
        end = next((end for end in range(most, start, -1) if _OPTION_SEPARATOR.join(parts[start:end]) in keys), None)
        if end is None:
            return None
        result.append(_OPTION_SEPARATOR.join(parts[start:end]))
        start = end
    return result


def _parse_number(text: str) -> AnswerValue:
    if len(text) > _MAX_DIGITS + len("-.") or not _NUMBER_PATTERN.fullmatch(text):
        return text
    if sum(letter.isdecimal() for letter in text) > _MAX_DIGITS:
        return text
    return float(text) if "." in text else int(text)


def _parse_boolean(text: str) -> AnswerValue:
    return _BOOLEANS_BY_TEXT.get(text.strip().lower(), text)


def _parse_date(text: str) -> str:
    """Write a date as ISO 8601. Meta writes months first."""
    american = _AMERICAN_DATE_PATTERN.fullmatch(text)
    written = f"{american[3]}-{american[1]}-{american[2]}" if american else text
    try:
        return date.fromisoformat(written).isoformat()
    except ValueError:
        return text


def _parse_datetime(text: str) -> str:
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError:
        return text


_PARSERS_BY_TYPE: Mapping[str, Callable[[str], AnswerValue]] = {
    "number": _parse_number,
    "slider": _parse_number,
    "boolean": _parse_boolean,
    "checkbox": _parse_boolean,
    "date": _parse_date,
    "dob": _parse_date,
    "date_of_birth": _parse_date,
    "date_time": _parse_datetime,
}
