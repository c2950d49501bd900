"""Every platform that this deployment can use, as the areas see it."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast

import msgspec

from socialgate.contracts.account_connection import (
    GRANT_REVOCATION_CAPABILITY,
    TOKEN_REFRESH_CAPABILITY,
    CredentialLogin,
    GrantRevoker,
    QrPairingLogin,
    RedirectLogin,
    TokenRefresher,
    WebhookSubscriber,
)
from socialgate.contracts.failures import NotSupportedError
from socialgate.contracts.platforms import Capability, CapabilityAdapter, Kind, Platform, PlatformManifest
from socialgate.contracts.webhooks import INBOUND_WEBHOOKS_CAPABILITY, WebhookReceiver

P = TypeVar("P")


class Connector(msgspec.Struct, frozen=True, kw_only=True):
    """One platform: its manifest, how accounts are connected, and for each kind one part for each capability."""

    manifest: PlatformManifest
    webhook_receiver: WebhookReceiver
    adapters: Mapping[Kind, Sequence[CapabilityAdapter]]
    redirect_login: RedirectLogin | None = None
    credential_login: CredentialLogin | None = None
    qr_pairing: QrPairingLogin | None = None
    token_refresher: TokenRefresher | None = None
    grant_revoker: GrantRevoker | None = None
    webhook_subscriber: WebhookSubscriber | None = None

    def find_adapter(self, kind: Kind, capability: Capability[P]) -> P | None:
        """Find the implementation for a kind of account; None if there is none."""
        of_kind = {**self._platform_adapters, **dict(self.adapters[kind])}
        return cast("P | None", of_kind.get(capability))

    @property
    def _platform_adapters(self) -> dict[Capability[Any], Any]:
        """Parts that work on the grant or on the app's webhook URL, whichever kinds of accounts it has."""
        return {
            TOKEN_REFRESH_CAPABILITY: self.token_refresher,
            GRANT_REVOCATION_CAPABILITY: self.grant_revoker,
            INBOUND_WEBHOOKS_CAPABILITY: self.webhook_receiver,
        }


class ConnectorRegistry(Protocol):
    @property
    def manifests(self) -> Mapping[Platform, PlatformManifest]:
        """Every platform, configured or not."""

    def find_connector(self, platform: Platform) -> Connector | None:
        """Return the connector, None if the deployment has no credentials for the platform."""


def list_supporting_kinds(manifests: Mapping[Platform, PlatformManifest], capability: Capability[Any]) -> list[str]:
    """List every kind of account that supports a capability."""
    of_all = (kind for manifest in manifests.values() for kind in manifest.kinds)
    return [kind.name for kind in of_all if capability in kind.capabilities]


def build_not_supported_error(
    manifests: Mapping[Platform, PlatformManifest],
    platform: Platform,
    kind: Kind,
    capability: Capability[Any],
    missing_feature_phrase: str,
) -> NotSupportedError:
    """Say that a kind of account does not support something, and which do. `missing_feature_phrase` completes the
    sentence "X ...", such as "has no comments".
    """
    able = ", ".join(list_supporting_kinds(manifests, capability))
    name = manifests[platform].get_kind_manifest(kind).name
    detail = f"This account is of the kind {name}, which {missing_feature_phrase}. Use one of these kinds: {able}."
    return NotSupportedError(detail, platform=platform)
