"""What validation found, beside the field that it is about."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec

from socialgate.areas.posts.verdict_schemas import FileChange, TargetVerdict
from socialgate.console.composing.option_fields import OptionField, shorten_fault
from socialgate.console.composing.post_form import Composed, Destination
from socialgate.core.errors import Fault

_TARGET = re.compile(r"^/targets/(\d+)(/.*|$)")
_REQUIRED_OPTION = re.compile(r"^(\w+) is required")


class Place(StrEnum):
    """The parts of the form that all accounts share."""

    ACCOUNTS = "accounts"
    TEXT = "text"
    FILES = "files"
    TIME = "time"
    COMMENT = "comment"
    WISH = "wish"
    # What is about no field.
    PAGE = "page"


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """Sentences by the name of their place: a `Place`, or that of a field of one account."""

    errors: Mapping[str, Sequence[str]] = {}
    warnings: Mapping[str, Sequence[str]] = {}
    # How many things there are to fix on each account.
    counts: Mapping[str, int] = {}
    # What would be changed about the files, by account.
    changes: Mapping[str, Sequence[FileChange]] = {}
    # Whether anything was checked.
    is_checked: bool = False

    def at(self, *names: str) -> Sequence[str]:
        return self.errors.get(".".join(names), ())

    def warnings_at(self, *names: str) -> Sequence[str]:
        return self.warnings.get(".".join(names), ())

    def has_margins(self, account_id: str) -> bool:
        """Whether a file gets margins, because all of it is shown in a shape that it does not have."""
        return any("margins" in change.after for change in self.changes.get(account_id, ()))

    @property
    def total(self) -> int:
        return sum(map(len, self.errors.values()))


def place_findings(
    composed: Composed,
    destinations: Mapping[str, Destination],
    errors: Sequence[Fault],
    warnings: Sequence[Fault] = (),
    verdicts: Sequence[TargetVerdict] = (),
) -> Findings:
    placed: dict[str, list[str]] = {}
    noted: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    for fault in errors:
        account_id, place, sentence = _place(fault, composed, destinations)
        if account_id is not None:
            counts[account_id] = counts.get(account_id, 0) + 1
        _add(placed, place, sentence)
    for fault in warnings:
        _, place, sentence = _place(fault, composed, destinations)
        _add(noted, place, sentence)
    changes = {verdict.account_id: verdict.changes for verdict in verdicts}
    return Findings(errors=placed, warnings=noted, counts=counts, changes=changes, is_checked=True)


def _add(placed: dict[str, list[str]], place: str, sentence: str) -> None:
    sentences = placed.setdefault(place, [])
    if sentence not in sentences:
        sentences.append(sentence)


def _place(fault: Fault, composed: Composed, destinations: Mapping[str, Destination]) -> tuple[str | None, str, str]:
    """Return the account that something is about, its place, and the sentence for people."""
    match = _TARGET.match(fault.pointer)
    if match is None or int(match[1]) >= len(composed.targets):
        return None, _get_shared_place(fault.pointer), _explain_shared(fault)
    target = composed.targets[int(match[1])]
    destination = destinations.get(target.account_id)
    name = "This account" if destination is None else f"{destination.name} ({destination.account.name})"
    part = match[2].split("/")[1:2]
    if part == ["options"] and destination is not None:
        return target.account_id, *_place_option(fault, match[2], destination)
    if part == ["content"]:
        place = Place.TEXT.value if target.content is None else f"{Place.TEXT}.{target.account_id}"
        return target.account_id, place, f"{name}: {fault.detail}"
    if part == ["media"] and target.media is None:
        return target.account_id, Place.FILES.value, f"{name}: {fault.detail}"
    return target.account_id, target.account_id, fault.detail


def _place_option(fault: Fault, pointer: str, destination: Destination) -> tuple[str, str]:
    account_id = destination.account.id
    path = ".".join(pointer.split("/")[2:])
    missing = _REQUIRED_OPTION.match(fault.detail)
    field = _find_field(destination.fields, f"{path}.{missing[1]}".lstrip(".") if missing else path)
    if field is None:
        return account_id, shorten_fault(fault.detail)
    if missing and field.control == "choice":
        sentence = f"{destination.name} requires a choice."
    else:
        name = field.path.split(".")[-1]
        sentence = re.sub(rf"^{re.escape(name)}\b", field.label, shorten_fault(fault.detail))
    return f"option.{account_id}.{field.path}", sentence


def _find_field(fields: Sequence[OptionField], path: str) -> OptionField | None:
    """Find the field of an option, of the one that it is inside, or the first one inside it."""
    return next(
        (field for field in fields if field.path == path or path.startswith(f"{field.path}.")),
        next((field for field in fields if path and field.path.startswith(f"{path}.")), None),
    )


def _get_shared_place(pointer: str) -> str:
    places = {
        "content": Place.TEXT,
        "media": Place.FILES,
        "targets": Place.ACCOUNTS,
        "scheduledFor": Place.TIME,
        "timezone": Place.TIME,
        "firstComment": Place.COMMENT,
        "wish": Place.WISH,
    }
    return places.get(pointer.split("/")[1] if "/" in pointer else "", Place.PAGE).value


def _explain_shared(fault: Fault) -> str:
    if fault.pointer == "/targets":
        return "Choose at least one account to publish to."
    if fault.code == "in_the_past":
        return "This time is in the past. Choose a later one, or publish now."
    if fault.code == "invalid_time" and "must be a time such as" in fault.detail:
        return "Choose a day and a time."
    return fault.detail
