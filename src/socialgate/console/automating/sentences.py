"""Automations in words: when, if and then, as somebody would read them aloud."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from socialgate.areas.automations.schemas import Automation
from socialgate.console.automating.parts import PartTypes, name_type
from socialgate.console.formatting import count, excerpt, words

Names = Mapping[str, str]
Options = Mapping[str, Any]

_OPERATORS = {
    "equals": "is",
    "notEquals": "is not",
    "contains": "contains",
    "greaterThan": "is more than",
    "lessThan": "is less than",
    "exists": "is there",
    "missing": "is missing",
}
_MATCHES = {"exact": "is", "word": "has the word", "contains": "contains", "fuzzy": "has something like"}
# Pages show as much as they have room for. These keep a list of long texts small.
_MAX_QUOTED, _MAX_SUMMARY = 1000, 500
_COOLDOWN_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


class Narrator:
    """Says what an automation does. `names` are those of accounts, hooks and platforms, by their ids."""

    def __init__(self, types: PartTypes, names: Names) -> None:
        self._types = types
        self._names = names

    def trigger(self, options: Options) -> str:
        kind = str(options["type"])
        if kind == "schedule":
            return f"It is {_join(options['times'])}{_on_days(options['weekdays'])}{self._on(options)}"
        known = self._types.triggers.get(kind)
        sentence = name_type(kind) if known is None else known.sentence.removesuffix(".")
        return f"{sentence.partition(':')[0]}{self._on(options)}"

    def condition(self, options: Options) -> str:
        return self._say(_CONDITIONS, options)

    def action(self, options: Options) -> str:
        return self._say(_ACTIONS, options)

    def summary(self, automation: Automation) -> str:
        """Return the whole automation in one sentence."""
        tests = " and ".join(_lower(self.condition(condition)) for condition in automation.conditions)
        acts = ", then ".join(_lower(self.action(action)) for action in automation.actions)
        end = "" if acts.endswith((".”", "!”", "?”")) else "."
        sentence = f"When {_lower(self.trigger(automation.trigger))}{f', if {tests}' if tests else ''}: {acts}{end}"
        return excerpt(sentence, _MAX_SUMMARY)

    def name(self, identifier: str) -> str:
        return self._names.get(identifier, identifier)

    def _on(self, options: Options) -> str:
        ids = options.get("accountIds") or ()
        return f", on {_join([self.name(item) for item in ids])}" if ids else ""

    def _say(self, known: Mapping[str, Callable[[Options, Callable[[str], str]], str]], options: Options) -> str:
        kind = str(options["type"])
        return known[kind](options, self.name) if kind in known else name_type(kind)


def say_cooldown(seconds: int) -> str:
    """Say how often one person can trigger it."""
    if not seconds:
        return "every time"
    length, unit = next((length, unit) for length, unit in _COOLDOWN_UNITS if seconds % length == 0)
    return f"at most once in {count(seconds // length, unit)}"


def _say_keywords(options: Options, _: Callable[[str], str]) -> str:
    sentence = f"The text {_MATCHES[options['match']]} {_join([f'“{word}”' for word in options['any']], 'or')}"
    without = _join([f"“{word}”" for word in options["exclude"]], "or")
    return f"{sentence}, without {without}" if without else sentence


def _say_window(options: Options, _: Callable[[str], str]) -> str:
    return f"It is between {options['begin']} and {options['end']}{_on_days(options['weekdays'])}"


def _say_field(options: Options, _: Callable[[str], str]) -> str:
    sentence = f"{options['field']} {_OPERATORS[options['operator']]}"
    return sentence if options.get("value") is None else f"{sentence} “{options['value']}”"


def _say_message(options: Options, name: Callable[[str], str]) -> str:
    by = f" from {name(options['accountId'])}" if options.get("accountId") else ""
    to = f" to {options['to']}" if options.get("to") else ""
    return f"Send a message{by}{to}: “{excerpt(options['text'], _MAX_QUOTED)}”"


def _say_template(options: Options, name: Callable[[str], str]) -> str:
    by = f" from {name(options['accountId'])}" if options.get("accountId") else ""
    to = f" to {options['to']}" if options.get("to") else ""
    return f"Send the template {options['template']['name']}{by}{to}"


def _say_lead_state(options: Options, _: Callable[[str], str]) -> str:
    assignee = f", {options['assignee']} takes care of it" if options.get("assignee") else ""
    return f"Mark the lead as {options['state']}{assignee}"


_CONDITIONS: Mapping[str, Callable[[Options, Callable[[str], str]], str]] = {
    "keyword": _say_keywords,
    "account": lambda options, name: f"It is on {_join([name(item) for item in options['accountIds']], 'or')}",
    "platform": lambda options, name: f"It is on {_join([name(item) for item in options['platforms']], 'or')}",
    "timeWindow": _say_window,
    "firstTime": lambda _options, _: "It is the first time for this person",
    "field": _say_field,
}
_ACTIONS: Mapping[str, Callable[[Options, Callable[[str], str]], str]] = {
    "reply": lambda options, _: f"Reply “{excerpt(options['text'], _MAX_QUOTED)}”",
    "aiReply": lambda options, _: f"Reply with AI: “{excerpt(options['instructions'], _MAX_QUOTED)}”",
    "sendMessage": _say_message,
    "sendTemplate": _say_template,
    "hideComment": lambda _options, _: "Hide the comment",
    "setLeadState": _say_lead_state,
    "callHook": lambda options, name: f"Call the hook {name(options['hookId'])}",
    "wait": lambda options, _: f"Wait {count(options['amount'], options['unit'].removesuffix('s'))}",
    "stop": lambda _options, _: "Stop",
}


def _on_days(weekdays: Sequence[str]) -> str:
    return f" on {_join([words(day) for day in weekdays])}" if weekdays else ""


def _join(items: Sequence[str], word: str = "and") -> str:
    if len(items) <= 1:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
