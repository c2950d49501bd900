"""Which kinds of accounts can run the actions of an automation. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from socialgate.areas.automations.store import AccountIdentity
from socialgate.contracts.automations import (
    ActionType,
    AutomationOptions,
    AutomationTypeRegistry,
    KindPredicate,
    TriggerType,
)
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.platforms import Kind, KindManifest, Platform
from socialgate.core.errors import Fault


class ActionSupport:
    def __init__(self, types: AutomationTypeRegistry, catalogue: ConnectorRegistry) -> None:
        self._types = types
        self._manifests = catalogue.manifests

    def get_kind_manifest(self, account: AccountIdentity) -> KindManifest:
        return self._manifests[Platform(account.platform)].get_kind_manifest(Kind(account.kind))

    def list_supporting_kinds(self, *predicates: KindPredicate) -> list[str]:
        """Return the names of the kinds that can do all of this."""
        return [kind.name for kind in self._list_kinds(*predicates)]

    def validate_action(self, action: ActionType, options: AutomationOptions) -> Sequence[Fault]:
        """Return what the kinds that can run an action reject. If one of them rejects nothing, there is no fault."""
        return min(
            (action.kind_faults(options, kind) for kind in self._list_kinds(action.is_supported_by)),
            key=len,
            default=(),
        )

    def _list_kinds(self, *predicates: KindPredicate) -> Iterator[KindManifest]:
        kinds = (kind for manifest in self._manifests.values() for kind in manifest.kinds)
        return (kind for kind in kinds if all(can(kind) for can in predicates))

    def find_unsupported_actions(
        self, trigger: TriggerType, actions: Iterable[str], kind: KindManifest
    ) -> dict[str, str]:
        """Return the actions that a kind of account cannot run, each with the kinds that can after this trigger."""
        result = {name: self._types.find_action(name, trigger.subject_type) for name in actions}
        return {
            name: ", ".join(self.list_supporting_kinds(trigger.is_supported_by, action.is_supported_by))
            for name, action in result.items()
            if action is not None and not action.is_supported_by(kind)
        }

    def is_supported_by_all_kinds(self, trigger: TriggerType, actions: Sequence[str], platform: str) -> bool:
        """Return whether every kind of account on a platform can run the actions."""
        kinds = (kind for name, manifest in self._manifests.items() if name == platform for kind in manifest.kinds)
        return not any(self.find_unsupported_actions(trigger, actions, kind) for kind in kinds)

    def explain_unsupported(self, trigger: TriggerType, actions: Sequence[str], account: AccountIdentity) -> str | None:
        """Return why an automation does not run on an account: none of its actions runs unless all of them can."""
        kind = self.get_kind_manifest(account)
        for name, able in self.find_unsupported_actions(trigger, actions, kind).items():
            reason = f"The kind of this account ({kind.name}) cannot run `{name}`, so no action runs."
            return f"{reason} Kinds that can: {able}."
        return None


def list_actions_on_trigger_account(actions: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the actions that run on the account on which the trigger fired, and not on one that they name."""
    return [action["type"] for action in actions if action.get("accountId") is None]
