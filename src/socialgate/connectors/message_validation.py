"""Checks of messages and posts that several platforms share, and conversions of their common parts."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any, TypeAlias

import msgspec

from socialgate.connectors.post_options import validate_misplaced_options
from socialgate.contracts.media_rules import validate_file
from socialgate.contracts.messages import MessageType, NewMessage, ReplyButton
from socialgate.contracts.platforms import MediaRule, Platform
from socialgate.contracts.publishing import MediaFile
from socialgate.core.errors import Fault
from socialgate.core.field_error_codes import FieldErrorCode

# A vendor's clock and ours may differ.
MAX_CLOCK_SKEW = timedelta(minutes=2)
# Whether something is wrong, where in the request, and what.
ConditionalFault: TypeAlias = tuple[Any, str, FieldErrorCode, str]


class MessageRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a platform accepts in a message. Paths are those of the request, as in `places`.

    `max_text_lengths` lists the types that have a text, with its maximum length, and `max_text_lengths_with` how long
    it can be beside something else; `measure` counts as the platform does, and `unit` is the name of what it counts.
    `text_not_allowed_code` is the code for a text of any other type. `file_rules` has a rule for each form of file;
    `get_media_rule_key` says which one a message needs. `max_lengths` and `max_counts` are limits for texts and lists:
    several lists can share one. `required` must not be empty in the items of a list, and `forbidden_paths` must be.
    `exclusive_paths` are two paths that exclude each other, of which the first is to be removed. These three come with
    their reason. `conditional_options` are those for some messages only: for which ones.
    """

    vendor: str
    platform: Platform
    max_text_lengths: Mapping[MessageType, int]
    max_text_lengths_with: Mapping[str, int] = {}
    measure: Callable[[NewMessage], int] = lambda new: len(new.text)
    unit: str = "characters"
    text_not_allowed_code: FieldErrorCode = "contradiction"
    file_rules: Mapping[str, MediaRule] = {}
    get_media_rule_key: Callable[[MessageType, MediaFile], str] = lambda kind, file: kind  # noqa: ARG005 - some also look at the file
    max_lengths: Mapping[str, int] = {}
    max_counts: Mapping[tuple[str, ...], int] = {}
    required: Mapping[str, str] = {}
    forbidden_paths: Mapping[str, str] = {}
    exclusive_paths: Mapping[tuple[str, str], str] = {}
    conditional_options: Mapping[str, tuple[Callable[[NewMessage], bool], str]] = {}

    def validate_new_message(self, new: NewMessage) -> Iterator[Fault]:
        """List what the platform would reject, all at once."""
        params = to_request_json(new)
        yield from self._validate_text(new, params)
        if new.media is not None:
            yield from validate_file(
                self.vendor, self.file_rules[self.get_media_rule_key(new.type, new.media)], new.media, "/media"
            )
        yield from self._validate_counts(params)
        yield from validate_lengths(params, self.max_lengths)
        for path, why in self.required.items():
            yield from (Fault(at, "required", why) for at, value in find_at_path(params, path) if not value)
        for path, why in self.forbidden_paths.items():
            yield from (Fault(at, "not_supported", why) for at, value in find_at_path(params, path) if value)
        for both, why in self.exclusive_paths.items():
            if all(_has_value_at(params, path) for path in both):
                yield Fault(both[0], "contradiction", why)
        for name, (fits, place) in self.conditional_options.items():
            if new.options.get(name) and not fits(new):
                yield from validate_misplaced_options(new.options, (name,), place)

    def _validate_text(self, new: NewMessage, value: Any) -> Iterator[Fault]:
        if new.type not in self.max_text_lengths:
            if new.text:
                why = f"{self.vendor} does not support text in messages of type `{new.type}`. Send it separately."
                yield Fault("/text", self.text_not_allowed_code, why)
            return
        if new.type is MessageType.TEXT and not new.text.strip():
            yield Fault("/text", "required", f"{self.vendor} does not accept an empty text. Write something.")
        limits = [limit for path, limit in self.max_text_lengths_with.items() if _has_value_at(value, path)]
        most, length = min([self.max_text_lengths[new.type], *limits]), self.measure(new)
        if length > most:
            why = f"{self.vendor} accepts {most:,} {self.unit} here, but the text has {length:,}. Shorten it."
            yield Fault("/text", "too_long", why)

    def _validate_counts(self, value: Any) -> Iterator[Fault]:
        for paths, most in self.max_counts.items():
            items = [path for path in paths for _ in find_at_path(value, path)]
            if len(items) > most:
                why = f"{self.vendor} accepts at most {most} here, but there are {len(items)}. Send several messages."
                yield Fault(items[0].partition("/*")[0], "too_many", why)


