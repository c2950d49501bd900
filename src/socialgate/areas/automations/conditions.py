"""The conditions that every automation can have. Each is prepared once, and then evaluated in memory. Pure."""

from collections.abc import Callable, Mapping, Sequence
from datetime import time
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from socialgate.areas.automations.keywords import Keywords, MessageText
from socialgate.areas.posts.queue_schemas import ClockTime, Weekday
from socialgate.areas.posts.slot_times import WEEKDAYS
from socialgate.contracts.automations import AutomationOptions, ConditionContext, ConditionPredicate, ConditionType
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"

KeywordText = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")]
KeywordList = Annotated[list[KeywordText], Meta(min_length=1, max_length=100)]
KeywordMatchMode = Literal["exact", "word", "contains", "fuzzy"]
ComparisonOperator = Literal["equals", "notEquals", "contains", "greaterThan", "lessThan", "exists", "missing"]


class KeywordCondition(AutomationOptions, frozen=True, kw_only=True, tag="keyword"):
    """One of these keywords is in the text, and none of the excluded ones. Case and accents are ignored.

    `match`: `exact` is the whole text, `word` a word or phrase in it, `contains` any part of it, and `fuzzy` a word or
    phrase of up to 64 characters, allowing one typo in words of at least 4 letters, and two from 8. Excluded words are
    compared as words. The conditions of an automation can have up to 200 keywords in total.
    """

    any: KeywordList
    """The keywords. One of them must be in the text."""
    match: KeywordMatchMode = "word"
    """How keywords are compared with the text."""
    exclude: Annotated[list[KeywordText], Meta(max_length=100)] = msgspec.field(default_factory=list)
    """Words that must not be in the text."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "keyword", "any": ["price", "how much"], "match": "fuzzy", "exclude": ["unsubscribe"]}


class AccountCondition(AutomationOptions, frozen=True, kw_only=True, tag="account"):
    """It happened on one of these accounts."""

    account_ids: Annotated[list[Annotated[str, Meta(max_length=40)]], Meta(min_length=1, max_length=100)]
    """The accounts, `acc_…`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "account", "accountIds": [_EXAMPLE_ACCOUNT_ID]}


class PlatformCondition(AutomationOptions, frozen=True, kw_only=True, tag="platform"):
    """It happened on one of these platforms."""

    platforms: Annotated[list[Platform], Meta(min_length=1, max_length=10)]
    """The platforms, such as `meta`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "platform", "platforms": ["meta"]}


class TimeWindowCondition(AutomationOptions, frozen=True, kw_only=True, tag="timeWindow"):
    """The time is between two times of day in the profile's time zone, on one of these days.

    A window that ends earlier than it starts spans midnight and belongs to the day on which it starts.
    """

    begin: ClockTime
    end: ClockTime
    weekdays: Annotated[list[Weekday], Meta(max_length=7, description="The days of the week. Empty: every day.")] = (
        msgspec.field(default_factory=list)
    )

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "timeWindow", "begin": "18:00", "end": "08:00", "weekdays": ["friday", "saturday"]}


class FirstTimeCondition(AutomationOptions, frozen=True, kw_only=True, tag="firstTime"):
    """The automation has not run for this contact before."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "firstTime"}


