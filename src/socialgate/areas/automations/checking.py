"""Validation of automations: triggers, conditions and actions are decoded by their types, and must fit together."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import msgspec

from socialgate.areas.automations import store
from socialgate.areas.automations.abilities import Abilities, on_same_account
from socialgate.areas.automations.actions import CallHook
from socialgate.areas.automations.conditions import FieldCondition, FirstTimeCondition, KeywordCondition
from socialgate.areas.automations.texts import unclosed, unknown
from socialgate.areas.hooks import store as hooks
from socialgate.areas.hooks.reach import covers, reaches
from socialgate.contracts.automations import (
    ActionType,
    AutomationTypes,
    Options,
    TriggerOptions,
    TriggerType,
    name_of,
)
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Fault, Invalid
from socialgate.web.faults import MOST_FAULTS, invalid_body, refused
from socialgate.web.similar import meant

Raw = Mapping[str, Any]

# All active automations of an owner are compared with each message, and are held in memory for that.
MOST_KEYWORDS = 200
MOST_BYTES = 128 * 1024


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
    def __init__(self, types: AutomationTypes, abilities: Abilities) -> None:
        self._types = types
        self._abilities = abilities

    def read(self, trigger: Raw, conditions: Sequence[Raw], actions: Sequence[Raw]) -> Plan:
        """Decode the parts, and reject what does not fit together."""
        plan = self._decoded(trigger, conditions, actions)
        kind = self._trigger(plan)
        _require_small(plan)
        # One text can have thousands of unknown placeholders.
        faults = list(islice(chain(self._condition_faults(kind, plan), self._action_faults(kind, plan)), MOST_FAULTS))
        if faults:
            raise refused("", faults)
        return plan

    def _decoded(self, trigger: Raw, conditions: Sequence[Raw], actions: Sequence[Raw]) -> Plan:
        """Decode each part by its type, and name everything that cannot be decoded."""
        triggers = {name: one.options for name, one in self._types.triggers.items()}
        tests = {name: one.options for name, one in self._types.conditions.items()}
        faults: list[Fault] = []
        plan = Plan(
            trigger=_decoded(triggers, trigger, "/trigger", "trigger", faults),
            conditions=[
                _decoded(tests, one, f"/conditions/{place}", "condition", faults)
                for place, one in enumerate(conditions)
            ],
            actions=[
                _decoded(self._types.action_options, one, f"/actions/{place}", "action", faults)
                for place, one in enumerate(actions)
            ],
        )
        if faults:
            raise refused("", faults[:MOST_FAULTS])
        return plan

    def _trigger(self, plan: Plan) -> TriggerType:
        return self._types.triggers[name_of(type(plan.trigger))]

    def _condition_faults(self, kind: TriggerType, plan: Plan) -> Iterator[Fault]:
        for place, one in enumerate(plan.conditions):
            pointer = f"/conditions/{place}"
            yield from _under(pointer, self._types.conditions[name_of(type(one))].faults(one))
            if isinstance(one, FieldCondition) and one.field not in kind.fields:
                detail = f"This trigger has no field `{one.field}`. It has: {', '.join(kind.fields)}."
                yield Fault(f"{pointer}/field", "unknown_field", detail)
            if isinstance(one, FirstTimeCondition) and not kind.has_contact:
                detail = "This trigger has no contact, so `firstTime` cannot be used with it. Remove the condition."
                yield Fault(f"{pointer}/type", "not_supported", detail)

    def _action_faults(self, kind: TriggerType, plan: Plan) -> Iterator[Fault]:
        called: set[str] = set()
        for place, one in enumerate(plan.actions):
            pointer, name = f"/actions/{place}", name_of(type(one))
            action = self._types.action(name, kind.about)
            if action is None:
                can = [known for known in self._types.action_options if self._types.action(known, kind.about)]
                detail = f"`{name}` cannot be used with this trigger. Use one of: {', '.join(can)}."
                yield Fault(f"{pointer}/type", "not_supported", detail)
                continue
            own = _under(pointer, [*action.faults(one, kind.about), *self._abilities.faults(action, one)])
            yield from own
            yield from self._account_faults(pointer, kind, action, one)
            named = {fault.pointer for fault in own}
            yield from (fault for fault in _placeholder_faults(pointer, kind, one) if fault.pointer not in named)
            if isinstance(one, CallHook):
                if one.hook_id in called:
                    detail = "A run can be sent to the same hook only once. Remove the second `callHook` action."
                    yield Fault(f"{pointer}/hookId", "duplicate", detail)
                called.add(one.hook_id)

    def _account_faults(self, pointer: str, kind: TriggerType, action: ActionType, options: Options) -> Iterator[Fault]:
        """Reject an action that no account with this trigger can do, unless it names another account."""
        if getattr(options, "account_id", None) is None and not self._abilities.able(kind.able, action.able):
            able = ", ".join(self._abilities.able(action.able))
            reason = f"accountId is required: accounts with this trigger cannot run `{name_of(action.options)}`."
            yield Fault(f"{pointer}/accountId", "required", f"{reason} Kinds that can: {able}.")

    async def require(self, tx: Tx, caller: Caller, profile_id: str, plan: Plan) -> None:
        """Reject accounts that are not in the profile or cannot do this, and hooks that the caller cannot access or
        that do not cover the profile.
        """
        placed = plan.placed()
        named = {f"{pointer}{where}": account_id for pointer, one in placed for where, account_id in _accounts(one)}
        there = await store.accounts_of_profile(tx, caller.owner_id, profile_id, list(named.values())) if named else {}
        faults = [
            Fault(pointer, "not_found", "The profile has no account with this id. GET /accounts lists them.")
            for pointer, account_id in named.items()
            if account_id not in there
        ]
        if not faults:
            faults = list(islice(self._unable(plan, there), MOST_FAULTS))
        for pointer, one in placed:
            if isinstance(one, CallHook):
                hook = await hooks.find(tx, caller.owner_id, one.hook_id)
                if hook is None or not reaches(caller, hook) or not covers(hook, profile_id):
                    detail = "There is no hook with this id that covers the profile. GET /hooks lists them."
                    faults.append(Fault(f"{pointer}/hookId", "not_found", detail))
                else:
                    caller.record_access(*(hook.profile_ids or ()))
        if faults:
            raise refused("", faults)

    def _unable(self, plan: Plan, there: Mapping[str, store.Home]) -> Iterator[Fault]:
        """Find the accounts that the automation names, and that cannot do their part."""
        kind = self._trigger(plan)
        actions = on_same_account(msgspec.to_builtins(plan.actions))
        for place, account_id in enumerate(plan.trigger.account_ids):
            yield from self._unable_to_run(f"/trigger/accountIds/{place}", kind, actions, there[account_id])
        for place, one in enumerate(plan.actions):
            own, action = getattr(one, "account_id", None), self._types.action(name_of(type(one)), kind.about)
            if own is not None and action is not None and not action.able(self._abilities.kind_of(there[own])):
                able = ", ".join(self._abilities.able(action.able))
                yield self._fault(f"/actions/{place}/accountId", f"run `{name_of(type(one))}`", there[own], able)

    def _unable_to_run(
        self, pointer: str, trigger: TriggerType, actions: Sequence[str], home: store.Home
    ) -> Iterator[Fault]:
        kind = self._abilities.kind_of(home)
        if not trigger.able(kind):
            able = ", ".join(self._abilities.able(trigger.able))
            yield self._fault(pointer, f"fire `{name_of(trigger.options)}`", home, able)
            return
        for name, able in self._abilities.lacking(trigger, actions, kind).items():
            yield self._fault(pointer, f"run `{name}`", home, able)

    def _fault(self, pointer: str, what: str, home: store.Home, able: str) -> Fault:
        whose = f"The account {home.name} ({self._abilities.kind_of(home).name})"
        return Fault(pointer, "not_supported", f"{whose} cannot {what}. Kinds that can: {able}.")


def _placeholder_faults(pointer: str, kind: TriggerType, action: Options) -> Iterator[Fault]:
    texts, fields = msgspec.to_builtins(action), ", ".join(kind.fields)
    for where, start in unclosed(texts):
        detail = f"The placeholder at `{start}` is not complete. Write it like `{{{{name}}}}`, with one of: {fields}."
        yield Fault(f"{pointer}{where}", "unknown_placeholder", detail)
    for where, what in unknown(texts, kind.fields):
        detail = f"The trigger does not provide `{{{{{what}}}}}`. It provides: {fields}."
        yield Fault(f"{pointer}{where}", "unknown_placeholder", detail)


def _require_small(plan: Plan) -> None:
    keywords = sum(len(one.any) + len(one.exclude) for one in plan.conditions if isinstance(one, KeywordCondition))
    if keywords > MOST_KEYWORDS:
        detail = f"The conditions have {keywords:,} keywords in total, but can have at most {MOST_KEYWORDS}."
        raise Invalid.at("/conditions", "too_many", detail)
    size = len(msgspec.json.encode(plan))
    if size > MOST_BYTES:
        detail = f"The automation has {size:,} bytes as JSON, but can have at most {MOST_BYTES:,}. Shorten its texts."
        raise Invalid.at("", "too_large", detail)


def _accounts(one: Options) -> list[tuple[str, str]]:
    several = [(f"/accountIds/{place}", each) for place, each in enumerate(getattr(one, "account_ids", ()))]
    single = getattr(one, "account_id", None)
    return several if single is None else [*several, ("/accountId", single)]


def _decoded(known: Mapping[str, type[Any]], raw: Raw, pointer: str, word: str, faults: list[Fault]) -> Any:
    """Decode one part. Returns None if that fails, and adds the reasons to `faults`."""
    name = raw.get("type")
    if name is None:
        detail = f"type is required. Use one of these {word}s: {', '.join(known)}."
        faults.append(Fault(f"{pointer}/type", "required", detail))
    elif not isinstance(name, str) or name not in known:
        guess = meant(name, list(known)) if isinstance(name, str) else ""
        detail = f"There is no {word} `{name}`.{guess} Use one of: {', '.join(known)}."
        faults.append(Fault(f"{pointer}/type", "unknown_type", detail))
    else:
        try:
            return msgspec.convert(dict(raw), known[name])
        except msgspec.ValidationError as error:
            faults += _under(pointer, invalid_body(error, known[name], dict(raw)).errors)
    return None


def _under(pointer: str, faults: Sequence[Fault]) -> list[Fault]:
    return [msgspec.structs.replace(fault, pointer=f"{pointer}{fault.pointer}") for fault in faults]
