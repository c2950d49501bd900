"""Every platform that this deployment can speak to, as the areas see it."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from socialgate.contracts.connecting import (
    Accounts,
    Credential,
    Pairing,
    Redirect,
    Refreshing,
    Revoking,
    Subscribing,
)
from socialgate.contracts.inbound import Inbound
from socialgate.contracts.platforms import Capability, Manifest, Platform
from socialgate.contracts.publishing import History, Publishing, Removing


class Connector(msgspec.Struct, frozen=True, kw_only=True):
    """One platform: its manifest, and one part for each thing that it can do."""

    manifest: Manifest
    accounts: Accounts
    inbound: Inbound
    redirect: Redirect | None = None
    credential: Credential | None = None
    pairing: Pairing | None = None
    refreshing: Refreshing | None = None
    revoking: Revoking | None = None
    subscribing: Subscribing | None = None
    publishing: Publishing | None = None
    removing: Removing | None = None
    history: History | None = None

    def part(self, capability: Capability) -> object | None:
        """The part that does what a manifest declares."""
        return {
            Capability.ABOUT: self.accounts,
            Capability.HEALTH: self.accounts,
            Capability.REFRESH: self.refreshing,
            Capability.REVOKE: self.revoking,
            Capability.INBOUND: self.inbound,
            Capability.POST: self.publishing,
            Capability.DELETE_POST: self.removing,
            Capability.HISTORY: self.history,
        }[capability]


class Catalogue(Protocol):
    @property
    def manifests(self) -> Mapping[Platform, Manifest]:
        """Every platform that there is, configured or not."""

    def connector(self, platform: Platform) -> Connector | None:
        """Give the connector, None where the deployment has no credentials for the platform."""
