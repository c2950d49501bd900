"""Validation of automations: triggers, conditions and actions are decoded by their types, and must fit together."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import msgspec

from socialgate.areas.automations import store
from socialgate.areas.automations.action_support import ActionSupport, list_actions_on_trigger_account
from socialgate.areas.automations.builtin_types import CallHookAction
from socialgate.areas.automations.conditions import FieldCondition, FirstTimeCondition, KeywordCondition
from socialgate.areas.automations.placeholders import find_unclosed_placeholders, find_unknown_placeholders
from socialgate.areas.hooks import store as hooks
from socialgate.areas.hooks.access import can_access_hook, covers_profile
from socialgate.contracts.automations import (
    ActionType,
    AutomationOptions,
    AutomationTypeRegistry,
    TriggerOptions,
    TriggerType,
    get_type_name,
)
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Fault, InvalidRequest
from socialgate.web.field_errors import MAX_FIELD_ERRORS, build_body_error, build_invalid_request
from socialgate.web.similar import suggest_name

RawOptions = Mapping[str, Any]

# All active automations of an owner are compared with each message, and are held in memory for that.
MAX_KEYWORDS = 200
MAX_AUTOMATION_BYTES = 128 * 1024


class AutomationDefinition(msgspec.Struct, frozen=True):
    """The three parts of an automation, decoded."""

    trigger: TriggerOptions
    conditions: list[AutomationOptions]
    actions: list[AutomationOptions]

    def list_with_pointers(self) -> list[tuple[str, AutomationOptions]]:
        """Return all parts with their positions in the request."""
        conditions = [(f"/conditions/{place}", condition) for place, condition in enumerate(self.conditions)]
        actions = [(f"/actions/{place}", action) for place, action in enumerate(self.actions)]
        return [("/trigger", self.trigger), *conditions, *actions]


class AutomationValidator:
    def __init__(self, types: AutomationTypeRegistry, abilities: ActionSupport) -> None:
        self._types = types
        self._abilities = abilities

    def parse(
        self, trigger: RawOptions, conditions: Sequence[RawOptions], actions: Sequence[RawOptions]
    ) -> AutomationDefinition:
        """Decode the parts, and reject what does not fit together."""
        plan = self._decode_definition(trigger, conditions, actions)
        kind = self._get_trigger_type(plan)
        _require_within_limits(plan)
        # One text can have thousands of unknown placeholders.
        faults = list(
            islice(chain(self._validate_conditions(kind, plan), self._validate_actions(kind, plan)), MAX_FIELD_ERRORS)
        )
        if faults:
            raise build_invalid_request("", faults)
        return plan

    def _decode_definition(
        self, trigger: RawOptions, conditions: Sequence[RawOptions], actions: Sequence[RawOptions]
    ) -> AutomationDefinition:
        """Decode each part by its type, and name everything that cannot be decoded."""
        triggers = {name: trigger.options for name, trigger in self._types.triggers.items()}
        tests = {name: condition.options for name, condition in self._types.conditions.items()}
        faults: list[Fault] = []
        plan = AutomationDefinition(
            trigger=_decode_part(triggers, trigger, "/trigger", "trigger", faults),
            conditions=[
                _decode_part(tests, condition, f"/conditions/{place}", "condition", faults)
                for place, condition in enumerate(conditions)
            ],
            actions=[
                _decode_part(self._types.action_options, action, f"/actions/{place}", "action", faults)
                for place, action in enumerate(actions)
            ],
        )
        if faults:
            raise build_invalid_request("", faults[:MAX_FIELD_ERRORS])
        return plan

    def _get_trigger_type(self, plan: AutomationDefinition) -> TriggerType:
        return self._types.triggers[get_type_name(type(plan.trigger))]

    def _validate_conditions(self, trigger_type: TriggerType, plan: AutomationDefinition) -> Iterator[Fault]:
        for place, condition in enumerate(plan.conditions):
            pointer = f"/conditions/{place}"
            yield from _prefix_pointers(
                pointer, self._types.conditions[get_type_name(type(condition))].faults(condition)
            )
            if isinstance(condition, FieldCondition) and condition.field not in trigger_type.fields:
                detail = f"This trigger has no field `{condition.field}`. It has: {', '.join(trigger_type.fields)}."
                yield Fault(f"{pointer}/field", "unknown_field", detail)
            if isinstance(condition, FirstTimeCondition) and not trigger_type.has_contact:
                detail = "This trigger has no contact, so `firstTime` cannot be used with it. Remove the condition."
                yield Fault(f"{pointer}/type", "not_supported", detail)

    def _validate_actions(self, trigger_type: TriggerType, plan: AutomationDefinition) -> Iterator[Fault]:
        called: set[str] = set()
        for place, automation_options in enumerate(plan.actions):
            pointer, name = f"/actions/{place}", get_type_name(type(automation_options))
            action = self._types.find_action(name, trigger_type.subject_type)
            if action is None:
                can = [
                    known
                    for known in self._types.action_options
                    if self._types.find_action(known, trigger_type.subject_type)
                ]
                detail = f"`{name}` cannot be used with this trigger. Use one of: {', '.join(can)}."
                yield Fault(f"{pointer}/type", "not_supported", detail)
                continue
            own = _prefix_pointers(
                pointer,
                [
                    *action.faults(automation_options, trigger_type.subject_type),
                    *self._abilities.validate_action(action, automation_options),
                ],
            )
            yield from own
            yield from self._validate_action_support(pointer, trigger_type, action, automation_options)
            named = {fault.pointer for fault in own}
            yield from (
                fault
                for fault in _validate_placeholders(pointer, trigger_type, automation_options)
                if fault.pointer not in named
            )
            if isinstance(automation_options, CallHookAction):
                if automation_options.hook_id in called:
                    detail = "A run can be sent to the same hook only once. Remove the second `callHook` action."
                    yield Fault(f"{pointer}/hookId", "duplicate", detail)
                called.add(automation_options.hook_id)

    def _validate_action_support(
        self, pointer: str, trigger_type: TriggerType, action: ActionType, options: AutomationOptions
    ) -> Iterator[Fault]:
        """Reject an action that no account with this trigger can do, unless it names another account."""
        if getattr(options, "account_id", None) is None and not self._abilities.list_supporting_kinds(
            trigger_type.is_supported_by, action.is_supported_by
        ):
            able = ", ".join(self._abilities.list_supporting_kinds(action.is_supported_by))
            reason = f"accountId is required: accounts with this trigger cannot run `{get_type_name(action.options)}`."
            yield Fault(f"{pointer}/accountId", "required", f"{reason} Kinds that can: {able}.")

    async def validate_references(self, tx: Tx, caller: Caller, profile_id: str, plan: AutomationDefinition) -> None:
        """Reject accounts that are not in the profile or cannot do this, and hooks that the caller cannot access or
        that do not cover the profile.
        """
        placed = plan.list_with_pointers()
        named = {
            f"{pointer}{where}": account_id
            for pointer, automation_options in placed
            for where, account_id in _list_account_pointers(automation_options)
        }
        there = (
            await store.find_accounts_in_profile(tx, caller.owner_id, profile_id, list(named.values())) if named else {}
        )
        faults = [
            Fault(pointer, "not_found", "The profile has no account with this id. GET /accounts lists them.")
            for pointer, account_id in named.items()
            if account_id not in there
        ]
        if not faults:
            faults = list(islice(self._find_unsupported_accounts(plan, there), MAX_FIELD_ERRORS))
        for pointer, automation_options in placed:
            if isinstance(automation_options, CallHookAction):
                hook = await hooks.find_hook(tx, caller.owner_id, automation_options.hook_id)
                if hook is None or not can_access_hook(caller, hook) or not covers_profile(hook, profile_id):
                    detail = "There is no hook with this id that covers the profile. GET /hooks lists them."
                    faults.append(Fault(f"{pointer}/hookId", "not_found", detail))
                else:
                    caller.record_access(*(hook.profile_ids or ()))
        if faults:
            raise build_invalid_request("", faults)

    def _find_unsupported_accounts(
        self, plan: AutomationDefinition, accounts_by_id: Mapping[str, store.AccountIdentity]
    ) -> Iterator[Fault]:
        """Find the accounts that the automation names, and that cannot do their part."""
        kind = self._get_trigger_type(plan)
        actions = list_actions_on_trigger_account(msgspec.to_builtins(plan.actions))
        for place, account_id in enumerate(plan.trigger.account_ids):
            yield from self._validate_trigger_account(
                f"/trigger/accountIds/{place}", kind, actions, accounts_by_id[account_id]
            )
        for place, automation_options in enumerate(plan.actions):
            own, action = (
                getattr(automation_options, "account_id", None),
                self._types.find_action(get_type_name(type(automation_options)), kind.subject_type),
            )
            if (
                own is not None
                and action is not None
                and not action.is_supported_by(self._abilities.get_kind_manifest(accounts_by_id[own]))
            ):
                able = ", ".join(self._abilities.list_supporting_kinds(action.is_supported_by))
                yield self._build_unsupported_fault(
                    f"/actions/{place}/accountId",
                    f"run `{get_type_name(type(automation_options))}`",
                    accounts_by_id[own],
                    able,
                )

    def _validate_trigger_account(
        self, pointer: str, trigger: TriggerType, actions: Sequence[str], home: store.AccountIdentity
    ) -> Iterator[Fault]:
        kind = self._abilities.get_kind_manifest(home)
        if not trigger.is_supported_by(kind):
            able = ", ".join(self._abilities.list_supporting_kinds(trigger.is_supported_by))
            yield self._build_unsupported_fault(pointer, f"fire `{get_type_name(trigger.options)}`", home, able)
            return
        for name, able in self._abilities.find_unsupported_actions(trigger, actions, kind).items():
            yield self._build_unsupported_fault(pointer, f"run `{name}`", home, able)

    def _build_unsupported_fault(self, pointer: str, label: str, home: store.AccountIdentity, able: str) -> Fault:
        whose = f"The account {home.name} ({self._abilities.get_kind_manifest(home).name})"
        return Fault(pointer, "not_supported", f"{whose} cannot {label}. Kinds that can: {able}.")


def _validate_placeholders(pointer: str, trigger_type: TriggerType, action: AutomationOptions) -> Iterator[Fault]:
    texts, fields = msgspec.to_builtins(action), ", ".join(trigger_type.fields)
    for where, start in find_unclosed_placeholders(texts):
        detail = f"The placeholder at `{start}` is not complete. Write it like `{{{{name}}}}`, with one of: {fields}."
        yield Fault(f"{pointer}{where}", "unknown_placeholder", detail)
    for where, label in find_unknown_placeholders(texts, trigger_type.fields):
        detail = f"The trigger does not provide `{{{{{label}}}}}`. It provides: {fields}."
        yield Fault(f"{pointer}{where}", "unknown_placeholder", detail)


def _require_within_limits(plan: AutomationDefinition) -> None:
    keywords = sum(
        len(condition.any) + len(condition.exclude)
        for condition in plan.conditions
        if isinstance(condition, KeywordCondition)
    )
    if keywords > MAX_KEYWORDS:
        detail = f"The conditions have {keywords:,} keywords in total, but can have at most {MAX_KEYWORDS}."
        raise InvalidRequest.for_field("/conditions", "too_many", detail)
    size = len(msgspec.json.encode(plan))
    if size > MAX_AUTOMATION_BYTES:
        detail = (
            f"The automation has {size:,} bytes as JSON, but can have at most {MAX_AUTOMATION_BYTES:,}. Shorten its "
            "texts."
        )
        raise InvalidRequest.for_field("", "too_large", detail)


def _list_account_pointers(automation_options: AutomationOptions) -> list[tuple[str, str]]:
    several = [
        (f"/accountIds/{place}", each) for place, each in enumerate(getattr(automation_options, "account_ids", ()))
    ]
    single = getattr(automation_options, "account_id", None)
    return several if single is None else [*several, ("/accountId", single)]


def _decode_part(known: Mapping[str, type[Any]], raw: RawOptions, pointer: str, word: str, faults: list[Fault]) -> Any:
    """Decode one part. Returns None if that fails, and adds the reasons to `faults`."""
    name = raw.get("type")
    if name is None:
        detail = f"type is required. Use one of these {word}s: {', '.join(known)}."
        faults.append(Fault(f"{pointer}/type", "required", detail))
    elif not isinstance(name, str) or name not in known:
        guess = suggest_name(name, list(known)) if isinstance(name, str) else ""
        detail = f"There is no {word} `{name}`.{guess} Use one of: {', '.join(known)}."
        faults.append(Fault(f"{pointer}/type", "unknown_type", detail))
    else:
        try:
            return msgspec.convert(dict(raw), known[name])
        except msgspec.ValidationError as error:
            faults += _prefix_pointers(pointer, build_body_error(error, known[name], dict(raw)).errors)
    return None


def _prefix_pointers(pointer: str, faults: Sequence[Fault]) -> list[Fault]:
    return [msgspec.structs.replace(fault, pointer=f"{pointer}{fault.pointer}") for fault in faults]
