"""Checks of messages and posts that several platforms share, and conversions of their common parts."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any, TypeAlias

import msgspec

from socialgate.connectors.forms import misplaced
from socialgate.contracts.media_rules import file_faults
from socialgate.contracts.messages import MessageType, NewMessage, ReplyButton
from socialgate.contracts.platforms import MediaRule, Platform
from socialgate.contracts.publishing import MediaFile
from socialgate.core.errors import Fault
from socialgate.core.fault_codes import FaultCode

# A vendor's clock and ours may differ.
SKEW = timedelta(minutes=2)
# Whether something is wrong, where in the request, and what.
Check: TypeAlias = tuple[Any, str, FaultCode, str]


class MessageRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a platform accepts in a message. Paths are those of the request, as in `places`.

    `texts` lists the types that have a text, with its maximum length, and `beside` how long it can be beside something
    else; `measure` counts as the platform does, and `unit` is the name of what it counts. `textless` is the code for a
    text of any other type. `files` has a rule for each form of file; `form` says which one a message needs. `lengths`
    and `numbers` are limits for texts and lists: several lists can share one. `required` must not be empty in the items
    of a list, and `refused` must be. `apart` are two paths that exclude each other, of which the first is to be
    removed. These three come with their reason. `options` are those for some messages only: for which ones.
    """

    vendor: str
    platform: Platform
    texts: Mapping[MessageType, int]
    beside: Mapping[str, int] = {}
    measure: Callable[[NewMessage], int] = lambda new: len(new.text)
    unit: str = "characters"
    textless: FaultCode = "contradiction"
    files: Mapping[str, MediaRule] = {}
    form: Callable[[MessageType, MediaFile], str] = lambda kind, file: kind  # noqa: ARG005 - some also look at the file
    lengths: Mapping[str, int] = {}
    numbers: Mapping[tuple[str, ...], int] = {}
    required: Mapping[str, str] = {}
    refused: Mapping[str, str] = {}
    apart: Mapping[tuple[str, str], str] = {}
    options: Mapping[str, tuple[Callable[[NewMessage], bool], str]] = {}

    def faults(self, new: NewMessage) -> Iterator[Fault]:
        """List what the platform would reject, all at once."""
        given = shown(new)
        yield from self._text_faults(new, given)
        if new.media is not None:
            yield from file_faults(self.vendor, self.files[self.form(new.type, new.media)], new.media, "/media")
        yield from self._number_faults(given)
        yield from long_faults(given, self.lengths)
        for path, why in self.required.items():
            yield from (Fault(at, "required", why) for at, value in places(given, path) if not value)
        for path, why in self.refused.items():
            yield from (Fault(at, "not_supported", why) for at, value in places(given, path) if value)
        for both, why in self.apart.items():
            if all(_is_given(given, path) for path in both):
                yield Fault(both[0], "contradiction", why)
        for name, (fits, place) in self.options.items():
            if new.options.get(name) and not fits(new):
                yield from misplaced(new.options, (name,), place)

    def _text_faults(self, new: NewMessage, given: Any) -> Iterator[Fault]:
        if new.type not in self.texts:
            if new.text:
                why = f"{self.vendor} does not support text in messages of type `{new.type}`. Send it separately."
                yield Fault("/text", self.textless, why)
            return
        if new.type is MessageType.TEXT and not new.text.strip():
            yield Fault("/text", "required", f"{self.vendor} does not accept an empty text. Write something.")
        limits = [limit for path, limit in self.beside.items() if _is_given(given, path)]
        most, length = min([self.texts[new.type], *limits]), self.measure(new)
        if length > most:
            why = f"{self.vendor} accepts {most:,} {self.unit} here, but the text has {length:,}. Shorten it."
            yield Fault("/text", "too_long", why)

    def _number_faults(self, given: Any) -> Iterator[Fault]:
        for paths, most in self.numbers.items():
            items = [path for path in paths for _ in places(given, path)]
            if len(items) > most:
                why = f"{self.vendor} accepts at most {most} here, but there are {len(items)}. Send several messages."
                yield Fault(items[0].partition("/*")[0], "too_many", why)


def shown(new: NewMessage) -> dict[str, Any]:
    """Return a message as in its request, for checks by pointer."""
    replies, buttons = (msgspec.to_builtins(given) for given in (new.quick_replies, new.buttons))
    data = new.data if new.type is MessageType.CONTACTS else {new.type.value: new.data}
    beside = {"media": new.media, "replyTo": new.reply_to, "quickReplies": replies, "buttons": buttons}
    return {**data, "text": new.text, **beside}


def places(given: Any, path: str) -> list[tuple[str, Any]]:
    """Return what is at a path, such as `/interactive/sections/*/rows`, with its pointer: `*` is each list item, and a
    number is one of them.
    """
    found = [("", given)]
    for name in path.split("/")[1:]:
        if name == "*" or name.isdecimal():
            items = [(at, place, one) for at, many in found for place, one in enumerate(many or ())]
            found = [(f"{at}/{place}", one) for at, place, one in items if name in {"*", str(place)}]
        else:
            found = [(f"{at}/{name}", (one or {}).get(name)) for at, one in found]
    return found


def _is_given(given: Any, path: str) -> bool:
    return any(value for _, value in places(given, path))


def long_faults(given: Any, limits: Mapping[str, int]) -> Iterator[Fault]:
    """Check the number of characters at each of these paths."""
    for path, most in limits.items():
        for at, text in places(given, path):
            if len(text or "") > most:
                yield Fault(at, "too_long", f"It has {len(text)} characters, but {most:,} are allowed.")


def found(checks: Iterable[Check]) -> list[Fault]:
    """Return the faults of the checks that failed."""
    return [Fault(pointer, code, why) for wrong, pointer, code, why in checks if wrong]


def same_text(one: str | None, other: str | None) -> bool:
    """Compare as people read: vendors trim texts, and have their own line ends."""
    return (one or "").split() == (other or "").split()


def twin_faults(values: Iterable[tuple[str, str]]) -> Iterator[Fault]:
    """Find duplicates among values with their pointers."""
    seen: set[str] = set()
    for at, value in values:
        if value in seen:
            yield Fault(at, "duplicate", "This value occurs twice: each must be different.")
        seen.add(value)


def buttons_of(new: NewMessage) -> Iterator[tuple[str, ReplyButton]]:
    """Return everything that can be tapped, with its position in the request."""
    given = shown(new)
    for path in ("/buttons/*", "/quickReplies/*", "/interactive/buttons/*", "/interactive/sections/*/rows/*"):
        for at, one in places(given, path):
            yield at, ReplyButton(title=one["title"], id=one.get("id"), url=one.get("url"))


def vcard(card: Mapping[str, Any]) -> str:
    numbers = [f"TEL:{_escaped(phone)}" for phone in card["phones"]]
    mails = [f"EMAIL:{_escaped(mail)}" for mail in card.get("emails") or ()]
    works = [f"ORG:{_escaped(card['organization'])}"] if card.get("organization") else []
    lines = ["BEGIN:VCARD", "VERSION:3.0", f"FN:{_escaped(card['name'])}", *numbers, *mails, *works, "END:VCARD"]
    return "\r\n".join(lines)


def _escaped(text: str) -> str:
    for mark in "\\;,":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.splitlines())