class FieldCondition(AutomationOptions, frozen=True, kw_only=True, tag="field"):
    """Compare a field of the trigger with a value. Case is ignored; `exists` and `missing` have no value.

    The trigger decides which fields there are.
    """

    field: Annotated[str, Meta(max_length=100)]
    """The dotted name of a field of the trigger, such as `contact.name`."""
    operator: ComparisonOperator = "equals"
    """How to compare. Numbers are compared as numbers, texts by the alphabet."""
    value: Annotated[str, Meta(max_length=1_000)] | float | int | bool | None = None
    """What to compare with. Omit it for `exists` and `missing`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "field", "field": "message.type", "operator": "equals", "value": "image"}


_KEYWORD_MATCHERS: Mapping[KeywordMatchMode, Callable[[Keywords, MessageText], bool]] = {
    "exact": Keywords.match_exact,
    "word": Keywords.match_word,
    "contains": Keywords.match_contains,
    "fuzzy": Keywords.match_fuzzy,
}


def _prepare_keyword_condition(options: KeywordCondition) -> ConditionPredicate:
    keywords, unwanted = Keywords(options.any), Keywords(options.exclude)
    matches = _KEYWORD_MATCHERS[options.match]

    def check(situation: ConditionContext) -> bool:
        message_text: MessageText = situation.text_index
        # What could not be searched for unwanted words counts as having one.
        is_wanted = matches(keywords, message_text) and not unwanted.match_word(message_text)
        return is_wanted and not message_text.is_exhausted

    return check


def _prepare_account_condition(options: AccountCondition) -> ConditionPredicate:
    values = frozenset(options.account_ids)
    return lambda situation: situation.subject.account_id in values


def _prepare_platform_condition(options: PlatformCondition) -> ConditionPredicate:
    values = frozenset(map(str, options.platforms))
    return lambda situation: situation.subject.platform in values


def _prepare_time_window_condition(options: TimeWindowCondition) -> ConditionPredicate:
    begin, end = time.fromisoformat(options.begin), time.fromisoformat(options.end)
    days = {WEEKDAYS.index(day) for day in options.weekdays} or set(range(7))

    def check(situation: ConditionContext) -> bool:
        local = situation.now.astimezone(ZoneInfo(situation.timezone))
        today, clock = local.weekday(), local.time()
        if begin < end:
            return today in days and begin <= clock < end
        return (today in days and clock >= begin) or ((today - 1) % 7 in days and clock < end)

    return check


def _prepare_field_condition(options: FieldCondition) -> ConditionPredicate:
    compare = _COMPARE_BY_OPERATOR[options.operator]
    return lambda situation: compare(situation.subject.fields.get(options.field), options.value)


def _casefold_text(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def _is_greater(left: Any, right: Any) -> bool:
    numbers = all(isinstance(item, int | float) for item in (left, right))
    texts = all(isinstance(item, str) for item in (left, right))
    return (numbers or texts) and _casefold_text(left) > _casefold_text(right)


_COMPARE_BY_OPERATOR: Mapping[ComparisonOperator, Callable[[Any, Any], bool]] = {
    "equals": lambda left, right: bool(_casefold_text(left) == _casefold_text(right)),
    "notEquals": lambda left, right: bool(_casefold_text(left) != _casefold_text(right)),
    "contains": lambda left, right: isinstance(left, str) and str(right).casefold() in left.casefold(),
    "greaterThan": _is_greater,
    "lessThan": lambda left, right: _is_greater(right, left),
    "exists": lambda left, _: left not in {None, ""},
    "missing": lambda left, _: left in {None, ""},
}


def _validate_field_condition(options: FieldCondition) -> Sequence[Fault]:
    takes_value = options.operator not in {"exists", "missing"}
    if takes_value and options.value is None:
        return [Fault("/value", "required", f"The operator `{options.operator}` needs a value.")]
    if not takes_value and options.value is not None:
        return [Fault("/value", "contradiction", f"The operator `{options.operator}` has no value. Remove it.")]
    return []


def _validate_time_window(options: TimeWindowCondition) -> Sequence[Fault]:
    if options.begin == options.end:
        return [
            Fault(
                "/end",
                "contradiction",
                "The window is empty. Change one of its times, or remove the condition to allow the whole day.",
            )
        ]
    return []


CONDITION_TYPES = (
    ConditionType(options=KeywordCondition, prepare=_prepare_keyword_condition),
    ConditionType(options=AccountCondition, prepare=_prepare_account_condition),
    ConditionType(options=PlatformCondition, prepare=_prepare_platform_condition),
    ConditionType(
        options=TimeWindowCondition,
        prepare=_prepare_time_window_condition,
        required_input="timezone",
        faults=_validate_time_window,
    ),
    ConditionType(
        options=FirstTimeCondition, prepare=lambda _: lambda situation: situation.is_first, required_input="history"
    ),
    ConditionType(options=FieldCondition, prepare=_prepare_field_condition, faults=_validate_field_condition),
)
