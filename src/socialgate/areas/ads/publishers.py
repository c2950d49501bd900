"""Who ads come from: which accounts can publish the ads of an ad account, and which of them a caller may name."""

from collections.abc import Mapping

from socialgate.areas.accounts import store as accounts
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_values import AdIdentity
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.platforms import Kind, Platform, PublisherKind
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import InvalidRequest


class Publishers:
    def __init__(self, catalogue: ConnectorRegistry) -> None:
        self._manifests = catalogue.manifests

    def require_can_publish_ads(self, ad_account: AccountRow, account: AccountRow, at: str) -> None:
        """Reject an account whose kind cannot publish the ads of an ad account."""
        able = self._manifests[Platform(ad_account.platform)].get_kind_manifest(Kind(ad_account.kind)).publishers
        if account.kind not in able:
            known = self._kinds.get(account.kind)
            this = f"an account of the kind {account.kind}" if known is None else known.name
            names = " or ".join(publisher_kind.name for publisher_kind in able.values())
            raise InvalidRequest.for_field(
                f"{at}/accountId", "invalid", f"This is {this}. Ads of this ad account come from {names}."
            )

    async def require_publisher_access(self, tx: Tx, caller: Caller, publisher: AdIdentity) -> None:
        """Reject to advertise in the name of a connected account whose profile the caller's key does not cover."""
        for platform_id in filter(None, (publisher.id, publisher.page_id)):
            for kind in self._kinds:
                row = await accounts.find_by_platform_id(tx, caller.owner_id, kind, platform_id)
                if row is not None:
                    caller.require_profile_access(row.profile_id)
        for kind, rule in self._kinds.items():
            if kind is publisher.kind and rule.matched_by_name:
                await _require_access_to_namesakes(tx, caller, kind, _casefold_names(publisher))

    @property
    def _kinds(self) -> Mapping[Kind, PublisherKind]:
        """Every kind of account that the ads of some platform can come from."""
        of_all = (kind.publishers for manifest in self._manifests.values() for kind in manifest.kinds)
        return {kind: publisher for publishers in of_all for kind, publisher in publishers.items()}


async def _require_access_to_namesakes(tx: Tx, caller: Caller, kind: Kind, names: set[str]) -> None:
    for row in await accounts.list_by_kind(tx, caller.owner_id, kind) if names else ():
        if names & _casefold_names(row):
            caller.require_profile_access(row.profile_id)


def _casefold_names(named: AdIdentity | AccountRow) -> set[str]:
    return {name.casefold() for name in (named.name, named.username) if name}
