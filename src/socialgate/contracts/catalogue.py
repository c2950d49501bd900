"""Every platform that this deployment can use, as the areas see it."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast

import msgspec

from socialgate.contracts.connecting import (
    REFRESH,
    REVOKE,
    Credential,
    Pairing,
    Redirect,
    Refreshing,
    Revoking,
    Subscribing,
)
from socialgate.contracts.failures import NotSupported
from socialgate.contracts.inbound import INBOUND, Inbound
from socialgate.contracts.platforms import Capability, Kind, Manifest, Part, Platform

P = TypeVar("P")


class Connector(msgspec.Struct, frozen=True, kw_only=True):
    """One platform: its manifest, how accounts are connected, and for each kind one part for each capability."""

    manifest: Manifest
    inbound: Inbound
    parts: Mapping[Kind, Sequence[Part]]
    redirect: Redirect | None = None
    credential: Credential | None = None
    pairing: Pairing | None = None
    refreshing: Refreshing | None = None
    revoking: Revoking | None = None
    subscribing: Subscribing | None = None

    def part(self, kind: Kind, capability: Capability[P]) -> P | None:
        """Find the implementation for a kind of account; None if there is none."""
        of_kind = {**self._of_platform, **dict(self.parts[kind])}
        return cast("P | None", of_kind.get(capability))

    @property
    def _of_platform(self) -> dict[Capability[Any], Any]:
        """Parts that work on the grant or on the app's webhook URL, whichever kinds of accounts it has."""
        return {REFRESH: self.refreshing, REVOKE: self.revoking, INBOUND: self.inbound}


class Catalogue(Protocol):
    @property
    def manifests(self) -> Mapping[Platform, Manifest]:
        """Every platform, configured or not."""

    def connector(self, platform: Platform) -> Connector | None:
        """Return the connector, None if the deployment has no credentials for the platform."""


def kinds_that_can(manifests: Mapping[Platform, Manifest], capability: Capability[Any]) -> list[str]:
    """List every kind of account that supports a capability."""
    of_all = (kind for manifest in manifests.values() for kind in manifest.kinds)
    return [kind.name for kind in of_all if capability in kind.capabilities]


def not_supported(
    manifests: Mapping[Platform, Manifest], platform: Platform, kind: Kind, capability: Capability[Any], what: str
) -> NotSupported:
    """Say that a kind of account does not support something, and which do. `what` completes the sentence "X ...", such
    as "has no comments".
    """
    able = ", ".join(kinds_that_can(manifests, capability))
    name = manifests[platform].of(kind).name
    detail = f"This account is of the kind {name}, which {what}. Use one of these kinds: {able}."
    return NotSupported(detail, platform=platform)
