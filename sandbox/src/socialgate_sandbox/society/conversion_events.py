"""What visitors of a website do, as its pixel or its server reports it, and rules that select some of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from operator import contains, eq, ge, gt, le, lt, ne
from typing import Any

import msgspec

from socialgate_sandbox.kit import StoredObject, VendorContext, generate_digits

_TEXT_COMPARISONS: Mapping[str, Callable[[str, str], bool]] = {
    "contains": contains,
    "not_contains": lambda value, expected: expected not in value,
    "starts_with": str.startswith,
    "eq": eq,
    "neq": ne,
}
_NUMBER_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "eq": eq,
    "neq": ne,
    "lt": lt,
    "gt": gt,
    "lte": le,
    "gte": ge,
}
_NEGATED_OPERATORS = {"not_contains", "neq"}


class Event(StoredObject):
    """Something that a visitor did, at the event source that is its parent. `taken` is when it was reported."""

    name: str
    at: datetime
    taken: datetime
    properties: dict[str, Any] = {}
    url: str = ""
    test: bool = False


class Condition(msgspec.Struct, frozen=True):
    """A comparison of a property, or of the `url`, with values: one must match, or none for a negation."""

    property: str
    operator: str
    values: Sequence[str]
    number: bool = False

    def matches(self, event: Event) -> bool:
        value = event.url if self.property == "url" else event.properties.get(self.property)
        if value is None:
            return False
        met = [self._compare(value, expected) for expected in self.values]
        return all(met) if self.operator in _NEGATED_OPERATORS else any(met)

    def _compare(self, value: Any, expected: str) -> bool:
        if not self.number:
            return _TEXT_COMPARISONS[self.operator](str(value), expected)
        return isinstance(value, int | float) and _NUMBER_COMPARISONS[self.operator](value, float(expected))


def record_event(context: VendorContext, source: str, event: Mapping[str, Any], *, test: bool = False) -> None:
    """Store an event. With the same id and name as an earlier one it is the same event."""
    key = event.get("event_id") or generate_digits(19)
    context.store.put(
        Event(
            id=f"{source} {event['event']} {key}",
            parent=source,
            name=str(event["event"]),
            at=datetime.fromtimestamp(float(event["event_time"]), UTC),
            taken=context.clock.now(),
            properties=event.get("properties") or {},
            url=str((event.get("page") or {}).get("url") or ""),
            test=test,
        )
    )


def select_events(context: VendorContext, source: str, conditions: Sequence[Condition]) -> Iterator[Event]:
    """Return the events of a source that fulfil all conditions."""
    for event in context.store.find(Event, parent=source):
        if all(condition.matches(event) for condition in conditions):
            yield event


def is_hash(word: str, length: int = 64) -> bool:
    """Whether a word is a lowercase hexadecimal hash, by default of SHA-256."""
    return len(word) == length and set(word) <= set("0123456789abcdef")


def has_only_hashes(user: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Whether everything that identifies a person is hashed."""
    value = [user.get(name) or [] for name in names]
    return all(is_hash(str(word)) for item in value for word in (item if isinstance(item, list) else [item]) if word)