def to_request_json(new: NewMessage) -> dict[str, Any]:
    """Return a message as in its request, for checks by pointer."""
    replies, buttons = (msgspec.to_builtins(reply_buttons) for reply_buttons in (new.quick_replies, new.buttons))
    data = new.data if new.type is MessageType.CONTACTS else {new.type.value: new.data}
    beside = {"media": new.media, "replyTo": new.reply_to, "quickReplies": replies, "buttons": buttons}
    return {**data, "text": new.text, **beside}


def find_at_path(value: Any, path: str) -> list[tuple[str, Any]]:
    """Return what is at a path, such as `/interactive/sections/*/rows`, with its pointer: `*` is each list item, and a
    number is one of them.
    """
    result = [("", value)]
    for name in path.split("/")[1:]:
        if name == "*" or name.isdecimal():
            items = [(at, place, item) for at, many in result for place, item in enumerate(many or ())]
            result = [(f"{at}/{place}", item) for at, place, item in items if name in {"*", str(place)}]
        else:
            result = [(f"{at}/{name}", (item or {}).get(name)) for at, item in result]
    return result


def _has_value_at(input_value: Any, path: str) -> bool:
    return any(value for _, value in find_at_path(input_value, path))


def validate_lengths(value: Any, limits: Mapping[str, int]) -> Iterator[Fault]:
    """Check the number of characters at each of these paths."""
    for path, most in limits.items():
        for at, text in find_at_path(value, path):
            if len(text or "") > most:
                yield Fault(at, "too_long", f"It has {len(text)} characters, but {most:,} are allowed.")


def collect_faults(checks: Iterable[ConditionalFault]) -> list[Fault]:
    """Return the faults of the checks that failed."""
    return [Fault(pointer, code, why) for wrong, pointer, code, why in checks if wrong]


def is_same_text(value: str | None, other: str | None) -> bool:
    """Compare as people read: vendors trim texts, and have their own line ends."""
    return (value or "").split() == (other or "").split()


def validate_unique(values: Iterable[tuple[str, str]]) -> Iterator[Fault]:
    """Find duplicates among values with their pointers."""
    seen: set[str] = set()
    for at, value in values:
        if value in seen:
            yield Fault(at, "duplicate", "This value occurs twice: each must be different.")
        seen.add(value)


def iterate_buttons(new: NewMessage) -> Iterator[tuple[str, ReplyButton]]:
    """Return everything that can be tapped, with its position in the request."""
    params = to_request_json(new)
    for path in ("/buttons/*", "/quickReplies/*", "/interactive/buttons/*", "/interactive/sections/*/rows/*"):
        for at, item in find_at_path(params, path):
            yield at, ReplyButton(title=item["title"], id=item.get("id"), url=item.get("url"))


def build_vcard(card: Mapping[str, Any]) -> str:
    numbers = [f"TEL:{_escape_vcard(phone)}" for phone in card["phones"]]
    mails = [f"EMAIL:{_escape_vcard(mail)}" for mail in card.get("emails") or ()]
    works = [f"ORG:{_escape_vcard(card['organization'])}"] if card.get("organization") else []
    lines = ["BEGIN:VCARD", "VERSION:3.0", f"FN:{_escape_vcard(card['name'])}", *numbers, *mails, *works, "END:VCARD"]
    return "\r\n".join(lines)


def _escape_vcard(text: str) -> str:
    for mark in "\\;,":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.splitlines())
