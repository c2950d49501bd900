"""What visitors of a website do, as its pixel or its server reports it, and rules that select some of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from operator import contains, eq, ge, gt, le, lt, ne
from typing import Any

import msgspec

from socialgate_sandbox.kit import Thing, World, digits

_TEXTS: Mapping[str, Callable[[str, str], bool]] = {
    "contains": contains,
    "not_contains": lambda value, wanted: wanted not in value,
    "starts_with": str.startswith,
    "eq": eq,
    "neq": ne,
}
_NUMBERS: Mapping[str, Callable[[float, float], bool]] = {"eq": eq, "neq": ne, "lt": lt, "gt": gt, "lte": le, "gte": ge}
_NEGATIONS = {"not_contains", "neq"}


class Event(Thing):
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

    def holds(self, event: Event) -> bool:
        value = event.url if self.property == "url" else event.properties.get(self.property)
        if value is None:
            return False
        met = [self._compare(value, wanted) for wanted in self.values]
        return all(met) if self.operator in _NEGATIONS else any(met)

    def _compare(self, value: Any, wanted: str) -> bool:
        if not self.number:
            return _TEXTS[self.operator](str(value), wanted)
        return isinstance(value, int | float) and _NUMBERS[self.operator](value, float(wanted))


def record(world: World, source: str, event: Mapping[str, Any], *, test: bool = False) -> None:
    """Store an event. With the same id and name as an earlier one it is the same event."""
    key = event.get("event_id") or digits(19)
    world.store.put(
        Event(
            id=f"{source} {event['event']} {key}",
            parent=source,
            name=str(event["event"]),
            at=datetime.fromtimestamp(float(event["event_time"]), UTC),
            taken=world.clock.now(),
            properties=event.get("properties") or {},
            url=str((event.get("page") or {}).get("url") or ""),
            test=test,
        )
    )


def selected(world: World, source: str, conditions: Sequence[Condition]) -> Iterator[Event]:
    """Return the events of a source that fulfil all conditions."""
    for event in world.store.find(Event, parent=source):
        if all(one.holds(event) for one in conditions):
            yield event


def is_hash(word: str, length: int = 64) -> bool:
    """Whether a word is a lowercase hexadecimal hash, by default of SHA-256."""
    return len(word) == length and set(word) <= set("0123456789abcdef")


def is_private(user: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Whether everything that identifies a person is hashed."""
    given = [user.get(name) or [] for name in names]
    return all(is_hash(str(word)) for one in given for word in (one if isinstance(one, list) else [one]) if word)
