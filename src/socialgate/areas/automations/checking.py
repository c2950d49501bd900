"""Validation of automations: triggers, conditions and actions are decoded by their types, and must fit together."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.areas.automations import store
from socialgate.areas.automations.actions import CallHook
from socialgate.areas.automations.conditions import FieldCondition, FirstTimeCondition
from socialgate.areas.automations.texts import count, unknown
from socialgate.areas.hooks import store as hooks
from socialgate.areas.hooks.reach import covers, reaches
from socialgate.contracts.automations import AutomationTypes, Options, TriggerOptions, TriggerType, name_of
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Fault, Invalid
from socialgate.web.faults import invalid_body

Raw = Mapping[str, Any]
# Each can become as long as the longest message.
MOST_PLACEHOLDERS = 50


class Plan(msgspec.Struct, frozen=True):
    """The three parts of an automation, decoded."""

    trigger: TriggerOptions
    conditions: list[Options]
    actions: list[Options]

    def placed(self) -> list[tuple[str, Options]]:
        """Return all parts with their positions in the request."""
        conditions = [(f"/conditions/{place}", one) for place, one in enumerate(self.conditions)]
        actions = [(f"/actions/{place}", one) for place, one in enumerate(self.actions)]
        return [("/trigger", self.trigger), *conditions, *actions]


class Checker:
    def __init__(self, types: AutomationTypes) -> None:
        self._types = types

    def read(self, trigger: Raw, conditions: Sequence[Raw], actions: Sequence[Raw]) -> Plan:
        """Decode the parts, and reject what does not fit together."""
        triggers = {name: one.options for name, one in self._types.triggers.items()}
        tests = {name: one.options for name, one in self._types.conditions.items()}
        plan = Plan(
            trigger=_decoded(triggers, trigger, "/trigger", "trigger"),
            conditions=[
                _decoded(tests, one, f"/conditions/{place}", "condition") for place, one in enumerate(conditions)
            ],
            actions=[
                _decoded(self._types.action_options, one, f"/actions/{place}", "action")
                for place, one in enumerate(actions)
            ],
        )
        kind = self._types.triggers[name_of(type(plan.trigger))]
        if faults := [*self._condition_faults(kind, plan), *self._action_faults(kind, plan)]:
            raise Invalid(faults[0].detail, errors=faults)
        return plan

    def _condition_faults(self, kind: TriggerType, plan: Plan) -> list[Fault]:
        faults: list[Fault] = []
        for place, one in enumerate(plan.conditions):
            pointer = f"/conditions/{place}"
            faults += _under(pointer, self._types.conditions[name_of(type(one))].faults(one))
            if isinstance(one, FieldCondition) and one.field not in kind.fields:
                detail = f"This trigger has no field `{one.field}`. It has: {', '.join(kind.fields)}."
                faults.append(Fault(f"{pointer}/field", "unknown_field", detail))
            if isinstance(one, FirstTimeCondition) and not kind.has_contact:
                detail = "This trigger has no contact, so there is no first time. Remove the condition."
                faults.append(Fault(f"{pointer}/type", "not_supported", detail))
        return faults

    def _action_faults(self, kind: TriggerType, plan: Plan) -> list[Fault]:
        faults: list[Fault] = []
        called: set[str] = set()
        for place, one in enumerate(plan.actions):
            pointer, name = f"/actions/{place}", name_of(type(one))
            action = self._types.action(name, kind.about)
            if action is None:
                can = [known for known in self._types.action_options if self._types.action(known, kind.about)]
                detail = f"`{name}` cannot be used with this trigger. Use one of: {', '.join(can)}."
                faults.append(Fault(f"{pointer}/type", "not_supported", detail))
                continue
            faults += _under(pointer, action.faults(one, kind.about))
            if count(texts := msgspec.to_builtins(one)) > MOST_PLACEHOLDERS:
                detail = f"An action can have at most {MOST_PLACEHOLDERS} placeholders. Use fewer."
                faults.append(Fault(pointer, "too_many", detail))
            for where, what in unknown(texts, kind.fields):
                detail = f"The trigger does not provide `{{{{{what}}}}}`. It provides: {', '.join(kind.fields)}."
                faults.append(Fault(f"{pointer}{where}", "unknown_placeholder", detail))
            if isinstance(one, CallHook):
                if one.hook_id in called:
                    detail = "A run can be sent to the same hook only once: it would be the same event again."
                    faults.append(Fault(f"{pointer}/hookId", "duplicate", detail))
                called.add(one.hook_id)
        return faults


async def require_things(tx: Tx, caller: Caller, profile_id: str, plan: Plan) -> None:
    """Reject accounts that are not in the profile, and hooks that the caller cannot access or that do not cover it."""
    named = {f"{pointer}{where}": account_id for pointer, one in plan.placed() for where, account_id in _accounts(one)}
    there = await store.accounts_of_profile(tx, caller.owner_id, profile_id, list(named.values())) if named else {}
    faults = [
        Fault(pointer, "not_found", "The profile has no account with this id. GET /accounts lists them.")
        for pointer, account_id in named.items()
        if account_id not in there
    ]
    for pointer, one in plan.placed():
        if isinstance(one, CallHook):
            hook = await hooks.find(tx, caller.owner_id, one.hook_id)
            if hook is None or not reaches(caller, hook) or not covers(hook, profile_id):
                detail = "There is no hook with this id that covers the profile. GET /hooks lists them."
                faults.append(Fault(f"{pointer}/hookId", "not_found", detail))
    if faults:
        raise Invalid(faults[0].detail, errors=faults)


def _accounts(one: Options) -> list[tuple[str, str]]:
    several = [(f"/accountIds/{place}", each) for place, each in enumerate(getattr(one, "account_ids", ()))]
    single = getattr(one, "account_id", None)
    return several if single is None else [*several, ("/accountId", single)]


def _decoded(known: Mapping[str, type[Any]], raw: Raw, pointer: str, word: str) -> Any:
    name = raw.get("type")
    if name is None:
        raise Invalid.at(
            f"{pointer}/type", "required", f"type is required. Use one of these {word}s: {', '.join(known)}."
        )
    if not isinstance(name, str) or name not in known:
        detail = f"There is no {word} `{name}`. Use one of: {', '.join(known)}."
        raise Invalid.at(f"{pointer}/type", "unknown_type", detail)
    try:
        return msgspec.convert(dict(raw), known[name])
    except msgspec.ValidationError as error:
        refused = invalid_body(error, known[name], dict(raw))
        raise Invalid(refused.detail, errors=_under(pointer, refused.errors)) from None


def _under(pointer: str, faults: Sequence[Fault]) -> list[Fault]:
    return [msgspec.structs.replace(fault, pointer=f"{pointer}{fault.pointer}") for fault in faults]
