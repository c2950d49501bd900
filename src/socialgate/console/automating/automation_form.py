"""The form of an automation: read as the bodies of the API, filled in from a stored one, and changed part by part.

Fields: `trigger.type`, `conditions.<place>.type` and `actions.<place>.type` say what there is, and
`<part>.<option>` what each contains. Blank ones count as omitted.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.areas.automations.schemas import Automation
from socialgate.console.automating.parts import Part, PartTypes, References, read_part, write_part
from socialgate.console.composing.option_fields import shorten_fault
from socialgate.console.forms import FormData
from socialgate.core.errors import Fault

SECTIONS = ("conditions", "actions")
PAGE = "page"
_OWN_FIELDS = ("name", "cooldown", "profileId")
_MAX_PARTS = 20


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """What a form says: its parts in order, and the body of a request."""

    trigger: Part | None
    conditions: Sequence[Part]
    actions: Sequence[Part]
    body: Mapping[str, Any]

    def list_parts(self) -> list[Part]:
        return [part for part in (self.trigger, *self.conditions, *self.actions) if part is not None]


class PartChange(msgspec.Struct, frozen=True, kw_only=True):
    """A part to add at the end, to remove, or to move one place. `step` is -1 or 1."""

    section: str
    added: str | None = None
    removed: int | None = None
    moved: int | None = None
    step: int = 0


def read_draft(form: FormData, types: PartTypes, references: References) -> Draft:
    trigger_type = types.find("trigger", form.value("trigger.type"))
    trigger = None if trigger_type is None else types.build_part("trigger", trigger_type, references)
    conditions, actions = (_list_parts(form, section, types, references) for section in SECTIONS)
    body = {
        "name": form.value("name").strip(),
        "trigger": {} if trigger is None else read_part(trigger, form),
        "conditions": [read_part(part, form) for part in conditions],
        "actions": [read_part(part, form) for part in actions],
        "cooldown": form.value("cooldown", "0"),
    }
    return Draft(trigger=trigger, conditions=conditions, actions=actions, body=body)


def fill_form(automation: Automation, types: PartTypes, references: References) -> FormData:
    fields: dict[str, Sequence[str]] = {"name": [automation.name], "cooldown": [str(automation.cooldown)]}
    stored = [("trigger", automation.trigger)]
    stored += [(f"conditions.{place}", condition) for place, condition in enumerate(automation.conditions)]
    stored += [(f"actions.{place}", action) for place, action in enumerate(automation.actions)]
    for key, body in stored:
        kind = types.find(key.partition(".")[0], str(body["type"]))
        if kind is not None:
            fields |= write_part(types.build_part(key, kind, references), body)
    return FormData(fields)


def change_parts(form: FormData, draft: Draft, change: PartChange) -> FormData:
    """Return the form with one part more, less, or at another place."""
    parts = {"conditions": draft.conditions, "actions": draft.actions}[change.section]
    order = list(range(len(parts)))
    if change.removed in order:
        order.remove(change.removed)
    if change.moved in order:
        place = max(min(change.moved + change.step, len(order) - 1), 0)
        order.remove(change.moved)
        order.insert(place, change.moved)
    kept = _renumber(form, change.section, order)
    if change.added is not None and len(order) < _MAX_PARTS:
        kept[f"{change.section}.{len(order)}.type"] = [change.added]
    cleared: dict[str, Sequence[str]] = {
        f"{change.section}.{name}": () for name in form.find_values(f"{change.section}.")
    }
    return form.replaced(**{**cleared, **kept})


def place_faults(draft: Draft, faults: Sequence[Fault]) -> dict[str, list[str]]:
    """Return what is wrong by the field that it is about, or by the part, or for the whole page."""
    known = {PAGE, *_OWN_FIELDS, *SECTIONS}
    for part in draft.list_parts():
        known |= {part.key, *(field.name for field in part.fields)}
    placed: dict[str, list[str]] = {}
    for fault in faults:
        names = fault.pointer.strip("/").split("/")
        while names and ".".join(names) not in known:
            names.pop()
        placed.setdefault(".".join(names) or PAGE, []).append(_to_person(fault))
    return placed


def _list_parts(form: FormData, section: str, types: PartTypes, references: References) -> list[Part]:
    parts: list[Part] = []
    for place in range(_MAX_PARTS):
        kind = types.find(section, form.value(f"{section}.{place}.type"))
        if kind is None:
            break
        parts.append(types.build_part(f"{section}.{place}", kind, references))
    return parts


def _renumber(form: FormData, section: str, order: Sequence[int]) -> dict[str, Sequence[str]]:
    kept: dict[str, Sequence[str]] = {}
    for place, before in enumerate(order):
        prefix = f"{section}.{before}."
        for name in form.find_values(prefix):
            kept[f"{section}.{place}.{name}"] = form.values(prefix + name)
    return kept


def _to_person(fault: Fault) -> str:
    if fault.code == "required" and fault.detail.endswith(" is required."):
        return "This cannot be left empty."
    if fault.pointer == "/actions":
        return "Add at least one action."
    name = fault.pointer.rpartition("/")[2]
    detail = shorten_fault(fault.detail).replace("`", "")
    return f"Must {detail.removeprefix(f'{name} must ')}" if detail.startswith(f"{name} must ") else detail
