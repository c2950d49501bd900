"""Checks of messages and posts that several platforms share, and conversions of their common parts."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import msgspec

from socialgate.contracts.messages import Button, MessageType, NewMessage
from socialgate.core.errors import Fault
from socialgate.core.fault_codes import FaultCode

# Whether something is wrong, where in the request, and what.
Check: TypeAlias = tuple[Any, str, FaultCode, str]


def text_faults(vendor: str, new: NewMessage, length: int, most: int, wordless: Collection[MessageType]) -> list[Fault]:
    """Check the text. If the type has no text, any text is an error."""
    if new.text and new.type in wordless:
        detail = f"{vendor} does not support text in messages of type `{new.type}`. Remove it."
        return [Fault("/text", "contradiction", detail)]
    if new.type is MessageType.TEXT and not new.text.strip():
        return [Fault("/text", "required", f"{vendor} does not accept an empty text. Write something.")]
    if length <= most:
        return []
    pointer = "/interactive/body" if new.type is MessageType.INTERACTIVE else "/text"
    return [
        Fault(pointer, "too_long", f"{vendor} accepts {most} characters here, but the text has {length}. Shorten it.")
    ]


def shown(new: NewMessage) -> dict[str, Any]:
    """Return a message as in its request, for checks by pointer."""
    replies, buttons = (msgspec.to_builtins(given) for given in (new.quick_replies, new.buttons))
    return {new.type.value: new.data, "text": new.text, "quickReplies": replies, "buttons": buttons}


def places(given: Any, path: str) -> list[tuple[str, Any]]:
    """Return what is at a path, such as `/interactive/sections/*/rows`, with its pointer: `*` is each list item."""
    found = [("", given)]
    for name in path.split("/")[1:]:
        if name == "*":
            found = [(f"{at}/{place}", one) for at, many in found for place, one in enumerate(many or ())]
        else:
            found = [(f"{at}/{name}", (one or {}).get(name)) for at, one in found]
    return found


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


def card_faults(vendor: str, new: NewMessage) -> Iterator[Fault]:
    """Check contacts: one per message, with a phone number."""
    if new.type is MessageType.CONTACTS:
        if len(new.data["contacts"]) > 1:
            yield Fault(
                "/contacts", "too_many", f"{vendor} sends one contact at a time. Send a separate message for each."
            )
        if not new.data["contacts"][0]["phones"]:
            yield Fault("/contacts/0/phones", "required", f"{vendor} only sends contacts with a phone number. Add one.")


def buttons_of(new: NewMessage) -> Iterator[tuple[str, Button]]:
    """Return everything that can be tapped, with its position in the request."""
    given = shown(new)
    for path in ("/buttons/*", "/quickReplies/*", "/interactive/buttons/*", "/interactive/sections/*/rows/*"):
        for at, one in places(given, path):
            yield at, Button(title=one["title"], id=one.get("id"), url=one.get("url"))


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
