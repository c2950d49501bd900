"""How an attempt to connect by redirect ended, for a customer's page and for the person on ours."""

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import msgspec

from socialgate.contracts.account_connection import DiscoveredAccount, Grant, RedactedStruct
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connect_links import LinkVisit
from socialgate.contracts.platforms import Kind, PlatformManifest

# Characters that a path may contain unescaped (RFC 3986, 3.3), and existing escapes.
_SAFE_PATH_CHARACTERS = "/%:@!$&'()*+,;=~"
# For the person on our page, who is the customer's customer and cannot change the plan.
PLAN_LIMIT_MESSAGE = (
    "No more accounts can be connected at the moment. Contact the company that sent you this link, then open the link "
    "again."
)


class AccountSummary(msgspec.Struct, frozen=True, kw_only=True):
    """An account as a person knows it. `connected` says that the profile has it already."""

    id: str
    kind: str
    name: str
    kind_code: Kind
    username: str | None
    avatar_url: str | None
    connected: bool = False


class GrantedAccounts(RedactedStruct, frozen=True, kw_only=True):
    """What a person can still choose from: the accounts that their grant gives access to."""

    grant: Grant
    kinds: tuple[Kind, ...]
    accounts: Sequence[DiscoveredAccount]


class ConnectOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a redirect ended. `error` is a slug for programs, `detail` a sentence for people."""

    owner_id: str
    profile_id: str
    redirect_url: str | None
    account_ids: tuple[str, ...] = ()
    accounts: tuple[AccountSummary, ...] = ()
    choice: GrantedAccounts | None = None
    error: str | None = None
    detail: str = ""
    # A person who came from the page of a connect link goes back to it.
    visit: LinkVisit | None = None

    def build_redirect_location(self) -> str | None:
        """The customer's URL, with the result."""
        if self.redirect_url is None:
            return None
        payload = {"profileId": self.profile_id}
        if self.error is not None:
            payload |= {"error": self.error, "error_message": self.detail}
        else:
            payload |= {"connected": "1"}
        if self.account_ids:
            payload["accountId"] = self.account_ids[0]
        if len(self.account_ids) > 1:
            payload["accountIds"] = ",".join(self.account_ids)
        return build_result_url(self.redirect_url, payload)

    def with_connected(
        self, manifest: PlatformManifest, rows: Sequence[AccountRow], choice: GrantedAccounts | None = None
    ) -> "ConnectOutcome":
        """Return this with what was connected."""
        return msgspec.structs.replace(
            self,
            account_ids=tuple(row.id for row in rows),
            accounts=tuple(build_account_summary(manifest, row) for row in rows),
            choice=choice,
        )


def build_result_url(url: str, result: Mapping[str, str]) -> str:
    """Add a result to a customer's URL, which keeps its own parameters."""
    parts = urlsplit(url)
    query = urlencode([*parse_qsl(parts.query, keep_blank_values=True), *result.items()])
    # A header only accepts ASCII.
    return parts._replace(path=quote(parts.path, safe=_SAFE_PATH_CHARACTERS), query=query).geturl()


def build_account_summary(
    manifest: PlatformManifest, account: AccountRow | DiscoveredAccount, *, connected: bool = False
) -> AccountSummary:
    return AccountSummary(
        id=account.platform_account_id,
        kind=manifest.get_kind_manifest(Kind(account.kind)).name,
        kind_code=Kind(account.kind),
        name=account.name,
        username=account.username,
        avatar_url=account.avatar_url,
        connected=connected,
    )
