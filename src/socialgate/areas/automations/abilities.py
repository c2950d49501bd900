"""Which kinds of accounts can run the actions of an automation. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from socialgate.areas.automations.store import Home
from socialgate.contracts.automations import Able, ActionType, AutomationTypes, Options, TriggerType
from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.platforms import Kind, KindManifest, Platform
from socialgate.core.errors import Fault


class Abilities:
    def __init__(self, types: AutomationTypes, catalogue: Catalogue) -> None:
        self._types = types
        self._manifests = catalogue.manifests

    def kind_of(self, home: Home) -> KindManifest:
        return self._manifests[Platform(home.platform)].of(Kind(home.kind))

    def able(self, *able: Able) -> list[str]:
        """Return the names of the kinds that can do all of this."""
        return [kind.name for kind in self._kinds(*able)]

    def faults(self, action: ActionType, options: Options) -> Sequence[Fault]:
        """Return what the kinds that can run an action reject. If one of them rejects nothing, there is no fault."""
        return min((action.kind_faults(options, kind) for kind in self._kinds(action.able)), key=len, default=())

    def _kinds(self, *able: Able) -> Iterator[KindManifest]:
        kinds = (kind for manifest in self._manifests.values() for kind in manifest.kinds)
        return (kind for kind in kinds if all(can(kind) for can in able))

    def lacking(self, trigger: TriggerType, actions: Iterable[str], kind: KindManifest) -> dict[str, str]:
        """Return the actions that a kind of account cannot run, each with the kinds that can after this trigger."""
        found = {name: self._types.action(name, trigger.about) for name in actions}
        return {
            name: ", ".join(self.able(trigger.able, action.able))
            for name, action in found.items()
            if action is not None and not action.able(kind)
        }

    def always(self, trigger: TriggerType, actions: Sequence[str], platform: str) -> bool:
        """Return whether every kind of account on a platform can run the actions."""
        kinds = (kind for name, manifest in self._manifests.items() if name == platform for kind in manifest.kinds)
        return not any(self.lacking(trigger, actions, kind) for kind in kinds)

    def refusal(self, trigger: TriggerType, actions: Sequence[str], home: Home) -> str | None:
        """Return why an automation does not run on an account: none of its actions runs unless all of them can."""
        kind = self.kind_of(home)
        for name, able in self.lacking(trigger, actions, kind).items():
            reason = f"The kind of this account ({kind.name}) cannot run `{name}`, so no action runs."
            return f"{reason} Kinds that can: {able}."
        return None


def on_same_account(actions: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the actions that run on the account on which the trigger fired, and not on one that they name."""
    return [action["type"] for action in actions if action.get("accountId") is None]
